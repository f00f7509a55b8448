"""From pairs of moves to a rule: which words of theirs the words of ours stand for.

In: for each role the partners of moves that were met. Out: the matching that these pairs make,
also for moves that nobody met, where each word of theirs is a function of a word of ours, of how
far two of them are apart, of two of these together, or a sum of numbers for each word (three times
a square and a direction). A rule has to hold for all pairs of a kind; where it says nothing of a
move, this has no partner.

The sums are least squares, used where they determine the answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np

from gdl.conform.matching.matching import Matching, Unmet
from gdl.conform.matching.tokens import Reader, Word, Words
from gdl.conform.source import CHANCE, EngineMove, Position, Source

Pairs: TypeAlias = Sequence[tuple[Words, Words]]
Rule: TypeAlias = Callable[[Words], "Word | None"]
Tables: TypeAlias = Mapping[int, Mapping[EngineMove, EngineMove]]
Readers: TypeAlias = tuple[Reader, Reader]

NEAR: Final = 1e-6
"""Sums that are nearer than this are equal."""
UNMET: Final = (
    "the matching is in doubt where it says nothing: moves that no game met while they were "
    "matched have no partner, since no rule was seen that makes one's words from the other's"
)
LEAST: Final = 4
"""Pairs of a kind from which a rule is asked for."""


def by_pairs(
    tables: Tables,
    roles: tuple[int, ...],
    sources: tuple[Source, Source],
    readers: Sequence[Readers],
    method: str,
) -> Matching:
    """Return the matching of moves by pairs that were met, and by what rule these follow.

    Args:
        tables: For each role of ours, chance among them, the partners of its moves.
        roles: For each of our roles, theirs.
        sources: Both sides.
        readers: Ways to read the moves of either side, the first one that tells all of theirs
            apart is taken.
        method: How they were found, for people.
    """
    for pair in readers:
        rows = _rows(tables, roles, sources, pair)
        rules = {role: _rules(pairs) for role, pairs in (rows or {}).items()}
        if any(rules.values()):
            matching = _matching(tables, roles, sources, pair, rules, method)
            is_whole = all(
                _are_told(pairs, rules[role])
                for role, pairs in (rows or {}).items()
                if role != CHANCE  # its outcomes are few, and all are met
            )
            return matching if is_whole else replace(matching, doubt=UNMET)
    return _matching(tables, roles, sources, None, {}, method)


def _are_told(pairs: Pairs, rules: Mapping[Hashable, Sequence[Rule]]) -> bool:
    """Return whether there is a rule for each kind of our moves that was met a few times."""
    met = Counter(_kind(ours) for ours, _ in pairs)
    return all(kind in rules for kind, count in met.items() if count >= LEAST)


def _rows(
    tables: Tables, roles: tuple[int, ...], sources: tuple[Source, Source], readers: Readers
) -> dict[int, list[tuple[Words, Words]]] | None:
    """Return the words of all pairs by role; None where two moves of a role have the same."""
    rows: dict[int, list[tuple[Words, Words]]] = {}
    for role, table in tables.items():
        theirs = CHANCE if role == CHANCE else roles[role]
        try:
            rows[role] = [
                (
                    readers[0](sources[0], None, role, move),
                    readers[1](sources[1], None, theirs, partner),
                )
                for move, partner in table.items()
            ]
        except Exception:  # noqa: BLE001  # a text that hangs on the position
            return None
        if any(len(set(side)) < len(table) for side in zip(*rows[role], strict=True)):
            return None
    return rows


def _matching(  # noqa: PLR0913, PLR0917  # what a matching is made of
    tables: Tables,
    roles: tuple[int, ...],
    sources: tuple[Source, Source],
    readers: Readers | None,
    rules: Mapping[int, Mapping[Hashable, Sequence[Rule]]],
    method: str,
) -> Matching:
    partners = {
        CHANCE if role == CHANCE else roles[role]: set(table.values())
        for role, table in tables.items()
    }

    def ours(position: Position, role: int, move: EngineMove) -> Hashable:
        table = tables.get(role, {})
        if move in table:
            return table[move]
        row = () if readers is None else readers[0](sources[0], position, role, move)
        words = [rule(row) for rule in rules.get(role, {}).get(_kind(row), ())]
        return Unmet(("ours", move) if None in words or not words else ("by rule", *words))

    def theirs(position: Position, role: int, move: EngineMove) -> Hashable:
        if move in partners.get(role, ()):
            return move
        if readers is None:
            return Unmet(("theirs", move))
        return Unmet(("by rule", *readers[1](sources[1], position, role, move)))

    def met_keys(side: int, role: int) -> dict[EngineMove, Hashable]:
        if side:
            return {move: move for move in partners.get(role, ())}
        return dict(tables.get(role, {}))

    doubt = UNMET if readers is None else ""
    return Matching(roles, ours, theirs, method, doubt=doubt, is_static=True, met_keys=met_keys)


def _kind(row: Words) -> Hashable:
    """Return the sort of a move: how many words it has, of which sort, and its long words."""
    return tuple(int if isinstance(word, int) else word if len(word) > 1 else str for word in row)


def _rules(pairs: Pairs) -> dict[Hashable, list[Rule]]:
    """Return a rule for each word of theirs, for each kind of our moves that has one for all."""
    kinds: defaultdict[Hashable, list[tuple[Words, Words]]] = defaultdict(list)
    for ours, theirs in pairs:
        kinds[_kind(ours)].append((ours, theirs))
    rules: dict[Hashable, list[Rule]] = {}
    for kind, rows in kinds.items():
        lengths = {len(theirs) for _, theirs in rows}
        if len(rows) < LEAST or len(lengths) > 1:
            continue
        by_word = [
            _rule([ours for ours, _ in rows], [theirs[n] for _, theirs in rows])
            for n in range(*lengths)
        ]
        whole = [rule for rule in by_word if rule is not None]
        if whole and len(whole) == len(by_word):
            rules[kind] = whole
    return rules


def _rule(rows: Sequence[Words], words: Sequence[Word]) -> Rule | None:
    """Return what makes a word of theirs from the words of ours."""
    features = list(map(_features, rows))
    count = len(features[0])
    best: tuple[int, tuple[int, ...], dict[Hashable, Word]] | None = None
    for chosen in [*combinations(range(count), 1), *combinations(range(count), 2)]:
        table: dict[Hashable, Word] = {}
        if all(
            table.setdefault(tuple(row[n] for n in chosen), word) == word
            for row, word in zip(features, words, strict=True)
        ) and (best is None or len(table) < best[0]):
            best = len(table), chosen, table
    if best is not None and best[0] < len(rows):
        _, places, outcomes = best
        return lambda row: outcomes.get(tuple(_features(row)[n] for n in places))
    return _sum(rows, words)


def _features(row: Words) -> list[Word | None]:
    """Return the words of a move, and how far each two of a sort are apart."""
    numbers = [_number(word) for word in row]
    apart = [
        None if left is None or right is None or left[0] != right[0] else right[1] - left[1]
        for left, right in combinations(numbers, 2)
    ]
    return [*row, *apart]


def _number(word: Word) -> tuple[bool, int] | None:
    """Return whether a word is a letter, and its place in the alphabet; None for a long word."""
    if isinstance(word, int):
        return False, word
    return (True, ord(word)) if len(word) == 1 else None


def _sum(rows: Sequence[Words], words: Sequence[Word]) -> Rule | None:
    """Return the rule of a number that is a sum of numbers, one for each word of ours."""
    numbers = [word for word in words if isinstance(word, int)]
    if len(numbers) < len(words):
        return None
    places = {pair: n for n, pair in enumerate(dict.fromkeys(_placed(rows)))}
    matrix = np.zeros((len(rows), len(places)))
    for number, row in enumerate(rows):
        matrix[number, [places[pair] for pair in enumerate(row)]] = 1
    inverse = np.linalg.pinv(matrix)
    weights, projection = inverse @ np.array(numbers, float), inverse @ matrix
    if np.abs(matrix @ weights - numbers).max() > NEAR:
        return None

    def rule(row: Words) -> Word | None:
        if any(pair not in places for pair in enumerate(row)):
            return None
        vector = np.zeros(len(places))
        vector[[places[pair] for pair in enumerate(row)]] = 1
        if np.abs(vector @ projection - vector).max() > NEAR:
            return None  # the pairs do not say
        return round(float(vector @ weights))

    return rule


def _placed(rows: Sequence[Words]) -> Iterator[tuple[int, Word]]:
    for row in rows:
        yield from enumerate(row)
