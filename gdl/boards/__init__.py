"""Boards of games that say nothing of one: inferred from their rules and from play.

In: rules without a manifest. Out: a picture as a manifest would describe it, or none. It is a
guess of what people like to look at, and nothing rests on it: what it leaves out is shown as facts.

- `samples`: what there is to see: facts of some states, moves, what the rules count with; `kinds`:
  those that differ in their constants only
- `orders`: values that stand in a row
- `grids`: two places of a fact that are row and column; `points`: one that names a site;
  `arrangements`: one fact that names each of some things once
- `marks`: what stands there; `places`: where moves are made
- `widgets`: hands, heaps, scores and counters beside it
- `inference`: all of it; `inferred`: for rulesets
- `planes`: a board, written or inferred, as what a learner sees
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.boards.inference import infer
    from gdl.boards.inferred import with_board

__all__ = ["infer", "with_board"]

_HOMES: Final = {"gdl.boards.inference": ("infer",), "gdl.boards.inferred": ("with_board",)}
__getattr__, __dir__ = deferred(__name__, _HOMES)
