"""Any game as a Gymnasium environment: alone, or against fixed opponents, or many games at once.

In: a ruleset id, a rule file or a game. Out: `env`, `vector_env`, or an id for ``gymnasium.make``
and ``make_vec`` by `register`. One learner plays one role; players of `gdl.play` play the others.

Source: Towers et al., "Gymnasium: A Standard Interface for Reinforcement Learning
Environments", 2024.

Example:
    >>> from gdl.adapters import gymnasium
    >>> env = gymnasium.env("connectfour", role="yellow", opponents="greedy")
    >>> observation, info = env.reset(seed=0)
    >>> observation["observation"].shape, observation["action_mask"].tolist()
    ((5, 6, 7), [1, 1, 1, 1, 1, 1, 1])
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gdl.adapters.arguments import MAX_PLIES, Opponent
from gdl.adapters.packages import require

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from gdl.adapters.single_agent import SingleAgentEnv
    from gdl.adapters.vector_seat import Policy, VectorSeatEnv
    from gdl.game import GameLike

__all__ = ["env", "register", "vector_env"]

SIMULATIONS: Final = 100
"""Simulations that a searching opponent may make for one move."""
_ODD: Final = re.compile(r"[^\w.-]", re.ASCII)


def env(  # noqa: PLR0913  # each keyword is one knob of the environment
    game: GameLike,
    *,
    role: str | None = None,
    opponents: Opponent | Mapping[str, Opponent] = "random",
    simulations: int = SIMULATIONS,
    render_mode: str | None = None,
    max_plies: int = MAX_PLIES,
    on_illegal: str = "lose",
) -> SingleAgentEnv:
    """Return an environment in which one learner plays one role.

    Args:
        game: A ruleset id, a rule file or a game.
        role: The learner's role, by default the first.
        opponents: Who plays the other roles: one player for all, or one a role.
        simulations: How long searching opponents think; counted, not timed, so that an episode
            can be repeated.
        render_mode: ``ansi`` for text, ``rgb_array`` for an image, ``human`` to write the board
            to standard output after each move.
        max_plies: Joint moves after which an episode is truncated.
        on_illegal: ``lose`` ends the episode with the lowest reward; ``raise`` raises the error.

    Raises:
        MissingPackageError: Gymnasium is not installed; says which extra brings it.
        UnknownRoleError: No such role.
        UnknownPlayerError: No such opponent.
        UnlistedError: The moves or facts of the game cannot be listed before it is played.
        ValueError: No such render mode or treatment, or a limit below 1.
    """
    require("Gymnasium environments", "gymnasium", "numpy", extra="adapters")
    from gdl.adapters.markov_game import markov_game
    from gdl.adapters.single_agent import SingleAgentEnv

    return SingleAgentEnv(
        markov_game(game, max_plies=max_plies),
        role=role,
        opponents=opponents,
        simulations=simulations,
        render_mode=render_mode,
        on_illegal=on_illegal,
    )


def vector_env(  # noqa: PLR0913  # each keyword is one knob of the environment
    game: GameLike,
    num_envs: int,
    *,
    role: str | None = None,
    opponents: Opponent | Mapping[str, Opponent] = "random",
    policy: Policy | None = None,
    simulations: int = SIMULATIONS,
    render_mode: str | None = None,
    max_plies: int = MAX_PLIES,
    on_illegal: str = "lose",
    autoreset_mode: str | AutoresetMode = "NEXT_STEP",
) -> VectorSeatEnv:
    """Return many games at once in which one learner plays one role, in machine code.

    It is to `env` as Gymnasium's ``SyncVectorEnv`` of so many; ``random`` opponents play in the
    lanes, named ones move game by game, one player of each for all games.

    Args:
        game: A ruleset id, a rule file or a game.
        num_envs: How many games.
        role: See `env`; so are ``opponents``, ``simulations``, ``max_plies``, ``on_illegal``.
        opponents: See there.
        policy: Plays all other roles in the place of opponents, in arrays: it takes what is seen,
            ``int8[n, *shape]``, and masks, ``bool[n, moves]``, and returns moves, ``int[n]``.
        simulations: See `env`.
        render_mode: ``ansi`` or ``rgb_array``, a text or an image for each game.
        max_plies: See `env`.
        on_illegal: See `env`.
        autoreset_mode: ``NEXT_STEP``, ``SAME_STEP`` or ``DISABLED``, or Gymnasium's of that name.

    Raises:
        MissingPackageError: Gymnasium is not installed, or packages for machine code.
        NoNativeError: The game does not run as machine code; says why.
        GdlError: It hides facts from its players; or as in `env`.
        ValueError: There is no such mode.
    """
    require("Gymnasium environments", "gymnasium", "numpy", extra="adapters")
    require("vector environments", "numpy", "llvmlite", "clingo", extra="native")
    from gdl.adapters.markov_game import markov_game
    from gdl.adapters.vector_seat import VectorSeatEnv

    return VectorSeatEnv(
        markov_game(game, max_plies=max_plies),
        num_envs,
        role=role,
        opponents=opponents,
        policy=policy,
        simulations=simulations,
        render_mode=render_mode,
        on_illegal=on_illegal,
        autoreset_mode=autoreset_mode,
    )


def register(game: GameLike, *, name: str | None = None) -> str:
    """Make a game known to ``gymnasium.make`` and ``make_vec``.

    They take the keywords of `env` and of `vector_env`.

    Args:
        game: A ruleset id, a rule file or a game.
        name: What Gymnasium is to call it, by default the id of the ruleset with ``-`` for
            ``/``, or the stem of the rule file; ``gdl/`` is put before it.

    Returns:
        The id, for instance ``gdl/pentago-classic``. Registering again replaces.
    """
    require("Gymnasium environments", "gymnasium", "numpy", extra="adapters")
    import gymnasium
    from gymnasium.envs.registration import registry

    from gdl.game import ruleset_of

    ruleset = ruleset_of(game)
    plain = ruleset.id if ruleset.manifest is not None else Path(ruleset.id).stem
    chosen = f"gdl/{_ODD.sub('-', name or plain)}"
    registry.pop(chosen, None)
    gymnasium.register(
        id=chosen,
        entry_point=partial(env, game),
        vector_entry_point=partial(vector_env, game),
        order_enforce=True,
    )
    return chosen
