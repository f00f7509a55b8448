"""A random player for a rule file that nobody has seen before.

It knows no name of the game: roles, moves and the end all come from the rules.

    python examples/random_player.py FILE.kif [SEED]
"""

import random
import sys
import tempfile
from pathlib import Path

import gdl

COIN_GAME = """
; Two players show a coin at the same time; equal coins win for the first.
(role even) (role odd)
(coin head) (coin tail)
(init hidden)
(<= (legal ?player (show ?coin))
    (role ?player)
    (coin ?coin))
(<= (next (shown ?player ?coin))
    (does ?player (show ?coin)))
(<= equal
    (true (shown even ?coin))
    (true (shown odd ?coin)))
(<= terminal
    (not (true hidden)))
(<= (goal even 100) equal)
(<= (goal even 0) (not equal))
(<= (goal odd 0) equal)
(<= (goal odd 100) (not equal))
"""


def play(path: Path, seed: int) -> None:
    """Play one random match of a rule file."""
    for problem in gdl.check(path):
        print(problem)

    rng = random.Random(seed)
    game = gdl.load(path)
    state = game.initial()
    while not state.is_terminal:
        joint_move = {role: rng.choice(state.legal(role)) for role in game.roles}
        print("  ".join(f"{role}: {move}" for role, move in joint_move.items()))
        state = state.play(joint_move)
    print({role: state.goal(role) for role in game.roles})


def main(path: str | None = None, seed: str = "0") -> None:
    """Play the file that is named, or a coin game when there is none."""
    if path is not None:
        play(Path(path), int(seed))
        return
    with tempfile.TemporaryDirectory() as folder:
        coins = Path(folder, "coins.kif")
        coins.write_text(COIN_GAME, encoding="utf-8")
        play(coins, int(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])
