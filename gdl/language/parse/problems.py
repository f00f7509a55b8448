"""The syntax errors of one text: every kind there is, collected until all are known.

In: places and facts, from the stages of parsing. Out: one `GdlSyntaxError` that holds
all of them. `SYNTAX_ERRORS` is the list of slugs; `check` has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gdl.language.diagnostics import Diagnostic, Note, Severity, sort_diagnostics
from gdl.language.source import Source, Span
from gdl.language.syntax import Description, GdlSyntaxError

SYNTAX_ERRORS: Final[dict[str, str]] = {
    "unclosed-bracket": "A bracket is opened and never closed.",
    "unexpected-bracket": "A closing bracket closes nothing.",
    "unclosed-quote": "A quoted symbol does not end on its line.",
    "glued-symbols": "Two symbols stand side by side without a space, one of them quoted.",
    "empty-variable": "A question mark is not followed by a name.",
    "infix-notation": "Infix notation stands in a KIF file: role(white) for (role white).",
    "unexpected-token": "Something stands where the grammar of HRF does not allow it.",
    "unfinished-rule": "An HRF rule ends where a literal is still expected.",
    "empty-list": "A pair of brackets has nothing between.",
    "list-as-name": "A list begins with a list where a name belongs.",
    "variable-as-name": "A variable stands where the name of a relation or function belongs.",
    "variable-as-sentence": "A variable stands where a sentence belongs.",
    "bare-connective": "A connective stands without brackets and arguments.",
    "connective-outside-body": "A connective stands as a fact or as the head of a rule.",
    "missing-head": "A rule has an arrow and nothing after it.",
    "nested-rule": "A rule stands inside another.",
    "not-arity": "A not has no argument, or more than one.",
    "distinct-arity": "A distinct has more or fewer than two arguments.",
    "not-text": "A file holds what no text has: it is a program, a picture, an archive.",
    "not-one-term": "A text that should be one term is none, or several.",
    "too-many-errors": "Reading stopped because so much is wrong.",
}
"""What each slug means. Every one of them is an error: no tree can be given."""

MAX_ERRORS: Final = 100
"""Syntax errors that are collected before reading stops."""


class Problems:
    """The syntax errors found so far in one source.

    Attributes:
        source: The text they are in.
        is_full: Whether so many were found that reading should stop.
    """

    def __init__(self, source: Source) -> None:
        """Begin with none."""
        self.source = source
        self.is_full = False
        self._diagnostics: list[Diagnostic] = []

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._diagnostics)

    def add(  # noqa: PLR0913  # the parts of a diagnostic
        self,
        slug: str,
        start: int,
        stop: int,
        message: str,
        *,
        expected: str | None = None,
        help: str | None = None,  # noqa: A002  # the field's own name
        notes: tuple[Note, ...] = (),
    ) -> None:
        """Add an error at the characters from ``start`` to ``stop``, unless there are too many."""
        assert slug in SYNTAX_ERRORS, slug
        if self.is_full:
            return
        span = self.span(start, stop)
        problem = Diagnostic(slug, Severity.ERROR, message, span, expected, help, notes)
        self._diagnostics.append(problem)
        if len(self._diagnostics) == MAX_ERRORS:
            self.is_full = True
            message = f"{MAX_ERRORS} errors; the rest of the text was not read"
            self._diagnostics.append(Diagnostic("too-many-errors", Severity.ERROR, message, span))

    def all(self) -> Sequence[Diagnostic]:
        """Return what was found, in the order in which it was."""
        return self._diagnostics

    def note(self, start: int, message: str) -> Note:
        """Return a note on one character."""
        return Note(message, self.span(start, start + 1))

    def span(self, start: int, stop: int) -> Span:
        """Return a span of the source."""
        return Span(self.source, start, stop)

    def raise_if_any(self, readable: Description | None = None) -> None:
        """Raise what was found, with the rules that could be read, if there are any.

        Raises:
            GdlSyntaxError: When there is at least one error.
        """
        if self._diagnostics:
            raise self.error(readable)

    def error(self, readable: Description | None = None) -> GdlSyntaxError:
        """Return what was found as one error; no rules count as read if reading stopped."""
        if self.is_full:
            readable = None
        return GdlSyntaxError(diagnostics=sort_diagnostics(self._diagnostics), readable=readable)
