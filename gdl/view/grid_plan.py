"""A board of squares: cells by rows and columns, their edges and corners.

Two names may mean one edge, ``a 1 right`` and ``b 1 left``: it is one site with both names. A dark
cell of a checkered board has its number among them for a name, too, counted from the top left.
"""

from __future__ import annotations

from gdl.view.panel import (
    BAR,
    CELL_FORM,
    CORNER,
    EDGE,
    GAP,
    Label,
    Panel,
    Point,
    Site,
    cuts,
    is_on_map,
    label_size,
    row_margin,
)
from gdl.view.picture import ACROSS, BARS, CHECKERED, LATTICE, LINKS, SIDES, Layout

THIN = 0.14
"""Thickness of a bar."""


def grid(layout: Layout) -> Panel:
    """Return the plan of a grid."""
    columns, rows = len(layout.columns), len(layout.rows)
    margin, left = 2 * label_size(columns), row_margin(layout)
    xs = _middles(columns, layout.column_breaks, left)
    ys = _middles(rows, layout.row_breaks, margin)
    # Row by row, leaving out what the map does not have: the order numbers the sites. The corner at
    # the bottom left is dark, as on a chess board.
    cells = {
        (row, column): Site(
            f"{layout.columns[column]} {layout.rows[row]}",
            f"{layout.column_labels[column]} {layout.row_labels[row]}",
            (xs[column], ys[row]),
            (column, row),
            form,
            size,
            row,
            column,
            is_dark=(rows - 1 - row + column) % 2 == 0,
        )
        for row in range(rows)
        for column in range(columns)
        if is_on_map(layout, row, column)
        for form, size in [
            _lattice(row, column) if layout.ground == LATTICE else (CELL_FORM, (1, 1))
        ]
    }
    sites = list(cells.values())
    names = {site.name: number for number, site in enumerate(sites)}
    if layout.ground == CHECKERED:
        # Draughts numbers the dark squares alone, from the top left on.
        dark = (number for number, site in enumerate(sites) if site.is_dark)
        names |= {str(count): number for count, number in enumerate(dark, start=1)}
    for side in layout.sides:
        _add_sides(layout, side, cells, sites, names)
    middle, beside = (width / 2 - 1 / 30 for width in (margin, left))
    labels = [
        *(Label(text, (xs[i], middle), (i, -1)) for i, text in enumerate(layout.column_labels)),
        *(
            Label(text, (beside, ys[i]), (-1, i), is_row=True)
            for i, text in enumerate(layout.row_labels)
        ),
    ]
    return Panel(
        layout,
        tuple(sites),
        (xs[-1] + 0.5 + EDGE, ys[-1] + 0.5 + EDGE),
        names,
        tuple(labels),
        blocks=tuple(
            (top, left, bottom, right)
            for top, bottom in cuts(layout.row_breaks, rows)
            for left, right in cuts(layout.column_breaks, columns)
        ),
    )


def _lattice(row: int, column: int) -> tuple[str, Point]:
    """Return form and size of a cell of a lattice: lines lie between dots, and between boxes."""
    if row % 2 == column % 2:
        return CELL_FORM, (1, 1)
    return BAR, (1, THIN) if column % 2 else (THIN, 1)


def _middles(count: int, breaks: tuple[int, ...], margin: float) -> list[float]:
    """Return the middle of each cell in one direction, with a gap after each break."""
    return [
        margin + 0.5 + index + GAP * sum(0 < gap <= index for gap in set(breaks))
        for index in range(count)
    ]


def _add_sides(
    layout: Layout,
    side: str,
    cells: dict[tuple[int, int], Site],
    sites: list[Site],
    names: dict[str, int],
) -> None:
    """Add an edge, corner or wall of every cell that has it, or its name where it stands.

    Between dots only links from dot to dot count, and a wall needs cells on both its sides;
    a plate has an edge and a corner at its rim, too.
    """
    way, *bars = side.split()
    right, down = SIDES[way]
    bar = next((word for word in bars if word in BARS), "")
    is_inner = layout.ground == LINKS or bool(bar)
    placed = {(site.cell, site.size): number for number, site in enumerate(sites)}
    for (row, column), cell in list(cells.items()):
        around = {(row + down, column + right), (row, column + right), (row + down, column)}
        if is_inner and not around <= cells.keys():
            continue
        x, y = cell.at[0] + right / 2, cell.at[1] + down / 2
        if (row + down, column + right) in cells:  # in the middle, also of a break
            far = cells[row + down, column + right].at
            x, y = (cell.at[0] + far[0]) / 2, (cell.at[1] + far[1]) / 2
        at = column + right / 2, row + down / 2
        size = _size(layout, right, down, bar)
        number = placed.setdefault((at, size), len(sites))
        name = f"{cell.name} {side}"
        names[name] = number
        if number == len(sites):
            form = CORNER if right and down and not bar else BAR
            sites.append(Site(name, f"{cell.title} {side}", (x, y), at, form, size))


def _size(layout: Layout, right: int, down: int, bar: str) -> tuple[float, float]:
    if bar:
        return (1.9, THIN) if bar == ACROSS else (THIN, 1.9)
    if right and down:
        return (1, 1)
    is_level = bool(right) == (layout.ground == LINKS)  # links join cells, walls part them
    return (0.9, THIN) if is_level else (THIN, 0.9)
