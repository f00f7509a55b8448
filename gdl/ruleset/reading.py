"""Reading the rules of a ruleset: file by file, without what a variant replaces or leaves out.

In: a ruleset. Out: a `Part` a file, before them one for facts that the manifest writes out; or
one error with the syntax errors of all files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gdl.language.parse import parse, read
from gdl.language.source import Source
from gdl.language.syntax import Description, GdlSyntaxError
from gdl.ruleset.variant import Part, vary

if TYPE_CHECKING:
    from gdl.ruleset.ruleset import Ruleset


ReadFile: TypeAlias = "Callable[[Path], Description]"
"""Returns the rules of a file, as `gdl.language.parse.read` does and with what it raises."""


def description_of(ruleset: Ruleset, read_file: ReadFile | None = None) -> Description:
    """Return the rules that count, of all files; see `read_parts`."""
    return sum((part.rules for part in read_parts(ruleset, read_file)), start=Description(()))


def read_parts(ruleset: Ruleset, read_file: ReadFile | None = None) -> tuple[Part, ...]:
    """Return the rules of each file that count, and those that do not.

    Args:
        ruleset: Their ruleset.
        read_file: Who reads the files, by default from disk: an editor holds newer texts.

    Raises:
        OSError: A file cannot be read.
        GdlSyntaxError: With the syntax errors of all files, and what can be read of them.
        LimitError: A file is larger than a limit.
        ManifestError: The manifest replaces or leaves out what is not there, or has facts that
            cannot be written out.
    """
    files: list[Description] = []
    broken: list[GdlSyntaxError] = []
    for reads in _readers(ruleset, read_file):
        try:
            files.append(reads())
        except GdlSyntaxError as error:
            broken.append(error)
            files.append(error.readable or Description(()))
    parts = vary(files, ruleset.selections, is_whole=not broken)
    if broken:
        told = [diagnostic for error in broken for diagnostic in error.diagnostics]
        hardly = all(error.readable is None for error in broken)
        whole = sum((part.rules for part in parts), start=Description(()))
        raise GdlSyntaxError(diagnostics=told, readable=None if hardly else whole)
    return parts


def _readers(ruleset: Ruleset, read_file: ReadFile | None) -> Iterator[Callable[[], Description]]:
    """Yield what gives the rules of each part, in order."""
    limits = ruleset.limits
    if ruleset.facts:
        yield ruleset.fact_rules
    if not ruleset.paths:
        yield lambda: parse(Source(ruleset.id, ruleset.text), limits=limits)
    for path in ruleset.paths:
        yield lambda path=path: read_file(path) if read_file else read(path, limits=limits)  # type: ignore[misc]  # mypy 1.x cannot type a lambda's default
