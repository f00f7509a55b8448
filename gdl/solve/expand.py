"""All moves of hundreds of states at once: the loop in which a solver spends its time.

In go sorted keys and the code of a game; out come the keys of all states that follow, or where
those stand among known ones. A vector holds 512 states, one a lane. Keys become bit planes by
transposing matrices of 64 times 64 bits, eight at a time; a plane of moves is set for one joint
move after the other, and the keys that follow are transposed back.

Where a state that follows stands is found by galloping from where the last one of the same joint
move stood: states are sorted, and a move changes the keys of neighbours alike, so most steps are
short and memory is walked from front to end, also where it lies on disk.

Source: galloping after Bentley and Yao, "An almost optimal algorithm for unbounded searching",
1976.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.bit_matrix import transpose
from gdl.native.jit import call, compiled, entry, lowest, ones
from gdl.native.kernel.packed import PackedMemory

ZERO = np.uint64(0)
ONE = np.uint64(1)
ONES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

ROWS, CHILDREN, FAULT, FAULT_ROW = range(4)
"""Places of a report: states done, children written, what went wrong and at which state."""
FINE, UNFIT, STUCK, UNCOUNTED = range(4)
"""Faults: a group is broken, a role has no move, the count does not rise by one."""
NOBODY: Final = -1
"""No role has a choice."""
SEVERAL: Final = -2
"""More than one role has a choice."""
FINGERS: Final = 1 << 12
"""Joint moves share a finger when their numbers fall together."""


class Expander(NamedTuple):
    """The code of a game as numba reads it; see `PackedMemory`.

    Attributes:
        at: Address of the memory.
        read: Address of the function from key planes to facts.
        observe: Likewise to what is seen of a state.
        follow: Likewise to the key planes after a joint move.
        before: Key planes that are read, ``uint64[bits, W]``.
        after: Key planes that follow.
        unfit: Lanes that broke a group.
        moves: Chosen moves.
        legal: Legal moves.
        first: First row of each role in these, and the end.
        terminal: Lanes that are over.
        goals: Goal planes.
        first_goal: First row of each role in these, and the end.
        low: Bits of a key that count what was filled, ``uint64[words]``.
        high: Likewise the second bits of two.
        block: Room for a transposition, ``uint64[64, W]``.
        masks: Room for lanes by role, ``uint64[roles + 1, W]``.
        fingers: Where the last child of each joint move stood.
    """

    at: int
    read: int
    observe: int
    follow: int
    before: NDArray[np.uint64]
    after: NDArray[np.uint64]
    unfit: NDArray[np.uint64]
    moves: NDArray[np.uint64]
    legal: NDArray[np.uint64]
    first: NDArray[np.int64]
    terminal: NDArray[np.uint64]
    goals: NDArray[np.uint64]
    first_goal: NDArray[np.int64]
    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    block: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    fingers: NDArray[np.int64]


def make_expander(
    memory: PackedMemory,
    count: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None,
) -> Expander:
    """Return what numba reads of a game's memory, which must be kept as long."""
    words = memory.terminal.shape[0]
    keys = memory.compiled.packing.words
    low, high = count or (np.zeros(keys, np.uint64), np.zeros(keys, np.uint64))
    roles = len(memory.compiled.moves)
    return Expander(
        memory.at,
        *memory.addresses,
        memory.before,
        memory.after,
        memory.unfit,
        memory.moves,
        memory.legal,
        memory.first,
        memory.terminal,
        memory.goals,
        memory.first_goal,
        low,
        high,
        np.zeros((64, words), np.uint64),
        np.zeros((roles + 1, words), np.uint64),
        np.zeros(FINGERS, np.int64),
    )


@compiled
def load(e: Any, keys: Any, start: int, n: int) -> None:
    """Put n states into the first lanes and look at them."""
    block = e.block
    words = block.shape[1]
    for part in range(keys.shape[1]):
        for c in range(words):
            for i in range(64):
                lane = 64 * c + i
                block[i, c] = keys[start + lane, part] if lane < n else ZERO
        transpose(block, words)
        for i in range(64):
            for c in range(words):
                e.before[64 * part + i, c] = block[i, c]
    call(e.read, e.at)
    call(e.observe, e.at)


@entry
@compiled
def count_of(e: Any, keys: Any, row: int) -> int:
    """Return how many fields that only fill are filled in a state."""
    total = ZERO
    for part in range(keys.shape[1]):
        word = keys[row, part]
        total += ones((word & e.low[part]) | ((word & e.high[part]) >> ONE))
    return np.int64(total)  # type: ignore[return-value]  # as numba has it


@compiled
def is_less(keys: Any, row: int, others: Any, other: int) -> Any:
    """Return whether a key is below another."""
    for part in range(keys.shape[1] - 1, -1, -1):
        if keys[row, part] != others[other, part]:
            return keys[row, part] < others[other, part]
    return False


