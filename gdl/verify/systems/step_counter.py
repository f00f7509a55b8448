"""How long a game can last by its clock alone: the part that runs by itself, ply by ply.

In: a system. Out: moves that no play exceeds, where facts that depend on no move say when
play stops: a step counter, whatever is played.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gdl.circuit.aig import Lit
from gdl.circuit.phases import autonomous
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.system import System

UNKNOWN: Final = 2
MAX_PLIES: Final = 20_000


def longest_by_clock(system: System, budget: Budget) -> int | None:
    """Return how many moves no play exceeds, None where the clock sets no end.

    Cost O(nodes * plies) at worst.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    facts = tuple(autonomous(system.aig, system.fact_inputs, system.next))
    if not facts:
        return None
    ends = [system.stop, *system.flat_legal]
    reader = _TernaryEvaluator(system, facts)
    state = tuple(int(system.initial[fact]) for fact in facts)
    seen: set[tuple[int, ...]] = set()
    for ply in range(MAX_PLIES):
        budget.check()
        if state in seen:
            return None
        seen.add(state)
        stop, *legal = reader.values(state, ends)
        if stop == 1 or not all(map(any, system.by_role(legal))):
            return ply
        state = tuple(reader.values(state, [system.next[fact] for fact in facts]))
    return None


class _TernaryEvaluator:
    """Values of edges where some facts are known and nothing else."""

    def __init__(self, system: System, facts: Iterable[int]) -> None:
        self.aig = system.aig
        self.inputs = [system.fact_inputs[fact] >> 1 for fact in facts]
        aig = system.aig
        self._is_live = bytearray(len(aig))  # depends on a fact that is known
        for node in self.inputs:
            self._is_live[node] = 1
        for node in aig.ands():
            left, right = aig.left[node] >> 1, aig.right[node] >> 1
            self._is_live[node] = self._is_live[left] or self._is_live[right]

    def values(self, state: tuple[int, ...], edges: list[Lit]) -> list[int]:
        """Return 0, 1 or `UNKNOWN` for each edge. Cost O(nodes of their cones)."""
        values: dict[int, int] = {0: 0, **dict(zip(self.inputs, state, strict=True))}
        aig = self.aig
        stack = [edge >> 1 for edge in edges]
        while stack:
            node = stack[-1]
            if node in values:
                stack.pop()
                continue
            if not self._is_live[node]:
                values[node] = UNKNOWN
                continue
            left, right = aig.left[node], aig.right[node]
            missing = [e >> 1 for e in (left, right) if e >> 1 not in values]
            if missing:
                stack += missing
                continue
            a, b = _of(values, left), _of(values, right)
            values[node] = 0 if 0 in (a, b) else UNKNOWN if UNKNOWN in (a, b) else 1
        return [_of(values, edge) for edge in edges]


def _of(values: dict[int, int], edge: Lit) -> int:
    value = values[edge >> 1]
    return value if value == UNKNOWN else value ^ (edge & 1)
