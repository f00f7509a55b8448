"""Random state from a seed, the same wherever it is asked for.

In go whole numbers, out come words of 64 bits, as `numpy.random.SeedSequence` gives them,
whose loading takes longer than that of a whole game.

Source: O'Neill, "Developing a seed_seq Alternative", 2015, as in numpy 1.17 and later.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Final

from gdl.language.preconditions import ArgumentError

POOL: Final = 4
"""Words of 32 bits that entropy is mixed into."""
MASK: Final = 0xFFFF_FFFF
START_MIX: Final = 0x43B0_D7E5
STEP_MIX: Final = 0x931E_8875
START_DRAW: Final = 0x8B51_F9DD
STEP_DRAW: Final = 0x58F3_8DED
LEFT: Final = 0xCA01_F9DD
RIGHT: Final = 0x4973_F715
SHIFT: Final = 16


class _Hash:
    """Hashes one word after the other, each with another constant."""

    def __init__(self, start: int, step: int) -> None:
        self._constant, self._step = start, step

    def __call__(self, word: int) -> int:
        word ^= self._constant
        self._constant = self._constant * self._step & MASK
        word = word * self._constant & MASK
        return word ^ word >> SHIFT


def random_words(entropy: tuple[int, ...], count: int) -> list[int]:
    """Return so many words of 64 bits that depend on all of some whole numbers.

    Raises:
        ValueError: A negative number.
    """
    words = [word for number in entropy for word in _split(number)]
    mixing = _Hash(START_MIX, STEP_MIX)
    pool = [mixing(word) for word in (words + [0] * POOL)[:POOL]]
    for source in range(POOL):
        for to in range(POOL):
            if to != source:
                pool[to] = _mix(pool[to], mixing(pool[source]))
    for word in words[POOL:]:
        for to in range(POOL):
            pool[to] = _mix(pool[to], mixing(word))
    drawing = _Hash(START_DRAW, STEP_DRAW)
    drawn = map(drawing, islice(cycle(pool), 2 * count))
    return [low | high << 32 for low, high in zip(drawn, drawn, strict=True)]


def _split(number: int) -> Iterator[int]:
    if number < 0:
        raise ArgumentError("a seed", number, "at least 0")
    yield number & MASK
    while number := number >> 32:
        yield number & MASK


def _mix(a: int, b: int) -> int:
    word = (LEFT * a - RIGHT * b) & MASK
    return word ^ word >> SHIFT
