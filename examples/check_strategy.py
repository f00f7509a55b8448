"""Replay a strategy of ``gdl force --strategy`` against every reply, by the rules as written.

python examples/check_strategy.py GAME FILE

Play must end, within the moves that the file promises. Where it promises none (null), play may go
on for ever, and only must not end below the goal. This knows the reasoner and the form of the file,
and nothing of what found the strategy.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path
from typing import Any

import gdl


def words(state: gdl.State) -> str:
    """Return a position as the file writes it: its facts as text, sorted."""
    return " ".join(sorted(str(fact) for fact in state.facts))


def check(game: gdl.Game, said: dict[str, Any]) -> int:
    """Return the positions that were met.

    Raises:
        ValueError: The role does not get its goal, whatever the others do.
    """
    if said["format"] != "gdl-strategy-1" or said["rules"] != game.ruleset.digest():
        raise ValueError("the file is no strategy, or one of other rules")
    role, goal = said["role"], said["goal"]
    start = game.position(said["start"])
    may_last = said["plies"] is None
    left: dict[str, int] = {}  # for each position that is done the moves to the end, at most
    open_: set[str] = set()
    stack: list[tuple[gdl.State, bool]] = [(start, False)]
    while stack:
        state, is_done = stack.pop()
        name = words(state)
        if is_done:
            open_.discard(name)
            after = [left.get(words(child), 0) for child in replies(state, role, said)]
            left[name] = 1 + max(after)
        elif name in open_:
            if may_last:
                continue
            raise ValueError(f"play may come round again to: {name}")
        elif state.is_terminal:
            if state.goal(role) < goal:
                raise ValueError(f"{role} has {state.goal(role)} and not {goal} in: {name}")
            left[name] = 0
        elif name not in left:
            open_.add(name)
            stack.append((state, True))
            stack += [(child, False) for child in replies(state, role, said)]
    if not may_last and left[words(start)] > said["plies"]:
        raise ValueError(f"it takes {left[words(start)]} moves and not {said['plies']}")
    return len(left)


def replies(state: gdl.State, role: str, said: dict[str, Any]) -> list[gdl.State]:
    """Return what may follow: one move of the role, every one of all others."""
    choices = []
    for other in state.game.roles:
        legal = list(state.legal(other))
        if not legal:
            raise ValueError(f"{other} has no move in: {words(state)}")
        if other == role and len(legal) > 1:
            move = said["moves"].get(words(state))
            legal = [each for each in legal if str(each) == move]
            if not legal:
                raise ValueError(f"no legal move is named for: {words(state)}")
        choices.append(legal)
    return [state.play(list(joint)) for joint in product(*choices)]


def main() -> None:
    """Check the file named on the command line; without one a strategy of tic-tac-toe."""
    if sys.argv[1:]:
        name, file = sys.argv[1:]
        said = json.loads(Path(file).read_text())
    else:
        name, said = "tictactoe", example()
    try:
        met = check(gdl.load(name, backend="reason"), said)
    except ValueError as error:
        sys.exit(f"refused: {error}")
    print(f"{said['role']} gets at least {said['goal']} in all of {met} positions")


def example() -> dict[str, Any]:
    """Return a strategy of who wins by the next move."""
    game = gdl.load("tictactoe", backend="reason")
    state = game.initial().play("b2").play("a1").play("c1").play("b1")
    return {
        "format": "gdl-strategy-1",
        "rules": game.ruleset.digest(),
        "role": "x",
        "goal": 100,
        "plies": 1,
        "start": words(state),
        "moves": {words(state): "(mark a 3)"},
    }


if __name__ == "__main__":
    main()
