"""Numbers whose last digit says what a move does, as whether it takes: the rest names it.

In: a source whose moves are bare numbers. Out: the same source, its moves called by what is left
of a number when it is divided. An engine may count a step and the same step that takes as two moves
that are never legal together, where rules have one; twice a square and a way, and one where it
takes, is such a number. A divisor is of use where it leaves fewer names than there were moves, and
no two moves of a position ever have the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

from gdl.conform.matching.matching import Matching
from gdl.conform.matching.sample import random_game
from gdl.conform.source import CHANCE, EngineMove, Position, Source

GAMES: Final = 20
"""Games at random in which a divisor has to tell the moves apart."""
DIVISORS: Final = range(2, 13)
"""What numbers are divided by."""
FEWER: Final = 0.9
"""Names that are left, as a part of the moves that were met, at most."""


def divisors(
    ours: Source, theirs: Source, seed: int, is_late: Callable[[], bool] = lambda: False
) -> list[int]:
    """Return what the numbers of their moves may be divided by, for the fewest names first.

    That is where theirs are more than ours, and the names that are left are nearer to as many.

    Args:
        ours: Our side.
        theirs: The other; it is asked as one that does not fail.
        seed: Of the games that are played.
        is_late: Whether there is no time for more games.
    """
    if not _is_bare(theirs, seed):
        return []
    met: Met = set()
    left = list(DIVISORS)
    for role, moves in _met(theirs, seed, is_late):
        if not all(type(move) is int and move >= 0 for move in moves):
            return []
        left = [n for n in left if len({move // n for move in moves}) == len(moves)]
        if not left:  # mostly at the first position: numbers without a gap have none
            return []
        met.add((role, moves))
    count = _count(met)
    few = [(names, n) for n in left if (names := _count(met, n)) < FEWER * count]
    most = _count(_met(ours, seed, is_late)) if few else 0
    return [n for names, n in sorted(few) if abs(names - most) < count - most]


def _is_bare(source: Source, seed: int) -> bool:
    """Return whether the first moves of players are numbers, of which no text says more."""
    rng = random.Random(f"{seed}/first moves")  # noqa: S311  # chance for play
    for position, legal_of in random_game(source, rng):
        if CHANCE not in legal_of:
            return all(
                type(move) is int and source.text(position, role, move) in {"", str(move)}
                for role, moves in legal_of.items()
                for move in moves
            )
    return False


Met: TypeAlias = set[tuple[int, frozenset[Any]]]
"""Roles and the moves that each had at once."""


def _met(
    source: Source, seed: int, is_late: Callable[[], bool]
) -> Iterator[tuple[int, frozenset[Any]]]:
    """Yield what random play meets of the moves of players."""
    rng = random.Random(f"{seed}/quotients")  # noqa: S311  # chance for play, not for secrets
    for _ in range(GAMES):
        for _, legal_of in random_game(source, rng):
            yield from ((role, frozenset(m)) for role, m in legal_of.items() if role != CHANCE)
            if is_late():
                return


def _count(met: Iterable[tuple[int, frozenset[Any]]], divisor: int = 1) -> int:
    """Return how many names there are of moves."""
    return len({(role, move // divisor if divisor > 1 else move) for role, m in met for move in m})


class Divided:
    """A source whose moves are called by what is left of their numbers."""

    def __init__(self, source: Source, divisor: int) -> None:
        """Rename the moves of a source."""
        self._source, self._divisor = source, divisor

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # all else is as it was
        """Return what the source has."""
        return getattr(self._source, name)

    def as_source(self) -> Source:
        """Return this as what it is."""
        return cast("Source", self)

    def _name(self, role: int, move: EngineMove) -> EngineMove:
        return move if role == CHANCE else cast("int", move) // self._divisor

    def legal(self, position: Position, role: int) -> Sequence[EngineMove]:
        """Return the names of the moves of a role."""
        return [self._name(role, move) for move in self._source.legal(position, role)]

    def play(self, position: Position, moves: Mapping[int, EngineMove]) -> Position:
        """Return what follows."""
        chosen = {}
        for role, name in moves.items():
            legal = self._source.legal(position, role)
            chosen[role] = next(move for move in legal if self._name(role, move) == name)
        return self._source.play(position, chosen)

    def text(self, position: Position, role: int, move: EngineMove) -> str:
        """Return nothing for a move: it is a number."""
        return self._source.text(position, role, move) if role == CHANCE else ""

    def unnamed(self, matching: Matching) -> Matching:
        """Return a matching of these names as one of the moves themselves."""

        def theirs(position: Position, role: int, move: EngineMove) -> Hashable:
            return matching.theirs(position, role, self._name(role, move))

        def met_keys(side: int, role: int) -> dict[EngineMove, Hashable]:
            return {} if side else matching.met_keys(side, role)

        method = f"{matching.method}; theirs divided by {self._divisor}"
        return replace(matching, theirs=theirs, met_keys=met_keys, method=method)
