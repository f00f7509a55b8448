"""What both notations' scans have in common: extents, batches, comments, token patterns.

A scan reads a text once, token by token, before any grammar does. It finds where each rule
begins and ends, collects the comments, keeps the limits, and reports broken brackets and
symbols, so that the grammar only sees rules that are sound in these respects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from gdl.language.source import Source, Span
from gdl.language.syntax import Comment

BATCH: Final = 1 << 16
"""Characters that a grammar reads at a time, so that what it builds need not all be kept."""

TOKENS_BETWEEN_CLOCKS: Final = 10_000
"""How often a scan looks at the clock."""

LINE_END: Final = frozenset("\r\n")

_ESCAPE: Final = re.compile(r"\\(.)")
_ESCAPED: Final = {"n": "\n", "r": "\r"}


class Extent(NamedTuple):
    """Where a rule begins and ends."""

    start: int
    stop: int


class Scan(NamedTuple):
    """What was found.

    Attributes:
        extents: The sound rules, in order.
        comments: All comments.
        doubtful: Where rules begin that may be pieces of a rule with a broken bracket: their
            syntax errors are told, but their meaning is not to be judged.
    """

    extents: list[Extent]
    comments: tuple[Comment, ...]
    doubtful: frozenset[int] = frozenset()


def batches(extents: Iterable[Extent], *, apart: bool) -> Iterator[Extent]:
    """Yield neighbouring rules joined to about `BATCH` characters, or each of them apart."""
    batch: Extent | None = None
    for extent in extents:
        if batch is not None and (apart or extent.stop - batch.start > BATCH):
            yield batch
            batch = None
        batch = Extent(extent.start if batch is None else batch.start, extent.stop)
    if batch is not None:
        yield batch


def token_pattern(tokens: Mapping[str, str], *, odd: str) -> re.Pattern[str]:
    """Return kinds of tokens as one pattern, a named group for each.

    Args:
        tokens: Each kind and its pattern, in the order in which they are tried.
        odd: What begins no token; group ``ODD``, tried last.
    """
    groups = {**tokens, "ODD": odd}
    return re.compile("|".join(f"(?P<{name}>{regexp})" for name, regexp in groups.items()))


def comment(source: Source, match: re.Match[str], last_stop: int) -> Comment:
    """Return the comment that a match is, when the token before it ended at ``last_stop``."""
    start, stop = match.span()
    between = source.text[last_stop:start]
    own_line = not LINE_END.isdisjoint(between) or start == len(between)
    return Comment(source.text[start + 1 : stop], Span(source, start, stop), own_line)


def unescape(text: str) -> str:
    r"""Return what stands between quotes: ``\n`` and ``\r`` are line ends, ``\x`` is x."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text)
