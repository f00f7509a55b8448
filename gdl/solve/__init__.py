"""Values of all positions of a game, from its rules alone.

`strong` is the entrance; `table` is what comes out. Below it `layers` (games in which no state is
met at two lengths of play, layer by layer) and `graph` (all others, by retrograde analysis), with
`fold` and `induction` (what a state is worth when what follows is known), on `positions` (blocks of
states through the machine code), `packing` (states as keys), `sorting` and `expand` (the loops).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.solve.strong import Solution, solve
    from gdl.solve.table import Table, Value, open_table

__all__ = ["Solution", "Table", "Value", "open_table", "solve"]

_HOMES: Final = {
    "gdl.solve.strong": ("Solution", "solve"),
    "gdl.solve.table": ("Table", "Value", "open_table"),
}
__getattr__, __dir__ = deferred(__name__, _HOMES)
