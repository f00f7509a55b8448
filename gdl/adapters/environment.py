"""What PettingZoo and Gymnasium environments have in common: spaces and rendering.

In: a `MarkovGame`. Out: the spaces of its moves and of what is seen, and drawings.

Source: action masks as in PettingZoo's classic games.
"""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from gdl.adapters.markov_game import MarkovGame
from gdl.adapters.packages import require
from gdl.state import State

RENDER_MODES: Final = ("human", "ansi", "rgb_array")
RENDER_FPS: Final = 2
"""Pictures a second, for those who make films of them."""
TREATMENTS: Final = ("lose", "raise")
"""What may happen at an illegal move."""

Observation = dict[str, Any]
"""``observation``: ``int8[*planes.shape]``, and ``action_mask``: ``int8[moves]``."""


def check_choice(name: str, value: str | None, choices: tuple[str, ...]) -> None:
    """Refuse a word that is not one of those known.

    Raises:
        ValueError: Names the known ones.
    """
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(choices)}, not {value!r}")


def check_render_mode(mode: str | None) -> None:
    """Refuse a render mode that is not known, or whose packages are missing.

    Raises:
        ValueError: No such mode; names the known ones.
        MissingPackageError: Images need pillow.
    """
    if mode is not None:
        check_choice("render_mode", mode, RENDER_MODES)
    if mode == "rgb_array":
        require("images", "PIL", extra="adapters")


def observation_space(markov_game: MarkovGame) -> spaces.Dict:
    """Return the space of what one player sees and may do."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, markov_game.planes.shape, np.int8),
            "action_mask": spaces.Box(0, 1, (len(markov_game.table),), np.int8),
        }
    )


def action_space(markov_game: MarkovGame) -> spaces.Discrete[Any]:
    """Return the space of the numbers of moves."""
    return spaces.Discrete(len(markov_game.table))


def observation(
    markov_game: MarkovGame, state: State, player: int, *, is_asked: bool
) -> Observation:
    """Return what a player sees; who is not asked has a mask of zeros."""
    mask = (
        markov_game.mask(state, player) if is_asked else np.zeros(len(markov_game.table), np.int8)
    )
    return {"observation": markov_game.observe(state, player), "action_mask": mask}


def render(state: State, mode: str) -> NDArray[np.uint8] | str | None:
    """Return a position as the mode wants it; ``human`` writes it to standard output."""
    if mode == "rgb_array":
        from gdl.adapters.image import rgb_array

        return rgb_array(state)
    if mode == "ansi":
        return str(state)
    sys.stdout.write(f"{state}\n\n")
    return None
