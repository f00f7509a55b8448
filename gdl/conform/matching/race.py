"""Candidates that play the same games; who contradicts the least wins.

In: ways to match moves, the plainest first. Out: the one under which both sides agree best. All
play the same trial games, chosen on our side alone: every other one seeks an early end, since a
board read wrongly is found out where a game ends, not where a stone is put. A game is broken off
at its first contradiction. Whoever has lost least so far plays next, so that a candidate plays on
only while it may still win: when one has played all games, none can have lost less. One that
never errs is taken without a look at those behind it.

Source: best-first search; successive rejects (Audibert, Bubeck, Munos, 2010).
"""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice, takewhile
from typing import Any, Final, NamedTuple, TypeAlias, cast

from gdl.conform.allowance import Allowance
from gdl.conform.comparison import Comparison, Partners
from gdl.conform.conventions import RETURNS_SCALED, split_convention
from gdl.conform.cuts import CUTS, may_cut
from gdl.conform.matching.matching import Matching
from gdl.conform.source import CHANCE, EngineMove, Position, Source
from gdl.conform.sources.guarded import ASKED, FACTS, EngineFailure
from gdl.conform.twin import Choice, Parting, Twin

GAMES: Final = 40
"""Trial games that the winner has played."""
VERBATIM_GAMES: Final = 16
"""The same where both sides write moves alike and never parted: a board that one of them turns
would have shown in these, and an engine may take a second for each position."""
LONGEST: Final = 400
"""Moves after which a trial game is left."""
PLIES: Final = 80_000
"""Positions that all candidates of one race together may compare."""
ABOUT_RIGHT: Final = 0.3
"""Share of its games that a candidate may lose before all the others are looked at."""
PULLED: Final = 5_000
"""Candidates that are looked at for the share of its games that a better one has lost."""
HOPELESS: Final = 5.0
"""Games that the best may lose, if these are more than half."""
LAST: Final = 24
"""Candidates that play all games where even the best has lost too much."""
NEAR: Final = 24
"""Candidates that do not fit the first position and are kept in mind."""
LIKELY: Final = 2
"""Games without a difference after which a candidate is likely to win more."""
ASIDE_TRIED, ASIDE_GAMES = 24, 16
"""Candidates of which games go on behind moves that one side lacks, and how many games are."""
LEAST_ASIDE: Final = 0.9
"""Share of the moves of these games that have a partner, at least."""
PAIRS, TOLD_APART = 40, 0.8
"""Pairs of moves that have to be told apart by what is legal, and their share."""
LEAST_COMMON: Final = 0.6
"""Share of the first moves that have a partner, at least, where not all have."""
TOLERANT_GAMES: Final = 12
"""Trial games that go on behind what differs."""
LOOKED_AT: Final = 6
"""Moves of a position that a game towards an end looks at."""
SKIMMED: Final = CUTS | {RETURNS_SCALED}
"""Conventions under which the moves of a trial game can be made on their side alone."""
STRUCTURE: Final = frozenset({"turn", "legal", "terminal", "failure"})
"""Kinds of differences that speak against a matching more than others."""
BESIDE: Final = 0.5
"""How much others count, each. Under cards in the wrong order all games of goofspiel have the same
moves, and hardly one the same winner; one move that the engine lacks is no reason to prefer it."""


class Agreement(NamedTuple):
    """How well two sides agree in some games; the greater, the better.

    Attributes:
        whole: Share of the games in which turns, moves and ends agree.
        full: Share of the games without any difference.
        depth: Moves until the first difference or the end, on average.
        games: How many games these are; where there was time for none, nothing speaks against.
        first: Moves until the first difference in turns, moves or ends of any of the games.
        is_aside: Whether all that differs is a few moves that one side lacks, or ends.
    """

    whole: float
    full: float
    depth: float
    games: int
    first: int = LONGEST
    is_aside: bool = False


