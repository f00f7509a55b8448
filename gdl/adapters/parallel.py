"""A game as a PettingZoo parallel environment: all agents act at once.

In: a `MarkovGame`. Out: a `JointEnv`.

Source: Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", NeurIPS 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv

from gdl.adapters.arguments import move_number
from gdl.adapters.environment import TREATMENTS, Observation, Seated, check_choice
from gdl.adapters.markov_game import MarkovGame, Status, worth
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require
from gdl.machine import IllegalMoveError

Step = tuple[
    dict[str, Observation],
    dict[str, float],
    dict[str, bool],
    dict[str, bool],
    dict[str, dict[str, Any]],
]


class JointEnv(Seated, ParallelEnv[str, Observation, int | None]):  # type: ignore[misc]  # PettingZoo ships no types
    """All agents at once."""

    def __init__(
        self, markov_game: MarkovGame, *, render_mode: str | None = None, on_illegal: str = "lose"
    ) -> None:
        """Prepare; `reset` begins the first episode."""
        super().__init__(markov_game, render_mode)
        check_choice("on_illegal", on_illegal, TREATMENTS)
        self._is_strict = on_illegal == "raise"

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode; a seed makes what chance does in it, and in later ones, repeatable."""
        del options
        self._start(seed)
        self._show()
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int | None]) -> Step:
        """Make a joint move.

        Args:
            actions: A move of each agent that is asked; those of others count for nothing.

        Raises:
            GdlError: An agent that is asked has no move, or one that is no number.
            IllegalMoveError: A move is not legal, and the environment was told to raise it.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        require("actions", actions, (dict, Mapping), "a dictionary of agents and their moves")
        asked = self._now.asked
        chosen = {player: self._number(player, actions) for player in asked}
        for player, number in chosen.items():
            try:
                self._walk.check(self._now, player, number)
            except IllegalMoveError as error:
                if self._is_strict:
                    raise
                return self._lost(player, str(error))
        self._now = self._walk.after(self._now, chosen, self._rng)
        self._show()
        status = self._now.status
        if status is Status.GOING:
            return self._result([0.0] * len(self.agents), status, [{} for _ in self.agents])
        goals = self._walk.goals(self._now)
        infos: list[dict[str, Any]] = [{"goal": goal, "end": status.value} for goal in goals]
        return self._result(worth(status, goals), status, infos)

    def _number(self, player: int, actions: dict[str, int | None]) -> int:
        agent = self.possible_agents[player]
        action = actions.get(agent)
        if action is None:
            raise GdlError(
                f"{agent} ({self.roles[agent]}) is asked, and no move of it was given",
                expected="a number for each agent whose action mask is not all zeros",
            )
        return move_number(action)

    def _lost(self, loser: int, text: str) -> Step:
        rewards = [0.0] * len(self.agents)
        rewards[loser] = self.markov_game.worst
        infos: list[dict[str, Any]] = [{"end": "illegal"} for _ in self.agents]
        infos[loser]["illegal"] = text
        return self._result(rewards, Status.OVER, infos)

    def _result(self, rewards: list[float], status: Status, infos: list[dict[str, Any]]) -> Step:
        agents = self.agents
        is_over = status is Status.OVER
        is_cut = status in (Status.STUCK, Status.CUT)
        result = (
            self._observations(is_done=is_over or is_cut),
            dict(zip(agents, rewards, strict=True)),
            dict.fromkeys(agents, is_over),
            dict.fromkeys(agents, is_cut),
            dict(zip(agents, infos, strict=True)),
        )
        if is_over or is_cut:
            self.agents = []
        return result

    def _observations(self, *, is_done: bool = False) -> dict[str, Observation]:
        asked = () if is_done else self._now.asked
        return {
            agent: self._observed(p, is_asked=p in asked) for p, agent in enumerate(self.agents)
        }
