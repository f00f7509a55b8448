"""Tournaments: who meets whom, the games, what is kept of them, and how strong the players are.

`run` is a whole tournament: `plan` says which games there are, `game` plays one, `local` and
`cluster` play many, `store` keeps them on disk, `rating` and `standings` add them up, `plot` draws
it.
"""

from __future__ import annotations

from gdl.play.tournament.game import Outcome, play_game
from gdl.play.tournament.plan import Bout, Plan, PlanError, bouts
from gdl.play.tournament.rating import Rating, ratings
from gdl.play.tournament.run import run
from gdl.play.tournament.standings import Standing, crosstable, standings
from gdl.play.tournament.store import Store, StoreError

__all__ = [
    "Bout",
    "Outcome",
    "Plan",
    "PlanError",
    "Rating",
    "Standing",
    "Store",
    "StoreError",
    "bouts",
    "crosstable",
    "play_game",
    "ratings",
    "run",
    "standings",
]
