"""An engine as the auditor speaks to it: six questions, whoever answers them.

Who plays; where play begins; whose turn it is; what is legal there, and how it is written; what
follows; whether play is over and what it is worth. What an engine may have beside these (what a
role sees, how likely an outcome of chance is, a picture) has an answer that says "I have none".

Roles are numbers from 0, in the engine's order; chance is `CHANCE` and not among the roles.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from gdl.conform.reference import Engine
from gdl.language.diagnostics import GdlError

CHANCE: Final = -1
"""The number of chance, where it moves like a role."""
Position: TypeAlias = Any
"""A position of an engine: its own, never changed by a question."""
Board: TypeAlias = frozenset[tuple[Hashable, int]]
"""What stands on the sites of a board, and how many of it."""
EngineMove: TypeAlias = Hashable
"""A move of an engine: its own, a number for most."""


class SourceError(GdlError):
    """An engine that is not there, cannot be spoken to, or breaks its own word."""


class Source(Protocol):
    """An engine, asked about positions; no question changes one.

    Attributes:
        name: What the user called it.
        version: Of the engine, for reports; empty where nobody says.
        roles: Its players, in its order, without chance.
        hides: Whether players know only a part of the position.
        has_chance: Whether chance ever moves.
        bounds: The least and the greatest return of a player; None where nobody says.
        most_moves: Moves after which the engine ends any game; None where nobody says.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def version(self) -> str: ...  # noqa: D102
    @property
    def roles(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def hides(self) -> bool: ...  # noqa: D102
    @property
    def has_chance(self) -> bool: ...  # noqa: D102
    @property
    def bounds(self) -> tuple[float, float] | None: ...  # noqa: D102
    @property
    def most_moves(self) -> int | None: ...  # noqa: D102

    def initial(self) -> Position:
        """Return where play begins."""
        ...

    def movers(self, position: Position) -> tuple[int, ...]:
        """Return who chooses here: roles, ``(CHANCE,)``, or nobody where play is over."""
        ...

    def legal(self, position: Position, role: int) -> Sequence[EngineMove]:
        """Return the moves of a role that chooses here, or the outcomes of chance."""
        ...

    def chances(self, position: Position) -> Mapping[EngineMove, float]:
        """Return how likely each outcome is where chance moves; the sum is 1."""
        ...

    def play(self, position: Position, moves: Mapping[int, EngineMove]) -> Position:
        """Return the position after a legal move of each role that chooses, or of chance."""
        ...

    def is_terminal(self, position: Position) -> bool:
        """Return whether play is over."""
        ...

    def returns(self, position: Position) -> tuple[float, ...]:
        """Return what the end is worth to each role, in the engine's units."""
        ...

    def text(self, position: Position, role: int, move: EngineMove) -> str:
        """Return a legal move as the engine writes it; empty where it has no text."""
        ...

    def observation(self, position: Position, role: int) -> Hashable | None:
        """Return all that a role knows of the play so far; None where the engine does not say."""
        ...

    def board(self, position: Position) -> Board:
        """Return what stands where, without turns and counters; asked of the rules alone."""
        ...

    def draw(self, position: Position) -> str:
        """Return the position for people."""
        ...

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> str | None:
        """Return Python that makes these moves and leaves ``state``; None where it has none.

        It is for the engine's own tracker: nothing of this project stands in it.
        """
        ...


class Plain:
    """What most engines have in common: no chance, nothing hidden, nothing to say beside.

    Attributes:
        name: What the user called it.
        version: Of the engine.
        roles: Its players.
        hides: Whether players know only a part of the position.
        has_chance: Whether chance ever moves.
        bounds: The least and the greatest return.
        most_moves: Moves after which the engine ends any game.
    """

    name: str = ""
    version: str = ""
    roles: tuple[str, ...] = ()
    hides: bool = False
    has_chance: bool = False
    bounds: tuple[float, float] | None = None
    most_moves: int | None = None

    def chances(self, position: Position) -> Mapping[EngineMove, float]:
        """Return nothing: chance never moves."""
        del position
        return {}

    def text(self, position: Position, role: int, move: EngineMove) -> str:
        """Return the move as Python writes it."""
        del position, role
        return move if isinstance(move, str) else ""

    def observation(self, position: Position, role: int) -> Hashable | None:
        """Return None: the engine does not say."""
        del position, role
        return None

    def board(self, position: Position) -> Board:
        """Return the whole picture as one thing."""
        return frozenset({(self.draw(position), 1)})

    def draw(self, position: Position) -> str:
        """Return the position as Python writes it."""
        return str(position)

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> str | None:
        """Return None: there is no script."""
        del plays
        return None


def written(source: Source, position: Position, role: int, move: EngineMove) -> str:
    """Return a move for people: its text, else its number or what it is."""
    return source.text(position, role, move) or str(move)


def in_turn(source: Source, position: Position) -> Iterator[tuple[int, EngineMove]]:
    """Yield every choice of every mover in a position."""
    for role in source.movers(position):
        for move in source.legal(position, role):
            yield role, move


Against: TypeAlias = str | Source | Engine[Any, Any] | type[Engine[Any, Any]]
"""What a game is held against: a name, a source, or somebody's engine itself, or its class."""
