"""What a game does, free of its words and of how its rules are written.

In: a circuit. Out: a `RelationalStructure`: things (roles, moves, facts) and relations among them:
which fact a move puts in place of which, what a move needs to be legal, the smallest sets
of facts that end the game or give a goal.

Source: smallest sets after Quine, "A Way to Simplify Truth Functions", 1955.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import Lit
from gdl.circuit.cone import conjuncts, support
from gdl.circuit.game import GameCircuit
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.solvers.cardinality import reached
from gdl.verify.solvers.sat import Solver
from gdl.verify.systems.cofactor import Cofactors, joint_choices
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import game_system
from gdl.verify.systems.transition import transition

if TYPE_CHECKING:
    from gdl.verify.systems.bit_parallel import Bits

PLIES: Final = 4
"""Plies whose moves are looked at, where it matters whose turn it is."""
MAX_SIZE: Final = 6
"""Facts in a smallest set, at most."""
MAX_POINTS: Final = 2_500
"""Smallest sets of one edge, at most; more say nothing."""


@dataclass(frozen=True, slots=True)
class RelationalStructure:
    """Things and how they stand to each other.

    Attributes:
        kinds: What each thing is; roles first, then the moves of each role, then the facts.
        ordered: A label, and things in a fixed order.
        unordered: A label, and sets of things.
    """

    kinds: list[Hashable]
    ordered: list[tuple[Hashable, tuple[int, ...]]]
    unordered: list[tuple[Hashable, tuple[tuple[int, ...], ...]]]


def relational_structure(circuit: GameCircuit, budget: Budget) -> RelationalStructure | None:
    """Return the relational structure of a game, None when too many moves can be made at once.

    Cost: O(nodes * joint choices) and a solver call for each smallest set.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    return _Builder(circuit, budget).build()


class _Builder:
    """Each fact is two things, that it holds and that it does not; equal ones are one."""

    def __init__(self, circuit: GameCircuit, budget: Budget) -> None:
        self.circuit, self.budget = circuit, budget
        self.step = transition(game_system(circuit))
        self.boards = sample(game_system(circuit), budget, lanes=256).going
        if not self.boards:
            raise OutOfBudgetError("there was no time for random play")
        self.moves = first_moves(circuit)
        self.kinds: list[Hashable] = [("role", len(moves)) for moves in circuit.moves]
        self.kinds += ("move" for moves in circuit.moves for _ in moves)
        self._things = self._poles()
        self.ordered: set[tuple[Hashable, tuple[int, ...]]] = set()
        self.unordered: set[tuple[Hashable, tuple[tuple[int, ...], ...]]] = set()

    def _poles(self) -> dict[Lit, int]:
        """Return the thing of each literal of a fact."""
        import numpy as np

        # A text may store a board twice, or what is empty instead of what is full. Literals that
        # agreed in all sampled states (bool[F, N]) become one thing, which is a guess and may be:
        # a wrong one spoils a matching, never an answer.
        circuit = self.circuit
        states = np.concatenate(self.boards, axis=1)
        thing_of: dict[bytes, int] = {}
        vertices: dict[Lit, int] = {}
        for index, (row, edge) in enumerate(zip(states, self.step.facts, strict=True)):
            for literal, values in ((edge, row), (edge ^ 1, ~row)):
                key = values.tobytes()
                if key not in thing_of:
                    thing_of[key] = len(self.kinds)
                    self.kinds.append(("fact", (index in circuit.initial) != bool(literal & 1)))
                vertices[literal] = thing_of[key]
        return vertices

    def build(self) -> RelationalStructure | None:
        """Look at everything."""
        for role, moves in enumerate(self.circuit.moves):
            self.ordered.update(("of", (role, self.moves[role] + m)) for m in range(len(moves)))
        for edge in self.step.facts:
            self.unordered.add(("poles", ((self._things[edge], self._things[edge ^ 1]),)))
        self._legal()
        determined = _determined(self.boards)
        seen = set()
        for ply, states in enumerate(self.boards[:PLIES]):
            if not states.shape[1]:
                break
            values = {fact: int(states[fact, 0]) for fact in determined}
            if tuple(values.items()) in seen:
                continue
            seen.add(tuple(values.items()))
            if not self._effects(ply, values):
                return None
        self._points()
        return RelationalStructure(self.kinds, list(self.ordered), list(self.unordered))

    def _legal(self) -> None:
        """Look at what each move needs: what has to hold, and what else it depends on.

        How a condition is split into conjuncts is a matter of writing, so all that are more
        than one fact count as one.
        """
        things = self._things
        poles = {edge >> 1: (things[edge], things[edge ^ 1]) for edge in self.step.facts}
        for role, row in enumerate(self.step.legal):
            for move, edge in enumerate(row):
                vertex = self.moves[role] + move
                parts = conjuncts(self.step.aig, edge)
                rest = [part for part in parts if part not in things]
                for part in parts:
                    if part in things:
                        self.ordered.add(("needs", (vertex, things[part])))
                nodes = support(self.step.aig, rest)
                facts = {thing for node in nodes & poles.keys() for thing in poles[node]}
                if facts:
                    self.unordered.add((("needs", "some"), ((vertex,), tuple(sorted(facts)))))

    def _effects(self, ply: int, fixed: dict[int, int]) -> bool:
        """Look at what each joint move of a ply makes of each fact."""
        step = self.step
        joints = joint_choices(step, fixed)
        if joints is None:
            return False
        cofactors = Cofactors(step, fixed, joints)
        chosen = [
            tuple(self.moves[role] + int(choice) for role, choice in enumerate(joints[:, lane]))
            for lane in range(joints.shape[1])
        ]
        for fact, edge in zip(step.facts, step.next, strict=True):
            for lane, value in enumerate(cofactors.of(edge).tolist()):
                if value != fact:
                    self._effect(ply, chosen[lane], fact, value)
        return True

    def _effect(self, ply: int, chosen: tuple[int, ...], fact: Lit, value: Lit) -> None:
        if value <= 1:
            vertex = self._things[fact ^ (value == 0)]
            self.unordered.add((("makes", ply), (chosen, (vertex,))))
        elif value in self._things:
            for flip in (0, 1):
                after, before = self._things[fact ^ flip], self._things[value ^ flip]
                self.unordered.add((("moves", ply), (chosen, (after,), (before,))))
        else:
            self.unordered.add((("changes", ply), (chosen, (self._things[fact],))))

    def _points(self) -> None:
        for label, role, edge in self._endings():
            for point in smallest_sets(self.circuit, edge, self.budget):
                vertices = {self._things[self.step.facts[fact]] for fact in point}
                owner = () if role is None else (role,)
                self.unordered.add(((label, len(point)), (owner, tuple(sorted(vertices)))))

    def _endings(self) -> list[tuple[Hashable, int | None, Lit]]:
        circuit = self.circuit
        endings: list[tuple[Hashable, int | None, Lit]] = [("terminal", None, circuit.terminal)]
        for role, pairs in enumerate(circuit.goals):
            endings += ((("goal", value), role, edge) for value, edge in pairs[-1:])
        return endings


