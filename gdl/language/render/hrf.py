"""The infix notation as a `Notation`, and how it writes names. See `parse_hrf` for the names.

In: terms. Out: HRF text that reads back as the same terms, whatever their names.

Source: Genesereth, Thielscher, "General Game Playing", 2014; the names are ours.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final

from gdl.language.keywords import CONNECTIVES, fold_keyword
from gdl.language.render.notation import Notation
from gdl.language.syntax import Compound, Constant, Sentence, Term, Variable, fold_term

_NAME: Final = re.compile(r"[a-z][A-Za-z0-9_]*")
_NUMBER: Final = re.compile(r"-?[0-9]+")
_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_UNDERSCORED: Final = re.compile(r"_[A-Za-z0-9_]+")
_ESCAPES: Final = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"})


def hrf_notation(anonymous: AbstractSet[str] = frozenset()) -> Notation:
    """Return the infix notation: ``legal(P,noop) :- role(P).``.

    Args:
        anonymous: Names of variables that are written as a lone ``_``.
    """

    def text(term: Term) -> str:
        return hrf_text(term, anonymous)

    return Notation(
        comment="%",
        fact=("", "."),
        rule=("", "."),
        rule_separators=(" :-", " &"),
        rule_hang=4,
        negation=("~", ""),
        disjunction=lambda count: ("(", " |", ")") if count > 1 else ("or(", "", ")"),
        conjunction=lambda count: ("(", " &", ")") if count > 1 else ("and(", "", ")"),
        empty_body=" :- ",
        sentence=lambda sentence: _sentence(sentence, anonymous),
        distinct=lambda formula: f"distinct({text(formula.left)},{text(formula.right)})",
    )


def hrf_text(term: Term, anonymous: AbstractSet[str] = frozenset()) -> str:
    """Return a term as HRF text on one line."""

    def leaf(inner: Constant | Variable) -> str:
        if isinstance(inner, Constant):
            is_number = _NUMBER.fullmatch(inner.name) is not None
            return inner.name if is_number else hrf_name(inner.name)
        return "_" if inner.name in anonymous else hrf_variable(inner.name)

    return fold_term(term, leaf, lambda name, args: f"{hrf_name(name)}({','.join(args)})")


def hrf_name(name: str) -> str:
    """Return the name of a constant, function or relation, in quotes when it needs them."""
    is_plain = _NAME.fullmatch(name) and fold_keyword(name) == name and name not in CONNECTIVES
    return name if is_plain else _quoted(name)


def hrf_variable(name: str) -> str:
    """Return a variable: ``player`` is ``Player``, ``_x`` is ``_x``, ``X`` is ``?X``."""
    if _NAME.fullmatch(name):
        return name[0].upper() + name[1:]
    if _UNDERSCORED.fullmatch(name):
        return name
    return f"?{name if _WORD.fullmatch(name) else _quoted(name)}"


def _sentence(sentence: Sentence, anonymous: AbstractSet[str]) -> str:
    match sentence:
        case Constant(name):
            return hrf_name(name)
        case Compound():
            return hrf_text(sentence, anonymous)


def _quoted(name: str) -> str:
    return f"'{name.translate(_ESCAPES)}'"
