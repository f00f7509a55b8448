"""Moves from square to square as a square and a way: engines say so as often as they say two.

In: a move as words, of which the last four are two squares. Out: the same with its way in place of
the second square, as an arrow and how far, or as steps across and up; and the orders in which a
program may list the eight ways, or some of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Final, TypeAlias

from gdl.conform.matching.tokens import Reader, Word, Words, of_kif
from gdl.conform.source import EngineMove, Position, Source

Way: TypeAlias = tuple[int, int]
"""Across and up, each -1, 0 or 1."""

ROUND: Final = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
"""The eight ways around a square."""
ARROWS: Final = "←↖↑↗→↘↓↙"
"""The words for these."""
FEW_WAYS: Final = 4
"""Ways that may stand in any order."""
SQUARES: Final = 4
"""Words of two squares."""


def way(across: int, up: int) -> Way:
    """Return which way steps lead."""
    return (across > 0) - (across < 0), (up > 0) - (up < 0)


def lists(ways: Sequence[Way]) -> Iterator[tuple[Way, ...]]:
    """Yield orders of ways: row by row, around, of four in any order."""
    orders: dict[tuple[Way, ...], None] = {}
    for across, up in product((1, -1), repeat=2):
        rows = sorted((up * way[1], across * way[0], way) for way in ways)
        columns = sorted((across * way[0], up * way[1], way) for way in ways)
        orders |= dict.fromkeys(tuple(way for _, _, way in listed) for listed in (rows, columns))
    for start, step in product(range(len(ROUND)), (1, -1)):
        around = [ROUND[(start + step * n) % len(ROUND)] for n in range(len(ROUND))]
        orders[tuple(way for way in around if way in ways)] = None
    if len(ways) <= FEW_WAYS:
        orders |= dict.fromkeys(permutations(ways))
    yield from orders


def ranked(words: Sequence[Word]) -> Iterator[tuple[int, ...]]:
    """Yield for each list of some ways the place of each of their arrows; nothing for others."""
    if not all(isinstance(word, str) and word in ARROWS for word in words):
        return
    ways = [ROUND[ARROWS.index(str(word))] for word in words]
    for listed in lists(ways):
        yield tuple(map(listed.index, ways))


def _apart(row: Words) -> tuple[int, int] | None:
    """Return how far the squares at the end of a row are apart; None where there are not two."""
    squares = row[-SQUARES:]
    if len(row) <= SQUARES:
        return None
    places = [ord(word) if isinstance(word, str) and len(word) == 1 else word for word in squares]
    kinds = [type(word) for word in squares]
    if kinds[:2] != kinds[2:] or not all(isinstance(place, int) for place in places):
        return None
    column, row_, column2, row2 = map(int, places)
    return column2 - column, row2 - row_


def of_ways(source: Source, position: Position, role: int, move: EngineMove) -> Words:
    """Read a move as where it begins, an arrow, and how far."""
    row = of_kif(source, position, role, move)
    apart = _apart(row)
    if apart is None or apart == (0, 0):
        return row
    return *row[:-2], ARROWS[ROUND.index(way(*apart))], max(map(abs, apart))


def of_steps(source: Source, position: Position, role: int, move: EngineMove) -> Words:
    """Read a move as where it begins, and how far it leads across and up."""
    row = of_kif(source, position, role, move)
    apart = _apart(row)
    return row if apart is None else (*row[:-2], *apart)


def of_steps_seen(source: Source, position: Position, role: int, move: EngineMove) -> Words:
    """Read a move so, as who moves sees it: the second player sits opposite."""
    row = of_kif(source, position, role, move)
    apart = _apart(row)
    sign = -1 if role % 2 else 1
    return row if apart is None else (*row[:-2], *(sign * steps for steps in apart))


def of_middle(row: Words) -> Words:
    """Return two places as the one between them: a line from one dot to the next is where it is.

    What is no two places stays as it is. The coordinates count in halves of a step.
    """
    width = len(row) // 2
    words = row[-2 * width :] if width else ()
    ranks = [ord(word) if isinstance(word, str) and len(word) == 1 else word for word in words]
    pairs = list(zip(ranks[:width], ranks[width:], strict=True))
    if len(row) % 2 or not pairs or not all(isinstance(n, int) for pair in pairs for n in pair):
        return row
    return tuple(int(left) + int(right) for left, right in pairs)


READERS: Final[tuple[tuple[str, Reader], ...]] = (
    ("squares and ways", of_ways),
    ("squares and steps", of_steps),
    ("squares and steps as the mover sees them", of_steps_seen),
)
