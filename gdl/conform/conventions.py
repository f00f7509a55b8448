"""Ways in which engines of the same game may differ without a rule being broken.

Each has a name; one that is allowed is no difference, and a report says that it was used. Some
have a number, which belongs to the name: ``repetition=3``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from gdl.language.preconditions import ArgumentError

PASS_LEFT_OUT: Final = "pass-left-out"  # noqa: S105  # no password
MOVE_LIMIT: Final = "move-limit"
RETURNS_SCALED: Final = "returns-scaled"
REPETITION: Final = "repetition"
QUIET_LIMIT: Final = "quiet-limit"
WHOLE_TURNS: Final = "whole-turns"
SIMULTANEOUS_IN_TURN: Final = "simultaneous-in-turn"

CONVENTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        PASS_LEFT_OUT: "one side leaves out moves of who has but one, a player or chance",
        MOVE_LIMIT: "one side ends every game after so many moves",
        REPETITION: "one side ends play when a board has been there N times",
        QUIET_LIMIT: "one side ends play after N moves in which nothing is taken",
        RETURNS_SCALED: "returns are goals in other units: r = a + b * goal, b > 0",
        WHOLE_TURNS: "moves that a player makes in a row are one move",
        SIMULTANEOUS_IN_TURN: "moves made at once by the rules are asked for one after the other",
    }
)
"""What each convention says."""
MOST_DIGITS: Final = 10
NUMBERED: Final[Mapping[str, int]] = MappingProxyType({REPETITION: 2, QUIET_LIMIT: 1})
"""The conventions with a number, and the least that this may be."""


def split_convention(name: str) -> tuple[str, int]:
    """Return a convention without its number, and the number, 0 where it has none."""
    kind, _, number = name.partition("=")
    return kind, int(number) if number else 0


def told(name: str) -> str:
    """Return what a convention says, with its number in the place of N."""
    kind, number = split_convention(name)
    return CONVENTIONS[kind].replace(" N ", f" {number} ")


def shown_conventions() -> list[str]:
    """Return how conventions are written, ``=N`` where one has a number."""
    return [f"{name}=N" if name in NUMBERED else name for name in CONVENTIONS]


def require_conventions(names: Collection[str]) -> frozenset[str]:
    """Return names of conventions.

    Raises:
        ArgumentError: There is no such convention, or its number is missing or too small.
    """
    for name in names:
        kind, sign, number = name.partition("=")
        if kind not in CONVENTIONS or (sign and kind not in NUMBERED):
            raise ArgumentError("allow", name, f"one of {', '.join(shown_conventions())}")
        is_number = number.isascii() and number.isdecimal() and len(number) < MOST_DIGITS
        if kind in NUMBERED and not (is_number and int(number) >= NUMBERED[kind]):
            raise ArgumentError("allow", name, f"{kind}=N with N at least {NUMBERED[kind]}")
    return frozenset(names)
