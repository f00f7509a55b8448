"""What a player says that had no time to think: the best of what is known, never a draw.

In: the state, its legal moves, what was thought of the move before. Out: `Thoughts` whose note
says on what they rest. In order: the line that was expected, if play has followed it; a move that
wins at once, as far as time allows to look; the move that stood highest the last time; and only
then the first legal move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.play.budget import Budget
from gdl.play.player import Position
from gdl.play.thoughts import Candidate, Thoughts
from gdl.state import State

NO_TIME: Final = "no time to think"
"""How the note of all of this begins."""
BEGUN: Final = f"{NO_TIME}: not all moves were looked at"
"""What a search says that was not yet through with them once."""
LINE: Final = f"{NO_TIME}: the line that was expected"
AT_ONCE: Final = f"{NO_TIME}: it wins at once"
TREE: Final = f"{NO_TIME}: what the tree knows from before"
LAST: Final = f"{NO_TIME}: what stood highest the last time"
HIGHEST: Final = 100
"""The goal of who wins."""
NOTHING: Final = f"{NO_TIME}: nothing is known, the first move"


def fallback_thoughts(
    position: Position, role: Term, legal: Sequence[Term], budget: Budget, last: Thoughts | None
) -> Thoughts:
    """Return what is known of the moves without a search.

    Args:
        position: Where the role is to move.
        role: Who is to move.
        legal: Its legal moves.
        budget: Ends the look for a move that wins at once.
        last: What the role thought of its move before, if it thought.

    Raises:
        GdlError: There is no legal move.
    """
    if not legal:
        raise GdlError(f"{role} has no legal move here")
    if last is not None and last.role != role:
        last = None
    if isinstance(position, State):
        expected = _expected(position, role, last) if last is not None else None
        if expected is not None and expected in legal:
            return _only(role, expected, LINE, last)
        winning = _winning(position, role, legal, budget)
        if winning is not None:
            won = Candidate(winning, 1, HIGHEST, proven=True)
            return Thoughts(role, (won,), note=AT_ONCE)
    for candidate in last.candidates if last is not None else ():
        if candidate.move in legal:
            return _only(role, candidate.move, LAST, last)
    return Thoughts(role, (Candidate(legal[0], 0, 0.0),), note=NOTHING)


def _only(role: Term, move: Term, note: str, last: Thoughts | None) -> Thoughts:
    value = last.best.value if last is not None else 0.0
    return Thoughts(role, (Candidate(move, 0, value),), note=note)


def _expected(state: State, role: Term, last: Thoughts) -> Term | None:
    """Return the move of a role in its last principal line, if that led to this state."""
    played: list[JointMove] = [s.last_move for s in state.history if s.last_move is not None]
    index = state.machine.roles.index(role)
    # The line began at the role's last move, so this state lies as far along it as there were
    # moves since; the shortest way is tried first.
    for passed in range(1, min(len(played), len(last.line) - 1) + 1):
        if tuple(played[-passed:]) == last.line[:passed]:
            return last.line[passed][index]
    return None


def _winning(state: State, role: Term, legal: Sequence[Term], budget: Budget) -> Term | None:
    """Return a move that wins at once, as far as time allows to look; None where none is found."""
    machine: Any = state.machine
    others = [machine.legal(state.inner, other) for other in machine.roles]
    index = machine.roles.index(role)
    if any(len(moves) != 1 for r, moves in enumerate(others) if r != index):
        return None
    for move in legal:
        if budget.is_over:
            return None
        started = budget.spent
        joint = tuple(move if r == index else moves[0] for r, moves in enumerate(others))
        after = machine.successor(state.inner, joint)
        if machine.is_terminal(after) and machine.goals(after, role) == (HIGHEST,):
            return move
        budget.expect(budget.spent - started)
    return None
