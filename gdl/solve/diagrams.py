"""A game as decision diagrams: sets of states, and all joint moves as one relation between them.

In: a compiled game and a `Packing`. Out: `Diagrams`, which turns a set of states into the set of
those that follow, or from which it is reached in one move. A set may have more states than any
memory: what counts is how many nodes its diagram has.

A state is written as the bits of a packing. Each bit has two variables beside each other, before a
move and after it. A joint move changes few fields; the moves that change the same ones are one
relation over the bits of these alone (a disjunctive partition), and all other bits stay.

Source: Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", IEEE Trans. Computers
1986; Burch, Clarke, Long, "Symbolic Model Checking with Partitioned Transition Relations", VLSI
1991; Edelkamp, Kissmann, "Symbolic Classification of General Two-Player Games", KI 2008.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from operator import and_, or_
from typing import Final, TypeAlias

from oxidd.bcdd import BCDDFunction, BCDDManager, BCDDSubstitution
from oxidd.util import BooleanOperator

from gdl.circuit.aig import Lit
from gdl.circuit.cone import cone
from gdl.circuit.game import GameCircuit
from gdl.native.kernel.packed import Field, Packing
from gdl.solve.limits import TooLargeError
from gdl.solve.variable_ordering import short_order

Set: TypeAlias = BCDDFunction
"""A set of states: the function that is true of them."""

MOST_JOINT: Final = 1 << 14
"""Joint moves; with more, each a question of its own, it takes too long."""
NODE_BYTES: Final = 40
"""What a node takes: itself, its place in the table of nodes, its share of known results."""
LEAST_NODES: Final = 1 << 16
NARROW: Final = 8
"""Fields that something may depend on and still say which are near each other."""


class UnfitError(Exception):
    """A state that follows breaks a group of the packing.

    Attributes:
        held: Facts of a state that it follows, by index.
    """

    def __init__(self, held: frozenset[int]) -> None:
        """Keep where."""
        super().__init__(held)
        self.held = held


@dataclass(frozen=True, slots=True)
class Step:
    """The joint moves that change the same bits.

    Attributes:
        relation: What holds before and after; bits that are not changed have no variable after.
        unfit: States in which one of them leads to a state that breaks a group of the packing.
        before: The conjunction of the variables of the changed bits, before the move.
        after: Likewise, after it.
        forget: Renames variables after the move to those before the next.
        expect: The other way round.
    """

    relation: Set
    unfit: Set
    before: Set
    after: Set
    forget: BCDDSubstitution
    expect: BCDDSubstitution


class Diagrams:
    """Sets of states of one game.

    Attributes:
        bits: Bits of a state.
        none: The empty set.
        initial: The first state alone.
        over: States in which the game is over.
        goals: For each role pairs of a goal value and the states in which it has it, rising.
        legal: For each role the states in which each move is legal.
    """

    def __init__(
        self, circuit: GameCircuit, packing: Packing, start: frozenset[int], memory: int
    ) -> None:
        """Make the relation. Cost O(joint moves * gates that depend on moves) operations.

        Args:
            circuit: The game.
            packing: How a state is written; `following` says of each step whether it is wrong.
            start: Facts of the first state, by index.
            memory: Bytes that nodes may take.

        Raises:
            TooLargeError: There are too many joint moves.
            DDMemoryError: Nodes take more than ``memory``.
        """
        self._circuit = circuit
        self.bits = packing.bits
        nodes = max(LEAST_NODES, memory // NODE_BYTES)
        self._manager = BCDDManager(nodes, nodes // 4, 1)
        self._manager.add_vars(2 * self.bits)
        self.none, self._all = self._manager.false(), self._manager.true()
        self._now = [self._manager.var(2 * bit) for bit in range(self.bits)]
        self._then = [self._manager.var(2 * bit + 1) for bit in range(self.bits)]
        self._fields = _near_each_other(circuit, packing)
        self._holds = {
            member: self._numbered(field, field.number(place))
            for field in self._fields
            for place, member in enumerate(field.members)
        }
        # What each node of the graph is of a state; for gates that no move is in, once for all.
        self._set_of_node = {0: self.none}
        for fact, edge in enumerate(circuit.fact_inputs):
            self._set_of_node[edge >> 1] = self._holds.get(fact, self.none)
        self.legal = [self._of(edges, self._set_of_node) for edges in circuit.legal]
        (self.over,) = self._of([circuit.terminal], self._set_of_node)
        self.goals = [
            list(zip(dict(pairs), self._of([e for _, e in pairs], self._set_of_node), strict=True))
            for pairs in circuit.goals
        ]
        self.initial = self._conj(
            self._numbered(field, _number_in(field, start)) for field in self._fields
        )
        self._steps = self._make_steps()

    def following(self, states: Set) -> Iterator[Set]:
        """Yield sets that together are what follows from those states that are not over.

        Raises:
            UnfitError: A state that follows breaks a group of the packing.
        """
        for step in self._steps:
            if (states & step.unfit).satisfiable():
                raise UnfitError(self.one_of(states & step.unfit))
            moved = states.apply_exists(BooleanOperator.AND, step.relation, step.before)
            yield moved.substitute(step.forget)

    def leading(self, states: Set) -> Iterator[Set]:
        """Yield sets that together are the states of which some joint move leads into a set."""
        for step in self._steps:
            wanted = states.substitute(step.expect)
            yield step.relation.apply_exists(BooleanOperator.AND, wanted, step.after)

    def count(self, states: Set) -> int:
        """Return how many states a set has. Cost O(nodes)."""
        return int(states.sat_count(2 * self.bits)) >> self.bits

    def one_of(self, states: Set) -> frozenset[int]:
        """Return the facts, by index, of one state of a set that is not empty."""
        cube = states.pick_cube()
        assert cube is not None
        number_of = (
            (field, sum(bool(cube[2 * (field.start + bit)]) << bit for bit in range(field.width)))
            for field in self._fields
        )
        places = ((field, number - (not field.is_exact)) for field, number in number_of)
        return frozenset(field.members[place] for field, place in places if place >= 0)

    def fits(self, held: frozenset[int]) -> bool:
        """Return whether a state, its facts by index, breaks no group."""
        return Packing(tuple(self._fields)).fits(held)

    def has(self, states: Set, facts: frozenset[int]) -> bool:
        """Return whether a state that fits the packing is in a set. Cost O(bits)."""
        return bool(
            states.eval(
                (2 * (field.start + bit), bool(_number_in(field, facts) >> bit & 1))
                for field in self._fields
                for bit in range(field.width)
            )
        )

    # What makes them.

    def _conj(self, sets: Iterable[Set]) -> Set:
        return reduce(and_, sets, self._all)

    def _disj(self, sets: Iterable[Set]) -> Set:
        return reduce(or_, sets, self.none)

    def _numbered(self, field: Field, number: int) -> Set:
        """Return the assignments in which a field has a number."""
        bits = self._now[field.start : field.start + field.width]
        return self._conj(bit if number >> i & 1 else ~bit for i, bit in enumerate(bits))

    def _states(self) -> Set:
        """Return the assignments that are written states: each field's number stands for one."""
        return self._conj(
            self._disj(
                [self._holds[member] for member in field.members]
                + ([] if field.is_exact else [self._numbered(field, 0)])
            )
            for field in self._fields
        )

    def _of(self, edges: Sequence[Lit], sets: dict[int, Set]) -> list[Set]:
        """Return of which states edges are true; what is found of gates on the way is kept."""
        left, right = self._circuit.aig.left, self._circuit.aig.right
        for node in cone(self._circuit.aig, edges, sets):
            sets[node] = _edge(left[node], sets) & _edge(right[node], sets)
        return [_edge(edge, sets) for edge in edges]

    def _joint_moves(self) -> list[tuple[tuple[int, ...], Set]]:
        """Return each joint move that is legal in some written state, with all such states."""
        joints: list[tuple[tuple[int, ...], Set]] = [((), self._states() & ~self.over)]
        for moves in self.legal:
            joints = [
                ((*joint, move), both)
                for (joint, where), (move, legal) in product(joints, enumerate(moves))
                if (both := where & legal).satisfiable()
            ]
            if len(joints) > MOST_JOINT:
                raise TooLargeError(
                    f"there are more than {MOST_JOINT:,} joint moves, too many for sets of states",
                    help="solve it as a table: gdl solve --way table",
                )
        return joints

    def _make_steps(self) -> list[Step]:
        circuit, left, right = self._circuit, self._circuit.aig.left, self._circuit.aig.right
        chosen = [edge >> 1 for edges in circuit.move_inputs for edge in edges]
        depends = set(chosen)
        gates = cone(circuit.aig, circuit.next, set(circuit.aig.inputs) | {0})
        for node in gates:
            if left[node] >> 1 in depends or right[node] >> 1 in depends:
                depends.add(node)
        self._of([2 * node for node in gates if node not in depends], self._set_of_node)
        moving = [node for node in gates if node in depends]
        parts: dict[tuple[Field, ...], list[tuple[Set, Set]]] = defaultdict(list)
        sets = dict(self._set_of_node)
        for joint, where in self._joint_moves():
            sets.update(dict.fromkeys(chosen, self.none))
            sets.update(
                (edges[move] >> 1, self._all)
                for edges, move in zip(circuit.move_inputs, joint, strict=True)
            )
            for node in moving:
                sets[node] = _edge(left[node], sets) & _edge(right[node], sets)
            changed, relation, unfit = [], where, self.none
            for field in self._fields:
                after = [_edge(circuit.next[member], sets) for member in field.members]
                if not any(
                    (where & (later ^ self._holds[member])).satisfiable()
                    for member, later in zip(field.members, after, strict=True)
                ):
                    continue  # it stays as it is wherever the move is legal
                changed.append(field)
                unfit |= where & self._misfit(field, after)
                for i in range(field.width):
                    bit = self._disj(
                        later for place, later in enumerate(after) if field.number(place) >> i & 1
                    )
                    relation &= ~(self._then[field.start + i] ^ bit)
            parts[tuple(changed)].append((relation, unfit))
        return [
            self._step(changed, [r for r, _ in moves], [u for _, u in moves])
            for changed, moves in parts.items()
        ]

    def _misfit(self, field: Field, after: Sequence[Set]) -> Set:
        """Return where more than one of a field's facts hold, or none of one that needs one."""
        any_of = several = self.none
        for later in after:
            several |= any_of & later
            any_of |= later
        return several | ~any_of if field.is_exact else several

    def _step(self, changed: Sequence[Field], relations: list[Set], unfit: list[Set]) -> Step:
        bits = [bit for f in changed for bit in range(f.start, f.start + f.width)]
        now, then = [self._now[bit] for bit in bits], [self._then[bit] for bit in bits]
        return Step(
            self._disj(relations),
            self._disj(unfit),
            self._conj(now),
            self._conj(then),
            BCDDFunction.make_substitution(zip([2 * bit + 1 for bit in bits], now, strict=True)),
            BCDDFunction.make_substitution(zip([2 * bit for bit in bits], then, strict=True)),
        )


