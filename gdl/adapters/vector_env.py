"""The environment of `gdl.adapters.vector`: the lanes of a batch as a learner sees them.

In: a `MarkovGame` and a number B. Out: a `VectorEnv`. Arrays are kept as the lanes give them, the
row of the game innermost, and are handed out as transposed views, so that nothing is moved
about that numpy can look at from the other side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdl.adapters.markov_game import EVEN, MOST_GOAL, MarkovGame, OldName
from gdl.language.diagnostics import GdlError
from gdl.native.kernel.kernel import NO_GOAL

NOBODY: Final = -1
"""Stands for the mover where nobody is asked, or more than one."""
ABSENT: Final = -1
"""Stands for a move of the table that a role does not have."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of one step.

    Attributes:
        rewards: For each player what its goal is worth where an episode ended, else 0;
            ``float32[B, players]``.
        terminated: Which games were over, ``bool[B]``. They have begun anew.
        truncated: Which were cut off, or were stuck: a role without a legal move, ``bool[B]``.
            They have begun anew.
    """

    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which episodes ended, ``bool[B]``, a new array."""
        return self.terminated | self.truncated


@dataclass(slots=True)
class _View:
    """What is known of the games as they stand.

    Attributes:
        asked: Which players are asked, ``bool[players, B]``.
        movers: The one player who is asked, ``int8[B]``, or `NOBODY`.
        able: Which games have a legal move for every role, ``bool[B]``.
    """

    asked: NDArray[np.bool_]
    movers: NDArray[np.int8]
    able: NDArray[np.bool_]


