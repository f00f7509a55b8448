"""Monte-Carlo tree search by machine code: select, expand, evaluate, back up.

Each simulation walks down from the root by upper confidence bounds until it leaves the tree; the
new node gets an edge for each move; it is judged by random playouts; and what they say is carried
back along the way. What is proven goes up as well (`gdl.play.bounds`), and where bounds meet nobody
walks any more.

A new node is judged by hundreds of playouts at once (`gdl.play.lanes`): the lanes begin in all of
its children, those in which the game is over count exactly, the others are played to their end. So
one simulation gives the value of the node and a first opinion of each of its moves. Where there is
a network it judges each child as well; the best of them is the value of the node, and both opinions
are mixed.

Source: Kocsis and Szepesvari, "Bandit Based Monte-Carlo Planning", 2006; Browne et al., "A Survey
of Monte Carlo Tree Search Methods", 2012 (the four steps); Gelly and Silver, "Monte-Carlo Tree
Search and Rapid Action Value Estimation in Computer Go", 2011 (priors as visits, the weight of
AMAF); Silver et al., "Mastering the Game of Go with Deep Neural Networks and Tree Search", 2016 (a
value network and playouts mixed at leaves). For more than two roles each maximises its own goal
(max-n; Sturtevant, 2008).
"""

# numba finds the types
from __future__ import annotations

from math import log, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import compiled, entry, lowest, ones
from gdl.play.amaf import Heard, back_up_amaf, hear, hear_leaf, make_heard, read_record
from gdl.play.bounds import update_bounds
from gdl.play.final_position_amaf import hear_final_positions
from gdl.play.lanes import (
    NOBODY,
    ONE,
    STUCK,
    ZERO,
    goal_count,
    hash_of,
    is_over,
    lane_count,
    lanes_with,
    legal_moves,
    load_state,
    most_moves,
    mover_of,
    over_word,
    play_out,
    read_state,
    read_states,
    step,
)
from gdl.play.look_ahead import find_decided, is_worth_it
from gdl.play.scalar_playout import NO_GAME, ScalarTables, play_scalar
from gdl.play.tree import (
    EDGES,
    NODES,
    NONE,
    PLAYOUTS,
    Tree,
    find,
    is_solved,
    new_edge,
    new_node,
    set_final,
    set_state,
)
from gdl.play.value_network import best_stride, judge

LONGEST: Final = 4096
"""Plies of a walk from the root."""
JUDGED: Final = 256.0
"""Playouts that the word of a network on a move counts for."""
UNSAID: Final = -1e30
"""In place of what a network says, where it was not asked."""

WIDE: Final = 64
"""Moves of a node above which all replies to them are looked at, see `look_at_replies`."""
LOOKED_AT: Final = 8
"""Visits of such a node at which that is done."""

DONE, FULL, SOLVED, NOT_SEQUENTIAL, HALTED = 0, 1, 2, 3, 4
"""How a call of `search` ended."""


class SearchParams(NamedTuple):
    """What decides how the tree grows.

    Attributes:
        c: Weight of exploration, goals counted from 0 to 1.
        prior_weight: Visits that the parent's playouts of a move count for.
        prior_smoothing: Playouts at the parent's mean that are added to them.
        is_constant_sum: Whether the goals of the two roles always have the same sum.
        goal_sum: That sum.
        grave_visits: Visits that a node needs for its own AMAF record to count (GRAVE's ``ref``);
            below 0 for a search without such records.
        rave_bias: How fast a move's own visits outweigh its AMAF record: four times the square of
            the bias of the record, goals counted from 0 to 1.
    """

    c: float
    prior_weight: float
    prior_smoothing: float
    is_constant_sum: bool
    goal_sum: float
    grave_visits: int
    rave_bias: float


