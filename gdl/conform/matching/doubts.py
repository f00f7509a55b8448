"""What is said of a matching that is no more than likely, and where there is none.

In: the race, and the best way that was found. Out: the matching with its doubt in words, or the
error that says what was tried and how a map is given.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Final

from gdl.conform.matching.guess import LEAST_DEPTH
from gdl.conform.matching.matching import Matching, UnmatchedError, how_to_map
from gdl.conform.matching.places import first_place
from gdl.conform.matching.race import GAMES, Agreement, Race
from gdl.conform.source import Source, in_turn
from gdl.conform.sources.guarded import Unfailing

HALF: Final = 0.5
"""Share of the games from which on the winner is taken without a word."""
FEW_GAMES: Final = 5
"""Trial games from which on the winner is taken without a word."""
LEAST_SHARED: Final = 0.8
"""Share of moves that have a partner in games behind what differs, at least."""


def with_doubt(matching: Matching, agreement: Agreement, least: float = HALF) -> Matching:
    """Return the winner, with a doubt where there was time for a few games only, or few agree."""
    if matching.doubt:
        return matching
    if agreement.games >= FEW_GAMES:
        if agreement.whole >= least:
            return matching
        doubt = (
            "the matching is in doubt: under the best way to read the moves both agree to the "
            f"end in {agreement.whole:.0%} of {agreement.games} games"
        )
        remedy = "; --map says which is right"
    else:
        doubt = (
            f"the matching is in doubt: the time was over after {agreement.games} games under it"
        )
        remedy = "; --save-map and --map keep one that is right"
    # No map says what hangs on the position.
    return replace(matching, doubt=doubt if matching.is_positional else doubt + remedy)


def different(best: tuple[Matching, Agreement] | None, every: int) -> Matching | None:
    """Return the best matching, where under each table of moves some games differ."""
    if best is None:
        return None
    doubt = (
        f"the matching is in doubt: both differ in some game under each of the {every} tables of "
        f"moves that there are; under this one {best[1].full:.0%} agree; --map says which is right"
    )
    return replace(best[0], doubt=doubt)


def in_part(agreement: Agreement) -> str:
    """Return the doubt of a table that play has taught, and some games contradict."""
    return (
        "the matching is in doubt: it was learned by play, and no table of moves was met under "
        f"which all games agree; under this one {agreement.full:.0%} do; --map says which is right"
    )


def doubted(race: Race, best: tuple[Matching, Agreement] | None) -> Matching | None:
    """Return the matching under which a difference is shown though little vouches for it.

    Where both part under every way to read the moves, they differ, whichever is right; that
    is only said where the best one agrees for a while, or loses few of the moves in games that
    go on behind what differs.
    """
    if best is not None and best[1].depth >= LEAST_DEPTH:
        doubt = (
            f"the matching is in doubt: both part in nearly every game under each of the "
            f"{race.count} ways to read the moves that fit the first position; under this one they "
            f"agree for {best[1].depth:.1f} moves on average"
        )
        return replace(best[0], doubt=doubt)
    near = [matching for _, matching in race.near] + ([] if best is None else [best[0]])
    if not near:
        return None
    shares = [race.tolerance(matching) for matching in near]
    share = max(shares)
    if share < LEAST_SHARED:
        return None
    doubt = (
        "the matching is in doubt: both part in the first positions under every way to read the "
        f"moves; under this one {share:.0%} of the moves in games that go on behind what differs "
        "have a partner"
    )
    return replace(near[shares.index(share)], doubt=doubt)


def unmatched(race: Race, best: Agreement | None) -> UnmatchedError:
    """Return the error that says what was tried."""
    ours, theirs, ways = race.source, race.theirs, race.count
    position, other = ours.initial(), theirs.initial()
    listed = []
    for source, here in ((ours, position), (theirs, other)):
        moves = list(islice(in_turn(source, here), 6))
        texts = ", ".join(source.text(here, r, m) or str(m) for r, m in moves)
        count = sum(1 for _ in in_turn(source, here))
        listed.append(f"{source.name} begins with {count} moves: {texts} ...")
    if race.failure:
        listed.append(f"{theirs.name} fails in games of its own: {race.failure}")
    if best is not None:
        listed.append(
            f"{ways} ways to read them fit the first position; the best one agrees to the "
            f"end in {best.whole:.0%} of {GAMES} games"
        )
    message = f"the moves of {ours.name} and {theirs.name} could not be matched"
    help_ = (
        f"{how_to_map(ours)}; an engine of your own may answer format(move) with a text such as "
        "c1; --allow whole-turns reads moves that a player makes in a row as one"
    )
    if next(in_turn(theirs, other), None) is None:
        message = f"{theirs.name} has no legal move in the first position"
        help_ = "legal_moves answers what may be done there, and to_move whose turn it is"
    elif _are_never_equal(theirs):
        message = f"{theirs.name} answers other moves when it is asked again for the same ones"
        help_ = (
            "moves are told apart by == and hash: answer numbers, texts or tuples, or give their "
            "class __eq__ and __hash__, as @dataclass(frozen=True) does"
        )
    elif first_place(Unfailing(theirs).as_source(), 0) is not None:
        message = f"in which order {theirs.name} lists its legal moves could not be told"
        help_ = (
            "its moves are places in that list; let legal_moves answer what each move is, a square "
            "or a text such as c1"
        )
    return UnmatchedError(f"{message}: nothing was compared", help=help_, notes=tuple(listed))


def _are_never_equal(source: Source) -> bool:
    """Return whether the first moves are others each time they are asked for."""
    once, again = (dict.fromkeys(in_turn(source, source.initial())) for _ in range(2))
    return bool(once) and once.keys().isdisjoint(again)
