"""A play to a goal as one formula: planning as satisfiability.

In: the circuit of a game of one role, a state, a goal. Out: moves to an end worth that goal, or
that no play of so many moves comes to one. Each step is a copy of the circuit, as in the bounded
model checking of `gdl.verify.proving.unroll`; but a play may end at any of the steps, so that
lengths need not be tried one by one.

Source: Kautz and Selman, "Planning as Satisfiability", ECAI 1992; Rintanen, Heljanko and Niemela,
"Planning as satisfiability: parallel plans and algorithms for plan search", 2006.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from gdl.circuit.aig import Aig, Lit, negate
from gdl.circuit.copy import copy_cone
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import conj_all
from gdl.verify.solvers.budget import Budget
from gdl.verify.solvers.sat import Solver, at_most_one

CONFLICTS: Final = 2_000
"""Conflicts between two looks at the clock."""
NODES: Final = 3_000_000
"""Nodes of all copies, at most."""


class Formula:
    """Plays from one state to a goal, longer and longer.

    Attributes:
        goal: The goal.
        depth: Moves of the longest play that it speaks of.
        refuted: Moves up to which no play comes to the goal.
        play: The moves found, None so far.
        is_whole: Whether every play ends within the moves that were refuted, so that the goal
            cannot be reached at all.
    """

    def __init__(
        self, circuit: GameCircuit, held: Collection[int], goal: int, budget: Budget
    ) -> None:
        """Begin with the state in which just these facts hold."""
        self.goal = goal
        self.depth = self.refuted = 0
        self.play: list[int] | None = None
        self.is_whole = False
        self._circuit = circuit
        self._value = dict(circuit.goals[0])[goal]
        self._aig = Aig()
        self._solver = Solver(self._aig, budget)
        self._facts: list[Lit] = [int(i in held) for i in range(len(circuit.facts))]
        self._moves: list[list[Lit]] = []
        self._ends: list[int] = []
        self._going = self._solver.new_variable()
        self._solver.add([self._going])

    @property
    def is_full(self) -> bool:
        """Whether the formula has grown as large as it may."""
        return len(self._aig) > NODES

    def extend(self) -> None:
        """Speak of plays of one move more.

        ``going`` says of a play that it has not ended before this step; it then makes one legal
        move. Of a play that has ended the formula says nothing: its later moves are free, and what
        they lead to is not looked at, for an end counts only while the play was still going.
        """
        circuit, aig, solver = self._circuit, self._aig, self._solver
        table = {
            edge >> 1: fact for edge, fact in zip(circuit.fact_inputs, self._facts, strict=True)
        }
        legal = copy_cone(circuit.aig, aig, table, list(circuit.legal[0]))
        # What is not legal here for certain needs no input: early copies stay small.
        row = [0 if edge == 0 else aig.add_input() for edge in legal]
        literals = [solver.lit(edge) for edge in row if edge]
        solver.add([-self._going, *literals])
        at_most_one(solver, literals)
        for edge, allowed in zip(row, legal, strict=True):
            if edge:
                solver.add([-self._going, -solver.lit(edge), solver.lit(allowed)])
        table.update((e >> 1, move) for e, move in zip(circuit.move_inputs[0], row, strict=True))
        self._facts = copy_cone(circuit.aig, aig, table, list(circuit.next))
        self._moves.append(row)
        table = {
            edge >> 1: fact for edge, fact in zip(circuit.fact_inputs, self._facts, strict=True)
        }
        # An end without a single goal is worth nothing: others must not hold beside this one.
        others = [edge for value, edge in circuit.goals[0] if value != self.goal]
        stop, value, *rest = copy_cone(
            circuit.aig, aig, table, [circuit.terminal, self._value, *others]
        )
        end, going = solver.new_variable(), solver.new_variable()
        won = conj_all(aig, [stop, value, *map(negate, rest)])
        solver.add([-end, self._going])
        solver.add([-end, solver.lit(won)])
        solver.add([-going, self._going])
        solver.add([-going, solver.lit(negate(stop))])
        self._ends.append(end)
        self._going = going
        self.depth += 1

    def ask(self) -> bool | None:
        """Look for a play for some thousand conflicts; whether there is one, None for not yet.

        Raises:
            OutOfBudgetError: The budget is spent.
        """
        solver = self._solver
        some = solver.new_variable()
        solver.add([-some, *self._ends[self.refuted :]])
        answer = solver.attempt([some], CONFLICTS)
        if answer:
            end = next(t for t, e in enumerate(self._ends) if solver.value(e))
            self.play = [self._chosen(row) for row in self._moves[: end + 1]]
        elif answer is False:
            self.refuted = self.depth
            self.is_whole = solver.attempt([self._going], CONFLICTS) is False
        return answer

    def _chosen(self, row: list[Lit]) -> int:
        solver = self._solver
        return next(i for i, e in enumerate(row) if e and solver.value(solver.lit(e)))

    def close(self) -> None:
        """Give the solver's memory back."""
        self._solver.close()
