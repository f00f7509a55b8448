"""Searches for a plan, side by side, until one finds the highest goal or the time is up.

Random plays come first, then phases by subgroups of the moves where these permute the parts of a
state. Then in turns, each for as long as the others: all states, layer by layer; beams that grow
wider, each width by several opinions of what is good; and, where the solver is installed, sets of
moves in whatever order, and plays as a formula. Whatever has the best end so far is the plan.

In: a state of a compiled game of one role without chance. Out: a `Plan`.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.play.anytime import UnsuitedError
from gdl.play.budget import Budget
from gdl.play.information import is_nature
from gdl.play.puzzles.beam import Beam, Score
from gdl.play.puzzles.guide import Guide
from gdl.play.puzzles.lanes import Children, Lanes, Rows
from gdl.play.puzzles.random_plays import RandomPlays
from gdl.play.puzzles.seen import Seen
from gdl.play.puzzles.subgroups import Phases
from gdl.play.thoughts import Candidate, Thoughts
from gdl.state import State

if TYPE_CHECKING:
    from gdl.play.puzzles.satisfy import Formula

WIDTHS: Final = (256, 2_048, 16_384, 131_072)
"""States that beams keep of a layer, one after the other."""
MEGABYTES: Final = 768
"""Memory of one table of states."""
FORMULA_MEGABYTES: Final = 1 << 20
FIRST_DEPTH: Final = 8
"""Moves of the first formula, where random plays came to no end."""
GROWTH: Final = 1.4
"""How much longer plays of the next formula are."""
BREADTH_FIRST: Final = "breadth-first"
"""The search that meets every state by a shortest way."""
HEAD_START: Final = 20.0
"""Seconds of the processor that phases have before other searches take turns, where they can be."""
NOISE: Final = 1e-3
"""Chance decides between states that seem equally good."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Moves from a state to an end of the game.

    Attributes:
        moves: The moves.
        value: The goal at the end.
        is_proven: Whether no play comes to a higher goal.
        is_shortest: Whether no shorter play comes to this one.
        method: Which search found it.
        seconds: When it was found.
    """

    moves: tuple[Term, ...]
    value: int
    is_proven: bool
    is_shortest: bool
    method: str
    seconds: float

    def after_first(self) -> Plan:
        """Return what is left after the first move; what is proven of it stays proven."""
        return replace(self, moves=self.moves[1:])


class Workshop:
    """What all plans of one game share: its code, and the guide."""

    def __init__(self, game: Any) -> None:  # noqa: ANN401  # a gdl.game.Game
        """Make the code.

        Raises:
            UnsuitedError: Not one role, or one that draws, or without a goal, or no machine code.
        """
        native = game.back_end.native
        if native is None or len(native.roles) != 1 or is_nature(native.roles[0]):
            raise UnsuitedError
        if not native.circuit.goals[0]:
            raise UnsuitedError
        if importlib.util.find_spec("numba") is None:
            raise UnsuitedError
        self.game = game
        self.lanes = Lanes(native)
        self.circuit = native.circuit
        self.guide = Guide(self.circuit)
        start = native.machine.initial()
        Seen(start, np.zeros(len(start), np.uint8), megabytes=1)  # compiled, or read from disk
        self.phases: Phases | None = None
        self.is_permuted = True  # until moves are seen that do not permute
        self.has_solver = importlib.util.find_spec("pysat") is not None


class Planner:
    """The searches from one state; a `gdl.play.anytime.Search`.

    Attributes:
        plan: The best so far, None for none.
    """

    def __init__(
        self, workshop: Workshop, state: State, *, seed: int = 0, plan: Plan | None = None
    ) -> None:
        """Prepare; nothing is searched yet. ``plan`` is a plan that only a better one replaces."""
        self._shop, self._state = workshop, state
        self._lanes = workshop.lanes
        self._rng = np.random.default_rng(seed)
        self._started = time.monotonic()
        self._random_plays = RandomPlays(self._lanes, state.inner, seed=seed)
        self.plan = plan
        self._ceiling = self._lanes.most
        self._budgets: list[Any] = []
        self._is_halted = False
        self._turns = self._run()

    @property
    def is_finished(self) -> bool:
        """Whether nothing better can be found."""
        return (-1 if self.plan is None else self.plan.value) >= self._ceiling

    def go_on(self) -> bool:
        """Search a little; False when there is nothing left to find."""
        if self._is_halted or self.is_finished:
            return False
        return next(self._turns, None) is not None and not self.is_finished

    def halt(self) -> None:
        """End the slice that is under way; called from another thread."""
        self._is_halted = True
        for budget in self._budgets:
            budget.stop("halted")

    def close(self) -> None:
        """Let go of all searches, and of their memory; what was found stays.

        They hold this, and it them: else their memory would wait for a collection. Nobody may be
        searching.
        """
        self._turns.close()

    # The searches in turns --------------------------------------------------------------------

    def _run(self) -> Generator[bool, None, None]:
        self._play_at_random()
        yield True
        searches = [self._phases(), self._layers(), self._beams()]
        if self._shop.has_solver:
            searches += [self._sets(), self._formulas()]
        spent = [-HEAD_START, *[0.0] * (len(searches) - 1)]
        while searches:
            at = spent.index(min(spent))
            started = time.thread_time()
            if next(searches[at], None) is None:
                del searches[at], spent[at]
            else:
                spent[at] += time.thread_time() - started
            yield True

    def _play_at_random(self) -> None:
        plan_found = self._random_plays.go_on()
        if plan_found is not None:
            self._offer(plan_found[0], plan_found[1], "the best of random plays")

    def _phases(self) -> Iterator[bool]:
        """Search by subgroups of the moves, where parts of a state are permuted."""
        shop, root = self._shop, self._state.inner
        if not shop.is_permuted:
            return
        try:
            shop.phases = shop.phases or Phases.of(self._lanes, shop.circuit, root)
        except UnsuitedError:
            shop.is_permuted = False
            return
        try:
            for _ in shop.phases.build():
                yield True
            for line in shop.phases.plans(root):
                if line is not None and self._is_plan(line):
                    self._offer(self._lanes.most, line, "phases, each with fewer moves")
                    return
                yield True
        except UnsuitedError:
            return

    def _is_plan(self, line: list[int]) -> bool:
        """Return whether moves come to the highest goal, and to no end before."""
        machine = self._lanes.native.machine
        role, state = machine.roles[0], self._state.inner
        for move in (machine.moves[0][i] for i in line):
            if machine.is_terminal(state) or move not in machine.legal(state, role):
                return False
            state = machine.successor(state, (move,))
        return machine.is_terminal(state) and machine.goals(state, role) == (self._lanes.most,)

    def _beams(self) -> Iterator[bool]:
        """Search with wider and wider beams, each by several opinions of what is good."""
        for width in WIDTHS:
            for name, score in self._scores():
                method = f"a beam of {width:,} by {name}"
                beam = self._beam(~self._random_plays.clock, width, score)
                yield from self._follow(beam, method)
                if beam.is_whole:
                    return  # a wider one finds no more

    def _layers(self) -> Iterator[bool]:
        """Search all states; first as if it did not matter when a board is met."""
        exact = np.full(len(self._random_plays.clock), 0xFF, np.uint8)
        if self._random_plays.clock.any():
            boards = self._beam(~self._random_plays.clock, None, None)
            yield from self._follow(boards, "breadth-first over boards")
        states = self._beam(exact, None, None)
        yield from self._follow(states, BREADTH_FIRST)
        if states.is_whole:
            self._settle(states.best)

    def _beam(self, mask: Rows, width: int | None, score: Score | None) -> Beam:
        root = self._state.inner
        return Beam(self._lanes, root, mask, width=width, score=score, megabytes=MEGABYTES)

    def _follow(self, beam: Beam, method: str) -> Iterator[bool]:
        while beam.go_on():
            if beam.best > (self.plan.value if self.plan is not None else -1):
                self._offer(beam.best, beam.line, method)
            yield True

    def _scores(self) -> list[tuple[str, Score]]:
        rng, guide = self._rng, self._shop.guide

        def noise(n: int) -> NDArray[np.float32]:
            return rng.random(n, dtype=np.float32) * np.float32(NOISE)

        def by_goal(children: Children, of: NDArray[np.bool_]) -> NDArray[np.float32]:
            return guide(children.states[of]) + noise(int(of.sum()))

        def by_freedom(children: Children, of: NDArray[np.bool_]) -> NDArray[np.float32]:
            return children.mobility[of].astype(np.float32) + noise(int(of.sum()))

        def by_need(children: Children, of: NDArray[np.bool_]) -> NDArray[np.float32]:
            return noise(int(of.sum())) - children.mobility[of].astype(np.float32)

        return [("goal", by_goal), ("many moves", by_freedom), ("few moves", by_need)]

    def _sets(self) -> Iterator[bool]:
        """Ask a solver for sets of moves that come to a goal, the highest first."""
        from gdl.play.puzzles.unordered import Unordered, observe
        from gdl.verify.solvers import budget as solving

        root, seed = self._state.inner, int(self._rng.integers(1 << 30))
        effects = observe(self._lanes, root, seed)
        yield True
        if effects is None:
            return
        unordered = Unordered(self._lanes, self._shop.circuit, root, effects, seed)
        for goal in sorted((value for value, _ in self._shop.circuit.goals[0]), reverse=True):
            if self.plan is not None and goal <= self.plan.value:
                return
            budget = solving.Budget(float(1 << 30), FORMULA_MEGABYTES)
            self._budgets.append(budget)
            try:
                for line in unordered.search(goal, budget):
                    if line is not None:
                        self._offer(goal, line, "a set of moves in any order")
                    yield True
            except solving.OutOfBudgetError:
                return
            finally:
                self._budgets.remove(budget)

    def _formulas(self) -> Iterator[bool]:
        """Ask a solver for the highest goal, in plays that grow longer."""
        from gdl.play.puzzles.satisfy import Formula
        from gdl.verify.solvers import budget as solving

        held = self._lanes.native.machine.held(self._state.inner)
        goals = sorted((value for value, _ in self._shop.circuit.goals[0]), reverse=True)
        for goal in goals:
            if self.plan is not None and goal <= self.plan.value:
                return
            budget = solving.Budget(float(1 << 30), FORMULA_MEGABYTES)
            self._budgets.append(budget)
            formula = Formula(self._shop.circuit, held, goal, budget)
            try:
                yield from self._ask(formula)
            except solving.OutOfBudgetError:
                return
            finally:
                formula.close()
                self._budgets.remove(budget)
            if formula.play is not None:
                self._offer(goal, formula.play, "a formula")
            if not formula.is_whole:
                return
            self._settle(goal - 1)

    def _ask(self, formula: Formula) -> Iterator[bool]:
        # Plays that differ in length may have come to an early end, short of the goal.
        plays = self._random_plays
        wanted = plays.longest * (1 if plays.shortest == plays.longest else 2) or FIRST_DEPTH
        while not formula.is_full:
            while formula.depth < wanted:
                formula.extend()
                yield True
            while (answer := formula.ask()) is None:
                yield True
            if answer or formula.is_whole:
                return
            wanted = int(wanted * GROWTH) + 1
            yield True

    # What was found ---------------------------------------------------------------------------

    def _settle(self, highest: int) -> None:
        """Keep that no play comes to a goal above one."""
        self._ceiling = min(self._ceiling, highest)

    def _offer(self, value: int, line: list[int], method: str) -> None:
        """Keep a line if it is the best, replayed by the state machine."""
        if value < 0 or (self.plan is not None and value <= self.plan.value):
            return
        machine = self._lanes.native.machine
        moves = tuple(machine.moves[0][i] for i in line)
        state: bytes = self._state.inner
        for move in moves:
            state = machine.successor(state, (move,))
        goals = machine.goals(state, machine.roles[0])
        if not machine.is_terminal(state) or goals != (value,):
            raise AssertionError(f"a plan by {method} does not come to {value}")
        seconds = time.monotonic() - self._started
        is_shortest = method == BREADTH_FIRST
        self.plan = Plan(moves, value, False, is_shortest, method, seconds)  # noqa: FBT003

    def result(self) -> Plan | None:
        """Return the plan, with what is proven of it by now."""
        plan = self.plan
        if plan is None:
            return None
        return replace(plan, is_proven=plan.value >= self._ceiling)

    def thoughts(self) -> Thoughts | None:
        """Return the first move of the plan, and the plan as the line that is expected."""
        result = self.result()
        role = self._lanes.native.roles[0]
        return None if result is None else thoughts_of_plan(role, result)


def thoughts_of_plan(role: Term, plan: Plan) -> Thoughts:
    """Return what a plan says of the next move."""
    line: tuple[JointMove, ...] = tuple((move,) for move in plan.moves)
    words = "proven: " if plan.is_proven else ""
    return Thoughts(
        role,
        (Candidate(plan.moves[0], 1, float(plan.value), proven=plan.is_proven),),
        line=line,
        note=f"{words}a plan of {len(plan.moves)} moves worth {plan.value}, by {plan.method}",
    )


def plan(state: State, *, budget: Budget | None = None, seed: int = 0) -> Plan:
    """Return the best plan that is found for a game of one role.

    Args:
        state: Where to begin; the game is not over there.
        budget: How long to search; by default until the highest goal is proven.
        seed: Of random plays and beams.

    Raises:
        GdlError: The game is none of one role that runs as machine code, it is over, or no play
            comes to an end, or did in the time given.

    Example:
        >>> import gdl
        >>> from gdl.play.puzzles import plan
        >>> plan(gdl.load("lightsout").initial()).value
        100
    """
    budget = budget or Budget()
    if state.is_terminal:  # moves may be legal all the same, and lead on to what is no end of play
        raise GdlError(
            f"there is nothing to plan in {state.game.id}: the game is over here",
            expected="a position in which play goes on",
        )
    try:
        workshop = Workshop(state.game)
    except UnsuitedError:
        raise GdlError(
            f"{state.game.id} is no puzzle",
            expected="a game of one role without chance, that runs as machine code and has a goal",
        ) from None
    planner = Planner(workshop, state, seed=seed)
    with closing(planner):
        while not budget.is_over and planner.go_on():
            pass
    result = planner.result()
    if result is None and planner.is_finished:
        raise GdlError(
            f"no play of {state.game.id} comes to an end from here",
            expected="a position from which play can end with a goal",
        )
    if result is None:
        raise GdlError(
            f"no play of {state.game.id} came to an end in the time given", help="give more time"
        )
    return result
