"""Values that stand in a row: numbers, letters, numbered names, and chains of the rules.

In: values, and relations that are always true. Out: the values in order, or none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Final

from gdl.language.terms import Constant, Term, kif_text

NUMBERED: Final = re.compile(r"(?P<name>[^\d]*)(?P<number>\d{1,4})")
WORDS: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
]
LONGEST: Final = 64
"""Values that a row may have."""

NUMBER: Final = re.compile(r"(?P<name>[A-Za-z_]*)-?(0|[1-9]\d{0,8})")
"""A number as rules write it, perhaps with letters before; ``p0010`` is a name."""

Steps = Mapping[str, frozenset[tuple[Constant, Constant]]]


def in_row(values: Collection[Term], steps: Steps) -> tuple[Term, ...] | None:
    """Return values in the order in which they stand in a row, with those between them.

    Args:
        values: What was seen; more may be there.
        steps: Relations between constants that are always true.

    Returns:
        At least two values; None where nothing says an order.
    """
    texts = {kif_text(value): value for value in values}
    if not 1 < len(texts) <= LONGEST or not all(isinstance(v, Constant) for v in values):
        return None
    return _numbered(texts) or _chained(values, steps) or _lettered(texts) or _counted(texts)


def number_prefix(values: Collection[Term]) -> str | None:
    """Return the letters before all of some numbers, as in ``s1 s2``; None if they are none."""
    matches = [NUMBER.fullmatch(kif_text(value)) for value in values]
    names = {match["name"] for match in matches if match}
    return names.pop() if len(names) == 1 and all(matches) else None


def _numbered(texts: Mapping[str, Term]) -> tuple[Term, ...] | None:
    """Order ``3 1 2``, or ``c3 c1 c2``: one name before all numbers."""
    matches = {text: NUMBERED.fullmatch(text) for text in texts}
    names = {match["name"] for match in matches.values() if match}
    if len(names) != 1 or not all(matches.values()):
        return None
    numbers = {int(match["number"]): text for text, match in matches.items() if match}
    if len(numbers) != len(texts) or max(numbers) - min(numbers) >= LONGEST:
        return None
    if max(numbers) - min(numbers) >= 3 * len(numbers):
        return None  # such as scores 0, 50 and 100
    (name,) = names
    return tuple(
        texts.get(numbers.get(n, ""), Constant(f"{name}{n}"))
        for n in range(min(numbers), max(numbers) + 1)
    )


def _lettered(texts: Mapping[str, Term]) -> tuple[Term, ...] | None:
    """Order letters that follow each other; two alone only from a, since x and y are players."""
    letters = sorted(texts)
    if not all(len(text) == 1 and text.isalpha() for text in letters):
        return None
    if len(letters) < 3 and letters[0] != "a":  # noqa: PLR2004  # letters
        return None
    if any(ord(after) - ord(before) != 1 for before, after in pairwise(letters)):
        return None
    return tuple(texts[letter] for letter in letters)


def _counted(texts: Mapping[str, Term]) -> tuple[Term, ...] | None:
    """Order ``one two three``."""
    if not set(texts) <= set(WORDS):
        return None
    numbers = [WORDS.index(text) for text in texts]
    return tuple(Constant(WORDS[n]) for n in range(min(numbers), max(numbers) + 1))


def _chained(values: Collection[Term], steps: Steps) -> tuple[Term, ...] | None:
    """Order values along a relation in which each has at most one next and one before.

    Of several such relations that hold all values the shortest chain counts.
    """
    chains: list[tuple[Term, ...]] = []
    for pairs in steps.values():
        after = dict(pairs)
        if len(after) != len(pairs) or len(set(after.values())) != len(pairs):
            continue
        for start in sorted(set(after) - set(after.values()), key=kif_text):
            chain: list[Term] = [start]
            while isinstance(chain[-1], Constant) and chain[-1] in after:
                chain.append(after[chain[-1]])
            if set(values) <= set(chain):
                indices = [chain.index(value) for value in values]
                chains.append(tuple(chain[min(indices) : max(indices) + 1]))
    return min(chains, key=len, default=None)
