"""Symmetries of the rules, as permutations of what is seen and of moves, for a learner's data.

In: a `MarkovGame`. Out: `Symmetries`. They are found and proved by `gdl.solve.elements` for all
states that play reaches, roles staying who they are. Of these are left out what observations or the
one table of moves cannot say: planes show some facts only together, and roles share their moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.adapters.markov_game import MarkovGame
from gdl.boards.planes import Planes
from gdl.circuit.game import GameCircuit
from gdl.solve.elements import find_elements

Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Symmetries:
    """The symmetries of a game, that of changing nothing first.

    Of symmetry k the image of what is seen is ``observations.reshape(B, -1)[:, places[k]]``, in the
    shape of before, and what was a policy or a mask there is ``policies[:, moves[k]]``.

    Attributes:
        places: For each place of an observation laid flat whence it comes, ``intp[K, size]``.
        moves: For each move of the table the move that it comes from, ``intp[K, moves]``.
        note: Why there are fewer than there may be; empty where nothing is to be said.
    """

    places: Numbers
    moves: Numbers
    note: str

    def __len__(self) -> int:
        """Return how many there are, at least 1."""
        return len(self.moves)


def symmetries(played: MarkovGame, turned: Iterable[Numbers] = ()) -> Symmetries:
    """Return the symmetries of a game that runs as machine code.

    Args:
        played: The game.
        turned: Where what is seen is turned to players: for each which fact stands where. A
            symmetry that it matters to who looks is left out.
    """
    native = played.game.back_end.native
    assert native is not None
    circuit = native.circuit
    elements = find_elements(circuit)
    numbers = [circuit.facts.index(fact) for fact in played.planes.facts]
    back = {fact: i for i, fact in enumerate(numbers)}
    views = list(turned)
    pairs, lost = [], 0
    for k, element in enumerate(elements.facts):
        facts = np.array([back[int(element[fact])] for fact in numbers], np.intp)
        is_turned = all(np.array_equal(facts[view], view[facts]) for view in views)
        places = _places(played.planes, facts) if is_turned else None
        moves = _moves(played, circuit, [row[k] for row in elements.moves])
        if places is None or moves is None:
            lost += 1
        else:
            pairs.append((places, moves))
    many = len(elements.facts)
    said = f"{lost} of {many} symmetries are none of what is seen, or of the table of moves"
    note = "; ".join(filter(None, (elements.note, said if lost else "")))
    return Symmetries(np.array([p for p, _ in pairs]), np.array([m for _, m in pairs]), note)


def _places(planes: Planes, facts: Numbers) -> Numbers | None:
    """Return whence each place comes under a renaming of facts; None where that cannot be said."""
    sources, flips = planes.sources
    alike: dict[tuple[frozenset[int], int], list[int]] = {}
    for place, (held, flip) in enumerate(zip(sources, flips, strict=True)):
        alike.setdefault((frozenset(held), flip), []).append(place)
    result = np.zeros(len(sources), np.intp)
    for (before, flip), came in alike.items():
        image = alike.get((frozenset(int(facts[fact]) for fact in before), flip), [])
        if len(image) != len(came):
            return None
        result[image] = came
    return result


def _moves(
    played: MarkovGame, circuit: GameCircuit, images: Sequence[NDArray[np.int32]]
) -> Numbers | None:
    """Return whence each move of the table comes; None where roles do not agree."""
    numbers = played.table.numbers
    result = np.arange(len(numbers))
    image_of: dict[int, int] = {}
    for row, image in zip(circuit.moves, images, strict=True):
        for i, move in enumerate(row):
            if move in numbers:
                to = numbers.get(row[image[i]], -1)
                if to < 0 or image_of.setdefault(numbers[move], to) != to:
                    return None
    result[list(image_of.values())] = list(image_of)
    return result
