"""What an engine has to answer to be compared with a rule file.

Source: the questions are those of `gdl.machine` for games in which one of two
roles chooses at a time.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

P = TypeVar("P")
"""A position of the engine: immutable."""
M = TypeVar("M")
"""A move of the engine."""


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
