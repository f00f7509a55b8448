"""What a learner sees: one-hot planes of the board, or, without a picture, of the facts.

In: the facts that a game can have, and its picture if there is one. Out: `Planes`, which
turns rows of facts into arrays:

- with a picture ``int8[planes, rows, columns]``: one plane for empty cells, one a mark, then
  the facts that are no marks (whose turn it is), a plane filled with ones or zeros each; where
  there are many they lie side by side, a cell each, so that a counter costs one plane;
- without one ``int8[facts + 1]``, a number a fact; the last is always 1.

Source: planes after Silver et al., "Mastering the game of Go with deep neural networks and
tree search", Nature 2016; all else ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from gdl.language.syntax import Term, kif_text
from gdl.view.mark import Mark
from gdl.view.picture import Picture
from gdl.view.plan import plan
from gdl.view.scene import place

if TYPE_CHECKING:
    from gdl.native.code.gather import Gather

MOST_FILLED: Final = 16
"""Facts beside the board that get a plane each; of more than that each gets a cell."""
EMPTY: Final = "(empty)"
ALWAYS: Final = "(always)"


@dataclass(frozen=True, slots=True)
class _Layer:
    """Facts that are copied at once: no two to the same place.

    Attributes:
        facts: Their numbers.
        places: Where they go, in the array laid flat.
    """

    facts: NDArray[np.intp]
    places: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Planes:
    """The way from facts to an array.

    Attributes:
        shape: Of one observation: ``(planes, rows, columns)`` or ``(facts + 1,)``.
        labels: What each plane stands for; without a picture, what each number stands for.
        facts: The facts that are taken, in the order of the columns of `encode`.
        numbers: Their numbers.
    """

    shape: tuple[int, ...]
    labels: tuple[str, ...]
    facts: tuple[Term, ...]
    numbers: dict[Term, int]
    _marks: int
    _layers: tuple[_Layer, ...]
    _filled: NDArray[np.intp]

    def encode(self, held: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Return observations of states.

        Args:
            held: What is true in each, ``bool[B, facts]``.

        Returns:
            ``int8[B, *shape]``, zeros and ones, a new array; in memory the rows lie innermost, as
            they do in `gdl.native.kernel.batch`. Cost O(B * (facts + size)).
        """
        count = len(held)
        out = np.zeros((int(np.prod(self.shape)), count), np.int8)
        bits = held.T.view(np.int8)
        for layer in self._layers:
            out[layer.places] |= bits[layer.facts]
        if len(self.shape) == 1:
            out[-1] = 1
            return out.T
        grid = out.reshape(*self.shape, count)
        for marks in grid[1 : self._marks]:
            grid[0] |= marks
        grid[0] ^= 1
        if len(self._filled):
            grid[self._marks :] = bits[self._filled, None, None]
        return np.moveaxis(grid, -1, 0)

    @cached_property
    def encode_packed(self) -> Gather:
        """What makes of one packed state (a bit a fact) the same as `encode`, in machine code.

        It takes bytes, the first fact at the highest bit of the first, and returns a new
        ``int8[*shape]``. Cost O(facts + size), some nanoseconds for each cell.
        """
        from gdl.native.code.gather import Gather

        return Gather(self.shape, *self.sources)

    @cached_property
    def sources(self) -> tuple[list[list[int]], list[int]]:
        """For each place of the array laid flat the facts of which one makes it 1, and its flips.

        Where the flip is 1 the place is 0 if one of them holds, and 1 if none does.
        """
        sources: list[list[int]] = [[] for _ in range(int(np.prod(self.shape)))]
        flips = [0] * len(sources)
        for layer in self._layers:
            for fact, at in zip(layer.facts.tolist(), layer.places.tolist(), strict=True):
                sources[at].append(fact)
        if len(self.shape) == 1:
            flips[-1] = 1
            return sources, flips
        cells = self.shape[1] * self.shape[2]
        for cell in range(cells):
            for marks in range(1, self._marks):
                sources[cell] += sources[marks * cells + cell]
            flips[cell] = 1
        for plane, fact in enumerate(self._filled.tolist(), self._marks):
            sources[plane * cells : (plane + 1) * cells] = [[fact]] * cells
        return sources, flips


