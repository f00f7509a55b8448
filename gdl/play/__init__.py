"""Programs that choose moves: players, their clocks, and the table in which they are found."""

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
