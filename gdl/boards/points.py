"""Boards whose sites have one name each: ``a1``, ``12``, points of a graph, a row of things.

In: kinds of facts. Out: a picture of points, or None.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

from gdl.boards.kinds import Kind
from gdl.boards.orders import in_row
from gdl.boards.samples import Samples
from gdl.language.terms import Constant, Term, kif_text
from gdl.view.picture import Spot

NAMED: Final = re.compile(r"(?:[a-z]*?)([a-z]|\d+)[_,.-]?(\d+)", re.IGNORECASE)
LEAST: Final = 3
MOST: Final = 300
WIDE: Final = 10
"""Sites in a row where nothing says how they stand."""
APART: Final = 1.3
"""From site to site."""
LEAST_NAMED: Final = 0.4
"""Part of a rectangle that sites with the names of its cells fill."""
GAP: Final = 0.5
"""Between boards of a board."""


@dataclass(frozen=True, slots=True)
class Sites:
    """Sites of which a kind of facts tells.

    Attributes:
        kind: The facts.
        columns: Those of its columns that name a site together.
        spots: Where the sites are; the name of one is the values of its columns.
    """

    kind: Kind
    columns: tuple[int, ...]
    spots: tuple[Spot, ...]


def sites(of_facts: Sequence[Kind], moves: Sequence[Kind], seen: Samples) -> Sites | None:
    """Return the sites of the kind of facts that names most of them, None where none does."""
    candidates = [
        Sites(kind, columns, spots)
        for kind in of_facts
        if max(map(len, kind.tables)) >= LEAST
        for columns, spots in (*_single(kind, moves, seen), *_blocks(kind, seen))
    ]
    return max(candidates, key=lambda candidate: len(candidate.spots), default=None)


def _single(
    kind: Kind, moves: Sequence[Kind], seen: Samples
) -> Iterator[tuple[tuple[int, ...], tuple[Spot, ...]]]:
    for number in range(kind.width):
        values = kind.values(number)
        if LEAST <= len(values) <= MOST and kind.is_key((number,)):
            is_named = any(move.values(n) <= values for move in moves for n in range(move.width))
            if spots := _spots(values, seen, is_named=is_named):
                yield (number,), spots


def _blocks(kind: Kind, seen: Samples) -> Iterator[tuple[tuple[int, ...], tuple[Spot, ...]]]:
    """Yield boards of boards: three columns are a block, column and row, four a block by two."""
    in_rows = kind.in_rows(seen.steps)
    for size in (3, 4):
        for columns in combinations(in_rows, size):
            named = set().union(*kind.cells(columns))
            area = math.prod(len(in_rows[n]) for n in columns)
            if not LEAST <= len(named) <= MOST or len(named) < area / 4:
                continue
            if not kind.is_key(columns):  # a site holds one thing
                continue
            spots = []
            *blocks, down, across = (in_rows[n] for n in columns)
            # Blocks of one number stand in a square, those of two in rows and columns.
            wide = math.ceil(math.sqrt(len(blocks[0])))
            for name in product(*blocks, down, across):
                index = [values.index(value) for values, value in zip(blocks, name, strict=False)]
                block = divmod(index[0], wide) if len(index) == 1 else index
                x = block[1] * (len(across) + GAP) + across.index(name[-1])
                y = block[0] * (len(down) + GAP) + down.index(name[-2])
                text = " ".join(map(kif_text, name))
                spots.append(Spot(text, text, (x, y)))
            yield columns, tuple(spots)


def _spots(values: set[Constant], seen: Samples, *, is_named: bool) -> tuple[Spot, ...]:
    """Return where sites stand: as their names say, in a row, or on a circle.

    Those of which nothing says an order stand in one of their names, where moves name them.
    """
    places = _as_named(values)
    if not places and (row := in_row(values, seen.steps)) is not None:
        places = {value: (index * APART, 0.0) for index, value in enumerate(row)}
    if not places and lines_between(values, seen):
        places = _circle(sorted(values, key=_natural))
    if not places and is_named:
        for index, value in enumerate(sorted(values, key=_natural)):
            places[value] = (index % WIDE * APART, index // WIDE * (APART + 0.3))
    return tuple(
        Spot(kif_text(value), kif_text(value), at, label="below") for value, at in places.items()
    )


def _as_named(values: set[Constant]) -> dict[Term, tuple[float, float]]:
    """Return places for ``a1`` or ``12``: columns from left to right, rows upwards."""
    # In the order of their names: that of the set is another one in each process.
    named = {value: NAMED.fullmatch(kif_text(value)) for value in sorted(values, key=_natural)}
    words = {value: (match[1].lower(), match[2]) for value, match in named.items() if match}
    if len(words) < len(values):
        return {}
    across = in_row({Constant(column) for column, _ in words.values()}, {})
    upward = in_row({Constant(row) for _, row in words.values()}, {})
    if not across or not upward or len(values) < LEAST_NAMED * len(across) * len(upward):
        return {}
    return {
        value: (
            APART * across.index(Constant(column)),
            APART * (len(upward) - 1 - upward.index(Constant(row))),
        )
        for value, (column, row) in words.items()
    }


def _circle(values: Sequence[Constant]) -> dict[Term, tuple[float, float]]:
    radius = max(1.0, 1.6 * len(values) / (2 * math.pi))
    angles = [2 * math.pi * index / len(values) for index in range(len(values))]
    return {
        value: (
            round(radius * (1 + math.sin(angle)), 2),
            round(radius * (1 - math.cos(angle)), 2),
        )
        for value, angle in zip(values, angles, strict=True)
    }


def _natural(value: Constant) -> tuple[str, int]:
    """Sort p2 before p10."""
    text = kif_text(value)
    digits = re.search(r"\d*$", text)
    assert digits is not None
    return text[: digits.start()], int(digits[0] or 0)


def lines_between(sites: set[Constant], seen: Samples) -> tuple[tuple[str, ...], ...]:
    """Return the relation that joins most sites, as lines."""
    joined: list[list[tuple[str, ...]]] = []
    for pairs in seen.steps.values():
        between = [pair for pair in pairs if sites >= set(pair) and pair[0] is not pair[1]]
        joined.append(sorted({tuple(sorted(map(kif_text, pair))) for pair in between}))
    likely = [lines for lines in joined if len(sites) - 1 <= len(lines) <= 4 * len(sites)]
    most = max(map(len, likely), default=0)
    return next((tuple(lines) for lines in likely if len(lines) == most), ())
