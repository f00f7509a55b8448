"""Values of all positions of a game, from its rules alone.

What stands where:

- `strong` is the entrance, `table_solver` its inner side, `limits` what it may take; a `table`
  comes out
- games in which no state is met at two lengths of play: `layers`; with files in a folder `disk`,
  `task_workers` and `job_array` (whoever does the tasks there); all others, by retrograde analysis:
  `graph`, and what one role can force there: `attractor`
- sets of positions in place of a table: `sets`, over `diagrams` (of a game), by a
  `variable_ordering`
- what a state is worth when what follows is known: `minimax_step` (of two roles that
  take turns), `backward_induction` (of any kind, with `matrices` where roles choose at once);
  `sentinels` for what has no value
- renamings that leave a game as it is: `symmetry` (found and proved), `colour_refinement`
  (candidates), `group` (the least key that they make of one), `orbits` (for blocks of keys),
  `elements` (all of them, for learners)
- `positions` (blocks of states through the machine code), `expand` (its loops), `packing` (states
  as keys), `sorting`, `compression`, `key_file` (rows of what is compressed)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.solve.sets import SetSolution, solve_as_sets, solve_either
    from gdl.solve.strong import Solution, solve
    from gdl.solve.table import Table, Value, open_table

__all__ = [
    "SetSolution",
    "Solution",
    "Table",
    "Value",
    "open_table",
    "solve",
    "solve_as_sets",
    "solve_either",
]

_HOMES: Final = {
    "gdl.solve.sets": ("SetSolution", "solve_as_sets", "solve_either"),
    "gdl.solve.strong": ("Solution", "solve"),
    "gdl.solve.table": ("Table", "Value", "open_table"),
}
__getattr__, __dir__ = deferred(__name__, _HOMES)
