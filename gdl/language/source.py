"""Source texts and places in them.

A `Source` is a named text; a `Span` is a half-open range of characters in one
source. Every syntax node and every diagnostic points at a span, and only this
module turns an offset into a line, a column or a drawn caret.

Column rules follow Unicode Standard Annex 11 (East Asian Width):
wide and full-width characters take two columns, combining ones none.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

TAB_STOP: Final = 8
_LINE_END: Final = r"\r\n|\r|\n"


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A named text, for instance the contents of a rule file.

    Two sources are the same only when they are the same object.

    Attributes:
        name: How diagnostics call it, usually the path as the user typed it.
        text: The whole text, decoded, without a byte order mark.
    """

    name: str
    text: str
    _lines: list[int] = field(default_factory=list, init=False, repr=False)

    @property
    def _line_starts(self) -> list[int]:
        """Where each line begins: found for the first place that is asked for, then kept."""
        if not self._lines:
            ends = (end.end() for end in re.finditer(_LINE_END, self.text))
            self._lines[:] = [0, *ends]  # at once: two threads may both find none
        return self._lines

    @classmethod
    def from_bytes(cls, name: str, raw: bytes) -> Source:
        """Decode a text: UTF-16 with a byte order mark, else UTF-8, else Latin-1; never fails."""
        encodings = ["utf-16"] if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else []
        for encoding in [*encodings, "utf-8-sig"]:
            try:
                return cls(name, raw.decode(encoding))
            except UnicodeDecodeError:
                continue
        return cls(name, raw.decode("latin-1"))

    @property
    def line_end(self) -> str:
        r"""How most lines end: ``\n``, ``\r\n`` or ``\r``; the first to be met of equals."""
        ends = Counter(re.findall(_LINE_END, self.text))
        return max(ends, key=ends.__getitem__, default="\n")

    def cut(self, start: int, stop: int) -> str:
        """Return the characters of a range."""
        return self.text[start:stop]

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a character, both counted from 1. Cost O(log lines)."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return the text of a line, counted from 1, without its line end."""
        starts = self._line_starts
        stop = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : stop].rstrip("\r\n")


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range ``[start, stop)`` of characters of one source."""

    source: Source
    start: int
    stop: int

    @property
    def text(self) -> str:
        """The characters of the range."""
        return self.source.cut(self.start, self.stop)

    @property
    def line(self) -> int:
        """Line of the first character, counted from 1."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """Column of the first character in its line, counted from 1."""
        return self.source.position(self.start)[1]

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of ``other``."""
        return Span(self.source, self.start, other.stop)

    def __str__(self) -> str:
        """Return ``name:line:column``, the form that editors understand."""
        return f"{self.source.name}:{self.line}:{self.column}"


def display_width(text: str, start: int = 0) -> int:
    """Return how many terminal columns ``text`` takes when it begins in column ``start``."""
    column = start
    for char in text:
        column += _char_width(char, column)
    return column - start


def expand(text: str) -> str:
    """Return ``text`` as it may safely be drawn: tabs as spaces, control characters as ``·``."""
    drawn: list[str] = []
    column = 0
    for char in text:
        width = _char_width(char, column)
        if char == "\t":
            drawn.append(" " * width)
        else:
            drawn.append(char if char.isprintable() or unicodedata.combining(char) else "·")
        column += width
    return "".join(drawn)


def harmless(text: str) -> str:
    """Return ``text``, line by line, with ``·`` for what a terminal would obey, not show."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else "·" for char in text)


def _char_width(char: str, column: int) -> int:
    if char == "\t":
        return TAB_STOP - column % TAB_STOP
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
