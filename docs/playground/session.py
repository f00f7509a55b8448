"""What the playground asks of gdl: rules and moves in, what a page shows out.

It runs in the browser, where there is the plain package only: rules as they are written, no solver.
In go texts; out come values that JSON can hold. Machine code of the rulesets to begin with
(``games.json``) was made before, and runs beside it (``machine.js``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import gdl
from gdl.boards import with_board
from gdl.language.diagnostics import draw_diagnostics
from gdl.ruleset import find
from gdl.ruleset.flatten import flatten
from gdl.state import State

RULES: Final = Path("game.kif")
LIMITS: Final = gdl.Limits(seconds=20.0)
"""For one text, and for one state."""
MOST_NODES: Final = 20_000
"""States that `perft` counts, at most: some seconds in a browser."""

_games: dict[str, gdl.Game] = {}


def rules_of(name: str) -> str:
    """Return the rules of a ruleset as one text."""
    return flatten(find(name))


def check(text: str) -> dict[str, Any]:
    """Say what is wrong with rules."""
    RULES.write_text(text, encoding="utf-8")
    found = gdl.check(RULES, limits=LIMITS)
    errors = sum(each.severity is gdl.Severity.ERROR for each in found)
    return {"said": draw_diagnostics(found), "errors": errors, "count": len(found)}


def position(text: str, name: str, moves: list[dict[str, str]]) -> dict[str, Any]:
    """Say what a position is, and what can be done there.

    Args:
        text: The rules.
        name: The ruleset whose rules they are, unchanged; empty for rules of somebody's own.
        moves: A move of each role, for each turn so far.
    """
    state = _state(text, name, moves)
    roles = [str(role) for role in state.game.roles]
    is_over = state.is_terminal
    legal = {} if is_over else {role: state.legal(role) for role in roles}
    return {
        "picture": state.game.ruleset.draw_svg(state.facts),
        "facts": str(state.position),
        "legal": {role: [state.notation(move) for move in legal[role]] for role in legal},
        "written": {role: [str(move) for move in legal[role]] for role in legal},
        "over": is_over,
        "goals": {role: state.goal(role) for role in roles} if is_over else {},
    }


def why(text: str, name: str, moves: list[dict[str, str]], query: str) -> str:
    """Prove that something holds, or say what is missing."""
    return str(_state(text, name, moves).why(query))


def perft(text: str, name: str, moves: list[dict[str, str]]) -> list[list[int]]:
    """Count plays of 1, 2, 3 moves and so on, and how many of them end the game, while few."""
    state = _state(text, name, moves)
    depth, before, nodes = 1, 1, 0
    while True:
        counts = state.game.perft(depth, state=state)
        before, nodes = max(1, nodes), counts[-1].nodes
        if nodes == 0 or nodes * nodes // before > MOST_NODES:
            return [[each.depth, each.nodes, each.terminal] for each in counts if each.depth]
        depth += 1


def _state(text: str, name: str, moves: list[dict[str, str]]) -> State:
    state = _game(text, name).initial()
    for joint in moves:
        state = state.play(joint)
    return state


def _game(text: str, name: str) -> gdl.Game:
    key = name or text
    if key not in _games:
        RULES.write_text(text, encoding="utf-8")
        ruleset = find(name) if name else with_board(find(RULES), LIMITS)
        _games.clear()
        _games[key] = gdl.load(ruleset, backend="reason", limits=LIMITS)
    return _games[key]
