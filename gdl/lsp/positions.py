"""Offsets of a text and positions of the protocol, both ways; edits of a text.

A position of the protocol is a line and a number of code units in it: of UTF-16 by default, of
UTF-8 or UTF-32 where client and server agree on it. Lines end as in `gdl.language.source`,
and at no other character.

Source: Language Server Protocol 3.17, "Text Documents".
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final, NamedTuple

from lsprotocol import types

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_WIDE: Final = {
    types.PositionEncodingKind.Utf8: re.compile(r"[^\x00-\x7f]"),
    types.PositionEncodingKind.Utf16: re.compile("[\U00010000-\U0010ffff]"),
    types.PositionEncodingKind.Utf32: re.compile(r"(?!)"),
}
"""Characters of more than one unit."""


class _Wide(NamedTuple):
    """The characters of a line that take more than one unit.

    Attributes:
        indices: Where they stand, in characters.
        begins: The same in units.
        ends: Where they end, in units.
    """

    indices: list[int]
    begins: list[int]
    ends: list[int]


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
        self._wide: dict[int, _Wide] = {}

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; beyond the end of a line, or of the text, is the end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, stop = self._starts[position.line], self._stops[position.line]
        wide = self._wide_of(position.line)
        before = bisect_left(wide.begins, position.character)
        index = position.character
        if before:  # counted from the last of these, in which no position is
            index = wide.indices[before - 1] + 1 + max(0, index - wide.ends[before - 1])
        return min(start + index, stop)

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset.

        Cost O(log of lines and columns), and once for each line its length: a text may be one line.
        """
        line = bisect_right(self._starts, offset) - 1
        index = offset - self._starts[line]
        wide = self._wide_of(line)
        before = bisect_left(wide.indices, index)
        if before:
            index = wide.ends[before - 1] + index - wide.indices[before - 1] - 1
        return types.Position(line, index)

    def range(self, start: int, stop: int) -> types.Range:
        """Return the range of a part of the text."""
        return types.Range(self.position(start), self.position(stop))

    def edited(self, changes: Iterable[types.TextDocumentContentChangeEvent]) -> Lines:
        """Return the text after edits, each of the text that those before it left.

        Editors name the edits of several cursors from the end to the beginning: what lies before
        the last one is as it was, and so are its lines. Cost linear in the text, and once more for
        each edit that does not lie before the one before it.
        """
        lines, head, behind = (
            self,
            self.text,
            list[str](),
        )  # the text: the head, then behind, reversed
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                lines, head, behind = Lines(change.text, self.encoding), change.text, []
                continue
            start, stop = map(lines.offset, (change.range.start, change.range.end))
            if behind and max(start, stop) >= len(head):
                head = "".join((head, *reversed(behind)))
                lines, behind = Lines(head, self.encoding), []
                start, stop = map(lines.offset, (change.range.start, change.range.end))
            behind += [head[max(start, stop) :], change.text]
            head = head[:start]
        return Lines("".join((head, *reversed(behind))), self.encoding) if behind else lines

    def _wide_of(self, line: int) -> _Wide:
        """Return the characters of more than one unit in a line."""
        wide = self._wide.get(line)
        if wide is None:
            wide = self._wide[line] = _Wide([], [], [])
            start, more = self._starts[line], 0
            for match in _WIDE[self.encoding].finditer(self.text, start, self._stops[line]):
                index = match.start() - start
                width = self._units(match[0])
                wide.indices.append(index)
                wide.begins.append(index + more)
                wide.ends.append(index + more + width)
                more += width - 1
        return wide

    def _units(self, char: str) -> int:
        if self.encoding is types.PositionEncodingKind.Utf16:
            return 2
        return len(char.encode("utf-8", "surrogatepass"))
