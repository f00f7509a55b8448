"""One position of a game, as users walk through it.

A `State` is immutable and hashable, and knows how it was reached. Text goes in and
out here (notation, KIF); terms travel below.

Source: names follow python-chess (``legal``, ``is_*``) and the GDL specification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard, overload

from gdl.language.diagnostics import GdlError
from gdl.language.terms import Compound, Constant, Term
from gdl.machine import IllegalMoveError, JointMove, StateMachine, illegal_move, movers

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.reason.explanation import Explanation

MoveLike: TypeAlias = "str | Term"
"""A move as a term, as KIF text, or in the ruleset's notation."""
RoleLike: TypeAlias = "str | Term"

NOOP: Final = Constant("noop")
"""By custom the only move of a role that waits."""


class UnknownRoleError(GdlError):
    """A role that the game does not have."""


class AmbiguousMoveError(GdlError):
    """One move was given where several roles have a choice."""


class Facts(frozenset[Term]):
    """The facts of a state; KIF text is understood by ``in``."""

    def __contains__(self, fact: object) -> bool:
        """Return whether a fact, as a term or as KIF text, is among them."""
        if isinstance(fact, str):
            try:
                fact = read_term(fact)
            except GdlError:
                return False
        return isinstance(fact, Term) and super().__contains__(fact)


