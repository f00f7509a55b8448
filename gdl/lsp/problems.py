"""What is wrong with a text, as the editor shows it, and what mends it at a click.

In: a text with the other parts of its rulesets. Out: diagnostics of the protocol, the same that
``gdl check`` writes; for manifests and tests the same that reading them raises. A rule file that a
manifest in its folder names is checked as what it is there, a part of each of those rulesets: alone
its other half is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from lsprotocol import types

from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.limits import DEFAULT_LIMITS
from gdl.language.render.hrf import hrf_name, hrf_variable
from gdl.language.source import Source
from gdl.language.syntax import kif_symbol, kif_variable
from gdl.lsp.documents import Reading
from gdl.lsp.manifests import folders_of
from gdl.lsp.names import Kind, Name
from gdl.lsp.parts import Parts, raised
from gdl.ruleset import Ruleset
from gdl.ruleset.manifest import rulesets_of
from gdl.ruleset.manifest_check import check_manifest
from gdl.ruleset.search import find_family
from gdl.testing.suite import suite_of

SOURCE: Final = "gdl"
SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}
_UNUSED: Final = frozenset({"unused-relation", "unused-fluent"})


def problems(parts: Parts) -> list[types.Diagnostic]:
    """Return what is wrong with a text."""
    return [
        as_diagnostic(diagnostic, parts)
        for diagnostic in found_problems(parts)
        if _is_here(diagnostic, parts.reading)
    ]


def found_problems(parts: Parts) -> Sequence[Diagnostic]:
    """Return the same as the rooms below say it, also what has its place in another text."""
    reading = parts.reading
    if reading.is_manifest:
        return _of_manifest(reading)
    if reading.is_suite:
        return raised(lambda: suite_of(reading.source, keeps=False))
    return parts.problems if reading.is_rules else []


def too_long(most: int) -> types.Diagnostic:
    """Return what is said of a text that is not looked at."""
    return types.Diagnostic(
        range=types.Range(types.Position(0, 0), types.Position(0, 0)),
        message=f"a text of more than {most:,} characters is not looked at in an editor\n"
        f"help: gdl check takes files of up to {DEFAULT_LIMITS.bytes:,} bytes",
        severity=types.DiagnosticSeverity.Information,
        source=SOURCE,
    )


def quick_fixes(
    reading: Reading, uri: str, shown: Sequence[types.Diagnostic]
) -> list[types.CodeAction]:
    """Return what mends the problems that are shown: a name put in place of a misspelt one."""
    return [
        types.CodeAction(
            title=f"Change {slip[0]} to {slip[1]}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            is_preferred=True,
            edit=types.WorkspaceEdit(changes={uri: edits}),
        )
        for diagnostic in shown
        if (slip := _slip(diagnostic))
        if (edits := _corrections(reading, diagnostic, *slip))
    ]


def _slip(shown: types.Diagnostic) -> tuple[str, str] | None:
    """Return a misspelt name and what was meant; None of what has none, or is somebody else's."""
    match shown.data:
        case {"slip": {"name": str(name), "meant": str(meant)}} if shown.source == SOURCE:
            return name, meant
    return None


def as_diagnostic(problem: Diagnostic, parts: Parts) -> types.Diagnostic:
    """Return a problem in the words of the protocol."""
    reading = parts.reading
    advice = [f"expected: {problem.expected}"] if problem.expected else []
    advice += [f"help: {problem.help}"] if problem.help else []
    advice += [f"note: {note.message}" for note in problem.notes if note.span is None]
    slip = problem.slip
    return types.Diagnostic(
        range=types.Range(types.Position(0, 0), types.Position(0, 0))
        if problem.span is None
        else reading.range(problem.span),
        message="\n".join([problem.message, *advice]),
        severity=SEVERITIES[problem.severity],
        code=problem.slug,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if problem.slug in _UNUSED else None,
        related_information=[
            types.DiagnosticRelatedInformation(where, note.message)
            for note in problem.notes
            if note.span is not None and (where := parts.location(note.span)) is not None
        ]
        or None,
        data={"slip": {"name": slip.name, "meant": slip.meant}} if slip else None,
    )


def written_name(kind: Kind, name: str, reading: Reading) -> str:
    """Return a name as the notation of a text writes it."""
    if reading.syntax == "kif":
        return kif_variable(name) if kind is Kind.VARIABLE else kif_symbol(name)
    return hrf_variable(name) if kind is Kind.VARIABLE else hrf_name(name)


def _corrections(
    reading: Reading, shown: types.Diagnostic, name: str, meant: str
) -> list[types.TextEdit]:
    """Return the edits that put one name in place of another, wherever that is the same thing."""
    start, stop = reading.offset(shown.range.start), reading.offset(shown.range.end)
    within = [
        name_here
        for name_here in reading.names
        if start <= name_here.span.start and name_here.span.stop <= stop
    ]
    first = next((candidate for candidate in within if candidate.signature.name == name), None)
    if first is None:
        return []
    text = written_name(first.kind, meant, reading)
    return [
        types.TextEdit(reading.range(other.span), text)
        for other in reading.names
        if _is_same_slip(other, first)
    ]


def _is_same_slip(name: Name, first: Name) -> bool:
    """Return whether a name is the misspelt one again; how many arguments it has may differ."""
    return name.key._replace(arity=0) == first.key._replace(arity=0)


def _of_manifest(reading: Reading) -> list[Diagnostic]:
    rulesets: list[Ruleset] = []
    folders = folders_of(reading.path)
    told = raised(
        lambda: rulesets.extend(
            rulesets_of(reading.source, find_family=lambda name: find_family(name, folders))
        )
    )
    for ruleset in rulesets:
        told += raised(partial(_fits, ruleset, told))
    return told


def _fits(ruleset: Ruleset, told: list[Diagnostic]) -> None:
    """Tell what of a manifest its rules do not know."""
    told += check_manifest(ruleset)


def _is_here(problem: Diagnostic, reading: Reading) -> bool:
    return problem.span is None or _same_text(problem.span.source, reading)


def _same_text(source: Source, reading: Reading) -> bool:
    return source is reading.source or (
        source.name == reading.path and source.text == reading.source.text
    )
