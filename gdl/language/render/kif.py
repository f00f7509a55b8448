"""The prefix notation as a `Notation`.

Source: GDL specification 2008, section 4.
"""

from __future__ import annotations

from gdl.language.keywords import CONNECTIVES
from gdl.language.render.notation import Notation
from gdl.language.syntax import Compound, Constant, Distinct, Sentence, kif_text


def _sentence(sentence: Sentence) -> str:
    """Return a sentence; a relation that is called like a connective stands between bars."""
    if sentence.name.lower() not in CONNECTIVES:
        return kif_text(sentence)
    name = f"|{sentence.name}|"
    match sentence:
        case Constant():
            return name
        case Compound(_, args):
            return f"({name} {' '.join(map(kif_text, args))})"


def _distinct(formula: Distinct) -> str:
    return f"(distinct {kif_text(formula.left)} {kif_text(formula.right)})"


KIF = Notation(
    comment=";",
    fact=("", ""),
    rule=("(<= ", ")"),
    rule_separators=("", ""),
    rule_hang=4,
    negation=("(not ", ")"),
    disjunction=lambda _: ("(or ", "", ")"),
    conjunction=lambda _: ("(and ", "", ")"),
    empty_body="",
    sentence=_sentence,
    distinct=_distinct,
)
"""Prefix notation: ``(<= (legal ?p noop) (role ?p))``."""
