"""Ways in which engines of the same game may differ without a rule being broken.

Each has a name; one that is allowed is no difference, and a report says that it was used.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from gdl.language.arguments import ArgumentError

PASS_LEFT_OUT: Final = "pass-left-out"  # noqa: S105  # no password
MOVE_LIMIT: Final = "move-limit"
RETURNS_SCALED: Final = "returns-scaled"
WHOLE_TURNS: Final = "whole-turns"
SIMULTANEOUS_IN_TURN: Final = "simultaneous-in-turn"

CONVENTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        PASS_LEFT_OUT: "one side leaves out moves of who has but one, a player or chance",
        MOVE_LIMIT: "one side ends every game after so many moves",
        RETURNS_SCALED: "returns are goals in other units: r = a + b * goal, b > 0",
        WHOLE_TURNS: "moves that a player makes in a row are one move",
        SIMULTANEOUS_IN_TURN: "moves made at once by the rules are asked for one after the other",
    }
)
"""What each convention says."""


def require_conventions(names: Collection[str]) -> frozenset[str]:
    """Return names of conventions.

    Raises:
        ArgumentError: There is no such convention.
    """
    for name in names:
        if name not in CONVENTIONS:
            raise ArgumentError("allow", name, f"one of {', '.join(CONVENTIONS)}")
    return frozenset(names)
