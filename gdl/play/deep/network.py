"""A deep network: a file of ``gdl train --deep``, and what it says of positions, by numpy alone.

In: what holds in n positions and who chooses. Out: a score of each move, and what each role may
hope for. Facts become planes: one for each mark of a board (or one cell, where there is no board),
one that is always 1, one for each role that may choose. Residual layers look at each cell with its
neighbours; a policy head and a value head look at all cells. The layers are written once
(`forward`), for numpy here and for JAX in `gdl.learn.deep.learner`, which brings another `conv`.

A file is a header in JSON, the digest of the rules and the names of facts and moves among it, and
arrays of 16 bits. What is read from it is checked before anything goes by it.

Source: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play", 2018; residual layers that begin as nothing, in place of normalization: Zhang,
Dauphin and Ma, "Fixup Initialization", 2019.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl._files import replaced
from gdl.play.network_file import DEEP, Origin, no_network_error, packed, read_as

Floats = NDArray[np.float32]
Weights = Mapping[str, Any]
"""Arrays by name, of numpy or of JAX."""
WORK: Final = 10_752
"""Numbers of a layer that are computed at once: more do not fit the cache nearest to the core."""
MOST: Final = 1 << 24
"""Weights of a network, at most."""
SURE: Final = 60.0
"""Logits beyond which nothing is surer."""
TWO: Final = 2
SIDES: Final = 9
"""A cell and its neighbours."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the layers are.

    Attributes:
        rows: Of the board; 1 without one.
        columns: Likewise.
        facts: Planes that facts fill, the one that is always 1 among them.
        roles: All roles; each has a plane and a value.
        moves: Moves that are told apart.
        channels: Numbers of a cell between two layers.
        blocks: Pairs of residual layers.
        policy: Channels of which the policy head makes scores.
        value: The same of the value head.
        hidden: Numbers between them and the values.
    """

    rows: int
    columns: int
    facts: int
    roles: int
    moves: int
    channels: int
    blocks: int
    policy: int
    value: int
    hidden: int

    @property
    def cells(self) -> int:
        """Cells of the board."""
        return self.rows * self.columns

    @property
    def planes(self) -> int:
        """All that is seen of a cell."""
        return self.facts + self.roles

    @property
    def sides(self) -> int:
        """How many cells a layer looks at for one."""
        return SIDES if self.cells > 1 else 1

    @property
    def arrays(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights; matrices have the length of what goes in first."""
        c, s = self.channels, self.sides
        pairs = [("in", s * self.planes, c)]
        for block in range(self.blocks):
            pairs += [(f"first{block}", s * c, c), (f"second{block}", s * c, c)]
        pairs += [
            ("policy", c, self.policy),
            ("scores", self.cells * self.policy, self.moves),
            ("value", c, self.value),
            ("hidden", self.cells * self.value, self.hidden),
            ("shares", self.hidden, self.roles),
        ]
        result: dict[str, tuple[int, ...]] = {}
        for name, inputs, outputs in pairs:
            result |= {name: (inputs, outputs), f"{name}_bias": (outputs,)}
        return result

    @property
    def is_sound(self) -> bool:
        """Whether sizes are numbers from 1 on, and weights not too many."""
        sizes: list[object] = list(asdict(self).values())
        if not all(type(size) is int and 0 < size <= MOST for size in sizes):
            return False
        return self.blocks <= 1 << 10 and sum(map(_product, self.arrays.values())) <= MOST


