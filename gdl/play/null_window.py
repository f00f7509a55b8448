"""Alpha-beta by null windows in machine code: is a state worth so much, so many plies deep?

In: a compiled game, a state, a role, a threshold and a depth. Out: a value on the right side of the
threshold (fail-soft), and what is proven of the state. Who asks again and again with another
threshold finds the value itself (`gdl.play.compiled_alphabeta`).

Every state has two kinds of bounds. What is *proven* rests on ends of the game alone: the mover has
at least the best that any of its moves is proven to bring, and at most the best that any may still
bring. It is a finite tree of moves and holds for ever, whatever the depth, and whatever way led
here. What was *found* holds for its depth, for at the horizon stands a guess. No guess ever goes
into what is proven, so a value is exact where the two proven bounds meet.

Values are goals of the role times `SCALE`, so that a guess fits between any two goals. A frame of
the stack sees them from its mover: for an opponent they are negated, so that each mover wants what
is large, and a threshold t ("at least t") becomes ``1 - t`` ("less than t"). The search keeps its
stack, so it can be stopped and gone on with.

Children are made all at once (`gdl.play.children`), so a win in one is seen without a search; where
the vector has room for all replies, one for the opponent is seen as well. Then a child is looked up
in the table before any is searched: one that is known to be good enough saves all.

Source: Knuth and Moore, "An Analysis of Alpha-Beta Pruning", 1975; Plaat, Schaeffer, Pijls and de
Bruin, "Best-First Fixed-Depth Minimax Algorithms", 1996 (null windows, enhanced transposition
cutoffs); Schaeffer, "The History Heuristic", 1989; Akl and Newborn, "The Principal Continuation and
the Killer Heuristic", 1977.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import entry, inlined, lean, lowest
from gdl.play.children import (
    WORD,
    find_moves,
    play_moves,
    play_replies,
    read_states,
    vector_lanes,
)
from gdl.play.lanes import ONE, ZERO, goal, hash_of, is_over, load_state, mean_goals, over_word
from gdl.play.value_network import judge

SCALE: Final = 4
"""What one point of a goal counts."""
NOWHERE: Final = 1 << 29
"""Above every value."""
PROBES: Final = 4
"""Places of the table that a state may take."""
DEEPEST: Final = 400
"""Plies of a stack, at most."""
MOST_WORDS: Final = 1 << 24
"""Words of the states of children on the stack, at most."""
FEW: Final = 12
"""Children up to which equal ones are found by comparing all."""

RUNNING, FINISHED, REFUSED, BROKEN_OFF = 0, 1, 2, 3
"""How a call of `test` ended; an expansion is broken off where the search is told to halt."""
AT, NODES, EXPANSIONS, ROLE, THRESHOLD, GUESS, HAS_PLAYOUTS = range(7)
VALUE, LOWER, UPPER, MOVE, GOAL_SUM, HAS_SUM, BEST, WORST, SURE_MOVE, IS_UNSUITED = range(7, 17)
"""Places of ``NullWindow.status``: top of the stack, -1 when finished; states made and states
expanded; what is asked; what a state at the horizon is worth, or whether playouts say it; the
answer, what is proven, the move found best; the sum of the goals, and whether it is known; the most
and the least that the role can get; the move proven best; whether the game is none for this."""
DEPTH, SIGN, COUNT, CHILD, FOUND, SURE, MOST, REPLY, BEFORE, WANTED, SURE_REPLY = range(11)
"""Places of a row of ``NullWindow.frame``: plies left; 1 where the role moves, else -1; children;
the one that is searched; for the mover: the best that was found, the best proven lower and upper
bound of moves that ended the game; the move found; expansions before; the threshold; the move
that is proven best."""
LOW, HIGH, MOVE_OF = 0, 1, 2
"""Places of ``NullWindow.child``: proven bounds for the mover of the frame; the move."""
T_LOWER, T_UPPER, T_LEAST, T_MOST, T_DEPTH, T_MOVE, T_EFFORT = range(7)
"""Places of ``NullWindow.entries``: proven bounds for the role; bounds found at a depth; the depth;
the best move; expansions that it took, 0 where nothing stands."""


class NullWindow(NamedTuple):
    """A search that can be gone on with, and its table.

    D is the greatest depth, M the greatest number of moves, W the words of a state, R the roles.

    Attributes:
        status: What is asked, and how far it has come.
        frame: The stack.
        state: State of each frame.
        child_state: States of its children.
        child: Their proven bounds, and the moves to them.
        score: How early each is to be searched; `DONE` where it was.
        seen: Children by hash, to find equal ones; a power of two.
        moves: Room for legal moves.
        only: Room for the only move of each role.
        key: Table: the state that stands at a place, whole.
        known: Table: what is known of it.
        history: How often each move of each role cut, weighed by depth.
        killer: The last two moves that cut at each ply.
        means: Room for the mean goals of playouts.
    """

    status: NDArray[np.int64]  # [17]
    frame: NDArray[np.int64]  # [D, 11]
    state: NDArray[np.uint64]  # [D, W]
    child_state: NDArray[np.uint64]  # [D, M, W]
    child: NDArray[np.int64]  # [D, M, 3]
    score: NDArray[np.int64]  # [D, M]
    seen: NDArray[np.int64]  # [power of two]
    moves: NDArray[np.int64]  # [M]
    only: NDArray[np.int64]  # [R]
    key: NDArray[np.uint64]  # [places, W]
    entries: NDArray[np.int32]  # [places, 7]
    history: NDArray[np.int64]  # [R, M]
    killer: NDArray[np.int64]  # [D, 2]
    means: NDArray[np.float64]  # [R]


DONE: Final = -(1 << 62)
"""Score of a child that was searched."""
NEW, ROOT = -1, -2
"""Number of children of a root that was not entered yet; in place of a child, the root itself."""


def make_null_window(words: int, moves: int, roles: int, *, megabytes: int) -> NullWindow:
    """Return an empty search; memory is only taken when it is written."""
    deepest = max(8, min(DEEPEST, MOST_WORDS // (moves * words)))
    bits = max(10, ((megabytes << 20) // (8 * words + 28)).bit_length() - 1)
    places = (1 << bits) + PROBES
    child_state = np.zeros((deepest, moves, words), np.uint64)
    return NullWindow(
        status=np.zeros(17, np.int64),
        frame=np.zeros((deepest, 11), np.int64),
        state=np.zeros((deepest, words), np.uint64),
        child_state=child_state,
        child=np.zeros((deepest, moves, 3), np.int64),
        score=np.zeros((deepest, moves), np.int64),
        seen=np.zeros(1 << (4 * moves - 1).bit_length(), np.int64),
        moves=np.zeros(moves, np.int64),
        only=np.zeros(roles, np.int64),
        key=np.zeros((places, words), np.uint64),
        entries=np.zeros((places, 7), np.int32),
        history=np.zeros((roles, moves), np.int64),
        killer=np.full((deepest, 2), -1, np.int64),
        means=np.zeros(roles),
    )


# The table ----------------------------------------------------------------------------------------


@inlined
def first_place(s: NullWindow, state: Any) -> Any:
    """Return the first of the places where a state may stand."""
    return np.int64((hash_of(state) >> np.uint64(17)) & np.uint64(len(s.key) - PROBES - 1))


@entry
@inlined
def place_of(s: NullWindow, state: Any) -> Any:
    """Return where a state stands, or -1. States are compared whole: no two share a place."""
    at = first_place(s, state)
    for place in range(at, at + PROBES):
        if s.entries[place, T_EFFORT] == 0:
            continue
        is_same = True
        for i in range(len(state)):
            if s.key[place, i] != state[i]:
                is_same = False
                break
        if is_same:
            return place
    return np.int64(-1)


@inlined
def new_place(s: NullWindow, state: Any) -> Any:
    """Return where a state may be written that does not stand in the table: over the cheapest.

    The others of its neighbourhood count half as much from then on, so that nothing stays for ever.
    """
    at = first_place(s, state)
    best = at
    for place in range(at, at + PROBES):
        if s.entries[place, T_EFFORT] == 0:
            best = place
            break
        if s.entries[place, T_EFFORT] < s.entries[best, T_EFFORT]:
            best = place
    if s.entries[best, T_EFFORT] != 0:
        for place in range(at, at + PROBES):
            s.entries[place, T_EFFORT] -= s.entries[place, T_EFFORT] >> 1
    for i in range(len(state)):
        s.key[best, i] = state[i]
    s.entries[best, T_LOWER] = s.status[WORST]
    s.entries[best, T_UPPER] = s.status[BEST]
    s.entries[best, T_DEPTH] = -1
    s.entries[best, T_MOVE] = -1
    s.entries[best, T_EFFORT] = 1
    return best


@inlined
def store(s: NullWindow, d: int, value: int, lower: int, upper: int) -> None:
    """Write what a frame has shown: a value on one side of the threshold, and what is proven."""
    frame = s.frame[d]
    at = place_of(s, s.state[d])
    if at < 0:
        at = new_place(s, s.state[d])
    entry = s.entries[at]
    entry[T_LOWER] = max(entry[T_LOWER], lower)
    entry[T_UPPER] = min(entry[T_UPPER], upper)
    if entry[T_DEPTH] != frame[DEPTH]:
        entry[T_DEPTH] = frame[DEPTH]
        entry[T_LEAST] = s.status[WORST]
        entry[T_MOST] = s.status[BEST]
    if value >= s.status[THRESHOLD]:
        entry[T_LEAST] = value
    else:
        entry[T_MOST] = value
    if frame[REPLY] >= 0:
        entry[T_MOVE] = frame[REPLY]
    entry[T_EFFORT] = max(1, min(s.status[EXPANSIONS] - frame[BEFORE], 1 << 30))


# Expand -------------------------------------------------------------------------------------------


@inlined
def end_value(s: NullWindow, w: Any, lane: int) -> Any:
    """Return what the end of the game in a lane is worth to the role.

    Where the goals are not one value each, or have another sum than elsewhere, it is said in
    ``status[IS_UNSUITED]`` that the search is none for this game.
    """
    status = s.status
    mine = goal(w, status[ROLE], lane)
    if mine < 0:
        status[IS_UNSUITED] = 1
        return 0
    if len(w.counts) == 2:
        total = goal(w, 1 - status[ROLE], lane)
        if total < 0:
            status[IS_UNSUITED] = 1
        total += mine
        if status[HAS_SUM] == 0:
            status[HAS_SUM] = 1
            status[GOAL_SUM] = total
        elif status[GOAL_SUM] != total:
            status[IS_UNSUITED] = 1
    return SCALE * mine


@inlined
def is_repeated(s: NullWindow, d: int, i: int, kept: int) -> Any:
    """Return whether child i is the same state as one of those kept."""
    state = s.child_state[d, i]
    for k in range(kept):
        is_same = True
        for word in range(len(state)):
            if s.child_state[d, k, word] != state[word]:
                is_same = False
                break
        if is_same:
            return True
    return False


@inlined
def is_listed(s: NullWindow, d: int, i: int, kept: int) -> Any:
    """Return the same where there are many, by hashes; if not, note child i as ``kept``."""
    state = s.child_state[d, i]
    mask = np.uint64(len(s.seen) - 1)
    at = (hash_of(state) >> np.uint64(7)) & mask
    while s.seen[at] >= 0:
        other = s.seen[at]
        is_same = True
        for word in range(len(state)):
            if s.child_state[d, other, word] != state[word]:
                is_same = False
                break
        if is_same:
            return True
        at = (at + ONE) & mask
    s.seen[at] = kept
    return False


@inlined
def keep_children(s: NullWindow, w: Any, d: int, begin: int, n: int, kept: int, many: bool) -> Any:
    """Keep those children in the first n lanes that go on; count ends for the mover.

    Returns how many are kept now. The states stand from row ``begin`` on, and those kept are moved
    up to the rows from ``kept`` on.
    """
    frame = s.frame[d]
    sign = frame[SIGN]
    for lane in range(n):
        move = s.moves[begin + lane]
        if is_over(w, lane):
            value = sign * end_value(s, w, lane)
            if value > frame[FOUND]:
                frame[FOUND] = value
                frame[REPLY] = move
            if value > frame[SURE]:
                frame[SURE] = frame[MOST] = value
                frame[SURE_REPLY] = move
            continue
        i = begin + lane
        if is_listed(s, d, i, kept) if many else is_repeated(s, d, i, kept):
            continue
        if i != kept:
            for word in range(s.child_state.shape[2]):
                s.child_state[d, kept, word] = s.child_state[d, i, word]
        child = s.child[d, kept]
        child[LOW] = s.status[WORST] if sign > 0 else -s.status[BEST]
        child[HIGH] = s.status[BEST] if sign > 0 else -s.status[WORST]
        child[MOVE_OF] = move
        s.score[d, kept] = lane
        kept += 1
    return kept


@inlined
def count_replies(s: NullWindow, w: Any, d: int, replier: int, n: int) -> None:
    """Play all replies to the children in n lanes, and bound those that a reply ends.

    The lane of each child kept stands in its score, see `keep_children`.
    """
    over = play_replies(w, replier, n) & over_word(w, 0)
    if over == ZERO:
        return
    frame = s.frame[d]
    for k in range(frame[COUNT]):
        lane = s.score[d, k]
        child = s.child[d, k]
        ends = over >> np.uint64(lane)
        while ends != ZERO:
            at = lowest(ends)
            ends &= ends - ONE
            if at % n == 0:
                value = frame[SIGN] * end_value(s, w, lane + at)
                child[HIGH] = min(child[HIGH], value)


@inlined
def expand(s: NullWindow, w: Any, d: int) -> int:
    """Make the children of a frame's state and see which end the game."""
    frame, status = s.frame[d], s.status
    status[EXPANSIONS] += 1
    load_state(w, s.state[d])
    mover, n = find_moves(w, s.moves, s.only)
    if n == 0:
        return REFUSED
    mover = max(mover, 0)
    roles = len(w.counts)
    frame[SIGN] = 1 if roles == 1 or mover == status[ROLE] else -1
    frame[FOUND] = frame[SURE] = frame[MOST] = -NOWHERE
    frame[REPLY] = frame[SURE_REPLY] = -1
    status[NODES] += n
    copies = 1
    # All replies to all children at once, where both fit one word: each child is made in as many
    # lanes as there are replies, and one more step plays another reply in each.
    if roles == 2 and w.facts.shape[1] == 1 and n * w.counts[1 - mover] <= WORD:
        copies = w.counts[1 - mover]
    many = n > FEW
    if many:
        for i in range(len(s.seen)):
            s.seen[i] = -1
    lanes = vector_lanes(w)
    kept = 0
    for begin in range(0, n, lanes):
        part = min(lanes, n - begin)
        if begin > 0:
            if w.halt[0] != 0:
                return BROKEN_OFF
            # The lanes stand in the children of the part before, and come back to their parent.
            load_state(w, s.state[d])
        play_moves(w, mover, s.moves, s.only, begin, part, copies)
        read_states(w, part, begin, s.state[d], s.child_state[d])
        kept = keep_children(s, w, d, begin, part, kept, many)
    frame[COUNT] = kept
    # What is below t for the one side is at least 1 - t for the other: values are whole.
    frame[WANTED] = status[THRESHOLD] if frame[SIGN] > 0 else 1 - status[THRESHOLD]
    if copies > 1 and kept > 0 and frame[FOUND] < frame[WANTED]:
        count_replies(s, w, d, 1 - mover, n)
    rank_children(s, d, mover)
    return REFUSED if status[IS_UNSUITED] else RUNNING


