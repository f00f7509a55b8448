"""What ``gdl check`` found as SARIF, the form in which services of code review take findings.

In: diagnostics. Out: a log of one run, in JSON; positions count characters, from 1.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) 2.1.0, 2020.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from gdl.language.checks.explanations import explanations
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.source import Span

LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def sarif(diagnostics: Sequence[Diagnostic], version: str) -> dict[str, Any]:
    """Return a log with a result for each diagnostic, and a rule for each kind of them."""
    slugs = sorted({diagnostic.slug for diagnostic in diagnostics})
    driver = {"name": "gdl", "version": version, "rules": [_rule(slug) for slug in slugs]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(diagnostic, slugs.index(diagnostic.slug)) for diagnostic in diagnostics
        ],
    }
    schema = (
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    )
    return {"$schema": schema, "version": "2.1.0", "runs": [run]}


def _rule(slug: str) -> dict[str, Any]:
    explanation = explanations().get(slug)
    if explanation is None:
        return {"id": slug}
    return {
        "id": slug,
        "shortDescription": {"text": explanation.title},
        "fullDescription": {"text": f"{explanation.rule} {explanation.why}"},
        "help": {"text": explanation.text},
    }


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    told = (
        diagnostic.message,
        f"expected: {diagnostic.expected}" if diagnostic.expected else "",
        f"help: {diagnostic.help}" if diagnostic.help else "",
    )
    result: dict[str, Any] = {
        "ruleId": diagnostic.slug,
        "ruleIndex": rule,
        "level": LEVELS[diagnostic.severity],
        "message": {"text": "\n".join(filter(None, told))},
        "locations": list(_locations([(diagnostic.span, "")])),
    }
    notes = list(_locations((note.span, note.message) for note in diagnostic.notes))
    return result | ({"relatedLocations": notes} if notes else {})


def _locations(places: Iterable[tuple[Span | None, str]]) -> Iterable[dict[str, Any]]:
    for span, message in places:
        if span is None:
            continue
        end_line, end_column = span.source.position(span.stop)
        region = {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": end_line,
            "endColumn": end_column,
        }
        uri = quote(PurePath(span.source.name).as_posix())
        location: dict[str, Any] = {
            "physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}
        }
        yield location | ({"message": {"text": message}} if message else {})
