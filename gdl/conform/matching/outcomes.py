"""Which outcomes of chance of two sides stand for each other, by their words.

In: the outcomes that were seen of either side. Out: pairs of keys under which half of them, at
least, are the same; where no words match and they are few, each order of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import islice, permutations, product
from typing import Final, TypeAlias

from gdl.conform.matching.chance import grouped
from gdl.conform.matching.columns import Reading, kinds, readings
from gdl.conform.matching.matching import Key
from gdl.conform.matching.sample import Rows
from gdl.conform.matching.tokens import Words
from gdl.conform.source import CHANCE, EngineMove, Position

MOST_OUTCOME_KEYS: Final = 40
"""Ways to read the outcomes of chance, at most."""
FEW_OUTCOMES: Final = 6
"""Outcomes that no words match and that may stand for each other in any order."""
SAME: Final = 0.5
"""Share of the outcomes of either side that are the same under a way to read them, at least."""

OutcomeKeys: TypeAlias = tuple[Key, Key]
"""The keys of outcomes of chance of either side."""


def outcome_keys(mine: Rows, theirs: tuple[Rows, ...]) -> list[OutcomeKeys]:
    """Return ways to match the outcomes of chance."""
    if not mine.by_role.get(CHANCE):
        return [(_outcome_key(mine, None), _outcome_key(theirs[0], None))]
    keys: list[OutcomeKeys] = []
    for rows, mine_ in product(theirs, (mine, *grouped(mine, theirs[0].source))):
        ours, outcomes = mine_.by_role[CHANCE], rows.by_role.get(CHANCE, set())
        if not outcomes or outcomes == {()}:
            continue
        for by_kind in (True, False):
            left, right = (
                kinds({0: side}, {row: n for n, row in enumerate(side)}, by_kind=by_kind)
                for side in (ours, outcomes)
            )
            pairs = islice(readings(left, right, by_kind=by_kind, is_any=False), MOST_OUTCOME_KEYS)
            keys += [
                (_outcome_key(mine_, a), _outcome_key(rows, b))
                for a, b in pairs
                if _is_half(set(map(a.key, ours)), set(map(b.key, outcomes)))
            ]
    return keys or list(_outcome_keys_in_any_order(mine, theirs))


def _is_half(left: set[Hashable], right: set[Hashable]) -> bool:
    """Return whether half of the outcomes that were met of either side are the same."""
    return len(left & right) >= SAME * max(len(left), len(right))


def _outcome_keys_in_any_order(mine: Rows, theirs: tuple[Rows, ...]) -> Iterator[OutcomeKeys]:
    """Yield each way to match outcomes that no words match, where these are few."""
    for rows in theirs:
        ours, outcomes = (
            sorted(side.by_role.get(CHANCE, set()), key=repr) for side in (mine, rows)
        )
        if len(ours) == len(outcomes) <= FEW_OUTCOMES:
            for order in permutations(ours):
                named = dict(zip(outcomes, order, strict=True))
                yield _outcome_key(mine, None), _outcome_key(rows, None, named)
            return


def _outcome_key(
    rows: Rows, reading: Reading | None, named: Mapping[Words, Words] | None = None
) -> Key:
    """Return the key of an outcome of chance that is read so, or named."""
    source, reader, names = rows.source, rows.reader, named or {}
    keys: dict[Words, Hashable] = {}

    def key(position: Position, role: int, move: EngineMove) -> Hashable:
        row = reader(source, position, role, move)
        if reading is None:
            return names.get(row, row)
        if row not in keys:
            keys[row] = reading.key(row)
        return keys[row]

    return key
