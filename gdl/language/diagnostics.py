"""What is wrong with a text: diagnostics, how they are drawn, and the errors that carry them.

A `Diagnostic` is a value. Functions that look for problems return lists of them;
functions that cannot go on raise a `GdlError` that carries them, and whose text
is the drawn list. Nothing here knows any particular problem.

Source: the form follows the caret pictures of rustc and ``packaging``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, NamedTuple, Self

from gdl.language.source import Span, display_width, expand, harmless

MAX_DRAWN_WIDTH = 160
"""Columns of a source line that are drawn; a longer line is cut around the caret."""


class Severity(IntEnum):
    """How bad a problem is; comparable, ``ERROR`` is the greatest."""

    HINT = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        """Return the word that is drawn, for instance ``error``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Note:
    """A remark beside a diagnostic, with a second place where there is one."""

    message: str
    span: Span | None = None


class Slip(NamedTuple):
    """A name as the rules have it, without quotes, and one that was perhaps meant instead."""

    name: str
    meant: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem of a text.

    Attributes:
        slug: Stable name of the kind of problem, for instance ``unsafe-variable``.
        severity: Error (no meaning can be given), warning (suspect), hint (style).
        message: What is wrong, one sentence without a full stop.
        span: Where; None when no place can be named (an empty file, say).
        expected: What would have been right there.
        help: How to mend it.
        notes: Further places and remarks.
        slip: A name in the span, and the one that was perhaps meant; ``help`` says it in words.
    """

    slug: str
    severity: Severity
    message: str
    span: Span | None
    expected: str | None = None
    help: str | None = None
    notes: tuple[Note, ...] = ()
    slip: Slip | None = None

    @property
    def path(self) -> str | None:
        """Name of the source, None when there is no place."""
        return None if self.span is None else self.span.source.name

    @property
    def line(self) -> int | None:
        """Line, counted from 1, None when there is no place."""
        return None if self.span is None else self.span.line

    @property
    def column(self) -> int | None:
        """Column, counted from 1, None when there is no place."""
        return None if self.span is None else self.span.column

    def __str__(self) -> str:
        """Return the drawn form, several lines, no final line end."""
        head = f"{self.severity}[{self.slug}]: {self.message}"
        lines = [head if self.span is None else f"{self.span}: {head}"]
        if self.span is not None:
            lines += draw_span(self.span)
        lines += draw_advice(self.expected, self.help, self.notes)
        return harmless("\n".join(lines))

    def _repr_html_(self) -> str:
        """Return the drawn form for notebooks."""
        from gdl.language.html import text_html

        return text_html(str(self))


class Diagnostics(list[Diagnostic]):
    """Diagnostics in a list that a notebook shows as they are drawn."""

    def _repr_html_(self) -> str:
        """Return all of them as HTML; of none that all is well."""
        from gdl.language.html import text_html

        return text_html(draw_diagnostics(self) or "all is well")


def draw_advice(expected: str | None, help_: str | None, notes: Iterable[Note]) -> list[str]:
    """Return the lines below what is wrong: what would have been right, and how to mend it."""
    lines: list[str] = []
    if expected:
        lines.append(f"  expected: {expected}")
    if help_:
        lines.append(f"  help: {help_}")
    for note in notes:
        place = "" if note.span is None else f"{note.span}: "
        lines.append(f"  note: {place}{note.message}")
        if note.span is not None:
            lines += draw_span(note.span)
    return lines


def draw_span(span: Span) -> list[str]:
    """Return the source line of a span and the carets under it, two lines.

    A span over several lines is marked to the end of its first line.
    """
    number = span.line
    text = span.source.line(number)
    start = min(span.column - 1, len(text))
    stop = min(start + max(1, span.stop - span.start), max(len(text), start + 1))
    prefix = ""
    if len(text) > MAX_DRAWN_WIDTH:
        first = max(0, start - MAX_DRAWN_WIDTH // 3)
        prefix = "..." if first else ""
        text = text[first : first + MAX_DRAWN_WIDTH]
        start, stop = start - first, min(stop - first, len(text))
    before = display_width(text[:start]) + len(prefix)
    width = max(1, display_width(text[start:stop], display_width(text[:start])))
    gutter = str(number)
    return [
        f"  {gutter} | {prefix}{expand(text)}".rstrip(),
        f"  {' ' * len(gutter)} | {' ' * before}{'^' * width}",
    ]


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics by place (those without one first), then by severity and slug.

    Equal diagnostics are listed once. Sources keep the order in which they first occur.
    """
    unique = list(dict.fromkeys(diagnostics))
    order: dict[int, int] = {}
    for diagnostic in unique:
        if diagnostic.span is not None:
            order.setdefault(id(diagnostic.span.source), len(order))

    def key(diagnostic: Diagnostic) -> tuple[int, int, int, str]:
        span = diagnostic.span
        source, start = (-1, -1) if span is None else (order[id(span.source)], span.start)
        return source, start, -diagnostic.severity, diagnostic.slug

    return sorted(unique, key=key)