class LegalMoves(Sequence[Term]):
    """The legal moves of one role in one state, in canonical order."""

    __slots__ = ("_moves", "_read", "role")

    def __init__(self, role: Term, moves: tuple[Term, ...], read: Callable[[str], Term]) -> None:
        """Keep the moves and how to read the text of one."""
        self.role = role
        self._moves = moves
        self._read = read

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._moves)

    @overload
    def __getitem__(self, index: int) -> Term: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Term]: ...
    def __getitem__(self, index: int | slice) -> Term | Sequence[Term]:
        """Return a move by its number, or several."""
        return self._moves[index]

    def __iter__(self) -> Iterator[Term]:
        """Iterate in canonical order."""
        return iter(self._moves)

    def __contains__(self, move: object) -> bool:
        """Return whether a move is legal; text that is no move at all is not."""
        if isinstance(move, str):
            try:
                move = self._read(move)
            except GdlError:
                return False
        return move in self._moves

    def __eq__(self, other: object) -> bool:
        """Compare the moves alone."""
        if isinstance(other, LegalMoves):
            return self._moves == other._moves
        return NotImplemented

    def __hash__(self) -> int:
        """Hash the moves alone."""
        return hash(self._moves)

    def __repr__(self) -> str:
        """Show the moves as KIF text."""
        return f"<LegalMoves {self.role}: {' '.join(map(str, self._moves))}>"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class State:
    """One position of a game. Two states are equal when the same facts hold in the same game.

    Attributes:
        game: The game.
        machine: Who runs it from here: the game's back end, or the reasoner for a state that
            was made of facts.
        inner: The machine's own state.
        previous: The state before, None for one that was not reached by playing.
        last_move: The joint move that led here, None likewise.
        ply: Number of joint moves played since the first state known.
    """

    game: Game
    machine: StateMachine[Any] = field(repr=False)
    inner: Any = field(repr=False)
    previous: State | None = field(default=None, repr=False)
    last_move: JointMove | None = None
    ply: int = 0
    _known: dict[Term, tuple[Term, ...]] = field(default_factory=dict, init=False, repr=False)
    """Legal moves of the roles that were asked for: nothing here changes, so once is enough."""

    def __eq__(self, other: object) -> bool:
        """Compare facts; how the state was reached does not count."""
        if not isinstance(other, State):
            return NotImplemented
        if self.game != other.game:
            return False
        if self.machine is other.machine:
            return bool(self.inner == other.inner)
        return self.facts == other.facts

    def __hash__(self) -> int:
        """Hash the facts."""
        return hash(self.facts)

    def __copy__(self) -> State:
        """Return this state: it never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> State:
        """Return this state: it never changes."""
        return self

    def __reduce__(self) -> tuple[Callable[..., State], tuple[object, ...]]:
        """Pickle the game and the facts; the states before are left behind."""
        return unpickle, (self.game, tuple(self.facts), self.last_move, self.ply)

    @property
    def facts(self) -> Facts:
        """What is true here, as terms."""
        return Facts(self.machine.facts(self.inner))

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.machine.is_terminal(self.inner)

    def legal(self, role: RoleLike | None = None) -> LegalMoves:
        """Return the legal moves of a role, by default of the only one that has a choice.

        Raises:
            UnknownRoleError: No such role.
            AmbiguousMoveError: No role was named and several have a choice.
        """
        term = self.game.role(role) if role is not None else self._only_mover()
        return LegalMoves(term, self._legal(term), self.game.move)

    def _legal(self, role: Term) -> tuple[Term, ...]:
        """Return the legal moves of a role; the machine is asked once."""
        moves = self._known.get(role)
        if moves is None:
            moves = self._known[role] = self.machine.legal(self.inner, role)
        return moves

    @property
    def movers(self) -> tuple[str, ...]:
        """Roles that have something to do here: more than one move, or one that is no noop."""
        return tuple(str(role) for role in self._movers())

    def _movers(self) -> list[Term]:
        roles = self.machine.roles
        legal = [self._legal(role) for role in roles]
        return [roles[r] for r in movers(legal, [(NOOP,)] * len(roles))]

    def _only_mover(self) -> Term:
        movers = self._movers()
        if len(movers) == 1:
            return movers[0]
        if len(self.machine.roles) == 1:
            return self.machine.roles[0]
        names = " and ".join(map(str, movers)) or "nobody"
        raise AmbiguousMoveError(
            f"{names} can move here",
            expected=f'the role, for instance state.legal("{self.game.roles[0]}")',
        )

    def goal(self, role: RoleLike) -> int:
        """Return the goal of a role, 0 to 100.

        Raises:
            UnknownRoleError: No such role.
            GdlError: The rules give the role no goal here, or several.
        """
        term = self.game.role(role)
        values = self.machine.goals(self.inner, term)
        if len(values) == 1:
            return values[0]
        what = f"several goals: {', '.join(map(str, values))}" if values else "no goal"
        raise GdlError(
            f"the rules give {term} {what} in this state",
            help=f"gdl check and state.why('goal {term} ...') say which rules",
        )

    def notation(self, move: MoveLike) -> str:
        """Return a move in the ruleset's own notation, KIF text where there is none."""
        return self.game.ruleset.notation.format(self.game.move(move))

    def play(self, move: MoveLike | Mapping[str, MoveLike] | Sequence[MoveLike]) -> State:
        """Return the state after a move.

        Args:
            move: The move of the one role that can make it, when every other role has only one
                legal move; or a move of each role as a mapping or in role order.

        Raises:
            IllegalMoveError: Not legal here, or the game is over; names the role, the move and
                the nearest legal ones.
            NotationError: The text is no move of this game.
            AmbiguousMoveError: More than one role could have meant it.
        """
        if self.is_terminal:
            raise self._game_over(move)
        joint_move = self.joint_move(move)
        try:
            inner = self.machine.successor(self.inner, joint_move)
        except IllegalMoveError as error:
            show = self.game.ruleset.notation.format
            raise illegal_move(error.role, error.move, error.legal, show=show) from None
        return State(self.game, self.machine, inner, self, joint_move, self.ply + 1)

    def _game_over(
        self, move: MoveLike | Mapping[str, MoveLike] | Sequence[MoveLike]
    ) -> IllegalMoveError:
        """Return the refusal of any move in a terminal state, where rules may still list some."""
        if isinstance(move, Mapping):
            name, given = next(iter(move.items()), (self.game.roles[0], NOOP))
            role = self.game.role(name)
        else:
            given = (
                move if isinstance(move, str | Term) else next(iter(self.joint_move(move)), NOOP)
            )
            role = next(iter(self._movers()), self.machine.roles[0])
        term = self.game.move(given)
        goals = ", ".join(
            f"{other} {' or '.join(map(str, self.machine.goals(self.inner, other))) or 'none'}"
            for other in self.machine.roles
        )
        return IllegalMoveError(
            role,
            term,
            (),
            f"{self.notation(term)} is not legal for {role}: the game is over",
            notes=(f"the goals are {goals}",),
        )

    def joint_move(self, move: MoveLike | Mapping[str, MoveLike] | Sequence[MoveLike]) -> JointMove:
        """Return a move of each role in role order; see `play`."""
        if isinstance(move, Mapping):
            return self._from_mapping(move)
        if isinstance(move, str | Term):
            return self._from_single(move)
        if not _is_joint(move):
            raise GdlError(
                f"{type(move).__name__} {move!r} is no move",
                expected="text, a term, a move of each role by its name or in role order",
            )
        if len(move) != len(self.game.roles):
            raise GdlError(
                f"{len(move)} {'move was' if len(move) == 1 else 'moves were'} given",
                expected=f"one for each of {', '.join(self.game.roles)}, in this order",
            )
        return tuple(self.game.move(part) for part in move)

    def _from_mapping(self, moves: Mapping[str, MoveLike]) -> JointMove:
        given = {self.game.role(role): self.game.move(move) for role, move in moves.items()}
        return tuple(
            given[role] if role in given else self._forced(role) for role in self.machine.roles
        )

    def _from_single(self, text: MoveLike) -> JointMove:
        roles = self.machine.roles
        move = self.game.move(text)
        able = [role for role in roles if move in self._legal(role)]
        movers = self._movers()
        wanted = [role for role in able if role in movers] or able or movers[:1]
        if len(wanted) > 1:
            raise AmbiguousMoveError(
                f"{' and '.join(map(str, wanted))} could each play {move}",
                expected=f'a move of each role, for instance {{"{wanted[0]}": "{move}", ...}}',
            )
        mover = wanted[0] if wanted else roles[0]
        return tuple(move if role is mover else self._forced(role) for role in roles)

    def _forced(self, role: Term) -> Term:
        legal = self._legal(role)
        if len(legal) == 1:
            return legal[0]
        if not legal:
            raise AmbiguousMoveError(f"{role} has no legal move here")
        raise AmbiguousMoveError(
            f"{role} has {len(legal)} legal moves here, and none was given",
            expected=f'a move of each role, for instance {{"{role}": "{legal[0]}", ...}}',
        )

    @property
    def history(self) -> tuple[State, ...]:
        """The states that led here, the first one first, this one last."""
        states = [self]
        while states[-1].previous is not None:
            states.append(states[-1].previous)
        return tuple(reversed(states))

    def why(self, query: str | Term) -> Explanation:
        """Return a proof of what is asked, or the closest rule and the literal that fails.

        Args:
            query: A sentence, for instance ``terminal``, ``legal black E5 Q01 CW`` (the move in
                any notation), ``goal white 0``, ``true (cell 1 1 x)`` or a relation of the rules.

        Raises:
            GdlError: The text is no sentence of this game.
        """
        return self.game.explain(self, query)

    def __str__(self) -> str:
        """Return the board picture, or the facts where there is none."""
        before = None if self.previous is None else self.previous.facts
        return self.game.ruleset.draw(self.facts, before=before)

    def _repr_svg_(self) -> str | None:
        """Return the picture as SVG for notebooks, None where the ruleset has none."""
        before = None if self.previous is None else self.previous.facts
        return self.game.ruleset.draw_svg(self.facts, before=before)


def _is_joint(move: object) -> TypeGuard[Sequence[MoveLike]]:
    """Return whether something is a move of each role in role order."""
    return isinstance(move, Sequence) and not isinstance(move, str | bytes)


def is_ground_term(value: object) -> TypeGuard[Term]:
    """Return whether something is a term without variables."""
    return isinstance(value, Constant) or (isinstance(value, Compound) and value.is_ground)


def is_term(value: object) -> TypeGuard[Term]:
    """Return whether something is a term."""
    return isinstance(value, Term)


def unpickle(game: Game, facts: tuple[Term, ...], last_move: JointMove | None, ply: int) -> State:
    """Return the state that was pickled."""
    return State(game, game.machine, game.machine.state(facts), None, last_move, ply)


def read_term(text: str) -> Term:
    """Return the term that a KIF text is."""
    from gdl.language.parse import parse_term

    return parse_term(text)
