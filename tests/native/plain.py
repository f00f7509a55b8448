"""A state machine straight from the evaluation of a circuit, for comparison."""

from __future__ import annotations

from collections.abc import Collection

from gdl.circuit.evaluate import Evaluation, evaluate
from gdl.circuit.game import GameCircuit
from gdl.language.syntax import Term
from gdl.machine import JointMove


class PlainMachine:
    """States are sets of fact indices; every question evaluates the whole circuit."""

    def __init__(self, circuit: GameCircuit) -> None:
        self.circuit = circuit
        self._index = {fact: i for i, fact in enumerate(circuit.facts)}

    @property
    def roles(self) -> tuple[Term, ...]:
        return self.circuit.roles

    def _at(self, state: frozenset[int], joint_move: JointMove | None = None) -> Evaluation:
        return evaluate(self.circuit, [self.circuit.facts[f] for f in state], joint_move)

    def complete(self, state: frozenset[int]) -> frozenset[int]:
        """Return a state as it is: every fact is stored here."""
        return state

    def initial(self) -> frozenset[int]:
        return self.circuit.initial

    def state(self, facts: Collection[Term]) -> frozenset[int]:
        return frozenset(self._index[fact] for fact in facts)

    def facts(self, state: frozenset[int]) -> frozenset[Term]:
        return frozenset(self.circuit.facts[f] for f in state)

    def legal(self, state: frozenset[int], role: Term) -> tuple[Term, ...]:
        return self._at(state).legal[self.roles.index(role)]

    def successor(self, state: frozenset[int], joint_move: JointMove) -> frozenset[int]:
        return self.state(self._at(state, joint_move).next)

    def is_terminal(self, state: frozenset[int]) -> bool:
        return self._at(state).terminal

    def goals(self, state: frozenset[int], role: Term) -> tuple[int, ...]:
        return self._at(state).goals[self.roles.index(role)]

    def percepts(self, state: frozenset[int], joint_move: JointMove, role: Term) -> frozenset[Term]:
        seen = self._at(state, joint_move).sees
        return seen[self.roles.index(role)] if seen else frozenset()
