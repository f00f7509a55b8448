"""Why each step of a solver's proof follows: hints, as the form LRAT has them.

In: clauses, and the steps of a DRAT proof that needs nothing but unit propagation. Out: the lines
of an LRAT proof of those steps that the refutation needs. Whoever has it need not look for anything
(`gdl.certify.lrat`), and nobody need trust this module.

Clauses lie one after the other in one array, a literal as twice its variable, plus one where it is
negated; two literals of each are watched, in lists by literal. With numba that is machine code;
without it, the same code runs as it stands, over lists.

Kept throughout: a literal that is true for good (of a trail that is closed under propagation) has a
reason, a clause of which all others are false for good, earlier on the trail; in the proof it
becomes a clause of its own, so that hints stay short.

Source: Cruz-Filipe, Heule, Hunt, Kaufmann, Schneider-Kamp, "Efficient Certified RAT Verification",
CADE 2017; two watched literals as in Moskewicz and others, "Chaff", DAC 2001.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, Final, NamedTuple, TypeAlias

Step: TypeAlias = tuple[bool, tuple[int, ...]]
"""Whether a clause is added (else taken back), and the clause."""

NONE: Final = -1
"""Hints of a clause that does not follow."""
TAUTOLOGY: Final = -2
"""Hints of a clause that says nothing."""
EVERY: Final = 2_000
"""Steps between two looks at the budget."""


class HintError(Exception):
    """A proof has a step that does not follow by propagation, or refutes nothing."""


def read_steps(lines: Iterable[str]) -> Iterator[Step]:
    """Yield the steps of a DRAT proof. Cost O(literals)."""
    for line in lines:
        words = line.split()
        is_added = words[0] != "d"
        yield is_added, tuple(map(int, words[:-1] if is_added else words[1:-1]))


def lrat_lines(
    clauses: Sequence[Sequence[int]], proof: Iterable[Step], check: Callable[[], None]
) -> list[str]:
    """Return an LRAT proof that clauses cannot be satisfied, given any proof of it.

    Args:
        clauses: The formula, numbered from 1 in this order.
        proof: Steps by propagation; what comes after the refutation is left out.
        check: Called now and then; raises to give up.

    Raises:
        HintError: A step does not follow, or nothing is refuted.
    """
    return list(_Explained(clauses, list(proof), check).lines())


class Known(NamedTuple):
    """Clauses and what they say of single literals; arrays, or lists without numba.

    Attributes:
        literals: ``int32[L]``: those of all clauses, the two that are watched first in each.
        starts: ``int64[C + 1]``: where each clause begins.
        is_true: ``bool[2 * V]``: of each literal, whether it is.
        trail: ``int32[V]``: literals in the order in which they became true.
        place: ``int32[V]``: of each variable its place on the trail.
        reason: ``int64[V]``: of each variable the clause that made it true, -1 for none.
        is_seen: ``bool[V]``: of each variable, whether a contradiction needs it.
        is_gone: ``bool[C]``: whether a clause was taken back.
        head: ``int64[2 * V]``: of each literal its first watch, -1 for none. Watch 2c + k is that
            of literal k of clause c.
        following: ``int64[2 * C]``: of each watch the next of the same literal.
        hints: ``int64[2 * V + 1]``: those of the last step: a clause, or -1 - v for what is known
            of variable v for good.
    """

    literals: Any
    starts: Any
    is_true: Any
    trail: Any
    place: Any
    reason: Any
    is_seen: Any
    is_gone: Any
    head: Any
    following: Any
    hints: Any


def _compiled(function: Any) -> Any:  # noqa: ANN401  # numba has no types
    if find_spec("numba") is None:
        return function
    from gdl.native.jit import compiled

    return compiled(function)


def _entry(machine_code: Any) -> Any:  # noqa: ANN401  # numba has no types
    if find_spec("numba") is None:
        return machine_code
    from gdl.native.jit import entry

    return entry(machine_code)


@_compiled
def _visit(watched: Known, false: int, count: int) -> tuple[int, int]:
    """Look at the clauses that watch a literal which became false; extend the trail.

    Returns:
        A clause that is false or -1, and how long the trail is.
    """
    literals, is_true = watched.literals, watched.is_true
    # The list is taken off, and put together again of the watches that stay.
    watch = watched.head[false]
    watched.head[false] = -1
    conflict = -1
    while watch >= 0:
        after = watched.following[watch]
        clause = watch >> 1
        if watched.is_gone[clause]:
            watch = after
            continue
        first = watched.starts[clause]
        mine, other = first + (watch & 1), literals[first + 1 - (watch & 1)]
        to = false
        if conflict < 0 and not is_true[other]:
            for index in range(first + 2, watched.starts[clause + 1]):
                if not is_true[literals[index] ^ 1]:
                    literals[mine], literals[index] = literals[index], literals[mine]
                    to = literals[mine]
                    break
        watched.following[watch] = watched.head[to]
        watched.head[to] = watch
        if to == false and conflict < 0 and not is_true[other]:
            if is_true[other ^ 1]:
                conflict = clause
            else:
                count = _assign(watched, other, clause, count)
        watch = after
    return conflict, count


@_compiled
def _assign(watched: Known, literal: int, reason: int, count: int) -> int:
    """Make a literal true; return how long the trail is."""
    watched.is_true[literal] = True
    watched.trail[count] = literal
    watched.place[literal >> 1] = count
    watched.reason[literal >> 1] = reason
    return count + 1


@_compiled
def _propagate(watched: Known, place: int, count: int) -> tuple[int, int]:
    """Propagate from a place of the trail; return a clause that is false or -1, and its end."""
    while place < count:
        conflict, count = _visit(watched, watched.trail[place] ^ 1, count)
        place += 1
        if conflict >= 0:
            return conflict, count
    return -1, count


@_entry
@_compiled
def _add(watched: Known, clause: int, count: int) -> tuple[int, int]:
    """Take a clause as known; return a clause that is false or -1, and the trail's end."""
    literals = watched.literals
    first, end = watched.starts[clause], watched.starts[clause + 1]
    live = 0
    for index in range(first, end):  # those that are not false go first, and are watched
        if not watched.is_true[literals[index] ^ 1]:
            place = first + live
            literals[place], literals[index] = literals[index], literals[place]
            live += 1
    if end - first > 1:
        for k in range(2):
            watched.following[2 * clause + k] = watched.head[literals[first + k]]
            watched.head[literals[first + k]] = 2 * clause + k
    if live == 0:
        return clause, count
    if live > 1 or watched.is_true[literals[first]]:
        return -1, count
    mark = count
    count = _assign(watched, literals[first], clause, count)
    conflict, count = _propagate(watched, mark, count)
    return conflict, count


