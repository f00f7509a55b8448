"""Values of every kind of game without cycles: a goal for each role, in states of any mover.

In: a `Graph`. Out: the goals that each state leads to when everyone plays for their own: the mover
takes what is best for it, nature draws uniformly, and where two roles of a constant sum choose at
once the value is that of the matrix of their moves. A state is valued after all that follow from
it; what is never reached so lies on a cycle, and such a game is refused.

Source: backward induction, Zermelo 1913, Kuhn 1953; matrix games by linear programs, von Neumann
1928 and Dantzig 1951.
"""

# numba finds the types
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.solve.expand import NOBODY, SEVERAL
from gdl.solve.graph import FARTHEST, Graph, sources_of
from gdl.solve.positions import UnsolvableError

CLOSE: Final = 1e-9
"""Means that differ by less are equal: they are sums in another order."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Means:
    """What each state leads to.

    Attributes:
        goals: Goal of each role, or its mean, ``float64[N, roles]``.
        distances: Moves to the end, ``int16[N]``; where nature or several roles at once choose,
            of the longest play that may come.
        tied: States in which moves that are equally good for the mover differ for others.
    """

    goals: Floats
    distances: NDArray[np.int16]
    tied: NDArray[np.bool_]


def induce(
    graph: Graph,
    worth: list[list[int]],
    *,
    nature: int,
    is_constant: bool,
    check: Callable[[int], None],
) -> Means:
    """Return the goals that all states lead to.

    Args:
        graph: States and moves; with the rows of moves where several roles choose at once.
        worth: Goal values of each role.
        nature: The role that draws; -1 for none.
        is_constant: Whether there are two roles besides nature, whose goals have a constant sum.
        check: Told how many states are done; raises to stop.

    Raises:
        UnsolvableError: Play can come round again, or several roles choose at once and the sum of
            their goals is not constant.
    """
    n, roles = graph.goals.shape
    order = np.argsort(graph.parents, kind="stable")
    degrees = np.bincount(graph.parents, minlength=n)
    moves = np.concatenate([[0], np.cumsum(degrees)])
    targets = graph.children[order]
    starts, sources = sources_of(graph.children, graph.parents, n)
    means = Means(np.zeros((n, roles)), np.zeros(n, np.int16), np.zeros(n, np.bool_))
    for r, values in enumerate(worth):
        over = graph.movers == roles
        means.goals[over, r] = np.array(values, np.float64)[graph.goals[over, r]]
    # ``left`` counts the moves of a state to states without a value. At 0 it stands in the queue,
    # so whatever is taken from there is valued from what is known; no state on a cycle gets there.
    queue = np.zeros(n, np.int32)
    done = np.zeros(2, np.int64)
    left = degrees.astype(np.int32)
    ready = np.flatnonzero(left == 0).astype(np.int32)
    queue[: len(ready)] = ready
    done[1] = len(ready)
    while True:
        state = settle(
            graph.movers,
            nature,
            (moves, targets, starts, sources),
            left,
            queue,
            done,
            means.goals,
            means.distances,
            means.tied,
        )
        check(int(done[0]))
        if state < 0:
            break
        # `settle` leaves to us what needs a linear program, and goes on behind it.
        some = order[moves[state] : moves[state + 1]]
        means.goals[state] = _at_once(
            graph.rows[some], means.goals[graph.children[some]], nature, is_constant=is_constant
        )
        means.distances[state] = min(int(means.distances[graph.children[some]].max()) + 1, FARTHEST)
    if done[1] < n:
        raise UnsolvableError(
            "play can come round to a state that it came through before",
            expected="one role, or two of which one wins what the other loses, taking turns, and "
            "nothing drawn by nature; all other games must come to an end",
            notes=[f"{n - int(done[1]):,} of {n:,} states lie on such a cycle or lead to one"],
        )
    return means


@entry
@compiled
def settle(
    movers: Any,
    nature: int,
    edges: Any,
    left: Any,
    queue: Any,
    done: Any,
    goals: Any,
    distances: Any,
    tied: Any,
) -> Any:
    """Value states whose moves are all known; return the next in which several choose, or -1.

    The queue holds such states; ``done`` says how many of it are valued, and how many there are.
    """
    moves, targets, starts, sources = edges
    roles = goals.shape[1]
    while True:
        # What stands before done[0] is valued, but its last state has not been told to those
        # before it: that is done first, as it may have been valued elsewhere.
        if done[0] > 0:
            state = queue[done[0] - 1]
            for at in range(starts[state], starts[state + 1]):
                source = sources[at]
                left[source] -= 1
                if left[source] == 0:
                    queue[done[1]] = source
                    done[1] += 1
        if done[0] == done[1]:
            return -1
        state = queue[done[0]]
        done[0] += 1
        mover = movers[state]
        if mover == roles:
            continue
        if mover == SEVERAL:
            return state
        first, end = moves[state], moves[state + 1]
        if mover == nature and mover != NOBODY:
            farthest = 0
            for at in range(first, end):
                for r in range(roles):
                    goals[state, r] += goals[targets[at], r] / (end - first)
                farthest = max(farthest, distances[targets[at]])
            distances[state] = min(farthest + 1, FARTHEST)
            continue
        best = targets[first]
        for at in range(first + 1, end):
            other = targets[at]
            gain = goals[other, mover] - goals[best, mover]
            if gain > CLOSE or (gain >= -CLOSE and distances[other] < distances[best]):
                best = other
        for at in range(first, end):
            other = targets[at]
            if abs(goals[other, mover] - goals[best, mover]) <= CLOSE:
                for r in range(roles):
                    if abs(goals[other, r] - goals[best, r]) > CLOSE:
                        tied[state] = True
        for r in range(roles):
            goals[state, r] = goals[best, r]
        distances[state] = min(distances[best] + 1, FARTHEST)


def _at_once(rows: NDArray[np.int32], goals: Floats, nature: int, *, is_constant: bool) -> Floats:
    """Return what a state is worth in which several roles choose at once.

    Args:
        rows: The move of each role, joint move by joint move.
        goals: What each leads to.
        nature: The role that draws; -1 for none.
        is_constant: See `induce`.
    """
    choosers = [r for r in range(rows.shape[1]) if r != nature and len(np.unique(rows[:, r])) > 1]
    if len(choosers) == 1:  # and nature: each move is worth its mean
        _, group = np.unique(rows[:, choosers[0]], return_inverse=True)
        means = _mean_by(group.reshape(-1), goals)
        best: Floats = means[means[:, choosers[0]].argmax()]
        return best
    if not is_constant or len(choosers) != 2:  # one wins what the other loses
        raise UnsolvableError(
            "several roles choose at once, and what they win together is not constant",
            expected="roles that take turns, or two whose goals always have the same sum",
        )
    one, other = choosers
    moves, across = np.unique(rows[:, one], return_inverse=True)
    replies, down = np.unique(rows[:, other], return_inverse=True)
    cells = across.reshape(-1) * len(replies) + down.reshape(-1)
    table = _mean_by(cells, goals)
    value = matrix_value(table[:, one].reshape(len(moves), len(replies)))
    result: Floats = table[0].copy()
    total = result[one] + result[other]
    result[one], result[other] = value, total - value
    return result


def _mean_by(group: NDArray[np.intp], goals: Floats) -> Floats:
    """Return the mean goals of each group."""
    sums = np.zeros((int(group.max()) + 1, goals.shape[1]))
    np.add.at(sums, group, goals)
    result: Floats = sums / np.bincount(group)[:, None]
    return result


def matrix_value(matrix: Floats) -> float:
    """Return what the role that chooses the row can secure, if the other wants it small.

    A saddle point is found by looking; else a linear program: the mixture of rows of which the
    worst column is best.

    Example:
        >>> import numpy as np
        >>> matrix_value(np.array([[50.0, 0, 100], [100, 50, 0], [0, 100, 50]]))
        50.0
    """
    low, high = float(matrix.min(axis=1).max()), float(matrix.max(axis=0).min())
    if high - low <= CLOSE:
        return low
    from scipy.optimize import linprog  # type: ignore[import-untyped]  # ships no types

    m, n = matrix.shape
    # Variables: the weight of each row, and v; maximise v where no column is worth less than v.
    answer = linprog(
        np.concatenate([np.zeros(m), [-1.0]]),
        A_ub=np.concatenate([-matrix.T, np.ones((n, 1))], axis=1),
        b_ub=np.zeros(n),
        A_eq=np.concatenate([np.ones((1, m)), [[0.0]]], axis=1),
        b_eq=[1.0],
        bounds=[(0, 1)] * m + [(None, None)],
        method="highs",
    )
    assert answer.status == 0, answer.message
    return round(float(-answer.fun), 9)
