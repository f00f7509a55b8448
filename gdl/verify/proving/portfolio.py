"""Engines that take turns at one question, each turn twice as long as the one before.

In: a question of a system, and what is known of it. Out: the `Result` of the engine that answers
first. Nobody knows beforehand which engine a question needs, and the wrong one may take all the
time there is. In rounds of turns that double, an engine that would need some seconds by itself gets
them before about twice as many times the number of engines are over, and an engine that needs a
whole share of the budget gets nearly that. Each goes on where it was stopped.

What one engine refutes the others need not: a length up to which nothing bad is reached is the
question's, whoever showed it.

Source: Luby, Sinclair, Zuckerman, "Optimal Speedup of Las Vegas Algorithms", 1993 (turns that
double); portfolios of engines: Brayton, Mishchenko, "ABC", CAV 2010.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import count
from typing import ClassVar, Final, Protocol

from gdl.circuit.evaluate import evaluate_edges
from gdl.verify.proving.breadth_first import nothing_bad
from gdl.verify.proving.evidence import Induction, NoLonger
from gdl.verify.proving.frames import Frames, Sum
from gdl.verify.proving.inductive_check import check_inductive
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.k_induction import MAX_LENGTH, induct
from gdl.verify.proving.pdr import Pdr, ReachabilityResult
from gdl.verify.proving.search import SHORTER_REFUTED, Result, Search
from gdl.verify.proving.unroll import Unrolling, bounded
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.bit_parallel import of_facts
from gdl.verify.systems.system import Bad, Play, System
from gdl.verify.systems.transition import transition
from gdl.verify.systems.wide_space import WideSpace

BOUNDED: Final = "short plays"
REACHABILITY: Final = "reachability"
K_INDUCTION: Final = "k-induction"
SEARCH: Final = "search"
EVERY_STATE: Final = "every state"

FIRST_TURN: Final = 1 / 64
"""Of the time left, what the first turn of an engine may take, and no more than `FIRST_SECONDS`."""
FIRST_SECONDS: Final = 1.0
MAX_UNROLLED: Final = 4_000_000
"""Nodes of plays in one formula, at most."""
LAST_LEARNING: Final = 0.2
"""Of the time, a turn of learning that is longer is the last."""
NARROWING: Final = 2.0
"""Of a turn, what looking at every state gets where each level has fewer than the one before."""
CHECKING: Final = 0.3
"""Of the time left, what checking a proof may take: one found at the end of a turn is not lost."""


@dataclass(slots=True)
class Question:
    """What all engines are asked.

    Attributes:
        system: With what is asked as its bads.
        settled: What was denied before; the invariants speak of states where none of it holds.
        budget: For everything together.
        max_depth: Longest play to look for, None for no limit.
        met: A play that is known to be bad: only shorter ones are looked for.
        tell: Told how far an engine is.
        refuted: A length up to which nothing bad is reached, -1 for none.
    """

    system: System
    settled: tuple[Bad, ...]
    budget: Budget
    max_depth: int | None
    met: Play | None
    tell: Callable[[str, str], None]
    refuted: int = -1

    def is_told_at_once(self) -> bool:
        """Return whether something is bad in the first state, or play is over there."""
        system = self.system
        edges = [system.stop, *(bad.edge for bad in system.bads)]
        values = {0: 0} | {
            edge >> 1: int(value)
            for edge, value in zip(system.fact_inputs, system.initial, strict=True)
        }
        return any(evaluate_edges(system.aig, edges, values, 1))

    def answered(self) -> Result | None:
        """Return the answer that the lengths which are refuted give by themselves."""
        if self.met is not None and len(self.met) == self.refuted + 1:
            return Result(self.met, proved=True, depth=self.refuted, method=SHORTER_REFUTED)
        if self.max_depth is not None and self.refuted >= self.max_depth:
            method = f"asked for {self.max_depth} moves only"
            return Result(None, proved=False, depth=self.max_depth, method=method)
        return None


class Engine(ABC):
    """One way to answer a question, which can be stopped and goes on later.

    Attributes:
        seconds: What its turns took.
        is_done: Whether it can say no more.
        text: How far it is, in words.
    """

    name: ClassVar[str]
    share: float = 1.0
    """Of a turn, what it gets."""
    late: ClassVar[int] = 0
    """Rounds that it leaves to the others first."""

    def __init__(self, asked: Question, invariants: Invariants) -> None:
        """Take a question, with invariants that were proved; begin at the first turn."""
        self.asked, self.invariants = asked, invariants
        self.budget = asked.budget.share(asked.budget.left)
        self.seconds = 0.0
        self.is_done = False
        self.text = "not told in its turns"

    def turn(self, seconds: float) -> Result | None:
        """Go on for so long; return the answer, None where there is none yet.

        Raises:
            OutOfBudgetError: The whole budget is spent.
        """
        start = time.monotonic()
        self.budget.renew(self.share * seconds)
        try:
            return self._go()
        except OutOfBudgetError:
            self.asked.budget.check()
            return None
        finally:
            self.seconds += time.monotonic() - start

    @abstractmethod
    def _go(self) -> Result | None:
        """Answer within `budget`, or raise `OutOfBudgetError`; None and `is_done` to give up."""

    def refuted(self, depth: int) -> None:
        """Note that nothing bad is reached by so many moves, or fewer."""
        self.asked.refuted = max(self.asked.refuted, depth)

    def tell(self, text: str) -> None:
        """Report progress."""
        self.asked.tell(self.name, text)

    def close(self) -> None:  # noqa: B027  # most have something to give back, one has not
        """Give the solvers' memory back."""


