"""A game as a PettingZoo AEC environment: agents act one after the other.

In: a `MarkovGame`. Out: a `TurnEnv`. Where several players choose at once, they are asked in role
order and see nothing of each other's choice.

Source: Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", NeurIPS 2021.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from gdl.adapters.arguments import move_number
from gdl.adapters.environment import METADATA, Observation, Seated
from gdl.adapters.markov_game import MarkovGame, Status, worth


class TurnEnv(Seated, AECEnv[str, Observation, int | None]):  # type: ignore[misc]  # PettingZoo ships no types
    """One agent after the other."""

    metadata = {**METADATA, "is_parallelizable": False}  # noqa: RUF012  # PettingZoo wants it on the class

    def __init__(self, markov_game: MarkovGame, *, render_mode: str | None = None) -> None:
        """Prepare; `reset` begins the first episode."""
        super().__init__(markov_game, render_mode)
        self._numbers = {agent: p for p, agent in enumerate(self.possible_agents)}
        self._asked: tuple[int, ...] = ()
        self._chosen: dict[int, int] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; a seed makes what chance does in it, and in later ones, repeatable."""
        del options
        self._start(seed)
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
        return self._observed(self._numbers[agent], is_asked=is_asked)

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
        number = -1 if action is None else move_number(action)
        self._walk.check(self._now, player, number)
        self._chosen[player] = number
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if len(self._chosen) < len(self._asked):
            self._select()
            return
        self._now = self._walk.after(self._now, self._chosen, self._rng)
        if self._now.status is Status.GOING:
            self._ask()
        else:
            self._end(self._now.status)
        self._show()

    def _is_done(self, agent: str) -> bool:
        return self.terminations[agent] or self.truncations[agent]

    def _ask(self) -> None:
        self._asked = self._now.asked
        self._chosen = {}
        self._select()

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[self._asked[len(self._chosen)]]

    def _end(self, status: Status) -> None:
        goals = self._walk.goals(self._now)
        rewards = worth(status, goals)
        for player, agent in enumerate(self.possible_agents):
            self.rewards[agent] = rewards[player]
            self.infos[agent] = {"goal": goals[player], "end": status.value}
            self.terminations[agent] = status is Status.OVER
            self.truncations[agent] = status is not Status.OVER
        self._accumulate_rewards()
