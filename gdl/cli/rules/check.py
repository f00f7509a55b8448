"""``gdl check``: everything that is wrong with rule files."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gdl.cli.terminal.console import paint, say, say_json
from gdl.cli.terminal.guard import FAILED, USAGE, UsageError, draw_error
from gdl.cli.terminal.options import JsonOption, argument, option
from gdl.cli.terminal.ticker import ticker
from gdl.language.diagnostics import Diagnostic, GdlError, Note, Severity
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.source import Span
from gdl.language.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence


TESTS: Final = ".test.toml"
"""How the names of files of tests end: `gdl.testing.suite.SUFFIX`, which loads much."""


class Threshold(StrEnum):
    """The least severity that is shown."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"

    @property
    def severity(self) -> Severity:
        """The severity of that name."""
        return Severity[self.name]


@dataclass(slots=True)
class Report:
    """What a run found.

    Attributes:
        by_name: The diagnostics of each file or ruleset.
        unreadable: Files and ids that are not there, with the reason.
    """

    by_name: dict[str, list[Diagnostic]] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)

    def count(self, severity: Severity) -> int:
        """Return how many diagnostics of a severity there are; the same one counts once."""
        texts = {
            str(diagnostic)
            for listed in self.by_name.values()
            for diagnostic in listed
            if diagnostic.severity is severity
        }
        return len(texts)


