"""The one protocol that every back end obeys, and what it says of a move that is not legal.

A `StateMachine` gives a game its meaning: which moves are legal, what follows,
when it is over and what it is worth. States are values of the back end's own
type, immutable and hashable; moves and facts are terms.

Source: GDL specification 2008, section 2 (the game model); Schiffel and Thielscher,
"A Multiagent Semantics for the Game Description Language", 2009. Which legal moves are near
another one: `difflib` (Ratcliff and Obershelp, 1988) on the text shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Hashable, Iterable, Sequence, Sized
from functools import lru_cache, reduce
from operator import xor
from typing import Final, Protocol, TypeAlias, TypeVar

from gdl.language.diagnostics import GdlError
from gdl.language.terms import Constant, Term, Variable, kif_text, signature

Role: TypeAlias = Term
Move: TypeAlias = Term
Fact: TypeAlias = Term
"""An argument of ``true``: ``(cell 1 2 x)``."""
JointMove: TypeAlias = tuple[Move, ...]
"""One move a role, in role order."""

MOST_DIGITS: Final = 18
"""Digits of a goal; one with more fits no machine word and is no value on any back end."""

S = TypeVar("S", bound=Hashable)

SHOWN: Final = 5
"""Legal moves that a message names."""
COMPARED: Final = 2_000
"""Legal moves whose text is compared."""
LONGEST: Final = 200
"""Characters of a move that are shown."""


class StateMachine(Protocol[S]):
    """The transition system of one game.

    Attributes:
        roles: The players, in the order in which the rules name them.
    """

    @property
    def roles(self) -> tuple[Role, ...]:
        """The players, in the order in which the rules name them."""

    def initial(self) -> S:
        """Return the state in which the game begins."""

    def state(self, facts: Collection[Fact]) -> S:
        """Return the state in which exactly ``facts`` are true."""

    def facts(self, state: S) -> frozenset[Fact]:
        """Return what is true in a state."""

    def legal(self, state: S, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role in canonical order, also in terminal states."""

    def successor(self, state: S, joint_move: JointMove) -> S:
        """Return the state after a joint move.

        Raises:
            IllegalMoveError: When a role's move is not legal; names role, move and nearest ones.
        """

    def is_terminal(self, state: S) -> bool:
        """Return whether the game is over."""

    def goals(self, state: S, role: Role) -> tuple[int, ...]:
        """Return every goal value that the rules give a role; one in well-formed games."""

    def percepts(self, state: S, joint_move: JointMove, role: Role) -> frozenset[Term]:
        """Return what a role sees of a joint move (GDL-II), nothing where no rule says so."""


class NumberedMachine(StateMachine[S], Protocol[S]):
    """A state machine that knows every move by a number, too: for search.

    What is ``seen`` of a state is made once for all who ask of it, and opaque.
    """

    @property
    def moves(self) -> tuple[tuple[Move, ...], ...]:
        """For each role every move that is ever legal; the number of a move is its index here."""

    def look(self, state: S) -> bytes:
        """Return what is seen of a state."""

    def after(self, state: S, move_ids: Sequence[int]) -> S:
        """Return the state after a joint move, not asking whether it is legal."""

    def move_ids(self, seen: bytes, joint_move: JointMove) -> list[int]:
        """Return the numbers of the moves of a joint move.

        Raises:
            IllegalMoveError: When a role's move is not legal; names role, move and nearest ones.
        """

    def legal_moves(self, seen: bytes, r: int) -> tuple[Move, ...]:
        """Return the legal moves of role ``r``, in canonical order."""

    def goal_values(self, seen: bytes, r: int) -> tuple[int, ...]:
        """Return every goal value that the rules give role ``r``, rising."""

    def legal_ids(self, seen: bytes, r: int) -> tuple[int, ...]:
        """Return the numbers of the legal moves of role ``r``, rising."""

    def legal_row(self, seen: bytes, r: int) -> bytes:
        """Return a byte for each move of role ``r``: 1 where it is legal, else 0."""

    def is_legal(self, seen: bytes, r: int, move_id: int) -> bool:
        """Return whether the move of a number is legal for role ``r``; any number is understood."""

    def are_legal(self, seen: bytes, move_ids: Sequence[int]) -> bool:
        """Return whether the move of each role is legal, given by numbers that moves have."""

    def is_over(self, seen: bytes) -> bool:
        """Return whether the game is over."""

    def turn(self, seen: bytes) -> tuple[int, tuple[int, ...]] | None:
        """Return the one role that has a choice, and the only moves of all others, by number.

        None where several roles have a choice, or none has, or a role has no move at all.
        """

    def only_id(self, seen: bytes, r: int) -> int | None:
        """Return the number of the only legal move of role ``r``, None if it has none or more."""

    def key(self, state: S) -> int:
        """Return `state_key` of the facts of a state."""


