"""One seat of a game as a Gymnasium environment: one learner, fixed opponents.

In: a `MarkovGame`, a role, and who plays the others. Out: a `SingleAgentEnv`.

Source: Towers et al., "Gymnasium: A Standard Interface for Reinforcement Learning
Environments", 2024.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from gdl.adapters.arguments import Opponent
from gdl.adapters.environment import (
    METADATA,
    TREATMENTS,
    Observation,
    Rendered,
    action_space,
    check_choice,
    check_render_mode,
    observation,
    observation_space,
)
from gdl.adapters.markov_game import MarkovGame, Status
from gdl.machine import IllegalMoveError
from gdl.play import Budget, Player, choose, make
from gdl.state import State

SEEDS: Final = 1 << 31


class SingleAgentEnv(Rendered, gymnasium.Env[Observation, Any]):
    """One learner against fixed opponents.

    Attributes:
        role: The learner's role.
    """

    metadata = {**METADATA}  # noqa: RUF012  # Gymnasium wants it on the class

    def __init__(  # noqa: PLR0913  # each keyword is one knob of the environment
        self,
        markov_game: MarkovGame,
        *,
        role: str | None,
        opponents: Opponent | Mapping[str, Opponent],
        simulations: int,
        render_mode: str | None,
        on_illegal: str,
    ) -> None:
        """Prepare; `reset` begins the first episode."""
        check_render_mode(render_mode)
        check_choice("on_illegal", on_illegal, TREATMENTS)
        self.markov_game = markov_game
        self.role = markov_game.names[0] if role is None else role
        self._seat = markov_game.player(self.role)
        self._specs = _specs(markov_game, self._seat, opponents)
        self._players: dict[int, Player] = _seated(markov_game, self._specs, 0)
        self._simulations = simulations
        self._is_strict = on_illegal == "raise"
        self.render_mode = render_mode
        self.observation_space = observation_space(markov_game)
        self.action_space = action_space(markov_game)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode, and play up to the learner's first move."""
        super().reset(seed=seed, options=options)
        self._players = _seated(self.markov_game, self._specs, int(self.np_random.integers(SEEDS)))
        self.position = self._answered(self.markov_game.start(self.np_random))
        self._show()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:  # noqa: ANN401  # a number of any kind
        """Make the learner's move, and play up to its next one.

        Raises:
            IllegalMoveError: The move is not legal, and the environment was told to raise it.
        """
        number = index(action)
        try:
            if self.markov_game.status(self.position) is Status.GOING:
                self.markov_game.check(self.position, self._seat, number)
        except IllegalMoveError as error:
            if self._is_strict:
                raise
            info = {"end": "illegal", "illegal": str(error)}
            return self._observation(), self.markov_game.worst, True, False, info
        if self.markov_game.status(self.position) is Status.GOING:
            self.position = self._answered(self._after({self._seat: number}))
        self._show()
        status = self.markov_game.status(self.position)
        is_over = status is Status.OVER
        is_cut = status in (Status.STUCK, Status.CUT)
        reward = 0.0
        if is_over or is_cut:
            reward = self.markov_game.rewards(self.position)[self._seat]
        return self._observation(), reward, is_over, is_cut, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal moves as ``bool[moves]``, as MaskablePPO asks for it."""
        return self._observation()["action_mask"].astype(np.bool_)  # type: ignore[no-any-return]

    def _after(self, chosen: dict[int, int]) -> State:
        """Return the state after a joint move in which the opponents choose too."""
        state = self.position
        numbers = dict(chosen)
        for player in self.markov_game.asked(state):
            if player not in numbers:
                numbers[player] = self._choice(state, player)
        return self.markov_game.after(state, numbers, self.np_random)

    def _answered(self, state: State) -> State:
        """Return the next state in which the learner is asked, or the last one."""
        while self.markov_game.status(state) is Status.GOING:
            asked = self.markov_game.asked(state)
            if self._seat in asked:
                break
            numbers = {player: self._choice(state, player) for player in asked}
            state = self.markov_game.after(state, numbers, self.np_random)
        return state

    def _choice(self, state: State, player: int) -> int:
        budget = Budget(simulations=self._simulations)
        role = self.markov_game.names[player]
        move = choose(self._players[player], state, budget, role=role)
        return self.markov_game.table.numbers[move]

    def _observation(self) -> Observation:
        is_asked = self._seat in self.markov_game.asked(self.position) and (
            self.markov_game.status(self.position) is Status.GOING
        )
        return observation(self.markov_game, self.position, self._seat, is_asked=is_asked)

    def _info(self) -> dict[str, Any]:
        status = self.markov_game.status(self.position)
        if status is Status.GOING:
            return {}
        return {"goal": self.markov_game.goal(self.position, self._seat), "end": status.value}


def _specs(
    markov_game: MarkovGame, seat: int, opponents: Opponent | Mapping[str, Opponent]
) -> dict[int, Opponent]:
    """Return who plays each other role.

    Raises:
        UnknownRoleError: An opponent for a role that is not there.
        ValueError: A role has no opponent, or the learner's own has one.
    """
    others = [p for p in range(len(markov_game.players)) if p != seat]
    if not isinstance(opponents, Mapping):
        return dict.fromkeys(others, opponents)
    named = {markov_game.player(role): opponent for role, opponent in opponents.items()}
    if set(named) != set(others):
        wanted = " and ".join(markov_game.names[p] for p in others) or "nobody"
        given = " and ".join(opponents) or "nobody"
        raise ValueError(f"opponents must name {wanted}, not {given}")
    return named


def _seated(markov_game: MarkovGame, specs: Mapping[int, Opponent], seed: int) -> dict[int, Player]:
    """Return a player for each other role; those that are named are made anew."""
    roles = markov_game.table.roles
    return {
        p: make(spec, role=roles[markov_game.players[p]], seed=seed + p)
        if isinstance(spec, str)
        else spec
        for p, spec in specs.items()
    }
