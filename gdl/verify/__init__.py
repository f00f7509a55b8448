"""Differences, equivalence and properties of games: circuits, SAT solvers, induction.

The entrances are `diff` (two games), `verification` (one game) and `export` (AIGER for others);
what they answer is in `answer`, `report`, `sentence`, `saved` (plays and maps as files),
`certificates` (of what no state can be; `written_renaming` of two texts, `written_matching` what
stands for what, `written_ply_facts` what is known of each ply, `covering` plays that come to all of
many things), `provenance` (are these certificates about the rules in hand?), `opinion` (of another
model checker on two games) and `replay` (a play that was found, played again on the rules as
written). What comes after a verdict, how the rules can be mended say, stands in ``questions/``. All
stand on ``properties/`` (what a game must have), ``correspondence/`` (which roles and moves of two
games are the same), ``proving/`` (the stages of a proof), ``systems/`` (what is proved of) and
``solvers/``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl._lazy import deferred

if TYPE_CHECKING:
    from gdl.verify.verification import verify

__all__ = ["verify"]

_HOMES: Final = {"gdl.verify.verification": ("verify",)}
__getattr__, __dir__ = deferred(__name__, _HOMES)
