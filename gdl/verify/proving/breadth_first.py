"""The shortest play to a bad state, or the proof that there is none, by looking at all states.

In: a system. Out: a `Result` when there are few states; nothing when there are many.

Source: breadth-first search.
"""

from __future__ import annotations

from typing import Final

from gdl.verify.proving.evidence import AllStates
from gdl.verify.proving.search import Result
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import of_facts
from gdl.verify.systems.state_space import StateSpace
from gdl.verify.systems.system import System
from gdl.verify.systems.wide_space import WideSpace

LOOKED_AT: Final = "every shorter play was looked at"


def explore(system: System, budget: Budget) -> Result | None:
    """Look at every state that play reaches, None when there are too many.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    space = StateSpace(system, budget)
    looker = of_facts(system, [bad.edge for bad in system.bads])
    while space.numbers:
        bad = looker.run(space.level).any(axis=0)
        if bad.any():
            play = space.play(space.numbers[int(bad.argmax())])
            return Result(play, proved=True, depth=space.depth - 1, method=LOOKED_AT)
        if not space.grow():
            return None
    return nothing_bad(space, system)


def nothing_bad(space: StateSpace | WideSpace, system: System) -> Result:
    """Return the answer where no state is bad of a space that holds them all."""
    method = f"looking at all {len(space)} states"
    evidence = AllStates(space, system.bads)
    return Result(None, proved=True, depth=space.depth, method=method, evidence=evidence)


def asked_of_all(space: WideSpace, system: System, budget: Budget) -> Result:
    """Answer other questions about the same system when all of its states are known.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    space.budget = budget
    looker = of_facts(system, [bad.edge for bad in system.bads])
    for depth in range(len(space.levels)):
        state = space.find(looker, depth)
        if state is not None:
            play = space.play(state, depth)
            return Result(play, proved=True, depth=depth - 1, method=LOOKED_AT)
    return nothing_bad(space, system)
