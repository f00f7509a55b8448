"""The questions that every engine answers, so that one test can walk all of them.

Positions are immutable and hashable; a move is a small value that knows nothing of a position.
Each engine plays one ruleset in which exactly one role chooses at a time.
"""

from typing import Protocol, TypeVar

P = TypeVar("P")
M = TypeVar("M")


class Game(Protocol[P, M]):
    """A two-player game of perfect information in which the roles move in turn."""

    @property
    def ruleset(self) -> str:
        """Ruleset identifier, for instance ``pentago/strict``."""
        ...

    @property
    def roles(self) -> tuple[str, str]:
        """The two roles, first mover first."""
        ...

    def initial(self) -> P:
        """Return the position before the first move."""
        ...

    def to_move(self, position: P) -> str | None:
        """Return the role whose turn it is, or None at the end of the game."""
        ...

    def legal_moves(self, position: P) -> tuple[M, ...]:
        """Return the mover's legal moves in a fixed order; none at the end of the game."""
        ...

    def play(self, position: P, move: M, role: str | None = None) -> P:
        """Return the position after a move; `IllegalMoveError` when the rules forbid it.

        Args:
            position: Where the move is made; not changed.
            move: The move.
            role: Who makes it; None stands for the role whose turn it is.
        """
        ...

    def is_terminal(self, position: P) -> bool:
        """Say whether the game is over."""
        ...

    def goals(self, position: P) -> dict[str, int]:
        """Return each role's goal value: 100 win, 50 draw, 0 loss; 0 for both while open."""
        ...

    def key(self, position: P) -> object:
        """Return a hashable value that is equal for positions with the same future."""
        ...

    def parse(self, text: str) -> M:
        """Return the move written in the ruleset's notation; `NotationError` otherwise."""
        ...

    def format(self, move: M) -> str:
        """Return the move in the ruleset's notation."""
        ...

    def draw(self, position: P) -> str:
        """Return the board as text, one line per row, top row first."""
        ...
