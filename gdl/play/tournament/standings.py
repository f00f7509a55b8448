"""What a tournament adds up to: points, standings, who did what against whom.

In: outcomes. Out: a `Standing` a player, the best first, and the points of each against each.
A game is worth a point: all of it to the player with the higher goal, half where goals are
equal or the game did not end. Where a player has several roles in a game, the mean of their
goals counts; where a game has one role, each plays it alone and the goals are compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gdl.play.tournament.game import Outcome
from gdl.play.tournament.plan import NATURE
from gdl.play.tournament.rating import Rating, ratings


@dataclass(frozen=True, slots=True)
class Score:
    """One comparison of two players: what the first got of the point."""

    first: int
    second: int
    points: float


@dataclass(slots=True)
class Record:
    """Wins, draws and losses of one player, against all or against one."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """How many games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins, and half of the draws."""
        return self.wins + self.draws / 2

    def add(self, points: float) -> None:
        """Count one game."""
        if points > 1 / 2:
            self.wins += 1
        elif points < 1 / 2:
            self.losses += 1
        else:
            self.draws += 1


@dataclass(slots=True)
class Standing:
    """One player of a tournament.

    Attributes:
        player: Its number in the plan.
        rating: How strong it is.
        total: Against all.
        against: Against each other player, by number.
        faults: Illegal moves, failures and missed clocks.
        slowest: Longest time for one move, in seconds.
    """

    player: int
    rating: Rating
    total: Record
    against: dict[int, Record]
    faults: int = 0
    slowest: float = 0.0


@dataclass(slots=True)
class _Sums:
    total: Record = field(default_factory=Record)
    against: defaultdict[int, Record] = field(default_factory=lambda: defaultdict(Record))
    faults: int = 0
    slowest: float = 0.0


def scores(outcomes: Iterable[Outcome]) -> Iterator[Score]:
    """Yield the comparisons that games amount to."""
    alone: dict[str, tuple[int, float]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.bout.number):
        seated = [seat for seat in outcome.bout.seats if seat != NATURE]
        first, second = outcome.bout.pair
        if len(set(seated)) > 1:
            points = 0.5
            if outcome.is_over:
                points = _points(_goal(outcome, first), _goal(outcome, second))
            yield Score(first, second, points)
        elif seated:
            mine = seated[0], _goal(outcome, seated[0]) if outcome.is_over else 0.0
            before = alone.pop(outcome.bout.opening, None)
            if before is None:
                alone[outcome.bout.opening] = mine
            else:
                yield Score(before[0], mine[0], _points(before[1], mine[1]))


def _goal(outcome: Outcome, player: int) -> float:
    goals = [
        values[0] if len(values) == 1 else 0
        for seat, values in zip(outcome.bout.seats, outcome.goals, strict=True)
        if seat == player
    ]
    return sum(goals) / len(goals)


def _points(mine: float, theirs: float) -> float:
    return 0.5 if mine == theirs else float(mine > theirs)


def ranking_html(names: Sequence[str], ranked: Sequence[Standing]) -> str:
    """Return standings as a table for notebooks."""
    from gdl.language.html import table_html

    rows = []
    for place, player in enumerate(ranked, start=1):
        total, rating = player.total, player.rating
        elo = f"{rating.elo:+.0f} ± {rating.margin:.0f}"
        counts = [total.games, total.wins, total.draws, total.losses, player.faults]
        rows.append([str(place), names[player.player], elo, f"{total.points:g}", *map(str, counts)])
    heads = ["", "player", "Elo", "points", "games", "wins", "draws", "losses", "faults"]
    return table_html(heads, rows)


def standings(n: int, outcomes: Sequence[Outcome]) -> list[Standing]:
    """Return the players of a tournament, the best first.

    Args:
        n: Number of players.
        outcomes: The games played so far.
    """
    sums = [_Sums() for _ in range(n)]
    points: defaultdict[tuple[int, int], float] = defaultdict(float)
    for score in scores(outcomes):
        for mine, theirs, share in (
            (score.first, score.second, score.points),
            (score.second, score.first, 1 - score.points),
        ):
            sums[mine].total.add(share)
            sums[mine].against[theirs].add(share)
            points[mine, theirs] += share
    for outcome in outcomes:
        for seat, seconds in zip(outcome.bout.seats, outcome.seconds, strict=True):
            if seat != NATURE:
                sums[seat].slowest = max(sums[seat].slowest, seconds)
        for fault in outcome.faulty:
            sums[fault].faults += 1
    rated = ratings(n, points)
    unranked = [
        Standing(i, rated[i], own.total, dict(own.against), own.faults, own.slowest)
        for i, own in enumerate(sums)
    ]
    return sorted(unranked, key=lambda standing: (-standing.rating.elo, standing.player))


def crosstable(
    names: Sequence[str], ranked: Sequence[Standing]
) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the rows of a table in which each meets each.

    Args:
        names: Names of the players, by number.
        ranked: The players, the best first.
    """
    heads = ["", "player", "elo", "+/-", "points", "games", "score", "won", "drawn", "lost"]
    heads += [str(rank) for rank in range(1, len(ranked) + 1)]
    rows = []
    for rank, standing in enumerate(ranked, start=1):
        total = standing.total
        share = f"{total.points / total.games:.1%}" if total.games else ""
        row = [str(rank), names[standing.player], f"{standing.rating.elo:+.0f}"]
        row += [f"{standing.rating.margin:.0f}", f"{total.points:g}", str(total.games), share]
        row += [str(total.wins), str(total.draws), str(total.losses)]
        for other in ranked:
            record = standing.against.get(other.player)
            row.append("-" if record is None else f"{record.points:g}/{record.games}")
        rows.append(row)
    return heads, rows
