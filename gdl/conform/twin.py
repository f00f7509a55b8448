"""The same position on two sides, the play to it, and where two sides part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl.conform.source import EngineMove, Position

Choice: TypeAlias = Mapping[int, EngineMove]
"""A move of each role that chooses, by its number; of chance by `CHANCE`."""


@dataclass(frozen=True, slots=True)
class Twin:
    """The same position on both sides.

    Attributes:
        ours: The position of the rules.
        theirs: The engine's.
        before: The twin before, None at the start.
        choice: What was chosen there, on our side.
        plays: The moves of either side since then, passes that only one of them has included.
    """

    ours: Position
    theirs: Position
    before: Twin | None = field(default=None, repr=False)
    choice: Choice | None = None
    plays: tuple[tuple[Choice, ...], tuple[Choice, ...]] = ((), ())
    depth: int = 0

    @property
    def path(self) -> tuple[Twin, ...]:
        """The twins from the start to here."""
        walk = [self]
        while walk[-1].before is not None:
            walk.append(walk[-1].before)
        return tuple(reversed(walk))

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What was chosen from the start to here, on our side."""
        return tuple(twin.choice for twin in self.path if twin.choice is not None)

    def played(self, side: int) -> tuple[Choice, ...]:
        """Return all moves of a side from the start to here: 0 for the rules, 1 for the engine."""
        return tuple(choice for twin in self.path for choice in twin.plays[side])


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two sides part.

    Attributes:
        kind: ``turn``, ``terminal``, ``legal``, ``chance``, ``returns``, ``observations`` or
            ``failure``.
        what: The same with the role it is about.
        ours: What the rules say.
        theirs: What the engine says.
        twin: Where.
        role: Our number of the role it is about, None where it is about all.
        only: Moves that only one side has: ours, theirs.
    """

    kind: str
    what: str
    ours: str
    theirs: str
    twin: Twin
    role: int | None = None
    only: tuple[tuple[EngineMove, ...], tuple[EngineMove, ...]] = ((), ())
