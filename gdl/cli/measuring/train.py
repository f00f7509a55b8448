"""``gdl train``: from rules to a player."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gdl.cli.measuring.looks import MCTS, DeepLooks, Look, Looks, TupleLooks, in_words
from gdl.cli.positions.position import open_game
from gdl.cli.terminal.console import say, say_json, shell_words
from gdl.cli.terminal.guard import INTERRUPTED, UsageError
from gdl.cli.terminal.options import GameArgument, JsonOption, OutputOption, SeedOption, option
from gdl.cli.terminal.ticker import ticker
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.packages import need_packages

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.learn.deep.training import DeepTraining
    from gdl.learn.training import Training

SECONDS: Final = 300.0
"""Learning goes on for so long where nothing is said."""
LEAST_SECONDS: Final = 5.0
"""Seconds of learning before the first look on the way."""
SHORTEST: Final = 1.0
"""Seconds of learning below which nothing is measured."""
STEPS: Final = 4
"""Looks on the way: after an eighth, a quarter, a half of the seconds, and at the end."""


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
            help="Games against mcts and the best network before, at equal nodes; 0 for none.",
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
    deep: Annotated[
        bool, option("--deep", None, "A deep network, by JAX: for games of any number of roles.")
    ] = False,
    simulations: Annotated[
        int | None,
        option(
            "--simulations", "N", "With --deep: positions a tree looks at; by default 16.", min=1
        ),
    ] = None,
    plot: Annotated[
        Path | None, option("--plot", "FILE", "Draw loss and Elo on the way: .png, .svg, .pdf.")
    ] = None,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Learn to play a game from its rules alone.

    Without --deep: a game of two roles that take turns, of whose goals the sum is constant.

    Which facts are looked at together is read off the circuit of the game; what they are worth is
    learned from play against itself. The network is written to GAME.gdlnet (or -o FILE), and all
    that learning remembers to FILE.training beside it: the same command goes on where it was
    stopped, and with more --seconds it learns more.

    Four times it is measured how far the network is to be believed beside the playouts of mcts,
    whether it is better without them, and whether that helps at equal time. The weight goes into
    the file: 0 until it helps, so the file never plays worse than mcts but by bad luck in that
    match. This takes a third of the seconds besides. What was measured is added to FILE.curve, a
    line of JSON each time.

    With --workers or --ray others play, K batches of games by one network, and this process learns
    from them, in their order: what is learned is the same for any number of workers, and another
    than without. Seconds and games are those of whole rounds. Batches lie in FILE.games.

    With --deep a residual network learns from games of its own trees (AlphaZero), of any number of
    roles, with chance and moves at once, where nothing is hidden: to GAME.deep.gdlnet. One process
    learns; the file is the player deep:network=FILE, which needs no JAX. Where both can learn a
    game, tuples are stronger after the same minutes.

    Examples:
      gdl train connectfour --seconds 600
      gdl play connectfour --against connectfour.gdlnet
      gdl train connectfour --seconds 1200 --plot curve.svg     (goes on, and draws all of it)
      gdl train breakthrough --workers 4
      gdl train pig --deep
      gdl play pig --against pig.deep.gdlnet
      gdl tournament connectfour -p mcts -p mcts:value=connectfour.gdlnet
    """
    from gdl.play.tournament.plot import check_format

    # What can be refused by options alone is, before rules are compiled, which may take a minute.
    if seconds is not None and not seconds > 0:
        raise UsageError(f"--seconds: {seconds:g} is not greater than 0")
    if seed < 0:
        raise UsageError(f"--seed: {seed} is less than 0")
    several = {"--workers": workers, "--ray": ray, "--batches": batches}
    if deep:
        _refuse_several(several)
    elif simulations is not None:
        raise UsageError("--simulations: tuples are learned without trees", help="say --deep, too")
    elif batches is not None and workers is None and ray is None:
        raise UsageError("--batches: nobody plays apart", help="say --workers N or --ray ADDRESS")
    if seconds is None and games is None:
        seconds = SECONDS
    if plot is not None:
        check_format(plot)
    need_packages("learning", ("numpy", "llvmlite", "clingo", "numba"), "play")
    if deep:
        need_packages("--deep", ("jax", "optax"), "learn")
    loaded = open_game(game, limits, "native")
    ending = ".deep.gdlnet" if deep else ".gdlnet"
    path = Path(output or f"{_plain(loaded.id)}{ending}")
    training: Training | DeepTraining
    if deep:
        training = _deep(loaded, path, seed, simulations)
    else:
        training = _tuples(loaded, path, seed, workers, ray, batches)
    # Held from the first to the last: looks replace the weight in the file between two runs of
    # learning, and another program must not go on from a checkpoint in between. The folder has the
    # best network so far, which a later one has to meet though its file was written over.
    with training.held(), TemporaryDirectory() as folder:
        way = _looks(training, Path(folder), test)
        looks = _learned(way, seconds, games, json=json)
        _conclude(way, looks, plot, json=json)


