"""Goal values are whole numbers from 0 to 100.

Out: ``goal-value``.

Source: GDL specification 2008, section 4 (goal: an integer between 0 and 100).
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.language.checks.survey import Survey
from gdl.language.clauses import Clause
from gdl.language.dependencies import GOAL, INIT, NEXT, TRUE
from gdl.language.diagnostics import Diagnostic, Note, Severity
from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Distinct,
    Not,
    Sentence,
    Term,
    Variable,
    arguments,
    signature,
    span_of,
)
from gdl.language.walk import Located, leaf_variables, located_arguments, part
from gdl.language.words import written

MAX_GOAL = 100
MAX_DIGITS = 3
MAX_COMPARED = 100_000
"""Pairs of a goal rule and a rule for its condition that are looked at, about half a second."""


def goal_value(survey: Survey) -> Iterator[Diagnostic]:
    """Find goal values that are no number, or none from 0 to 100."""
    yield from _written(survey)
    yield from _carried(survey)


def _written(survey: Survey) -> Iterator[Diagnostic]:
    """Find such values in the heads of goal rules."""
    for value, _ in survey.produced(GOAL):
        wrong = _what_is_wrong(value.term)
        if wrong is not None:
            yield Diagnostic(
                slug="goal-value",
                severity=Severity.ERROR,
                message=f"goal value {written(*value)} {wrong}",
                span=span_of(value.place),
                expected=f"a whole number from 0 to {MAX_GOAL}",
                help="write 100 for a win, 0 for a loss, or what lies between",
            )


def _carried(survey: Survey) -> Iterator[Diagnostic]:
    """Find such values in facts that a goal rule hands on: ``(score 150)``.

    Only a variable that one single condition binds is followed, and only to names that the
    rules for this condition write out, so that no other condition can have excluded them.
    """
    compared = iter(range(MAX_COMPARED))
    for clause in survey.clauses_of.get(GOAL, ()):
        if not isinstance(value := arguments(clause.head)[1], Variable):
            continue
        condition = _only_condition(clause, value)
        bad = None if condition is None else _bad_value(survey, condition, value, compared)
        if bad is not None:
            text = written(*bad)
            yield Diagnostic(
                slug="goal-value",
                severity=Severity.WARNING,
                message=f"this goal value can be {text}, which {_what_is_wrong(bad.term)}",
                span=span_of(part(clause.rule.head.place, 1)),
                expected=f"a whole number from 0 to {MAX_GOAL}",
                help=f"give values from 0 to {MAX_GOAL} only, or add a condition that does",
                notes=(Note(f"{text} is given here", span_of(bad.place)),),
            )


def _only_condition(clause: Clause, value: Variable) -> Sentence | None:
    """Return the sentence in which alone a variable occurs in a body, once."""
    condition: Sentence | None = None
    for literal in clause.body:
        leaf = literal.operand if isinstance(literal, Not) else literal
        assert isinstance(leaf, Atom | Distinct), "clausal form negates atoms only"
        uses = sum(variable is value for variable, _ in leaf_variables(leaf))
        if not uses:
            continue
        if uses > 1 or condition is not None or not isinstance(literal, Atom):
            return None
        condition = literal.sentence
    return condition


def _bad_value(
    survey: Survey, condition: Sentence, value: Variable, compared: Iterator[int]
) -> Located | None:
    """Return a bad goal value that the rules for a condition write in place of ``value``."""
    relations = [signature(condition)]
    if relations[0] == TRUE:
        relations = [INIT, NEXT]
    for relation in relations:
        for _, rule in zip(compared, survey.heads.get(relation, ()), strict=False):
            heads = zip(
                arguments(condition),
                located_arguments(rule.head.sentence, rule.head.place),
                strict=True,
            )
            given = _opposite(value, list(heads))
            if (
                given is not None
                and isinstance(given.term, Constant)
                and _what_is_wrong(given.term)
            ):
                return given
    return None


def _opposite(value: Variable, pairs: list[tuple[Term, Located]]) -> Located | None:
    """Return what stands in one term where ``value`` stands in another; None if they differ."""
    opposite: Located | None = None
    while pairs:
        asked, given = pairs.pop()
        match asked, given.term:
            case Variable(), _:
                opposite = given if asked is value else opposite
            case Compound(name, args), Compound(other, others) if (name, len(args)) == (
                other,
                len(others),
            ):
                pairs.extend(zip(args, located_arguments(given.term, given.place), strict=True))
            case _, Variable():
                pass
            case _ if asked is not given.term:
                return None
            case _:
                pass
    return opposite


def _what_is_wrong(value: Term) -> str | None:
    match value:
        case Variable():
            return None
        case Constant(name) if name.isascii() and name.isdigit():
            digits = name.lstrip("0")
            too_great = len(digits) > MAX_DIGITS or int(digits or "0") > MAX_GOAL
            return f"is greater than {MAX_GOAL}" if too_great else None
        case Constant(name) if name.isascii() and name[:1] == "-" and name[1:].isdigit():
            return "is less than 0"
        case _:
            return "is not a whole number"
