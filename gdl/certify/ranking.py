"""What must be unsatisfiable where each step of a play lowers a weighted sum of facts.

In: a transition system, an invariant, weights of latches, and a number. Out: a formula, satisfiable
where a step of a play lowers the sum by less than that number. If it is not, a play has at most as
many steps as the sum can be lowered so often.

What a latch that changes adds to the sum is a gain or a loss. Both are counted in unary: of each
value that the gains, or the losses, can have there is a literal that they have it, or more. A step
lowers the sum by less than ``drop`` just where, for each k, losses of k or more come with gains of
k - drop + 1 or more. Every clause is true of what its literals are meant to say, so a step that
breaks the claim satisfies the formula.

Where not every step, but any ``n`` in a row lower the sum by that number, the state before such a
run is compared with the one after it.

Source: ranking functions as in Floyd, "Assigning Meanings to Programs", 1967; totalizers as in
Bailleux, Boufkhad, "Efficient CNF Encoding of Boolean Cardinality Constraints", CP 2003.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, TypeAlias

from gdl.certify.aiger_file import AigerFile, CertificateError
from gdl.certify.formulas import Formula
from gdl.certify.paths import run_of_play, runs_at_most

RANKING: Final = "ranking"
MAX_CLAUSES: Final = 5_000_000
"""Clauses of the formula, at most: sums of many different values take too many."""

Sum: TypeAlias = dict[int, int]
"""Of each value above 0 that a sum can have, a literal that it has it, or more; in rising order."""


def read_weights(weights: Any, latches: int) -> dict[int, int]:  # noqa: ANN401  # as it was read
    """Return weights as they are written: pairs of a latch and a whole number that is not 0.

    Raises:
        CertificateError: They are none.
    """
    if not isinstance(weights, list) or not all(
        isinstance(pair, list) and [type(number) for number in pair] == [int, int]
        for pair in weights
    ):
        raise CertificateError("the claim has no weights of latches")
    weight_of = {latch: weight for latch, weight in weights if weight}
    if len(weight_of) != len(weights) or not all(0 <= latch < latches for latch in weight_of):
        raise CertificateError("a weight is 0, or of no latch, or one of two of the same")
    return weight_of


def falls_at_most(
    model: AigerFile, weights: Mapping[int, int], drop: object, steps: int = 1
) -> int:
    """Return how many steps a play has at most, if so many in a row lower the sum by ``drop``.

    Raises:
        CertificateError: That is no whole number above 0.
    """
    if type(drop) is not int or drop < 1:
        raise CertificateError(f"{drop!r} is nothing that a sum can be lowered by")
    start = sum(weight for latch, weight in weights.items() if model.resets[latch])
    least = sum(weight for weight in weights.values() if weight < 0)
    return runs_at_most((start - least) // drop, steps)


def ranking_question(
    model: AigerFile, invariant: AigerFile, weights: Mapping[int, int], drop: int, steps: int = 1
) -> Formula:
    """Return that so many steps of a play in a row lower the sum by less than ``drop``.

    Cost O(gates * steps), and the product of the values that two halves of the sum can have.

    Raises:
        CertificateError: No latch says what a play is, or the sum has too many values.
    """
    formula, first, last = run_of_play(model, invariant, steps)
    gains, losses = list[Sum](), list[Sum]()
    for latch, weight in weights.items():
        before, after = first[latch], last[latch]
        rises, falls = (formula.both(*pair) for pair in ((after, -before), (before, -after)))
        gains.append({abs(weight): rises if weight > 0 else falls})
        losses.append({abs(weight): falls if weight > 0 else rises})
    gained, lost = total(formula, gains), total(formula, losses)
    values = list(gained)
    for value, literal_ in lost.items():
        if value < drop:
            continue
        place = bisect_left(values, value - drop + 1)
        formula.clauses.append((-literal_, *(gained[v] for v in values[place : place + 1])))
    # Nothing has to be said of losses below `drop`: with them the claim is broken.
    return formula


def total(formula: Formula, sums: list[Sum]) -> Sum:
    """Return the sum of sums, added up in pairs."""
    while len(sums) > 1:
        pairs = zip(sums[::2], sums[1::2], strict=False)
        left = sums[-1:] if len(sums) % 2 else []
        sums = [*(_added(formula, a, b) for a, b in pairs), *left]
    return sums[0] if sums else {}


def _added(formula: Formula, left: Sum, right: Sum) -> Sum:
    """Return the sum of two sums."""
    pairs = [(a, b) for a in (0, *left) for b in (0, *right) if a or b]
    if len(formula.clauses) + 2 * len(pairs) > MAX_CLAUSES:
        raise CertificateError("the weighted sum has too many values to be written down")
    values = sorted({a + b for a, b in pairs})
    total = dict(zip(values, formula.fresh(len(values)), strict=True))
    for lower, higher in pairwise(values):
        formula.clauses.append((-total[higher], total[lower]))
    for a, b in pairs:  # a or more and b or more are a + b or more
        chosen = [-side[value] for side, value in ((left, a), (right, b)) if value]
        formula.clauses.append((*chosen, total[a + b]))
    ones, others = list(left), list(right)
    for value in values:
        for a in (0, *left):  # of a sum of `value` or more: more than a left, or the rest right
            if a >= value:
                break
            more = ones[bisect_left(ones, a + 1) :][:1]
            rest = others[bisect_left(others, value - a) :][:1]
            summands = [*(left[v] for v in more), *(right[v] for v in rest)]
            formula.clauses.append((-total[value], *summands))
    return total
