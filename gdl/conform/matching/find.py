"""Finding which roles and moves of two sources stand for each other.

Tried in turn: a map that the user gives; the same text; the same words at other places or in
another order; the numbers of moves; and, where a move has neither, which moves have the same
effects, learned by play (`gdl.conform.matching.learned`). Each way is a candidate. Those that fit
the first position play the same games (`gdl.conform.matching.race`), and the one that agrees the
longest is taken, if it agrees well enough to be no accident; else nothing is compared, and an
error says what was tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations, islice, permutations, product
from typing import Final, TypeAlias

import numpy as np

from gdl.conform.allowance import Allowance
from gdl.conform.conventions import PASS_LEFT_OUT, RETURNS_SCALED, WHOLE_TURNS
from gdl.conform.matching import counts
from gdl.conform.matching.chance import DOUBT, are_bare_numbers, grouped, orders
from gdl.conform.matching.columns import (
    MOST_READINGS,
    NONE,
    Kind,
    Reading,
    are_as_many,
    are_told,
    in_ranges,
    kinds,
    partners,
    readings,
    shape_of,
)
from gdl.conform.matching.directions import READERS, of_middle
from gdl.conform.matching.ends import by_ends
from gdl.conform.matching.graph import by_steps_between
from gdl.conform.matching.guess import LEAST_DEPTH, VOUCHED, best_guess, mended, vouched
from gdl.conform.matching.learned import every_table, learned, universes
from gdl.conform.matching.matching import Key, Matching, UnmatchedError, Unmet, by_moves
from gdl.conform.matching.places import by_places, first_place
from gdl.conform.matching.quotients import Divided, divisors
from gdl.conform.matching.race import GAMES, Agreement, Race
from gdl.conform.matching.refined import Tables, begun, refined
from gdl.conform.matching.rules_of_words import by_pairs
from gdl.conform.matching.sample import Rows, sample
from gdl.conform.matching.steps import Steps, schemes
from gdl.conform.matching.synonyms import by_synonyms
from gdl.conform.matching.tokens import (
    Reader,
    Word,
    Words,
    in_digits,
    last_apart,
    of_kif,
    of_letters,
    of_number,
    of_signed,
    of_text,
    of_value,
)
from gdl.conform.source import CHANCE, EngineMove, Position, Source, in_turn
from gdl.conform.sources.guarded import Unfailing
from gdl.conform.twin import Choice

SAMPLING: Final = 0.3
"""The part of the time that moves may be sampled in."""
DIVISORS: Final = 0.2
"""The part of the time in which numbers are looked for by which those of moves may be divided."""
DIVIDING: Final = 0.7
"""The part of the time in which the numbers of moves may be tried without their last digit."""
REFINING: Final = 0.6
"""The part of the time that may be over when moves are matched by where they are legal."""
LEARNING: Final = 0.8
"""The same of moves that are matched by what they do."""
TOLD: Final = 2_000
"""Ways to read words that are looked through for one that says what an order of moves does."""
TRIED: Final = 40_000
"""Candidates that are held against the first position."""
MOST_DIRECTED: Final = 1_000
"""Ways to read a square and a way as some of their words, at most: many orders of the ways fit."""
TRIED_BESIDE: Final = 1_000
"""The same of less plain ones beside one that words vouch for and most games bear out."""
TRIED_STEPS: Final = 1_500
"""The same of those that name our moves by how far they lead."""
NEARLY_ALL: Final = 0.9
"""Share of whole games from which on no less plain way to read moves is looked for."""
BETTER: Final = 0.1
"""Share of whole games by which a less plain way to read moves has to be better."""
LEAST_AGREEMENT: Final = 0.02
"""Share of the games in which turns, moves and ends have to agree to the end, at least."""
HALF: Final = 0.5
"""Share of the games from which on the winner is taken without a word."""
FEW_WORDS: Final = 0.75
"""The same where no word of the rules vouches for it, but the order of bare numbers, or play."""
FEW_GAMES: Final = 5
"""Trial games from which on the winner is taken without a word."""
CHANCE_GAMES: Final = 200
"""Trial games in which an order of the outcomes of chance is held to what is paid."""
LEAST_LEARNED: Final = 0.8
"""The same where play alone vouches for a matching."""
LEARNED_PLIES: Final = 1_000_000
"""Positions that are compared while a table is learned, at most."""
ENDS_GAMES: Final = 120
"""Trial games of tables of moves that end games together."""
LEAST_SHARED: Final = 0.8
"""Share of moves that have a partner in games behind what differs, at least."""

OURS: Final[tuple[tuple[str, Reader], ...]] = (("notation", of_text), ("KIF", of_kif))
THEIRS: Final[tuple[tuple[str, Reader], ...]] = (
    ("text", of_text),
    ("numbers", of_number),
    ("values", of_value),
    ("letters", of_letters),
    ("text with signs", of_signed),
)


OnStage: TypeAlias = Callable[[str], None]
"""Told of what is done."""


def find_matching(  # noqa: PLR0913  # two sides, and what a user may say
    ours: Source,
    theirs: Source,
    *,
    seed: int = 0,
    allowed: frozenset[str] = frozenset(),
    allowance: Allowance | None = None,
    plays: Sequence[Sequence[Choice]] = (),
    on_stage: OnStage = lambda _: None,
) -> Matching:
    """Return which roles and moves of two sources stand for each other.

    Args:
        ours: Our side.
        theirs: The other.
        seed: Of the games that are played.
        allowed: Conventions that are no difference.
        allowance: Time after which the best one so far is taken.
        plays: Choices of ours that are among the games: what both parted in under a guess before.
        on_stage: Told of what is done.

    Raises:
        UnmatchedError: Nothing fits; says what was tried, and how a map is given.
    """
    if len(ours.roles) != len(theirs.roles):
        raise UnmatchedError(
            f"{ours.name} has {len(ours.roles)} players, {theirs.name} has {len(theirs.roles)}",
            help="an engine's parameters are written like this: pyspiel:NAME(players=2)",
        )
    allowance = allowance or Allowance(None)
    part = allowance.part(DIVIDING)
    is_late = allowance.part(DIVISORS).is_spent
    for divisor in divisors(ours, Unfailing(theirs).as_source(), seed, is_late):
        divided = Divided(theirs, divisor)
        sides = ours, divided.as_source()
        try:
            return divided.unnamed(_found(Race(*sides, seed, allowed, part, plays), on_stage))
        except UnmatchedError:
            continue
    return _found(Race(ours, theirs, seed, allowed, allowance, plays), on_stage)


def _found(race: Race, on_stage: OnStage) -> Matching:
    """Return which roles and moves of the two sides of a race stand for each other."""
    ours, theirs, seed = race.source, race.theirs, race.seed
    on_stage("matching moves by their texts")
    met = Unfailing(theirs)
    is_late = race.allowance.part(SAMPLING).is_spent
    seen = (
        sample(ours, tuple(reader for _, reader in OURS), seed, is_late),
        _with_signs(sample(met.as_source(), tuple(reader for _, reader in THEIRS), seed, is_late)),
    )
    race.has_failed, race.failure = met.has_failed, met.failure
    is_bare = _is_bare(seen)
    listed = _by_places(race, seen, on_stage) if is_bare else None
    best = listed
    if listed is None or listed[1].full < 1:
        best = _by_words(race, seen, on_stage)
        if listed is not None and (best is None or _is_longer(listed[1], best[1])):
            best = listed
    by_words = best
    is_guess = best is None or not best[0].is_told
    if best is None or (best is not listed and is_guess and best[1].full < 1):
        on_stage("matching moves by the ends that they lead to")
        best = _by_ends(race, best)
    if best is None or best[1].whole < HALF:
        on_stage("matching moves by where they are legal")
        best = _refined(race, best)
    # A table of moves bends to what was met, where words that read alike do not: it has to agree
    # in more games.
    by_play = best is not by_words
    is_guess = by_play or is_guess
    if best is not None and best[1].whole >= (HALF if by_play else LEAST_AGREEMENT):
        taken = _borne_out(race, best, on_stage) if is_guess else best
        if taken is not None:
            taken = _with_chance(*taken, race, on_stage)
            least = FEW_WORDS if is_guess else HALF
            return replace(_with_doubt(*taken, least), is_cut=race.is_late())
    return _without_words(race, best, by_words, on_stage, is_guess=is_guess)


def _without_words(
    race: Race,
    best: tuple[Matching, Agreement] | None,
    by_words: tuple[Matching, Agreement] | None,
    on_stage: OnStage,
    *,
    is_guess: bool,
) -> Matching:
    """Return a table of moves that play has taught, or what else is known where it teaches none."""
    on_stage("matching moves by what they do")
    every = _every(race)
    if isinstance(every, Matching):
        return every
    learned_table = _learned(race.source, race.theirs, race, race.seed)
    # Under a table that few games bear out a difference would say nothing of the rules, unless
    # it is the bug that all meet, and all before it bears the table out.
    doubted = (
        learned_table
        or _guessed(race, by_words)
        or (None if is_guess and _may_be_equal(race) else _doubted(race, by_words))
        or (_different(best, every) if every else None)
    )
    if doubted is not None:
        return replace(doubted, is_cut=race.is_late())
    raise _unmatched(race, None if best is None else best[1])


def _told(
    race: Race, seen: Seen, best: tuple[Matching, Agreement] | None
) -> tuple[Matching, Agreement] | None:
    """Return the best way, as one that words vouch for where a way to read them says the same."""
    if best is None or best[0].is_told:
        return best
    ways = islice(_ways(race, seen, is_any=False, most_outcomes=1), TOLD)
    if any(way is not None and way.is_told and _is_same(best[0], way) for way in ways):
        return replace(best[0], is_told=True), best[1]
    return best


def _is_same(table: Matching, other: Matching) -> bool:
    """Return whether moves that are partners in a table are, too, under another matching."""
    if table.roles != other.roles:
        return False
    for role, theirs in enumerate(table.roles):
        partner = {key: move for move, key in table.met_keys(1, theirs).items()}
        keys, names = other.met_keys(0, role), other.met_keys(1, theirs)
        for move, key in table.met_keys(0, role).items():
            if move not in keys or names.get(partner.get(key)) != keys[move]:
                return False
    return any(table.met_keys(0, role) for role in range(len(table.roles)))


def _borne_out(
    race: Race, best: tuple[Matching, Agreement], on_stage: OnStage
) -> tuple[Matching, Agreement] | None:
    """Return a guess, mended where some games contradict it; None where play does not bear it out.

    Where exchanges make other games agree longer, but not all, it is not right, and no difference
    is one of the games.
    """
    if best[1].full == 1 or race.has_failed:
        return best
    on_stage("matching moves by exchanges that make both agree longer")
    exchanged = mended(race, best[0])
    if exchanged.is_whole:
        return exchanged.matching, race.agreement(exchanged.matching, race.games)
    is_best = not exchanged.is_nearer and vouched(race, best[0]) >= VOUCHED
    return best if is_best or not _may_be_equal(race) else None


def _by_words(race: Race, seen: Seen, on_stage: OnStage) -> tuple[Matching, Agreement] | None:
    """Return the best way to read the words of moves, their numbers, places or ways."""
    best: tuple[Matching, Agreement] | None = None
    for is_any in (False, True):
        # A bug may cost the right way as many games as a less plain one has to be better by.
        is_likely = best is not None and best[0].is_told and best[1].whole >= FEW_WORDS
        tried = TRIED_BESIDE if is_likely else TRIED
        candidate = race.best(_candidates(race, seen, on_stage, is_any=is_any, tried=tried))
        candidate = _told(race, seen, candidate)
        if candidate is not None and (best is None or _is_better(race, candidate, best)):
            best = candidate
        if best is None or best[1].whole < HALF:
            best = _by_graph(race, best, seen)
        is_right = best is not None and (best[0].is_told or best[1].full == 1)
        if best is not None and is_right and best[1].whole >= NEARLY_ALL:
            break
    if best is None or best[1].whole < HALF:
        on_stage("matching moves by how far they lead")
        best = _by_steps(race, best, seen[1], on_stage)
    return best


def _by_graph(
    race: Race, best: tuple[Matching, Agreement] | None, seen: Seen
) -> tuple[Matching, Agreement] | None:
    """Return the best way so far, or one by the steps between places of the board."""
    by_graph = race.best(
        matching
        for mine, yours, order in product(*seen, _role_orders(race.ours, race.theirs))
        if not yours.is_empty
        for chance in _outcome_keys(mine, seen[1])
        for matching in by_steps_between(mine, yours, order, chance)
        if race.fits(matching)
    )
    if by_graph is None or (best is not None and by_graph[1].whole <= best[1].whole + BETTER):
        return best
    return by_graph


def _by_steps(
    race: Race, best: tuple[Matching, Agreement] | None, theirs: tuple[Rows, ...], on_stage: OnStage
) -> tuple[Matching, Agreement] | None:
    """Return the best way so far, or one that names our moves by how far they lead."""
    for scheme in chain(*(read.either_way for read in schemes(race.source, race.seed))):
        steps = Steps(race.source, scheme)
        again = Race(steps.as_source(), race.theirs, race.seed, race.allowed, race.allowance)
        seen = sample(steps.as_source(), tuple(reader for _, reader in OURS), race.seed), theirs
        ways = _candidates(again, seen, on_stage, is_any=True, tried=TRIED_STEPS)
        fittest = again.best(ways)
        race.count += again.count
        if fittest is not None and (best is None or fittest[1].whole > best[1].whole + BETTER):
            best = steps.unnamed(fittest[0]), fittest[1]
        if best is not None and best[1].whole >= NEARLY_ALL:
            break
    return best


def _is_bare(seen: Seen) -> bool:
    """Return whether moves of theirs are bare numbers, or words that ours do not have."""
    said = {word for rows in seen[0] for row in rows.every for word in row}
    rows = next((rows for rows in seen[1] if not rows.is_empty), seen[1][0]).every
    words = Counter(word for row in rows for word in set(row) if isinstance(word, str))
    telling = {word for word, count in words.items() if count < len(rows)}
    is_one = all(sum(isinstance(word, int) for word in row) <= 1 for row in rows)
    return is_one and telling.isdisjoint(said)


def _may_be_equal(race: Race) -> bool:
    """Return whether nothing says that both sides differ whichever moves stand for each other."""
    if race.has_failed:
        return False
    if race.allowed - {RETURNS_SCALED} or race.ours.has_chance or race.theirs.has_chance:
        return True  # nothing can be counted
    return counts.are_equal(race.ours, race.theirs, race.is_late) and counts.are_as_long(
        race.source, race.theirs, race.seed, race.is_late
    )


def _is_borne_out(race: Race, matching: Matching, *, is_brief: bool = False) -> bool:
    """Return whether a difference under a matching that no words bear out is one of the games.

    It may be one of the matching alone where as many games agree once two of its moves are
    exchanged.
    """
    return vouched(race, matching, is_brief=is_brief) >= VOUCHED or not _may_be_equal(race)


def _by_places(race: Race, seen: Seen, on_stage: OnStage) -> tuple[Matching, Agreement] | None:
    """Return the best way to put our moves in an order, if theirs are places in a list."""
    first = first_place(Unfailing(race.theirs, race.is_late).as_source(), race.seed)
    if first is None:
        return None
    on_stage("matching moves by their places in the list of legal ones")
    mine = seen[0][1]
    orders = _role_orders(race.source, race.theirs)
    outcomes = _outcome_keys(mine, seen[1])
    again = race.beside()
    fittest = again.best(
        matching
        for order, chance in product(orders, outcomes)
        for matching in by_places(mine, order, first, chance)
        if again.fits(matching)
    )
    race.count += again.count
    return fittest if fittest is not None and fittest[1].games == again.games else None


def _by_ends(
    race: Race, best: tuple[Matching, Agreement] | None
) -> tuple[Matching, Agreement] | None:
    """Return the best way so far, or a table of moves that end games together that is better.

    One under which all games agree is, for then the engine plays the same game; else the order of
    bare numbers is likelier, unless it agrees in far fewer games.
    """
    orders = _role_orders(race.source, race.theirs)
    sides = race.source, Unfailing(race.theirs, race.is_late).as_source()
    moves = universes(*sides, race.seed)
    tables = [] if moves is None else list(by_ends(sides, moves, f"{race.seed}", race.is_late))
    again = race.beside()
    again.games = ENDS_GAMES
    method = "which moves end games together, learned by play"
    fittest = again.best(
        by_moves([table] * len(order), order, method) for table in tables for order in orders
    )
    if fittest is None or fittest[1].games < again.games:
        return best
    matching, agreement = fittest
    if agreement.full == 1:
        return fittest
    before = 0.0 if best is None else again.agreement(best[0], agreement.games).whole
    if agreement.whole <= before + BETTER or not _is_borne_out(again, matching):
        return best
    return replace(matching, doubt=_in_part(agreement)), agreement


def _refined(
    race: Race, best: tuple[Matching, Agreement] | None
) -> tuple[Matching, Agreement] | None:
    """Return the best way so far, or pairs of moves that are legal alike where these are better."""
    for matching in _tables(race, refined, race.allowance.part(REFINING).is_spent):
        agreement = race.agreement(matching, race.games)
        if best is None or agreement.whole > best[1].whole + BETTER:
            best = matching, agreement
        if agreement.whole >= NEARLY_ALL:
            break
    return best


def _tables(
    race: Race,
    find: Callable[..., Iterator[tuple[tuple[int, ...], Tables]]],
    is_late: Callable[[], bool],
) -> Iterator[Matching]:
    """Yield the matchings of pairs of moves that are legal alike, as `find` comes upon them."""
    steps = [Steps(race.source, scheme) for scheme in schemes(race.source, race.seed)]
    orders = _role_orders(race.source, race.theirs)
    for named in (*steps, None):
        sources = race.source if named is None else named.as_source(), race.theirs
        for order, tables in find(*sources, orders, race.seed, is_late):
            readers = [(mine, yours) for (_, mine), (_, yours) in product(OURS, THEIRS)]
            method = "where moves are legal, learned by play"
            matching = by_pairs(tables, order, sources, readers, method)
            yield matching if named is None else named.unnamed(matching)


def _guessed(race: Race, by_words: tuple[Matching, Agreement] | None) -> Matching | None:
    """Return a table that the beginnings of games bear out, if for longer than any words.

    Else that by words is one, where they bear it out and no exchange of moves makes it better.
    """
    depth = 0.0 if by_words is None else by_words[1].depth
    table = best_guess(race, _tables(race, begun, race.is_late), depth)
    if table is not None or by_words is None:
        return table
    guess = best_guess(race, [by_words[0]], 0.0)
    return None if guess is None or mended(race, guess).is_nearer else guess


def _is_better(
    race: Race, rival: tuple[Matching, Agreement], best: tuple[Matching, Agreement]
) -> bool:
    """Return whether a less plain way to read moves is better by far, in the same games.

    A bug may cost the right way more games than another one is wrong in; but a way that is wrong
    is so sooner in one game or another than the bug is met. Of ways that no words vouch for one
    under which all games agree is; and where a bug ends all games, one under which none parts as
    soon as the other does.
    """
    agreement = best[1]
    if not best[0].is_told and rival[1].full == 1:
        return agreement.full < 1
    if rival[1].games < agreement.games:
        agreement = race.agreement(best[0], rival[1].games)
    if not best[0].is_told and agreement.whole == rival[1].whole == 0:
        return rival[1].first > agreement.first and rival[1].depth > agreement.depth
    return rival[1].whole > agreement.whole + BETTER and rival[1].first >= agreement.first


def _is_longer(rival: Agreement, best: Agreement) -> bool:
    """Return whether both sides agree in far more games, or else for longer in no fewer."""
    is_no_worse = rival.whole >= best.whole and rival.depth > best.depth
    return is_no_worse or rival.whole > best.whole + BETTER


def _with_chance(
    matching: Matching, agreement: Agreement, race: Race, on_stage: OnStage
) -> tuple[Matching, Agreement]:
    """Return the winner under the best order of outcomes of chance that are bare numbers there."""
    ours, theirs, seed = race.ours, race.theirs, race.seed
    if not are_bare_numbers(ours, theirs, seed):
        return matching, agreement
    on_stage("matching outcomes of chance by what follows from them")
    again = race.beside()
    again.games = CHANCE_GAMES
    reordered = again.best(orders(matching, theirs, seed))
    if reordered is not None:
        matching, agreement = reordered
    return (matching if agreement.full == 1 else replace(matching, doubt=DOUBT)), agreement


def _with_doubt(matching: Matching, agreement: Agreement, least: float = HALF) -> Matching:
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


def _every(race: Race) -> Matching | int:
    """Return a table of moves under which all trial games agree, where all tables can be tried.

    Returns:
        The table; else how many there are, 0 where these are too many.
    """
    sides = race.source, Unfailing(race.theirs, race.is_late).as_source()
    tables = every_table(*sides, _role_orders(*sides), race.seed)
    for table in tables:
        for number in range(race.games):
            if any(race.losses(table, [number])[0]):
                break
        else:
            return table
    return len(tables)


def _different(best: tuple[Matching, Agreement] | None, every: int) -> Matching | None:
    """Return the best matching, where under each table of moves some games differ."""
    if best is None:
        return None
    doubt = (
        f"the matching is in doubt: both differ in some game under each of the {every} tables of "
        f"moves that there are; under this one {best[1].full:.0%} agree; --map says which is right"
    )
    return replace(best[0], doubt=doubt)


def _learned(ours: Source, theirs: Source, race: Race, seed: int) -> Matching | None:
    """Return the table of moves under which both sides agree best, None where none is good."""
    nearest: tuple[Agreement, Matching] | None = None
    orders = _role_orders(ours, theirs)
    met = Unfailing(theirs, race.is_late).as_source()
    most = race.plies + LEARNED_PLIES
    part = race.allowance.part(LEARNING)

    def is_late() -> bool:
        return part.is_spent() or race.plies > most

    for matching in learned(ours, met, race.agreement, orders, seed, is_late):
        score = race.agreement(matching, GAMES)
        if score.full == 1:
            return matching
        if nearest is None or score > nearest[0]:
            nearest = score, matching
    if (
        nearest is not None
        and nearest[0].whole >= LEAST_LEARNED
        and _is_borne_out(race, nearest[1], is_brief=True)
    ):
        return replace(nearest[1], doubt=_in_part(nearest[0]))
    return None


def _in_part(agreement: Agreement) -> str:
    """Return the doubt of a table that play has taught, and some games contradict."""
    return (
        "the matching is in doubt: it was learned by play, and no table of moves was met under "
        f"which all games agree; under this one {agreement.full:.0%} do; --map says which is right"
    )


def _role_orders(ours: Source, theirs: Source) -> list[tuple[int, ...]]:
    """Return ways to match the roles: by their names, where these are the same.

    Names that do not even say alike who begins are only names: in one engine red begins, in
    another one yellow.
    """
    orders = list(permutations(range(len(ours.roles))))
    if set(ours.roles) != set(theirs.roles):
        return orders
    named = tuple(map(theirs.roles.index, ours.roles))
    first, other = ours.movers(ours.initial()), theirs.movers(theirs.initial())
    is_one = len(first) == len(other) == 1 and CHANCE not in (*first, *other)
    if not is_one or named[first[0]] == other[0]:
        return [named]
    return [named, *(order for order in orders if order != named)]


Seen: TypeAlias = tuple[tuple[Rows, ...], tuple[Rows, ...]]
"""The moves that were seen of either side, for each of its readers."""


def _candidates(
    race: Race, seen: Seen, on_stage: OnStage, *, is_any: bool, tried: int = TRIED
) -> Iterator[Matching]:
    """Yield ways to name moves that fit the first position, the plainest first."""
    before = race.count
    for number, matching in enumerate(islice(_ways(race, seen, is_any=is_any), tried)):
        if number % 500 == 0:
            count = race.count - before
            on_stage(f"matching moves: {count} of {number} ways to read them fit at first")
        if matching is not None and race.fits(matching):
            yield matching


def _ways(
    race: Race, seen: Seen, *, is_any: bool, most_outcomes: int | None = None
) -> Iterator[Matching | None]:
    """Yield ways to name moves, None for one that cannot fit the first position."""
    left, right = seen
    orders = _role_orders(race.ours, race.theirs)
    for mine, order in product(left, orders):
        plain = _plain(race.ours, mine.reader), _plain(race.theirs, of_text)
        static = mine.is_static and right[0].is_static
        yield Matching(
            order, *plain, "the same text", is_static=static, is_verbatim=True, is_told=True
        )
    yield from _in_order(left[0], right, orders)
    yield from _by_synonyms(left[0], right, orders)
    numbers = [*_last_apart(right[1]), *(_in_digits(right[1], left) if is_any else ())]
    numbers += [middle for rows in dict.fromkeys(right) for middle in _in_the_middle(rows)]
    mine_read = [(rows, name, False) for rows, (name, _) in zip(left, OURS, strict=True)]
    for (mine, name, directed), (yours, (text, _)) in product(
        [*mine_read, *_by_directions(left[1])], [*zip(right, THEIRS, strict=False), *numbers]
    ):
        if yours.is_empty or _is_read_before(yours, right):
            continue
        method = f"{name} read as {text}: the same words in other places or orders"
        first = _First(race, mine, yours)
        tried: set[Hashable] = set()
        outcomes = list(enumerate(_outcome_keys(mine, right)[:most_outcomes]))
        for order, (kinds_, by_kind) in product(orders, _tellings(mine, yours, is_any=is_any)):
            most = MOST_DIRECTED if directed else MOST_READINGS
            for pair in readings(*kinds_, by_kind=by_kind, is_any=is_any, most=most):
                reading = _Read(mine, yours, pair, kinds_)
                may_fit = first.may_fit(reading, order)
                for number, chance in outcomes:
                    identity = order, number, reading.partners.tobytes()
                    if identity not in tried:
                        tried.add(identity)
                        yield reading.matching(order, chance, method) if may_fit else None


def _is_read_before(yours: Rows, other: Sequence[Rows]) -> bool:
    """Return whether another of their readers, before this one, reads all moves so."""
    before = other[: other.index(yours)] if yours in other else ()
    return any(rows.every == yours.every for rows in before)


Told: TypeAlias = tuple[Sequence[Kind], Sequence[Kind]]
"""The kinds of the moves of either side."""


def _tellings(mine: Rows, yours: Rows, *, is_any: bool) -> list[tuple[Told, bool]]:
    """Return ways to tell kinds of moves apart, and whether long words do; plain ones at first."""
    plain: list[tuple[Told, bool]] = [
        ((mine.kinds[by_kind], yours.kinds[by_kind]), by_kind) for by_kind in (True, False)
    ]
    if are_as_many(mine.products, yours.products):
        return [((mine.products, yours.products), True), *plain]
    if not is_any:
        return plain
    sizes = [len(kind.numbers) for kind in mine.products]
    ranges = in_ranges(yours.kinds[True], sizes if len(sizes) > 1 else ())
    return [*plain, *(((mine.products, parts), True) for parts in ranges)]


def _in_order(
    mine: Rows, other: tuple[Rows, ...], orders: Sequence[tuple[int, ...]]
) -> Iterator[Matching]:
    """Yield the ways in which the moves of each player, put in order, stand for each other.

    The houses of kalah are A1 to F1 and A2 to F2 here, 1 to 6 and 8 to 13 there. Play has to meet
    as many moves of a player on either side. Outcomes of chance are for other ways to read.
    """
    if mine.source.has_chance or other[0].source.has_chance:
        return
    for yours, order in product(other, orders):
        if yours.is_empty or not (mine.moves and yours.moves):
            continue
        tables: list[list[dict[EngineMove, EngineMove]]] = []
        for role, theirs in enumerate(order):
            lists = _sorted(mine, role), _sorted(yours, theirs)[:1]
            if lists[0] and _are_same_words(mine, role, yours, theirs):
                # Who calls one side of a coin heads does not mean tails: no order but their own.
                lists = lists[0][:1], lists[1]
            same = [zip(a, b, strict=True) for a, b in product(*lists) if len(a) == len(b)]
            tables.append(_distinct(map(dict, same)))
        for choice in product(*tables):
            yield by_moves(choice, order, "the moves of each player in their order")


def _by_synonyms(
    mine: Rows, other: tuple[Rows, ...], orders: Sequence[tuple[int, ...]]
) -> Iterator[Matching]:
    """Yield the ways in which one side has several words for one move of the other."""
    method = "several words of one side for one of the other, never legal together"
    for order in orders:
        for words in by_synonyms(mine, other[0], order):
            for chance in _outcome_keys(mine, other):
                keys = (_called(words[0], chance[0]), _called(words[1], chance[1]))
                yield Matching(order, *keys, method, is_static=True)


def _called(words: Mapping[EngineMove, EngineMove], chance: Key) -> Key:
    """Return the key of moves by what they are called."""

    def key(position: Position, role: int, move: EngineMove) -> Hashable:
        if role == CHANCE:
            return chance(position, role, move)
        return words.get(move, Unmet(move))

    return key


def _sorted(rows: Rows, role: int) -> list[list[EngineMove]]:
    """Return the moves of a player in order of their words, from either end, up and down."""
    moves, numbers = rows.moves.get(role, ((), ()))
    pairs = [
        (move, tuple(map(_rank, rows.every[n]))) for move, n in zip(moves, numbers, strict=True)
    ]
    if len({move for move, _ in pairs}) < len(pairs):
        return []
    orderings = []
    for step, is_down in product((1, -1), (False, True)):
        pairs.sort(key=lambda pair: pair[1][::step], reverse=is_down)  # at once
        orderings.append([move for move, _ in pairs])
    return orderings


def _are_same_words(mine: Rows, role: int, yours: Rows, theirs: int) -> bool:
    """Return whether the moves of a player have the same words on both sides, not only numbers."""
    left, right = (
        {rows.every[number] for number in rows.moves.get(player, ((), ()))[1]}
        for rows, player in ((mine, role), (yours, theirs))
    )
    return left == right and any(isinstance(word, str) for words in left for word in words)


def _rank(word: Word) -> tuple[bool, Word]:
    return isinstance(word, str), word


def _distinct(tables: Iterable[dict[EngineMove, EngineMove]]) -> list[dict[EngineMove, EngineMove]]:
    tables_found: list[dict[EngineMove, EngineMove]] = []
    for table in tables:
        if table not in tables_found:
            tables_found.append(table)
    return tables_found


def _last_apart(rows: Rows) -> Iterator[tuple[Rows, tuple[str, Reader]]]:
    """Yield the numbers that were seen, with the last one as a word, where there are several."""
    numbers = {word for row in rows.every for word in row if len(row) == 1}
    if len(numbers) > 1 and rows.is_static:
        reader = last_apart(max(number for number in numbers if isinstance(number, int)))
        yield rows.read_by(reader), ("numbers, the last one apart", reader)


def _with_signs(theirs: tuple[Rows, ...]) -> tuple[Rows, ...]:
    """Return the moves that were seen, without the reading of signs where hyphens are none.

    A hyphen that stands between two words stands there in every move; a sign in some of them.
    """
    *others, signed = theirs
    plain = {row for row in signed.every if all(isinstance(word, str) or word >= 0 for word in row)}
    shapes = {shape_of(row, by_kind=True) for row in plain & set(others[0].every)}
    is_sign = any(shape_of(row, by_kind=True) in shapes for row in set(signed.every) - plain)
    return theirs if is_sign else tuple(others)


def _in_the_middle(rows: Rows) -> Iterator[tuple[Rows, tuple[str, Reader]]]:
    """Yield moves between two places as one place between them, where that tells them apart.

    Only those that are read by what they are: the text of a move may hang on its position.
    """
    read_ = rows.reader

    def read(source: Source, position: Position, role: int, move: EngineMove) -> Words:
        return of_middle(read_(source, position, role, move))

    between = [of_middle(row) for row in rows.every]
    if (
        read_ in {of_number, of_value}
        and rows.is_static
        and between != rows.every
        and len(set(between)) == len(between) > 1
    ):
        yield rows.read_by(read), ("the middle of two places", read)


def _in_digits(rows: Rows, ours: Sequence[Rows]) -> Iterator[tuple[Rows, tuple[str, Reader]]]:
    """Yield the numbers that were seen as the squares that they are made of, 64 times one, say."""
    numbers = sorted(word for row in rows.every for word in row if isinstance(word, int))
    is_bare = len(numbers) == len(rows.every) > 1 and numbers[0] >= 0
    if not is_bare or not rows.is_static:
        return
    kinds_ = (kind for mine in ours for kind in mine.kinds[True])
    squares = {
        len(left) * len(right) for kind in kinds_ for left, right in combinations(kind.values, 2)
    }
    for size in sorted(squares):
        count = next((n for n in (1, 2, 3) if numbers[-2] < size**n), 1)
        if count > 1:
            reader = in_digits(size, count)
            yield rows.read_by(reader), (f"numbers in base {size}", reader)


class _First:
    """The first position of both sides, where a way to read moves is tried on all at once."""

    def __init__(self, race: Race, mine: Rows, yours: Rows) -> None:
        self._race = race
        self._rows = _first_rows(race.ours, mine), _first_rows(race.theirs, yours)
        self._is_plain = not race.allowed & {PASS_LEFT_OUT, WHOLE_TURNS}

    def may_fit(self, reading: _Read, order: tuple[int, ...]) -> bool:
        """Return whether no move is left over, or a comparison has to say."""
        ours, theirs = self._rows
        if not self._is_plain or ours is None or theirs is None:
            return True
        if order[ours[0]] != theirs[0]:
            return False
        given, asked = np.sort(reading.partners[ours[1]]), np.sort(reading.same[theirs[1]])
        if np.array_equal(given, asked):
            return True
        share = len(np.intersect1d(given, asked)) / max(len(given), len(asked))
        # One that is nearer than all before is compared in full, which takes note of it.
        return self._race.is_near(share)


def _by_directions(rows: Rows) -> Iterator[tuple[Rows, str, bool]]:
    """Yield our moves from square to square as a square and a way, where they are such."""
    for name, reader in READERS:
        read = rows.read_by(reader)
        if read.every != rows.every:
            yield read, name, True


def _first_rows(source: Source, rows: Rows) -> tuple[int, np.ndarray] | None:
    """Return who moves first, and the numbers of the first moves; None where several do."""
    position = source.initial()
    movers = source.movers(position)
    if len(movers) != 1 or movers == (CHANCE,):
        return None
    (role,) = movers
    numbers = [rows.number(position, role, move) for move in source.legal(position, role)]
    if not all(isinstance(number, int) for number in numbers):
        return None
    return role, np.array(numbers, np.int64)


class _Read:
    """A way to read the moves of both sides alike.

    The key of a move is the number of the move of theirs that it is read as; a move that was not
    seen has the key that the reading gives it.

    Attributes:
        partners: For each move of ours that was seen the number of theirs, ``int64[moves]``.
        same: For each move of theirs the number of the first one that is read alike.
    """

    def __init__(
        self, mine: Rows, yours: Rows, pair: tuple[Reading, Reading], kinds_: Told
    ) -> None:
        self._mine, self._yours, self._pair, self._kinds = mine, yours, pair, kinds_
        self.partners, self.same = partners(
            pair[0].keys(kinds_[0], len(mine.every)),
            pair[1].keys(kinds_[1], len(yours.every)),
        )

    @cached_property
    def _by_key(self) -> dict[Hashable, int]:
        """The first number of their moves by the key that the reading gives them."""
        numbers: dict[Hashable, int] = {}
        for number, row in enumerate(self._yours.every):
            numbers.setdefault(self._pair[1].key(row), number)
        return numbers

    def matching(self, order: tuple[int, ...], chance: OutcomeKeys, method: str) -> Matching:
        """Return the matching of moves that are read so."""
        mine, yours = self._mine, self._yours
        keys = (
            self._key(mine, self.partners, self._pair[0], chance[0]),
            self._key(yours, self.same, self._pair[1], chance[1]),
        )

        def met_keys(side: int, role: int) -> dict[EngineMove, Hashable]:
            moves, numbers = (mine, yours)[side].moves.get(role, ((), np.zeros(0, np.int64)))
            seen = (self.partners, self.same)[side][numbers].tolist()
            return {m: key for m, key in zip(moves, seen, strict=True) if key != NONE}

        is_static = mine.is_static and yours.is_static
        is_told = are_told(self._kinds, self._pair)
        return Matching(
            order, *keys, method, is_static=is_static, is_told=is_told, met_keys=met_keys
        )

    def _key(self, rows: Rows, numbers: np.ndarray, reading: Reading, chance: Key) -> Key:
        """Return the key of a move of one side, given what its seen moves are read as."""

        def key(position: Position, role: int, move: EngineMove) -> Hashable:
            if role == CHANCE:
                return chance(position, role, move)
            row = rows.number(position, role, move)
            if isinstance(row, int):
                number = int(numbers[row])
                if number != NONE:
                    return number
                row = rows.every[row]
            read = reading.key(row)
            return self._by_key.get(read, Unmet(read))

        return key


MOST_OUTCOME_KEYS: Final = 40
"""Ways to read the outcomes of chance, at most."""
FEW_OUTCOMES: Final = 6
"""Outcomes that no words match and that may stand for each other in any order."""


OutcomeKeys: TypeAlias = tuple[Key, Key]
"""The keys of outcomes of chance of either side."""


def _outcome_keys(mine: Rows, theirs: tuple[Rows, ...]) -> list[OutcomeKeys]:
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
    return len(left & right) >= HALF * max(len(left), len(right))


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


def _plain(source: Source, reader: Reader) -> Key:
    def key(position: Position, role: int, move: EngineMove) -> Hashable:
        return reader(source, position, role, move)

    return key


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


def _doubted(race: Race, best: tuple[Matching, Agreement] | None) -> Matching | None:
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


def _unmatched(race: Race, best: Agreement | None) -> UnmatchedError:
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
        "--map FILE says which move stands for which; an engine of your own may answer "
        "format(move) with a text such as c1; --allow whole-turns reads moves that a player makes "
        "in a row as one"
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
