"""Roles are given once and for all, and every other rule names one of them.

Out: ``role-not-ground``, ``role-by-rule``, ``unknown-role``.

Source: GDL specification 2008, section 4: role relations are ground facts, and the first
argument of ``legal``, ``does`` and ``goal`` is a role.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdl.language.checks.survey import Survey
from gdl.language.dependencies import ROLE
from gdl.language.diagnostics import Diagnostic, Note, Severity, Slip
from gdl.language.spelling import Suggester
from gdl.language.syntax import Compound, Constant, Place, Term, Variable, span_of
from gdl.language.walk import located_variables
from gdl.language.words import cut, listed, written


def role_not_ground(survey: Survey) -> Iterator[Diagnostic]:
    """Find role facts with a variable."""
    for role, rule in survey.produced(ROLE):
        if rule.body:
            continue
        for variable, place in located_variables(*role):
            yield Diagnostic(
                slug="role-not-ground",
                severity=Severity.ERROR,
                message=f"variable {written(variable, place)} stands where a role belongs",
                span=span_of(place),
                expected="the name of one role in each role fact",
                help="write one fact a role, such as (role white) and (role black)",
            )


def role_by_rule(survey: Survey) -> Iterator[Diagnostic]:
    """Find roles that follow from conditions."""
    for role, rule in survey.produced(ROLE):
        if rule.body:
            yield Diagnostic(
                slug="role-by-rule",
                severity=Severity.WARNING,
                message=f"role {written(*role)} follows from a rule",
                span=span_of(rule.head.place),
                expected="roles as plain facts, so that they and their order are plain to see",
                help="write one fact a role, such as (role white)",
            )


def unknown_role(survey: Survey) -> Iterator[Diagnostic]:
    """Find role arguments that name no role."""
    if not survey.roles:
        return
    names = Suggester(survey.roles)
    for role in survey.role_arguments():
        if (said := no_role(*role, survey.roles, names)) is not None:
            yield said


def no_role(
    term: Term, place: Place | None, roles: Mapping[str, Place | None], names: Suggester
) -> Diagnostic | None:
    """Return what to say of a term where a role belongs; None of a variable and of a role.

    Args:
        term: It.
        place: Where it stands.
        roles: The roles, each with the place that gives it, in order.
        names: Finds what is spelt like one of them.
    """
    if isinstance(term, Variable) or (isinstance(term, Constant) and term.name in roles):
        return None
    if isinstance(term, Compound):
        message = f"{written(term, place)} stands where the name of a role belongs"
    else:
        message = f"there is no role {cut(term.name)}"
    meant = names.closest(term.name)
    first = Note("the first role is given here", span_of(next(iter(roles.values()))))
    return Diagnostic(
        slug="unknown-role",
        severity=Severity.WARNING,
        message=message,
        span=span_of(place),
        expected=f"one of the roles {listed(roles)}",
        help=f"did you mean {meant}?" if meant else "name a role, or add (role ...) for it",
        notes=(first,),
        slip=Slip(term.name, meant) if meant else None,
    )
