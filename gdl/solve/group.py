"""How renamings of facts act on keys: the group that they generate, and the least key of an orbit.

In: where the fields of a key lie and renamings that take fields to fields. Out: an `Action`, which
takes a key to the least one that a renaming of the group makes of it. That one stands for all of
its orbit, in tables and while a game is solved; that a game is the same under a renaming was proved
elsewhere (`gdl.solve.symmetry`).

Source: Emerson, Sistla, "Symmetry and Model Checking", Formal Methods in System Design 1996
(quotients by automorphisms); Korf, Zhang, "Divide-and-Conquer Frontier Search", 2000, and Schaeffer
et al. for least forms in tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_ELEMENTS: Final = 128
"""Renamings that are tried for the least key; a larger group is cut down to a part of it."""
CHUNK: Final = 8
LONG_CHUNK: Final = 11
FEW: Final = 4
"""Bits of a key that are looked up at once, where no field is longer; the long form where there are
few elements, so that tables stay in the cache nearest to the processor."""
WORD: Final = 64

Renaming = tuple[int, ...]
"""The image of each member, these being numbered through all fields in order."""


class Place(NamedTuple):
    """A field of a key.

    Attributes:
        start: Its lowest bit.
        is_exact: Whether one of its members always holds; else number 0 stands for none.
        size: How many members it has.
    """

    start: int
    is_exact: bool
    size: int

    @property
    def width(self) -> int:
        """Its bits."""
        return (self.size - self.is_exact).bit_length()


def generated(generators: Iterable[Renaming], size: int, most: int) -> list[Renaming] | None:
    """Return all products of renamings, that of none first; None where there are more than most.

    Cost O(elements * generators * size).
    """
    identity = tuple(range(size))
    elements = {identity: None}
    fresh = [identity]
    rules = list(generators)
    while fresh:
        products = []
        for left in fresh:
            for right in rules:
                product = tuple(right[image] for image in left)
                if product not in elements:
                    elements[product] = None
                    products.append(product)
                    if len(elements) > most:
                        return None
        fresh = products
    # The identity comes first, the others in an order that does not depend on how they were found.
    return [identity, *sorted(element for element in elements if element != identity)]


def tractable(generators: Sequence[Renaming], size: int) -> list[Renaming]:
    """Return those generators, from the first on, whose group has `MOST_ELEMENTS` at most."""
    kept: list[Renaming] = []
    for generator in generators:
        if generated([*kept, generator], size, MOST_ELEMENTS) is not None:
            kept.append(generator)
    return kept


def keeps_fields(renaming: Renaming, places: Sequence[Place]) -> bool:
    """Return whether a renaming takes each field to a field of its size and kind."""
    field_of = [i for i, place in enumerate(places) for _ in range(place.size)]
    member = 0
    for place in places:
        images = {field_of[renaming[member + i]] for i in range(place.size)}
        member += place.size
        if len(images) > 1:
            return False
        image = places[images.pop()]
        if (image.is_exact, image.size) != (place.is_exact, place.size):
            return False
    return sorted(renaming) == list(range(len(renaming)))


class Action:
    """A group of renamings as it acts on keys.

    Attributes:
        generators: Renamings of which all others are products.
        elements: The renamings, that of nothing first.
        chunks: Word, shift, mask and first row of each part that is looked up, ``int64[C, 4]``.
        tables: What each renaming makes of each value of each chunk, ``uint64[G, rows, words]``;
            the image of a key is the disjunction of its chunks' images.
    """

    def __init__(self, places: Sequence[Place], words: int, generators: Sequence[Renaming]) -> None:
        """Make the tables.

        Args:
            places: The fields, by rising start; none lies across two words.
            words: Words of a key.
            generators: Renamings that keep fields and generate `MOST_ELEMENTS` at most.
        """
        size = sum(place.size for place in places)
        elements = generated(generators, size, MOST_ELEMENTS)
        assert elements is not None, "the group is too large"
        self.generators = tuple(generators)
        assert all(keeps_fields(generator, places) for generator in generators)
        self.elements = elements
        self._places = [place for place in places if place.width]
        self._chunk = LONG_CHUNK if len(elements) <= FEW else CHUNK
        rows, chunks, parts = 0, [], []
        for fields in self._runs():
            first = fields[0].start
            width = fields[-1].start + fields[-1].width - first
            chunks.append((first // WORD, first % WORD, (1 << width) - 1, rows))
            parts.append((first, width, fields))
            rows += 1 << width
        self.chunks: NDArray[np.int64] = np.array(chunks, np.int64).reshape(-1, 4)
        self.tables = np.zeros((len(elements), rows, words), np.uint64)
        for element, table in zip(elements, self.tables, strict=True):
            images = _images(places, element, words)
            for (_, _, _, row), (first, width, fields) in zip(chunks, parts, strict=True):
                values = np.arange(1 << width)
                for field in fields:
                    numbers = values >> (field.start - first) & ((1 << field.width) - 1)
                    table[row : row + len(values)] |= images[field.start][numbers]

    def _runs(self) -> list[list[Place]]:
        """Return neighbouring fields that are looked up together."""
        runs: list[list[Place]] = []
        for place in self._places:
            first = runs[-1][0].start if runs else 0
            is_near = place.start // WORD == first // WORD
            if runs and is_near and place.start + place.width - first <= self._chunk:
                runs[-1].append(place)
            else:
                runs.append([place])
        return runs

    @cached_property
    def _rows(self) -> tuple[list[tuple[int, int]], list[list[list[int]]]]:
        """Where each chunk lies in a whole key, and its images as whole keys, for `least`."""
        stops = [*self.chunks[1:, 3].tolist(), self.tables.shape[1]]
        where = [(WORD * word + shift, mask) for word, shift, mask, _ in self.chunks.tolist()]
        whole = [
            [
                [sum(word << WORD * i for i, word in enumerate(row)) for row in table[start:stop]]
                for start, stop in zip(self.chunks[:, 3].tolist(), stops, strict=True)
            ]
            for table in self.tables[1:].tolist()
        ]
        return where, whole

    def least(self, key: int) -> int:
        """Return the least key of an orbit. Cost O(elements * chunks)."""
        where, whole = self._rows
        values = [key >> start & mask for start, mask in where]
        best = key
        for images in whole:
            image = 0
            for table, value in zip(images, values, strict=True):
                image |= table[value]
            best = min(best, image)
        return best


def _images(
    places: Sequence[Place], element: Renaming, words: int
) -> dict[int, NDArray[np.uint64]]:
    """Return, for each field by its start, what each of its numbers becomes: rows of words."""
    target = [(place, i) for place in places for i in range(place.size)]
    images: dict[int, NDArray[np.uint64]] = {}
    member = 0
    for place in places:
        row = np.zeros((1 << place.width, words), np.uint64)
        for i in range(place.size):
            image, number = target[element[member + i]]
            word, shift = divmod(image.start, WORD)
            if place.width:
                row[i + (not place.is_exact), word] = (number + (not image.is_exact)) << shift
        images[place.start] = row if place.width else images.get(place.start, row)
        member += place.size
    return images