def _refuse_several(given: Mapping[str, object]) -> None:
    """Refuse options of learning by several processes."""
    for name, value in given.items():
        if value is not None:
            raise UsageError(
                f"{name}: a deep network is learned by one process", help=f"leave out {name}"
            )


def _tuples(  # its options
    game: Game, path: Path, seed: int, workers: int | None, ray: str | None, batches: int | None
) -> Training:
    from gdl.learn.training import BATCHES, Training

    return Training(game, path, seed=seed, workers=workers, ray=ray, batches=batches or BATCHES)


def _deep(game: Game, path: Path, seed: int, simulations: int | None) -> DeepTraining:
    from gdl.learn.deep.training import SIMULATIONS, DeepTraining

    return DeepTraining(game, path, seed=seed, simulations=simulations or SIMULATIONS)


def _looks(training: Training | DeepTraining, folder: Path, test: int) -> Looks:
    """Return what looks at a training."""
    from gdl.learn.training import Training

    if isinstance(training, Training):
        return TupleLooks(training, folder, test)
    return DeepLooks(training, folder, test)


def _learned(way: Looks, seconds: float | None, games: int | None, *, json: bool) -> list[Look]:
    """Learn, say what is measured on the way, and add it to the curve."""
    from gdl.learn.curves import add, curve_of

    training = way.training
    if not json:
        if training.is_resumed:
            say(f"Goes on after {in_words(training.progress)}.")
        way.introduce()
    looks: list[Look] = []
    curve = curve_of(training.path)
    if not training.is_resumed:
        curve.unlink(missing_ok=True)
    try:
        for look in _learn(way, seconds, games):
            looks.append(look)
            add(curve, look.point)
            if not json:
                for words in look.words:
                    say(words)
    except KeyboardInterrupt:
        training.keep()
        say("Interrupted. The same command goes on where it stopped.", style="yellow", stderr=True)
        raise typer.Exit(INTERRUPTED) from None
    return looks


def _conclude(way: Looks, looks: list[Look], picture: Path | None, *, json: bool) -> None:
    """Draw the curve, if that is wanted, and say what came of it."""
    training = way.training
    told = "" if picture is None else _plot(way, picture)
    if json:
        say_json(_as_json(way, looks))
        return
    if not looks and way.unmeasured:
        say(way.unmeasured)
    command = shell_words("gdl", "play", training.game.id, "--against", str(training.path))
    say(f"The player is in {training.path}: {command}")
    if told:
        say(told)


def _learn(way: Looks, seconds: float | None, games: int | None) -> Iterator[Look]:
    """Learn, and yield what is measured on the way."""
    training = way.training
    with ticker() as line:
        for share in [2.0**-k for k in reversed(range(STEPS))]:
            before = training.progress.games
            training.run(
                seconds=None if seconds is None else share * seconds,
                games=None if games is None else max(1, int(share * games)),
                on_progress=lambda _: line.tick(way.words),
            )
            # On the way, where there is something to see that was not there before.
            is_new = training.progress.games > before and training.seconds > LEAST_SECONDS
            if not is_new and (share < 1 or training.seconds < SHORTEST):
                continue
            line.tick(lambda: f"{way.words()}; is measured ...")
            look = way.look()
            line.hide()
            yield look


def _plain(name: str) -> str:
    """Return the name of a game as one of a file: parameters and families become parts of it."""
    name = Path(name).stem if Path(name).is_file() else name
    return "-".join("".join(c if c.isalnum() else " " for c in name).split())


def _plot(way: Looks, path: Path) -> str:
    """Draw the curve; return what is to be said of it."""
    from gdl.learn.curves import curve_of, plot, read

    points = read(curve_of(way.training.path))
    if not points:
        return f"{path} is not drawn: nothing was measured."
    plot(way.training.game.id, points, path)
    return f"The curve is in {path}."


def _as_json(way: Looks, looks: list[Look]) -> dict[str, object]:
    progress = way.training.progress
    return {
        "game": way.training.game.id,
        "file": str(way.training.path),
        "games": progress.games,
        "positions": progress.positions,
        "cut": progress.cut,
        "seconds": round(progress.seconds, 3),
        **way.as_json(looks),
        "tests": [
            {
                "games": look.point.games,
                "seconds": look.point.seconds,
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
