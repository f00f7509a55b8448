"""Arity: a relation or function takes one number of arguments everywhere.

Out: ``relation-arity``, ``function-arity``, ``keyword-arity``.

Source: GDL specification 2008, section 2 (vocabulary: each name has an associated arity)
and section 4 (the arities of the keywords).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdl.language.checks.survey import Survey, Uses
from gdl.language.diagnostics import Diagnostic, Note, Severity
from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.syntax import span_of
from gdl.language.words import cut


def relation_arity(survey: Survey) -> Iterator[Diagnostic]:
    """Find relations with several numbers of arguments."""
    for name, arities in survey.relations.items():
        if name not in KEYWORD_ARITIES:
            yield from _clashes("relation", name, arities)


def function_arity(survey: Survey) -> Iterator[Diagnostic]:
    """Find functions with several numbers of arguments, fluents and moves among them."""
    for name, arities in survey.functions.items():
        yield from _clashes("function", name, arities)


def _clashes(kind: str, name: str, arities: Mapping[int, Uses]) -> Iterator[Diagnostic]:
    """Report all numbers of arguments but the commonest, the first of equally common ones."""
    usual = max(arities, key=lambda arity: arities[arity].count)
    for arity, uses in arities.items():
        if arity == usual:
            continue
        once = " (once)" if uses.count == 1 else f" ({uses.count} times)"
        yield Diagnostic(
            slug=f"{kind}-arity",
            severity=Severity.ERROR,
            message=f"{kind} {cut(name)} has {_arguments(arity)} here{once}, "
            f"but {_arguments(usual)} elsewhere",
            span=span_of(uses.place),
            expected=f"{_arguments(usual)} for {cut(name)} everywhere",
            help=f"add or remove arguments here, or give one of the two {kind}s another name",
            notes=(
                Note(
                    f"{_arguments(usual)} here, and in {arities[usual].count} places in all",
                    span_of(arities[usual].place),
                ),
            ),
        )


def keyword_arity(survey: Survey) -> Iterator[Diagnostic]:
    """Find keywords with a wrong number of arguments."""
    for relation in (*survey.heads, *(read for read in survey.reads if read not in survey.heads)):
        right = KEYWORD_ARITIES.get(relation.name, relation.arity)
        if relation.arity == right:
            continue
        for atom in survey.atoms(relation):
            yield Diagnostic(
                slug="keyword-arity",
                severity=Severity.ERROR,
                message=f"{relation.name} has {_arguments(relation.arity)}",
                span=span_of(atom.place),
                expected=f"{_arguments(right)}: {KEYWORD_FORMS[relation.name]}",
                help=_mend(relation.name, relation.arity, right),
            )


KEYWORD_FORMS: Mapping[str, str] = {
    "role": "(role ROLE)",
    "init": "(init FLUENT)",
    "true": "(true FLUENT)",
    "next": "(next FLUENT)",
    "base": "(base FLUENT)",
    "legal": "(legal ROLE MOVE)",
    "does": "(does ROLE MOVE)",
    "input": "(input ROLE MOVE)",
    "goal": "(goal ROLE VALUE)",
    "sees": "(sees ROLE PERCEPT)",
    "terminal": "terminal",
}
"""How each keyword is written."""


def _mend(name: str, arity: int, right: int) -> str:
    if arity < right:
        return f"add what is missing, as in {KEYWORD_FORMS[name]}"
    if right == 0:
        return f"write {name} alone"
    return f"put brackets around what belongs together, as in ({name} ... (name argument))"


def _arguments(number: int) -> str:
    match number:
        case 0:
            return "no arguments"
        case 1:
            return "1 argument"
        case _:
            return f"{number} arguments"
