"""``gdl train``: from rules to a player."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gdl.cli.positions.position import open_game
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import INTERRUPTED, UsageError
from gdl.cli.terminal.options import GameArgument, JsonOption, OutputOption, SeedOption, option
from gdl.cli.terminal.ticker import ticker
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.packages import need_packages

if TYPE_CHECKING:
    from gdl.learn.curves import Point
    from gdl.learn.evaluation import Evaluation
    from gdl.learn.mixing_weight import Weighing
    from gdl.learn.training import Progress, Training

SECONDS: Final = 300.0
"""Learning goes on for so long where nothing is said."""
NODES: Final = 200
"""Positions that each player may look at for a move in a test."""
OPENING: Final = 2
LEAST_SECONDS: Final = 5.0
"""Seconds of learning before the first look on the way."""
SHORTEST: Final = 1.0
"""Seconds of learning below which nothing is measured."""
STEPS: Final = 4
"""Looks on the way: after an eighth, a quarter, a half of the seconds, and at the end."""
EVEN: Final = 0.5
"""Share of the points of an equal player."""
MCTS: Final = "mcts:memory=64"


@dataclass(frozen=True, slots=True)
class Look:
    """What was measured at one time.

    Attributes:
        progress: How far learning was.
        weighing: How far the network is to be believed.
        mcts: How it did against `mcts`, None where that was not played; ``best`` likewise, against
            the best network before.
        best: See there.
    """

    progress: Progress
    weighing: Weighing
    mcts: Evaluation | None
    best: Evaluation | None


class Best:
    """The best network so far, a copy of its file.

    Attributes:
        player: Its player, None before there is one.
    """

    def __init__(self, training: Training, folder: Path) -> None:
        """Take what an earlier run left as the first one, if it was of use."""
        self._path = folder / "best.gdlnet"
        self.player: str | None = None
        if training.is_resumed and training.weight:
            training.keep()
            self.take(training, training.weight)

    def take(self, training: Training, weight: float) -> None:
        """Take the network of now as the best one."""
        copyfile(training.path, self._path)
        self.player = _player(self._path, weight)


def _player(path: Path, weight: float) -> str:
    return f"mcts:value={path},weight={weight},memory=64"


def train(
    game: GameArgument,
    output: OutputOption = None,
    seconds: Annotated[
        float | None,
        option(
            "--seconds", "S", f"Seconds of learning, all runs together; by default {SECONDS:g}."
        ),
    ] = None,
    games: Annotated[
        int | None, option("--games", "N", "Games of learning, all runs together.", min=1)
    ] = None,
    seed: SeedOption = 0,
    test: Annotated[
        int,
        typer.Option(
            "--test",
            min=0,
            help=f"Games against mcts and the best network before, at {NODES} nodes; 0 for none.",
        ),
    ] = 20,
    workers: Annotated[
        int | None,
        option("--workers", "N", "Processes that play for the one that learns.", min=1),
    ] = None,
    ray: Annotated[
        str | None,
        option("--ray", "ADDRESS", "Play on a Ray cluster: HOST:PORT, auto, or local."),
    ] = None,
    batches: Annotated[
        int | None,
        option("--batches", "K", "Batches of games between two networks; by default 8.", min=1),
    ] = None,
    plot: Annotated[
        Path | None, option("--plot", "FILE", "Draw loss and Elo on the way: .png, .svg, .pdf.")
    ] = None,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Learn to play a game of two roles that take turns, from its rules alone.

    Which facts are looked at together is read off the circuit of the game; what they are worth is
    learned from play against itself. The network is written to GAME.gdlnet (or -o FILE), and all
    that learning remembers to FILE.training beside it: the same command goes on where it was
    stopped, and with more --seconds it learns more.

    Four times it is measured how far the network is to be believed beside the playouts of mcts, and
    whether that helps at equal time. The weight goes into the file: 0 until it helps, so the file
    never plays worse than mcts but by bad luck in that match. This takes a third of the seconds
    besides. What was measured is added to FILE.curve, a line of JSON each time.

    With --workers or --ray others play, K batches of games by one network, and this process learns
    from them, in their order: what is learned is the same for any number of workers, and another
    than without. Seconds and games are those of whole rounds. Batches lie in FILE.games.

    Examples:
      gdl train connectfour --seconds 600
      gdl play connectfour --against connectfour.gdlnet
      gdl train connectfour --seconds 1200 --plot curve.svg     (goes on, and draws all of it)
      gdl train breakthrough --workers 4
      gdl tournament connectfour -p mcts -p mcts:value=connectfour.gdlnet
    """
    need_packages("learning", ("numpy", "llvmlite", "clingo", "numba"), "play")
    from gdl.learn.training import BATCHES, Training
    from gdl.play.tournament.plot import check_format

    if seconds is not None and not seconds > 0:
        raise UsageError(f"--seconds: {seconds:g} is not greater than 0")
    if seed < 0:
        raise UsageError(f"--seed: {seed} is less than 0")
    if batches is not None and workers is None and ray is None:
        raise UsageError("--batches: nobody plays apart", help="say --workers N or --ray ADDRESS")
    if seconds is None and games is None:
        seconds = SECONDS
    if plot is not None:
        check_format(plot)
    loaded = open_game(game, limits, "native")
    path = Path(output or f"{_plain(loaded.id)}.gdlnet")
    training = Training(
        loaded, path, seed=seed, workers=workers, ray=ray, batches=batches or BATCHES
    )
    with training.held():
        looks = _learned(training, seconds, games, test, json=json)
    _conclude(training, looks, plot, json=json)


