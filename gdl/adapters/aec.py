"""A game as a PettingZoo AEC environment: agents act one after the other.

In: a `MarkovGame`. Out: a `TurnEnv`. Where several players choose at once, they are asked in role
order and see nothing of each other's choice.

Source: Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", NeurIPS 2021.
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv

from gdl.adapters.environment import (
    RENDER_FPS,
    RENDER_MODES,
    Observation,
    action_space,
    check_render_mode,
    observation,
    observation_space,
    render,
)
from gdl.adapters.markov_game import MarkovGame, OldName, Status
from gdl.state import State


class TurnEnv(AECEnv[str, Observation, int | None]):  # type: ignore[misc]  # PettingZoo ships no types
    """One agent after the other.

    Attributes:
        markov_game: The game as learners take it, a Markov game.
        roles: The role of each agent.
        position: The state of the game.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo wants it on the class too
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }
    position: State
    course = OldName()

    def __init__(self, markov_game: MarkovGame, *, render_mode: str | None = None) -> None:
        """Prepare; `reset` begins the first episode."""
        super().__init__()
        check_render_mode(render_mode)
        self.markov_game = markov_game
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": markov_game.game.id}
        self.possible_agents = [f"player_{p}" for p in range(len(markov_game.players))]
        self.agents: list[str] = []
        self.roles = dict(zip(self.possible_agents, markov_game.names, strict=True))
        self._numbers = {agent: p for p, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {a: observation_space(markov_game) for a in self.possible_agents}
        self.action_spaces = {a: action_space(markov_game) for a in self.possible_agents}
        self._rng, _ = seeding.np_random()
        self._asked: tuple[int, ...] = ()
        self._chosen: dict[int, int] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent sees, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's moves, the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; a seed makes what chance does in it, and in later ones, repeatable."""
        del options
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        self.position = self.markov_game.start(self._rng)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._ask()
        self._show()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees; its mask is of zeros while another one is asked."""
        is_asked = agent == self.agent_selection and not self._is_done(agent)
        return observation(self.markov_game, self.position, self._numbers[agent], is_asked=is_asked)

    def step(self, action: int | None) -> None:
        """Take the move of the agent that is asked.

        Raises:
            IllegalMoveError: The move is not legal; nothing has changed then.
            ValueError: A move of an agent whose episode is over.
        """
        agent = self.agent_selection
        if self._is_done(agent):
            self._was_dead_step(action)
            return
        player = self._numbers[agent]
        number = -1 if action is None else index(action)
        self.markov_game.check(self.position, player, number)
        self._chosen[player] = number
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if len(self._chosen) < len(self._asked):
            self._select()
            return
        self.position = self.markov_game.after(self.position, self._chosen, self._rng)
        status = self.markov_game.status(self.position)
        if status is Status.GOING:
            self._ask()
        else:
            self._end(status)
        self._show()

    def render(self) -> NDArray[np.uint8] | str | None:
        """Return the position as the render mode wants it, None without one."""
        return None if self.render_mode is None else render(self.position, self.render_mode)

    def close(self) -> None:
        """Do nothing: nothing is held."""

    def _is_done(self, agent: str) -> bool:
        return self.terminations[agent] or self.truncations[agent]

    def _ask(self) -> None:
        self._asked = self.markov_game.asked(self.position)
        self._chosen = {}
        self._select()

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[self._asked[len(self._chosen)]]

    def _end(self, status: Status) -> None:
        rewards = self.markov_game.rewards(self.position)
        for player, agent in enumerate(self.possible_agents):
            goal = self.markov_game.goal(self.position, player)
            self.rewards[agent] = rewards[player]
            self.infos[agent] = {"goal": goal, "end": status.value}
            self.terminations[agent] = status is Status.OVER
            self.truncations[agent] = status is not Status.OVER
        self._accumulate_rewards()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
