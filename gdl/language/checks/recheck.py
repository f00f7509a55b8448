"""The check of a text that is edited: what is said of rules that no edit touched is kept.

In: version after version of one KIF text. Out: of each what `check_reading` says of it. Pieces of
the text that stand in the last version too (see `gdl.language.parse.pieces`) keep their rules,
clauses, surveys, and what the checks that look at one rule at a time say of them; the other
checks look at all rules, as the surveys of the pieces tell of them together.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from gdl.language.checks.check import (
    CHECKS,
    MAX_DIAGNOSTICS,
    ONE_RULE,
    Check,
    check_partial,
    check_reading,
    run_checks,
    too_deep,
)
from gdl.language.checks.survey import Survey
from gdl.language.clauses import LITERALS_PER_RULE, clauses
from gdl.language.diagnostics import Diagnostic, LimitError, sort_diagnostics
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import is_text, parse
from gdl.language.parse.pieces import NotInPiecesError, Piece, Pieces
from gdl.language.source import Source
from gdl.language.syntax import Description

LOCAL: Final[tuple[Check, ...]] = tuple(
    listed.run for listed in CHECKS if listed.standing is ONE_RULE
)
"""Checks of one rule at a time: of a part of the rules they say what they say of it in all."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """What follows from one piece alone."""

    survey: Survey
    said: Mapping[Check, Sequence[Diagnostic]]


class Recheck:
    """The problems of one text, version after version.

    Threads may ask at once; one waits for the other.
    """

    def __init__(self, name: str, limits: Limits = DEFAULT_LIMITS) -> None:
        """Begin with nothing read."""
        self._limits = limits
        self._pieces = Pieces(name, limits)
        self._judged: dict[Piece, _Judged] = {}
        self._lock = threading.Lock()

    def problems(self, source: Source) -> list[Diagnostic]:
        """Return every problem of a version, those of reading included, sorted by place.

        Cost: that of reading and checking the pieces that are new, and of the checks of all rules.
        """
        with self._lock:
            if is_text(source, self._limits):
                try:
                    return self._in_pieces(source)
                except (NotInPiecesError, LimitError):
                    pass  # the whole says which limit, and where
            self._pieces = Pieces(self._pieces.name, self._limits)
            self._judged = {}
            return check_reading(
                lambda: parse(source, syntax="kif", limits=self._limits), limits=self._limits
            )

    def _in_pieces(self, source: Source) -> list[Diagnostic]:
        pieces = self._pieces
        pieces.read(source)
        if not pieces.is_judged:
            nothing = check_partial(Description((), (source,)), limits=self._limits)
            return sort_diagnostics([*pieces.errors, *nothing])
        self._judged = {
            piece: (self._judged.get(piece) if piece.is_sound else None) or self._judge(piece)
            for piece in pieces.pieces
        }
        parts = [judged.survey for judged in self._judged.values()]
        errors = pieces.errors
        description = Description(
            tuple(chain.from_iterable(piece.rules for piece in pieces.pieces)), (pieces.stretched,)
        )
        clausal = tuple(chain.from_iterable(part.clauses for part in parts))
        literals = sum(len(clause.body) for clause in clausal)
        if len(clausal) > self._limits.rules or literals > self._limits.rules * LITERALS_PER_RULE:
            raise NotInPiecesError
        survey = Survey(description, clausal, is_partial=bool(errors), parts=parts)
        said = {
            check: [*chain.from_iterable(judged.said[check] for judged in self._judged.values())]
            for check in LOCAL
        }
        if any(len(problems) > MAX_DIAGNOSTICS for problems in said.values()):
            raise NotInPiecesError
        problems = [*map(pieces.real, run_checks(survey, self._limits, said))]
        return sort_diagnostics([*errors, *problems]) if errors else problems

    def _judge(self, piece: Piece) -> _Judged:
        description = Description(piece.rules, (self._pieces.stretched,))
        if next(too_deep(description, self._limits.depth), None) is not None:
            raise NotInPiecesError
        survey = Survey(description, clauses(description, limits=self._limits))
        return _Judged(survey, {check: [*check(survey)] for check in LOCAL})
