"""Every function of three variables as a short formula of two-input operations.

For CPUs without a three-input instruction. In goes a truth table, out comes a
`Formula` tree with the fewest operations.

Source: Knuth, "The Art of Computer Programming" 4A, section 7.1.2 (footprints).
"""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Final, NamedTuple

from gdl.native.code.cover import COLUMNS, ONES


class Formula(NamedTuple):
    """An operation over operands.

    Attributes:
        operator: ``and``, ``or``, ``xor``, ``andn`` (first without second), ``not``,
            ``operand`` or ``zero``.
        args: Formulas it applies to.
        operand: Which operand, for ``operand``.
    """

    operator: str
    args: tuple[Formula, ...] = ()
    operand: int = 0


ZERO: Final = Formula("zero")


@cache
def formulas() -> dict[int, Formula]:
    """Return the shortest formula of each of the 256 truth tables. Cost some milliseconds, once."""
    # By rising cost, from all pairs whose costs add up to one less: what is met first is shortest.
    shortest: dict[int, Formula] = {0: ZERO}
    by_cost: list[list[int]] = [[0]]
    for operand, column in enumerate(COLUMNS):
        shortest[column] = Formula("operand", (), operand)
        by_cost[0].append(column)
    for cost in count(1):
        if len(shortest) == ONES + 1:
            return shortest
        fresh: list[int] = []
        for table, formula in _combine(shortest, by_cost, cost):
            if table not in shortest:
                shortest[table] = formula
                fresh.append(table)
        by_cost.append(fresh)
    raise AssertionError


def _combine(
    shortest: dict[int, Formula], by_cost: list[list[int]], cost: int
) -> list[tuple[int, Formula]]:
    combined = [(table ^ ONES, Formula("not", (shortest[table],))) for table in by_cost[cost - 1]]
    for left_cost in range(cost):
        for a in by_cost[left_cost]:
            for b in by_cost[cost - 1 - left_cost]:
                pair = (shortest[a], shortest[b])
                combined.append((a & ~b & ONES, Formula("andn", pair)))
                if a < b:
                    combined.append((a & b, Formula("and", pair)))
                    combined.append((a | b, Formula("or", pair)))
                    combined.append((a ^ b, Formula("xor", pair)))
    return combined
