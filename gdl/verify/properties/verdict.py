"""What is known of the properties of a game: proved, refuted with a play, or open.

Plain values, which whoever decides a property returns and whoever reports on it reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from gdl.language.diagnostics import Diagnostic
from gdl.machine import JointMove
from gdl.verify.proving.evidence import Evidence

Status: TypeAlias = Literal["proved", "refuted", "open"]
KINDS_OF_GAMES: Final = frozenset({"turn-taking", "constant sum"})
"""Properties that tell one kind of game from another: a game without them has no fault."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one property.

    Attributes:
        name: The property.
        claim: What it says.
        status: ``proved``, ``refuted`` or ``open``.
        text: How that is known.
        depth: Moves of the play; or the length up to which it was settled, -1 for none.
        play: The play that refutes it, or that proves that something is possible.
        is_shortest: Whether no shorter play does; that was proved.
        culprits: What refutes it, where that is no play: moves that are never legal, facts
            that never change, rules that never fire. Or, where it is open, what was not seen.
        said: Where rules speak of culprits that nothing could ever be, drawn as ``gdl check`` does.
        evidence: What others can check, where that has a certificate.
    """

    name: str
    claim: str
    status: Status
    text: str
    depth: int = -1
    play: tuple[JointMove, ...] | None = None
    is_shortest: bool = False
    culprits: tuple[str, ...] = ()
    said: tuple[Diagnostic, ...] = ()
    evidence: Evidence | None = field(default=None, repr=False, compare=False)

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong with the game: it is proved, or refuted of a kind of games."""
        if self.status == "refuted":
            return self.name in KINDS_OF_GAMES
        return self.status == "proved"


@dataclass(frozen=True, slots=True)
class Verification:
    """All verdicts about one game.

    Attributes:
        name: The game.
        verdicts: In the order in which they were asked.
    """

    name: str
    verdicts: tuple[Verdict, ...]

    def _repr_html_(self) -> str:
        """Return the verdicts as a table for notebooks."""
        from gdl.language.html import LEFT, table_html

        rows = [
            (verdict.status, verdict.name, verdict.claim, verdict.text) for verdict in self.verdicts
        ]
        return table_html(["", "property", "claim", "why"], rows, style=LEFT)

    def __getitem__(self, name: str) -> Verdict:
        """Return the verdict on a property by its name."""
        return next(verdict for verdict in self.verdicts if verdict.name == name)

    @property
    def refuted(self) -> tuple[Verdict, ...]:
        """The properties that do not hold."""
        return tuple(verdict for verdict in self.verdicts if verdict.status == "refuted")

    @property
    def faults(self) -> tuple[Verdict, ...]:
        """The verdicts against the game: what is refuted that every game should have."""
        return tuple(verdict for verdict in self.refuted if not verdict.is_well)

    @property
    def open(self) -> tuple[Verdict, ...]:
        """What is not known."""
        return tuple(verdict for verdict in self.verdicts if verdict.status == "open")
