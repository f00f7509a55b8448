"""States layer by layer from a root: all of them (breadth-first), or the best of each layer.

A search that leaves nothing out meets every state that can be reached, each by a shortest way; so
the highest goal that it met is the highest there is. A beam keeps so many states of a layer as seem
best and proves nothing. A beam may tell states apart by a part of their bits, for instance all but
the clock of the game: then it comes to no board twice.

Source: beam search as in Lowerre, "The HARPY Speech Recognition System", 1976; wider and wider
beams as in Zhang, "Complete Anytime Beam Search", AAAI 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias
from weakref import proxy

import numpy as np
from numpy.typing import NDArray

from gdl.play.puzzles.lanes import Children, Lanes, Rows
from gdl.play.puzzles.seen import Seen

Score: TypeAlias = Callable[[Children, NDArray[np.bool_]], NDArray[np.float32]]
"""How good children are, of those of a mask: the higher the better."""


class Beam:
    """One search from a root.

    Attributes:
        best: The highest goal met so far, -1 for none.
        depth: Moves to the layer that is made.
        is_whole: Whether nothing was left out so far.
    """

    def __init__(  # noqa: PLR0913  # what is searched, and how
        self,
        lanes: Lanes,
        root: bytes,
        mask: Rows,
        *,
        width: int | None,
        score: Score | None,
        megabytes: int,
    ) -> None:
        """Prepare; ``width`` is None for all states."""
        self._lanes, self._width, self._score = lanes, width, score
        self.seen = Seen(root, mask, megabytes=megabytes)
        self.best, self._at = -1, 0
        self.depth = 0
        self.is_whole = True
        self._steps = Beam._run(proxy(self))  # no cycle: whoever lets go of it frees its memory

    def go_on(self) -> bool:
        """Step some thousand states; False when all is done or memory is full."""
        try:
            return next(self._steps, None) is not None
        except MemoryError:
            self.is_whole = False
            return False

    @property
    def line(self) -> list[int]:
        """The moves to the highest goal."""
        return self.seen.moves_to(self._at)

    def _run(self) -> Iterator[bool]:
        layer = np.zeros(1, np.int32)
        while len(layer):
            self.depth += 1
            numbers, scores = [], []
            for children in self._lanes.expand(self.seen.states(layer)):
                place = self.seen.add(children.states, layer[children.parent], children.move)
                fresh = place >= 0
                self._look(children, place, fresh)
                going = fresh & ~children.is_over & (children.mobility > 0)
                numbers.append(place[going])
                if self._score is not None:
                    scores.append(self._score(children, going))
                yield True
            layer = np.concatenate(numbers) if numbers else layer[:0]
            if self._width is not None and len(layer) > self._width:
                self.is_whole = False
                order = (
                    np.argpartition(-np.concatenate(scores), self._width)
                    if scores
                    else np.arange(len(layer))
                )
                layer = layer[order[: self._width]]

    def _look(self, children: Children, place: NDArray[np.int32], fresh: NDArray[np.bool_]) -> None:
        """Remember the highest goal among children in which the game is over."""
        values = np.where(fresh & children.is_over, children.goal, -1)
        at = int(values.argmax())
        if values[at] > self.best:
            self.best, self._at = int(values[at]), int(place[at])
