"""What stands on a site, as shapes around its middle.

In: a site's form and size, and its pieces. Out: shapes. Equal pieces on equal sites have
equal shapes, so that whoever sends them needs to send them once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import ceil, cos, hypot, radians, sin, sqrt
from typing import Final

from gdl.view.colour import contrast
from gdl.view.mark import DISC, STONE, Mark
from gdl.view.panel import BAR, HEXAGON_FORM, Point
from gdl.view.picture import DIE, HAND, HANGING, PILE, PIT
from gdl.view.plan import Plan
from gdl.view.scene import Link, Piece
from gdl.view.shape import Shape, circle, polygon, rect, text

RADIUS: Final = 0.38
"""Of a stone."""
THIN: Final = 0.1
"""Of a link."""
MOST_DRAWN: Final = 24
"""Seeds or tokens that are drawn; their number is written beside them anyhow."""
TELLING: Final = 4
"""More tokens than this have their number written on them."""
POINTER: Final = ((0.0, -0.46), (0.16, -0.28), (-0.16, -0.28))
ARROW_POINTS: Final = (
    (0.0, -0.42), (0.3, 0.0), (0.12, 0.0), (0.12, 0.4), (-0.12, 0.4), (-0.12, 0.0), (-0.3, 0.0),
)  # fmt: skip
HEXAGON_POINTS: Final = tuple(
    (sin(radians(60 * k)) / sqrt(3), -cos(radians(60 * k)) / sqrt(3)) for k in range(6)
)
PIPS: Final = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
MEN: Final = {
    symbol: f"{full}\ufe0e" for symbol, full in zip("♔♕♖♗♘♙♚♛♜♝♞♟", "♚♛♜♝♞♟" * 2, strict=True)
}
"""The men of chess as they are drawn where they have a colour: full, and as text, since of the
pawn some telephones make a little picture in a colour of its own."""
_GOLDEN: Final = 137.508
"""Degrees from one seed to the next, so that they lie evenly (H. Vogel, 1979)."""


@lru_cache(4096)
def piece_shapes(form: str, size: Point, pieces: tuple[Piece, ...]) -> tuple[Shape, ...]:
    """Return what stands on a site. Cost linear in the pieces and in what they count."""
    if form == BAR:
        fill = next((piece.mark.colour for piece in reversed(pieces) if piece.mark), "")
        return tuple(rect("bar", (0, 0), size, 0.05, fill) for _ in pieces[-1:])
    if form == PIT:
        return _pit(size, pieces)
    if form in {PILE, HANGING}:
        return _pile(size, pieces, way=-1 if form == PILE else 1)
    if form == HAND:
        return _row(size, pieces)
    if form == DIE:
        return tuple(shape for piece in pieces[-1:] for shape in _die(piece))
    return tuple(shape for piece in pieces[-1:] for shape in _piece(piece, (0, 0), form))


def link_shapes(planned: Plan, links: Iterable[Link]) -> tuple[Shape, ...]:
    """Return links around the middle of the site where they begin, from rim to rim of its ends."""
    shapes = []
    for link in links:
        (x, y), (x2, y2) = planned.sites[link.site].at, planned.sites[link.other].at
        length = hypot(x2 - x, y2 - y)
        right, down = (x2 - x) / length, (y2 - y) / length
        across, along = (-down * THIN / 2, right * THIN / 2), (RADIUS, length - RADIUS)
        ends = [(right * far, down * far) for far in along]
        corners = [(u + across[0], v + across[1]) for u, v in ends]
        corners += [(u - across[0], v - across[1]) for u, v in reversed(ends)]
        shapes.append(polygon("stone", corners, fill=link.mark.colour if link.mark else ""))
    return tuple(shapes)


def _piece(piece: Piece, at: Point, form: str = "") -> list[Shape]:
    """Return a piece that stands by itself, with its number beside it."""
    if piece.mark is None:
        return [text("count", at, piece.count, 0.5)]
    shapes = _mark(piece.mark, at, form, piece.turn)
    if piece.count:
        shapes.append(text("count", (at[0] + 0.3, at[1] + 0.3), piece.count, 0.3))
    return shapes


def _mark(mark: Mark, at: Point, form: str, turn: int | None) -> list[Shape]:
    match mark.look:
        case "stone":
            shapes = [circle("stone", at, RADIUS, mark.colour)]
        case "disc":
            shapes = [circle("stone", at, RADIUS, mark.colour), _symbol(mark, at, 0.42, turn or 0)]
        case "tile":
            shapes = [_tile(mark, at, form)]
            if mark.symbol.isalnum():
                shapes.append(_symbol(mark, at, 0.42, turn or 0))
        case "card":
            card = rect("card", at, (0.72, 0.96), 0.08)
            shapes = [card, text("symbol", at, mark.symbol, 0.4, fill=mark.colour)]
        case "arrow":
            return [polygon("token", ARROW_POINTS, at=at, turn=turn or 0, fill=mark.colour)]
        case _ if mark.colour and mark.symbol in MEN:
            return [text("man", at, MEN[mark.symbol], 0.72, fill=mark.colour)]
        case _:
            return [text("symbol", at, mark.symbol, 0.66, fill=mark.colour, turn=turn or 0)]
    if turn is not None and mark.look in {STONE, DISC}:
        shapes.append(polygon("pointer", POINTER, at=at, turn=turn))
    return shapes


def _tile(mark: Mark, at: Point, form: str) -> Shape:
    if form == HEXAGON_FORM:
        points = [(x * 0.94, y * 0.94) for x, y in HEXAGON_POINTS]
        return polygon("stone", points, at=at, fill=mark.colour)
    return rect("stone", at, (0.92, 0.92), 0.06, mark.colour)


def _symbol(mark: Mark, at: Point, size: float, turn: int) -> Shape:
    """Return the symbol of a mark on ground of its colour, light or dark as is read best."""
    colour = mark.colour or "#808080"
    ink = max("#101010", "#ffffff", key=lambda candidate: contrast(candidate, colour))
    return text("symbol", at, mark.symbol, size, fill=ink, turn=turn)


def _amount(piece: Piece) -> int | None:
    """Return how many a piece stands for, None where it says no number."""
    if not piece.count:
        return 1
    return int(piece.count) if piece.count.isdecimal() and len(piece.count) < 7 else None  # noqa: PLR2004  # nobody counts more


def _pit(size: Point, pieces: tuple[Piece, ...]) -> tuple[Shape, ...]:
    colours = [
        piece.mark.colour if piece.mark else ""
        for piece in pieces
        for _ in range(min(_amount(piece) or 0, MOST_DRAWN))
    ][:MOST_DRAWN]
    reach = 0.3 / sqrt(max(len(colours), 8))
    seeds = [
        circle("token", _polar(reach * sqrt(number + 0.5), number * _GOLDEN), 0.06, colour)
        for number, colour in enumerate(colours)
    ]
    counted = [piece.count for piece in pieces if piece.count]
    return (*seeds, *(text("count", (0, size[1] / 2 - 0.1), word, 0.24) for word in counted))


def _polar(radius: float, degrees: float) -> Point:
    return radius * cos(radians(degrees)), radius * sin(radians(degrees))


def _pile(size: Point, pieces: tuple[Piece, ...], way: int) -> tuple[Shape, ...]:
    tokens = [
        piece for piece in pieces for _ in range(min(_amount(piece) or 0, MOST_DRAWN))
    ][:MOST_DRAWN]  # fmt: skip
    radius = min(RADIUS, size[0] * RADIUS)
    start = -way * (size[1] / 2 - radius)
    step = min(2 * radius, (size[1] - 2 * radius) / max(1, len(tokens) - 1))
    shapes = []
    for number, piece in enumerate(tokens):
        at = (0.0, start + way * step * number)
        colour = piece.mark.colour if piece.mark else ""
        shapes.append(circle("stone" if colour else "token", at, radius, colour))
    total = sum(_amount(piece) or 0 for piece in pieces)
    last = (0.0, start + way * step * max(0, len(tokens) - 1))
    if total > TELLING:
        shapes.append(circle("card", last, 0.22))
        shapes.append(text("count", last, str(total), 0.26))
    words = [piece.count for piece in pieces if _amount(piece) is None]
    return (*shapes, *(text("count", (0, 0), word, 0.4) for word in words))


def _row(size: Point, pieces: tuple[Piece, ...]) -> tuple[Shape, ...]:
    """Return pieces side by side in as many rows as there is room, closer where there are many."""
    rows = max(1, round(size[1]))
    across = max(1, ceil(len(pieces) / rows))
    step = min(0.9, (size[0] - 0.9) / max(1, across - 1))
    start = -step * (min(across, len(pieces)) - 1) / 2
    return tuple(
        shape
        for number, piece in enumerate(pieces)
        for shape in _piece(
            piece, (start + step * (number % across), number // across - (rows - 1) / 2)
        )
    )


def _die(piece: Piece) -> list[Shape]:
    colour = piece.mark.colour if piece.mark else ""
    shapes = [rect("card", (0, 0), (0.76, 0.76), 0.14, colour)]
    pips = PIPS.get(_amount(piece) or 0)
    if pips is None:
        return [*shapes, text("count", (0, 0), piece.count, 0.4)]
    return [*shapes, *(circle("pip", (0.2 * x, 0.2 * y), 0.075) for x, y in pips)]
