"""Values that a database can keep and any program can read.

No NUL, no half of a surrogate pair, no number without end, no bottomless values.
"""

from __future__ import annotations

import math
import re
from typing import Final

from gdl.web.problems import ProblemError

DEEPEST: Final = 50
"""Levels of a JSON value that is kept as it is."""
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
