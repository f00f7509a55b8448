"""What every reply does to every child of a state, in lanes, and what the mover threatens there.

In: the children of a state, child i in lane i of a vector of several words. Out: the children that
the end of the game decides within the next turn, exactly; and, as a hint for the order of moves,
how many moves of the mover would win in each child if it were its turn again.

The children are copied as often as the vector has room for, and each copy is given another reply:
so the kernel is called once for many replies to all children, where an expansion of each child
would call it twice, look up all that follows, and know no more. Where whoever replies moves on (a
marble is placed, then a quadrant turned), its second move is looked at as well.

What is said to be decided is so by moves that the rules allow, made by the kernel. The hint is not:
passing is no move. There the facts that tell whose turn it is are set back to those of the mover.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import call, entry, inlined, lean, lowest
from gdl.play.lanes import NOBODY, ONE, ZERO, goal

WORD = 64
"""Lanes of one word."""
PATIENCE: Final = 16
"""Looks in a row that may find nothing; from then on one of so many is made."""
MOST_CALLS: Final = 1 << 9
"""Calls of the kernel that a look may take: with thousands of moves, and as many replies to each,
one look would take longer than a move's whole time."""
UNKNOWN: Final = 1 << 20
"""Threats where nothing is known of them."""
FIRST, SECOND = 0, 1
"""Moves of a turn."""


class Replies(NamedTuple):
    """Memory of a look; F facts, M moves, L words of lanes, and two moves of a turn.

    Attributes:
        states: Facts in all lanes before each move of the turn.
        alive: Lanes in which that move is made.
        move: The moves that some of these lanes allow, by number.
        allowed: Which lanes allow them.
        waiting: Rows of what the other role does meanwhile.
        waits: In which lanes.
        decided: Children that a reply decides for the role that replies.
        idle: How many looks in a row have found nothing.
        lacked: Whether an end that was met has no goal for the role that was asked about.
        threats: How many moves would win in each child for the mover, `UNKNOWN` where its turn
            goes on or nothing tells whose turn it is.
    """

    states: NDArray[np.uint64]  # [2, F, L]
    alive: NDArray[np.uint64]  # [2, L]
    move: NDArray[np.int64]  # [2, M]
    allowed: NDArray[np.uint64]  # [2, M, L]
    waiting: NDArray[np.int64]  # [2, M]
    waits: NDArray[np.uint64]  # [2, M, L]
    decided: NDArray[np.uint64]  # [L]
    idle: NDArray[np.int64]  # [1]
    lacked: NDArray[np.int64]  # [1]
    threats: NDArray[np.int64]  # [64 L]


