"""The shortest play to a bad state, or the proof that there is none, by looking at all states.

In: a system. Out: a `Result` when there are few states; nothing when there are many.

Source: breadth-first search.
"""

from __future__ import annotations

from gdl.verify.proving.evidence import AllStates
from gdl.verify.proving.search import Result
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import Simulator
from gdl.verify.systems.state_space import StateSpace
from gdl.verify.systems.system import System


def explore(system: System, budget: Budget) -> Result | None:
    """Look at every state that play reaches, None when there are too many.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    space = StateSpace(system, budget)
    looker = Simulator(system.aig, system.fact_inputs, [bad.edge for bad in system.bads])
    while space.numbers:
        bad = looker.run(space.level).any(axis=0)
        if bad.any():
            play = space.play(space.numbers[int(bad.argmax())])
            method = "every shorter play was looked at"
            return Result(play, proved=True, depth=space.depth - 1, method=method)
        if not space.grow():
            return None
    method = f"looking at all {len(space)} states"
    evidence = AllStates(space, system.bads)
    return Result(None, proved=True, depth=space.depth, method=method, evidence=evidence)
