"""Many games of a network against itself, side by side: a move in each at a time.

In: where the games stand, and a judge of positions. Out: where they stand after a move that trees
chose, and rows of positions of games that have ended. Where nobody but nature has a choice no tree
is asked, and moves are drawn; but such positions are learned from too, since trees ask what they
are worth. A half of the games begin with drawn moves, which nobody learns from. All chance comes
from a generator that is handed in.

A position is worth a half of what came of the game and a half of what its tree hoped for.

Source: Silver et al., 2018; the mean with what trees hope for: Willemsen et al., "Value Targets in
Off-Policy AlphaZero", 2020.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.learn.deep.layout import Layout
from gdl.learn.deep.positions import Rows, joined, no_rows
from gdl.learn.found import NOTHING, Found
from gdl.learn.resumable import TrainingError
from gdl.learn.search import Judge, Search
from gdl.learn.trees import choosers

if TYPE_CHECKING:
    from gdl.state_batch import StateBatch

LONGEST: Final = 512
"""Plies after which a game is cut; it then counts with what its last tree hoped for."""
OPENING: Final = 0.5
"""Share of games that begin with drawn moves."""
OUTCOME: Final = 0.5
"""Part of what a position is worth that is the outcome of the game; the rest is of its tree."""
HIGHEST: Final = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where games stand, in each of which a player is to choose.

    Attributes:
        positions: The games, ``uint8[B, bytes]``.
        plies: How far each is, ``int64[B]``.
        rows: Positions of these games so far, in their order.
        games: In which game each of these rows is, ``int64[n]``.
        ended: Games that have ended.
        cut: Those of them that were cut.
        length: Plies of all of these.
    """

    positions: NDArray[np.uint8]
    plies: NDArray[np.int64]
    rows: Rows
    games: NDArray[np.int64]
    ended: int = 0
    cut: int = 0
    length: int = 0


