"""How a match ends, and what it is worth then.

The rules say what a finished game is worth; of giving up, agreeing and being
too late they say nothing, so this does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from gdl.language.keywords import RANDOM

WIN: Final = 100
DRAW: Final = 50
LOSS: Final = 0
PAIR: Final = 2


class How(StrEnum):
    """Why a match is over."""

    RULES = "rules"
    """The rules say so."""
    RESIGNATION = "resignation"
    DRAW = "draw-agreed"
    TIMEOUT = "timeout"
    STUCK = "stuck"
    """The rules are broken: the game is not over, and somebody has no legal move, or what is true
    would become too large to be told, or to be derived."""
    IDLE = "idle"
    """The rules are broken: the game is not over, and nobody ever has anything to do."""
    ENDLESS = "endless"
    """The rules let the game go on for ever, and it has gone on for as long as a log may be."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a match.

    Attributes:
        how: Why it is over.
        goals: What it is worth to each role, 0 to 100; None where nothing says.
        by: Who resigned, was too late, or is stuck; empty otherwise.
    """

    how: How
    goals: Mapping[str, int | None]
    by: str = ""

    @property
    def winner(self) -> str | None:
        """The one player whose goal is greater than all others'; None if there is none."""
        goals = {role: goal for role, goal in self.goals.items() if role != RANDOM}
        told = [goal for goal in goals.values() if goal is not None]
        if len(goals) < PAIR or len(told) < len(goals):
            return None
        best = [role for role, goal in goals.items() if goal == max(told)]
        return best[0] if len(best) == 1 else None

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "how": str(self.how),
            "by": self.by or None,
            "goals": dict(self.goals),
            "winner": self.winner,
        }


def players(roles: Collection[str]) -> tuple[str, ...]:
    """Return the roles that somebody plays: all but nature's."""
    return tuple(role for role in roles if role != RANDOM)


def forfeit(how: How, loser: str, roles: Collection[str]) -> Outcome:
    """Return the end of a match that one role loses by itself.

    Of two players the other one wins. With more of them, nothing says what the others get.
    """
    others = [role for role in players(roles) if role != loser]
    theirs = WIN if len(others) == 1 else None
    goals = {role: LOSS if role == loser else theirs for role in players(roles)}
    return Outcome(how, _goals({**goals, loser: LOSS}), loser)


def agreed_draw(roles: Collection[str]) -> Outcome:
    """Return the end of a match by agreement."""
    return Outcome(How.DRAW, _goals(dict.fromkeys(players(roles), DRAW)))


def _goals(goals: Mapping[str, int | None]) -> Mapping[str, int | None]:
    return MappingProxyType(dict(goals))
