"""Write the perft tables that open_spiel gives: ``python -m tests.library.spiel_tables [ID...]``.

Counted by open_spiel alone; a goal is the number from 0 to 100 that stands for its return, and
`random` has the goal 0. A change is reviewed as a diff.
"""

from __future__ import annotations

import re
import sys
from itertools import product
from typing import Any

from tests.library import moving_twins, placement_twins, spiel_twins
from tests.library.spiel_walk import Twin
from tests.perft.tables import FOLDER, Row

HEAD = """\
# Perft of {ruleset}: depth nodes terminal goal-sums ({roles}).
# A terminal state has no children; goal sums are over the terminal leaves. Format: README.md.
# Counted by open_spiel, {spiel} (python -m tests.library.spiel_tables).

id      start
ruleset {ruleset}
"""


def successors(state: Any) -> list[Any]:  # noqa: ANN401 (open_spiel has no types)
    """Return the states after each action, outcome, or combination of actions."""
    if state.is_simultaneous_node():
        players = range(state.num_players())
        after = []
        for actions in product(*(state.legal_actions(player) for player in players)):
            after.append(state.clone())
            after[-1].apply_actions(actions)
        return after
    return [state.child(action) for action in state.legal_actions()]


def rows(twin: Twin, depth: int) -> list[Row]:
    """Return the leaves at each depth from the first position on."""
    states, found = [twin.start().theirs], list[Row]()
    for ply in range(1, depth + 1):
        states = [
            after for state in states if not state.is_terminal() for after in successors(state)
        ]
        over = [goals(twin, state) for state in states if state.is_terminal()]
        sums = tuple(map(sum, zip(*over, strict=True))) if over else (0,) * len(twin.game.roles)
        found.append(Row(ply, len(states), len(over), sums))
    return found


def goals(twin: Twin, state: Any) -> tuple[int, ...]:  # noqa: ANN401
    """Return the goal of each role at the end, in role order."""
    meant = {round(twin.returns(goal), 6): goal for goal in range(101)}
    by_seat = {
        role: meant[round(each, 6)] for role, each in zip(twin.seats, state.returns(), strict=True)
    }
    return tuple(by_seat.get(str(role), 0) for role in twin.game.roles)


def write_table(twin: Twin, depth: int) -> None:
    """Write the table of one ruleset."""
    roles = " ".join(map(str, twin.game.roles))
    lines = [
        " ".join(map(str, ("perft  ", row.depth, row.nodes, row.terminal, *row.goals)))
        for row in rows(twin, depth)
    ]
    head = HEAD.format(ruleset=twin.ruleset, spiel=twin.spiel, roles=roles)
    path = FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', twin.ruleset)}.perft"
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(f"{path.name}\n")


def main() -> None:
    """Write the tables of the rulesets named, or all."""
    tables = [*spiel_twins.TABLES, *moving_twins.TABLES, *placement_twins.TABLES]
    for twin, depth in tables:
        if not sys.argv[1:] or twin.ruleset in sys.argv[1:]:
            write_table(twin, depth)


if __name__ == "__main__":
    main()
