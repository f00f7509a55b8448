"""What must be unsatisfiable where steps of a play use up one of some groups of facts.

In: a transition system, an invariant, groups of latches each with a value. A group is used up where
one of its latches has that value. Out: a formula, satisfiable where a step gives a group back, or
uses up none. If it is not, a play has at most as many steps as there are groups that are not used
up at first.

Where not every step, but any ``n`` in a row use up one, there are two formulas: a step gives a
group back (``back``), and n steps lead from one state to another, and no group more is used up.
If neither can be satisfied, a play can be cut into runs of n steps, each of which uses up a group,
and less than n steps that are left.

Source: ranking functions as in Floyd, "Assigning Meanings to Programs", 1967.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from gdl.certify.aiger_file import AigerFile, CertificateError
from gdl.certify.formulas import Formula
from gdl.certify.paths import run_of_play, runs_at_most

USED_UP: Final = "used-up"
BACK: Final = "back"

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


def steps_at_most(model: AigerFile, groups: Groups, steps: int = 1) -> int:
    """Return how many steps a play has at most, if so many in a row use up a group."""
    left = sum(all(model.resets[n] != value for n, value in group) for group in groups)
    return runs_at_most(left, steps)


def used_up_questions(
    model: AigerFile, invariant: AigerFile, groups: Groups, steps: int = 1
) -> dict[str, Formula]:
    """Return that a step of a play gives a group back, and that so many in a row use up none.

    Cost O(gates * steps).

    Raises:
        CertificateError: No latch says what a play is.
    """
    one, before, after = run_of_play(model, invariant, 1)
    back, none_new = _changes(one, before, after, groups)
    if steps == 1:
        one.clauses.append((none_new, *back))
        return {USED_UP: one}
    one.clauses.append(tuple(back))
    run, before, after = run_of_play(model, invariant, steps)
    _, none_new = _changes(run, before, after, groups)
    run.clauses.append((none_new,))
    return {BACK: one, USED_UP: run}


def _changes(
    formula: Formula, before: Sequence[int], after: Sequence[int], groups: Groups
) -> tuple[list[int], int]:
    """Return for each group that it is given back between two states, and that none is used up."""
    (none_new,) = formula.fresh(1)
    given_back = []
    for group in groups:
        was, now = _used(formula, before, group), _used(formula, after, group)
        (back,) = formula.fresh(1)
        formula.clauses += ((-back, was), (-back, -now))
        formula.clauses.append((-none_new, was, -now))
        given_back.append(back)
    return given_back, none_new


def _used(formula: Formula, values: Sequence[int], group: Sequence[tuple[int, bool]]) -> int:
    """Return a literal that is true just where a group is used up."""
    (used,) = formula.fresh(1)
    members = [values[latch] if value else -values[latch] for latch, value in group]
    formula.clauses += ((used, -member) for member in members)
    formula.clauses.append((-used, *members))
    return used
