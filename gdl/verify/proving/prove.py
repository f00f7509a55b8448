"""A system from random plays to a proof: the stages that every question goes through.

In: a system with questions. Out: the `Result`. A `Prover` keeps what it learned on the way: what
random play met, the invariants, the sums; so that further questions need not begin anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Final

from gdl.verify.answer import Stage
from gdl.verify.proving.breadth_first import explore
from gdl.verify.proving.evidence import Evidence, Induction
from gdl.verify.proving.frames import Frames, Sum, guess_sums
from gdl.verify.proving.invariants import Invariants, find_invariants
from gdl.verify.proving.search import UNROLLING, Result, Search
from gdl.verify.proving.unroll import Unrolling
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.random_simulation import simulate_at_random
from gdl.verify.systems.sampling import Sample, sample
from gdl.verify.systems.system import Bad, Play, System
from gdl.verify.systems.transition import transition

LARGE: Final = 8_000
"""Nodes from which on fewer random plays are made."""
FEW, MANY = 256, 1024
PLAYING: Final = 0.3
"""Of the time left, what random play may take."""
COMPILING: Final = 0.1
PLAYING_COMPILED: Final = 0.05
"""Likewise, what making machine code may take, and random play in it."""
LEARNING: Final = 0.4
"""Of the time left, what invariants may take; without them the search goes on, only slower."""
SHORT: Final = 6
"""A play that random play found and that is no longer is made shortest without invariants."""

RANDOM: Final = "random play"
ALL_STATES: Final = "all states"
COMPILED: Final = "compiled play"
INVARIANTS: Final = "invariants"
COUNTS: Final = "counts"

OnStage = Callable[[str, str], None]
"""Takes the name of a stage and how far it is."""


@dataclass(slots=True)
class Prover:
    """Answers questions about one system.

    Attributes:
        system: The system; its own questions bound what the invariants speak of.
        budget: For everything together.
        seed: Of the random plays.
        on_stage: Told how far things are.
        stages: What was done so far.
        is_small: Whether all states could be looked at.
        without: Stages, and ways of the search, to leave out. No answer may depend on them but
            for the time that it takes.
    """

    system: System
    budget: Budget
    seed: int = 0
    on_stage: OnStage | None = None
    stages: list[Stage] = field(default_factory=list)
    sampled: Sample = field(default_factory=Sample)
    invariants: Invariants = field(default_factory=lambda: Invariants({}, ()))
    sums: list[Sum] = field(default_factory=list)
    is_small: bool = False
    without: Collection[str] = ()

    def tell(self, stage: str, text: str) -> None:
        """Report progress."""
        if self.on_stage is not None:
            self.on_stage(stage, text)

    def stage(self, name: str, start: float, text: str) -> None:
        """Note that a stage is done."""
        self.stages.append(Stage(name, time.monotonic() - start, text))
        self.tell(name, text)

    def run(self, *, max_depth: int | None = None) -> Result:
        """Go through all stages. Ctrl-C and a spent budget give what is known by then."""
        try:
            self.play()
            if self._is_short():
                return self.unroll()
            small = self.explore()
            if small is not None:
                return small
            self.play_compiled()
            if self._is_short():
                return self.unroll()
            self.learn()
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            return Result(None, proved=False, depth=-1, method=str(stopped) or "interrupted")
        return self.search(self.system.bads, max_depth=max_depth)

    def play(self) -> None:
        """Play at random, many plays at once."""
        if RANDOM in self.without:
            return
        start = time.monotonic()
        lanes = FEW if len(self.system.aig) > LARGE else MANY
        self.sampled = sample(
            self.system,
            self.budget.share(PLAYING * self.budget.left),
            seed=self.seed,
            lanes=lanes,
            on_ply=lambda ply, count: self.tell("random play", f"ply {ply}, {count} positions"),
        )
        met = self.sampled.play
        text = "nothing found" if met is None else f"found after {len(met)} moves, not the shortest"
        self.stage("random play", start, f"{self.sampled.positions} positions: {text}")

    def play_compiled(self) -> None:
        """Play at random as machine code, for what few plays show."""
        if COMPILED in self.without:
            return
        start = time.monotonic()
        self.tell("compiled play", "making machine code")
        simulated = simulate_at_random(
            self.system,
            self.budget,
            compiling=COMPILING * self.budget.left,
            playing=PLAYING_COMPILED * self.budget.left,
            seed=self.seed,
            on_round=lambda count: self.tell("compiled play", f"{count} positions"),
        )
        if simulated is None:
            return
        before = self.sampled.play
        text = "nothing found"
        if simulated.play is not None:
            text = f"found after {len(simulated.play)} moves, perhaps not the shortest"
            if before is None or len(simulated.play) < len(before):
                self.sampled.play = simulated.play
        self.stage("compiled play", start, f"{simulated.positions} positions: {text}")

    def _is_short(self) -> bool:
        """Return whether random play found a play that is best made shorter at once."""
        play = self.sampled.play
        return UNROLLING not in self.without and play is not None and len(play) <= SHORT

    def learn(self) -> None:
        """Guess and prove invariants."""
        if INVARIANTS in self.without:
            return
        start = time.monotonic()
        share = self.budget.share(LEARNING * self.budget.left)
        try:
            self.invariants = invariants = find_invariants(
                self.system,
                self.sampled,
                share,
                on_round=lambda text: self.tell("invariants", text),
            )
        except OutOfBudgetError:
            self.budget.check()
            self.stage("invariants", start, "not proved in their share of the time")
            return
        self.sums = [] if COUNTS in self.without else guess_sums(self.sampled, invariants)
        text = (
            f"{invariants.equal} facts equal to others, {invariants.fixed} fixed, "
            f"{len(invariants.exclusive)} exclusive pairs, {len(invariants.clauses)} clauses, "
            f"{len(self.sums)} counts"
        )
        self.stage("invariants", start, text)

    def ask(
        self, bads: tuple[Bad, ...], *, max_depth: int | None = None, budget: Budget | None = None
    ) -> Result:
        """Answer another question about the same system in the way that worked before."""
        if self.is_small:
            result = self.explore(bads)
            if result is not None:
                return result
        return self.search(bads, max_depth=max_depth, budget=budget)

    def explore(self, bads: tuple[Bad, ...] | None = None) -> Result | None:
        """Look at every state, where there are few."""
        if ALL_STATES in self.without:
            return None
        start = time.monotonic()
        system = self.system if bads is None else self.system.asking(bads)
        result = explore(system, self.budget)
        self.is_small = result is not None
        text = "too many states" if result is None else _said(result)
        self.stage("all states", start, text)
        return result

    def unroll(self) -> Result:
        """Put plays of each length up to one that is known to be bad into one formula."""
        start = time.monotonic()
        depth = len(self.sampled.play or ())
        unrolling = Unrolling(self.system, self.budget)
        result = Result(None, proved=False, depth=-1, method="")
        try:
            for length in range(depth + 1):
                self.tell("search", f"plays of {length} moves")
                play = unrolling.ask(length)
                if play is not None:
                    method = "every shorter length is refuted"
                    result = Result(play, proved=True, depth=length - 1, method=method)
                    break
                result = Result(None, proved=False, depth=length, method="")
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            result = replace(result, method=str(stopped) or "interrupted")
        finally:
            unrolling.close()
        self.stage("search", start, f"plays unrolled: {_said(result)}")
        return result

    def _met(self, bads: tuple[Bad, ...]) -> Play | None:
        """Return the play that random play found, where it answers these questions."""
        play = self.sampled.play
        return tuple(play) if play is not None and bads == self.system.bads else None

    def search(
        self, bads: tuple[Bad, ...], *, max_depth: int | None = None, budget: Budget | None = None
    ) -> Result:
        """Look for the shortest play to one of some questions, in lengths that rise."""
        start = time.monotonic()
        budget = self.budget if budget is None else budget
        # Invariants speak of states where play goes on and nothing of *the system's own* questions
        # is bad. Other questions rest on them too: whoever asks has to have settled the own ones.
        step = transition(self.system.asking(bads), self.invariants.same)
        frames = Frames(step, self.invariants, self.sums)
        try:
            search = Search(step, self.invariants, frames, budget, without=self.without)
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            return Result(None, proved=False, depth=-1, method=str(stopped) or "interrupted")
        try:
            result = search.run(
                max_depth=max_depth,
                met=self._met(bads),
                on_depth=lambda depth: self.tell("search", f"plays of {depth} moves"),
            )
        finally:
            search.close()
        self.stage("search", start, f"{result.calls} questions to the solver: {_said(result)}")
        return replace(result, evidence=self._whole(result.evidence, bads))

    def _whole(self, evidence: Evidence | None, bads: tuple[Bad, ...]) -> Evidence | None:
        """Return evidence that denies the system's own questions too, on which the others rest."""
        if not isinstance(evidence, Induction):
            return evidence
        both = dict.fromkeys((*bads, *self.system.bads))
        return replace(evidence, system=evidence.system.asking(both))


def _said(result: Result) -> str:
    if result.play is not None:
        return f"a play of {len(result.play)} moves; {result.method}"
    return (
        result.method if result.proved else f"{result.method}; lengths up to {result.depth} refuted"
    )