@entry
@compiled
def find(keys: Any, others: Any, other: int, finger: int) -> int:
    """Return the first row of sorted keys that is not below a key, looked for from a finger on."""
    n = len(keys)
    if n == 0:
        return 0
    finger = min(finger, n - 1)
    step = 1
    if is_less(keys, finger, others, other):
        low = finger + 1
        high = low
        while high < n and is_less(keys, high, others, other):
            low = high + 1
            high += step
            step *= 2
        high = min(high, n)
    else:
        high = finger
        low = finger
        while low > 0 and not is_less(keys, low - 1, others, other):
            high = low - 1
            low = max(0, low - step)
            step *= 2
    # Kept: all rows before low are below, none from high on is.
    while low < high:
        middle = (low + high) >> 1
        if is_less(keys, middle, others, other):
            low = middle + 1
        else:
            high = middle
    return low


@entry
@compiled
def expand(
    e: Any,
    keys: Any,
    start: int,
    stop: int,
    count: int,
    children: Any,
    parents: Any,
    slots: Any,
    rows: Any,
    report: Any,
) -> None:
    """Write the states that follow from the states of some rows.

    Ends early where the next vector might not find room; the report says how far it came.

    Args:
        e: The game.
        keys: States, ``uint64[N, words]``.
        start: The first row.
        stop: The row after the last.
        count: What `count_of` must give for each child; below 0 to leave that alone.
        children: Keys of the children, written from the front, ``uint64[room, words]``.
        parents: The row of each child's parent less start, ``int32[room]``, or no room at all.
        slots: The finger of each child's joint move, ``int32[room]``, or no room at all.
        rows: The rows of each child's moves, ``int32[room, roles]``, or no room at all.
        report: See `ROWS`.
    """
    words = e.block.shape[1]
    lanes = 64 * words
    roles = len(e.first) - 1
    chosen = np.full(roles, -1, np.int64)
    place = np.zeros(roles + 1, np.int64)
    options = np.empty(e.first[roles], np.int64)
    ends = np.zeros(roles + 1, np.int64)
    written = 0
    report[FAULT] = FINE
    at = start
    while at < stop:
        n = min(lanes, stop - at)
        load(e, keys, at, n)
        before = written
        stuck = find_options(e, n, options, ends)
        if stuck >= 0:
            report[FAULT] = STUCK
            report[FAULT_ROW] = at + stuck
            break
        # Joint moves are walked depth first, a role a level. Kept: roles before r have chosen, the
        # planes of just their moves are set, and masks[r] are the lanes in which all of these are
        # legal; a choice that is legal in no lane is not gone into. So each lane meets each of its
        # joint moves once, and each joint move is tried in all lanes that have it at once.
        r = 0
        place[0] = 0
        is_stopped = False
        while r >= 0:
            if r == roles:
                if written + lanes > len(children):
                    is_stopped = True
                    break
                call(e.follow, e.at)
                unfit = unfit_lane(e, e.masks[roles])
                if unfit >= 0:
                    report[FAULT] = UNFIT
                    report[FAULT_ROW] = at + unfit
                    is_stopped = True
                    break
                first = written
                written = write_children(e, at - start, first, children, parents)
                note_moves(chosen, first, written, slots, rows)
                if count >= 0 and not are_filled(e, children, first, written, count):
                    report[FAULT] = UNCOUNTED
                    report[FAULT_ROW] = at
                    is_stopped = True
                    break
                r -= 1
                continue
            take_back(e, chosen, r)
            if place[r] == ends[r + 1]:
                r -= 1
                continue
            row = options[place[r]]
            place[r] += 1
            if narrow(e, r, row):
                for c in range(words):
                    e.moves[row, c] = ONES
                chosen[r] = row
                r += 1
                if r < roles:
                    place[r] = ends[r]
        if is_stopped:
            # A vector counts wholly or not at all: its moves are taken back and its children
            # forgotten, and whoever asked begins with it again.
            for other in range(roles):
                take_back(e, chosen, other)
            written = before
            break
        at += n
    report[ROWS] = at
    report[CHILDREN] = written


@compiled
def narrow(e: Any, r: int, row: int) -> bool:
    """Let ``masks[r + 1]`` be those lanes of ``masks[r]`` in which a move is legal; False for none.

    Args:
        e: The game.
        r: Whose move it is.
        row: The move.
    """
    some = ZERO
    for c in range(e.masks.shape[1]):
        e.masks[r + 1, c] = e.masks[r, c] & e.legal[row, c]
        some |= e.masks[r + 1, c]
    return bool(some != ZERO)


@compiled
def take_back(e: Any, chosen: Any, r: int) -> None:
    """Clear the plane of the move that a role has chosen, if it has."""
    if chosen[r] >= 0:
        for c in range(e.moves.shape[1]):
            e.moves[chosen[r], c] = ZERO
        chosen[r] = -1


@compiled
def unfit_lane(e: Any, mask: Any) -> int:
    """Return a lane of a mask in which the state that follows breaks a group, -1 for none."""
    lane = -1
    for c in range(len(mask)):
        bad = e.unfit[c] & mask[c]
        if bad:
            lane = 64 * c + lowest(bad)
    return lane


