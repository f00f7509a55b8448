"""One game under examination: what is asked, in which order, and how it is decided.

In: a ruleset, formulas of the user, a budget. Out: a `Verification`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar

from gdl.circuit.aig import negate
from gdl.circuit.game import GameCircuit
from gdl.compile.limits import CompileLimits
from gdl.compile.pipeline import build
from gdl.language.diagnostics import LimitError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import Description, Term
from gdl.ruleset import Ruleset
from gdl.verify.properties import termination
from gdl.verify.properties import well_formed as properties
from gdl.verify.properties.cover_points import fact_points, move_points
from gdl.verify.properties.coverage import Coverage, Question
from gdl.verify.properties.custom import (
    CustomProperty,
    bodies,
    check_names,
    claim_of,
    own_properties,
)
from gdl.verify.properties.decide import SECONDS_A_NODE, decide, sampled_sum
from gdl.verify.properties.firing import monitor_rules
from gdl.verify.properties.monitors import (
    WatchingReasoner,
    first_role,
    monitor_edges,
    with_monitors,
)
from gdl.verify.properties.second_opinion import with_second_opinion
from gdl.verify.properties.verdict import Verdict, Verification
from gdl.verify.properties.witness import Witness
from gdl.verify.proving.evidence import Shown
from gdl.verify.proving.prove import ALL_STATES, COMPILED, OnStage, Prover
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.compiled_simulation import simulate_at_random
from gdl.verify.systems.sampling import SampledPlay
from gdl.verify.systems.state_space import StateSpace, whole_space
from gdl.verify.systems.step_counter import longest_by_clock
from gdl.verify.systems.system import Bad, Play, System, game_system

T = TypeVar("T")

SHARE: Final = 0.25
"""Of the time left, what one property may take at most."""
AGAIN: Final = 1.0
"""Seconds from which on something is asked once more."""
BUILDING: Final = 0.6
"""Of the time left, what making a circuit may take."""
LOOKING: Final = 0.2
"""Of the time left, what looking at all states may take."""
COMPILING: Final = 0.1
PLAYING: Final = 0.15
"""Likewise, what making machine code for all that is open may take, and random play in it."""
OPINION: Final = 0.2
"""Of the time left, what a second opinion on one property may take."""
NO_MEMORY: Final = "the memory ran out"
MAX_STATES: Final = 100_000
"""States of a game that are all looked at."""
MOVES: Final = Question("moves reachable", "each move can become legal", "never legal")
FACTS: Final = Question("facts change", "each fact can change", "never change")
RULES: Final = Question("rules fire", "each rule can fire", "never fire")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A property, and how to decide it within a budget."""

    name: str
    claim: str
    decide: Callable[[Budget], Verdict]


