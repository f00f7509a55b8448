"""A board of hexagons: rows that are shifted against each other.

A cell has six neighbours: with rows that slant to the right, where x is column plus half the
row, these are both in its row, and in the row below those of the same and of the column before.

Source: axial coordinates as in A. Patel, "Hexagonal Grids", 2013.
"""

from __future__ import annotations

from typing import Final

from gdl.view.panel import (
    EDGE,
    HEXAGON_FORM,
    Label,
    Panel,
    Point,
    Site,
    is_on_map,
    label_size,
    row_margin,
)
from gdl.view.picture import HEXAGON, LEFT, RHOMBUS, RIGHT, TRIANGLE, Layout

ROW: Final = 3**0.5 / 2
"""Distance of two rows; the width of a cell is 1."""
NEARER: Final = 0.2
"""How much nearer to its row a label is than a cell would be."""


def hexagons(layout: Layout) -> Panel:
    """Return the plan of a board of hexagons."""
    columns, rows = range(len(layout.columns)), range(len(layout.rows))
    present = [(row, column) for row in rows for column in columns if _is_cell(layout, row, column)]
    least = min((_place(layout, *cell)[0] for cell in present), default=0)
    # Rows are shifted against each other, so the leftmost cell may lie in any row: all are moved
    # until it touches the margin.
    margin, left = 2 * label_size(len(columns)), row_margin(layout)
    nearer = NEARER - (left - margin) / 2

    def paper(row: int, column: float) -> Point:
        x, y = _place(layout, row, column)
        return x - least + left + 0.5, y * ROW + margin + 0.5

    def terminal(row: int, column: int) -> Point:
        x, y = _place(layout, row, column)
        return x - least, y

    sites = tuple(
        Site(
            f"{layout.columns[column]} {layout.rows[row]}",
            f"{layout.column_labels[column]} {layout.row_labels[row]}",
            paper(row, column),
            terminal(row, column),
            HEXAGON_FORM,
            row=row,
            column=column,
        )
        for row, column in present
    )
    ends = [*_row_starts(present), *_column_ends(layout, present)]
    labels = [
        Label(
            layout.row_labels[row] if is_row else layout.column_labels[column],
            paper(row, column + nearer * is_row),
            terminal(row, column),
            is_row=is_row,
        )
        for is_row, row, column in ends
    ]
    places = [site.at for site in sites] + [label.at for label in labels]
    right = max((x for x, _ in places), default=0)
    bottom = max((y for _, y in places), default=0)
    names = {site.name: number for number, site in enumerate(sites)}
    return Panel(layout, sites, (right + 0.5 + EDGE, bottom + 0.6 + EDGE), names, tuple(labels))


def _place(layout: Layout, row: int, column: float) -> Point:
    """Return the middle of a cell, in widths of a cell and in rows."""
    if layout.slant == RIGHT:
        return column + row / 2, row
    if layout.slant == LEFT:
        return column - row / 2, row
    return column + row % 2 / 2, row


def _is_cell(layout: Layout, row: int, column: int) -> bool:
    if layout.map or layout.outline == RHOMBUS:
        return is_on_map(layout, row, column)
    last = len(layout.columns) - 1
    if layout.outline == TRIANGLE:  # it points down where rows slant to the right, else up
        return column + row <= last if layout.slant == RIGHT else column <= row
    assert layout.outline == HEXAGON
    # Rows to the left are rows to the right, read from the other end.
    across = column + row if layout.slant == RIGHT else last - column + row
    return last // 2 <= across <= last // 2 + last


def _row_starts(present: list[tuple[int, int]]) -> list[tuple[bool, int, int]]:
    """Return the place before the first cell of each row."""
    rows = dict.fromkeys(row for row, _ in present)
    return [(True, row, min(c for r, c in present if r == row) - 1) for row in rows]


def _column_ends(layout: Layout, present: list[tuple[int, int]]) -> list[tuple[bool, int, int]]:
    """Return the place beyond an end of each column: the end where no row begins."""
    columns = dict.fromkeys(column for _, column in present)
    is_top = layout.slant != RIGHT or len(present) == len(layout.rows) * len(layout.columns)
    ends = []
    for column in columns:
        rows = [row for row, c in present if c == column]
        ends.append((False, min(rows) - 1 if is_top else max(rows) + 1, column))
    return ends
