"""Which facts are marks on which boards: a picture as a manifest describes it.

A `Picture` is one or more boards (`Layout`). A board has sites, each with a name of words:
``e 5`` is a cell of a grid, ``e 5 right`` its right edge, ``bar`` a spot. Facts and moves name
sites by a pattern such as ``?column ?row right``. `gdl.view.plan` says where the sites are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from gdl.language.terms import Constant, Term, kif_text
from gdl.view.mark import NOTHING, Mark

if TYPE_CHECKING:
    from gdl.view.plan import Plan
    from gdl.view.scene import Placed, Placement

GRID, HEXAGONS, POINTS = "grid", "hexagons", "points"
KINDS: Final = (GRID, HEXAGONS, POINTS)

HOLES, SQUARES, CHECKERED, LINES = "holes", "squares", "checkered", "lines"
LINKS, LATTICE = "links", "lattice"
GROUNDS: Final = (HOLES, SQUARES, CHECKERED, LINES, LINKS, LATTICE)
"""What a grid looks like: a plate with holes, squares, a chess board, crossings of lines, dots,
dots whose lines and boxes are cells as they are."""

RIGHT, LEFT, ZIGZAG = "right", "left", "zigzag"
SLANTS: Final = (RIGHT, LEFT, ZIGZAG)
"""Where the rows of hexagons begin, downwards: half a cell to the right, to the left, in turn."""

RHOMBUS, TRIANGLE, HEXAGON = "rhombus", "triangle", "hexagon"
OUTLINES: Final = (RHOMBUS, TRIANGLE, HEXAGON)

POINT, PIT, PILE, HANGING = "point", "pit", "pile", "hanging-pile"
HAND, DIE, COUNTER = "hand", "die", "counter"
FORMS: Final = (POINT, PIT, PILE, HANGING, HAND, DIE, COUNTER)
"""What a spot is: a point of a graph, a pit with seeds, a pile from its bottom up or from its top
down, marks side by side, a die, a number."""
MANY: Final = frozenset({PIT, PILE, HANGING, HAND})
"""Forms on which several things may stand."""
BESIDE: Final = frozenset({HAND, COUNTER})
"""Forms of what lies beside a board, not on it."""

SIDES: Final[Mapping[str, tuple[int, int]]] = {
    "top": (0, -1),
    "bottom": (0, 1),
    "left": (-1, 0),
    "right": (1, 0),
    "top-left": (-1, -1),
    "top-right": (1, -1),
    "bottom-left": (-1, 1),
    "bottom-right": (1, 1),
}
"""Edges and corners of a cell of a grid, by columns to the right and rows downwards."""
ACROSS, DOWN = "across", "down"
BARS: Final = (ACROSS, DOWN)
"""Walls of two cells' length through a corner."""
ANY: Final = "*"
"""In a pattern: whatever column or row."""


