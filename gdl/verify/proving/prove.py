"""A system from random plays to a proof: the stages that every question goes through.

In: a system with questions. Out: the `Result`. A `Prover` keeps what it learned on the way: what
random play met, the invariants, the sums; so that further questions need not begin anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Final

from gdl.circuit.evaluate import evaluate_edges
from gdl.verify.answer import Stage
from gdl.verify.proving.breadth_first import explore
from gdl.verify.proving.checked import check_inductive
from gdl.verify.proving.equalities import find_equalities
from gdl.verify.proving.evidence import Evidence, Induction
from gdl.verify.proving.frames import Frames, Sum, guess_sums
from gdl.verify.proving.invariants import Invariants, find_invariants
from gdl.verify.proving.k_induction import MAX_LENGTH, induct
from gdl.verify.proving.pdr import Pdr, Reached
from gdl.verify.proving.search import SHORTER_REFUTED, UNROLLING, Result, Search
from gdl.verify.proving.unroll import Unrolling, bounded
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
EQUATING: Final = 0.3
"""Likewise, what equalities may take: they are proved apart, since most pairs need no more."""
BOUNDING: Final = 0.01
"""Likewise, what plays of the first lengths may take, all moves in one formula."""
REACHING: Final = 0.25
"""Likewise, what reachability may take before other invariants are known, and again after."""
INDUCTING: Final = 0.05
"""Likewise, what induction over several moves may take, where reachability did not tell."""
SHORTENING: Final = 0.6
"""Likewise, what making a known play shorter may take before anything else is tried."""
SHORT: Final = 6
"""A play that random play found and that is no longer is made shortest without invariants."""

RANDOM: Final = "random play"
ALL_STATES: Final = "all states"
COMPILED: Final = "compiled play"
EQUALITIES: Final = "equalities"
BOUNDED: Final = "short plays"
REACHABILITY: Final = "reachability"
K_INDUCTION: Final = "k-induction"
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
        refuted: A length up to which no play comes to anything bad.
        reached_from: With which invariants reachability was asked last of the system's own
            questions; without new ones it is not asked again.
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
    refuted: int = -1
    reached_from: Invariants | None = None
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
            # Where a play is known, what is left is to refute the shorter ones, which counts and
            # invariants do best. Where none is, there may be none, which equalities show best.
            if self.sampled.play is None:
                found = self._without_learning(max_depth)
                if found is None:
                    self.learn()
            else:
                self.learn()
                found = self._shorten(max_depth) or self._without_learning(max_depth)
            if found is not None:
                return found
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            method = str(stopped) or "interrupted"
            return Result(None, proved=False, depth=self.refuted, method=method)
        return self.ask(self.system.bads, max_depth=max_depth)

    def _without_learning(self, max_depth: int | None) -> Result | None:
        """Return the answer of what is done before other invariants, None where that is none.

        Of these each has a share of the time, the cheapest first.
        """
        self.equate()
        found = self.bound(max_depth)
        if found is None and not self.sampled.play:
            found = self.reach(self.system.bads, max_depth=max_depth)
            if found is None:
                found = self.induct(max_depth)
        return found

    def _shorten(self, max_depth: int | None) -> Result | None:
        """Look in a share of the time for the shortest play, one being known; None if not told."""
        share = self.budget.share(SHORTENING * self.budget.left)
        result = self.search(self.system.bads, max_depth=max_depth, budget=share)
        self.refuted = max(self.refuted, result.depth)
        is_told = result.proved or result.play is not None or result.depth == max_depth
        if not is_told:
            self.budget.check()
        return result if is_told else None

    def equate(self) -> None:
        """Guess and prove which signals are equal; all else may then be asked of less logic."""
        if EQUALITIES in self.without:
            return
        start = time.monotonic()
        share = self.budget.share(EQUATING * self.budget.left)
        try:
            found = find_equalities(
                self.system,
                self.sampled,
                share.without_proofs(),  # no answer rests on this: `check_inductive` asks again
                on_round=lambda text: self.tell(EQUALITIES, text),
            )
        except OutOfBudgetError:
            self.budget.check()
            self.stage(EQUALITIES, start, "not proved in their share of the time")
            return
        # Each set was proved apart, and what is inductive stays so where more is known. Facts that
        # are equal are among what is learned, and more of them.
        known = self.invariants
        self.invariants = replace(known, same=known.same or found.same, gates=found.gates)
        text = f"{len(found.same)} facts and {len(found.gates)} gates are others or fixed"
        self.stage(EQUALITIES, start, text)

    def bound(self, max_depth: int | None = None) -> Result | None:
        """Put plays of the first lengths into one formula each; return a play that is bad."""
        if BOUNDED in self.without:
            return None
        start = time.monotonic()
        share = self.budget.share(BOUNDING * self.budget.left)
        play, refuted = bounded(
            self.system,
            share,
            met=self._met(self.system.bads),
            max_depth=max_depth,
            on_depth=lambda depth: self.tell(BOUNDED, f"plays of {depth} moves"),
        )
        self.refuted = max(self.refuted, refuted)
        self.budget.check()
        text = "nothing found" if play is None else f"a play of {len(play)} moves"
        self.stage(BOUNDED, start, f"lengths up to {self.refuted} are refuted: {text}")
        if play is None:
            return None
        return Result(play, proved=True, depth=self.refuted, method=SHORTER_REFUTED)

    def induct(self, max_depth: int | None = None) -> Result | None:
        """Ask by induction over several moves; None where that does not tell in its share."""
        if K_INDUCTION in self.without:
            return None
        start = time.monotonic()
        result = induct(
            self.system,
            self.invariants,
            self.budget.share(INDUCTING * self.budget.left),
            max_length=MAX_LENGTH if max_depth is None else min(MAX_LENGTH, max_depth + 1),
            on_length=lambda k: self.tell(K_INDUCTION, f"{k} moves"),
        )
        self.budget.check()
        self.refuted = max(self.refuted, result.depth)
        self.stage(K_INDUCTION, start, _said(result))
        return result if result.proved else None

    def reach(
        self, bads: tuple[Bad, ...], *, max_depth: int | None = None, budget: Budget | None = None
    ) -> Result | None:
        """Ask by property-directed reachability; None where that does not tell in its share.

        A proof counts when its invariants have passed three questions to a fresh solver.
        """
        if REACHABILITY in self.without or self._is_bad_first(bads):
            return None
        if bads == self.system.bads:
            if self.reached_from is self.invariants:
                return None
            self.reached_from = self.invariants
        start = time.monotonic()
        budget = self.budget if budget is None else budget
        share = budget.share(REACHING * budget.left)
        system, known = self.system.asking(bads), self.invariants
        result, text = None, "not told in its share of the time"
        step = transition(system, known.same, known.gates)
        pdr = None
        try:
            pdr = Pdr(step, known, share.without_proofs())
            reached = pdr.run(
                max_depth=max_depth, on_depth=lambda said: self.tell(REACHABILITY, said)
            )
            result = self._reached(system, reached, share)
        except OutOfBudgetError:
            budget.check()
            if pdr is not None and bads == self.system.bads and budget.proofs is None:
                self.refuted = max(self.refuted, pdr.depth)
        finally:
            if pdr is not None:
                pdr.close()
        if result is not None:
            text = _said(result)
        self.stage(REACHABILITY, start, text)
        return result

    def _reached(self, system: System, reached: Reached, budget: Budget) -> Result | None:
        """Return what reachability found, as it holds where it was asked once more."""
        if reached.play is not None:
            play, depth = reached.play, reached.depth
            if budget.proofs is not None:  # whose lengths below have to be proved
                _, depth = bounded(system, budget, met=play)
            return Result(play, depth + 1 == len(play), depth, SHORTER_REFUTED)
        found = reached.invariants
        if found is None:
            return None
        more = len(found.clauses) - len(self.invariants.clauses)
        if more or found.gates or budget.proofs is not None:
            check_inductive(system, found, budget, settled=self.system.bads)
        method = "induction over one move" + (f", with {more} clauses found for it" if more else "")
        if system.bads == self.system.bads:
            self.invariants = found  # other questions may rest on what settled these
        evidence = self._whole(Induction(system, found), system.bads)
        return Result(None, proved=True, depth=reached.depth, method=method, evidence=evidence)

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
            invariants = find_invariants(
                self.system,
                self.sampled,
                share,
                on_round=lambda text: self.tell("invariants", text),
            )
        except OutOfBudgetError:
            self.budget.check()
            self.stage("invariants", start, "not proved in their share of the time")
            return
        # Proved apart from the gates, which stay, see `equate`.
        self.invariants = invariants = replace(invariants, gates=self.invariants.gates)
        self.sums = [] if COUNTS in self.without else guess_sums(self.sampled, invariants)
        text = (
            f"{invariants.equal} facts equal to others, {invariants.fixed} fixed, "
            f"{len(invariants.exclusive)} exclusive pairs, {len(invariants.clauses)} clauses, "
            f"{len(self.sums)} counts"
        )
        self.stage("invariants", start, text)

    def ask(
        self,
        bads: tuple[Bad, ...],
        *,
        max_depth: int | None = None,
        budget: Budget | None = None,
        is_met: bool = False,
    ) -> Result:
        """Answer another question about the same system in the way that worked before.

        Where a play is known that is bad, only a shorter one is looked for, and no proof.
        """
        if self.is_small:
            result = self.explore(bads)
            if result is not None:
                return result
        if not is_met and self._met(bads) is None:
            try:
                reached = self.reach(bads, max_depth=max_depth, budget=budget)
            except (OutOfBudgetError, KeyboardInterrupt) as stopped:
                return Result(None, proved=False, depth=-1, method=str(stopped) or "interrupted")
            if reached is not None:
                return reached
        return self.search(bads, max_depth=max_depth, budget=budget)

    def _is_bad_first(self, bads: tuple[Bad, ...]) -> bool:
        """Return whether something is bad in the first state, or play is over there."""
        system = self.system
        edges = [system.stop, *(bad.edge for bad in bads)]
        values = {0: 0} | {
            edge >> 1: int(value)
            for edge, value in zip(system.fact_inputs, system.initial, strict=True)
        }
        return any(evaluate_edges(system.aig, edges, values, 1))

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
        known = self.invariants
        step = transition(self.system.asking(bads), known.same, known.gates)
        frames = Frames(step, self.invariants, self.sums)
        try:
            search = Search(step, self.invariants, frames, budget, without=self.without)
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            return Result(None, proved=False, depth=-1, method=str(stopped) or "interrupted")
        try:
            result = search.run(
                max_depth=max_depth,
                met=self._met(bads),
                refuted=self.refuted if bads == self.system.bads else -1,
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
