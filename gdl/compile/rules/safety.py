"""Rules that cannot be grounded because nothing gives a variable a value.

In: clauses. Out: nothing, or an error with the place of the variable. The reasoner plays
some such rules, asking from the head; grounding goes from the body and cannot.

Source: GDL specification 2008, definition 11 (safe rules).
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl.compile.limits import CompileError
from gdl.compile.rules.literals import literal_variables
from gdl.language.clauses import Clause
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.syntax import Atom, Variable, kif_variable, signature, variables


def check_safe(clauses: Iterable[Clause]) -> None:
    """Check that the positive literals of each clause bind all its variables.

    Raises:
        CompileError: Names the first variable that nothing binds, and its rule.
    """
    for clause in clauses:
        bound: set[Variable] = set()
        used = list(variables(clause.head))
        for literal in clause.body:
            if isinstance(literal, Atom):
                bound.update(variables(literal.sentence))
            else:
                used += literal_variables(literal)
        for variable in used:
            if variable not in bound:
                raise CompileError(diagnostics=[_unsafe(clause, variable)])


def _unsafe(clause: Clause, variable: Variable) -> Diagnostic:
    name = kif_variable(variable.name)
    place = clause.rule.place
    return Diagnostic(
        slug="unsafe-variable",
        severity=Severity.ERROR,
        message=f"this rule for {signature(clause.rule.head.sentence)} cannot be compiled: "
        f"nothing gives {name} a value",
        span=None if place is None else place.span,
        expected=f"a positive condition in which {name} occurs",
        help=f"add a literal that binds {name}, or let the reasoner play this game",
    )