class Scratch(NamedTuple):
    """Room that all simulations of a call use in turn; L is the number of lanes.

    Attributes:
        nodes: The way down: the nodes that were left.
        edges: The edges taken there.
        lane_edges: Edge that each lane stands for.
        moves: Legal moves of a role, by number.
        one_move: Room for a single one.
        child_state: A state.
        record: The AMAF record that counts at a node, see `read_record`.
        heard: The moves of this simulation.
        reference: For each role the node whose record counts, so far on the way down.
        path: The way down as role and move, for a playout that is told.
        goals: Goals of such a playout.
    """

    nodes: NDArray[np.int64]  # [LONGEST]
    edges: NDArray[np.int64]  # [LONGEST]
    lane_edges: NDArray[np.int64]  # [L]
    moves: NDArray[np.int64]  # [M]
    one_move: NDArray[np.int64]  # [1]
    child_state: NDArray[np.uint64]  # [W]
    record: NDArray[np.float64]  # [M, 2]
    heard: Heard
    reference: NDArray[np.int64]  # [R]
    path: NDArray[np.int64]  # [LONGEST, 2]
    goals: NDArray[np.float64]  # [R]


@compiled
def make_scratch(tree: Tree, game: Any, scalar: ScalarTables) -> Any:
    """Return room for simulations."""
    roles = tree.lower.shape[1]
    widest = most_moves(game)
    return Scratch(
        np.empty(LONGEST, np.int64),
        np.empty(LONGEST, np.int64),
        np.empty(lane_count(game), np.int64),
        np.empty(widest, np.int64),
        np.zeros(1, np.int64),
        np.empty(tree.state.shape[1], np.uint64),
        np.zeros((widest, 2)),
        make_heard(roles, widest),
        np.empty(roles, np.int64),
        np.empty((LONGEST if scalar.at != 0 else 1, 2), np.int64),
        np.empty(roles),
    )


# Select -------------------------------------------------------------------------------------------


@compiled
def select_edge(tree: Tree, params: SearchParams, node: int, record: Any) -> int:
    """Return the open edge with the highest upper confidence bound, `NONE` where all are closed.

    An edge is closed where its value is proven, or where it cannot bring more than the mover is
    sure of already: no visit could change what is known of the node.
    """
    first, n = tree.first_edge[node], tree.edge_count[node]
    r = tree.mover[node]
    mean = tree.raw_value[node, r]
    sure = tree.lower[node, r]
    spread = params.c * 100.0 * sqrt(log(float(tree.visits[node]) + 2.0))
    best, best_score = NONE, -1e30
    for edge in range(first, first + n):
        if tree.edge_lower[edge] >= tree.edge_upper[edge] or tree.edge_upper[edge] <= sure:
            continue
        # The parent's playouts of a move stand for its first visits. A few of them say little, so
        # they are drawn to the mean of all; no move has to be tried before it has a value.
        prior = (tree.prior_total[edge] + params.prior_smoothing * mean) / (
            tree.prior_visits[edge] + params.prior_smoothing
        )
        weight = tree.edge_visits[edge] + params.prior_weight
        value = (tree.edge_total[edge] + params.prior_weight * prior) / weight
        if params.grave_visits >= 0:
            count = record[tree.move[edge], 0]
            if count > 0.0:
                # Weight of least mean squared error between an unbiased estimate of so many
                # samples and a biased one (Gelly and Silver, section 5).
                share = count / (count + weight + params.rave_bias * count * weight)
                value += share * (record[tree.move[edge], 1] / count - value)
        score = value + spread / sqrt(weight)
        if score > best_score:
            best, best_score = edge, score
    return best


@compiled
def select(tree: Tree, params: SearchParams, node: int, scratch: Scratch) -> int:
    """Return the edge to follow from a node, `NONE` where there is none worth it."""
    if params.grave_visits >= 0:
        r = tree.mover[node]
        if scratch.reference[r] == NONE or tree.visits[node] >= params.grave_visits:
            scratch.reference[r] = node
        read_record(tree, node, scratch.reference[r], scratch.record)
    return select_edge(tree, params, node, scratch.record)


