"""Hand-written reference engines: Pentago in four rulesets, and freestyle Gomoku.

They are written from the rules in prose alone and know nothing of rule files or of the framework
that runs these: they exist to disagree with it. `GAMES` holds one engine per ruleset, all with the
questions of `engine.game.Game`.

Example:
    >>> from random import Random
    >>> from engine.walk import random_game
    >>> game = GAMES["pentago/strict"]
    >>> [game.format(move) for move in random_game(game, Random(0)).moves[:2]]
    ['A5 Q10 CCW', 'C5 Q11 CCW']
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from .classic_api import Pentago
from .faults import Fault, IllegalMoveError, NotationError, RulesError
from .game import Game
from .gomoku import GomokuGame
from .pentago import CLASSIC, STRICT, UTWENTE, PentagoGame
from .phased import PhasedGame

GAMES: Final[Mapping[str, Game[Any, Any]]] = MappingProxyType(
    {
        game.ruleset: game
        for game in (
            PentagoGame(STRICT),
            PentagoGame(UTWENTE),
            PentagoGame(CLASSIC),
            PhasedGame(),
            GomokuGame(),
        )
    }
)
"""One engine per ruleset identifier."""

__all__ = [
    "GAMES",
    "Fault",
    "Game",
    "GomokuGame",
    "IllegalMoveError",
    "NotationError",
    "Pentago",
    "PentagoGame",
    "PhasedGame",
    "RulesError",
]
