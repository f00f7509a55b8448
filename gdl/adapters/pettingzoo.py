"""Any game as a PettingZoo environment.

In: a ruleset id, a rule file or a game. Out: `env`, one agent after the other (AEC), or
`parallel_env`, all agents at once, for games of simultaneous moves. Agents are ``player_0``
and so on, in role order; ``env.unwrapped.roles`` names their roles.

Source: Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", NeurIPS 2021.

Example:
    >>> from gdl.adapters import pettingzoo
    >>> env = pettingzoo.env("pentago/classic", render_mode="ansi")
    >>> env.reset(seed=0)
    >>> env.agent_selection, env.action_space("player_0").n.item()
    ('player_0', 324)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.adapters.arguments import MAX_PLIES
from gdl.adapters.packages import require

if TYPE_CHECKING:
    from gdl.adapters.aec import TurnEnv
    from gdl.adapters.guarded import GuardedEnv
    from gdl.adapters.parallel import JointEnv
    from gdl.game import GameLike

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(
    game: GameLike, *, render_mode: str | None = None, max_plies: int = MAX_PLIES
) -> TurnEnv:
    """Return the environment without wrappers: it raises an error at an illegal move.

    Args:
        game: A ruleset id, a rule file or a game.
        render_mode: ``ansi`` for text, ``rgb_array`` for an image, ``human`` to write the board
            to standard output after each move.
        max_plies: Joint moves after which an episode is truncated.

    Raises:
        MissingPackageError: PettingZoo is not installed; says which extra brings it.
        UnlistedError: The moves or facts of the game cannot be listed before it is played.
        ValueError: No such render mode, or a limit below 1.
    """
    require("PettingZoo environments", "pettingzoo", "gymnasium", "numpy", extra="adapters")
    from gdl.adapters.aec import TurnEnv
    from gdl.adapters.markov_game import markov_game

    return TurnEnv(markov_game(game, max_plies=max_plies), render_mode=render_mode)


def env(
    game: GameLike, *, render_mode: str | None = None, max_plies: int = MAX_PLIES
) -> GuardedEnv:
    """Return the environment as PettingZoo wraps its own: who makes an illegal move loses.

    See `raw_env`. What its three usual wrappers do is done in one class, some times as fast.
    """
    require("PettingZoo environments", "pettingzoo", "gymnasium", "numpy", extra="adapters")
    from gdl.adapters.guarded import GuardedEnv
    from gdl.adapters.markov_game import markov_game

    return GuardedEnv(markov_game(game, max_plies=max_plies), render_mode=render_mode)


def parallel_env(
    game: GameLike,
    *,
    render_mode: str | None = None,
    max_plies: int = MAX_PLIES,
    on_illegal: str = "lose",
) -> JointEnv:
    """Return the environment in which all agents act at once.

    An agent that is not asked has a mask of zeros, and whatever it does counts for nothing.

    Args:
        game: A ruleset id, a rule file or a game.
        render_mode: See `raw_env`.
        max_plies: Joint moves after which an episode is truncated.
        on_illegal: ``lose`` ends the episode with the lowest reward for who made an illegal
            move and 0 for the others; ``raise`` raises the error.

    Raises:
        MissingPackageError: PettingZoo is not installed; says which extra brings it.
        UnlistedError: The moves or facts of the game cannot be listed before it is played.
        ValueError: No such render mode or treatment, or a limit below 1.
    """
    require("PettingZoo environments", "pettingzoo", "gymnasium", "numpy", extra="adapters")
    from gdl.adapters.markov_game import markov_game
    from gdl.adapters.parallel import JointEnv

    played = markov_game(game, max_plies=max_plies)
    return JointEnv(played, render_mode=render_mode, on_illegal=on_illegal)
