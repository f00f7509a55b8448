"""What must be unsatisfiable where each step of a play uses up one of some groups of facts.

In: a transition system, an invariant, groups of latches each with a value. A group is used up where
one of its latches has that value. Out: a formula, satisfiable where a step gives a group back, or
uses up none. If it is not, a play has at most as many steps as there are groups that are not used
up at first.

Source: ranking functions as in Floyd, "Assigning Meanings to Programs", 1967.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from gdl.certify.aiger_file import AigerFile, CertificateError
from gdl.certify.closure import play_latch
from gdl.certify.formulas import Formula, literal, step_of

USED_UP: Final = "used-up"

Groups: TypeAlias = Sequence[Sequence[tuple[int, bool]]]
"""Groups of latches, each with the value that uses the group up."""


def read_groups(groups: Any, latches: int) -> list[list[tuple[int, bool]]]:  # noqa: ANN401  # as it was read
    """Return groups as they are written: each a list of numbers, ``-1 - n`` where latch n is false.

    Raises:
        CertificateError: They are none.
    """
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise CertificateError("the claim has no groups of latches")
    if not all(type(n) is int and -latches <= n < latches for group in groups for n in group):
        raise CertificateError("a latch of a group is no latch")
    return [[(n, True) if n >= 0 else (-1 - n, False) for n in group] for group in groups]


def steps_at_most(model: AigerFile, groups: Groups) -> int:
    """Return how many groups are not used up at first."""
    return sum(all(model.resets[n] != value for n, value in group) for group in groups)


def used_up_question(model: AigerFile, invariant: AigerFile, groups: Groups) -> Formula:
    """Return that a step of a play gives a group back, or uses up none. Cost O(gates).

    Raises:
        CertificateError: No latch says what a play is.
    """
    formula, step = step_of(model, invariant)
    formula.clauses.append((literal(step, model.nexts[play_latch(model)]),))
    # Before a step a latch is the variable after the inputs; after it, the edge of its next value.
    before = [step[1 + model.inputs + latch] for latch in range(len(model.nexts))]
    after = [literal(step, edge) for edge in model.nexts]
    (none_new,) = formula.fresh(1)
    wrong = [none_new]
    for group in groups:
        was = _used(formula, before, group)
        now = _used(formula, after, group)
        (back,) = formula.fresh(1)
        formula.clauses += ((-back, was), (-back, -now))
        formula.clauses.append((-none_new, was, -now))
        wrong.append(back)
    formula.clauses.append(tuple(wrong))
    return formula


def _used(formula: Formula, values: Sequence[int], group: Sequence[tuple[int, bool]]) -> int:
    """Return a literal that is true just where a group is used up."""
    (used,) = formula.fresh(1)
    members = [values[latch] if value else -values[latch] for latch, value in group]
    formula.clauses += ((used, -member) for member in members)
    formula.clauses.append((-used, *members))
    return used