def check(
    files: Annotated[
        list[str] | None,
        argument("FILE...", "Rule files, manifests, files of tests, ruleset ids, folders, or -."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail as well.")] = False,
    severity: Annotated[
        Threshold, typer.Option("--severity", help="Show nothing milder than this.")
    ] = Threshold.HINT,
    explain: Annotated[
        str | None,
        option(
            "--explain",
            "SLUG",
            "Say what a kind of problem means, e.g. unsafe-variable; 'all' lists every kind.",
        ),
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Say what is wrong as annotations of GitHub, too.")
    ] = False,
    sarif: Annotated[
        Path | None,
        option(
            "--sarif", "FILE", "Write what is wrong as SARIF, too, for services of code review."
        ),
    ] = None,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Say everything that is wrong with rule files, and how to mend it.

    A folder stands for the rulesets and rule files in it, at any depth; - for what is typed
    or piped in. Of a file of tests its form is checked, and that its games are there.

    Examples:
      gdl check mine.kif
      gdl check rulesets/ --strict --severity warning
      gdl check --explain unsafe-variable
      gdl check rulesets/ --github --sarif gdl.sarif

    Exit codes: 0 no errors; 1 errors, with --strict also warnings;
    2 a file is not there.
    """
    if explain is not None:
        from gdl.cli.rules.explain import explain_slug

        explain_slug(explain)
        return
    if not files:
        raise UsageError("nothing to check", expected="gdl check FILE...")
    report = run(files, limits, severity.severity, is_silent=json)
    if sarif is not None:
        _write_sarif(report, severity.severity, sarif)
    if github and not json:
        _say_annotations(report, severity.severity)
    if json:
        say_json(_as_json(report, severity.severity))
    else:
        say(summary(report, severity.severity), style="bold")
        if report.by_name and not report.count(Severity.ERROR):
            say(not_looked_at(report), style="dim")
    leave(report, strict=strict)


def leave(report: Report, *, strict: bool) -> None:
    """Leave with the exit code that a report deserves."""
    if report.count(Severity.ERROR) or (strict and report.count(Severity.WARNING)):
        raise typer.Exit(FAILED)
    if report.unreadable:
        raise typer.Exit(USAGE)


def run(words: Sequence[str], limits: Limits, least: Severity, *, is_silent: bool) -> Report:
    """Check everything that the words mean, and write each diagnostic once, as it is found."""
    from gdl.cli.terminal.targets import expand

    report, shown = Report(), set[str]()
    with ticker() as line:
        for name in expand(words):
            line.tick(lambda name=name: f"checking {name}")  # type: ignore[misc]  # mypy 1.x cannot type a lambda's default
            try:
                diagnostics = diagnostics_of(name, limits)
            except GdlError as error:
                report.unreadable[name] = draw_error(error)
                line.hide()
                say(paint(report.unreadable[name]), stderr=True)
                continue
            report.by_name[name] = diagnostics
            new = [
                str(diagnostic)
                for diagnostic in diagnostics
                if diagnostic.severity >= least and str(diagnostic) not in shown
            ]
            if new and not is_silent:
                line.hide()
                say(paint("\n".join([*new, ""])))
            shown.update(new)
    return report


def diagnostics_of(name: str, limits: Limits) -> list[Diagnostic]:
    """Return the diagnostics of a file, a manifest, a ruleset or a file of tests.

    Raises:
        FileError: The file cannot be read.
        GdlError: There is no such thing.
    """
    from gdl.game import check as check_rules
    from gdl.ruleset import ManifestError

    if name == "-":
        return _typed(limits)
    if name.endswith(TESTS):
        from gdl.testing.games import check_suite

        return check_suite(name, limits)
    try:
        return check_rules(name, limits=limits)
    except ManifestError as error:
        if not error.diagnostics:
            raise
        return list(error.diagnostics)


def _typed(limits: Limits) -> list[Diagnostic]:
    from gdl.cli.terminal.targets import read_typed
    from gdl.language.checks.check import check_reading
    from gdl.language.parse import parse

    return check_reading(lambda: parse(read_typed(limits), limits=limits), limits=limits)


def not_looked_at(report: Report) -> str:
    """Return what checking leaves out, and what looks at it: no text is right by its form alone."""
    if all(name.endswith(TESTS) for name in report.by_name):
        return (
            f"Not looked at: whether games do what is written (gdl test {' '.join(report.by_name)})"
        )
    names = [name for name in report.by_name if name != "-" and not name.endswith(TESTS)]
    name = names[0] if len(names) == 1 else "GAME"
    quoted = f'"{name}"' if set(name) & set("?& ") else name
    return (
        "Not looked at: whether play ends, everybody can move and win, and every rule is of use "
        f"(gdl verify {quoted}); whether it is the game that is meant (gdl test {quoted})"
    )


def summary(report: Report, least: Severity = Severity.HINT) -> str:
    """Return one line: how much was checked, how much is wrong, what was not shown."""
    missing = f"{len(report.unreadable):,} not read" if report.unreadable else ""
    if not report.by_name:
        return f"nothing checked{'; ' if missing else ''}{missing}"
    counts = {severity: report.count(severity) for severity in reversed(Severity)}
    shown = [
        counted(count, str(level)) for level, count in counts.items() if count and level >= least
    ]
    kept = [
        counted(count, str(level)) for level, count in counts.items() if count and level < least
    ]
    told = ", ".join(shown) or ("none to show" if kept else "all is well")
    hidden = f"{', '.join(kept)} not shown" if kept else ""
    tests = sum(name.endswith(TESTS) for name in report.by_name)
    rules = len(report.by_name) - tests
    checked = " and ".join(
        counted(count, *words)
        for count, words in (
            (rules, ("rule file or ruleset", "rule files and rulesets")),
            (tests, ("file of tests", "files of tests")),
        )
        if count
    )
    return "; ".join(part for part in (f"{checked} checked: {told}", hidden, missing) if part)


def _shown(report: Report, least: Severity) -> list[Diagnostic]:
    """Return each diagnostic once, those of a file that several rulesets share, too."""
    listed = (problem for problems in report.by_name.values() for problem in problems)
    return list({str(problem): problem for problem in listed if problem.severity >= least}.values())


def _say_annotations(report: Report, least: Severity) -> None:
    from gdl.testing.reports import annotation

    levels = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}
    for problem in _shown(report, least):
        say(annotation(problem, problem.slug, levels[problem.severity]))


def _write_sarif(report: Report, least: Severity, path: Path) -> None:
    from json import dumps

    from gdl import __version__
    from gdl.cli.rules.sarif import sarif
    from gdl.cli.terminal.output import write_text

    log = sarif(_shown(report, least), __version__)
    write_text(f"{dumps(log, indent=2, ensure_ascii=False)}\n", str(path))


def _as_json(report: Report, least: Severity) -> dict[str, Any]:
    return {
        "files": [
            {
                "name": name,
                "diagnostics": [
                    diagnostic_as_json(diagnostic)
                    for diagnostic in diagnostics
                    if diagnostic.severity >= least
                ],
            }
            for name, diagnostics in report.by_name.items()
        ],
        "unreadable": [
            {"name": name, "reason": reason} for name, reason in report.unreadable.items()
        ],
        "counts": {str(severity): report.count(severity) for severity in reversed(Severity)},
    }


def diagnostic_as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic for programs."""
    return {
        "slug": diagnostic.slug,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        **_place(diagnostic.span),
        "expected": diagnostic.expected,
        "help": diagnostic.help,
        "notes": [_note(note) for note in diagnostic.notes],
    }


def _note(note: Note) -> dict[str, Any]:
    return {"message": note.message, **_place(note.span)}


def _place(span: Span | None) -> dict[str, Any]:
    if span is None:
        return {"path": None, "line": None, "column": None, "end_line": None, "end_column": None}
    end_line, end_column = span.source.position(span.stop)
    return {
        "path": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": end_line,
        "end_column": end_column,
    }
