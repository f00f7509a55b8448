"""Lists of values as manifests write them: ranges, lists, and tables of value and text.

``"1..6"``, ``"f..a"`` and ``"0..14"`` are ranges, in either direction; ``["p", "q"]`` is a
list; ``{ cw = "C", ccw = "A" }`` says how each value is written.
"""

from __future__ import annotations

import re
from typing import Final

from gdl.language.terms import Constant, Term
from gdl.ruleset.toml_table import Table

EXPECTED: Final = 'a range "1..6" or "a..f", a list of texts, or a table { value = "text" }'
MAX_VALUES: Final = 1000
"""Values in one list."""

_RANGE: Final = re.compile(r"(\d{1,6})\.\.(\d{1,6})|([a-zA-Z])\.\.([a-zA-Z])")


def read_values(table: Table, key: str) -> tuple[tuple[Term, str], ...]:
    """Return the values at a key, each as a term and as text; problems are noted."""
    found = table.values.get(key)
    if found is None:
        table.problem("missing-key", None, f"{table.name} has no {key}", f"{key} = {EXPECTED}")
        return ()
    pairs = _pairs(found)
    if pairs is None:
        table.problem("wrong-value", key, f"{key} is no list of values", EXPECTED)
        return ()
    if not 0 < len(pairs) <= MAX_VALUES or not all(name and text.strip() for name, text in pairs):
        table.problem("wrong-value", key, f"{key} has no values, or an empty one", EXPECTED)
    _note_repeated(table, key, pairs)
    return tuple((Constant(name), text) for name, text in pairs)


def _pairs(found: object) -> list[tuple[str, str]] | None:
    """Return values and texts, None if the TOML value is no list of values."""
    match found:
        case str():
            texts = read_range(found)
            return None if texts is None else [(text, text) for text in texts]
        case list() if all(_is_text(text) for text in found):
            return [(str(text), str(text)) for text in found]
        case dict() if all(_is_text(text) for text in found.values()):
            return [(str(name), str(text)) for name, text in found.items()]
        case _:
            return None


def _is_text(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _note_repeated(table: Table, key: str, pairs: list[tuple[str, str]]) -> None:
    texts = [text for _, text in pairs]
    names = [name for name, _ in pairs]
    for each in (texts, names):
        twice = next((value for value in each if each.count(value) > 1), None)
        if twice is not None:
            table.problem("repeated-value", key, f"{key} has {twice!r} twice", "different values")
            return


def read_range(text: str) -> tuple[str, ...] | None:
    """Return the values of a range in its order, None if the text is no range."""
    found = _RANGE.fullmatch(text.replace(" ", ""))
    if found is None:
        return None
    is_number = found[1] is not None
    first, last = (int(found[1]), int(found[2])) if is_number else (ord(found[3]), ord(found[4]))
    if abs(last - first) >= MAX_VALUES:
        return None
    step = 1 if last >= first else -1
    numbers = range(first, last + step, step)
    return tuple(str(number) if is_number else chr(number) for number in numbers)
