"""Load a ruleset, look at it, and play it to the end with random moves.

python examples/load_and_play.py [RULESET] [SEED]
"""

import random
import sys

import gdl


def main(ruleset: str = "pentago/strict", seed: str = "0") -> None:
    """Play one random game and show how it ends."""
    rng = random.Random(int(seed))
    game = gdl.load(ruleset)
    state = game.initial()
    print(f"{game.id}: {' against '.join(game.roles)}")

    while not state.is_terminal:
        move = rng.choice(state.legal())  # of the one role that has a choice
        print(f"{state.ply + 1:3}. {state.movers[0]:6} {state.notation(move)}")
        state = state.play(move)

    print(state)  # the board
    for role in game.roles:
        print(f"{role}: {state.goal(role)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