def make_replies(words: int, moves: int, lanes: int) -> Replies:
    """Return memory for a game with so many words of a state, moves of a role, and lanes."""
    count = max(1, lanes // WORD)
    return Replies(
        states=np.zeros((2, WORD * words, count), np.uint64),
        alive=np.zeros((2, count), np.uint64),
        move=np.zeros((2, moves), np.int64),
        allowed=np.zeros((2, moves, count), np.uint64),
        waiting=np.zeros((2, moves), np.int64),
        waits=np.zeros((2, moves, count), np.uint64),
        decided=np.zeros(count, np.uint64),
        idle=np.zeros(1, np.int64),
        lacked=np.zeros(1, np.int64),
        threats=np.zeros(WORD * count, np.int64),
    )


@inlined
def is_worth_it(r: Replies, w: Any) -> Any:
    """Return whether to look: at two roles, in several words, and seldom where looks find nothing.

    Where ends are far, or rare, a look costs more than it saves.
    """
    if len(w.counts) != 2 or w.facts.shape[1] == 1:
        return False
    r.idle[0] += 1
    return r.idle[0] <= PATIENCE or r.idle[0] % PATIENCE == 0


@entry
@lean
def look_ahead(r: Replies, w: Any, n: int, mover: int, turn: Any, role: int, wanted: int) -> Any:
    """Look at every reply to the children in the first n lanes, which were observed last.

    Args:
        r: Memory; `decided`, `lacked` and `threats` are written there.
        w: The vector; what stands there afterwards means nothing.
        n: How many children.
        mover: The role that has moved.
        turn: A state in which its turn began, ``uint64[W]``.
        role: Whose goal it is about.
        wanted: The least goal that this role wants; the other one wants it to have less.

    Returns:
        Who moves in the children, `NOBODY` where that cannot be said, and nothing was looked at.
    """
    words = (n + WORD - 1) >> 6
    begin_look(r, w, n)
    who = chooser(r, w, words)
    if who == NOBODY:
        return who
    copy_children(r, w, n)
    answer(r, w, n, who, role, wanted, False, True)
    is_hinted = who != mover and len(w.clock) > 0
    for i in range(n):
        r.threats[i] = 0
    if is_hinted:
        for i in range(len(w.clock)):
            fact = w.clock[i]
            value = ZERO - ((turn[fact >> 6] >> np.uint64(fact & 63)) & ONE)
            for j in range(w.facts.shape[1]):
                r.states[FIRST, fact, j] = value
        put_back(r, w, FIRST)
        call(w.observe, w.kernel_at)
        for j in range(words):
            r.alive[FIRST, j] &= ~w.terminal[j]
        is_hinted = answer(r, w, n, mover, role, wanted, True, True)
    if not is_hinted:
        for i in range(n):
            r.threats[i] = UNKNOWN
    return who


@lean
def find_decided(r: Replies, w: Any, n: int, best: Any) -> Any:
    """Find which children in the first n lanes a reply wins at once for the role that replies.

    Args:
        r: Memory; `decided` is written there.
        w: The vector; moves are set, and what stands there afterwards means nothing.
        n: How many children.
        best: The highest goal of each role.

    Returns:
        Who moves in the children, `NOBODY` where that cannot be said, and nothing was looked at.
    """
    for row in range(len(w.moves)):
        for j in range(w.moves.shape[1]):
            w.moves[row, j] = ZERO
    begin_look(r, w, n)
    who = chooser(r, w, (n + WORD - 1) >> 6)
    if who != NOBODY:
        copy_children(r, w, n)
        answer(r, w, n, who, who, int(best[who]), False, False)
    return who


@inlined
def begin_look(r: Replies, w: Any, n: int) -> None:
    """Take all of n children in which play goes on for undecided."""
    r.lacked[0] = 0
    for j in range(len(r.decided)):
        r.decided[j] = ZERO
        r.alive[FIRST, j] = ZERO
    for j in range((n + WORD - 1) >> 6):
        left = n - WORD * j
        mask = ~ZERO if left >= WORD else (ONE << np.uint64(left)) - ONE
        r.alive[FIRST, j] = mask & ~w.terminal[j]


@inlined
def chooser(r: Replies, w: Any, words: int) -> Any:
    """Return the role that has a choice in some lane of the first words, if only one has."""
    who = NOBODY
    for role in range(2):
        several = ZERO
        for j in range(words):
            some = ZERO
            for row in range(w.first[role], w.first[role + 1]):
                legal = w.legal[row, j] & r.alive[FIRST, j]
                several |= some & legal
                some |= legal
        if several != ZERO:
            if who != NOBODY:
                return NOBODY
            who = role
    return who


@inlined
def stride_of(n: int) -> Any:
    """Return how many lanes lie between a child and its copy: a power of two, or whole words."""
    if n > WORD >> 1:
        return np.int64((n + WORD - 1) >> 6 << 6)
    stride = np.int64(1)
    while stride < n:
        stride <<= 1
    return stride


@inlined
def spread(word: Any, stride: int) -> Any:
    """Return what stands in the first lanes of a word, in all copies that fit into the word."""
    while stride < WORD:
        word |= word << np.uint64(stride)
        stride <<= 1
    return word


@inlined
def copy_children(r: Replies, w: Any, n: int) -> None:
    """Keep the facts of the first n lanes, as often as there is room."""
    stride, words = stride_of(n), (n + WORD - 1) >> 6
    mask = ~ZERO if stride >= WORD else (ONE << np.uint64(stride)) - ONE
    for f in range(len(w.facts)):
        for j in range(w.facts.shape[1]):
            r.states[FIRST, f, j] = spread(w.facts[f, j % words] & mask, stride)


@inlined
def put_back(r: Replies, w: Any, ply: int) -> None:
    """Put the states before a move of the turn into the vector."""
    for f in range(len(w.facts)):
        for j in range(w.facts.shape[1]):
            w.facts[f, j] = r.states[ply, f, j]


@lean
def list_moves(r: Replies, w: Any, ply: int, who: int, words: int) -> Any:
    """List what a role can do in lanes that are alive, and what the other one does meanwhile.

    Lanes in which the other one has a choice, or no move, are alive no more. Returns how many moves
    there are of each.
    """
    begin, end = w.first[1 - who], w.first[2 - who]
    for j in range(words):
        some, several = ZERO, ZERO
        for row in range(begin, end):
            several |= some & w.legal[row, j]
            some |= w.legal[row, j]
        r.alive[ply, j] &= some & ~several
    others = 0
    for row in range(begin, end):
        if takes(r, w, ply, row, r.waits[ply, others], words):
            r.waiting[ply, others] = row
            others += 1
    count = 0
    for i in range(w.counts[who]):
        if takes(r, w, ply, w.first[who] + i, r.allowed[ply, count], words):
            r.move[ply, count] = i
            count += 1
    return count, others


@inlined
def takes(r: Replies, w: Any, ply: int, row: int, lanes: Any, words: int) -> Any:
    """Write in which lanes that are alive a move is legal; return whether in some."""
    some = ZERO
    for j in range(words):
        lanes[j] = w.legal[row, j] & r.alive[ply, j]
        some |= lanes[j]
    return some != ZERO


@lean
def answer(
    r: Replies,
    w: Any,
    n: int,
    who: int,
    role: int,
    wanted: int,
    is_hint: bool,
    is_whole_turn: bool,
) -> bool:
    """Make every move of a role in every child that is alive, and count what it ends as it wants.

    Where its turn goes on after that, so it does with its second moves, if ``is_whole_turn``. Copy
    c of the children has the lanes from ``c * stride`` on. Returns whether it was done: not
    where it takes too many calls, nor to its end where the search is told to halt.
    """
    words, stride = (n + WORD - 1) >> 6, stride_of(n)
    # Moves are listed over the first copy alone, as all copies are the same states; what the other
    # role does meanwhile it does in all of them, so its lanes are spread.
    count, others = list_moves(r, w, FIRST, who, words)
    copies = w.facts.shape[1] * WORD // stride
    calls = (count + copies - 1) // copies
    if calls > MOST_CALLS:
        return False
    for o in range(others):
        for j in range(w.facts.shape[1] - 1, -1, -1):
            r.waits[FIRST, o, j] = spread(r.waits[FIRST, o, j % words], stride)
    # Kept: no move is set between two rounds, and ``decided`` only grows. A child that is decided
    # needs no more replies, so its lanes are left out of those to come.
    goes_on = is_whole_turn
    for begin in range(0, count, copies):
        if w.halt[0] != 0:
            return False
        end = begin + min(copies, count - begin)
        put_back(r, w, FIRST)
        set_replies(r, w, n, who, begin, end)
        make_move(r, w, FIRST, others)
        clear_replies(r, w, n, who, begin, end)
        for j in range(w.facts.shape[1]):
            ends = r.alive[SECOND, j] & w.terminal[j]
            r.alive[SECOND, j] &= ~ends
            count_ends(r, w, n, j, ends, who, role, wanted, is_hint)
        if goes_on:
            goes_on = answer_again(r, w, n, who, role, wanted, is_hint, MOST_CALLS // calls)
    return True


@inlined
def set_replies(r: Replies, w: Any, n: int, who: int, begin: int, end: int) -> None:
    """Set another reply in each copy of the children; alive is then where one is made.

    A copy begins at a whole word or, where several fit into one, at a bit of it: what is allowed in
    the first copy stands at bit 0, and is moved there.
    """
    words, stride = (n + WORD - 1) >> 6, stride_of(n)
    for j in range(w.facts.shape[1]):
        r.alive[SECOND, j] = ZERO
    for c in range(end - begin):
        at, shift = (c * stride) >> 6, np.uint64((c * stride) & 63)
        for j in range(words):
            lanes = (r.allowed[FIRST, begin + c, j] & ~r.decided[j]) << shift
            w.moves[w.first[who] + r.move[FIRST, begin + c], at + j] = lanes
            r.alive[SECOND, at + j] |= lanes


@inlined
def clear_replies(r: Replies, w: Any, n: int, who: int, begin: int, end: int) -> None:
    """Take back what `set_replies` set."""
    words, stride = (n + WORD - 1) >> 6, stride_of(n)
    for c in range(end - begin):
        at = (c * stride) >> 6
        for j in range(words):
            w.moves[w.first[who] + r.move[FIRST, begin + c], at + j] = ZERO


@lean
def answer_again(
    r: Replies, w: Any, n: int, who: int, role: int, wanted: int, is_hint: bool, most: int
) -> bool:
    """Make every second move of a turn in every lane that is alive, if there are any, and few."""
    words = w.facts.shape[1]
    count, others = list_moves(r, w, SECOND, who, words)
    if count == 0 or count > most:
        return False
    for f in range(len(w.facts)):
        for j in range(words):
            r.states[SECOND, f, j] = w.facts[f, j]
    for k in range(count):
        row = w.first[who] + r.move[SECOND, k]
        if k > 0:
            put_back(r, w, SECOND)
        for j in range(words):
            w.moves[row, j] = r.allowed[SECOND, k, j]
        make_move(r, w, SECOND, others)
        for j in range(words):
            w.moves[row, j] = ZERO
            ends = r.allowed[SECOND, k, j] & w.terminal[j]
            count_ends(r, w, n, j, ends, who, role, wanted, is_hint)
    return True


@inlined
def make_move(r: Replies, w: Any, ply: int, others: int) -> None:
    """Let the other role do what it does, and go on; the moves of whoever replies are set."""
    for o in range(others):
        for j in range(w.facts.shape[1]):
            w.moves[r.waiting[ply, o], j] = r.waits[ply, o, j]
    call(w.advance, w.kernel_at)
    call(w.observe, w.kernel_at)
    for o in range(others):
        for j in range(w.facts.shape[1]):
            w.moves[r.waiting[ply, o], j] = ZERO


@inlined
def count_ends(
    r: Replies,
    w: Any,
    n: int,
    j: int,
    ends: Any,
    who: int,
    role: int,
    wanted: int,
    is_hint: bool,
) -> None:
    """Count ends in word j that are what the role who moved wants, for the child of each lane."""
    stride = stride_of(n)
    while ends != ZERO:
        lane = WORD * j + lowest(ends)
        ends &= ends - ONE
        value = goal(w, role, lane)
        if value < 0 and not is_hint:
            r.lacked[0] = 1
        if (value >= wanted) == (who == role):
            r.idle[0] = 0
            child = lane % stride
            if is_hint:
                r.threats[child] += 1
            else:
                r.decided[child >> 6] |= ONE << np.uint64(child & 63)
