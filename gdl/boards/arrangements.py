"""One fact that names each of some things once, in an order: a stack of pancakes.

In: kinds of facts. Out: a row of cells, each with what the fact names there, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gdl.boards.kinds import Kind
from gdl.language.terms import Constant, kif_text
from gdl.view.picture import GRID, SQUARES, CellFact, Layout

LEAST_THINGS: Final = 4
"""Of fewer a fact may tell that each differs by chance."""


def arrangement(kinds: Sequence[Kind]) -> tuple[Layout, set[str]] | None:
    """Return the first arrangement as a row, and the names of its things; None if there is none."""
    for kind in kinds:
        rows = [row for table in kind.tables for row in table]
        things = set(rows[0])
        if (
            kind.width >= LEAST_THINGS
            and len(rows) == len(kind.tables)
            and all(len(row) == len(things) and set(row) == things for row in rows)
        ):
            columns = tuple(Constant(str(number + 1)) for number in range(kind.width))
            cells = tuple(
                CellFact(kind.template({number: "mark"}), at=f"{number + 1} 1")
                for number in range(kind.width)
            )
            labels = tuple(map(kif_text, columns))
            row = (Constant("1"),)
            layout = Layout(GRID, columns, row, labels, ("",), cells=cells, ground=SQUARES)
            return layout, set(map(kif_text, things))
    return None
