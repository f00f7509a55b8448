"""What is answered when something cannot be done: a status, a code, a text.

In: errors of the rooms below. Out: a `ProblemError`, the one form in which HTTP and the socket
say no. An error that nobody foresaw becomes a 500 without a word of its insides.

Source: statuses as in RFC 9110.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from gdl.language.diagnostics import Diagnostic, GdlError, LimitError, draw_advice
from gdl.match.records import UnavailableError
from gdl.match.refusal import Code, RefusedError
from gdl.web.logs import Seldom

OF_CODE: Final[Mapping[Code, int]] = {
    Code.MALFORMED_ACTION: 422,
    Code.UNKNOWN_ROLE: 404,
    Code.MALFORMED: 422,
    Code.OUT_OF_RANGE: 422,
    Code.OCCUPIED: 422,
    Code.ILLEGAL_MOVE: 422,
}
"""Status of each code of a refused action; of all others 409: the match does not stand so."""
RETRY_SECONDS: Final = 2.0
"""When whoever finds no room, or no database, may ask again."""
CONFLICT: Final = 409
_NO_DATABASE: Final = Seldom("no-database", "times", logging.ERROR)


class ProblemError(Exception):
    """A request that is not done.

    Attributes:
        status: As HTTP counts.
        code: What programs compare.
        message: For people, with what was expected.
        expected: What would have been right, None where nobody said it.
        more: Further fields of the answer.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        expected: str | None = None,
        **more: Any,  # noqa: ANN401  # any JSON
    ) -> None:
        """Keep the parts."""
        self.status = status
        self.code = code
        self.message = "\n".join([message, *draw_advice(expected, None, ())])
        self.expected = expected
        self.more = more
        super().__init__(self.message)

    def to_json(self) -> dict[str, Any]:
        """Return the answer's body."""
        return {"error": {"code": self.code, "message": self.message, **self.more}}

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> ProblemError:
        """Return the problem that another process has written with `to_wire`."""
        return cls(value["status"], value["code"], value["message"], **value["more"])

    def to_wire(self) -> dict[str, Any]:
        """Return the problem for another process."""
        return {
            "status": self.status,
            "code": self.code,
            "message": self.message,
            "more": self.more,
        }


def problem_of(error: GdlError | ProblemError) -> ProblemError:
    """Return the problem that an error of the rooms below is; of a problem, that itself.

    Why the database cannot be used is told to the log alone: it may name machines and users.
    """
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, RefusedError):
        return ProblemError(OF_CODE.get(error.code, CONFLICT), str(error.code), str(error))
    if isinstance(error, UnavailableError):
        _NO_DATABASE.note(why=str(error))
        text = "the database does not answer, or takes nothing more"
        return ProblemError(503, "no-database", text, retryAfter=RETRY_SECONDS)
    code = "rules-too-large" if isinstance(error, LimitError) else "invalid"
    more: dict[str, Any] = {}
    if error.diagnostics:
        more["diagnostics"] = [diagnostic_json(diagnostic) for diagnostic in error.diagnostics]
    return ProblemError(422, code, str(error), **more)


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as a JSON object; lines and columns are counted from 1."""
    written: dict[str, Any] = {
        "severity": diagnostic.severity.name.lower(),
        "slug": diagnostic.slug,
        "message": diagnostic.message,
        "expected": diagnostic.expected,
        "help": diagnostic.help,
        "text": str(diagnostic),
        "span": None,
    }
    if (span := diagnostic.span) is not None:
        line, column = span.source.position(span.start)
        last_line, last_column = span.source.position(max(span.start, span.stop))
        written["span"] = {
            "start": span.start,
            "stop": span.stop,
            "line": line,
            "column": column,
            "endLine": last_line,
            "endColumn": last_column,
        }
    return written
