"""What a deep network of a game sees and tells, and how large it is: from the rules alone.

In: a compiled game. Out: a `Layout`. A board that the manifest has, or that was inferred, gives
planes with rows and columns; without one each fact is a plane of a board of one cell. Roles share
the scores of moves that have one name. Symmetries are those that were proved of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.boards.inferred import with_board
from gdl.boards.planes import Planes, planes_of
from gdl.circuit.game import GameCircuit
from gdl.game import Game
from gdl.language.keywords import RANDOM
from gdl.language.syntax import Term, kif_text
from gdl.play.deep.network import Shape, are_sources

CHANNELS: Final = (32, 128)
"""Numbers of a cell between two layers: of a board, and where all facts are one cell."""
BLOCKS: Final = 2
HIDDEN: Final = 64
POLICY: Final = (8, 64)
"""Channels of which scores are made, likewise."""
VALUE: Final = (4, 32)
"""Channels of which values are made, likewise."""
MOST_SCORES: Final = 1 << 19
"""Weights between these channels and scores, at most, as long as one channel is left."""
MOST_IMAGES: Final = 16
"""Symmetries that are used."""
NO_SCORE: Final = 0
"""The score that a column without a move points to; it is never legal."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What a network of a game is.

    Attributes:
        shape: How large its layers are.
        sources: See `gdl.play.deep.network.Network.sources`.
        facts: Names of facts, as the compiled game counts them.
        moves: Names of moves that are told apart.
        columns: For each role which score belongs to which of its moves, ``int32[roles, M]``.
        worst: The least goal of each role.
        best: The most.
        fact_images: Which fact stands where under each symmetry, ``int32[K, facts]``.
        move_images: Likewise the moves of each role, ``int32[K, roles, M]``.
        note: What is to be said of symmetries; empty for nothing.
    """

    shape: Shape
    sources: NDArray[np.int32]
    facts: tuple[str, ...]
    moves: tuple[str, ...]
    columns: NDArray[np.int32]
    worst: tuple[int, ...]
    best: tuple[int, ...]
    fact_images: NDArray[np.int32]
    move_images: NDArray[np.int32]
    note: str = ""

    @property
    def arrays(self) -> dict[str, NDArray[np.int32]]:
        """What a checkpoint keeps of it: another process may find another board, or symmetries."""
        return {
            "sources": self.sources,
            "fact_images": self.fact_images,
            "move_images": self.move_images,
        }


def layout_of(
    game: Game,
    said: Mapping[str, Any] | None = None,
    kept: Mapping[str, NDArray[Any]] | None = None,
) -> Layout:
    """Return the layout for a game. Cost: up to 25 seconds, for symmetries; none with what is kept.

    Args:
        game: The game.
        said: Sizes of layers, as a checkpoint says them; None to choose them.
        kept: `Layout.arrays` of a checkpoint.

    Raises:
        ValueError: What a checkpoint says is not of this game, or damaged; so are KeyError and
            TypeError.
    """
    native = game.back_end.native
    assert native is not None
    compiled = native.kernel.compiled
    pairs = list(zip(game.roles, compiled.moves, strict=True))
    named = sorted({kif_text(move) for role, moves in pairs if role != RANDOM for move in moves})
    number = {name: i for i, name in enumerate(named)}
    most = max(map(len, compiled.moves))
    columns = np.full((len(pairs), most), NO_SCORE, np.int32)
    for row, (_, moves) in zip(columns, pairs, strict=True):
        row[: len(moves)] = [number.get(kif_text(move), NO_SCORE) for move in moves]
    if said is None or kept is None:
        shape, sources = _seen(game, compiled.facts, len(named))
        facts, move_images, note = _images(native.circuit, most)
    else:
        shape, note = Shape(**said), ""
        sources, facts, move_images = (
            kept[name] for name in ("sources", "fact_images", "move_images")
        )
    layout = Layout(
        shape,
        sources,
        tuple(map(kif_text, compiled.facts)),
        tuple(named),
        columns,
        tuple(max(0, min(values, default=0)) for values in compiled.goals),
        tuple(max(0, max(values, default=0)) for values in compiled.goals),
        facts,
        move_images,
        note,
    )
    if not _is_sound(layout):
        raise ValueError("what a checkpoint says of a network is damaged")
    return layout


def _seen(game: Game, facts: Sequence[Term], moves: int) -> tuple[Shape, NDArray[np.int32]]:
    """Return sizes of layers, and which facts make each place of planes 1."""
    planes = planes_of(with_board(game.ruleset).picture, facts)
    sources = _sources(planes, len(facts))
    rows, columns = planes.shape[1:] if len(planes.shape) > 1 else (1, 1)
    cells = rows * columns
    is_flat = int(cells == 1)
    shape = Shape(
        rows=rows,
        columns=columns,
        facts=len(sources) // cells,
        roles=len(game.roles),
        moves=moves,
        channels=CHANNELS[is_flat],
        blocks=BLOCKS,
        policy=min(POLICY[is_flat], max(1, MOST_SCORES // (cells * moves))),
        value=VALUE[is_flat],
        hidden=HIDDEN,
    )
    return shape, sources


def _images(circuit: GameCircuit, most: int) -> tuple[NDArray[np.int32], NDArray[np.int32], str]:
    """Return symmetries of facts and of moves, and what is to be said of them."""
    from gdl.solve.elements import find_elements

    elements = find_elements(circuit)
    facts = elements.facts[:MOST_IMAGES]
    moves = np.tile(np.arange(most, dtype=np.int32), (len(facts), len(elements.moves), 1))
    for role, images in enumerate(elements.moves):
        moves[:, role, : images.shape[1]] = images[:MOST_IMAGES]
    # From where each comes, and not whereto it goes: so are arrays turned.
    return np.argsort(facts).astype(np.int32), np.argsort(moves).astype(np.int32), elements.note


def _is_sound(layout: Layout) -> bool:
    """Return whether what may come of a checkpoint is of this game: arrays are gone by unasked."""
    shape, sources = layout.shape, layout.sources
    facts, moves = layout.fact_images, layout.move_images
    roles, most = layout.columns.shape
    if not shape.is_sound or (shape.roles, shape.moves) != (roles, len(layout.moves)):
        return False
    if any(array.dtype != np.int32 for array in layout.arrays.values()):
        return False
    if not are_sources(sources, shape, len(layout.facts)):
        return False
    if facts.shape != (len(facts), len(layout.facts)) or not len(facts):
        return False
    if moves.shape != (len(facts), roles, most):
        return False
    return all(
        bool((np.sort(images) == np.arange(images.shape[-1])).all()) for images in (facts, moves)
    )


def _sources(planes: Planes, facts: int) -> NDArray[np.int32]:
    """Return which facts make each place 1, cell by cell, and last the plane that is always 1."""
    sources, flips = planes.sources
    cells = 1 if len(planes.shape) == 1 else planes.shape[1] * planes.shape[2]
    # Cells that are empty show in no other plane; networks need not be told twice.
    kept = [place for place in range(len(sources)) if not flips[place]]
    width = max([len(sources[place]) for place in kept] + [1])
    result = np.full((len(kept) + cells, width), facts, np.int32)
    for at, place in enumerate(kept):
        result[at, : len(sources[place])] = sources[place]
    result[len(kept) :] = facts + 1
    by_cell = result.reshape(-1, cells, width).transpose(1, 0, 2)
    return np.ascontiguousarray(by_cell.reshape(-1, width))
