"""The door every user comes through: `load` a game, walk through its states.

A `Game` is a ruleset together with a back end that runs it; a `State` is one
position of it, immutable and hashable. Text goes in and out here (notation, KIF);
terms travel below. This is the only module that chooses a back end.

Source: ours; names follow python-chess (``legal``, ``is_*``) and the GDL specification.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, overload

from gdl import perft as perft_module
from gdl import playouts as playouts_module
from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import Compound, Constant, Term
from gdl.machine import IllegalMoveError, JointMove, StateMachine

if TYPE_CHECKING:
    from gdl.reason.why import Explanation
    from gdl.ruleset import Ruleset

Backend: TypeAlias = Literal["auto", "reason"]
MoveLike: TypeAlias = "str | Term"
"""A move as a term, as KIF text, or in the ruleset's notation."""
RoleLike: TypeAlias = "str | Term"

BACKENDS: Final[tuple[Backend, ...]] = ("auto", "reason")
NOOP: Final = Constant("noop")
"""By custom the only move of a role that waits."""


class UnknownRoleError(GdlError):
    """A role that the game does not have."""


class AmbiguousMoveError(GdlError):
    """One move was given where several roles have a choice."""


def load(
    name: str | os.PathLike[str] | Ruleset,
    *,
    backend: Backend = "auto",
    limits: Limits = DEFAULT_LIMITS,
    strict: bool = False,
) -> Game:
    """Load a game, ready to play.

    Args:
        name: A ruleset id (``pentago/strict``), a manifest, or a ``.kif`` or ``.hrf`` file.
        backend: Who runs the rules: ``reason`` evaluates them as written; ``auto`` takes the
            fastest that is there.
        limits: How much time and memory the rules may take.
        strict: Refuse rules that break the specification even where they can be played.

    Raises:
        UnknownRulesetError: There is no such ruleset or file; names the nearest.
        GdlSyntaxError: The text cannot be read; holds every problem.
        InvalidDescriptionError: The rules have no meaning (or, if strict, any error).
        LimitError: The rules need more than the limits allow.

    Example:
        >>> import gdl
        >>> game = gdl.load("pentago/strict")
        >>> len(game.initial().legal("black"))
        288
    """
    from gdl.reason.machine import Reasoner
    from gdl.ruleset import Ruleset, find

    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
    ruleset = name if isinstance(name, Ruleset) else find(name, limits=limits)
    if strict:
        _refuse_errors(ruleset, limits)
    return Game(ruleset, Reasoner(ruleset.description, limits=limits), "reason", limits=limits)


def _refuse_errors(ruleset: Ruleset, limits: Limits) -> None:
    from gdl.language.check import check as check_description
    from gdl.language.diagnostics import InvalidDescriptionError

    found = check_description(ruleset.description, limits=limits)
    errors = [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR]
    if errors:
        raise InvalidDescriptionError(diagnostics=errors)


