"""Manual pages made from the commands: ``python docs/man.py FOLDER``, or ``make man``.

In: the command line as it is. Out: ``gdl.1`` and a page for each command, ``gdl-check.1`` and so
on, in the macros of groff_man(7), for ``man gdl-check`` where the folder is among those of ``man``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer
import typer.main

from gdl import __version__
from gdl.cli.main import COMMANDS, build

TYPED: Final = "  "
"""How lines begin that are typed, in the help of a command."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name of each page and its text."""
    program: Any = typer.main.get_command(build())
    context = typer.Context(program, info_name="gdl")
    named = {
        command.__name__.replace("_", "-"): heading
        for heading, commands in COMMANDS.items()
        for command in commands
    }
    listed = [".SH COMMANDS"]
    for heading in COMMANDS:
        listed += [f".SS {_text(heading)}"]
        for name in (name for name, its in named.items() if its == heading):
            summary = _summary(program.commands[name].help)
            listed += [".TP", f".BR gdl\\-{_text(name)} (1)", _text(summary)]
    yield "gdl", _page("gdl", program, context, "\n".join(listed))
    for name in named:
        inner = program.commands[name]
        yield (
            f"gdl-{name}",
            _page(f"gdl-{name}", inner, typer.Context(inner, info_name=name, parent=context), ""),
        )


def _page(name: str, command: Any, context: Any, more: str) -> str:  # noqa: ANN401  # of a library
    """Return one page; ``more`` stands before what is seen elsewhere."""
    usage = _one_line(command.get_usage(context).removeprefix("Usage: "))
    others = ".BR gdl (1)" if name != "gdl" else ".BR gdl\\-play (1)"
    parts = [
        f'.TH "{name.upper()}" 1 "" "gdl {__version__}" "Game Description Language"',
        f".SH NAME\n{_text(name)} \\- {_text(_summary(command.help))}",
        f".SH SYNOPSIS\n.nf\n{_text(usage)}\n.fi",
        f".SH DESCRIPTION\n{_description(command.help)}",
        f".SH OPTIONS\n{_options(command, context)}",
        more,
        f".SH SEE ALSO\n{others}",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _summary(said: str) -> str:
    """Return the first sentence, without its full stop."""
    return _one_line(said.strip().split("\n\n")[0]).removesuffix(".")


def _description(said: str) -> str:
    """Return paragraphs; what is typed keeps its lines."""
    parts = []
    for paragraph in said.strip().split("\n\n"):
        lines = paragraph.splitlines()
        plain = [line for line in lines if not line.startswith(TYPED)]
        typed = [line.removeprefix(TYPED) for line in lines if line.startswith(TYPED)]
        parts.append(".PP\n" + "\n".join(map(_text, plain)))
        if typed:
            parts.append(".RS 4\n.nf\n" + "\n".join(map(_text, typed)) + "\n.fi\n.RE")
    return "\n".join(parts)


def _options(command: Any, context: Any) -> str:  # noqa: ANN401  # of a library
    """Return arguments and options with what they mean."""
    records = (option.get_help_record(context) for option in command.get_params(context))
    return "\n".join(
        f".TP\n.B {_text(names)}\n{_text(_one_line(said))}" for names, said in filter(None, records)
    )


def _one_line(said: str) -> str:
    return re.sub(r"\s+", " ", said)


def _text(said: str) -> str:
    """Return a text that means nothing to groff: no escapes, no requests, hyphens as typed."""
    plain = said.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


def main(folder: Path) -> None:
    """Write all pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages():
        (folder / f"{name}.1").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
