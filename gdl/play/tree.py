"""The search tree of a compiled game in arrays, and the loop that grows it.

Each simulation walks down by UCB, plays a new node's children in the lanes (`gdl.play.lanes`:
all children at once, those that end the game known exactly, the others played to the end some
hundred times together), and carries the mean back. What is proven goes up too: every node has
bounds on the goal of each role, and nodes whose bounds meet are never looked at again. States met
on different ways are one node.

With RAVE an edge also learns from simulations in which its move was made later by the same role: in
the tree, as the first of the playouts of the new node, or in a playout that tells its moves
(`gdl.play.scalar_playout`). With GRAVE a node that was seen too seldom takes this record of the
nearest node above it in which the same role chooses and which was seen often enough; RAVE is GRAVE
with no such number.

Source: Kocsis and Szepesvari, "Bandit Based Monte-Carlo Planning", 2006; Winands, Bjornsson and
Saito, "Monte-Carlo Tree Search Solver", 2008; Cazenave and Saffidine, "Score Bounded Monte-Carlo
Tree Search", 2010; Childs, Brodeur and Kocsis, "Transpositions and Move Groups in Monte Carlo Tree
Search", 2008; Gelly and Silver, "Monte-Carlo Tree Search and Rapid Action Value Estimation in
Computer Go", 2011 (RAVE, and the weight of both records); Cazenave, "Generalized Rapid Action Value
Estimation", IJCAI 2015 (GRAVE). For more than two roles each maximises its own goal (max-n;
Sturtevant, 2008).
"""

# numba finds the types
from __future__ import annotations

from math import log, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.play.jit import compiled, lowest
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
    play_out,
    step,
    take,
    take_all,
)
from gdl.play.scalar_playout import NO_GAME, Single, play_single

NONE: Final = -1
"""No node yet."""
LONGEST: Final = 4096
"""Plies of a walk from the root."""
NODES, EDGES, PLAYOUTS = 0, 1, 2
"""Places of ``Tree.used``."""

DONE, FULL, SOLVED, NOT_SEQUENTIAL, HALTED = 0, 1, 2, 3, 4
"""How a call of `search` ended."""


class Knobs(NamedTuple):
    """What decides how the tree grows.

    Attributes:
        c: Weight of exploration, goals counted from 0 to 1.
        prior: Weight of what the parent's playouts said of a move, in visits.
        smooth: Playouts by which that is drawn to the parent's mean.
        is_constant: Whether the goals of the two roles always have the same sum.
        total: That sum.
        grave: Visits that a node needs for its own record of later moves to count; below 0 for a
            search without such records.
        bias: How fast a move's own record outweighs that of later moves: four times the square of
            their bias, goals counted from 0 to 1.
    """

    c: float
    prior: float
    smooth: float
    is_constant: bool
    total: float
    grave: int
    bias: float


