"""What the playground asks of gdl: rules and moves in, what a page shows out.

It runs in the browser, where there is the plain package only: rules as they are written, no solver.
In go texts; out come values that JSON can hold. Machine code of the rulesets to begin with
(``games.json``) was made before, and runs beside it (``machine.js``).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import product
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
SECONDS: Final = 20.0
"""What looking at positions one after the other may take; the page waits ten more."""
MORE: Final = "pip install 'gdl-framework[all]'"

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


def changes(text: str, name: str) -> str:
    """Say after which play the rules part from those of a ruleset, the shortest there is.

    Positions that the same moves lead to are compared, all after n moves before any after more.
    Where no more are left, both are the same game, which is proved by that.
    """
    mine = _game(text, "").initial()
    theirs = gdl.load(find(name), backend="reason", limits=LIMITS).initial()
    if mine.game.hides_facts or theirs.game.hides_facts:
        return f"What roles are shown is not compared here; gdl diff does, after {MORE}."
    if mine.game.roles != theirs.game.roles:
        return f"The roles differ: {_listed(mine.game.roles)} and {_listed(theirs.game.roles)}."
    end = time.monotonic() + SECONDS
    seen, work = {(mine.facts, theirs.facts)}, deque([(mine, theirs)])
    while work:
        mine, theirs = work.popleft()
        if parted := _parting(mine, theirs):
            return f"{parted}, {_after(mine)}.\n\n{mine.position}\n\n{theirs.position}"
        if time.monotonic() > end:
            depth = max(1, len(mine.history) - 1)
            return (
                f"No difference before move {depth}; later ones were not all looked at. "
                f"gdl diff proves more, after {MORE}."
            )
        for joint in _joint_moves(mine):
            pair = mine.play(joint), theirs.play(joint)
            if (pair[0].facts, pair[1].facts) not in seen:
                seen.add((pair[0].facts, pair[1].facts))
                work.append(pair)
    return f"The same game: all {len(seen):,} positions were compared."


def verify(text: str, name: str) -> str:
    """Say what every game must keep, and whether this one does: in all its positions, or in some.

    What is refuted is refuted by a play. It is proved where all positions were looked at.
    """
    first = _game(text, name).initial()
    # What the rules say, without what a `State` knows beside it: a third less time.
    machine: Any = first.machine
    end = time.monotonic() + SECONDS
    broken: dict[str, str] = {}
    winners: set[str] = set()
    came: dict[Any, tuple[Any, Any]] = {first.inner: (None, None)}
    work = deque([first.inner])
    while work and time.monotonic() < end:
        here = work.popleft()
        if machine.is_terminal(here):
            goals = {str(role): machine.goals(here, role) for role in machine.roles}
            winners |= {role for role, values in goals.items() if values == (100,)}
            for role in [role for role, values in goals.items() if len(values) != 1]:
                broken.setdefault("one goal at each end", f"{role} has none, {_way(came, here)}")
            continue
        choices = {role: machine.legal(here, role) for role in machine.roles}
        for role in [role for role, moves in choices.items() if not moves]:
            broken.setdefault("everybody can move", f"{role} cannot, {_way(came, here)}")
        for joint in product(*choices.values()):
            after = machine.successor(here, joint)
            if after not in came:
                came[after] = here, joint
                work.append(after)
    roles = first.game.roles
    lost = [str(role) for role in roles if str(role) not in {*winners, "random"}]
    if lost and not work:
        broken["everybody can win"] = f"not {_listed(lost)}"
    where = f"in {'some' if work else 'all'} {len(came):,} positions"
    lines = [
        f"{law}: refuted, {broken[law]}" if law in broken else f"{law}: {kept}"
        for law in ("everybody can move", "one goal at each end", "everybody can win")
        for kept in [f"looked at {where}" if work else f"proved {where}"]
    ]
    return "\n".join([*lines, "", f"gdl verify proves more, after {MORE}."])


def _joint_moves(state: State) -> Iterator[dict[Any, Any]]:
    """Yield what all roles may do together; nothing at the end, or where somebody cannot move."""
    roles = state.game.roles
    if not state.is_terminal:
        for moves in product(*(state.legal(role) for role in roles)):
            yield dict(zip(roles, moves, strict=True))


def _parting(mine: State, theirs: State) -> str:
    """Return in which way two positions differ; empty where they do not."""
    if mine.is_terminal != theirs.is_terminal:
        side = "your rules" if mine.is_terminal else "the ruleset"
        return f"Play is over only by {side}"
    for role in mine.game.roles:
        if mine.is_terminal:
            goals = _goal(mine, role), _goal(theirs, role)
            if goals[0] != goals[1]:
                return f"By your rules {role} has {goals[0]}, by the ruleset {goals[1]}"
            continue
        own, other = set(mine.legal(role)), set(theirs.legal(role))
        if own != other:
            more, side = (
                (own - other, "your rules") if own - other else (other - own, "the ruleset")
            )
            return f"{role} may do {min(map(str, more))} only by {side}"
    return ""


def _goal(state: State, role: Any) -> str:  # noqa: ANN401  # a term or its name
    try:
        return str(state.goal(role))
    except gdl.GdlError:
        return "no one goal"


def _after(state: State) -> str:
    return _told(after.last_move for after in state.history if after.last_move is not None)


def _way(came: dict[Any, tuple[Any, Any]], here: Any) -> str:  # noqa: ANN401  # a machine's state
    """Return how play came to a position, by the position before each and the moves there."""
    moves = []
    while (before := came[here])[1] is not None:
        moves.append(before[1])
        here = before[0]
    return _told(reversed(moves))


def _told(turns: Iterable[Any]) -> str:
    moves = [" & ".join(str(move) for move in turn if str(move) != "noop") for turn in turns]
    return f"after {', '.join(moves)}" if moves else "in the first position"


def _listed(names: Any) -> str:  # noqa: ANN401  # terms or texts
    return ", ".join(map(str, names))


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
