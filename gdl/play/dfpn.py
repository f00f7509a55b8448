"""Proof-number search: can a role force at least some goal, whatever the others do?

In: a compiled game, a state, a role and a goal. Out: proven, disproven, or not yet. Each node has a
proof number, a guess of how many leaves have still to be won to prove the goal, and a disproof
number, of how many have to be lost to disprove it. Where the role moves one child has to be proven,
or all disproven; where another one moves it is the other way round. The search always expands the
leaf that decides most for least: the most proving one.

It goes depth first, with a table for what it leaves behind (df-pn): it stays below a child until
its numbers pass thresholds beyond which another child of some ancestor would be the better one.
The threshold for the second best child is raised by a quarter (1 + epsilon), so that the search
does not jump to and fro between two that are nearly equal. It stops after so many expansions and
goes on later.

Where several ways lead to one state, the sum of the children's numbers would count it many times
over; so the largest of them counts, and one for each other open child (weak proof numbers). What is
proven or disproven does not depend on that, only the order in which nodes are looked at.

The same search goes depth first alone where it is asked to (``status[IS_DEEP]``): a child is left
when it is decided and not before, and the order of children is that of alpha-beta with a null
window: first what brings the mover nearest to one of its goal's products (`gdl.play.goal_lines`),
of equals what decided elsewhere. It looks at fewer nodes where nothing but the whole rest of the
game decides, and is lost where play is long; so both take turns (`gdl.play.proof_search`). They
share the table, in which depth first alone writes what is proven or disproven, and nothing else.

Where a vector has several words a new node is looked at two turns deep: what the end of the game
decides among all replies to all children is known at once, and what the mover threatens is the
first guess of a child's number (`gdl.play.look_ahead`). In a hard position of Pentago four of
five expansions had been of nodes that such a look decides.

What is proven has the plies of its proof with it, and the shortest one is taken: who follows one
proof after the other comes nearer to the end, also where a game can go in circles.

Source: Allis, van der Meulen and van den Herik, "Proof-Number Search", 1994; Nagai, "Df-pn
Algorithm for Searching AND/OR Trees and Its Applications", 2002; Ueda, Hashimoto, Hashimoto and
Iida, "Weak Proof-Number Search", 2008; Pawlewicz and Lew, "Improving Depth-First PN-Search: 1+e
Trick", 2006.
"""

# numba finds the types
from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.code.memory import aligned
from gdl.native.jit import bit_length, entry, inlined, lean, lowest, prefetch
from gdl.play.children import (
    WORD,
    find_moves,
    play_moves,
    play_replies,
    read_states,
    vector_lanes,
)
from gdl.play.goal_lines import GoalLines, advance, no_lines
from gdl.play.lanes import NOBODY, ONE, SEVERAL, STUCK, ZERO, goal, load_state, over_word
from gdl.play.look_ahead import Replies, is_worth_it, look_ahead, make_replies

INFINITE: Final = 1 << 30
"""Proof number of what cannot be proven. The disproof number of what is proven is this and the
plies of its proof."""
PROBES: Final = 4
"""Places of the table that a state may take: a line of the cache."""
STACK: Final = ("state", "frame", "frame_key", "child_key", "child", "move", "child_state")
"""Names of the arrays of frames."""
PLACE_BYTES: Final = 16
"""Bytes of one place."""
LEAST_BITS: Final = 10
"""Of the number of places: so that a bucket says the lowest byte of a hash."""
LOWEST_BYTE = np.uint64(255)
EFFORTS = np.uint64(256)
"""Words that differ by less differ in the lowest byte alone."""
DEEPEST: Final = 200
"""Plies below the root; deeper ones count as not proven."""
FEW: Final = 12
"""Children up to which equal ones are found by comparing all."""
UNTHREATENED: Final = 64
"""Number of a new child in which the mover threatens nothing; threats divide it."""
LEAST_URGENT: Final = 1 << 20
"""What a child counts, where the search goes depth first, that brings nothing nearer."""
MOST_WORDS: Final = 1 << 22
"""Memory for the states of children, in words of 64 bits; beyond it they are made again."""
RUNNING, FINISHED, REFUSED, TOO_DEEP, BROKEN_OFF = 0, 1, 2, 3, 4
"""How a call of `prove` ended; too deep where it went depth first and a line was too long. An
expansion is broken off where the search is told to halt."""
DEPTH, EXPANSIONS, ROLE, GOAL, IS_PROVEN, BEST_MOVE, EVER_CUT, PLY_LIMIT, IS_DEEP, EVER_LACKED = (
    range(10)
)
"""Places of ``Proof.status``: depth of the stack, -1 when finished; expansions so far; what is
asked; the answer, and the move of the root that it rests on; whether a line ever was too long; the
plies after which lines are cut off; whether it goes depth first alone; whether play ever was stuck,
or ended without a goal for the role: that counts as not reached, though no goal that rules name."""
COUNT, MINE, PROOF_LIMIT, DISPROOF_LIMIT, CHOSEN, SPENT, MOVER = range(7)
"""Places of a row of ``Proof.frame``: number of children; whether the role moves; thresholds; the
child that is searched; expansions below; who moves."""


