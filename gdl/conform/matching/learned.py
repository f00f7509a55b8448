"""Moves without texts, matched by what they do.

In go two sources and a way to measure how long both agree; out come tables of moves. Moves that
have the same number of answers, and answers to these, may stand for each other; among those the
table is bettered by exchanging two at a time while both sides agree longer in the same games.

Source: local search over permutations, as for the quadratic assignment problem (Burkard, Çela,
Pardalos, Pitsoulis, 1998).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations, product
from math import factorial, prod
from typing import Final, TypeAlias

from gdl.conform.matching.matching import Matching, by_moves
from gdl.conform.matching.race import Agreement
from gdl.conform.matching.sample import random_game
from gdl.conform.source import CHANCE, EngineMove, Position, Source

MOST_MOVES: Final = 40
"""Moves of one side that are matched so; more take too long."""
STARTS: Final = 10
GAMES: Final = 48
PLAYS: Final = 300
MOST_EVERY, MOST_TABLES = 6, 5_000
"""Moves of a role, and tables of all roles together, of which all are tried."""
METHOD: Final = "what moves do, learned by play"


Measure: TypeAlias = Callable[[Matching, int], Agreement]
"""Measures how well both sides agree under a matching, in so many games."""


def learned(  # noqa: PLR0913, PLR0917  # two sides, and how they are tried
    ours: Source,
    theirs: Source,
    agreement: Measure,
    orders: Sequence[tuple[int, ...]],
    seed: int,
    is_late: Callable[[], bool] = lambda: False,
) -> Iterator[Matching]:
    """Yield tables that agree as long as any near them; the last one may be cut short by time."""
    moves = universes(ours, theirs, seed)
    if moves is None:
        return
    left, right = moves
    effects = _effects(ours), _effects(theirs)
    if sorted(effects[0].values()) != sorted(effects[1].values()):
        return
    for order in orders:
        for start in range(STARTS):
            rng = random.Random(f"{seed}/learned/{start}")  # noqa: S311
            table = _first_table(left, right, effects, rng)
            if table is None or is_late():
                return
            yield _climb(table, order, agreement, rng, is_late)


def every_table(
    ours: Source, theirs: Source, orders: Sequence[tuple[int, ...]], seed: int
) -> list[Matching]:
    """Return the matchings of all tables of moves, one for each role; none where there are many."""
    if ours.has_chance or theirs.has_chance:
        return []
    sides = [_by_role(source, seed) for source in (ours, theirs)]
    if not all(sides):
        return []
    every: list[Matching] = []
    for order in orders:
        pairs = [(sides[0][role], sides[1][other]) for role, other in enumerate(order)]
        if any(len(left) != len(right) for left, right in pairs):
            return []
        if prod(factorial(len(left)) for left, _ in pairs) * len(orders) > MOST_TABLES:
            return []
        tables = [
            [dict(zip(left, p, strict=True)) for p in permutations(right)] for left, right in pairs
        ]
        every += [by_moves(choice, order, METHOD) for choice in product(*tables)]
    return every


def _by_role(source: Source, seed: int) -> list[list[EngineMove]]:
    """Return the moves of each role that random play meets; none where these are many."""
    rng = random.Random(f"{seed}/every")  # noqa: S311
    moves: list[dict[EngineMove, None]] = [{} for _ in source.roles]
    for _ in range(GAMES):
        for _, legal_of in random_game(source, rng):
            for role, legal in legal_of.items():
                moves[role] |= dict.fromkeys(legal)
        if max(map(len, moves)) > MOST_EVERY:
            return []
    return list(map(list, moves))


def universes(
    ours: Source, theirs: Source, seed: int
) -> tuple[list[EngineMove], list[EngineMove]] | None:
    """Return the moves of both sides; None where they are too many, or not as many."""
    left = _universe(ours, seed)
    right = None if left is None else _universe(theirs, seed)
    if left is None or right is None or len(left) != len(right):
        return None
    return left, right


def _universe(source: Source, seed: int) -> list[EngineMove] | None:
    """Return the moves that random play meets, None for too many, or where chance has a say."""
    rng = random.Random(f"{seed}/universe")  # noqa: S311
    moves_seen: dict[EngineMove, None] = {}
    for _ in range(PLAYS):
        for _, legal_of in random_game(source, rng):
            if CHANCE in legal_of:
                return None
            moves_seen |= dict.fromkeys(chain.from_iterable(legal_of.values()))
            if len(moves_seen) > MOST_MOVES:
                return None
    return list(moves_seen)


Effect: TypeAlias = tuple[int, ...]
"""How many answers there are, and how many to each of these."""


def _effects(source: Source) -> dict[EngineMove, Effect]:
    """Return for each first move how play can go on: how many answers, and answers to them."""
    position = source.initial()
    effects = {}
    movers = source.movers(position)
    if len(movers) != 1:
        return {}
    for move in source.legal(position, movers[0]):
        after = source.play(position, {movers[0]: move})
        effects[move] = _answers(source, after, 2)
    return effects


def _answers(source: Source, position: Position, depth: int) -> Effect:
    movers = source.movers(position)
    if not movers or not depth:
        return (len(movers),)
    counts = []
    for role in movers:
        moves = source.legal(position, role)
        counts.append(len(moves))
        if len(movers) == 1:
            deeper = sorted(
                _answers(source, source.play(position, {role: move}), depth - 1) for move in moves
            )
            counts += [number for effect in deeper for number in effect]
    return tuple(counts)


def _first_table(
    left: list[EngineMove],
    right: list[EngineMove],
    effects: tuple[Mapping[EngineMove, Effect], Mapping[EngineMove, Effect]],
    rng: random.Random,
) -> dict[EngineMove, EngineMove] | None:
    """Return a table at random that keeps the effects of first moves."""
    table: dict[EngineMove, EngineMove] = {}
    classes: tuple[dict[Hashable, list[EngineMove]], ...] = ({}, {})
    for side, moves in enumerate((left, right)):
        for move in moves:
            classes[side].setdefault(effects[side].get(move), []).append(move)
    for effect, moves in classes[0].items():
        partners = list(classes[1].get(effect, ()))
        if len(partners) != len(moves):
            return None
        rng.shuffle(partners)
        table |= dict(zip(moves, partners, strict=True))
    return table


def _climb(
    table: dict[EngineMove, EngineMove],
    order: tuple[int, ...],
    agreement: Measure,
    rng: random.Random,
    is_late: Callable[[], bool],
) -> Matching:
    """Exchange partners while both sides agree longer, and there is time."""
    best = agreement(_matching(table, order), GAMES)
    is_better = True
    while is_better and best.full < 1:
        is_better = False
        pairs = list(combinations(table, 2))
        rng.shuffle(pairs)
        for a, b in pairs:
            changed = {**table, a: table[b], b: table[a]}
            score = agreement(_matching(changed, order), GAMES)
            if (score.depth, score) > (best.depth, best):
                table, best, is_better = changed, score, True
            if best.full == 1 or is_late():
                return _matching(table, order)
    return _matching(table, order)


def _matching(table: dict[EngineMove, EngineMove], order: tuple[int, ...]) -> Matching:
    def ours(position: Position, role: int, move: EngineMove) -> Hashable:
        del position, role
        return table.get(move, ("only ours", move))

    def theirs(position: Position, role: int, move: EngineMove) -> Hashable:
        del position, role
        return move

    return Matching(order, ours, theirs, METHOD, is_learned=True, is_static=True)
