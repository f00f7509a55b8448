"""Where moves are made: the sites that a move names, in the order in which it names them.

In: kinds of moves and a board. Out: places, which a person touches to make the move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdl.boards.grids import Grid
from gdl.boards.kinds import Kind
from gdl.boards.points import Sites
from gdl.language.terms import Constant, Term
from gdl.view.picture import ANY, MovePlace


def places(moves: Sequence[Kind], board: Grid) -> tuple[MovePlace, ...]:
    """Return where on a board moves are made; nothing for those that name no cell."""
    places_found = []
    for kind in moves:
        steps = list(_steps(kind, board))
        if steps:
            filled = {number: name for step in steps for number, name in step.items()}
            places_found.append(MovePlace(kind.template(filled), at=tuple(map(_pattern, steps))))
    return tuple(places_found)


def site_places(moves: Sequence[Kind], sites: Sites) -> tuple[MovePlace, ...]:
    """Return where moves are made on a board of sites: they name as many columns as facts do."""
    size = len(sites.columns)
    values = [sites.kind.values(number) for number in sites.columns]
    places_found = []
    for kind in moves:
        steps: list[range] = []
        number = 0
        while number + size <= kind.width:
            step = range(number, number + size)
            if all(kind.values(n) <= some for n, some in zip(step, values, strict=True)):
                steps.append(step)
            number += size if steps and steps[-1] is step else 1
        if steps:
            filled = {n: f"s{n}" for step in steps for n in step}
            at = tuple(" ".join(f"?s{n}" for n in step) for step in steps)
            places_found.append(MovePlace(kind.template(filled), at=at))
    return tuple(places_found)


def _pattern(step: Mapping[int, str]) -> str:
    named = {name[0]: name for name in step.values()}
    return " ".join(f"?{named[letter]}" if letter in named else ANY for letter in "cr")


def _steps(kind: Kind, board: Grid) -> Iterator[dict[int, str]]:
    """Yield the cells that a move names: two columns side by side, in the order of the facts."""
    first, second = board.columns, board.rows
    letters = "cr"
    if board.is_row_first:
        first, second, letters = second, first, "rc"
    number = index = 0
    while number < kind.width:
        if number + 1 < kind.width and _of(kind, number, first) and _of(kind, number + 1, second):
            yield {number: f"{letters[0]}{index}", number + 1: f"{letters[1]}{index}"}
            number, index = number + 2, index + 1
        else:
            number += 1
    if not index and set(first) != set(second):
        for number in range(kind.width):
            for values, letter in ((board.columns, "c"), (board.rows, "r")):
                if _of(kind, number, values):
                    yield {number: f"{letter}0"}
                    return


def _of(kind: Kind, number: int, values: Sequence[Term]) -> bool:
    seen: set[Constant] = kind.values(number)
    return bool(seen) and seen <= set(values) and (len(seen) > 1 or len(values) == 1)
