"""Every game says who plays, what is legal, when it is over, and what it is worth.

Out: ``no-rules``, ``missing-role``, ``missing-init``, ``missing-legal``,
``missing-goal``, ``missing-terminal``, ``role-without-legal``, ``role-without-goal``.

Source: GDL specification 2008, section 4 and definitions of playability and well-formed
games: each role has a legal move in each state that is not terminal, and a goal value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gdl.language.checks.survey import Survey
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.keywords import KEYWORD_ARITIES, RANDOM
from gdl.language.spelling import Suggester
from gdl.language.syntax import Constant, Signature, arguments, span_of
from gdl.language.words import cut


class Requirement(NamedTuple):
    """A relation that a game needs: how bad it is without, and what to write."""

    relation: str
    severity: Severity
    without: str
    example: str


REQUIREMENTS = (
    Requirement("role", Severity.ERROR, "nobody plays", "(role white)"),
    Requirement("init", Severity.WARNING, "the game begins with nothing true", "(init (step 1))"),
    Requirement("legal", Severity.ERROR, "nobody can move", "(legal white noop)"),
    Requirement("goal", Severity.ERROR, "no result is worth anything", "(goal white 100)"),
    Requirement(
        "terminal", Severity.ERROR, "the game never ends", "(<= terminal (true (step 10)))"
    ),
)


def missing(survey: Survey) -> Iterator[Diagnostic]:
    """Find required relations that no rule produces; where there are no rules, say just that."""
    if not survey.heads:
        yield Diagnostic(
            slug="no-rules",
            severity=Severity.ERROR,
            message="there are no rules",
            span=survey.start,
            expected="facts such as (role white), and rules such as (<= terminal (true (step 10)))",
            help="gdl new writes a small game to begin with",
        )
        return
    unread = [
        relation.name
        for relation in survey.heads
        if relation.name not in KEYWORD_ARITIES and relation not in survey.reads
    ]
    names = Suggester(unread)
    produced = {relation.name for relation in survey.heads}
    for name, severity, without, example in REQUIREMENTS:
        if name in produced:
            continue
        meant = names.closest(name)
        advice = f"did you mean {name} where it says {meant}?" if meant else f"add {example}"
        yield Diagnostic(
            slug=f"missing-{name}",
            severity=severity,
            message=f"no rule has {name} as its head: {without}",
            span=survey.start,
            expected=f"at least one rule or fact for {name}, such as {example}",
            help=advice,
        )


def role_without(survey: Survey) -> Iterator[Diagnostic]:
    """Find roles for which no rule gives a legal move or a goal."""
    for name, what in (("legal", "legal move"), ("goal", "goal value")):
        served = _served_roles(survey, Signature(name, 2))
        if survey.roles is None or served is None:
            continue
        for role, place in survey.roles.items():
            if role in served or (name == "goal" and role == RANDOM):
                continue
            yield Diagnostic(
                slug=f"role-without-{name}",
                severity=Severity.WARNING,
                message=f"no rule gives role {cut(role)} a {what}",
                span=span_of(place),
                expected=f"a rule for ({name} {cut(role)} ...) or one with a variable as role",
                help=f"add a rule for {name}, or remove the role",
            )


def _served_roles(survey: Survey, relation: Signature) -> set[str] | None:
    """Return the roles that heads name; None if there are no heads, or one has a variable."""
    roles = [arguments(rule.head.sentence)[0] for rule in survey.heads.get(relation, ())]
    if not roles or not all(isinstance(role, Constant) for role in roles):
        return None
    return {role.name for role in roles if isinstance(role, Constant)}
