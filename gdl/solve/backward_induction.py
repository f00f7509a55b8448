"""Backward induction for every kind of game without cycles: a goal for each role in each state.

In: a `Graph`. Out: the goals that each state leads to when everyone plays for their own: the mover
takes what is best for it, nature draws uniformly, and where two roles of a constant sum choose at
once the value is that of the matrix of their moves. A state is valued after all that follow from
it; what is never reached so lies on a cycle, and such a game is refused.

Source: backward induction, Zermelo 1913, Kuhn 1953; matrix games see `gdl.solve.matrices`.
"""

# numba finds the types
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry
from gdl.solve.expand import NOBODY, SEVERAL
from gdl.solve.graph import Distances, Graph, in_few_bytes, sources_of
from gdl.solve.matrices import CLOSE, DIGITS, direct_value, matrix_value, undominated
from gdl.solve.positions import UnsolvableError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Means:
    """What each state leads to.

    Attributes:
        goals: Goal of each role, or its mean, ``float64[N, roles]``; 0 for nature.
        distances: Moves to the end, of each state; where nature or several roles at once choose,
            of the longest play that may come.
        tied: States in which moves that are equally good for the mover differ for others.
    """

    goals: Floats
    distances: Distances
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
    means = Means(np.zeros((n, roles)), np.zeros(n, np.int32), np.zeros(n, np.bool_))
    over = graph.movers == roles
    for r, values in enumerate(worth):
        if r == nature:
            continue
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
            is_constant,
            (moves, targets, starts, sources),
            (order, graph.rows),
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
        if not is_constant:
            raise UnsolvableError(
                "several roles choose at once, and what they win together is not constant",
                expected="roles that take turns, or two whose goals always have the same sum",
            )
        first, end = moves[state], moves[state + 1]
        counts = options_of(graph.rows, order, first, end)
        row, column = [r for r in range(roles) if r != nature]
        matrix = mean_matrix(means.goals, row, targets, first, counts, row, column)
        share(means.goals, state, targets[first], row, column, matrix_value(matrix))
    if done[1] < n:
        raise UnsolvableError(
            "play can come round to a state that it came through before",
            expected="one role, or two of which one wins what the other loses, taking turns, and "
            "nothing drawn by nature; all other games must come to an end",
            notes=[f"{n - int(done[1]):,} of {n:,} states lie on such a cycle or lead to one"],
        )
    return replace(means, distances=in_few_bytes(means.distances))


@entry
@compiled
def settle(
    movers: Any,
    nature: int,
    is_constant: bool,
    edges: Any,
    joints: Any,
    left: Any,
    queue: Any,
    done: Any,
    goals: Any,
    distances: Any,
    tied: Any,
) -> Any:
    """Value states whose moves are all known; return the next that needs more than this, or -1.

    The queue holds such states; ``done`` says how many of it are valued, and how many there are.
    """
    moves, targets, starts, sources = edges
    order, rows = joints
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
        first, end = moves[state], moves[state + 1]
        if mover == SEVERAL:
            farthest = 0
            for at in range(first, end):
                farthest = max(farthest, distances[targets[at]])
            distances[state] = farthest + 1
            counts = options_of(rows, order, first, end)
            if not value_at_once(state, first, counts, targets, nature, is_constant, goals, tied):
                return state
            continue
        if mover == nature and mover != NOBODY:
            farthest = 0
            for at in range(first, end):
                for r in range(roles):
                    goals[state, r] += goals[targets[at], r] / (end - first)
                farthest = max(farthest, distances[targets[at]])
            distances[state] = farthest + 1
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
        distances[state] = distances[best] + 1


@entry
@compiled
def options_of(rows: Any, order: Any, first: int, end: int) -> Any:
    """Return how many moves each role has in a state.

    Its joint moves are all of their products, in lexicographic order; so joint move number i is
    written in digits, one a role, of which the last role's changes fastest.
    """
    roles = rows.shape[1]
    counts = np.ones(roles, np.int64)
    for r in range(roles):
        for at in range(first + 1, end):
            is_alike = True
            for other in range(roles):
                if other != r and rows[order[at], other] != rows[order[first], other]:
                    is_alike = False
            counts[r] += is_alike
    assert counts.prod() == end - first
    return counts


@entry
@compiled
def mean_matrix(
    goals: Any, role: int, targets: Any, first: int, counts: Any, row: int, column: int
) -> Any:
    """Return the goal of a role by the moves of two, a mean where nature draws besides.

    Args:
        goals: What each state leads to.
        role: Whose goal.
        targets: What joint moves lead to.
        first: The first of the state.
        counts: See `options_of`.
        row: Who chooses the row.
        column: Who chooses the column.
    """
    down = counts[row + 1 :].prod()
    across = counts[column + 1 :].prod()
    result = np.zeros((counts[row], counts[column]))
    total = counts.prod()
    for i in range(total):
        goal = goals[targets[first + i], role]
        result[i // down % counts[row], i // across % counts[column]] += goal
    return result * (result.size / total)


@compiled
def value_at_once(
    state: int,
    first: int,
    counts: Any,
    targets: Any,
    nature: int,
    is_constant: bool,
    goals: Any,
    tied: Any,
) -> Any:
    """Value a state in which several roles choose, nature among them; return whether that is done.

    It is not where a linear program is needed, or there is no value.
    """
    roles = len(counts)
    row = -1
    column = -1
    for r in range(roles):
        if r != nature and counts[r] > 1:
            if row < 0:
                row = r
            elif column < 0:
                column = r
            else:
                return False
    if column < 0:  # and nature: each move is worth its mean
        means = np.zeros((counts[row], roles))
        for r in range(roles):
            means[:, r] = mean_matrix(goals, r, targets, first, counts, row, nature).sum(axis=1)
        means /= counts[nature]
        best = means[:, row].argmax()
        goals[state] = means[best]
        for i in range(len(means)):
            if abs(means[i, row] - means[best, row]) <= CLOSE:
                tied[state] |= (np.abs(means[i] - means[best]) > CLOSE).any()
        return True
    if not is_constant:  # one must win what the other loses
        return False
    matrix = undominated(mean_matrix(goals, row, targets, first, counts, row, column))
    is_found, value = direct_value(matrix)
    if is_found:
        share(goals, state, targets[first], row, column, round(value, DIGITS))
    return is_found


@entry
@compiled
def share(goals: Any, state: int, after: int, role: int, other: int, value: float) -> None:
    """Give one role a value, and the other what is left of the sum that a later state has."""
    goals[state, role] = value
    goals[state, other] = goals[after, role] + goals[after, other] - value
