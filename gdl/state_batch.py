"""A batch of games whose rows can be taken out as states, set to states, and pickled.

In: a `gdl.Game` and a number B. Out: a `StateBatch`, that is a `Batch` which knows its game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require
from gdl.native.kernel.batch import Batch
from gdl.native.kernel.kernel import Kernel
from gdl.state import State

if TYPE_CHECKING:
    from gdl.game import Game


class StateBatch(Batch):
    """B games of one `gdl.Game`.

    Attributes:
        game: The game.
    """

    def __init__(
        self,
        game: Game,
        kernel: Kernel,
        size: int,
        draw: Callable[[list[Any]], str] | None,
        *,
        auto_reset: bool = False,
    ) -> None:
        """Begin B games in the initial state; `gdl.Game.batch` makes batches."""
        super().__init__(kernel, size, auto_reset=auto_reset)
        self.game = game
        self.draw = draw

    def states(
        self, rows: ArrayLike | None = None, *, plies: Sequence[int] | None = None
    ) -> list[State]:
        """Return some games, or all, as states, which do not know how they were reached.

        Args:
            rows: Which, as in `save`; by default all.
            plies: How many moves led to each; a batch does not count them. By default 0.

        Raises:
            GdlError: There are no such rows.
        """
        machine = self.game.machine
        counts = repeat(0) if plies is None else map(int, plies)
        return [
            State(self.game, machine, position.tobytes(), None, None, ply)
            for position, ply in zip(self.save(rows), counts, strict=plies is not None)
        ]

    def set(self, states: Sequence[State], rows: ArrayLike | None = None) -> None:
        """Let games go on from states, reached by play or set up; see `restore`.

        Args:
            states: States of this game.
            rows: Where to, as in `save`; by default to all games.

        Raises:
            GdlError: One is of another game or runs outside of machine code; there are no such
                rows, or not as many as states.
        """
        count = self.size if rows is None else len(self.numbers(rows))
        self.restore(self.packed(states, count), rows)

    def packed(self, states: Sequence[State], count: int) -> NDArray[np.uint8]:
        """Return so many states as `restore` takes them.

        Raises:
            GdlError: See `set`.
        """
        require("states", states, Sequence, "a list of states of the game")
        if len(states) != count:
            raise GdlError(f"{len(states)} states for {count} rows", expected="one a row")
        for number, state in enumerate(states):
            if why := self._unfit(state):
                raise GdlError(f"state {number} {why}", expected=f"states of {self.game.id}")
        inner = np.frombuffer(b"".join(state.inner for state in states), np.uint8)
        return inner.reshape(count, -(-len(self.facts) // 8))

    def _unfit(self, state: object) -> str:
        """Return why no row can go on from a state, nothing where one can."""
        if not isinstance(state, State):
            return f"is no state but of the type {type(state).__name__}"
        if state.game != self.game:
            return f"is of {state.game.id}, not of {self.game.id}"
        if state.machine is not state.game.machine or self.game.numbered is not self.game.machine:
            return "is one that machine code cannot judge"
        return ""

    def _another(self, size: int) -> Self:
        return type(self)(self.game, self._kernel, size, self.draw, auto_reset=self.auto_reset)

    def __reduce__(self) -> tuple[Callable[..., Batch], tuple[Any, ...]]:
        """Pickle how the game is found, and the positions; see `restore`."""
        return unpickle, (self.game, self.auto_reset, self.save())


def unpickle(game: Game, auto_reset: bool, saved: NDArray[np.uint8]) -> Batch:  # noqa: FBT001  # as it was pickled
    """Return the batch that was pickled."""
    batch = game.batch(len(saved), auto_reset=auto_reset)
    batch.restore(saved)
    return batch
