"""``gdl train``: from rules to a player."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from gdl.cli.positions.position import open_game
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import INTERRUPTED, UsageError
from gdl.cli.terminal.options import GameArgument, JsonOption, OutputOption, SeedOption, option
from gdl.cli.terminal.ticker import ticker
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.packages import need_packages

if TYPE_CHECKING:
    from gdl.learn.evaluation import Evaluation
    from gdl.learn.training import Progress, Training
    from gdl.learn.weighing import Weighing

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
Look: TypeAlias = "tuple[Progress, Weighing, Evaluation | None]"
"""How far it was, how far the network is to be believed, and how it did in a test, if in one."""


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
            help=f"Games against mcts at {NODES} nodes a move, now and then; 0 for none.",
        ),
    ] = 20,
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
    besides.

    Examples:
      gdl train connectfour --seconds 600
      gdl play connectfour --against connectfour.gdlnet
      gdl tournament connectfour -p mcts -p mcts:value=connectfour.gdlnet
    """
    need_packages("learning", ("numpy", "llvmlite", "clingo", "numba"), "play")
    from gdl.learn.training import Training

    if seconds is not None and not seconds > 0:
        raise UsageError(f"--seconds: {seconds:g} is not greater than 0")
    if seconds is None and games is None:
        seconds = SECONDS
    loaded = open_game(game, limits, "native")
    path = Path(output or f"{_plain(loaded.id)}.gdlnet")
    training = Training(loaded, path, seed=seed)
    if not json:
        _introduce(training)
    looks: list[Look] = []
    try:
        with ticker() as line:
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
                weighing = training.weigh()
                looks.append((training.progress, weighing, _tested(training, weighing, test)))
                line.hide()
                if not json:
                    _show(*looks[-1])
    except KeyboardInterrupt:
        training.keep()
        say("Interrupted. The same command goes on where it stopped.", style="yellow", stderr=True)
        raise typer.Exit(INTERRUPTED) from None
    if json:
        say_json(_as_json(training, looks))
    else:
        if not looks:
            say("Too short to be measured: the file says weight 0, and plays as mcts does.")
        say(f"The player is in {path}: gdl play {loaded.id} --against {path}")


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


def _show(progress: Progress, weighing: Weighing, test: Evaluation | None) -> None:
    say(f"{_words(progress)}: {weighing}")
    if test is not None:
        say(f"  at {NODES} nodes a move {test}")


def _tested(training: Training, weighing: Weighing, games: int) -> Evaluation | None:
    """Return how the network does against mcts at equal nodes, with the weight that fits best.

    None where no games are wanted, or that weight is none.
    """
    if not games or not weighing.fit.weight:
        return None
    from gdl.learn.evaluation import evaluate_here
    from gdl.play.tournament.plan import Plan

    plan = Plan(
        rulesets=(training.game.id,),
        players=(
            f"mcts:value={training.path},weight={weighing.fit.weight},memory=64",
            "mcts:memory=64",
        ),
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
            {"games": at.games, "seconds": round(at.seconds, 3), **asdict(weighing)}
            for at, weighing, _ in looks
        ],
        "tests": [
            {
                "games": at.games,
                "seconds": round(at.seconds, 3),
                "against": evaluation.players[1],
                "share": evaluation.share,
                "low": evaluation.low,
                "high": evaluation.high,
                "elo": evaluation.elo,
            }
            for at, _, evaluation in looks
            if evaluation is not None
        ],
    }