def _learned(
    training: Training, seconds: float | None, games: int | None, test: int, *, json: bool
) -> list[Look]:
    """Learn, say what is measured on the way, and add it to the curve."""
    from gdl.learn.curves import add, curve_of

    if not json:
        _introduce(training)
    looks: list[Look] = []
    curve = curve_of(training.path)
    if not training.is_resumed:
        curve.unlink(missing_ok=True)
    try:
        for look in _learn(training, seconds, games, test):
            looks.append(look)
            add(curve, _point(look))
            if not json:
                _show(look)
    except KeyboardInterrupt:
        training.keep()
        say("Interrupted. The same command goes on where it stopped.", style="yellow", stderr=True)
        raise typer.Exit(INTERRUPTED) from None
    return looks


def _conclude(training: Training, looks: list[Look], picture: Path | None, *, json: bool) -> None:
    """Draw the curve, if that is wanted, and say what came of it."""
    told = "" if picture is None else _plot(training, picture)
    if json:
        say_json(_as_json(training, looks))
        return
    if not looks:
        say("Too short to be measured: the file says weight 0, and plays as mcts does.")
    name, path = training.game.id, training.path
    say(f"The player is in {path}: gdl play {name} --against {path}")
    if told:
        say(told)


def _learn(
    training: Training, seconds: float | None, games: int | None, test: int
) -> Iterator[Look]:
    """Learn, and yield what is measured on the way."""
    with ticker() as line, TemporaryDirectory() as folder:
        best = Best(training, Path(folder))
        for share in [2.0**-k for k in reversed(range(STEPS))]:
            before = training.progress.games
            training.run(
                seconds=None if seconds is None else share * seconds,
                games=None if games is None else max(1, int(share * games)),
                on_progress=lambda progress: line.tick(lambda: _words(progress)),
            )
            # On the way, where there is something to see that was not there before.
            is_new = training.progress.games > before and training.seconds > LEAST_SECONDS
            if not is_new and (share < 1 or training.seconds < SHORTEST):
                continue
            line.tick(lambda: f"{_words(training.progress)}; is measured ...")
            look = _look(training, training.weigh(), best, test)
            line.hide()
            yield look