# Expand, and evaluate in lanes --------------------------------------------------------------------


@compiled
def follow(tree: Tree, game: Any, node: int, edge: int, scratch: Scratch) -> Any:
    """Write the state after an edge; return its node, or where in the table it belongs."""
    load_state(game, tree.state[node])
    scratch.one_move[0] = tree.move[edge]
    step(game, np.int64(tree.mover[node]), scratch.one_move, 0, 1)
    read_state(game, 0, scratch.child_state)
    return find(tree, scratch.child_state)


@compiled
def set_stuck(tree: Tree, game: Any, node: int) -> None:
    """Give a node in which play cannot go on, and has no end, the worst goal of every role."""
    for r in range(tree.lower.shape[1]):
        tree.lower[node, r] = game.worst[r]
        tree.upper[node, r] = game.worst[r]


@compiled
def empty_edge_table(n: int) -> Any:
    """Return room for `edge_of_key` to note n edges, at most a third full: look-ups end at once."""
    size = 64
    while size < 3 * n:
        size *= 2
    edge_of = np.empty(size, np.int64)
    for i in range(size):
        edge_of[i] = NONE
    return edge_of


@compiled
def edge_of_key(edge_of: Any, keys: Any, key: Any, kept: int) -> Any:
    """Return which edge leads to a state of the same key; if none does, `NONE`.

    Then the next edge, ``kept``, is noted as the one that does.
    """
    mask = np.uint64(len(edge_of) - 1)
    at = (key >> np.uint64(7)) & mask
    while edge_of[at] != NONE:
        if keys[edge_of[at]] == key:
            return edge_of[at]
        at = (at + ONE) & mask
    edge_of[at] = kept
    keys[kept] = key
    return np.int64(NONE)


@compiled
def add_playouts(
    tree: Tree, game: Any, node: int, edge_in: Any, used: int, lane_edges: Any, total: Any
) -> bool:
    """Play the lanes, which stand in children of a node, to the end and count their goals.

    Lane i stands in the child of edge ``edge_in[i % used]``. What a role got goes to ``total``, sum
    and number, ``float64[R, 2]``; what the mover got also is the prior of the edge. Lanes in which
    the game was over from the start count with the goal there, lanes without a single goal not at
    all. Returns False where the search was halted; then nothing was counted.
    """
    lanes = lane_count(game)
    play_out(game, lanes)
    if game.halt[0] != 0:
        return False
    tree.used[PLAYOUTS] += lanes
    at = 0
    for lane in range(lanes):
        lane_edges[lane] = edge_in[at]
        at += 1
        if at == used:
            at = 0
    mover, plane = tree.mover[node], 0
    # A goal is counted for 64 lanes at once, by how many bits are set; only for the mover the lanes
    # are told apart, as the prior of an edge is of its own lanes alone.
    for r in range(len(total)):
        for j in range(len(game.live)):
            for index in range(1, goal_count(game, r) + 1):
                ended = lanes_with(game, r, plane, index, j)
                points = float(game.indexed[r, index])
                n = float(ones(ended))
                total[r, 0] += n * points
                total[r, 1] += n
                while r == mover and ended != ZERO:
                    edge = lane_edges[64 * j + lowest(ended)]
                    ended &= ended - ONE
                    tree.prior_visits[edge] += 1.0
                    tree.prior_total[edge] += points
            # Lanes that were over before have counted no goal: a child that ends has exact bounds.
            over = over_word(game, j)
            while over != ZERO:
                edge = lane_edges[64 * j + lowest(over)]
                over &= over - ONE
                points = tree.lower[tree.child[edge], r]
                total[r, 0] += points
                total[r, 1] += 1.0
                if r == mover:
                    tree.prior_visits[edge] += 1.0
                    tree.prior_total[edge] += points
        plane += game.widths[r]
    return True


