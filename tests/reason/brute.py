"""A second meaning of rules, as slow and as plain as can be: ground everything, then iterate.

Written from the specification alone; shares nothing with the package but the syntax tree. Every
rule is tried with every assignment of its variables to every term there is, lowest stratum first,
until nothing new follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
)

Assignment = dict[Variable, Term]


def consequences(
    description: Description, facts: Iterable[Sentence], *, functions: Iterable[str] = ()
) -> set[Sentence]:
    """Return all that follows from rules and facts.

    Args:
        description: Safe, stratified rules.
        facts: What is true and who does what, as sentences.
        functions: Names of functions of one argument that rules wrap constants in.
    """
    known = set(facts)
    universe = _universe(description, known, functions)
    strata = _strata(description)
    for number in range(max(strata.values(), default=0) + 1):
        rules = [rule for rule in description.rules if strata[_name(rule.head.sentence)] == number]
        _iterate(rules, known, universe)
    return known


def _iterate(rules: list[Rule], known: set[Sentence], universe: list[Term]) -> None:
    is_new = True
    while is_new:
        found = {
            _apply_sentence(rule.head.sentence, assignment)
            for rule in rules
            for assignment in _assignments(rule, universe)
            if all(_holds(formula, assignment, known) for formula in rule.body)
        }
        is_new = not found <= known
        known |= found


def _assignments(rule: Rule, universe: list[Term]) -> Iterator[Assignment]:
    names = sorted(set(_variables_of(rule)))
    for values in product(universe, repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def _holds(formula: Formula, assignment: Assignment, known: set[Sentence]) -> bool:
    match formula:
        case Atom(sentence):
            return _apply_sentence(sentence, assignment) in known
        case Distinct(left, right):
            return _apply(left, assignment) != _apply(right, assignment)
        case Not(operand):
            return not _holds(operand, assignment, known)
        case And(operands):
            return all(_holds(operand, assignment, known) for operand in operands)
        case Or(operands):
            return any(_holds(operand, assignment, known) for operand in operands)


def _apply(term: Term, assignment: Assignment) -> Term:
    if isinstance(term, Variable):
        return assignment[term]
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_apply(arg, assignment) for arg in term.args))
    return term


def _apply_sentence(sentence: Sentence, assignment: Assignment) -> Sentence:
    applied = _apply(sentence, assignment)
    assert not isinstance(applied, Variable)
    return applied


def _strata(description: Description) -> dict[str, int]:
    """Number the relations so that no rule negates a relation of its own or a higher number."""
    strata = {_name(rule.head.sentence): 0 for rule in description.rules}
    changed = True
    while changed:
        changed = False
        for rule in description.rules:
            head = _name(rule.head.sentence)
            for name, is_negative in _uses(And(rule.body), is_negative=False):
                least = strata.get(name, 0) + is_negative
                if strata[head] < least:
                    strata[head] = least
                    changed = True
                    assert least <= len(strata), "not stratified"
    return strata


def _uses(formula: Formula, *, is_negative: bool) -> Iterator[tuple[str, bool]]:
    match formula:
        case Atom(sentence):
            yield _name(sentence), is_negative
        case Not(operand):
            yield from _uses(operand, is_negative=not is_negative)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _uses(operand, is_negative=is_negative)


def _name(sentence: Sentence) -> str:
    return sentence.name


def _terms_of(formula: Formula) -> Iterator[Term]:
    match formula:
        case Atom(sentence):
            yield sentence
        case Distinct(left, right):
            yield left
            yield right
        case Not(operand):
            yield from _terms_of(operand)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _terms_of(operand)


def _variables_of(rule: Rule) -> Iterator[Variable]:
    for term in [rule.head.sentence, *_terms_of(And(rule.body))]:
        yield from (inner for inner in _subterms(term) if isinstance(inner, Variable))


def _subterms(term: Term) -> Iterator[Term]:
    yield term
    if isinstance(term, Compound):
        for arg in term.args:
            yield from _subterms(arg)


def _universe(
    description: Description, facts: Iterable[Sentence], functions: Iterable[str]
) -> list[Term]:
    """Return every ground term that occurs in an argument, and the functions of constants."""
    sentences = [*facts, *(t for rule in description.rules for t in _rule_terms(rule))]
    found: set[Term] = set()
    for sentence in sentences:
        if isinstance(sentence, Compound):
            for arg in sentence.args:
                found |= {inner for inner in _subterms(arg) if inner.is_ground}
    constants = [term for term in found if isinstance(term, Constant)]
    wrapped = {Compound(name, (term,)) for name in functions for term in constants}
    return sorted(found | wrapped)


def _rule_terms(rule: Rule) -> list[Term]:
    return [rule.head.sentence, *_terms_of(And(rule.body))]
