"""One position of a game, as users walk through it.

A `State` is immutable and hashable, and knows how it was reached. Text goes in and
out here (notation, KIF); terms travel below.

Source: names follow python-chess (``legal``, ``is_*``) and the GDL specification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import getitem
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypeGuard, overload

from gdl.language.diagnostics import GdlError
from gdl.language.terms import Compound, Constant, Term, Variable, in_order, kif_text
from gdl.machine import (
    IllegalMoveError,
    JointMove,
    NumberedMachine,
    StateMachine,
    illegal_move,
    movers,
    state_key,
)

if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    from gdl.game import Game
    from gdl.reason.explanation import Explanation
    from gdl.ruleset.short_notation import ShortMoves

    V = TypeVar("V")
    V_co = TypeVar("V_co", covariant=True)

    class TableLike(Protocol[V_co]):
        """Values of all positions of a game."""

        def check(self, game: Game) -> None:
            """Refuse a game with other rules."""
            ...

        def value(self, state: State) -> V_co:
            """Return what a state is worth."""
            ...


MoveLike: TypeAlias = "str | Term"
"""A move as a term, as KIF text, or in the ruleset's notation."""
RoleLike: TypeAlias = "str | Term"

NOOP: Final = Constant("noop")
"""By custom the only move of a role that waits."""
UNASKED: Final = object()
"""Stands for what is not known yet, where None is an answer."""
SINGLE: Final = (str, Constant, Variable, Compound)
"""Types of what is one move."""


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


class Position(Facts):
    """The facts of a state; as text they stand on one line, in canonical order, as KIF.

    Example:
        >>> import gdl
        >>> game = gdl.load("tictactoe")
        >>> text = str(game.initial().play("b2").position)
        >>> text
        '(control o) (cell b 2 x)'
        >>> len(game.position(text).legal("o"))
        8
    """

    def __str__(self) -> str:
        """Return the facts on one line."""
        return " ".join(map(kif_text, in_order(self)))


class LegalMoves(Sequence[Term]):
    """The legal moves of one role in one state, in canonical order."""

    __slots__ = ("_moves", "_read", "_write", "role")

    def __init__(
        self,
        role: Term,
        moves: tuple[Term, ...],
        read: Callable[[str], Term],
        write: Callable[[Term], str] = kif_text,
    ) -> None:
        """Keep the moves, how to read the text of one, and how people write it."""
        self.role = role
        self._moves = moves
        self._read, self._write = read, write

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

    def _repr_html_(self) -> str:
        """Return the moves for notebooks, in the ruleset's notation, and as KIF at the pointer."""
        from gdl.language.html import listed_html

        noun = "legal move" if len(self) == 1 else "legal moves"
        words = [(self._write(move), kif_text(move)) for move in self]
        return listed_html(f"{self.role}: {len(self):,} {noun}", words)


class _Fields:
    """What a state is made of, while it may still be written."""

    __slots__ = (
        *("game", "machine", "inner", "previous", "last_move", "ply"),
        *("_known", "_moving", "_numbered", "_seen", "_turn", "_written", "__weakref__"),
    )
    game: Game
    machine: StateMachine[Any]
    inner: Any
    previous: State | None
    last_move: JointMove | None
    ply: int
    _known: dict[Term, tuple[Term, ...]]
    """Legal moves of the roles that were asked for: nothing here changes, so once is enough."""
    _moving: tuple[str, ...] | None
    """Names of the roles that have something to do, once they were asked for."""
    _numbered: NumberedMachine[Any] | None
    """The machine, where it knows moves by number."""
    _seen: bytes | None
    """What that machine sees here, once it has looked."""
    _turn: tuple[int, tuple[int, ...]] | object | None
    """Who has a choice here, once that was asked."""
    _written: dict[Term, ShortMoves] | None
    """Legal moves in short notation, once they were asked for."""


