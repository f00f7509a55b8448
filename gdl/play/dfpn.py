"""Proof-number search: can a role force at least some goal, whatever the others do?

In: a compiled game, a state, a role and a goal. Out: proven, disproven, or not yet. Depth-first,
with a table of proof and disproof numbers; it stops after so many expansions and goes on later.
Where several ways lead to a state the largest number of the children counts and not the sum.
What is proven has the plies of its proof with it, and the shortest one is taken: who follows one
proof after the other comes nearer to the end, also where a game can go in circles.

Source: Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its Applications", 2002; Ueda,
Hashimoto, Hashimoto and Iida, "Weak Proof-Number Search", 2008; Pawlewicz and Lew, "Improving
Depth-First PN-Search: 1+e Trick", 2006.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.play.jit import compiled
from gdl.play.lanes import (
    NOBODY,
    ONE,
    STUCK,
    ZERO,
    goal,
    hash_of,
    is_over,
    legal_moves,
    look,
    mover_of,
    step,
    take_all,
)

INFINITE: Final = 1 << 30
"""Proof number of what cannot be proven. The disproof number of what is proven is this and the
plies of its proof."""
PROBES: Final = 4
"""Places of the table that a state may take."""
DEEPEST: Final = 200
"""Plies below the root; deeper ones count as not proven."""
MOST_WORDS: Final = 1 << 22
"""Memory for the states of children, in words of 64 bits."""
RUNNING, FINISHED, REFUSED = 0, 1, 2
"""How a call of `prove` ended."""
TOP, WORK, ROLE, GOAL, RESULT, BEST, EVER_CUT, LIMIT = 0, 1, 2, 3, 4, 5, 6, 7
"""Places of ``Proof.status``."""


class Proof(NamedTuple):
    """A search that can be gone on with.

    Attributes:
        status: Depth of the stack, expansions, role, goal, result, best move of the root,
            whether a line was ever too long, and the plies after which lines are cut off.
        keys: Table: a hash of what stands there, 0 for nothing.
        numbers: Proof number, disproof number, expansions below.
        state: State of each frame, ``uint64[depth, words]``.
        frame: Of each: children, whether the role moves, thresholds, child, key, work.
        frame_key: Hash of each.
        child_key: Hashes of children.
        child: Proof and disproof number of children.
        move: Moves to them.
        child_state: States of children, ``uint64[depth, moves, words]``; for few moves alone.
        seen: Places of children by key, to find equal ones.
        block: Memory to turn bits in.
        lane_state: States of lanes.
    """

    status: NDArray[np.int64]
    keys: NDArray[np.uint64]
    numbers: NDArray[np.uint32]
    state: NDArray[np.uint64]
    frame: NDArray[np.int64]
    frame_key: NDArray[np.uint64]
    child_key: NDArray[np.uint64]
    child: NDArray[np.int64]
    move: NDArray[np.int64]
    child_state: NDArray[np.uint64]
    seen: NDArray[np.int64]
    block: NDArray[np.uint64]
    lane_state: NDArray[np.uint64]


COUNT, MINE, MOST_PROOF, MOST_DISPROOF, CHOSEN, SPENT = 0, 1, 2, 3, 4, 5
"""Places of a row of ``Proof.frame``."""


def make_proof(words: int, moves: int, lanes: int, *, bits: int = 20) -> Proof:
    """Return an empty proof; the table has two to the power of ``bits`` places."""
    is_small = (DEEPEST + 2) * moves * words <= MOST_WORDS
    return Proof(
        status=np.zeros(8, np.int64),
        keys=np.zeros((1 << bits) + PROBES, np.uint64),
        numbers=np.zeros(((1 << bits) + PROBES, 3), np.uint32),
        state=np.zeros((DEEPEST + 2, words), np.uint64),
        frame=np.zeros((DEEPEST + 2, 6), np.int64),
        frame_key=np.zeros(DEEPEST + 2, np.uint64),
        child_key=np.zeros((DEEPEST + 2, moves), np.uint64),
        child=np.zeros((DEEPEST + 2, moves, 2), np.int64),
        move=np.zeros((DEEPEST + 2, moves), np.int64),
        child_state=np.zeros((DEEPEST + 2 if is_small else 1, moves, words), np.uint64),
        seen=np.zeros(1 << (4 * moves - 1).bit_length(), np.int64),
        block=np.zeros(64, np.uint64),
        lane_state=np.zeros((lanes, words), np.uint64),
    )


@compiled
def place_of(p: Proof, key: Any) -> Any:
    """Return the place in the table where a key stands, or -1."""
    at = np.int64((key >> np.uint64(20)) % np.uint64(len(p.keys) - PROBES))
    for probe in range(PROBES):
        if p.keys[at + probe] == key:
            return at + probe
    return -1


@compiled
def keep(p: Proof, key: Any, proof: int, disproof: int, work: int) -> None:
    """Write into the table, over what took the least work to find."""
    at = np.int64((key >> np.uint64(20)) % np.uint64(len(p.keys) - PROBES))
    best = at
    for probe in range(PROBES):
        if p.keys[at + probe] == key or p.keys[at + probe] == ZERO:
            best = at + probe
            break
        if p.numbers[at + probe, 2] < p.numbers[best, 2]:
            best = at + probe
    p.keys[best] = key
    p.numbers[best, 0] = proof
    p.numbers[best, 1] = disproof
    p.numbers[best, 2] = min(work, 1 << 31)


@compiled
def is_known(p: Proof, depth: int, key: Any, kept: int) -> Any:
    """Return whether a child of the same key is there already; if not, remember this one."""
    mask = np.uint64(len(p.seen) - 1)
    at = (key >> np.uint64(7)) & mask
    while p.seen[at] >= 0:
        if p.child_key[depth, p.seen[at]] == key:
            return True
        at = (at + ONE) & mask
    p.seen[at] = kept
    return False


@compiled
def open_frame(p: Proof, w: Any, depth: int) -> int:
    """Expand the state of a frame: its children and what is known of them."""
    role, wanted = p.status[ROLE], p.status[GOAL]
    frame = p.frame[depth]
    frame[SPENT] = 1
    frame[CHOSEN] = -1
    p.status[WORK] += 1
    look(w, p.state[depth])
    mover = mover_of(w)
    if mover == STUCK:
        frame[COUNT] = 1
        frame[MINE] = 1
        p.child[depth, 0, 0] = INFINITE
        p.child[depth, 0, 1] = 0
        return RUNNING
    if mover < NOBODY:
        return REFUSED
    mover = max(mover, 0)
    is_mine = mover == role
    frame[MINE] = is_mine
    n = legal_moves(w, mover, p.move[depth])
    lanes = len(w.live) * 64
    salt = np.uint64((role * 1000 + wanted + 1) * 1000 + p.status[LIMIT]) * np.uint64(
        0x9E3779B97F4A7C15
    )
    kept = 0
    nearest = -1
    p.seen[:] = -1
    for begin in range(0, n, lanes):
        part = min(lanes, n - begin)
        if begin > 0:
            look(w, p.state[depth])
        step(w, mover, p.move[depth], begin, part)
        take_all(w, part, p.block, p.lane_state)
        for lane in range(part):
            proof, disproof = 1, 1
            key = ZERO
            if is_over(w, lane):
                is_good = goal(w, role, lane) >= wanted
                if is_good == is_mine:
                    p.move[depth, 0] = p.move[depth, begin + lane]
                    p.child[depth, 0, 0] = 0 if is_good else INFINITE
                    p.child[depth, 0, 1] = INFINITE if is_good else 0
                    frame[COUNT] = 1
                    return RUNNING
                continue
            key = hash_of(p.lane_state[lane]) ^ salt
            if is_known(p, depth, key, kept):
                continue
            at = place_of(p, key)
            if at >= 0:
                proof, disproof = int(p.numbers[at, 0]), int(p.numbers[at, 1])
            p.move[depth, kept] = p.move[depth, begin + lane]
            p.child_key[depth, kept] = key
            p.child[depth, kept, 0] = proof
            p.child[depth, kept, 1] = disproof
            if len(p.child_state) > 1:
                p.child_state[depth, kept, :] = p.lane_state[lane]
            kept += 1
            if is_mine and proof == 0 and (nearest < 0 or disproof < p.child[depth, nearest, 1]):
                nearest = kept - 1
            if not is_mine and disproof == 0:
                p.move[depth, 0] = p.move[depth, begin + lane]
                p.child[depth, 0, 0] = proof
                p.child[depth, 0, 1] = disproof
                kept = 1
                frame[COUNT] = 1
                return RUNNING
    if nearest >= 0:
        p.move[depth, 0] = p.move[depth, nearest]
        p.child[depth, 0, 0] = 0
        p.child[depth, 0, 1] = p.child[depth, nearest, 1]
        frame[COUNT] = 1
        return RUNNING
    if kept > 0 and depth + 1 >= p.status[LIMIT]:
        p.status[EVER_CUT] |= p.status[LIMIT] >= DEEPEST
        p.child[depth, 0, 0] = INFINITE
        p.child[depth, 0, 1] = 0
        frame[COUNT] = 1
        return RUNNING
    if kept == 0:
        p.child[depth, 0, 0] = INFINITE if is_mine else 0
        p.child[depth, 0, 1] = 0 if is_mine else INFINITE
        kept = 1
    frame[COUNT] = kept
    return RUNNING


@compiled
def plies_of(p: Proof, depth: int) -> Any:
    """Return the plies of a proof below a frame: the least of the role's moves, or all's most."""
    frame = p.frame[depth]
    plies = -1
    for i in range(frame[COUNT]):
        if p.child[depth, i, 0] == 0:
            these = p.child[depth, i, 1] - INFINITE
            is_better = these < plies if frame[MINE] else these > plies
            if plies < 0 or is_better:
                plies = these
    return plies


@compiled
def nearest_child(p: Proof) -> Any:
    """Return the child of the root, where the role moves and wins, with the shortest proof known.

    The numbers of a child may be older than those in the table: its proof may have been found on
    another way.
    """
    n = p.frame[0, COUNT]
    best, plies = 0, INFINITE
    for i in range(n):
        proof, disproof = p.child[0, i, 0], p.child[0, i, 1]
        at = place_of(p, p.child_key[0, i]) if n > 1 else np.int64(-1)
        if at >= 0 and p.numbers[at, 0] == 0:
            proof, disproof = 0, int(p.numbers[at, 1])
        if proof == 0 and disproof - INFINITE < plies:
            best, plies = i, disproof - INFINITE
    return best


@compiled
def prove(p: Proof, w: Any, expansions: int) -> int:
    """Go on with a search for at most so many expansions, or until it is told to halt.

    Returns how it ended;
    ``status[RESULT]`` is 1 when the goal is proven, 0 when it is disproven.
    """
    stop = p.status[WORK] + expansions
    one = np.zeros(1, np.int64)
    depth = p.status[TOP]
    if depth < 0:
        return FINISHED
    if p.status[WORK] == 0:
        p.frame[0, MOST_PROOF] = INFINITE
        p.frame[0, MOST_DISPROOF] = INFINITE
        code = open_frame(p, w, 0)
        if code != RUNNING:
            return code
    while p.status[WORK] < stop and w.halt[0] == 0:
        frame = p.frame[depth]
        n = frame[COUNT]
        a = 0 if frame[MINE] else 1
        b = 1 - a
        # a: the number of which the least counts; b: the other, of which the greatest does
        least, second, best = INFINITE, INFINITE, 0
        largest, open_children = 0, 0
        for i in range(n):
            x, y = p.child[depth, i, a], p.child[depth, i, b]
            if x < least or (x == least and y < p.child[depth, best, b]):
                second, least, best = least, x, i
            elif x < second:
                second = x
            if y > 0:
                open_children += 1
                largest = max(largest, y)
        other = 0
        if least == 0:
            other = INFINITE
        elif open_children:
            other = min(INFINITE, largest + open_children - 1)
        if other == 0:
            least = INFINITE
        proof = other if a else least
        disproof = least if a else other
        if proof == 0:
            disproof = INFINITE + 1 + plies_of(p, depth)
        if (
            proof == 0
            or disproof == 0
            or proof >= frame[MOST_PROOF]
            or disproof >= frame[MOST_DISPROOF]
        ):
            if depth == 0:
                p.status[TOP] = -1
                p.status[RESULT] = 1 if proof == 0 else 0
                p.status[BEST] = p.move[0, nearest_child(p) if proof == 0 and not a else best]
                return FINISHED
            keep(p, p.frame_key[depth], proof, disproof, frame[SPENT])
            depth -= 1
            i = p.frame[depth, CHOSEN]
            p.child[depth, i, 0] = proof
            p.child[depth, i, 1] = disproof
            p.frame[depth, SPENT] += frame[SPENT]
            continue
        most = p.frame[depth, MOST_DISPROOF if a else MOST_PROOF]
        rest = p.frame[depth, MOST_PROOF if a else MOST_DISPROOF]
        mine = min(most, second + second // 4 + 1)
        theirs = min(INFINITE, rest - other + p.child[depth, best, b])
        frame[CHOSEN] = best
        p.frame_key[depth + 1] = p.child_key[depth, best]
        below = p.frame[depth + 1]
        below[MOST_DISPROOF if a else MOST_PROOF] = mine
        below[MOST_PROOF if a else MOST_DISPROOF] = theirs
        if len(p.child_state) > 1:
            p.state[depth + 1, :] = p.child_state[depth, best]
        else:
            look(w, p.state[depth])
            mover = max(mover_of(w), 0)
            one[0] = p.move[depth, best]
            step(w, mover, one, 0, 1)
            take_all(w, 1, p.block, p.lane_state)
            p.state[depth + 1, :] = p.lane_state[0]
        depth += 1
        p.status[TOP] = depth
        code = open_frame(p, w, depth)
        if code != RUNNING:
            return code
    p.status[TOP] = depth
    return RUNNING
