"""Lists of values as manifests write them: ranges, lists, and tables of value and text.

``"1..6"``, ``"f..a"`` and ``"0..size-1"`` are ranges, in either direction; ``["p", "q"]`` is a
list; ``{ cw = "C", ccw = "A" }`` says how each value is written. So does ``"1..size as a.."``,
where texts begin with a and go on, and ``"1..size as A.. without I"``.
"""

from __future__ import annotations

import re
from typing import Final

from gdl.language.terms import Constant, Term
from gdl.ruleset.arithmetic import ExpressionError, Sizes, evaluate
from gdl.ruleset.toml_table import Table

EXPECTED: Final = 'a range "1..6" or "a..f", a list of texts, or a table { value = "text" }'
MAX_VALUES: Final = 1000
"""Values in one list."""

_LETTERS: Final = re.compile(r"\s*([a-zA-Z])\s*\.\.\s*([a-zA-Z])\s*")
_WRITTEN: Final = re.compile(r"(?P<values>.+?)\sas\s(?P<texts>.+?)(?:\swithout\s+(?P<left>\S))?\s*")


def read_values(
    table: Table, key: str, sizes: Sizes, *, may_look_alike: bool = False
) -> tuple[tuple[Term, str], ...]:
    """Return the values at a key, each as a term and as text; problems are noted.

    Args:
        table: The table.
        key: The key.
        sizes: What ranges may name.
        may_look_alike: Whether two values may be written alike.
    """
    written = table.values.get(key)
    if written is None:
        table.problem("missing-key", None, f"{table.name} has no {key}", f"{key} = {EXPECTED}")
        return ()
    hint = None
    try:
        pairs = _pairs(written, sizes)
    except ExpressionError as error:
        pairs, hint = None, str(error)
    if pairs is None:
        said = f"{key} is no list of values"
        table.problem("wrong-value", key, said, EXPECTED, hint=hint)
        return ()
    if not 0 < len(pairs) <= MAX_VALUES or not all(name and text.strip() for name, text in pairs):
        table.problem("wrong-value", key, f"{key} has no values, or an empty one", EXPECTED)
    names, texts = [name for name, _ in pairs], [text for _, text in pairs]
    _note_repeated(table, key, names if may_look_alike else texts, names)
    return tuple((Constant(name), text) for name, text in pairs)


def _pairs(given: object, sizes: Sizes) -> list[tuple[str, str]] | None:
    """Return values and texts, None if the TOML value is no list of values."""
    match given:
        case str():
            return _written(given, sizes)
        case list() if all(_is_text(text) for text in given):
            return [(str(text), str(text)) for text in given]
        case dict() if all(_is_text(text) for text in given.values()):
            return [(str(name), str(text)) for name, text in given.items()]
        case _:
            return None


def _is_text(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _note_repeated(table: Table, key: str, *lists: list[str]) -> None:
    for values in lists:
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            table.problem("repeated-value", key, f"{key} has {twice!r} twice", "different values")
            return


def _written(text: str, sizes: Sizes) -> list[tuple[str, str]] | None:
    """Return the values of a range and how each is written, None if the text is no range."""
    match = _WRITTEN.fullmatch(text)
    values = read_range(match["values"] if match else text, sizes)
    if values is None or not match:
        return None if values is None else [(value, value) for value in values]
    first, dots, last = (part.strip() for part in match["texts"].partition(".."))
    if not dots:
        return None
    if not last and len(first) == 1 and first.isalpha():
        last = "z" if first.islower() else "Z"
    elif not last:
        last = str(evaluate(first, sizes) + len(values) - 1)
    texts = [
        text_of_value
        for text_of_value in read_range(f"{first}..{last}", sizes) or ()
        if text_of_value != match["left"]
    ]
    if len(texts) < len(values):
        raise ExpressionError(f"{len(values)} values are to be written as {len(texts)} texts")
    return list(zip(values, texts, strict=False))


def read_range(text: str, sizes: Sizes) -> tuple[str, ...] | None:
    """Return the values of a range in its order, None if the text is no range.

    Raises:
        ExpressionError: An end of the range is no arithmetic.
    """
    letters = _LETTERS.fullmatch(text)
    parts = text.split("..")
    if letters is None and (len(parts) != 2 or not all(map(str.strip, parts))):  # noqa: PLR2004  # both ends
        return None
    first, last = (
        map(ord, letters.groups()) if letters else (evaluate(part, sizes) for part in parts)
    )
    if abs(last - first) >= MAX_VALUES:
        return None
    step = 1 if last >= first else -1
    numbers = range(first, last + step, step)
    return tuple(chr(number) if letters else str(number) for number in numbers)