class Remembered:
    """A source that plays a move from a position once, however often it is asked.

    Positions are kept by identity: the same moves from the start lead to the same object.
    """

    def __init__(self, source: Source) -> None:
        """Remember nothing yet."""
        for name in (*FACTS, *ASKED, "board"):
            if name not in {"initial", "play", "legal"}:
                setattr(self, name, getattr(source, name))
        self._source = source
        self._start = source.initial()
        self._known: dict[int, tuple[Position, dict[Hashable, Any]]] = {}

    def initial(self) -> Position:
        """Return where play begins."""
        return self._start

    def _at(self, position: Position) -> dict[Hashable, Any]:
        """Return what is known of a position, which is kept: its identity stays its own."""
        return self._known.setdefault(id(position), (position, {}))[1]

    def play(self, position: Position, moves: Mapping[int, EngineMove]) -> Position:
        """Return what follows."""
        answers, key = self._at(position), tuple(moves.items())
        if key not in answers:
            answers[key] = self._source.play(position, moves)
        return answers[key]

    def legal(self, position: Position, role: int) -> Any:  # noqa: ANN401
        """Return the moves of a role."""
        answers = self._at(position)
        if role not in answers:
            answers[role] = self._source.legal(position, role)
        return answers[role]


@dataclass
class _Game:
    """A trial game of ours.

    Attributes:
        choices: What is played in each of its positions, by identity.
        plies: Who moves, of how many moves, the move, and who moves then, nobody at the end; None
            where several choose at once, or chance does.
    """

    choices: dict[int, Choice]
    plies: list[tuple[int, int, EngineMove, int | None]] | None


_Ply: TypeAlias = tuple[int, frozenset[EngineMove], EngineMove]
"""Who moves, what may be done on both sides, and what is."""


@dataclass
class _Aside:
    """A game behind moves that one side lacks.

    Attributes:
        shares: Of each position the share of the moves that both sides have.
        plies: Its plies.
        has_end: Whether both parted at an end, or by what it is worth.
    """

    shares: list[float] = field(default_factory=list)
    plies: list[_Ply] = field(default_factory=list)
    has_end: bool = False


@dataclass
class _Runner:
    """A candidate in the race: what it lost in structure and beside, and its place in line."""

    lost: float
    beside: float
    place: int
    matching: Matching
    comparison: Comparison
    games: int = 0
    broken: int = 0
    other: int = 0
    depth: int = 0
    first: int = LONGEST
    played: set[int] = field(default_factory=set)

    def __lt__(self, other: _Runner) -> bool:
        """Return whether it has lost less so far, or as much and is the plainer one."""
        mine, yours = (side.lost + BESIDE * side.beside for side in (self, other))
        return (mine, self.place) < (yours, other.place)

    @cached_property
    def keys(self) -> list[dict[EngineMove, Hashable]]:
        """For each role of ours the keys of its moves that were seen."""
        return [self.matching.met_keys(0, role) for role in range(len(self.matching.roles))]

    @cached_property
    def moves(self) -> list[dict[Hashable, list[EngineMove]]]:
        """For each role of ours the moves of theirs that were seen, by key."""
        tables: list[dict[Hashable, list[EngineMove]]] = []
        for other in self.matching.roles:
            tables.append(defaultdict(list))
            for move, key in self.matching.met_keys(1, other).items():
                tables[-1][key].append(move)
        return tables

    @property
    def enough(self) -> int:
        """Trial games after which it is taken at once; 0 where it has to play all."""
        is_clear = self.matching.is_verbatim and not self.share
        return VERBATIM_GAMES if is_clear else 0

    @property
    def share(self) -> float:
        """The share of its games that it lost."""
        return (self.lost + self.beside) / max(1, self.games)

    def rate(self) -> tuple[float, int]:
        """Return what was lost a game, as if it had lost one of two more."""
        lost = self.lost + 1 + BESIDE * (self.beside + 1)
        return lost / (self.games + 2), self.place

    def agreement(self) -> Agreement:
        """Return how well both sides agreed."""
        games = max(1, self.games)
        whole = 1 - self.broken / games
        depth = self.depth / games
        return Agreement(whole, whole - self.other / games, depth, self.games, self.first)