@compiled
def end_edge(tree: Tree, game: Any, edge: int, mover: int, lane: int) -> None:
    """Make the node behind an edge to a lane in which the game is over: its value is proven."""
    child = new_node(tree, game)
    set_final(tree, game, child, lane)
    tree.child[edge] = child
    tree.edge_lower[edge] = tree.lower[child, mover]
    tree.edge_upper[edge] = tree.lower[child, mover]


@compiled
def set_raw_value(tree: Tree, game: Any, node: int, total: Any) -> None:
    """Give a node the mean goal of each role's playouts; half way where none had a goal."""
    for r in range(len(total)):
        if total[r, 1] > 0.0:
            tree.raw_value[node, r] = total[r, 0] / total[r, 1]
        else:
            tree.raw_value[node, r] = 0.5 * (game.best[r] + game.worst[r])


@compiled
def judge_child(game: Any, mover: int, state: Any) -> float:
    """Return what the mover of a node may hope for in a child, as a network says.

    Goals have a constant sum, the second role's share is what the first has not.
    """
    share = judge(game.network, state)
    if mover != 0:
        share = 1.0 - share
    return float(game.worst[mover] + share * (game.best[mover] - game.worst[mover]))


@compiled
def mix(tree: Tree, game: Any, first: int, said: Any, judged: Any, total: Any) -> None:
    """Put what a network says of a node and its edges together with what playouts said there.

    The means of both are weighed (``game.network_weight``), whatever number of playouts there was.
    An edge to an end keeps its playouts: its value is proven.

    Args:
        tree: The tree.
        game: The game.
        first: First edge of the node.
        said: What the mover may hope for after each edge, as the network says, ``float64[edges]``.
        judged: What each role may hope for in the node, likewise, as a sum over one.
        total: What playouts say of it, sum and number; what both say afterwards.
    """
    weight = game.network_weight
    for i in range(len(said)):
        edge = first + i
        if tree.child[edge] != NONE:
            continue
        played, mean = float(tree.prior_visits[edge]), said[i]
        if played > 0.0:
            mean = (1.0 - weight) * (tree.prior_total[edge] / played) + weight * mean
        visits = (1.0 - weight) * played + weight * JUDGED
        tree.prior_visits[edge] = visits
        tree.prior_total[edge] = visits * mean
    for r in range(len(total)):
        mean = judged[r, 0]
        if judged[r, 1] > 0.0:
            if total[r, 1] > 0.0:
                mean = (1.0 - weight) * (total[r, 0] / total[r, 1]) + weight * mean
            total[r, 0], total[r, 1] = mean, 1.0


@compiled
def count_best(tree: Tree, game: Any, node: int, points: float, total: Any) -> None:
    """Note what a child is worth to the mover of a node, if none was worth more."""
    mover = tree.mover[node]
    if total[mover, 1] > 0.0 and total[mover, 0] >= points:
        return
    share = (points - game.worst[mover]) / max(game.best[mover] - game.worst[mover], 1.0)
    for r in range(len(total)):
        mine = share if r == mover else 1.0 - share
        total[r, 0] = game.worst[r] + mine * (game.best[r] - game.worst[r])
        total[r, 1] = 1.0


@compiled
def judge_ends(tree: Tree, game: Any, node: int, edge_in: Any, judged: Any) -> None:
    """Note what those children in the lanes are worth in which the game is over."""
    for lane in range(len(edge_in)):
        if is_over(game, lane):
            child = tree.child[edge_in[lane]]
            count_best(tree, game, node, tree.lower[child, tree.mover[node]], judged)


