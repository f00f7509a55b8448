"""Temporal-difference learning of what positions are worth, by self-play in machine code.

In: a compiled game of two roles that take turns, a network and a `Lesson`. Out: the same network
with better weights. Each position is judged by its children: all are made at once in lanes, ends
count with their goals, the others with what the network says, and the mover takes the best. Now and
then another move is drawn, so that all ways are seen. When a game is over its positions are gone
through from the last to the first, and each value is drawn towards the best child's, and, where
that child was followed, on towards what came of it (lambda-returns; those after a drawn move are
cut off, so what is learned is the value of the best play known).

Play and study are apart: `learn` plays a game, studies it, and plays the next by what it learned;
`play` plays many by the same weights, in whichever process, and `study` learns from them later.

Every weight has a rate of its own: how much its corrections agree in sign. Where they point both
ways they cancel, and the weight comes to rest; no schedule is needed.

Source: Sutton and Barto, "Reinforcement Learning", 2nd edition 2018, chapter 12; Beal and Smith,
"Temporal Coherence and Prediction Decay in TD Learning", IJCAI 1999; Jaskowski, "Mastering 2048
with Delayed Temporal Coherence Learning", 2016; xorshift64* by Vigna, 2016.
"""

# numba finds the types
from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import entry, inlined, lean
from gdl.play.children import find_moves, play_moves, read_states, vector_lanes
from gdl.play.lane_tables import LaneGame, worst_goal
from gdl.play.lanes import goal, is_over, load_state
from gdl.play.value_network import (
    NetworkTables,
    best_stride,
    judge,
    look_again,
    look_up,
    share_of,
    weight_at,
)

LONGEST: Final = 1024
"""Plies after which a game is cut; its last position then counts with what the network says."""
LEARNED, NOT_SEQUENTIAL, NO_GOAL, OTHER_SUM, HALTED = range(5)
"""How a call of `learn` ended: well; or why the game is none for this."""
GAMES, PLIES, CUT = range(3)
"""Places of ``Lesson.done``: games, positions learned from, games that were too long."""
EXPLORE, FOLLOW, RATE, SHARP, OPENING = range(5)
"""Places of ``Lesson.settings``: share of drawn moves, lambda, the step in sums of weights, how
much rates fall where corrections do not agree, share of games that begin with drawn moves."""


class Lesson(NamedTuple):
    """What learning goes by and what it remembers; M moves, W words of a state, S sets, N weights.

    Attributes:
        settings: See `EXPLORE`.
        random: State of the random numbers.
        done: What was done so far, see `GAMES`.
        worst: The least that each role may get; ``best`` the most.
        best: See there.
        total: The sum of both roles' goals.
        drift: Sum of the corrections of each weight; ``length`` the sum of their sizes.
        length: See there.
        first: The first state.
        state: The state that is played on from.
        child_state: States of its children.
        share: What each child is worth to the first role, 0 to 1.
        moves: Room for legal moves.
        only: Room for the only move of each role.
        visited: The states of a game.
        child_values: What the best child of each is worth to the first role.
        is_best: Whether a child as good was followed.
        judged: Children that were looked at in `play`.
        studied: Batches that were learned from in `study`.
    """

    settings: NDArray[np.float64]  # [5]
    random: NDArray[np.uint64]  # [1]
    done: NDArray[np.int64]  # [3]
    worst: NDArray[np.float64]  # [2]
    best: NDArray[np.float64]  # [2]
    total: NDArray[np.int64]  # [1]
    drift: NDArray[np.float32]  # [S, N]
    length: NDArray[np.float32]  # [S, N]
    first: NDArray[np.uint64]  # [W]
    state: NDArray[np.uint64]  # [W]
    child_state: NDArray[np.uint64]  # [M, W]
    share: NDArray[np.float64]  # [M]
    moves: NDArray[np.int64]  # [M]
    only: NDArray[np.int64]  # [2]
    visited: NDArray[np.uint64]  # [LONGEST, W]
    child_values: NDArray[np.float64]  # [LONGEST]
    is_best: NDArray[np.bool_]  # [LONGEST]
    judged: NDArray[np.int64]  # [1]
    studied: NDArray[np.int64]  # [1]


class Played(NamedTuple):
    """Games to be learned from: P positions of G games, one game after the other; W words a state.

    Attributes:
        visited: The states in which somebody moved.
        child_values: What the best child of each is worth to the first role.
        is_best: Whether a child as good was followed.
        plies: Positions of each game.
    """

    visited: NDArray[np.uint64]  # [P, W]
    child_values: NDArray[np.float64]  # [P]
    is_best: NDArray[np.bool_]  # [P]
    plies: NDArray[np.int64]  # [G]


