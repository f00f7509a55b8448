"""A position as a picture: what stands on each site.

In: a `Picture` and the facts of a state. Out: a `Scene`, from which text, SVG, images and the
page are drawn, or a `Board`, rows of cells, for programs that know but one grid.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from gdl.language.template import match
from gdl.language.terms import Term, in_order, kif_text
from gdl.view.mark import NOT_KNOWN, Mark, unknown_mark
from gdl.view.panel import Panel, Site
from gdl.view.picture import MANY, CellFact, Picture, site_name
from gdl.view.plan import Plan, plan

MOST_KEPT: Final = 50_000
"""Facts of a picture of which it is kept what they put where."""
MOST_POSITIONS: Final = 256
"""Positions of a picture of which the same is kept: each is drawn, and then as the one before."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands on a site.

    Attributes:
        mark: How it is drawn; None for a number alone.
        count: How many there are, as the fact says it; empty for one.
        turn: Where it points to: degrees, clockwise from above; None where it points nowhere.
    """

    mark: Mark | None
    count: str = ""
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two sites, which a fact draws.

    Attributes:
        site: Number of the site at which it begins.
        other: Number of the site at which it ends.
        mark: Whose it is, None for nobody's.
    """

    site: int
    other: int
    mark: Mark | None


class Placed(NamedTuple):
    """What the facts of a position put where.

    Attributes:
        pieces: What stands on each site that is not empty, by its number.
        links: Lines between sites, in canonical order of their facts.
        rest: Facts that are in no board, in canonical order.
    """

    pieces: Mapping[int, tuple[Piece, ...]]
    links: tuple[Link, ...]
    rest: tuple[Term, ...]


class Placement(NamedTuple):
    """What one fact puts on one site: a piece, a link, or neither where it says it is empty."""

    site: int
    piece: Piece | None
    link: Link | None


