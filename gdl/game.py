"""The door every user comes through: `load` a game, `check` a rule file.

A `Game` is a ruleset together with the back end that runs it; `gdl.state` has its
positions. Text goes in and out here (notation, KIF); terms travel below.

Source: names follow python-chess and the GDL specification.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from gdl import backend as backends
from gdl.language.diagnostics import Diagnostics, GdlError, InvalidDescriptionError, Severity
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.preconditions import (
    ArgumentTypeError,
    require,
    require_function,
    require_one_of,
    require_whole,
)
from gdl.language.terms import Compound, Signature, Term, Variable, signature
from gdl.machine import NumberedMachine, StateMachine
from gdl.state import (
    MoveLike,
    RoleLike,
    State,
    UnknownRoleError,
    is_ground_term,
    is_term,
    read_term,
    read_terms,
)

if TYPE_CHECKING:
    from gdl.language.syntax import Description
    from gdl.perft import PerftCounts
    from gdl.playouts import Playouts
    from gdl.reason.explanation import Explanation
    from gdl.reason.machine import Reasoner
    from gdl.reason.possible_facts import PossibleFacts
    from gdl.ruleset import Ruleset
    from gdl.state import TableLike
    from gdl.state_batch import StateBatch

GameLike: TypeAlias = "str | os.PathLike[str] | Ruleset | Game"
"""A game, or what names one."""
GAME: Final = "a ruleset id, a path, a ruleset or a game"
OF_ROLES: Final = frozenset({"legal", "does", "goal", "sees", "input"})
"""Relations whose first argument is a role."""
MOVES_KEPT: Final = 1 << 12
"""Texts of moves whose meaning a game remembers; a game has some hundreds, as a rule."""
GAMES_KEPT: Final = 8
"""Games that a process keeps of those that came to it pickled."""
SMALL: Final = 150
"""Width of one board among many, in pixels."""
PIECES: Final = 64
"""Native playouts are run in about so many pieces, for progress and for stopping between."""
LEAST_PIECE: Final = 1 << 15
"""Playouts of a piece, at least: shorter ones leave lanes idle."""
MOST_PIECE: Final = 1 << 20
"""Playouts of a piece, at most: longer ones are too long to wait for."""


def load(
    name: GameLike,
    *,
    backend: backends.Wanted = "auto",
    limits: Limits = DEFAULT_LIMITS,
    strict: bool = False,
    patience: float | None = None,
) -> Game:
    """Load a game, ready to play.

    Args:
        name: A ruleset id (``pentago/strict``), a manifest, or a ``.kif`` or ``.hrf`` file; or a
            ruleset or game.
        backend: Who runs the rules: ``reason`` evaluates them as written, ``native`` compiles
            them to machine code (seconds the first time, milliseconds from then on), ``auto``
            takes machine code where it can be had in ten seconds; ``meaning`` is the plain
            definition that all others are held against, and slow.
        limits: How much time and memory the rules may take.
        strict: Refuse rules that break the specification even where they can be played.
        patience: Seconds that ``auto`` may wait for machine code instead of ten.

    Raises:
        UnknownRulesetError: There is no such ruleset or file; names the nearest.
        GdlSyntaxError: The text cannot be read; holds every problem.
        InvalidDescriptionError: The rules have no meaning (or, if strict, any error).
        LimitError: The rules need more than the limits allow.
        NoNativeError: ``native`` was asked for, and packages are missing.

    Example:
        >>> import gdl
        >>> game = gdl.load("pentago/strict")
        >>> len(game.initial().legal("black"))
        288
    """
    require_one_of("backend", backend, backends.WANTED)
    ruleset = _shown(ruleset_of(name, limits=limits), limits)
    if strict:
        _refuse_errors(ruleset, limits)
    game = Game(
        ruleset, backends.choose(ruleset, backend, limits=limits, seconds=patience), limits=limits
    )
    if not game.roles:
        _refuse_errors(ruleset, limits)
        raise InvalidDescriptionError(f"{ruleset.id} has no role: nobody can play it")
    return game


def _shown(ruleset: Ruleset, limits: Limits) -> Ruleset:
    """Return a ruleset with the board that is inferred where nobody has said what it looks like."""
    if ruleset.manifest is not None:
        return ruleset
    from gdl.boards.inferred import with_board

    return with_board(ruleset, limits)


def ruleset_of(game: GameLike, *, limits: Limits = DEFAULT_LIMITS) -> Ruleset:
    """Return the ruleset of a game, or of the name of one.

    Raises:
        ArgumentError: It is neither.
        UnknownRulesetError: There is no such ruleset or file; names the nearest.
    """
    from gdl.ruleset import Ruleset, find

    require("limits", limits, Limits, "gdl.Limits(...)")
    if isinstance(game, Game):
        return game.ruleset
    if isinstance(game, Ruleset):
        return game
    if not isinstance(game, str | os.PathLike):
        raise ArgumentTypeError("the game", game, GAME)
    return find(game, limits=limits)


def _refuse_errors(ruleset: Ruleset, limits: Limits) -> None:
    from gdl.language.checks.check import check as check_description

    problems = check_description(ruleset.description, limits=limits)
    errors = [diagnostic for diagnostic in problems if diagnostic.severity is Severity.ERROR]
    if errors:
        raise InvalidDescriptionError(diagnostics=errors)


def check(path: str | os.PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> Diagnostics:
    """Return every problem of a rule file (or ruleset id), sorted by place; empty if all is well.

    Of a ruleset with a manifest that includes what the manifest says and its rules do not know.
    Bad text never raises: of a file with syntax errors the rules that can be read are checked
    for all that holds whatever the others say.

    Raises:
        FileError: The file cannot be read.
        UnknownRulesetError: There is no such ruleset or file.
    """
    from gdl.language.checks.check import check_reading
    from gdl.language.diagnostics import sort_diagnostics
    from gdl.ruleset import find
    from gdl.ruleset.manifest_check import check_manifest

    whole: list[Ruleset] = []

    def read() -> Description:
        ruleset = find(path, limits=limits)
        description = ruleset.description
        whole.append(ruleset)  # only rules that can be read can be compared with a manifest
        return description

    problems = check_reading(read, limits=limits)
    return Diagnostics(
        sort_diagnostics([*problems, *(p for r in whole for p in check_manifest(r))])
    )


def _is_of_form(left: Term, right: Term) -> bool:
    """Return whether ground terms have one name and as many arguments."""
    if isinstance(left, Variable) or isinstance(right, Variable):
        return False
    return signature(left) == signature(right)


def _parse_move(ruleset: Ruleset, text: str) -> Term:
    """Return the move that a text means; that never changes, so a game keeps the answers."""
    return ruleset.notation.parse(text)


def _unpickle(ruleset: Ruleset, backend: backends.Wanted, limits: Limits) -> Game:
    return load(ruleset, backend=backend, limits=limits)


@lru_cache(GAMES_KEPT)
def _unpickle_named(name: str, rules: str, backend: backends.Wanted, limits: Limits) -> Game:
    """Return the game that was pickled by its name; in one process the same one each time."""
    ruleset = ruleset_of(name, limits=limits)
    if ruleset.digest() != rules:
        raise GdlError(
            f"the rules of {name} are not those that the pickled game was played by",
            expected=f"rules with the digest {rules}",
            help="bring the files to the state that they were in, or play anew",
        )
    return load(ruleset, backend=backend, limits=limits)


def _name_and_digest(ruleset: Ruleset) -> tuple[str, str] | None:
    """Return by what name another process finds the same rules, and their digest.

    None for rules that no name leads to: a text, or files put together by hand.
    """
    names = [ruleset.id]
    if ruleset.manifest is not None:
        names.append(f"{ruleset.manifest}#{ruleset.id}")
    for name in names:
        try:
            if _shown(ruleset_of(name, limits=ruleset.limits), ruleset.limits) == ruleset:
                return name, ruleset.digest()
        except GdlError:
            continue
    return None


class Game:
    """A ruleset and the back end that runs it; immutable but for its table.

    Attributes:
        ruleset: Rules, notation and board picture.
        back_end: Who runs them, and why.
        limits: What the rules may take.
        table: Values of all positions, where `use` was told of one; else None.
    """

    def __init__(self, ruleset: Ruleset, back_end: backends.BackEnd, *, limits: Limits) -> None:
        """Put the parts together; `load` is the usual way."""
        self.ruleset = ruleset
        self.back_end = back_end
        self.limits = limits
        self.table: TableLike[Any] | None = None
        self._read_move = lru_cache(MOVES_KEPT)(partial(_parse_move, ruleset))

    @property
    def id(self) -> str:
        """The ruleset's id, or the path of its rule file."""
        return self.ruleset.id

    @property
    def backend(self) -> str:
        """Name of the back end: ``reason``, ``native`` or ``meaning``."""
        return self.back_end.name

    @property
    def machine(self) -> StateMachine[Any]:
        """The state machine of the back end."""
        return self.back_end.machine

    @cached_property
    def reasoner(self) -> Reasoner:
        """The rules as written, whatever the back end: for explanations and for any facts."""
        from gdl.reason.machine import Reasoner

        if isinstance(self.machine, Reasoner):
            return self.machine
        rules = self.ruleset.checked(self.limits)
        return Reasoner(rules, limits=self.limits, roles=self.back_end.roles)

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The roles in order, as KIF text."""
        return tuple(str(role) for role in self.back_end.roles)

    @cached_property
    def _role_terms(self) -> dict[RoleLike, Term]:
        roles = self.back_end.roles
        terms: dict[RoleLike, Term] = {role: role for role in roles}
        return terms | dict(zip(self.roles, roles, strict=True))

    def role(self, role: RoleLike) -> Term:
        """Return a role as a term.

        Raises:
            UnknownRoleError: No such role.
        """
        try:
            term = self._role_terms.get(role)
        except TypeError:  # a list, say
            term = None
        if term is not None:
            return term
        raise UnknownRoleError(
            f"{self.id} has no role {str(role)!r}", expected=" or ".join(self.roles)
        )

    def role_index(self, role: RoleLike) -> int:
        """Return the place of a role in `roles`.

        Raises:
            UnknownRoleError: No such role.
        """
        try:
            return self._role_places[role]
        except (KeyError, TypeError):  # a list, say
            return self._role_places[self.role(role)]

    @cached_property
    def _role_places(self) -> dict[RoleLike, int]:
        names: dict[RoleLike, int] = {name: r for r, name in enumerate(self.roles)}
        return names | {role: r for r, role in enumerate(self.back_end.roles)}

    @cached_property
    def numbered(self) -> NumberedMachine[Any] | None:
        """The state machine, where it knows moves by number: that of machine code."""
        return None if self.back_end.native is None else self.back_end.native.machine

    def moves(self, role: RoleLike) -> tuple[Term, ...]:
        """Return every move that is ever legal for a role; the number of a move is its index here.

        Numbers are the same in every process, as in `State.legal_ids` and in a batch.

        Raises:
            UnknownRoleError: No such role.
            NoNativeError: Only machine code numbers the moves.
        """
        return self._all_moves[self.role_index(role)]

    @property
    def _all_moves(self) -> tuple[tuple[Term, ...], ...]:
        if self.numbered is None:
            raise self._no_native("numbers of moves need machine code")
        return self.numbered.moves

    @cached_property
    def move_index(self) -> tuple[dict[Term, int], ...]:
        """For each role the number of each move; see `moves`."""
        return tuple({move: i for i, move in enumerate(moves)} for moves in self._all_moves)

    def move_of(self, r: int, move_id: int) -> Term:
        """Return the move of a number for the role of an index.

        Raises:
            GdlError: No move has that number.
        """
        moves = self._all_moves[r]
        if 0 <= move_id < len(moves):
            return moves[move_id]
        raise GdlError(
            f"{move_id} is the number of no move of {self.roles[r]}",
            expected=f"0 to {len(moves) - 1}" if moves else "nothing, it never has a move",
            help="state.legal_ids() has those that are legal",
        )

    def joint_move_of(self, move_ids: Sequence[int]) -> tuple[Term, ...]:
        """Return the joint move of a number for each role; see `move_of`."""
        return tuple(self.move_of(r, move_id) for r, move_id in enumerate(move_ids))

    def move(self, move: MoveLike) -> Term:
        """Return a move as a term; whether it is legal anywhere is not asked.

        Raises:
            NotationError: Text that is neither notation nor KIF.
        """
        if isinstance(move, str):
            return self._read_move(move)
        if is_ground_term(move):
            return move
        raise GdlError(
            f"{type(move).__name__} {move!r} is no move",
            expected="text or a term without variables",
        )

    @cached_property
    def hides_facts(self) -> bool:
        """Whether the rules are GDL-II: roles know only what they see."""
        return self.ruleset.checked(self.limits).hides_facts

    def use(self, table: TableLike[Any]) -> None:
        """Let `State.value` ask a table of all positions; see `gdl.solve`.

        Raises:
            GdlError: It is of other rules.
        """
        table.check(self)
        self.table = table

    def initial(self) -> State:
        """Return the state in which the game begins."""
        return State(self, self.machine, self.machine.initial())

    def state(self, facts: Collection[str | Term]) -> State:
        """Return the state in which exactly these facts are true, whether play reaches it or not.

        It runs in machine code like any other, if it keeps what that takes for granted of every
        state, such as that no square holds two stones; else the reasoner runs it from here on.
        """
        if isinstance(facts, str):
            raise GdlError(f"{facts!r} is one text", expected="a collection of facts")
        if not isinstance(facts, Iterable):
            raise ArgumentTypeError("facts", facts, "a collection of facts, as terms or KIF text")
        terms = [read_term(fact) if isinstance(fact, str) else fact for fact in facts]
        for term in terms:
            if not is_ground_term(term):
                raise GdlError(f"{term!s} is no fact", expected="a term without variables")
        native = self.back_end.native
        inner = None if native is None else native.state(terms)
        if inner is not None:
            return State(self, self.machine, inner)
        self._check_known(terms)
        machine = self.machine if native is None else self.reasoner
        return State(self, machine, machine.state(terms))

    def _check_known(self, facts: Iterable[Term]) -> None:
        """Refuse facts that no rule speaks of, or with arguments that none gives.

        They would be kept, and change nothing or make what the rules never meant.

        Raises:
            GdlError: Names the first such fact, and the nearest that the rules know.
        """
        fluents = self._fluents
        if fluents is None:
            return
        sentences = (fact for fact in facts if not isinstance(fact, Variable))  # they are ground
        odd = next((fact for fact in sentences if signature(fact) not in fluents), None)
        if odd is None:
            self._check_arguments(facts)
            return
        from gdl.ruleset.errors import did_you_mean, one_of

        name, _ = signature(odd)
        arities = sorted(fluent.arity for fluent in fluents if fluent.name == name)
        names = sorted({fluent.name for fluent in fluents})
        raise GdlError(
            f"no rule of {self.id} knows the fact {odd}",
            expected=f"{name} with {one_of(map(str, arities))} arguments"
            if arities
            else f"a fact named {one_of(names, most=12)}",
            help=None if arities else did_you_mean(name, names),
        )

    def _check_arguments(self, facts: Iterable[Term]) -> None:
        """Refuse facts with an argument that no rule gives.

        Raises:
            GdlError: Names the first such argument, and what may stand there.
        """
        from gdl.reason.possible_facts import stray
        from gdl.ruleset.errors import did_you_mean, one_of

        for fact in facts:
            assert not isinstance(fact, Variable)  # they are ground
            odd = stray(fact, self._possible_facts)
            if odd is not None:
                raise GdlError(
                    f"no rule of {self.id} gives the fact {fact}: its argument {odd.place} is "
                    f"{odd.value}",
                    expected=f"{one_of(odd.possible)} there",
                    help=None if odd.is_number else did_you_mean(str(odd.value), odd.possible),
                )

    @cached_property
    def _possible_facts(self) -> PossibleFacts:
        from gdl.reason.possible_facts import possible_facts

        return possible_facts(self.ruleset.checked(self.limits))

    @cached_property
    def _fluents(self) -> frozenset[Signature] | None:
        """What can be a fact of a state, None where that can be anything."""
        from gdl.language.walk import fluents

        return fluents(self.ruleset.description)

    def position(self, text: str) -> State:
        """Return the state of a position that is one line of text: ``str(state.position)``.

        Raises:
            GdlSyntaxError: The text is no line of facts.
        """
        if not isinstance(text, str):
            raise ArgumentTypeError("a position", text, "one line of text, as str(state.position)")
        return self.state(read_terms(text))

    def _start(self, state: State | None) -> State:
        """Return where to begin: a state of this game, by default the initial one."""
        if state is None:
            return self.initial()
        if not isinstance(state, State):
            raise GdlError(f"{state!r} is no state", expected=f"a state of {self.id}")
        if state.game.ruleset != self.ruleset:
            raise GdlError(f"the state is of {state.game.id}", expected=f"a state of {self.id}")
        return state

    def perft(
        self,
        depth: int,
        *,
        state: State | None = None,
        on_level: Callable[[int, int], None] | None = None,
    ) -> PerftCounts:
        """Count move sequences of every length up to ``depth``; see `gdl.perft.perft`.

        Raises:
            ArgumentError: A depth that is no whole number, or negative.
            GdlError: The state is one of another game.
        """
        from gdl.perft import PerftCounts, perft

        depth = require_whole("depth", depth, 0)
        require_function("on_level", on_level)
        start = self._start(state)
        native = self.back_end.native
        if native is not None and start.machine is self.machine:
            counts = native.perft(depth, state=start.inner, on_level=on_level)
        else:
            counts = perft(start.machine, start.inner, depth, on_level=on_level)
        return PerftCounts(counts, self.roles)

    def playouts(  # noqa: PLR0913  # each keyword is one knob of one loop
        self,
        n: int,
        *,
        seed: int = 0,
        threads: int | None = None,
        state: State | None = None,
        max_plies: int | None = None,
        on_playout: Callable[[Playouts], None] | None = None,
    ) -> Playouts:
        """Run uniform random playouts.

        From the start of a compiled game they run in the lanes, millions in a second; else
        one after the other, see `gdl.playouts.playouts`. The result depends on ``n``, the seed
        and the back end, never on the number of threads or the processor.

        Args:
            n: How many.
            seed: Makes the run repeatable.
            threads: How many processor cores the lanes may use, by default all.
            state: Where each playout begins, by default the initial state.
            max_plies: Where a playout is cut off, by default `gdl.playouts.MAX_PLIES`.
            on_playout: Called with the counts so far, again and again; it may raise to stop.

        Raises:
            ArgumentError: A negative ``n`` or ``max_plies``, or less than one thread.
            GdlError: The state is one of another game.
        """
        from gdl.playouts import MAX_PLIES, playouts

        n = require_whole("the number of playouts", n, 0)
        seed = require_whole("seed", seed)
        threads = require_whole("threads", threads, 1) if threads is not None else None
        max_plies = MAX_PLIES if max_plies is None else require_whole("max_plies", max_plies, 0)
        require_function("on_playout", on_playout)
        # Lanes begin where the game does and know no cut: each of them goes on with a new game when
        # one has ended, and what a lane stores is not all of a state. All else is played singly.
        native = self.back_end.native
        from_start = state is None or self._start(state) == self.initial()
        if native is not None and from_start and max_plies == MAX_PLIES:
            from gdl.native.lanes.layout import GoalTableError

            try:
                return self._lane_playouts(n, seed, threads or os.cpu_count() or 1, on_playout)
            except GoalTableError:
                pass  # goal vectors that no word can number: one playout at a time then
        start = self._start(state)
        return playouts(
            start.machine, start.inner, n, seed=seed, max_plies=max_plies, on_playout=on_playout
        )

    def _lane_playouts(
        self, n: int, seed: int, threads: int, on_playout: Callable[[Playouts], None] | None
    ) -> Playouts:
        from gdl.playouts import Playouts

        # The pieces are cut by ``n`` alone, and each has a seed of its own: so what comes of them
        # depends neither on how many are asked about nor on who looks at the counts between.
        native = self.back_end.native
        assert native is not None
        total = Playouts(self.roles)
        piece = min(max(LEAST_PIECE, -(-n // PIECES)), MOST_PIECE)
        for number, start in enumerate(range(0, n, piece)):
            piece_seed = hashlib.sha256(f"{seed}/{number}".encode()).digest()
            total += native.playouts(
                min(piece, n - start), seed=int.from_bytes(piece_seed[:8]), threads=threads
            )
            if on_playout is not None:
                on_playout(total)
        return total

    def batch(self, size: int, *, auto_reset: bool = False) -> StateBatch:
        """Return ``size`` games side by side as arrays; see `gdl.state_batch.StateBatch`.

        Raises:
            NoNativeError: The game does not run as machine code; says why.
        """
        if self.back_end.native is None:
            raise self._no_native("batches need machine code")
        from gdl.state_batch import StateBatch

        kernel = self.back_end.native.kernel
        return StateBatch(self, kernel, size, self._small_picture, auto_reset=auto_reset)

    def _small_picture(self, facts: Collection[Term]) -> str:
        from gdl.language.html import text_html

        drawn = self.ruleset.draw_svg(facts, width=SMALL)
        return drawn or text_html("\n".join(map(str, sorted(facts))) or "(no facts)")

    def _no_native(self, need: str) -> backends.NoNativeError:
        refusal = self.back_end.refusal or GdlError()
        return backends.NoNativeError(
            f"{need}, and {self.id} runs without: {self.back_end.why}",
            expected=refusal.expected,
            help=refusal.help,
            notes=refusal.notes,
        )

    def explain(self, state: State, query: str | Term) -> Explanation:
        """Answer `State.why`: read the query, then ask the reasoner, whatever the back end."""
        from gdl.reason.why import UnknownRelationError, explain

        require("state", state, State, f"a state of {self.id}")
        self._start(state)
        sentence = self._query(query) if isinstance(query, str) else query
        if not is_term(sentence):
            raise ArgumentTypeError("the question", query, "a sentence, as text or a term")
        self._check_asked_role(sentence)
        history = [
            (self._reasoned(after.previous), after.last_move)
            for after in state.history
            if after.previous is not None and after.last_move is not None
        ]
        asked_in, joint_move = self._reasoned(state), tuple[Term, ...]()
        is_percept = isinstance(sentence, Compound) and signature(sentence) == Signature("sees", 2)
        if is_percept and history:  # what a role saw it saw of the last move
            *history, (asked_in, joint_move) = history
        try:
            explanation = explain(
                self.reasoner,
                asked_in,
                sentence,
                joint_move=joint_move,
                history=history,
                notation=self.ruleset.notation.format,
            )
        except UnknownRelationError as error:
            question = self._question_of_move(state, query) if isinstance(query, str) else ""
            if not question:
                raise
            raise UnknownRelationError(error.message, help=f"of the move ask: {question}") from None
        said = self._said(sentence)
        is_move = isinstance(sentence, Compound) and signature(sentence) == Signature("legal", 2)
        is_over = is_move and state.is_terminal
        return replace(explanation, said=said, is_over=is_over)

    def _question_of_move(self, state: State, text: str) -> str:
        """Return the question about a move that was typed alone; empty where there is none such."""
        try:
            typed = self.move(text)
        except GdlError:
            return ""
        for role in () if state.is_terminal else self.roles:
            if any(_is_of_form(move, typed) for move in state.legal(role)):
                return f"legal {role} {text}"
        return ""

    def _said(self, sentence: Term) -> str:
        """Return a question about a move in the ruleset's notation; empty where it has no words."""
        asked = {Signature("legal", 2), Signature("does", 2)}
        if not isinstance(sentence, Compound) or signature(sentence) not in asked:
            return ""
        role, move = sentence.args
        text = self.ruleset.notation.format(move)
        is_written = not isinstance(move, Variable) and text != str(move)
        return f"{sentence.name} {role} {text}" if is_written else ""

    def _reasoned(self, state: State) -> frozenset[Term]:
        """Return a state as the reasoner knows it."""
        return self.reasoner.state(state.facts)

    def _check_asked_role(self, sentence: Term) -> None:
        """Refuse a question about a role that there is not: its answer would always be no.

        Raises:
            UnknownRoleError: No such role.
        """
        if isinstance(sentence, Compound) and sentence.name in OF_ROLES and len(sentence.args) > 1:
            role = sentence.args[0]
            if role.is_ground:
                self.role(role)

    def _query(self, text: str) -> Term:
        words = text.split(maxsplit=2)
        if len(words) == 3 and words[0] in ("legal", "does"):  # noqa: PLR2004  # relation, role, move
            return Compound(words[0], (self.role(words[1]), self.move(words[2])))
        bare = len(words) > 1 and not text.lstrip().startswith("(")
        return read_term(f"({text})" if bare else text)

    def __eq__(self, other: object) -> bool:
        """Compare rulesets and back ends."""
        if not isinstance(other, Game):
            return NotImplemented
        return self is other or (self.ruleset, self.backend) == (other.ruleset, other.backend)

    def __hash__(self) -> int:
        """Hash the ruleset."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.ruleset)

    def __copy__(self) -> Game:
        """Return this game: it never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Game:
        """Return this game: it never changes."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[object, ...]]:
        """Pickle how the rules are found, and their digest; the rules where nothing finds them.

        The back end is made anew, from the disk where it is there.
        """
        if self._named is None:
            return _unpickle, (self.ruleset, self.backend, self.limits)
        return _unpickle_named, (*self._named, self.backend, self.limits)

    @cached_property
    def _named(self) -> tuple[str, str] | None:
        return _name_and_digest(self.ruleset)

    def _repr_html_(self) -> str:
        """Return title, roles and the first position for notebooks."""
        from html import escape

        ruleset, drawn = self.ruleset, self.initial().to_html()
        about = f"{self.id}: {', '.join(self.roles)}; {self.backend}"
        said = f"<p>{escape(ruleset.summary)}</p>" if ruleset.summary else ""
        head = f"<strong>{escape(ruleset.title or self.id)}</strong> ({escape(about)})"
        return f"<div><p>{head}</p>{said}{drawn}</div>"

    def __repr__(self) -> str:
        """Show id, roles and back end."""
        return f"<Game {self.id}: {', '.join(self.roles)}; {self.backend}>"
