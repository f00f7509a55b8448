"""Plays to rules that no game of the search exercised: many positions of ours, kept side by side.

In: a game that runs as machine code, and what fired so far. Out: for each rule that fired nowhere
and looks at the state alone a play after which it fires, where one is found, and the play that ends
nearest to it without: what an engine takes for the same is there. Of all that follows a thousand
positions those are kept that are nearest to it, those with most moves and some by chance, ply after
ply: so a puzzle is solved of which ten thousand games by chance end unsolved. The engine is not
asked; what is looked at depends on the seed alone, not on the clock.

Source: beam search (Lowerre, "The Harpy Speech Recognition System", 1976), with diversity; plays
just short of a condition as in tests of boundary values (Myers, "The Art of Software Testing").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gdl.conform.aims import Aim
    from gdl.conform.coverage import Coverage
    from gdl.game import Game
    from gdl.machine import JointMove
    from gdl.state_batch import StateBatch

WIDTH: Final = 1_000
"""Positions that are kept of a ply."""
FOLLOWING: Final = 20 * WIDTH
"""Moves that are made from these, at most."""
MOST_PLIES: Final = 150
"""The longest play that is looked for."""
WORK: Final = 1e9
"""Positions, each at what its aim costs, that are looked at for all rules together, at
most; each may have half of what is left."""
STYLE: Final = "plays to rules that had not fired"
LEAST: Final = 5 * FOLLOWING
"""Positions for which a rule is asked at all: fewer lead nowhere."""


class _Ply(NamedTuple):
    """What was kept of a ply.

    Attributes:
        states: ``uint8[kept, bytes]``.
        before: For each the row of the ply before that it follows.
        moves: For each the numbers of the moves that led there, ``int32[kept, roles]``.
    """

    states: NDArray[np.uint8]
    before: NDArray[np.intp]
    moves: NDArray[np.int32]


def plays_to_rules(
    game: Game, coverage: Coverage, seed: int, is_late: Callable[[], bool] = lambda: False
) -> Iterator[tuple[JointMove, ...]]:
    """Yield plays to rules that have not fired, and nearly there, one rule after the other.

    Args:
        game: It runs as machine code.
        coverage: What fired so far, counted on by whoever makes the plays.
        seed: Of what is kept by chance.
        is_late: Asked after each ply; no play is looked for any more when it says so.
    """
    work = WORK
    for number in [rule.number for rule in coverage.left]:
        if is_late():
            return
        aimed = None if coverage.counts[number] else coverage.aim_of(number)
        if aimed is None or (most := work / 2 / aimed[1]) < LEAST:
            continue
        aim, cost = aimed
        plays, looked = _plays(game, aim, np.random.default_rng([seed, number]), most, is_late)
        work -= looked * cost
        yield from plays


def _plays(
    game: Game, aim: Aim, rng: np.random.Generator, most: float, is_late: Callable[[], bool]
) -> tuple[list[tuple[JointMove, ...]], int]:
    """Return a play after which a rule fires, the nearest end, and how much was looked at."""
    first = np.frombuffer(game.initial().inner, np.uint8)[None]
    plies = [_Ply(first, np.zeros(0, np.intp), np.zeros((0, 0), np.int32))]
    looked, nearest, end = 0, -1.0, []
    while len(plies) <= MOST_PLIES and looked < most and not is_late():
        batch = game.batch(len(plies[-1].states))
        batch.restore(plies[-1].states)
        rows, moves = _following(batch, rng)
        if not len(rows):
            break
        after = batch.fork(rows)
        after.step(moves)
        states, kept = np.unique(after.save(), axis=0, return_index=True)
        near = np.asarray(aim([state.tobytes() for state in states]))
        looked += len(rows)
        is_over, is_hit = after.terminal[kept], near >= 1
        ended = np.where(is_over & ~is_hit, near, -1)
        if ended.max() > nearest:
            nearest, row = ended.max(), kept[ended.argmax()]
            end = [_back(batch, plies, rows[row], moves[row])]
        if is_hit.any():
            row = kept[is_hit.argmax()]
            return [_back(batch, plies, rows[row], moves[row]), *end], looked
        goes_on = np.flatnonzero(~is_over)
        if not len(goes_on):
            break
        free = sum(legal[kept[goes_on]].sum(1, dtype=np.int64) for legal in after.legal)
        chosen = goes_on[_kept(near[goes_on], free, rng)]
        plies.append(_Ply(states[chosen], rows[kept[chosen]], moves[kept[chosen]]))
    return end, looked


def _following(
    batch: StateBatch, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return rows and joint moves: each move of who has most in a row, others' by chance."""
    counts = np.stack([legal.sum(1) for legal in batch.legal])
    freest = np.where(counts.all(0), counts.argmax(0), -1)  # who cannot move ends the play
    pairs = [
        np.nonzero(legal & (freest == role)[:, None]) for role, legal in enumerate(batch.legal)
    ]
    rows = np.concatenate([states for states, _ in pairs])
    own = np.concatenate([number for _, number in pairs])
    if len(rows) > FOLLOWING:
        some = rng.choice(len(rows), FOLLOWING, replace=False)
        rows, own = rows[some], own[some]
    moves = np.empty((len(rows), len(batch.legal)), np.int32)
    for role, legal in enumerate(batch.legal):
        moves[:, role] = np.where(freest[rows] == role, own, _drawn(legal, rng)[rows])
    return rows, moves


def _drawn(legal: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.intp]:
    """Return for each row the number of a legal move."""
    drawn: NDArray[np.intp] = np.where(legal, rng.random(legal.shape), -1).argmax(1)
    return drawn


def _kept(
    near: NDArray[np.float64], free: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return which positions are kept: a third by nearness, a third by moves, a third by chance."""
    tie, third = rng.random(len(near)), -(-WIDTH // 3)
    orders = np.lexsort((tie, -near)), np.lexsort((tie, -free)), tie.argsort()
    return np.unique(np.concatenate([order[:third] for order in orders]))


def _back(
    batch: StateBatch, plies: Sequence[_Ply], row: int, last: NDArray[np.int32]
) -> tuple[JointMove, ...]:
    """Return the joint moves that led to a row and the last ones."""
    numbers = [last]
    for ply in plies[:0:-1]:
        numbers.append(ply.moves[row])
        row = ply.before[row]
    return tuple(
        tuple(moves[number] for moves, number in zip(batch.moves, joint, strict=True))
        for joint in reversed(numbers)
    )
