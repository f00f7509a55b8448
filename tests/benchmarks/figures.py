"""The figures that the project promises: ``python tests/benchmarks/figures.py``.

For a quiet machine; on a busy one only the ratios mean anything, and of a start the time of
the processor. Each line gives what was measured, the promise, and whether it is kept. Needs
the package and its ``native`` extra; open_spiel is measured beside it where it is installed.
Arguments choose parts: ``threads import warm cold scalar batch``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

LOADING = """
import json, resource, sys, time
def clock():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
import gdl
imported, spent = time.perf_counter(), clock()
game = gdl.load(sys.argv[1])
if sys.argv[2:]:
    game.initial().legal(game.roles[0])
loaded = time.perf_counter()
game.playouts(1)
played = time.perf_counter()
print(json.dumps([loaded - imported, played - imported, clock() - spent]))
"""
"""Prints when it was ready, when the first playout was over, and the processor time of both; with
a second argument it is ready when it has told the first legal moves."""
UNCOMPILED = "PYTHONDONTWRITEBYTECODE"
IMPORTING = "import time; a = time.perf_counter(); import gdl; print(time.perf_counter() - a)"
COLD = {"pentago/strict": 1.0, "pentago/utwente": 1.0, "gomoku/freestyle": 2.0}
SCALAR = {
    "pentago/utwente": ("pentago", 2.0),
    "gomoku/freestyle": ("gomoku", 2.0),
    "connectfour": ("connect_four", 4.0),
}


def say(what: str, found: float, promise: str, *, kept: bool) -> None:
    sys.stdout.write(f"{what:52} {found:10.4g}   {promise:10} {'ok' if kept else 'MISSED'}\n")
    sys.stdout.flush()


def fresh(program: str, *arguments: str, cache: str) -> Any:  # noqa: ANN401  # JSON
    """Return what a program prints in a process of its own, as JSON.

    Modules are kept as bytecode, as they are for whoever uses them.
    """
    known = {name: value for name, value in os.environ.items() if name != UNCOMPILED}
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**known, "GDL_CACHE": cache, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return json.loads(ran.stdout)


def imports() -> None:
    with tempfile.TemporaryDirectory() as cache:
        times = [fresh(IMPORTING, cache=cache) for _ in range(9)]
    say("import gdl, ms", median(times) * 1e3, "<= 150", kept=median(times) <= 0.150)


def cold() -> None:
    for name, most in COLD.items():
        runs: list[list[float]] = []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as cache:
                runs.append(fresh(LOADING, name, cache=cache))
        _, played, spent = map(median, zip(*runs, strict=True))
        promise = f"<= {most:g}"
        say(f"{name}: cold, text to first playout, s", played, promise, kept=played <= most)
        say(f"{name}: cold, processor time, s", spent, promise, kept=spent <= most)


def warm() -> None:
    from gdl.ruleset import rulesets

    for ruleset in rulesets():
        with tempfile.TemporaryDirectory() as cache:
            fresh(LOADING, ruleset.id, "legal", cache=cache)
            runs = [fresh(LOADING, ruleset.id, "legal", cache=cache) for _ in range(9)]
        ready, played, spent = map(median, zip(*runs, strict=True))
        say(f"{ruleset.id}: warm, ready, ms", ready * 1e3, "<= 50", kept=ready <= 0.050)
        say(f"{ruleset.id}: warm, first playout, ms", played * 1e3, "<= 50", kept=played <= 0.050)
        say(f"{ruleset.id}: warm, processor time, ms", spent * 1e3, "<= 50", kept=spent <= 0.050)


def threads() -> None:
    import gdl

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    for name, n in (("pentago/strict", 40_000_000), ("gomoku/freestyle", 2_000_000)):
        native = gdl.load(name, backend="native").back_end.native
        assert native is not None
        native.playouts(n // 20)
        ratios: list[float] = []
        for seed in range(5):
            spent: list[float] = []
            for count in (1, 2):
                begin = time.perf_counter()
                native.playouts(n, seed=seed, threads=count)
                spent.append(time.perf_counter() - begin)
            ratios.append(spent[0] / spent[1])
        say(
            f"{name}: two threads over one ({cores} cores)",
            median(ratios),
            ">= 1.8",
            kept=median(ratios) >= 1.8,
        )
    share = lock_free()
    say("Python beside native code, share of its speed", share, ">= 0.8", kept=share >= 0.8)


def lock_free() -> float:
    """Return how fast Python counts while playouts run in another thread, over alone."""
    import gdl

    native = gdl.load("pentago/strict", backend="native").back_end.native
    assert native is not None

    def count(until: Callable[[], bool]) -> float:
        begin, done = time.perf_counter(), 0
        while not until():
            done += sum(1 for _ in range(1000))
        return done / (time.perf_counter() - begin)

    end = time.perf_counter() + 0.5
    alone = count(lambda: time.perf_counter() > end)
    beside = threading.Thread(target=native.playouts, args=(30_000_000,))
    beside.start()
    both = count(lambda: not beside.is_alive())
    beside.join()
    return both / alone


def scalar() -> None:
    from gdl.bench.peers import has_open_spiel, open_spiel_rate
    from gdl.game import load
    from gdl.ruleset import find

    for name, (peer, least) in SCALAR.items():
        native = load(find(name), backend="native").back_end.native
        assert native is not None
        fast = native.scalar()
        fast.rollouts(fast.initial(), 2_000)
        rates: list[float] = []
        ratios: list[float] = []
        for seed in range(5):
            begin = time.process_time()
            n = 0
            while time.process_time() - begin < 0.5:
                fast.rollouts(fast.initial(), 2_000, seed=seed)
                n += 2_000
            rates.append(n / (time.process_time() - begin))
            if has_open_spiel():
                ratios.append(rates[-1] / open_spiel_rate(peer, seconds=0.5))
        say(f"{name}: scalar playouts/s", median(rates), "-", kept=True)
        if ratios:
            say(
                f"{name}: scalar over open_spiel",
                median(ratios),
                f">= {least:g}",
                kept=median(ratios) >= least,
            )


def batch() -> None:
    import numpy as np
    from numpy.typing import NDArray

    import gdl

    size, steps = 1024, 2_000
    games = gdl.load("connectfour", backend="native").batch(size, auto_reset=True)
    rng = np.random.default_rng(0)

    def drawn() -> NDArray[np.int32]:
        return games.sample(rng)

    columns = [i for i, move in enumerate(games.moves[0]) if str(move) != "noop"]
    masks = [legal[:, columns[0] : columns[-1] + 1] for legal in games.legal]

    def plain() -> NDArray[Any]:
        legal = masks[0] | masks[1]
        drawn: NDArray[Any] = (rng.random(legal.shape, np.float32) * legal).argmax(axis=1)
        return drawn + columns[0]

    def run(policy: Callable[[], NDArray[Any]]) -> float:
        begin = time.process_time()
        for _ in range(steps):
            games.step(policy())
        return size * steps / (time.process_time() - begin)

    run(drawn)
    rate = median(run(drawn) for _ in range(5))
    say("connectfour: batch of 1024, steps/s, random moves", rate, ">= 44e6", kept=rate >= 44e6)
    rate = median(run(plain) for _ in range(5))
    say("connectfour: the same, policy in plain numpy", rate, "-", kept=True)


PARTS: dict[str, Callable[[], None]] = {
    "threads": threads,
    "import": imports,
    "warm": warm,
    "cold": cold,
    "scalar": scalar,
    "batch": batch,
}


def main() -> None:
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
    if importlib.util.find_spec("pyspiel") is None:
        sys.stdout.write("open_spiel is not installed: pip install open_spiel\n")


if __name__ == "__main__":
    main()
