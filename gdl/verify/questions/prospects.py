"""What can still come of a position: which goals each role may yet end with.

In: a game, and positions of it. Out: for each role the goals that some end may give. What is not
among them can never come: a side that cannot win any more, a game that is decided, a board on
which nobody can. The answer for thousands of positions at once is a bound: never too few goals,
sometimes too many. For one position with few positions behind it there is an exact one.

The bound is a fixpoint over three values. Each fact of the position is known; then every move that
may be legal may be made, a fact that may differ after it is unknown, and so on until nothing more
becomes unknown. Each gate is evaluated over sets of values, so what it can be is never missed: all
positions that play can lead to are among those that the facts then allow.

Source: three-valued simulation as in Bryant, "Boolean Analysis of MOS Circuits", IEEE TCAD 1987;
as a relaxation that forgets what moves take away it is the planning heuristic of Hoffmann and
Nebel, "The FF Planning System", JAIR 2001.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.cone import live
from gdl.circuit.game import GameCircuit
from gdl.compile.limits import CompileLimits
from gdl.compile.pipeline import build
from gdl.game import GameLike, ruleset_of
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import Term
from gdl.state import Facts, State
from gdl.verify.diff import require_packages
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.bit_parallel import Simulator
from gdl.verify.systems.state_space import whole_space
from gdl.verify.systems.system import game_system

if TYPE_CHECKING:
    from gdl.verify.systems.bit_parallel import Bits

__all__ = ["Prospects"]

PLIES: Final = 8
"""Plies that are looked at one by one, before what holds after any number of them."""
FEW: Final = 5_000
"""Positions behind one that are all looked at for an exact answer."""

Goals = tuple[frozenset[int], ...]
"""For each role the goals that may come."""


@dataclass(frozen=True, slots=True)
class _Rails:
    """A graph over sets of values: of each edge whether it can be false, and whether true."""

    aig: Aig
    inputs: tuple[Lit, ...]
    can: dict[Lit, Lit]


def _rails(circuit: GameCircuit) -> _Rails:
    """Return the graph of a circuit over sets of values, its inputs those of facts and moves.

    An and can be true where both operands can, and false where one can. That is exact for one gate
    and for a graph in which no input counts twice; else it allows more than can be.
    """
    source = circuit.aig
    aig = Aig()
    can: dict[Lit, Lit] = {FALSE: FALSE, TRUE: TRUE}
    # An edge stands for "can be true": that of the inverted edge says whether this can be false.
    can[FALSE], can[TRUE] = FALSE, TRUE
    plain = [*circuit.fact_inputs, *(edge for row in circuit.move_inputs for edge in row)]
    for edge in plain:
        can[edge], can[negate(edge)] = aig.add_input(), aig.add_input()
    for node in live(source, list(circuit.outputs())):
        a, b = source.left[node], source.right[node]
        can[2 * node] = aig.conj(can[a], can[b])
        can[2 * node + 1] = aig.disj(can[negate(a)], can[negate(b)])
    inputs = tuple(can[rail] for edge in plain for rail in (edge, negate(edge)))
    return _Rails(aig, inputs, can)


class Prospects:
    """What can still come of positions of one game.

    Attributes:
        circuit: The game.

    Example:
        >>> import gdl
        >>> game = gdl.load("tictactoe")
        >>> state = game.initial()
        >>> for cell in ("b2", "a1", "c1", "a3", "a2", "c2", "b3", "b1"):
        ...     state = state.play(cell)
        >>> Prospects(game).goals([state])[0]  # one square is left, and it wins for nobody
        (frozenset({50}), frozenset({50}))
    """

    def __init__(self, game: GameLike, *, limits: Limits = DEFAULT_LIMITS) -> None:
        """Make the circuit of a game, once for all positions.

        Raises:
            UnknownRulesetError: There is no such ruleset or file.
            GdlSyntaxError: The rules cannot be read.
            CompileError: They cannot be made into a circuit.
            GdlError: The packages of the extra ``verify`` are missing.
        """
        require_packages()
        self.circuit = circuit = build(
            ruleset_of(game, limits=limits).description, limits=CompileLimits()
        )
        self._index = {fact: index for index, fact in enumerate(circuit.facts)}
        self._initial = Facts(circuit.facts[index] for index in circuit.initial)
        rails = _rails(circuit)
        can = rails.can
        legal = [can[edge] for row in circuit.legal for edge in row]
        after = [can[rail] for edge in circuit.next for rail in (edge, negate(edge))]
        ends = [
            rails.aig.conj(can[circuit.terminal], can[edge])
            for row in circuit.goals
            for _, edge in row
        ]
        ends.append(negate(can[negate(circuit.terminal)]))  # surely over
        facts = 2 * len(circuit.facts)
        self._legal = Simulator(rails.aig, rails.inputs[:facts], legal)
        self._after = Simulator(rails.aig, rails.inputs, after)
        self._ends = Simulator(rails.aig, rails.inputs[:facts], ends)

    def goals(self, states: Sequence[State]) -> list[Goals]:
        """Return which goals may still come, for each of many positions and each role.

        What is left out can never come. What is listed may yet be out of reach. Cost some rounds
        of O(gates) for all positions together, and O(gates) bits for each.

        Raises:
            GdlError: A position has facts that no play of the game leads to.
        """
        if not states:
            return []
        may = self._columns(states)
        shown = self._ends.run(may)
        possible, over = shown[:-1], shown[-1]
        for _ in range(PLIES):
            may = self._step(may) & ~over  # nothing follows what is surely over
            shown = self._ends.run(may)
            possible |= shown[:-1] & ~over
            over |= shown[-1]
        may &= ~over
        while (more := self._step(may) & ~over & ~may).any():
            may |= more
        possible |= self._ends.run(may)[:-1] & ~over
        return self._read(possible)

    def _step(self, may: Bits) -> Bits:
        """Return what can be true, and false, of each fact after a move."""
        import numpy as np

        choice = self._legal.run(may)
        both = np.ones((2 * len(choice), choice.shape[1]), np.bool_)
        both[0::2] = choice
        start = 0
        for row in self.circuit.legal:  # what alone is possible is done
            mine = choice[start : start + len(row)]
            both[2 * start + 1 : 2 * (start + len(row)) : 2] = ~(
                mine & (np.count_nonzero(mine, axis=0) == 1)
            )
            start += len(row)
        return self._after.run(np.concatenate([may, both]))

    def exact(self, state: State, *, positions: int = FEW, seconds: float = 10.0) -> Goals | None:
        """Return which goals can come, by looking at every position behind one.

        Returns:
            For each role exactly the goals of some end; None where more positions than wanted are
            behind, or time ran out.
        """
        system = game_system(self.circuit)
        start = tuple(bool(bit) for bit in self._columns([state])[0::2, 0])
        try:
            space = whole_space(
                replace(system, initial=start), Budget(seconds), max_states=positions
            )
        except OutOfBudgetError:
            return None
        if space is None:
            return None
        aig = self.circuit.aig
        edges = [aig.conj(self.circuit.terminal, e) for row in self.circuit.goals for _, e in row]
        shown = Simulator(aig, self.circuit.fact_inputs, edges).run(space.columns())
        return self._read(shown.max(axis=1, keepdims=True))[0]

    def cannot_win(self, states: Sequence[State], role: int, goal: int = 100) -> list[bool]:
        """Return for each position whether a role surely cannot end with a goal any more.

        Args:
            states: The positions.
            role: Number of the role.
            goal: What counts as a win.
        """
        return [goal not in goals[role] for goals in self.goals(states)]

    def _columns(self, states: Sequence[State]) -> Bits:
        """Return positions as sets of values: for each fact whether it can be true, or false."""
        import numpy as np

        may = np.zeros((2 * len(self._index), len(states)), np.bool_)
        for column, state in enumerate(states):
            held = [self._at(fact) for fact in state.facts]
            if not self.circuit.allows(held) and state.history[0].facts != self._initial:
                raise GdlError(
                    f"it is not known whether play leads to position {column + 1}",
                    expected="a position that was reached from the first one",
                )
            may[[2 * index for index in held], column] = True
        may[1::2] = ~may[0::2]
        return may

    def _at(self, fact: Term) -> int:
        index = self._index.get(fact)
        if index is None:
            raise GdlError(
                f"{fact} is a fact that no play leads to", expected="a position that play reached"
            )
        return index

    def _read(self, shown: Bits) -> list[Goals]:
        """Return for each column the goals of each role that a row shows."""
        answers = []
        for column in shown.T:
            goals, start = [], 0
            for row in self.circuit.goals:
                mine = column[start : start + len(row)]
                goals.append(frozenset(v for (v, _), held in zip(row, mine, strict=True) if held))
                start += len(row)
            answers.append(tuple(goals))
        return answers
