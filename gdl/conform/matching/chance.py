"""Which outcome of chance stands for which, where an engine's outcomes are bare numbers.

In: a matching of which the moves of the players are right, or nearly. Out: the same under every
other order of the outcomes. A card is called ``Kh`` here and ``Chance outcome:4`` there; no text
says that these are one, and the order in which either side lists its cards is its own. Only play
can tell: in which order the same hands win.
"""

from __future__ import annotations

import random
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, permutations, product
from typing import Final

from gdl.conform.matching.matching import Matching
from gdl.conform.matching.sample import Rows
from gdl.conform.matching.tokens import Reader, Word, Words, of_kif
from gdl.conform.source import CHANCE, EngineMove, Position, Source, in_turn
from gdl.conform.sources.guarded import EngineFailure

MOST_OUTCOMES: Final = 7
"""Outcomes whose orders are tried, all of them."""
_LETTERS: Final = re.compile("[a-z]+", re.IGNORECASE)
PLAYS: Final = 40
"""Plays that are walked to meet the outcomes."""
POSITIONS: Final = 1_000
"""Positions of these plays, at most: all outcomes of dice are met in one long game."""
NEAR: Final = 1e-6
"""Shares of outcomes that are nearer to whole numbers are whole numbers."""
DOUBT: Final = (
    "the matching is in doubt: outcomes of chance are bare numbers in the engine, and under no "
    "order of them do all games agree; --map says which is which"
)


def are_bare_numbers(ours: Source, theirs: Source, seed: int) -> bool:
    """Return whether outcomes have words here and nothing but numbers there."""
    if not (ours.has_chance and theirs.has_chance):
        return False
    mine, yours = (
        {frozenset(_LETTERS.findall(text)) for _, text in _outcomes(side, seed)}
        for side in (ours, theirs)
    )
    return len(mine) > 1 and len(yours) == 1


def orders(matching: Matching, theirs: Source, seed: int) -> Iterator[Matching]:
    """Yield a matching, then the same under all other orders of their outcomes, if these are few.

    Where chance moves several times in a row, an order is one of the single outcomes.
    """
    yield matching
    parts = list(
        dict.fromkeys(part for move, _ in _outcomes(theirs, seed) for part in _parts(move))
    )
    if len(parts) <= MOST_OUTCOMES:
        for order in islice(permutations(parts), 1, None):  # the first is as it was
            yield _ordered(matching, dict(zip(parts, order, strict=True)))


def _ordered(matching: Matching, table: dict[EngineMove, EngineMove]) -> Matching:
    def theirs(position: Position, role: int, move: EngineMove) -> Hashable:
        if role != CHANCE:
            return matching.theirs(position, role, move)
        parts = tuple(table.get(part, part) for part in _parts(move))
        try:
            return matching.theirs(position, role, parts if isinstance(move, tuple) else parts[0])
        except EngineFailure:  # under this order it would be no outcome
            return "no outcome", move

    method = f"{matching.method}; outcomes of chance in the order under which games agree"
    return replace(matching, theirs=theirs, method=method, is_verbatim=False)


def grouped(mine: Rows, theirs: Source) -> Iterator[Rows]:
    """Yield our outcomes with several values of a word taken for one, as theirs are likely.

    In rules all outcomes are equally likely: of ten numbers of a die nine put a two and one a four.
    An engine has two outcomes for these, one nine times as likely as the other.
    """
    position = theirs.initial()
    if mine.reader is not of_kif or theirs.movers(position) != (CHANCE,):
        return
    shares = sorted({round(chance, 9) for chance in theirs.chances(position).values()})
    rows = {row for row in mine.by_role[CHANCE] if len(row) > 1}
    if len(set(map(len, rows))) > 1:
        return  # a deal, and a card behind it
    columns = list(zip(*rows, strict=True))
    whole = sum(shares)
    for column, words in enumerate(columns):
        values = sorted(set(words), key=lambda word: (isinstance(word, str), word))
        sizes = [share * len(values) / whole for share in shares]
        if not 1 < len(shares) < len(values) or any(
            abs(size - round(size)) > NEAR for size in sizes
        ):
            continue
        for order, is_down in product(permutations(map(round, sizes)), (False, True)):
            groups = [n for n, size in enumerate(order) for _ in range(size)]
            of = dict(zip(values[::-1] if is_down else values, groups, strict=True))
            yield mine.read_by(_grouping(mine.reader, column, of))


def _grouping(read: Reader, column: int, group_of: Mapping[Word, int]) -> Reader:
    def grouped_read(source: Source, position: Position, role: int, move: EngineMove) -> Words:
        row = read(source, position, role, move)
        if role != CHANCE or len(row) <= column:
            return row
        return (*row[:column], group_of.get(row[column], -1), *row[column + 1 :])

    return grouped_read


def _outcomes(source: Source, seed: int) -> list[tuple[EngineMove, str]]:
    """Return the outcomes that random play meets, each with its text where it was met first."""
    rng = random.Random(f"{seed}/outcomes")  # noqa: S311  # chance for play, not for secrets
    met: dict[EngineMove, str] = {}
    walked = 0
    for _ in range(PLAYS):
        position = source.initial()
        while not source.is_terminal(position) and walked < POSITIONS:
            walked += 1
            moves: dict[int, list[EngineMove]] = {}
            for role, move in in_turn(source, position):
                moves.setdefault(role, []).append(move)
                if role == CHANCE and move not in met:
                    met[move] = source.text(position, role, move)
            if not moves:
                break
            position = source.play(position, {role: rng.choice(m) for role, m in moves.items()})
    return list(met.items())


def _parts(move: EngineMove) -> tuple[EngineMove, ...]:
    return move if isinstance(move, tuple) else (move,)
