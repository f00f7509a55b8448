"""What `gdl diff` and `gdl verify` say of published rule files, and what Berkeley ABC says of them.

Each question is asked of us, and, as the AIGER file that `gdl convert` writes, of ABC in four ways:
``scorr; pdr``, ``pdr``, ``bmc3`` and ``dprove``. Ours count reading the files and making the
circuits; ABC's begin with the file, and beside them stands what making that took, which is the same
reading and circuits. What we say is certified, in so many seconds more, and the folder checked as
`gdl certify` does it. All are seconds of the processor. Run it from the root of the repository,
where berkeley-abc is installed:

    python -m tests.benchmarks.beside_abc ../shared/games --seconds 60 --abc 12 --certify 120

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gdl.certify import check_folder
from gdl.circuit.aiger import model_bytes
from gdl.compile.budget import processor_seconds
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.ruleset import find
from gdl.verify.certificates import open_folder, write_certificates
from gdl.verify.diff import Comparison
from gdl.verify.export import model_of_game, model_of_product
from gdl.verify.properties.examination import Examination
from gdl.verify.solvers.budget import Budget
from gdl.verify.verification import claims
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


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked, and what it may take.

    Attributes:
        folder: Of the rule files.
        names: Two files, or a file and a property.
        is_pair: Whether they are two files.
        seconds: Of the processor, for an answer.
        certify: The same, for the certificates of an answer.
    """

    folder: Path
    names: tuple[str, str]
    is_pair: bool
    seconds: float
    certify: float


def ask_us(wanted: Wanted, out: Any) -> None:  # noqa: ANN401  # a connection
    """Ask `gdl diff` or `gdl verify`; send what it says, and what comes of its certificates."""
    start = time.process_time()
    budget = Budget(wanted.seconds, clock=processor_seconds)
    rulesets = [find(wanted.folder / f"{name}.kif") for name in wanted.names[: 1 + wanted.is_pair]]
    try:
        if wanted.is_pair:
            compared = Comparison((rulesets[0], rulesets[1]), budget)
            answer = compared.by_text(DEFAULT_LIMITS) or compared.run()
            said, claimed, beside = answer.headline, compared.claims(answer), compared.beside()
        else:
            examined = Examination(rulesets[0], (), budget, wanted=wanted.names[1].__eq__)
            verified = examined.run()
            said = " ".join(f"{verdict.status}: {verdict.text}" for verdict in verified.verdicts)
            claimed, beside = list(claims(verified)), {}
    except GdlError as error:
        out.send({"said": error.headline, "seconds": round(time.process_time() - start, 1)})
        return
    out.send({"said": said, "seconds": round(time.process_time() - start, 1)})
    with tempfile.TemporaryDirectory() as place:
        start = time.process_time()
        fresh = Budget(wanted.certify, clock=processor_seconds)
        certificates = open_folder(place)
        write_certificates(certificates, claimed, rulesets, fresh, beside=beside)
        written = time.process_time() - start
        checked = list(check_folder(certificates))
        size = sum(file.stat().st_size for file in certificates.rglob("*") if file.is_file())
        out.send(
            {
                "claims": f"{sum(c.holds is True for c in checked)} of {len(checked)}"
                + (", REFUSED" if any(claim.holds is False for claim in checked) else ""),
                "size": f"{size / 1e6:.1f} MB",
                "written": f"{written:.1f}, {time.process_time() - start - written:.1f}",
            }
        )


def write_model(wanted: Wanted, place: Path, out: Any) -> None:  # noqa: ANN401  # a connection
    """Write the question as an AIGER file; send why that cannot be, where it cannot."""
    start = time.process_time()
    first, second = (wanted.folder / f"{name}.kif" for name in wanted.names)
    limits = Limits(seconds=LIMIT)
    try:
        if wanted.is_pair:
            model = model_of_product(find(first), find(second), limits=limits)
        else:
            model = model_of_game(find(first).description, names=wanted.names[1:], limits=limits)
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
    reader.add_argument("--certify", type=float, default=120.0, help="the same, for certificates")
    reader.add_argument("--abc", type=int, default=12, help="the same for each way of ABC")
    options = reader.parse_args()
    heads = ["question", "we say", "seconds", "file", "claims that hold", "size"]
    heads += ["written, checked", *WAYS]
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|", flush=True)  # noqa: T201  # a program
    for question in options.questions:
        first, second = question.split(",")
        is_pair = (options.folder / f"{second}.kif").exists()
        wanted = Wanted(options.folder, (first, second), is_pair, options.seconds, options.certify)
        ours: Any = report_of(ask_us, wanted)
        ours = ours if isinstance(ours, dict) else {"said": f"exit code {ours}", "seconds": "-"}
        with tempfile.TemporaryDirectory() as place:
            model = Path(place) / "asked.aig"
            told: Any = report_of(write_model, wanted, model)
            made = told if isinstance(told, dict) else {"why": told}
            if model.exists():
                theirs = [ask_abc(model, way, options.abc) for way in WAYS]
            else:
                theirs = [f"not asked: {made['why']}"]
                theirs += [""] * (len(WAYS) - 1)
        shown = [ours.get(name, "") for name in ("claims", "size", "written")]
        cells = (question, ours["said"], ours["seconds"], made.get("seconds", "-"), *shown, *theirs)
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
