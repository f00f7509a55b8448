"""``gdl bench``: how fast games run, beside open_spiel where it is installed."""

from __future__ import annotations

import subprocess
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gdl.backend import NATIVE_PACKAGES
from gdl.cli.terminal.console import console, is_watched, say, say_json
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import JsonOption, OutputOption, argument, option
from gdl.cli.terminal.output import write_text
from gdl.language.diagnostics import GdlError
from gdl.language.packages import need_packages

if TYPE_CHECKING:
    from gdl.bench.game import Report
    from gdl.bench.page import Bench
    from gdl.bench.start import Start

WIDTHS: Final = (64, 128, 256, 512)


def bench(
    games: Annotated[
        list[str] | None,
        argument("[GAME]...", "Ruleset ids or rule files; none: every shipped ruleset."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, help="Length of one measurement.")
    ] = 0.5,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Measurements of each kind.")] = 3,
    lanes: Annotated[
        list[int] | None,
        option(
            "--lanes",
            None,
            "Games in one vector: 64, 128, 256 or 512, repeatable.  [default: 64 256 512]",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the rates: .png or .svg.")
    ] = None,
    output: OutputOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how fast games run: every back end, starts, memory, vector environments.

    Where open_spiel is installed its C++ rollouts are measured in the same run on the same
    core, and each figure comes with its ratio to them; likewise pgx beside the environments.
    In a page that has the lines "<!-- gdl bench: begin -->" and "<!-- gdl bench: end -->",
    --output writes between these and keeps the rest.

    Examples:
      gdl bench tictactoe
      gdl bench pentago/utwente gomoku/freestyle --lanes 512 --plot rates.svg
      gdl bench mine.kif --json
    """
    widths = tuple(lanes or (64, 256, 512))
    if wrong := [width for width in widths if width not in WIDTHS]:
        raise UsageError(f"--lanes {wrong[0]}", expected=", ".join(map(str, WIDTHS)))
    if plot is not None and plot.suffix not in {".png", ".svg"}:
        raise UsageError(f"--plot {plot}", expected="a name that ends in .png or .svg")
    names = games or _shipped()
    results = _measure(names, widths, seconds, rounds)
    if json:
        say_json(results.to_json())
    else:
        from gdl.bench.page import page, placed

        text = page(results) + "\n"
        kept = Path(output) if output not in {None, "-"} else None
        if kept is not None and kept.is_file():
            text = placed(text, kept.read_text(encoding="utf-8"))
        write_text(text, output)
    if plot is not None:
        _draw(results, plot)
    if len(results.reports) < len(names):
        raise typer.Exit(1)


def _shipped() -> list[str]:
    from gdl.ruleset import rulesets

    return [ruleset.id for ruleset in rulesets()]


def _measure(names: list[str], widths: tuple[int, ...], seconds: float, rounds: int) -> Bench:
    need_packages("gdl bench", NATIVE_PACKAGES, "native")
    from gdl.bench.environment import EnvironmentRate, environment_rate
    from gdl.bench.game import bench_game
    from gdl.bench.page import bench_of
    from gdl.ruleset import find

    for name in names:
        find(name)  # a wrong name is told before the first is measured
    reports: list[Report] = []
    begun: list[tuple[Start, Start] | None] = []
    learned: list[EnvironmentRate | None] = []
    for name in names:
        with _status(f"{name}: measuring"):
            try:
                report = bench_game(name, widths=widths, seconds=seconds, rounds=rounds)
            except GdlError as error:
                if name == names[-1] and not reports:
                    raise
                say(f"not measured: {error}", stderr=True)
                continue
            reports.append(report)
            begun.append(_starts(name) if report.gates else None)
            learned.append(environment_rate(name, seconds=seconds, rounds=rounds))
    return bench_of(reports, begun, learned)


def _starts(name: str) -> tuple[Start, Start] | None:
    from gdl.bench.start import starts

    try:
        return starts(name)
    except subprocess.CalledProcessError:
        return None


def _status(text: str) -> AbstractContextManager[Any]:
    from contextlib import nullcontext

    return console(stderr=True).status(text) if is_watched() else nullcontext()


def _draw(results: Bench, path: Path) -> None:
    from gdl.bench.page import plot

    try:
        plot(results, path)
    except ImportError:
        need_packages("--plot", ("matplotlib",), "plot")
        raise
    say(f"drawn: {path}", stderr=True)
