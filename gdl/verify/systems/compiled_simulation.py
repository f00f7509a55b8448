"""Random simulation of a system by machine code: tens of millions of positions in a second.

In: a system with questions. Out: `RandomSimulation`: a play that ends in a bad state, if random
play meets one, and how many positions were looked at.

The system becomes a game that ends where it stops or is bad, with a goal that says which;
the lanes of `gdl.native` play it, one play a lane, in rounds. They keep counts and no
plays. So a round that met something bad is played once more from the same random numbers,
ply by ply with a look at every state; and the choices that lead from state to state are
asked of a solver. What comes out depends on the seed alone, not on the width of vectors,
unless time runs out.

Source: random simulation before proof as in Kuehlmann and others, TCAD 2002.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import disj_all
from gdl.language.syntax import Constant
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import of_facts
from gdl.verify.systems.sampling import MAX_PLIES, SampledPlay
from gdl.verify.systems.system import System
from gdl.verify.systems.transition import StepSolver, transition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.verify.systems.bit_parallel import Bits

    Words = NDArray[np.uint64]

GROUPS: Final = 8
"""Words of 64 lanes that play in a round, whatever the width of vectors."""
LANES_A_WORD: Final = 64
POSITIONS: Final = 100_000_000
"""Positions after which random play is given up."""
REPLAYED: Final = 32
"""Rounds that met something bad and are played again, to find a short play."""
CYCLES: Final = 64
"""Turns of all lanes between two looks at the clock."""
BAD: Final = 1
"""Index of the goal of bad states, see `_game`."""


@dataclass(frozen=True, slots=True)
class RandomSimulation:
    """What random plays met.

    Attributes:
        positions: How many states were looked at.
        plays: How many plays were played.
        bad: How many of them ended in a bad state.
        play: The shortest play found to a bad state, None when none was met.
    """

    positions: int
    plays: int
    bad: int
    play: SampledPlay | None


def simulate_at_random(  # noqa: PLR0913  # all but three have a default
    system: System,
    budget: Budget,
    *,
    compiling: float,
    playing: float,
    seed: int = 0,
    positions: int = POSITIONS,
    width: int | None = None,
    on_round: Callable[[int], None] | None = None,
) -> RandomSimulation | None:
    """Play at random in machine code until enough was seen or the budget is spent.

    Args:
        system: What to play.
        budget: Of time and memory.
        compiling: Seconds that machine code may take to make, by an estimate.
        playing: Seconds for the plays.
        seed: Of the random numbers.
        positions: States to look at.
        width: Lanes of a vector, by default what the processor has; no other play comes of it.
        on_round: Called now and then with the number of positions so far.

    Returns:
        What was met; None where machine code cannot be had, or not in so many seconds.

    Raises:
        OutOfBudgetError: Time or memory ran out before the choices of a play were known.
    """
    if find_spec("llvmlite") is None or not any(bad.edge for bad in system.bads):
        return None
    import numpy as np

    from gdl.backend import check_affordable
    from gdl.compile.limits import CompileError

    game = _game(system)
    looker = of_facts(system, [game.terminal, game.goals[0][0][1]])
    is_over, is_bad = looker.run(np.array(system.initial, np.bool_)[:, None])[:, 0]
    if is_over:
        return RandomSimulation(1, 0, 0, [] if is_bad else None)
    try:
        check_affordable(game, compiling)
    except CompileError:
        return None
    rounds = _Rounds(system, game, budget, seed=seed, width=width)
    return rounds.run(budget.share(playing), positions, on_round or (lambda _: None))


def _game(system: System) -> GameCircuit:
    """Return a system as a game that also ends where it is bad; the first goal says so."""
    bad = disj_all(system.aig, [question.edge for question in system.bads])
    return GameCircuit(
        roles=tuple(Constant(f"role-{role}") for role in range(len(system.choice_inputs))),
        facts=tuple(label.term for label in system.facts),
        initial=frozenset(fact for fact, value in enumerate(system.initial) if value),
        moves=tuple(
            tuple(Constant(str(choice)) for choice in range(len(row)))
            for row in system.choice_inputs
        ),
        aig=system.aig,
        fact_inputs=system.fact_inputs,
        move_inputs=system.choice_inputs,
        legal=system.legal,
        next=system.next,
        terminal=system.aig.disj(system.stop, bad),
        goals=(((100, bad),), *(() for _ in system.choice_inputs[1:])),
    )


class _Rounds:
    """Rounds of plays of one system."""

    def __init__(
        self, system: System, game: GameCircuit, budget: Budget, *, seed: int, width: int | None
    ) -> None:
        import numpy as np

        from gdl.native.code.target import native_target
        from gdl.native.lanes.playouts import Lanes, compile_lanes
        from gdl.native.memory_views import LaneMemory

        self.system, self.budget = system, budget
        target = native_target() if width is None else native_target(width)
        self.lanes = Lanes(compile_lanes(game, target=target, max_plies=MAX_PLIES))
        self.vector = LaneMemory(self.lanes)
        self.looker = of_facts(system, [bad.edge for bad in system.bads])
        self._random = np.random.default_rng(seed)

    def run(
        self, share: Budget, positions: int, on_round: Callable[[int], None]
    ) -> RandomSimulation:
        """Play rounds until enough was seen or a share of the budget is spent."""
        vector, path, replayed, plays = self.vector, None, 0, 0
        while share.left > 0 and replayed < REPLAYED and vector.positions() < positions:
            seeds = self._random.integers(0, 2**64, (2, GROUPS), "u8")
            for start in range(0, GROUPS, vector.words):
                part = seeds[:, start : start + vector.words]
                before = int(vector.ends[BAD])
                if not self._play(part, share):
                    break
                plays += LANES_A_WORD * vector.words
                if int(vector.ends[BAD]) > before:
                    met = self._path(part)
                    replayed += 1
                    if path is None or len(met) < len(path):
                        path = met
            on_round(vector.positions())
        play = None if path is None else self._choices(path)
        return RandomSimulation(vector.positions(), plays, int(vector.ends[BAD]), play)

    def _deal(self, seeds: Words) -> None:
        """Give each lane one play to play, and each word its random numbers: ``uint64[2, W]``."""
        self.vector.set_random(seeds)
        self.vector.deal(LANES_A_WORD)

    def _play(self, seeds: Words, share: Budget) -> bool:
        """Play one play in each lane; return whether there was time to end them all."""
        self._deal(seeds)
        while not self.vector.run(CYCLES):
            if share.left <= 0:
                return False
        return True

    def _path(self, seeds: Words) -> list[Bits]:
        """Play a round again; return the stored facts along the play that was bad first."""
        vector, compiled = self.vector, self.lanes.compiled
        counted = vector.lengths.copy(), vector.ends.copy()
        self._deal(seeds)
        vector.start()
        moved: list[Bits] = []
        states: list[Bits] = []
        while True:
            assert vector.live.any(), "a round ended otherwise when it was repeated"
            for phase in range(compiled.period):
                vector.ply(phase)
                moved.append(_bits(vector.moved))
                states.append(_bits(vector.facts))
                ended = moved[-1] & _bits(vector.over)
                lane = self._bad_lane(states[-1], ended, (phase + 1) % compiled.period)
                if lane is not None:
                    while not vector.run(CYCLES):  # plays that were begun are played to their end
                        pass
                    vector.lengths[:], vector.ends[:] = counted
                    return [s[:, lane] for s, go in zip(states, moved, strict=True) if go[lane]]

    def _bad_lane(self, states: Bits, ended: Bits, phase: int) -> int | None:
        """Return the first lane that has just ended in a bad state, None when there is none."""
        import numpy as np

        lanes = np.flatnonzero(ended)
        if not len(lanes):
            return None
        whole = np.zeros((len(self.system.facts), len(lanes)), np.bool_)
        whole[list(self.lanes.compiled.stored)] = states[:, lanes]
        whole[list(self.lanes.compiled.phases[phase])] = True
        bad = self.looker.run(whole).any(axis=0)
        return int(lanes[bad.argmax()]) if bad.any() else None

    def _choices(self, path: Sequence[Bits]) -> SampledPlay:
        """Return choices that lead from the first state along stored facts."""
        step = transition(self.system)
        solver = StepSolver(step, self.budget.without_proofs())
        try:
            state: Sequence[bool] = self.system.initial
            play: SampledPlay = []
            for after in path:
                wanted = [
                    solver.lit(edge ^ (not value))
                    for edge, value in zip(step.facts, state, strict=True)
                ]
                wanted += [
                    solver.lit(step.next[fact] ^ (not value))
                    for fact, value in zip(self.lanes.compiled.stored, after.tolist(), strict=True)
                ]
                assert solver.solve(wanted), "the lanes made a move that no choice makes"
                play.append(solver.joint())
                state = solver.state_after()
            return play
        finally:
            solver.close()


def _bits(words: Words) -> Bits:
    """Return words as bits, ``bool[..., lanes]``, a new array."""
    import numpy as np

    rows = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(rows, axis=-1, bitorder="little").astype(np.bool_)