@compiled
def judge_edges(
    tree: Tree, game: Any, node: int, edge_in: Any, states: Any, said: Any, judged: Any
) -> None:
    """Ask the network about the children in the lanes, each once; of ends it knows nothing.

    Args:
        tree: The tree.
        game: The game, which stands in the children.
        node: Their parent.
        edge_in: The edge to each.
        states: Their states.
        said: What it says of each edge, for the mover of the node; `UNSAID` before.
        judged: See `mix`.
    """
    first, mover = tree.first_edge[node], int(tree.mover[node])
    n = len(edge_in)
    stride = best_stride(states, 0, n)
    for offset in range(stride):
        for lane in range(offset, n, stride):
            edge = edge_in[lane] - first
            if said[edge] == UNSAID and not is_over(game, lane):
                said[edge] = judge_child(game, mover, states[lane])
                count_best(tree, game, node, said[edge], judged)


@compiled
def add_edges(
    tree: Tree,
    game: Any,
    node: int,
    kept: int,
    moves: Any,
    used: int,
    states: Any,
    edge_of: Any,
    keys: Any,
    edge_in: Any,
) -> int:
    """Begin an edge for each child in the lanes, but one for those that are the same state.

    Args:
        tree: The tree.
        game: The game, which stands in the children.
        node: Their parent.
        kept: How many edges it has already.
        moves: The move that leads to each child.
        used: How many lanes there are.
        states: The states of the children.
        edge_of: See `edge_of_key`.
        keys: Likewise.
        edge_in: Becomes the edge to each child.

    Returns:
        How many edges the node has now.
    """
    first, mover = tree.first_edge[node], int(tree.mover[node])
    for lane in range(used):
        if not is_over(game, lane):
            same = edge_of_key(edge_of, keys, hash_of(states[lane]), kept)
            if same >= 0:
                edge_in[lane] = first + same
                continue
        edge = first + kept
        edge_in[lane] = edge
        kept += 1
        new_edge(tree, game, edge, mover, moves[lane])
        if is_over(game, lane):
            end_edge(tree, game, edge, mover, lane)
    return kept


@compiled
def expand(
    tree: Tree, game: Any, node: int, moves: Any, lane_edges: Any, has_lane_playouts: bool
) -> int:
    """Give a node an edge for each move, and judge it in lanes if wanted. Return how it ended.

    Of moves that lead to the same state the first stands for all: they have the same value. That
    states are the same is told by 64 bits of hash; where it is wrong, once in some 10**15 nodes of
    a hundred moves, a move is lost. Children in which the game is over become nodes at once, so
    that a win in one is proven by the first look at a node.
    """
    load_state(game, tree.state[node])
    roles = tree.lower.shape[1]
    if is_over(game, 0):
        set_final(tree, game, node, 0)
        return DONE
    mover = mover_of(game)
    if mover == STUCK:
        set_stuck(tree, game, node)
        return DONE
    if mover < NOBODY:
        return NOT_SEQUENTIAL
    mover = max(mover, 0)  # where nobody has a choice, the first role makes its only move
    n = legal_moves(game, mover, moves)
    if tree.used[EDGES] + n > len(tree.move) or tree.used[NODES] + n >= len(tree.edge_count):
        return FULL  # before anything is written: a tree that is full stays whole
    # Room for an edge a move is taken now, and what equal children leave free is given back at the
    # end: meanwhile children that are over become nodes, but have no edges and take none of it.
    first = tree.used[EDGES]
    tree.used[EDGES] += n
    tree.mover[node] = mover
    tree.first_edge[node] = first
    lanes = lane_count(game)
    states = np.empty((min(n, lanes), tree.state.shape[1]), np.uint64)
    block = np.empty((64, lanes >> 6), np.uint64)
    edge_of, keys = empty_edge_table(n), np.empty(n, np.uint64)
    edge_in = np.empty(min(n, lanes), np.int64)
    total, judged = np.zeros((roles, 2)), np.zeros((roles, 2))
    is_judged = len(game.network.weights) > 0 and game.network_weight > 0.0
    has_playouts = has_lane_playouts and not (is_judged and game.network_weight >= 1.0)
    said = np.full(n if is_judged else 0, UNSAID)
    # A vector of children after the other. Kept: the first ``kept`` edges lead to states that
    # differ, and ``edge_of`` knows them all: a child of a later vector still meets its equal.
    kept = 0
    for begin in range(0, n, lanes):
        used = min(lanes, n - begin)
        if begin > 0:  # the lanes hold the children of the part before
            load_state(game, tree.state[node])
        step(game, mover, moves, begin, used)
        read_states(game, used, block, states)
        kept = add_edges(
            tree, game, node, kept, moves[begin:], used, states, edge_of, keys, edge_in
        )
        if is_judged:
            judge_ends(tree, game, node, edge_in[:used], judged)
            judge_edges(tree, game, node, edge_in[:used], states, said, judged)
        if has_playouts and not add_playouts(tree, game, node, edge_in, used, lane_edges, total):
            tree.used[EDGES] = first  # as if it had not been opened: nothing leads here yet
            return HALTED
        if has_playouts and game.final_weight > 0.0:
            hear_final_positions(tree, game, node, edge_in, used, states)
    # Only now the node has edges: whoever came to it before saw one that was not opened.
    tree.edge_count[node] = kept
    tree.used[EDGES] = first + kept
    if is_judged:
        mix(tree, game, first, said[:kept], judged, total)
    set_raw_value(tree, game, node, total)
    return DONE


