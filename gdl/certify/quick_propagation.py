"""The same check as `propagation`, in machine code where numba is installed: for long proofs.

In: clauses, and the steps of a proof. Out: how many steps it took to refute the clauses, or the
step that does not follow. Clauses lie one after the other in one array, a literal as twice its
variable, plus one where it is negated; two literals of each are watched, in lists by literal.

What is accepted is what `propagation` accepts, by the same rule: a clause is added where denying
it leads to a contradiction by unit propagation. The tests hold the two to each other, on proofs
that were changed too.

Source: as in `propagation`.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numba
import numpy as np

from gdl.certify.aiger_file import CertificateError

if TYPE_CHECKING:
    from gdl.certify.propagation import Step


def refute(clauses: Iterable[Sequence[int]], proof: Iterable[Step]) -> int:
    """Return how many steps of a proof it took to refute clauses.

    Raises:
        CertificateError: A clause does not follow, or nothing is refuted; says at which step.
    """
    rows = list(proof)
    starts, literals, steps = [0], array("q"), array("q")
    alive: dict[tuple[int, ...], list[int]] = defaultdict(list)

    def enter(clause: Sequence[int]) -> int:
        row = sorted(set(clause))
        alive[tuple(row)].append(len(starts) - 1)
        literals.extend(row)
        starts.append(len(literals))
        return len(starts) - 2

    for clause in clauses:
        enter(clause)
    given = len(starts) - 1
    for is_added, clause in rows:
        if 0 in clause:
            break
        if is_added:
            steps.append(enter(clause))
            continue
        # Only clauses of several literals are forgotten; what is not there cannot be.
        same = alive[tuple(sorted(set(clause)))] if len(set(clause)) > 1 else []
        steps.append(-1 - same.pop() if same else NOTHING)
    row = np.frombuffer(literals, np.int64) if literals else np.zeros(0, np.int64)
    variables, numbers = np.unique(np.abs(row), return_inverse=True)
    coded = (2 * numbers + (row < 0)).astype(np.int32)
    asked = np.frombuffer(steps, np.int64) if steps else np.zeros(0, np.int64)
    known = _known(coded, np.array(starts), len(variables))
    done, answer = _run(known, given, asked)
    if answer == REFUTED:
        return int(done)
    if answer == OPEN and len(steps) == len(rows):
        raise CertificateError("the proof ends and nothing is refuted")
    number = int(done) if answer == WRONG else len(steps) + 1
    why = "does not follow" if answer == WRONG else "has a literal 0"
    raise CertificateError(f"step {number} of the proof {why}: {rows[number - 1][1][:8]}")


NOTHING: Final = 1 << 62
"""A step that takes back what is not there."""
REFUTED: Final = 1
WRONG: Final = 2
OPEN: Final = 0


class Known(NamedTuple):
    """Clauses and what they say of single literals.

    Attributes:
        literals: ``int32[L]``: those of all clauses, the two that are watched first in each.
        starts: ``int64[C + 1]``: where each clause begins.
        is_true: ``bool[2 * V]``: of each literal, whether it is.
        trail: ``int32[2 * V]``: literals in the order in which they became true.
        is_gone: ``bool[C]``: whether a clause was taken back.
        head: ``int64[2 * V]``: of each literal its first watch, -1 for none. Watch 2c + k is that
            of literal k of clause c.
        following: ``int64[2 * C]``: of each watch the next of the same literal.
    """

    literals: Any
    starts: Any
    is_true: Any
    trail: Any
    is_gone: Any
    head: Any
    following: Any


def _compiled(function: Any) -> Any:  # noqa: ANN401  # numba has no types
    return numba.njit(cache=True)(function)


@_compiled
def _visit(known: Known, false: int, count: int) -> tuple[bool, int]:
    """Look at the clauses that watch a literal which became false; extend the trail.

    Returns:
        Whether a clause is false, and how long the trail is.
    """
    literals, is_true = known.literals, known.is_true
    # The list is taken off, and put together again of the watches that stay.
    watch = known.head[false]
    known.head[false] = -1
    is_false = False
    while watch >= 0:
        after = known.following[watch]
        clause = watch >> 1
        if known.is_gone[clause]:
            watch = after
            continue
        first = known.starts[clause]
        mine, other = first + (watch & 1), literals[first + 1 - (watch & 1)]
        to = false
        if not is_false and not is_true[other]:
            for index in range(first + 2, known.starts[clause + 1]):
                if not is_true[literals[index] ^ 1]:
                    literals[mine], literals[index] = literals[index], literals[mine]
                    to = literals[mine]
                    break
        known.following[watch] = known.head[to]
        known.head[to] = watch
        if to == false and not is_false and not is_true[other]:
            if is_true[other ^ 1]:
                is_false = True
            else:
                is_true[other] = True
                known.trail[count] = other
                count += 1
        watch = after
    return is_false, count


@_compiled
def _propagate(known: Known, place: int, count: int) -> tuple[bool, int]:
    """Return whether propagation from a place of the trail ends in a contradiction, and its end."""
    while place < count:
        is_false, count = _visit(known, known.trail[place] ^ 1, count)
        place += 1
        if is_false:
            return True, count
    return False, count


@_compiled
def _assume(known: Known, literal: int, count: int) -> tuple[bool, int]:
    """Make a literal true; return whether it is false already, and how long the trail is."""
    if known.is_true[literal ^ 1]:
        return True, count
    if not known.is_true[literal]:
        known.is_true[literal] = True
        known.trail[count] = literal
        count += 1
    return False, count


@_compiled
def _add(known: Known, clause: int, count: int) -> tuple[bool, int]:
    """Take a clause as known; return whether that is a contradiction, and the trail's end."""
    literals = known.literals
    first, end = known.starts[clause], known.starts[clause + 1]
    live = 0
    for index in range(first, end):  # those that are not false go first, and are watched
        if not known.is_true[literals[index] ^ 1]:
            place = first + live
            literals[place], literals[index] = literals[index], literals[place]
            live += 1
    if end - first > 1:
        for k in range(2):
            known.following[2 * clause + k] = known.head[literals[first + k]]
            known.head[literals[first + k]] = 2 * clause + k
    if live == 0:
        return True, count
    if live > 1:
        return False, count
    mark = count
    _, count = _assume(known, literals[first], count)
    is_refuted, count = _propagate(known, mark, count)
    return is_refuted, count


