"""Plans whose moves do not wait for each other: a set of moves by a solver, then an order for it.

A sudoku of fifty empty cells is a play of fifty moves: as a formula, fifty copies of the circuit,
with as many plays as there are orders for one solution. But what a move does there depends on
nothing, each fact changes once at most, and a move that is legal after all others was legal before
them. So the formula here has one variable a move, says what holds in the end, that this is an end
worth the goal, and that each move would be legal as the last one. An order is found by playing.

What a move does is observed in random plays, not proved; nothing rests on that, since each plan is
replayed by the rules. Where moves do different things in different states there is no such formula.
That the formula cannot be satisfied proves nothing: there may be plans of other kinds.

Source: plans in parallel steps as in Rintanen, Heljanko and Niemela, "Planning as satisfiability:
parallel plans and algorithms for plan search", 2006, all of a plan being one step here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import Aig, Lit, negate
from gdl.circuit.copy import copy_cone
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import conj_all, disj_all
from gdl.play.puzzles.lanes import Lanes, Rows
from gdl.verify.solvers.budget import Budget
from gdl.verify.solvers.sat import Solver

LONGEST: Final = 200
"""Plies of the random plays that are observed."""
MOST_BYTES: Final = 1 << 25
"""States that are observed, at most."""
CONFLICTS: Final = 2_000
"""Conflicts between two looks at the clock."""
NODES: Final = 2_000_000
"""Nodes of the formula, at most."""
ORDERS: Final = 8
"""Orders that are tried of one set of moves."""
SETS: Final = 200
"""Sets of moves that are tried."""


class Effects(NamedTuple):
    """What moves do whatever the state: facts by index.

    Attributes:
        adds: Facts that hold after each move that was seen.
        deletes: Facts that do not.
    """

    adds: dict[int, list[int]]
    deletes: dict[int, list[int]]


def observe(lanes: Lanes, root: bytes, seed: int) -> Effects | None:
    """Return what each move does in all states in which it was seen; None where that differs.

    Seen are all moves at a root, and random plays from there.
    """
    before, moves, after = [], [], []
    start = np.frombuffer(root, np.uint8)[None]
    for children in lanes.expand(start):
        before.append(np.repeat(start, len(children.move), axis=0))
        moves.append(children.move)
        after.append(children.states)
    last, going, taken = None, None, 0
    rng = np.random.default_rng(seed)
    for played, is_over, _, states in lanes.play_out(root, rng, LONGEST):
        if last is not None:
            before.append(last[going])
            moves.append(played[going])
            after.append(states[going])
        last, going, taken = states, ~is_over, taken + 2 * states.nbytes
        if taken > MOST_BYTES:
            break
    if not moves:
        return None
    return _effects(np.concatenate(before), np.concatenate(moves), np.concatenate(after))


def _effects(before: Rows, moves: NDArray[np.int32], after: Rows) -> Effects | None:
    order = np.argsort(moves, kind="stable")
    before, moves, after = before[order], moves[order], after[order]
    firsts = np.flatnonzero(np.diff(moves, prepend=-1))
    adds = np.bitwise_or.reduceat(~before & after, firsts)
    deletes = np.bitwise_or.reduceat(before & ~after, firsts)
    of = np.repeat(np.arange(len(firsts)), np.diff(firsts, append=len(moves)))
    if ((before & ~deletes[of] | adds[of]) != after).any():
        return None
    numbers = moves[firsts].tolist()
    return Effects(dict(zip(numbers, _bits(adds), strict=True)),
                   dict(zip(numbers, _bits(deletes), strict=True)))  # fmt: skip


def _bits(rows: Rows) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in np.unpackbits(rows, axis=1)]


class Unordered:
    """Sets of moves that come to a goal from one state."""

    def __init__(
        self, lanes: Lanes, circuit: GameCircuit, root: bytes, effects: Effects, seed: int
    ) -> None:
        """Prepare; the formula is made by `search`."""
        self._machine, self._circuit = lanes.native.machine, circuit
        self._root, self._effects = root, effects
        self._held = set(self._machine.held(root))
        self._rng = np.random.default_rng(seed)

    def search(self, goal: int, budget: Budget) -> Iterator[list[int] | None]:
        """Yield None again and again while nothing is found, then the moves of a plan.

        Raises:
            OutOfBudgetError: The budget is spent.
        """
        aig = Aig()
        solver = Solver(aig, budget)
        try:
            literals = {move: solver.lit(aig.add_input()) for move in self._effects.adds}
            for _ in self._write(aig, solver, goal, literals):
                yield None
            if len(aig) > NODES:
                return
            for _ in range(SETS):
                while (answer := solver.attempt([], CONFLICTS)) is None:
                    yield None
                if not answer:
                    return
                chosen = [m for m, literal in literals.items() if solver.value(literal)]
                for _ in range(ORDERS):
                    line = self._in_order(chosen)
                    if line is not None:
                        yield line
                        return
                    yield None
                solver.add([-x if solver.value(x) else x for x in literals.values()])
        finally:
            solver.close()

    def _write(
        self, aig: Aig, solver: Solver, goal: int, literals: dict[int, int]
    ) -> Iterator[None]:
        """Write the formula, a move at a time; the inputs of the graph are the moves."""
        circuit, effects = self._circuit, self._effects
        taken = dict(zip(literals, (2 * node for node in aig.inputs), strict=True))
        changes: dict[int, list[int]] = {}
        for move in taken:
            for fact in effects.adds[move]:
                if fact not in self._held:
                    changes.setdefault(fact, []).append(move)
            for fact in effects.deletes[move]:
                if fact in self._held:
                    changes.setdefault(fact, []).append(move)

        def holds(fact: int, without: int | None) -> Lit:
            some = disj_all(aig, [taken[m] for m in changes.get(fact, ()) if m != without])
            return some ^ int(fact in self._held)

        inputs = {edge >> 1: fact for fact, edge in enumerate(circuit.fact_inputs)}
        final = {node: holds(fact, None) for node, fact in inputs.items()}
        # An end without a single goal is worth nothing: others must not hold beside this one.
        ends = [edge if value == goal else negate(edge) for value, edge in circuit.goals[0]]
        solver.add([solver.lit(conj_all(aig, copy_cone(
            circuit.aig, aig, final, [circuit.terminal, *ends])))])  # fmt: skip
        for move in taken:
            if len(aig) > NODES:
                return
            touched = {*effects.adds[move], *effects.deletes[move]}
            before = {
                node: holds(fact, move) if fact in touched else final[node]
                for node, fact in inputs.items()
            }
            legal = copy_cone(circuit.aig, aig, before, [circuit.legal[0][move]])[0]
            solver.add([-literals[move], solver.lit(legal)])
            yield None

    def _in_order(self, chosen: list[int]) -> list[int] | None:
        """Return an order in which all moves are legal and only the last one ends the game."""
        machine, state = self._machine, self._root
        role = machine.roles[0]
        left = {machine.moves[0][m]: m for m in self._rng.permutation(chosen).tolist()}
        line: list[int] = []
        while left:
            legal = set(machine.legal(state, role))
            for move in left:
                if move not in legal:
                    continue
                after = machine.successor(state, (move,))
                if len(left) == 1 or not machine.is_terminal(after):
                    break
            else:
                return None
            line.append(left.pop(move))
            state = after
        return line