class VectorEnv:
    """B games of one ruleset.

    Attributes:
        markov_game: The game as learners take it, a Markov game.
        size: B.
        lengths: Joint moves of the episode so far, ``int32[B]``; written over by each step.
    """

    course = OldName()

    def __init__(self, markov_game: MarkovGame, size: int, *, seed: int = 0) -> None:
        """Begin B games."""
        self.markov_game = markov_game
        self.size = size
        self._rng = np.random.default_rng(seed)
        markov_game.start(np.random.default_rng(seed))  # refuses games in which nobody is asked
        self._batch = markov_game.game.batch(size, auto_reset=True)
        self.lengths = np.zeros(size, np.int32)
        numbers = markov_game.table.numbers
        self._own = [
            _own_numbers(len(markov_game.table), [numbers.get(move, ABSENT) for move in moves])
            for moves in self._batch.moves
        ]
        self._is_waiting = [
            np.array([move in waits for move in moves], np.bool_)
            for moves, waits in zip(self._batch.moves, markov_game.table.waiting, strict=True)
        ]
        self._view = self._look()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one observation."""
        return self.markov_game.planes.shape

    @property
    def moves(self) -> int:
        """The number of moves in the table."""
        return len(self.markov_game.table)

    @property
    def players(self) -> tuple[str, ...]:
        """The role of each player."""
        return self.markov_game.names

    @property
    def movers(self) -> NDArray[np.int8]:
        """Who is asked, ``int8[B]``: the number of the player, -1 for nobody or several."""
        return self._view.movers.copy()

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Which players are asked, ``bool[B, players]``, a new array."""
        return self._view.asked.T.copy()

    @property
    def masks(self) -> NDArray[np.bool_]:
        """Legal moves of who is asked, ``bool[B, moves]``; nothing where it is not one player."""
        out = np.zeros((self.moves, self.size), np.bool_)
        for player in range(len(self.players)):
            is_mover = self._view.movers == player
            if is_mover.any():
                legal = self._legal(player)
                legal &= is_mover
                out |= legal
        return out.T

    def masks_of(self, player: int) -> NDArray[np.bool_]:
        """Return the legal moves of a player where it is asked, ``bool[B, moves]``."""
        out: NDArray[np.bool_] = self._legal(player) & self._view.asked[player]
        return out.T

    @property
    def observations(self) -> NDArray[np.int8]:
        """What is seen, ``int8[B, *shape]``: zeros and ones, a new array.

        Raises:
            GdlError: The game hides facts (GDL-II).
        """
        if self.markov_game.hides_facts:
            raise GdlError(
                f"{self.markov_game.game.id} hides facts from its players, "
                "and arrays show all of them",
                help="gdl.adapters.pettingzoo and openspiel show each player its percepts",
            )
        return self.markov_game.planes.encode(self._batch.observations)

    def step(self, actions: ArrayLike) -> StepResult:
        """Make a move in every game; nothing is changed when one is illegal.

        Args:
            actions: Numbers of moves: ``int[B]``, the move of the mover, or
                ``int[B, players]``. What is given for those who are not asked counts for
                nothing.

        Raises:
            IllegalMoveError: Names role and move, the legal moves, and the row.
            GdlError: The shape is neither, they are no whole numbers, or ``int[B]`` was given
                where several are asked.
        """
        given = self._given(np.asarray(actions))
        self._batch.step(self._joint(given))
        self.lengths += 1
        terminated = self._batch.terminal.copy()
        rewards = np.zeros((self.size, len(self.players)), np.float32)
        if terminated.any():
            rewards[terminated] = self._rewards(terminated)[terminated]
        self.lengths[terminated] = 0
        self._view = self._look()
        truncated = ~terminated & (~self._view.able | (self.lengths >= self.markov_game.max_plies))
        if truncated.any():
            rewards[truncated] = self._rewards(terminated)[truncated]
            self._batch.reset(truncated)
            self.lengths[truncated] = 0
            self._view = self._look()
        return StepResult(rewards, terminated, truncated)

    def reset(self) -> None:
        """Begin all games anew."""
        self._batch.reset()
        self.lengths[:] = 0
        self._view = self._look()

    def sample(self) -> NDArray[np.int64]:
        """Return legal moves drawn uniformly, as `step` takes them.

        ``int[B]`` where at most one player is asked in each game, else ``int[B, players]``.
        """
        if (self._view.asked.sum(axis=0) <= 1).all():
            return self._drawn(self.masks.T)
        rows = [self._drawn(self.masks_of(p).T) for p in range(len(self.players))]
        return np.stack(rows, axis=1)

    def _drawn(self, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the index of one true entry of each column, 0 where there is none."""
        ranks = masks.astype(np.uint16 if len(masks) < 1 << 16 else np.uint32)
        for i in range(1, len(ranks)):  # row by row: cumsum over this axis is much slower
            np.add(ranks[i - 1], ranks[i], out=ranks[i])
        wanted = (self._rng.random(self.size, np.float32) * ranks[-1]).astype(ranks.dtype)
        chosen: NDArray[np.int64] = np.add.reduce(ranks <= wanted, axis=0, dtype=np.int64)
        chosen *= ranks[-1] > 0
        return chosen

    def _legal(self, player: int) -> NDArray[np.bool_]:
        """Return what is legal for a player by the table, ``bool[moves, B]``, a new array."""
        role = self.markov_game.players[player]
        own = self._own[role]
        legal: NDArray[np.bool_] = self._batch.legal[role].T[own]
        if self._absent[role].any():
            legal[self._absent[role]] = False
        return legal

    @cached_property
    def _absent(self) -> list[NDArray[np.bool_]]:
        return [own == ABSENT for own in self._own]

    def _given(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a move of each player, ``int[players, B]``."""
        players = len(self.players)
        if actions.dtype.kind not in "iu":
            raise GdlError(
                f"actions are of the type {actions.dtype}", expected="whole numbers, of moves"
            )
        if actions.shape == (self.size, players) and players > 1:
            return actions.T
        if actions.shape == (self.size, 1):
            actions = actions[:, 0]
        if actions.shape != (self.size,):
            raise GdlError(
                f"actions has the shape {actions.shape}",
                expected=f"({self.size},), the move of the one who is asked, or "
                f"({self.size}, {players}), a move of each player",
            )
        several = np.flatnonzero(self._view.asked.sum(axis=0) > 1)
        if len(several):
            raise GdlError(
                f"several players are asked in row {several[0]}, and one move was given",
                expected=f"a move of each player, ({self.size}, {players})",
            )
        return np.broadcast_to(actions, (players, self.size))

    def _joint(self, given: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of each role's move as the batch counts them."""
        if self.markov_game.nature is None and len(self._batch.roles) == len(self.players):
            return self._free(given)
        return self._of_each_role(given)

    def _free(self, given: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let the batch fill in the forced moves, where at most one role chooses in each game."""
        if (self._view.asked.sum(axis=0) > 1).any():
            return self._of_each_role(given)
        out = np.zeros(self.size, np.int64)
        for player, role in enumerate(self.markov_game.players):
            out += np.where(self._view.asked[player], self._translated(role, given[player]), 0)
        return out

    def _of_each_role(self, given: NDArray[np.int64]) -> NDArray[np.int64]:
        out = np.zeros((len(self._batch.roles), self.size), np.int64)
        for role, legal in enumerate(self._batch.legal):
            if role == self.markov_game.nature:
                out[role] = self._drawn(legal.T)
                continue
            player = self.markov_game.players.index(role)
            is_asked = self._view.asked[player]
            forced = legal.argmax(axis=1)
            out[role] = np.where(is_asked, self._translated(role, given[player]), forced)
        return out.T

    def _translated(self, role: int, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        is_listed = (numbers >= 0) & (numbers < self.moves)
        own = self._own[role][np.where(is_listed, numbers, 0)]
        return np.where(is_listed, own, ABSENT)

    def _rewards(self, terminated: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return what ends are worth, ``float32[B, players]``; see `MarkovGame.rewards`."""
        goals = self._batch.goals[:, list(self.markov_game.players)]
        if len(self.players) == 1:
            return (np.maximum(goals, 0) / MOST_GOAL).astype(np.float32)
        is_decided = terminated & (goals != NO_GOAL).all(axis=1)
        return np.where(is_decided[:, None], goals / EVEN - 1, 0).astype(np.float32)

    def _look(self) -> _View:
        """Find out who is asked; see `MoveTable.asked`."""
        roles = range(len(self._batch.roles))
        most = max(map(len, self._batch.moves))
        kind = np.uint16 if most < 1 << 16 else np.uint32
        counts = np.stack([np.add.reduce(m.T, axis=0, dtype=kind) for m in self._batch.legal])
        asked = counts > 1
        idle = np.flatnonzero(~asked.any(axis=0))
        if len(idle):
            acting = np.zeros((len(roles), len(idle)), np.bool_)
            for role in roles:
                only = self._batch.legal[role][idle].argmax(axis=1)
                acting[role] = (counts[role, idle] == 1) & ~self._is_waiting[role][only]
            asked[:, idle] = acting & (acting.sum(axis=0) == 1)
        asked = asked[list(self.markov_game.players)]
        several = asked.sum(axis=0)
        movers = np.where(several == 1, asked.argmax(axis=0), NOBODY).astype(np.int8)
        return _View(asked, movers, np.all(counts > 0, axis=0))


def _own_numbers(size: int, table_numbers: list[int]) -> NDArray[np.int64]:
    """Return for each move of the table a role's own number for it, `ABSENT` if it has none."""
    own = np.full(size, ABSENT, np.int64)
    for mine, number in enumerate(table_numbers):
        if number != ABSENT:
            own[number] = mine
    return own
