"""What threads bring to the search: ``python tests/benchmarks/threads.py GAME...``.

For each game three searches of the first position take turns, so that they meet the same load: one
thread, two threads in one tree (`mcts:threads=2`), and two trees of one thread each, side by side,
whose roots would be merged: they share nothing, so no way of sharing makes more simulations.
Printed are simulations a second by the clock and a second of processor time, and both as ratios to
one thread. With ``--match`` two threads in one tree play merged roots, at equal simulations.

    python tests/benchmarks/threads.py connectfour pentago/utwente gomoku/freestyle --seconds 1
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from statistics import median
from threading import Thread

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

import gdl  # noqa: E402
from gdl.play.tree import NONE  # noqa: E402
from gdl.play.tree_search import DONE, FULL  # noqa: E402
from gdl.play.workspace import Settings, Workspace  # noqa: E402

ONE, SHARED, MERGED = "one thread", "one tree, shared", "two trees, merged"
GAMES = ("connectfour", "pentago/utwente", "gomoku/freestyle", "hex?size=9")
SLICE = 64
"""Simulations of a call."""


def workspaces(game: gdl.Game, threads: int) -> dict[str, list[Workspace]]:
    def made(threads: int, seed: int = 1) -> Workspace:
        native = game.back_end.native
        assert native is not None
        return Workspace(native, settings=Settings(megabytes=256, threads=threads), seed=seed)

    return {
        ONE: [made(1)],
        SHARED: [made(threads)],
        MERGED: [made(1, seed) for seed in range(1, threads + 1)],
    }


def grow(workspace: Workspace, root: int, seconds: float, simulations: int) -> None:
    """Search so long, or so many simulations, or until nothing is left."""
    until = time.perf_counter() + seconds
    left, code = simulations, DONE
    while code == DONE and left > 0 and time.perf_counter() < until:
        code = workspace.grow(root, min(SLICE, left))
        left -= SLICE
    assert code != FULL, "raise the memory, or search for a shorter time"


def search(
    each: list[Workspace], state: bytes, seconds: float = 1e9, simulations: int = 1 << 60
) -> tuple[float, float]:
    """Search a state by all workspaces at once; return simulations a second, wall and processor."""
    roots = []
    for workspace in each:
        workspace.resume()
        workspace.clear()
        roots.append(workspace.root(state))
    clock, worked = time.perf_counter(), time.process_time()
    share = max(1, simulations // len(each))
    threads = [
        Thread(target=grow, args=(workspace, root, seconds, share))
        for workspace, root in zip(each, roots, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    clock, worked = time.perf_counter() - clock, time.process_time() - worked
    made = sum(int(w.tree.visits[root]) for w, root in zip(each, roots, strict=True))
    return made / clock, made / worked


def measure(name: str, seconds: float, rounds: int, threads: int) -> None:
    game = gdl.load(name, backend="native")
    every = workspaces(game, threads)
    inner = game.initial().inner
    rates: dict[str, list[tuple[float, float]]] = {way: [] for way in every}
    for number in range(rounds + 1):
        for way, each in every.items():
            rate = search(each, inner, seconds)
            if number:  # the first round wakes code and memory up
                rates[way].append(rate)
    base = [median(column) for column in zip(*rates[ONE], strict=True)]
    for way, found in rates.items():
        wall, worked = (median(column) for column in zip(*found, strict=True))
        say(
            f"{name:20} {way:18} {wall:10,.0f} simulations/s ({wall / base[0]:.2f}), "
            f"{worked:10,.0f} a second of processor time ({worked / base[1]:.2f})"
        )


def best_move(each: list[Workspace], state: gdl.State, simulations: int) -> int:
    """Return the number of the move: proven to win, else most visited of those not proven lost."""
    search(each, state.inner, simulations=simulations)
    votes: dict[int, float] = {}
    for workspace in each:
        tree = workspace.tree
        root = workspace.root(state.inner)
        first, count = int(tree.first_edge[root]), int(tree.edge_count[root])
        for edge in range(first, first + count):
            low, high = tree.edge_lower[edge], tree.edge_upper[edge]
            sure = 1e9 if low >= 100 else -1e9 if high <= 0 and tree.child[edge] != NONE else 0.0
            move = int(tree.move[edge])
            votes[move] = votes.get(move, 0.0) + sure + float(tree.edge_visits[edge])
    return max(votes, key=lambda move: votes[move])


def match(name: str, games: int, simulations: int, threads: int) -> None:
    game = gdl.load(name, backend="native")
    every = workspaces(game, threads)
    points = 0.0
    for number in range(games):
        chance, state = random.Random(number // 2), game.initial()
        while not state.is_terminal:
            ids = state.legal_ids()
            mover = state.movers[0]
            if len(ids) == 1 or state.ply < 3:
                state = state.apply(chance.choice(list(ids)))
                continue
            is_ours = list(game.roles).index(mover) == number % 2
            way = every[SHARED if is_ours else MERGED]
            for i, workspace in enumerate(way):
                workspace.seed(1_000 * number + 10 * state.ply + i)
            state = state.apply(best_move(way, state, simulations))
        points += state.goal(game.roles[number % 2]) / 100
    error = 50 / np.sqrt(games)
    say(
        f"{name}: one tree has {points:g} of {games} points against merged roots, "
        f"{simulations} simulations a move, {threads} threads (a standard error is {error:.0f}%)"
    )


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--match", type=int, default=0, help="so many games against merged roots")
    parser.add_argument("--simulations", type=int, default=400)
    wanted = parser.parse_args()
    for name in wanted.games:
        if wanted.match:
            match(name, wanted.match, wanted.simulations, wanted.threads)
        else:
            measure(name, wanted.seconds, wanted.rounds, wanted.threads)


if __name__ == "__main__":
    main()
