"""The results of a bench as a page, as JSON, and as a picture.

In: reports, starts, and where they were measured. Out: text, and a plot where matplotlib
is installed.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from gdl.bench.environment import EnvironmentRate
from gdl.bench.game import Report, table
from gdl.bench.start import Start

MEBI: Final = 1 << 20
BEGIN: Final = "<!-- gdl bench: begin -->"
END: Final = "<!-- gdl bench: end -->"


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that one run of the bench found.

    Attributes:
        reports: A game each.
        starts: For each game a cold start and a warm one; None where it failed.
        environments: For each game its vector environment; None where it has none.
        cpu: Name of the processor.
        day: Date, as in ISO 8601.
    """

    reports: tuple[Report, ...]
    starts: tuple[tuple[Start, Start] | None, ...]
    environments: tuple[EnvironmentRate | None, ...]
    cpu: str
    day: str

    def to_json(self) -> dict[str, Any]:
        """Return all figures as JSON values."""
        return asdict(self)


def bench_of(
    reports: Sequence[Report],
    starts: Sequence[tuple[Start, Start] | None],
    environments: Sequence[EnvironmentRate | None],
) -> Bench:
    """Return the results with the date and the processor."""
    day = datetime.now(UTC).date().isoformat()
    return Bench(tuple(reports), tuple(starts), tuple(environments), processor(), day)


def processor() -> str:
    """Return the name of the processor, as far as the system tells."""
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def page(bench: Bench) -> str:
    """Return the results as a Markdown page."""
    return "\n".join(
        (
            f"Measured on {bench.day}, {bench.cpu}, one thread, processor time. Rates of a shared",
            "machine wander: compare the ratios, which are of the same run on the same core. Mean",
            "length and mean goals are printed so that it is seen to be the same game.",
            "",
            table(bench.reports),
            "",
            "From rule text to playing, each in a process of its own; imports are not counted:",
            "",
            start_table(bench),
            "",
            "Vector environments for learning (`gdl.adapters.vector`), moves drawn from the masks:",
            "",
            environment_table(bench),
        )
    )


def start_table(bench: Bench) -> str:
    """Return gates, starts and memory of each game as a Markdown table."""
    heads = ("game", "nodes", "cold s", "to first playout s", "warm s", "peak MiB", "code KiB")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for report, both in zip(bench.reports, bench.starts, strict=True):
        cells = ["-"] * 4
        if both is not None:
            cold, warm = both
            cells = [
                f"{cold.load:.2f}",
                f"{cold.playout:.2f}",
                f"{warm.load:.3f}",
                f"{max(cold.peak, warm.peak) / MEBI:.0f}",
            ]
        row = (report.name, f"{report.gates:,}", *cells, f"{report.code_bytes / 1024:.0f}")
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def environment_table(bench: Bench) -> str:
    """Return how fast the vector environments run as a Markdown table."""
    heads = (
        "game",
        "games at once",
        "moves/s",
        "moves/s with observations",
        "bare batch, moves/s",
        "x pgx",
    )
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for report, rate in zip(bench.reports, bench.environments, strict=True):
        cells = ["-"] * (len(heads) - 1)
        if rate is not None:
            figures = (rate.moves, rate.observed, rate.batch, rate.ratio)
            cells = [f"{rate.size:,}", *("-" if x is None else f"{x:.4g}" for x in figures)]
        lines.append(f"| {' | '.join((report.name, *cells))} |")
    return "\n".join(lines)


def placed(results: str, old: str) -> str:
    """Return a page with new results in the place of its old ones, the words around kept.

    They stand between `BEGIN` and `END`; a page without these lines is written over.
    """
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        return results
    return f"{before}{begin}\n\n{results}\n{end}{after}"


def plot(bench: Bench, path: Path) -> None:
    """Draw playouts a second by game and back end, on a logarithmic scale, as PNG or SVG.

    Raises:
        ImportError: matplotlib is not installed.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    names = list(dict.fromkeys(name for report in bench.reports for name in report.rates))
    series = {name: [_rate(report, name) for report in bench.reports] for name in names}
    peers = [report.peer_rate or 0.0 for report in bench.reports]
    if any(peers):
        series["open_spiel (C++)"] = peers
    figure, axes = plt.subplots(figsize=(1.6 * len(bench.reports) + 3, 5))
    width = 0.8 / len(series)
    for number, (name, rates) in enumerate(series.items()):
        at = [game + number * width for game in range(len(rates))]
        axes.bar(at, rates, width, label=name)
    axes.set_yscale("log")
    axes.set_ylabel("playouts a second, one thread")
    axes.set_xticks([game + 0.4 for game in range(len(bench.reports))])
    axes.set_xticklabels([Path(report.name).stem for report in bench.reports], rotation=20)
    axes.set_title(f"{bench.cpu}, {bench.day}")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def _rate(report: Report, back_end: str) -> float:
    rate = report.rates.get(back_end)
    return 0.0 if rate is None else rate.playouts
