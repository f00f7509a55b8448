"""Random plays of all lanes, and the best of them remembered move by move.

On the way they show how long plays are, and what tells the time: facts that are the same in all
plays at the same ply.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gdl.play.puzzles.lanes import Lanes, Rows

LONGEST: Final = 600
"""Plies of a play before it is given up."""


class RandomPlays:
    """Random plays from one state.

    Attributes:
        shortest: Plies of the shortest play that came to its end, 0 for none.
        longest: Likewise of the longest.
        clock: The bits of a state that all plays agreed upon at every ply, ``uint8[bytes]``.
    """

    def __init__(self, lanes: Lanes, root: bytes, *, seed: int) -> None:
        """Prepare; nothing is played yet."""
        self._lanes, self._root = lanes, root
        self._rng = np.random.default_rng(seed)
        self.shortest = self.longest = 0
        self.clock: Rows = np.full(len(root), 0xFF, np.uint8)

    def go_on(self) -> tuple[int, list[int]] | None:
        """Play once in all lanes; return the best goal and the moves to it, None without an end."""
        played = []
        best, at, length = -1, 0, 0
        was_over = None
        for moves, is_over, goals, states in self._lanes.play_out(self._root, self._rng, LONGEST):
            played.append(moves)
            going = states if was_over is None else states[~was_over]
            if len(going):
                self.clock &= ~(np.bitwise_or.reduce(going) ^ np.bitwise_and.reduce(going))
            ended = is_over if was_over is None else is_over & ~was_over
            if ended.any():
                self.shortest = self.shortest or len(played)
                self.longest = max(self.longest, len(played))
                values = np.where(ended, goals, -1)
                lane = int(values.argmax())
                if values[lane] > best:
                    best, at, length = int(values[lane]), lane, len(played)
            was_over = is_over
        return (best, [int(moves[at]) for moves in played[:length]]) if length else None
