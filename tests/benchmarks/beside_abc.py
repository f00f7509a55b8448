"""What `gdl diff` and `gdl verify` say of published rule files, and what Berkeley ABC says of them.

Each question is asked of us, and, as the AIGER file that `gdl convert` writes, of ABC in four ways:
``scorr; pdr``, ``pdr``, ``bmc3`` and ``dprove``. Ours count reading the files and making the
circuits; ABC's begin with the file, and beside them stands what making that took, which is the same
reading and circuits. All are seconds of the processor. Run it from the root of the repository,
where berkeley-abc is installed:

    python -m tests.benchmarks.beside_abc ../shared/games --seconds 60 --abc 12

A question is two files (``3pttc,3pttc.v1``) or a file and a property (``gomoku_11x11,playable``);
without any the list below is asked. It prints a row of a table as soon as it is known.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from gdl.circuit.aiger import model_bytes
from gdl.compile.budget import processor_seconds
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.ruleset import find
from gdl.verify.diff import Comparison
from gdl.verify.export import model_of_game, model_of_product
from gdl.verify.properties.examination import Examination
from gdl.verify.solvers.budget import Budget
from tests.benchmarks.own_process import report_of

WAYS: Final = ("scorr; pdr", "pdr", "bmc3", "dprove")
LIMIT: Final = 3600
"""Of time by the clock, which on a busy machine says nothing; that of the processor ends ABC."""
ASKED: Final = (
    *(f"{name},{name}.v1" for name in ("checkersTiny", "checkersSmall", "checkers")),
    *(f"{n}p{game},{n}p{game}.v1" for game in ("ttc", "ffa") for n in (2, 3, 4)),
    "4pttc.v1,4pttc.v2",
    "beatMania,beatMania.v1",
    "snakeAssemblit,snakeAssemblit.v1",
    "snake_2008,snake_2008_tweaked",
    "reversi,othello-comp2007",
    "gomoku_11x11,playable",
    "gomoku_11x11,goals unique",
    "gomoku_11x11,terminating",
    "connectFour,terminating",
    "breakthrough,terminating",
)


def ask_us(folder: Path, names: list[str], seconds: float, is_file: bool, out: Any) -> None:  # noqa: ANN401, FBT001  # a connection
    """Ask `gdl diff` or `gdl verify`, and send what it says and what that took."""
    start = time.process_time()
    budget = Budget(seconds, clock=processor_seconds)
    first = find(folder / f"{names[0]}.kif")
    try:
        if is_file:
            asked = Comparison((first, find(folder / f"{names[1]}.kif")), budget)
            answer = asked.by_text(DEFAULT_LIMITS) or asked.run()
            said = answer.headline
        else:
            found = Examination(first, (), budget, wanted=names[1].__eq__).run()
            said = " ".join(f"{verdict.status}: {verdict.text}" for verdict in found.verdicts)
    except GdlError as error:
        said = error.headline
    out.send({"said": said, "seconds": round(time.process_time() - start, 1)})


def write_model(folder: Path, names: list[str], place: Path, is_file: bool, out: Any) -> None:  # noqa: ANN401, FBT001  # a connection
    """Write the question as an AIGER file; send why that cannot be, where it cannot."""
    start = time.process_time()
    first, limits = find(folder / f"{names[0]}.kif"), Limits(seconds=LIMIT)
    try:
        if is_file:
            model = model_of_product(first, find(folder / f"{names[1]}.kif"), limits=limits)
        else:
            model = model_of_game(first.description, names=names[1:], limits=limits)
        place.write_bytes(model_bytes(model))
        out.send({"seconds": round(time.process_time() - start, 1)})
    except GdlError as error:
        out.send({"why": error.headline})


def ask_abc(model: Path, way: str, seconds: int) -> str:
    """Return what ABC says of a file in one way, and the seconds of the processor it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(  # a program of that name, and a file of ours
        [shutil.which("berkeley-abc") or "", "-q", f"read {model}; orpos; {way}; print_status"],
        capture_output=True,
        check=False,
        text=True,
        errors="replace",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if found := re.search(r"Status = 0 .*?Frame = *(\d+)", ran.stdout):
        return f"a play of {found[1]} moves, {took:.1f}"
    if "Status = 1" in ran.stdout:
        return f"never, {took:.1f}"
    return f"open, {took:.1f}"


def main() -> None:
    """Ask everything that is wanted, and print a row each."""
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("folder", type=Path, help="folder of rule files (*.kif)")
    reader.add_argument("questions", nargs="*", default=ASKED, help="FILE,FILE or FILE,PROPERTY")
    reader.add_argument("--seconds", type=float, default=60.0, help="of the processor, for us")
    reader.add_argument("--abc", type=int, default=12, help="the same for each way of ABC")
    options = reader.parse_args()
    print("| question | we say | seconds | file |", " | ".join(WAYS), "|", flush=True)  # noqa: T201  # a program
    print("|---|---|---|---|" + "---|" * len(WAYS), flush=True)  # noqa: T201
    for question in options.questions:
        names = question.split(",")
        is_file = (options.folder / f"{names[1]}.kif").exists()
        ours: Any = report_of(ask_us, options.folder, names, options.seconds, is_file)
        ours = ours if isinstance(ours, dict) else {"said": f"exit code {ours}", "seconds": "-"}
        with tempfile.TemporaryDirectory() as place:
            model = Path(place) / "asked.aig"
            told: Any = report_of(write_model, options.folder, names, model, is_file)
            made = told if isinstance(told, dict) else {"why": told}
            if model.exists():
                theirs = [ask_abc(model, way, options.abc) for way in WAYS]
            else:
                theirs = [f"not asked: {made['why']}"]
                theirs += [""] * (len(WAYS) - 1)
        cells = (question, ours["said"], ours["seconds"], made.get("seconds", "-"), *theirs)
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