@inlined
def rank_children(s: NullWindow, d: int, mover: int) -> None:
    """Look the children up, and say in which order they are to be searched."""
    frame = s.frame[d]
    at = place_of(s, s.state[d])
    first = s.entries[at, T_MOVE] if at >= 0 else -1
    sign = frame[SIGN]
    for k in range(frame[COUNT]):
        child = s.child[d, k]
        move = child[MOVE_OF]
        score = s.history[mover, move]
        if move == s.killer[d, 0] or move == s.killer[d, 1]:
            score += score + 1000
        if move == first:
            score += 1 << 60
        at = place_of(s, s.child_state[d, k]) if frame[DEPTH] > 1 or d == 0 else np.int64(-1)
        if at >= 0:
            entry = s.entries[at]
            low, high = entry[T_LOWER], entry[T_UPPER]
            child[LOW] = max(child[LOW], low if sign > 0 else -high)
            child[HIGH] = min(child[HIGH], high if sign > 0 else -low)
            if entry[T_DEPTH] >= frame[DEPTH] - 1:
                bound = entry[T_LEAST] if sign > 0 else -entry[T_MOST]
                if bound >= frame[WANTED]:
                    score = 1 << 61  # it cuts as soon as it is entered
        if child[LOW] >= frame[WANTED]:
            score = 1 << 61
        s.score[d, k] = score


