"""The one protocol that every back end obeys.

A `StateMachine` gives a game its meaning: which moves are legal, what follows,
when it is over and what it is worth. States are values of the back end's own
type, immutable and hashable; moves and facts are terms.

Source: GDL specification 2008, section 2 (the game model); Schiffel and Thielscher,
"A Multiagent Semantics for the Game Description Language", 2009.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Protocol, TypeAlias, TypeVar

from gdl.language.diagnostics import GdlError
from gdl.language.terms import Term

Role: TypeAlias = Term
Move: TypeAlias = Term
Fact: TypeAlias = Term
"""An argument of ``true``: ``(cell 1 2 x)``."""
JointMove: TypeAlias = tuple[Move, ...]
"""One move a role, in role order."""

S = TypeVar("S", bound=Hashable)


class StateMachine(Protocol[S]):
    """The transition system of one game.

    Attributes:
        roles: The players, in the order in which the rules name them.
    """

    @property
    def roles(self) -> tuple[Role, ...]:
        """The players, in the order in which the rules name them."""
        ...

    def initial(self) -> S:
        """Return the state in which the game begins."""
        ...

    def state(self, facts: Collection[Fact]) -> S:
        """Return the state in which exactly ``facts`` are true."""
        ...

    def facts(self, state: S) -> frozenset[Fact]:
        """Return what is true in a state."""
        ...

    def legal(self, state: S, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role in canonical order, also in terminal states."""
        ...

    def successor(self, state: S, joint_move: JointMove) -> S:
        """Return the state after a joint move.

        Raises:
            IllegalMoveError: When a role's move is not legal; names role, move and nearest ones.
        """
        ...

    def is_terminal(self, state: S) -> bool:
        """Return whether the game is over."""
        ...

    def goals(self, state: S, role: Role) -> tuple[int, ...]:
        """Return every goal value that the rules give a role; one in well-formed games."""
        ...

    def percepts(self, state: S, joint_move: JointMove, role: Role) -> frozenset[Term]:
        """Return what a role sees of a joint move (GDL-II), nothing where no rule says so."""
        ...


class IllegalMoveError(GdlError):
    """A move that the rules do not allow in a state.

    Attributes:
        role: Who wanted to move.
        move: The move.
        legal: The legal moves of the role there.
    """

    def __init__(self, role: Role, move: Move, legal: tuple[Move, ...], message: str) -> None:
        """Keep the facts beside the text."""
        super().__init__(message)
        self.role = role
        self.move = move
        self.legal = legal
