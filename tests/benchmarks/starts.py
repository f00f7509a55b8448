"""From the text of rules to the first native playout, in fresh processes, of two trees in turns.

A seeded sample of rule files is played once by each tree, nothing on disk, each file in a process
of its own; the trees take turns file by file, so that both meet the machine alike. Counted is the
processor time of the process and of the grounder that it starts, with and without imports (on a
shared machine a clock says nothing); of short starts the median of three. Run it from the root of
the repository:

    python tests/benchmarks/starts.py ../shared/games --beside ../before -n 40 -o starts.md

Needs lark, clingo, numpy, llvmlite and platformdirs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
SEED = 7
TURNS = 3
SHORT = 2.0
"""Seconds of the longest start up to which all trees take so many turns."""
PROGRAM = """
import json, resource, sys
def worked():
    uses = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)
import gdl
from gdl.compile import CompileLimits, build
from gdl.language.parse import read
from gdl.native.game import NativeGame
imported = worked()
limits = CompileLimits(seconds=float(sys.argv[2]))
NativeGame("start", lambda: build(read(sys.argv[1]), limits=limits), keep=False).playouts(1)
print(json.dumps([worked(), worked() - imported, gdl.__file__]))
"""
Times = tuple[float, float]
"""Seconds of the processor: of the whole process, and without imports."""


def start(tree: Path, file: Path, seconds: float) -> Times | None:
    """Return what one start took in a tree; None where the file is not played natively in time."""
    path = {**os.environ, "GDL_CACHE": "", "PYTHONPATH": str(tree)}
    ran = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, str(file), str(seconds)],
        env=path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode:
        return None
    whole, compiling, where = json.loads(ran.stdout)
    assert Path(where).is_relative_to(tree), where
    return whole, compiling


def starts(trees: Sequence[Path], file: Path, seconds: float, number: int) -> list[Times | None]:
    """Return what starts took in each tree, which take turns: the median of each number."""
    taken: list[list[Times]] = [[] for _ in trees]
    for turn in range(TURNS):
        order = range(len(trees)) if (number + turn) % 2 else reversed(range(len(trees)))
        for n in order:
            times = start(trees[n], file, seconds)
            if times is not None:
                taken[n].append(times)
        if not all(taken) or max(rows[0][0] for rows in taken) > SHORT:
            break
    return [
        (median(t[0] for t in rows), median(t[1] for t in rows)) if rows else None for rows in taken
    ]


def row(name: str, times: Sequence[Times | None]) -> str:
    """Return a row of the table."""
    cells = [f"{t[0]:.2f} | {t[1]:.2f}" if t else "- | -" for t in times]
    return f"| {name} | {' | '.join(cells)} |"


def summary(found: Sequence[Sequence[Times | None]], trees: int) -> list[str]:
    """Return the median and the most of each tree, over the files that all of them play."""
    both = [times for times in found if all(times)]
    rows = []
    for name, pick in (("median", median), ("most", max)):
        columns: list[Times] = [
            (pick(t[n][0] for t in both if t[n]), pick(t[n][1] for t in both if t[n]))  # type: ignore[index]
            for n in range(trees)
        ]
        rows.append(row(f"{name} of {len(both)}", columns))
    return rows


def main() -> None:
    """Measure and print the table; the last rows are the median and the most."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", type=Path)
    parser.add_argument("--beside", type=Path, help="the root of another tree")
    parser.add_argument("-n", type=int, default=40, help="files of the sample")
    parser.add_argument("--only", nargs="*", help="these files instead, without ending")
    parser.add_argument("--seconds", type=float, default=60.0, help="each file may take")
    parser.add_argument("-o", type=Path, help="where the table is written as well")
    given = parser.parse_args()
    files = sorted(given.games.resolve().glob("*.kif"))
    if given.only:
        files = [file for file in files if file.stem in given.only]
    else:
        files = sorted(random.Random(SEED).sample(files, min(given.n, len(files))))
    trees = [*([given.beside.resolve()] if given.beside else []), ROOT]
    heads = ["before"] * (len(trees) - 1) + ["now"]
    columns = " | ".join(f"{head}, whole s | {head}, compiling s" for head in heads)
    lines = [f"| file | {columns} |", "|---" * (1 + 2 * len(trees)) + "|"]
    found: list[list[Times | None]] = []
    sys.stdout.write("\n".join(lines) + "\n")
    for number, file in enumerate(files):
        found.append(starts(trees, file, given.seconds, number))
        lines.append(row(file.stem, found[-1]))
        sys.stdout.write(lines[-1] + "\n")
        sys.stdout.flush()
    lines += summary(found, len(trees))
    sys.stdout.write("\n".join(lines[-2:]) + "\n")
    if given.o:
        given.o.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
