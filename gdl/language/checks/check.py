"""Everything that is wrong with a description, all at once, sorted by place.

In: a description. Out: diagnostics: errors (no meaning can be given, or the GDL
specification forbids it), warnings (suspect), hints (style). What each slug means stands
in `gdl.language.checks.explanations`; each check is a function in a module of `checks`.

Source: GDL specification 2008, sections 2 to 4; each check names its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from gdl.language.checks import (
    arity,
    fluents,
    forgotten,
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
    state_dependence,
    style,
    usage,
    variables,
)
from gdl.language.checks.survey import Survey
from gdl.language.clauses import clauses
from gdl.language.diagnostics import Diagnostic, LimitError, Severity, sort_diagnostics
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import Description, Formula, GdlSyntaxError, Rule, operands, span_of
from gdl.language.walk import leaf_terms, leaves

Check: TypeAlias = Callable[[Survey], Iterable[Diagnostic]]
"""One check: reads a survey, yields what it finds, changes nothing, raises nothing."""


class Standing(NamedTuple):
    """Whether what a check finds in some rules of a game is true of the whole game.

    Attributes:
        is_final: Whether no further rule can make a finding wrong, so that the check is of
            use while a part of the rules cannot be read.
        reason: Why, or why not.
    """

    is_final: bool
    reason: str


class Listed(NamedTuple):
    """A check, and how its findings stand while rules are missing."""

    run: Check
    standing: Standing


ONE_RULE: Final = Standing(is_final=True, reason="looks at one rule at a time")
_ONE_NAME: Final = Standing(
    is_final=True, reason="looks at one name at a time; more rules only make it worse"
)
_TWO_PLACES: Final = Standing(is_final=True, reason="finds two places that disagree; both stay")
_PATH: Final = Standing(is_final=True, reason="finds a path or cycle; more rules only add to them")
_GROWTH: Final = Standing(
    is_final=True, reason="finds a cycle; of a part it tells only what more rules cannot soften"
)
_GIVEN: Final = Standing(
    is_final=True, reason="finds a value that a rule gives; none takes it back"
)
_LACK: Final = Standing(is_final=False, reason="finds a lack, which a further rule may fill")
_UNUSED: Final = Standing(is_final=False, reason="finds what no rule uses; a further rule may")
_RARE: Final = Standing(is_final=False, reason="finds a rare name, which may not be rare after all")

CHECKS: Final[tuple[Listed, ...]] = (
    Listed(required.missing, _LACK),
    Listed(required.role_without, _LACK),
    Listed(roles.role_not_ground, ONE_RULE),
    Listed(roles.role_by_rule, ONE_RULE),
    Listed(roles.unknown_role, _LACK),
    Listed(arity.relation_arity, _TWO_PLACES),
    Listed(arity.function_arity, _TWO_PLACES),
    Listed(arity.keyword_arity, ONE_RULE),
    Listed(keywords.keyword_in_head, ONE_RULE),
    Listed(keywords.keyword_in_body, ONE_RULE),
    Listed(keywords.keyword_as_name, ONE_RULE),
    Listed(state_dependence.state_dependence, _PATH),
    Listed(state_dependence.move_dependence, _PATH),
    Listed(safety.safety, ONE_RULE),
    Listed(negation.stratification, _PATH),
    Listed(recursion.recursion_restriction, _GROWTH),
    Listed(goals.goal_value, _GIVEN),
    Listed(usage.undefined_relation, _LACK),
    Listed(usage.unused_relation, _UNUSED),
    Listed(fluents.undefined_fluent, _LACK),
    Listed(fluents.unused_fluent, _UNUSED),
    Listed(fluents.missing_base, _LACK),
    Listed(forgotten.no_first_move, _LACK),
    Listed(forgotten.lost_fluents, _LACK),
    Listed(forgotten.only_wins, _LACK),
    Listed(forgotten.chain_gaps, _LACK),
    Listed(possible.never_holds, _LACK),
    Listed(moves.impossible_move, _LACK),
    Listed(moves.missing_input, _LACK),
    Listed(names.name_clash, _TWO_PLACES),
    Listed(names.capitalisation, _TWO_PLACES),
    Listed(names.likely_typo, _RARE),
    Listed(variables.variable_typo, ONE_RULE),
    Listed(style.duplicate_rule, _TWO_PLACES),
    Listed(style.superfluous_parentheses, _ONE_NAME),
    Listed(style.empty_parts, ONE_RULE),
    Listed(style.odd_distinct, ONE_RULE),
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
    return _check(description, limits, is_partial=False)


def check_partial(description: Description, *, limits: Limits = DEFAULT_LIMITS) -> list[Diagnostic]:
    """Return those problems of some rules of a game that the other rules cannot make wrong.

    For a text with syntax errors: an unsafe variable or a goal of 101 can be told before they
    are mended, but not that ``terminal`` is missing, since it may stand in the broken part.

    Args:
        description: The rules that could be read, `GdlSyntaxError.readable`.
        limits: As for `check`.

    Returns:
        The diagnostics, sorted by place: a part of what `check` would find.

    Example:
        >>> from gdl.language.parse import parse
        >>> [found.slug for found in check_partial(parse("(goal white 101)"))]
        ['goal-value']
    """
    return _check(description, limits, is_partial=True)


def check_syntax_error(
    error: GdlSyntaxError, *, limits: Limits = DEFAULT_LIMITS
) -> list[Diagnostic]:
    """Return the syntax errors of a text and the problems of its other rules, sorted by place."""
    if error.readable is None:
        return list(error.diagnostics)
    others = check_partial(error.readable, limits=limits)
    return sort_diagnostics([*error.diagnostics, *others])


def check_reading(
    read: Callable[[], Description], *, limits: Limits = DEFAULT_LIMITS
) -> list[Diagnostic]:
    """Return every problem of the rules that a function reads, those of reading included.

    Raises:
        GdlError: Whatever else ``read`` raises.
    """
    try:
        description = read()
    except GdlSyntaxError as error:
        return check_syntax_error(error, limits=limits)
    except LimitError as error:
        return list(error.diagnostics)
    return check(description, limits=limits)


def _check(description: Description, limits: Limits, *, is_partial: bool) -> list[Diagnostic]:
    deadline = time.monotonic() + limits.seconds
    if (deep := next(too_deep(description, limits.depth), None)) is not None:
        return [deep]
    try:
        survey = Survey(description, clauses(description, limits=limits), is_partial)
    except LimitError as error:
        return sort_diagnostics(error.diagnostics)
    return run_checks(survey, limits, {}, deadline)


def run_checks(
    survey: Survey,
    limits: Limits,
    said: Mapping[Check, Iterable[Diagnostic]],
    deadline: float | None = None,
) -> list[Diagnostic]:
    """Return what the checks say of a survey, sorted by place.

    Args:
        survey: What they read.
        limits: ``seconds`` holds here.
        said: What some of them say, where that is known.
        deadline: When they must have come to an end, by ``time.monotonic``.
    """
    deadline = time.monotonic() + limits.seconds if deadline is None else deadline
    diagnostics: list[Diagnostic] = []
    for listed in CHECKS:
        if survey.is_partial and not listed.standing.is_final:
            continue
        problems = iter(said[listed.run] if listed.run in said else listed.run(survey))
        diagnostics += islice(problems, MAX_DIAGNOSTICS)
        if next(problems, None) is not None:
            diagnostics.append(_too_many_problems(survey, diagnostics[-1]))
        if time.monotonic() > deadline:
            diagnostics.append(_out_of_time(survey, limits))
            break
    return sort_diagnostics(diagnostics)


def too_deep(description: Description, depth: int) -> Iterator[Diagnostic]:
    """Find rules that are nested too deeply for the checks."""
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
        stack.extend((operand, depth + 1) for operand in operands(formula))
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
