"""A game as its rules say it: who plays, where it begins, what is legal, what follows.

Everything is a question to the least model of the rules together with what is true and who does
what. ``role`` and ``init`` are asked where nothing is true and nobody moves, ``legal``,
``terminal`` and ``goal`` where nobody moves, ``next`` and ``sees`` where everybody does.

Source: GDL specification 2008, section 2; Schiffel and Thielscher, "A Multiagent Semantics for
the Game Description Language", 2009; Thielscher, AAAI 2010 (``sees``).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from threading import RLock
from typing import Final, TypeAlias

from gdl.language.checked import ANY, CheckedDescription, checked
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.refusals import too_nested
from gdl.language.syntax import Compound, Constant, Description, Sentence, Term, arguments
from gdl.language.terms import in_order
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
from gdl.meaning.model import Model

State: TypeAlias = frozenset[Fact]
NOTHING: Final[State] = frozenset()
KEPT: Final = 64
"""States whose models are remembered."""


class Meaning:
    """The rules as a state machine. Obeys `gdl.machine.StateMachine`."""

    def __init__(
        self, description: Description | CheckedDescription, *, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        """Refuse rules that have no meaning, and ask the others for the roles."""
        self._orders, self._limits = checked(description, limits).orders, limits
        self._game = Model(self._orders, limits)
        self._of_state = lru_cache(KEPT)(self._in_state)
        self._of_moves = lru_cache(KEPT)(self._after_moves)
        self._lock = RLock()
        self.roles: tuple[Role, ...] = ()
        self.roles = self._values(Compound("role", (ANY,)), NOTHING)

    def initial(self) -> State:
        """Return the state in which the game begins."""
        return frozenset(self._values(Compound("init", (ANY,)), NOTHING))

    def state(self, facts: Collection[Fact]) -> State:
        """Return the state in which exactly ``facts`` are true."""
        return state_of(facts)

    def facts(self, state: State) -> frozenset[Fact]:
        """Return what is true in a state."""
        return state

    def legal(self, state: State, role: Role) -> tuple[Move, ...]:
        """Return the legal moves of a role in canonical order, also in terminal states."""
        return tuple(in_order(self._values(Compound("legal", (role, ANY)), state)))

    def successor(self, state: State, joint_move: JointMove) -> State:
        """Return the state after a joint move: one legal move for each role, in their order."""
        if len(joint_move) != len(self.roles):
            raise wrong_number_of_moves(joint_move, self.roles)
        for role, move in zip(self.roles, joint_move, strict=True):
            if not self.instances(state, Compound("legal", (role, move))):
                raise illegal_move(role, move, self.legal(state, role))
        return frozenset(self._values(Compound("next", (ANY,)), state, joint_move))

    def is_terminal(self, state: State) -> bool:
        """Return whether the game is over."""
        return bool(self.instances(state, Constant("terminal")))

    def goals(self, state: State, role: Role) -> tuple[int, ...]:
        """Return every goal value that the rules give a role, in ascending order."""
        values = map(goal_value, self._values(Compound("goal", (role, ANY)), state))
        return tuple(sorted({value for value in values if value is not None}))

    def percepts(self, state: State, joint_move: JointMove, role: Role) -> frozenset[Term]:
        """Return what a role sees of a joint move (GDL-II)."""
        return frozenset(self._values(Compound("sees", (role, ANY)), state, joint_move))

    def instances(self, state: State, query: Sentence, moves: JointMove = ()) -> list[Sentence]:
        """Return the instances of any sentence that hold, in the order in which they follow."""
        with self._lock:
            try:
                return self._of_moves(state, moves).instances(query)
            except RecursionError:
                raise too_nested() from None

    def _values(self, query: Sentence, state: State, moves: JointMove = ()) -> tuple[Term, ...]:
        """Return what the last argument of a relation stands for."""
        return tuple(arguments(instance)[-1] for instance in self.instances(state, query, moves))

    def _in_state(self, state: State) -> Model:
        true = (Compound("true", (fact,)) for fact in state)
        return Model(self._orders, self._limits, self._game, *true)

    def _after_moves(self, state: State, moves: JointMove) -> Model:
        does = (Compound("does", pair) for pair in zip(self.roles, moves, strict=bool(moves)))
        return Model(self._orders, self._limits, self._of_state(state), *does)
