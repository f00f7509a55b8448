"""Property-directed reachability: clauses that keep play away from what is bad, found one by one.

In: a step and what is known to hold wherever play goes on. Out: clauses over facts which together
with that are inductive and leave no step to anything bad; or the shortest play to something bad;
or how many moves were refuted.

Frame i holds clauses that are true of every state that at most i moves lead to and where play
goes on. A state from which one step is bad is excluded from the last frame: a step that leads to
it from the frame before gives another state to be excluded first, until that is the first state
(then there is a play) or there is no such step. What is excluded is made as small as the solver
lets it, and so rules out many states at once. Where two frames are the same, they are inductive.

Source: Bradley, "SAT-Based Model Checking without Unrolling", VMCAI 2011; Een, Mishchenko,
Brayton, "Efficient Implementation of Property Directed Reachability", FMCAD 2011 (clauses are
kept at the last frame that they hold in); Chockler, Ivrii, Matsliah, Moran, Nevo, "Incremental
Formal Verification of Hardware", FMCAD 2011 (what a step does not need is left out by a core).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Final, TypeAlias

from gdl.verify.proving.invariants import Clause, Invariants
from gdl.verify.solvers.budget import Budget
from gdl.verify.solvers.sat import Solver
from gdl.verify.systems.system import Play
from gdl.verify.systems.transition import StepSolver, Transition, transition

Cube: TypeAlias = tuple[int, ...]
"""Some facts with their values, rising: ``2 * fact + 1`` where it is true, else ``2 * fact``."""

MAX_DROPS: Final = 3
"""Attempts in a row to leave a fact out of a cube that may fail."""
FRESH: Final = 3_000
"""Questions that leave a clause behind, before the solver is made anew."""


@dataclass(frozen=True, slots=True)
class ReachabilityResult:
    """What came of it.

    Attributes:
        depth: Nothing bad is reached by so many moves, or fewer.
        invariants: What proves that nothing bad is ever reached; None where that is not so.
        play: The shortest play to something bad, None where none was found.
    """

    depth: int
    invariants: Invariants | None = None
    play: Play | None = None


@dataclass(order=True, slots=True)
class _Duty:
    """A cube to be excluded from a frame; from each of its states the play on to a bad one.

    Of several the one of the earliest frame comes first, then that which came last.
    """

    frame: int
    turn: int
    cube: Cube = field(compare=False)
    joint: tuple[int, ...] = field(compare=False)
    then: _Duty | None = field(compare=False)

    def play(self) -> Play:
        """Return the choices from here on."""
        joints, duty = [], self
        while True:
            joints.append(duty.joint)
            if duty.then is None:
                return tuple(joints)
            duty = duty.then


class Pdr:
    """One run.

    Kept throughout, with S the states where play goes on, so that the invariants hold:

    - every state of S that at most i moves lead to satisfies the clauses of frames i, i + 1, ...;
    - no step from a state of S within the frames below the last is bad;
    - a clause of frame i + 1 or above follows by one step to S from frame i with itself.
    """

    def __init__(self, step: Transition, invariants: Invariants, budget: Budget) -> None:
        """Begin with the first state and one frame."""
        self.step, self.invariants, self.budget = step, invariants, budget
        self.calls = 0
        system = step.system
        self._leaders = [fact for fact in range(len(system.facts)) if fact not in invariants.same]
        self._first = system.initial
        self._frames: list[set[Cube]] = [set()]
        self._turns = count(0, -1)
        self._lifter: _Lifter | None = None
        self._weight: dict[int, int] = {}
        self._open()

    def with_invariants(self, invariants: Invariants) -> Pdr | None:
        """Return a run that knows more and goes on from these frames; None where it knows less.

        What was true of the frames stays so where fewer states are allowed.
        """
        own = self.invariants
        is_more = own.same.items() <= invariants.same.items()
        if not is_more or own.gates != invariants.gates:
            return None
        if not set(own.clauses) <= set(invariants.clauses):
            return None
        step = transition(self.step.system, invariants.same, invariants.gates)
        other = Pdr(step, invariants, self.budget)
        other._frames, other._weight = self._frames, self._weight
        other._used = FRESH + 1  # so that its solver is told of them
        return other

    def run(
        self, *, max_depth: int | None = None, on_depth: Callable[[str], None] | None = None
    ) -> ReachabilityResult:
        """Add frame after frame. What was stopped for want of time goes on when it is asked again.

        Raises:
            OutOfBudgetError: Time or memory ran out; `depth` says what is known.
        """
        # All that a stop leaves behind is true: each clause of a frame was shown before it was
        # put there, and clauses of the solver that are bound to a question say nothing without it.
        # Only a solver that was not told everything has to be made anew.
        if self._used > FRESH:
            self.solver.close()
            self._open()
        while max_depth is None or self.depth < max_depth:
            if on_depth is not None:
                clauses = sum(map(len, self._frames))
                on_depth(f"{len(self._frames)} frames of {clauses} clauses")
            play = self._exclude_bad()
            if play is not None:
                return ReachabilityResult(self.depth, play=play)
            self._frames.append(set())
            proved = self._push()
            if proved is not None:
                return ReachabilityResult(self.depth, invariants=proved)
        return ReachabilityResult(self.depth)

    @property
    def depth(self) -> int:
        """Moves after which nothing is bad; the first state is looked at before."""
        return len(self._frames) - 1

    def _lift(self, state: Sequence[bool], joint: Sequence[int], target: Cube | None) -> Cube:
        if self._lifter is None:
            self._lifter = _Lifter(self.step, self.invariants, self.budget)
        return self._lifter.lift(state, joint, target)

    # ------------------------------------------------------------------ the solver

    def _open(self) -> None:
        """Make a solver that knows the frames; what it learned is lost."""
        self.solver = solver = StepSolver(self.step, self.budget)
        for clause in self.invariants.clauses:
            solver.add([self._now(2 * fact + value) for fact, value in clause])
        self._going = solver.lit(self.step.next_going)
        self._active: list[int] = []
        # Frame 0 is the first state itself.
        start = solver.new_variable()
        self._active.append(start)
        for fact in self._leaders:
            solver.add([-start, self._now(2 * fact + self._first[fact])])
        for number, cubes in enumerate(self._frames):
            if number:
                self._activate(number)
            for cube in cubes:
                self._tell(cube, number)
        self._used = 0

    def _activate(self, number: int) -> int:
        while len(self._active) <= number:
            self._active.append(self.solver.new_variable())
        return self._active[number]

    def _now(self, literal: int, *, flip: bool = False) -> int:
        return self.solver.lit(self.step.facts[literal >> 1] ^ (not literal & 1) ^ flip)

    def _then(self, literal: int) -> int:
        return self.solver.lit(self.step.next[literal >> 1] ^ (not literal & 1))

    def _tell(self, cube: Cube, frame: int) -> None:
        self.solver.add(
            [-self._activate(frame), *(self._now(literal, flip=True) for literal in cube)]
        )

    def _within(self, frame: int) -> list[int]:
        """Return assumptions that say what is known of a frame: its clauses, and those above."""
        if frame == 0:
            return [self._active[0]]
        self._activate(len(self._frames) - 1)
        return self._active[frame:]

    # ------------------------------------------------------------------ excluding

    def _exclude_bad(self) -> Play | None:
        """Exclude from the last frame all from which a step is bad; return a play if one is."""
        last = len(self._frames) - 1
        while True:
            self.calls += 1
            if not self.solver.solve([*self._within(last), self.solver.any_bad]):
                return None
            state, joint = self.solver.state(), self.solver.joint()
            cube = self._lift(state, joint, None)
            play = self._exclude(_Duty(last, next(self._turns), cube, joint, None))
            if play is not None:
                return play

    def _exclude(self, duty: _Duty) -> Play | None:
        """Exclude a cube from its frame, and whatever leads to it from those before."""
        queue = [duty]
        while queue:
            duty = queue[0]
            if self._holds_first(duty.cube):
                return duty.play()
            assert duty.frame > 0, "a cube of frame 0 that is not the first state"
            if self._is_excluded(duty):
                heappop(queue)
                continue
            before = self._before(duty.cube, duty.frame - 1)
            if isinstance(before, _Before):
                cube = self._lift(before.state, before.joint, duty.cube)
                heappush(queue, _Duty(duty.frame - 1, next(self._turns), cube, before.joint, duty))
                continue
            heappop(queue)
            cube, frame = self._smaller(before, duty.frame)
            self._add(cube, frame)
        return None

    def _is_excluded(self, duty: _Duty) -> bool:
        """Return whether a clause that is there already excludes a cube."""
        cube = set(duty.cube)
        return any(
            cube.issuperset(other) for cubes in self._frames[duty.frame :] for other in cubes
        )

    def _holds_first(self, cube: Cube) -> bool:
        return all(self._first[literal >> 1] == (literal & 1) for literal in cube)

    def _before(self, cube: Cube, frame: int) -> Cube | _Before:
        """Return a step from a frame and outside a cube into it; else what of the cube denies it.

        Only states where play goes on are excluded, so only steps that lead to such count.
        """
        solver = self.solver
        self._used += 1
        if self._used > FRESH:
            solver.close()
            self._open()
            solver = self.solver
        self.calls += 1
        outside = solver.new_variable()
        solver.add([-outside, *(self._now(lit, flip=True) for lit in cube)])
        then = {self._then(literal): literal for literal in cube}
        is_reached = solver.solve([*self._within(frame), outside, self._going, *then])
        if is_reached:
            before = _Before(solver.state(), solver.joint())
        else:
            core = set(solver.core())
            kept = tuple(sorted(lit for successor, lit in then.items() if successor in core))
        solver.add([-outside])
        return before if is_reached else self._apart(kept, cube)

    def _apart(self, kept: Cube, cube: Cube) -> Cube:
        """Return part of a cube with, where need be, a literal that the first state denies."""
        # A clause of a frame must hold in the first state too.
        if not self._holds_first(kept):
            return kept
        denied = next(lit for lit in cube if self._first[lit >> 1] != (lit & 1))
        return tuple(sorted((*kept, denied)))

    def _smaller(self, cube: Cube, frame: int) -> tuple[Cube, int]:
        """Return less of a cube that can be excluded likewise, and the last frame where it can."""
        failed = 0
        # What clauses spoke of before is what the next ones are likely to need: it goes last.
        order = sorted(cube, key=lambda literal: self._weight.get(literal, 0))
        for literal in order:
            if literal not in cube or len(cube) == 1:
                continue
            fewer = tuple(other for other in cube if other != literal)
            if self._holds_first(fewer):
                continue
            tried = self._before(fewer, frame - 1)
            if isinstance(tried, _Before):
                failed += 1
                if failed > MAX_DROPS + len(cube) // 4:
                    break
            else:
                cube, failed = tried, 0
        while frame < len(self._frames) - 1:
            tried = self._before(cube, frame)
            if isinstance(tried, _Before):
                break
            cube, frame = tried, frame + 1
        return cube, frame

    def _add(self, cube: Cube, frame: int) -> None:
        for cubes in self._frames[1 : frame + 1]:  # what it makes needless
            cubes.difference_update([blocked for blocked in cubes if set(cube) <= set(blocked)])
        self._frames[frame].add(cube)
        self._tell(cube, frame)
        for literal in cube:
            self._weight[literal] = self._weight.get(literal, 0) + 1

    def _push(self) -> Invariants | None:
        """Move clauses to later frames; return invariants where two frames are the same."""
        for number in range(1, len(self._frames) - 1):
            for cube in sorted(self._frames[number], key=len):
                if cube not in self._frames[number]:
                    continue
                tried = self._before(cube, number)
                if not isinstance(tried, _Before):
                    self._add(tried, number + 1)
            if not self._frames[number]:
                return self._proved(number + 1)
        return None

    def _proved(self, number: int) -> Invariants:
        cubes = sorted(cube for cubes in self._frames[number:] for cube in cubes)
        clauses: list[Clause] = [
            tuple((literal >> 1, not literal & 1) for literal in cube) for cube in cubes
        ]
        own = self.invariants
        return Invariants(own.same, (*own.clauses, *clauses), own.gates)

    def close(self) -> None:
        """Give the solvers' memory back."""
        self.solver.close()
        if self._lifter is not None:
            self._lifter.close()


