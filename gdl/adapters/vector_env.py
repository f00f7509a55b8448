"""The environment of `gdl.adapters.vector`: the lanes of a batch as a learner sees them.

In: a `MarkovGame` and a number B. Out: a `VectorEnv`. Arrays are kept as the lanes give them, the
row of the game innermost, and are handed out as transposed views, so that nothing is moved
about that numpy can look at from the other side.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdl.adapters.markov_game import EVEN, MOST_GOAL, MarkovGame, OldName, markov_game
from gdl.adapters.rows import STEP, SavedRows, chances, row_seeds
from gdl.adapters.seen import View, turned
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require_whole
from gdl.language.syntax import kif_text
from gdl.language.terms import Constant
from gdl.machine import IllegalMoveError, illegal_move
from gdl.native.kernel.batch import array_of, place_note
from gdl.native.kernel.kernel import NO_GOAL
from gdl.state import State

if TYPE_CHECKING:
    from gdl.adapters.symmetries import Symmetries

__all__ = ["SavedRows", "StepResult", "VectorEnv"]

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
        lengths: Joint moves of the episodes that ended, else 0, ``int32[B]``. What such an
            episode brought is its rewards: none are given before the end.
        final_observations: What was seen at the end in the rows of `ended`, in this order,
            ``[ended rows, *shape]``; None where the environment was not made with ``final=True``.
    """

    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    lengths: NDArray[np.int32]
    final_observations: NDArray[Any] | None = None

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which episodes ended, ``bool[B]``, a new array."""
        return self.terminated | self.truncated


@dataclass(slots=True)
class _Asked:
    """Who is asked in the games as they stand.

    Attributes:
        asked: Which players are asked, ``bool[players, B]``.
        movers: The one player who is asked, ``int8[B]``, or `NOBODY`.
        able: Which games have a legal move for every role, ``bool[B]``.
        lone: Rows in which the mover has a single legal move, ``intp[n]``.
        several: Rows in which several are asked, ``intp[n]``.
    """

    asked: NDArray[np.bool_]
    movers: NDArray[np.int8]
    able: NDArray[np.bool_]
    lone: NDArray[np.intp]
    several: NDArray[np.intp]


class VectorEnv:
    """B games of one ruleset.

    Attributes:
        markov_game: The game as learners take it, a Markov game.
        size: B.
        lengths: Joint moves of the episode so far, ``int32[B]``; written over by each step.
    """

    course = OldName()

    def __init__(
        self, markov_game: MarkovGame, size: int, *, seed: ArrayLike = 0, view: View | None = None
    ) -> None:
        """Begin B games.

        Args:
            markov_game: The game.
            size: B.
            seed: See `gdl.adapters.rows.row_seeds`.
            view: How arrays are handed out.

        Raises:
            GdlError: The ends of episodes are to be shown of a game that hides facts; or see
                `gdl.adapters.vector.env`.
        """
        self.markov_game = markov_game
        self.size = size = require_whole("the size of a batch", size, 1)
        self.view = view or View()
        if self.view.final or self.view.turned:
            self._refuse_hidden()
        self._random = row_seeds(seed, size)
        markov_game.start(np.random.default_rng(0))  # refuses games in which nobody is asked
        self._turned = turned(markov_game) if self.view.turned else None
        self._batch = markov_game.game.batch(size, auto_reset=not self.view.final)
        self.lengths = np.zeros(size, np.int32)
        numbers = markov_game.table.numbers
        self._own = [
            _own_numbers(len(markov_game.table), [numbers.get(move, ABSENT) for move in moves])
            for moves in self._batch.moves
        ]
        self._waiting = [
            np.array([i for i, move in enumerate(moves) if move in waits], np.intp)
            for moves, waits in zip(self._batch.moves, markov_game.table.waiting, strict=True)
        ]
        self._asked = self._look()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one observation."""
        return self.markov_game.planes.shape

    @property
    def moves(self) -> int:
        """The number of moves in the table."""
        return len(self.markov_game.table)

    @cached_property
    def players(self) -> tuple[str, ...]:
        """The role of each player."""
        return self.markov_game.names

    @cached_property
    def symmetries(self) -> Symmetries:
        """The symmetries of the rules, as permutations of what is seen and of moves.

        They are looked for when they are asked for, at most half a minute, and proved.

        Raises:
            GdlError: The game hides facts (GDL-II).
        """
        from gdl.adapters.symmetries import symmetries

        self._refuse_hidden()
        return symmetries(self.markov_game, self._turned or ())

    @property
    def movers(self) -> NDArray[np.int8]:
        """Who is asked, ``int8[B]``: the number of the player, -1 for nobody or several."""
        return self._asked.movers.copy()

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Which players are asked, ``bool[B, players]``, a new array."""
        return self._asked.asked.T.copy()

    @property
    def masks(self) -> NDArray[np.bool_]:
        """Legal moves of who is asked, ``bool[B, moves]``; nothing where it is not one player."""
        return self._handed(self._mover_masks().T)

    def _mover_masks(self) -> NDArray[np.bool_]:
        """Return the masks with the row of the game innermost, ``bool[moves, B]``, a new array."""
        out: NDArray[np.bool_] | None = None
        for player in range(len(self.players)):
            is_mover = self._asked.movers == player
            if is_mover.any():
                legal = self._legal(player)
                legal &= is_mover
                out = legal if out is None else np.logical_or(out, legal, out=out)
        return np.zeros((self.moves, self.size), np.bool_) if out is None else out

    def masks_of(self, player: int) -> NDArray[np.bool_]:
        """Return the legal moves of a player where it is asked, ``bool[B, moves]``.

        Raises:
            GdlError: There is no such player.
        """
        self._check_player(player)
        out: NDArray[np.bool_] = self._legal(player) & self._asked.asked[player]
        return self._handed(out.T)

    @property
    def observations(self) -> NDArray[Any]:
        """What is seen, ``int8[B, *shape]`` or ``float32``: zeros and ones, a new array.

        Where the environment was made with ``turned=True`` each row is that of who is asked; that
        of the first player where nobody is, or several are.

        Raises:
            GdlError: The game hides facts (GDL-II).
        """
        self._refuse_hidden()
        return self._shown(self._batch.observations, self._asked.movers)

    def observations_of(self, player: int) -> NDArray[Any]:
        """Return what one player sees, whoever is asked; see `observations`.

        Raises:
            GdlError: The game hides facts (GDL-II), or there is no such player.
        """
        self._refuse_hidden()
        self._check_player(player)
        return self._shown(self._batch.observations, np.full(self.size, player, np.int8))

    def _shown(self, facts: NDArray[np.bool_], viewers: NDArray[np.int8]) -> NDArray[Any]:
        """Return facts as planes, as they are seen by some players."""
        if self._turned is not None:
            facts = facts.copy()
            for player, places in enumerate(self._turned):
                rows = viewers == player
                if player and rows.any():
                    facts[rows] = facts[rows][:, places]
        return self._handed(self.markov_game.planes.encode(facts))

    def _handed(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array as it was asked for."""
        if array.dtype == np.int8 and self.view.dtype != "int8":
            array = array.astype(self.view.dtype)
        return np.ascontiguousarray(array) if self.view.contiguous else array

    def _check_player(self, player: int) -> None:
        if not 0 <= require_whole("a player", player) < len(self.players):
            raise GdlError(f"there is no player {player}", expected=f"0 to {len(self.players) - 1}")

    def _refuse_hidden(self) -> None:
        if self.markov_game.hides_facts:
            raise GdlError(
                f"{self.markov_game.game.id} hides facts from its players, "
                "and arrays show all of them",
                help="gdl.adapters.pettingzoo and openspiel show each player its percepts",
            )

    def step(self, actions: ArrayLike, rows: ArrayLike | None = None) -> StepResult:
        """Make a move in every game; nothing is changed when one is illegal.

        Args:
            actions: Numbers of moves: ``int[B]``, the move of the mover, or
                ``int[B, players]``. What is given for those who are not asked counts for
                nothing.
            rows: Which games go on, ``bool[B]`` or their numbers, by default all; the others stay
                as they are, and what is given for them counts for nothing.

        Raises:
            IllegalMoveError: Names role and move, the legal moves, and the row.
            GdlError: The shape is neither, they are no whole numbers, or ``int[B]`` was given
                where several are asked.
        """
        kept, waiting = None, np.zeros(0, np.intp)
        if rows is not None:
            waiting = np.setdiff1d(np.arange(self.size), self._numbers(rows))
        given = self._given(array_of(actions), waiting)
        if rows is not None:
            kept = self.save(waiting)
            given = given.copy()
            for player in range(len(self.players)):  # any legal move: it is taken back
                given[player, waiting] = self._legal(player)[:, waiting].argmax(axis=0)
        random = self._random.copy()
        try:
            self._batch.step(self._joint(given))
        except GdlError:
            self._random = random
            self._refuse_first(given, waiting)
            raise
        return self._ended(waiting, kept)

    def _ended(self, waiting: NDArray[np.intp], kept: SavedRows | None) -> StepResult:
        """Return what came of the moves, begin anew what ended, and put back who waits."""
        terminated = self._batch.terminal.copy()
        if kept is not None:
            terminated[waiting] = False
        rewards = np.zeros((self.size, len(self.players)), np.float32)
        self._reward(rewards, terminated, is_over=True)
        self.lengths += 1
        if kept is not None:
            self._batch.restore(kept.positions, waiting)
            self._random[waiting] = kept.random
            self.lengths[waiting] -= 1
        self._asked = self._look()
        truncated = ~terminated & (~self._asked.able | (self.lengths >= self.markov_game.max_plies))
        truncated[waiting] = False
        self._reward(rewards, truncated, is_over=False)
        ended = terminated | truncated
        seen = None
        if self.view.final:
            movers = self._asked.movers[ended]
            self._refuse_hidden()
            seen = self._shown(self._batch.observations[ended], movers)
        begun = ended if self.view.final else truncated
        if begun.any():
            self._batch.reset(begun)
        lengths = self.lengths * ended
        self.lengths[ended] = 0
        if begun.any():
            self._asked = self._look()
        return StepResult(rewards, terminated, truncated, lengths, seen)

    def reset(self, rows: ArrayLike | None = None, *, seed: ArrayLike | None = None) -> None:
        """Begin games anew.

        Args:
            rows: Which, ``bool[B]`` or their numbers; by default all.
            seed: What their chance comes from, as `gdl.adapters.rows.row_seeds` takes it for so
                many rows; by default it goes on as it stands.

        Raises:
            GdlError: There are no such rows, or it is no seed.
        """
        chosen = self._numbers(rows)
        if seed is not None:
            self._random[chosen] = row_seeds(seed, len(chosen))
        which = np.zeros(self.size, np.bool_)
        which[chosen] = True
        self._batch.reset(which)
        self.lengths[chosen] = 0
        self._asked = self._look()

    def save(self, rows: ArrayLike | None = None) -> SavedRows:
        """Return some games, or all, as a value: positions, lengths, and where chance stands.

        Args:
            rows: Numbers of games, ``int[n]``, or which, ``bool[B]``.

        Raises:
            GdlError: There are no such rows.
        """
        chosen = self._numbers(rows)
        return SavedRows(
            self._batch.save(chosen) if len(chosen) else self._batch.save()[:0],
            self.lengths[chosen],
            self._random[chosen],
            self._digest,
        )

    def restore(self, saved: SavedRows, rows: ArrayLike | None = None) -> None:
        """Let games go on from what `save` gave, of whichever rows and environment of the game.

        Args:
            saved: The games.
            rows: Where to, as in `save`; by default to all.

        Raises:
            GdlError: They are of another game, there are no such rows, or not as many.
        """
        if not isinstance(saved, SavedRows):
            raise GdlError(
                f"{type(saved).__name__} is nothing that was saved",
                expected="what save() of a vector environment gave",
            )
        if saved.moves != self._digest:
            raise GdlError(
                f"the saved rows are of another game than {self.markov_game.game.id}",
                expected="rows of a vector environment with the same moves and facts",
            )
        chosen = self._numbers(rows)
        self._batch.restore(saved.positions, chosen)
        self.lengths[chosen] = saved.lengths
        self._random[chosen] = saved.random
        self._asked = self._look()

    @cached_property
    def _digest(self) -> str:
        """A name for the moves and facts that rows speak of, in their order."""
        text = "\n".join([self.markov_game.table.digest, *map(kif_text, self._batch.facts)])
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def fork(self, rows: ArrayLike | None = None, n: int = 1) -> VectorEnv:
        """Return an environment of its own in which each of some games is there so many times.

        The copies of a game stand side by side, and chance lies before them as before the game;
        `reseed` gives them another.

        Args:
            rows: Which, as in `save`; by default all.
            n: How often.

        Raises:
            GdlError: There are no such rows, or none.
        """
        places = np.repeat(self._numbers(rows), require_whole("n", n, 1))
        other = VectorEnv(self.markov_game, len(places), view=self.view)
        other.restore(self.save(places))
        return other

    def reseed(self, seed: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Let chance come from another seed, in some games or all; see `reset`."""
        chosen = self._numbers(rows)
        self._random[chosen] = row_seeds(seed, len(chosen))

    def states(self, rows: ArrayLike | None = None) -> list[State]:
        """Return some games, or all, as states, which know their ply and not how they were reached.

        Args:
            rows: Which, as in `save`.
        """
        chosen = self._numbers(rows)
        return self._batch.states(chosen, plies=self.lengths[chosen].tolist())

    def set(self, states: Sequence[State], rows: ArrayLike | None = None) -> None:
        """Let games go on from states; chance goes on as it stands.

        Args:
            states: States of this game, in which play goes on.
            rows: Where to, as in `save`; by default to all.

        Raises:
            GdlError: One is of another game or runs outside of machine code, is over, or has a
                role without a legal move; or there are not as many as rows.
        """
        chosen = self._numbers(rows)
        packed = self._batch.packed(states, len(chosen))
        for number, state in enumerate(states):
            if self.markov_game.status(state).value in {"over", "stuck"}:
                raise GdlError(
                    f"state {number} is one in which play does not go on",
                    expected=f"states of {self.markov_game.game.id}",
                )
        self._batch.restore(packed, chosen)
        self.lengths[chosen] = [state.ply for state in states]
        self._asked = self._look()

    def _numbers(self, rows: ArrayLike | None) -> NDArray[np.intp]:
        return np.arange(self.size) if rows is None else self._batch.numbers(rows)

    def __copy__(self) -> VectorEnv:
        """Return an environment that shares nothing with this one."""
        return self.fork()

    def __deepcopy__(self, _memo: object) -> VectorEnv:
        """Return an environment that shares nothing with this one."""
        return self.fork()

    def __reduce__(self) -> tuple[Callable[..., VectorEnv], tuple[Any, ...]]:
        """Pickle how the game is found, and the rows."""
        played = self.markov_game
        return unpickle, (played.game, played.max_plies, self.view, self.save())

    def sample(self, rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return legal moves drawn uniformly, as `step` takes them.

        ``int[B]`` where at most one player is asked in each game, else ``int[B, players]``.

        Args:
            rows: In which games chance goes on, as in `save`, by default in all; in the others it
                stands where it stood.

        Raises:
            GdlError: There are no such rows.
        """
        if rows is None:
            self._random += STEP
        else:
            self._random[self._numbers(rows)] += STEP
        if not len(self._asked.several):
            return self._sampled(self._mover_masks(), np.maximum(self._asked.movers, 0))
        rows = [self._sampled(self.masks_of(p).T, p) for p in range(len(self.players))]
        return np.stack(rows, axis=1)

    def _sampled(self, masks: NDArray[np.bool_], stream: ArrayLike) -> NDArray[np.int64]:
        """Return the index of one true entry of each column, 0 where there is none.

        The stream of a row is that of who draws, so that it is the same whoever else is asked in
        other rows.
        """
        kind = _count_type(len(masks))
        ranks = masks.astype(kind)
        for i in range(1, len(ranks)):  # row by row: cumsum over this axis is much slower
            np.add(ranks[i - 1], ranks[i], out=ranks[i])
        wanted = (chances(self._random, stream) * ranks[-1]).astype(kind)
        chosen: NDArray[Any] = np.add.reduce(ranks <= wanted, axis=0, dtype=kind)
        chosen *= ranks[-1] > 0
        return np.asarray(chosen, np.int64)

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

    def _given(self, actions: NDArray[np.int64], waiting: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return a move of each player, ``int[players, B]``; rows that wait may be given any."""
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
        several = self._asked.several
        if len(several) and len(several := np.setdiff1d(several, waiting)):
            raise GdlError(
                f"several players are asked in row {several[0]}, and one move was given",
                expected=f"a move of each player, ({self.size}, {players})",
            )
        return actions[None].repeat(players, axis=0)

    def _joint(self, given: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of each role's move as the batch counts them."""
        if self.markov_game.nature is None and len(self._batch.roles) == len(self.players):
            return self._free(given)
        return self._of_each_role(given)

    def _free(self, given: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let the batch fill in the forced moves, where at most one role chooses in each game."""
        if len(self._asked.several):
            return self._of_each_role(given)
        out = np.zeros(self.size, np.int64)
        for player in range(len(self.players)):
            out += self._translated(player, given[player])
        if not len(self._asked.lone):
            return out
        # Where there is nothing to choose the batch takes any number for the only move.
        for player, role in enumerate(self.markov_game.players):
            rows = self._asked.lone[self._asked.movers[self._asked.lone] == player]
            is_legal = self._batch.legal[role][rows, out[rows]]
            if not is_legal.all():
                row = int(rows[is_legal.argmin()])
                self._refuse(player, row, int(given[player, row]))
        return out

    def _of_each_role(self, given: NDArray[np.int64]) -> NDArray[np.int64]:
        if self.markov_game.nature is not None:
            self._random += STEP
        out = np.zeros((len(self._batch.roles), self.size), np.int64)
        for role, legal in enumerate(self._batch.legal):
            if role == self.markov_game.nature:
                out[role] = self._sampled(legal.T, role)
                continue
            player = self.markov_game.players.index(role)
            is_asked = self._asked.asked[player]
            forced = legal.argmax(axis=1)
            out[role] = np.where(is_asked, self._translated(player, given[player]), forced)
        return out.T

    def _translated(self, player: int, given: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a role's own numbers of its moves, 0 where it is not asked.

        Raises:
            IllegalMoveError: A number is of no move of a player who is asked.
        """
        numbers, is_asked = given, self._asked.asked[player]
        own = self._own[self.markov_game.players[player]]
        if numbers.min() < 0 or numbers.max() >= self.moves:
            own = np.append(own, ABSENT)  # what numbers of no move stand for
            numbers = np.where((numbers >= 0) & (numbers < self.moves), numbers, self.moves)
        out = own[numbers]
        strange = (out == ABSENT) & is_asked
        if strange.any():
            row = int(strange.argmax())
            self._refuse(player, row, int(given[row]))
        out *= is_asked
        return out

    def _refuse_first(self, given: NDArray[np.int64], waiting: NDArray[np.intp]) -> None:
        """Refuse the first illegal move; the batch would name it by a number of its own."""
        wrong = self._asked.asked.copy()
        wrong[:, waiting] = False
        for player in range(len(self.players)):
            numbers = np.clip(given[player], 0, self.moves - 1)
            legal = self._legal(player)[numbers, np.arange(self.size)]
            wrong[player] &= ~(legal & (numbers == given[player]))
        if wrong.any():
            row = int(wrong.any(axis=0).argmax())
            player = int(wrong[:, row].argmax())
            self._refuse(player, row, int(given[player, row]))

    def _refuse(self, player: int, row: int, number: int) -> None:
        """Refuse a number of the table that a player has no move for, as it was given."""
        name = self._batch.roles[self.markov_game.players[player]]
        table = self.markov_game.table.moves
        legal = tuple(table[i] for i in np.flatnonzero(self._legal(player)[:, row]))
        if 0 <= number < len(table):
            error = illegal_move(name, table[number], legal)
        else:
            error = IllegalMoveError(
                name,
                Constant(f"number {number}"),
                legal,
                f"{number} is the number of no move of {name}",
                expected=f"0 to {len(table) - 1}",
            )
        error.add_note(place_note(row, number))
        raise error

    def _reward(
        self, rewards: NDArray[np.float32], which: NDArray[np.bool_], *, is_over: bool
    ) -> None:
        """Write what the ends of some games are worth; see `MarkovGame.rewards`."""
        rows = np.flatnonzero(which)
        if not len(rows):
            return
        goals = self._batch.goals_of(rows)[:, list(self.markov_game.players)]
        if len(self.players) == 1:
            rewards[rows] = np.maximum(goals, 0) / MOST_GOAL
        elif is_over:
            is_decided = (goals != NO_GOAL).all(axis=1)
            rewards[rows] = np.where(is_decided[:, None], goals / EVEN - 1, 0)

    def _look(self) -> _Asked:
        """Find out who is asked; see `MoveTable.asked`."""
        roles = range(len(self._batch.roles))
        kind = _count_type(max(map(len, self._batch.moves)))
        counts = np.empty((len(roles), self.size), kind)
        for legal, count in zip(self._batch.legal, counts, strict=True):
            np.add.reduce(legal.T, axis=0, dtype=kind, out=count)
        asked = counts > 1
        idle = np.flatnonzero(~np.logical_or.reduce(asked))
        if len(idle):
            acting = np.zeros((len(roles), len(idle)), np.bool_)
            for role in roles:
                waits = self._batch.legal[role].T[self._waiting[role]][:, idle]
                acting[role] = (counts[role, idle] == 1) & ~np.logical_or.reduce(waits)
            asked[:, idle] = acting & (acting.sum(axis=0) == 1)
        asked = asked[list(self.markov_game.players)]
        number = np.add.reduce(asked, axis=0, dtype=_count_type(len(asked)))
        movers = np.full(self.size, NOBODY, np.int8)
        for player, is_asked in enumerate(asked):  # a sum: of the one player alone, where it is one
            movers += is_asked.view(np.int8) * np.int8(player - NOBODY)
        several = np.flatnonzero(number > 1)
        movers[several] = NOBODY
        lone = idle[movers[idle] != NOBODY]
        return _Asked(asked, movers, np.logical_and.reduce(counts > 0), lone, several)


def _count_type(most: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that counts so far: sums over it are several times as quick."""
    return np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.uint32


def _own_numbers(size: int, table_numbers: list[int]) -> NDArray[np.int64]:
    """Return for each move of the table a role's own number for it, `ABSENT` if it has none."""
    own = np.full(size, ABSENT, np.int64)
    for mine, number in enumerate(table_numbers):
        if number != ABSENT:
            own[number] = mine
    return own


def unpickle(game: Game, max_plies: int, view: View, saved: SavedRows) -> VectorEnv:
    """Return the environment that was pickled."""
    env = VectorEnv(markov_game(game, max_plies=max_plies), len(saved), view=view)
    env.restore(saved)
    return env