class Tree(NamedTuple):
    """A tree; a node's edges stand one after the other.

    Attributes:
        used: Nodes, edges, playouts so far, ``int64[3]``.
        state: Facts of each node, ``uint64[nodes, words]``.
        mover: Who chooses there.
        first: First edge.
        branches: Number of edges, 0 where the game is over.
        visits: Simulations that came through.
        mean: Mean goals of the first playouts, ``float32[nodes, roles]``.
        low: Proven lower bound of each role's goal; ``high`` likewise.
        distance: Plies to the end under best play, where solved.
        move: Of an edge: number of the move.
        child: Node it leads to, `NONE` if not yet made.
        tries: Simulations that took it.
        won: Sum of the mover's goals over these.
        seen: Playouts of the parent that began with it.
        luck: Sum of the mover's goals over these.
        least: Proven bounds of the mover's goal after it; ``most`` likewise.
        later: Simulations through the node in which its move was made here or later; of length 1
            in a tree without such records.
        gain: Sum of the mover's goals over these.
        table: Nodes by hash of the state.
    """

    used: NDArray[np.int64]
    state: NDArray[np.uint64]
    mover: NDArray[np.int32]
    first: NDArray[np.int64]
    branches: NDArray[np.int32]
    visits: NDArray[np.int64]
    mean: NDArray[np.float32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    distance: NDArray[np.int32]
    move: NDArray[np.int32]
    child: NDArray[np.int32]
    tries: NDArray[np.int32]
    won: NDArray[np.float32]
    seen: NDArray[np.float32]
    luck: NDArray[np.float32]
    least: NDArray[np.float32]
    most: NDArray[np.float32]
    later: NDArray[np.float32]
    gain: NDArray[np.float32]
    table: NDArray[np.int32]


def make_tree(words: int, roles: int, *, nodes: int, edges: int, is_recorded: bool = False) -> Tree:
    """Return an empty tree, with records of later moves or not.

    Memory is only taken when it is written.
    """
    records = edges if is_recorded else 1
    size = 1 << (2 * nodes - 1).bit_length()
    return Tree(
        used=np.zeros(3, np.int64),
        state=np.empty((nodes, words), np.uint64),
        mover=np.empty(nodes, np.int32),
        first=np.empty(nodes, np.int64),
        branches=np.empty(nodes, np.int32),
        visits=np.empty(nodes, np.int64),
        mean=np.empty((nodes, roles), np.float32),
        low=np.empty((nodes, roles), np.float32),
        high=np.empty((nodes, roles), np.float32),
        distance=np.empty(nodes, np.int32),
        move=np.empty(edges, np.int32),
        child=np.empty(edges, np.int32),
        tries=np.empty(edges, np.int32),
        won=np.empty(edges, np.float32),
        seen=np.empty(edges, np.float32),
        luck=np.empty(edges, np.float32),
        least=np.empty(edges, np.float32),
        most=np.empty(edges, np.float32),
        later=np.empty(records, np.float32),
        gain=np.empty(records, np.float32),
        table=np.full(size, NONE, np.int32),
    )


@compiled
def find(t: Tree, state: Any) -> Any:
    """Return the node of a state, or ``-2 - place`` in the table where it belongs."""
    mask = np.uint64(len(t.table) - 1)
    at = hash_of(state) & mask
    while True:
        node = t.table[at]
        if node == NONE:
            return -2 - np.int64(at)
        same = True
        for i in range(len(state)):
            if t.state[node, i] != state[i]:
                same = False
                break
        if same:
            return np.int64(node)
        at = (at + ONE) & mask


@compiled
def new_node(t: Tree, w: Any) -> int:
    """Return a node of which nothing is known."""
    node = int(t.used[NODES])
    t.used[NODES] += 1
    t.branches[node] = 0
    t.first[node] = t.used[EDGES]
    t.visits[node] = 0
    t.distance[node] = 0
    for r in range(t.low.shape[1]):
        t.low[node, r] = w.worst[r]
        t.high[node, r] = w.best[r]
        t.mean[node, r] = w.worst[r]
    return node


@compiled
def is_solved(t: Tree, node: int) -> bool:
    """Return whether the goals of all roles are proven."""
    for r in range(t.low.shape[1]):
        if t.low[node, r] < t.high[node, r]:
            return False
    return True


@compiled
def ended_node(t: Tree, w: Any, lane: int) -> int:
    """Return a node for the state of a lane in which the game is over."""
    node = new_node(t, w)
    for r in range(t.low.shape[1]):
        value = max(float(goal(w, r, lane)), w.worst[r])
        t.low[node, r] = value
        t.high[node, r] = value
        t.mean[node, r] = value
    return node


@compiled
def lane_goals(w: Any, role: int, value: Any, planes: int) -> None:
    """Write each lane's goal of a role after `play_out`; -1 for none, lanes over included."""
    words = len(w.live)
    width = w.widths[role]
    for j in range(words):
        for place in range(64):
            value[64 * j + place] = -1.0
        for index in range(1, w.first_goal[role + 1] - w.first_goal[role] + 1):
            mask = ~ZERO
            for bit in range(width):
                plane = w.planes[planes + bit, j]
                mask &= plane if (index >> bit) & 1 else ~plane
            points = float(w.indexed[role, index])
            while mask != ZERO:
                place = lowest(mask)
                mask &= mask - ONE
                value[64 * j + place] = points


@compiled
def judge(w: Any, state: Any, value: Any, means: Any) -> Any:
    """Write the mean goal of each role over playouts from a state; False if there are none."""
    look(w, state)
    if not play_out(w, len(value)):
        return False
    planes = 0
    for r in range(len(means)):
        lane_goals(w, r, value, planes)
        planes += w.widths[r]
        total, counted = 0.0, 0.0
        for points in value:
            if points >= 0.0:
                total += points
                counted += 1.0
        means[r] = total / counted if counted > 0.0 else 0.5 * (w.best[r] + w.worst[r])
    return True


@compiled
def known_edge(seen: Any, keys: Any, key: Any, kept: int) -> Any:
    """Return which edge leads to the same state, `NONE` if none did; then it is the next one."""
    mask = np.uint64(len(seen) - 1)
    at = (key >> np.uint64(7)) & mask
    while seen[at] != NONE:
        if keys[seen[at]] == key:
            return seen[at]
        at = (at + ONE) & mask
    seen[at] = kept
    keys[kept] = key
    return np.int64(NONE)


@compiled
def expand(t: Tree, w: Any, node: int, moves: Any, value: Any, can_play: bool) -> int:
    """Give a node its edges, what is known and what chance says of them. Return how it ended.

    Of moves that lead to the same state the first stands for all.
    """
    look(w, t.state[node])
    roles = t.low.shape[1]
    if is_over(w, 0):
        for r in range(roles):
            points = max(float(goal(w, r, 0)), w.worst[r])
            t.low[node, r] = points
            t.high[node, r] = points
            t.mean[node, r] = points
        return DONE
    mover = mover_of(w)
    if mover == STUCK:
        for r in range(roles):
            t.low[node, r] = w.worst[r]
            t.high[node, r] = w.worst[r]
        return DONE
    if mover < NOBODY:
        return NOT_SEQUENTIAL
    mover = max(mover, 0)
    n = legal_moves(w, mover, moves)
    if t.used[EDGES] + n > len(t.move) or t.used[NODES] + n >= len(t.branches):
        return FULL
    first = t.used[EDGES]
    t.used[EDGES] += n
    t.mover[node] = mover
    t.first[node] = first
    lanes = len(w.live) * 64
    states = np.empty((min(n, lanes), t.state.shape[1]), np.uint64)
    block = np.empty(64, np.uint64)
    size = 64
    while size < 3 * n:
        size *= 2
    seen = np.full(size, NONE, np.int64)
    keys = np.empty(n, np.uint64)
    edge_of = np.empty(min(n, lanes), np.int64)
    kept = 0
    sums = np.zeros(roles)
    counted = np.zeros(roles)
    for begin in range(0, n, lanes):
        part = min(lanes, n - begin)
        if begin > 0:
            look(w, t.state[node])
        step(w, mover, moves, begin, part)
        take_all(w, part, block, states)
        for k in range(part):
            if not is_over(w, k):
                key = hash_of(states[k])
                same = known_edge(seen, keys, key, kept)
                if same >= 0:
                    edge_of[k] = first + same
                    continue
            edge = first + kept
            edge_of[k] = edge
            kept += 1
            t.move[edge] = moves[begin + k]
            t.child[edge] = NONE
            t.tries[edge] = 0
            t.won[edge] = 0.0
            t.seen[edge] = 0.0
            t.luck[edge] = 0.0
            t.least[edge] = w.worst[mover]
            t.most[edge] = w.best[mover]
            if len(t.later) > 1:
                t.later[edge] = 0.0
                t.gain[edge] = 0.0
            if is_over(w, k):
                child = ended_node(t, w, k)
                t.child[edge] = child
                t.least[edge] = t.low[child, mover]
                t.most[edge] = t.low[child, mover]
        if can_play:
            play_out(w, lanes)
            if w.halt[0] != 0:
                t.used[EDGES] = first
                return HALTED
            t.used[PLAYOUTS] += lanes
            planes = 0
            for r in range(roles):
                lane_goals(w, r, value, planes)
                planes += w.widths[r]
                for j in range(lanes // 64):
                    over = w.terminal[j]
                    for place in range(64):
                        lane = 64 * j + place
                        edge = edge_of[lane % part]
                        points = value[lane]
                        if (over >> np.uint64(place)) & ONE:
                            points = t.low[t.child[edge], r]
                        if points >= 0.0:
                            sums[r] += points
                            counted[r] += 1.0
                            if r == mover:
                                t.seen[edge] += 1.0
                                t.luck[edge] += points
    t.branches[node] = kept
    t.used[EDGES] = first + kept
    for r in range(roles):
        if counted[r] > 0.0:
            t.mean[node, r] = sums[r] / counted[r]
        else:
            t.mean[node, r] = 0.5 * (w.best[r] + w.worst[r])
    return DONE


@compiled
def tighten_others(t: Tree, w: Any, node: int, low: float) -> bool:
    """Derive the bounds of all roles but the mover; return whether they changed.

    The mover may take any move that may be best for it, and between equals nobody knows which.
    Where its own goal is known, the others expect the mean over these moves.
    """
    first, n = t.first[node], t.branches[node]
    r = t.mover[node]
    changed = False
    for q in range(t.low.shape[1]):
        if q == r:
            continue
        least, most = w.best[q], w.worst[q]
        total, counted = 0.0, 0.0
        for edge in range(first, first + n):
            if t.most[edge] < low:
                continue
            child = t.child[edge]
            if child == NONE:
                least, most = w.worst[q], w.best[q]
                continue
            least = min(least, t.low[child, q])
            most = max(most, t.high[child, q])
            counted += 1.0
            is_known = t.low[child, q] >= t.high[child, q]
            total += t.low[child, q] if is_known else t.mean[child, q]
        if least > t.low[node, q] or most < t.high[node, q]:
            changed = True
            t.low[node, q] = max(least, t.low[node, q])
            t.high[node, q] = min(most, t.high[node, q])
        if counted > 0.0 and t.low[node, r] >= t.high[node, r]:
            t.mean[node, q] = total / counted
    return changed


@compiled
def tighten(t: Tree, k: Knobs, w: Any, node: int) -> bool:
    """Derive a node's bounds from those of its edges; return whether they changed."""
    first, n = t.first[node], t.branches[node]
    if n == 0:
        return False
    r = t.mover[node]
    low = t.least[first]
    high = t.most[first]
    for edge in range(first, first + n):
        low = max(low, t.least[edge])
        high = max(high, t.most[edge])
    roles = t.low.shape[1]
    changed = bool(low > t.low[node, r] or high < t.high[node, r])
    t.low[node, r] = max(low, t.low[node, r])
    t.high[node, r] = min(high, t.high[node, r])
    if roles == 2 and k.is_constant:
        t.low[node, 1 - r] = k.total - t.high[node, r]
        t.high[node, 1 - r] = k.total - t.low[node, r]
    elif roles > 1 and tighten_others(t, w, node, low):
        changed = True
    if changed and t.low[node, r] >= t.high[node, r]:
        measure(t, node, t.low[node, r])
    return changed


@compiled
def measure(t: Tree, node: int, value: float) -> None:
    """Write how far the end is from a solved node: a winner hurries, a loser does not."""
    shortest, longest = 1 << 30, 0
    r = t.mover[node]
    reached = t.mean[node, r] * 0.0 + value
    for edge in range(t.first[node], t.first[node] + t.branches[node]):
        child = t.child[edge]
        if child != NONE and t.least[edge] == t.most[edge] and t.least[edge] == reached:
            shortest = min(shortest, t.distance[child])
        if child != NONE:
            longest = max(longest, t.distance[child])
    t.distance[node] = 1 + (shortest if value > 50.0 else longest)


@compiled
def recall(t: Tree, node: int, other: int, memory: Any) -> None:
    """Write the record of later moves that counts at a node: its own, or that of another node.

    ``memory[number of the move]`` is how often it was made and the sum of the goals.
    """
    first, n = t.first[node], t.branches[node]
    if node != other:
        for edge in range(first, first + n):
            memory[t.move[edge], 0] = 0.0
            memory[t.move[edge], 1] = 0.0
        first, n = t.first[other], t.branches[other]
    for edge in range(first, first + n):
        memory[t.move[edge], 0] = t.later[edge]
        memory[t.move[edge], 1] = t.gain[edge]


@compiled
def select(t: Tree, k: Knobs, node: int, memory: Any) -> int:
    """Return the open edge with the highest upper bound, `NONE` where all are closed.

    The record of later moves is mixed in where there is one; see `recall`.
    """
    first, n = t.first[node], t.branches[node]
    r = t.mover[node]
    mean = t.mean[node, r]
    bound = t.low[node, r]
    spread = k.c * 100.0 * sqrt(log(float(t.visits[node]) + 2.0))
    best, best_score = NONE, -1e30
    for edge in range(first, first + n):
        if t.least[edge] >= t.most[edge] or t.most[edge] <= bound:
            continue
        prior = (t.luck[edge] + k.smooth * mean) / (t.seen[edge] + k.smooth)
        weight = t.tries[edge] + k.prior
        value = (t.won[edge] + k.prior * prior) / weight
        if k.grave >= 0:
            count = memory[t.move[edge], 0]
            if count > 0.0:
                share = count / (count + weight + k.bias * count * weight)
                value += share * (memory[t.move[edge], 1] / count - value)
        score = value + spread / sqrt(weight)
        if score > best_score:
            best, best_score = edge, score
    return best


@compiled
def descend(t: Tree, w: Any, node: int, edge: int, child_state: Any, one: Any) -> Any:
    """Write the state after an edge; return its node, or where in the table it belongs."""
    look(w, t.state[node])
    one[0] = t.move[edge]
    step(w, t.mover[node], one, 0, 1)
    take(w, 0, child_state)
    return find(t, child_state)


@compiled
def add_root(t: Tree, w: Any, k: Knobs, state: Any) -> Any:
    """Return the node of a state, made if need be; ``-2 - code`` if it cannot be."""
    found = find(t, state)
    if found >= 0:
        return found
    if t.used[NODES] >= len(t.branches):
        return -2 - FULL
    node = new_node(t, w)
    t.state[node, :] = state
    value = np.empty(len(w.live) * 64)
    moves = np.empty(np.max(w.counts), np.int64)
    code = expand(t, w, node, moves, value, True)
    if code != DONE:
        t.used[NODES] -= 1
        return -2 - code
    t.table[-2 - found] = node
    t.visits[node] = 1
    tighten(t, k, w, node)
    return node


@compiled
def hear_leaf(t: Tree, leaf: int, tick: int, heard: Any, told: Any) -> None:
    """Note the first moves of the playouts of a new node, each with its mean."""
    r = t.mover[leaf]
    for edge in range(t.first[leaf], t.first[leaf] + t.branches[leaf]):
        if t.seen[edge] > 0.0:
            heard[r, t.move[edge]] = tick
            told[r, t.move[edge]] = t.luck[edge] / t.seen[edge]


@compiled
def hear_edge(
    t: Tree, node: int, edge: int, value: float, tick: int, heard: Any, told: Any
) -> None:
    """Note the move that was made at a node; tell its edges all that were made from there on."""
    r = t.mover[node]
    heard[r, t.move[edge]] = tick
    told[r, t.move[edge]] = value
    for other in range(t.first[node], t.first[node] + t.branches[node]):
        if heard[r, t.move[other]] == tick:
            t.later[other] += 1.0
            t.gain[other] += told[r, t.move[other]]


@compiled
def play_leaf(t: Tree, s: Single, nodes: Any, edges: Any, depth: int, path: Any, goals: Any) -> Any:
    """Play one game to the end from where a walk has led; return how many moves were drawn."""
    for i in range(depth):
        path[i, 0] = t.mover[nodes[i]]
        path[i, 1] = t.move[edges[i]]
    t.used[PLAYOUTS] += 1
    return play_single(s, path, depth, goals)


@compiled
def search(t: Tree, w: Any, s: Single, k: Knobs, root: int, simulations: int) -> int:
    """Run simulations from a node, until it is told to halt. Return how it ended.

    Where there is a game to be played one at a time (``s.at`` is not 0), it begins at the root, and
    new nodes are judged by one playout of it; else by a vector of playouts.
    """
    roles = t.low.shape[1]
    is_sum = roles == 1 or k.is_constant  # the mover's bounds then say all
    widest = np.max(w.counts)
    nodes = np.empty(LONGEST, np.int64)
    edges = np.empty(LONGEST, np.int64)
    value = np.empty(len(w.live) * 64)
    moves = np.empty(widest, np.int64)
    one = np.zeros(1, np.int64)
    child_state = np.empty(t.state.shape[1], np.uint64)
    memory = np.zeros((widest, 2))
    heard = np.full((roles, widest), -1, np.int64)
    told = np.zeros((roles, widest))
    known = np.empty(roles, np.int64)
    path = np.empty((LONGEST if s.at != 0 else 1, 2), np.int64)
    goals = np.empty(roles)
    for tick in range(simulations):
        if w.halt[0] != 0:
            return HALTED
        if t.low[root, t.mover[root]] >= t.high[root, t.mover[root]]:
            return SOLVED
        node, depth = root, 0
        is_new = False
        known[:] = NONE
        drawn = 0
        while not is_solved(t, node) and depth < LONGEST:
            if k.grave >= 0:
                r = t.mover[node]
                if known[r] == NONE or t.visits[node] >= k.grave:
                    known[r] = node
                recall(t, node, known[r], memory)
            edge = select(t, k, node, memory)
            if edge == NONE:
                break
            nodes[depth] = node
            edges[depth] = edge
            depth += 1
            child = t.child[edge]
            if child == NONE:
                found = descend(t, w, node, edge, child_state, one)
                if found >= 0:
                    child = found
                    t.child[edge] = child
                else:
                    if t.used[NODES] + 1 >= len(t.branches):
                        return FULL
                    child = new_node(t, w)
                    t.state[child, :] = child_state
                    code = expand(t, w, child, moves, value, s.at == 0)
                    if code != DONE:
                        t.used[NODES] -= 1
                        return code
                    t.table[-2 - found] = child
                    t.child[edge] = child
                    tighten(t, k, w, child)
                    node = child
                    is_new = True
                    break
            node = child
        if is_new and s.at != 0 and not is_solved(t, node):
            drawn = play_leaf(t, s, nodes, edges, depth, path, goals)
            for r in range(roles):
                if drawn != NO_GAME and goals[r] >= 0.0:
                    t.mean[node, r] = goals[r]
        t.visits[node] += 1
        changed = True
        leaf = node
        solved = is_solved(t, leaf)
        if k.grave >= 0:
            for i in range(drawn - 1, -1, -1):
                r, number = s.made[i, 0], s.made[i, 1]
                heard[r, number] = tick
                told[r, number] = t.mean[leaf, r]
            if is_new and not solved:
                hear_leaf(t, leaf, tick, heard, told)
        for i in range(depth - 1, -1, -1):
            node, edge = nodes[i], edges[i]
            r = t.mover[node]
            is_known = t.low[leaf, r] >= t.high[leaf, r]
            reached = t.low[leaf, r] if is_known else t.mean[leaf, r]
            t.visits[node] += 1
            t.tries[edge] += 1
            t.won[edge] += reached
            if k.grave >= 0:
                hear_edge(t, node, edge, reached, tick, heard, told)
            if changed or not is_sum:
                child = t.child[edge]
                low, high = t.low[child, r], t.high[child, r]
                is_moved = low > t.least[edge] or high < t.most[edge]
                if is_moved:
                    t.least[edge] = max(low, t.least[edge])
                    t.most[edge] = min(high, t.most[edge])
                changed = (is_moved or (changed and not is_sum)) and tighten(t, k, w, node)
        if not is_new and depth == 0:
            return SOLVED
    return DONE
