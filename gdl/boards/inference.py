"""A picture of a game from what there is to see of it.

In: `Samples`. Out: a `Picture`, or None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gdl.boards.grids import Grid, grid
from gdl.boards.kinds import Kind, kinds
from gdl.boards.marks import blank_of, marks
from gdl.boards.places import places, site_places
from gdl.boards.points import Sites, lines_between, sites
from gdl.boards.samples import Samples
from gdl.language.terms import Constant, kif_text
from gdl.view.picture import GRID, LINES, POINTS, SQUARES, CellFact, Layout, Picture

MOST_MARKS: Final = 60
"""Combinations of what is left of facts that get a mark each."""
MOST_SQUARES: Final = 11
"""Rows or columns beyond which a board is drawn as lines, as those of Go are."""


def infer(seen: Samples) -> Picture | None:
    """Return a picture of a game, None where nothing in it looks like a board."""
    of_facts = kinds(seen.states)
    board = grid(of_facts, seen.steps, seen.variables)
    of_moves = kinds([seen.moves])
    # Cells that hold many things may be those of one of several boards: then sites tell.
    is_plain = board is not None and board.cells[0][0].is_key(board.cells[0][1:])
    scattered = None if is_plain else sites(of_facts, of_moves, seen)
    if board is not None and not _is_part(board, scattered):
        sited = [(kind, {column: "column", row: "row"}) for kind, column, row in board.cells]
        layout = Layout(
            GRID,
            board.columns,
            board.rows,
            tuple(map(kif_text, board.columns)),
            tuple(map(kif_text, board.rows)),
            moves=places(of_moves, board),
            ground=LINES if min(len(board.columns), len(board.rows)) > MOST_SQUARES else SQUARES,
        )
        return _with_cells(layout, sited, "?column ?row", seen)
    if scattered is None:
        return None
    names = {number: f"s{index}" for index, number in enumerate(scattered.columns)}
    values = scattered.kind.values(scattered.columns[0]) if len(names) == 1 else set[Constant]()
    layout = Layout(
        POINTS,
        moves=site_places(of_moves, scattered),
        spots=scattered.spots,
        lines=lines_between(values, seen),
    )
    at = " ".join(f"?{name}" for name in names.values())
    return _with_cells(layout, [(scattered.kind, names)], at, seen)


def _is_part(board: Grid, sites: Sites | None) -> bool:
    """Return whether a board is one of several: the sites of the same facts say which, too."""
    kind, *columns = board.cells[0]
    return sites is not None and sites.kind is kind and set(columns) < set(sites.columns)


def _with_cells(
    layout: Layout, sited: Sequence[tuple[Kind, dict[int, str]]], at: str, seen: Samples
) -> Picture:
    """Return a picture of one board on which facts stand; the first kind tells what is empty."""
    cells: list[CellFact] = []
    names: set[str] = set()
    for kind, columns in sited:
        for cell, texts in cells_of(kind, columns, at):
            cells.append(cell)
            names |= texts
    kind, columns = sited[0]
    rest = [number for number in range(kind.width) if number not in columns]
    first = Counter(_name([line[number] for number in rest]) for line in kind.tables[0])
    blank = blank_of(names, max(first, key=first.__getitem__, default=""))
    drawn = sorted(names - blank)
    shown = marks(drawn, seen.roles) if len(drawn) <= MOST_MARKS else ()
    return Picture((replace(layout, cells=tuple(cells)),), shown, blank=blank)


def cells_of(kind: Kind, columns: dict[int, str], at: str) -> list[tuple[CellFact, set[str]]]:
    """Return the facts of a kind as cells, each with the names of what stands there.

    Args:
        kind: The facts.
        columns: The columns that name the site, with their variables.
        at: Pattern of the site's name.
    """
    rest = [number for number in range(kind.width) if number not in columns]
    if not rest:
        assert isinstance(kind.skeleton, tuple)
        name = kind.skeleton[0]
        return [(CellFact(kind.template(columns), name, at=at), {name})]
    varied = [number for number in rest if len(kind.values(number)) > 1] or rest[:1]
    lines = {tuple(line[n] for n in varied) for table in kind.tables for line in table}
    if len(varied) == 1 or len(lines) > MOST_MARKS:
        chosen = min(varied, key=lambda number: len(kind.values(number)))
        texts = {kif_text(value) for value in kind.values(chosen)}
        return [(CellFact(kind.template({**columns, chosen: "mark"}), at=at), texts)]
    cells = []
    for line in sorted(lines, key=str):
        name = _name(line)
        filled: dict[int, str | Constant] = {**columns, **dict(zip(varied, line, strict=True))}
        cells.append((CellFact(kind.template(filled), name, at=at), {name}))
    return cells


def _name(line: Sequence[Constant]) -> str:
    return " ".join(map(kif_text, line))
