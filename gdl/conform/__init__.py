"""A rule file against a reference engine, in lockstep.

In goes a game and a hand-written engine that claims to play the same; both make the
same moves, and in every state everything that can be seen is compared: whose turn it
is, the legal moves by notation, terminal, goals, and the board. Out comes how much was
compared, and the first `Difference` with the play that leads to it.

The engine is any object with the questions of `Reference`; nothing here imports one.

Source: the practice is differential testing (McKeeman, "Differential Testing for
Software", 1998).
"""

from gdl.conform.choosers import (
    STYLES,
    Chooser,
    choose_uniformly,
    prolong,
    seek,
    seek_goal,
)
from gdl.conform.lockstep import Difference, Lockstep, Pair
from gdl.conform.reference import Reference
from gdl.conform.runs import OnReport, Report, every_state, random_games, replay
from gdl.conform.suite import Check, suite

__all__ = [
    "STYLES",
    "Check",
    "Chooser",
    "Difference",
    "Lockstep",
    "OnReport",
    "Pair",
    "Reference",
    "Report",
    "choose_uniformly",
    "every_state",
    "prolong",
    "random_games",
    "replay",
    "seek",
    "seek_goal",
    "suite",
]