def new_lesson(game: LaneGame, settings: Sequence[float], *, total: int, seed: int) -> Lesson:
    """Return a lesson that has not begun.

    Args:
        game: The game, with the network that is to learn.
        settings: See `EXPLORE`.
        total: The sum of both roles' goals.
        seed: Of the moves that are drawn.
    """
    tables = game.tables
    words = -(-len(tables.facts) // 64)
    most = int(max(tables.counts))
    goals = game.native.kernel.compiled.goals
    child_state = np.zeros((most, words), np.uint64)
    shape = tables.network.weights.shape
    return Lesson(
        settings=np.array(settings),
        random=np.random.default_rng(seed).integers(1, 1 << 63, 1, np.uint64),
        done=np.zeros(3, np.int64),
        worst=np.array([worst_goal(values) for values in goals], np.float64),
        best=np.array([max(values) for values in goals], np.float64),
        total=np.array([total], np.int64),
        drift=np.zeros(shape, np.float32),
        length=np.zeros(shape, np.float32),
        first=game.pack(game.native.machine.initial()),
        state=np.zeros(words, np.uint64),
        child_state=child_state,
        share=np.zeros(most),
        moves=np.zeros(most, np.int64),
        only=np.zeros(len(goals), np.int64),
        visited=np.zeros((LONGEST, words), np.uint64),
        child_values=np.zeros(LONGEST),
        is_best=np.zeros(LONGEST, np.bool_),
        judged=np.zeros(1, np.int64),
        studied=np.zeros(1, np.int64),
    )


@inlined
def chance(lesson: Lesson) -> float:
    """Return a random number from 0 to 1."""
    x = lesson.random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    lesson.random[0] = x
    return float((x * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)) / 9007199254740992.0


@inlined
def copy_state(source: Any, target: Any) -> None:
    """Write a state over another."""
    for word in range(len(source)):
        target[word] = source[word]


@inlined
def end_share(lesson: Lesson, w: Any, lane: int) -> float:
    """Return what the end in a lane is worth to the first role; below 0 where it is none for us."""
    mine, other = goal(w, 0, lane), goal(w, 1, lane)
    if mine < 0 or other < 0:
        return -1.0 * NO_GOAL
    if mine + other != lesson.total[0]:
        return -1.0 * OTHER_SUM
    return float((mine - lesson.worst[0]) / (lesson.best[0] - lesson.worst[0]))


@inlined
def look(lesson: Lesson, w: Any, network: NetworkTables, mover: int, n: int) -> Any:
    """Write what each of n children is worth; return how it went and which is best for the mover.

    The states stand in ``child_state`` afterwards; of a child in which the game is over the share
    is written as it is plus 2.
    """
    lanes = vector_lanes(w)
    best, best_worth = -1, -1.0
    lesson.judged[0] += n
    for begin in range(0, n, lanes):
        part = min(lanes, n - begin)
        if begin > 0:
            load_state(w, lesson.state)
        play_moves(w, mover, lesson.moves, lesson.only, begin, part, 1)
        read_states(w, part, begin, lesson.state, lesson.child_state)
        stride = best_stride(lesson.child_state, begin, part)
        for offset in range(stride):
            for lane in range(offset, part, stride):
                i = begin + lane
                if not is_over(w, lane):
                    lesson.share[i] = judge(network, lesson.child_state[i])
                    continue
                share = end_share(lesson, w, lane)
                if share < 0.0:
                    return int(-share), 0
                lesson.share[i] = share + 2.0
    for i in range(n):
        share = lesson.share[i]
        share -= 2.0 * (share >= 2.0)
        worth = share if mover == 0 else 1.0 - share
        if worth > best_worth:
            best, best_worth = i, worth
    return LEARNED, best


@inlined
def correct(lesson: Lesson, network: NetworkTables, state: Any, target: float) -> None:
    """Draw the value of a state towards a target (the gradient of the cross entropy)."""
    look_again(network)
    which, tables = look_up(network, state), len(network.tables)
    step = (target - share_of(network)) * lesson.settings[RATE] / max(1, tables - 1)
    size = abs(step)
    for t in range(1, tables):
        at = weight_at(network, t)
        drift, length = lesson.drift[which, at], lesson.length[which, at]
        agreement = abs(drift) / length if length > 0.0 else 1.0
        rate = exp(lesson.settings[SHARP] * (agreement - 1.0))
        network.weights[which, at] += rate * step
        lesson.drift[which, at] = drift + step
        lesson.length[which, at] = length + size
    look_again(network)


@inlined
def play_opening(lesson: Lesson, w: Any) -> int:
    """Play first moves by chance, up to half as many again as games have; return how it went.

    A move that ends the game is not made: the game goes on from before it.
    """
    plies = 1.5 * lesson.done[PLIES] / (lesson.done[GAMES] + 1.0) * chance(lesson)
    for _ in range(int(plies)):
        mover, n = find_moves(w, lesson.moves, lesson.only)
        if n == 0:
            return NOT_SEQUENTIAL
        chosen = min(n - 1, int(chance(lesson) * n))
        play_moves(w, max(mover, 0), lesson.moves, lesson.only, chosen, 1, 1)
        if is_over(w, 0):
            load_state(w, lesson.state)
            break
        read_states(w, 1, 0, lesson.state, lesson.child_state)
        copy_state(lesson.child_state[0], lesson.state)
        load_state(w, lesson.state)
    return LEARNED


@inlined
def play_game(lesson: Lesson, w: Any, network: NetworkTables) -> Any:
    """Play one game; return how it went and its plies. Its positions stand in ``visited``."""
    ply = 0
    copy_state(lesson.first, lesson.state)
    load_state(w, lesson.state)
    if chance(lesson) < lesson.settings[OPENING]:
        code = play_opening(lesson, w)
        if code != LEARNED:
            return code, ply
    while ply < LONGEST:
        mover, n = find_moves(w, lesson.moves, lesson.only)
        if n == 0:
            return NOT_SEQUENTIAL, ply
        mover = max(mover, 0)
        code, best = look(lesson, w, network, mover, n)
        if code != LEARNED:
            return code, ply
        best_share = lesson.share[best]
        chosen = best
        if n > 1 and chance(lesson) < lesson.settings[EXPLORE]:
            chosen = min(n - 1, int(chance(lesson) * n))
        copy_state(lesson.state, lesson.visited[ply])
        lesson.child_values[ply] = best_share - 2.0 if best_share >= 2.0 else best_share
        lesson.is_best[ply] = lesson.share[chosen] == best_share
        ply += 1
        if lesson.share[chosen] >= 2.0:
            return LEARNED, ply
        copy_state(lesson.child_state[chosen], lesson.state)
        load_state(w, lesson.state)
    lesson.done[CUT] += 1
    return LEARNED, ply


@inlined
def study_game(lesson: Lesson, network: NetworkTables, played: Any, begin: int, plies: int) -> None:
    """Learn from a game, from its last position to its first; ``played`` is where it stands."""
    target = 0.0
    for back in range(plies):
        i = begin + plies - 1 - back
        if back == 0 or not played.is_best[i]:
            target = played.child_values[i]
        else:
            target = played.child_values[i] + lesson.settings[FOLLOW] * (
                target - played.child_values[i]
            )
        correct(lesson, network, played.visited[i], target)
    lesson.done[GAMES] += 1
    lesson.done[PLIES] += plies


@entry
@lean
def learn(lesson: Lesson, w: Any, network: NetworkTables, games: int) -> int:
    """Play so many games and learn from each; return how it ended.

    A game that is broken off by ``w.halt`` is one that was not begun: none is, between two games.
    """
    look_again(network)
    for _ in range(games):
        if w.halt[0] != 0:
            return HALTED
        code, plies = play_game(lesson, w, network)
        if code != LEARNED:
            return int(code)
        study_game(lesson, network, lesson, 0, plies)
    return LEARNED


@entry
@lean
def play(lesson: Lesson, w: Any, network: NetworkTables, played: Played, work: int) -> int:
    """Play games until so many children were judged or there is no more room; return how it ended.

    Nothing is learned. ``plies`` of games that were not played stay as they are.
    """
    at, game = 0, 0
    lesson.judged[0] = 0
    look_again(network)
    while (
        lesson.judged[0] < work and game < len(played.plies) and at + LONGEST <= len(played.visited)
    ):
        code, plies = play_game(lesson, w, network)
        if code != LEARNED:
            return int(code)
        for i in range(plies):
            copy_state(lesson.visited[i], played.visited[at + i])
            played.child_values[at + i] = lesson.child_values[i]
            played.is_best[at + i] = lesson.is_best[i]
        played.plies[game] = plies
        game += 1
        at += plies
    return LEARNED


@entry
@lean
def study(lesson: Lesson, network: NetworkTables, played: Played) -> int:
    """Learn from all games of a batch; whoever calls saw that they fit the network."""
    at = 0
    for game in range(len(played.plies)):
        study_game(lesson, network, played, at, played.plies[game])
        at += played.plies[game]
    lesson.studied[0] += 1
    return LEARNED
