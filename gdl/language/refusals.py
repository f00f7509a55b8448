"""What to say about rules that cannot be evaluated, or cost more than the limits allow.

In: the rule, the variable or the term. Out: the error, with the place of the rule. Every back
end that evaluates rules says it in the same words.

Source: GDL specification 2008, definition 11 (safe rules).
"""

from __future__ import annotations

from typing import Final

from gdl.language.clauses import Clause
from gdl.language.diagnostics import InvalidDescriptionError, LimitError
from gdl.language.limits import Limits
from gdl.language.source import Span
from gdl.language.syntax import Rule, Term, Variable, kif_text, kif_variable, signature, span_of
from gdl.language.walk import leaf_variables, leaves

TERM_SHOWN: Final = 60
"""Characters of a deep term that a message shows."""


def unsafe_rule(clause: Clause, variable: Variable) -> InvalidDescriptionError:
    """Return the error for a variable that nobody binds."""
    name = kif_variable(variable.name)
    return InvalidDescriptionError.at(
        _place(clause.rule, variable),
        "unsafe-variable",
        f"this rule for {signature(clause.head)} cannot be evaluated: nothing gives {name} a value",
        expected=f"a positive condition in which {name} occurs",
        help=f"add a literal that binds {name}, for instance (role {name})",
    )


def too_many_facts(clause: Clause | None, limits: Limits) -> LimitError:
    """Return the error for more facts than `Limits.facts`."""
    return LimitError.at(
        _span(clause),
        "limit-facts",
        f"{_rule(clause)} derives too many facts",
        expected=f"at most {limits.facts:,} facts for one state",
        help="bound what the rule can derive, or raise Limits.facts",
    )


def too_late(clause: Clause | None, limits: Limits) -> LimitError:
    """Return the error for more time than `Limits.seconds`."""
    return LimitError.at(
        _span(clause),
        "limit-seconds",
        f"evaluation takes too long; when the time was over, {_rule(clause)} was running",
        expected=f"at most {limits.seconds:g} seconds for one state",
        help="give the rule conditions that bind its variables sooner, or raise Limits.seconds",
    )


def too_deep(clause: Clause | None, term: Term, limits: Limits) -> LimitError:
    """Return the error for a term deeper than `Limits.term_depth`."""
    text = kif_text(term)
    shown = text if len(text) <= TERM_SHOWN else f"{text[:TERM_SHOWN]}..."
    return LimitError.at(
        _span(clause),
        "limit-term-depth",
        f"{_rule(clause)} derives a term that is nested too deep: {shown}",
        expected=f"terms of at most {limits.term_depth} levels",
        help="a rule that wraps what it derives in a function must not feed itself; "
        "or raise Limits.term_depth",
    )


def too_nested() -> LimitError:
    """Return the error for rules that nest deeper than Python's stack."""
    return LimitError(
        "the rules rest on each other too deeply for the stack that is left",
        help="ask from a shallower place in your program, or raise sys.setrecursionlimit",
    )


def _rule(clause: Clause | None) -> str:
    return "a rule" if clause is None else f"a rule for {signature(clause.head)}"


def _span(clause: Clause | None) -> Span | None:
    return None if clause is None else span_of(clause.rule.head.place or clause.rule.place)


def _place(rule: Rule, variable: Variable) -> Span | None:
    for leaf in leaves(rule):
        for other, place in leaf_variables(leaf):
            if other is variable and place is not None:
                return place.span
    return span_of(rule.place)