class Examination:
    """One game under examination."""

    def __init__(  # noqa: PLR0913, PLR0917  # what verify was asked
        self,
        ruleset: Ruleset,
        custom: Sequence[CustomProperty],
        budget: Budget,
        seed: int = 0,
        limits: Limits = DEFAULT_LIMITS,
        on_stage: OnStage | None = None,
        *,
        without: Collection[str] = (),
        wanted: Callable[[str], bool] | None = None,
        second_opinion: bool = False,
        is_plain: bool = False,
        on_verdict: Callable[[Verdict], None] | None = None,
    ) -> None:
        """Read the rules and the formulas; nothing is made of them yet.

        Some stages of `Prover` and ways of `termination` may be left out; where only some
        properties are wanted, by name, the others are not asked. With a second opinion another
        program is asked too what states can be. Plain is a circuit to which all rules count, also
        where others see to it that no state needs them. Who wants to know each verdict at once, as
        the process may end before the last, is told of it; a later one of a name replaces it.
        """
        from gdl.reason.machine import Reasoner

        self.ruleset, self.custom, self.budget = ruleset, tuple(custom), budget
        self.seed, self.on_stage, self.without = seed, on_stage, without
        self.wanted, self.second_opinion, self.is_plain = wanted, second_opinion, is_plain
        self.on_verdict = on_verdict
        self.cost = 0.0
        self.machine: Any = Reasoner(ruleset.checked(limits), limits=limits)
        self.roles: tuple[Term, ...] = self.machine.roles
        check_names(self.custom, asked_of_all(self.roles, ()))
        own = bodies(ruleset.description, self.custom, limits=limits)
        self.monitored = with_monitors(ruleset.description, first_role(self.roles), own)
        if own:
            self.machine = WatchingReasoner(self.monitored, limits=limits)

    def run(self) -> Verification:
        """Ask everything; a spent budget or Ctrl-C leaves the rest open."""
        asked, prepared = self._unbuilt(), None
        try:
            prepared = self._prepared()
            asked = list(prepared.questions())
        except LimitError as error:
            self.budget.stop(error.headline)
        except MemoryError:
            self.budget.stop(NO_MEMORY)
        except KeyboardInterrupt:
            self.budget.stop("interrupted")
        if self.wanted is not None:
            asked = [claim for claim in asked if self.wanted(claim.name)]
        verdicts = list(map(self._answer, asked))
        if prepared is not None:
            is_open = {verdict.name for verdict in verdicts if verdict.status == "open"}
            self._within_budget(lambda: prepared.play_on(is_open))
        self._again(asked, verdicts)
        return Verification(self.ruleset.id, tuple(verdicts))

    def _again(self, asked: Sequence[_Asked], verdicts: list[Verdict]) -> None:
        """Ask what is open once more, in the time that is left when all has been asked.

        Shares are small at first, since nobody knows what later questions need. Not asked again is
        what speaks of all moves, facts or rules: most of these are told by then, and the rest would
        take all the time of any game.
        """
        once = {MOVES.name, FACTS.name, RULES.name}
        still_open = [
            number
            for number, verdict in enumerate(verdicts)
            if verdict.status == "open" and verdict.name not in once
        ]
        for done, number in enumerate(still_open):
            share = self.budget.share(self.budget.left / (len(still_open) - done))
            if share.seconds < AGAIN:
                continue
            verdict = self._answered(asked[number], share)
            if verdict.status != "open" or verdict.depth > verdicts[number].depth:
                verdicts[number] = verdict
                self._said(verdict)

    def _prepared(self) -> _Prepared:
        """Make the circuit, play at random, look at all states or find invariants."""
        self._tell("circuit", "grounding the rules")
        rules, limits = self.monitored.description, _building(self.budget)
        circuit = build(rules, limits=limits, is_plain=self.is_plain)
        circuit, edges = monitor_edges(circuit, self.monitored)
        system = game_system(circuit)
        prover = Prover(system, self.budget, self.seed, self.on_stage, without=self.without)
        self.cost = SECONDS_A_NODE * len(circuit.aig)
        limit = None
        if termination.CLOCK not in self.without:
            limit = self._within_budget(lambda: longest_by_clock(prover.system, self.budget))
        self._within_budget(prover.play)
        space = self._within_budget(lambda: self._all_states(prover.system))
        asked = [
            *properties.standard_properties(circuit),
            *own_properties(self.custom, edges, self.monitored, self.roles[0]),
        ]
        if len(circuit.roles) > 1 and (total := sampled_sum(circuit, prover.sampled)) is not None:
            asked.append(properties.constant_sum(circuit, total))
        met = self._met(prover, asked) if space is None else {}
        if space is None:
            self._tell("invariants", "what holds wherever play goes on")
            self._within_budget(prover.learn)
        return _Prepared(self, prover, space, Witness(self.machine, circuit), limit, asked, met)

    def _met(
        self, prover: Prover, asked: Sequence[properties.Property]
    ) -> dict[properties.Property, SampledPlay]:
        """Return for each property the random play that decides it first, if there is one."""
        by_state = [property_ for property_ in asked if not property_.of_moves]
        if self.budget.why_stopped or not self.budget.left:
            return {}
        plays = prover.sampled.first(prover.system, [property_.edge for property_ in by_state])
        return {
            property_: play
            for property_, play in zip(by_state, plays, strict=True)
            if play is not None
        }

    def _all_states(self, system: System) -> StateSpace | None:
        if ALL_STATES in self.without:
            return None
        share = self.budget.share(LOOKING * self.budget.left)
        return whole_space(system, share, max_states=MAX_STATES)

    def _within_budget(self, do: Callable[[], T]) -> T | None:
        """Return what is done, None when a budget or limit is spent first; Ctrl-C spends it all."""
        try:
            return do()
        except (OutOfBudgetError, LimitError, MemoryError):
            return None  # what is asked does without, or meets its own limit
        except KeyboardInterrupt:
            self.budget.stop("interrupted")
            return None

    def _tell(self, stage: str, text: str) -> None:
        if self.budget.proofs is not None:
            self.budget.proofs.about = stage
        if self.on_stage is not None:
            self.on_stage(stage, text)

    def _answer(self, asked: _Asked) -> Verdict:
        """Return a verdict in the first share of the time."""
        share = self.budget.share(max(1.0, SHARE * self.budget.left, 3 * self.cost))
        verdict = self._answered(asked, share)
        self._said(verdict)
        return verdict

    def _said(self, verdict: Verdict) -> None:
        if self.on_verdict is not None:
            self.on_verdict(verdict)

    def _answered(self, asked: _Asked, share: Budget) -> Verdict:
        """Return a verdict, whatever happens to the budget."""
        try:
            self._tell(asked.name, asked.claim)
            return asked.decide(share)
        except OutOfBudgetError as spent:
            return _open(asked, str(spent))
        except LimitError as spent:
            return _open(asked, spent.headline)
        except MemoryError:
            return _open(asked, NO_MEMORY)  # for this question; the next one may need less
        except KeyboardInterrupt:
            self.budget.stop("interrupted")
            return _open(asked, "interrupted")

    def _unbuilt(self) -> list[_Asked]:
        """Return what is asked of every game, to be left open where there is no circuit."""
        claims = asked_of_all(self.roles, self.custom)
        return [_Asked(name, claim, _never_decided) for name, claim in claims.items()]