@dataclass(frozen=True, slots=True)
class _Before:
    """A step into a cube: the state before it, and the choice of each role."""

    state: tuple[bool, ...]
    joint: tuple[int, ...]


class _Lifter:
    """Says what of a state is needed for a step to do what it does."""

    def __init__(self, step: Transition, invariants: Invariants, budget: Budget) -> None:
        """Encode the step without saying that it is legal: that is part of what is asked."""
        self.step = step
        self.solver = solver = Solver(step.aig, budget)
        for clause in invariants.clauses:
            solver.add([solver.lit(step.facts[fact] ^ (not value)) for fact, value in clause])
        for edge, other in step.held:
            solver.equate(edge, other)
        self._bad = [solver.lit(edge) for edge in step.next_bads]
        self._going, self._next_going = solver.lit(step.going), solver.lit(step.next_going)
        self._leaders = [fact for fact in range(len(step.facts)) if fact not in invariants.same]

    def lift(self, state: Sequence[bool], joint: Sequence[int], target: Cube | None) -> Cube:
        """Return a part of a state from which this choice is legal and leads on to a target.

        Args:
            state: Where the step begins.
            joint: The choice of each role.
            target: Where it leads, and play goes on; None for something bad.
        """
        solver, step = self.solver, self.step
        legal = [solver.lit(row[choice]) for row, choice in zip(step.legal, joint, strict=True)]
        # The state, the choice, and the denial of what they do: a contradiction, and its core says
        # which facts it needs. So from every state that has these facts the step does the same.
        denied = solver.new_variable()
        failures = [-self._going, *(-literal for literal in legal)]
        if target is None:
            bad = solver.new_variable()
            failures.append(bad)
            for literal in self._bad:
                solver.add([-bad, -literal])
        else:
            failures.append(-self._next_going)
            failures += (-solver.lit(step.next[edge >> 1] ^ (not edge & 1)) for edge in target)
        solver.add([-denied, *failures])
        facts = {
            solver.lit(step.facts[fact] ^ (not state[fact])): 2 * fact + state[fact]
            for fact in self._leaders
        }
        choices = [
            solver.lit(edge ^ (number != choice))
            for row, choice in zip(step.choices, joint, strict=True)
            for number, edge in enumerate(row)
        ]
        is_possible = solver.solve([denied, *choices, *facts])
        assert not is_possible, "a step does not do what it does"
        core = set(solver.core())
        solver.add([-denied])
        return tuple(sorted(literal for assumed, literal in facts.items() if assumed in core))

    def close(self) -> None:
        """Give the solver's memory back."""
        self.solver.close()