def check(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> list[Diagnostic]:
    """Return every problem of a rule file (or ruleset id), sorted by place; empty if all is well.

    Bad text never raises.

    Raises:
        OSError: The file cannot be read.
        UnknownRulesetError: There is no such ruleset or file.
    """
    from gdl.language.check import check as check_description
    from gdl.language.diagnostics import GdlSyntaxError, LimitError
    from gdl.ruleset import find

    try:
        description = find(path, limits=limits).description
    except (GdlSyntaxError, LimitError) as error:
        return list(error.diagnostics)
    return check_description(description, limits=limits)


class Facts(frozenset[Term]):
    """The facts of a state; KIF text is understood by ``in``."""

    def __contains__(self, fact: object) -> bool:
        """Return whether a fact, as a term or as KIF text, is among them."""
        return super().__contains__(_term(fact) if isinstance(fact, str) else fact)


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
        previous: The state before, None for one that was not reached by playing.
        last_move: The joint move that led here, None likewise.
        ply: Number of joint moves played since the first state known.
    """

    game: Game
    inner: Any = field(repr=False)
    previous: State | None = field(default=None, repr=False)
    last_move: JointMove | None = None
    ply: int = 0

    def __eq__(self, other: object) -> bool:
        """Compare facts; how the state was reached does not count."""
        if not isinstance(other, State):
            return NotImplemented
        return self.game is other.game and bool(self.inner == other.inner)

    def __hash__(self) -> int:
        """Hash the facts."""
        return hash(self.inner)

    @property
    def facts(self) -> Facts:
        """What is true here, as terms."""
        return Facts(self.game.machine.facts(self.inner))

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.game.machine.is_terminal(self.inner)

    def legal(self, role: RoleLike | None = None) -> LegalMoves:
        """Return the legal moves of a role, by default of the only one that has a choice.

        Raises:
            UnknownRoleError: No such role.
            AmbiguousMoveError: No role was named and several have a choice.
        """
        term = self.game.role(role) if role is not None else self._only_mover()
        moves = self.game.machine.legal(self.inner, term)
        return LegalMoves(term, moves, self.game.move)

    @property
    def movers(self) -> tuple[str, ...]:
        """Roles that have something to do here: more than one move, or one that is no noop."""
        return tuple(str(role) for role in self._movers())

    def _movers(self) -> list[Term]:
        machine = self.game.machine
        legal = {role: machine.legal(self.inner, role) for role in machine.roles}
        choosing = [role for role, moves in legal.items() if len(moves) > 1]
        return choosing or [role for role, moves in legal.items() if moves and moves != (NOOP,)]

    def _only_mover(self) -> Term:
        movers = self._movers()
        if len(movers) == 1:
            return movers[0]
        if len(self.game.machine.roles) == 1:
            return self.game.machine.roles[0]
        names = " and ".join(map(str, movers)) or "nobody"
        raise AmbiguousMoveError(
            f"{names} can move here\n  expected: the role, for instance "
            f'state.legal("{self.game.roles[0]}")'
        )

    def goal(self, role: RoleLike) -> int:
        """Return the goal of a role, 0 to 100.

        Raises:
            UnknownRoleError: No such role.
            GdlError: The rules give the role no goal here, or several.
        """
        term = self.game.role(role)
        values = self.game.machine.goals(self.inner, term)
        if len(values) == 1:
            return values[0]
        found = f"several goals: {', '.join(map(str, values))}" if values else "no goal"
        raise GdlError(
            f"the rules give {term} {found} in this state\n"
            f"  help: gdl check and state.why('goal {term} ...') say which rules"
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
        inner = self.game.machine.successor(self.inner, joint_move)
        return State(self.game, inner, self, joint_move, self.ply + 1)

    def _game_over(
        self, move: MoveLike | Mapping[str, MoveLike] | Sequence[MoveLike]
    ) -> IllegalMoveError:
        """Return the refusal of any move in a terminal state, where rules may still list some."""
        if isinstance(move, Mapping):
            name, given = next(iter(move.items()), (self.game.roles[0], NOOP))
            role = self.game.role(name)
        else:
            given = move if isinstance(move, str | Term) else next(iter(move), NOOP)
            role = next(iter(self._movers()), self.game.machine.roles[0])
        term = self.game.move(given)
        goals = ", ".join(
            f"{each} {' or '.join(map(str, self.game.machine.goals(self.inner, each))) or 'none'}"
            for each in self.game.machine.roles
        )
        return IllegalMoveError(
            role,
            term,
            (),
            f"{self.notation(term)} is not legal for {role}: the game is over\n"
            f"  note: the goals are {goals}",
        )

    def joint_move(self, move: MoveLike | Mapping[str, MoveLike] | Sequence[MoveLike]) -> JointMove:
        """Return a move of each role in role order; see `play`."""
        if isinstance(move, Mapping):
            return self._from_mapping(move)
        if isinstance(move, str | Term):
            return self._from_single(move)
        if len(move) != len(self.game.roles):
            raise GdlError(
                f"{len(move)} moves were given\n"
                f"  expected: one for each of {', '.join(self.game.roles)}, in this order"
            )
        return tuple(self.game.move(each) for each in move)

    def _from_mapping(self, moves: Mapping[str, MoveLike]) -> JointMove:
        given = {self.game.role(role): self.game.move(move) for role, move in moves.items()}
        return tuple(
            given[role] if role in given else self._forced(role) for role in self.game.machine.roles
        )

    def _from_single(self, text: MoveLike) -> JointMove:
        machine = self.game.machine
        move = self.game.move(text)
        able = [r for r in machine.roles if move in machine.legal(self.inner, r)]
        movers = self._movers()
        wanted = [role for role in able if role in movers] or able or movers[:1]
        if len(wanted) > 1:
            raise AmbiguousMoveError(
                f"{' and '.join(map(str, wanted))} could each play {move}\n"
                f'  expected: a move of each role, for instance {{"{wanted[0]}": "{move}", ...}}'
            )
        mover = wanted[0] if wanted else machine.roles[0]
        return tuple(move if role is mover else self._forced(role) for role in machine.roles)

    def _forced(self, role: Term) -> Term:
        legal = self.game.machine.legal(self.inner, role)
        if len(legal) == 1:
            return legal[0]
        raise AmbiguousMoveError(
            f"{role} has {len(legal)} legal moves here, and none was given\n"
            f'  expected: a move of each role, for instance {{"{role}": "{legal[0]}", ...}}'
            if legal
            else f"{role} has no legal move here"
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


class Game:
    """A ruleset and the back end that runs it; immutable.

    Attributes:
        ruleset: Rules, notation and board picture.
        machine: Who runs them.
        backend: Its name.
        limits: What the rules may take.
    """

    def __init__(
        self, ruleset: Ruleset, machine: StateMachine[Any], backend: str, *, limits: Limits
    ) -> None:
        """Put the parts together; `load` is the usual way."""
        self.ruleset = ruleset
        self.machine = machine
        self.backend = backend
        self.limits = limits

    @property
    def id(self) -> str:
        """The ruleset's id, or the path of its rule file."""
        return self.ruleset.id

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The roles in order, as KIF text."""
        return tuple(str(role) for role in self.machine.roles)

    def role(self, role: RoleLike) -> Term:
        """Return a role as a term.

        Raises:
            UnknownRoleError: No such role.
        """
        for known in self.machine.roles:
            if known is role or str(known) == role:
                return known
        raise UnknownRoleError(
            f"{self.id} has no role {str(role)!r}\n  expected: {' or '.join(self.roles)}"
        )

    def move(self, move: MoveLike) -> Term:
        """Return a move as a term; whether it is legal anywhere is not asked.

        Raises:
            NotationError: Text that is neither notation nor KIF.
        """
        return self.ruleset.notation.parse(move) if isinstance(move, str) else move

    def initial(self) -> State:
        """Return the state in which the game begins."""
        return State(self, self.machine.initial())

    def state(self, facts: Collection[str | Term]) -> State:
        """Return the state in which exactly these facts are true."""
        terms = [_term(fact) if isinstance(fact, str) else fact for fact in facts]
        return State(self, self.machine.state(terms))

    def perft(
        self,
        depth: int,
        *,
        state: State | None = None,
        on_level: Callable[[int, int], None] | None = None,
    ) -> list[perft_module.PerftCount]:
        """Count move sequences of every length up to ``depth``; see `gdl.perft.perft`."""
        start = self.initial() if state is None else state
        return perft_module.perft(self.machine, start.inner, depth, on_level=on_level)

    def playouts(
        self,
        n: int,
        *,
        seed: int = 0,
        state: State | None = None,
        max_plies: int = playouts_module.MAX_PLIES,
        on_playout: Callable[[playouts_module.Playouts], None] | None = None,
    ) -> playouts_module.Playouts:
        """Run uniform random playouts; see `gdl.playouts.playouts`."""
        start = self.initial() if state is None else state
        return playouts_module.playouts(
            self.machine, start.inner, n, seed=seed, max_plies=max_plies, on_playout=on_playout
        )

    def explain(self, state: State, query: str | Term) -> Explanation:
        """Answer `State.why`: read the query, then ask the reasoner, whatever the back end."""
        from gdl.reason.why import explain

        sentence = self._query(query) if isinstance(query, str) else query
        history = tuple((s.previous.inner, s.last_move) for s in state.history if s.previous)
        return explain(self.machine, state.inner, sentence, history=history)

    def _query(self, text: str) -> Term:
        words = text.split(maxsplit=2)
        if len(words) == 3 and words[0] in ("legal", "does"):  # noqa: PLR2004  # relation, role, move
            return Compound(words[0], (self.role(words[1]), self.move(words[2])))
        bare = len(words) > 1 and not text.lstrip().startswith("(")
        return _term(f"({text})" if bare else text)

    def __repr__(self) -> str:
        """Show id, roles and back end."""
        return f"<Game {self.id}: {', '.join(self.roles)}; {self.backend}>"


def _term(text: str) -> Term:
    from gdl.language.parse import parse_term

    return parse_term(text)
