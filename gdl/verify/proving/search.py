"""The shortest play to something bad, or the proof that there is none.

In: a system. Out: a `Result`: the shortest play that ends in a bad state, or a proof, or
how many plies were refuted. Lengths are tried in order. Each is refuted, mostly, by one
question about one step: no state that the invariants allow at this ply has a successor
that is bad. Where the answer is a state, a play to it is built backwards, ply by ply;
what turns out to have no predecessor is forbidden at its ply, as little of it as the
solver needed, and the search goes on. So a play is real and no shorter one exists.

Source: Bradley, "SAT-Based Model Checking without Unrolling", VMCAI 2011 (obligations,
cores), with exact plies in place of growing frames; Biere and others, "Symbolic Model
Checking without BDDs", TACAS 1999 (lengths in order).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from gdl.circuit.logic import disj_all
from gdl.verify.proving.evidence import ByPly, Evidence, Induction, NoLonger
from gdl.verify.proving.frames import Frame, Frames, Sum
from gdl.verify.proving.invariants import Clause, Invariants, pair_off, rivals_of
from gdl.verify.proving.successors import Successors
from gdl.verify.proving.unroll import Unrolling
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.solvers.cardinality import Counters
from gdl.verify.systems.bit_parallel import of_facts
from gdl.verify.systems.system import Play
from gdl.verify.systems.transition import StepSolver, Transition

FIRST_ATTEMPT: Final = 4_000
"""Conflicts that the first attempt at induction may take; each later one twice as many."""
MAX_CALLS: Final = 60
"""Questions about one length before all its plies are put into one formula, if that fits."""
MAX_UNROLLED: Final = 400_000
"""Nodes of such a formula, at most."""
SHORTER_REFUTED: Final = "every shorter length is refuted"
MAX_DROPS: Final = 12
"""Attempts at making a forbidden pattern smaller."""
INDUCTION: Final = "induction"
STATES: Final = "states alone"
ONE_MOVE: Final = "one move"
UNROLLING: Final = "unrolling"
"""Ways of refuting a length, each of which may be left out; but not the last two together."""


@dataclass(frozen=True, slots=True)
class Result:
    """What the search found.

    Attributes:
        play: The shortest play to a bad state, None when none was found.
        proved: Without a play: there is none. With one: it is the shortest.
        depth: Plies up to which (this one included) nothing bad can be reached; -1 for none.
        method: What the proof rests on, in a few words.
        calls: Questions to the solver.
        evidence: Of a proof that there is no play: what others can check, where it has a form.
        by_ply: What is known of each ply, where the search told.
    """

    play: Play | None
    proved: bool
    depth: int
    method: str
    calls: int = 0
    evidence: Evidence | None = field(default=None, repr=False)
    by_ply: ByPly | None = field(default=None, repr=False, compare=False)


class Assumptions:
    """Turns what is known at a ply into assumptions of a solver."""

    def __init__(self, solver: StepSolver, step: Transition, invariants: Invariants) -> None:
        """Give the solver the clauses that hold at every ply."""
        self.solver = solver
        self.step = step
        self._same = invariants.same
        self._proved: dict[tuple[tuple[int, int], ...], bool] = {}
        for clause in invariants.clauses:
            solver.add([self._lit(fact, value) for fact, value in clause])
        self._rivals = rivals_of(invariants.exclusive)
        self._counters = Counters(solver)

    def _lit(self, fact: int, value: bool) -> int:  # noqa: FBT001  # a literal is a fact and a value
        return self.solver.lit(self.step.facts[fact] ^ (not value))

    def of(self, frame: Frame) -> list[int] | None:
        """Return assumptions that say what a frame says, None when it cannot be."""
        assumptions: list[int] = []
        # Only sums of weights 1 are told: they say how many facts hold. Leaving others out is safe.
        counts = [(count, value) for count, value in frame.items() if count.is_count]
        for count, value in counts:
            if not 0 <= value <= len(count.weights):
                return None
            if len(count.weights) == 1:
                assumptions.append(self._lit(count.weights[0][0], bool(value)))
            else:
                literals = [self._lit(f, True) for f, _ in count.weights]  # noqa: FBT003
                assumptions += self._counters.exactly(literals, value)
        wide = [(count, value) for count, value in counts if len(count.weights) > 1]
        # Sums of two counts, see `Successors._counts`: implied, but hard to find by resolution.
        for index, (left, ones) in enumerate(wide):
            for right, others in wide[:index]:
                merged = self._merged(left, right)
                if merged is None:
                    continue
                if ones + others > len(merged):
                    return None
                assumptions += self._counters.exactly(merged, ones + others)
        return assumptions

    def after(self, counts: list[tuple[tuple[int, ...], int]]) -> list[int]:
        """Return assumptions that say how many facts hold after the step.

        Counts are those of `Frames.after`, so ended states satisfy them too. A pair of counts is
        added up only where its facts were shown to exclude each other after *every* step, since
        the invariants say so only of states where play goes on.
        """
        assumptions: list[int] = []
        follows = self.step.next
        for facts, value in counts:
            if 0 <= value <= len(facts):
                literals = [self.solver.lit(follows[fact]) for fact in facts]
                assumptions += self._counters.exactly(literals, value)
        for index, (left, ones) in enumerate(counts):
            for right, others in counts[:index]:
                pairs = self._rival_pairs(left, right)
                if pairs and ones + others <= len(pairs) and self._never_both(pairs):
                    edges = [self.step.aig.disj(follows[f], follows[g]) for f, g in pairs]
                    literals = list(map(self.solver.lit, edges))
                    assumptions += self._counters.exactly(literals, ones + others)
        return assumptions

    def _rival_pairs(
        self, left: tuple[int, ...], right: tuple[int, ...]
    ) -> tuple[tuple[int, int], ...]:
        """Return the facts of two counts in exclusive pairs, none if some are left over."""
        mine, theirs = ({self._leader(fact): fact for fact in facts} for facts in (left, right))
        partners = pair_off(mine, theirs, self._rivals)
        if not len(partners) == len(left) == len(right):
            return ()
        return tuple((mine[a], theirs[b]) for a, b in partners.items())

    def _leader(self, fact: int) -> int:
        same = self._same.get(fact)
        return fact if same is None else same.fact

    def _never_both(self, pairs: tuple[tuple[int, int], ...]) -> bool:
        """Return whether no step makes both facts of a pair true, wherever it leads."""
        if pairs not in self._proved:
            follows = self.step.next
            both = [self.step.aig.conj(follows[f], follows[g]) for f, g in pairs]
            broken = self.solver.lit(disj_all(self.step.aig, both))
            self._proved[pairs] = self.solver.attempt([broken], FIRST_ATTEMPT) is False
        return self._proved[pairs]

    def _merged(self, first: Sum, second: Sum) -> list[int] | None:
        """Return literals of two sums together, exclusive facts as one; None if none are."""
        if {*first.facts} & {*second.facts}:
            return None
        partners = pair_off(first.facts, second.facts, self._rivals)
        if not partners:
            return None
        edges = self.step.facts
        joined = [self.step.aig.disj(edges[a], edges[b]) for a, b in partners.items()]
        left = {*first.facts, *second.facts} - {*partners, *partners.values()}
        return [
            self.solver.lit(edge) for edge in (*joined, *(edges[fact] for fact in sorted(left)))
        ]


@dataclass(slots=True)
class _Level:
    """What is assumed at one ply."""

    assumed: list[int] | None
    active: int
    forbidden: int = 0
    extra: list[int] = field(default_factory=list)


_Link: TypeAlias = tuple[int, tuple[bool, ...], tuple[int, ...]]
"""A step of a play that is looked for backwards: the ply, the state there, each role's choice."""