def asked_of_all(roles: Sequence[Term], custom: Sequence[CustomProperty]) -> dict[str, str]:
    """Return the claims of what is asked of every game with these roles, by name.

    What is asked beside that depends on the facts: ``one cell a place``.
    """
    claims = [(termination.NAME, termination.CLAIM), *properties.claims(roles)]
    claims += [(wanted.name, claim_of(wanted)) for wanted in custom]
    claims += [(question.name, question.claim) for question in (MOVES, FACTS, RULES)]
    return dict(claims)


def _building(budget: Budget) -> CompileLimits:
    """Return what making a circuit may take of a budget."""
    return CompileLimits(
        seconds=max(0.1, BUILDING * budget.left),
        bytes=budget.megabytes << 20,
        clock=budget.clock,
        explain=False,
    )


def _never_decided(budget: Budget) -> Verdict:
    raise OutOfBudgetError(budget.why_stopped)


def _with_end(verdict: Verdict, play: Play | None) -> Verdict:
    """Return the verdict on sums with a play to an end of the one that others do not have."""
    if not isinstance(verdict.evidence, Shown) or play is None:
        return verdict
    return replace(verdict, evidence=replace(verdict.evidence, beside=play))


def _open(asked: _Asked, why: str) -> Verdict:
    return Verdict(asked.name, asked.claim, "open", why)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A game with its circuit, and all that is known of it before anything is asked."""

    examination: Examination
    prover: Prover
    space: StateSpace | None
    witness: Witness
    limit: int | None
    asked: list[properties.Property]
    met: dict[properties.Property, SampledPlay]

    def questions(self) -> Iterator[_Asked]:
        """Yield what is asked, in order."""
        yield _Asked(termination.NAME, termination.CLAIM, self._ends)
        name, claim = properties.CONSTANT_SUM
        for property_ in self.asked:
            decide_it = self._decide_sum if property_.name == name else self._decide
            yield _Asked(property_.name, property_.claim, partial(decide_it, property_))
        if len(self.witness.circuit.roles) > 1 and all(
            property_.name != name for property_ in self.asked
        ):
            yield _Asked(name, claim, self._sum)
        for asked, covered in ((MOVES, self._moves), (FACTS, self._facts), (RULES, self._rules)):
            yield _Asked(asked.name, asked.claim, covered)

    def play_on(self, names: Collection[str]) -> None:
        """Play at random as machine code, millions of plays, for what few of them decide.

        Raises:
            OutOfBudgetError: The budget is spent.
        """
        examination, budget = self.examination, self.examination.budget
        if self.space is not None or COMPILED in examination.without:
            return
        left = [p for p in self.asked if p.name in names and not p.of_moves and p not in self.met]
        for done, property_ in enumerate(left):
            share = budget.left / (len(left) - done)
            simulated = simulate_at_random(
                self.prover.system.asking((Bad(property_.name, property_.edge),)),
                budget,
                compiling=COMPILING * share,
                playing=PLAYING * share,
                seed=examination.seed,
            )
            if simulated is not None and simulated.play is not None:
                self.met[property_] = simulated.play

    def _ends(self, budget: Budget) -> Verdict:
        return termination.termination(self.prover, self.space, self.witness, self.limit, budget)

    def _decide(self, asked: properties.Property, budget: Budget) -> Verdict:
        met, examination = self.met.get(asked), self.examination
        try:
            verdict = decide(asked, self.prover, self.space, self.witness, met, budget)
        except OutOfBudgetError as spent:
            if not examination.second_opinion:
                raise
            verdict = Verdict(asked.name, asked.claim, "open", str(spent))
        if not examination.second_opinion:
            return verdict
        share = examination.budget.share(OPINION * examination.budget.left)
        rules = [source.text for source in examination.ruleset.texts()]
        return with_second_opinion(verdict, asked, self.prover.system, self.witness, rules, share)

    def _sum(self, budget: Budget) -> Verdict:
        """Return whether all finished games give the same sum, where no random play ended."""
        end = properties.some_end(self.witness.circuit)
        first = self._decide(end, budget)
        if first.play is None:
            name, claim = properties.CONSTANT_SUM
            if first.status == "refuted":
                text = f"no play ends: {first.text}"
                return replace(first, name=name, claim=claim, status="proved", text=text)
            return Verdict(name, claim, "open", first.text, first.depth)
        state = self.witness.machine.initial()
        for joint in first.play:
            state = self.witness.machine.successor(state, joint)
        total = properties.sum_of_goals(self.witness.machine, state)
        verdict = self._decide(properties.constant_sum(self.witness.circuit, total), budget)
        return _with_end(
            verdict, first.evidence.play if isinstance(first.evidence, Shown) else None
        )

    def _decide_sum(self, asked: properties.Property, budget: Budget) -> Verdict:
        """Return whether all finished games give the sum of an end that random play met."""
        verdict = self._decide(asked, budget)
        if verdict.play is None:
            return verdict
        prover = self.prover
        stop, aig = prover.system.stop, prover.system.aig
        # An end of that sum alone; where random play met none, its first end has several sums.
        ends = prover.sampled.first(prover.system, [aig.conj(stop, negate(asked.edge)), stop])
        end = next((play for play in ends if play is not None), None)
        return _with_end(verdict, None if end is None else tuple(end))

    def _moves(self, budget: Budget) -> Verdict:
        """Return whether each move that the rules speak of can be legal."""
        budget.check()
        wanted = move_points(*self._rules_and_circuit())
        asked = replace(MOVES, claim=f"each of {len(wanted)} moves can become legal")
        return Coverage(self.prover, self.space).cover(asked, wanted, budget)

    def _facts(self, budget: Budget) -> Verdict:
        """Return whether each fact that the rules speak of can change."""
        budget.check()
        wanted = fact_points(*self._rules_and_circuit())
        asked = replace(FACTS, claim=f"each of {len(wanted)} facts can change")
        return Coverage(self.prover, self.space).cover(asked, wanted, budget)

    def _rules_and_circuit(self) -> tuple[GameCircuit, Description, Any]:
        return self.witness.circuit, self.examination.ruleset.description, self.witness.machine

    def _rules(self, budget: Budget) -> Verdict:
        """Return whether each rule with conditions can fire."""
        budget.check()
        monitored = monitor_rules(
            self.examination.ruleset.description, self.witness.circuit, limits=_building(budget)
        )
        if isinstance(monitored, str):
            return Verdict(RULES.name, RULES.claim, "open", monitored)
        field = Coverage(self.prover, self.space, game_system(monitored.circuit))
        asked = replace(RULES, claim=f"each of {len(monitored.rules)} rules can fire")
        return field.cover(asked, monitored.rules, budget)
