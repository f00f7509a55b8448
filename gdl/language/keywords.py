"""The words of the language that have a meaning of their own.

Source: GDL specification 2008, section 4 (role, init, true, next, legal, does, goal,
terminal, distinct); base and input as used since 2011 by the General Game Playing
community; sees and random from Thielscher, "A General Game Description Language for
Incomplete Information Games", AAAI 2010.
"""

from __future__ import annotations

from typing import Final

KEYWORD_ARITIES: Final[dict[str, int]] = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "base": 1,
    "legal": 2,
    "does": 2,
    "input": 2,
    "goal": 2,
    "sees": 2,
    "terminal": 0,
}
"""Relations with a fixed meaning, and how many arguments each takes."""

CONNECTIVES: Final = frozenset({"<=", "not", "or", "and", "distinct"})
"""Words that build rules and formulas."""

KEYWORDS: Final = frozenset(KEYWORD_ARITIES) | CONNECTIVES
"""All words that are the same whatever their case."""

RANDOM: Final = "random"
"""The role that nature plays in GDL-II."""


def fold_keyword(symbol: str) -> str:
    """Return a relation word in lower case, and any other symbol as it is.

    Source: ggp-base folds the same words, wherever they stand, and no others.
    """
    folded = symbol.lower()
    return folded if folded in KEYWORD_ARITIES else symbol