def _product(sizes: tuple[int, ...]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def forward(
    weights: Weights,
    seen: Any,  # noqa: ANN401  # an array of numpy or of JAX
    shape: Shape,
    conv: Callable[[Weights, str, Any], Any],
) -> tuple[Any, Any]:
    """Return scores of moves and logits of what each role gets of its goals.

    Args:
        weights: The arrays.
        seen: Planes, ``float32[n, cells, planes]``.
        shape: How large the layers are.
        conv: A layer of some name that looks at neighbours, with its bias.
    """
    x = _above_zero(conv(weights, "in", seen))
    for block in range(shape.blocks):
        between = _above_zero(conv(weights, f"first{block}", x))
        x = _above_zero(x + conv(weights, f"second{block}", between))
    policy = _above_zero(_layer(weights, "policy", x)).reshape(len(seen), -1)
    value = _above_zero(_layer(weights, "value", x)).reshape(len(seen), -1)
    hidden = _above_zero(_layer(weights, "hidden", value))
    return _layer(weights, "scores", policy), _layer(weights, "shares", hidden)


def _layer(weights: Weights, name: str, x: Any) -> Any:  # noqa: ANN401  # see `forward`
    return x @ weights[name] + weights[f"{name}_bias"]


def _above_zero(x: Any) -> Any:  # noqa: ANN401  # see `forward`
    return x * (x > 0)


def neighbours(rows: int, columns: int) -> NDArray[np.intp]:
    """Return the cells around each cell, by rows, itself in the middle: ``intp[cells, 9]``.

    Beside the board is a cell more, in which nothing is. A board of one cell has no neighbours.
    """
    if rows * columns == 1:
        return np.zeros((1, 1), np.intp)
    numbers = np.full((rows + 2, columns + 2), rows * columns, np.intp)
    numbers[1:-1, 1:-1] = np.arange(rows * columns).reshape(rows, columns)
    views = [numbers[y : y + rows, x : x + columns] for y in range(3) for x in range(3)]
    return np.stack(views, axis=-1).reshape(rows * columns, SIDES)


@dataclass(frozen=True, slots=True)
class Head(Origin):
    """What a file says before its arrays.

    Attributes:
        facts: What holds or does not, as KIF text; the network counts in this order.
        moves: Moves that are told apart, likewise.
        shape: How large the layers are.
    """

    facts: tuple[str, ...]
    moves: tuple[str, ...]
    shape: Shape


class Network:
    """A network and what it is of.

    Attributes:
        head: What it is of.
        sources: For each place of the planes of facts, cell by cell, the facts of which one makes
            it 1, ``int32[places, k]``; one number beyond them is that of nothing, the next that of
            what always holds.
        weights: The arrays, ``float32``.
    """

    def __init__(self, head: Head, sources: NDArray[np.int32], weights: Weights) -> None:
        """Keep what is given."""
        self.head, self.sources, self.weights = head, sources, weights
        self._around = neighbours(head.shape.rows, head.shape.columns)

    def seen(self, held: NDArray[np.bool_], movers: NDArray[np.int64]) -> Floats:
        """Return planes, ``float32[n, cells, planes]``.

        Args:
            held: What holds in each position, ``bool[n, facts]``.
            movers: Who chooses, by number.
        """
        return planes(self.head.shape, self.sources, held, movers)

    def judge(
        self, held: NDArray[np.bool_], movers: NDArray[np.int64]
    ) -> tuple[Floats, NDArray[np.float64]]:
        """Return scores of all moves and the goal each role may hope for, as `seen` takes them.

        Returns:
            ``float32[n, moves]`` and ``float64[n, roles]``. Cost: some hundred microseconds each.
        """
        shape = self.head.shape
        step = max(1, WORK // (shape.cells * shape.channels))
        scores = np.empty((len(held), shape.moves), np.float32)
        logits = np.empty((len(held), shape.roles), np.float32)
        for start in range(0, len(held), step):
            part = slice(start, start + step)
            seen = self.seen(held[part], movers[part])
            # Sums beyond all numbers come of weights that nobody learned; they too have an order.
            with np.errstate(over="ignore", invalid="ignore"):
                scores[part], logits[part] = forward(self.weights, seen, shape, self._conv)
        worst, best = np.array(self.head.worst, float), np.array(self.head.best, float)
        shares = 1 / (1 + np.exp(-np.clip(np.nan_to_num(logits), -SURE, SURE).astype(float)))
        return np.nan_to_num(scores), worst + (best - worst) * shares

    def _conv(self, weights: Weights, name: str, x: Floats) -> Floats:
        beside = np.zeros((len(x), 1, x.shape[2]), np.float32)
        around = np.concatenate([x, beside], axis=1)[:, self._around]
        flat = around.reshape(len(x) * x.shape[1], -1)
        return np.asarray(_layer(weights, name, flat).reshape(len(x), x.shape[1], -1))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, which takes the place of another once it is whole.

        Weights are written with 11 bits of precision.

        Raises:
            OSError: It cannot be written.
        """
        with replaced(Path(path)) as file:
            file.write(self.packed())

    def packed(self) -> bytes:
        """Return the bytes of a file."""
        largest = np.finfo(np.float16).max
        arrays: dict[str, NDArray[Any]] = {
            name: np.clip(array, -largest, largest).astype(np.float16)
            for name, array in self.weights.items()
        }
        return packed(DEEP, self.head, {"sources": self.sources, **arrays})


def planes(
    shape: Shape, sources: NDArray[np.int32], held: NDArray[np.bool_], movers: NDArray[np.int64]
) -> Floats:
    """Return what a network sees; see `Network.seen`."""
    known = np.zeros((len(held), held.shape[1] + 2), np.bool_)
    known[:, :-2] = held
    known[:, -1] = True
    result = np.zeros((len(held), shape.cells, shape.planes), np.float32)
    facts = known[:, sources[:, 0]]
    for more in sources.T[1:]:
        facts |= known[:, more]
    result[:, :, : shape.facts] = facts.reshape(len(held), shape.cells, shape.facts)
    result[np.arange(len(held)), :, shape.facts + movers] = 1
    return result


def read_network(path: str | os.PathLike[str]) -> Network:
    """Read a network.

    Raises:
        NetworkError: The file cannot be read, is none, damaged, or of another version.
    """
    said, arrays = read_as(DEEP, path)
    try:
        said["shape"] = Shape(**said["shape"])
        head = Head(**said)
        sources = arrays.pop("sources")
    except (KeyError, TypeError):
        raise no_network_error(path) from None
    if not (_is_whole(head) and _is_sound(head, sources, arrays)):
        raise no_network_error(path)
    weights = {name: array.astype(np.float32) for name, array in arrays.items()}
    return Network(head, sources, weights)


def _is_whole(head: Head) -> bool:
    """Return whether what a file says of itself is of the right kinds, and agrees."""
    names: list[object] = [head.facts, head.moves]
    if not (head.is_whole and head.shape.is_sound and all(isinstance(n, tuple) for n in names)):
        return False
    texts: list[object] = [*head.facts, *head.moves]
    return (
        all(isinstance(text, str) for text in texts)
        and len(head.moves) == head.shape.moves
        and len(head.roles) == head.shape.roles
        and all(low <= high for low, high in zip(head.worst, head.best, strict=True))
    )


def _is_sound(head: Head, sources: NDArray[Any], arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether arrays are of the kinds and sizes that they have to be, and numbers."""
    shape = head.shape
    if not are_sources(sources, shape, len(head.facts)):
        return False
    wanted = {name: (size, np.dtype(np.float16)) for name, size in shape.arrays.items()}
    if {name: (array.shape, array.dtype) for name, array in arrays.items()} != wanted:
        return False
    return all(bool(np.isfinite(array).all()) for array in arrays.values())


def are_sources(sources: NDArray[Any], shape: Shape, facts: int) -> bool:
    """Return whether an array tells of each place of planes which of so many facts make it 1."""
    if sources.dtype != np.int32 or sources.ndim != TWO or not sources.size:
        return False
    is_whole = len(sources) == shape.cells * shape.facts
    return is_whole and bool((sources >= 0).all() and (sources <= facts + 1).all())