class Proof(NamedTuple):
    """A search that can be gone on with: a stack of frames, from the root down, and a table.

    D is the greatest depth, M the greatest number of moves, W the words of a state.

    Attributes:
        status: What is asked, and how far it has come.
        table: A line of the cache for each bucket of `PROBES` places. A place is two words: the
            hash of what stands there, 0 for nothing, whose lowest byte the bucket says already, so
            it has the effort in its place; and proof number and disproof number, 32 bits each.
        history: How often each move of each role decided for it.
        digest: A random word for each fact: the hash of a state is the sum of those that hold.
        state: State of each frame.
        frame: What else is known of it.
        frame_key: Hash of it.
        child_key: Hashes of its children.
        child: Their proof and disproof numbers.
        move: Moves to them.
        child_state: Their states, where there is memory for them.
        seen: Children by key, to find equal ones; a power of two.
        lane_state: States of all children.
        lane_key: Their hashes.
        over: Lanes in which the game is over.
        moves: Room for legal moves.
        only: Room for the only move of each role.
        lines: What brings roles their goals, for the order of children.
        replies: Room for a look at all replies to all children.
    """

    status: NDArray[np.int64]  # [10]
    table: NDArray[np.uint64]  # [2 places]
    history: NDArray[np.int64]  # [R, M]
    digest: NDArray[np.uint64]  # [64 W]
    state: NDArray[np.uint64]  # [D, W]
    frame: NDArray[np.int64]  # [D, 7]
    frame_key: NDArray[np.uint64]  # [D]
    child_key: NDArray[np.uint64]  # [D, M]
    child: NDArray[np.int64]  # [D, M, 2]
    move: NDArray[np.int64]  # [D, M]
    child_state: NDArray[np.uint64]  # [D, M, W] or [1, M, W]
    seen: NDArray[np.int64]  # [power of two]
    lane_state: NDArray[np.uint64]  # [M, W]
    lane_key: NDArray[np.uint64]  # [M]
    over: NDArray[np.uint64]  # [words of lanes]
    moves: NDArray[np.int64]  # [M]
    only: NDArray[np.int64]  # [R]
    lines: GoalLines
    replies: Replies


