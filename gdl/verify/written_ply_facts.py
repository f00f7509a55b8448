"""Facts and counts of each ply, as the search knows them and a certificate says them.

In: a `ByPly`, a length. Out: the `Plies` of the checker: clauses and counts that hold of every
state that so many moves lead to, also where play has ended there; with the kinds of states from
which each step adds the same to a count. What does not hold for a checker is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

from gdl.certify.plies import Clause, Gain, Plies, literals_of
from gdl.circuit.cone import support
from gdl.language.graphs import components
from gdl.verify.proving.evidence import ByPly
from gdl.verify.proving.invariants import pair_off, rivals_of

Group: TypeAlias = tuple[Clause, ...]
"""Groups of facts, of which so many are true."""
Where: TypeAlias = tuple[int, ...]


def said_of_plies(
    by_ply: ByPly, length: int, adds: Callable[[Group, Gain], bool], *, is_end: bool
) -> Plies:
    """Return what is said of each ply. Cost: that of the frames, and of `adds` for each gain.

    Args:
        by_ply: What the search knows.
        length: The last ply.
        adds: Returns whether a gain is right of a count.
        is_end: Whether no play goes on after the last ply.
    """
    units = [_units(by_ply, ply) for ply in range(length + 1)]
    counts: list[Group] = []
    gains: dict[Gain, int] = {}
    numbers: list[list[int]] = [[] for _ in range(length)]
    for group, values in _counts(by_ply, length).items():
        gained = _gains(len(counts), group, values, units, adds)
        if gained is not None:
            counts.append(group)
            for row, gain in zip(numbers, gained, strict=True):
                row.append(gains.setdefault(gain, len(gains)))
    steps = []
    for ply, row in enumerate(numbers, start=1):
        clauses: list[Clause] = [(unit,) for unit in units[ply]]
        clauses += map(literals_of, by_ply.forbidden.get(ply, ()))
        steps.append((tuple(row), tuple(dict.fromkeys(clauses))))
    return Plies(tuple(counts), tuple(gains), tuple(steps), is_end)


def _units(by_ply: ByPly, ply: int) -> tuple[int, ...]:
    """Return the facts whose value is known at a ply."""
    if ply == 0:
        return literals_of(enumerate(by_ply.frames.step.system.initial))
    rows = by_ply.frames.after(ply)
    return literals_of(
        (facts[0], bool(value)) for facts, value in rows if len(facts) == 1 and value in (0, 1)
    )


def _counts(by_ply: ByPly, length: int) -> dict[Group, list[int]]:
    """Return groups of facts of which at each ply so many are true."""
    frames = by_ply.frames
    first = frames.step.system.initial
    rows = [dict(frames.after(ply)) for ply in range(1, length + 1)]
    counts = {
        facts: [sum(first[fact] for fact in facts), *(row[facts] for row in rows)]
        for facts in (rows[0] if rows else {})
        if len(facts) > 1 and all(facts in row for row in rows)
    }
    value_of: dict[Group, list[int]] = {
        _in_order(by_ply, [(fact,) for fact in facts]): values for facts, values in counts.items()
    }
    # The sum of two counts whose facts exclude each other, see `Successors`.
    same, rivals = frames.invariants.same, rivals_of(frames.invariants.exclusive)
    rows_of = list(counts.items())
    for index, (facts, values) in enumerate(rows_of):
        for others, more in rows_of[:index]:
            mine, its = (
                {same[fact].fact if fact in same else fact: fact for fact in side}
                for side in (facts, others)
            )
            pairs = pair_off(mine, its, rivals)
            if len(pairs) == len(facts) == len(others):
                group = _in_order(by_ply, [(mine[a], its[b]) for a, b in pairs.items()])
                value_of[group] = [a + b for a, b in zip(values, more, strict=True)]
    return value_of


def _in_order(by_ply: ByPly, group: Sequence[Clause]) -> Group:
    """Return groups of facts, those beside each other that moves exchange. Cost O(nodes).

    Sums are added up in pairs: of what is only moved about, gains and losses then meet early, and
    the proof is a third as long (marbles that a rotation of Pentago takes to each other's places).
    """
    system = by_ply.frames.step.system
    fact_of = {edge >> 1: fact for fact, edge in enumerate(system.fact_inputs)}
    place_of = {fact: place for place, facts in enumerate(group) for fact in facts}
    near: dict[int, set[int]] = {place: set() for place in range(len(group))}
    for fact, place in place_of.items():
        for node in support(system.aig, [system.next[fact]]):
            other = place_of.get(fact_of.get(node, -1))
            if other is not None:
                near[place].add(other)
                near[other].add(place)
    return tuple(group[place] for part in components(near) for place in part)


def _gains(
    count: int,
    group: Group,
    values: Sequence[int],
    units: Sequence[Where],
    adds: Callable[[Group, Gain], bool],
) -> list[Gain] | None:
    """Return what the step after each ply adds to a count; None if what is known does not say."""
    added = [after - before for before, after in pairwise(values)]
    # What all plies with one gain have in common is often enough: whose turn it is.
    common = {
        gain: set.intersection(
            *(set(where) for where, a in zip(units, added, strict=False) if a == gain)
        )
        for gain in set(added)
    }
    for wheres in ([tuple(sorted(common[gain])) for gain in added], units):
        gains = [Gain(count, where, gain) for where, gain in zip(wheres, added, strict=False)]
        if all(adds(group, gain) for gain in dict.fromkeys(gains)):
            return gains
    return None
