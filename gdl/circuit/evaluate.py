"""The plain meaning of a circuit, for tests and proofs: evaluate it gate by gate.

In: a circuit and what holds. Out: the truth of edges. Every input is a Python integer,
so one pass evaluates as many states as the integers have bits.

Source: ours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.game import GameCircuit
from gdl.language.terms import Term


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a circuit says of one state and joint move.

    Attributes:
        legal: For each role, its legal moves.
        next: Facts of the state after the joint move; meaningless without one.
        terminal: Whether the game is over.
        goals: For each role, all values that the rules give.
        sees: For each role, its percepts of the joint move.
    """

    legal: tuple[tuple[Term, ...], ...]
    next: frozenset[Term]
    terminal: bool
    goals: tuple[tuple[int, ...], ...]
    sees: tuple[frozenset[Term], ...]


def evaluate(
    circuit: GameCircuit, facts: Collection[Term], joint_move: Sequence[Term] | None = None
) -> Evaluation:
    """Return what holds in a state and follows a joint move. Cost O(nodes).

    Args:
        circuit: The game.
        facts: What is true; all must be among the circuit's facts.
        joint_move: One move a role, in role order; None when only the state is asked about.

    Raises:
        KeyError: A fact or move that the circuit does not have.
    """
    held = set(facts)
    unknown = held.difference(circuit.facts)
    if unknown:
        raise KeyError(f"no such fact in the circuit: {min(unknown)}")
    inputs = {
        edge >> 1: int(fact in held)
        for fact, edge in zip(circuit.facts, circuit.fact_inputs, strict=True)
    }
    for role, (moves, edges) in enumerate(zip(circuit.moves, circuit.move_inputs, strict=True)):
        chosen = None if joint_move is None else moves.index(joint_move[role])
        inputs.update((edge >> 1, int(index == chosen)) for index, edge in enumerate(edges))
    values = evaluate_nodes(circuit.aig, inputs, mask=1)

    def holds(edge: Lit) -> bool:
        return bool(values[edge >> 1] ^ (edge & 1))

    def true_names(names: Iterable[Term], edges: Iterable[Lit]) -> tuple[Term, ...]:
        return tuple(name for name, edge in zip(names, edges, strict=True) if holds(edge))

    return Evaluation(
        legal=tuple(map(true_names, circuit.moves, circuit.legal)),
        next=frozenset(true_names(circuit.facts, circuit.next)),
        terminal=holds(circuit.terminal),
        goals=tuple(tuple(v for v, edge in pairs if holds(edge)) for pairs in circuit.goals),
        sees=tuple(frozenset(p for p, edge in pairs if holds(edge)) for pairs in circuit.sees),
    )


def evaluate_nodes(aig: Aig, inputs: Mapping[int, int], *, mask: int) -> list[int]:
    """Return the value of every node, bit by bit.

    Args:
        aig: The graph.
        inputs: Value of each input node, an integer under ``mask``; 0 where it is missing.
        mask: All bits that are in use, for instance 2**64 - 1.
    """
    values: list[int] = []
    for node, (left, right) in enumerate(zip(aig.left, aig.right, strict=True)):
        if left < 0:
            values.append(inputs.get(node, 0))
            continue
        one = values[left >> 1] ^ mask if left & 1 else values[left >> 1]
        other = values[right >> 1] ^ mask if right & 1 else values[right >> 1]
        values.append(one & other)
    return values