class Bounding(Engine):
    """All moves of a play in one formula, length by length."""

    name = BOUNDED
    share = 0.25
    _unrolling: Unrolling | None = None

    def _go(self) -> Result | None:
        asked = self.asked
        if self._unrolling is None:
            self._unrolling = Unrolling(asked.system, self.budget)
        while (result := asked.answered()) is None:
            if self._unrolling.size > MAX_UNROLLED:
                self.is_done = True
                return None
            depth = asked.refuted + 1
            self.text = f"lengths up to {asked.refuted} are refuted"
            self.tell(f"plays of {depth} moves")
            play = self._unrolling.ask(depth)
            if play is not None:
                return Result(play, proved=True, depth=asked.refuted, method=SHORTER_REFUTED)
            # The formula now speaks of all that play can do in so many moves and is not bad before.
            # Where a longer play is known, there are plays of so many moves.
            if asked.met is None and not self._unrolling.solver.solve():
                method = f"exhaustion: no play is longer than {asked.refuted} moves"
                rests = NoLonger(asked.system, asked.refuted)
                return Result(None, True, asked.refuted, method, evidence=rests)  # noqa: FBT003
            self.refuted(depth)
        return result

    def close(self) -> None:
        """Give the solver's memory back."""
        if self._unrolling is not None:
            self._unrolling.close()


class Reaching(Engine):
    """Property-directed reachability; a proof counts when it has passed three questions anew."""

    name = REACHABILITY
    _pdr: Pdr | None = None

    def know(self, invariants: Invariants) -> None:
        """Take invariants that were proved since; go on from what was found, where that may be."""
        self.invariants, self.is_done = invariants, False

    def _opened(self) -> Pdr:
        """Return the run, begun with what is known now."""
        if self._pdr is None:
            self._searching = self.budget.without_proofs()
        self._searching.renew(self.budget.left)
        if self._pdr is None or self._pdr.invariants is not self.invariants:
            old, invariants = self._pdr, self.invariants
            fresh = None if old is None else old.with_invariants(invariants)
            if fresh is None:
                step = transition(self.asked.system, invariants.same, invariants.gates)
                fresh = Pdr(step, invariants, self._searching)
            self._pdr = fresh
            if old is not None:
                old.close()
        return self._pdr

    def _go(self) -> Result | None:
        asked = self.asked
        pdr = self._opened()
        try:
            reached = pdr.run(max_depth=asked.max_depth, on_depth=self.tell)
        finally:
            if asked.budget.proofs is None:  # else lengths have to be proved, not only refuted
                self.refuted(pdr.depth)
        self.is_done = True
        self.budget.renew(CHECKING * asked.budget.left)
        return self._checked(reached)

    def _checked(self, reached: ReachabilityResult) -> Result | None:
        asked, budget = self.asked, self.budget
        if reached.play is not None:
            play, depth = reached.play, reached.depth
            if budget.proofs is not None:  # whose lengths below have to be proved
                _, depth = bounded(asked.system, budget, met=play)
            return Result(play, depth + 1 == len(play), depth, SHORTER_REFUTED)
        invariants = reached.invariants
        if invariants is None:
            return None
        more = len(invariants.clauses) - len(self.invariants.clauses)
        if more or invariants.gates or budget.proofs is not None:
            check_inductive(asked.system, invariants, budget, settled=asked.settled)
        method = "induction over one move" + (f", with {more} clauses found for it" if more else "")
        evidence = Induction(asked.system, invariants)
        return Result(None, proved=True, depth=reached.depth, method=method, evidence=evidence)

    def close(self) -> None:
        """Give the solvers' memory back."""
        if self._pdr is not None:
            self._pdr.close()


