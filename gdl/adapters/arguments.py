"""What doorways take: who plays against the learner, when an episode is cut off.

Nothing heavy is imported here, so that a missing package is told of before it is needed.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Final, SupportsIndex, TypeAlias, Union

from gdl.language.preconditions import ArgumentTypeError

if TYPE_CHECKING:
    from gdl.play.player import Player

Opponent: TypeAlias = Union[str, "Player"]
"""A player by its name and options (``greedy``, ``mcts:rave=on``), or a function."""
MAX_PLIES: Final = 10_000
"""Joint moves after which an episode is cut off."""


def move_number(action: SupportsIndex) -> int:
    """Return the number of a move, of Python or numpy.

    Raises:
        ArgumentTypeError: It is no whole number.
    """
    try:
        return index(action)
    except TypeError:
        raise ArgumentTypeError("an action", action, "the number of a move") from None
