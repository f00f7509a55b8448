"""The symmetries of a compiled game as permutations of all its facts and of the moves of each role.

In: a circuit. Out: `Elements`: those that `gdl.solve.symmetry` proved and all their products, that
of changing nothing first. Roles stay who they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.game import GameCircuit
from gdl.native.kernel.packed import place_fields
from gdl.solve.group import MOST_ELEMENTS, Renaming, generated
from gdl.solve.packing import proved_groups
from gdl.solve.symmetry import find_symmetries


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """Symmetries of a game, K of them.

    Attributes:
        facts: The image of each fact, ``int32[K, facts]``.
        moves: For each role the image of each move, ``int32[K, moves]``.
        note: Why there are fewer than there may be; empty where nothing is to be said.
    """

    facts: NDArray[np.int32]
    moves: tuple[NDArray[np.int32], ...]
    note: str


def find_elements(circuit: GameCircuit) -> Elements:
    """Return the symmetries of a game. Cost: up to 25 seconds of the processor."""
    packing = place_fields(proved_groups(circuit))
    automorphisms = find_symmetries(circuit, packing)
    stored = [fact for field in packing.fields for fact in field.members]
    whole = [
        _in_order(stored, facts, moves)
        for facts, moves in zip(automorphisms.generators, automorphisms.moves, strict=True)
    ]
    counts = [len(stored), *map(len, circuit.moves)]
    group = generated(whole, sum(counts), MOST_ELEMENTS) or [tuple(range(sum(counts)))]
    starts = np.cumsum(counts)[:-1]
    facts, *moves = np.split(np.array(group, np.int32), starts, axis=1)
    rows = tuple(row - start for row, start in zip(moves, starts, strict=True))
    return Elements(facts, rows, automorphisms.note)


def _in_order(stored: Sequence[int], facts: Renaming, moves: Sequence[Sequence[int]]) -> Renaming:
    """Return a renaming of facts by their numbers, then of the moves of each role."""
    images = [0] * len(stored)
    for i, image in enumerate(facts):
        images[stored[i]] = stored[image]
    for row in moves:
        first = len(images)
        images += [first + image for image in row]
    return tuple(images)
