"""What two roles that choose at once can secure: values of matrix games.

In: the goals of one role, a row for each of its moves, a column for each of the other's. Out: the
value. Dominated moves are dropped; what is left mostly has a saddle point, or both roles mix all
their moves, which is a system of linear equations; all else is a linear program.

Source: von Neumann 1928; the square solution after Shapley and Snow, "Basic Solutions of Discrete
Games", 1950; linear programs after Dantzig 1951.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry

CLOSE: Final = 1e-9
"""Means that differ by less are equal: they are sums in another order."""
DIGITS: Final = 9
"""Decimals of a value."""


def matrix_value(matrix: NDArray[np.float64]) -> float:
    """Return what the role that chooses the row can secure, if the other wants it small.

    Example:
        >>> import numpy as np
        >>> matrix_value(np.array([[50.0, 0, 100], [100, 50, 0], [0, 100, 50]]))
        50.0
    """
    small = undominated(matrix)
    is_found, value = direct_value(small)
    return round(float(value) if is_found else _by_program(small), DIGITS)


def _by_program(matrix: NDArray[np.float64]) -> float:
    """Return the worst column of the mixture of rows of which the worst column is best."""
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
    return float(-answer.fun)


@entry
@compiled
def undominated(matrix: Any) -> Any:
    """Return the matrix without moves that another is at least as good as, whatever is replied.

    The value stays: who would make such a move makes the other instead. Of equal ones the first
    is kept.
    """
    small = matrix
    while True:
        rows = not_worse(small)
        columns = not_worse(-small.T)
        if rows.all() and columns.all():
            return small
        # Only one side at a time: what dominates among rows may do so by columns that would go.
        small = small[rows] if not rows.all() else small[:, columns]


@compiled
def not_worse(matrix: Any) -> Any:
    """Return which rows no other row that is kept dominates."""
    kept = np.ones(len(matrix), np.bool_)
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            # Equal rows dominate each other: the later one goes.
            is_other = i != j and kept[j] and (j < i or (matrix[i] < matrix[j]).any())
            if is_other and (matrix[i] <= matrix[j]).all():
                kept[i] = False
                break
    return kept


@entry
@compiled
def direct_value(matrix: Any) -> Any:
    """Return whether the value is found without a linear program, and it."""
    m, n = matrix.shape
    low = -np.inf
    for i in range(m):
        low = max(low, matrix[i].min())
    high = np.inf
    for j in range(n):
        high = min(high, matrix[:, j].max())
    if high - low <= CLOSE:
        return True, low
    if m != n:
        return False, 0.0
    mixed = equaliser(np.ascontiguousarray(matrix.T))
    replies = equaliser(matrix)
    if mixed.min() < 0 or replies.min() < 0:
        return False, 0.0
    # Believed only for what it secures: the mixture against each column, the reply against each
    # row. Where both are the same no role can do better, however the equations were solved.
    secured = (mixed @ matrix).min()
    allowed = (matrix @ replies).max()
    return allowed - secured <= CLOSE, secured


@compiled
def equaliser(matrix: Any) -> Any:
    """Return weights of columns by which all rows are worth the same; -1 for none.

    Gauss's elimination of the weights and the common worth, with the largest pivot of a column.
    """
    n = len(matrix)
    rows = np.zeros((n + 1, n + 2))
    rows[:n, :n] = matrix
    rows[:n, n] = -1
    rows[n, :n] = 1
    rows[n, n + 1] = 1
    for column in range(n + 1):
        pivot = column
        for r in range(column + 1, n + 1):
            if abs(rows[r, column]) > abs(rows[pivot, column]):
                pivot = r
        if abs(rows[pivot, column]) <= CLOSE:
            return np.full(n, -1.0)
        for at in range(n + 2):
            rows[column, at], rows[pivot, at] = rows[pivot, at], rows[column, at]
        for r in range(n + 1):
            if r != column:
                rows[r] -= rows[column] * (rows[r, column] / rows[column, column])
    weights = np.zeros(n)
    for i in range(n):
        weights[i] = rows[i, n + 1] / rows[i, i]
    return weights
