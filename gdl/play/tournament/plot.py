"""The ratings of a tournament as a picture.

In: standings. Out: a file; its ending decides the format (png, svg, pdf).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from gdl.language.diagnostics import GdlError
from gdl.language.packages import need_packages
from gdl.play.tournament.standings import Standing


class PlotError(GdlError):
    """The picture cannot be drawn."""


def check_format(path: Path) -> None:
    """See that a plot can be drawn into such a file, before the games are played for it.

    Raises:
        MissingPackageError: matplotlib is not installed.
        PlotError: It does not know the format.
    """
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        need_packages("--plot", ("matplotlib",), "plot")
        raise
    formats = FigureCanvasBase.get_supported_filetypes()
    suffix = path.suffix.removeprefix(".").lower()
    if suffix and suffix not in formats:
        raise PlotError(
            f"{path}: {path.suffix} is no format of pictures", expected=".png, .svg or .pdf"
        )


def plot(names: Sequence[str], ranked: Sequence[Standing], path: Path | BytesIO) -> None:
    """Draw the rating of each player with its 95% interval, the best on top.

    Args:
        names: Names of the players, by number.
        ranked: The players, the best first.
        path: Where the picture goes: a file, or memory, which gets a PNG.

    Raises:
        MissingPackageError: matplotlib is not installed.
        PlotError: It does not know the format.
        OSError: The file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        need_packages("--plot", ("matplotlib",), "plot")
        raise
    figure = Figure(figsize=(8, 1.2 + 0.45 * len(ranked)))  # by itself: no window, no notebook
    axes = figure.subplots()
    try:
        axes.errorbar(
            [standing.rating.elo for standing in ranked],
            range(len(ranked)),
            xerr=[standing.rating.margin for standing in ranked],
            fmt="o",
            capsize=4,
        )
        axes.set_yticks(
            range(len(ranked)),
            labels=[
                f"{names[standing.player]} ({standing.total.games} games)" for standing in ranked
            ],
            parse_math=False,
        )
        axes.invert_yaxis()
        axes.axvline(0, linewidth=0.8, linestyle=":")
        axes.set_xlabel("Elo, 0 is the mean of all; bars are 95% intervals")
        figure.tight_layout()
        figure.savefig(path)
    except ValueError as error:
        raise PlotError(f"{path}: {error}") from error


def plot_html(names: Sequence[str], ranked: Sequence[Standing]) -> str:
    """Return the same plot as HTML that stands alone, nothing where matplotlib is missing."""
    if find_spec("matplotlib") is None:
        return ""
    drawn = BytesIO()
    plot(names, ranked, drawn)
    encoded = b64encode(drawn.getvalue()).decode("ascii")
    said = "Elo of each player with its 95% interval"
    return f'<img alt="{said}" src="data:image/png;base64,{encoded}">'
