"""What a role knows for certain in a match that hides facts, by proof.

In: an `InformationState`. Out: the facts that hold in every state in which the match may be, and
those that hold in none. All plays that agree with what the role did and saw are one formula: a copy
of the game's circuit a step, with the role's own moves and percepts put in and the moves of all
others left open. A fact is known where the formula has no model in which it is otherwise.

A belief (`gdl.play.belief`) tells how likely states are, and is a sample where they are many; what
is known here is certain, however many states there are. Where time runs out, what was not decided
counts as not known.

Source: Schofield and Thielscher, "General Game Playing with Imperfect Information", JAIR 2019
(knowledge as what all models that agree with the percepts share); Janota, Lynce, Marques-Silva,
"Algorithms for computing backbones of propositional formulae", 2015 (asking fact by fact, with
each model that is found telling of many).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.copy import Copier
from gdl.circuit.game import GameCircuit
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.packages import need_packages
from gdl.language.syntax import Term
from gdl.play.information import (
    InformationState,
    MoveAndPercepts,
    NoStateError,
    information_state,
)
from gdl.state import State
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.solvers.sat import Solver, one_legal
from gdl.view.scene import Scene

__all__ = ["Knower", "Known"]

SECONDS: Final = 2.0
"""How long one question may take."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a state.

    Attributes:
        true: Facts that hold in every state in which the match may be.
        false: Facts of the game that hold in none.
        open: Facts that hold in some and not in others, or of which time did not tell.
    """

    true: frozenset[Term]
    false: frozenset[Term]
    open: frozenset[Term]


class Knower:
    """Follows what one role does and sees, and proves what it knows.

    It is asked about longer and longer plays of one match, and copies only the steps that are new.
    """

    def __init__(self, game: Game) -> None:
        """Begin with nothing seen.

        Raises:
            GdlError: The game does not run as machine code, and so has no circuit to prove with.
            MissingPackageError: python-sat is not installed.
        """
        need_packages("proving what is known", ("pysat",), "verify")
        native = game.back_end.native
        if native is None:
            raise GdlError(f"{game.id} does not run as machine code: {game.back_end.why}")
        self._circuit: GameCircuit = native.circuit
        self._solver: Solver | None = None
        self._begun: tuple[frozenset[Term], Term] | None = None
        self._steps: tuple[MoveAndPercepts, ...] = ()
        self._facts: list[Lit] = []

    @classmethod
    def of(cls, game: Game) -> Knower | None:
        """Return who follows a game, None where nobody can: it is no error to know nothing."""
        try:
            return cls(game)
        except GdlError:
            return None

    def scene(self, state: State, role: Term, seconds: float = SECONDS) -> Scene | None:
        """Return the picture of what a role knows of a state, with a ``?`` where something may be.

        None where the rules have no picture, time ran out before all was read, or the match began
        where no play leads.
        """
        try:
            known = self.follow(information_state(state, role), seconds)
        except (GdlError, NoStateError, OutOfBudgetError):
            return None
        return state.game.ruleset.scene_of_known(known.true, known.open)

    def follow(self, seen: InformationState, seconds: float = SECONDS) -> Known:
        """Return what is known; continues from the last time where it can.

        Args:
            seen: What the role did and saw.
            seconds: For what is left open after so long nobody vouches.

        Raises:
            GdlError: The match began in a state of which the circuit says nothing.
            NoStateError: Nothing can have happened that looks so.
            OutOfBudgetError: Time ran out before all steps were copied.
        """
        followed, begun = len(self._steps), (seen.start.facts, seen.role)
        budget = Budget(seconds)
        if self._solver is None or begun != self._begun or seen.steps[:followed] != self._steps:
            self.close()
            self._facts = self._first(begun[0])
            self._begun, self._steps, followed = begun, (), 0
            self._solver = Solver(Aig(), budget)
        self._solver.budget = budget
        for at in range(followed, len(seen.steps)):
            self._extend(seen.role, seen.steps[at])
            self._steps = seen.steps[: at + 1]
        return self._decide()

    def _first(self, start: frozenset[Term]) -> list[Lit]:
        """Return the edges of the facts where the match began.

        Raises:
            GdlError: The circuit says nothing of such a state: no play leads to it.
        """
        facts = self._circuit.facts
        held = {number for number, fact in enumerate(facts) if fact in start}
        if len(held) < len(start) or not self._circuit.allows(held):
            raise GdlError(
                "what is known is proved from the circuit of the game, which takes for granted "
                "what all plays keep; where this match began is no such state",
                expected="a match that began where play can lead, or nearly",
            )
        return [TRUE if number in held else FALSE for number in range(len(facts))]

    def _extend(self, role: Term, step: MoveAndPercepts) -> None:
        """Say of one more step what was done and seen; all clauses stay for good.

        Kept: the models of the formula are the plays in which the role does and sees what it did
        and saw, each of the others making one legal move a step.
        """
        circuit, solver = self._circuit, self._solver
        assert solver is not None
        aig, mine = solver.aig, circuit.roles.index(role)
        now = {e >> 1: fact for e, fact in zip(circuit.fact_inputs, self._facts, strict=True)}
        before = Copier(aig, circuit.aig, now)
        solver.add([solver.lit(negate(before.edge(circuit.terminal)))])
        moves: dict[int, Lit] = {}
        for number, (terms, inputs, legal) in enumerate(
            zip(circuit.moves, circuit.move_inputs, circuit.legal, strict=True)
        ):
            allowed = before.edges(legal)
            if number == mine:
                if step.move not in terms:
                    raise NoStateError
                made = terms.index(step.move)
                solver.add([solver.lit(allowed[made])])
                moves |= {e >> 1: TRUE if i == made else FALSE for i, e in enumerate(inputs)}
                continue
            # What is legal in no such play is no input: early copies stay small.
            row = [FALSE if edge == FALSE else aig.add_input() for edge in allowed]
            some = [edge for edge in row if edge != FALSE]
            one_legal(solver, some, [edge for edge in allowed if edge != FALSE])
            moves |= {e >> 1: edge for e, edge in zip(inputs, row, strict=True)}
        after = Copier(aig, circuit.aig, now | moves)
        percepts = dict(circuit.sees[mine]) if circuit.sees else {}
        if not step.percepts <= percepts.keys():
            raise NoStateError
        for percept, edge in percepts.items():
            literal = solver.lit(after.edge(edge))
            solver.add([literal if percept in step.percepts else -literal])
        self._facts = list(after.edges(circuit.next))

    def _decide(self) -> Known:
        """Ask of each fact whether it could be otherwise; each model answers for many."""
        solver = self._solver
        assert solver is not None
        edges = dict(zip(self._circuit.facts, self._facts, strict=True))
        true = {fact for fact, edge in edges.items() if edge == TRUE}
        false = {fact for fact, edge in edges.items() if edge == FALSE}
        literals = {f: solver.lit(e) for f, e in edges.items() if e not in {TRUE, FALSE}}
        if not solver.solve():
            raise NoStateError
        # What every model so far agrees on, and may be known.
        agreed = {fact: solver.value(literal) for fact, literal in literals.items()}
        try:
            while agreed:
                fact, value = agreed.popitem()
                literal = literals[fact] if value else -literals[fact]
                if solver.solve([-literal]):
                    agreed = {f: v for f, v in agreed.items() if solver.value(literals[f]) == v}
                else:
                    solver.add([literal])
                    (true if value else false).add(fact)
        except OutOfBudgetError:
            pass
        known = frozenset(true), frozenset(false)
        return Known(*known, frozenset(edges.keys() - true - false))

    def close(self) -> None:
        """Give the solver's memory back."""
        if self._solver is not None:
            self._solver.close()
        self._solver = None
