"""Any game as a Gymnasium environment: alone, or against fixed opponents.

In: a ruleset id, a rule file or a game. Out: `env`, or an id for ``gymnasium.make`` by
`register`. One learner plays one role; players of `gdl.play` play the others.

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
    from gdl.adapters.single_agent import SingleAgentEnv
    from gdl.game import GameLike

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


def register(game: GameLike, *, name: str | None = None) -> str:
    """Make a game known to ``gymnasium.make``, which takes the keywords of `env`.

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
    gymnasium.register(id=chosen, entry_point=partial(env, game), order_enforce=True)
    return chosen
