"""Where on its board a move is made: what a person clicks on, and what turns.

In: a `Picture` and a move. Out: a `MoveLocation`. It says nothing of what the move does; that
is for the rules alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from gdl.language.template import fill, holes, match, read_template
from gdl.language.terms import Term, kif_text
from gdl.view.panel import Panel, cuts
from gdl.view.picture import ANY, Layout, MovePlace, Picture, shifted, site_name
from gdl.view.plan import plan


@dataclass(frozen=True, slots=True)
class MoveLocation:
    """Where on the board one move is made.

    Attributes:
        row: Row of the cell that is touched first, counted from 0 at the top; None where any
            row will do, or where there are no rows.
        column: Column of that cell, counted from 0 at the left; None likewise.
        block: First row, first column, and the row and column behind the last ones, of the
            part of the board that turns; None where nothing turns.
        degrees: How far it turns, clockwise; 0 where nothing turns.
        steps: Numbers of the sites that a person touches, one after the other; of each step
            any of several will do.
        picks: What else the move says beside places and turns: which piece is put there.
    """

    row: int | None = None
    column: int | None = None
    block: tuple[int, int, int, int] | None = None
    degrees: int = 0
    steps: tuple[tuple[int, ...], ...] = ()
    picks: tuple[Term, ...] = ()


def location_of(picture: Picture, move: Term, role: str = "") -> MoveLocation | None:
    """Return where on the board a move is made; None where the picture does not say.

    Args:
        picture: Which moves are made where.
        move: The move.
        role: Who makes it, where that matters: both may take pit 3, each his own.

    Returns:
        The first place that fits. Cost linear in the kinds of moves, and in the sites where any
        of them will do.
    """
    for panel in plan(picture).panels:
        for kind in panel.layout.moves:
            values = match(kind.move, move)
            if values is not None and _is_for(kind, role):
                location = _located(panel, kind, values)
                if location is not None:
                    return location
    return None


def _is_for(kind: MovePlace, role: str) -> bool:
    return not role or kind.role in {"", role}


def _located(panel: Panel, kind: MovePlace, values: Mapping[str, Term]) -> MoveLocation | None:
    block, degrees = None, 0
    if "block" in values:
        place = dict(kind.blocks).get(kif_text(values["block"]))
        block = None if place is None else _block(panel.layout, *place)
    if "turn" in values:
        degrees = dict(kind.turns).get(kif_text(values["turn"]), 0)
    steps = tuple(_sites(panel, site_name(kind, pattern, values)) for pattern in kind.at)
    if not all(steps) or not (steps or block):
        return None
    row, column = _cell(panel, kind.at[0], steps[0]) if steps else (None, None)
    picks = tuple(values[name] for name in _picked(kind)) if steps else ()
    return MoveLocation(row, column, block, degrees if block else 0, steps, picks)


@lru_cache(4096)
def _picked(kind: MovePlace) -> tuple[str, ...]:
    """Return the variables of a move that say neither where nor how far something turns."""
    placed = {word[1:] for pattern in kind.at for word in pattern.split() if word[0] == "?"}
    return tuple(name for name in holes(kind.move) if name not in placed | {"block", "turn"})


def _sites(panel: Panel, name: str) -> tuple[int, ...]:
    """Return the sites of a name, in which ``*`` stands for any row or column."""
    if ANY not in name:
        return (panel.names[name],) if name in panel.names else ()
    wanted = name.split()
    return tuple(number for other, number in panel.names.items() if _fits(wanted, other.split()))


def _fits(wanted: list[str], words: list[str]) -> bool:
    return len(wanted) == len(words) and all(
        word in {ANY, other} for word, other in zip(wanted, words, strict=True)
    )


def _cell(panel: Panel, pattern: str, sites: tuple[int, ...]) -> tuple[int | None, int | None]:
    """Return row and column that a pattern names, each None where any will do."""
    site = panel.sites[sites[0] - panel.first]
    words = pattern.split()
    column, row = (*words, "", "")[:2]
    return None if row == ANY else site.row, None if column == ANY else site.column


def _block(layout: Layout, row: int, column: int) -> tuple[int, int, int, int] | None:
    rows = cuts(layout.row_breaks, len(layout.rows))
    columns = cuts(layout.column_breaks, len(layout.columns))
    if row >= len(rows) or column >= len(columns):
        return None
    (top, bottom), (left, right) = rows[row], columns[column]
    return top, left, bottom, right


def moves_on(picture: Picture, sites: Sequence[int], role: str = "") -> tuple[Term, ...]:
    """Return a move of each kind that a role, or any, makes by touching just these, legal or not.

    What turns, and how far, is the first that the picture lists. A page asks with it why
    nothing can be put on a cell, or nobody can go from there to there.
    """
    return tuple(
        move
        for panel in plan(picture).panels
        if all(site in panel.numbers for site in sites)
        for kind in panel.layout.moves
        if len(kind.at) == len(sites) and _is_for(kind, role)
        for move in _moves(panel, kind, sites)
    )


def site_at(picture: Picture, row: int, column: int) -> int | None:
    """Return the number of a cell of the first board, None where there is none."""
    layout = picture.grid
    if layout is None or not (0 <= row < len(layout.rows) and 0 <= column < len(layout.columns)):
        return None
    name = f"{kif_text(layout.columns[column])} {kif_text(layout.rows[row])}"
    return plan(picture).panels[0].names.get(name)


def _moves(panel: Panel, kind: MovePlace, sites: Sequence[int]) -> Iterator[Term]:
    named = [[name for name, number in panel.names.items() if number == site] for site in sites]
    for names in product(*named):
        # One after the other as one name: a variable means the same in all of them.
        pattern, words = " ".join(kind.at).split(), " ".join(names).split()
        binding = _binding(kind, pattern, words)
        if binding is None:
            continue
        if kind.blocks:
            binding.setdefault("block", read_template(kind.blocks[0][0]))
        if kind.turns:
            binding.setdefault("turn", read_template(kind.turns[0][0]))
        if set(holes(kind.move)) <= set(binding):
            move = fill(kind.move, binding)
            # An offset may lead off the board and back to another place.
            location = _located(panel, kind, match(kind.move, move) or {})
            steps = () if location is None else location.steps
            if steps and all(site in step for site, step in zip(sites, steps, strict=True)):
                yield move
                return


def _binding(kind: MovePlace, pattern: list[str], words: list[str]) -> dict[str, Term] | None:
    """Return what the variables of a pattern are in a name, None where it does not fit."""
    if len(pattern) != len(words):
        return None
    offsets = {"?column": -kind.column_offset, "?row": -kind.row_offset}
    binding: dict[str, Term] = {}
    for part, word in zip(pattern, words, strict=True):
        if part.startswith("?"):
            value = shifted(read_template(word), offsets.get(part, 0))
            if binding.setdefault(part[1:], value) is not value:
                return None
        elif part not in {word, ANY}:
            return None
    return binding