# Search -------------------------------------------------------------------------------------------


@inlined
def next_child(s: NullWindow, d: int) -> Any:
    """Return the child of a frame to be searched next, -1 where none is left or needed.

    A child whose proven bound is below the threshold counts with that bound, unsearched.
    """
    frame = s.frame[d]
    if frame[FOUND] >= frame[WANTED]:
        return -1
    best = -1
    for k in range(frame[COUNT]):
        if s.score[d, k] == DONE:
            continue
        child = s.child[d, k]
        if child[HIGH] < frame[WANTED]:
            s.score[d, k] = DONE
            frame[FOUND] = max(frame[FOUND], child[HIGH])
        elif best < 0 or s.score[d, k] > s.score[d, best]:
            best = k
    return best


@inlined
def look_up(s: NullWindow, d: int) -> Any:
    """Return a value for a frame that the table decides, else `NOWHERE`; bounds go to the frame.

    The bounds and the value are those of the role.
    """
    frame, status = s.frame[d], s.status
    at = place_of(s, s.state[d])
    frame[SURE], frame[MOST] = status[WORST], status[BEST]
    if at < 0:
        return NOWHERE
    entry = s.entries[at]
    frame[SURE], frame[MOST] = entry[T_LOWER], entry[T_UPPER]
    threshold = status[THRESHOLD]
    if entry[T_LOWER] >= threshold:
        return np.int64(entry[T_LOWER])
    if entry[T_UPPER] < threshold:
        return np.int64(entry[T_UPPER])
    if entry[T_DEPTH] >= frame[DEPTH]:
        if entry[T_LEAST] >= threshold:
            return np.int64(entry[T_LEAST])
        if entry[T_MOST] < threshold:
            return np.int64(entry[T_MOST])
    return NOWHERE


