"""Is one player better than another? Points with their interval, and moves that keep the value.

In: two players and how they meet. Out: an `Evaluation`. The games are those of a tournament of two
(`gdl.play.tournament`): each opening is played with colours swapped, at equal time or equal nodes.
Where a table of all positions is at hand, every move of both is held against it: a move keeps the
value if no other brings its role a higher goal under best play.

Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gdl.game import Game
from gdl.language.parse import parse_term
from gdl.language.syntax import Term
from gdl.play.tablebase import table_thoughts
from gdl.play.tournament.game import Outcome, play_game
from gdl.play.tournament.plan import NATURE, Plan, bouts
from gdl.play.tournament.run import run
from gdl.play.tournament.standings import Record, standings
from gdl.playouts import wilson_interval
from gdl.state import State

__all__ = ["Evaluation", "Kept", "evaluate"]


@dataclass(frozen=True, slots=True)
class Kept:
    """How many moves of a player kept the value.

    Attributes:
        moves: Moves that were made where there was a choice and the table had the position.
        kept: How many of them kept the value.
        risky: Moves of the first kind where some move loses value; ``saved`` those that kept it.
        saved: See there.
    """

    moves: int = 0
    kept: int = 0
    risky: int = 0
    saved: int = 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What two players got against each other.

    Attributes:
        players: Their names with options.
        record: Games of the first: won, drawn, lost.
        low: Lower end of the 95% interval of its share of points; ``high`` the upper end.
        high: See there.
        elo: Its rating above the second, in Elo points, and half of the width of its interval.
        margin: See there.
        faults: Illegal moves, failures and missed clocks of each.
        kept: For each how many moves kept the value; None without a table.
    """

    players: tuple[str, str]
    record: Record
    low: float
    high: float
    elo: float
    margin: float
    faults: tuple[int, int]
    kept: tuple[Kept, Kept] | None = None

    @property
    def share(self) -> float:
        """Share of the points that the first got."""
        return self.record.points / max(1, self.record.games)

    def __str__(self) -> str:
        """Return it in words."""
        record = self.record
        return (
            f"{record.points:g} points of {record.games} ({self.share:.1%}, "
            f"95% {self.low:.1%} to {self.high:.1%}): {record.wins} won, {record.draws} drawn, "
            f"{record.losses} lost, Elo {self.elo:+.0f} +/- {self.margin:.0f}"
        )


def evaluate(
    plan: Plan,
    folder: Path,
    *,
    table: Game | None = None,
    workers: int | None = None,
    on_outcome: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Let two players meet and say how they did.

    Args:
        plan: A tournament of two players in one game.
        folder: Where games are kept; one that was broken off goes on there.
        table: The game with a table of all positions (`Game.use`), if there is one.
        workers: Games at the same time, by default one a core.
        on_outcome: Is told how many games there are and how many in all.

    Raises:
        GdlError: See `gdl.play.tournament.run.run`.
    """
    total = 0

    def begin(_store: object, games: int) -> None:
        nonlocal total
        total = games

    store = run(
        plan,
        folder,
        workers=workers,
        backend="native" if table is not None else "auto",
        on_begin=begin,
        on_outcome=lambda store, _: on_outcome and on_outcome(len(store.outcomes), total),
    )
    return evaluated(plan, list(store.outcomes.values()), table)


def evaluate_here(game: Game, plan: Plan) -> Evaluation:
    """Return the same of games that are played in this process, one by one, and not kept."""
    games = bouts(plan, [game.roles])
    return evaluated(plan, [play_game(game, plan, bout) for bout in games])


def evaluated(plan: Plan, outcomes: Sequence[Outcome], table: Game | None = None) -> Evaluation:
    """Return what games between the two players of a plan add up to."""
    both = {standing.player: standing for standing in standings(2, outcomes)}
    first, second = both[0], both[1]
    record = first.total
    low, high = wilson_interval(record.points, record.games)
    return Evaluation(
        (plan.players[0], plan.players[1]),
        record,
        low,
        high,
        first.rating.elo - second.rating.elo,
        2 * first.rating.margin,  # ratings are differences to the mean of the two
        (first.faults, second.faults),
        None if table is None else _kept(table, outcomes),
    )


def _kept(game: Game, outcomes: Sequence[Outcome]) -> tuple[Kept, Kept]:
    """Return how many moves of each player kept the value, by the table of a game."""
    counts = [[0, 0, 0, 0], [0, 0, 0, 0]]
    for outcome in outcomes:
        state = game.initial()
        for ply, texts in enumerate(outcome.moves):
            joint = tuple(map(parse_term, texts))
            if ply >= outcome.opening:
                for seat, role, move in zip(
                    outcome.bout.seats, game.back_end.roles, joint, strict=True
                ):
                    if seat != NATURE:
                        _count(counts[seat], state, role, move)
            state = state.play(joint)
    left, right = (Kept(*count) for count in counts)
    return left, right


def _count(count: list[int], state: State, role: Term, move: Term) -> None:
    """Add a move of a role to what is counted, see `Kept`."""
    if len(state.legal(role)) <= 1:
        return
    thoughts = table_thoughts(state, role)
    if thoughts is None:
        return
    values = {candidate.move: candidate.value for candidate in thoughts.candidates}
    best = max(values.values())
    is_kept, is_risky = values[move] == best, min(values.values()) < best
    for place, is_so in enumerate((True, is_kept, is_risky, is_risky and is_kept)):
        count[place] += is_so
