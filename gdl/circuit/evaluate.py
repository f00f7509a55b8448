"""What a circuit means: its edges, evaluated gate by gate.

In: a graph and values of some nodes. Out: values of edges. A value is a word, a bit for each
assignment: a Python integer, or an array of 64-bit words of numpy. So one pass evaluates as
many states as there are bits.

Source: Mishchenko, Chatterjee, Brayton, Een, "Improvements to Combinational Equivalence
Checking", ICCAD 2006 (bit-parallel simulation).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.cone import cone
from gdl.circuit.game import GameCircuit
from gdl.language.terms import Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Word = TypeVar("Word", int, "NDArray[np.uint64]")


class Evaluation(NamedTuple):
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
        KeyError: A fact that the circuit does not have.
        ValueError: A move that it does not have.
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


def fill(aig: Aig, gates: Iterable[int], values: MutableMapping[int, Word], ones: Word) -> None:
    """Enter the values of gates; those of all operands outside are there already.

    Args:
        aig: The graph.
        gates: And nodes, operands before users.
        values: Value of each node that is known; grows.
        ones: The word in which every bit in use is set. Where words are integers, no other bit
            of a value may be set.
    """
    lefts, rights = aig.left, aig.right
    for node in gates:
        left, right = lefts[node], rights[node]
        a, b = values[left >> 1], values[right >> 1]
        # One operation for the gate, one for each polarity that is not plain: "neither" is
        # the inverse of "or", and only that one must be cut to the bits in use.
        if left & 1:
            values[node] = (a | b) ^ ones if right & 1 else b & ~a
        else:
            values[node] = a & ~b if right & 1 else a & b


def evaluate_edges(
    aig: Aig, edges: Sequence[Lit], values: Mapping[int, Word], ones: Word
) -> list[Word]:
    """Return the values of edges. Cost O(gates between them and the known nodes).

    Args:
        aig: The graph.
        edges: What is asked.
        values: Value of each input that they depend on, or of nodes on the way; of node 0 where
            they depend on it.
        ones: As in `fill`.
    """
    value_of = dict(values)
    fill(aig, cone(aig, edges, value_of), value_of, ones)
    return [value_of[edge >> 1] ^ ones if edge & 1 else value_of[edge >> 1] for edge in edges]


def evaluate_nodes(aig: Aig, inputs: Mapping[int, int], *, mask: int) -> list[int]:
    """Return the value of every node.

    Args:
        aig: The graph.
        inputs: Value of each input node, an integer under ``mask``; 0 where it is missing.
        mask: All bits that are in use, for instance 2**64 - 1.
    """
    values = {0: 0, **dict.fromkeys(aig.inputs, 0), **inputs}
    fill(aig, aig.ands(), values, mask)
    return [values[node] for node in range(len(aig))]
