"""Of many things, which can ever be: moves that can be legal, facts that change, rules that fire.

In: edges of a system with names, and what is known of it. Out: a `Verdict`, with the names
of those that can never be. Random play shows most; each of the rest is tried by induction
over one move, and what still stands is searched for, all together.

Source: vacuity and coverage as in Kupferman, "Sanity Checks in Formal Verification",
CONCUR 2006.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import Lit
from gdl.circuit.copy import copy_cone
from gdl.circuit.logic import disj_all
from gdl.language.diagnostics import Diagnostic
from gdl.verify.properties.decide import check_affordable
from gdl.verify.properties.monitors import with_memory
from gdl.verify.properties.verdict import Verdict
from gdl.verify.proving.evidence import AllStates, Evidence, Induction, NoLonger, Reached
from gdl.verify.proving.prove import Prover
from gdl.verify.proving.search import FIRST_ATTEMPT, INDUCTION, Assumptions
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.bit_parallel import Simulator, chosen, of_facts, of_moves
from gdl.verify.systems.sampling import LANES, can_move, choose, sample
from gdl.verify.systems.state_space import CHUNK, StateSpace
from gdl.verify.systems.system import Bad, Play, System
from gdl.verify.systems.transition import StepSolver, transition

if TYPE_CHECKING:
    from gdl.verify.systems.bit_parallel import Bits

LISTED: Final = 8
"""Names in a text, at most."""
ROUNDS: Final = 8
"""Rounds of random play in which what was not seen is looked for."""
TRIES: Final = 8
"""Random joint moves that are tried in each sampled state."""

REACHED: Final = "each was reached"


@dataclass(frozen=True, slots=True)
class CoverPoint:
    """One thing that should be possible.

    Attributes:
        name: What it is called in an answer.
        edge: When it is so.
        of_moves: Whether that depends on the moves made too, not on the state alone.
        said: Where the rules speak of it, if they do so in vain.
    """

    name: str
    edge: Lit
    of_moves: bool = False
    said: Diagnostic | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of many things.

    Attributes:
        name: The property.
        claim: What it says.
        never: What is said of those that can never be.
    """

    name: str
    claim: str
    never: str


