"""Let three players meet in two games, and see who is the best.

Every game is kept in a folder, where `gdl replay` plays it again; `gdl tournament` is the
same as a command, on all cores, with a clock.
"""

import tempfile
from pathlib import Path

from gdl.play.tournament import Plan, crosstable, run, standings


def main() -> None:
    """Play the tournament and print its table."""
    plan = Plan(
        rulesets=("tictactoe", "connectfour"),
        players=("random", "greedy", "mcts:native=off"),
        rounds=2,  # two openings, each played with both colours
        simulations=30,  # a move; without a limit it is the clock that counts
        seconds=5.0,
        seed=1,
    )
    with tempfile.TemporaryDirectory() as folder:
        store = run(plan, Path(folder) / "games", workers=1, backend="reason")
        games = list(store.outcomes.values())
        print(f"{len(games)} games")
        heads, rows = crosstable(plan.players, standings(len(plan.players), games))
        for row in [heads, *rows]:
            print("  ".join(f"{cell:>15}" for cell in row[1:7]))
        longest = max(games, key=lambda game: len(game.moves))
        print(store.record_path(longest.bout.number).read_text().splitlines()[0])


if __name__ == "__main__":
    main()
