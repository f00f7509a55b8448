"""How many properties of published rule files `gdl verify` decides, and what it says of the others.

Asked is whether a game is playable, whether it ends, and whether its goals are unique and in range.
Each file has a process of its own, a limit on what that takes of the processor, and one on its
memory. Run it from the root of the repository:

    python -m tests.benchmarks.decided ../shared/games --files 60 --seconds 20 -o decided.jsonl

The files are drawn with ``--seed``; without ``--files`` all are taken. A line of JSON is appended a
file, so that a run that is stopped goes on where it was; it ends with a table.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from gdl.compile.budget import processor_seconds
from gdl.ruleset import find
from gdl.verify.properties.examination import Examination
from gdl.verify.solvers.budget import Budget
from tests.benchmarks.own_process import Report, report_of

ASKED: Final = ("playable", "terminating", "goals unique", "goals in range")
GRACE: Final = 30
"""Seconds of the processor that a file may take beyond its limit, before it is stopped."""


def examine(file: Path, seconds: float, megabytes: int, out: Any) -> None:  # noqa: ANN401  # a connection
    """Ask of one file, and send each verdict as it comes."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds + GRACE),) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2)
    report: Report = {"file": file.stem}
    try:
        budget = Budget(seconds, clock=processor_seconds)
        found = Examination(
            find(file),
            (),
            budget,
            wanted=ASKED.__contains__,
            on_verdict=lambda said: out.send({said.name: [said.status, said.text]}),
        ).run()
        report |= {v.name: [v.status, v.text] for v in found.verdicts}
    except Exception as error:  # noqa: BLE001  # whatever it is: the table has to tell
        report |= {"error": f"{type(error).__name__}: {error}"}
    out.send(report | {"seconds": round(time.process_time(), 1)})


def watch(file: Path, seconds: float, megabytes: int) -> Report:
    """Return what comes of one file, also where its process dies."""
    told = report_of(examine, file, seconds, megabytes)
    if not isinstance(told, dict):
        return {"file": file.stem, "error": f"exit code {told}"}
    if "seconds" not in told:  # the last that is sent
        return {"file": file.stem, "error": "its process ended before the last answer", **told}
    return told


def table(reports: Iterable[Report]) -> str:
    """Return how often what was said of each property, and of which files one is open."""
    reports = list(reports)
    lines = [f"| {len(reports)} files | proved | refuted | open |", "|---|---|---|---|"]
    for name in ASKED:
        counts = Counter(report.get(name, ["open"])[0] for report in reports)
        cells = [name, counts["proved"], counts["refuted"], counts["open"]]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines.append("")
    for report in reports:
        if "error" in report:
            lines.append(f"{report['file']}: {report['error']}")
        for name in ASKED:
            status, text = report.get(name, ["", ""])
            if status == "open":
                lines.append(f"{report['file']}: {name}: {text}")
    return "\n".join(lines)


def main() -> None:
    """Ask of as many files as wanted that the output does not have yet; print the table."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("folder", type=Path, help="folder of rule files (*.kif)")
    reader.add_argument("--files", type=int, help="how many; without it all")
    reader.add_argument("--seed", type=int, default=0, help="which")
    reader.add_argument("--seconds", type=float, default=20.0, help="of the processor, a file")
    reader.add_argument("--bytes", type=int, default=4096, help="megabytes of each process")
    reader.add_argument("-o", "--output", type=Path, default=Path("decided.jsonl"))
    options = reader.parse_args()
    files = sorted(options.folder.glob("*.kif"))
    if options.files is not None:
        files = random.Random(options.seed).sample(files, options.files)
    known = []
    if options.output.exists():
        known = [json.loads(line) for line in options.output.read_text().splitlines()]
    done = {report["file"] for report in known}
    for file in files:
        if file.stem in done:
            continue
        report = watch(file, options.seconds, options.bytes)
        known.append(report)
        with options.output.open("a") as output:
            output.write(json.dumps(report) + "\n")
        sys.stderr.write(f"{report['file']}: {report}\n")
    print(table(known))  # noqa: T201  # a program


if __name__ == "__main__":
    main()
