"""What ``gdl train`` makes of games by default settings: ``python tests/benchmarks/trained.py``.

Each game is learned for so many seconds of processor time, its network is weighed as the command
does it, and the player that the file makes meets `mcts` at equal nodes. A row a game is printed for
the table of docs/learning.md: Elo with its interval, or why it cannot be learned. Needs ``play``.

    python tests/benchmarks/trained.py --seconds 120 --games 40 hex othello
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

GAMES: Final = (
    "tictactoe",
    "connectfour?columns=5&rows=4",
    "hex?size=5",
    "gomoku/freestyle",
    "othello",
    "clobber",
    "ultimatetictactoe",
    "breakthrough",
    "dotsandboxes",
    "amazons/small",
    "kalah",
    "morris/nine",
    "checkers/american",
    "pig",
    "darkhex",
)
"""Learned, or not; the last two are refused."""


def row(name: str, folder: Path, wanted: argparse.Namespace) -> str:
    """Learn one game; return its row of the table."""
    import gdl
    from gdl.learn.evaluation import evaluate_here
    from gdl.learn.training import Training
    from gdl.play.tournament.plan import Plan

    path = folder / f"{''.join(c if c.isalnum() else '-' for c in name)}.gdlnet"
    try:
        game = gdl.load(name, backend="native")
        training = Training(game, path, seed=wanted.seed)
        began = time.thread_time()
        while (spent := time.thread_time() - began) < wanted.seconds:
            training.run(seconds=training.seconds + min(5.0, wanted.seconds - spent), games=1 << 40)
    except gdl.GdlError as error:
        return f"| {name} | {str(error).partition(chr(10))[0]} | | | | | | |"
    training.seconds = spent
    weighing = training.weigh()
    fit, progress = weighing.fit, training.progress
    plan = Plan(
        rulesets=(name,),
        players=(f"mcts:value={path},weight={weighing.tried},memory=64", "mcts:memory=64"),
        rounds=wanted.games // 2,
        seconds=60.0,
        simulations=wanted.nodes,
        opening_plies=2,
        seed=wanted.seed,
    )
    met = ""
    if weighing.tried > 0:
        found = evaluate_here(game, plan)
        met = f"{found.elo:+.0f} +/- {found.margin:.0f} ({found.record.points:g} of {wanted.games})"
    alone, equal = (
        "" if score is None else f"{score.points:g} of {score.games}"
        for score in (weighing.alone, weighing.match)
    )
    cells = [
        name,
        f"{progress.games:,} ({spent:.0f} s)",
        f"{fit.weight:.2f} ({fit.low:.2f} to {fit.high:.2f})",
        alone,
        f"{weighing.tried:.2f}",
        met,
        equal,
        f"{weighing.weight:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games_", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--seconds", type=float, default=120.0, help="of processor time a game")
    parser.add_argument("--games", type=int, default=40, help="against mcts")
    parser.add_argument("--nodes", type=int, default=200, help="of both, a move")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    say = sys.stdout.write
    heads = ["game", "games learned", "weight by outcomes (95%)", "alone against it", "tried"]
    heads += ["Elo at equal nodes", "points at 0.02 s", "in the file"]
    say(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|\n")
    with TemporaryDirectory() as folder:
        for name in wanted.games_:
            say(row(name, Path(folder), wanted) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