@lean
def guess(s: NullWindow, wide: Any, d: int) -> Any:
    """Return what the state of a frame at the horizon looks worth to the role.

    It is never as good as the best end nor as bad as the worst: so a proven win is preferred to
    any guess, and a guess to a proven loss.
    """
    status = s.status
    if len(wide.network.weights) > 0:
        share = judge(wide.network, s.state[d])
        if status[ROLE] != 0:
            share = 1.0 - share
        value = np.int64(status[WORST] + share * (status[BEST] - status[WORST]) + 0.5)
    elif status[HAS_PLAYOUTS] == 0:
        return status[GUESS]
    elif mean_goals(wide, s.state[d], s.means):
        value = np.int64(SCALE * s.means[status[ROLE]] + 0.5)
    else:
        return status[GUESS]
    value = min(max(value, status[WORST] + 1), status[BEST] - 1)
    at = place_of(s, s.state[d])
    if at < 0:
        at = new_place(s, s.state[d])
    entry = s.entries[at]
    if entry[T_DEPTH] < 0:
        entry[T_DEPTH] = 0
        entry[T_LEAST] = entry[T_MOST] = value
    return value


@inlined
def count_child(s: NullWindow, d: int, k: int, value: int, lower: int, upper: int) -> None:
    """Count for a frame what a search of child k has shown, said for the role."""
    frame = s.frame[d]
    child = s.child[d, k]
    s.score[d, k] = DONE
    if frame[SIGN] < 0:
        value, lower, upper = -value, -upper, -lower
    child[LOW] = max(child[LOW], lower)
    child[HIGH] = min(child[HIGH], upper)
    if value > frame[FOUND]:
        frame[FOUND] = value
        frame[REPLY] = child[MOVE_OF]


