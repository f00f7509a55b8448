"""What rules ask of the state, and what can be in it.

Out: ``undefined-fluent``, ``unused-fluent``, ``missing-base``.

Source: from the semantics of ``true``: a fluent holds when ``init`` or ``next``
produced it; ``base`` as in ggp-base: all fluents that can ever hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdl.language.checks.survey import Survey
from gdl.language.dependencies import BASE, INIT, NEXT, TRUE
from gdl.language.diagnostics import Diagnostic, Severity, Slip
from gdl.language.keywords import KEYWORDS
from gdl.language.matching import may_unify
from gdl.language.spelling import Slips, Suggester
from gdl.language.syntax import (
    Atom,
    Place,
    Rule,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
    span_of,
)
from gdl.language.words import cut


def undefined_fluent(survey: Survey) -> Iterator[Diagnostic]:
    """Find conditions on fluents that are never true."""
    produced = produced_fluents(survey)
    if not produced:
        return
    names = Suggester(fluent.name for fluent in produced)
    functions = {fluent.name for fluent in produced if fluent.arity}
    relations = {relation.name for relation in survey.heads}
    reported: set[Signature] = set()
    for fluent, read in survey.asked(TRUE):
        if isinstance(fluent.term, Variable):
            continue
        asked = signature(fluent.term)
        if asked in produced or asked in reported:
            continue
        if (asked.arity and asked.name in functions) or asked.name in KEYWORDS:
            continue  # function-arity and keyword-as-name have these
        reported.add(asked)
        meant = names.closest(asked.name)
        if meant:
            advice = f"did you mean {meant}?"
        elif asked.name in relations:
            advice = f"{cut(asked.name)} is a relation: ask for it without true"
        else:
            advice = f"add an init or next rule for {cut(asked.name)}"
        always = "always holds" if read.is_negative else "never holds"
        yield Diagnostic(
            slug="undefined-fluent",
            severity=Severity.WARNING,
            message=f"no init or next rule produces {cut(asked.name)}, so this {always}",
            span=span_of(read.atom.place),
            expected="a fluent that some init or next rule produces",
            help=advice,
            slip=Slip(asked.name, meant) if meant else None,
        )


def unused_fluent(survey: Survey) -> Iterator[Diagnostic]:
    """Find fluents that nobody asks for."""
    terms = [fluent.term for fluent, _ in survey.asked(TRUE)]
    asked = dict.fromkeys(signature(term) for term in terms if not isinstance(term, Variable))
    if any(isinstance(term, Variable) for term in terms):
        return
    asked_names = dict.fromkeys(fluent.name for fluent in asked)
    produced = produced_fluents(survey) or asked
    names = Suggester(fluent.name for fluent in asked if fluent not in produced)
    used = Slips(asked_names)
    for fluent, place in (survey.kinds(NEXT) | survey.kinds(INIT)).items():
        if fluent.name in asked_names:
            continue
        meant = names.closest(fluent.name) or used.near(fluent.name)
        yield Diagnostic(
            slug="unused-fluent",
            severity=Severity.WARNING if meant else Severity.HINT,
            message=f"no rule asks whether {cut(fluent.name)} is true",
            span=span_of(place),
            expected="a fluent that some rule asks for with (true ...)",
            help=f"did you mean {meant}?" if meant else "remove it from the state, or use it",
            slip=Slip(fluent.name, meant) if meant else None,
        )


def missing_base(survey: Survey) -> Iterator[Diagnostic]:
    """Find fluents that ``base`` forgets, when the game gives ``base`` at all."""
    listed = {fluent.term for fluent, _ in survey.produced(BASE)}
    if not listed or any(isinstance(fluent, Variable) for fluent in listed):
        return
    kinds = {signature(fluent) for fluent in listed if not isinstance(fluent, Variable)}
    for fluent, place in (survey.kinds(INIT) | survey.kinds(NEXT)).items():
        if fluent not in kinds:
            yield _unlisted(fluent.name, place)
    reported: set[Signature] = set()
    for (term, place), _ in (*survey.produced(INIT), *survey.produced(NEXT)):
        if isinstance(term, Variable) or term in listed:
            continue
        kind = signature(term)
        if kind not in kinds or kind in reported:
            continue
        if not any(may_unify(term, base) for base in listed):
            reported.add(kind)
            yield _unlisted(str(term), place)


def _unlisted(what: str, place: Place | None) -> Diagnostic:
    return Diagnostic(
        slug="missing-base",
        severity=Severity.WARNING,
        message=f"{cut(what)} can be true, but no base rule lists it",
        span=span_of(place),
        expected="base rules for all fluents or for none",
        help=f"add a base rule for {cut(what)}",
    )


def produced_fluents(survey: Survey) -> Mapping[Signature, Place | None] | None:
    """Return the kinds of fluents that can be true, each where first named; None when any may be.

    ``(<= (next ?f) (true ?f) ...)`` keeps what is there and produces no new kind.
    """
    for relation in (INIT, NEXT):
        for fluent, rule in survey.produced(relation):
            if isinstance(fluent.term, Variable) and not _keeps(rule, fluent.term):
                return None
    return survey.kinds(INIT) | survey.kinds(NEXT)


def _keeps(rule: Rule, fluent: Term) -> bool:
    return any(
        isinstance(formula, Atom)
        and signature(formula.sentence) == TRUE
        and arguments(formula.sentence)[0] is fluent
        for formula in rule.body
    )
