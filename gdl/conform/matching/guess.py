"""A matching for an engine that parts from the rules in nearly every game, and its strength.

In: matchings under which few games agree to the end. Out: the one under which both sides agree the
longest, if play vouches for it, with what speaks for it in words. A bug that every game meets lets
no matching agree to the end; but up to there the right one is never contradicted, and one that is
wrong about some moves is, as soon as these are made. So a guess is held against itself with two of
its moves exchanged: where both sides part as late all the same, as before the first mill of a
board on which men are only put, play says nothing of which is right, and it is not taken.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Final

from gdl.conform.matching.matching import Matching
from gdl.conform.matching.race import Agreement, Race
from gdl.conform.source import CHANCE, EngineMove, Position

LEAST_DEPTH: Final = 3.0
"""Moves for which a matching has to agree on average to show a difference, at least."""
EXCHANGES: Final = 24
"""Times that two moves of a guess are exchanged."""
VOUCHED: Final = 0.8
"""Share of these that have to make both sides part sooner, at least."""


def best_guess(race: Race, matchings: Iterable[Matching], depth: float) -> Matching | None:
    """Return the matching under which both sides agree the longest, None where none is vouched for.

    Its doubt says how strong it is. Cost: the trial games once for each, and for each exchange.

    Args:
        race: The trial games.
        matchings: What may be right.
        depth: Moves for which they agree on average under another one, which has to be beaten.
    """
    tried = [(race.agreement(matching, race.games), matching) for matching in matchings]
    tried.sort(key=lambda each: each[0].depth, reverse=True)
    for agreement, matching in tried:
        if agreement.depth <= max(depth, LEAST_DEPTH) or race.is_late():
            return None
        share = vouched(race, matching, agreement)
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


def vouched(race: Race, matching: Matching, agreement: Agreement) -> float:
    """Return the share of exchanges of two moves that make both sides part sooner."""
    rng = random.Random(f"{race.seed}/exchanged")  # noqa: S311  # chance for play
    moves = [made for made in race.made(matching).values() if len(made) > 1]
    if not moves:
        return 0.0
    sooner = 0
    for _ in range(EXCHANGES):
        changed = _exchanged(matching, *rng.sample(rng.choice(moves), 2))
        sooner += race.agreement(changed, race.games).depth < agreement.depth
    return sooner / EXCHANGES


def _exchanged(matching: Matching, one: EngineMove, other: EngineMove) -> Matching:
    """Return a matching with the partners of two moves of ours exchanged, for all who have them."""
    if matching.exchanged is not None:
        return matching.exchanged(one, other)
    partner = {one: other, other: one}

    def ours(position: Position, role: int, move: EngineMove) -> Hashable:
        return matching.ours(position, role, move if role == CHANCE else partner.get(move, move))

    def known(side: int, role: int) -> dict[EngineMove, Hashable]:
        keys = matching.known(side, role)
        if side:
            return keys
        return {move: keys[p] for move in keys if (p := partner.get(move, move)) in keys}

    return replace(matching, ours=ours, known=known, is_verbatim=False)
