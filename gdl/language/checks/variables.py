"""Variables that were probably meant to be another one.

Out: ``variable-typo``.

A variable that occurs once is common and harmless (GDL has no anonymous variable), so
only one that is nearly another variable of the same rule is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from gdl.language.checks.survey import Survey
from gdl.language.diagnostics import Diagnostic, Note, Severity, Slip
from gdl.language.spelling import is_slip
from gdl.language.syntax import Place, Rule, Variable, span_of
from gdl.language.walk import leaf_variables, leaves
from gdl.language.words import written

Occurrence: TypeAlias = tuple[Variable, Place | None]

MIN_LENGTH = 4
"""Shorter names differ by a letter on purpose too often."""

MAX_VARIABLES = 40
"""Rules with more variables are not looked at."""


def variable_typo(survey: Survey) -> Iterator[Diagnostic]:
    """Find variables that occur once in a rule and are nearly another one of it."""
    for rule in survey.description.rules:
        places = _places(rule)
        if not 1 < len(places) <= MAX_VARIABLES:
            continue
        spellings: set[str] = set()
        for name, occurrences in places.items():
            meant = _meant(name, places) if len(occurrences) == 1 else None
            if meant is None or meant in spellings:
                continue
            spellings.add(name)
            yield _typo((Variable(name), occurrences[0]), (Variable(meant), places[meant][0]))


def _typo(odd: Occurrence, meant: Occurrence) -> Diagnostic:
    usual = written(*meant)
    return Diagnostic(
        slug="variable-typo",
        severity=Severity.WARNING,
        message=f"{written(*odd)} occurs only once in this rule, and is nearly {usual}",
        span=span_of(odd[1]),
        expected=f"{usual}, or a variable with a name of its own",
        help=f"did you mean {usual}?",
        notes=(Note(f"{usual} is used here", span_of(meant[1])),),
        slip=Slip(odd[0].name, meant[0].name),
    )


def _meant(name: str, places: dict[str, list[Place | None]]) -> str | None:
    for other, occurrences in places.items():
        if other == name:
            continue
        if other.casefold() == name.casefold():
            return other
        is_long = min(len(name), len(other)) >= MIN_LENGTH
        if is_long and len(occurrences) > 1 and _is_plain_slip(name, other):
            return other
    return None


def _is_plain_slip(name: str, other: str) -> bool:
    """Return whether a slip is likelier than intent: not in ``?row1`` and ``?row2``."""
    return name[-1:] == other[-1:] and name[:1] == other[:1] and is_slip(name, other)


def _places(rule: Rule) -> dict[str, list[Place | None]]:
    places: dict[str, list[Place | None]] = {}
    for leaf in leaves(rule):
        for variable, place in leaf_variables(leaf):
            places.setdefault(variable.name, []).append(place)
    return places
