"""What the parts of a pinned ruleset must be: texts and whole numbers, where such are asked for.

In: a value of JSON that anybody may have written. Out: the same, or a `TypeError` that shows it.
"""

from __future__ import annotations

from typing import Any, Final

from gdl.match.refusal import shown

LARGEST: Final = 1_000_000
"""Farther from its beginning nothing on a board stands, in cells; no angle is larger either."""


def text(value: object) -> str:
    """Return a text.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"{shown(value)} is no text")
    return value


def items(value: object) -> list[Any]:
    """Return what a list has.

    Raises:
        TypeError: It is no list, as a text is none.
    """
    if not isinstance(value, list):
        raise TypeError(f"{shown(value)} is no list")
    return value


def texts(value: object) -> tuple[str, ...]:
    """Return the texts of a list.

    Raises:
        TypeError: It is no list, or one is no text.
    """
    return tuple(map(text, items(value)))


def named_texts(value: dict[str, object]) -> dict[str, str]:
    """Return the texts of an object by their names.

    Raises:
        TypeError: One is no text.
    """
    return {name: text(part) for name, part in value.items()}


def whole(value: object) -> int:
    """Return a whole number, as places on a board are.

    Raises:
        TypeError: It is none.
    """
    if type(value) is not int or abs(value) > LARGEST:
        raise TypeError(f"{shown(value)} is no whole number from -{LARGEST} to {LARGEST}")
    return value


def number(value: object) -> float:
    """Return a number, as places and sizes of spots are.

    Raises:
        TypeError: It is none.
    """
    if type(value) is float and abs(value) <= LARGEST:
        return value
    return whole(value)
