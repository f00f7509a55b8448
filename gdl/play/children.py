"""All children of one state at once, and no lane more than it takes: for proofs and alpha-beta.

The memory is that of `gdl.play.lanes`, of a vector that may be narrow (one word of 64 lanes):
`load_state`, `find_moves`, `play_moves` (child i in lane i), `read_states`. Where the vector has
room for every reply to every child, child i lies in the lanes i, i + n, i + 2n and so on, and
`play_replies` makes another move in each of them: then a reply that ends the game is seen before
anybody goes there.

Invariant between calls: no move is set in the memory, so that only what was set is cleared again.
"""

# numba finds the types
from __future__ import annotations

from typing import Any

import numpy as np

from gdl.native.jit import call, inlined, lowest
from gdl.play.lanes import NOBODY, ONE, SEVERAL, STUCK, ZERO

WORD = 64
"""Lanes of one word."""


@inlined
def vector_lanes(w: Any) -> Any:
    """Return how many lanes the vector has in which states are stepped."""
    return w.facts.shape[1] * WORD


@inlined
def find_moves(w: Any, moves: Any, only: Any) -> Any:
    """Write the legal moves of the role that chooses in lane 0, and the only one of all others.

    Returns that role and how many moves it has; where nobody has a choice `NOBODY`, and one move,
    that of the first role; `SEVERAL` or `STUCK` where play is not one role at a time.
    """
    chooser, count = NOBODY, 1
    for r in range(len(w.counts)):
        n = 0
        first = w.first[r]
        for i in range(w.counts[r]):
            if w.legal[first + i, 0] & ONE:
                if n == 0:
                    only[r] = i
                elif n == 1:
                    if chooser != NOBODY:
                        return SEVERAL, 0
                    chooser = r
                    moves[0] = only[r]
                    moves[1] = i
                else:
                    moves[n] = i
                n += 1
        if n == 0:
            return STUCK, 0
        if n > 1:
            count = n
    if chooser == NOBODY:
        moves[0] = only[0]
    return chooser, count


@inlined
def play_moves(w: Any, mover: int, moves: Any, only: Any, begin: int, n: int, copies: int) -> None:
    """Play move ``begin + i`` of the mover in lane i, all others their only one, and look.

    With copies (in a vector of one word) also in the lanes ``i + n``, ``i + 2 n`` and so on. What
    stands in all other lanes afterwards means nothing.
    """
    chosen = w.moves
    words = chosen.shape[1]
    for r in range(len(w.counts)):
        if r != mover:
            for j in range(words):
                chosen[w.first[r] + only[r], j] = ~ZERO
    base = w.first[mover]
    pattern = ONE
    for k in range(1, copies):
        pattern |= ONE << np.uint64(k * n)
    for i in range(n):
        chosen[base + moves[begin + i], i >> 6] |= pattern << np.uint64(i & 63)
    call(w.advance, w.kernel_at)
    call(w.observe, w.kernel_at)
    for r in range(len(w.counts)):
        if r != mover:
            for j in range(words):
                chosen[w.first[r] + only[r], j] = ZERO
    for i in range(n):
        chosen[base + moves[begin + i], i >> 6] = ZERO


@inlined
def play_replies(w: Any, replier: int, n: int) -> Any:
    """Play reply j in the lanes of copy j, where it is legal, and look; one word of lanes.

    Returns in which lanes the game went on and such a reply was made while all other roles had
    one move only; nothing is said of the others.
    """
    going_on = ~w.terminal[0]
    lanes = (ONE << np.uint64(n)) - ONE
    for r in range(len(w.counts)):
        some, several = ZERO, ZERO
        for i in range(w.counts[r]):
            row = w.first[r] + i
            legal = w.legal[row, 0]
            if r == replier:
                legal &= lanes << np.uint64(i * n)
            w.moves[row, 0] = legal
            several |= some & legal
            some |= legal
        going_on &= some & ~several
    call(w.advance, w.kernel_at)
    call(w.observe, w.kernel_at)
    for row in range(w.first[len(w.counts)]):
        w.moves[row, 0] = ZERO
    return going_on


@inlined
def read_states(w: Any, n: int, begin: int, parent: Any, states: Any) -> None:
    """Write the states of the first n lanes from a row on, ``uint64[rows, W]``.

    A move changes few facts: each state is that of the parent, and what differs is turned over.

    Args:
        w: The vector; the moves have been played there.
        n: How many lanes.
        begin: The first row.
        parent: The state in which they were played.
        states: To be written.
    """
    for i in range(begin, begin + n):
        for word in range(len(parent)):
            states[i, word] = parent[word]
    for j in range((n + WORD - 1) >> 6):
        used, row = used_lanes(n, j), begin + (j << 6)
        for f in range(len(w.facts)):
            before = ZERO - ((parent[f >> 6] >> np.uint64(f & 63)) & ONE)
            changed = (w.facts[f, j] ^ before) & used
            while changed != ZERO:
                states[row + lowest(changed), f >> 6] ^= ONE << np.uint64(f & 63)
                changed &= changed - ONE


@inlined
def used_lanes(n: int, j: int) -> Any:
    """Return which lanes of word j are among the first n."""
    left = n - (j << 6)
    return ~ZERO if left >= WORD else (ONE << np.uint64(left)) - ONE