@inlined
def back_up(s: NullWindow, w: Any, d: int) -> Any:
    """Return what a frame has shown, for the role: its value, and what is proven; keep it.

    Only a move that was good enough is kept as the best: of moves that all fail the values are
    bounds.
    """
    frame, status = s.frame[d], s.status
    sure, most = frame[SURE], frame[MOST]
    for k in range(frame[COUNT]):
        most = max(most, s.child[d, k, HIGH])
        if s.child[d, k, LOW] > sure:
            sure = s.child[d, k, LOW]
            frame[SURE_REPLY] = s.child[d, k, MOVE_OF]
    value = min(max(frame[FOUND], sure), most)
    if sure >= frame[WANTED]:
        frame[REPLY] = frame[SURE_REPLY]
    if value >= frame[WANTED]:
        move = frame[REPLY]
        mover = 0
        if len(w.counts) == 2:
            mover = status[ROLE] if frame[SIGN] > 0 else 1 - status[ROLE]
        if move >= 0:
            s.history[mover, move] += frame[DEPTH] * frame[DEPTH]
            if s.history[mover, move] > 1 << 40:
                for r in range(s.history.shape[0]):
                    for i in range(s.history.shape[1]):
                        s.history[r, i] >>= 1
            if s.killer[d, 0] != move:
                s.killer[d, 1] = s.killer[d, 0]
                s.killer[d, 0] = move
    else:
        frame[REPLY] = -1
    lower, upper = sure, most
    if frame[SIGN] < 0:
        value, lower, upper = -value, -most, -sure
    store(s, d, value, lower, upper)
    return value, lower, upper


