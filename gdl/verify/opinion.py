"""What another model checker says of two games, beside our answer.

In: what we found, and the system it was asked of. Out: the result, and a note of what the other
says. What is open here and answered there is answered: its invariant was checked by a solver of
ours, its play comes to something bad in our evaluation and is replayed by the reasoner like any
other. Where the two disagree one of them is wrong, and nothing is said at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from gdl.verify.proving.berkeley_abc import PROGRAM, ask_outside, disagreement
from gdl.verify.proving.evidence import Induction
from gdl.verify.proving.search import Result
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.system import System

SHARE: Final = 0.4
"""Of the time left, what is kept for the other checker and for checking what it says."""


def compare_opinions(
    system: System, ours: Result, rules: Iterable[str], budget: Budget
) -> tuple[Result, str]:
    """Return what is known with what ABC says, and a note of that.

    Args:
        system: With all in which the games may differ as its bads.
        ours: What we found.
        rules: The texts of both games, to be saved where the two disagree.
        budget: For ABC, and for checking what it says.

    Raises:
        UnsoundError: The two disagree, or what ABC says does not pass its check.
    """
    try:
        theirs = ask_outside(system, budget)
    except OutOfBudgetError:
        theirs = None
    if theirs is None:
        return ours, f"{PROGRAM} does not tell"
    play = theirs.play
    if play is None:
        if ours.play is not None:
            said = f"a play of {len(ours.play)} moves tells the games apart here, none by {PROGRAM}"
            raise disagreement(system, theirs, said, rules)
        if ours.proved:
            return ours, f"{PROGRAM} agrees"
        assert theirs.invariants is not None
        count = len(theirs.invariants.clauses)
        method = f"{PROGRAM}, its invariant of {count} clauses checked anew"
        evidence = Induction(system, theirs.invariants)
        proved = replace(ours, proved=True, method=method, evidence=evidence)
        return proved, f"{PROGRAM} answers what is open here"
    is_equal = ours.play is None and ours.proved
    if is_equal or len(play) <= ours.depth:
        here = "no play" if is_equal else f"no play of {ours.depth} moves or fewer"
        said = f"{here} tells the games apart here, one of {len(play)} does by {PROGRAM}"
        raise disagreement(system, theirs, said, rules)
    if ours.play is None or len(play) < len(ours.play):
        is_shortest = len(play) == ours.depth + 1
        confirmed = replace(
            ours, play=play, proved=is_shortest, method=f"{PROGRAM}, its play confirmed"
        )
        return confirmed, f"{PROGRAM} found the play"
    return ours, f"{PROGRAM} agrees"
