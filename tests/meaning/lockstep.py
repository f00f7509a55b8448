"""Two state machines of one game, held against each other along random play."""

from __future__ import annotations

import random
import time
from typing import Any

from gdl.machine import StateMachine


def differences(
    one: StateMachine[Any], other: StateMachine[Any], *, plies: int, seconds: float, seed: int = 0
) -> tuple[int, str]:
    """Return how many states were compared, and the first difference, empty where there is none.

    Args:
        one: A state machine.
        other: Another one; what it is asked is the same, in the same order.
        plies: States to compare at most; where a match ends, the next one begins.
        seconds: No state is begun after that.
        seed: Makes it repeatable.
    """
    begin, chance = time.monotonic(), random.Random(seed)
    if one.roles != other.roles:
        return 0, f"roles: {one.roles} and {other.roles}"
    here, there = one.initial(), other.initial()
    for count in range(plies):
        if what := _difference(one, here, other, there):
            return count, what
        legal = [one.legal(here, role) for role in one.roles]
        if time.monotonic() - begin > seconds:
            return count + 1, ""
        if one.is_terminal(here) or not all(legal):
            here, there = one.initial(), other.initial()
            continue
        joint = tuple(map(chance.choice, legal))
        for role in one.roles:
            if one.percepts(here, joint, role) != other.percepts(there, joint, role):
                return count, f"percepts of {role} after {joint}"
        here, there = one.successor(here, joint), other.successor(there, joint)
    return plies, ""


def _difference(one: StateMachine[Any], here: Any, other: StateMachine[Any], there: Any) -> str:  # noqa: ANN401  # states of any back end
    if one.facts(here) != other.facts(there):
        return f"facts: {sorted(one.facts(here) ^ other.facts(there))}"
    if one.is_terminal(here) != other.is_terminal(there):
        return f"terminal: {one.is_terminal(here)} and {other.is_terminal(there)}"
    for role in one.roles:
        if one.legal(here, role) != other.legal(there, role):
            return f"legal for {role}: {one.legal(here, role)} and {other.legal(there, role)}"
        if one.goals(here, role) != other.goals(there, role):
            return f"goals of {role}: {one.goals(here, role)} and {other.goals(there, role)}"
    return ""
