"""The answer to "are these two games the same?".

In: what was found. Out: a `Difference`, whose text is a report for people.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from gdl.language.words import counted
from gdl.machine import JointMove
from gdl.state import State
from gdl.verify.proving.evidence import Evidence

BOARD_WIDTH: Final = 320
"""Of each of two boards side by side in a notebook, at most; pixels."""


class Kind(StrEnum):
    """What two games differ in after a play; the value is the keyword of the rules."""

    TERMINAL = "terminal"
    LEGAL = "legal"
    GOAL = "goal"
    SEES = "sees"


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a comparison.

    Attributes:
        name: What was done.
        seconds: How long it took, wall clock.
        text: What came of it.
    """

    name: str
    seconds: float
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """Both games at one moment of a play that tells them apart.

    Attributes:
        moves: What was played last in each game, as people write it; empty before the first move.
        states: The state of each game then.
    """

    moves: tuple[str, str]
    states: tuple[State, State]

    @property
    def title(self) -> str:
        """What was played, once where both games call it the same."""
        if not any(self.moves):
            return "before the first move"
        left, right = self.moves
        return left if left == right else f"{left} | {right}"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two games part, or that they never do.

    Attributes:
        a: Name of the first game.
        b: Name of the second.
        equivalent: True when it was proved that no play tells them apart, False when one
            does, None when that is not known.
        proved: The games are equivalent, or the play is the shortest; that was proved.
        plays: The play in joint moves of each game; None where no difference is known.
        sentence: The first thing that differs, with the rules that make it; empty without a play.
        what: What differs after the play, one line each; empty without a play.
        kinds: Of what kind each of these is.
        depth: Moves of the play; without one, the longest length that was refuted, -1 for
            none. A move is a whole turn where a game was read in turns.
        method: What the proof rests on.
        matching: How roles and moves were matched.
        matched: What stands for what where names differ, one line each; not all of it where
            it is much.
        stages: What was done.
        notes: What else is worth knowing.
        report: The whole answer for people.
        evidence: What others can check, where the answer has a certificate.
        steps: The play as it goes, before the first move and after each; empty without a play.
    """

    a: str
    b: str
    equivalent: bool | None
    proved: bool
    method: str
    matching: str
    plays: tuple[tuple[JointMove, ...], tuple[JointMove, ...]] | None = None
    sentence: str = ""
    what: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    depth: int = -1
    matched: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()
    notes: tuple[str, ...] = ()
    report: str = field(default="", repr=False)
    evidence: Evidence | None = field(default=None, repr=False, compare=False)
    steps: tuple[Step, ...] = field(default=(), repr=False, compare=False)

    @property
    def play(self) -> tuple[JointMove, ...] | None:
        """The play in joint moves of the first game; None where no difference is known."""
        return None if self.plays is None else self.plays[0]

    @property
    def headline(self) -> str:
        """The answer in one line."""
        if self.equivalent:
            return f"equivalent (proved by {self.method})"
        if self.equivalent is None:
            reach = f"up to {counted(self.depth, 'move')}" if self.depth >= 0 else "found"
            return f"no difference {reach}, not proved ({self.method})"
        shortest = "no shorter play does" if self.proved else "perhaps a shorter play does too"
        return f"differs after {counted(self.depth, 'move')} ({shortest})"

    def _repr_html_(self) -> str:
        """Return the answer for notebooks: the headline, both boards step by step, the report."""
        from html import escape

        from gdl.language.html import beside_html, steps_html, text_html

        said = f"<p><strong>{escape(f'{self.a} and {self.b}: {self.headline}')}</strong></p>"
        said += f"<p>{escape(self.sentence)}</p>" if self.sentence else ""
        names, steps = (self.a, self.b), []
        for number, step in enumerate(self.steps):
            drawn = [state.to_html(width=BOARD_WIDTH) for state in step.states]
            boards = beside_html(zip(names, drawn, strict=True))
            steps.append((f"{number}. {step.title}", boards))
        play = steps_html(steps, f"gdl-{id(self):x}")
        report = f"<details><summary>report</summary>{text_html(str(self))}</details>"
        return f"<div>{said}{play}{report}</div>"

    def __str__(self) -> str:
        """Return the report."""
        return self.report or self.headline
