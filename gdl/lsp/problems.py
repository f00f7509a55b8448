"""What is wrong with a text, as the editor shows it, and what mends it at a click.

In: a reading. Out: diagnostics of the protocol, the same that ``gdl check`` writes; for manifests
and tests the same that reading them raises. A rule file that a manifest in its folder names is
checked as what it is there, a part of each of those rulesets: alone its other half is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from lsprotocol import types

from gdl.language.checks.check import check_reading
from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.language.limits import DEFAULT_LIMITS
from gdl.language.parse import read
from gdl.language.render.hrf import hrf_name, hrf_variable
from gdl.language.source import Source
from gdl.language.syntax import Description, kif_symbol, kif_variable
from gdl.lsp.documents import Reading
from gdl.lsp.names import Kind, Name
from gdl.ruleset import Ruleset, search_folders
from gdl.ruleset.manifest import MANIFEST_NAME, rulesets_of
from gdl.ruleset.manifest_check import check_manifest
from gdl.ruleset.reading import description_of
from gdl.ruleset.search import find_family, read_among
from gdl.testing.suite import suite_of

SOURCE: Final = "gdl"
SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}
_UNUSED: Final = frozenset({"unused-relation", "unused-fluent"})


def problems(reading: Reading, open_texts: Mapping[str, Reading]) -> list[types.Diagnostic]:
    """Return what is wrong with a text.

    Args:
        reading: The text.
        open_texts: Other texts that are open, by path; they count as they are in the editor.
    """
    diagnostics = found_problems(reading, open_texts)
    return [
        as_diagnostic(diagnostic, reading)
        for diagnostic in diagnostics
        if _is_here(diagnostic, reading)
    ]


def found_problems(reading: Reading, open_texts: Mapping[str, Reading]) -> list[Diagnostic]:
    """Return the same as the rooms below say it, also what has its place in another text."""
    if reading.is_manifest:
        return _of_manifest(reading)
    if reading.is_suite:
        return _raised(lambda: suite_of(reading.source, keeps=False))
    if not reading.is_rules:
        return []
    rulesets = rulesets_with(reading.path)
    if not rulesets:
        return list(reading.problems)
    told = [problem for ruleset in rulesets for problem in _of_part(ruleset, reading, open_texts)]
    return list(dict.fromkeys(told))


def rulesets_with(path: str) -> list[Ruleset]:
    """Return the rulesets of the manifest beside a rule file that the file is a part of."""
    if not has_manifest(path):
        return []
    try:
        rulesets = read_among(folders_of(path), Path(path).parent / MANIFEST_NAME)
    except (GdlError, OSError):
        return []  # what is wrong there is said there
    return [ruleset for ruleset in rulesets if Path(path) in ruleset.paths]


def has_manifest(path: str) -> bool:
    """Return whether a manifest lies beside a file."""
    try:
        return (Path(path).parent / MANIFEST_NAME).is_file()
    except OSError:  # the address of what is no file may be longer than a name can be
        return False


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


def as_diagnostic(problem: Diagnostic, reading: Reading) -> types.Diagnostic:
    """Return a problem in the words of the protocol."""
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
            types.DiagnosticRelatedInformation(
                types.Location(reading.uri, reading.range(note.span)),
                note.message,
            )
            for note in problem.notes
            if note.span is not None and note.span.source is reading.source
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
    told = _raised(
        lambda: rulesets.extend(
            rulesets_of(reading.source, find_family=lambda name: find_family(name, folders))
        )
    )
    for ruleset in rulesets:
        told += _raised(partial(_fits, ruleset, told))
    return told


def _fits(ruleset: Ruleset, told: list[Diagnostic]) -> None:
    """Tell what of a manifest its rules do not know."""
    told += check_manifest(ruleset)


def _of_part(
    ruleset: Ruleset, reading: Reading, open_texts: Mapping[str, Reading]
) -> list[Diagnostic]:
    def rules(path: Path) -> Description:
        is_this = path == Path(reading.path)
        other = reading if is_this else open_texts.get(str(path))
        return read(path, limits=ruleset.limits) if other is None else other.parsed()

    diagnostics: list[Diagnostic] = []
    told = _raised(
        lambda: diagnostics.extend(check_reading(lambda: description_of(ruleset, rules)))
    )
    return [*told, *diagnostics]


def _raised(run: Callable[[], object]) -> list[Diagnostic]:
    """Return the problems that an error carries, or the error itself; none where there is none."""
    try:
        run()
    except GdlError as error:
        return list(error.diagnostics) or [_whole(error)]
    return []


def _whole(error: GdlError) -> Diagnostic:
    message = error.message or error.headline
    return Diagnostic("unusable", Severity.ERROR, message, None, error.expected, error.help)


def _is_here(problem: Diagnostic, reading: Reading) -> bool:
    return problem.span is None or _same_text(problem.span.source, reading)


def _same_text(source: Source, reading: Reading) -> bool:
    return source is reading.source or (
        source.name == reading.path and source.text == reading.source.text
    )


def folders_of(path: str) -> tuple[Path, ...]:
    """Return where families lie that a file may speak of: beside its own, and the usual places."""
    return (*search_folders([]), Path(path).absolute().parent.parent)