class Exhausting(Engine):
    """All states, level by level, where they are more than a first look takes but not too many."""

    name = EVERY_STATE
    late = 2
    _space: WideSpace | None = None

    def _go(self) -> Result | None:
        asked = self.asked
        system = asked.system
        if self._space is None:
            self._space = WideSpace(system, self.budget)
            self._bads = of_facts(system, [b.edge for b in system.bads])
            self._looked = -1
        space = self._space
        while not space.is_closed:
            if self._looked < space.depth:
                self.text = f"{len(space)} states after up to {space.depth} moves"
                self.tell(self.text)
                bad = space.find(self._bads, space.depth)
                if bad is not None:
                    play = space.play(bad, space.depth)
                    return Result(play, proved=True, depth=space.depth - 1, method=SHORTER_REFUTED)
                self._looked = space.depth
                # Levels that grow narrower say that the end is near: then all of a turn and more.
                is_narrowing = len(space.levels[-1]) < len(space.levels[max(0, space.depth - 1)])
                self.share = NARROWING if is_narrowing else type(self).share
                if asked.budget.proofs is None:  # else lengths have to be proved, not only refuted
                    self.refuted(space.depth)
                elif asked.max_depth is not None and space.depth >= asked.max_depth:
                    self.is_done = True
                    return None
            if (result := asked.answered()) is not None:
                return result
            if not space.grow():
                self.text = f"too many states after {len(space)}, or too many moves of one"
                self.is_done = True
                self.close()  # the others may need the memory
                return None
        return nothing_bad(space, system)

    def close(self) -> None:
        """Give the states back, unless an answer rests on them."""
        self._space = None


class Inducting(Engine):
    """Induction over several moves; begins anew each time, which is a small share."""

    name = K_INDUCTION
    share = 0.2
    late = 2

    def _go(self) -> Result | None:
        asked = self.asked
        depth = asked.max_depth
        result = induct(
            asked.system,
            self.invariants,
            self.budget,
            max_length=MAX_LENGTH if depth is None else min(MAX_LENGTH, depth + 1),
            on_length=lambda k: self.tell(f"{k} moves"),
        )
        asked.budget.check()
        self.refuted(result.depth)
        self.text = said(result)
        self.is_done = self.budget.left > 0
        return result if result.proved else None


class Searching(Engine):
    """Lengths in order, each by what is known of states, of a move, or of whole plays."""

    name = SEARCH
    calls = 0
    _search: Search | None = None

    def __init__(
        self,
        asked: Question,
        invariants: Invariants,
        sums: Sequence[Sum] = (),
        without: Collection[str] = (),
    ) -> None:
        """Take what is known of each ply, too, and ways of the search to leave out."""
        super().__init__(asked, invariants)
        self.sums, self.without = sums, without

    def _go(self) -> Result | None:
        asked = self.asked
        if self._search is None:
            step = transition(asked.system, self.invariants.same, self.invariants.gates)
            frames = Frames(step, self.invariants, list(self.sums))
            self._search = Search(step, self.invariants, frames, self.budget, without=self.without)
        result = self._search.run(
            max_depth=asked.max_depth,
            met=asked.met,
            refuted=asked.refuted,
            on_depth=lambda depth: self.tell(f"plays of {depth} moves"),
        )
        asked.budget.check()
        self.refuted(result.depth)
        self.text = f"{result.calls} questions to the solver: {said(result)}"
        is_answer = result.proved or result.play is not None or result.depth == asked.max_depth
        return result if is_answer else None

    def close(self) -> None:
        """Give the solvers' memory back."""
        if self._search is not None:
            self._search.close()