@entry
@compiled
def add_root(tree: Tree, game: Any, params: SearchParams, state: Any) -> Any:
    """Return the node of a state, made if need be; ``-2 - code`` if it cannot be."""
    place = find(tree, state)
    if place >= 0:
        return place
    if tree.used[NODES] >= len(tree.edge_count):
        return -2 - FULL
    node = new_node(tree, game)
    set_state(tree, node, state)
    lane_edges = np.empty(lane_count(game), np.int64)
    moves = np.empty(most_moves(game), np.int64)
    code = expand(tree, game, node, moves, lane_edges, True)
    if code != DONE:
        tree.used[NODES] -= 1
        return -2 - code
    tree.table[-2 - place] = node
    tree.visits[node] = 1
    update_bounds(tree, params, game, node)
    return node


@compiled
def is_to_be_looked_at(tree: Tree, game: Any, params: SearchParams, node: int) -> bool:
    """Return whether to look at the replies to a node's moves now, see `look_at_replies`.

    A look costs some simulations, and saves one for each move that it closes. So it is for nodes
    of many moves, once it is seen that the search comes back to them.
    """
    if tree.visits[node] != LOOKED_AT or not params.is_constant_sum:
        return False
    return bool(tree.edge_count[node] > WIDE and is_worth_it(game.replies, game))


@compiled
def look_at_replies(
    tree: Tree, game: Any, params: SearchParams, node: int, scratch: Scratch
) -> bool:
    """Close the moves of a node that a reply refutes at once; return whether its bounds changed.

    Random play hardly ever finds the one reply of hundreds that wins, so a threat is not seen
    before each move that does not parry it was visited: more visits than most nodes ever have.
    """
    mover = int(tree.mover[node])
    n = 0
    first = tree.first_edge[node]
    for edge in range(first, first + tree.edge_count[node]):
        if tree.child[edge] == NONE and tree.edge_lower[edge] < tree.edge_upper[edge]:
            scratch.moves[n] = tree.move[edge]
            scratch.lane_edges[min(n, len(scratch.lane_edges) - 1)] = edge
            n += 1
    n = min(n, lane_count(game))
    if n == 0 or tree.used[NODES] + n >= len(tree.edge_count):
        return False
    load_state(game, tree.state[node])
    step(game, mover, scratch.moves, 0, n)
    who = find_decided(game.replies, game, n, game.best)
    if who == NOBODY:
        return False
    for lane in range(n):
        if (game.replies.decided[lane >> 6] >> np.uint64(lane & 63)) & ONE:
            edge = scratch.lane_edges[lane]
            child = new_node(tree, game)
            for r in range(tree.lower.shape[1]):
                # What the other one has is the rest, which may be more than the lowest goal that
                # the rules name for it: they may name one that no play comes to.
                value = game.best[who] if r == who else params.goal_sum - game.best[who]
                tree.lower[child, r] = value
                tree.upper[child, r] = value
                tree.raw_value[child, r] = value
            tree.plies_to_end[child] = 1
            tree.child[edge] = child
            tree.edge_lower[edge] = tree.lower[child, mover]
            tree.edge_upper[edge] = tree.lower[child, mover]
    return update_bounds(tree, params, game, node)


