"""Perft: exact counts of move sequences, the standard test of a move generator.

Convention: a node of depth d is a sequence of d joint moves from the start; a
terminal state has no children; sequences that meet in one state count apart.

Source: perft as in the chess programming literature; joint moves as in GDL.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gdl.language.preconditions import require_function, require_whole
from gdl.machine import JointMove, StateMachine
from gdl.playouts import GoalVector, single_goals

S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True, slots=True)
class PerftCount:
    """Counts at one depth.

    Attributes:
        depth: Number of joint moves.
        nodes: Sequences of that many joint moves.
        terminal: How many of them end in a terminal state.
        goals: For those, how many end with each goal vector.
    """

    depth: int
    nodes: int
    terminal: int
    goals: Counter[GoalVector]

    def goal_sums(self) -> tuple[int, ...]:
        """Return the sum of goals over the terminal leaves, a number a role."""
        width = max((len(vector) for vector in self.goals), default=0)
        return tuple(
            sum((vector[role] or 0) * count for vector, count in self.goals.items())
            for role in range(width)
        )


class PerftCounts(list[PerftCount]):
    """Counts of several depths in a list that a notebook shows as a table.

    Attributes:
        roles: Whose goals are summed.
    """

    def __init__(self, counts: Iterable[PerftCount], roles: Sequence[str] = ()) -> None:
        """Keep the counts."""
        super().__init__(counts)
        self.roles = tuple(roles)

    def _repr_html_(self) -> str:
        """Return the table."""
        from gdl.language.html import table_html

        heads = ["depth", "nodes", "terminal", *(f"goals {role}" for role in self.roles)]
        none = (0,) * len(self.roles)
        rows = [
            [str(count.depth), f"{count.nodes:,}", f"{count.terminal:,}"]
            + [f"{total:,}" for total in (count.goal_sums() or none)[: len(self.roles)]]
            for count in self
        ]
        return table_html(heads, rows)


def joint_moves(machine: StateMachine[S], state: S) -> Iterator[JointMove]:
    """Yield every legal joint move of a state, in canonical order."""
    yield from itertools.product(*(machine.legal(state, role) for role in machine.roles))


def perft(
    machine: StateMachine[S],
    state: S,
    depth: int,
    *,
    on_level: Callable[[int, int], None] | None = None,
) -> list[PerftCount]:
    """Count move sequences of every length from 1 to ``depth``; see `perft_levels`."""
    return list(perft_levels(machine, state, depth, on_level=on_level))


def perft_levels(
    machine: StateMachine[S],
    state: S,
    depth: int,
    *,
    on_level: Callable[[int, int], None] | None = None,
) -> Iterator[PerftCount]:
    """Yield the counts of length 1, 2, ... up to ``depth``, each as soon as it is known.

    Equal states of one level are expanded once and counted as often as they are reached,
    so that the cost is O(distinct states * moves), memory O(distinct states of a level).

    Args:
        machine: The game.
        state: Where to begin.
        depth: The greatest length, at least 0.
        on_level: Called as (depth, states expanded so far), for progress.
    """
    require_whole("depth", depth, 0)
    require_function("on_level", on_level)
    level: Counter[S] = Counter({state: 1})
    for d in range(1, depth + 1):
        following: Counter[S] = Counter()
        for expanded, (parent, ways) in enumerate(level.items()):
            if on_level is not None:
                on_level(d, expanded)
            if machine.is_terminal(parent):
                continue
            for joint_move in joint_moves(machine, parent):
                following[machine.successor(parent, joint_move)] += ways
        yield _count(machine, d, following)
        level = following


def _count(machine: StateMachine[S], depth: int, level: Counter[S]) -> PerftCount:
    goals: Counter[GoalVector] = Counter()
    for state, ways in level.items():
        if machine.is_terminal(state):
            goals[single_goals(machine, state)] += ways
    return PerftCount(depth, level.total(), goals.total(), goals)
