"""The programs that can take a seat.

In: the name of a player of `gdl.play`. Out: the seat that it takes, or a `ProblemError`.
"""

from __future__ import annotations

from typing import Any, Final

from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.match.records import Seat
from gdl.web.problems import ProblemError

NATURE: Final = "random"
"""The player that draws for the role ``random``, and for a program that fails."""


def nature(at: int) -> Seat:
    """Return the seat of the role ``random``."""
    return Seat(RANDOM, "", "nature", f"0.1 {NATURE}", at)


def check_program(spec: str) -> None:
    """Refuse the name of a program that there is not.

    Raises:
        ProblemError: ``unknown-agent``.
    """
    from gdl.play.registry import make

    try:
        make(spec, guest=True)
    except GdlError as error:
        raise ProblemError(422, "unknown-agent", str(error)) from error


def listed() -> list[dict[str, Any]]:
    """Return the programs that can take a seat."""
    from gdl.play.registry import Kind, kinds

    return [
        {
            "name": kind.name,
            "summary": kind.summary,
            "options": [
                {"name": option.name, "default": option.show(), "help": option.help}
                for option in kind.options or ()
            ],
        }
        for kind in map(Kind.for_guests, kinds().values())
    ]
