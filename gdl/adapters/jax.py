"""Any game that takes turns as pure functions of JAX arrays: jit, scan, mctx.

In: a ruleset id, a rule file or a game. Out: a `JaxEnv`: `init` and `step` on arrays with any
leading axes, one game a place. A small circuit is evaluated by JAX itself, 32 games in a word; the
others are stepped by machine code, which JAX calls back (``jax.pure_callback``).

Source: the form of a state after Koyamada et al., "Pgx: Hardware-Accelerated Parallel Game
Simulators for Reinforcement Learning", NeurIPS 2023.

Example:
    >>> import numpy
    >>> from gdl.adapters import jax
    >>> env = jax.env("connectfour")
    >>> state = env.step(env.init((1024,)), numpy.zeros(1024, int))
    >>> state.legal.shape, state.rewards.shape
    ((1024, 7), (1024, 2))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.adapters.packages import require

if TYPE_CHECKING:
    from gdl.adapters.jax_env import JaxEnv
    from gdl.game import GameLike

__all__ = ["env"]


def env(game: GameLike, *, by: str = "auto") -> JaxEnv:
    """Return a game as functions of JAX arrays.

    Args:
        game: A ruleset id, a rule file or a game.
        by: ``gates`` for JAX itself, ``callback`` for machine code that it calls back; ``auto``
            takes the first where the circuit has at most `gdl.adapters.jax_env.MOST_GATES`.

    Raises:
        MissingPackageError: JAX is not installed, or packages for machine code.
        NoNativeError: The game does not run as machine code; says why.
        GdlError: Its rules do not show that roles take turns, nature draws, or it hides facts.
        ValueError: There is no such way.
    """
    require("environments in JAX", "jax", extra="jax")
    require("environments in JAX", "numpy", "llvmlite", "clingo", extra="native")
    from gdl.adapters.jax_env import JaxEnv
    from gdl.adapters.markov_game import markov_game

    return JaxEnv(markov_game(game), by)