def _plain(name: str) -> str:
    """Return the name of a game as one of a file: parameters and families become parts of it."""
    name = Path(name).stem if Path(name).is_file() else name
    return "-".join("".join(c if c.isalnum() else " " for c in name).split())


def _introduce(training: Training) -> None:
    layout = training.layout
    tables, weights = layout.tables.tables, layout.tables.weights
    if training.is_resumed:
        say(f"Goes on after {_words(training.progress)}.")
    say(
        f"{len(layout.tuples)} tuples of facts, {len(tables) - 1} with their images under "
        f"{layout.images} proved symmetries; {weights.size:,} weights"
    )
    if layout.note:
        say(layout.note)


def _words(progress: Progress) -> str:
    rate = progress.games / max(progress.seconds, 1e-9)
    return f"{progress.games:,} games, {progress.seconds:.0f} s, {rate:,.0f} games/s"


def _show(look: Look) -> None:
    say(f"{_words(look.progress)}: {look.weighing}")
    if look.weighing.loss is not None:
        say(f"  mean squared error of how games end: {look.weighing.loss:.4f}")
    if look.mcts is not None:
        say(f"  at {NODES} nodes a move {look.mcts}")
    if look.best is not None:
        say(f"  against the best network before {look.best}")


def _look(training: Training, weighing: Weighing, best: Best, games: int) -> Look:
    """Measure the network against both others with the weight that fits, and keep the better one.

    Neither is played where no games are wanted, or that weight is none.
    """
    weight = weighing.fit.weight
    if not games or not weight:
        return Look(training.progress, weighing, None, None)
    mine = _player(training.path, weight)
    before = None if best.player is None else _met(training, mine, best.player, games)
    if before is None or before.share > EVEN:
        best.take(training, weight)
    return Look(training.progress, weighing, _met(training, mine, MCTS, games), before)


def _point(look: Look) -> Point:
    from gdl.learn.curves import Point, strength

    progress, weighing = look.progress, look.weighing
    return Point(
        progress.games,
        round(progress.seconds, 3),
        weighing.loss,
        weighing.fit.weight,
        strength(look.mcts),
        strength(look.best),
    )


def _plot(training: Training, path: Path) -> str:
    """Draw the curve; return what is to be said of it."""
    from gdl.learn.curves import curve_of, plot, read

    points = read(curve_of(training.path))
    if not points:
        return f"{path} is not drawn: nothing was measured."
    plot(training.game.id, points, path)
    return f"The curve is in {path}."


def _met(training: Training, mine: str, other: str, games: int) -> Evaluation:
    """Return how a player does against another at equal nodes."""
    from gdl.learn.evaluation import evaluate_here
    from gdl.play.tournament.plan import Plan

    plan = Plan(
        rulesets=(training.game.id,),
        players=(mine, other),
        rounds=-(-games // 2),
        seconds=60.0,
        simulations=NODES,
        opening_plies=OPENING,
        seed=training.seed,
    )
    return evaluate_here(training.game, plan)


def _as_json(training: Training, looks: list[Look]) -> dict[str, object]:
    progress = training.progress
    return {
        "game": training.game.id,
        "file": str(training.path),
        "games": progress.games,
        "positions": progress.positions,
        "cut": progress.cut,
        "seconds": round(progress.seconds, 3),
        "weight": training.weight,
        "weighings": [
            {
                "games": look.progress.games,
                "seconds": round(look.progress.seconds, 3),
                **asdict(look.weighing),
            }
            for look in looks
        ],
        "tests": [
            {
                "games": look.progress.games,
                "seconds": round(look.progress.seconds, 3),
                "against": against,
                "share": evaluation.share,
                "low": evaluation.low,
                "high": evaluation.high,
                "elo": evaluation.elo,
            }
            for look in looks
            for against, evaluation in ((MCTS, look.mcts), ("the best before", look.best))
            if evaluation is not None
        ],
    }
