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

KEYWORD_MEANINGS: Final[dict[str, str]] = {
    "role": "(role R): R takes part in the game; the order of these facts counts.",
    "init": "(init F): the fact F is true when the game begins.",
    "true": "(true F): the fact F is true in the present state.",
    "next": "(next F): F is true after the moves that are made now; what no rule keeps is gone.",
    "base": "(base F): F may be true in some state. A help; play does not ask.",
    "legal": "(legal R M): role R may make move M in the present state.",
    "does": "(does R M): role R makes move M now.",
    "input": "(input R M): M may be legal for R in some state. A help; play does not ask.",
    "goal": "(goal R N): the present state is worth N to R, a whole number from 0 to 100.",
    "sees": "(sees R P): after these moves R is told P, and nothing else (GDL-II).",
    "terminal": "terminal: the game is over in the present state.",
    "<=": "(<= HEAD BODY ...): HEAD holds when all of BODY hold.",
    "not": "(not A): A does not hold. Its variables must be bound by other conditions.",
    "or": "(or A B ...): at least one of them holds.",
    "and": "(and A B ...): all of them hold.",
    "distinct": "(distinct S T): S and T are not the same term.",
}
"""What each word says, in a sentence."""

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