@_compiled
def _implies(known: Known, clause: int, count: int) -> bool:
    """Return whether denying a clause leads to a contradiction by propagation alone."""
    mark, found = count, False
    for index in range(known.starts[clause], known.starts[clause + 1]):
        found, count = _assume(known, known.literals[index] ^ 1, count)
        if found:
            break
    if not found:
        found, count = _propagate(known, mark, count)
    for index in range(mark, count):
        known.is_true[known.trail[index]] = False
    return found


@_compiled
def _run(known: Known, given: int, steps: Any) -> tuple[int, int]:  # noqa: ANN401  # an array
    """Return a number of steps, and whether then all is refuted, the last is wrong, or neither."""
    clauses, count, is_refuted = len(known.starts) - 1, 0, False
    for clause in range(given):
        found, count = _add(known, clause, count)
        is_refuted = is_refuted or found
    for number in range(len(steps)):
        clause = steps[number]
        if is_refuted:
            return number, REFUTED
        if clause < 0:
            known.is_gone[-1 - clause] = True
        elif clause < clauses:
            if not _implies(known, clause, count):
                return number + 1, WRONG
            is_refuted, count = _add(known, clause, count)
    return len(steps), REFUTED if is_refuted else OPEN


def _known(coded: Any, starts: Any, variables: int) -> Known:  # noqa: ANN401  # arrays
    size = 2 * variables
    clauses = len(starts) - 1
    return Known(
        coded,
        starts,
        np.zeros(size, np.bool_),
        np.empty(size, np.int32),
        np.zeros(clauses, np.bool_),
        np.full(size, -1, np.int64),
        np.full(2 * clauses, -1, np.int64),
    )
