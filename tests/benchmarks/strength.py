"""Our search against open_spiel's at equal time: ``python tests/benchmarks/strength.py``.

Pentago by the utwente rule and freestyle Gomoku. Games come in pairs that begin with the same few
random plies, colours swapped; each game has one process and each player one thread of it. The
seconds that both took are printed. Needs the extras ``play`` and ``oracle``.

    python tests/benchmarks/strength.py --games 200 --seconds 1 --jobs 16
"""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

GAMES = {"pentago": "pentago/utwente", "gomoku": "gomoku/freestyle"}
MOST_SIMULATIONS = 1_000_000_000
MEGABYTES = 1_000
SOLVE, VERBOSE = True, False


@dataclass(frozen=True, slots=True)
class Bout:
    """One game to be played.

    Attributes:
        game: Name in `GAMES`.
        number: Games of one pair have numbers 2n and 2n + 1.
        seconds: For each move.
        opening: Random plies at the start.
        player: Ours, with options.
        uct_c: Exploration of theirs.
    """

    game: str
    number: int
    seconds: float
    opening: int
    player: str
    uct_c: float


@dataclass(slots=True)
class Side:
    """What one side did in a game."""

    moves: int = 0
    seconds: float = 0.0
    simulations: int = 0
    playouts: int = 0
    slowest: float = 0.0

    def add(self, seconds: float, simulations: int, playouts: int) -> None:
        self.moves += 1
        self.seconds += seconds
        self.simulations += simulations
        self.playouts += playouts
        self.slowest = max(self.slowest, seconds)


@dataclass(slots=True)
class Result:
    """How a game went: our points, from 0 to 1, and what each side did."""

    bout: Bout
    points: float
    plies: int
    ours: Side = field(default_factory=Side)
    theirs: Side = field(default_factory=Side)


class Spiel:
    """open_spiel's player, held to seconds by its own clock."""

    def __init__(self, name: str, seed: int, uct_c: float) -> None:
        import pyspiel

        self._pyspiel: Any = pyspiel
        self._game = pyspiel.load_game(name)
        self._seed, self._uct_c = seed, uct_c
        self.state = self._game.new_initial_state()

    def choose(self, seconds: float) -> tuple[int, int]:
        """Return an action and how many simulations were made for it."""
        self._seed += 1
        bot = self._pyspiel.MCTSBot(
            self._game,
            self._pyspiel.RandomRolloutEvaluator(1, self._seed),
            self._uct_c,
            MOST_SIMULATIONS,
            MEGABYTES,
            SOLVE,
            self._seed,
            VERBOSE,
            max_wall_clock_time=seconds,
        )
        root = bot.mcts_search(self.state)
        return root.best_child().action, root.explore_count


def play(bout: Bout) -> Result:
    """Play one game."""
    import gdl
    from gdl.play import Budget, choose, make, prepare
    from gdl.play.player import thoughts_of
    from tests.conformance import open_spiel

    reference = open_spiel.pentago() if bout.game == "pentago" else open_spiel.gomoku()
    game = gdl.load(GAMES[bout.game])
    mine = game.roles[bout.number % 2]
    player = make(bout.player, role=game.role(mine), seed=bout.number)
    prepare(player, game, Budget(120))
    foe = Spiel(bout.game, 1 + 7919 * bout.number, bout.uct_c)
    state = game.initial()
    chance = random.Random(bout.number // 2)
    result = Result(bout, 0.0, 0)
    while not state.is_terminal:
        mover = state.movers[0]
        began = time.perf_counter()
        if state.ply < bout.opening:
            action = reference.parse(state.notation(chance.choice(state.legal(mover))))
        elif mover == mine:
            move = choose(player, state, Budget(bout.seconds), role=mine)
            found = thoughts_of(player)
            result.ours.add(
                time.perf_counter() - began,
                found.simulations if found else 0,
                found.playouts if found else 0,
            )
            action = reference.parse(state.notation(move))
        else:
            action, simulations = foe.choose(bout.seconds)
            result.theirs.add(time.perf_counter() - began, simulations, simulations)
        state = state.play(reference.format(action))
        foe.state.apply_action(action)
    assert foe.state.is_terminal()
    result.points = state.goal(mine) / 100
    result.plies = state.ply
    return result


def played(bouts: list[Bout], jobs: int) -> Iterator[Result]:
    """Play the games, so many at a time; results come as they are ready."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(play, bout) for bout in bouts]):
            yield future.result()


def interval(points: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share."""
    if not games:
        return 0.0, 1.0
    z, share = 1.96, points / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    half /= 1 + z * z / games
    return middle - half, middle + half


def report(name: str, results: list[Result]) -> None:
    points = sum(result.points for result in results)
    low, high = interval(points, len(results))
    kinds = [sum(result.points == each for result in results) for each in (1.0, 0.5, 0.0)]
    say(
        f"{name}: {points:g} of {len(results)} points = {points / len(results):.1%} "
        f"({low:.1%} to {high:.1%}); won {kinds[0]}, drawn {kinds[1]}, lost {kinds[2]}"
    )
    for side, title in (("ours", "ours"), ("theirs", "open_spiel")):
        every = [getattr(result, side) for result in results]
        seconds = sum(each.seconds for each in every) or 1.0
        moves = sum(each.moves for each in every) or 1
        say(
            f"  {title:10} {sum(e.simulations for e in every) / seconds:12,.0f} simulations/s "
            f"{sum(e.playouts for e in every) / seconds:14,.0f} playouts/s "
            f"{seconds / moves:7.3f} s a move, slowest {max(e.slowest for e in every):.3f} s"
        )


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", nargs="*", default=list(GAMES), help=" or ".join(GAMES))
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--opening", type=int, default=2, help="random plies at the start")
    parser.add_argument("--player", default="mcts")
    parser.add_argument("--uct-c", type=float, default=2.0, help="exploration of open_spiel's")
    wanted = parser.parse_args()
    for name in wanted.what:
        bouts = [
            Bout(name, i, wanted.seconds, wanted.opening, wanted.player, wanted.uct_c)
            for i in range(wanted.games)
        ]
        results: list[Result] = []
        for result in played(bouts, wanted.jobs):
            results.append(result)
            say(
                f"{name} game {result.bout.number}: {result.points:g} in {result.plies} plies; "
                f"{sum(each.points for each in results):g} of {len(results)}"
            )
        report(name, results)


if __name__ == "__main__":
    main()
