"""Incremental checking of rules that are edited: what is said of those not touched is kept.

In: version after version of the rules of a game, read from one text or from many. Out: of each what
`check_reading` says of it. Rules that the last version had too, the same objects one after the
other, keep their clauses, surveys, and what the checks that look at one rule at a time say of them;
the other checks look at all rules, as these surveys tell of them together. Runs of rules are found
by their places: those of a file that nobody edits are one, and so are those of each piece of a text
that somebody does (see `gdl.language.parse.incremental`).

    with recheck:
        problems = recheck.problems(read, whole)

is a version; a game that a file has a part in several times, as rulesets share files, is asked for
as often. Places in texts that are read in pieces are true of the last version of each alone, so
there is one version at a time of anything.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from types import TracebackType
from typing import Final

from gdl.language.checks.check import (
    CHECKS,
    MAX_DIAGNOSTICS,
    ONE_RULE,
    Check,
    check_reading,
    run_checks,
    too_deep,
)
from gdl.language.checks.survey import Survey
from gdl.language.clauses import LITERALS_PER_RULE, clauses
from gdl.language.diagnostics import Diagnostic, LimitError, sort_diagnostics
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse.incremental import NotInPiecesError, Stretched, real
from gdl.language.syntax import Description, GdlSyntaxError, Rule

LOCAL: Final[tuple[Check, ...]] = tuple(
    listed.run for listed in CHECKS if listed.standing is ONE_RULE
)
"""Checks of one rule at a time: of a part of the rules they say what they say of it in all."""

_ONE_AT_A_TIME: Final = threading.RLock()


@dataclass(frozen=True, slots=True)
class _Judged:
    """What follows from some rules alone; they are held, so that their identities stay theirs."""

    rules: tuple[Rule, ...]
    survey: Survey
    said: Mapping[Check, Sequence[Diagnostic]]


class Recheck:
    """The problems of rules, version after version. Threads may ask; one waits for the other."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        """Begin with nothing judged."""
        self._limits = limits
        self._judged: dict[tuple[int, ...], _Judged] = {}
        self._asked: set[tuple[int, ...]] = set()

    def __enter__(self) -> None:
        """Begin with a version."""
        _ONE_AT_A_TIME.acquire()
        self._asked.clear()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Forget what is not in the version any more."""
        self._judged = {key: kept for key, kept in self._judged.items() if key in self._asked}
        _ONE_AT_A_TIME.release()

    def problems(
        self, read: Callable[[], Description], whole: Callable[[], Description]
    ) -> list[Diagnostic]:
        """Return every problem of some rules, those of reading included, sorted by place.

        Args:
            read: Reads them, edited texts in pieces.
            whole: Reads them, each text as a whole; asked where that is needed.

        Raises:
            GdlError: Whatever else ``read`` raises, as of `check_reading`.

        Cost: that of reading and judging what is new, and of the checks of all rules.
        """
        errors: Sequence[Diagnostic] = ()
        try:
            try:
                description = read()
            except GdlSyntaxError as error:
                if error.readable is None:
                    return list(error.diagnostics)
                description, errors = error.readable, error.diagnostics
            problems = self._of_parts(description, is_partial=bool(errors))
        except (NotInPiecesError, LimitError):
            return check_reading(whole, limits=self._limits)  # which says which limit, and where
        return sort_diagnostics([*errors, *map(real, problems)])

    def _of_parts(self, description: Description, *, is_partial: bool) -> list[Diagnostic]:
        runs = (tuple(run) for _, run in groupby(description.rules, _run_of))
        parts = [self._judge(run) for run in runs]
        clausal = tuple(chain.from_iterable(part.survey.clauses for part in parts))
        literals = sum(len(clause.body) for clause in clausal)
        if len(clausal) > self._limits.rules or literals > self._limits.rules * LITERALS_PER_RULE:
            raise NotInPiecesError
        survey = Survey(description, clausal, is_partial, [part.survey for part in parts])
        said = {
            check: [*chain.from_iterable(part.said[check] for part in parts)] for check in LOCAL
        }
        if any(len(problems) > MAX_DIAGNOSTICS for problems in said.values()):
            raise NotInPiecesError
        return run_checks(survey, self._limits, said)

    def _judge(self, rules: tuple[Rule, ...]) -> _Judged:
        key = tuple(map(id, rules))
        self._asked.add(key)
        if (kept := self._judged.get(key)) is not None:
            return kept
        description = Description(rules)
        if next(too_deep(description, self._limits.depth), None) is not None:
            raise NotInPiecesError
        survey = Survey(description, clauses(description, limits=self._limits))
        self._judged[key] = _Judged(rules, survey, {check: [*check(survey)] for check in LOCAL})
        return self._judged[key]


def _run_of(rule: Rule) -> tuple[int, int]:
    """Return what a rule has in common with those that are judged with it."""
    if rule.place is None:
        return 0, 0
    span, source = rule.place.span, rule.place.span.source
    return id(source), source.index(span.start) if isinstance(source, Stretched) else 0