def _edge(edge: Lit, sets: dict[int, Set]) -> Set:
    value = sets[edge >> 1]
    return ~value if edge & 1 else value


def _number_in(field: Field, held: frozenset[int]) -> int:
    """Return the number of a field in a state."""
    return next((field.number(p) for p, member in enumerate(field.members) if member in held), 0)


def _near_each_other(circuit: GameCircuit, packing: Packing) -> list[Field]:
    """Return the fields with their first bits in an order in which what belongs together is near.

    Near each other are those that the next value of a field, or a legal move, depends on. What
    depends on a great part of the board says nothing about it and is left out.
    """
    aig, fields = circuit.aig, packing.fields
    of = {
        circuit.fact_inputs[member] >> 1: number
        for number, field in enumerate(fields)
        for member in field.members
    }

    def group(edges: Sequence[Lit]) -> set[int]:
        nodes = {edge >> 1 for edge in edges}
        for gate in cone(aig, edges, {0, *aig.inputs}):
            nodes |= {aig.left[gate] >> 1, aig.right[gate] >> 1}
        return {of[node] for node in nodes if node in of}

    groups = [
        {number} | group([circuit.next[member] for member in field.members])
        for number, field in enumerate(fields)
    ]
    groups += [group([edge]) for edges in circuit.legal for edge in edges]
    most = max(NARROW, len(fields) // 3)
    start = 0
    placed = []
    for number in short_order(len(fields), [g for g in groups if 1 < len(g) <= most]):
        placed.append(replace(fields[number], start=start))
        start += fields[number].width
    return placed
