"""Which counts of facts may never change: pieces on a board, and the number that is kept of them.

In: the facts of a system by their names, and sampled states. Out: `Balance` values that all sampled
states agree with; nothing is proved here.

A fact whose last argument is a number may keep a number: ``(pieces white 12)``. What it may keep is
the number of facts that have a word in one place, ``(cell ?x ?y white)``. So the unknowns are few:
one for each number that is kept and for each word in a place. Which whole multiples of these always
add up to the same is a null space, as of `frames`, and weights of numbers that no sampled state has
come along, since a number weighs what it says.

Source: place invariants as in Murata, "Petri Nets: Properties, Analysis and Applications", Proc.
IEEE 1989.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeAlias

from gdl.circuit.mutex import families
from gdl.language.syntax import Compound, Term
from gdl.verify.proving.frames import null_space
from gdl.verify.proving.invariants import Clause
from gdl.verify.systems.sampling import Sample
from gdl.verify.systems.system import System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.verify.systems.bit_parallel import Bits

MAX_WEIGHT: Final = 3
"""Of a number that is kept, or of a word in a place, in a sum."""
MAX_GROUPS: Final = 400
"""Groups of a balance: each is a literal of a sorting network."""
MAX_BALANCES: Final = 16
MAX_RIVALS: Final = 100
"""Facts of a family that may exclude each other."""
MAX_STATES: Final = 4_000
"""Sampled states that are looked at."""
NUMBER: Final = re.compile(r"[a-z_]*(\d+)")
"""A number as rules write it: a name, of which only the order of its digits is guessed at."""

Group: TypeAlias = tuple[tuple[int, ...], bool]
"""Facts, and whether it counts that one of them is true, or that none is."""


@dataclass(frozen=True, slots=True)
class Balance:
    """So many of some groups count in every state that play reaches, ended ones too.

    Attributes:
        groups: The groups; one may be there several times.
        value: How many of them count.
    """

    groups: tuple[Group, ...]
    value: int

    def of(self, state: Sequence[bool]) -> int:
        """Return how many groups count in a state."""
        return sum(any(state[f] for f in facts) == counts for facts, counts in self.groups)

    def is_true_of(self, *states: Bits) -> bool:
        """Return whether it is true of states, ``bool[F, B]``: facts (rows) of each (column)."""
        import numpy as np

        for columns in states:
            total = np.zeros(columns.shape[1], np.int64)
            for facts, counts in self.groups:
                total += columns[list(facts)].any(axis=0) == counts
            if (total != self.value).any():
                return False
        return True


@dataclass(frozen=True, slots=True)
class _Sum:
    """Facts with what each weighs: its number, or 1."""

    weights: tuple[tuple[int, int], ...]

    def groups(self, times: int) -> Iterator[Group]:
        """Yield groups of which as many count as this weighs, times a number.

        A number is as many thresholds as it says, so many of which it has reached; that is its
        weight where one fact at most holds, which is not asked here: a balance speaks of groups.
        """
        top = max(weight for _, weight in self.weights)
        for threshold in range(1, top + 1):
            facts = tuple(fact for fact, weight in self.weights if weight >= threshold)
            if top == 1:
                yield from [((fact,), times > 0) for fact in facts] * abs(times)
            else:
                yield from [(facts, times > 0)] * abs(times)


def guess_balances(system: System, sampled: Sample) -> list[Balance]:
    """Return what all sampled states agree with. Cost O(states * facts), and few unknowns cubed."""
    import numpy as np

    states = _states(system, sampled)
    kept, placed = _sums(system)
    if not kept or states.shape[1] < 2:  # noqa: PLR2004  # nothing to compare
        return []
    # What stands in a place goes first: then each number that depends on others is a free column
    # of its own, and the sum says what it is.
    sums = [*sorted(placed, key=lambda sum_: -len(sum_.weights)), *kept]
    values = np.stack([_value(sum_, states) for sum_ in sums])
    differences = (values[:, 1:] - values[:, :1]).T
    found: list[Balance] = []
    for vector in null_space(np.unique(differences, axis=0), len(sums)):
        chosen = np.flatnonzero(vector).tolist()
        if max(chosen) < len(placed) or len(chosen) == 1 or np.abs(vector).max() > MAX_WEIGHT:
            continue
        groups = tuple(group for i in chosen for group in sums[i].groups(int(vector[i])))
        balance = Balance(groups, Balance(groups, 0).of(system.initial))
        if len(groups) <= MAX_GROUPS and balance.is_true_of(states):
            found.append(balance)
    return found[:MAX_BALANCES]


def guess_rivals(system: System, sampled: Sample) -> list[Clause]:
    """Return that facts which differ in one argument alone never hold together, or that one does.

    What is on a square, whose turn it is, which number is kept: of each such family no sampled
    state has two. These are few, beside all pairs of facts, and mostly what balances need.
    """
    import numpy as np

    states = _states(system, sampled)
    held = states.astype(np.int32)
    clauses: dict[Clause, None] = {}
    for side in sorted({label.side for label in system.facts}):
        own = [fact for fact, label in enumerate(system.facts) if label.side == side]
        for family, places in families([system.facts[fact].term for fact in own]).items():
            members = [own[place] for place in places]
            if (family.position is None and family.arity > 1) or not 1 < len(members) <= MAX_RIVALS:
                continue
            count = held[members].sum(axis=0)
            if family.arity and count.max() <= 1:
                pairs = combinations(members, 2)
                clauses.update((((a, False), (b, False)), None) for a, b in pairs)
                if count.min() == 1:
                    clauses[tuple((fact, True) for fact in members)] = None
    return list(clauses)


def guess_paces(system: System, sampled: Sample, balances: Sequence[Balance]) -> list[Clause]:
    """Return that a number of a balance is never further from where it began than a clock is.

    Pieces come and go one by one, and a counter of steps goes on meanwhile. So numbers that rules
    have names for, but no rule that goes on, are out of reach. Each clause says that two facts
    never hold together; where a sampled state has one pair of two such numbers, none is guessed.
    """
    states = _states(system, sampled)
    spoken_of = {f for balance in balances for facts, _ in balance.groups for f in facts}
    begun = (
        (sum_, [weight for fact, weight in sum_.weights if system.initial[fact]])
        for sum_ in _sums(system)[0]
    )
    numbers = [(first[0], sum_) for sum_, first in begun if len(first) == 1]
    clauses: list[Clause] = []
    for start, kept in numbers:
        if kept.weights[0][0] not in spoken_of:
            continue
        for begin, clock in numbers:
            apart = [
                (fact, tick)
                for fact, number in kept.weights
                for tick, time in clock.weights
                if clock is not kept and abs(number - start) > abs(time - begin)
            ]
            if all(not (states[fact] & states[tick]).any() for fact, tick in apart):
                clauses += (((fact, False), (tick, False)) for fact, tick in map(sorted, apart))
    return clauses


def _states(system: System, sampled: Sample) -> Bits:
    """Return sampled states as columns, the first state first."""
    import numpy as np

    start = np.array(system.initial, np.bool_)[:, None]
    whole = np.concatenate([start, *sampled.going, *sampled.stopped], axis=1)
    if whole.shape[1] <= MAX_STATES:
        return whole
    chosen = np.random.default_rng(0).choice(whole.shape[1] - 1, MAX_STATES, replace=False) + 1
    return np.concatenate([start, whole[:, chosen]], axis=1)


def _sums(system: System) -> tuple[list[_Sum], list[_Sum]]:
    """Return numbers that are kept, and what has a word in a place; each with its facts."""
    kept: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    placed: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for fact, label in enumerate(system.facts):
        term = label.term
        if not isinstance(term, Compound):
            continue
        *others, last = term.args
        number = _number(last)
        kind = (label.side, term.name, len(term.args))
        if number is not None:
            kept.setdefault((*kind, *others), []).append((fact, number))
        words = enumerate(term.args) if others else ((0, None),)  # of one place all words together
        for position, word in words:
            placed.setdefault((*kind, position, word), []).append((fact, 1))
    numbers = [_Sum(tuple(row)) for row in kept.values() if _is_number(row)]
    return numbers, [_Sum(tuple(row)) for row in placed.values() if len(row) > 1]


def _is_number(row: Sequence[tuple[int, int]]) -> bool:
    """Return whether facts may keep a number: three at least, none of them twice."""
    numbers = [number for _, number in row]
    return len(set(numbers)) == len(numbers) > 2  # noqa: PLR2004  # a number, and not one of two


def _number(term: Term) -> int | None:
    match = NUMBER.fullmatch(term.name) if not isinstance(term, Compound) else None
    return None if match is None else int(match[1])


def _value(sum_: _Sum, states: Bits) -> NDArray[np.int64]:
    import numpy as np

    facts = [fact for fact, _ in sum_.weights]
    weights = np.array([weight for _, weight in sum_.weights], np.int64)
    value: NDArray[np.int64] = weights @ states[facts].astype(np.int64)
    return value
