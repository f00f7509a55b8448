"""What an engine has to answer to be compared with a rule file.

`Engine` is what anybody's engine answers: six questions, with any number of players, chance and
moves made at once (docs/conform.md). `Reference` is what the hand-written engines of this project
answer beside, so that boards and refusals can be compared, too.

Source: the questions are those of `gdl.machine`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol, TypeVar

P = TypeVar("P")
"""A position of the engine: immutable."""
M = TypeVar("M")
"""A move of the engine."""


H = TypeVar("H", bound=Hashable)
"""A move of anybody's engine."""


class Engine(Protocol[P, H]):
    """Any engine: ``gdl conform GAME --against module:Class`` asks these six questions.

    It may answer more: ``format(move)`` the move as text; ``is_terminal(position)``;
    ``chances(position)`` how likely each outcome of chance is; ``observation(position, role)`` all
    that a role knows; ``draw(position)``; and instead of ``returns``, ``goals`` from 0 to 100.
    """

    @property
    def roles(self) -> Sequence[str]:
        """The players."""
        ...

    def initial(self) -> P:
        """Return where play begins."""
        ...

    def to_move(self, position: P) -> str | Sequence[str] | None:
        """Return who moves: a role, several at once, ``"random"`` for chance, None at the end."""
        ...

    def legal_moves(self, position: P) -> Sequence[H]:
        """Return the legal moves; it may take a role as well, where several move at once."""
        ...

    def play(self, position: P, move: H) -> P | None:
        """Return the position after a move, or a mapping of moves where several move at once.

        An engine that changes the position itself returns None, or that very position.
        """
        ...

    def returns(self, position: P) -> Sequence[float] | Mapping[str, float]:
        """Return what the end is worth to each role; ``bounds`` says from what to what."""
        ...


class Reference(Protocol[P, M]):
    """A two-player engine in which one role chooses at a time; positions are immutable."""

    @property
    def roles(self) -> tuple[str, str]:
        """The roles, first mover first."""
        ...

    def initial(self) -> P:
        """Return the first position."""
        ...

    def to_move(self, position: P) -> str | None:
        """Return whose turn it is, None at the end."""
        ...

    def legal_moves(self, position: P) -> tuple[M, ...]:
        """Return the mover's legal moves."""
        ...

    def play(self, position: P, move: M, role: str | None = None) -> P:
        """Return the position after a move.

        Raises:
            ValueError: The move is not legal, or it is not the role's turn.
        """
        ...

    def is_terminal(self, position: P) -> bool:
        """Return whether the game is over."""
        ...

    def goals(self, position: P) -> dict[str, int]:
        """Return each role's goal."""
        ...

    def key(self, position: P) -> object:
        """Return a hashable value, equal for positions with the same future."""
        ...

    def parse(self, text: str) -> M:
        """Return the move that a notation text means.

        Raises:
            ValueError: The text is no move.
        """
        ...

    def format(self, move: M) -> str:
        """Return a move in notation."""
        ...

    def draw(self, position: P) -> str:
        """Return the board, a line a row, a character a cell: the role's initial or a dot."""
        ...