class State(_Fields):
    """One position of a game. Two states are equal when the same facts hold in the same game.

    Attributes:
        game: The game.
        machine: Who runs it from here: the game's back end, or the reasoner for a position that was
            set up and that machine code cannot judge.
        inner: The machine's own state.
        previous: The state before, None for one that was not reached by playing.
        last_move: The joint move that led here, None likewise.
        ply: Number of joint moves played since the first state known.
    """

    __slots__ = ()

    def __new__(  # noqa: PLR0913, PLR0917  # what a position is, and how it was reached
        cls,
        game: Game,
        machine: StateMachine[Any],
        inner: Any,  # noqa: ANN401  # the machine's own
        previous: State | None = None,
        last_move: JointMove | None = None,
        ply: int = 0,
    ) -> Self:
        """Keep what is known; `Game.initial` and `play` make states."""
        # States refuse to be written, and to get around that slot by slot takes three times as
        # long: so fields are filled first, and become a state when all are there.
        self = _Fields()
        self.game = game
        self.machine = machine
        self.inner = inner
        self.previous = previous
        self.last_move = last_move
        self.ply = ply
        self._known = {}
        self._moving = None
        numbered = game.numbered
        self._numbered = numbered if numbered is machine else None
        self._seen = None
        self._turn = UNASKED
        self._written = None
        self.__class__ = cls
        return self  # type: ignore[return-value]  # it has become one

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: states are immutable."""
        raise AttributeError(f"states are immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        """Refuse: states are immutable."""
        raise AttributeError(f"states are immutable: cannot delete {name}")

    def __repr__(self) -> str:
        """Show the game, and how the state was reached."""
        return f"State(game={self.game!r}, last_move={self.last_move!r}, ply={self.ply!r})"

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
        return hash(self.key)

    def __copy__(self) -> State:
        """Return this state: it never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> State:
        """Return this state: it never changes."""
        return self

    def __reduce__(self) -> tuple[Callable[..., State], tuple[object, ...]]:
        """Pickle the game and the facts; the states before are left behind."""
        begins = self.history[0]
        is_reached = begins.machine is self.machine and begins.inner == self.machine.initial()
        return unpickle, (self.game, tuple(self.facts), self.last_move, self.ply, is_reached)

    @property
    def facts(self) -> Facts:
        """What is true here, as terms."""
        return Facts(self.machine.facts(self.inner))

    @property
    def key(self) -> int:
        """The facts as a number of 64 bits, in every process and on every back end the same.

        For tables of positions: equal states have equal keys, and two others share one with a
        chance of 1 to 2**64. How a state was reached does not count.

        Source: Zobrist, "A New Hashing Method with Application for Game Playing", 1970.
        """
        if self._numbered is not None:
            return self._numbered.key(self.inner)
        return state_key(self.machine.facts(self.inner))

    @property
    def position(self) -> Position:
        """The facts, and as ``str`` one line of text that `Game.position` reads."""
        return Position(self.facts)

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        if self._numbered is not None:
            return self._numbered.is_over(self._look(self._numbered))
        return self.machine.is_terminal(self.inner)

    def legal(self, role: RoleLike | None = None) -> LegalMoves:
        """Return the legal moves of a role, by default of the only one that has a choice.

        Raises:
            UnknownRoleError: No such role.
            AmbiguousMoveError: No role was named and several have a choice.
        """
        term = self.game.role(role) if role is not None else self._only_mover()
        return LegalMoves(term, self._legal(term), partial(self.move, role=term), self.notation)

    def legal_ids(self, role: RoleLike | None = None) -> tuple[int, ...]:
        """Return the numbers of the legal moves of a role, rising; see `legal` for the role.

        The number of a move is its index in ``game.moves(role)``, in every process the same, and
        the same as in a batch. With `apply` this is the way for search: no term and no text.

        Raises:
            NoNativeError: Only machine code numbers the moves.
            UnknownRoleError: No such role.
            AmbiguousMoveError: No role was named and several have a choice.
        """
        r = self._mover_index() if role is None else self.game.role_index(role)
        if self._numbered is not None:
            return self._numbered.legal_ids(self._look(self._numbered), r)
        index = self.game.move_index[r]
        return tuple(index[move] for move in self._legal(self.machine.roles[r]))

    def apply(self, move: int | Mapping[str, int] | Sequence[int]) -> State:
        """Return the state after a move given by its number; see `legal_ids`.

        Args:
            move: The number of a move of the one role that has a choice, when every other role
                has only one legal move; or a number for each role, as a mapping or in role order.

        Raises:
            IllegalMoveError: Not legal here, or the game is over.
            AmbiguousMoveError: More than one role could have meant it.
            NoNativeError: Only machine code numbers the moves.

        Example:
            >>> import gdl
            >>> state = gdl.load("tictactoe").initial()
            >>> [str(state.apply(i).last_move[0]) for i in state.legal_ids()[:3]]
            ['(mark a 1)', '(mark a 2)', '(mark a 3)']
        """
        machine = self._numbered
        if machine is None:
            return self.play(self.game.joint_move_of(self._given_ids(move)))
        seen = self._look(machine)
        if machine.is_over(seen):
            raise self._game_over(self.game.joint_move_of(self._given_ids(move)))
        turn = self._turn_of(machine)
        if turn is not None and type(move) is int and machine.is_legal(seen, turn[0], move):
            return self._after(machine, with_move(turn, move))
        ids = self._given_ids(move)
        for r, move_id in enumerate(ids):
            if not machine.is_legal(seen, r, move_id):
                raise self._illegal_id(r, move_id)
        return self._after(machine, ids)

    def _after(self, machine: NumberedMachine[Any], ids: Sequence[int]) -> State:
        """Return the state after a legal joint move."""
        inner = machine.after(self.inner, ids)
        joint_move = tuple(map(getitem, machine.moves, ids))
        # `State(...)` is the same, and takes a third longer
        return State.__new__(State, self.game, machine, inner, self, joint_move, self.ply + 1)

    def _look(self, machine: NumberedMachine[Any]) -> bytes:
        """Return what the machine sees here; it looks once."""
        seen = self._seen
        if seen is None:
            seen = machine.look(self.inner)
            set_seen(self, seen)
        return seen

    def _turn_of(self, machine: NumberedMachine[Any]) -> tuple[int, tuple[int, ...]] | None:
        """Return who has a choice here, and what all others do; see `NumberedMachine.turn`."""
        turn = self._turn
        if turn is UNASKED:
            turn = machine.turn(self._look(machine))
            set_turn(self, turn)
        return turn  # type: ignore[return-value]  # no longer unasked

    def _legal(self, role: Term) -> tuple[Term, ...]:
        """Return the legal moves of a role; the machine is asked once."""
        moves = self._known.get(role)
        if moves is None:
            machine = self._numbered
            if machine is None:
                moves = self.machine.legal(self.inner, role)
            else:
                moves = machine.legal_moves(self._look(machine), self.game.role_index(role))
            self._known[role] = moves
        return moves

    @property
    def movers(self) -> tuple[str, ...]:
        """Roles that have something to do here: more than one move, or one that is no noop."""
        moving = self._moving
        if moving is None:
            moving = tuple(str(role) for role in self._movers())
            set_moving(self, moving)
        return moving

    def _movers(self) -> list[Term]:
        roles = self.machine.roles
        if self._numbered is not None:
            turn = self._turn_of(self._numbered)
            if turn is not None:
                return [roles[turn[0]]]
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

    def _mover_index(self) -> int:
        """Return the only role that has something to do, by index."""
        if self._numbered is not None:
            turn = self._turn_of(self._numbered)
            if turn is not None:
                return turn[0]
        return self.machine.roles.index(self._only_mover())

    def goal(self, role: RoleLike) -> int:
        """Return the goal of a role, 0 to 100.

        Raises:
            UnknownRoleError: No such role.
            GdlError: The rules give the role no goal here, or several.
        """
        term = self.game.role(role)
        machine = self._numbered
        if machine is None:
            values = self.machine.goals(self.inner, term)
        else:
            values = machine.goal_values(self._look(machine), self.game.role_index(term))
        if len(values) == 1:
            return values[0]
        what = f"several goals: {', '.join(map(str, values))}" if values else "no goal"
        raise GdlError(
            f"the rules give {term} {what} in this state",
            help=f"gdl check and state.why('goal {term} ...') say which rules",
        )

    def value(self, table: TableLike[V] | None = None) -> V:
        """Return what the position is worth under best play, from a table of all positions.

        Args:
            table: A `gdl.solve.Table`; by default the one that `Game.use` was given.

        Raises:
            GdlError: There is no table, it is of other rules, or play does not lead here.

        Example:
            >>> import gdl
            >>> from gdl.solve import solve
            >>> state = gdl.load("tictactoe").initial()
            >>> str(state.value(solve(state.game).table))
            'x 50, o 50, in 9 moves'
        """
        asked: TableLike[Any] | None = self.game.table if table is None else table
        if asked is None:
            raise GdlError(
                f"there is no table of {self.game.id}",
                help="state.value(gdl.solve.open_table(FILE)), or game.use(table) once; "
                f"gdl solve {self.game.id} -o FILE makes one",
            )
        value: V = asked.value(self)
        return value

    def notation(self, move: MoveLike, *, short: bool = False) -> str:
        """Return a move in the ruleset's own notation, KIF text where there is none.

        Args:
            move: Any move; a text is read as in `play`.
            short: Write a legal move as people do who see the position (``Nf3``), where the
                ruleset has such a notation; else nothing changes.
        """
        term = self.move(move)
        if short and self.game.ruleset.short_notation is not None:
            for role in self._movers():
                written = self._short_moves(role).format(term)
                if written is not None:
                    return written
        return self.game.ruleset.notation.format(term)

    def move(self, move: MoveLike, role: RoleLike | None = None) -> Term:
        """Return the move that a text means here; whether it is legal is not asked.

        Args:
            move: Text in the ruleset's notation, in its short one (then it is a legal move), or
                KIF; or a term.
            role: Who would make it, by default whoever can.

        Raises:
            NotationError: The text is no move, or no legal move is written so.
        """
        if not isinstance(move, str) or self.game.ruleset.short_notation is None:
            return self.game.move(move)
        roles = self._movers() if role is None else [self.game.role(role)]
        mover = roles[0] if roles else self.machine.roles[0]
        return self._short_moves(mover).read(move, self.game.ruleset.notation)

    def _short_moves(self, role: Term) -> ShortMoves:
        """Return the legal moves of a role in short notation; they are looked at once."""
        written = self._written
        if written is None:
            written = {}
            set_written(self, written)
        if role not in written:
            short_notation = self.game.ruleset.short_notation
            assert short_notation is not None
            written[role] = short_notation.at(_Situation(self, role))
        return written[role]

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
        machine = self._numbered
        if machine is not None:
            after = self._after_usual(machine, self._look(machine), move)
            if after is not None:
                return after
        if self.is_terminal:
            raise self._game_over(move)
        joint_move = self.joint_move(move)
        try:
            if machine is not None:
                return self._after(machine, machine.move_ids(self._look(machine), joint_move))
            inner = self.machine.successor(self.inner, joint_move)
        except IllegalMoveError as error:
            show = self.game.ruleset.notation.format
            raise illegal_move(error.role, error.move, error.legal, show=show) from None
        return State(self.game, self.machine, inner, self, joint_move, self.ply + 1)

    def _after_usual(
        self,
        machine: NumberedMachine[Any],
        seen: bytes,
        move: MoveLike | Mapping[str, MoveLike] | Sequence[MoveLike],
    ) -> State | None:
        """Return the state after a legal move that is given in a usual way.

        That is a move of the one role that has a choice, by itself or by the role's name, or one
        of each role by the roles' names. None in every other case: `joint_move` then says what is
        meant, or what is wrong.
        """
        if machine.is_over(seen):
            return None
        game = self.game
        if type(move) is dict and len(move) == len(game.roles):
            ids = self._ids_by_name(move)
            if ids is None or not machine.are_legal(seen, ids):
                return None
            return self._after(machine, ids)
        turn = self._turn_of(machine)
        if turn is None:
            return None
        mover, single = turn[0], move
        if isinstance(move, dict) and len(move) == 1:
            [(role, single)] = move.items()
            if game.role_index(role) != mover:
                return None
        if not isinstance(single, SINGLE):
            return None
        move_id = game.move_index[mover].get(self.move(single, self.machine.roles[mover]))
        if move_id is None or not machine.is_legal(seen, mover, move_id):
            return None
        return self._after(machine, with_move(turn, move_id))

    def _ids_by_name(self, moves: dict[str, MoveLike]) -> list[int] | None:
        """Return the number of a move of each role, None where one is missing or is no move."""
        game = self.game
        ids: list[int] = []
        for name, index in zip(game.roles, game.move_index):  # noqa: B905  # both of the roles
            move = moves.get(name)
            if isinstance(move, str):
                move = self.move(move, name)
            try:
                move_id = index.get(move)  # type: ignore[arg-type]  # anything may be asked for
            except TypeError:  # a list, say
                return None
            if move_id is None:
                return None
            ids.append(move_id)
        return ids

    def _game_over(
        self, move: MoveLike | Mapping[str, MoveLike] | Sequence[MoveLike]
    ) -> IllegalMoveError:
        """Return the refusal of any move in a terminal state, where rules may still list some."""
        if isinstance(move, Mapping):
            name, given = next(iter(move.items()), (self.game.roles[0], NOOP))
            role = self.game.role(name)
        else:
            given = move if isinstance(move, SINGLE) else next(iter(self.joint_move(move)), NOOP)
            role = next(iter(self._movers()), self.machine.roles[0])
        term = self.move(given)
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
        if isinstance(move, SINGLE):
            return self._from_single(move)
        if isinstance(move, Mapping):
            return self._from_mapping(move)
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
        return tuple(
            self.move(part, role) for part, role in zip(move, self.machine.roles, strict=True)
        )

    def _from_mapping(self, moves: Mapping[str, MoveLike]) -> JointMove:
        given = {self.game.role(role): self.move(move, role) for role, move in moves.items()}
        return tuple(
            given[role] if role in given else self._forced(role) for role in self.machine.roles
        )

    def _from_single(self, text: MoveLike) -> JointMove:
        roles = self.machine.roles
        move = self.move(text)
        able = [role for r, role in enumerate(roles) if self._allows(r, move)]
        movers = self._movers()
        wanted = [role for role in able if role in movers] or able or movers[:1]
        if len(wanted) > 1:
            raise AmbiguousMoveError(
                f"{' and '.join(map(str, wanted))} could each play {move}",
                expected=f'a move of each role, for instance {{"{wanted[0]}": "{move}", ...}}',
            )
        mover = wanted[0] if wanted else roles[0]
        return tuple(move if role is mover else self._forced(role) for role in roles)

    def _allows(self, r: int, move: Term) -> bool:
        """Return whether a move is legal for the role of an index."""
        machine = self._numbered
        if machine is None:
            return move in self._legal(self.machine.roles[r])
        move_id = self.game.move_index[r].get(move)
        return move_id is not None and machine.is_legal(self._look(machine), r, move_id)

    def _given_ids(self, move: int | Mapping[str, int] | Sequence[int]) -> list[int]:
        """Return the number of a move of each role in role order; see `apply`."""
        roles = range(len(self.game.roles))
        if type(move) is int or is_whole(move):
            r = self._mover_index()
            return [int(move) if q == r else self._forced_id(q) for q in roles]
        numbers: Iterable[object] = (None,)
        if isinstance(move, Mapping):
            given = {self.game.role_index(role): number for role, number in move.items()}
            numbers = [given[q] if q in given else self._forced_id(q) for q in roles]
        elif _is_joint(move) and len(move) == len(roles):
            numbers = move
        ids = [int(number) for number in numbers if is_whole(number)]
        if len(ids) == len(roles):
            return ids
        raise GdlError(
            f"{type(move).__name__} {move!r} numbers no move",
            expected=f"a whole number, or one for each of {', '.join(self.game.roles)}",
            help="state.legal_ids() has the numbers; state.play takes text and terms",
        )

    def _forced_id(self, r: int) -> int:
        machine = self._numbered
        if machine is not None:
            only = machine.only_id(self._look(machine), r)
            if only is not None:
                return only
        return self.game.move_index[r][self._forced(self.machine.roles[r])]

    def _illegal_id(self, r: int, move_id: int) -> IllegalMoveError:
        role = self.machine.roles[r]
        move = self.game.move_of(r, move_id)
        return illegal_move(role, move, self._legal(role), show=self.game.ruleset.notation.format)

    def _forced(self, role: Term) -> Term:
        machine = self._numbered
        if machine is not None:
            r = self.game.role_index(role)
            only = machine.only_id(self._look(machine), r)
            if only is not None:
                return machine.moves[r][only]
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
                any notation), ``goal white 0``, ``true (cell 1 1 x)`` or a relation of the rules;
                ``sees white hit`` is asked of the last move.

        Raises:
            GdlError: The text is no sentence of this game.
        """
        return self.game.explain(self, query)

    def __str__(self) -> str:
        """Return the board picture, or the facts where there is none."""
        before = None if self.previous is None else self.previous.facts
        return self.game.ruleset.draw(self.facts, before=before)

    def to_html(self, *, width: int | None = None) -> str:
        """Return the picture, or the facts where the ruleset has none, as HTML without a script.

        Args:
            width: How wide the picture is at most, in pixels.
        """
        from gdl.language.html import text_html

        before = None if self.previous is None else self.previous.facts
        drawn = self.game.ruleset.draw_svg(self.facts, before=before, width=width)
        return drawn or text_html(str(self) or "(no facts)")

    def _repr_html_(self) -> str | None:
        """Return the facts for notebooks; None where there is a picture, which is `_repr_svg_`."""
        return None if self.game.ruleset.picture is not None else self.to_html()

    def _repr_svg_(self) -> str | None:
        """Return the picture as SVG for notebooks, None where the ruleset has none."""
        return None if self.game.ruleset.picture is None else self.to_html()


set_moving, set_seen, set_turn, set_written = (
    _Fields.__dict__[name].__set__ for name in ("_moving", "_seen", "_turn", "_written")
)
"""Setters of what is found out later, past ``__setattr__``."""


def with_move(turn: tuple[int, tuple[int, ...]], move_id: int) -> tuple[int, ...]:
    """Return the joint move, by number, of a role that chooses and of all others; see `turn`."""
    r, forced = turn
    return (*forced[:r], move_id, *forced[r + 1 :])


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether something is a whole number, of Python or of an array."""
    if isinstance(value, int):
        return True
    from numbers import Integral

    return isinstance(value, Integral)


