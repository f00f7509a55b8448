"""Goal values are whole numbers from 0 to 100.

Out: ``goal-value``.

Source: GDL specification 2008, section 4 (goal: an integer between 0 and 100).
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.language.checks.survey import Survey, span_of
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.syntax import Constant, Signature, Term, Variable
from gdl.language.words import written

MAX_GOAL = 100
MAX_DIGITS = 3


def goal_value(survey: Survey) -> Iterator[Diagnostic]:
    """Find goal values that are no number, or none from 0 to 100."""
    for value, _ in survey.produced(Signature("goal", 2)):
        wrong = _what_is_wrong(value.term)
        if wrong is not None:
            yield Diagnostic(
                slug="goal-value",
                severity=Severity.ERROR,
                message=f"goal value {written(*value)} {wrong}",
                span=span_of(value.place),
                expected=f"a whole number from 0 to {MAX_GOAL}",
                help="write 100 for a win, 0 for a loss, or what lies between",
            )


def _what_is_wrong(value: Term) -> str | None:
    match value:
        case Variable():
            return None
        case Constant(name) if name.isascii() and name.isdigit():
            digits = name.lstrip("0")
            too_great = len(digits) > MAX_DIGITS or int(digits or "0") > MAX_GOAL
            return f"is greater than {MAX_GOAL}" if too_great else None
        case Constant(name) if name[:1] == "-" and name[1:].isdigit():
            return "is less than 0"
        case _:
            return "is not a whole number"
