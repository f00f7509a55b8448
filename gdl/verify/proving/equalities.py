"""Signals that are equal wherever play goes on: facts and gates, apart from all other invariants.

In: a system and a sample of its states. Out: facts that are another fact, or fixed (`Same`), and
gates of facts that are another signal, or fixed. Two texts of one game seldom store the same
facts, but often compute the same things of them: whether this square is free, who may move.

What is guessed is all that no sampled state tells apart. The proof is by induction: if all
guesses hold before a step, they hold after it. Each guess is asked about alone, bottom up, so
that none is hard; a step that tells some apart becomes a sampled state, with the random play
that follows it, and all begins anew until nothing is told apart.

Source: van Eijk, "Sequential Equivalence Checking Based on Structural Similarities", IEEE TCAD
2000; Mony, Baumgartner, Paruthi, Kanzelman, "Exploiting Suspected Redundancy without Proving It",
DAC 2005 (speculative reduction).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import Lit
from gdl.circuit.cone import cone
from gdl.circuit.evaluate import fill
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.bit_parallel import Simulator, of_facts, of_step, pack
from gdl.verify.systems.sampling import Sample, can_move, choose
from gdl.verify.systems.system import System
from gdl.verify.systems.transition import Same, StepSolver, merged_after, transition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MAX_GATES: Final = 60_000
"""Of a system with more gates only facts are compared: there would be too much to ask."""
COLUMNS: Final = 4_096
"""Sampled states that guesses are made from, at most."""
FOLLOWED: Final = 8
"""Plies of random play that follow a state which told signals apart."""
LANES: Final = 64
"""Such plays from all of these states together, at least."""
REFUTING: Final = 128
"""Such states before the guesses are made anew."""
CONFLICTS: Final = 5_000
"""Of one question; a guess that takes more is given up."""


@dataclass(frozen=True, slots=True)
class Equalities:
    """What was proved of every state where play goes on.

    Attributes:
        same: Facts that are another one, or fixed.
        gates: Gates of facts, each with the edge of the system's graph that it is equal to: of a
            fact, of the constant, or of a gate with a lower number.
    """

    same: dict[int, Same]
    gates: dict[int, Lit]


def find_equalities(
    system: System,
    guesses: Guesses,
    budget: Budget,
    *,
    on_round: Callable[[str], None] | None = None,
) -> Equalities:
    """Prove equalities that are guessed. Cost: a few rounds, of a question for each guess.

    Raises:
        OutOfBudgetError: Before the proof was found; the guesses know what was learned.
    """
    while True:
        budget.check()
        equalities = guesses.equalities()
        if on_round is not None:
            on_round(
                f"{len(equalities.same)} facts and {len(equalities.gates)} gates to prove equal"
            )
        proof = _Proof(system, equalities, budget)
        try:
            is_proved = proof.run()
        except OutOfBudgetError:
            guesses.refine(proof.states, proof.given_up)
            raise
        finally:
            proof.solver.close()
        if is_proved:
            return equalities
        guesses.refine(proof.states, proof.given_up)


class Guesses:
    """Signals by their values in all sampled states so far."""

    def __init__(self, system: System, sampled: Sample) -> None:
        """Take the states of random plays."""
        import numpy as np

        self.system = system
        start = np.array(system.initial, np.bool_)[:, None]
        self._states = np.concatenate([start, *sampled.going], axis=1)
        if self._states.shape[1] > COLUMNS:
            chosen = np.random.default_rng(0).choice(self._states.shape[1] - 1, COLUMNS - 1) + 1
            self._states = self._states[:, [0, *chosen]]
        flat = [system.stop, *(bad.edge for bad in system.bads), *system.flat_legal]
        self._gates = cone(system.aig, flat) if len(system.aig) <= MAX_GATES else []
        self._given_up: set[int] = set()
        self._random = np.random.default_rng(1)

    def equalities(self) -> Equalities:
        """Return what no sampled state tells apart."""
        system = self.system
        rows = self._rows()
        # A signal is equal to the first of its class: the constant, then facts, then gates in the
        # order of their numbers. So what a gate is equal to never depends on the gate itself.
        leaders: dict[bytes, Lit] = {bytes(len(rows[0].tobytes())): 0}
        number = {edge >> 1: fact for fact, edge in enumerate(system.fact_inputs)}
        same: dict[int, Same] = {}
        gates: dict[int, Lit] = {}
        for node in (*number, *self._gates):
            if node in self._given_up:
                continue
            row = rows[node]
            flipped = int(row[0] & 1)
            key = (~row if flipped else row).tobytes()
            leader = leaders.setdefault(key, 2 * node ^ flipped)
            if leader >> 1 == node:
                continue
            edge = leader ^ flipped
            if node not in number:
                gates[node] = edge
            elif edge <= 1:
                same[number[node]] = Same(-1, bool(edge))
            else:
                same[number[node]] = Same(number[edge >> 1], bool(edge & 1))
        return Equalities(same, gates)

    def _rows(self) -> dict[int, NDArray[np.uint64]]:
        """Return the value of each signal in all states, a bit a state, the last one repeated."""
        import numpy as np

        system, width = self.system, self._states.shape[1]
        # Bits beyond the last state repeat the first, so that words of equal signals are equal.
        padded = -(-width // 64) * 64 - width
        states = np.concatenate([self._states, np.repeat(self._states[:, :1], padded, axis=1)], 1)
        packed = pack(states)
        ones = np.full(packed.shape[1], 0xFFFF_FFFF_FFFF_FFFF, np.uint64)
        values = {
            0: ~ones,
            **{e >> 1: row for e, row in zip(system.fact_inputs, packed, strict=True)},
        }
        fill(system.aig, self._gates, values, ones)
        return values

    def refine(self, states: list[tuple[bool, ...]], given_up: set[int]) -> None:
        """Take states that tell guesses apart, and what random play makes of them.

        A state that follows one in which all guesses hold satisfies every set of guesses that is
        inductive and smaller; so does what follows it. What it tells apart never can be proved.
        """
        import numpy as np

        self._given_up |= given_up
        if not states:
            return
        # From each state several plays go on: a round costs more than they do.
        level = np.repeat(np.array(states, np.bool_).T, -(-LANES // len(states)), axis=1)
        looker, mover = _players(self.system)
        counterexamples = []
        bads = len(self.system.bads)
        for _ in range(FOLLOWED):
            seen = looker.run(level)
            legal = seen[1 + bads :]
            going = ~seen[: 1 + bads].any(axis=0)
            counterexamples.append(level[:, going])
            going &= can_move(legal, self.system)
            if not going.any():
                break
            level, legal = level[:, going], legal[:, going]
            chosen = choose(legal, self.system, self._random)
            level = mover.run(np.concatenate([level, chosen]))
        self._states = np.concatenate([self._states, *counterexamples], axis=1)


def _players(system: System) -> tuple[Simulator, Simulator]:
    edges = [system.stop, *(bad.edge for bad in system.bads), *system.flat_legal]
    looker = of_facts(system, edges)
    return looker, of_step(system)


class _Proof:
    """One attempt: all guesses together, by induction over a step.

    Base: every guess was made from states of which the first is one. Step: models of the solver
    are steps from a state where play goes on and all guesses hold to a state where play goes on.
    Of the state after the step each signal is made of what those below it are guessed to be
    equal to. If all guesses so made hold, they hold of the state itself, by induction from the
    facts upwards; where play goes on afterwards is said of the state itself.
    """

    def __init__(self, system: System, guessed: Equalities, budget: Budget) -> None:
        self.system, self.budget = system, budget
        self.step = step = transition(system, guessed.same, guessed.gates)
        self.solver = solver = StepSolver(step, budget)
        self.states: list[tuple[bool, ...]] = []
        self.given_up: set[int] = set()
        solver.add([solver.lit(step.next_going)])
        self._apart = merged_after(step, guessed.same, guessed.gates).apart

    def run(self) -> bool:
        """Return whether all guesses are proved; else states were found, or guesses given up."""
        solver = self.solver
        left = [(node, solver.lit(edge)) for node, edge in self._apart]
        refuted: set[int] = set()
        for node, literal in left:
            if node in refuted:
                continue
            answer = solver.attempt([literal], CONFLICTS)
            if answer is None:
                self.given_up.add(node)
            elif answer:
                self.states.append(solver.state_after())
                refuted.update(other for other, apart in left if solver.value(apart))
                if len(self.states) >= REFUTING:
                    return False
            else:
                # Right only if all guesses are proved; if not, nothing of this attempt is kept.
                solver.add([-literal])
        return not self.states and not self.given_up
