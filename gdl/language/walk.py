"""Walking over terms and formulas together with the places where their parts stood.

In: a term or formula and its place. Out: its parts from left to right, each with its
own place. All walks use a stack of their own, so that no input is too deep for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Place,
    Rule,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    operands,
    signature,
)

FLUENTS = frozenset({"init", "next", "base", "true"})
"""Relations whose only argument is a fact of a state."""


class Located(NamedTuple):
    """A term, and where it stood."""

    term: Term
    place: Place | None


class Condition(NamedTuple):
    """A leaf of a formula, and whether it stands under an odd number of ``not``."""

    leaf: Atom | Distinct
    is_negative: bool


def part(place: Place | None, index: int) -> Place | None:
    """Return the place of one argument or operand, the whole where the part has none."""
    if place is None or index >= len(place.parts):
        return place
    return place.parts[index]


def located_arguments(sentence: Sentence, place: Place | None) -> list[Located]:
    """Return the arguments of a sentence with their places."""
    return [Located(arg, part(place, index)) for index, arg in enumerate(arguments(sentence))]


def subterms(term: Term, place: Place | None) -> Iterator[Located]:
    """Yield a term and everything within it, outer before inner, from left to right."""
    stack = [Located(term, place)]
    while stack:
        located = stack.pop()
        yield located
        if isinstance(located.term, Compound):
            stack.extend(reversed(located_arguments(located.term, located.place)))


def located_variables(term: Term, place: Place | None) -> Iterator[tuple[Variable, Place | None]]:
    """Yield each occurrence of a variable in a term, from left to right."""
    if term.is_ground:
        return
    for inner, where in subterms(term, place):
        if isinstance(inner, Variable):
            yield inner, where


def conditions(rule: Rule) -> Iterator[Condition]:
    """Yield the leaves of a rule's body from left to right."""
    stack: list[tuple[Formula, bool]] = [(formula, False) for formula in reversed(rule.body)]
    while stack:
        formula, is_negative = stack.pop()
        match formula:
            case Atom() | Distinct():
                yield Condition(formula, is_negative)
            case Not(operand):
                stack.append((operand, not is_negative))
            case And(several) | Or(several):
                stack.extend((operand, is_negative) for operand in reversed(several))


def leaf_terms(leaf: Atom | Distinct) -> list[Located]:
    """Return the arguments of an atom or the two sides of a ``distinct``, with their places."""
    match leaf:
        case Atom(sentence, place):
            return located_arguments(sentence, place)
        case Distinct(left, right, place):
            return [Located(left, part(place, 0)), Located(right, part(place, 1))]


def leaf_variables(leaf: Atom | Distinct) -> Iterator[tuple[Variable, Place | None]]:
    """Yield each occurrence of a variable in a leaf, from left to right."""
    for term, place in leaf_terms(leaf):
        yield from located_variables(term, place)


def leaves(rule: Rule) -> Iterator[Atom | Distinct]:
    """Yield the head of a rule and then the leaves of its body."""
    yield rule.head
    for condition in conditions(rule):
        yield condition.leaf


def formulas(rule: Rule) -> Iterator[Formula]:
    """Yield every formula of a rule's body, outer before inner, from left to right."""
    stack: list[Formula] = list(reversed(rule.body))
    while stack:
        formula = stack.pop()
        yield formula
        stack.extend(reversed(operands(formula)))


def fluents(description: Description) -> frozenset[Signature] | None:
    """Return what rules make, declare or ask as facts of a state; None where it can be anything.

    It can be where a variable stands for a whole fact that is made: ``(<= (init ?f) (start ?f))``.
    """
    signatures: set[Signature] = set()
    for rule in description.rules:
        head = rule.head.sentence
        asked = (leaf.sentence for leaf, _ in conditions(rule) if isinstance(leaf, Atom))
        for said in (head, *asked):
            if said.name not in FLUENTS or len(arguments(said)) != 1:
                continue
            (fact,) = arguments(said)
            if not isinstance(fact, Variable):
                signatures.add(signature(fact))
            elif said is head:
                return None
    return frozenset(signatures)
