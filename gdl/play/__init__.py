"""Programs that choose moves: players, their clocks, and the table in which they are found.

What stands where:

- what a player is: `player`, `budget` (time and simulations), `registry`, `information` (what a
  role knows where facts are hidden), `anytime` (searches in slices, in a thread that keeps time)
- the players: `random_player`, `greedy`, `mcts`, `alphabeta`, `solve` (exact values)
- search in compiled games: `compiled_search` (of one move), `tree`, `lanes` and `scalar_playout`
  (playouts), `dfpn` and `proof_search` (proof numbers), `workspace` (code and memory), `wide`,
  `jit`
- search in any other game: `uct`
- programs against programs: ``tournament/``
"""

from __future__ import annotations

from gdl.play.budget import Clock
from gdl.play.information import Seen, Sight
from gdl.play.player import Candidate, Player, Position, Thoughts, choose, prepare
from gdl.play.registry import (
    Kind,
    Option,
    PlayerOptionError,
    UnknownPlayerError,
    kinds,
    make,
)
from gdl.play.solve import Solution, UnsolvedError, solve

__all__ = [
    "Candidate",
    "Clock",
    "Kind",
    "Option",
    "Player",
    "PlayerOptionError",
    "Position",
    "Seen",
    "Sight",
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
