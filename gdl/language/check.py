"""Everything that is wrong with a description, all at once, sorted by place.

In: a description. Out: diagnostics: errors (no meaning can be given, or the GDL
specification forbids it), warnings (suspect), hints (style). What each slug means stands
in `gdl.language.explanations`; each check is a function in a module of `checks`.

Source: GDL specification 2008, sections 2 to 4; each check names its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeAlias

from gdl.language.checks import (
    arity,
    fluents,
    goals,
    keywords,
    moves,
    names,
    negation,
    possible,
    recursion,
    required,
    roles,
    safety,
    state,
    style,
    usage,
    variables,
)
from gdl.language.checks.survey import Survey, span_of
from gdl.language.clauses import clauses
from gdl.language.diagnostics import Diagnostic, LimitError, Severity, sort_diagnostics
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import And, Description, Formula, Not, Or, Rule
from gdl.language.walk import leaf_terms, leaves

Check: TypeAlias = Callable[[Survey], Iterable[Diagnostic]]
"""One check: reads a survey, yields what it finds, changes nothing, raises nothing."""

CHECKS: Final[tuple[Check, ...]] = (
    required.missing,
    required.role_without,
    roles.role_not_ground,
    roles.role_by_rule,
    roles.unknown_role,
    arity.relation_arity,
    arity.function_arity,
    arity.keyword_arity,
    keywords.keyword_in_head,
    keywords.keyword_in_body,
    keywords.keyword_as_name,
    state.state_dependence,
    state.move_dependence,
    safety.safety,
    negation.stratification,
    recursion.recursion_restriction,
    goals.goal_value,
    usage.undefined_relation,
    usage.unused_relation,
    fluents.undefined_fluent,
    fluents.unused_fluent,
    fluents.missing_base,
    possible.never_holds,
    moves.impossible_move,
    moves.missing_input,
    names.name_clash,
    names.capitalisation,
    names.likely_typo,
    variables.variable_typo,
    style.duplicate_rule,
    style.superfluous_parentheses,
    style.empty_parts,
    style.odd_distinct,
)
"""All checks; their order means nothing, the result is sorted."""

MAX_DIAGNOSTICS: Final = 1_000
"""Diagnostics that one check may report."""


def check(description: Description, *, limits: Limits = DEFAULT_LIMITS) -> list[Diagnostic]:
    """Return every problem of a description, sorted by place; empty when all is well.

    Args:
        description: The rules, as `gdl.language.parse` returns them.
        limits: ``rules``, ``depth`` and ``seconds`` hold here; a description beyond them
            gets a diagnostic that says so, and is not looked at further.

    Returns:
        The diagnostics. Bad rules never raise. Cost about linear in the text: 0.1 s for a
        file of 70 kilobytes.

    Example:
        >>> from gdl.language.parse import parse
        >>> rules = "(role white) (<= (legal ?r noop) (true (step 1)))"
        >>> [found.slug for found in check(parse(rules)) if found.slug.startswith("unsafe")]
        ['unsafe-variable']
    """
    deadline = time.monotonic() + limits.seconds
    too_deep = next(_too_deep(description, limits.depth), None)
    if too_deep is not None:
        return [too_deep]
    try:
        survey = Survey(description, clauses(description, limits=limits))
    except LimitError as error:
        return sort_diagnostics(error.diagnostics)
    found: list[Diagnostic] = []
    for one_check in CHECKS:
        problems = iter(one_check(survey))
        found += islice(problems, MAX_DIAGNOSTICS)
        if next(problems, None) is not None:
            found.append(_too_many_problems(survey, found[-1]))
        if time.monotonic() > deadline:
            found.append(_out_of_time(survey, limits))
            break
    return sort_diagnostics(found)


def _too_deep(description: Description, depth: int) -> Iterator[Diagnostic]:
    for rule in description.rules:
        deepest_term = max(
            (argument.term.depth for leaf in leaves(rule) for argument in leaf_terms(leaf)),
            default=0,
        )
        if deepest_term > depth or _formula_depth(rule) > depth:
            yield Diagnostic(
                slug="limit-depth",
                severity=Severity.ERROR,
                message=f"this rule is nested deeper than {depth} levels",
                span=span_of(rule.head.place),
                expected=f"at most {depth} levels of brackets",
                help="split the rule up, or raise Limits.depth",
            )


def _formula_depth(rule: Rule) -> int:
    deepest = 0
    stack: list[tuple[Formula, int]] = [(formula, 1) for formula in rule.body]
    while stack:
        formula, depth = stack.pop()
        deepest = max(deepest, depth)
        match formula:
            case Not(operand):
                stack.append((operand, depth + 1))
            case And(operands) | Or(operands):
                stack.extend((operand, depth + 1) for operand in operands)
            case _:
                pass
    return deepest


def _too_many_problems(survey: Survey, last: Diagnostic) -> Diagnostic:
    return Diagnostic(
        slug="limit-problems",
        severity=Severity.HINT,
        message=f"more than {MAX_DIAGNOSTICS:,} problems such as {last.slug}; "
        "the others are not listed",
        span=survey.start,
        help="mend these and check again",
    )


def _out_of_time(survey: Survey, limits: Limits) -> Diagnostic:
    return Diagnostic(
        slug="limit-seconds",
        severity=Severity.ERROR,
        message=f"checking took longer than {limits.seconds:g} seconds, so it is not complete",
        span=survey.start,
        expected="a description that can be checked in that time",
        help="raise Limits.seconds",
    )
