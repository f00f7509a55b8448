"""How well a player keeps its clock: ``python tests/benchmarks/clocks.py``.

A game is played over and over by one player at random positions; of each move the part of the clock
is taken that went by from when the clock was made to when the move was there. Moves that are
decided before the time is over (the only one, a proven one) are left out. ``--hogs`` lets so many
processes that compute run beside it.

    python tests/benchmarks/clocks.py pentago/utwente --seconds 0.1 1 10 --moves 40 10 4
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

START_CLOCK = 120


def hog() -> None:
    """Compute for ever."""
    while True:
        pass


def used(spec: str, name: str, seconds: float, moves: int) -> list[float]:
    """Return the part of the clock that each of so many moves took."""
    import gdl
    from gdl.play import Budget, choose, make, prepare
    from gdl.play.player import thoughts_of

    game = gdl.load(name)
    players = {role: make(spec, role=game.role(role), seed=1) for role in game.roles}
    for player in players.values():
        prepare(player, game, Budget(START_CLOCK))
    chance = random.Random(1)
    found: list[float] = []
    state = game.initial()
    while len(found) < moves:
        if state.is_terminal:
            state = game.initial()
        role = state.movers[0]
        clock = Budget(seconds)
        choose(players[role], state, clock, role=role)
        spent = clock.spent
        thoughts = thoughts_of(players[role])
        if clock.is_over or thoughts is None:
            found.append(spent / seconds)
        state = state.play(chance.choice(state.legal(role)))
    return found


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("game", nargs="?", default="pentago/utwente")
    parser.add_argument("--player", default="mcts")
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.1, 1.0, 10.0])
    parser.add_argument("--moves", type=int, nargs="+", default=[100, 20, 4])
    parser.add_argument("--hogs", type=int, default=0, help="processes that compute beside it")
    wanted = parser.parse_args()
    hogs = [multiprocessing.Process(target=hog, daemon=True) for _ in range(wanted.hogs)]
    for each in hogs:
        each.start()
    counts = wanted.moves + wanted.moves[-1:] * len(wanted.seconds)
    for seconds, moves in zip(wanted.seconds, counts, strict=False):
        found = used(wanted.player, wanted.game, seconds, moves)
        late = sum(each > 1 for each in found)
        say(
            f"{wanted.player} on {wanted.game}, {seconds:g} s: {len(found)} moves took "
            f"{median(found):.1%} of the clock (least {min(found):.1%}, most {max(found):.1%}), "
            f"{late} late"
        )
    for each in hogs:
        each.kill()


if __name__ == "__main__":
    main()
