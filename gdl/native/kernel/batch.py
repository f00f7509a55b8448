"""Many games side by side, as arrays.

In goes a `Kernel` and a number B, out comes a `Batch`: legal masks, terminal
flags, goals and observations as numpy arrays with one row a game, and `step`.
Arrays are views of memory that the next `step` writes over; copy what is to be
kept. Each has ``__dlpack__``, so that other array libraries can take it without a copy.

Source: the form of a step after Koyamada et al., "Pgx: Hardware-Accelerated Parallel
Game Simulators for Reinforcement Learning", NeurIPS 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require, require_whole
from gdl.language.terms import Constant
from gdl.machine import IllegalMoveError, illegal_move
from gdl.native.kernel.kernel import NO_GOAL, Kernel

NO_MOVE: Final = -1
"""Stands for a number that no move has."""
SHOWN: Final = 12
"""Games of a batch that a notebook shows."""
ALL_LANES: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


class Batch:
    """B games of one ruleset.

    Attributes:
        size: B.
        auto_reset: Whether a game that ends begins anew at once.
        legal: For each role the mask of legal moves, ``bool[B, moves]``.
        terminal: Which games are over, ``bool[B]``; with auto-reset, which ended in the last step.
        most_goal: The largest goal in the rules.
        draw: Returns a game, given by its facts, as a small picture in HTML; None for no pictures.
    """

    def __init__(self, kernel: Kernel, size: int, *, auto_reset: bool = False) -> None:
        """Begin B games in the initial state.

        Raises:
            ArgumentError: Size below 1, or ``auto_reset`` is neither True nor False.
        """
        self.size = size = require_whole("the size of a batch", size, 1)
        self.auto_reset = require("auto_reset", auto_reset, bool, "True or False")
        self.draw: Callable[[list[Any]], str] | None = None
        self._kernel = kernel
        self._vectors = -(-size // kernel.width)
        self._lanes = self._vectors * kernel.width
        self._slots = kernel.memory(self._vectors)
        self._memory = self._slots.ctypes.data
        self._mark_spare()
        compiled = kernel.compiled
        self._legal = [np.zeros((len(moves), self._lanes), np.bool_) for moves in compiled.moves]
        self._terminal = np.zeros((1, self._lanes), np.bool_)
        self._ids = np.zeros((len(compiled.roles), self._lanes), np.int32)
        self._goal_bits = np.zeros((sum(map(len, compiled.goals)), self._lanes), np.bool_)
        goals = [value for values in compiled.goals for value in values]
        self.most_goal = max(goals, default=0)
        self._goal_type = np.int16 if max(map(abs, goals), default=0) < 1 << 15 else np.int64
        self.legal = tuple(mask.T[:size] for mask in self._legal)
        self.terminal = self._terminal[0, :size]
        arrays = [self._terminal, self._goal_bits, *self._legal]
        self._out = np.array([array.ctypes.data for array in arrays], np.uint64)
        self._ids_at, self._out_at = self._ids.ctypes.data, self._out.ctypes.data
        self._chance = np.zeros(self._lanes, np.float32)
        self._drawn = np.zeros(self._lanes, np.int32)
        self._chance_at, self._drawn_at = self._chance.ctypes.data, self._drawn.ctypes.data
        self._legal_at = [(mask.ctypes.data, len(mask)) for mask in self._legal]
        self._observe()

    @property
    def roles(self) -> tuple[Any, ...]:
        """The roles in order."""
        return self._kernel.compiled.roles

    @property
    def moves(self) -> tuple[tuple[Any, ...], ...]:
        """For each role its moves; the number of a move is its index here."""
        return self._kernel.compiled.moves

    @property
    def facts(self) -> tuple[Any, ...]:
        """What the columns of `observations` stand for."""
        return self._kernel.compiled.facts

    @property
    def observations(self) -> NDArray[np.bool_]:
        """What is true in each game, ``bool[B, facts]``. A new array. Cost O(B * facts)."""
        kernel = self._kernel
        count = len(self.facts)
        out = np.zeros((count, self._lanes), np.bool_)
        for v in range(self._vectors):
            to = out.ctypes.data + v * kernel.width
            kernel.expand(self._slots[v].ctypes.data, kernel.layout.facts, count, to, self._lanes)
        return out.T[: self.size]

    @property
    def goals(self) -> NDArray[np.int16] | NDArray[np.int64]:
        """Goal of each role, ``int16[B, roles]``, -1 where the rules give no single value.

        Where rules give goals of more than 16 bits, against the specification, ``int64``.
        With auto-reset, that of the state in which the last step ended, before it began anew.
        A new array. Cost O(B * goal values).
        """
        return self._goals_in(self._goal_bits[:, : self.size])

    @property
    def goal_values(self) -> NDArray[np.bool_]:
        """Which goal values hold, ``bool[goal values, B]``, those of each role in turn; a view.

        Where rules give several at once all of them are there.
        """
        return self._goal_bits[:, : self.size]

    def goals_of(self, rows: NDArray[np.intp]) -> NDArray[np.int16] | NDArray[np.int64]:
        """Return the `goals` of some games, given by their numbers: ``[n, roles]``."""
        return self._goals_in(self._goal_bits[:, rows])

    def _goals_in(self, planes: NDArray[np.bool_]) -> NDArray[np.int16] | NDArray[np.int64]:
        result = np.full((len(self.roles), planes.shape[1]), NO_GOAL, self._goal_type)
        start = 0
        for r, values in enumerate(self._kernel.compiled.goals):
            bits = planes[start : start + len(values)]
            start += len(values)
            single = bits.sum(axis=0) == 1
            for value, plane in zip(values, bits, strict=True):
                result[r][plane & single] = value
        return result.T

    def step(self, move_ids: ArrayLike) -> None:
        """Make a move in every game that is not over.

        Nothing is changed when any move is illegal.

        Args:
            move_ids: Numbers of moves (see `moves`): ``int[B, roles]``; or ``int[B]`` for the
                role that has a choice, every role with one legal move being given that.

        Raises:
            IllegalMoveError: Names role, move and the legal moves of the first such row.
            GdlError: The shape is neither, or they are no whole numbers.
        """
        kernel = self._kernel
        given = array_of(move_ids)
        is_free = given.shape == (self.size,)
        if not is_free and given.shape != (self.size, len(self.roles)):
            raise GdlError(
                f"move_ids has the shape {given.shape}",
                expected=f"({self.size}, {len(self.roles)}), a move of each role, or "
                f"({self.size},), the move of the one that has a choice",
            )
        if given.dtype.kind not in "iu":
            raise GdlError(
                f"move_ids has the type {given.dtype}",
                expected="whole numbers, each the index of a move in moves",
            )
        ids = self._ids[:, : self.size]
        ids[:] = given if is_free else given.T
        if given.dtype != ids.dtype:
            ids[ids != (given if is_free else given.T)] = NO_MOVE
        if kernel.check(self._memory, self._vectors, self._lanes, self._ids_at, -int(is_free)):
            self._refuse(given, is_free=is_free)
        kernel.go(self._memory, self._vectors, self._lanes, self._out_at, 1, int(self.auto_reset))

    def sample(self, rng: np.random.Generator) -> NDArray[np.int32]:
        """Return for each game a legal move drawn uniformly, as `step` takes it for the free role.

        It is drawn for the last role with more than one legal move, 0 where there is none; in
        games where several have a choice at once, choose from `legal` instead. A new array,
        ``int32[B]``. Cost O(B * moves), some ten games a nanosecond and move.

        Raises:
            ArgumentError: The generator is none.
        """
        require("rng", rng, np.random.Generator, "a numpy.random.Generator")
        rng.random(out=self._chance, dtype=np.float32)
        self._drawn[:] = 0
        for rows, moves in self._legal_at:
            self._kernel.sample(rows, moves, self._lanes, self._chance_at, self._drawn_at)
        return self._drawn[: self.size].copy()

    def reset(self, rows: ArrayLike | None = None) -> None:
        """Begin games anew: all of them, or those whose rows are true in ``bool[B]``.

        Raises:
            GdlError: The shape or the type is another.
        """
        if rows is not None:
            self._reset_rows(np.asarray(rows))
            return
        self._slots[:, self._kernel.layout.illegal] = ALL_LANES
        for v in range(self._vectors):
            self._kernel.reset(self._slots[v].ctypes.data)
        self._observe()

    def _reset_rows(self, rows: NDArray[Any]) -> None:
        if rows.shape != (self.size,):
            raise GdlError(f"rows has the shape {rows.shape}", expected=f"({self.size},)")
        if rows.dtype != np.bool_:
            raise GdlError(
                f"rows has the type {rows.dtype}", expected="bool, whether each game begins anew"
            )
        lanes = np.zeros(self._lanes, np.bool_)
        lanes[: self.size] = rows
        layout, count = self._kernel.layout, len(self.facts)
        initial = self._slots[:, layout.initial : layout.initial + count]
        self._write(initial, self._planes(lanes[None])[:, 0])

    def save(self, rows: ArrayLike | None = None) -> NDArray[np.uint8]:
        """Return the positions of some games, or of all, to be restored or pickled.

        Args:
            rows: Numbers of games, ``int[n]``; or which, ``bool[B]``.

        Returns:
            What holds in each, a bit a fact, ``uint8[n, bytes]``. Cost O(B * facts).

        Raises:
            GdlError: There are no such rows.
        """
        facts = self.observations
        return np.packbits(facts if rows is None else facts[self.numbers(rows)], axis=1)

    def restore(self, saved: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Let games go on from positions that `save` gave; which games they were does not matter.

        Nothing counts as having just ended: ``terminal`` and `goals` are those of the positions.

        Args:
            saved: Positions, ``uint8[n, bytes]``.
            rows: Where to, as in `save`; by default to all games.

        Raises:
            GdlError: There are no such rows, or not as many as positions.
        """
        # A slice is written several times as fast as places one by one.
        places = slice(0, self.size) if rows is None else self.numbers(rows)
        many = self.size if isinstance(places, slice) else len(places)
        packed, count = array_of(saved), len(self.facts)
        expected = (many, -(-count // 8))
        if packed.shape != expected or packed.dtype != np.uint8:
            raise GdlError(
                f"saved has the shape {packed.shape} and the type {packed.dtype}",
                expected=f"{expected} and uint8, as save gives it for so many rows",
            )
        held = np.zeros((count, self._lanes), np.bool_)
        held[:, places] = np.unpackbits(packed, axis=1, count=count).T
        chosen = np.zeros(self._lanes, np.bool_)
        chosen[places] = True
        self._write(self._planes(held), self._planes(chosen[None])[:, 0])

    def fork(self, rows: ArrayLike | None = None, n: int = 1) -> Self:
        """Return a batch of its own in which each of some games is there so many times.

        Args:
            rows: Which, as in `save`; by default all.
            n: How often; the copies of a game stand side by side.
        """
        saved = np.repeat(self.save(rows), require_whole("n", n, 1), axis=0)
        batch = self._another(len(saved))
        batch.restore(saved)
        return batch

    def _another(self, size: int) -> Self:
        """Return a batch of this kind, of so many games."""
        return type(self)(self._kernel, size, auto_reset=self.auto_reset)

    def _repr_html_(self) -> str | None:
        """Return the first games as small boards for notebooks."""
        if self.draw is None:
            return None
        from gdl.language.html import beside_html, text_html

        rows = self.observations[:SHOWN]
        facts = [[self.facts[i] for i in np.flatnonzero(row)] for row in rows]
        ends = self.terminal[:SHOWN] & (not self.auto_reset)
        said = [f"{i}, over" if end else str(i) for i, end in enumerate(ends)]
        boards = beside_html(
            (text, self.draw(facts_of_row)) for text, facts_of_row in zip(said, facts, strict=True)
        )
        more = f"and {self.size - SHOWN:,} games more" if self.size > SHOWN else ""
        return boards + (text_html(more) if more else "")

    def __copy__(self) -> Self:
        """Return a batch that shares nothing with this one."""
        return self.fork()

    def __deepcopy__(self, _memo: object) -> Self:
        """Return a batch that shares nothing with this one."""
        return self.fork()

    def __reduce__(self) -> tuple[Callable[..., Batch], tuple[Any, ...]]:
        """Refuse: machine code stays in its process, and a kernel does not know its game."""
        raise GdlError(
            "a batch cannot be pickled",
            help="pickle the game and batch.save(), then game.batch(n).restore(saved)",
        )

    def numbers(self, rows: ArrayLike) -> NDArray[np.intp]:
        """Return the numbers of some games, given as in `save`.

        Raises:
            GdlError: There are no such rows.
        """
        given = array_of(rows)
        if given.dtype == np.bool_ and given.shape == (self.size,):
            return np.flatnonzero(given)
        if given.ndim != 1 or not (given.dtype.kind in "iu" or not given.size):
            raise GdlError(
                f"rows has the shape {given.shape} and the type {given.dtype}",
                expected=f"numbers of games, int[n], or which, bool[{self.size}]",
            )
        outside = given[(given < 0) | (given >= self.size)]
        if outside.size:
            raise GdlError(f"there is no row {outside[0]}", expected=f"0 to {self.size - 1}")
        return given.astype(np.intp)

    def _planes(self, bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """Return bits as vectors: of ``bool[n, lanes]``, ``uint64[vectors, n, W]``."""
        words = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
        return words.reshape(len(bits), self._vectors, -1).swapaxes(0, 1)

    def _write(self, facts: NDArray[np.uint64], mask: NDArray[np.uint64]) -> None:
        """Set the facts of the lanes under a mask."""
        layout, count = self._kernel.layout, len(self.facts)
        own = self._slots[:, layout.facts : layout.facts + count]
        # Bits under the mask are flipped where they differ from what is wanted.
        own ^= (own ^ facts) & mask[:, None]
        self._observe()

    def _observe(self) -> None:
        self._kernel.go(self._memory, self._vectors, self._lanes, self._out_at, 0, 0)

    def _mark_spare(self) -> None:
        used = np.arange(self._lanes) < self.size
        planes = np.packbits(~used, bitorder="little").view(np.uint64)
        self._slots[:, self._kernel.layout.spare] = planes.reshape(self._vectors, -1)

    def _refuse(self, given: NDArray[np.integer[Any]], *, is_free: bool) -> None:
        planes = np.ascontiguousarray(self._slots[:, self._kernel.layout.illegal])
        row = int(np.unpackbits(planes.view(np.uint8), bitorder="little").argmax())
        for r, role in enumerate(self.roles):
            legal = self.legal[r][row]
            i = int(given[row] if is_free else given[row, r])
            if is_free and legal.sum() == 1:
                continue
            if not (0 <= i < len(legal) and legal[i]):
                names_of = self.moves[r]
                is_listed = 0 <= i < len(names_of)
                move = names_of[i] if is_listed else Constant(f"number {i}")
                names = tuple(names_of[j] for j in np.flatnonzero(legal))
                error = illegal_move(role, move, names)
                if not is_listed:
                    said = f"{i} is the number of no move of {role}"
                    expected = f"0 to {len(names_of) - 1}"
                    error = IllegalMoveError(role, move, names, said, expected=expected)
                error.add_note(place_note(row, i))
                raise error
        raise AssertionError


def place_note(row: int, number: int) -> str:
    """Return the note of an error about a move: where it was, and its number as it was given."""
    return f"row {row} of the batch, number {number}; nothing was changed"


def array_of(given: Any) -> NDArray[Any]:  # noqa: ANN401  # an array of any library
    """Return what was given as an array of numpy, one that only has ``__dlpack__`` included.

    Raises:
        GdlError: It is a list of lists that are not of one length.
    """
    if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
        return np.from_dlpack(given)
    try:
        return np.asarray(given)
    except ValueError:
        raise GdlError(
            "what was given is no array: its rows are not of one length",
            expected="an array, or lists of numbers of one length",
        ) from None