@inlined
def enter(s: NullWindow, w: Any, wide: Any, d: int) -> Any:
    """Begin with a frame whose state and depth are set.

    Returns how it is, and where it is `FINISHED` its value and bounds for the role.
    """
    frame, status = s.frame[d], s.status
    frame[COUNT] = 0
    frame[BEFORE] = status[EXPANSIONS]
    # The root is always expanded: who asks wants to know the move that its bounds rest on.
    value = look_up(s, d) if d > 0 else np.int64(NOWHERE)
    if value != NOWHERE:
        return FINISHED, value, frame[SURE], frame[MOST]
    if frame[DEPTH] <= 0 or d + 1 >= len(s.frame):
        lower, upper = frame[SURE], frame[MOST]
        value = min(max(guess(s, wide, d), lower), upper)
        return FINISHED, value, lower, upper
    code = expand(s, w, d)
    return code, np.int64(0), np.int64(0), np.int64(0)


@entry
@lean
def test(s: NullWindow, w: Any, wide: Any, expansions: int) -> int:
    """Go on with a search for at most so many expansions, or until it is told to halt.

    To begin with the state stands in frame 0, with its depth, `NEW` for its children, and 0 in
    ``status[AT]``. Returns how it ended; when finished the answer is in the status.

    Invariant at the head of the loop: the frames from 0 to ``d`` are expanded, and each is the
    child of the one above it that is being searched.
    """
    status = s.status
    d = status[AT]
    if d < 0:
        return FINISHED
    stop = status[EXPANSIONS] + expansions
    while status[EXPANSIONS] < stop and wide.halt[0] == 0:
        frame = s.frame[d]
        k = next_child(s, d) if d > 0 or frame[COUNT] >= 0 else ROOT
        if k != -1:
            if k != ROOT:
                frame[CHILD] = k
                s.frame[d + 1, DEPTH] = frame[DEPTH] - 1
                for word in range(s.state.shape[1]):
                    s.state[d + 1, word] = s.child_state[d, k, word]
                d += 1
            code, value, lower, upper = enter(s, w, wide, d)
            if code == REFUSED:
                return REFUSED
            if code == RUNNING:
                continue
            if code == BROKEN_OFF:  # to be done anew, from the frame above
                status[EXPANSIONS] -= 1
                if d == 0:
                    s.frame[0, COUNT] = NEW
                d = max(d - 1, 0)
                break
        else:
            value, lower, upper = back_up(s, w, d)
        if d == 0:
            status[AT] = -1
            status[VALUE], status[LOWER], status[UPPER] = value, lower, upper
            status[MOVE], status[SURE_MOVE] = s.frame[0, REPLY], s.frame[0, SURE_REPLY]
            return FINISHED
        d -= 1
        count_child(s, d, s.frame[d, CHILD], value, lower, upper)
    status[AT] = d
    return RUNNING
