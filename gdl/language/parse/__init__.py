"""Text to syntax tree, for either notation.

In: a text, a `Source`, or the path of a file. Out: a `Description` whose nodes know
their places, with all comments; or one `GdlSyntaxError` with every syntax error of
the text, or one `LimitError` for a text larger than the limits allow.

Keywords are the same whatever their case, and kept in lower case. The relation words
(``role``, ``true``, ``next`` ...) are folded wherever they stand, the connectives
(``<=``, ``not``, ``or``, ``and``, ``distinct``) only where they connect, so a constant
``NOT`` keeps its capitals. All other names, ``Random`` among them, are case-sensitive.
A quoted symbol (``|True|``) is exactly what it says, and never a keyword in disguise.

`kif` and `hrf` read the notations, both into rules through `forms`, which collects `problems` and
keeps to a `budget`. `kif_scan` and `hrf_scan`, of what both `scan`, find the rules of a text
without its grammar; `incremental` reads again only what an edit touched.

Source: GDL specification 2008, section 4; the folding is that of ggp-base, the
reference reasoner of the field.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from gdl._gc_pause import collector_paused
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.files import read_bytes
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse.budget import Budget
from gdl.language.preconditions import ArgumentError, require, require_path
from gdl.language.source import Source
from gdl.language.syntax import Description, GdlSyntaxError, Term

Syntax: TypeAlias = Literal["kif", "hrf"]
"""The two notations: prefix (Knowledge Interchange Format) and infix (human readable)."""

T = TypeVar("T", bound="Syntax | None")

BEGINNING: Final = 4096
"""Characters that are looked at to tell whether something is a text."""
MOST_CONTROLS: Final = 8
"""So many characters that no text holds among them, and one of thirty, and it is none."""
CONTROLS: Final = re.compile("[\0-\x08\x0e-\x1a]")
"""The control characters but for those that lay text out or part it, or colour it (escape)."""

SUFFIXES: Final[dict[str, Syntax]] = {".kif": "kif", ".gdl": "kif", ".hrf": "hrf"}
"""The notation that the ending of a file name stands for."""


@collector_paused()
def parse(
    text: str | Source,
    *,
    syntax: Syntax | None = None,
    limits: Limits = DEFAULT_LIMITS,
    name: str = "<text>",
) -> Description:
    """Return the rules of a text.

    Args:
        text: The text, or a source that has a name already.
        syntax: Its notation; None to tell by the name, else by the first characters.
        limits: How large the text may be.
        name: What diagnostics call the text when it has no name yet.

    Returns:
        Its rules and comments, in order. Cost linear in the text, about half a megabyte a second.

    Raises:
        GdlSyntaxError: With all syntax errors of the text, sorted by place.
        LimitError: When the text is larger than a limit.
    """
    require("limits", limits, Limits, "gdl.Limits(...)")
    if not isinstance(text, Source):
        require("text", text, str, "text", help="gdl.read(path) reads a file")
        text = Source(name, text.removeprefix("\ufeff"))
    source = text
    _check_size(source, limits)
    _check_text(source)
    match checked_syntax(syntax) or detect_syntax(source):
        case "kif":
            from gdl.language.parse.kif import parse_kif

            return parse_kif(source, limits)
        case "hrf":
            from gdl.language.parse.hrf import parse_hrf

            return parse_hrf(source, limits)


def parse_term(
    text: str, *, syntax: Syntax = "kif", limits: Limits = DEFAULT_LIMITS, name: str = "<term>"
) -> Term:
    """Return the term that a text is, for instance a move.

    Raises:
        GdlSyntaxError: When the text is not exactly one term.
        LimitError: When the text is larger than a limit.

    Example:
        >>> parse_term("(mark 1 ?x)").args[0]
        Constant('1')
        >>> str(parse_term("mark(1,X)", syntax="hrf"))
        '(mark 1 ?x)'
    """
    require("text", text, str, "text")
    require("limits", limits, Limits, "gdl.Limits(...)")
    source = Source(name, text.removeprefix("\ufeff"))
    _check_size(source, limits)
    match checked_syntax(syntax):
        case "kif":
            from gdl.language.parse.kif import parse_kif_term

            return parse_kif_term(source, limits)
        case "hrf":
            from gdl.language.parse.hrf import parse_hrf_term

            return parse_hrf_term(source, limits)


def read(
    path: Path | str, *, syntax: Syntax | None = None, limits: Limits = DEFAULT_LIMITS
) -> Description:
    """Return the rules of a file. See `parse`.

    Raises:
        FileError: When the file cannot be read.
        GdlSyntaxError: With all syntax errors of the file, sorted by place.
        LimitError: When the file is larger than a limit; no more of it is read than that.
    """
    require_path("path", path)
    require("limits", limits, Limits, "gdl.Limits(...)")
    raw = read_bytes(path, most=limits.bytes + 1)
    Budget(Source(str(path), ""), limits).check_size(len(raw))
    return parse(Source.from_bytes(str(path), raw), syntax=syntax, limits=limits)


def detect_syntax(source: Source) -> Syntax:
    """Return the notation of a source.

    The ending of its name decides (``.kif``, ``.gdl``, ``.hrf``); without a known one
    the first character does: KIF begins with ``(`` or a ``;`` comment, everything else is
    taken for HRF. An empty text is KIF.
    """
    syntax = SUFFIXES.get(Path(source.name).suffix.lower())
    if syntax is not None:
        return syntax
    return "kif" if source.text.lstrip()[:1] in {"", "(", ")", ";"} else "hrf"


def checked_syntax(syntax: T) -> T:
    """Return ``syntax``.

    Raises:
        ArgumentError: It is neither a notation nor None.
    """
    if syntax is not None and syntax not in get_args(Syntax):
        raise ArgumentError("syntax", syntax, "'kif' or 'hrf'")
    return syntax


def is_text(source: Source, limits: Limits) -> bool:
    """Return whether a source is what `parse` looks at: a text, and surely not too large."""
    longest = 4  # bytes of a character in UTF-8
    return len(source.text) * longest <= limits.bytes and not _is_binary(source)


def _is_binary(source: Source) -> bool:
    beginning = source.text[:BEGINNING]
    controls = len(CONTROLS.findall(beginning))
    return controls >= MOST_CONTROLS and controls * 30 >= len(beginning)


def _check_text(source: Source) -> None:
    """Refuse what is no text at all, in one sentence instead of a hundred.

    Raises:
        GdlSyntaxError: It is none.
    """
    if _is_binary(source):
        problem = Diagnostic(
            "not-text",
            Severity.ERROR,
            f"{source.name} is no text: it holds control characters again and again",
            None,
            expected="rules as text, in UTF-8 or UTF-16 with a byte order mark",
        )
        raise GdlSyntaxError(diagnostics=[problem])


def _check_size(source: Source, limits: Limits) -> None:
    longest = 4  # bytes of a character in UTF-8
    if len(source.text) * longest > limits.bytes:
        size = len(source.text.encode("utf-8", "surrogatepass"))
        Budget(source, limits).check_size(size)
