"""Plays that come back to a state: the game need not end.

In: a system, or all its states. Out: a `Loop`: a play and the ply whose state its last
state is again. Random plays find most; of few states all are looked at; else plays of
rising length are put into one formula that asks for two equal states.

Source: Biere, Artho, Schuppan, "Liveness Checking as Safety Checking", FMICS 2002 (lassos).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import Lit, negate
from gdl.circuit.logic import conj_all, disj_all, xor
from gdl.language.graphs import components
from gdl.verify.proving.unroll import Unrolling
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.sampling import Sample
from gdl.verify.systems.state_space import StateSpace
from gdl.verify.systems.system import System

if TYPE_CHECKING:
    from gdl.verify.systems.system import Play

LANES: Final = 64
"""Random plays that are looked through."""
MAX_UNROLLED: Final = 400_000
"""Nodes of the formula that asks for the shortest loop, at most."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A play that comes back.

    Attributes:
        play: The choices of each ply.
        back: The ply after which the last state was there before.
        is_shortest: No shorter play comes back to a state; that was proved.
    """

    play: Play
    back: int
    is_shortest: bool = False


@dataclass(frozen=True, slots=True)
class PlayLengths:
    """How long plays can be.

    Attributes:
        loop: A play that comes back, None where every play ends.
        longest: Moves of the longest play, where every play ends.
    """

    loop: Loop | None
    longest: int = -1


def look_at_all(space: StateSpace) -> PlayLengths:
    """Return how plays end, from all states. Cost O(moves), where there is no loop."""
    successors: dict[int, list[int]] = {number: [] for number in range(len(space))}
    for (source, _), target in zip(space.edges, space.targets, strict=True):
        successors[source].append(target)
    # A finite graph has an endless walk just where a strongly connected part has an edge inside.
    # Parts come with successors first, so that the longest walk is known below each state.
    groups = components(successors)
    looping = {
        number: index
        for index, part in enumerate(groups)
        for number in part
        if len(part) > 1 or number in successors[number]
    }
    if looping:
        return PlayLengths(_shortest(space, successors, looping))
    longest = [0] * len(space)
    for (number,) in groups:
        longest[number] = max((1 + longest[after] for after in successors[number]), default=0)
    return PlayLengths(None, longest[0])


def _shortest(
    space: StateSpace, successors: Mapping[int, Sequence[int]], looping: Mapping[int, int]
) -> Loop:
    """Return a loop that is reached and closed in as few moves as any."""
    best: list[int] = []
    total = -1
    stem = 0
    for number in sorted(looping):  # numbers rise with the distance from the first state
        distance = len(space.play(number))
        # Later states are no nearer, and a cycle has a move at least: nothing shorter is to come.
        if total >= 0 and distance + 1 >= total:
            break
        cycle = _cycle(number, successors, looping, total - distance - 1 if total >= 0 else -1)
        if cycle:
            best, total, stem = cycle, distance + len(cycle) - 1, distance
    joints = {
        (source, target): joint
        for (source, joint), target in zip(space.edges, space.targets, strict=True)
    }
    play = (*space.play(best[0]), *(joints[a, b] for a, b in pairwise(best)))
    return Loop(play, stem, is_shortest=True)


def _cycle(
    start: int, successors: Mapping[int, Sequence[int]], looping: Mapping[int, int], most: int
) -> list[int]:
    """Return a shortest cycle through a state, of at most so many moves (-1: any)."""
    before = {start: start}
    queue = deque([(start, 0)])
    while queue:
        number, length = queue.popleft()
        if length == most:
            break
        for after in successors[number]:
            if after == start:
                path = [start, number]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1] if number != start else [start, start]
            if after not in before and looping.get(after) == looping[start]:
                before[after] = number
                queue.append((after, length + 1))
    return []


def met_at_random(sampled: Sample) -> Loop | None:
    """Return the first of some random plays that comes back to a state, None when none does."""
    seen: list[dict[bytes, int]] = [{} for _ in range(LANES)]
    for ply, (states, (lanes, _)) in enumerate(zip(sampled.going, sampled.lanes, strict=True)):
        for lane, state in zip(lanes.tolist(), states.T, strict=True):
            if lane < LANES and (back := seen[lane].setdefault(state.tobytes(), ply)) < ply:
                return Loop(tuple(sampled.up_to(ply, lane)), back)
    return None


@dataclass(frozen=True, slots=True)
class Unrolled:
    """What plays of rising length showed.

    Attributes:
        loop: A shortest loop, None when none was found.
        length: No play of so many moves has a loop.
        is_all: No play has more moves than that.
    """

    loop: Loop | None
    length: int
    is_all: bool = False


def unroll(system: System, budget: Budget, *, most: int | None = None) -> Unrolled:
    """Look for a shortest loop in plays of rising length.

    Args:
        system: The game.
        budget: Of time and memory; what is known when it is spent is returned.
        most: Longest play to look at, None for as long as the formula stays small.
    """
    unrolling = Unrolling(system.asking(()), budget)
    solver, states, length = unrolling.solver, [unrolling.facts], 0
    try:
        while (most is None or length < most) and unrolling.size < MAX_UNROLLED:
            unrolling.extend()
            if not solver.solve():  # no play has so many moves, so those looked at were all
                return Unrolled(None, length, is_all=True)
            again = [_equal(unrolling, state) for state in states]
            if solver.solve([solver.lit(disj_all(unrolling.aig, again))]):
                back = next(i for i, edge in enumerate(again) if solver.value(solver.lit(edge)))
                return Unrolled(Loop(unrolling.play(), back, is_shortest=True), length)
            # Lengths rise and no shorter play had two equal states: the first pair that appears
            # has the last state in it, so only that one is compared with the earlier ones.
            states.append(unrolling.facts)
            length += 1
    except OutOfBudgetError:
        pass
    except KeyboardInterrupt:
        budget.stop("interrupted")
    finally:
        unrolling.close()
    return Unrolled(None, length)


def _equal(unrolling: Unrolling, state: Sequence[Lit]) -> Lit:
    """Return whether the state after the last step is an earlier one."""
    aig = unrolling.aig
    pairs = zip(unrolling.facts, state, strict=True)
    return conj_all(aig, (negate(xor(aig, now, old)) for now, old in pairs))
