"""Ways of writing that mean nothing, or not what they seem to.

Out: ``duplicate-rule``, ``superfluous-parentheses``, ``empty-body``, ``empty-or``,
``negated-distinct``, ``constant-distinct``.

Source: GDL specification 2008, section 3 (the grammar) for what is well-formed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from gdl.language.checks.survey import Survey
from gdl.language.diagnostics import Diagnostic, Note, Severity
from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.syntax import (
    And,
    Atom,
    Constant,
    Distinct,
    Not,
    Or,
    Place,
    Rule,
    Term,
    Variable,
    span_of,
)
from gdl.language.walk import formulas, leaf_terms, leaves, part, subterms
from gdl.language.words import cut, written


def duplicate_rule(survey: Survey) -> Iterator[Diagnostic]:
    """Find rules that say the same twice, up to the names of variables."""
    seen: dict[object, Rule] = {}
    for rule, shape in chain.from_iterable(survey.gathered(_shapes)):
        first = seen.setdefault(shape, rule)
        if first is rule:
            continue
        kind = "rule" if rule.body else "fact"
        yield Diagnostic(
            slug="duplicate-rule",
            severity=Severity.HINT,
            message=f"this {kind} stands in the description already",
            span=span_of(rule.place),
            expected=f"each {kind} once",
            help=f"remove one of the two, or correct it if another {kind} was meant",
            notes=(Note("the first is here", span_of(first.place)),),
        )


def _shapes(survey: Survey) -> list[tuple[Rule, object]]:
    return [(rule, _shape(rule)) for rule in survey.description.rules]


def _shape(rule: Rule) -> tuple[object, ...]:
    """Return what two rules have in common when they differ only in names of variables."""
    numbers: dict[Variable, int] = {}
    shape: list[object] = []
    for formula in (rule.head, *formulas(rule)):
        shape.append(type(formula))
        match formula:
            case And(operands) | Or(operands):
                shape.append(len(operands))
            case Not():
                pass
            case Atom(sentence):
                shape.append(_term_shape(sentence, numbers))
            case Distinct(left, right):
                shape += [_term_shape(left, numbers), _term_shape(right, numbers)]
    return tuple(shape)


def _term_shape(term: Term, numbers: dict[Variable, int]) -> object:
    if term.is_ground:
        return term
    return tuple(
        numbers.setdefault(inner, len(numbers))
        if isinstance(inner, Variable)
        else (inner.name, len(getattr(inner, "args", ())))
        for inner, _ in subterms(term, None)
    )


def superfluous_parentheses(survey: Survey) -> Iterator[Diagnostic]:
    """Find names without arguments in brackets, each name once."""
    wrapped: dict[str, Place] = {}
    bare: dict[str, Place] = {}
    for of_part in survey.gathered(_in_brackets):
        for whole, part_ in zip((wrapped, bare), of_part, strict=True):
            for name, place in part_.items():
                whole.setdefault(name, place)
    for name, place in wrapped.items():
        other = bare.get(name)
        notes = () if other is None else (Note("written without them here", other.span),)
        yield Diagnostic(
            slug="superfluous-parentheses",
            severity=Severity.WARNING if other else Severity.HINT,
            message=f"{cut(name)} takes no arguments, so it needs no parentheses"
            + (", and elsewhere it has none" if other else ""),
            span=place.span,
            expected=f"{cut(name)}",
            help=f"write {cut(name)} alone: other players take the two for different things",
            notes=notes,
        )


def _in_brackets(survey: Survey) -> tuple[dict[str, Place], dict[str, Place]]:
    """Return names without arguments in brackets and bare ones, each with its first place."""
    wrapped: dict[str, Place] = {}
    bare: dict[str, Place] = {}
    for rule in survey.description.rules:
        for leaf in leaves(rule):
            located = [(leaf.sentence, leaf.place)] if isinstance(leaf, Atom) else leaf_terms(leaf)
            for outer in located:
                for term, place in subterms(*outer):
                    if KEYWORD_ARITIES.get(getattr(term, "name", "")):
                        continue  # it lacks arguments: keyword-arity and keyword-as-name have it
                    if isinstance(term, Constant) and place is not None:
                        is_wrapped = place.span.text[:1] == "("
                        (wrapped if is_wrapped else bare).setdefault(term.name, place)
    return wrapped, bare


def empty_parts(survey: Survey) -> Iterator[Diagnostic]:
    """Find arrows without conditions, and connectives without operands."""
    for rule in survey.description.rules:
        if rule.has_arrow and not rule.body:
            yield Diagnostic(
                slug="empty-body",
                severity=Severity.HINT,
                message="a rule without conditions is a fact",
                span=span_of(rule.place),
                expected="a condition after the head, or the head alone without <=",
                help=f"write {written(rule.head.sentence, rule.head.place)}",
            )
        for formula in formulas(rule):
            match formula:
                case Or(()):
                    yield _empty("or", "empty-or", "never holds, so its rule does nothing", formula)
                case And(()):
                    yield _empty("and", "empty-or", "always holds", formula)
                case _:
                    pass


def _empty(name: str, slug: str, meaning: str, formula: Or | And) -> Diagnostic:
    return Diagnostic(
        slug=slug,
        severity=Severity.WARNING,
        message=f"an {name} without operands {meaning}",
        span=span_of(formula.place),
        expected=f"one or more conditions within {name}",
        help=f"add conditions, or remove the {name}",
    )


def odd_distinct(survey: Survey) -> Iterator[Diagnostic]:
    """Find ``distinct`` that is negated, or whose answer is known beforehand."""
    for rule in survey.description.rules:
        for formula in formulas(rule):
            match formula:
                case Not(Distinct(left, right, inner), place):
                    yield Diagnostic(
                        slug="negated-distinct",
                        severity=Severity.WARNING,
                        message="not distinct says that two terms are equal",
                        span=span_of(place),
                        expected="distinct without not",
                        help=f"write {written(left, part(inner, 0))} wherever the rule says "
                        f"{written(right, part(inner, 1))}",
                    )
                case Distinct(left, right, place) if left is right:
                    yield _constant(place, "a term is never distinct from itself", never=True)
                case Distinct(left, right, place) if left.is_ground and right.is_ground:
                    yield _constant(place, "two different names are always distinct", never=False)
                case _:
                    pass


def _constant(place: Place | None, message: str, *, never: bool) -> Diagnostic:
    return Diagnostic(
        slug="constant-distinct",
        severity=Severity.WARNING if never else Severity.HINT,
        message=message + (", so the rule does nothing" if never else ""),
        span=span_of(place),
        expected="at least one variable in distinct, and two different terms",
        help="name the variable that was meant, or remove the distinct",
    )
