"""How a game ended, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gdl.language.keywords import RANDOM
from gdl.language.source import display_width
from gdl.playouts import single_goals
from gdl.state import State

FULL: Final = 100
UNTITLED: Final[Mapping[str, str]] = {}


def outcome(state: State) -> str:
    """Return one sentence on who won a finished game, and the goals, one player a line."""
    goals = dict(zip(state.game.roles, single_goals(state.game.machine, state.inner), strict=True))
    if len(goals) > 1:
        goals.pop(RANDOM, None)
    titles = {role: state.game.ruleset.title_of(role) for role in goals}
    width = max(map(display_width, titles.values()))
    lines = [
        f"  {title}{' ' * (width - display_width(title))}  {_told(goals[role])}"
        for role, title in titles.items()
    ]
    return "\n".join([headline(goals, titles), *lines])


def _told(goal: int | None) -> str:
    return "no single goal" if goal is None else f"{goal:>3}"


def headline(goals: Mapping[str, int | None], titles: Mapping[str, str] = UNTITLED) -> str:
    """Return who won: the one role whose goal is greater than all others; nature's is none."""
    goals = {role: goal for role, goal in goals.items() if role != RANDOM} or goals
    given = {role: goal for role, goal in goals.items() if goal is not None}
    if len(goals) == 1:
        return "Solved." if FULL in given.values() else "Not solved."
    if len(given) < len(goals):
        return "The rules do not say who wins."
    best = max(given.values())
    winners = [role for role, goal in given.items() if goal == best]
    return f"{titles.get(winners[0], winners[0])} wins." if len(winners) == 1 else "A draw."
