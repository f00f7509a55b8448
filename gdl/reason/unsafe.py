"""What to say about a rule that cannot be evaluated because nothing binds a variable.

In: the planner's complaint. Out: an `InvalidDescriptionError` with the place of the variable.

Source: GDL specification 2008, definition 11 (safe rules).
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.language.diagnostics import Diagnostic, InvalidDescriptionError, Severity
from gdl.language.source import Span
from gdl.language.syntax import Rule, Variable, kif_variable, signature
from gdl.language.walk import leaf_terms, leaves, subterms
from gdl.reason.order import UnboundVariableError


def unsafe_rule(error: UnboundVariableError) -> InvalidDescriptionError:
    """Return the error for a variable that nobody binds."""
    clause = error.definition.clause
    assert clause is not None, "the rule that facts hold is safe"
    name = kif_variable(error.variable.name)
    return InvalidDescriptionError(
        diagnostics=[
            Diagnostic(
                slug="unsafe-variable",
                severity=Severity.ERROR,
                message=f"this rule for {signature(clause.head)} cannot be evaluated: "
                f"nothing gives {name} a value",
                span=_place(clause.rule, error.variable),
                expected=f"a positive condition in which {name} occurs",
                help=f"add a literal that binds {name}, for instance (role {name})",
            )
        ]
    )


def _place(rule: Rule, variable: Variable) -> Span | None:
    for span in _places(rule, variable):
        return span
    return None if rule.place is None else rule.place.span


def _places(rule: Rule, variable: Variable) -> Iterator[Span]:
    for leaf in leaves(rule):
        for located in leaf_terms(leaf):
            for term, place in subterms(located.term, located.place):
                if term is variable and place is not None:
                    yield place.span
