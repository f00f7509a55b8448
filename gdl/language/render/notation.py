"""What rules look like in each notation: rules to documents that a layout can break.

In: a rule, and where comments stand in it. Out: a document (see `layout`). A notation
is a value of `Notation`; the rest of rendering knows no difference between them.

Source: the notations are those of ``kif.lark`` and ``hrf.lark``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.language.parse.scan import LINE_END
from gdl.language.render.layout import (
    UNKNOWN,
    Document,
    Group,
    Piece,
    first_start,
    last_start,
)
from gdl.language.syntax import And, Atom, Distinct, Not, Or, Place, Rule, Sentence, fold_formula

MAX_LITERALS_ON_A_LINE: Final = 2
"""A rule with a longer body has each literal on its own line, even if it would fit on one."""


@dataclass(frozen=True, slots=True)
class Notation:
    """How one notation writes things.

    Attributes:
        comment: The sign that begins a comment.
        fact: Text before and after a fact.
        rule: Text before and after a rule with a body or an arrow.
        rule_separators: Text after a head, and between literals.
        rule_hang: Columns that the literals are indented by.
        negation: Text before and after what is negated.
        disjunction: Gives the opening, separator and closing for so many operands.
        conjunction: The same.
        empty_body: Text after the head of a rule that has an arrow but no body.
        sentence: Writes an atom.
        distinct: Writes a ``distinct``.
    """

    comment: str
    fact: tuple[str, str]
    rule: tuple[str, str]
    rule_separators: tuple[str, str]
    rule_hang: int
    negation: tuple[str, str]
    disjunction: Callable[[int], tuple[str, str, str]]
    conjunction: Callable[[int], tuple[str, str, str]]
    empty_body: str
    sentence: Callable[[Sentence], str]
    distinct: Callable[[Distinct], str]


def rule_document(
    rule: Rule, notation: Notation, comments: Sequence[int], text: str | None = None
) -> tuple[Document, str]:
    """Return a rule as a document, and the text that closes it.

    Args:
        rule: The rule.
        notation: How to write it.
        comments: Offsets of the comments in the rule, sorted. A group is broken where a
            comment stands between two of its pieces.
        text: The text that the rule stands in, where the lines that its author broke stay
            broken; None where nobody's choice counts.
    """
    head = _piece(notation.sentence(rule.head.sentence), rule.head.place)
    if not rule.body and not rule.has_arrow:
        opening, closing = notation.fact
        return Piece(opening + head.text, head.start, head.stop), closing
    opening, closing = notation.rule
    if not rule.body:
        return Piece(opening + head.text + notation.empty_body, head.start, head.stop), closing
    body = [_formula_document(formula, notation, comments) for formula in rule.body]
    parts = (head, *body)
    must_break = (
        len(body) > MAX_LITERALS_ON_A_LINE
        or _is_split(parts, comments)
        or (text is not None and _is_broken(head, body[0], text))
    )
    separators, hang = notation.rule_separators, notation.rule_hang
    return Group(opening, parts, separators, "", hang, must_break), closing


def _formula_document(
    formula: Atom | Distinct | Not | And | Or, notation: Notation, comments: Sequence[int]
) -> Document:
    def leaf(leaf: Atom | Distinct) -> Document:
        match leaf:
            case Atom(sentence, place):
                return _piece(notation.sentence(sentence), place)
            case Distinct(_, _, place):
                return _piece(notation.distinct(leaf), place)

    def connective(formula: Not | And | Or, parts: tuple[Document, ...]) -> Document:
        match formula:
            case Not():
                (opening, closing), separator = notation.negation, ""
            case Or():
                opening, separator, closing = notation.disjunction(len(parts))
            case And():
                opening, separator, closing = notation.conjunction(len(parts))
        if not parts:
            return _piece(opening.rstrip() + closing, formula.place)
        must_break = _is_split(parts, comments)
        separators = (separator, separator)
        return Group(opening, parts, separators, closing, len(opening), must_break)

    return fold_formula(formula, leaf, connective)


def _piece(text: str, place: Place | None) -> Piece:
    return Piece(text) if place is None else Piece(text, place.span.start, place.span.stop)


def _is_broken(head: Piece, first: Document, text: str) -> bool:
    """Return whether the first literal begins a line of its own, below the head."""
    start = first_start(first)
    return UNKNOWN not in {head.stop, start} and not LINE_END.isdisjoint(text[head.stop : start])


def _is_split(parts: Sequence[Document], comments: Sequence[int]) -> bool:
    """Return whether a comment stands between the first piece and the last."""
    if not comments or len(parts) == 1:
        return False
    index = bisect_left(comments, first_start(parts[0]))
    return index < len(comments) and comments[index] < last_start(parts[-1])
