"""How many of many rule files run as machine code, how fast, and why the others do not.

Each file is built in a process of its own, with a limit on its time from text to the first
playout and on the memory of that process and of the grounder it starts. Run it from the
root of the repository on a machine that is otherwise idle:

    python tests/benchmarks/survey.py ../shared/games -j 8 -o survey

On a machine that others use, ``--shared`` goes by processor time and measures no rates. It

writes ``survey.json`` and ``survey.md`` (again after each file, so that a run that is
stopped keeps what it has, and goes on from there with ``--resume``) and tells its progress on
standard error. One file at a time:

    python tests/benchmarks/survey.py ../shared/games --only chess amazons -j 1

Needs lark, clingo, numpy, llvmlite and platformdirs, and Linux (memory is read in ``/proc``).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SECONDS = 60.0
BYTES = 4 << 30
MEASURING = 60.0
"""Seconds that the measurement of the rate may take beyond the first playout."""
PATIENCE = 5.0
"""How many times its limit a file may take by the clock where others use the machine."""
GRACE = 15.0
"""Seconds that a file may take beyond its limit to say why it is refused."""
POLL = 0.1
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

Report = dict[str, Any]


# The child: builds one file and tells of every stage as a line of JSON.


def build_one(path: str, seconds: float, memory: int, *, is_shared: bool) -> None:
    sys.path.insert(0, str(ROOT))
    begin = time.perf_counter()

    def tell(stage: str, **found: object) -> None:
        line = {"stage": stage, "at": time.perf_counter() - begin, "cpu": worked(), **found}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    from gdl.language.diagnostics import GdlError

    try:
        rate = run(path, seconds * PATIENCE if is_shared else seconds, memory, tell)
        if not is_shared:
            tell("measured", **rate())
    except GdlError as error:
        tell("refused", why=str(error))


def worked() -> float:
    """Return the processor time of this process and of the grounders that it waited for."""
    return sum(os.times()[:4])


def run(
    path: str, seconds: float, memory: int, tell: Callable[..., None]
) -> Callable[[], dict[str, object]]:
    """Play a file once; return what measures how fast it plays."""
    from gdl.bench.measure import measure
    from gdl.compile import CompileLimits, GameCircuit, build
    from gdl.language.parse import read
    from gdl.native.game import NativeGame
    from gdl.native.lanes.layout import GoalTableError
    from gdl.playouts import Playouts, playouts

    description = read(path)
    tell("read")

    def make() -> GameCircuit:
        return build(
            description,
            limits=CompileLimits(seconds=seconds, bytes=memory),
            on_stage=lambda stage: tell(stage.name, size=stage.size, took=stage.seconds),
        )

    def walk(count: int) -> Playouts:
        return playouts(native.machine, native.machine.initial(), count)

    native = NativeGame("survey", make, keep=False)
    played: Callable[[int], Playouts] = native.playouts
    backend = "lanes"
    try:
        one = played(1)
    except GoalTableError:
        played, backend = walk, "kernel"
        one = played(1)
    tell("played", backend=backend, length=one.mean_length, facts=len(native.circuit.facts))

    def rate() -> dict[str, object]:
        _ = native.lanes if backend == "lanes" else native.machine  # not what begins sooner
        found = measure(played, seconds=0.5, repeats=1)
        return {
            "playouts": found.playouts,
            "transitions": found.transitions,
            "length": found.mean_length,
            "goals": found.mean_goals,
        }

    return rate


# The parent: one child a file, watched.


def watch(path: Path, seconds: float, memory: int, *, is_shared: bool = False) -> Report:
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.perf_counter()
        command = [sys.executable, __file__, "--child", str(path)]
        command += ["--seconds", str(seconds), "--bytes", str(memory)]
        command += ["--shared"] * is_shared
        child = subprocess.Popen(
            command,
            stdout=out,
            stderr=err,
            env={**os.environ, "GDL_CACHE": "", "PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )
        peak, stopped, most = 0, "", seconds * PATIENCE if is_shared else seconds
        while child.poll() is None:
            time.sleep(POLL)
            peak = max(peak, tree_memory(child.pid))
            spent = time.perf_counter() - begin
            out.seek(0)
            is_played = '"played"' in out.read()
            if peak > memory:
                stopped = "bytes"
            elif spent > most + (MEASURING if is_played else GRACE):
                stopped = "seconds"
            if stopped:
                end(child)
        out.seek(0)
        err.seek(0)
        lines = [json.loads(line) for line in out.read().splitlines() if line.endswith("}")]
        ended: Report = {"file": path.stem, "peak": peak, "seconds": seconds}
        ended |= {
            "clock": "cpu" if is_shared else "at",
            "stopped": stopped,
            "said": err.read(),
            "code": child.returncode,
        }
        return report(lines, ended)


def end(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, 9)  # the child leads a session: its grounder ends too
    child.wait()


def tree_memory(root: int) -> int:
    """Return the bytes that a process and all below it have in memory."""
    total, work = 0, [root]
    while work:
        pid = work.pop()
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
            for task in Path(f"/proc/{pid}/task").iterdir():
                work += map(int, (task / "children").read_text().split())
        except (OSError, IndexError, ValueError):
            continue
    return total


def report(lines: Sequence[Report], ended: Report) -> Report:
    """Return what the lines of a child, and how it ended, come to."""
    stages = {line["stage"]: line for line in lines}
    last = lines[-1]["stage"] if lines else "start"
    found: Report = {"file": ended["file"], "peak": ended["peak"], "last": last}
    if "played" in stages:
        is_late = stages["played"][ended["clock"]] > ended["seconds"]
        found["outcome"] = "seconds" if is_late else "native"
        found["why"] = "runs, but late"
        found["backend"] = stages["played"]["backend"]
    elif "refused" in stages:
        found["outcome"] = "refused"
        found["why"] = stages["refused"]["why"]
    elif ended["stopped"]:
        found["outcome"] = ended["stopped"]
        found["why"] = f"stopped by the limit on {ended['stopped']} after the stage {last!r}"
    else:
        found["outcome"] = "crash"
        found["why"] = f"exit code {ended['code']}: {ended['said'].strip()[-400:]}"
    before = 0.0
    for line in lines:
        found[f"{line['stage']}_s"] = round(line["at"] - before, 3)
        before = line["at"]
        if line["stage"] == "played":
            found["total_s"] = round(before, 3)
            found["cpu_s"] = round(line["cpu"], 3)
    for stage, key in (("ground", "ground_rules"), ("network", "before"), ("circuit", "after")):
        if stage in stages:
            found[key] = stages[stage]["size"]
    for key in ("playouts", "transitions", "length", "goals"):
        if key in stages.get("measured", {}):
            found[key] = stages["measured"][key]
    return found


COLUMNS = (
    ("file", "file", "{}"),
    ("outcome", "outcome", "{}"),
    ("total_s", "total s", "{:.1f}"),
    ("cpu_s", "CPU s", "{:.1f}"),
    ("ground_s", "ground", "{:.1f}"),
    ("network_s", "network", "{:.1f}"),
    ("simplify_s", "simplify", "{:.1f}"),
    ("circuit_s", "circuit", "{:.1f}"),
    ("played_s", "lanes", "{:.1f}"),
    ("peak", "peak MiB", "mib"),
    ("ground_rules", "ground rules", "{:,}"),
    ("before", "gates before", "{:,}"),
    ("after", "after", "{:,}"),
    ("transitions", "transitions/s", "{:.3g}"),
    ("length", "mean length", "{:.1f}"),
)


def table(reports: Iterable[Report]) -> str:
    """Return all reports as a table, those that run first, by name; then the reasons."""
    rows = sorted(reports, key=lambda row: (row["outcome"] != "native", row["file"].lower()))
    natives = sum(row["outcome"] == "native" for row in rows)
    lines = [f"{natives} of {len(rows)} files run as machine code.", ""]
    lines.append("| " + " | ".join(title for _, title, _ in COLUMNS) + " |")
    lines.append("|---" * len(COLUMNS) + "|")
    lines += (
        "| " + " | ".join(cell(row.get(key), form) for key, _, form in COLUMNS) + " |"
        for row in rows
    )
    others = [row for row in rows if row["outcome"] != "native"]
    if others:
        lines += ["", "| file | why not |", "|---|---|"]
        lines += (f"| {row['file']} | {first_words(row['why'])} |" for row in others)
    return "\n".join(lines) + "\n"


def cell(value: Any, form: str) -> str:  # noqa: ANN401  # whatever JSON has
    if value is None:
        return "-"
    return f"{value >> 20:,}" if form == "mib" else form.format(value)


def first_words(why: str) -> str:
    return " ".join(why.split()).replace("|", "\\|")[:400]


def in_one_line(row: Report) -> str:
    line = f"{row['file']}: {row['outcome']} {row.get('total_s', '-')} s, {row['peak'] >> 20:,} MiB"
    return line if row["outcome"] == "native" else f"{line} {first_words(row['why'])[:150]}"


def survey(options: argparse.Namespace) -> None:
    files = sorted(Path(options.folder).glob("*.kif"))
    if options.only:
        files = [path for path in files if path.stem in options.only]
    reports: list[Report] = []
    if options.resume:
        known = json.loads(Path(f"{options.output}.json").read_text())
        reports = [row for row in known if row["outcome"] == "native"]
        names = {row["file"] for row in reports}
        files = [path for path in files if path.stem not in names]
    whole = len(reports) + len(files)
    with ThreadPoolExecutor(options.jobs) as pool:
        limits = options.seconds, options.bytes
        runs = [pool.submit(watch, path, *limits, is_shared=options.shared) for path in files]
        for done in as_completed(runs):
            row = done.result()
            reports.append(row)
            Path(f"{options.output}.json").write_text(json.dumps(reports, indent=1))
            Path(f"{options.output}.md").write_text(table(reports))
            sys.stderr.write(f"{len(reports)}/{whole} {in_one_line(row)}\n")
    natives = sum(row["outcome"] == "native" for row in reports)
    sys.stderr.write(f"{natives} of {len(reports)} files run as machine code\n")


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    reader.add_argument("folder", help="folder of rule files (*.kif)")
    reader.add_argument("--only", nargs="*", help="names of files, without .kif")
    reader.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="files at once")
    reader.add_argument("--seconds", type=float, default=SECONDS, help="text to first playout")
    reader.add_argument("--bytes", type=int, default=BYTES, help="memory of each file")
    reader.add_argument("--shared", action="store_true", help="go by processor time")
    reader.add_argument("-o", "--output", default="survey", help="writes OUTPUT.json, OUTPUT.md")
    reader.add_argument(
        "--resume", action="store_true", help="keep what OUTPUT.json says of files that ran"
    )
    reader.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = reader.parse_args()
    if options.child:
        build_one(options.folder, options.seconds, options.bytes, is_shared=options.shared)
    else:
        survey(options)


if __name__ == "__main__":
    main()
