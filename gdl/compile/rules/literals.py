"""A literal in clausal form: what it asks, its variables, and the same about other terms."""

from __future__ import annotations

from collections.abc import Callable

from gdl.language.syntax import (
    Atom,
    Distinct,
    Literal,
    Not,
    Sentence,
    Term,
    Variable,
    variables,
)


def asked_sentence(literal: Literal) -> Sentence | None:
    """Return the sentence of a literal, None for ``distinct``."""
    match literal:
        case Atom(sentence) | Not(Atom(sentence)):
            return sentence
        case _:
            return None


def literal_variables(literal: Literal) -> list[Variable]:
    """Return the variables of a literal from left to right, repeated ones repeatedly."""
    match literal:
        case Atom(inner) | Not(Atom(inner)):
            return list(variables(inner))
        case Distinct(left, right):
            return [*variables(left), *variables(right)]
        case Not():
            raise AssertionError("clausal form has no other negation")


def with_terms(literal: Literal, change: Callable[[Term], Term]) -> Literal:
    """Return a literal whose sentence, or whose two terms, are changed; a sentence stays one."""
    match literal:
        case Atom(inner):
            return Atom(_sentence(change(inner)), literal.place)
        case Not(Atom(inner) as operand):
            return Not(Atom(_sentence(change(inner)), operand.place), literal.place)
        case Distinct(left, right):
            return Distinct(change(left), change(right), literal.place)
        case Not():
            raise AssertionError("clausal form has no other negation")


def _sentence(term: Term) -> Sentence:
    assert not isinstance(term, Variable), "a sentence stays one"
    return term
