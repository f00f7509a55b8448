"""Where lines are broken: documents to lines, without recursion.

In: a document, which is what a notation makes of a rule. Out: its lines, each with the
offset in the source of the first thing on it, so that comments find their way back.

A document is a piece of text that is never broken, or a group: opening text, parts with a
separator between, closing text. A group stands on one line when it fits and nothing
forbids it; otherwise each part but the first begins a new line.

Source: Wadler, "A prettier printer", 2003; the fixed hang of groups is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

UNKNOWN: Final = -1
"""The offset of what has no place in a source."""

MAX_INDENT: Final = 60
"""Columns that a line is indented at most, so that deep nesting cannot swell a text."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that is never broken.

    Attributes:
        text: The text.
        start: Where it began in the source, `UNKNOWN` if nowhere.
        stop: Where it ended there.
    """

    text: str
    start: int = UNKNOWN
    stop: int = UNKNOWN


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that stand on one line or on several.

    Attributes:
        opening: Text before the first part.
        parts: The parts, at least one.
        separators: Text between the first two parts, and between all others; a blank
            follows it when they share a line.
        closing: Text after the last part.
        hang: Columns from the group's own to that of a broken line.
        must_break: Whether each part must begin a line; a group with such a part breaks too.
        width: Characters on one line.
        first: Where the first piece began in the source.
        last: Where the last piece began.
    """

    opening: str
    parts: tuple[Document, ...]
    separators: tuple[str, str]
    closing: str
    hang: int
    must_break: bool = False
    width: int = field(init=False)
    first: int = field(init=False)
    last: int = field(init=False)

    def __post_init__(self) -> None:
        """Measure it."""
        width = len(self.opening) + sum(width_of(part) for part in self.parts) + len(self.closing)
        gaps = len(self.parts) - 1
        if gaps:
            width += gaps + len(self.separators[0]) + (gaps - 1) * len(self.separators[1])
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "first", first_start(self.parts[0]))
        object.__setattr__(self, "last", last_start(self.parts[-1]))
        if any(isinstance(part, Group) and part.must_break for part in self.parts):
            object.__setattr__(self, "must_break", True)


Document: TypeAlias = Piece | Group


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result.

    Attributes:
        indent: Columns before it.
        text: The rest.
        start: Where the first piece on it began in the source, `UNKNOWN` if nowhere.
    """

    indent: int
    text: str
    start: int = UNKNOWN

    def __str__(self) -> str:
        """Return the line as it is written."""
        return " " * self.indent + self.text


@dataclass(frozen=True, slots=True)
class _Break:
    """A line end, and how far the next line is indented."""

    indent: int


def width_of(document: Document) -> int:
    """Return how many characters a document has on one line."""
    return len(document.text) if isinstance(document, Piece) else document.width


def first_start(document: Document) -> int:
    """Return where the first piece of a document began in the source."""
    return document.start if isinstance(document, Piece) else document.first


def last_start(document: Document) -> int:
    """Return where the last piece of a document began in the source."""
    return document.start if isinstance(document, Piece) else document.last


def pieces(document: Document) -> Iterator[Piece]:
    """Yield the pieces of a document from left to right."""
    stack = [document]
    while stack:
        inner = stack.pop()
        if isinstance(inner, Piece):
            yield inner
        else:
            stack.extend(reversed(inner.parts))


def lay_out(document: Document, width: int) -> list[Line]:
    """Return the lines of a document.

    Args:
        document: What to lay out.
        width: Characters that a line should not exceed; an unbreakable piece may.

    Returns:
        Its lines, at least one. Cost O(size).
    """
    lines: list[Line] = []
    indent, column, start = 0, 0, UNKNOWN
    written: list[str] = []
    stack: list[Document | _Break | str] = [document]
    while stack:
        match stack.pop():
            case _Break() as end:
                lines.append(Line(indent, "".join(written), start))
                indent = column = min(end.indent, MAX_INDENT)
                start = UNKNOWN
                written.clear()
            case Group() as group:
                is_broken = group.must_break or column + group.width > width
                stack.extend(reversed(_laid(group, column + group.hang if is_broken else None)))
            case Piece() as piece:
                start = piece.start if start == UNKNOWN else start
                written.append(piece.text)
                column += len(piece.text)
            case str(text):
                written.append(text)
                column += len(text)
    lines.append(Line(indent, "".join(written), start))
    return lines


def _laid(group: Group, indent: int | None) -> list[Document | _Break | str]:
    """Return what a group consists of, with a line end before each part but the first."""
    laid: list[Document | _Break | str] = [group.opening]
    for index, part in enumerate(group.parts):
        if index:
            laid.append(group.separators[min(index, 2) - 1])
            laid.append(" " if indent is None else _Break(indent))
        laid.append(part)
    return [*laid, group.closing]