@compiled
def descend(
    tree: Tree, game: Any, params: SearchParams, root: int, scratch: Scratch, is_shared: bool
) -> Any:
    """Select down to where the tree ends: return the node, the edges taken, and what is there.

    That is `NONE` for the node itself. Else the last edge taken leads out of the tree, to
    ``scratch.child_state``, which belongs at this place of the table (see `find`). In a tree that
    is shared the edges are counted now, so that who comes next sees a simulation that has brought
    nothing yet, and rather goes elsewhere (a virtual loss).
    """
    node, depth = root, 0
    for r in range(len(scratch.reference)):
        scratch.reference[r] = NONE
    while not is_solved(tree, node) and depth < LONGEST:
        # What is proven now goes up with this simulation, which brings no new node. It goes on from
        # the root, where it would be taken for one that found nothing left to choose (`search`).
        if (
            is_to_be_looked_at(tree, game, params, node)
            and look_at_replies(tree, game, params, node, scratch)
            and (depth > 0 or is_solved(tree, node))
        ):
            break
        edge = select(tree, params, node, scratch)
        if edge == NONE:
            break
        scratch.nodes[depth] = node
        scratch.edges[depth] = edge
        depth += 1
        if is_shared:
            tree.edge_visits[edge] += 1
        if tree.child[edge] != NONE:
            node = int(tree.child[edge])
            continue
        place = follow(tree, game, node, edge, scratch)
        if place < 0:
            return node, depth, place
        tree.child[edge] = place  # a transposition: the walk goes on in a node that is known
        node = int(place)
    return node, depth, np.int64(NONE)


@compiled
def walk(
    tree: Tree, game: Any, params: SearchParams, root: int, is_scalar: bool, scratch: Scratch
) -> Any:
    """Select down to where the tree ends, and expand there.

    Returns how it ended, the node reached, the edges taken to it, and whether it is new. A node
    that cannot be expanded is taken back, and the tree is as it was.
    """
    node, depth, place = descend(tree, game, params, root, scratch, False)
    if place == NONE:
        return DONE, node, depth, False
    if tree.used[NODES] + 1 >= len(tree.edge_count):
        return FULL, node, depth, False
    child = new_node(tree, game)
    set_state(tree, child, scratch.child_state)
    code = expand(tree, game, child, scratch.moves, scratch.lane_edges, not is_scalar)
    if code != DONE:
        tree.used[NODES] -= 1
        return code, node, depth, False
    tree.table[-2 - place] = child
    tree.child[scratch.edges[depth - 1]] = child
    update_bounds(tree, params, game, child)
    return DONE, child, depth, True


# Evaluate by one playout --------------------------------------------------------------------------


@compiled
def play_leaf(
    tree: Tree, scalar: ScalarTables, holder: Tree, leaf: int, depth: int, scratch: Scratch
) -> Any:
    """Judge a new node by one playout; return how many random moves it had.

    The node is in ``holder``, the way down to it in ``tree``; both may be the same. It is played
    from the root of the search down the way that was walked, as a state that is to be played one
    at a time cannot be made of a node's facts alone.
    """
    for i in range(depth):
        scratch.path[i, 0] = tree.mover[scratch.nodes[i]]
        scratch.path[i, 1] = tree.move[scratch.edges[i]]
    holder.used[PLAYOUTS] += 1
    plies = play_scalar(scalar, scratch.path, depth, scratch.goals)
    for r in range(len(scratch.goals)):
        if plies != NO_GAME and scratch.goals[r] >= 0.0:
            holder.raw_value[leaf, r] = scratch.goals[r]
    return plies


