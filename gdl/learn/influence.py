"""How much groups of facts have to do with each other, read off the circuit of a game.

In: a circuit and groups of its facts. Out: a number for each two groups: lines, neighbours and
threats are what gates have in common. A gate speaks of few groups where it is a pattern, and of
many where patterns were added up, so a gate of p pairs of groups counts one in p squared for each,
and one of more than `WIDEST` groups for nothing.

Source: the graph of a circuit read as in Günther, Schiffel and Thielscher, "Factoring General
Games", 2009, with weights in place of yes and no.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.cone import live
from gdl.circuit.game import GameCircuit

WIDEST: Final = 8
"""Groups of a gate that still counts as a pattern."""


def influence(circuit: GameCircuit, groups: Sequence[Iterable[int]]) -> NDArray[np.float64]:
    """Return how much each two groups of facts have to do with each other.

    Args:
        circuit: The game.
        groups: Facts by index, each in one group at most.

    Returns:
        ``float64[groups, groups]``, symmetric, zero where no gate speaks of both. Cost O(gates).
    """
    aig = circuit.aig
    # Sets of groups are bits of integers, so that a gate costs one operation.
    sets: list[int] = [0] * len(aig)
    for number, facts in enumerate(groups):
        for fact in facts:
            sets[circuit.fact_inputs[fact] >> 1] |= 1 << number
    beside = np.zeros((len(groups), len(groups)))
    numbers: dict[int, int] = {}
    for node in live(aig, circuit.outputs()):
        sets[node] = sets[aig.left[node] >> 1] | sets[aig.right[node] >> 1]
        if 1 < sets[node].bit_count() <= WIDEST:
            numbers[sets[node]] = numbers.get(sets[node], 0) + 1
    for held, gates in numbers.items():
        members = [i for i in range(held.bit_length()) if held >> i & 1]
        pairs = list(combinations(members, 2))
        for left, right in pairs:
            beside[left, right] += gates / len(pairs) ** 2
            beside[right, left] += gates / len(pairs) ** 2
    return beside
