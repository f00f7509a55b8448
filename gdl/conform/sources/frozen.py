"""Moves that may change, as values that do not: lists, arrays, mappings and sets of an engine.

What is matched and remembered has to hash. `frozen` makes such a value of a move; `Given` keeps
what the engine itself gave for each, which is what it is asked about and what is shown.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping
from typing import Any, cast


def frozen(value: object) -> Hashable:
    """Return a value that hashes, equal for equal values: tuples for lists, and so on within.

    Raises:
        TypeError: It is none of lists, tuples, arrays, mappings and sets, and does not hash.

    Example:
        >>> frozen([1, [2, 3]])
        (1, (2, 3))
    """
    if isinstance(value, list | tuple):
        parts = tuple(map(frozen, value))
        return value if isinstance(value, tuple) and parts == value else parts
    if isinstance(value, Mapping):
        return tuple((name, frozen(value[name])) for name in sorted(value, key=repr))
    if isinstance(value, set):
        return frozenset(value)
    if hasattr(value, "tolist"):  # an array, or a number of numpy
        return frozen(value.tolist())
    hash(value)
    return value


def is_hashable(value: object) -> bool:
    """Return whether a value hashes."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


class Given:
    """What an engine gave for each move that had to be frozen."""

    def __init__(self) -> None:
        """Begin without any."""
        self._moves: dict[Hashable, Any] = {}

    def take(self, move: Any) -> Hashable:  # noqa: ANN401  # the engine's own
        """Return a move that hashes; the move itself where it does.

        Raises:
            TypeError: It cannot be made to.
        """
        if is_hashable(move):
            return cast("Hashable", move)
        key = frozen(move)
        if key not in self._moves:
            self._moves[key] = copy.deepcopy(move)
        return key

    def back(self, move: Hashable) -> Any:  # noqa: ANN401  # the engine's own
        """Return what the engine gave, which nobody else changes."""
        return copy.deepcopy(self._moves[move]) if move in self._moves else move
