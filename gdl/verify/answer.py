"""The answer to "are these two games the same?".

In: what was found. Out: a `Difference`, whose text is a report for people.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from gdl.machine import JointMove
from gdl.verify.proving.evidence import Evidence


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
            reach = f"up to {self.depth} moves" if self.depth >= 0 else "found"
            return f"no difference {reach}, not proved ({self.method})"
        shortest = "no shorter play does" if self.proved else "perhaps a shorter play does too"
        return f"differs after {self.depth} moves ({shortest})"

    def _repr_html_(self) -> str:
        """Return the answer for notebooks: the headline, and the report below it."""
        from html import escape

        from gdl.language.html import text_html

        said = f"<strong>{escape(f'{self.a} and {self.b}: {self.headline}')}</strong>"
        opened = " open" if self.plays is not None else ""
        return f"<details{opened}><summary>{said}</summary>{text_html(str(self))}</details>"

    def __str__(self) -> str:
        """Return the report."""
        return self.report or self.headline
