"""Games of one role that leave nothing to chance: plans, found by several searches side by side.

`plan` is the entrance, `planner` the searches in turns, `player` plays what they found. The
searches: `random_plays` (of all lanes), `subgroups` (parts that moves permute, in phases), `beam`
(layer by layer, all states or the best of each), `unordered` (sets of moves as a formula) and
`satisfy` (plays as a formula). They stand on `lanes` (states and what follows them, many at once),
`seen` (a table of states) and `guide` (how near a state is to a goal).
"""

from __future__ import annotations

from gdl.play.puzzles.planner import Plan, plan

__all__ = ["Plan", "plan"]
