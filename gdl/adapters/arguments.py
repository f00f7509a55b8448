"""What doorways take: which game, who plays against the learner, when an episode is cut off.

Nothing heavy is imported here, so that a missing package is told of before it is needed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeAlias, Union

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.play.player import Player
    from gdl.ruleset import Ruleset

GameLike: TypeAlias = Union[str, "os.PathLike[str]", "Ruleset", "Game"]
"""A ruleset id, a manifest, a rule file, a ruleset or a game."""
Opponent: TypeAlias = Union[str, "Player"]
"""A player by its name and options (``greedy``, ``mcts:rave=on``), or a function."""
MAX_PLIES: Final = 10_000
"""Joint moves after which an episode is cut off."""