def planes_of(picture: Picture | None, facts: Sequence[Term]) -> Planes:
    """Return the planes of a game: of its board, if there is a picture with rows and columns."""
    if picture is None or picture.grid is None:
        return flat_planes(facts)
    return board_planes(picture, facts)


def flat_planes(facts: Sequence[Term]) -> Planes:
    """Return planes without a board: a number a fact, and one that is always 1."""
    labels = (*map(kif_text, facts), ALWAYS)
    layer = _Layer(np.arange(len(facts)), np.arange(len(facts)))
    none = np.empty(0, np.intp)
    return Planes((len(labels),), labels, tuple(facts), _numbered(facts), 0, (layer,), none)


def board_planes(picture: Picture, facts: Sequence[Term]) -> Planes:
    """Return the planes of the first board of a picture, which has rows and columns."""
    assert picture.grid is not None
    height, width = len(picture.grid.rows), len(picture.grid.columns)
    marks = list(dict.fromkeys(mark.name for mark in picture.marks))
    placed: list[tuple[int, str, int]] = []
    others: list[int] = []
    for number, fact in enumerate(facts):
        cell_mark = _cell(picture, fact)
        if cell_mark is None:
            others.append(number)
        elif (mark := cell_mark[0].name) not in picture.blank:
            placed.append((number, mark, cell_mark[1]))
            marks += [] if mark in marks else [mark]
    first = 1 + len(marks)
    numbers = [number for number, _, _ in placed]
    places = [(1 + marks.index(mark)) * height * width + cell for _, mark, cell in placed]
    labels = [EMPTY, *marks]
    filled = others if len(others) <= MOST_FILLED else []
    if filled:
        labels += (kif_text(facts[number]) for number in others)
    else:
        numbers += others
        places += (first * height * width + i for i in range(len(others)))
        more = -(-len(others) // (height * width))
        labels += (f"(facts {i + 1})" for i in range(more))
    return Planes(
        (len(labels), height, width),
        tuple(labels),
        tuple(facts),
        _numbered(facts),
        first,
        _layers(numbers, places),
        np.array(filled, np.intp),
    )


def _cell(picture: Picture, fact: Term) -> tuple[Mark, int] | None:
    """Return the mark that a fact puts on the first board and its cell; None for other facts.

    What stands beside a cell, or says more than a mark, is one of the other facts.
    """
    placed, links, rest = place(picture, (fact,))
    if rest or links or picture.grid is None:
        return None
    if not placed:
        return Mark(next(iter(picture.blank)), "", "", ""), 0  # a fact that says: empty
    ((number, (piece, *_)),) = list(placed.items())[:1]
    site = plan(picture).sites[number]
    is_cell = len(placed) == 1 and number in plan(picture).panels[0].numbers
    if not is_cell or site.row is None or site.column is None:
        return None
    if piece.mark is None or piece.count or piece.turn is not None:
        return None
    return piece.mark, site.row * len(picture.grid.columns) + site.column


def _layers(numbers: Sequence[int], places: Sequence[int]) -> tuple[_Layer, ...]:
    """Return the facts in layers, each with no place twice."""
    layers: list[tuple[list[int], list[int], set[int]]] = []
    for number, where in zip(numbers, places, strict=True):
        layer = next((begun for begun in layers if where not in begun[2]), None)
        if layer is None:
            layer = ([], [], set())
            layers.append(layer)
        layer[0].append(number)
        layer[1].append(where)
        layer[2].add(where)
    return tuple(_Layer(np.array(facts, np.intp), np.array(at, np.intp)) for facts, at, _ in layers)


def _numbered(facts: Sequence[Term]) -> dict[Term, int]:
    return {fact: number for number, fact in enumerate(facts)}