def draw_diagnostics(diagnostics: Sequence[Diagnostic]) -> str:
    """Return all diagnostics as they are shown to people, one after the other."""
    return "\n".join(str(diagnostic) for diagnostic in diagnostics)


class GdlError(ValueError):
    """Base of every error that this package raises on purpose. Its text is all of it, drawn.

    Attributes:
        message: What is wrong, without advice and diagnostics; may be empty.
        expected: What would have been right.
        help: How to mend it.
        notes: Further remarks.
        diagnostics: The problems behind it, sorted by place; may be empty.
        notes_first: Whether notes say what was found, and come before how to mend it.
    """

    notes_first: ClassVar[bool] = False

    def __init__(
        self,
        message: str = "",
        diagnostics: Sequence[Diagnostic] = (),
        *,
        expected: str | None = None,
        help: str | None = None,  # noqa: A002  # the word of a diagnostic
        notes: Iterable[str] = (),
    ) -> None:
        """Make an error from a message and advice, from diagnostics, or from both."""
        self.message = message
        self.expected = expected
        self.help = help
        self.notes = tuple(notes)
        self.diagnostics = tuple(diagnostics)
        advice = draw_advice(expected, help, ())
        remarks = draw_advice(None, None, map(Note, self.notes))
        advice = remarks + advice if self.notes_first else advice + remarks
        drawn = draw_diagnostics(self.diagnostics)
        super().__init__("\n".join(part for part in (message, *advice, drawn) if part))

    @classmethod
    def at(  # noqa: PLR0913  # the parts of a diagnostic
        cls,
        span: Span | None,
        slug: str,
        message: str,
        *,
        expected: str | None = None,
        help: str | None = None,  # noqa: A002  # the word of a diagnostic
        notes: Iterable[Note] = (),
    ) -> Self:
        """Return an error that is one problem at one place."""
        problem = Diagnostic(slug, Severity.ERROR, message, span, expected, help, tuple(notes))
        return cls(diagnostics=[problem])

    @property
    def headline(self) -> str:
        """What is wrong in one line, without advice."""
        return str(self).partition("\n")[0]  # the message may be empty, or have several lines

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in place of a traceback: the error says it all, with notes."""
        text = "\n".join([str(self), *getattr(self, "__notes__", ())])
        return f"{type(self).__name__}: {harmless(text)}".splitlines()

    def __reduce__(self) -> tuple[Callable[..., GdlError], tuple[object, ...]]:
        """Pickle the facts: an error may come from another process."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[GdlError], args: tuple[object, ...], facts: dict[str, object]) -> GdlError:
    """Return an error that was pickled; what its class wants to be made of does not matter."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(facts)
    return error


class InvalidDescriptionError(GdlError):
    """The text can be read, but the rules break restrictions of the language."""


class LimitError(GdlError):
    """A text or a game is larger than a limit allows; the message names the limit."""
