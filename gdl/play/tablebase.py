"""Moves by a table of all positions (`gdl.solve`): no player leaves the value where one is at hand.

In: a state whose game was told of a table (`Game.use`). Out: `Thoughts` in which every move has its
exact value. Whatever play leads to from a position of a table is in it too, so a player that asks
here never needs to search, nor to ask for the leaves of a search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.play.information import InformationState, is_nature
from gdl.play.player import Position
from gdl.play.thoughts import Candidate, Thoughts

if TYPE_CHECKING:
    from gdl.solve.table import Value
    from gdl.state import State, TableLike

NEVER: Final = -1.0
"""What a role alone has that can reach no end any more, below every goal."""


def table_thoughts(
    state: Position, role: Term, table: TableLike[Value] | None = None
) -> Thoughts | None:
    """Return the values of a role's moves, the one that keeps the value of the state first.

    The table is by default that of the game. None where there is none, the state is not in it,
    facts are hidden, or another role has a choice, nature among them: then a single move keeps
    nothing, and leads to no one value. Costs one look-up a move.
    """
    if isinstance(state, InformationState):
        return None
    table = table or state.game.table
    if table is None or is_nature(role):
        return None
    try:
        here, children = valued_moves(state, role, table)
    except GdlError:
        return None
    name = str(role)
    return Thoughts(
        role,
        tuple(Candidate(move, 0, _goal(value, name), proven=True) for move, value in children),
        note=f"by the table: {here}",
    )


def valued_moves(
    state: State, role: Term, table: TableLike[Value]
) -> tuple[Value, list[tuple[Term, Value]]]:
    """Return what a state is worth, and what each move of the only role that moves leads to.

    The move that keeps the value comes first, then the others as they are good for the role.

    Raises:
        GdlError: The state, or one that a move leads to, is not in the table; or another role,
            nature perhaps, has a choice, so that it is not the move that says what follows.
    """
    machine = state.machine
    legal = {other: machine.legal(state.inner, other) for other in machine.roles}
    if others := [str(r) for r, moves in legal.items() if r != role and len(moves) > 1]:
        raise GdlError(
            f"what a move of {role} leads to is not known: {' and '.join(others)} can choose",
            expected="a position in which no other role has a choice",
        )
    here = table.value(state)
    children: list[tuple[Term, Value]] = []
    for move in legal[role]:
        joint = tuple(move if other == role else legal[other][0] for other in machine.roles)
        children.append((move, table.value(state.play(joint))))
    name = str(role)
    children.sort(key=lambda child: _rank(child[1], here, name), reverse=True)
    return here, children


def _rank(after: Value, here: Value, role: str) -> tuple[float, bool, bool]:
    """Return how good it is to go to a position from another.

    Of moves that bring as much the one counts on which the table counted: then the others have what
    it says, too, and the end comes nearer by a move each time, so that nobody who has won goes
    round in circles, and who has lost delays as long as can be.
    """
    is_nearer = here.distance is not None and after.distance == here.distance - 1
    return _goal(after, role), after.goals == here.goals, is_nearer


def _goal(value: Value, role: str) -> float:
    goal = value.goals[role]
    return NEVER if goal is None else float(goal)
