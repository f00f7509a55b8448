"""An AEC environment that minds what is done to it, as PettingZoo's usual wrappers do.

In: a `MarkovGame`. Out: a `GuardedEnv`: whoever makes an illegal move loses, a number that is no
action is refused, and so is what comes before `reset` or in the wrong order. It says and does what
``OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(...)))`` does, in the same
words, and a test holds the two together; but the three look every attribute up through each other,
which takes several times as long as the game.

Source: Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", NeurIPS 2021, and
the documentation of its wrappers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NoReturn

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger

from gdl.adapters.aec import TurnEnv
from gdl.adapters.environment import Observation
from gdl.adapters.markov_game import MarkovGame
from gdl.machine import IllegalMoveError

PLAIN: Final = (int, np.int64)
"""Types of actions that need no space to be understood."""
LATER: Final = frozenset(
    {"agent_selection", "agents", "infos", "num_agents", "rewards", "terminations", "truncations"}
)
"""Attributes that are not there before the first `reset`."""


class GuardedEnv(TurnEnv):
    """One agent after the other; who makes an illegal move loses."""

    def __init__(self, markov_game: MarkovGame, *, render_mode: str | None = None) -> None:
        """Prepare; `reset` begins the first episode."""
        super().__init__(markov_game, render_mode=render_mode)
        self._has_begun = self._has_moved = False
        self._moves = len(markov_game.table)
        del self.agents

    def __getattr__(self, name: str) -> NoReturn:
        """Say of what comes with the first episode that it has not begun."""
        if name in LATER:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; a seed makes what chance does in it, and in later ones, repeatable."""
        self._has_begun = self._has_moved = True
        super().reset(seed, options)

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees; its mask is of zeros while another one is asked."""
        if not self._has_begun:
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def render(self) -> Any:  # noqa: ANN401  # text, an image or nothing
        """Return the position as the render mode wants it, None without one."""
        if not self._has_begun:
            EnvLogger.error_render_before_reset()
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Return the agents as they are asked; each must move before the next one is told."""
        if not self._has_begun:
            EnvLogger.error_agent_iter_before_reset()
        return self._turns(max_iter)

    def _turns(self, left: int) -> Iterator[str]:
        while self.agents and left > 0:
            left -= 1
            if not self._has_moved:
                raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
            self._has_moved = False
            yield self.agent_selection

    def step(self, action: int | None) -> None:
        """Take the move of the agent that is asked; an illegal one ends the episode.

        Raises:
            AssertionError: The action is none of the space's, or there was no `reset`.
            ValueError: A move of an agent whose episode is over.
        """
        if not self._has_begun:
            EnvLogger.error_step_before_reset()
        self._has_moved = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        is_plain = action.__class__ in PLAIN and 0 <= action < self._moves
        if not (
            is_plain
            or (action is None and self._is_done(agent))
            or self.action_spaces[agent].contains(action)
        ):
            raise AssertionError("action is not in action space")
        try:
            super().step(action)
        except IllegalMoveError:
            EnvLogger.warn_on_illegal_move()
            self._lose(agent)

    def _lose(self, agent: str) -> None:
        """End the episode for all: the worst reward for one, nothing for the others."""
        self._cumulative_rewards[agent] = 0.0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0) | {agent: self.markov_game.worst}
        self._accumulate_rewards()
        self._deads_step_first()
