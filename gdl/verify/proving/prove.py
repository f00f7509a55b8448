"""A system from random plays to a proof: the stages that every question goes through.

In: a system with questions. Out: the `Result`. A `Prover` keeps what it learned on the way: what
random play met, the invariants, the sums; so that further questions need not begin anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from gdl.circuit.phases import autonomous
from gdl.verify.answer import Stage
from gdl.verify.proving.balance_guesses import (
    Balance,
    guess_balances,
    guess_paces,
    guess_rivals,
)
from gdl.verify.proving.balances import Balanced, find_balanced
from gdl.verify.proving.breadth_first import asked_of_all, explore
from gdl.verify.proving.equalities import Guesses, find_equalities
from gdl.verify.proving.evidence import AllStates, Evidence, Induction, KInduction, NoLonger
from gdl.verify.proving.frames import Sum, guess_sums
from gdl.verify.proving.inductive_check import is_enough
from gdl.verify.proving.invariants import Invariants, find_invariants
from gdl.verify.proving.portfolio import (
    BOUNDED,
    EVERY_STATE,
    K_INDUCTION,
    REACHABILITY,
    Engine,
    Portfolio,
    Question,
    Searching,
    said,
)
from gdl.verify.proving.search import INDUCTION, Result
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.compiled_simulation import simulate_at_random
from gdl.verify.systems.sampling import Sample, sample
from gdl.verify.systems.state_space import MAX_STATES
from gdl.verify.systems.system import Bad, Play, System
from gdl.verify.systems.wide_space import WideSpace

LARGE: Final = 8_000
"""Nodes from which on fewer random plays are made."""
FEW, MANY = 256, 1024
PLAYING: Final = 0.3
"""Of the time left, what random play may take."""
COMPILING: Final = 0.1
PLAYING_COMPILED: Final = 0.05
"""Likewise, what making machine code may take, and random play in it."""
EXPLORING: Final = 0.1
"""Likewise, looking at all states of a large system."""
LEARNING: Final = 0.4
"""Of the time left, what invariants may take; without them the search goes on, only slower."""
LEARNING_LITTLE: Final = 0.05
"""Likewise, invariants of a few facts, where those of all took too long."""
AT_ONCE: Final = 0.02
"""Likewise, the first turn of short plays, which get their share of it."""
EARLY: Final = 0.8
"""Likewise, their second one, before what takes long to begin: a step of a long play is quick."""
NODES_A_SECOND: Final = 250
"""Nodes for each of which seconds they get, at most: the larger, the longer what follows takes."""
EQUATING_FIRST: Final = 0.15
EQUATING: Final = 0.3
"""Likewise, what equalities may take: they are proved apart, since most pairs need no more."""
CHECKING: Final = 0.3
"""Likewise, asking whether what is known so proves all."""
BULKY: Final = 100_000
"""Nodes of all plays in one formula, from which on a certificate of it has many megabytes."""
SHORTENING: Final = 0.4
"""Likewise, what making a known play shorter may take before anything else is tried."""
SHORT: Final = 6
"""A play that random play found and that is no longer is made shortest without invariants."""

RANDOM: Final = "random play"
ALL_STATES: Final = "all states"
COMPILED: Final = "compiled play"
EQUALITIES: Final = "equalities"
BY_INDUCTION: Final = "induction"
INVARIANTS: Final = "invariants"
COUNTS: Final = "counts"
BALANCED: Final = "balances"

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
        is_equated: Whether it was proved which signals are equal.
        denied: What denied the system's own questions, if something did.
        guesses: Which signals may be equal, for want of what tells them apart so far.
        guessed: Counts that may never change; None before they are asked for.
        balanced: Those that do not, with what they take to be shown; None before `balance`.
        balancing: Seconds in which that was not found: no less is tried again.
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
    is_equated: bool = False
    without: Collection[str] = ()
    denied: Evidence | None = None
    guesses: Guesses | None = None
    guessed: list[Balance] | None = None
    balanced: Balanced | None = None
    balancing: float = 0.0

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
        asked = self._question(self.system.bads, max_depth, self.budget)
        portfolio, early = Portfolio(asked, self.without), None
        try:
            self.play()
            asked.met = self._met(self.system.bads)
            # To look at all states is worth a try where random play met few, and where it met a
            # play that is not short: a shorter one may lie among the first of many states.
            is_many = asked.met is None and self.sampled.has_more(MAX_STATES)
            is_worth_a_look = not is_many and not self._is_short()
            is_large = len(self.system.aig) > LARGE
            if is_worth_a_look and not is_large and (small := self.explore()) is not None:
                return small
            # What follows takes long to begin; most plays are short, also where random play found a
            # long one, and most proofs need no more than equalities. Of a small system of which a
            # long play is known, counts and invariants begin where a moment was not enough.
            early = portfolio.bound(AT_ONCE * self.budget.left, is_patient=True)
            if asked.met is None or is_large or self._is_short():
                if asked.met is None and (early is None or _is_bulky(early)):
                    self.equate(EQUATING_FIRST)
                    early = self._by_induction(asked) or early
                early = early or self._bounded(portfolio)
            if early is not None:
                return self._answer(portfolio, early)
            if is_worth_a_look and is_large and (small := self.explore()) is not None:
                return small
            self.play_compiled()
            # Where a play is known, what is left is to refute the shorter ones, which counts and
            # invariants do best. Where none is, there may be none, which equalities show best.
            asked.met = self._met(self.system.bads)
            if asked.met is not None:
                early = self._bounded(portfolio) if self._is_short() else asked.answered()
                return self._answer(portfolio, early) if early else self._shorten(portfolio)
            if not self.is_equated:
                self.equate(EQUATING)
                if (early := self._by_induction(asked)) is not None:
                    return self._answer(portfolio, early)
            portfolio.know(self.invariants, is_all=INVARIANTS in self.without)
            return self._answer(portfolio, is_learning=INVARIANTS not in self.without)
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            result = _stopped(asked, stopped)
            return self._answer(portfolio, early) if early else result
        finally:
            portfolio.close()

    def _by_induction(self, asked: Question) -> Result | None:
        """Return what the invariants prove by themselves, as equalities mostly do."""
        if INDUCTION in self.without or not self.is_equated or asked.is_told_at_once():
            return None
        start, denied, settled = time.monotonic(), self.denied, asked.settled
        is_kept = isinstance(denied, Induction) and denied.invariants is self.invariants
        share = asked.budget.share(CHECKING * asked.budget.left)
        is_proved, text = False, "not enough"
        try:
            is_proved = is_enough(
                asked.system, self.invariants, share, settled=settled, is_kept=is_kept
            )
        except OutOfBudgetError as spent:
            asked.budget.check()
            text = str(spent)
        self.stage(BY_INDUCTION, start, "over one move" if is_proved else text)
        if not is_proved:
            return None
        method, evidence = "induction over one move", Induction(asked.system, self.invariants)
        return Result(None, proved=True, depth=asked.refuted, method=method, evidence=evidence)

    def _bounded(self, portfolio: Portfolio) -> Result | None:
        """Give short plays all the time where a short one is known, else a large part.

        Where a long one is known they have it only while they get on: shorter ones are refuted by
        counts and invariants, too.
        """
        left = self.budget.left
        if self._is_short():
            return portfolio.bound(left, is_patient=True)
        seconds = min(EARLY * left, len(self.system.aig) / NODES_A_SECOND)
        return portfolio.bound(seconds, is_patient=portfolio.asked.met is None)

    def _shorten(self, portfolio: Portfolio) -> Result:
        """Refute the plays that are shorter than one that is known: first by the search alone.

        Then all engines take turns, it among them: what it knows of each ply would be lost else.
        """
        asked = portfolio.asked
        self.learn()
        search = Searching(asked, self.invariants, self.sums, self.without)
        portfolio.engines.insert(0, search)
        try:
            result = search.turn(SHORTENING * self.budget.left)
        except (OutOfBudgetError, KeyboardInterrupt):
            self._note(search)
            raise
        if result is not None:
            return self._answer(portfolio, result)
        self.equate(EQUATING)
        portfolio.without |= {K_INDUCTION}  # which finds no play
        portfolio.know(self.invariants, self.sums, is_all=True)
        return self._answer(portfolio)

    def _question(self, bads: tuple[Bad, ...], max_depth: int | None, budget: Budget) -> Question:
        met = self._met(bads)
        system = self.system.asking(bads)
        return Question(system, self.system.bads, budget, max_depth, met, self.tell)

    def _answer(
        self, portfolio: Portfolio, early: Result | None = None, *, is_learning: bool = False
    ) -> Result:
        """Let engines take turns, and keep what they proved of the system's own questions."""

        def learn(seconds: float, *, is_last: bool) -> bool:
            is_done = self.learn(seconds)
            if is_done or is_last:
                portfolio.know(self.invariants, self.sums, is_all=True)
            return is_done

        try:
            result = early or portfolio.run(learn if is_learning else None)
        finally:
            for engine in portfolio.engines:
                self._note(engine)
            portfolio.close()
        bads = portfolio.asked.system.bads
        if bads == self.system.bads:
            self.denied = result.evidence
            if isinstance(result.evidence, Induction):
                self.invariants = result.evidence.invariants  # other questions may rest on these
        return replace(result, evidence=self._whole(result.evidence, bads))

    def _note(self, engine: Engine) -> None:
        if engine.seconds:
            self.stages.append(Stage(engine.name, engine.seconds, engine.text))
            self.tell(engine.name, engine.text)

    def equate(self, part: float) -> None:
        """Guess and prove which signals are equal; all else may then be asked of less logic.

        Once is enough; what was not proved in a smaller part of the time left goes on from there.
        """
        if EQUALITIES in self.without or self.is_equated:
            return
        start = time.monotonic()
        share = self.budget.share(part * self.budget.left)
        if self.guesses is None:
            self.guesses = Guesses(self.system, self.sampled)
        try:
            equalities = find_equalities(
                self.system,
                self.guesses,
                share.without_proofs(),  # no answer rests on this: `check_inductive` asks again
                on_round=lambda text: self.tell(EQUALITIES, text),
            )
        except OutOfBudgetError:
            self.budget.check()
            self.stage(EQUALITIES, start, "not proved in their share of the time")
            return
        # Each set was proved apart, and what is inductive stays so where more is known. Facts that
        # are equal are among what is learned, and more of them.
        own, self.is_equated = self.invariants, True
        self.invariants = replace(own, same=own.same or equalities.same, gates=equalities.gates)
        text = f"{len(equalities.same)} facts and {len(equalities.gates)} gates are others or fixed"
        self.stage(EQUALITIES, start, text)

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
        return play is not None and len(play) <= SHORT

    def learn(self, seconds: float | None = None) -> bool:
        """Guess and prove invariants, in so much time or in a share; return whether it did."""
        if INVARIANTS in self.without:
            return False
        start = time.monotonic()
        share = self.budget.share(LEARNING * self.budget.left if seconds is None else seconds)
        try:
            invariants = find_invariants(
                self.system,
                self.sampled,
                share,
                on_round=lambda text: self.tell("invariants", text),
            )
        except OutOfBudgetError:
            self.budget.check()
            self._learn_of_what_runs_by_itself()
            self.stage("invariants", start, "not proved in their share of the time")
            return False
        # Proved apart from the gates, which stay, see `equate`.
        self.invariants = invariants = replace(invariants, gates=self.invariants.gates)
        self.sums = [] if COUNTS in self.without else guess_sums(self.sampled, invariants)
        text = (
            f"{invariants.equal} facts equal to others, {invariants.fixed} fixed, "
            f"{len(invariants.exclusive)} exclusive pairs, {len(invariants.clauses)} clauses, "
            f"{len(self.sums)} counts"
        )
        self.stage("invariants", start, text)
        return True

    def _learn_of_what_runs_by_itself(self) -> None:
        """Prove invariants of facts that no move changes: who moves, a clock.

        They are few and proved at once, and most of what is said of single moves rests on them.
        """
        if self.invariants.same or self.invariants.clauses:
            return
        system = self.system
        facts = autonomous(system.aig, system.fact_inputs, system.next)
        if not facts:
            return  # a solver of the whole step would be made for nothing
        with suppress(OutOfBudgetError):
            share = self.budget.share(LEARNING_LITTLE * self.budget.left)
            found = find_invariants(system, self.sampled, share, among=facts)
            self.invariants = replace(found, gates=self.invariants.gates)
        self.budget.check()

    def guess_balances(self) -> list[Balance]:
        """Guess counts of facts that never change; who asks again is told the same."""
        if self.guessed is None:
            is_wanted = BALANCED not in self.without
            self.guessed = guess_balances(self.system, self.sampled) if is_wanted else []
        return self.guessed

    def balance(self, budget: Budget) -> Balanced:
        """Prove what was guessed of counts that never change; who asks again is told the same.

        Raises:
            OutOfBudgetError: Before the proof was found.
        """
        if self.balanced is None:
            if budget.left <= self.balancing:
                raise OutOfBudgetError("counts that never change take longer")
            start, self.balancing = time.monotonic(), budget.left
            balances = self.guess_balances()
            found = Balanced(self.invariants, ())
            if balances:
                self.tell(BALANCED, f"{len(balances)} counts to prove")
                clauses = [
                    *guess_rivals(self.system, self.sampled),
                    *guess_paces(self.system, self.sampled, balances),
                ]
                found = find_balanced(self.system, self.invariants, balances, clauses, budget)
            self.balanced = found
            self.stage(BALANCED, start, f"{len(found.balances)} of {len(balances)} never change")
        return self.balanced

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
        asked = self._question(bads, max_depth, self.budget if budget is None else budget)
        if isinstance(self.denied, AllStates) and isinstance(self.denied.space, WideSpace):
            try:
                return asked_of_all(self.denied.space, asked.system, asked.budget)
            except OutOfBudgetError as stopped:
                return _stopped(asked, stopped)
        left_out = {K_INDUCTION, EVERY_STATE, *((BOUNDED, REACHABILITY) if is_met else ())}
        without = {*self.without, *left_out}
        portfolio = Portfolio(asked, without)
        try:
            early = None if is_met else self._by_induction(asked)
            portfolio.know(self.invariants, self.sums, is_all=True)
            return self._answer(portfolio, early)
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            return _stopped(asked, stopped)

    def explore(self, bads: tuple[Bad, ...] | None = None) -> Result | None:
        """Look at every state, where there are few."""
        if ALL_STATES in self.without:
            return None
        start = time.monotonic()
        system = self.system if bads is None else self.system.asking(bads)
        # What is small is so at once; a large system may take long to show that it has many.
        part = 1.0 if self.is_small or len(system.aig) <= LARGE else EXPLORING
        try:
            result = explore(system, self.budget.share(part * self.budget.left))
        except OutOfBudgetError:
            self.budget.check()
            result = None
        self.is_small = result is not None
        text = "too many states" if result is None else said(result)
        self.stage("all states", start, text)
        return result

    def _met(self, bads: tuple[Bad, ...]) -> Play | None:
        """Return the play that random play found, where it answers these questions."""
        play = self.sampled.play
        return tuple(play) if play is not None and bads == self.system.bads else None

    def _whole(self, evidence: Evidence | None, bads: tuple[Bad, ...]) -> Evidence | None:
        """Return evidence that denies the system's own questions too, on which the others rest.

        Invariants speak of states where none of the system's own questions holds. Where these were
        denied by invariants, all is one induction, over as many moves as that took. Where plays of
        all lengths denied them, plays of these lengths have to deny the others too; else nothing
        that is known denies both.
        """
        own = self.system.bads
        if not isinstance(evidence, Induction) or not own or bads == own:
            return evidence
        both = evidence.system.asking(dict.fromkeys((*bads, *own)))
        if isinstance(self.denied, Induction | NoLonger):
            shown = evidence if isinstance(self.denied, Induction) else self.denied
            return replace(shown, system=both)
        if isinstance(self.denied, KInduction):
            invariants = evidence.invariants.beside(self.denied.invariants)
            if invariants is not None:
                return replace(self.denied, system=both, invariants=invariants)
        return None


def _is_bulky(result: Result) -> bool:
    """Return whether a proof speaks of so many whole plays that one over a move is worth a try."""
    rests = result.evidence
    return isinstance(rests, NoLonger) and rests.length * len(rests.system.aig) > BULKY


def _stopped(asked: Question, stopped: OutOfBudgetError | KeyboardInterrupt) -> Result:
    """Return what is known when nothing goes on; after Ctrl-C nothing else does either."""
    if isinstance(stopped, KeyboardInterrupt):
        asked.budget.stop("interrupted")
    method = str(stopped) or "interrupted"
    return Result(None, proved=False, depth=asked.refuted, method=method)