def fact_key(fact: Fact) -> int:
    """Return a number of 64 bits for a fact, in every process the same."""
    from hashlib import blake2b

    return int.from_bytes(blake2b(kif_text(fact).encode(), digest_size=8).digest())


def state_key(facts: Iterable[Fact]) -> int:
    """Return a number of 64 bits for a set of facts, in every process the same."""
    return reduce(xor, map(_kept_key, facts), 0)


_kept_key: Final = lru_cache(1 << 16)(fact_key)


def choosing(legal: Iterable[Sized]) -> list[int]:
    """Return the roles that have a choice, by index, from the legal moves of each."""
    return [r for r, moves in enumerate(legal) if len(moves) > 1]


def movers(legal: Sequence[Sequence[Move]], waiting: Sequence[Container[Move]]) -> list[int]:
    """Return the roles that have something to do, by index.

    Those that have a choice; where nobody has one, those whose only move is more than waiting.

    Args:
        legal: The legal moves of each role.
        waiting: The moves of each role that are no more than waiting.
    """
    return choosing(legal) or [
        r for r, moves in enumerate(legal) if moves and moves[0] not in waiting[r]
    ]


def goal_value(term: Term) -> int | None:
    """Return the value that a goal is; None when it is no whole number, or a too long one."""
    if isinstance(term, Constant):
        digits = term.name.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS:
            return int(term.name)
    return None


class IllegalMoveError(GdlError):
    """A move that the rules do not allow in a state.

    Attributes:
        role: Who wanted to move.
        move: The move.
        legal: The legal moves of the role there.
    """

    def __init__(  # noqa: PLR0913  # the facts, and the words of an error
        self,
        role: Role,
        move: Move,
        legal: tuple[Move, ...],
        message: str,
        *,
        expected: str | None = None,
        notes: Iterable[str] = (),
    ) -> None:
        """Keep the facts beside the text."""
        super().__init__(message, expected=expected, notes=notes)
        self.role = role
        self.move = move
        self.legal = legal


def illegal_move(
    role: Role,
    move: Move,
    legal: tuple[Move, ...],
    *,
    show: Callable[[Move], str] = kif_text,
    who: str = "",
) -> IllegalMoveError:
    """Return the error for a move that is not among the legal ones.

    Args:
        role: Who wanted to move.
        move: The move.
        legal: What is legal for the role.
        show: Writes a move, by default as KIF text.
        who: What people call the role; empty for its name.
    """
    who = who or kif_text(role)

    def short(shown_move: Move) -> str:
        text = show(shown_move)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."

    if not legal:
        expected = f"nothing, {who} has no legal move"
    elif len(legal) <= SHOWN:
        expected = _listed([short(option) for option in legal])
    else:
        near = [short(option) for option in nearest(move, legal, show=short)]
        expected = f"one of {len(legal)} moves, such as {_listed(near)}"
    message = f"{short(move)} is not legal for {who} here"
    return IllegalMoveError(role, move, legal, message, expected=expected)


def state_of(facts: Collection[Fact]) -> frozenset[Fact]:
    """Return the set of these facts.

    Raises:
        GdlError: A fact has a variable.
    """
    for fact in facts:
        if not fact.is_ground:
            raise GdlError(f"{fact} is no fact", expected="a term without variables")
    return frozenset(facts)


def wrong_number_of_moves(joint_move: JointMove, roles: tuple[Role, ...]) -> GdlError:
    """Return the error for a joint move that has not one move for each role."""
    count = len(joint_move)
    return GdlError(
        f"{count} {'move was' if count == 1 else 'moves were'} given",
        expected=f"one for each role, in this order: {', '.join(map(kif_text, roles))}",
    )


def nearest(
    move: Move, legal: tuple[Move, ...], *, show: Callable[[Move], str] = kif_text
) -> list[Move]:
    """Return the legal moves most like another one: of the same name first, then by their text."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(a="", b=show(move))

    def likeness(other: Move) -> tuple[bool, float]:
        matcher.set_seq1(show(other))
        return _kind(other) == _kind(move), matcher.ratio()

    return sorted(legal[:COMPARED], key=likeness, reverse=True)[:SHOWN]


def _kind(move: Term) -> object:
    return None if isinstance(move, Variable) else signature(move)


def _listed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
