"""Programs that choose moves: players, their budgets, and the table in which they are found.

What stands where:

- what a player is: `player`, `budget` (time and simulations), `match_budget` (for all moves),
  `thoughts` (of moves), `registry`, `own_player` (of a file), `information` (what a role knows
  where facts are hidden), `belief` (what it takes to be likely), `knowledge` (what it can be sure
  of), `anytime` (searches in slices, in a thread that keeps time)
- what is said without a search: `fallback_thoughts` (no time to think), `tablebase` (a table of all
  positions)
- machine code that is late: of a game `compilation` (by `compilation_process`), `changeover`;
  of the search `code_maker`, once for all games
- the players: `random_player`, `greedy`, `mcts`, `alphabeta`, `solve` (exact values, of goals that
  are proved to have a `constant_sum`); those that leave to ``mcts`` what is not theirs:
  `mcts_fallback`
- what can be forced, and a strategy that does: `force`
- search in compiled games: `compiled_search` (of one move), `pondering` (between moves),
  `tree_thoughts`; `tree` (arrays) and `tree_search` (select, expand, evaluate, back up), `bounds`
  (what is proven), `amaf` (RAVE and GRAVE), `final_position_amaf` (the same by how playouts end),
  `recycle` (room in a full tree), `search_threads` and `shared_search` (several threads in one
  tree); `dfpn` and `proof_search` (by proof numbers, and depth first), `goal_lines` (that win),
  `look_ahead` (all replies to all children); `null_window` and `compiled_alphabeta`; `children` of
  a state all at once; playouts in `lanes` or by `scalar_playout`, or what a trained `value_network`
  says (to Python by `judge`); `workspace` (code and memory), `lane_tables`
- search in any other game: `uct`, with `regret_matching` where several roles choose at once
  (`mixed_strategy`: how often each move is taken)
- trained files, of both kinds: `network_file`; by deep networks: ``deep/``
- games of one role: ``puzzles/``
- small games of two roles with hidden facts, chance and moves at once: `equilibrium`,
  `equilibrium_player`
- programs against programs: ``tournament/``
"""

from __future__ import annotations

import warnings

from gdl.play.budget import Budget
from gdl.play.information import InformationState, MoveAndPercepts
from gdl.play.match_budget import MatchBudget
from gdl.play.player import Player, Position, choose, prepare
from gdl.play.registry import Kind, Option, PlayerOptionError, UnknownPlayerError, kinds, make
from gdl.play.solve import Solution, UnsolvedError, solve
from gdl.play.thoughts import Candidate, Thoughts

__all__ = [
    "Budget",
    "Candidate",
    "InformationState",
    "Kind",
    "MatchBudget",
    "MoveAndPercepts",
    "Option",
    "Player",
    "PlayerOptionError",
    "Position",
    "Solution",
    "Thoughts",
    "UnknownPlayerError",
    "UnsolvedError",
    "choose",
    "kinds",
    "make",
    "prepare",
    "solve",
]

_RENAMED = {"Clock": "Budget", "Seen": "MoveAndPercepts", "Sight": "InformationState"}
"""Names of before, kept for one release."""


def __getattr__(name: str) -> object:
    """Return what an old name stands for, with a warning."""
    if name in _RENAMED:
        warnings.warn(
            f"gdl.play.{name} is called gdl.play.{_RENAMED[name]} now",
            DeprecationWarning,
            stacklevel=2,
        )
        return globals()[_RENAMED[name]]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
