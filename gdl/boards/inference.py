"""A picture of a game from what there is to see of it.

In: `Samples`. Out: a `Picture`, or None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gdl.boards.arrangements import arrangement
from gdl.boards.grids import Grid, grid
from gdl.boards.kinds import Kind, kinds
from gdl.boards.marks import blank_of, marks
from gdl.boards.places import places, site_places
from gdl.boards.points import Sites, lines_between, sites
from gdl.boards.samples import Samples
from gdl.boards.widgets import heap_prefix, laid, widgets
from gdl.language.terms import Compound, Constant, kif_text
from gdl.view.picture import GRID, LINES, PIT, POINTS, SQUARES, CellFact, Layout, Picture
from gdl.view.plan import plan
from gdl.view.scene import place

MOST_MARKS: Final = 60
"""Combinations of what is left of facts that get a mark each."""
MOST_SQUARES: Final = 11
"""Rows or columns beyond which a board is drawn as lines, as those of Go are."""


def infer(seen: Samples) -> Picture | None:
    """Return a picture of a game, None where nothing in it looks like a board.

    What no board shows stands below it as hands, heaps and counters, as far as it looks like any.
    Without a board these are a picture only where nothing else is to be seen but whose turn it is:
    whoever draws a picture lists no facts.
    """
    of_facts, of_moves = kinds(seen.states), kinds([seen.moves])
    board, names = _board(seen, of_facts, of_moves)
    left = kinds([place(board, state).rest for state in seen.states]) if board else of_facts
    shown = board.boards if board else ()
    sites = {site.name for site in plan(board).sites} if board else set[str]()
    beside = widgets(left, of_moves, seen.roles, sites, names)
    if beside:
        width = plan(board).size[0] if board else 0
        shown = (*shown, laid(beside, width))
    if not shown:
        return None
    blank = board.blank if board else frozenset[str]()
    drawn = sorted(names.union(*(widget.things for widget in beside)) - blank)
    shown_as = marks(drawn, seen.roles) if len(drawn) <= MOST_MARKS else ()
    picture = Picture(shown, shown_as, blank=blank)
    return picture if board or _is_whole(picture, seen) else None


def _is_whole(picture: Picture, seen: Samples) -> bool:
    """Return whether a picture shows all facts but one that names a player: whose turn it is."""
    left = [place(picture, state).rest for state in seen.states]
    is_named = all(isinstance(fact, Compound) for facts in left for fact in facts)
    return is_named and all(
        kind.width == 1 and kind.values(0) <= set(seen.roles) and max(map(len, kind.tables)) == 1
        for kind in kinds(left)
    )


def _board(
    seen: Samples, of_facts: Sequence[Kind], of_moves: Sequence[Kind]
) -> tuple[Picture | None, set[str]]:
    """Return the board of a game, if one is there, and the names of what stands on it."""
    if (arranged := arrangement(of_facts)) is not None:
        return Picture((arranged[0],)), arranged[1]
    board = grid(of_facts, seen.steps, seen.variables)
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
        return _with_cells(layout, sited, "?column ?row")
    if scattered is None:
        return None, set()
    names = {number: f"s{index}" for index, number in enumerate(scattered.columns)}
    values = scattered.kind.values(scattered.columns[0]) if len(names) == 1 else set[Constant]()
    layout = Layout(
        POINTS,
        moves=site_places(of_moves, scattered),
        spots=scattered.spots,
        lines=lines_between(values, seen),
    )
    at = " ".join(f"?{name}" for name in names.values())
    prefix = heap_prefix(scattered.kind, scattered.columns, seen.roles)
    if prefix is not None:
        spots = tuple(replace(spot, form=PIT) for spot in scattered.spots)
        fact = scattered.kind.template({**names, scattered.kind.width - 1: "count"})
        cells = (CellFact(fact, at=at, prefix=prefix),)
        return Picture((replace(layout, spots=spots, cells=cells),)), set()
    return _with_cells(layout, [(scattered.kind, names)], at)


def _is_part(board: Grid, sites: Sites | None) -> bool:
    """Return whether a board is one of several: the sites of the same facts say which, too."""
    kind, *columns = board.cells[0]
    return sites is not None and sites.kind is kind and set(columns) < set(sites.columns)


def _with_cells(
    layout: Layout, sited: Sequence[tuple[Kind, dict[int, str]]], at: str
) -> tuple[Picture, set[str]]:
    """Return one board on which facts stand, and their names; the first kind says what is empty."""
    cells: list[CellFact] = []
    names: set[str] = set()
    for kind, columns in sited:
        for cell, texts in cells_of(kind, columns, at):
            cells.append(cell)
            names |= texts
    kind, columns = sited[0]
    rest = [number for number in range(kind.width) if number not in columns]
    first = Counter(_name([line[number] for number in rest]) for line in kind.tables[0])
    most = max(first.values(), default=0)
    commonest = [name for name, count in first.items() if count == most]
    blank = blank_of(names, commonest[0] if len(commonest) == 1 else "")
    return Picture((replace(layout, cells=tuple(cells)),), blank=blank), names


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
