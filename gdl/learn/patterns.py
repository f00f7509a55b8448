"""Which groups of facts decide together how a game ends: four in a row, a king that is gone.

In: a circuit, groups of its facts, states in which plays ended. Out: small sets of groups. In each
of these states facts are taken away one by one, in a drawn order, as long as the goal that is given
stays; what is left is one reason for it, of which nothing can be missed. So four in a row are four
squares, whatever the rules call them and however the circuit shares its gates. Where an end has no
small reason (a majority, a player that cannot move) there is nothing to find.

A state from which facts were taken need not be one that play leads to, and what the circuit says of
others is not specified: a reason is a hint, no proof.

Source: Quine, "A Way to Simplify Truth Functions", 1955 (an implicant reduced to a prime one), for
one sampled end at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import Lit
from gdl.circuit.cone import cone, support
from gdl.circuit.evaluate import fill
from gdl.circuit.game import GameCircuit
from gdl.learn.influence import WIDEST

ORDERS: Final = 8
"""Orders in which facts are taken away, at most."""
MOST_WORK: Final = 1 << 23
"""Gates that are evaluated, each for all ends at once: about a second."""


def patterns(
    circuit: GameCircuit, groups: Sequence[Iterable[int]], ends: NDArray[np.bool_]
) -> list[frozenset[int]]:
    """Return the sets of two to `WIDEST` groups that decided ends, the most frequent first.

    Args:
        circuit: The game.
        groups: Facts by index, each in one group.
        ends: States in which the game is over, ``bool[states, facts]``.

    Returns:
        Sets of groups by number. Cost O(facts * gates) for each goal value, `MOST_WORK` at most;
        of a circuit so large that a single order would cost more there are none.
    """
    owner = {fact: number for number, facts in enumerate(groups) for fact in facts}
    goals = [edge for pairs in circuit.goals for _, edge in pairs]
    counts: Counter[frozenset[int]] = Counter()
    rng = np.random.default_rng(0)
    for goal in goals:
        for reason in _reasons(circuit, goal, ends, MOST_WORK // len(goals), rng):
            counts[frozenset(owner[fact] for fact in reason)] += 1
    ordered = sorted(counts, key=lambda members: (-counts[members], sorted(members)))
    return [members for members in ordered if 1 < len(members) <= WIDEST]


def _reasons(
    circuit: GameCircuit,
    goal: Lit,
    ends: NDArray[np.bool_],
    most_work: int,
    rng: np.random.Generator,
) -> Iterator[list[int]]:
    """Yield, for ends in which a goal is given, facts that give it and of which none is missed."""
    aig, count = circuit.aig, len(ends)
    gates, inputs = cone(aig, [goal]), support(aig, [goal])
    facts = [fact for fact, edge in enumerate(circuit.fact_inputs) if edge >> 1 in inputs]
    orders = min(ORDERS, most_work // max(1, len(facts) * len(gates)))
    # One whole number a fact, a bit for each end.
    node_of = {fact: circuit.fact_inputs[fact] >> 1 for fact in facts}
    ones = (1 << count) - 1
    held = np.packbits(ends, axis=0, bitorder="little").T

    def given(values: dict[int, int]) -> int:
        words = dict(values)
        fill(aig, gates, words, ones)
        return words[goal >> 1] ^ (ones if goal & 1 else 0)

    for _ in range(orders):
        values = {0: 0}
        values |= {node_of[f]: int.from_bytes(held[f].tobytes(), "little") for f in facts}
        started = given(values)
        for fact in rng.permutation(facts).tolist():
            before = values[node_of[fact]]
            values[node_of[fact]] = 0
            # In ends that are without the goal now it is put back.
            values[node_of[fact]] = before & ~given(values)
        for place in range(count):
            if started >> place & 1:
                yield [fact for fact in facts if values[node_of[fact]] >> place & 1]