class Coverage:
    """Where to look: a system, and what is known of it."""

    def __init__(
        self, prover: Prover, space: StateSpace | None, system: System | None = None
    ) -> None:
        """Look at a system; another one with the same facts and moves may take its place."""
        self.prover = prover if system is None else replace(prover, system=system)
        self.space = space
        self.system = self.prover.system

    def cover(self, asked: Question, wanted: Iterable[CoverPoint], budget: Budget) -> Verdict:
        """Return whether each thing can be."""
        if self.space is None:
            check_affordable(self.system, budget)
        points = list(wanted)
        left = self.unseen(points)
        if self.space is not None:
            verdict = _verdict(asked, left, [], f"looking at all {len(self.space)} states")
            return replace(verdict, evidence=self._evidence(left) or self._reached(points, left))
        dead: list[CoverPoint] = []
        plays: list[Play] = []
        try:
            if left:
                check_affordable(self.system, budget)
            dead = self._never(left, budget)
            evidence = self._evidence(dead)
            left = self._played([point for point in left if point not in dead], budget)
            while left:
                # One search for all: a play to any of them strikes out what it shows, so there are
                # no more searches than points; a proof that there is none settles all the rest.
                system, edge = self._any(left)
                searcher = replace(self.prover, system=system)
                result = searcher.ask((Bad(asked.name, edge),), budget=budget)
                if result.play is None:
                    if result.proved:
                        verdict = _verdict(asked, [*dead, *left], [], result.method)
                        shown = self._with([*dead, *left], result.evidence)
                        return replace(verdict, evidence=shown)
                    verdict = _verdict(asked, dead, left, result.method, result.depth)
                    return replace(verdict, evidence=evidence)
                plays.append(result.play)
                left = self._after(result.play, left)
        except OutOfBudgetError as spent:
            return _verdict(asked, dead, left, str(spent))
        verdict = _verdict(asked, dead, [], "induction over one move")
        return replace(verdict, evidence=evidence or self._reached(points, dead, plays))

    def _evidence(self, dead: Sequence[CoverPoint]) -> Evidence | None:
        """Return what others can check of points that can never be; None of none."""
        if not dead:
            return None
        system = self._asking(dead)
        if self.space is not None:
            is_own = system.facts == self.space.system.facts and self.system is self.space.system
            return AllStates(self.space if is_own else system, system.bads)
        both = (*system.bads, *self.prover.system.bads)  # on which the invariants rest
        # Invariants of gates speak of a system of their own, and `_never` does without.
        invariants = replace(self.prover.invariants, gates={})
        return Induction(system.asking(both), invariants)

    def _with(self, dead: Sequence[CoverPoint], evidence: Evidence | None) -> Evidence | None:
        """Return what was found of all points, with each of them as a bad of its own."""
        if not isinstance(evidence, Induction | NoLonger):
            return None
        system = self._asking(dead, evidence.system)
        return replace(evidence, system=system.asking((*evidence.system.bads, *system.bads)))

    def _reached(
        self, points: Sequence[CoverPoint], dead: Sequence[CoverPoint], plays: Sequence[Play] = ()
    ) -> Evidence | None:
        """Return what others can check where each point was reached, and None where one was not."""
        if dead or not points:
            return None
        return Reached(self._asking(points), tuple(plays), self.prover.seed)

    def _asking(self, points: Sequence[CoverPoint], system: System | None = None) -> System:
        """Return the system, or one with more facts, with points as its bads.

        What a move did is a fact after it.
        """
        bads = list[Bad]()
        system = self.system if system is None else system
        for point in points:
            edge = point.edge
            if point.of_moves:
                system, edge = with_memory(system, edge, f"seen {len(bads)}")
            bads.append(Bad(point.name, edge))
        return system.asking(bads)

    def unseen(self, wanted: list[CoverPoint]) -> list[CoverPoint]:
        """Return what no state or move that is known shows."""
        by_state = [point for point in wanted if not point.of_moves]
        by_move = [point for point in wanted if point.of_moves]
        seen = {
            point
            for part, shown in (
                (by_state, self._in_states([point.edge for point in by_state])),
                (by_move, self._in_moves([point.edge for point in by_move])),
            )
            for point, is_shown in zip(part, shown, strict=True)
            if is_shown
        }
        return [point for point in wanted if point not in seen]

    def _played(self, left: list[CoverPoint], budget: Budget) -> list[CoverPoint]:
        """Return what more random plays do not show either; every other round lingers."""
        share = budget.share(budget.left / 3)
        for turn in range(1, ROUNDS):
            if not left or not share.left:
                break
            seed, lingers = self.prover.seed + turn, turn % 2 == 1
            lanes = LANES // 4 if lingers else LANES  # they are long
            sampled = sample(self.system, share, seed=seed, lanes=lanes, lingers=lingers)
            left = Coverage(replace(self.prover, sampled=sampled), None).unseen(left)
        return left

    def _in_states(self, edges: Sequence[Lit]) -> list[bool]:
        import numpy as np

        sampled = self.prover.sampled
        states = [*sampled.going, *sampled.stopped] if self.space is None else self.space.states
        start = np.array(self.system.initial, np.bool_)[:, None]  # no step leads to it
        return self._shown(edges, self.system.fact_inputs, (start, *states))

    def _in_moves(self, edges: Sequence[Lit]) -> list[bool]:
        import numpy as np

        inputs = [*self.system.fact_inputs, *self.system.flat_choices]
        steps = (np.concatenate(columns) for columns in self._moves())
        return self._shown(edges, inputs, steps)

    def _shown(
        self, edges: Sequence[Lit], inputs: Sequence[Lit], parts: Iterable[Bits]
    ) -> list[bool]:
        """Return which edges some part shows; what was seen is not looked at again."""
        import numpy as np

        left = set(edges)
        looker = Simulator(self.system.aig, inputs, sorted(left))
        for part in parts:
            if not left:
                break
            if part.shape[1]:
                shown: list[bool] = np.any(looker.run(part), axis=1).tolist()
                if any(shown):
                    left -= set(compress(looker.edges, shown))
                    looker = Simulator(self.system.aig, inputs, sorted(left))
        return [edge not in left for edge in edges]

    def _moves(self) -> Iterable[tuple[Bits, Bits]]:
        """Yield states and legal joint moves in them: all, or random ones in sampled states."""
        import numpy as np

        if self.space is not None:
            states = self.space.columns()
            for start in range(0, len(self.space.edges), CHUNK):
                part = self.space.edges[start : start + CHUNK]
                yield states[:, [source for source, _ in part]], self.space.joints(part)
            return
        random = np.random.default_rng(self.prover.seed)
        flat = self.system.flat_legal
        looker = of_facts(self.system, flat)
        for states in self.prover.sampled.going:
            if not states.shape[1]:
                continue
            legal = looker.run(states)
            can = can_move(legal, self.system)
            if can.any():
                for _ in range(TRIES):
                    yield states[:, can], choose(legal[:, can], self.system, random)

    def _never(self, left: list[CoverPoint], budget: Budget) -> list[CoverPoint]:
        """Return what no step from a state that the invariants allow can show.

        A point of moves is asked about before the step, one of states after it, where play may
        have ended. The first state, to which no step leads, was looked at in `unseen`.
        """
        if INDUCTION in self.prover.without:
            return []
        invariants = self.prover.invariants
        step = transition(self.system.asking(()), invariants.same)
        before = self.system.put(step.facts, step.choices)
        after = self.system.put(step.next, step.choices)
        solver = StepSolver(step, budget)
        try:
            Assumptions(solver, step, invariants)
            dead = []
            for point in left:
                table = before if point.of_moves else after
                (edge,) = copy_cone(self.system.aig, step.aig, table, [point.edge])
                if solver.attempt([solver.lit(edge)], FIRST_ATTEMPT) is False:
                    dead.append(point)
            return dead
        finally:
            solver.close()

    def _any(self, left: list[CoverPoint]) -> tuple[System, Lit]:
        """Return a system and an edge that says that one of the things is so."""
        aig = self.system.aig
        system, states = self.system, [point.edge for point in left if not point.of_moves]
        moves = [point.edge for point in left if point.of_moves]
        if moves:
            system, seen = with_memory(system, disj_all(aig, moves), "fired")
            states.append(seen)
        return system, disj_all(aig, states)

    def _after(self, play: Play, left: list[CoverPoint]) -> list[CoverPoint]:
        """Return what a play leaves unseen in its states and moves."""
        import numpy as np

        system = self.system
        mover = of_moves(system, [*system.next, *(point.edge for point in left)])
        shown = np.zeros(len(left), np.bool_)
        state = np.array(system.initial, np.bool_)[:, None]
        is_of_moves = np.array([point.of_moves for point in left])
        for joint in play:
            follows = mover.run(np.concatenate([state, chosen(system, joint)[:, None]]))
            state, seen = follows[: len(system.next)], follows[len(system.next) :, 0]
            shown |= seen & is_of_moves
        looker = of_facts(system, [e.edge for e in left if not e.of_moves])
        shown[~is_of_moves] |= looker.run(state)[:, 0]
        return [point for point, is_shown in zip(left, shown, strict=True) if not is_shown]


def _verdict(
    asked: Question, dead: list[CoverPoint], unknown: list[CoverPoint], method: str, depth: int = -1
) -> Verdict:
    if dead:
        names = tuple(point.name for point in dead)
        text = f"{asked.never}: {listed(names)}"
        if unknown:
            text += f"; not known of {len(unknown)} more"
        said = tuple(point.said for point in dead if point.said is not None)
        return Verdict(asked.name, asked.claim, "refuted", text, depth, culprits=names, said=said)
    if unknown:
        names = tuple(point.name for point in unknown)
        text = f"not seen: {listed(names)}; {method}"
        return Verdict(asked.name, asked.claim, "open", text, depth, culprits=names)
    return Verdict(asked.name, asked.claim, "proved", REACHED)


def listed(names: Sequence[str]) -> str:
    """Return the first names, and how many there are."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
