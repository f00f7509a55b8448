"""The program ``gdl``: its commands, in the order in which the help lists them.

In go the words of the command line; out come text and an exit code. Each command is a
function in a module of its own; this table is the only place that knows them all.

Exit codes: 0 all is well; 1 something is wrong with the rules or the moves; 2 the
command line, or a file it names, is wrong; 130 interrupted; 141 output not read. Of a command
whose answer is its exit code 1 says no, 2 that there was an error, 3 that it is not known.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

import typer

from gdl.cli.cache import cache
from gdl.cli.comparing.certify import certify
from gdl.cli.comparing.conform import conform
from gdl.cli.comparing.diff import diff
from gdl.cli.comparing.repair import repair
from gdl.cli.comparing.verify import verify
from gdl.cli.demo import demo
from gdl.cli.measuring.bench import bench
from gdl.cli.measuring.force import force
from gdl.cli.measuring.perft import perft
from gdl.cli.measuring.simulate import simulate
from gdl.cli.measuring.solve import solve
from gdl.cli.measuring.train import train
from gdl.cli.new.command import new
from gdl.cli.playing.evaluate import evaluate
from gdl.cli.playing.ggp_match import ggp_match
from gdl.cli.playing.ggp_player import ggp_player
from gdl.cli.playing.play import play
from gdl.cli.playing.replay import replay
from gdl.cli.playing.serve import serve
from gdl.cli.playing.tournament import tournament
from gdl.cli.positions.legal import legal
from gdl.cli.positions.prospects import prospects
from gdl.cli.positions.why import why
from gdl.cli.rules.check import check
from gdl.cli.rules.convert import convert
from gdl.cli.rules.flatten import flatten
from gdl.cli.rules.fmt import fmt
from gdl.cli.rules.lsp import lsp
from gdl.cli.rules.rulesets import rulesets
from gdl.cli.rules.show import show
from gdl.cli.rules.test import test
from gdl.cli.terminal.console import prepare_streams, say
from gdl.cli.terminal.guard import FAILED, USAGE, guarded, leave_pipe
from gdl.cli.terminal.options import Command, bounded
from gdl.cli.welcome import welcome

COMMANDS: Final[dict[str, tuple[Callable[..., None], ...]]] = {
    "Write rules": (new, check, test, fmt, convert, flatten, lsp),
    "Understand a game": (
        *(rulesets, show, legal, why, prospects),
        *(diff, verify, certify, repair, replay),
    ),
    "Run a game": (
        *(play, serve, perft, simulate, solve, force, train, evaluate, tournament),
        *(ggp_player, ggp_match),
        *(bench, conform, demo, cache),
    ),
}
"""Under each heading of the help its commands: functions, whose docstrings are the help."""
ASKING: Final = (test, diff, verify, certify, repair, force, conform)
"""Commands that answer with their exit code: 1 is no, and their errors leave with 2."""


def _version(wanted: bool) -> None:
    if wanted:
        from gdl import __version__

        unknown = "gdl, run from a checkout that is not installed"
        say(unknown if __version__ == "0+unknown" else f"gdl {__version__}")
        raise typer.Exit


def build() -> typer.Typer:
    """Return the program, ready to be called with arguments."""
    app = typer.Typer(
        name="gdl",
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(guarded(_root))
    for heading, commands in COMMANDS.items():
        for command in commands:
            name = command.__name__.replace("_", "-")
            guard = guarded(bounded(command), error_code=USAGE if command in ASKING else FAILED)
            app.command(name, cls=Command, rich_help_panel=heading)(guard)
    return app


def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  # its callback does it
        bool,
        typer.Option(
            "--version", help="Say which version this is.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Read, check, understand and play games in the Game Description Language.

    A game is a ruleset id such as pentago/strict, or any .kif or .hrf file.

    Examples:
      gdl play pentago/strict      play in the terminal, against chance
      gdl check mine.kif           what is wrong, and how to mend it
      gdl why tictactoe terminal   why something holds, or why not

    Exit codes: 0 all is well; 1 the rules or the moves are wrong;
    2 the command line is, or a file or ruleset is not there; 130 interrupted.
    diff, verify, certify, repair, force, conform and test answer with theirs:
    0 is yes, 1 no, 2 an error, 3 not known.
    """
    if context.invoked_subcommand is None:
        welcome()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Args:
        arguments: The words after the program's name, by default those of the process.

    Returns:
        The exit code.
    """
    prepare_streams()
    try:
        build()(args=None if arguments is None else list(arguments), prog_name="gdl")
    except SystemExit as leaving:
        code = _code(leaving.code)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        leave_pipe()
    return code


def _code(code: Any) -> int:  # noqa: ANN401  # SystemExit carries anything
    return code if isinstance(code, int) else int(code is not None)
