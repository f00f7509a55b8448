"""Names that are easily confused: by kind, by capitals, by a letter.

Out: ``name-clash``, ``capitalisation``, ``likely-typo``.

The first is a warning of the validator of ggp-base too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdl.language.checks.survey import Survey, Uses
from gdl.language.diagnostics import Diagnostic, Note, Severity, Slip
from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.spelling import Slips
from gdl.language.syntax import Constant, span_of
from gdl.language.words import MAX_SHOWN, cut

MIN_TYPO_LENGTH = 5
"""Shorter names differ by a letter on purpose too often."""

MIN_COMMON = 3
"""Occurrences that make a name common."""


def name_clash(survey: Survey) -> Iterator[Diagnostic]:
    """Find names used both as a relation and as a function."""
    for name, arities in survey.functions.items():
        relations = survey.relations.get(name)
        if relations is None or name in KEYWORD_ARITIES:
            continue
        function = _first(survey, arities.values())
        relation = _first(survey, relations.values())
        yield Diagnostic(
            slug="name-clash",
            severity=Severity.HINT,
            message=f"{cut(name)} is both a function and a relation",
            span=span_of(function.place),
            expected="one use for each name",
            help="if a condition forgets true, does, init or next, add it; else rename one",
            notes=(Note("used as a relation here", span_of(relation.place)),),
        )


def capitalisation(survey: Survey) -> Iterator[Diagnostic]:
    """Find names that differ from another name only in capitals."""
    variants: dict[str, dict[str, Uses]] = {}
    for name, uses in _all_names(survey):
        spelt = variants.setdefault(name.casefold(), {})
        old = spelt.get(name)
        spelt[name] = uses if old is None else _together(survey, old, uses)
    for spellings in variants.values():
        if len(spellings) == 1:
            continue
        usual = max(spellings, key=lambda name: spellings[name].count)
        for name, uses in spellings.items():
            if name == usual:
                continue
            yield Diagnostic(
                slug="capitalisation",
                severity=Severity.WARNING,
                message=f"{cut(name)} and {cut(usual)} differ only in capitals, "
                "so they are two different names",
                span=span_of(uses.place),
                expected=f"{cut(usual)}, or a name that is different in more than capitals",
                help=f"write {cut(usual)} if the same is meant",
                notes=(Note(f"{cut(usual)} is used here", span_of(spellings[usual].place)),),
                slip=Slip(name, usual),
            )


def likely_typo(survey: Survey) -> Iterator[Diagnostic]:
    """Find object constants that occur once and are a letter away from a common one.

    Names of roles are left to ``unknown-role``; a letter more or less at the end is left
    alone, as in ``queen`` and ``queens``.
    """
    roles = {role.term.name for role in survey.role_arguments() if isinstance(role.term, Constant)}
    common = Slips(
        name
        for name, uses in survey.constants.items()
        if uses.count >= MIN_COMMON and MIN_TYPO_LENGTH <= len(name) <= MAX_SHOWN
    )
    for name, uses in survey.constants.items():
        if uses.count > 1 or not MIN_TYPO_LENGTH <= len(name) <= MAX_SHOWN or not name.isalpha():
            continue
        meant = common.near(name)
        if meant is None or name in roles or name.startswith(meant) or meant.startswith(name):
            continue
        yield Diagnostic(
            slug="likely-typo",
            severity=Severity.WARNING,
            message=f"{cut(name)} occurs only here, and is nearly {cut(meant)}",
            span=span_of(uses.place),
            expected="each name spelt the same everywhere",
            help=f"did you mean {meant}?",
            notes=(Note(f"{cut(meant)} is used here", span_of(survey.constants[meant].place)),),
            slip=Slip(name, meant),
        )


def _all_names(survey: Survey) -> Iterator[tuple[str, Uses]]:
    for table in (survey.relations, survey.functions):
        for name, arities in table.items():
            for uses in arities.values():
                yield name, uses
    yield from survey.constants.items()


def _first(survey: Survey, several: Iterable[Uses]) -> Uses:
    return min(several, key=lambda uses: survey.position(uses.place))


def _together(survey: Survey, left: Uses, right: Uses) -> Uses:
    return Uses(_first(survey, (left, right)).place, left.count + right.count)
