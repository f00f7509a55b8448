"""Arguments and options that several commands share, and what they mean.

In go the words of the command line; out come values, `Limits` among them.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer
import typer.core

from gdl.backend import Wanted
from gdl.cli.terminal.guard import UsageError
from gdl.language.limits import DEFAULT_LIMITS, Limits

N = TypeVar("N", int, float)


def option(names: str, metavar: str | None, help: str, **settings: Any) -> Any:  # noqa: A002, ANN401  # as typer has it
    """Return an option that shows no default: where it is not given, something else is done.

    Args:
        names: For instance ``--output -o``.
        metavar: What stands for its value in the help.
        help: What it does.
        settings: Further ones of `typer.Option`.
    """
    return typer.Option(*names.split(), metavar=metavar, help=help, show_default=False, **settings)


def argument(metavar: str | None, help: str, **settings: Any) -> Any:  # noqa: A002, ANN401  # as typer has it
    """Return an argument that shows no default; see `option`."""
    return typer.Argument(metavar=metavar, help=help, show_default=False, **settings)


def complete_id(incomplete: str) -> list[str]:
    """Return the ruleset ids that begin so, for the shell; files are the shell's own affair.

    After a question mark come the parameters: ``hex?s`` is completed to ``hex?size=11``.
    """
    from gdl.ruleset import rulesets

    id_, mark, settings = incomplete.partition("?")
    if not mark:
        return [ruleset.id for ruleset in rulesets() if ruleset.id.startswith(id_)]
    done, ampersand, _ = settings.rpartition("&")
    before = f"{id_}?{done}{ampersand}"
    return [
        text
        for ruleset in rulesets()
        if ruleset.id == id_
        for parameter in ruleset.parameters
        if f"{parameter.name}=" not in done
        if (text := f"{before}{parameter}").startswith(incomplete)
    ]


GameArgument = Annotated[
    str,
    argument(
        "GAME",
        "A ruleset id such as pentago/strict or 'hex?size=7', or a .kif or .hrf file.",
        autocompletion=complete_id,
    ),
]
MovesOption = Annotated[
    str,
    option(
        "--moves -m",
        "MOVES",
        "Moves to make first, separated by ; in the ruleset's notation or KIF. Where several "
        "roles move at once: 'ROLE: MOVE & ROLE: MOVE'. @FILE reads them from a file.",
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", "-s", metavar="S", help="Makes chance repeatable.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON for programs to read.")]
BackendOption = Annotated[
    Wanted,
    typer.Option(
        "--backend",
        "-b",
        help="Who runs the rules: machine code (native), the rules as written (reason), or "
        "machine code where it can be had (auto).",
    ),
]
OutputOption = Annotated[
    str | None, option("--output -o", "FILE", "Write there, not to the terminal.")
]
MEANT: Final = {
    ("new", "--name"): "The name stands by itself: gdl new mill --kind placement",
    ("tournament", "--games"): "--rounds N says how many openings each two play in a game",
}
"""Options of commands that have another name than people think."""
BESIDE: Final = {
    "--moves": '--moves "MOVE; MOVE" says what is played first',
    "--player": "--player NAME says who plays",
}
"""Options whose values people write without them."""
PAGES: Final = Path(__file__).parents[2] / "_docs"
"""Where the pages that help names lie in an installation."""
PAGE: Final = re.compile(r"\bdocs/(\w+\.md)")
LIMIT_NAMES: Final = tuple(field.name for field in dataclasses.fields(Limits))
LimitOption = Annotated[
    list[str] | None,
    option(
        "--limit",
        "NAME=N",
        "Another limit for rules that nobody vouched for, repeatable. Names: "
        + ", ".join(LIMIT_NAMES)
        + ".",
        rich_help_panel="Untrusted rules",
    ),
]
SecondsOption = Annotated[
    float,
    typer.Option(
        "--max-seconds",
        metavar="S",
        help="Seconds for reading and checking one text, and for deriving one state.",
        rich_help_panel="Untrusted rules",
    ),
]


class Command(typer.core.TyperCommand):
    """A command that says more of an option that it does not have than its name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # of typer
        """Set it up; pages that its help names are named as they lie here."""
        super().__init__(*args, **kwargs)
        self.help = located(self.help or "")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # typer brings click under a name of its own
        """Read the words of the command line."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            name = str(getattr(error, "option_name", ""))
            more = MEANT.get((str(self.name), name))
            if name.removeprefix("-").replace(".", "", 1).isdigit():
                more = "It takes no number below 0"
            said = getattr(error, "message", None)
            if str(said).startswith("Got unexpected extra argument"):
                options = {option for parameter in self.params for option in parameter.opts}
                more = next((told for option, told in BESIDE.items() if option in options), more)
            if more and isinstance(said, str):
                error.message = f"{said.rstrip('.')}. {more}."  # type: ignore[attr-defined]  # as above
                error.possibilities = []  # type: ignore[attr-defined]  # they look like it, no more
            elif plain := _plain(error.__cause__):
                error.message = plain  # type: ignore[attr-defined]  # as above
            raise


def located(text: str, pages: Path = PAGES) -> str:
    """Return a text with the places of the pages that it names, where they were installed."""

    def place(matched: re.Match[str]) -> str:
        page = pages / matched[1]
        return str(page) if page.exists() else matched[0]

    return PAGE.sub(place, text)


def _plain(refused: BaseException | None) -> str | None:
    """Return what is wrong with a value, if it is what typer lets pydantic say of it."""
    if not (errors := getattr(refused, "errors", None)):
        return None
    first = errors()[0]
    value, context = first["input"], first.get("ctx", {})
    match first["type"]:
        case "int_parsing" | "int_from_float" | "int_parsing_size":
            return f"{value!r} is no whole number."
        case "float_parsing":
            return f"{value!r} is no number."
        case "greater_than_equal":
            return f"{value} is less than {context['ge']}."
        case "less_than_equal":
            return f"{value} is more than {context['le']}."
        case "value_error":
            said = str(context.get("error", first["msg"]))
            near = get_close_matches(str(value), re.findall(r"'([^']*)'", said)[1:], n=1)
            return f"{said.rstrip('.')}.{f' Did you mean {near[0]}?' if near else ''}"
        case _:
            return None


def bounded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with ``--max-seconds`` and ``--limit`` in place of its ``limits``.

    One that takes no ``limits`` is returned as it is.
    """
    written = inspect.signature(command, eval_str=True)
    if "limits" not in written.parameters:
        return command

    @functools.wraps(command)
    def run(*, max_seconds: float, limit: list[str] | None, **others: Any) -> None:  # noqa: ANN401  # of the command
        command(**others, limits=limits_from(max_seconds, limit))

    parameters = [
        parameter for parameter in written.parameters.values() if parameter.name != "limits"
    ]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters += [
        inspect.Parameter(
            "max_seconds", kind, default=DEFAULT_LIMITS.seconds, annotation=SecondsOption
        ),
        inspect.Parameter("limit", kind, default=None, annotation=LimitOption),
    ]
    run.__signature__ = written.replace(parameters=parameters)  # type: ignore[attr-defined]  # what typer reads
    return run


def limits_from(seconds: float, settings: list[str] | None) -> Limits:
    """Return the limits that ``--max-seconds`` and each ``--limit NAME=N`` ask for.

    Raises:
        UsageError: No such limit, or no positive number.
    """
    wanted: dict[str, Any] = {"seconds": _positive("--max-seconds", seconds)}
    for setting in settings or ():
        name, _, text = setting.partition("=")
        if name not in LIMIT_NAMES:
            raise UsageError(
                f"--limit {setting}: there is no limit {name!r}",
                expected=f"NAME=N, where NAME is one of {', '.join(LIMIT_NAMES)}",
            )
        wanted[name] = _limit(setting, name, text)
    return dataclasses.replace(DEFAULT_LIMITS, **wanted)


def _limit(setting: str, name: str, text: str) -> float | int:
    kind = float if name == "seconds" else int
    try:
        value = kind(text)
    except ValueError:
        raise UsageError(
            f"--limit {setting}: {text!r} is no number",
            expected=f"for instance --limit {name}={getattr(DEFAULT_LIMITS, name)}",
        ) from None
    return _positive(f"--limit {setting}", value)


def _positive(option: str, value: N) -> N:
    if not value > 0:
        raise UsageError(f"{option}: {value} is not greater than 0")
    return value
