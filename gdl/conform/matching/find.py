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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, product
from typing import Final

from gdl.conform.allowance import Allowance
from gdl.conform.conventions import RETURNS_SCALED
from gdl.conform.matching import counts
from gdl.conform.matching.candidates import (
    OURS,
    THEIRS,
    TRIED,
    OnStage,
    Seen,
    candidates,
    role_orders,
    ways,
    with_signs,
)
from gdl.conform.matching.chance import DOUBT, are_bare_numbers, orders
from gdl.conform.matching.doubts import HALF, different, doubted, in_part, unmatched, with_doubt
from gdl.conform.matching.ends import by_ends
from gdl.conform.matching.graph import by_steps_between
from gdl.conform.matching.guess import VOUCHED, best_guess, mended, vouched
from gdl.conform.matching.learned import every_table, learned, universes
from gdl.conform.matching.matching import Matching, UnmatchedError, by_moves
from gdl.conform.matching.outcomes import outcome_keys
from gdl.conform.matching.places import by_places, first_place
from gdl.conform.matching.quotients import Divided, divisors
from gdl.conform.matching.race import GAMES, Agreement, Race
from gdl.conform.matching.refined import Tables, begun, refined
from gdl.conform.matching.rules_of_words import by_pairs
from gdl.conform.matching.sample import Rows, sample
from gdl.conform.matching.steps import Steps, schemes
from gdl.conform.source import Source
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
TRIED_BESIDE: Final = 1_000
"""Candidates of less plain ways beside one that words vouch for and most games bear out."""
TRIED_STEPS: Final = 1_500
"""Candidates that name our moves by how far they lead."""
NEARLY_ALL: Final = 0.9
"""Share of whole games from which on no less plain way to read moves is looked for."""
BETTER: Final = 0.1
"""Share of whole games by which a less plain way to read moves has to be better."""
LEAST_AGREEMENT: Final = 0.02
"""Share of the games in which turns, moves and ends have to agree to the end, at least."""
FEW_WORDS: Final = 0.75
"""Share of the games from which on the winner is taken without a word, where no word of the rules
vouches for it, but the order of bare numbers, or play."""
CHANCE_GAMES: Final = 200
"""Trial games in which an order of the outcomes of chance is held to what is paid."""
LEAST_LEARNED: Final = 0.8
"""Share of the games that have to agree where play alone vouches for a matching."""
LEARNED_PLIES: Final = 1_000_000
"""Positions that are compared while a table is learned, at most."""
ENDS_GAMES: Final = 120
"""Trial games of tables of moves that end games together."""


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
    # Bare numbers that are more than our moves may say something beside: first without that.
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
        with_signs(sample(met.as_source(), tuple(reader for _, reader in THEIRS), seed, is_late)),
    )
    race.has_failed, race.failure = met.has_failed, met.failure
    is_bare = _is_bare(seen)
    listed = _by_places(race, seen, on_stage) if is_bare else None
    best = listed
    if listed is None or listed[1].full < 1:
        best = _by_words(race, seen, on_stage)
        if listed is not None and (best is None or _is_longer(listed[1], best[1])):
            best = listed
    if best is not None and best[1].is_aside:
        return _with_chance(*best, race, on_stage)[0]
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
            return replace(with_doubt(*taken, least), is_cut=race.is_late())
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
    likely = (
        learned_table
        or _guessed(race, by_words)
        or (None if is_guess and _may_be_equal(race) else doubted(race, by_words))
        or (different(best, every) if every else None)
    )
    if likely is not None:
        return replace(likely, is_cut=race.is_late())
    raise unmatched(race, None if best is None else best[1])


def _told(
    race: Race, seen: Seen, best: tuple[Matching, Agreement] | None
) -> tuple[Matching, Agreement] | None:
    """Return the best way, as one that words vouch for where a way to read them says the same."""
    if best is None or best[0].is_told:
        return best
    plainest = islice(ways(race, seen, is_any=False, most_outcomes=1), TOLD)
    if any(way is not None and way.is_told and _is_same(best[0], way) for way in plainest):
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
        candidate = race.best(candidates(race, seen, on_stage, is_any=is_any, tried=tried))
        if candidate is not None and candidate[1].is_aside:
            return candidate
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
        for mine, yours, order in product(*seen, role_orders(race.ours, race.theirs))
        if not yours.is_empty
        for chance in outcome_keys(mine, seen[1])
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
        named = candidates(again, seen, on_stage, is_any=True, tried=TRIED_STEPS)
        fittest = again.best(named)
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
    orders = role_orders(race.source, race.theirs)
    outcomes = outcome_keys(mine, seen[1])
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
    orders = role_orders(race.source, race.theirs)
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
    return replace(matching, doubt=in_part(agreement)), agreement


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
    orders = role_orders(race.source, race.theirs)
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


def _every(race: Race) -> Matching | int:
    """Return a table of moves under which all trial games agree, where all tables can be tried.

    Returns:
        The table; else how many there are, 0 where these are too many.
    """
    sides = race.source, Unfailing(race.theirs, race.is_late).as_source()
    tables = every_table(*sides, role_orders(*sides), race.seed)
    for table in tables:
        for number in range(race.games):
            if any(race.losses(table, [number])[0]):
                break
        else:
            return table
    return len(tables)


def _learned(ours: Source, theirs: Source, race: Race, seed: int) -> Matching | None:
    """Return the table of moves under which both sides agree best, None where none is good."""
    nearest: tuple[Agreement, Matching] | None = None
    orders = role_orders(ours, theirs)
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
        return replace(nearest[1], doubt=in_part(nearest[0]))
    return None