class Race:
    """The trial games, and the candidates that play them.

    Attributes:
        source: Our side as it is; `ours` remembers all that was asked.
        plays: Choices of ours that are the first of the games: what both sides parted in before.
        games: Trial games that the winner has played.
        count: Candidates that fit the first position.
        near: Of those that do not, some of which most first moves have a partner, the most first.
        is_cut: Whether the race was ended before one had played all games.
        has_failed: Whether the engine fails in games of its own.
        failure: What it raised there, empty where it raised nothing.
        plies: Positions compared since candidates last raced.
    """

    def __init__(  # noqa: PLR0913, PLR0917  # two sides, and what is known of them
        self,
        ours: Source,
        theirs: Source,
        seed: int,
        allowed: frozenset[str],
        allowance: Allowance | None = None,
        plays: Sequence[Sequence[Choice]] = (),
    ) -> None:
        """Prepare; nothing is played yet."""
        self.source, self.plays = ours, plays
        self.ours = cast("Source", Remembered(ours))
        self.theirs, self.seed, self.allowed = theirs, seed, allowed
        self.allowance, self.games = allowance or Allowance(None), GAMES + len(plays)
        self._slow = {split_convention(name)[0] for name in allowed} - SKIMMED
        self.count = 0
        self.near: list[tuple[float, Matching]] = []
        self.is_cut = self.has_failed = False
        self.failure = ""
        self.plies = 0
        self._games: list[_Game] = []
        self._lost: dict[int, None] = {}  # games that a likely winner lost, in this order
        self._met: defaultdict[int, dict[EngineMove, None]] = defaultdict(dict)

    def beside(self) -> Race:
        """Return another race between the same two sides, with games of its own."""
        sides = self.source, self.theirs
        return Race(*sides, self.seed, self.allowed, self.allowance, self.plays)

    def _comparison(self, matching: Matching, *, is_brief: bool) -> Comparison:
        """Return the comparison under a candidate."""
        return Comparison(self.ours, self.theirs, matching, allowed=self.allowed, is_brief=is_brief)

    # Who races -----------------------------------------------------------------------------

    def fits(self, matching: Matching) -> bool:
        """Return whether a candidate fits the first position; the nearest are kept in mind."""
        comparison = self._comparison(matching, is_brief=False)
        start = comparison.start()
        if isinstance(start, Parting):
            return False
        answer = comparison.compare(start)
        if isinstance(answer, Parting) and answer.kind in STRUCTURE:
            share = _common(comparison, answer)
            if self.is_near(share):
                self.near.append((share, matching))
                self.near.sort(key=lambda entry: -entry[0])
                del self.near[NEAR:]
            return False
        return True

    def is_near(self, share: float) -> bool:
        """Return whether one of which so many first moves have a partner is kept in mind."""
        return share >= LEAST_COMMON and (len(self.near) < NEAR or share > self.near[-1][0])

    def best(self, candidates: Iterator[Matching]) -> tuple[Matching, Agreement] | None:
        """Return the candidate that lost the least, with how well it agrees; None for no one.

        Candidates are taken from the iterator only while all before have lost something; the less
        of its games the best has lost, the fewer.
        """
        line: list[_Runner] = []
        tried = 0
        self.plies, self._lost = 0, {}
        while True:
            new = None
            share = line[0].share if line else 1.0
            if share > ABOUT_RIGHT or share * PULLED > len(line):
                new = next(candidates, None)
                if new is not None:
                    self.count += 1
                    heapq.heappush(line, self._runner(new))
            if not line:
                return None
            runner = line[0]
            if runner.games >= (runner.enough or self.games):
                break
            if self._is_over() or (new is None and _is_hopeless(line[0])):
                runner = self._last_of(line)
                break
            self._run_next(runner)
            if runner.broken == 1 and runner.matching.is_told and tried < ASIDE_TRIED:
                tried += 1
                if self.differs_aside(runner.matching):
                    return runner.matching, runner.agreement()._replace(is_aside=True)
            heapq.heapreplace(line, runner)
        return runner.matching, runner.agreement()

    def _last_of(self, line: Sequence[_Runner]) -> _Runner:
        """Return the best of those that have lost least, after the same games, if there is time.

        However many positions all of them have compared: one that has played no game has not lost.
        A bug that most games meet costs the right reading most of them as well, and a few games
        do not say which lost by the bug alone. Twice as many games are played by the better half
        each time: what is behind after a quarter of the games does not win by the rest of them.
        """
        best = sorted(line, key=_Runner.rate)[:LAST]
        for games in (self.games // 4, self.games // 2, self.games):
            for runner in best:
                while runner.games < games and not self.is_late():
                    self._run_next(runner)
            best = sorted(best, key=_Runner.rate)[: -(-len(best) // 2)]
        return best[0]

    def _runner(self, matching: Matching) -> _Runner:
        return _Runner(0.0, 0.0, self.count, matching, self._comparison(matching, is_brief=True))

    def is_late(self) -> bool:
        """Return whether the time for matching is over."""
        return self.allowance.is_spent()

    def _is_over(self) -> bool:
        late = self.is_late()
        self.is_cut = late or self.plies > PLIES
        return self.is_cut

    def _run_next(self, runner: _Runner) -> None:
        """Let a candidate play its next game: one that the likely winner lost, where there is one.

        A board has as many right readings as symmetries, and all lose by a bug: they need not play
        the games that all of them win. Whoever has lost as much as another did in all has not won.
        """
        others = chain(self._lost, range(self.games))
        number = next(n for n in others if n not in runner.played)
        before = runner.share * runner.games
        self._run(runner, number)
        runner.played.add(number)
        if before < runner.share * runner.games and runner.share <= ABOUT_RIGHT:
            self._lost[number] = None

    def _run(self, runner: _Runner, number: int) -> None:
        """Let a candidate play a game."""
        game = self._game(number)
        length = len(game.choices)
        # Who has won so far wins most games to come, which have to be compared in full then.
        is_likely = runner.games >= LIKELY and not runner.share
        skimmed = None if is_likely else self._skim(runner, game)
        depth, kind = skimmed or self._play(runner, game, number)
        runner.games += 1
        runner.depth += depth
        # What is lost late weighs less: a bug of the engine may be met there as well.
        loss = 1 - depth / (2 * max(length, depth, 1))
        if kind in STRUCTURE:
            runner.lost += loss
            runner.first = min(runner.first, depth)
            runner.broken += 1
        elif kind is not None:
            runner.beside += loss
            runner.other += 1

    # The games -----------------------------------------------------------------------------

    def agreement(self, matching: Matching, games: int) -> Agreement:
        """Return how well both sides agree under a candidate in the first trial games."""
        runner = self._runner(matching)
        for number in range(games):
            self._run(runner, number)
        return runner.agreement()

    def losses(self, matching: Matching, games: Iterable[int]) -> list[tuple[float, float]]:
        """Return what is lost in each of some games: in structure, and beside it."""
        runner, losses = self._runner(matching), []
        for number in games:
            before = runner.lost, runner.beside
            self._run(runner, number)
            losses.append((runner.lost - before[0], runner.beside - before[1]))
        return losses

    def choices(self, number: int) -> Sequence[Choice]:
        """Return what is chosen in a trial game, on our side."""
        return list(self._game(number).choices.values())

    def met(self, role: int) -> Sequence[EngineMove]:
        """Return the moves of a role of ours that were legal in the trial games so far."""
        return list(self._met[role])

    def differs_aside(self, matching: Matching) -> bool:
        """Return whether all that differs is a few moves that one side lacks, or ends.

        Games go on behind moves that one side lacks with those that both have. Under words that
        are read wrongly boards drift apart: moves are left over on both sides, and turns differ.
        Where nothing of that is met no other way to read them can be right, for it is the same
        position in which there are more moves on one side, and no games of others need be played
        to say so. Where ends differ as well this holds if moves tell words apart, which they do
        not where all may be made till the end.
        """
        comparison = self._comparison(matching, is_brief=True)
        games, shares, has_ends = [], list[float](), False
        for number in range(ASIDE_GAMES):
            game = _Aside()
            is_aside = self._aside(comparison, number, game)
            if not is_aside or self.is_late():
                return False
            games.append(game.plies)
            shares += game.shares
            has_ends |= game.has_end
        is_little = sum(shares) >= LEAST_ASIDE * len(shares)
        return is_little and (not has_ends or _are_told_apart(games, self.seed))

    def _aside(self, comparison: Comparison, number: int, found: _Aside) -> bool:
        """Play a game behind moves that one side lacks; return whether no more differs."""
        game, rng = self._game(number), random.Random(f"{self.seed}/aside/{number}")  # noqa: S311
        comparison.is_tilted = False
        twin = comparison.start()
        while not isinstance(twin, Parting) and twin.depth < LONGEST:
            share, partners = 1.0, comparison.compare(twin)
            if isinstance(partners, Parting):
                found.has_end |= partners.kind in {"terminal", "returns"}
                if partners.kind != "legal" or partners.role is None:
                    return partners.kind in {"terminal", "returns"}
                role = partners.role
                share, pairs = comparison.in_common(twin, role)
                counts = (
                    len(comparison.ours.legal(twin.ours, role)),
                    len(comparison.theirs.legal(twin.theirs, comparison.matching.theirs_of(role))),
                )
                is_alone = comparison.ours.movers(twin.ours) == (role,) and role != CHANCE
                if not is_alone or not pairs.moves or len(pairs.moves) < min(counts):
                    return False
                partners = {role: pairs}
            if comparison.is_tilted:
                return False
            found.shares.append(share)
            if not partners:
                return True
            choice = _chosen(game, twin, partners, rng)
            found.plies += [
                (role, frozenset(pairs.moves), choice[role]) for role, pairs in partners.items()
            ]
            twin = comparison.step(twin, choice, partners)
        return not isinstance(twin, Parting)

    def tolerance(self, matching: Matching) -> float:
        """Return the share of moves that have a partner in games that go on behind what differs.

        A bug that shows in the first positions contradicts the right matching in every game, and
        sooner than many a wrong one. But it changes few of the moves, there and later on; and a
        matching that is wrong loses the others as the boards drift apart.
        """
        comparison = self._comparison(matching, is_brief=True)
        return sum(self._shared(comparison, n) for n in range(TOLERANT_GAMES)) / TOLERANT_GAMES

    def _shared(self, comparison: Comparison, number: int) -> float:
        """Return the same for one game; plies behind an end or a turn that differs have none."""
        game, rng = self._game(number), random.Random(f"{self.seed}/shared/{number}")  # noqa: S311
        plies, shared = 0, 0.0
        twin = comparison.start()
        while not isinstance(twin, Parting) and plies < LONGEST:
            plies += 1
            partners = comparison.compare(twin)
            if isinstance(partners, Parting):
                if partners.kind != "legal" or partners.role is None:
                    shared += partners.kind not in STRUCTURE
                    break
                share, pairs = comparison.in_common(twin, partners.role)
                partners = {partners.role: pairs}
                shared += share
                if not pairs.moves:
                    break
            else:
                shared += 1
                if not partners:
                    return shared / plies
            choice = _chosen(game, twin, partners, rng)
            twin = comparison.step(twin, choice, partners)
        return shared / max(plies, len(game.choices))

    def moves_of(self, matching: Matching) -> dict[int, list[EngineMove]]:
        """Return the moves of each role of ours in the trial games, up to where both sides part."""
        runner, moves_made = self._runner(matching), defaultdict[int, dict[EngineMove, None]](dict)
        for number in range(self.games):
            game = self._game(number)
            depth, _ = self._skim(runner, game) or self._play(runner, game, number)
            for choice in islice(game.choices.values(), depth):
                for role, move in choice.items():
                    if role != CHANCE:
                        moves_made[role][move] = None
        return {role: list(moves) for role, moves in moves_made.items()}

    def _play(self, runner: _Runner, game: _Game, number: int) -> tuple[int, str | None]:
        """Play a trial game.

        Returns:
            How far both sides agreed; the kind of what then differed, None where they agree to
            the end.
        """
        comparison = runner.comparison
        rng = random.Random(f"{self.seed}/race/{number}")  # noqa: S311
        comparison.is_tilted = False
        twin = comparison.start()
        while not isinstance(twin, Parting) and twin.depth < LONGEST:
            self.plies += 1
            partners = comparison.compare(twin)
            if isinstance(partners, Parting):
                twin = partners
            elif partners:
                twin = comparison.step(twin, _chosen(game, twin, partners, rng), partners)
            else:
                break
        if isinstance(twin, Parting):
            return twin.twin.depth, twin.kind
        return twin.depth, "chance" if comparison.is_tilted else None

    def _skim(self, runner: _Runner, game: _Game) -> tuple[int, str] | None:
        """Make the moves of a trial game on their side alone, where each stands for one of theirs.

        It compares less and is quicker by far. None means that nothing was found so, or that a
        convention may explain it.
        """
        theirs, matching = self.theirs, runner.matching
        if game.plies is None or self._slow or not matching.is_static:
            return None
        position = theirs.initial()
        for depth, (role, count, move, following) in enumerate(game.plies):
            self.plies += 1
            partners = runner.moves[role].get(runner.keys[role].get(move), ())
            if not partners:
                return None
            try:
                legal = theirs.legal(position, matching.roles[role])
                partner = next((candidate for candidate in partners if candidate in legal), None)
                if partner is None or len(legal) != count:
                    return depth, "legal"
                position = theirs.play(position, {matching.roles[role]: partner})
                movers = theirs.movers(position)
            except EngineFailure:
                return depth, "failure"
            wanted = () if following is None else (matching.roles[following],)
            if movers != wanted:
                if may_cut(self.allowed) and () in {movers, wanted}:
                    return None
                return depth + 1, "terminal" if following is None or not movers else "turn"
        return None

    def _game(self, number: int) -> _Game:
        """Return a trial game; each is chosen once, on our side."""
        while len(self._games) <= number:
            self._games.append(self._chosen_game(len(self._games)))
        return self._games[number]

    def _chosen_game(self, number: int) -> _Game:
        trial = number - len(self.plays)
        rng = random.Random(f"{self.seed}/trial/{trial}")  # noqa: S311
        ours, game = self.ours, _Game({}, [])
        given = iter(self.plays[number] if trial < 0 else ())
        position = ours.initial()
        while not ours.is_terminal(position) and len(game.choices) < LONGEST:
            movers = ours.movers(position)
            legal_of = {role: ours.legal(position, role) for role in movers}
            if not all(legal_of.values()):
                break  # stuck, which a comparison says
            for role, moves in legal_of.items():
                if role != CHANCE:
                    self._met[role] |= dict.fromkeys(moves)
            choice: Choice = {role: rng.choice(moves) for role, moves in legal_of.items()}
            is_single = len(movers) == 1 and movers != (CHANCE,)
            if trial >= 0 and trial % 2 == 0 and is_single:
                choice = self._ending(position, legal_of, rng) or choice
            choice = next(given, choice)
            game.choices[id(position)] = choice
            position = ours.play(position, choice)
            following = ours.movers(position)
            if not is_single or len(following) > 1 or CHANCE in following:
                game.plies = None
            if game.plies is not None:
                ((role, move),) = choice.items()
                then = following[0] if following else None
                game.plies.append((role, len(legal_of[role]), move, then))
        return game

    def _ending(
        self,
        position: Position,
        legal_of: Mapping[int, Any],
        rng: random.Random,
    ) -> Choice | None:
        """Return a choice that ends the game, None where none of some does."""
        ((role, moves),) = legal_of.items()
        for move in rng.sample(list(moves), min(LOOKED_AT, len(moves))):
            if self.ours.is_terminal(self.source.play(position, {role: move})):
                return {role: move}
        return None


def _are_told_apart(games: Sequence[Sequence[_Ply]], seed: int) -> bool:
    """Return whether two moves with their words exchanged would have been noticed, mostly.

    They are where one alone is legal before either was made: no board hangs on the exchange then.
    """
    rng = random.Random(f"{seed}/told apart")  # noqa: S311
    met: defaultdict[int, dict[EngineMove, None]] = defaultdict(dict)
    for role, legal, _ in chain(*games):
        met[role] |= dict.fromkeys(sorted(legal, key=str))
    rows = [(role, list(moves)) for role, moves in met.items() if role != CHANCE and len(moves) > 1]
    noticed = 0
    for _ in range(PAIRS if rows else 0):
        role, moves = rng.choice(rows)
        pair = {*rng.sample(moves, 2)}
        noticed += any(
            mover == role and len(legal & pair) == 1
            for game in games
            for mover, legal, _ in takewhile(lambda ply: ply[2] not in pair, game)  # noqa: B023
        )
    return noticed >= TOLD_APART * PAIRS


def _is_hopeless(runner: _Runner) -> bool:
    """Return whether even the best has lost too much."""
    return runner.lost > HOPELESS and runner.lost > runner.games / 2


def _chosen(game: _Game, twin: Twin, partners: Partners, rng: random.Random) -> Choice:
    """Return what the game has here; by chance where a convention leads beside it."""
    choice = game.choices.get(id(twin.ours))
    if (
        choice is not None
        and choice.keys() == partners.keys()
        and all(move in partners[role].moves for role, move in choice.items())
    ):
        return choice
    return {role: rng.choice(pairs.moves) for role, pairs in partners.items()}


def _common(comparison: Comparison, parting: Parting) -> float:
    """Return the share of the moves of a position that have a partner.

    It is none where both sides have others left over: a move that is forgotten, or one too many,
    is left over on one side, and what is left on both was not read right.
    """
    if parting.kind != "legal" or parting.role is None or any(parting.only) == all(parting.only):
        return 0.0  # where neither has, a move is there twice: two of ours are read as one
    twin, role = parting.twin, parting.role
    ours = len(comparison.ours.legal(twin.ours, role))
    theirs = len(comparison.theirs.legal(twin.theirs, comparison.matching.theirs_of(role)))
    return (ours - len(parting.only[0])) / max(ours, theirs, 1)