def first_moves(circuit: GameCircuit) -> list[int]:
    """Return the thing that the first move of each role is: moves are counted after the roles."""
    return list(accumulate(map(len, circuit.moves[:-1]), initial=len(circuit.roles)))


def _determined(boards: Sequence[Bits]) -> list[int]:
    """Return the facts that have one value at each ply."""
    import numpy as np

    shown = [states for states in boards if states.shape[1] > 1]
    if not shown:
        return []
    same = np.all([(s == s[:, :1]).all(axis=1) for s in shown], axis=0)
    return [int(fact) for fact in np.flatnonzero(same)]


def smallest_sets(circuit: GameCircuit, edge: Lit, budget: Budget) -> list[tuple[int, ...]]:
    """Return the smallest sets of facts that make an edge true when nothing else holds.

    Nothing is returned when the empty set does, or when they or their number are too large.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    if edge <= 1:
        return []
    nodes = support(circuit.aig, [edge])
    facts = [i for i, fact in enumerate(circuit.fact_inputs) if fact >> 1 in nodes]
    # Any model gives a set of true facts. Bounding their number by a counter from 0 upwards finds
    # the least size; at that size each model is a smallest set, and is excluded once it is found.
    solver = Solver(circuit.aig, budget)
    try:
        solver.add([solver.lit(edge)])
        literals = [solver.lit(circuit.fact_inputs[fact]) for fact in facts]
        row = reached(solver, literals, MAX_SIZE + 1)
        solver.prefer(-literal for literal in literals)
        for size in range(len(row)):
            if solver.solve([-row[size]]):
                return _all_sets(solver, facts, literals, [-row[size]], size)
        return []
    finally:
        solver.close()


def _all_sets(
    solver: Solver, facts: list[int], literals: list[int], assumed: list[int], size: int
) -> list[tuple[int, ...]]:
    sets: list[tuple[int, ...]] = []
    while size and solver.solve(assumed):
        held = [index for index, literal in enumerate(literals) if solver.value(literal)]
        sets.append(tuple(facts[index] for index in held))
        solver.add([-literals[index] for index in held])
        if len(sets) > MAX_POINTS:
            return []
    return sets