@dataclass(frozen=True, slots=True)
class Scene:
    """One position as a picture.

    Attributes:
        picture: Which facts are marks.
        plan: Where the sites are.
        pieces: What stands on each site, by its number; none where it is empty.
        changed: Sites on which something else stood before.
        rest: Facts that are in no board, in canonical order.
        links: Lines between sites, in canonical order of their facts.
    """

    picture: Picture
    plan: Plan
    pieces: Mapping[int, tuple[Piece, ...]] = field(hash=False)
    changed: frozenset[int] = frozenset()
    rest: tuple[Term, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """One position of a grid, as rows of cells.

    Attributes:
        cells: Rows from top to bottom, cells from left to right; None is an empty cell.
        column_labels: What stands above the columns.
        row_labels: What stands beside the rows.
        column_breaks: A line is drawn after so many columns.
        row_breaks: A line is drawn after so many rows.
        marks: The marks of the game, for a legend.
        empty: How an empty cell is drawn.
        changed: Cells (row, column, counted from 0) that hold another mark than before.
        rest: Facts that are no marks, in canonical order.
    """

    cells: tuple[tuple[Mark | None, ...], ...]
    column_labels: tuple[str, ...]
    row_labels: tuple[str, ...]
    column_breaks: tuple[int, ...]
    row_breaks: tuple[int, ...]
    marks: tuple[Mark, ...]
    empty: Mark
    changed: frozenset[tuple[int, int]] = frozenset()
    rest: tuple[Term, ...] = ()


def scene(
    picture: Picture, facts: Collection[Term], *, before: Collection[Term] | None = None
) -> Scene:
    """Return a state as a picture.

    Args:
        picture: Which facts are marks.
        facts: What is true in the state.
        before: What was true in the state before, to tell which sites changed.

    Returns:
        The picture. Where a site holds one thing, the last in canonical order is taken. Cost
        O(facts * kinds of cells).
    """
    pieces, links, rest = place(picture, facts)
    changed: frozenset[int] = frozenset()
    if before is not None:
        old, _, _ = place(picture, before)
        changed = frozenset(site for site, on in pieces.items() if old.get(site) != on)
    return Scene(picture, plan(picture), pieces, changed, rest, links)


def scene_of_known(picture: Picture, known: Collection[Term], unsure: Collection[Term]) -> Scene:
    """Return what is known of a state as a picture, with a ``?`` where something may stand.

    Args:
        picture: Which facts are marks.
        known: What is true for certain.
        unsure: What may be true, or not.
    """
    drawn = scene(picture, known)
    maybe, _, _ = place(picture, unsure)
    pieces = dict(drawn.pieces)
    for site, others in maybe.items():
        pieces[site] = _with_doubt(pieces.get(site, ()), others)
    return replace(drawn, pieces=pieces)


def _with_doubt(on: tuple[Piece, ...], others: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Return what is drawn on a site on which further things may stand."""
    if not on:
        return (Piece(NOT_KNOWN),)
    if len(on) == 1 and not on[0].count and any(other.mark != on[0].mark for other in others):
        return (replace(on[0], count=NOT_KNOWN.symbol),)  # a shot that has hit, but what?
    return on


def place(picture: Picture, facts: Collection[Term]) -> Placed:
    """Return what stands on each site that is not empty, the links, and the facts in no board.

    A fact that says that a cell is empty is in neither. Cost O(facts * kinds of cells), and
    O(facts) for a position that was asked for lately.
    """
    key = frozenset(facts)
    placed = picture.positions.get(key)
    if placed is None:
        if len(picture.positions) >= MOST_POSITIONS:
            picture.positions.clear()
        placed = picture.positions[key] = _placed(picture, facts)
    return placed


def _placed(picture: Picture, facts: Collection[Term]) -> Placed:
    planned = plan(picture)
    kept = picture.placements
    placed: dict[int, tuple[Piece, ...]] = {}
    links, rest = [], []
    for fact in in_order(facts):
        # What a fact puts where hangs on nothing else, and the same few facts come in all
        # positions of a game: it is worked out once for each.
        placements = kept.get(fact)
        if placements is None:
            if len(kept) > MOST_KEPT:
                kept.clear()
            placements = kept[fact] = _placements(picture, planned, fact)
        if not placements:
            rest.append(fact)
        for site, piece, link in placements:
            if link is not None:
                links.append(link)
            elif piece is not None:
                many = planned.sites[site].form in MANY
                placed[site] = (*placed.get(site, ()), piece) if many else (piece,)
    return Placed(placed, tuple(links), tuple(rest))


def _placements(picture: Picture, planned: Plan, fact: Term) -> tuple[Placement, ...]:
    """Return what a fact puts where; nothing where it is in no board."""
    marks = {mark.name: mark for mark in picture.marks}
    placements = []
    for panel in planned.panels:
        for kind in panel.layout.cells:
            values = match(kind.fact, fact)
            if values is None:
                continue
            site = panel.names.get(site_name(kind, kind.at, values))
            if site is None:
                continue
            piece = _piece(kind, values, marks, picture.blank)
            if piece and piece.mark and piece.count == "0" and planned.sites[site].form in MANY:
                piece = None  # none of a thing in a hand is nothing there
            link = None
            if kind.links:
                other = _other_end(planned, panel, site, kind, values)
                if other is None:
                    continue
                link = Link(site, other, piece.mark if piece else None)
            placements.append(Placement(site, piece, link))
    return tuple(placements)


def _other_end(
    planned: Plan, panel: Panel, site: int, kind: CellFact, values: Mapping[str, Term]
) -> int | None:
    """Return the cell to which a link leads, None where the board has none there."""
    step = dict(kind.links).get(kif_text(values["link"]))
    cell = planned.sites[site]
    if step is None or cell.row is None or cell.column is None:
        return None
    row, column = cell.row + step[1], cell.column + step[0]
    layout = panel.layout
    if row not in range(len(layout.rows)) or column not in range(len(layout.columns)):
        return None
    return panel.names.get(f"{kif_text(layout.columns[column])} {kif_text(layout.rows[row])}")


def _piece(
    kind: CellFact, values: Mapping[str, Term], marks: Mapping[str, Mark], blank: frozenset[str]
) -> Piece | None:
    name = kind.mark
    if name is None and "mark" in values:
        name = kif_text(values["mark"])
    if name in blank:
        return None
    mark = None if name is None else marks.get(name) or unknown_mark(name)
    count = kif_text(values["count"]).removeprefix(kind.prefix) if "count" in values else ""
    turn = dict(kind.turns).get(kif_text(values["turn"])) if "turn" in values else None
    return Piece(mark, count, turn)


def links_from(drawn: Scene, site: int) -> tuple[Link, ...]:
    """Return the links that begin at a site. Cost linear in the links."""
    return tuple(link for link in drawn.links if link.site == site)


def told(pieces: tuple[Piece, ...]) -> str:
    """Return what stands on a site in words."""
    words = [
        " ".join(filter(None, (piece.mark.title if piece.mark else "", piece.count)))
        for piece in pieces
    ]
    return " and ".join(words) or "empty"


def board_of(drawn: Scene) -> Board | None:
    """Return the first board of a picture as rows of cells; None where it has no rows."""
    layout = drawn.picture.grid
    if layout is None:
        return None
    sites = drawn.plan.panels[0].sites
    cells: list[list[Mark | None]] = [[None] * len(layout.columns) for _ in layout.rows]
    for number, pieces in drawn.pieces.items():
        cell = _cell(sites, number)
        if cell is not None:
            cells[cell[0]][cell[1]] = pieces[-1].mark
    changed = (_cell(sites, number) for number in drawn.changed)
    return Board(
        tuple(map(tuple, cells)),
        layout.column_labels,
        layout.row_labels,
        layout.column_breaks,
        layout.row_breaks,
        drawn.picture.marks,
        drawn.picture.empty,
        frozenset(cell for cell in changed if cell is not None),
        drawn.rest,
    )


def _cell(sites: Sequence[Site], number: int) -> tuple[int, int] | None:
    """Return row and column of a site of the first board, None where it is no cell of it."""
    site = sites[number] if number < len(sites) else None
    if site is None or site.row is None or site.column is None:
        return None
    return site.row, site.column
