"""Offsets of a text and positions of the protocol, both ways; edits of a text.

A position of the protocol is a line and a number of code units in it: of UTF-16 by default, of
UTF-8 or UTF-32 where client and server agree on it. Lines end as in `gdl.language.source`,
and at no other character.

Source: Language Server Protocol 3.17, "Text Documents".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from lsprotocol import types

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_BEYOND: Final = 0xFFFF  # above, a character takes two units of UTF-16


class Lines:
    """A text by its lines.

    Attributes:
        text: The text.
        encoding: What columns count.
    """

    def __init__(self, text: str, encoding: types.PositionEncodingKind | str) -> None:
        """Find the lines. Cost linear in the text."""
        self.text = text
        self.encoding = types.PositionEncodingKind(encoding)
        ends = [(end.start(), end.end()) for end in _LINE_END.finditer(text)]
        self._starts = [0, *(stop for _, stop in ends)]
        self._stops = [*(start for start, _ in ends), len(text)]

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; beyond the end of a line, or of the text, is the end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, stop = self._starts[position.line], self._stops[position.line]
        line = self.text[start:stop]
        if line.isascii() or self.encoding is types.PositionEncodingKind.Utf32:
            return start + min(position.character, len(line))
        units = 0
        for index, char in enumerate(line):
            if units >= position.character:
                return start + index
            units += self._units(char)
        return stop

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset. Cost O(log lines + columns)."""
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        if before.isascii() or self.encoding is types.PositionEncodingKind.Utf32:
            return types.Position(line, len(before))
        return types.Position(line, sum(map(self._units, before)))

    def range(self, start: int, stop: int) -> types.Range:
        """Return the range of a part of the text."""
        return types.Range(self.position(start), self.position(stop))

    def edited(self, change: types.TextDocumentContentChangeEvent) -> str:
        """Return the text after an edit."""
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            return change.text
        start, stop = self.offset(change.range.start), self.offset(change.range.end)
        return self.text[:start] + change.text + self.text[max(start, stop) :]

    def _units(self, char: str) -> int:
        if self.encoding is types.PositionEncodingKind.Utf16:
            return 2 if ord(char) > _BEYOND else 1
        return len(char.encode("utf-8", "surrogatepass"))
