"""The reasoner: a state machine that evaluates the rules as they are written.

In: a description. Out: roles, states, moves and goals. A state is the set of its facts. What is
derived for a state is kept for the states that were asked for last, and nowhere else.

Source: GDL specification 2008, section 2 (the game model), and docs/semantics.md for each
convention that the specification leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeAlias

from gdl.language.checked import CheckedDescription, checked
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.refusals import too_nested, unsafe_rule
from gdl.language.syntax import (
    Description,
    Sentence,
    Signature,
    SortKey,
    Term,
    Variable,
    arguments,
    signature,
    sort_key,
)
from gdl.machine import (
    Fact,
    JointMove,
    Move,
    Role,
    goal_value,
    illegal_move,
    state_of,
    wrong_number_of_moves,
)
from gdl.reason.compiler import RuleCompiler
from gdl.reason.estimates import estimates
from gdl.reason.join_order import Planner, UnboundVariableError
from gdl.reason.materialize import materialized
from gdl.reason.meter import Meter
from gdl.reason.model import Ask, Model
from gdl.reason.plan import BOUND, FREE, Modes
from gdl.reason.program import Level, Predicate, program
from gdl.reason.safety import Safety
from gdl.reason.tables import Context, Packed

State: TypeAlias = frozenset[Fact]

KEPT_STATES: Final = 64
"""States whose derived facts are remembered."""
KEPT_FACTS: Final = 1_000_000
"""Facts that never change that are remembered from question to question, or half of what the limits
allow: one that is asked in several ways counts each time."""
KEPT_KEYS: Final = 200_000
"""Moves whose place in the canonical order is remembered."""


class Reasoner:
    """The rules as a state machine. Obeys `gdl.machine.StateMachine`.

    Attributes:
        description: The rules.
        limits: What one state may cost.
    """

    def __init__(
        self,
        description: Description | CheckedDescription,
        *,
        limits: Limits = DEFAULT_LIMITS,
        roles: tuple[Role, ...] = (),
    ) -> None:
        """Prepare the rules; nothing about any state is derived yet.

        Args:
            description: The rules; they may break restrictions that do not hinder evaluation.
            limits: What reading the rules and one state may cost.
            roles: The roles in their order, where they are known.

        Raises:
            UnstratifiedError: A sentence may depend on its own negation.
            InvalidDescriptionError: A rule cannot be evaluated: nothing binds a variable.
            LimitError: What never changes needs more than the limits allow.
        """
        rules = checked(description, limits)
        self.description = rules.description
        self.limits = limits
        self._program = program(rules, limits=limits)
        meter = Meter(limits)
        safety = Safety(self._program.predicates)
        planner = Planner(estimates(self._program), safety, meter.check_time)
        whole = materialized(self._program.predicates, safety.open.keys())
        self._compiler = RuleCompiler(planner, meter, limits, whole)
        self._contexts: dict[State, Context] = {}
        self._lock = Lock()
        self._sort_keys: dict[Term, SortKey] = {}
        self._roles = self._relation("role", FREE)
        self._init = self._relation("init", FREE)
        self._legal = self._relation("legal", BOUND + FREE)
        self._next = self._relation("next", FREE)
        self._terminal = self._relation("terminal", "")
        self._goal = self._relation("goal", BOUND + FREE)
        self._sees = self._relation("sees", BOUND + FREE)
        self._role_terms = roles or tuple(
            self._roles(self._moves_context(self._context(frozenset())), ())
        )

    @property
    def roles(self) -> tuple[Role, ...]:
        """The players, in the order in which the rules name them."""
        return self._role_terms

    def initial(self) -> State:
        """Return the state in which the game begins."""
        nothing = self._moves_context(self._context(frozenset()))
        return frozenset(self._init(nothing, ()))

    def state(self, facts: Collection[Fact]) -> State:
        """Return the state in which exactly ``facts`` are true.

        Raises:
            GdlError: A fact has a variable.
        """
        return state_of(facts)

    def facts(self, state: State) -> frozenset[Fact]:
        """Return what is true in a state."""
        return state

    def legal(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role in canonical order, also in terminal states."""
        return self._ordered(self._legal(self._moves_context(self._context(state)), role))

    def successor(self, state: State, joint_move: JointMove) -> State:
        """Return the state after a joint move.

        Raises:
            IllegalMoveError: When a role's move is not legal; names role, move and nearest ones.
            GdlError: There is not one move for each role.
        """
        if len(joint_move) != len(self._role_terms):
            raise wrong_number_of_moves(joint_move, self._role_terms)
        if self._compiler.game.meter.facts > min(KEPT_FACTS, self.limits.facts // 2):
            self._compiler.game.forget()
        context = self._context(state)
        nothing = self._moves_context(context)
        for role, move in zip(self._role_terms, joint_move, strict=True):
            if move not in self._legal(nothing, role):
                raise illegal_move(role, move, self.legal(state, role))
        return frozenset(self._next(self._moves_context(context, joint_move), ()))

    def is_terminal(self, state: State) -> bool:
        """Return whether the game is over."""
        return bool(self._terminal(self._moves_context(self._context(state)), ()))

    def goals(self, state: State, role: Role) -> tuple[int, ...]:
        """Return every goal value that the rules give a role, in ascending order.

        A goal that is no whole number is no value, and left out.
        """
        terms = self._goal(self._moves_context(self._context(state)), role)
        return tuple(sorted({value for term in terms if (value := goal_value(term)) is not None}))

    def percepts(self, state: State, joint_move: JointMove, role: Role) -> frozenset[Term]:
        """Return what a role sees of a joint move (GDL-II), nothing where no rule says so."""
        moves = self._moves_context(self._context(state), joint_move)
        return frozenset(self._sees(moves, role))

    def instances(
        self, state: State, query: Sentence, joint_move: JointMove = ()
    ) -> tuple[Sentence, ...]:
        """Return every instance of a sentence that holds, in canonical order.

        Args:
            state: Where.
            query: A sentence of any relation of the rules; it may have variables.
            joint_move: The moves made there, for relations that depend on them; else nobody moves.

        Raises:
            InvalidDescriptionError: The rules cannot say for which values it holds.
            LimitError: See `Limits`.
        """
        return self.model(state, joint_move).instances(query)

    def model(self, state: State, joint_move: JointMove = ()) -> Model:
        """Return what holds in a state, and after moves made there, for whoever looks closely."""
        context = self._moves_context(self._context(state), joint_move)
        done = tuple(zip(self._role_terms, joint_move, strict=False))
        return Model(
            program=self._program,
            compiler=self._compiler,
            ask=self._ask,
            context=context,
            state=state,
            done=done,
        )

    # Contexts ----------------------------------------------------------------------------

    def _context(self, state: State) -> Context:
        """Return what is known about a state, and start the clock for one question."""
        contexts, deadline = self._contexts, monotonic() + self.limits.seconds
        with self._lock:
            context = contexts.pop(state, None)
            if context is None:
                context = Context(self._compiler.fill, Meter(self.limits, deadline))
                context.rows = _rows_of_state(state)
                if len(contexts) >= KEPT_STATES:
                    contexts.pop(next(iter(contexts)))
            contexts[state] = context
        self._compiler.game.meter.deadline = context.meter.deadline = deadline
        return context

    def _moves_context(self, below: Context, joint_move: JointMove = ()) -> Context:
        # A state outlives the moves that are tried there; were their facts counted as its own, it
        # would have too many once enough moves have been tried.
        meter = Meter(self.limits, below.meter.deadline)
        context = Context(self._compiler.fill, meter, below)
        rows = context.rows
        for role, move in zip(self._role_terms, joint_move, strict=True) if joint_move else ():
            assert not isinstance(move, Variable)
            rows.setdefault(signature(move), []).append((role, *arguments(move)))
            rows.setdefault(None, []).append((role, move))
        return context

    def _relation(self, name: str, modes: Modes) -> Ask:
        """Return how to ask a relation of the language, given a context of moves."""
        predicate = self._program.relations.get(Signature(name, len(modes)))
        return _nothing if predicate is None else self._ask(predicate, modes)

    def _ask(self, predicate: Predicate, modes: Modes) -> Ask:
        """Return how to ask a predicate, given a context of moves.

        Raises:
            InvalidDescriptionError: The rules do not bind what is asked for.
        """
        try:
            with self._lock:
                ask = self._compiler.asker(predicate, modes)
        except UnboundVariableError as error:
            clause = error.definition.clause
            assert clause is not None, "the rule that facts hold is safe"
            raise unsafe_rule(clause, error.variable) from None
        return _guarded(predicate.level, self._compiler.context, ask)

    def _ordered(self, terms: Collection[Term]) -> tuple[Term, ...]:
        """Return terms in canonical order."""
        keys = self._sort_keys
        if len(keys) > KEPT_KEYS:
            keys.clear()
        for term in terms:
            if term not in keys:
                keys[term] = sort_key(term)
        return tuple(sorted(terms, key=keys.__getitem__))


def _guarded(level: Level, context_at: Callable[[Context, Level], Context], ask: Ask) -> Ask:
    """Return a question to the context of a level that never ends in a `RecursionError`."""

    def guarded(moves: Context, key: Packed) -> Any:  # noqa: ANN401  # see `Answers`
        try:
            return ask(context_at(moves, level), key)
        except RecursionError:
            raise too_nested() from None

    return guarded


def _nothing(moves: Context, key: Packed) -> tuple[()]:
    del moves, key
    return ()


def _rows_of_state(state: State) -> dict[Signature | None, list[tuple[Term, ...]]]:
    rows: dict[Signature | None, list[tuple[Term, ...]]] = {None: [(fact,) for fact in state]}
    for fact in state:
        assert not isinstance(fact, Variable)
        rows.setdefault(signature(fact), []).append(arguments(fact))
    return rows
