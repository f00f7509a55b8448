"""How learning went on: what was measured on the way, kept beside the network, and as a picture.

In: points, one each time a network is measured. Out: a file of a line of JSON a point, ``.curve``
beside the network, to which every run adds; and a plot of it. A line that a kill has torn is left
out when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gdl.language.packages import need_packages

if TYPE_CHECKING:
    from gdl.learn.evaluation import Evaluation

SUFFIX: Final = ".curve"
"""What the name of the file has at its end."""


LOSSES: Final = {
    "loss": "mean squared error of how games end",
    "policy_loss": "cross entropy of moves",
    "value_loss": "cross entropy of values",
}
"""What is drawn above, of a point, where it has that."""


@dataclass(frozen=True, slots=True)
class Strength:
    """How a network did against another player.

    Attributes:
        elo: How far it is above the other, in Elo points.
        margin: Half of the width of the 95% interval.
        games: Of so many games.
    """

    elo: float
    margin: float
    games: int


@dataclass(frozen=True, slots=True)
class Point:
    """What was measured at one time.

    Attributes:
        games: Games of learning until then.
        seconds: Seconds of learning until then.
        loss: Mean squared error of the network about how games of `mcts` end, of shares of the
            points from 0 to 1; None where there was no game.
        weight: How far it is to be believed beside playouts; None for a deep network, which no
            playouts stand beside.
        mcts: How it did against `mcts` at equal nodes; None where that was not played.
        best: How it did against the best network before; likewise.
        policy_loss: Cross entropy of the policy of a deep network about its own trees, in nats.
        value_loss: The same of values, about games and trees.
    """

    games: int
    seconds: float
    loss: float | None
    weight: float | None
    mcts: Strength | None = None
    best: Strength | None = None
    policy_loss: float | None = None
    value_loss: float | None = None


def strength(evaluation: Evaluation | None) -> Strength | None:
    """Return what an evaluation says of its first player."""
    if evaluation is None:
        return None
    return Strength(evaluation.elo, evaluation.margin, evaluation.record.games)


def curve_of(network: Path) -> Path:
    """Return where the curve of a network is kept."""
    return network.with_name(network.name + SUFFIX)


def add(path: Path, point: Point) -> None:
    """Add a point to a curve.

    Raises:
        OSError: The file cannot be written.
    """
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(point)) + "\n")


def read(path: Path) -> list[Point]:
    """Return the points of a curve, none where there is no file.

    Raises:
        OSError: The file cannot be read.
    """
    if not path.exists():
        return []
    points = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            points.append(_point(json.loads(line)))
        except (ValueError, TypeError, KeyError):  # torn by a kill, or no line of ours
            continue
    return points


def _point(said: dict[str, Any]) -> Point:
    met = {name: said[name] and Strength(**said[name]) for name in ("mcts", "best")}
    return Point(**{**said, **met})


def plot(name: str, points: Sequence[Point], path: Path) -> None:
    """Draw a curve: above the loss, below the Elo against `mcts` and the best network before.

    Args:
        name: Name of the game.
        points: The points, one at least.
        path: Where the picture goes; its ending decides the format (see `check_format`).

    Raises:
        MissingPackageError: matplotlib is not installed.
        OSError: The file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        need_packages("--plot", ("matplotlib",), "plot")
        raise
    figure = Figure(figsize=(8, 6))  # by itself: no window, no notebook
    above, below = figure.subplots(2, 1, sharex=True)
    for label, words in LOSSES.items():
        losses = [(point.games, getattr(point, label)) for point in points]
        known = [(at, loss) for at, loss in losses if loss is not None]
        if known:
            above.plot([at for at, _ in known], [loss for _, loss in known], "o-", label=words)
            above.set_ylabel("loss")
            above.legend()
    above.set_title(name, parse_math=False)
    for label in ("mcts", "best"):
        met = [(point.games, getattr(point, label)) for point in points if getattr(point, label)]
        below.errorbar(
            [at for at, _ in met],
            [rated.elo for _, rated in met],
            yerr=[rated.margin for _, rated in met],
            fmt="o-",
            capsize=4,
            label={"mcts": "against mcts", "best": "against the best before"}[label],
        )
    below.axhline(0, linewidth=0.8, linestyle=":")
    below.set_ylabel("Elo at equal nodes,\n95% intervals")
    below.set_xlabel("games of learning")
    below.legend()
    figure.tight_layout()
    figure.savefig(path)
