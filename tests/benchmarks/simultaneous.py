"""How far what `mcts` plays is from an equilibrium, by simulations a move, where moves are at once.

    python tests/benchmarks/simultaneous.py rockpaperscissors "goofspiel?cards=3"

Each state of the game is searched by each role, with a seed of its own, and the exploitability of
the policy that comes of it is exact (`gdl.play.equilibrium`): points of goals that a player who
knows it gains on average. Beside it the pure policy of the most visited moves.
"""

from __future__ import annotations

import argparse
import sys
import time

from gdl.game import Game, load
from gdl.play import Budget
from gdl.play.equilibrium import GameTree, Policy, exploitability
from gdl.play.uct import PlainSearch


def policies(game: Game, tree: GameTree, simulations: int, seed: int) -> tuple[Policy, Policy]:
    """Return what the search draws from in each information set, and its most visited moves."""
    mixed, pure = [], []
    for number, one in enumerate(tree.sets):
        state = game.initial()
        for joint in one.knowledge:
            assert isinstance(joint, tuple)
            state = state.play(list(joint))
        budget = Budget(simulations=simulations)
        role = tree.players[one.player]
        search = PlainSearch(state, role, budget=budget, seed=seed + number, c=0.4)
        while search.go_on():
            pass
        thoughts = search.thoughts()
        assert thoughts is not None
        most = max(thoughts.candidates, key=lambda c: c.visits).move
        shares = search.shares() or {most: 1.0}
        mixed.append([shares.get(move, 0.0) for move in one.moves])
        pure.append([float(move == most) for move in one.moves])
    return mixed, pure


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Print a line for each game and number of simulations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--simulations", type=int, nargs="+", default=[100, 400, 1_600, 6_400])
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for name in asked.games:
        game = load(name)
        tree = GameTree(game)
        uniform = exploitability(tree, tree.uniform())
        say(f"{name}: {len(tree.sets)} information sets, uniform {uniform:.2f}")
        for simulations in asked.simulations:
            begun = time.process_time()
            mixed, pure = policies(game, tree, simulations, asked.seed)
            say(
                f"  {simulations:>6} simulations: {exploitability(tree, mixed):.2f}, "
                f"pure {exploitability(tree, pure):.2f}, {time.process_time() - begun:.1f} s"
            )


if __name__ == "__main__":
    main()