class _Situation:
    """One role in one state, as a short notation sees it (`gdl.ruleset.short_notation`)."""

    __slots__ = ("_after", "role", "state")

    def __init__(self, state: State, role: Term) -> None:
        """Remember both."""
        self.state, self.role = state, role
        self._after: tuple[Term, Any] | None = None

    @property
    def facts(self) -> Facts:
        """What is true there."""
        return self.state.facts

    @property
    def legal(self) -> tuple[Term, ...]:
        """The legal moves of the role; none when the game is over."""
        return self.state._legal(self.role)  # noqa: SLF001  # of this module

    def follows(self, move: Term, sentence: Term) -> bool:
        """Return whether a sentence holds after a move, if the others have no choice."""
        assert not isinstance(sentence, Variable)
        if self._after is None or self._after[0] != move:  # several signs may be asked for
            self._after = move, self._reasoned(move)
        after = self._after[1]
        return after is not None and bool(self.state.game.reasoner.instances(after, sentence))

    def _reasoned(self, move: Term) -> Any:  # noqa: ANN401  # a state of the reasoner
        """Return the state after a move as rules reason about it, None if others have a choice."""
        try:
            after = self.state.play({str(self.role): move})
        except AmbiguousMoveError:
            return None
        reasoner = self.state.game.reasoner
        return after.inner if after.machine is reasoner else reasoner.state(after.facts)


