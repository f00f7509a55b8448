"""The moves of a source that random play meets, read as words and numbered.

In: a source and ways to read its moves. Out: for each way the `Rows` that were seen.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from gdl.conform.matching.columns import Kind, Numbers, in_products, kinds
from gdl.conform.matching.tokens import Reader, Words, of_text
from gdl.conform.source import CHANCE, EngineMove, Position, Source, in_turn
from gdl.conform.sources.guarded import EngineFailure

POSITIONS: Final = 1_500
MOVES: Final = 40_000


class Rows:
    """The moves of one side that were seen, as one reader reads them.

    Attributes:
        source: The side.
        reader: The reader.
        by_role: The rows of each role, chance among them, by its moves.
        is_static: Whether a move was written the same wherever it was met.
        times: How often each role could make each of its moves; once where nobody counted.
    """

    def __init__(
        self,
        source: Source,
        reader: Reader,
        met: dict[int, dict[EngineMove, set[Words]]],
        *,
        is_static: bool,
        times: Mapping[tuple[int, EngineMove], int] | None = None,
    ) -> None:
        """Keep what was seen: for each role its moves, and how each was written."""
        self.source, self.reader, self.is_static = source, reader, is_static
        self.by_role = {role: set().union(*rows.values()) for role, rows in met.items()}
        self.times = times or {}
        self._met = met
        self._known: dict[tuple[int, EngineMove], int | Words] = {}

    def read_by(self, reader: Reader) -> Rows:
        """Return the same moves by another reader, one that looks at the move alone."""
        met = {
            role: {move: {reader(self.source, None, role, move)} for move in rows}
            for role, rows in self._met.items()
        }
        return Rows(self.source, reader, met, is_static=self.is_static, times=self.times)

    @property
    def is_empty(self) -> bool:
        """Whether the reader finds no word in any move of a player."""
        return all(row == () for seen in self.players.values() for row in seen)

    @cached_property
    def players(self) -> dict[int, set[Words]]:
        """The rows of each player."""
        return {role: seen for role, seen in self.by_role.items() if role != CHANCE}

    @cached_property
    def every(self) -> list[Words]:
        """The rows of the players; the place of one is its number."""
        return sorted({row for seen in self.players.values() for row in seen}, key=repr)

    @cached_property
    def numbers(self) -> dict[Words, int]:
        """The number of each row."""
        return {row: number for number, row in enumerate(self.every)}

    @cached_property
    def kinds(self) -> dict[bool, list[Kind]]:
        """The kinds of these moves, told apart by long words, or not."""
        return {
            by_kind: kinds(self.players, self.numbers, by_kind=by_kind) for by_kind in (True, False)
        }

    @cached_property
    def often(self) -> Counter[Words]:
        """How often each row of a player was met."""
        counts: Counter[Words] = Counter()
        for role, rows in self._met.items():
            for move, written in rows.items():
                if role != CHANCE:
                    counts.update(dict.fromkeys(written, self.times.get((role, move), 1)))
        return counts

    @cached_property
    def products(self) -> list[Kind]:
        """The kinds that long words tell apart, in parts in which all words go together."""
        return in_products(self.kinds[True])

    @cached_property
    def moves(self) -> dict[int, tuple[list[EngineMove], Numbers]]:
        """The moves of each player, and their numbers; nothing where these are not static."""
        if not self.is_static:
            return {}
        return {
            role: (
                list(rows),
                np.array(
                    [self.numbers[row] for rows_of_role in rows.values() for row in rows_of_role],
                    np.int64,
                ),
            )
            for role, rows in self._met.items()
            if role != CHANCE
        }

    def number(self, position: Position, role: int, move: EngineMove) -> int | Words:
        """Return the number of a legal move, or its words where it was not seen."""
        number = self._known.get((role, move)) if self.is_static else None
        if number is None:
            row = self.reader(self.source, position, role, move)
            number = self._known[role, move] = self.numbers.get(row, row)
        return number


def sample(
    source: Source,
    readers: Sequence[Reader],
    seed: int,
    is_late: Callable[[], bool] = lambda: False,
) -> tuple[Rows, ...]:
    """Return the moves that random play of a source meets, for each reader, while there is time."""
    rng = random.Random(f"{seed}/sample")  # noqa: S311  # chance for play, not for secrets
    seen: list[dict[int, dict[EngineMove, set[Words]]]]
    seen = [defaultdict(lambda: defaultdict(set)) for _ in readers]
    texts: dict[tuple[int, EngineMove], Words] = {}
    times: Counter[tuple[int, EngineMove]] = Counter()
    is_static = True
    moves, position = 0, source.initial()
    for _ in range(POSITIONS):
        if source.is_terminal(position):
            position = source.initial()
        for role, move in in_turn(source, position):
            moves += 1
            times[role, move] += 1
            text = of_text(source, position, role, move)
            first_text = texts.setdefault((role, move), text)
            is_static &= first_text == text
            if first_text is text or first_text != text:  # else nothing here is new
                for reader, rows in zip(readers, seen, strict=True):
                    rows[role][move].add(reader(source, position, role, move))
        if moves > MOVES or is_late():
            break
        position = _onwards(source, position, rng.choice)
    return tuple(
        Rows(source, reader, rows, is_static=is_static, times=times)
        for reader, rows in zip(readers, seen, strict=True)
    )


def random_game(
    source: Source, rng: random.Random
) -> Iterator[tuple[Position, dict[int, Sequence[EngineMove]]]]:
    """Yield the positions of a game at random that are not over, each with what may be done.

    It ends where play does, and behind a position in which somebody is stuck: a comparison says so.

    Raises:
        EngineFailure: The engine fails.
    """
    position = source.initial()
    while not source.is_terminal(position):
        legal_of = {role: source.legal(position, role) for role in source.movers(position)}
        yield position, legal_of
        if not all(legal_of.values()):
            return
        position = source.play(position, {role: rng.choice(m) for role, m in legal_of.items()})


def _onwards(
    source: Source, position: Position, choose: Callable[[Sequence[EngineMove]], EngineMove]
) -> Position:
    """Return a following position, the first one where there is none: a comparison will say so."""
    legal_of = {role: source.legal(position, role) for role in source.movers(position)}
    if not all(legal_of.values()):
        return source.initial()
    try:
        return source.play(position, {role: choose(legal) for role, legal in legal_of.items()})
    except EngineFailure:
        return source.initial()
