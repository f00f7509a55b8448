"""Many games at once, for reinforcement learning: arrays in, arrays out.

In: a ruleset id, a rule file or a game, and a number B. Out: a `VectorEnv` over
`gdl.native.kernel.batch`: who is asked, masks, observations and rewards as numpy arrays with one
row a game. Each array is new, so it may be kept; each has ``__dlpack__``, so that other array
libraries take it without a copy. Games that end begin anew at once.

Source: the form of a step after Koyamada et al., "Pgx: Hardware-Accelerated Parallel
Game Simulators for Reinforcement Learning", NeurIPS 2023.

Example:
    >>> from gdl.adapters import vector
    >>> env = vector.env("connectfour", 1024, seed=0)
    >>> env.observations.shape, env.masks.shape, env.movers[:3].tolist()
    ((1024, 5, 6, 7), (1024, 7), [0, 0, 0])
    >>> env.step(env.sample()).rewards.shape
    (1024, 2)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.adapters.arguments import MAX_PLIES
from gdl.adapters.packages import require

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from gdl.adapters.vector_env import VectorEnv
    from gdl.game import GameLike

__all__ = ["env"]


def env(  # noqa: PLR0913  # each is said by name
    game: GameLike,
    size: int,
    *,
    seed: ArrayLike = 0,
    max_plies: int = MAX_PLIES,
    dtype: str = "int8",
    turned: bool = False,
    contiguous: bool = False,
    final: bool = False,
) -> VectorEnv:
    """Return B games side by side.

    Args:
        game: A ruleset id, a rule file or a game.
        size: B.
        seed: Of what chance does, and of `VectorEnv.sample`: one number, or one for each row,
            ``int[B]``.
        max_plies: Joint moves after which an episode is truncated.
        dtype: The type of observations, ``int8`` or ``float32``.
        turned: Whether who is asked sees itself as the first player.
        contiguous: Whether observations and masks lie in memory row by row.
        final: Whether a step also tells what was seen where an episode ended.

    Raises:
        MissingPackageError: Packages for machine code are missing; says which extra brings them.
        NoNativeError: The game does not run as machine code; says why.
        UnplayableError: The game ends before anybody is asked for a move.
        GdlError: Names of roles do not tell how to turn the board; another type, seed or size.
    """
    require("vector environments", "numpy", "llvmlite", "clingo", extra="native")
    from gdl.adapters.markov_game import markov_game
    from gdl.adapters.seen import View
    from gdl.adapters.vector_env import VectorEnv

    view = View(dtype, turned=turned, contiguous=contiguous, final=final)
    return VectorEnv(markov_game(game, max_plies=max_plies), size, seed=seed, view=view)
