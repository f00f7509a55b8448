"""Preconditions of public functions: what their arguments must be, refused in words at the door.

Public functions check here what they are given; inside, nothing is checked twice.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final, SupportsFloat, TypeVar

from gdl.language.diagnostics import GdlError

T = TypeVar("T")

LONGEST: Final = 80
"""Characters of a value that are shown."""
PATH: Final = "a path (text or os.PathLike)"


class ArgumentError(GdlError):
    """An argument of a function with a value that it cannot have.

    Attributes:
        name: Of the argument.
        value: What was given.
    """

    def __init__(self, name: str, value: object, expected: str, *, help: str | None = None) -> None:  # noqa: A002  # see GdlError
        """Say what the argument must be, and what it is."""
        super().__init__(f"{name} must be {expected}, not {_shown(value)}", help=help)
        self.name = name
        self.value = value
        self.expected = expected  # is in the message


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a function with a value of a type that it cannot have."""


def require(
    name: str,
    value: object,
    kind: type[T] | tuple[type[T], ...],
    expected: str,
    *,
    help: str | None = None,  # noqa: A002  # see GdlError
) -> T:
    """Return a value that is of a type.

    Raises:
        ArgumentTypeError: It is not.
    """
    if isinstance(value, kind):
        return value
    raise ArgumentTypeError(name, value, expected, help=help)


def require_path(name: str, value: object, expected: str = PATH) -> str:
    """Return a path as text; whether there is such a file is not asked.

    Raises:
        ArgumentError: It is none, or has a character that no path has.
    """
    if not isinstance(value, str | os.PathLike) or not isinstance(text := os.fspath(value), str):
        raise ArgumentTypeError(name, value, expected)
    if "\0" in text:
        raise ArgumentError(name, value, "a path without the character NUL")
    return text


def require_whole(name: str, value: object, least: int | None = None) -> int:
    """Return a whole number, of Python or numpy.

    Raises:
        ArgumentError: It is none, or less than the least.
    """
    expected = "a whole number" if least is None else f"a whole number of at least {least}"
    if isinstance(value, bool):
        raise ArgumentTypeError(name, value, expected)
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # that is the question
    except TypeError:
        raise ArgumentTypeError(name, value, expected) from None
    if least is not None and number < least:
        raise ArgumentError(name, value, f"at least {least}")
    return number


def require_number(name: str, value: object, least: float = 0, *, is_finite: bool = False) -> float:
    """Return a number that is not less than the least; infinity is one unless it must be finite.

    Raises:
        ArgumentError: It is none, or less, or infinite where it must be finite.
    """
    if isinstance(value, bool) or not isinstance(value, SupportsFloat):
        raise ArgumentTypeError(name, value, f"a number of at least {least:g}")
    number = float(value)
    if not number >= least:
        raise ArgumentError(name, value, f"a number of at least {least:g}")
    if is_finite and number == inf:
        raise ArgumentError(name, value, "a finite number")
    return number


def require_one_of(name: str, value: object, words: Sequence[str]) -> None:
    """Check that a value is one of some words.

    Raises:
        ArgumentError: It is none of them.
    """
    if not isinstance(value, str):
        raise ArgumentTypeError(name, value, f"one of {', '.join(words)}")
    if value not in words:
        raise ArgumentError(name, value, f"one of {', '.join(words)}")


def require_function(name: str, value: Callable[..., Any] | None) -> None:
    """Check that a value is a function, or None.

    Raises:
        ArgumentTypeError: It is neither.
    """
    if value is not None and not callable(value):
        raise ArgumentTypeError(name, value, "a function or None")


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  # somebody else's value
        text = f"a value of type {type(value).__name__}"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