def make_proof(
    words: int,
    moves: int,
    lanes: int,
    *,
    roles: int = 2,
    bits: int = 20,
    lines: GoalLines | None = None,
) -> Proof:
    """Return an empty proof; the table has two to the power of ``bits`` places."""
    is_small = (DEEPEST + 2) * moves * words <= MOST_WORDS
    return Proof(
        status=np.zeros(10, np.int64),
        table=empty_table(bits),
        history=np.zeros((roles, moves), np.int64),
        digest=np.random.default_rng(1).integers(1, 1 << 64, 64 * words, np.uint64),
        state=np.zeros((DEEPEST + 2, words), np.uint64),
        frame=np.zeros((DEEPEST + 2, 7), np.int64),
        frame_key=np.zeros(DEEPEST + 2, np.uint64),
        child_key=np.zeros((DEEPEST + 2, moves), np.uint64),
        child=np.zeros((DEEPEST + 2, moves, 2), np.int64),
        move=np.zeros((DEEPEST + 2, moves), np.int64),
        child_state=np.zeros((DEEPEST + 2 if is_small else 1, moves, words), np.uint64),
        seen=np.zeros(1 << (4 * moves - 1).bit_length(), np.int64),
        lane_state=np.zeros((moves, words), np.uint64),
        lane_key=np.zeros(moves, np.uint64),
        over=np.zeros(max(1, lanes // WORD), np.uint64),
        moves=np.zeros(moves, np.int64),
        only=np.zeros(roles, np.int64),
        lines=lines or no_lines(words, roles),
        replies=make_replies(words, moves, lanes),
    )


def empty_table(bits: int) -> NDArray[np.uint64]:
    """Return a table of two to the power of ``bits`` places, in memory that nobody has touched."""
    return aligned(PLACE_BYTES << max(bits, LEAST_BITS)).view(np.uint64)


def second_stack(p: Proof) -> Proof:
    """Return a proof with a stack of its own; table, history and lines are those of another."""
    own = {name: np.zeros_like(getattr(p, name)) for name in (*STACK, "status")}
    return p._replace(**own)


@inlined
def bucket_of(p: Proof, key: Any) -> Any:
    """Return where in the table the bucket of a key begins."""
    return np.int64(key & np.uint64(len(p.table) // (2 * PROBES) - 1)) * (2 * PROBES)


@inlined
def place_of(p: Proof, key: Any) -> Any:
    """Return where in the table a key stands, or -1."""
    at = bucket_of(p, key)
    for place in range(at, at + 2 * PROBES, 2):
        if (p.table[place] ^ key) < EFFORTS and p.table[place] != ZERO:
            return place
    return np.int64(-1)


@inlined
def numbers_at(p: Proof, place: Any) -> Any:
    """Return proof number and disproof number of a place."""
    numbers = p.table[place + 1]
    return np.int64(numbers >> np.uint64(32)), np.int64(numbers & np.uint64(0xFFFFFFFF))


@inlined
def effort_of(expansions: int) -> Any:
    """Return a measure of expansions in a byte, never 0: eighths of their logarithm."""
    word = np.uint64(expansions)
    bits = bit_length(word)
    below = (word << np.uint64(3) >> np.uint64(bits - 1)) & np.uint64(7)
    return np.uint64(min(8 * bits, 248)) | below


@inlined
def store(p: Proof, key: Any, proof: int, disproof: int, expansions: int) -> None:
    """Write into the table, over what took the fewest expansions to find."""
    at = bucket_of(p, key)
    best = at
    for place in range(at, at + 2 * PROBES, 2):
        if p.table[place] == ZERO or (p.table[place] ^ key) < EFFORTS:
            best = place
            break
        if p.table[place] & LOWEST_BYTE < p.table[best] & LOWEST_BYTE:
            best = place
    p.table[best] = (key & ~LOWEST_BYTE) | effort_of(expansions)
    p.table[best + 1] = (np.uint64(proof) << np.uint64(32)) | np.uint64(disproof)


@inlined
def hash_of(p: Proof, state: Any) -> Any:
    """Return the hash of a state for the question that is asked.

    One table serves all questions: a proof holds for its role, goal and limit of plies alone.
    """
    status = p.status
    salt = (status[ROLE] * 1000 + status[GOAL] + 1) * 1000 + status[PLY_LIMIT]
    key = np.uint64(salt) * np.uint64(0x9E3779B97F4A7C15)
    for word in range(len(state)):
        held = state[word]
        while held != ZERO:
            key ^= p.digest[(word << 6) + lowest(held)]
            held &= held - ONE
    return key


@inlined
def hash_changes(p: Proof, depth: int, row: int) -> Any:
    """Return the hash of a child that stands in a row, from that of its frame."""
    key = p.frame_key[depth]
    for word in range(p.lane_state.shape[1]):
        changed = p.lane_state[row, word] ^ p.state[depth, word]
        while changed != ZERO:
            key ^= p.digest[(word << 6) + lowest(changed)]
            changed &= changed - ONE
    return key


@inlined
def is_repeated(p: Proof, depth: int, key: Any, kept: int, is_few: bool) -> Any:
    """Return whether a child of the same key is there already; if not, note this one."""
    if is_few:
        for i in range(kept):
            if p.child_key[depth, i] == key:
                return True
        return False
    mask = np.uint64(len(p.seen) - 1)
    at = (key >> np.uint64(7)) & mask
    while p.seen[at] >= 0:
        if p.child_key[depth, p.seen[at]] == key:
            return True
        at = (at + ONE) & mask
    p.seen[at] = kept
    return False


@inlined
def decide(p: Proof, depth: int, move: int, proof: int, disproof: int) -> None:
    """Keep of a frame one child alone, with these numbers: it says all of the frame."""
    p.move[depth, 0] = move
    p.child[depth, 0, 0] = proof
    p.child[depth, 0, 1] = disproof
    p.frame[depth, COUNT] = 1


# Expand -------------------------------------------------------------------------------------------


@inlined
def expand(p: Proof, w: Any, depth: int) -> int:
    """Expand the state of a frame: find its children and what is known of them.

    A frame that is decided by one child keeps that one alone, with its numbers; the search then
    finds the frame proven or disproven without a look at the others.
    """
    frame = p.frame[depth]
    frame[SPENT] = 1
    frame[CHOSEN] = -1
    p.status[EXPANSIONS] += 1
    load_state(w, p.state[depth])
    mover, n = find_moves(w, p.moves, p.only)
    if mover == STUCK:  # no goal is reached where play cannot go on
        frame[MINE] = 1
        p.status[EVER_LACKED] = 1
        decide(p, depth, 0, INFINITE, 0)
        return RUNNING
    if mover == SEVERAL:
        return REFUSED
    mover = max(mover, 0)  # where nobody has a choice, the first role makes its only move
    frame[MINE] = mover == p.status[ROLE]
    frame[MOVER] = mover
    frame[COUNT] = 0
    copies = reply_copies(w, mover, n)
    is_few = n <= FEW
    if is_few:
        sort_moves(p, mover, n)
    if not is_few:
        for i in range(len(p.seen)):
            p.seen[i] = -1
    # A lane plays one move, so all children of a state are made at once, or a vector of them after
    # the other. What is said of a part holds whatever the others are: one that is good enough for
    # the mover decides the frame, and none of the rest is made.
    lanes = vector_lanes(w)
    for begin in range(0, n, lanes):
        part = min(lanes, n - begin)
        if begin > 0:
            if w.halt[0] != 0:
                return BROKEN_OFF
            load_state(w, p.state[depth])  # the part before left its children there
        play_moves(w, mover, p.moves, p.only, begin, part, copies)
        move = ending_move(p, w, depth, begin, part)
        if move >= 0:  # what the mover wants: no other child counts
            won = 0 if frame[MINE] else INFINITE
            decide(p, depth, move, won, INFINITE - won)
            return RUNNING
        read_states(w, part, begin, p.state[depth], p.lane_state)
        # The table is far from the processor: what it knows of all children is asked for before
        # the replies are looked at, and has come when `keep_children` reads it.
        for row in range(begin, begin + part):
            p.lane_key[row] = key = hash_changes(p, depth, row)
            prefetch(p.table, bucket_of(p, key))
        refuted, answered = ZERO, ZERO
        if copies > 1:
            refuted, answered = look_at_replies(p, w, depth, mover, part)
        who = look_at_turns(p, w, depth, mover, part) if copies == 1 and part > 1 else NOBODY
        keep_children(p, depth, begin, part, refuted, answered, is_few, who)
    judge(p, depth)
    return RUNNING


@inlined
def sort_moves(p: Proof, mover: int, n: int) -> None:
    """Put moves that decided most often first: of children with equal numbers the first is taken.

    They are few, and mostly in order.
    """
    history = p.history[mover]
    for i in range(1, n):
        move = p.moves[i]
        k = i
        while k > 0 and history[p.moves[k - 1]] < history[move]:
            p.moves[k] = p.moves[k - 1]
            k -= 1
        p.moves[k] = move


@inlined
def reply_copies(w: Any, mover: int, n: int) -> Any:
    """Return how many replies to each of n children a vector of one word has room for, or 1."""
    if len(w.counts) != 2 or w.facts.shape[1] != 1 or n * w.counts[1 - mover] > WORD:
        return np.int64(1)
    return w.counts[1 - mover]


@inlined
def ending_move(p: Proof, w: Any, depth: int, begin: int, n: int) -> Any:
    """Return a move that ends the game as the mover wants, -1 where none of n lanes does.

    Which lanes have ended at all stays in ``Proof.over``, for the next look destroys it.
    """
    is_mine = p.frame[depth, MINE] != 0
    ending = np.int64(-1)
    for j in range((n + WORD - 1) // WORD):
        p.over[j] = over_word(w, j)
        ends = p.over[j]
        left = n - WORD * j
        if left < WORD:
            ends &= (ONE << np.uint64(left)) - ONE
        while ends != ZERO and ending < 0:
            lane = WORD * j + lowest(ends)
            ends &= ends - ONE
            value = goal(w, p.status[ROLE], lane)
            p.status[EVER_LACKED] |= value < 0
            if (value >= p.status[GOAL]) == is_mine:
                ending = p.moves[begin + lane]
    return ending


@inlined
def look_at_replies(p: Proof, w: Any, depth: int, mover: int, n: int) -> Any:
    """Return which of n children a reply decides: against the role that moves there, or for it.

    First those that a reply disproves where the role has moved; then those that a reply of the role
    proves where another one has.
    """
    ends = play_replies(w, 1 - mover, n) & over_word(w, 0)
    is_mine = p.frame[depth, MINE] != 0
    decided = ZERO
    while ends != ZERO:
        lane = lowest(ends)
        ends &= ends - ONE
        value = goal(w, p.status[ROLE], lane)
        p.status[EVER_LACKED] |= value < 0
        if (value >= p.status[GOAL]) != is_mine:
            decided |= ONE << np.uint64(lane % n)
    if is_mine:
        return decided, ZERO
    return ZERO, decided


@inlined
def look_at_turns(p: Proof, w: Any, depth: int, mover: int, n: int) -> Any:
    """Look at all replies to n children where a vector of several words has room for many.

    Returns who replies, `NOBODY` where nothing was looked at; see `look_ahead`.
    """
    if depth + 1 >= p.status[PLY_LIMIT] or not is_worth_it(p.replies, w):
        return np.int64(NOBODY)
    turn = depth
    while turn > 0 and p.frame[turn - 1, MOVER] == mover:
        turn -= 1
    who = look_ahead(p.replies, w, n, mover, p.state[turn], p.status[ROLE], p.status[GOAL])
    p.status[EVER_LACKED] |= p.replies.lacked[0]
    return who


@inlined
def keep_children(
    p: Proof,
    depth: int,
    begin: int,
    n: int,
    refuted: Any,
    answered: Any,
    is_few: bool,
    who: int,
) -> None:
    """Keep the children of n lanes that are open or proven, with what the table knows of them.

    Those that ended, and those that a reply refutes, are as if there were no such move. Where the
    replies of ``who`` were looked at, a child that threatens much is taken for nearly decided.
    """
    kept = p.frame[depth, COUNT]
    is_mine = p.frame[depth, MINE] != 0
    for lane in range(n):
        bit = np.uint64(lane & (WORD - 1))
        # An end that the mover wants has decided the frame before; any other is a child that he
        # loses by, and those stand for nothing: neither number of the frame counts them.
        if (p.over[lane >> 6] >> bit) & ONE or (refuted >> bit) & ONE:
            continue
        is_decided = who != NOBODY and (p.replies.decided[lane >> 6] >> bit) & ONE
        if is_decided and is_mine and who != p.status[ROLE]:
            continue
        key = p.lane_key[begin + lane]
        if is_repeated(p, depth, key, kept, is_few):
            continue
        proof, disproof = np.int64(1), np.int64(1)
        at = place_of(p, key)
        if at >= 0:
            proof, disproof = numbers_at(p, at)
        elif who != NOBODY:
            # The more ways the mover has to win there, the fewer replies meet them all: a child
            # that threatens much is nearly decided, and is looked at first.
            guess = UNTHREATENED // (1 + p.replies.threats[lane]) + 1
            proof, disproof = (guess, disproof) if is_mine else (proof, guess)
        # What was seen outweighs what the table guesses. The role that replies takes the reply
        # that decides: another one disproves by it, the role itself proves.
        if is_decided and who != p.status[ROLE]:
            proof, disproof = np.int64(INFINITE), np.int64(0)
        elif is_decided or (answered >> bit) & ONE:
            proof, disproof = np.int64(0), np.int64(INFINITE + 1)
        p.move[depth, kept] = p.moves[begin + lane]
        p.child_key[depth, kept] = key
        p.child[depth, kept, 0] = proof
        p.child[depth, kept, 1] = disproof
        if len(p.child_state) > 1:
            for i in range(p.lane_state.shape[1]):
                p.child_state[depth, kept, i] = p.lane_state[begin + lane, i]
        kept += 1
    p.frame[depth, COUNT] = kept


@inlined
def rank_children(p: Proof, depth: int) -> None:
    """Write how urgent each open child is in the place of the number that its mover makes small."""
    frame = p.frame[depth]
    a = 0 if frame[MINE] else 1
    for i in range(frame[COUNT]):
        child = p.child[depth, i]
        if child[0] == 0 or child[1] == 0:
            continue
        nearer: Any = np.int64(0)
        if len(p.child_state) > 1:
            nearer = advance(p.lines, frame[MOVER], p.state[depth], p.child_state[depth, i])
        child[a] = LEAST_URGENT - min(nearer, LEAST_URGENT >> 1)
        child[1 - a] = 1


@inlined
def judge(p: Proof, depth: int) -> None:
    """Decide a frame by what is known of its children, where that is enough.

    Of moves that are proven to win the shortest is kept; one move that is proven to refute is
    enough.
    """
    is_mine = p.frame[depth, MINE] != 0
    kept = p.frame[depth, COUNT]
    best = np.int64(-1)
    for i in range(kept):
        proof, disproof = p.child[depth, i, 0], p.child[depth, i, 1]
        if is_mine and proof == 0 and (best < 0 or disproof < p.child[depth, best, 1]):
            best = np.int64(i)
        if not is_mine and disproof == 0:
            best = np.int64(i)
            break
    if best >= 0:
        decide(p, depth, p.move[depth, best], p.child[depth, best, 0], p.child[depth, best, 1])
    elif kept == 0:  # every move is known to bring what the mover did not want
        won = INFINITE if is_mine else 0
        decide(p, depth, p.moves[0], won, INFINITE - won)
    elif depth + 1 >= p.status[PLY_LIMIT]:  # not proven within the limit
        p.status[EVER_CUT] |= p.status[PLY_LIMIT] >= DEEPEST
        decide(p, depth, p.move[depth, 0], INFINITE, 0)


# Select, and back up ------------------------------------------------------------------------------


@inlined
def plies_of(p: Proof, depth: int) -> Any:
    """Return the plies of a proof below a frame: the least of the role's moves, or all's most.

    The role takes the shortest proof, the others hold out as long as they can.
    """
    frame = p.frame[depth]
    plies = -1
    for i in range(frame[COUNT]):
        if p.child[depth, i, 0] == 0:
            these = p.child[depth, i, 1] - INFINITE
            is_better = these < plies if frame[MINE] else these > plies
            if plies < 0 or is_better:
                plies = these
    return plies


@inlined
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
        if at >= 0 and numbers_at(p, at)[0] == 0:
            proof, disproof = numbers_at(p, at)
        if proof == 0 and disproof - INFINITE < plies:
            best, plies = i, disproof - INFINITE
    return best


@inlined
def select(p: Proof, depth: int, a: int) -> Any:
    """Return what the children of a frame say of it, and the one to search next.

    ``a`` is which of a child's numbers the mover makes small: 0, the proof number, where the role
    moves, and 1, the disproof number, where another one does. The mover needs a single child, so of
    this number the least counts. Its opponent needs all, so of the other number (b) all count, in
    the weak form: the largest, and one for each other child that is still open.

    Returns the least of a, the second least, the child that has it, and the sum of b. Of equal
    children the one of the lower b is taken.
    """
    b = 1 - a
    least, second, best = INFINITE, INFINITE, 0
    largest, open_children = 0, 0
    for i in range(p.frame[depth, COUNT]):
        x, y = p.child[depth, i, a], p.child[depth, i, b]
        if x < least or (x == least and y < p.child[depth, best, b]):
            second, least, best = least, x, i
        elif x < second:
            second = x
        if y > 0:
            open_children += 1
            largest = max(largest, y)
    all_of_b = 0
    if least == 0:  # decided for the mover
        all_of_b = INFINITE
    elif open_children:
        all_of_b = min(INFINITE, largest + open_children - 1)
    if all_of_b == 0:  # decided against it
        least = INFINITE
    return least, second, best, all_of_b


@inlined
def enter(p: Proof, w: Any, depth: int, i: int) -> None:
    """Write the state of a child into the next frame; make it again where it was not kept."""
    if len(p.child_state) > 1:
        for word in range(p.state.shape[1]):
            p.state[depth + 1, word] = p.child_state[depth, i, word]
        return
    load_state(w, p.state[depth])
    mover, _n = find_moves(w, p.moves, p.only)
    p.moves[0] = p.move[depth, i]
    play_moves(w, max(mover, 0), p.moves, p.only, 0, 1, 1)
    read_states(w, 1, 0, p.state[depth], p.lane_state)
    for word in range(p.state.shape[1]):
        p.state[depth + 1, word] = p.lane_state[0, word]


@inlined
def descend(p: Proof, w: Any, depth: int, a: int) -> None:
    """Go down into the best child of a frame, with thresholds.

    It is searched until its a passes that of the second best by a quarter (the 1 + epsilon trick),
    or its b makes the frame pass the threshold of b.
    """
    _least, second, best, all_of_b = select(p, depth, a)
    frame = p.frame[depth]
    a_limit = p.frame[depth, DISPROOF_LIMIT if a else PROOF_LIMIT]
    b_limit = p.frame[depth, PROOF_LIMIT if a else DISPROOF_LIMIT]
    frame[CHOSEN] = best
    p.frame_key[depth + 1] = p.child_key[depth, best]
    below = p.frame[depth + 1]
    below[DISPROOF_LIMIT if a else PROOF_LIMIT] = min(a_limit, second + second // 4 + 1)
    below[PROOF_LIMIT if a else DISPROOF_LIMIT] = min(
        INFINITE, b_limit - all_of_b + p.child[depth, best, 1 - a]
    )
    if p.status[IS_DEEP] != 0:  # until it is decided, and no sooner
        below[DISPROOF_LIMIT] = below[PROOF_LIMIT] = INFINITE
    enter(p, w, depth, best)


@inlined
def finish(p: Proof, a: int, best: int, proof: int) -> int:
    """Write the answer of the root."""
    p.status[DEPTH] = -1
    p.status[IS_PROVEN] = 1 if proof == 0 else 0
    i = nearest_child(p) if proof == 0 and not a else best
    p.status[BEST_MOVE] = p.move[0, i]
    return FINISHED


@inlined
def back_up(p: Proof, depth: int, proof: int, disproof: int) -> None:
    """Keep the numbers of a frame, and give them to the child of the one above that it is."""
    spent = p.frame[depth, SPENT]
    store(p, p.frame_key[depth], proof, disproof, spent)
    i = p.frame[depth - 1, CHOSEN]
    p.child[depth - 1, i, 0] = proof
    p.child[depth - 1, i, 1] = disproof
    p.frame[depth - 1, SPENT] += spent


@entry
@lean
def prove(p: Proof, w: Any, expansions: int) -> int:
    """Go on with a search for at most so many expansions, or until it is told to halt.

    Returns how it ended; when finished, ``status[IS_PROVEN]`` is 1 or 0.

    Invariant at the head of the loop: the frames from 0 to ``depth`` are expanded (at the very
    start, the root is next), and each is the chosen child of the one above it, with the thresholds
    that this one gave it.
    """
    stop = p.status[EXPANSIONS] + expansions
    depth = p.status[DEPTH]
    if depth < 0:
        return FINISHED
    is_new = p.status[EXPANSIONS] == 0
    if is_new:
        p.frame[0, PROOF_LIMIT] = INFINITE
        p.frame[0, DISPROOF_LIMIT] = INFINITE
        p.frame_key[0] = hash_of(p, p.state[0])
    while p.status[EXPANSIONS] < stop and w.halt[0] == 0:
        if not is_new:
            frame = p.frame[depth]
            a = 0 if frame[MINE] else 1
            least, _second, best, all_of_b = select(p, depth, a)
            proof = all_of_b if a else least
            disproof = least if a else all_of_b
            if proof == 0:
                disproof = INFINITE + 1 + plies_of(p, depth)
            is_decided = proof == 0 or disproof == 0
            if is_decided or proof >= frame[PROOF_LIMIT] or disproof >= frame[DISPROOF_LIMIT]:
                # Back to the parent: decided, or somewhere else lies a more proving node.
                if depth == 0:
                    return finish(p, a, best, proof)
                if least == 0 and frame[COUNT] > 1:
                    p.history[p.frame[depth, MOVER], p.move[depth, best]] += 1
                back_up(p, depth, proof, disproof)
                depth -= 1
                continue
            descend(p, w, depth, a)
            depth += 1
            p.status[DEPTH] = depth
        is_new = False
        code = expand(p, w, depth)
        if code == BROKEN_OFF:  # to be done anew, from the frame above
            p.status[EXPANSIONS] -= 1
            depth = max(depth - 1, 0)
            break
        if code == RUNNING and p.status[IS_DEEP] != 0:
            if p.status[EVER_CUT] != 0:  # nothing that rests on it was kept
                code = TOO_DEEP
            else:
                rank_children(p, depth)
        if code != RUNNING:
            return code
    p.status[DEPTH] = depth
    return RUNNING
