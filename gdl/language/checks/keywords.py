"""Keywords stand where the language gives them a meaning, and nowhere else.

Out: ``keyword-in-head``, ``keyword-in-body``, ``keyword-as-name``.

Source: GDL specification 2008, section 4: ``true`` and ``does`` only in bodies, ``init``
and ``next`` only in heads; for ``base`` and ``input`` the practice of ggp-base's validator;
for ``sees`` Thielscher 2010, definition 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.language.checks.survey import Survey
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.keywords import CONNECTIVES, KEYWORDS
from gdl.language.syntax import Compound, Constant, Place, span_of
from gdl.language.walk import leaf_terms, leaves, subterms

GIVEN = {
    "true": "the state is given, rules produce it with (next ...) and (init ...)",
    "does": "moves are chosen by the players, rules allow them with (legal ...)",
}
"""Relations that no rule produces, and why."""

ONLY_PRODUCED = {
    "init": "ask for the state with (true ...)",
    "next": "ask for the state with (true ...), or repeat the conditions of the next rule",
    "base": "ask a relation of your own, and let base follow from it too",
    "input": "ask a relation of your own, and let input follow from it too",
    "sees": "ask for what the players did with (does ...)",
}
"""Relations that no body asks for, and what to ask for in their place."""


def keyword_in_head(survey: Survey) -> Iterator[Diagnostic]:
    """Find rules that produce what is given, or a connective."""
    for relation, rules in survey.heads.items():
        name = relation.name
        if name in CONNECTIVES:
            reason = f"{name} joins conditions, it is no relation"
            expected = "a relation of the game, or a keyword that rules produce"
        elif name in GIVEN:
            reason = GIVEN[name]
            expected = "init, next or legal, or a relation of the game"
        else:
            continue
        for rule in rules:
            yield Diagnostic(
                slug="keyword-in-head",
                severity=Severity.ERROR,
                message=f"{name} cannot be the head of a rule",
                span=span_of(rule.head.place),
                expected=expected,
                help=reason,
            )


def keyword_in_body(survey: Survey) -> Iterator[Diagnostic]:
    """Find conditions that ask for what rules may only produce."""
    for relation, reads in survey.reads.items():
        if relation.name not in ONLY_PRODUCED:
            continue
        for read in reads:
            yield Diagnostic(
                slug="keyword-in-body",
                severity=Severity.ERROR,
                message=f"{relation.name} cannot be a condition of a rule",
                span=span_of(read.atom.place),
                expected=f"{relation.name} only as the head of a rule",
                help=ONLY_PRODUCED[relation.name],
            )


def keyword_as_name(survey: Survey) -> Iterator[Diagnostic]:
    """Find keywords used as functions or object constants."""
    if KEYWORDS.isdisjoint((*survey.functions, *survey.constants)):
        return
    for rule in survey.description.rules:
        for leaf in leaves(rule):
            for argument in leaf_terms(leaf):
                for term, place in subterms(*argument):
                    match term:
                        case Compound(name) if name in KEYWORDS:
                            yield _misused(name, "function", place)
                        case Constant(name) if name in KEYWORDS:
                            yield _misused(name, "object constant", place)
                        case _:
                            pass


def _misused(name: str, kind: str, place: Place | None) -> Diagnostic:
    return Diagnostic(
        slug="keyword-as-name",
        severity=Severity.ERROR,
        message=f"keyword {name} is used as {'an' if kind[0] in 'aeiou' else 'a'} {kind}",
        span=span_of(place),
        expected=f"{name} only as a relation, outside all other brackets of a condition",
        help="take the inner keyword away, or choose another name",
    )