class SelfPlay:
    """Plays B games."""

    def __init__(  # noqa: PLR0913  # what trees take
        self, game: Game, layout: Layout, judge: Judge, *, size: int, simulations: int, gumbel: int
    ) -> None:
        """Prepare.

        Args:
            game: The game.
            layout: What a network sees of it.
            judge: Judges positions.
            size: B.
            simulations: New positions that a tree looks at for a move.
            gumbel: See `gdl.learn.search.Search`.
        """
        self._search = Search(game, judge, simulations=simulations, gumbel=gumbel)
        self._batch = game.batch(size)
        self._layout, self._id = layout, game.id
        self._nature = game.roles.index(RANDOM) if RANDOM in game.roles else NOTHING
        self._worst = np.array(layout.worst, np.float32)
        self._range = np.array(layout.best, np.float32) - self._worst
        self.sizes = len(layout.facts), layout.columns.shape[1], len(layout.worst)

    def begin(self, rng: np.random.Generator) -> Standing:
        """Return games that begin.

        Raises:
            TrainingError: The game is over before anybody chooses.
        """
        size = self._batch.size
        self._batch.reset()
        if self._batch.terminal.any():
            raise self._error("it is over before it begins")
        plies, rows = np.zeros(size, np.int64), no_rows(0, *self.sizes)
        return self._settled(_Play(self, plies, rows, np.zeros(0, np.int64), rng, first=True))[0]

    def turn(self, before: Standing, rng: np.random.Generator) -> tuple[Standing, Rows]:
        """Make a move in each game; return where they stand then, and what is to be learned from.

        Raises:
            TrainingError: Play came to a state that cannot be learned.
        """
        batch = self._batch
        batch.restore(before.positions)
        try:
            found = self._search.run(before.positions, rng)
        except GdlError as error:
            raise TrainingError(
                f"{self._id} cannot be learned: {error.message}", expected=error.expected
            ) from None
        moves = found.sample(rng)
        held = batch.save()
        new = [self._rows_of(each, held) for each in (found, *found.also)]
        games = np.concatenate([before.games, *(where for where, _ in new)])
        rows = joined([before.rows, *(part for _, part in new)])
        batch.step(moves)
        play = _Play(self, before.plies + 1, rows, games, rng, before)
        return self._settled(play)

    def is_sound(self, standing: Standing) -> bool:
        """Return whether games can go on from where they are said to stand.

        Raises:
            GdlError: They stand nowhere.
        """
        size, games = self._batch.size, standing.games
        kinds = [(array.dtype, array.shape) for array in (standing.plies, games)]
        whole = np.dtype(np.int64)
        if kinds != [(whole, (size,)), (whole, (standing.rows.count,))]:
            return False
        if not self.are_sound(standing.rows):
            return False
        self._batch.restore(standing.positions)
        return bool(
            not self._batch.terminal.any()
            and self.players_choose(self._batch).all()
            and ((standing.plies >= 0) & (standing.plies <= LONGEST)).all()
            and ((games >= 0) & (games < size)).all()
        )

    def are_sound(self, rows: Rows) -> bool:
        """Return whether rows are of this game; what they are worth may be unknown."""
        _, moves, roles = self.sizes
        with np.errstate(invalid="ignore"):
            return bool(
                rows.is_like(no_rows(0, *self.sizes))
                and ((rows.movers >= 0) & (rows.movers < roles)).all()
                and ((rows.moves >= 0) & (rows.moves < moves)).all()
                and ((rows.shares >= 0) & (rows.shares <= 1)).all()
                and (np.isnan(rows.values) | ((rows.values >= 0) & (rows.values <= 1))).all()
            )

    def _settled(self, play: _Play) -> tuple[Standing, Rows]:
        """Return where games stand once a player chooses in each, and what ended meanwhile."""
        for _ in range(4 * LONGEST):
            if not play.go_on(self._batch):
                return play.standing(self._batch), play.learned()
        raise self._error("nobody has a choice for very long")

    def _rows_of(self, found: Found, held: NDArray[np.uint8]) -> tuple[NDArray[np.int64], Rows]:
        """Return the games in which somebody chooses, and a row of each, with the tree's policy."""
        where = np.flatnonzero(found.movers != NOTHING)
        rows = self._blank(held[where], found.movers[where], where)
        policy = found.policy()[where]
        policy[found.movers[where] == self._nature] = 0
        kept = rows.moves.shape[1]
        likely = np.argsort(-policy, axis=1, kind="stable")[:, :kept]
        shares = np.take_along_axis(policy, likely, axis=1)
        whole = shares.sum(axis=1, keepdims=True)
        return where, replace(
            rows,
            moves=likely.astype(np.int16),
            shares=(shares / np.where(whole > 0, whole, 1)).astype(np.float16),
            values=self.shares(HIGHEST * found.values[where]),
        )

    def _blank(
        self, held: NDArray[np.uint8], movers: NDArray[np.int64], where: NDArray[np.int64]
    ) -> Rows:
        """Return rows of positions of the batch of which nothing is known."""
        rows = no_rows(len(where), *self.sizes)
        legal = np.zeros((len(where), self.sizes[1]), np.bool_)
        for role, mask in enumerate(self._batch.legal):
            mine = movers == role
            legal[mine, : mask.shape[1]] = mask[where[mine]]
        return replace(
            rows,
            held=held,
            movers=movers.astype(np.int16),
            legal=np.packbits(legal, axis=1),
            values=np.full_like(rows.values, np.nan),
        )

    def forced(self, batch: StateBatch, where: NDArray[np.int64]) -> Rows:
        """Return rows of positions in which no player chooses."""
        movers, _ = choosers([mask[where] for mask in batch.legal], self.sizes[1])[0]
        return self._blank(batch.save(where), movers, where)

    def shares(self, goals: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return goals as shares of what each role may get."""
        share = (goals - self._worst) / np.where(self._range > 0, self._range, 1)
        return np.clip(share, 0, 1).astype(np.float32)

    def players_choose(self, batch: StateBatch) -> NDArray[np.bool_]:
        """Return in which games a player has a choice, ``bool[B]``.

        Raises:
            TrainingError: A role has no move.
        """
        counts = np.stack([mask.sum(axis=1) for mask in batch.legal])
        if (counts[:, ~batch.terminal] == 0).any():
            raise self._error("play came to a state in which a role has no move")
        counts = np.delete(counts, self._nature, axis=0) if self._nature != NOTHING else counts
        return np.asarray((counts > 1).any(axis=0))

    def _error(self, why: str) -> TrainingError:
        return TrainingError(f"{self._id} cannot be learned: {why}")


class _Play:
    """Games on the way to where a player chooses in each: ends, new games, forced moves."""

    def __init__(  # noqa: PLR0913, PLR0917  # what a standing has
        self,
        home: SelfPlay,
        plies: NDArray[np.int64],
        rows: Rows,
        games: NDArray[np.int64],
        rng: np.random.Generator,
        before: Standing | None = None,
        *,
        first: bool = False,
    ) -> None:
        self._home, self._rng = home, rng
        self._plies, self._parts, self._games = plies, [rows], [games]
        self._ended = 0 if before is None else before.ended
        self._cut = 0 if before is None else before.cut
        self._length = 0 if before is None else before.length
        self._is_new = np.full(len(plies), first)
        self._drawn = np.zeros(len(plies), np.int64)
        self._learned: list[Rows] = []

    def go_on(self, batch: StateBatch) -> bool:
        """End what is over, begin anew, and draw a move where nobody chooses; False if nowhere."""
        over = batch.terminal.copy()
        # Drawn moves that led to an end before anybody chose are taken back.
        again = over & self._is_new
        late = ~over & ~self._is_new & (self._plies >= LONGEST)
        ends = over & ~self._is_new | late
        if ends.any():
            self._end(np.flatnonzero(ends), late, batch.goals)
        begins = again | ends
        if begins.any():
            batch.reset(begins)
            self._plies[begins] = 0
            self._is_new |= ends
            self._drawn[again] = 0
            for row in np.flatnonzero(ends):
                mean = self._length / max(1, self._ended)
                is_drawn = self._rng.random() < OPENING
                self._drawn[row] = int(mean * self._rng.random()) if is_drawn else 0
        chooses = self._home.players_choose(batch)
        where = np.flatnonzero((self._drawn > 0) | ~chooses)
        if not len(where):
            return False
        told = where[~self._is_new[where]]
        if len(told):
            self._parts.append(self._home.forced(batch, told))
            self._games.append(told)
        side = batch.fork(where)
        side.step(np.stack([_any(mask, self._rng) for mask in side.legal], axis=1))
        batch.restore(side.save(), where)
        self._plies[where] += 1
        self._drawn[where] = np.maximum(self._drawn[where] - 1, 0)
        return True

    def _end(
        self, where: NDArray[np.intp], late: NDArray[np.bool_], goals: NDArray[np.integer]
    ) -> None:
        """Take the rows of games that have ended, with what came of them."""
        rows, games = joined(self._parts), np.concatenate(self._games)
        outcomes = self._home.shares(goals.astype(np.float32))
        is_ended = np.zeros(len(self._plies), np.bool_)
        is_ended[where] = True
        for game in where:
            self._ended += 1
            self._cut += int(late[game])
            self._length += int(self._plies[game])
            own = rows.at(np.flatnonzero(games == game))
            values = _valued(own.values, None if late[game] else outcomes[game])
            if values is not None:
                self._learned.append(replace(own, values=values))
        stay = ~is_ended[games]
        self._parts, self._games = [rows.at(stay)], [games[stay]]

    def standing(self, batch: StateBatch) -> Standing:
        """Return where games stand."""
        rows, games = joined(self._parts), np.concatenate(self._games)
        return Standing(
            batch.save(), self._plies, rows, games, self._ended, self._cut, self._length
        )

    def learned(self) -> Rows:
        """Return the rows of the games that have ended."""
        return joined([no_rows(0, *self._home.sizes), *self._learned])


def _valued(
    hoped: NDArray[np.float32], outcome: NDArray[np.float32] | None
) -> NDArray[np.float32] | None:
    """Return what positions of a game are worth; None where nothing is known.

    Args:
        hoped: What trees hoped for in each, not a number where none was asked: there counts what
            the next one says, which is a sample of it.
        outcome: Of the game; None for what was hoped for last.
    """
    values = hoped.copy()
    known = ~np.isnan(values[:, 0])
    if outcome is None:
        if not known.any():
            return None
        outcome = hoped[np.flatnonzero(known)[-1]]
    following = outcome
    for i in reversed(range(len(values))):
        if known[i]:
            following = hoped[i]
        values[i] = OUTCOME * outcome + (1 - OUTCOME) * following
    return values


def _any(legal: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a legal move of each row, all alike."""
    drawn = rng.random(legal.shape)
    return np.asarray(np.where(legal, drawn, -1.0).argmax(axis=1), np.int64)
