"""Programs that choose moves: players, their clocks, and the table in which they are found.

What stands where:

- what a player is: `player`, `clock`, `registry`, `sight` (what a role has seen, hidden facts),
  `search` (in slices, in a thread that keeps the time)
- the players: `chance` (random), `greedy`, `mcts`, `alphabeta`; `solve` (exact values)
- search in compiled games: `growth` (the search of one move), `tree`, `vector` and `single`
  (playouts), `prove` and `exact` (proof numbers), `compiled`, `wide`, `jit`
- search in any other game: `uct`
- programs against programs: ``tournament/``
"""

from __future__ import annotations

from gdl.play.clock import Clock
from gdl.play.player import Candidate, Player, Position, Thoughts, choose, prepare
from gdl.play.registry import (
    Kind,
    Option,
    PlayerOptionError,
    UnknownPlayerError,
    kinds,
    make,
)
from gdl.play.sight import Seen, Sight
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
