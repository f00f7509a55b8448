"""Plays of habit: in each, every role keeps to one order of its moves, and plays come back soon.

In: a system. Out: a `Loop`, or None. A random play of a large game hardly ever meets a state
again. Where each role has an order of all its moves, and always makes the first of them that is
legal, what comes next is a function of the state alone: such a play ends, or sooner or later goes
round, and mostly soon. Two that fire and wait, or a king that walks to and fro, are found so.

Each play, a lane, has orders of its own, drawn at random. A move that would end play is left for
the next in the order, a few times: that, too, depends on the state alone.

Source: of a function that is applied again and again a cycle is found as in Brent, "An Improved
Monte Carlo Factorization Algorithm", BIT 1980.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from gdl.verify.properties.loops import Loop
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import of_facts, of_step, states_along
from gdl.verify.systems.sampling import SECOND_THOUGHTS, can_move, numbers_of, preferred
from gdl.verify.systems.system import System

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.verify.systems.bit_parallel import Bits

LANES: Final = 256
"""Plays at once."""
MAX_PLIES: Final = 512
"""Longest play; a cycle is found if it begins and is gone round within half of that."""


def met_by_habit(system: System, budget: Budget, seed: int = 0) -> Loop | None:
    """Return the first play of habit that comes back to a state, None when none does.

    It begins to go round as soon as it can: its last state is the first that was there before.
    What is found until the budget is spent counts. Cost O(nodes * LANES / 64) a ply.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    looker, stepper = of_facts(system, [system.stop, *system.flat_legal]), of_step(system)
    ender = of_facts(system, [system.stop])
    states: Bits = np.repeat(np.array(system.initial, np.bool_)[:, None], LANES, axis=1)
    order = random.random((len(system.flat_choices), LANES))
    made: list[NDArray[np.int32]] = []
    lanes, marked = np.arange(LANES), states
    for ply in range(MAX_PLIES):
        seen = looker.run(states)
        legal = seen[1:]
        keep = ~seen[0] & can_move(legal, system)
        if not keep.any() or budget.left <= 0:
            return None
        # Brent: a state is compared with that of the last ply which is a power of two.
        states, marked, order, lanes = states[:, keep], marked[:, keep], order[:, keep], lanes[keep]
        if ply & (ply - 1) == 0:
            marked = states
        chosen, states = _step(system, states, legal[:, keep], order, stepper.run, ender.run)
        made.append(numbers_of(chosen, lanes, LANES, system))
        again = np.flatnonzero((states == marked).all(axis=0))
        if len(again):
            lane = lanes[again[0]]
            return _first_return(system, [tuple(row[:, lane].tolist()) for row in made])
    return None


def _step(  # noqa: PLR0913, PLR0917  # what a step takes
    system: System,
    states: Bits,
    legal: Bits,
    order: NDArray[np.float64],
    follow: Callable[[Bits], Bits],
    ends: Callable[[Bits], Bits],
) -> tuple[Bits, Bits]:
    """Return what is chosen in each lane, and the states after it."""
    import numpy as np

    chosen = preferred(legal, system, order)
    follows = follow(np.concatenate([states, chosen]))
    for _ in range(SECOND_THOUGHTS):
        is_over = ends(follows)[0]
        others = legal & ~chosen
        # Whoever has another choice makes the next one in the order; the others keep theirs.
        for rest, mine in zip(system.by_role(others), system.by_role(chosen), strict=True):
            rest[:] |= mine & ~rest.any(axis=0)
        lanes = np.flatnonzero(is_over)
        if not len(lanes):
            break
        legal[:, lanes] = others[:, lanes]
        chosen[:, lanes] = preferred(others[:, lanes], system, order[:, lanes])
        follows[:, lanes] = follow(np.concatenate([states[:, lanes], chosen[:, lanes]]))
    return chosen, follows


def _first_return(system: System, play: Sequence[tuple[int, ...]]) -> Loop:
    """Return the part of a play up to the first state that was there before."""
    seen: dict[bytes, int] = {}
    for ply, state in enumerate(states_along(system, tuple(play)).T):
        back = seen.setdefault(state.tobytes(), ply)
        if back < ply:
            return Loop(tuple(play[:ply]), back)
    raise AssertionError("two states of the play were equal")