class Search:
    """One search for one set of questions.

    Kept throughout: when `run` comes to a length, no play of fewer moves ends in a bad state.
    And of each ply, what the solver is told (invariants, the frame, forbidden patterns) holds
    in every state that so many moves reach and where play goes on; for ply 0 it is the first
    state itself. So a "no" is a proof, and a state that the solver offers is only a candidate.
    """

    def __init__(
        self,
        step: Transition,
        invariants: Invariants,
        frames: Frames,
        budget: Budget,
        *,
        without: Collection[str] = (),
    ) -> None:
        """Encode the step with all that is known; some ways of refuting may be left out."""
        self.step, self.frames, self.budget = step, frames, budget
        self.without = without
        self.system = step.system
        self.solver = StepSolver(step, budget)
        self.assumptions = Assumptions(self.solver, step, invariants)
        self.invariants = invariants
        self._successors: Successors | None = None
        self._levels: dict[int, _Level] = {}
        self._forbidden: dict[int, list[Clause]] = {}
        self._unrolling: Unrolling | None = None
        self._begun = 0
        self._chain: list[_Link] = []

    def run(
        self,
        *,
        max_depth: int | None = None,
        met: Play | None = None,
        refuted: int = 0,
        on_depth: Callable[[int], None] | None = None,
    ) -> Result:
        """Try lengths in order until a play, a proof or the end of the budget.

        Args:
            max_depth: Longest play to look for; None for no limit.
            refuted: A length up to which there is no play; the first state is looked at anyway.
            met: A play that is known to be bad; the shortest once all shorter are refuted.
            on_depth: Called with each length before it is tried.
        """
        depth = -1
        try:
            if self._is_bad_at_once():
                return self._result((), -1, "the first state", proved=True)
            depth = self._begun = max(0, refuted)
            while max_depth is None or depth < max_depth:
                if met is not None and len(met) == depth + 1:
                    return self._result(met, depth, SHORTER_REFUTED, proved=True)
                # A play that is known to be bad leaves nothing to prove by induction.
                if met is None and self._is_inductive(depth):
                    shown = self._result(None, depth, "induction over one move", proved=True)
                    return replace(shown, evidence=Induction(self.system, self.invariants))
                if on_depth is not None:
                    on_depth(depth + 1)
                if self._is_last(depth):
                    return self._exhausted(depth)
                play = self._at(depth + 1)
                if play is not None:
                    return self._result(play, depth, SHORTER_REFUTED, proved=True)
                # What was forbidden meanwhile may be all that was left of this ply.
                if self.level(depth).forbidden and self._is_last(depth):
                    return self._exhausted(depth)
                depth += 1
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            return self._result(None, depth, self._why(stopped), proved=False)
        return self._result(None, depth, f"asked for {depth} moves only", proved=False)

    def _is_last(self, ply: int) -> bool:
        """Return whether there is no step at all from what is known of a ply: no play is longer."""
        level = self.level(ply)
        return level.assumed is None or not self.solver.solve([*level.assumed, level.active])

    def _exhausted(self, depth: int) -> Result:
        method = f"exhaustion: no play is longer than {depth} moves"
        shown = self._result(None, depth, method, proved=True)
        return replace(shown, evidence=NoLonger(self.system, depth, shown.by_ply))

    def _is_inductive(self, depth: int) -> bool:
        """Return whether no move leads to a bad state; tried now and then, each time harder."""
        # The clauses of the solver, without assumptions of a ply, hold wherever play goes on. If
        # no step from there is bad, no play of any length is, the first state having been looked
        # at. Tried at lengths 0, 1, 2, 4, 8, ... so that it costs a small share of the search.
        if INDUCTION in self.without or (depth.bit_count() > 1 and depth != self._begun):
            return False
        if depth == self._begun and STATES not in self.without and self.successors.is_free_of_bad():
            return True
        conflicts = FIRST_ATTEMPT << depth.bit_length()
        return self.solver.attempt([self.solver.any_bad], conflicts) is False

    def bound(self, *, max_depth: int) -> Result:
        """Return the length that no play exceeds, as the depth of a proved result.

        A play of that length may still not exist: the bound is what was proved.
        """
        depth = 0
        try:
            while depth < max_depth:
                level = self.level(depth)
                if level.assumed is None or not self.solver.solve([*level.assumed, level.active]):
                    return self._result(None, depth, "exhaustion", proved=True)
                depth += 1
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            return self._result(None, depth, self._why(stopped), proved=False)
        return self._result(None, depth, f"asked for {depth} moves only", proved=False)

    def _why(self, stopped: OutOfBudgetError | KeyboardInterrupt) -> str:
        """Return why nothing goes on; after Ctrl-C nothing else does either."""
        if isinstance(stopped, KeyboardInterrupt):
            self.budget.stop("interrupted")
        return str(stopped) or "interrupted"

    def _result(self, play: Play | None, depth: int, method: str, *, proved: bool) -> Result:
        by_ply = ByPly(self.frames, self._forbidden)
        return Result(play, proved, depth, method, self.solver.calls, by_ply=by_ply)

    def _is_bad_at_once(self) -> bool:
        import numpy as np

        system = self.system
        looker = of_facts(system, [bad.edge for bad in system.bads])
        return bool(looker.run(np.array(system.initial, np.bool_)[:, None]).any())

    @property
    def successors(self) -> Successors:
        """States after a move, looked at alone; made when it is first needed."""
        if self._successors is None:
            self._successors = Successors(self.step, self.solver, self.invariants, self.budget)
        return self._successors

    def level(self, ply: int) -> _Level:
        """Return what is assumed at a ply."""
        level = self._levels.get(ply)
        if level is None:
            assumed = self.assumptions.of(self.frames[ply])
            if ply == 0:
                assumed = [
                    self.solver.lit(edge ^ (not value))
                    for edge, value in zip(self.step.facts, self.system.initial, strict=True)
                    if edge > 1
                ]
            level = self._levels[ply] = _Level(assumed, self.solver.new_variable())
        return level

    def _at(self, depth: int) -> Play | None:
        """Return a play of exactly so many plies to a bad state, None when there is none."""
        if STATES not in self.without and self.successors.is_ruled_out(self.frames, depth):
            return None
        if ONE_MOVE in self.without:
            return self._unrolled().ask(depth)
        # Each turn of the loop either returns or forbids at the last ply at least the state that
        # was offered, of which there are finitely many; `MAX_CALLS` ends it sooner.
        # A chain of steps on which the clock ran out is taken up again, at the same length.
        if self._chain and self._chain[0][0] == depth - 1:
            play = self._follow(depth)
            if play is not None:
                return play
        begun = self.solver.calls
        after = self.assumptions.after(self.frames.after(depth))
        while True:
            level = self.level(depth - 1)
            if level.assumed is None:
                return None
            assumed = [*level.assumed, *after, level.active]
            if not self.solver.solve([self.solver.any_bad, *assumed]):
                return None
            if self.solver.calls - begun > MAX_CALLS and self._can_unroll(depth):
                return self._unrolled().ask(depth)
            play = self._reach(depth - 1, self.solver.state(), self.solver.joint())
            if play is not None:
                return play

    def _can_unroll(self, depth: int) -> bool:
        return UNROLLING not in self.without and depth * len(self.system.aig) <= MAX_UNROLLED

    def _unrolled(self) -> Unrolling:
        if self._unrolling is None:
            self._unrolling = Unrolling(self.system, self.budget)
        return self._unrolling

    def _reach(self, ply: int, state: tuple[bool, ...], joint: tuple[int, ...]) -> Play | None:
        """Return a play to a state and on by a joint choice; None when it is forbidden now.

        None is also the answer when it takes too long and there is another way.
        """
        # The chain has the last step first: each state with the choice that leads on to the state
        # below it. A state at the top is extended by a predecessor, or forbidden.
        self._chain = [(ply, state, joint)]
        return self._follow(ply + 1)

    def _follow(self, depth: int) -> Play | None:
        """Go on with the chain of steps that is at hand, see `_reach`."""
        stack = self._chain
        begun = self.solver.calls
        while stack:
            if self.solver.calls - begun > MAX_CALLS + 2 * depth and self._can_unroll(depth):
                stack.clear()
                return None
            ply, state, _ = stack[-1]
            if ply == 0:  # where the solver was told the first state, so the chain is a play
                return tuple(choice for _, _, choice in reversed(stack))
            if self._is_forbidden(ply, state):
                stack.pop()
                continue
            level = self.level(ply - 1)
            target = self._target(state)
            if level.assumed is not None and self.solver.solve(
                [*level.assumed, level.active, *target]
            ):
                stack.append((ply - 1, self.solver.state(), self.solver.joint()))
                continue
            self._forbid(ply, target, self.solver.core() if level.assumed is not None else [])
            stack.pop()
        return None

    def _is_forbidden(self, ply: int, state: Sequence[bool]) -> bool:
        level = self.level(ply)
        if not level.forbidden:
            return False
        literals = [
            self.solver.lit(edge ^ (not value))
            for edge, value in zip(self.step.facts, state, strict=True)
            if edge > 1
        ]
        return not self.solver.solve([level.active, *literals])

    def _target(self, state: Sequence[bool]) -> list[int]:
        """Return literals that say: the state after the step is this one."""
        return [
            self.solver.lit(edge ^ (not value))
            for edge, value in zip(self.step.next, state, strict=True)
        ]

    def _forbid(self, ply: int, target: Sequence[int], core: Sequence[int]) -> None:
        """Exclude at a ply what has no predecessor, as little of it as needed.

        The solver denied that a step from what is known of the ply before leads to ``target``;
        its core names the facts of the target that this needed. No state that agrees in these
        alone is reached in so many moves, so the clause against them holds of all such states.
        It is bound to the ply by the ply's activation literal.

        Args:
            ply: Where the state is.
            target: ``[F]``: for each fact, the literal that gives it its value after the step.
            core: Literals of the denial, those of the ply before among them.
        """
        wanted = set(core)
        kept = [index for index, literal in enumerate(target) if literal in wanted]
        before = self.level(ply - 1)
        if before.assumed is not None:
            kept = self._smaller([*before.assumed, before.active], target, kept)
        level = self.level(ply)
        clause = {
            -self.solver.lit(self.step.facts[index] ^ (target[index] != self._after(index)))
            for index in kept
            if self.step.facts[index] > 1
        }
        self.solver.add([-level.active, *sorted(clause)])
        level.forbidden += 1
        after = [(index, target[index] != self._after(index)) for index in kept]
        self._forbidden.setdefault(ply, []).append(tuple(after))

    def _after(self, index: int) -> int:
        return self.solver.lit(self.step.next[index])

    def _smaller(
        self, base: Sequence[int], target: Sequence[int], kept: Sequence[int]
    ) -> list[int]:
        # Deletion: leave one fact out and ask again; a denial's core may drop more at once. A core
        # without any fact is a proof that no state is reached in so many moves where play goes on.
        needed = list(kept)
        for index in list(kept)[:MAX_DROPS]:
            if index not in needed or len(needed) == 1:
                continue
            fewer = [place for place in needed if place != index]
            if not self.solver.solve([*base, *(target[place] for place in fewer)]):
                wanted = set(self.solver.core())
                needed = [place for place in fewer if target[place] in wanted]
        return needed

    def close(self) -> None:
        """Give the solvers' memory back."""
        self.solver.close()
        if self._successors is not None:
            self._successors.close()
        if self._unrolling is not None:
            self._unrolling.close()