# Back up ------------------------------------------------------------------------------------------


@compiled
def hear_playouts(
    tree: Tree,
    scalar: ScalarTables,
    leaf: int,
    is_new: bool,
    plies: int,
    simulation: int,
    heard: Heard,
) -> None:
    """Note the moves made below the way down, from the last to the first."""
    for i in range(plies - 1, -1, -1):
        r = scalar.played[i, 0]
        hear(heard, r, scalar.played[i, 1], tree.raw_value[leaf, r], simulation)
    if is_new and not is_solved(tree, leaf):
        hear_leaf(tree, leaf, heard, simulation)


@compiled
def back_up(
    tree: Tree,
    game: Any,
    params: SearchParams,
    leaf: int,
    depth: int,
    simulation: int,
    scratch: Scratch,
    is_shared: bool,
) -> None:
    """Carry the value of a leaf, and what is proven of it, up to the root.

    A role for which the leaf is proven counts with what is proven, not with playouts. Bounds go up
    from the leaf, each node being derived after the one below it, as long as they change: where one
    does not, none above it can. That is said by the bounds of the mover alone where goals have a
    constant sum; else the others' may change without them, and each edge is looked at. In a tree
    that is shared the edges were counted on the way down.
    """
    is_mover_all = tree.lower.shape[1] == 1 or params.is_constant_sum
    has_changed = True
    tree.visits[leaf] += 1
    for i in range(depth - 1, -1, -1):
        node, edge = scratch.nodes[i], scratch.edges[i]
        r = tree.mover[node]
        is_proven = tree.lower[leaf, r] >= tree.upper[leaf, r]
        value = tree.lower[leaf, r] if is_proven else tree.raw_value[leaf, r]
        tree.visits[node] += 1
        if not is_shared:
            tree.edge_visits[edge] += 1
        tree.edge_total[edge] += value
        if params.grave_visits >= 0:
            back_up_amaf(tree, node, edge, value, scratch.heard, simulation)
        if has_changed or not is_mover_all:
            child = tree.child[edge]
            lower, upper = tree.lower[child, r], tree.upper[child, r]
            is_closer = lower > tree.edge_lower[edge] or upper < tree.edge_upper[edge]
            if is_closer:
                tree.edge_lower[edge] = max(lower, tree.edge_lower[edge])
                tree.edge_upper[edge] = min(upper, tree.edge_upper[edge])
            has_changed = (is_closer or (has_changed and not is_mover_all)) and update_bounds(
                tree, params, game, node
            )


@entry
@compiled
def search(
    tree: Tree, game: Any, scalar: ScalarTables, params: SearchParams, root: int, simulations: int
) -> int:
    """Run simulations from a node, until it is told to halt. Return how it ended.

    Where there is a game to be played one at a time (``scalar.at`` is not 0), it begins at the
    root, and new nodes are judged by one playout of it; else by playouts in lanes.
    """
    is_scalar = scalar.at != 0
    scratch = make_scratch(tree, game, scalar)
    for simulation in range(simulations):
        if game.halt[0] != 0:
            return HALTED
        mover = tree.mover[root]
        if tree.lower[root, mover] >= tree.upper[root, mover]:
            return SOLVED
        code, leaf, depth, is_new = walk(tree, game, params, root, is_scalar, scratch)
        if code != DONE:
            return int(code)
        plies = 0
        if is_new and is_scalar and not is_solved(tree, leaf):
            plies = play_leaf(tree, scalar, tree, leaf, depth, scratch)
        if params.grave_visits >= 0:
            hear_playouts(tree, scalar, leaf, is_new, plies, simulation, scratch.heard)
        back_up(tree, game, params, leaf, depth, simulation, scratch, False)
        if not is_new and depth == 0:
            return SOLVED  # no move of the root is open: nothing is left to choose
    return DONE