@dataclass(frozen=True, slots=True)
class CellFact:
    """A kind of fact that puts a mark on a site.

    Attributes:
        fact: Template; ``?mark``, ``?count`` and ``?turn`` say what stands there.
        mark: Name of the mark, None when the fact says it or there is only a number.
        column_offset: Added to ``?column``, which is a number then.
        row_offset: Added to ``?row`` likewise.
        at: Pattern of the site's name.
        turns: Degrees, clockwise, that a value of ``?turn`` means.
        links: Columns to the right and rows downwards that a value of ``?link`` means: the fact is
            a line from the site to the one there.
        prefix: Letters before each ``?count``, where rules count ``s1 s2``; they are not shown.
    """

    fact: Term
    mark: str | None = None
    column_offset: int = 0
    row_offset: int = 0
    at: str = "?column ?row"
    turns: tuple[tuple[str, int], ...] = ()
    links: tuple[tuple[str, tuple[int, int]], ...] = ()
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class MovePlace:
    """A kind of move, and where on the board it is made.

    Attributes:
        move: Template, perhaps with ``?block`` and ``?turn``.
        column_offset: Added to ``?column``, which is a number then.
        row_offset: Added to ``?row`` likewise.
        blocks: Row and column, counted from 0, of the block that a name means.
        turns: Degrees, clockwise, that a name means.
        at: Patterns of the sites that a person touches, one after the other.
        role: Who makes it there; empty for whoever may.
    """

    move: Term
    column_offset: int = 0
    row_offset: int = 0
    blocks: tuple[tuple[str, tuple[int, int]], ...] = ()
    turns: tuple[tuple[str, int], ...] = ()
    at: tuple[str, ...] = ("?column ?row",)
    role: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """A site that stands where the manifest puts it.

    Attributes:
        name: Its words.
        title: As people call it.
        at: Middle of its first cell, in cells from the left and from the top.
        form: One of `FORMS`.
        size: Cells that it takes, to the right and downwards.
        label: Where its title is written: ``above``, ``below``, ``left`` or nowhere.
    """

    name: str
    title: str
    at: tuple[float, float]
    form: str = POINT
    size: tuple[float, float] = (1, 1)
    label: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """One board.

    Attributes:
        kind: One of `KINDS`.
        columns: Values of columns from left to right; none for points.
        rows: Values of rows from top to bottom.
        column_labels: What stands above the columns.
        row_labels: What stands beside the rows.
        column_breaks: A line is drawn after so many columns.
        row_breaks: A line is drawn after so many rows.
        cells: The facts.
        moves: Where on this board moves are made.
        ground: One of `GROUNDS`, for a grid.
        slant: One of `SLANTS`, for hexagons.
        outline: One of `OUTLINES`, for hexagons.
        map: A text a row, a character a cell: blank or dot where there is none; empty for all.
        spots: The sites of a board of points.
        lines: Lines from site to site, by names.
        title: Stands above the board.
        beside: Whether it stands to the right of the board before it, not below.
    """

    kind: str = GRID
    columns: tuple[Term, ...] = ()
    rows: tuple[Term, ...] = ()
    column_labels: tuple[str, ...] = ()
    row_labels: tuple[str, ...] = ()
    column_breaks: tuple[int, ...] = ()
    row_breaks: tuple[int, ...] = ()
    cells: tuple[CellFact, ...] = ()
    moves: tuple[MovePlace, ...] = ()
    ground: str = HOLES
    slant: str = RIGHT
    outline: str = RHOMBUS
    map: tuple[str, ...] = ()
    spots: tuple[Spot, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    title: str = ""
    beside: bool = False

    @property
    def sides(self) -> tuple[str, ...]:
        """Edges, corners and walls that facts and moves name, as ends of names."""
        patterns = [cell.at for cell in self.cells]
        patterns += [pattern for move in self.moves for pattern in move.at]
        return tuple(dict.fromkeys(end for pattern in patterns if (end := side_of(pattern))))


@dataclass(frozen=True, slots=True)
class Picture:
    """Which facts are marks on which boards.

    Attributes:
        boards: One or more.
        marks: How each mark is drawn.
        empty: How a cell without a mark is drawn.
        blank: Marks that mean an empty cell.
    """

    boards: tuple[Layout, ...]
    marks: tuple[Mark, ...] = ()
    empty: Mark = NOTHING
    blank: frozenset[str] = frozenset()
    planned: list[Plan] = field(default_factory=list, init=False, compare=False, repr=False)
    """Where its sites are, once somebody has asked: see `gdl.view.plan.plan`."""
    placements: dict[Term, tuple[Placement, ...]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """What facts put where, once somebody has asked: see `gdl.view.scene.place`."""
    positions: dict[frozenset[Term], Placed] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """What positions put where, those that were asked for lately: see `gdl.view.scene.place`."""

    @property
    def grid(self) -> Layout | None:
        """The first board, if it has rows and columns."""
        return self.boards[0] if self.boards[0].kind != POINTS else None

    @property
    def is_plain(self) -> bool:
        """Whether all is one grid with at most one mark a cell."""
        cells = self.cells
        return len(self.boards) == 1 and self.grid is not None and all(map(_is_plain, cells))

    @property
    def cells(self) -> tuple[CellFact, ...]:
        """The facts of all boards."""
        return tuple(cell for board in self.boards for cell in board.cells)

    @property
    def moves(self) -> tuple[MovePlace, ...]:
        """The moves of all boards."""
        return tuple(move for board in self.boards for move in board.moves)


def _is_plain(cell: CellFact) -> bool:
    is_cell = len(cell.at.split()) == 2  # noqa: PLR2004  # column and row
    is_mark = cell.mark is not None or "?mark" in kif_text(cell.fact)
    return is_cell and is_mark and not cell.links


def side_of(pattern: str) -> str:
    """Return the edge, corner or wall that a pattern ends with, empty for none."""
    words = pattern.split()
    first = next((i for i, word in enumerate(words) if word in SIDES), len(words))
    return " ".join(words[first:])


def default_steps(named: Collection[str]) -> tuple[str, ...]:
    """Return the cell of a grid that a move is made on which names a column, a row or both."""
    words = [f"?{name}" if name in named else ANY for name in ("column", "row")]
    return () if words == [ANY, ANY] else (" ".join(words),)


def shifted(value: Term, offset: int) -> Term:
    """Return a number with something added, any other value as it is."""
    if offset and isinstance(value, Constant) and value.name.isdecimal() and len(value.name) < 10:  # noqa: PLR2004  # a grid is small
        return Constant(str(int(value.name) + offset))
    return value


def site_name(kind: CellFact | MovePlace, pattern: str, binding: Mapping[str, Term]) -> str:
    """Return a pattern with what its variables stand for; other words stay."""
    offsets = {"?column": kind.column_offset, "?row": kind.row_offset}
    return " ".join(
        _word(binding[word[1:]], offsets.get(word, 0)) if word[0] == "?" else word
        for word in pattern.split()
    )


@lru_cache(4096)
def _word(value: Term, offset: int) -> str:
    """Return the text of a value; kept, since the same few stand in all moves of a board."""
    return kif_text(shifted(value, offset))
