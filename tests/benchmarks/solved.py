"""How many of many rule files are solved: ``python tests/benchmarks/solved.py FOLDER -o solved``.

Strongly, with the value of every position that play leads to (`gdl.solve`); if not, weakly, with
the value of the first position alone (`gdl.play.solve`, and plans in games of one role). Each
question has ``--seconds`` of processor time; compiling the rules, at most a minute, does not count.
Each file has a process of its own, which the parent ends where it takes more than ``--bytes``.

The smallest files come first. ``OUTPUT.json`` and ``OUTPUT.md`` are written again after each file;
a later run goes on from there, and asks again what was not solved in less time than it has. Needs
the extras ``solve`` and ``play``, and Linux.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

COMPILING = 60
"""Seconds of processor time for the rules."""
GRACE = 20
"""Seconds of processor time for loading the machine code of both solvers, and for ending."""
POLL = 0.1
STRONG, WEAK, OPEN, REFUSED = "strong", "weak", "open", "refused"
UNCOMPILED, FAILED = "not compiled", "failed"
Report = dict[str, Any]


# The child: asks of one file, and tells each answer as a line of JSON.


def ask(path: str, seconds: float, memory: int) -> None:
    from gdl import load
    from gdl.language.diagnostics import GdlError

    try:
        game = load(path, backend="native")
    except GdlError as error:
        tell(UNCOMPILED, why=error.message)
        return
    tell("compiled", roles=len(game.roles))
    from gdl.solve.limits import TooLargeError, WorkLimits
    from gdl.solve.strong import solve

    began = time.process_time()
    try:
        found = solve(game, limits=WorkLimits(memory=memory // 2, seconds=seconds))
    except (TooLargeError, MemoryError):
        tell(OPEN)
    except GdlError as error:
        tell(REFUSED, why=error.message)
    else:
        goals = [found.initial.goals[role] for role in found.initial.goals]
        tell(
            STRONG,
            positions=found.positions,
            value=goals,
            moves=found.distance,
            took=time.process_time() - began,
        )
        return
    ask_weakly(game, seconds)


def ask_weakly(game: Any, seconds: float) -> None:  # noqa: ANN401  # `gdl.Game`, not imported yet
    from gdl.language.diagnostics import GdlError
    from gdl.play import solve
    from gdl.play.puzzles import plan
    from tests.benchmarks.processor_budget import ProcessorBudget

    began = time.process_time()
    try:
        if len(game.roles) == 1:
            found = plan(game.initial(), budget=ProcessorBudget(seconds))
            if not found.is_proven:
                return
            value = [found.value]
        else:
            role = game.roles[0]
            answer = solve(game.initial(), role=role, budget=ProcessorBudget(seconds))
            value = [answer.value]
    except GdlError:
        return
    tell(WEAK, value=value, took=time.process_time() - began)


def tell(stage: str, **found: object) -> None:
    line = {"stage": stage, "cpu": time.process_time(), **found}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


# The parent: one child a file, watched.


def watch(path: Path, seconds: float, memory: int) -> Report:
    """Return what a child finds out of a file."""
    from tests.benchmarks.survey import end, tree_memory

    processor = int(COMPILING + 2 * seconds + GRACE)

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 5))

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        command = [sys.executable, __file__, str(path), "--child"]
        command += ["--seconds", str(seconds), "--bytes", str(memory)]
        child = subprocess.Popen(
            command,
            stdout=out,
            stderr=err,
            preexec_fn=bound,  # noqa: PLW1509  # this process has one thread
            start_new_session=True,
        )
        peak = 0
        while child.poll() is None:
            time.sleep(POLL)
            peak = max(peak, tree_memory(child.pid))
            if peak > memory:
                end(child)
        out.seek(0)
        err.seek(0)
        lines = [json.loads(line) for line in out.read().splitlines() if line.endswith("}")]
        said = err.read().strip()
    return report(
        path.stem, lines, seconds, ended(child.returncode, said, is_too_large=peak > memory)
    )


def ended(code: int, said: str, *, is_too_large: bool) -> str:
    """Return why a child ended before its time, empty where it did not."""
    if is_too_large:
        return "memory"
    if code in (-24, -9):
        return "processor time"
    return f"exit code {code}: {said[-200:]}" if code else ""


def report(name: str, lines: list[Report], seconds: float, why: str) -> Report:
    """Return what the lines of a child come to; what it was last sure of counts."""
    found: Report = {"file": name, "seconds": seconds, "outcome": UNCOMPILED, "why": why}
    for line in lines:
        stage = line.pop("stage")
        found |= line
        found["outcome"] = OPEN if stage == "compiled" else stage
    if why.startswith("exit"):
        found["outcome"] = FAILED  # a fault of the program, never to be counted as open
    return found


def is_done(row: Report, seconds: float) -> bool:
    """Return whether a file need not be asked again with so many seconds."""
    return bool(row["outcome"] == STRONG or row["seconds"] >= seconds)


def table(reports: Iterable[Report]) -> str:
    """Return counts and all files as text."""
    rows = sorted(reports, key=lambda row: str(row["file"]).lower())
    kinds = [STRONG, WEAK, OPEN, REFUSED, UNCOMPILED, FAILED]
    counts = {kind: sum(row["outcome"] == kind for row in rows) for kind in kinds}
    lines = [", ".join(f"{kind} {count}" for kind, count in counts.items()), ""]
    lines += [
        "| file | solved | positions | value | moves | seconds | tried for |",
        "|---" * 7 + "|",
    ]
    for row in rows:
        value = " ".join(f"{goal:g}" for goal in row.get("value", ()) if goal is not None) or "-"
        took = f"{row['took']:.1f}" if "took" in row else "-"
        positions = f"{row['positions']:,}" if "positions" in row else "-"
        lines.append(
            f"| {row['file']} | {row['outcome']} | {positions} | {value} | "
            f"{row.get('moves', '-')} | {took} | {row['seconds']:g} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Ask of all files, and write what comes of it."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("folder", help="folder of rule files (*.kif)")
    reader.add_argument("--only", nargs="*", help="names of files, without .kif")
    reader.add_argument("--seconds", type=float, default=60.0, help="of processor time a question")
    reader.add_argument("--bytes", type=int, default=4 << 30, help="memory of each file")
    reader.add_argument("-o", "--output", default="solved", help="writes OUTPUT.json, OUTPUT.md")
    reader.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    wanted = reader.parse_args()
    if wanted.child:
        ask(wanted.folder, wanted.seconds, wanted.bytes)
        return
    files = sorted(Path(wanted.folder).glob("*.kif"), key=lambda path: path.stat().st_size)
    known = Path(f"{wanted.output}.json")
    rows: dict[str, Report] = {}
    if known.exists():
        rows = {row["file"]: row for row in json.loads(known.read_text())}
    for path in files:
        if wanted.only and path.stem not in wanted.only:
            continue
        if path.stem in rows and is_done(rows[path.stem], wanted.seconds):
            continue
        row = rows[path.stem] = watch(path, wanted.seconds, wanted.bytes)
        for place, text in (
            (known, json.dumps(list(rows.values()), indent=1)),
            (known.with_suffix(".md"), table(rows.values())),
        ):
            fresh = place.with_name(place.name + ".new")
            fresh.write_text(text)
            fresh.replace(place)  # a kill leaves the old one or the new one, whole
        solved = sum(row["outcome"] in (STRONG, WEAK) for row in rows.values())
        sys.stderr.write(f"{len(rows)}/{len(files)} {path.stem}: {row['outcome']} ({solved})\n")


if __name__ == "__main__":
    main()