@_entry
@_compiled
def _explain(watched: Known, clause: int, count: int) -> int:
    """Write the hints of a clause; return how many, `NONE` or `TAUTOLOGY` where it needs none."""
    mark, conflict, hints = count, -1, 0
    for index in range(watched.starts[clause], watched.starts[clause + 1]):
        literal = watched.literals[index]
        if watched.is_true[literal]:  # known already, or denied a moment ago as its own opposite
            watched.hints[0] = -1 - (literal >> 1)
            hints = 1 if watched.place[literal >> 1] < mark else TAUTOLOGY
            break
        if not watched.is_true[literal ^ 1]:
            count = _assign(watched, literal ^ 1, -1, count)
    if hints == 0:
        conflict, count = _propagate(watched, mark, count)
        hints = _analyse(watched, conflict, mark, count) if conflict >= 0 else NONE
    for index in range(mark, count):
        watched.is_true[watched.trail[index]] = False
    return hints


@_entry
@_compiled
def _analyse(watched: Known, conflict: int, mark: int, count: int) -> int:
    """Write the hints that lead to a false clause, the last one; return how many."""
    # Those of the step come first in falling order of the trail, and are turned round at the end.
    hints = 0
    watched.hints[hints] = conflict
    hints += 1
    _see(watched, conflict)
    for index in range(count - 1, mark - 1, -1):
        variable = watched.trail[index] >> 1
        if watched.is_seen[variable]:
            if watched.reason[variable] >= 0:
                watched.hints[hints] = watched.reason[variable]
                hints += 1
                _see(watched, watched.reason[variable])
            watched.is_seen[variable] = False
    clauses = hints
    for number in range(clauses):  # what is left of them is known for good
        clause = watched.hints[number]
        for index in range(watched.starts[clause], watched.starts[clause + 1]):
            variable = watched.literals[index] >> 1
            if watched.is_seen[variable]:
                watched.is_seen[variable] = False
                watched.hints[hints] = -1 - variable
                hints += 1
    for number in range(hints // 2):
        other = hints - 1 - number
        watched.hints[number], watched.hints[other] = watched.hints[other], watched.hints[number]
    return hints


@_compiled
def _see(watched: Known, clause: int) -> None:
    """Note that a contradiction needs the variables of a clause."""
    for index in range(watched.starts[clause], watched.starts[clause + 1]):
        watched.is_seen[watched.literals[index] >> 1] = True


class _Explained:
    """A proof whose steps have their hints."""

    def __init__(
        self, clauses: Sequence[Sequence[int]], proof: Sequence[Step], check: Callable[[], None]
    ) -> None:
        self._given = len(clauses)
        self._clauses = [tuple(sorted(set(clause))) for clause in clauses]
        steps = self._numbered(proof)
        self._watched, self._variables = _watched_clauses(self._clauses)
        self._hints: dict[int, array[int]] = {}
        self._last: list[int] = []  # hints of the empty clause
        self._run(steps, check)

    def _numbered(self, proof: Sequence[Step]) -> list[int]:
        """Return of each step its clause, -1 - c where clause c is taken back; take them in."""
        alive: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for number, clause in enumerate(self._clauses):
            alive[clause].append(number)
        steps = []
        for is_added, literals in proof:
            clause = tuple(sorted(set(literals)))
            if is_added:
                steps.append(len(self._clauses))
                alive[clause].append(len(self._clauses))
                self._clauses.append(clause)
            elif len(clause) > 1 and alive[clause]:  # what single literals led to stays true
                steps.append(-1 - alive[clause].pop())
        return steps

    def _run(self, steps: Sequence[int], check: Callable[[], None]) -> None:
        watched, count = self._watched, 0
        for clause in range(self._given):
            conflict, count = _add(watched, clause, count)
            if conflict >= 0:
                self._refuted(conflict, count)
                return
        for number, clause in enumerate(steps):
            if number % EVERY == 0:
                check()
            if clause < 0:
                watched.is_gone[-1 - clause] = True
                continue
            hints = _explain(watched, clause, count)
            if hints == NONE:
                raise HintError(f"step {number + 1} does not follow: {self._clauses[clause][:8]}")
            if hints == TAUTOLOGY:
                continue
            self._hints[clause] = array("q", map(int, watched.hints[:hints]))
            conflict, count = _add(watched, clause, count)
            if conflict >= 0:
                self._refuted(conflict, count)
                return
        raise HintError("the proof ends and nothing is refuted")

    def _refuted(self, conflict: int, count: int) -> None:
        """Note that what is known for good makes a clause false."""
        hints = _analyse(self._watched, conflict, count, count)
        self._last = list(map(int, self._watched.hints[:hints]))

    def _reasons(self, variable: int) -> tuple[int, list[int]]:
        """Return the clause that made a variable known for good, and the others in it."""
        clause = int(self._watched.reason[variable])
        row = range(int(self._watched.starts[clause]), int(self._watched.starts[clause + 1]))
        numbers = [int(self._watched.literals[index]) >> 1 for index in row]
        return clause, [other for other in numbers if other != variable]

    def _needed(self) -> tuple[set[int], set[int]]:
        """Return the steps and the variables that the refutation needs."""
        steps, variables = set[int](), set[int]()
        todo = list(self._last)
        while todo:
            hint = todo.pop()
            if hint >= 0:
                if hint >= self._given and hint not in steps:
                    steps.add(hint)
                    todo += self._hints[hint]
            elif -1 - hint not in variables:
                variables.add(-1 - hint)
                clause, others = self._reasons(-1 - hint)
                todo += [clause, *(-1 - other for other in others)]
        return steps, variables

    def lines(self) -> Iterator[str]:
        """Yield the lines of the proof: what is needed, each after what it needs."""
        steps, variables = self._needed()
        number_of = {clause: clause + 1 for clause in range(self._given)}
        last = self._given

        def line(clause: Sequence[int], hints: Iterable[int]) -> str:
            nonlocal last
            last += 1
            return " ".join(map(str, (last, *clause, 0, *(number_of[h] for h in hints), 0)))

        # A variable is told when the first step needs it, after those before it on the trail:
        # whatever made it known came before that step.
        trail = sorted(variables, key=lambda variable: int(self._watched.place[variable]))
        told = 0
        for step in (*sorted(steps), None):
            hints = self._last if step is None else self._hints[step]
            wanted = [int(self._watched.place[-1 - hint]) for hint in hints if hint < 0]
            most = max(wanted, default=-1)
            while told < len(trail) and int(self._watched.place[trail[told]]) <= most:
                variable = trail[told]
                told += 1
                clause, others = self._reasons(variable)
                if not others:
                    number_of[-1 - variable] = number_of[clause]
                    continue
                true = 2 * variable + (not self._watched.is_true[2 * variable])
                literal = self._variables[true >> 1] * (-1 if true & 1 else 1)
                text = line((literal,), [*(-1 - other for other in others), clause])
                number_of[-1 - variable] = last
                yield text
            text = line(() if step is None else self._clauses[step], hints)
            if step is not None:
                number_of[step] = last
            yield text


def _watched_clauses(clauses: Sequence[tuple[int, ...]]) -> tuple[Known, list[int]]:
    """Return clauses as they lie in memory, and the variable that each number stands for."""
    import numpy as np

    literals, starts = array("q"), array("q", [0])
    for clause in clauses:
        literals.extend(clause)
        starts.append(len(literals))
    row = np.frombuffer(literals, np.int64) if literals else np.zeros(0, np.int64)
    variables, numbers = np.unique(np.abs(row), return_inverse=True)
    coded = (2 * numbers + (row < 0)).astype(np.int32)
    size, count = len(variables), len(clauses)
    watched = Known(
        coded,
        np.frombuffer(starts, np.int64).copy(),
        np.zeros(2 * size, np.bool_),
        np.empty(size, np.int32),
        np.zeros(size, np.int32),
        np.full(size, -1, np.int64),
        np.zeros(size, np.bool_),
        np.zeros(count, np.bool_),
        np.full(2 * size, -1, np.int64),
        np.full(2 * count, -1, np.int64),
        np.zeros(2 * size + 2, np.int64),
    )
    if find_spec("numba") is None:
        watched = Known(*(field.tolist() for field in watched))
    return watched, variables.tolist()
