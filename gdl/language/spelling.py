"""Names that were perhaps meant by a misspelt one.

In: the known names, and a name. Out: the known one that is most like it, if any is. The work is
bounded, whatever the input.

Source: similarity is that of `difflib`, after Ratcliff, Metzener, "Pattern Matching:
the Gestalt Approach", 1988.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from gdl.language.words import MAX_SHOWN

MAX_CANDIDATES: Final = 100
"""Names of one length that are compared with a misspelt one."""

MAX_QUESTIONS: Final = 50
"""Misspelt names that one `Suggester` looks up; the rest get no suggestion."""

SIMILARITY: Final = 0.75
"""Least ratio of `difflib` that counts as similar."""


class Suggester:
    """Finds the known name that a misspelt one is most like.

    Example:
        >>> Suggester(["control", "cell"]).closest("contrl")
        'control'
        >>> Suggester(["control", "cell"]).closest("score") is None
        True
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Sort the known names by length, so that few are compared. Cost O(names)."""
        self._by_length: defaultdict[int, list[str]] = defaultdict(list)
        for name in dict.fromkeys(names):
            self._by_length[len(name)].append(name)
        self._questions = 0

    def closest(self, name: str) -> str | None:
        """Return the known name most like ``name`` (but not itself), None when none is."""
        self._questions += 1
        if self._questions > MAX_QUESTIONS or not 2 < len(name) <= MAX_SHOWN:  # noqa: PLR2004  # too short to misspell
            return None
        candidates = [
            candidate
            for length in range(len(name) - 2, len(name) + 3)
            for candidate in self._by_length.get(length, [])[:MAX_CANDIDATES]
            if candidate != name and not _differ_by_number(candidate, name)
        ]
        for candidate in candidates:
            if candidate.casefold() == name.casefold():
                return candidate
        return next(iter(get_close_matches(name, candidates, 1, SIMILARITY)), None)


def _differ_by_number(left: str, right: str) -> bool:
    """Return whether two names are the same but for their digits: ``row1`` and ``row2``."""
    return left.strip("0123456789") == right.strip("0123456789")


class Slips:
    """Finds the known name that is one slip of the pen away from another.

    Two names are so only when leaving out at most one letter of each can make them
    equal; so the known names are kept under all names with one letter left out.

    Source: Mor, Fraenkel, "A Hash Code Method for Detecting and Correcting Spelling
    Errors", 1982.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Index the known names. Cost O(sum of squared lengths)."""
        self._names: dict[str, list[str]] = {}
        for name in dict.fromkeys(names):
            for shorter in _shortened(name):
                self._names.setdefault(shorter, []).append(name)

    def near(self, name: str) -> str | None:
        """Return a known name that is one slip away from ``name``, the first one known."""
        for shorter in _shortened(name):
            for candidate in self._names.get(shorter, ())[:MAX_CANDIDATES]:
                if (
                    candidate != name
                    and not _differ_by_number(candidate, name)
                    and is_slip(name, candidate)
                ):
                    return candidate
        return None


def _shortened(name: str) -> Iterable[str]:
    yield name
    for index in range(len(name)):
        yield name[:index] + name[index + 1 :]


def is_slip(word: str, meant: str) -> bool:
    """Return whether one letter too many, too few, or two exchanged make the difference.

    A wrong letter does not count: it makes ``blank`` of ``black`` too often.
    """
    if abs(len(word) - len(meant)) > 1:
        return False
    start = 0
    while start < min(len(word), len(meant)) and word[start] == meant[start]:
        start += 1
    left, right = word[start:], meant[start:]
    return (
        left[1:] == right
        or left == right[1:]
        or (left[1::-1] == right[:2] and left[2:] == right[2:])
    )