@compiled
def note_moves(chosen: Any, first: int, written: int, slots: Any, rows: Any) -> None:
    """Note of the children from the first on which joint move led to them, where that is wanted."""
    if len(slots):
        slot = 0
        for r in range(len(chosen)):
            slot = (slot * 31 + chosen[r]) & (FINGERS - 1)
        for i in range(first, written):
            slots[i] = slot
    if len(rows):
        for i in range(first, written):
            for r in range(len(chosen)):
                rows[i, r] = chosen[r]


@compiled
def are_filled(e: Any, children: Any, first: int, written: int, count: int) -> bool:
    """Return whether each of the children from the first on has so many fields filled."""
    for i in range(first, written):
        if count_of(e, children, i) != count:
            return False
    return True


@compiled
def find_options(e: Any, n: int, options: Any, ends: Any) -> int:
    """List the moves of each role that are legal in some of the first n lanes where play goes on.

    ``masks[0]`` becomes these lanes; ``ends[r]`` is where the options of role r begin.

    Returns:
        A lane that is not over and in which a role has no move, -1 where there is none.
    """
    words = e.block.shape[1]
    for c in range(words):
        left = n - 64 * c
        alive = ONES
        if left <= 0:
            alive = ZERO
        elif left < 64:
            alive = (ONE << np.uint64(left)) - ONE
        e.masks[0, c] = alive & ~e.terminal[c]
    n_options = 0
    for r in range(len(e.first) - 1):
        for row in range(e.first[r], e.first[r + 1]):
            some = ZERO
            for c in range(words):
                some |= e.legal[row, c] & e.masks[0, c]
            if some:
                options[n_options] = row
                n_options += 1
        ends[r + 1] = n_options
        for c in range(words):
            stuck = e.masks[0, c]
            for i in range(ends[r], n_options):
                stuck &= ~e.legal[options[i], c]
            if stuck:
                return 64 * c + lowest(stuck)  # type: ignore[no-any-return]  # as numba has it
    return -1


@compiled
def write_children(e: Any, row: int, first: int, children: Any, parents: Any) -> int:
    """Write the keys that follow in the lanes of the last mask; return where the next may stand.

    Args:
        e: The game, after ``follow``.
        row: The row of the first lane, less that of the block.
        first: Where the first child stands.
        children: See `expand`.
        parents: Likewise.
    """
    words = e.block.shape[1]
    roles = len(e.first) - 1
    written = first
    # A block of planes is 64 bits of all keys; each word of a key is transposed by itself, and its
    # lanes come in the same order each time.
    for part in range(children.shape[1]):
        for i in range(64):
            for c in range(words):
                e.block[i, c] = e.after[64 * part + i, c]
        transpose(e.block, words)
        written = first
        for c in range(words):
            mask = e.masks[roles, c]
            while mask:
                lane = lowest(mask)
                mask &= mask - ONE
                children[written, part] = e.block[lane, c]
                if part == 0 and len(parents):
                    parents[written] = row + 64 * c + lane
                written += 1
    return written


@entry
@compiled
def look(e: Any, keys: Any, start: int, stop: int, movers: Any, goals: Any) -> None:
    """Say of the states of some rows who moves, and what they are worth where the game is over.

    Args:
        e: The game.
        keys: States, ``uint64[N, words]``.
        start: The first row.
        stop: The row after the last.
        movers: Who has a choice, ``int8[rows]``: `NOBODY` or `SEVERAL`; the number of roles where
            the game is over.
        goals: For those the place of each role's goal value, ``int16[rows, roles]``: -1 where the
            rules give no single one.
    """
    words = e.block.shape[1]
    lanes = 64 * words
    roles = len(e.first) - 1
    at = start
    while at < stop:
        n = min(lanes, stop - at)
        load(e, keys, at, n)
        for i in range(n):
            movers[at - start + i] = NOBODY
        for r in range(roles):
            for c in range(words):
                # Lanes in which one move is legal, and in which a second one is: who has only one
                # has no choice.
                any_of = ZERO
                several = ZERO
                for row in range(e.first[r], e.first[r + 1]):
                    several |= any_of & e.legal[row, c]
                    any_of |= e.legal[row, c]
                while several:
                    lane = 64 * c + lowest(several)
                    several &= several - ONE
                    if lane < n:
                        mover = movers[at - start + lane]
                        movers[at - start + lane] = r if mover == NOBODY else SEVERAL
        for c in range(words):
            over = e.terminal[c]
            while over:
                bit = lowest(over)
                over &= over - ONE
                lane = 64 * c + bit
                if lane >= n:
                    break
                movers[at - start + lane] = roles
                for r in range(roles):
                    value = -1
                    for row in range(e.first_goal[r], e.first_goal[r + 1]):
                        if (e.goals[row, c] >> np.uint64(bit)) & ONE:
                            value = row - e.first_goal[r] if value == -1 else -2
                    goals[at - start + lane, r] = max(value, -1)
        at += n


@entry
@compiled
def locate(e: Any, keys: Any, children: Any, slots: Any, n: int, places: Any) -> int:
    """Write where n children stand among known sorted states; return the first that does not."""
    for i in range(n):
        slot = slots[i]
        at = find(keys, children, i, e.fingers[slot])
        if at == len(keys) or is_less(children, i, keys, at):
            return i
        e.fingers[slot] = at
        places[i] = at
    return -1
