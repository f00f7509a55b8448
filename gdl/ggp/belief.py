"""Which states a player must reckon with, when it does not see all that happens (GDL-II).

In: states that were possible, the player's own move and what it saw. Out: the states that
are possible now: all of them while they are few, else a sample.

Source: Schofield, Cerexhe and Thielscher, "HyperPlay: A Solution to General Game Playing
with Imperfect Information", AAAI 2012 (models of the game that agree with the percepts).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.state import State

MOST_STATES: Final = 200
"""States that are kept."""
MOST_TRIED: Final = 2_000
"""Joint moves that are all tried; of more, as many are drawn."""


def after(
    states: Sequence[State],
    role: Term,
    *,
    own_move: Term | None,
    percepts: frozenset[Term] | None,
    rng: random.Random,
) -> list[State]:
    """Return the states that may follow, all different; none when nothing agrees.

    Args:
        states: What was possible.
        role: The player.
        own_move: What it did, None when that is not known.
        percepts: What it saw, None when that is not known.
        rng: Where samples come from.
    """
    possible: dict[object, State] = {}
    for state, joint in _steps(states, role, own_move, rng):
        machine = state.machine
        if percepts is None or machine.percepts(state.inner, joint, role) == percepts:
            new = state.play(joint)
            possible.setdefault(new.inner, new)
        if len(possible) >= MOST_STATES:
            break
    return list(possible.values())


def possible_percepts(
    states: Sequence[State], role: Term, own_move: Term | None, rng: random.Random
) -> set[Term]:
    """Return all that the player may see of the next step; of very many steps, of a sample."""
    return {
        percept
        for state, joint in _steps(states, role, own_move, rng)
        for percept in state.machine.percepts(state.inner, joint, role)
    }


def _steps(
    states: Sequence[State], role: Term, own_move: Term | None, rng: random.Random
) -> Iterator[tuple[State, JointMove]]:
    """Yield states and joint moves that may be made there: all, or so many drawn at random."""
    choices = []
    for state in states:
        if state.is_terminal:
            continue
        moves = [_choices(state, other, role, own_move) for other in state.machine.roles]
        if all(moves):
            choices.append((state, moves))
    if sum(math.prod(map(len, moves)) for _, moves in choices) <= MOST_TRIED:
        for state, moves in choices:
            for joint in product(*moves):
                yield state, joint
        return
    for _ in range(MOST_TRIED):
        state, moves = rng.choice(choices)
        yield state, tuple(rng.choice(legal) for legal in moves)


def _choices(state: State, mover: Term, role: Term, own_move: Term | None) -> Sequence[Term]:
    legal = state.legal(mover)
    if mover is not role or own_move is None:
        return legal
    return (own_move,) if own_move in legal else ()


def common_moves(states: Sequence[State], role: Term) -> tuple[Term, ...]:
    """Return the moves that are legal in all states, else those legal in most, in order.

    In well-formed games a player knows its legal moves, and all states agree.
    """
    counts: dict[Term, int] = {}
    for state in states:
        for move in state.legal(role):
            counts[move] = counts.get(move, 0) + 1
    most = max(counts.values(), default=0)
    return tuple(sorted(move for move, count in counts.items() if count == most))
