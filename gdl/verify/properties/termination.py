"""Does every play come to an end, and after how many moves at most?

In: what is known of a game. Out: a `Verdict`. Of few states all are looked at. Else: the
counts of each ply leave no play longer than some length; or each move uses up something,
or lowers a weighted sum of facts; or some play comes back to a state.

Source: GDL specification 2008, section 6 (termination).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar

from gdl.certify.names import ENDING
from gdl.machine import JointMove
from gdl.verify.properties.decide import check_affordable
from gdl.verify.properties.habits import met_by_habit
from gdl.verify.properties.loops import Loop, look_at_all, met_at_random, unroll
from gdl.verify.properties.monotone_facts import monotone_bound
from gdl.verify.properties.ranking import Ranking, find_ranking
from gdl.verify.properties.verdict import Verdict
from gdl.verify.properties.witness import Witness
from gdl.verify.proving.evidence import AllStates, ByPly, ComesBack, Ends, Evidence, Lowered
from gdl.verify.proving.frames import Frames
from gdl.verify.proving.prove import Prover
from gdl.verify.proving.search import Search
from gdl.verify.replay import WitnessError
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.state_space import StateSpace
from gdl.verify.systems.system import System
from gdl.verify.systems.transition import transition

T = TypeVar("T")

NAME: Final = ENDING
CLAIM: Final = "every play comes to an end"
CLOCK: Final = "what runs by itself"
RANKED: Final = "ranking"
COUNTED: Final = "no move left"
USED_UP: Final = "used up"
LOOPS: Final = "random loops"
"""Ways of finding a bound or a loop, each of which may be left out."""
_Bound: TypeAlias = tuple[int, str, Evidence]
"""A length that no play exceeds, why, and what others can check."""
MAX_BOUND: Final = 2_000
"""Plies up to which a bound on the length of plays is looked for."""
HABITS: Final = 0.15
"""Of the time left, what plays of habit may take."""


def termination(
    prover: Prover, space: StateSpace | None, witness: Witness, limit: int | None, budget: Budget
) -> Verdict:
    """Return whether every play ends.

    Args:
        prover: What is known of the game.
        space: All its states, None where there are too many.
        witness: Replays plays.
        limit: A length that what runs by itself lets no play exceed, None for none.
        budget: Of time and memory.

    Raises:
        OutOfBudgetError: Nothing is known.
    """
    if space is not None:
        return _of_all_states(space, witness)
    if limit is not None:
        text = f"no play is longer than {moves(limit)}: what runs by itself ends it then"
        ends = Ends(prover.system, limit, by_clock=True)
        return Verdict(NAME, CLAIM, "proved", text, limit, evidence=ends)
    check_affordable(prover.system, budget)
    if LOOPS not in prover.without:
        met = met_at_random(prover.sampled)
        if met is None:
            share = budget.share(HABITS * budget.left)
            met = met_by_habit(prover.system, share, prover.seed)
        if met is not None:
            return _shortened(prover, met, witness, budget)
    # Each way proves a bound for itself, so the least of them is proved.
    # What is quick comes first.
    ways = {USED_UP: _used_up, RANKED: _ranked, COUNTED: _counted}
    tried = (way for name, way in ways.items() if name not in prover.without)
    bounds = [bounded for way in tried if (bounded := way(prover, budget)) is not None]
    if bounds:
        # Of equal ones that which is easily certified: all plays in one formula may take long.
        bound, text, evidence = min(
            bounds, key=lambda candidate: (candidate[0], type(candidate[2]) is Ends)
        )
        text = f"no play is longer than {moves(bound)}: {text}"
        return Verdict(NAME, CLAIM, "proved", text, bound, evidence=evidence)
    seen = unroll(prover.system, budget)
    if seen.loop is not None:
        return _refuted(prover.system, seen.loop, witness)
    if seen.is_all:
        text = f"the longest play has {moves(seen.length)}: all plays are in one formula"
        ends = Ends(prover.system, seen.length, by_clock=False)
        return Verdict(NAME, CLAIM, "proved", text, seen.length, evidence=ends)
    text = f"no play of up to {moves(seen.length)} comes back to a state; no bound was found"
    return Verdict(NAME, CLAIM, "open", text, seen.length)


def _of_all_states(space: StateSpace, witness: Witness) -> Verdict:
    lengths = look_at_all(space)
    if lengths.loop is not None:
        return _refuted(space.system, lengths.loop, witness)
    how = f"looking at all {len(space)} states"
    text = f"the longest play has {moves(lengths.longest)}: {how}"
    states = AllStates(space, (), lengths.longest)
    return Verdict(NAME, CLAIM, "proved", text, lengths.longest, evidence=states)


def _shortened(prover: Prover, met: Loop, witness: Witness, budget: Budget) -> Verdict:
    """Return the verdict of the shortest loop, or of the one that was met."""
    seen = unroll(prover.system, budget, most=len(met.play) - 1)
    if seen.loop is not None:
        return _refuted(prover.system, seen.loop, witness)
    is_shortest = seen.length == len(met.play) - 1
    return _refuted(prover.system, Loop(met.play, met.back, is_shortest=is_shortest), witness)


def _refuted(system: System, loop: Loop, witness: Witness) -> Verdict:
    joints = _confirmed(loop, witness)
    text = f"after {moves(len(joints))} the state is that of {moves(loop.back)} again"
    back = ComesBack(system.asking(()), loop.play, loop.back)
    return Verdict(
        NAME, CLAIM, "refuted", text, len(joints), joints, loop.is_shortest, evidence=back
    )


def _confirmed(loop: Loop, witness: Witness) -> tuple[JointMove, ...]:
    states, joints = witness.replay(loop.play, NAME)
    if states[-1] != states[loop.back]:
        raise WitnessError("terminating: the reasoner does not come back to the state")
    return joints


def _counted(prover: Prover, budget: Budget) -> _Bound | None:
    """Return the ply at which counts leave no legal move.

    Frames hold in every state that so many moves reach where play goes on. A ply from which
    the solver finds no step has no such state with a move, so no play has more moves than that.
    """
    step = transition(prover.system.asking(()), prover.invariants.same)
    frames = Frames(step, prover.invariants, prover.sums)
    try:
        share = budget.share(budget.left / 3)
        search = Search(step, prover.invariants, frames, share, without=prover.without)
    except OutOfBudgetError:
        return None
    try:
        result = search.bound(max_depth=MAX_BOUND)
    finally:
        search.close()
    if not result.proved:
        return None
    ends = Ends(prover.system, result.depth, by_clock=False, by_ply=ByPly(frames, {}))
    return result.depth, "what is counted at each ply leaves no move then", ends


def _used_up(prover: Prover, budget: Budget) -> _Bound | None:
    """Return a bound from facts that each move, or some in a row, make true or false for good."""
    bounded = _within(budget, monotone_bound, prover, part=0.5)
    if bounded is None:
        return None
    bound, used_up = bounded
    if used_up is None or used_up.steps == 1:
        text = "each move makes a fact true or false for good, and so many can be"
        return bound, text, used_up or Ends(prover.system, bound, by_clock=False)
    what = "facts" if all(len(group) == 1 for group in used_up.groups) else "groups of facts"
    each = f"any {used_up.steps} moves in a row make one of {len(used_up.groups)} {what}"
    return bound, f"{each} true or false for good", used_up


def _ranked(prover: Prover, budget: Budget) -> _Bound | None:
    """Return a bound from a sum of facts that every move lowers."""
    ranking = _within(budget, _find_ranking, prover)
    if ranking is None:
        return None
    fall = f"from {ranking.start}" + (f" to {ranking.least} at least" if ranking.least else "")
    what = f"a weighted sum of {len(ranking.weights)} facts"
    system = prover.system.asking(())
    lowered = Lowered(system, prover.invariants, ranking.weights, ranking.drop, ranking.steps)
    lower = "each move lowers" if ranking.steps == 1 else "any two moves in a row lower"
    return ranking.bound, f"{lower} {what}, {fall}, by {ranking.drop}", lowered


def _find_ranking(prover: Prover, budget: Budget) -> Ranking | None:
    return find_ranking(prover.system, prover.invariants, budget)


def _within(
    budget: Budget,
    way: Callable[[Prover, Budget], T | None],
    prover: Prover,
    part: float = 1 / 3,
) -> T | None:
    """Return what a way finds in a part of the time left; nothing where it ends sooner."""
    try:
        return way(prover, budget.share(part * budget.left))
    except OutOfBudgetError:
        return None
    except KeyboardInterrupt:
        budget.stop("interrupted")
        return None


def moves(count: int) -> str:
    """Return a number of moves in words."""
    return f"{count} move" if count == 1 else f"{count} moves"