class Learn(Protocol):
    """Learns what more engines need, and hands it to `Portfolio.know`."""

    def __call__(self, seconds: float, *, is_last: bool) -> bool:
        """Return whether so much time was enough; if not, and it was the last, do without."""


class Portfolio:
    """The engines that one question is asked of.

    Attributes:
        engines: Those that take part so far; each begins at its first turn.
    """

    def __init__(self, asked: Question, without: Collection[str] = ()) -> None:
        """Take a question, and what to leave out."""
        self.asked, self.without = asked, frozenset(without)
        self.engines: list[Engine] = []

    def know(self, invariants: Invariants, sums: Sequence[Sum] = (), *, is_all: bool) -> None:
        """Let those engines take part that do something with invariants that were proved now.

        Args:
            invariants: The invariants.
            sums: What has one value at each ply.
            is_all: Whether nothing more will be learned: only then a search begins.
        """
        names = {engine.name for engine in self.engines}
        for engine in (Bounding, Inducting, Exhausting):
            if engine.name not in names and engine.name not in self.without:
                self.engines.append(engine(self.asked, invariants))
        for other in self.engines:
            if isinstance(other, Reaching):
                other.know(invariants)
        may_reach = REACHABILITY not in self.without | names
        if may_reach and not self.asked.is_told_at_once():
            self.engines.append(Reaching(self.asked, invariants))
        if is_all and SEARCH not in names:
            self.engines.append(Searching(self.asked, invariants, sums, self.without))

    def bound(self, seconds: float, *, is_patient: bool) -> Result | None:
        """Let short plays alone go on, before what takes long to begin.

        Args:
            seconds: For all their turns; they get their share of it.
            is_patient: Whether they get it whole. Else turns double for as long as each refutes
                more lengths than one: where a length takes as long as all that are shorter, whole
                plays are no way to get far.

        Raises:
            OutOfBudgetError: The budget is spent.
        """
        if BOUNDED in self.without:
            return None
        if not self.engines:
            self.engines.append(Bounding(self.asked, Invariants({}, ())))
        (engine,) = self.engines
        left, result, aim = seconds, None, self.asked.refuted
        while result is None and left > 0 and self.asked.refuted >= aim:
            aim = self.asked.refuted + 2
            doubled = max(FIRST_SECONDS, engine.seconds) / engine.share
            turn = left if is_patient else min(left, doubled)
            left -= turn
            result = engine.turn(turn)
            if engine.is_done:
                break
        if result is not None:
            engine.text = said(result)
        return result

    def run(self, learn: Learn | None = None) -> Result:
        """Return the first answer of engines that take turns.

        Args:
            learn: Begins anew each time, so its turns are fewer, and each is four times as long as
                the last, up to one after which there would be no other.

        Raises:
            OutOfBudgetError: The budget is spent; the question knows what was refuted.
        """
        budget = self.asked.budget
        turn = learning = min(FIRST_SECONDS, FIRST_TURN * budget.left)
        longest = LAST_LEARNING * budget.left
        for number in count():
            if (result := self.asked.answered()) is not None:
                break
            for engine in self.engines:
                if engine.is_done or number < engine.late:
                    continue
                result = engine.turn(turn) or self.asked.answered()
                if result is not None:
                    engine.text = said(result)
                    return result
            if learn is not None and 4 * turn >= learning:
                is_last = learning > longest
                learn = None if learn(learning, is_last=is_last) or is_last else learn
                learning *= 4
            elif learn is None and all(engine.is_done for engine in self.engines):
                why = "no engine can tell"
                return Result(None, proved=False, depth=self.asked.refuted, method=why)
            budget.check()
            turn *= 2
        assert result is not None
        return result

    def close(self) -> None:
        """Give the solvers' memory back."""
        for engine in self.engines:
            engine.close()


def said(result: Result) -> str:
    """Return in a few words what came of it."""
    if result.play is not None:
        return f"a play of {len(result.play)} moves; {result.method}"
    return (
        result.method if result.proved else f"{result.method}; lengths up to {result.depth} refuted"
    )
