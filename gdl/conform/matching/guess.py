"""A matching for an engine that parts from the rules in nearly every game, and its strength.

In: matchings under which few games agree to the end. Out: the one under which both sides agree the
longest, if play vouches for it, with what speaks for it in words. A bug that every game meets lets
no matching agree to the end; but up to there the right one is never contradicted, and one that is
wrong about some moves is, as soon as these are made. So a guess is held against itself with two of
its moves exchanged: where both sides part as late all the same, as before the first mill of a
board on which men are only put, play says nothing of which is right, and it is not taken.

A guess that some games contradict is first mended: as long as an exchange of two moves makes both
sides agree longer, it is made. An engine without a bug agrees in all games under some matching.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from gdl.conform.matching.matching import Matching
from gdl.conform.matching.race import Race
from gdl.conform.source import CHANCE, EngineMove, Position

LEAST_DEPTH: Final = 3.0
"""Moves for which a matching has to agree on average to show a difference, at least."""
EXCHANGES: Final = 24
"""Times that two moves of a guess are exchanged."""
VOUCHED: Final = 0.8
"""Share of these that have to make both sides part sooner, at least."""
FEW: Final = 6
"""Exchanges that are tried however late it is."""
MADE, MOST_GAMES = 8, 600
"""How often each move is made in the games of exchanges, and how many games these are at most."""
MOST_PLIES, MENDING = 60_000, 0.6
"""Positions that are compared to mend a matching, and the part of the time that may be over."""
ROUNDS: Final = 3
"""Times that a matching is mended, each time by twice as many games."""
LEAST_LOST: Final = 1e-9
"""What is less is nothing."""


def best_guess(race: Race, matchings: Iterable[Matching], depth: float) -> Matching | None:
    """Return the matching under which both sides agree the longest, None where none is vouched for.

    Its doubt says how strong it is. Cost: the trial games once for each, and for each exchange.

    Args:
        race: The trial games.
        matchings: What may be right.
        depth: Moves for which they agree on average under another one, which has to be beaten.
    """
    tried = [(race.agreement(matching, race.games), matching) for matching in matchings]
    tried.sort(key=lambda guess: guess[0].depth, reverse=True)
    for agreement, matching in tried:
        if agreement.depth <= max(depth, LEAST_DEPTH) or race.is_late():
            return None
        share = vouched(race, matching)
        if share >= VOUCHED:
            parting = round((1 - agreement.whole) * agreement.games)
            doubt = (
                f"the matching is a guess: both part in {parting} of {agreement.games} games under "
                f"it, after {agreement.depth:.1f} moves on average, and under all others sooner; "
                f"with two of its moves exchanged they part sooner in {share:.0%} of {EXCHANGES} "
                "tries; --map says which is right"
            )
            return replace(matching, doubt=doubt)
    return None


def vouched(race: Race, matching: Matching, *, is_brief: bool = False) -> float:
    """Return the share of exchanges of two moves under which more is lost in other games.

    The moves are those of the trial games, in which a way that is wrong, but the best of many, is
    so by luck.

    Args:
        race: The trial games.
        matching: What is held against itself.
        is_brief: Whether turns, moves and ends count alone, not what these are worth.
    """
    rng = random.Random(f"{race.seed}/exchanged")  # noqa: S311  # chance for play
    moves = [own for own in race.moves_of(matching).values() if len(own) > 1]
    if not moves:
        return 0.0
    games = [*range(len(race.plays)), *range(race.games, race.games + _telling(race))]
    before, worse = lost(race, matching, games, is_brief=is_brief), 0
    for count in range(1, EXCHANGES + 1):
        changed = _exchanged(matching, *rng.sample(rng.choice(moves), 2))
        worse += lost(race, changed, games, is_brief=is_brief) > before + LEAST_LOST
        if race.is_late() and count >= FEW:
            break
    return worse / count


def _telling(race: Race) -> int:
    """Return how many games it takes until each move is made several times: of short ones more."""
    plies = sum(len(race.choices(number)) for number in range(race.games))
    moves = max((len(race.met(role)) for role in range(len(race.source.roles))), default=0)
    return min(max(race.games, MADE * race.games * moves // max(plies, 1)), MOST_GAMES)


def lost(race: Race, matching: Matching, games: Iterable[int], *, is_brief: bool = False) -> float:
    """Return what is lost under a matching in some games."""
    return sum(plain if is_brief else plain + paid for plain, paid in race.losses(matching, games))


def is_vouched(race: Race, matching: Matching) -> bool:
    """Return whether exchanges make games be lost sooner, and none is known that does not."""
    return vouched(race, matching) >= VOUCHED and not mended(race, matching).is_nearer


class Mended(NamedTuple):
    """A matching with some of its moves exchanged.

    Attributes:
        matching: What came of it; the first one where no exchange was of use.
        is_whole: Whether all games agree under it.
        is_nearer: Whether other games than those that it was mended by agree longer under it.
    """

    matching: Matching
    is_whole: bool
    is_nearer: bool


def mended(race: Race, matching: Matching) -> Mended:
    """Return a matching with moves exchanged as long as both sides agree longer in the trial games.

    Of the shortest game that is lost each move is exchanged with each other one; of exchanges
    under which it agrees longer, the one that makes all games lose least is kept. A table can be
    bent to the games that it was bent in: others say whether it is nearer to the right one. Of
    places in a list no two exchanges can be had.
    """
    count, first = _telling(race), matching
    most, allowance = race.plies + MOST_PLIES, race.allowance.part(MENDING)

    def is_late() -> bool:
        return race.plies > most or allowance.is_spent()

    for _ in range(ROUNDS):
        bent = _bent(race, matching, count, is_late)
        if bent is matching:
            break
        matching = bent
        others = range(count, 2 * count)
        before, after = lost(race, first, others), lost(race, matching, others)
        if not after and not lost(race, matching, range(count)):
            method = f"{matching.method}; moves exchanged until games agreed"
            return Mended(replace(matching, method=method), is_whole=True, is_nearer=True)
        if after >= before:
            break
        count *= 2
    if matching is first:
        return Mended(first, is_whole=False, is_nearer=False)
    return Mended(matching, is_whole=False, is_nearer=after < before)


def _bent(race: Race, matching: Matching, count: int, is_late: Callable[[], bool]) -> Matching:
    """Return a matching with moves exchanged as long as less is lost in the first trial games."""
    losses = [sum(pair) for pair in race.losses(matching, range(count))]
    games = [{m for choice in race.choices(n) for m in choice.values()} for n in range(count)]
    while any(losses) and matching.exchanged is None:
        number = min((n for n in range(count) if losses[n]), key=lambda n: len(race.choices(n)))
        least, best = -LEAST_LOST, matching
        for pair in _pairs(race, number):
            if is_late():
                break
            changed = _exchanged(matching, *pair)
            if sum(race.losses(changed, [number])[0]) >= losses[number]:
                continue
            concerned = [n for n in range(count) if not games[n].isdisjoint(pair)]
            gain = lost(race, changed, concerned) - sum(losses[n] for n in concerned)
            if gain < least:
                least, best = gain - LEAST_LOST, changed
        again = [sum(pair) for pair in race.losses(best, range(count))]
        if best is matching or sum(again) >= sum(losses):
            break
        matching, losses = best, again
    return matching


def _pairs(race: Race, number: int) -> Iterable[tuple[EngineMove, EngineMove]]:
    """Return each move of a trial game with each other one of who makes it."""
    return dict.fromkeys(
        (move, other)
        for choice in race.choices(number)
        for role, move in choice.items()
        for other in race.met(role)
        if move != other
    )


def _exchanged(matching: Matching, left: EngineMove, right: EngineMove) -> Matching:
    """Return a matching with the partners of two moves of ours exchanged, for all who have them."""
    if matching.exchanged is not None:
        return matching.exchanged(left, right)
    partner = {left: right, right: left}

    def ours(position: Position, role: int, move: EngineMove) -> Hashable:
        return matching.ours(position, role, move if role == CHANCE else partner.get(move, move))

    def met_keys(side: int, role: int) -> dict[EngineMove, Hashable]:
        keys = matching.met_keys(side, role)
        if side:
            return keys
        return {move: keys[p] for move in keys if (p := partner.get(move, move)) in keys}

    return replace(matching, ours=ours, met_keys=met_keys, is_verbatim=False)
