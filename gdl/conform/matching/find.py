"""Finding which roles and moves of two sources stand for each other.

Tried in turn: a map that the user gives; the same text; the same words at other places or in
another order; the numbers of moves; and, where a move has neither, which moves have the same
effects, learned by play (`gdl.conform.matching.learned`). Each way is a candidate. Those that fit
the first position play the same games, and the one that agrees the longest is taken, if it agrees
well enough to be no accident; else nothing is compared, and an error says what was tried.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, permutations, product
from typing import Final, TypeAlias

from gdl.conform.comparison import Comparison, Parting
from gdl.conform.matching.columns import Reading, readings
from gdl.conform.matching.learned import Agreement, learned
from gdl.conform.matching.matching import Key, Matching, UnmatchedError
from gdl.conform.matching.tokens import Reader, Words, of_kif, of_number, of_text, of_value
from gdl.conform.source import CHANCE, EngineMove, Position, Source, in_turn
from gdl.conform.sources.guarded import EngineFailure

SAMPLED_POSITIONS: Final = 1_500
SAMPLED_MOVES: Final = 40_000
KEPT: Final = 1_600
"""Candidates that fit the first position and are put to the test."""
TRIED: Final = 20_000
"""Candidates that are held against the first position."""
ENOUGH: Final = 40
"""Games in which the winner has played."""
NEARLY_ALL: Final = 0.9
"""Share of whole games with which a candidate is taken without looking at others."""
FEW: Final = 200
"""Candidates that play several games before the first of them go."""
PLAIN_AGREEMENT: Final = 0.2
"""Share of whole games from which on no less plain way to read moves is looked for."""
LEAST_AGREEMENT: Final = 0.02
"""Share of the games in which turns, moves and ends have to agree to the end, at least."""
LEAST_LEARNED: Final = 0.8
"""The same where play alone vouches for a matching."""
LEAST_DEPTH: Final = 3.0
"""Moves for which a matching has to agree on average to show a difference, at least."""
LEAST_COMMON: Final = 0.6
"""Share of the first moves that have a partner, at least, where not all have."""
STRUCTURE: Final = frozenset({"turn", "legal", "terminal", "failure"})
"""Kinds of differences that speak against a matching; returns do not."""


@dataclass(frozen=True)
class Sample:
    """What was seen of one side.

    Attributes:
        rows: Its moves as words, for each way to read them and each role.
        is_static: Whether a move was written the same wherever it was met.
    """

    rows: tuple[dict[int, set[Words]], ...]
    is_static: bool


def sample(source: Source, readers: tuple[Reader, ...], seed: int) -> Sample:
    """Return the moves that random play of a source meets."""
    rng = random.Random(f"{seed}/sample")  # noqa: S311  # chance for play, not for secrets
    rows: tuple[dict[int, set[Words]], ...] = tuple(defaultdict(set) for _ in readers)
    texts: dict[tuple[int, EngineMove], Words] = {}
    is_static = True
    moves, position = 0, source.initial()
    for _ in range(SAMPLED_POSITIONS):
        if source.is_terminal(position):
            position = source.initial()
        for role, move in in_turn(source, position):
            moves += 1
            for reader, seen in zip(readers, rows, strict=True):
                row = reader(source, position, role, move)
                seen[role].add(row)
                if reader is of_text and is_static:
                    is_static = texts.setdefault((role, move), row) == row
        if moves > SAMPLED_MOVES:
            break
        legal_of = {role: source.legal(position, role) for role in source.movers(position)}
        if not all(legal_of.values()):  # stuck; the comparison will say so
            position = source.initial()
            continue
        choice = {role: rng.choice(each) for role, each in legal_of.items()}
        try:
            position = source.play(position, choice)
        except EngineFailure:  # the comparison will say so
            position = source.initial()
    return Sample(rows, is_static)


OURS: Final[tuple[tuple[str, Reader], ...]] = (("notation", of_text), ("KIF", of_kif))
THEIRS: Final[tuple[tuple[str, Reader], ...]] = (
    ("text", of_text),
    ("numbers", of_number),
    ("values", of_value),
)


def find_matching(
    ours: Source,
    theirs: Source,
    *,
    seed: int = 0,
    allowed: frozenset[str] = frozenset(),
    on_stage: Callable[[str], None] = lambda _: None,
) -> Matching:
    """Return which roles and moves of two sources stand for each other.

    Raises:
        UnmatchedError: Nothing fits; says what was tried, and how a map is given.
    """
    if len(ours.roles) != len(theirs.roles):
        raise UnmatchedError(
            f"{ours.name} has {len(ours.roles)} players, {theirs.name} has {len(theirs.roles)}",
            help="an engine's parameters are written like this: pyspiel:NAME(players=2)",
        )
    race = Race(ours, theirs, seed, allowed)
    best: tuple[Matching, float] | None = None
    count = 0
    for is_any in (False, True):
        on_stage("matching moves by their texts")
        kept = race.fitting(_candidates(ours, theirs, seed, is_any=is_any))
        on_stage(f"matching moves: {len(kept)} ways to read them fit the first position")
        winner = race.best(kept)
        count += len(kept)
        if winner is not None and winner[1] >= PLAIN_AGREEMENT:
            return winner[0]
        if best is None or (winner is not None and winner[1] > best[1]):
            best = winner
    if best is not None and best[1] >= LEAST_AGREEMENT:
        return best[0]
    on_stage("matching moves by what they do")
    by_play = _learned(ours, theirs, race, seed)
    if by_play is not None:
        return by_play
    doubted = race.doubted(best, count)
    if doubted is not None:
        return doubted
    raise _unmatched(ours, theirs, count, best)


def _learned(ours: Source, theirs: Source, race: Race, seed: int) -> Matching | None:
    """Return the table of moves under which both sides agree best, None where none is good."""
    nearest: tuple[Agreement, Matching] | None = None
    for matching in learned(ours, theirs, race.agreement, _role_orders(ours, theirs), seed):
        score = race.agreement(matching, ENOUGH)
        if score.full == 1:
            return matching
        if nearest is None or score > nearest[0]:
            nearest = score, matching
    if nearest is not None and nearest[0].whole >= LEAST_LEARNED:
        doubt = (
            "the matching is in doubt: it was learned by play, and no table of moves was met "
            f"under which all games agree; under this one {nearest[0].whole:.0%} do"
        )
        return replace(nearest[1], doubt=doubt)
    return None


def _role_orders(ours: Source, theirs: Source) -> list[tuple[int, ...]]:
    """Return ways to match the roles: by their names, where these are the same."""
    if set(ours.roles) == set(theirs.roles):
        return [tuple(map(theirs.roles.index, ours.roles))]
    return list(permutations(range(len(ours.roles))))


def _candidates(ours: Source, theirs: Source, seed: int, *, is_any: bool) -> Iterator[Matching]:
    """Yield ways to name moves, the plainest first."""
    one = sample(ours, tuple(reader for _, reader in OURS), seed)
    other = sample(theirs, tuple(reader for _, reader in THEIRS), seed)
    orders = _role_orders(ours, theirs)
    yield from (
        Matching(
            order,
            _plain(ours, mine),
            _plain(theirs, of_text),
            "the same text",
            is_static=one.is_static and other.is_static,
        )
        for (_, mine), order in product(OURS, orders)
    )
    for (number, (name, mine)), (place, (text, yours)) in product(
        enumerate(OURS), enumerate(THEIRS)
    ):
        if not any(other.rows[place].values()) or other.rows[place][0] == {()}:
            continue
        method = f"{name} read as {text}: the same words in other places or orders"
        rows = _players(one.rows[number]), _players(other.rows[place])
        every = _every(rows[0]), _every(rows[1])
        lucks = _lucks(one.rows[number], other.rows)
        for order in orders:
            for pair, luck in product(readings(*rows, is_any=is_any), lucks):
                yield Matching(
                    order,
                    _read(ours, mine, pair[0], mine, luck[0]),
                    _read(theirs, yours, pair[1], THEIRS[luck[2]][1], luck[1]),
                    method,
                    identity=partial(_identity, order, pair, luck, every),
                    is_static=one.is_static and other.is_static,
                )


def _identity(
    order: tuple[int, ...],
    pair: tuple[Reading, Reading],
    luck: Luck,
    rows: tuple[list[Words], list[Words]],
) -> Hashable:
    """Return which of the moves that were seen a way to read them brings together."""
    theirs = {pair[1].key(row): row for row in rows[1]}
    partners = [theirs.get(pair[0].key(row)) for row in rows[0]]
    return order, tuple(partners), id(luck[0]), id(luck[1])


def _every(rows: dict[int, set[Words]]) -> list[Words]:
    return sorted({row for seen in rows.values() for row in seen}, key=repr)


MOST_LUCKS: Final = 40


Luck: TypeAlias = tuple[Reading | None, Reading | None, int]
"""How outcomes of chance are read on either side, and by which of their readers."""


def _lucks(mine: dict[int, set[Words]], theirs: tuple[dict[int, set[Words]], ...]) -> list[Luck]:
    """Return ways to read the outcomes of chance alike."""
    if not mine.get(CHANCE):
        return [(None, None, 0)]
    found: list[Luck] = []
    for place, rows in enumerate(theirs):
        if rows.get(CHANCE) and rows[CHANCE] != {()}:
            pairs = readings({0: mine[CHANCE]}, {0: rows[CHANCE]}, is_any=False)
            found += [(a, b, place) for a, b in islice(pairs, MOST_LUCKS)]
    return found


def _players(rows: dict[int, set[Words]]) -> dict[int, set[Words]]:
    return {role: seen for role, seen in rows.items() if role != CHANCE}


def _plain(source: Source, reader: Reader) -> Key:
    def key(position: Position, role: int, move: EngineMove) -> Hashable:
        return reader(source, position, role, move)

    return key


def _read(
    source: Source,
    reader: Reader,
    reading: Reading,
    luck_reader: Reader,
    luck: Reading | None,
) -> Key:
    """Return the key of a move that is read so; what is read is kept."""
    kept: dict[Words, Hashable] = {}

    def key(position: Position, role: int, move: EngineMove) -> Hashable:
        if role == CHANCE:
            row = luck_reader(source, position, role, move)
            return row if luck is None else luck.key(row)
        row = reader(source, position, role, move)
        found = kept.get(row)
        if found is None:
            found = kept[row] = reading.key(row)
        return found

    return key


class Race:
    """Candidates that play the same games."""

    def __init__(self, ours: Source, theirs: Source, seed: int, allowed: frozenset[str]) -> None:
        """Prepare; nothing is played yet."""
        self.ours, self.theirs, self.seed, self.allowed = ours, theirs, seed, allowed
        self.nearest: tuple[float, Matching] | None = None

    def comparison(self, matching: Matching) -> Comparison:
        """Return the comparison under a candidate."""
        return Comparison(self.ours, self.theirs, matching, allowed=self.allowed)

    def fitting(self, candidates: Iterator[Matching]) -> list[Matching]:
        """Return the candidates that fit the first position.

        Where none does, the nearest ones are kept in mind: they may show a difference there.
        """
        kept = []
        nearest = self.nearest
        seen: set[Hashable] = set()
        for matching in islice(candidates, TRIED):
            identity = matching.identity()
            if identity is not None and identity in seen:
                continue
            seen.add(identity)
            comparison = self.comparison(matching)
            start = comparison.start()
            if isinstance(start, Parting):
                continue
            answer = comparison.compare(start)
            if isinstance(answer, Parting) and answer.kind in STRUCTURE:
                share = _common(comparison, answer)
                if nearest is None or share > nearest[0]:
                    nearest = share, matching
                continue
            kept.append(matching)
            if len(kept) == KEPT:
                break
        self.nearest = nearest
        return kept

    def doubted(self, best: tuple[Matching, float] | None, count: int) -> Matching | None:
        """Return the matching under which a difference is shown though little vouches for it.

        Where both part under every way to read the moves, they differ, whichever is right; that
        is only said where the best one agrees for a while, or nearly fits the first position.
        """
        if best is not None:
            depth = self.agreement(best[0], ENOUGH).depth
            if depth < LEAST_DEPTH:
                return None
            doubt = (
                f"the matching is in doubt: both part in nearly every game under each of the "
                f"{count} ways to read the moves that fit the first position; under this one they "
                f"agree for {depth:.1f} moves on average"
            )
            return replace(best[0], doubt=doubt)
        if self.nearest is None or self.nearest[0] < LEAST_COMMON:
            return None
        doubt = (
            "the matching is in doubt: no way to read the moves fits the first position; under "
            f"this one {self.nearest[0]:.0%} of the moves there have a partner"
        )
        return replace(self.nearest[1], doubt=doubt)

    def agreement(self, matching: Matching, games: int, least: float = 0.0) -> Agreement:
        """Return how well both sides agree under a candidate.

        Games are chosen on our side from the seed alone, so all candidates play the same. One
        that can no longer agree in a share of at least ``least`` is given up.
        """
        whole, full, far = 0, 0, 0
        comparison = self.comparison(matching)
        for number in range(games):
            rng = random.Random(f"{self.seed}/race/{number}")  # noqa: S311
            depth, kind = play_game(comparison, rng)
            full += kind is None
            whole += kind not in STRUCTURE
            far += depth
            if number - whole >= games * (1 - least):
                break
        return Agreement(whole / games, full / games, far / games)

    def best(self, candidates: list[Matching]) -> tuple[Matching, float] | None:
        """Return the candidate that agrees the longest, with its share of whole games.

        The first one that agrees in nearly all games to the end is taken at once. The others play
        on, twice as many games each time, while the best quarter is kept.
        """
        games, left = (5 if len(candidates) <= FEW else 1), candidates
        while left:
            scored = []
            for matching in left:
                score = self.agreement(matching, games)
                if score.full == 1:
                    score = self.agreement(matching, ENOUGH, NEARLY_ALL)
                    if score.full >= NEARLY_ALL:
                        return matching, score.whole
                scored.append((score, matching))
            scored.sort(key=lambda pair: pair[0], reverse=True)  # stable: the plainest first
            if games >= ENOUGH or len(scored) == 1:
                best = scored[0][1]
                return best, self.agreement(best, ENOUGH).whole
            left = [
                matching for _, matching in scored[: max(len(scored) // 4, min(8, len(scored) - 1))]
            ]
            games *= 2
        return None


MOST_DEPTH: Final = 400
"""Moves after which a trial game is left."""


def play_game(comparison: Comparison, rng: random.Random) -> tuple[int, str | None]:
    """Play one random game; return how far both sides agreed, and the kind of what then differed.

    The kind is None where both agree to the end.
    """
    twin = comparison.start()
    while not isinstance(twin, Parting) and twin.depth < MOST_DEPTH:
        partners = comparison.compare(twin)
        if isinstance(partners, Parting):
            twin = partners
            break
        if not partners:
            return twin.depth, None
        choice = {role: rng.choice(pairs.moves) for role, pairs in partners.items()}
        twin = comparison.step(twin, choice, partners)
    return (twin.twin.depth, twin.kind) if isinstance(twin, Parting) else (twin.depth, None)


def _common(comparison: Comparison, parting: Parting) -> float:
    """Return the share of the moves of a position that have a partner."""
    if parting.kind != "legal" or parting.role is None:
        return 0.0
    twin, role = parting.twin, parting.role
    ours = len(comparison.ours.legal(twin.ours, role))
    theirs = len(comparison.theirs.legal(twin.theirs, comparison.matching.theirs_of(role)))
    return (ours - len(parting.only[0])) / max(ours, theirs, 1)


def _unmatched(
    ours: Source, theirs: Source, count: int, best: tuple[Matching, float] | None
) -> UnmatchedError:
    """Return the error that says what was tried."""
    position, other = ours.initial(), theirs.initial()
    listed = []
    for source, here in ((ours, position), (theirs, other)):
        moves = list(islice(in_turn(source, here), 6))
        texts = ", ".join(source.text(here, r, m) or str(m) for r, m in moves)
        count = sum(1 for _ in in_turn(source, here))
        listed.append(f"{source.name} begins with {count} moves: {texts} ...")
    if best is not None:
        listed.append(
            f"{count} ways to read them fit the first position; the best one agrees to the "
            f"end in {best[1]:.0%} of {ENOUGH} games"
        )
    return UnmatchedError(
        f"the moves of {ours.name} and {theirs.name} could not be matched: nothing was compared",
        help="--map FILE says which move stands for which; --allow whole-turns reads moves that "
        "a player makes in a row as one",
        notes=tuple(listed),
    )
