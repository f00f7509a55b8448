"""S-expressions as runs of tokens, for texts that are mostly passed on.

In: a text. Out: the places of the items of a list, or the text with its words exchanged.
What a rule means is not asked here; `gdl.language` reads the rules themselves.

Source: GDL specification 2008, section 4 (KIF); comments begin with a semicolon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from gdl.language.diagnostics import GdlError
from gdl.language.source import Source, Span

_TOKEN: Final = re.compile(
    r"(?P<COMMENT>;[^\r\n]*)|(?P<OPEN>\()|(?P<CLOSE>\))"
    r"|(?P<WORD>\??\|(?:\\.|[^|\\\r\n])*\||\"[^\"\r\n]*\"|[^\s()|;\"]+)|(?P<ODD>[|\"])"
)
_STRUCTURE: Final = re.compile(
    r"(?P<COMMENT>;[^\r\n]*)|(?P<OPEN>\()|(?P<CLOSE>\))"
    r"|(?P<WORD>\??\|(?:\\.|[^|\\\r\n])*\||\"[^\"\r\n]*\")|(?P<ODD>[|\"])"
)
"""The same without plain words, which inside a list do not matter: a third of the time."""
_PLAIN: Final = re.compile(r"\S+")


class MessageError(GdlError):
    """A text that is no message; the diagnostic says where and what was expected."""


def tokens(span: Span) -> Iterator[re.Match[str]]:
    """Yield brackets (``OPEN``, ``CLOSE``) and words (``WORD``) of a text, comments left out."""
    for match in _TOKEN.finditer(span.source.text, span.start, span.stop):
        if match.lastgroup != "COMMENT":
            yield match


def whole(source: Source) -> Span:
    """Return the place that is all of a source."""
    return Span(source, 0, len(source.text))


def items(span: Span) -> list[Span]:
    """Return the lists and words that stand in a text one after the other.

    Raises:
        MessageError: A bracket or a quote has no partner.

    Example:
        >>> [each.text for each in items(whole(Source("text", "a (b c) d")))]
        ['a', '(b c)', 'd']
    """
    source, last = span.source, span.start
    spans: list[Span] = []
    opened: list[int] = []
    for match in _STRUCTURE.finditer(source.text, span.start, span.stop):
        start, stop = match.span()
        kind = match.lastgroup
        if kind == "ODD":
            raise _unpaired(span, start, "this quote has no partner on its line")
        if not opened:
            spans += _plain(source, last, start)
            if kind == "WORD":
                spans.append(Span(source, start, stop))
        if kind == "OPEN":
            opened.append(start)
        elif kind == "CLOSE":
            if not opened:
                raise _unpaired(span, start, "this bracket closes nothing")
            first = opened.pop()
            if not opened:
                spans.append(Span(source, first, stop))
        last = stop
    if opened:
        raise _unpaired(span, opened[0], "this bracket is never closed")
    return spans + _plain(source, last, span.stop)


def _plain(source: Source, start: int, stop: int) -> list[Span]:
    """Return the words in a piece of text that has no brackets, quotes and comments."""
    return [Span(source, *word.span()) for word in _PLAIN.finditer(source.text, start, stop)]


def _unpaired(span: Span, start: int, message: str) -> MessageError:
    place = Span(span.source, start, start + 1)
    expected = "brackets and quotes in pairs"
    return MessageError.at(place, "unpaired", message, expected=expected)


def is_list(span: Span) -> bool:
    """Return whether an item is a list."""
    return span.source.text.startswith("(", span.start)


def inside(span: Span) -> Span:
    """Return what stands between the brackets of a list."""
    return Span(span.source, span.start + 1, span.stop - 1)


def is_nil(span: Span) -> bool:
    """Return whether an item says nothing: ``NIL`` in either case, or an empty list."""
    return span.text.casefold() == "nil" or (is_list(span) and not items(inside(span)))


def on_one_line(text: str, exchange: Callable[[str], str] = str) -> str:
    """Return a text on one line without comments, as managers send it.

    Args:
        text: S-expressions.
        exchange: Gives the word to write for each word.
    """
    source = Source("text", text)
    return " ".join(
        exchange(match[0]) if match.lastgroup == "WORD" else match[0]
        for match in tokens(whole(source))
    )
