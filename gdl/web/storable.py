"""Values that a database can keep and any program can read, and not too many of them.

No NUL, no half of a surrogate pair, no number without end, no bottomless values.
"""

from __future__ import annotations

import math
import re
from typing import Final

from gdl.web.problems import ProblemError

DEEPEST: Final = 50
"""Levels of a JSON value that is kept as it is."""
MOST_VALUES: Final = 20_000
"""Values in a body, names counted: 2,000 moves, each an object by roles, are less."""
_UNTEXT: Final = re.compile("[\x00\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Return whether a database can keep a text."""
    return not _UNTEXT.search(text)


def require_storable(value: object, path: str) -> None:
    """Refuse a JSON value with texts or numbers that cannot be kept, or with too many levels.

    Python reads and writes ``NaN`` and ``Infinity``, which are no JSON, and takes ``1e999`` for
    the latter.

    Raises:
        ProblemError: There is one.
    """
    level = [value]
    for _ in range(DEEPEST):
        if not all(is_storable(value_in) for value_in in level if isinstance(value_in, str)):
            raise malformed(path, "has a character that no text has", "Unicode without NUL")
        if not all(math.isfinite(value_in) for value_in in level if isinstance(value_in, float)):
            raise malformed(path, "has a number that is none in JSON", "finite numbers")
        level = [part for value_in in level for part in _parts(value_in)]
        if not level:
            return
    raise malformed(path, "is too deep", f"at most {DEEPEST} levels")


def require_few(raw: str | bytes, most: int, what: str) -> None:
    """Refuse JSON of too many values before it is read: each costs a hundred bytes, and time.

    Raises:
        ProblemError: It has more; ``what`` is what the refusal calls it.
    """
    if len(raw) <= most:
        return
    text = raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass")
    text = text.replace(rb"\\", b"").replace(rb"\"", b"")  # from here on quotes are ends of strings
    values = text.count(b'"') // 2
    if values <= most:
        between = b"".join(text.split(b'"')[::2])
        values = max(values, *map(between.count, (b",", b"{", b"[")))
    if values > most:
        raise ProblemError(413, "too-large", f"{what} has at most {most} values")


def malformed(path: str, what: str, expected: str) -> ProblemError:
    """Return the problem of a request that is not as it should be."""
    return ProblemError(422, "malformed-request", f"{path} {what}", expected=expected)


def _parts(value: object) -> list[object]:
    match value:
        case list():
            return value
        case dict():
            return [*value, *value.values()]
        case _:
            return []
