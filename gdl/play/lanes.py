"""One state spread over a vector of lanes: its moves, its children, and random games from them.

All functions work on the memory of a `LaneTables` (w) and are made into machine code. The order is:
`load_state` (into all lanes), `legal_moves`, `step` (child i in each lane that is i modulo the
number of children), `play_out` (all lanes to the end), `lanes_with`.

Memory is bit-sliced: a row is one fact (or move, or goal) of the game, and bit i of its words says
whether it holds in lane i; so one operation on a word computes 64 games. A state outside of the
lanes lies the other way round, bit f of its words being fact f (``uint64[W]``).

Source: bit slicing after Biham, "A Fast New DES Implementation in Software", 1997.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final

import numpy as np

from gdl.native.bit_matrix import transpose
from gdl.native.jit import call, call_counted, compiled, entry, inlined, ones

NOBODY: Final = -1
"""No role has a choice."""
SEVERAL: Final = -2
"""More than one role has a choice."""
STUCK: Final = -3
"""A role has no legal move."""
ZERO = np.uint64(0)
ONE = np.uint64(1)
CYCLES: Final = 16
"""Cycles of playouts between two looks at whether to stop."""


@entry
@inlined
def lane_count(w: Any) -> int:
    """Return how many lanes there are."""
    return len(w.live) * 64


@compiled
def most_moves(w: Any) -> int:
    """Return how many moves the role has that has most of them."""
    most = 0
    for count in w.counts:
        most = max(most, count)
    return most


@entry
@inlined
def load_state(w: Any, state: Any) -> None:
    """Put a state into all lanes and derive what holds there."""
    facts = w.facts
    for part in range(len(state)):
        held, first = state[part], part << 6
        for i in range(min(64, len(facts) - first)):
            value = ZERO - ((held >> np.uint64(i)) & ONE)
            for j in range(facts.shape[1]):
                facts[first + i, j] = value
    call(w.observe, w.kernel_at)


@entry
@compiled
def mover_of(w: Any) -> int:
    """Return the one role that has a choice in lane 0, or `NOBODY`, `SEVERAL`, `STUCK`."""
    chooser = NOBODY
    for r in range(len(w.counts)):
        n = 0
        for row in range(w.first[r], w.first[r + 1]):
            n += w.legal[row, 0] & ONE
        if n == 0:
            return STUCK
        if n > 1:
            if chooser != NOBODY:
                return SEVERAL
            chooser = r
    return chooser


@entry
@compiled
def legal_moves(w: Any, role: int, moves: Any) -> int:
    """Write the legal moves of a role in lane 0 by number; return how many there are."""
    n = 0
    first = w.first[role]
    for i in range(w.counts[role]):
        if w.legal[first + i, 0] & ONE:
            moves[n] = i
            n += 1
    return n


@entry
@compiled
def step(w: Any, mover: Any, moves: Any, first: int, n: int) -> None:
    """Play in lane i move ``first + i % n`` of the mover, the others their only one, and look."""
    chosen = w.moves
    words = chosen.shape[1]
    for r in range(len(w.counts)):
        for row in range(w.first[r], w.first[r + 1]):
            value = ZERO
            if r != mover:
                value = ZERO - (w.legal[row, 0] & ONE)
            for j in range(words):
                chosen[row, j] = value
    base = w.first[mover]
    k = 0
    for j in range(words):
        bit = ONE
        for _ in range(64):
            row = base + moves[first + k]
            chosen[row, j] |= bit
            bit <<= ONE
            k += 1
            if k == n:
                k = 0
    for j in range(words):
        w.hold[j] = ZERO
    call(w.advance, w.kernel_at)
    call(w.observe, w.kernel_at)


@entry
@compiled
def read_state(w: Any, lane: int, state: Any) -> None:
    """Write the state of a lane."""
    word, place = lane >> 6, np.uint64(lane & 63)
    for i in range(len(state)):
        state[i] = ZERO
    for i in range(len(w.facts)):
        bit = (w.facts[i, word] >> place) & ONE
        state[i >> 6] |= bit << np.uint64(i & 63)


@entry
@inlined
def is_over(w: Any, lane: int) -> Any:
    """Return whether the game is over in a lane."""
    return ((w.terminal[lane >> 6] >> np.uint64(lane & 63)) & ONE) != ZERO


@inlined
def over_word(w: Any, j: int) -> Any:
    """Return in which of the 64 lanes of a word the game is over."""
    return w.terminal[j]


@entry
@inlined
def goal(w: Any, role: int, lane: int) -> Any:
    """Return the goal of a role in a lane, -1 where the rules give no single one."""
    value = -1
    word, place = lane >> 6, np.uint64(lane & 63)
    for row in range(w.first_goal[role], w.first_goal[role + 1]):
        if (w.goals[row, word] >> place) & ONE:
            if value >= 0:
                return -1
            value = w.values[row]
    return value


@compiled
def phase_of(w: Any, lane: int) -> int:
    """Return whose phase it is in a lane, -1 where play cannot have led."""
    for phase in range(len(w.phases)):
        same = True
        for i in range(len(w.clock)):
            bit = (w.facts[w.clock[i], lane >> 6] >> np.uint64(lane & 63)) & ONE
            if bit != w.phases[phase, i]:
                same = False
                break
        if same:
            return phase
    return -1


@compiled
def play_out(w: Any, used: int) -> bool:
    """Play the first ``used`` lanes of the kernel at random to the end, those over left out.

    All lanes are in the same phase. False where that phase is none, or where the search was told
    to halt before all lanes had ended.
    """
    words = len(w.live)
    for i in range(len(w.stored)):
        fact = w.stored[i]
        for j in range(words):
            w.lane_facts[i, j] = w.facts[fact, j]
    for part in w.progress:
        for row in range(len(part)):
            for j in range(words):
                part[row, j] = ZERO
    for j in range(words):
        left = used - 64 * j
        mask = ~ZERO
        if left <= 0:
            mask = ZERO
        elif left < 64:
            mask = (ONE << np.uint64(left)) - ONE
        w.live[j] = mask & ~w.terminal[j]
    phase = phase_of(w, 0)
    if phase < 0:
        w.planes[:] = ZERO
        return False
    # `run` goes round whole cycles from phase 0 on, so what is left of this one is played before.
    if phase > 0:
        for p in range(phase, len(w.plies)):
            call(w.plies[p], w.lanes_at)
    while call_counted(w.run, w.lanes_at, CYCLES) == 0:
        if w.halt[0] != 0:
            return False
    return True


@inlined
def lanes_with(w: Any, role: int, plane: int, index: int, j: int) -> Any:
    """Return which lanes of a word ended a playout with a role's goal of this index, from 1.

    The planes from ``plane`` on hold, a bit each, which of its goals the role got; 0 is none.
    """
    mask = ~w.terminal[j]
    for bit in range(w.widths[role]):
        held = w.planes[plane + bit, j]
        mask &= held if (index >> bit) & 1 else ~held
    return mask


@inlined
def goal_count(w: Any, role: int) -> Any:
    """Return how many goals a role has."""
    return w.first_goal[role + 1] - w.first_goal[role]


@entry
@compiled
def mean_goals(w: Any, state: Any, means: Any) -> Any:
    """Write the mean goal of each role over playouts from a state; False if there are none."""
    load_state(w, state)
    if not play_out(w, lane_count(w)):
        return False
    plane = 0
    for r in range(len(means)):
        total, counted = 0.0, 0.0
        for index in range(1, goal_count(w, r) + 1):
            n = 0
            for j in range(len(w.live)):
                n += ones(lanes_with(w, r, plane, index, j))
            total += float(n) * w.indexed[r, index]
            counted += float(n)
        plane += w.widths[r]
        means[r] = total / counted if counted > 0.0 else 0.5 * (w.best[r] + w.worst[r])
    return True


@entry
@compiled
def read_states(w: Any, n: int, block: Any, states: Any) -> None:
    """Write the states of the first n lanes; the block is room for ``uint64[64, W]``."""
    words = (n + 63) >> 6
    for part in range(states.shape[1]):
        left = min(64, len(w.facts) - 64 * part)
        for i in range(64):
            for j in range(words):
                block[i, j] = w.facts[64 * part + i, j] if i < left else ZERO
        transpose(block, words)
        for lane in range(n):
            states[lane, part] = block[lane & 63, lane >> 6]


@inlined
def hash_of(state: Any) -> Any:
    """Return a hash of a state."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for word in state:
        h ^= word
        h *= np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
        h *= np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(32)
    return h