def _is_joint(move: object) -> TypeGuard[Sequence[MoveLike]]:
    """Return whether something is a move of each role in role order."""
    return isinstance(move, Sequence) and not isinstance(move, str | bytes)


def is_ground_term(value: object) -> TypeGuard[Term]:
    """Return whether something is a term without variables."""
    return isinstance(value, Constant) or (isinstance(value, Compound) and value.is_ground)


def is_term(value: object) -> TypeGuard[Term]:
    """Return whether something is a term."""
    return isinstance(value, Term)


def unpickle(
    game: Game,
    facts: tuple[Term, ...],
    last_move: JointMove | None,
    ply: int,
    is_reached: bool,  # noqa: FBT001  # as it was pickled
) -> State:
    """Return the state that was pickled; of one that play reached nothing need be found out."""
    if is_reached:
        return State(game, game.machine, game.machine.state(facts), None, last_move, ply)
    state = game.state(facts)
    return State(game, state.machine, state.inner, None, last_move, ply)


def read_term(text: str) -> Term:
    """Return the term that a KIF text is."""
    from gdl.language.parse import parse_term

    return parse_term(text)


def read_terms(text: str) -> tuple[Term, ...]:
    """Return the terms that a KIF text lists."""
    from gdl.language.parse import parse_term

    listed = parse_term(f"(position {text})", name="<position>") if text.strip() else None
    return listed.args if isinstance(listed, Compound) else ()
