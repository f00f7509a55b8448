"""Relations that are asked for but never produced, or produced but never asked for.

Out: ``undefined-relation``, ``unused-relation``.

The first is a warning of the validator of ggp-base too.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.language.checks.survey import Survey
from gdl.language.dependencies import INIT, NEXT
from gdl.language.diagnostics import Diagnostic, Severity, Slip
from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.spelling import Slips, Suggester
from gdl.language.syntax import Signature, span_of
from gdl.language.words import cut

PRODUCED = ("role", "init", "next", "legal", "goal", "terminal")
"""Keywords that nearly every game has rules for."""

MIN_KEYWORD_LENGTH = 4
"""A shorter name is taken for a misspelt keyword only when the game lacks the keyword."""


def undefined_relation(survey: Survey) -> Iterator[Diagnostic]:
    """Find conditions that no rule or fact can meet."""
    names = Suggester(
        [relation.name for relation in survey.heads if relation.name not in KEYWORD_ARITIES]
        + ["true", "does", "terminal", "legal", "role"]
    )
    produced = {relation.name for relation in survey.heads}
    fluents = {fluent.name for fluent in (*survey.kinds(INIT), *survey.kinds(NEXT))}
    for relation, reads in survey.reads.items():
        name = relation.name
        if name in produced or name in KEYWORD_ARITIES:
            continue
        meant = None
        if name in fluents:
            advice = f"did you mean (true {_form(relation)})? {cut(name)} is part of the state"
        else:
            meant = names.closest(name)
            advice = f"did you mean {meant}?" if meant else f"add a rule or fact for {cut(name)}"
        always = "always holds" if reads[0].is_negative else "never holds"
        condition = f"(not {_form(relation)})" if reads[0].is_negative else _form(relation)
        yield Diagnostic(
            slug="undefined-relation",
            severity=Severity.WARNING,
            message=f"no rule or fact is about {cut(name)}, so {condition} {always}",
            span=span_of(reads[0].atom.place),
            expected="a relation that some rule or fact produces",
            help=advice,
            slip=Slip(name, meant) if meant else None,
        )


def unused_relation(survey: Survey) -> Iterator[Diagnostic]:
    """Find rules whose result nobody asks for."""
    asked = dict.fromkeys(relation.name for relation in survey.reads)
    produced = {relation.name for relation in survey.heads}
    own = [name for name in asked if name not in KEYWORD_ARITIES]
    undefined = Suggester(name for name in own if name not in produced)
    missing = Suggester(name for name in PRODUCED if name not in produced)
    keywords = Suggester(PRODUCED)
    used = Slips(name for name in own if name in produced)
    for relation, rules in survey.heads.items():
        name = relation.name
        if name in KEYWORD_ARITIES or name in asked:
            continue
        if undefined.closest(name):
            continue  # undefined-relation has the two already
        meant = missing.closest(name) or used.near(name)
        if meant is None and len(name) >= MIN_KEYWORD_LENGTH:
            meant = keywords.closest(name)
        yield Diagnostic(
            slug="unused-relation",
            severity=Severity.WARNING if meant else Severity.HINT,
            message=f"no rule asks for {cut(name)}",
            span=span_of(rules[0].head.place),
            expected="a relation that some rule asks for, or a keyword",
            help=f"did you mean {meant}?" if meant else "remove its rules, or use it",
            slip=Slip(name, meant) if meant else None,
        )


def _form(relation: Signature) -> str:
    return f"({cut(relation.name)} ...)" if relation.arity else cut(relation.name)
