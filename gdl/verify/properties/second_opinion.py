"""What another model checker says of a property, beside our verdict.

In: a verdict, and the property it is of. Out: the verdict, with what the other says of it. What is
open here and answered there is answered: its invariant was checked by a solver of ours, its play by
the reasoner. Where the two disagree one of them is wrong, and nothing is said at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gdl.verify.properties.decide import as_system
from gdl.verify.properties.verdict import Status, Verdict
from gdl.verify.properties.well_formed import Property
from gdl.verify.properties.witness import Witness
from gdl.verify.proving.berkeley_abc import PROGRAM, ask_outside, disagreement
from gdl.verify.proving.evidence import Induction, Shown
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.system import System


def with_second_opinion(  # noqa: PLR0913, PLR0917  # all that is known
    verdict: Verdict,
    asked: Property,
    system: System,
    witness: Witness,
    rules: Iterable[str],
    budget: Budget,
) -> Verdict:
    """Return a verdict with what ABC says of the same question.

    Args:
        verdict: Ours.
        asked: The property.
        system: The game.
        witness: Replays plays.
        rules: The texts of the game, to be saved where the two disagree.
        budget: For ABC, and for checking what it says.

    Raises:
        UnsoundError: The two disagree, or what ABC says does not pass its check.
        WitnessError: The reasoner does not confirm ABC's play.
    """
    own = as_system(system, asked)
    try:
        reached = ask_outside(own, budget)
    except OutOfBudgetError:
        reached = None
    if reached is None:
        return replace(verdict, text=f"{verdict.text}; {PROGRAM} does not tell")
    play = reached.play
    joints = None if play is None else witness.confirmed(play, asked)
    if verdict.status != "open":
        is_shorter = verdict.is_shortest and joints is not None and len(joints) < verdict.depth
        if (joints is None) != (verdict.play is None) or is_shorter:
            theirs = _said(asked, is_reached=joints is not None)
            said = f"{asked.name}: {verdict.status} here, {theirs} by {PROGRAM}"
            raise disagreement(own, reached, said, rules)
        return replace(verdict, text=f"{verdict.text}; {PROGRAM} agrees")
    text = f"{PROGRAM}, "
    if play is not None and joints is not None:
        text += "its play confirmed"
        shown = Shown(own, play, is_shortest=False)
        return Verdict(
            asked.name,
            asked.claim,
            _said(asked, is_reached=True),
            text,
            len(joints),
            joints,
            is_shortest=False,
            evidence=shown,
        )
    assert reached.invariants is not None
    count = len(reached.invariants.clauses)
    text += f"its invariant of {count} clauses checked anew"
    evidence = Induction(own, reached.invariants)
    status = _said(asked, is_reached=False)
    return Verdict(asked.name, asked.claim, status, text, verdict.depth, evidence=evidence)


def _said(asked: Property, *, is_reached: bool) -> Status:
    return "proved" if is_reached == asked.is_possible else "refuted"
