"""Safety: every variable of a rule gets its value from a positive condition.

Out: ``unsafe-variable`` (in the head), ``unsafe-negation``, ``unsafe-distinct``.

Source: GDL specification 2008, definition 6: a variable in the head or in a negative
literal appears in a positive literal of the body; ``distinct`` counts as negative.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.language.checks.survey import Survey
from gdl.language.clauses import Clause
from gdl.language.diagnostics import Diagnostic, Note, Severity
from gdl.language.syntax import (
    Atom,
    Distinct,
    Not,
    Or,
    Place,
    Variable,
    arguments,
    signature,
    span_of,
)
from gdl.language.walk import formulas, leaf_variables
from gdl.language.words import written


def safety(survey: Survey) -> Iterator[Diagnostic]:
    """Find variables that no positive condition gives a value, the first place of each."""
    for clause in survey.clauses:
        bound = {
            variable
            for literal in clause.body
            if isinstance(literal, Atom)
            for variable, _ in leaf_variables(literal)
        }
        yield from _unsafe(clause, bound)


def _unsafe(clause: Clause, bound: set[Variable]) -> Iterator[Diagnostic]:
    """Report each unbound variable once: in the head if it is there, else where it is first."""
    reported = set(bound)
    is_role_fact = signature(clause.head) == ("role", 1) and not clause.body
    if not is_role_fact:
        for variable, place in leaf_variables(Atom(clause.head, clause.rule.head.place)):
            if variable not in reported:
                reported.add(variable)
                yield _in_head(clause, variable, place)
    for literal in clause.body:
        match literal:
            case Not(Atom() as leaf):
                slug, what = "unsafe-negation", "under not"
            case Distinct() as leaf:
                slug, what = "unsafe-distinct", "in distinct"
            case _:
                continue
        for variable, place in leaf_variables(leaf):
            if variable not in reported:
                reported.add(variable)
                yield _in_body(clause, variable, place, slug, what)


def _in_head(clause: Clause, variable: Variable, place: Place | None) -> Diagnostic:
    name = written(variable, place)
    if not clause.rule.body:
        return Diagnostic(
            slug="unsafe-variable",
            severity=Severity.ERROR,
            message=f"{name} occurs in a fact, which has no body to give it a value",
            span=span_of(place),
            expected="facts without variables",
            help=f"write a constant, or a rule with a condition that binds {name}",
            notes=_where(clause),
        )
    return Diagnostic(
        slug="unsafe-variable",
        severity=Severity.ERROR,
        message=f"{name} occurs in the head but in no positive literal of the body",
        span=span_of(place),
        expected="every head variable in a positive body literal",
        help=f"add a literal that binds {name}{_example(clause, variable, name)}",
        notes=_where(clause),
    )


def _in_body(
    clause: Clause, variable: Variable, place: Place | None, slug: str, what: str
) -> Diagnostic:
    name = written(variable, place)
    return Diagnostic(
        slug=slug,
        severity=Severity.ERROR,
        message=f"{name} occurs {what} but in no positive literal of the body",
        span=span_of(place),
        expected=f"every variable {what} in a positive body literal too",
        help=f"add a literal that binds {name}{_example(clause, variable, name)}"
        + (", or ask a helper relation that does" if slug == "unsafe-negation" else ""),
        notes=_where(clause),
    )


def _example(clause: Clause, variable: Variable, text: str) -> str:
    """Return a literal that would bind a variable in the first argument of a role keyword."""
    name, args = signature(clause.head).name, arguments(clause.head)
    if name in {"legal", "goal", "sees", "input"} and args and args[0] is variable:
        return f", for instance {f'(role {text})' if text[:1] == '?' else f'role({text})'}"
    return ""


def _where(clause: Clause) -> tuple[Note, ...]:
    """Say which of several alternatives is meant, when the rule has an ``or``."""
    if clause.body is clause.rule.body:
        return ()
    if not any(isinstance(formula, Or) for formula in formulas(clause.rule)):
        return ()
    return (Note("the rule has an or: each of its alternatives must bind the variable"),)
