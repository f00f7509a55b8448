"""Moves that one side has one word for and the other several: pass is check, or fold.

In: the moves that were met of both sides. Out: ways to take moves of the side with more words,
which are never legal together, for one move of the other side. Wherever play came, each set of
legal moves has to become one of those of the other side; which way is right, play decides.

Source: a homomorphism of one set of choices onto another, found by trying (backtracking).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from gdl.conform.matching.sample import Rows, random_game
from gdl.conform.source import CHANCE, EngineMove, Source
from gdl.conform.sources.guarded import EngineFailure

MOST_WORDS: Final = 8
"""Moves of the side with more words, at most."""
GAMES: Final = 100
"""Games at random that show which moves are legal together."""

Together: TypeAlias = dict[int, set[frozenset[EngineMove]]]
"""For each role of ours the sets of moves that were legal at once."""
Words: TypeAlias = dict[EngineMove, EngineMove]
"""For each move of the side with more words the one of the other side."""


def by_synonyms(mine: Rows, yours: Rows, order: Sequence[int]) -> Iterator[tuple[Words, Words]]:
    """Yield for either side what its moves are called: the same words on both sides.

    Args:
        mine: Our moves.
        yours: Theirs.
        order: For each of our roles, theirs.
    """
    sides = mine, yours
    met = [{m for role, (moves, _) in side.moves.items() for m in moves} for side in sides]
    counts = list(map(len, met))
    if counts[0] == counts[1] or not 1 < min(counts) <= max(counts) <= MOST_WORDS:
        return
    together = [
        _together(side.source, roles)
        for side, roles in zip(sides, (range(len(order)), order), strict=True)
    ]
    many = counts.index(max(counts))
    itself = {move: move for move in met[1 - many]}
    words = sorted(met[many], key=str)
    for called in _called(words, {}, together[many], together[1 - many]):
        yield (itself, called) if many else (called, itself)


def _together(source: Source, roles: Sequence[int]) -> Together:
    """Return which moves of each role games at random show to be legal at once."""
    met: Together = {number: set() for number, _ in enumerate(roles)}
    rng = random.Random("together")  # noqa: S311  # chance for play
    for _ in range(GAMES):
        try:
            for _, legal_of in random_game(source, rng):
                for role, moves in legal_of.items():
                    if role != CHANCE:
                        met[roles.index(role)].add(frozenset(moves))
        except EngineFailure:
            continue
    return met


def _called(
    words: Sequence[EngineMove], called: Words, many: Together, few: Together
) -> Iterator[Words]:
    """Yield what the words may be called, given what some of them are."""
    if len(called) == len(words):
        yield dict(called)
        return
    word = words[len(called)]
    for name in sorted({m for sets in few.values() for moves in sets for m in moves}, key=str):
        called[word] = name
        if all(_may_be(moves, called, few[role]) for role, sets in many.items() for moves in sets):
            yield from _called(words, called, many, few)
        del called[word]


def _may_be(
    moves: frozenset[EngineMove],
    called: Mapping[EngineMove, EngineMove],
    few: set[frozenset[EngineMove]],
) -> bool:
    """Return whether moves that are legal at once may be some of the other side."""
    names = [called[move] for move in moves if move in called]
    return len(set(names)) == len(names) and any(
        len(candidates) == len(moves) and candidates.issuperset(names) for candidates in few
    )
