"""``gdl fmt``: rule files in one layout, comments kept."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from typing import Annotated, Final

import typer

from gdl.cli.terminal.console import say
from gdl.cli.terminal.guard import FAILED, UsageError, report
from gdl.cli.terminal.options import argument
from gdl.cli.terminal.output import write_text
from gdl.language.diagnostics import GdlError
from gdl.language.files import read_source
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import Source, harmless

NAMED: Final = "rule files, folders of them, or - for standard input"


def fmt(
    files: Annotated[
        list[str],
        argument(
            "FILE...",
            "Rule files or folders of them; - is standard input, written to standard output.",
        ),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if a file would change.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing but what would change.")
    ] = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Lay rule files out in the standard way, in place, comments kept.

    Facts that share a line go on sharing it, and a rule whose literals begin below its head stays
    so. A file that cannot be parsed is left as it is.

    Examples:
      gdl fmt mine.kif
      gdl fmt rulesets/ --check --diff
      cat mine.kif | gdl fmt -
    """
    is_dry = check or diff
    changed, failed = 0, 0
    for source in _sources(files, limits):
        try:
            text = formatted(source, limits)
        except GdlError as error:
            report(error)
            failed += 1
            continue
        is_changed = text != source.text
        changed += is_changed
        if diff:
            _write_diff(source, text)
        elif source.name == "-" and not check:
            write_text(text, None)
        elif is_changed:
            if not is_dry:
                write_text(text, source.name)
            say(f"{'would change' if is_dry else 'changed'} {source.name}", stderr=is_dry)
    if failed or (is_dry and changed):
        raise typer.Exit(FAILED)


def _sources(words: list[str], limits: Limits) -> list[Source]:
    """Return the texts that the words mean.

    Raises:
        FileError: One of them cannot be read; then none is changed.
        UsageError: A folder holds no rule file, or a word is empty.
    """
    from gdl.cli.terminal.targets import named, read_typed, rule_files

    paths: list[Path | None] = []
    for word in words:
        if word == "-":
            paths.append(None)
        elif named(word, NAMED).is_dir():
            held = rule_files(Path(word))
            if not held:
                raise UsageError(f"there is no rule file in {word}", expected=NAMED)
            paths += held
        else:
            paths.append(_file(word, limits))
    return [
        read_typed(limits) if path is None else read_source(path, most=limits.bytes + 1)
        for path in paths
    ]


def _file(word: str, limits: Limits) -> Path:
    """Return the file that a word names.

    Raises:
        UsageError: It names none; says so of a ruleset's id, which stands for several files.
        UnknownRulesetError: There is no such rule file; names the nearest.
    """
    from gdl.ruleset import UnknownRulesetError, find
    from gdl.ruleset.search import RULE_SUFFIXES

    path = Path(word)
    if path.suffix.lower() == ".toml" and path.is_file():
        raise UsageError(f"{word} is in TOML, which holds no rules", expected=NAMED)
    if path.exists():
        return path
    try:
        ruleset = find(word, limits=limits)
    except UnknownRulesetError:
        if path.suffix.lower() in RULE_SUFFIXES:
            raise
        raise UsageError(f"there is no file {word}", expected=NAMED) from None
    files = " ".join(map(str, ruleset.paths))
    raise UsageError(
        f"there is no file {word}, which is the id of a ruleset",
        expected=NAMED,
        help=f"its rules are in {files}",
    )


def formatted(source: Source, limits: Limits) -> str:
    """Return a text in the standard layout.

    Raises:
        GdlSyntaxError: It cannot be parsed.
        LimitError: It is larger than the limits allow.
    """
    from gdl.language.render.format import format_text

    return format_text(source, limits=limits)


def _write_diff(source: Source, text: str) -> None:
    from rich.text import Text

    before, after = source.text.splitlines(), text.splitlines()
    lines = unified_diff(before, after, source.name, f"{source.name} (formatted)", lineterm="")
    for line in map(harmless, lines):
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        say(Text(line, style="bold" if line[:3] in ("+++", "---") else style))
