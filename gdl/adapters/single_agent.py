"""One seat of a game as a Gymnasium environment: one learner, fixed opponents.

In: a `Course`, a role, and who plays the others. Out: a `SeatEnv`.

Source: Towers et al., "Gymnasium: A Standard Interface for Reinforcement Learning
Environments", 2024.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import TYPE_CHECKING, Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray

from gdl.adapters.environment import (
    RENDER_FPS,
    RENDER_MODES,
    TREATMENTS,
    Observation,
    action_space,
    check_choice,
    check_render_mode,
    observation,
    observation_space,
    render,
)
from gdl.adapters.markov_game import Course, Standing
from gdl.machine import IllegalMoveError
from gdl.play import Budget, Player, choose, make
from gdl.state import State

if TYPE_CHECKING:
    from gdl.adapters.gymnasium import Opponent

SEEDS: Final = 1 << 31


class SeatEnv(gymnasium.Env[Observation, Any]):
    """One learner against fixed opponents.

    Attributes:
        course: The game as learners go through it.
        role: The learner's role.
        position: The state of the game.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium wants it on the class
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }
    position: State

    def __init__(  # noqa: PLR0913  # each keyword is one knob of the environment
        self,
        course: Course,
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
        self.course = course
        self.role = course.names[0] if role is None else role
        self._seat = course.player(self.role)
        self._specs = _specs(course, self._seat, opponents)
        self._players: dict[int, Player] = _seated(course, self._specs, 0)
        self._simulations = simulations
        self._is_strict = on_illegal == "raise"
        self.render_mode = render_mode
        self.observation_space = observation_space(course)
        self.action_space = action_space(course)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode, and play up to the learner's first move."""
        super().reset(seed=seed, options=options)
        self._players = _seated(self.course, self._specs, int(self.np_random.integers(SEEDS)))
        self.position = self._answered(self.course.start(self.np_random))
        self._show()
        return self._observation(), self._told()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:  # noqa: ANN401  # a number of any kind
        """Make the learner's move, and play up to its next one.

        Raises:
            IllegalMoveError: The move is not legal, and the environment was told to raise it.
        """
        number = index(action)
        try:
            if self.course.standing(self.position) is Standing.GOING:
                self.course.check(self.position, self._seat, number)
        except IllegalMoveError as error:
            if self._is_strict:
                raise
            told = {"end": "illegal", "illegal": str(error)}
            return self._observation(), self.course.worst, True, False, told
        if self.course.standing(self.position) is Standing.GOING:
            self.position = self._answered(self._after({self._seat: number}))
        self._show()
        standing = self.course.standing(self.position)
        is_over = standing is Standing.OVER
        is_cut = standing in (Standing.STUCK, Standing.CUT)
        reward = 0.0
        if is_over or is_cut:
            reward = self.course.rewards(self.position)[self._seat]
        return self._observation(), reward, is_over, is_cut, self._told()

    def render(self) -> Any:  # noqa: ANN401  # text, an image or nothing
        """Return the position as the render mode wants it, None without one."""
        return None if self.render_mode is None else render(self.position, self.render_mode)

    def close(self) -> None:
        """Do nothing: nothing is held."""

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal moves as ``bool[moves]``, as MaskablePPO asks for it."""
        return self._observation()["action_mask"].astype(np.bool_)  # type: ignore[no-any-return]

    def _after(self, chosen: dict[int, int]) -> State:
        """Return the state after a joint move in which the opponents choose too."""
        state = self.position
        numbers = dict(chosen)
        for player in self.course.asked(state):
            if player not in numbers:
                numbers[player] = self._choice(state, player)
        return self.course.after(state, numbers, self.np_random)

    def _answered(self, state: State) -> State:
        """Return the next state in which the learner is asked, or the last one."""
        while self.course.standing(state) is Standing.GOING:
            asked = self.course.asked(state)
            if self._seat in asked:
                break
            numbers = {player: self._choice(state, player) for player in asked}
            state = self.course.after(state, numbers, self.np_random)
        return state

    def _choice(self, state: State, player: int) -> int:
        budget = Budget(simulations=self._simulations)
        role = self.course.names[player]
        move = choose(self._players[player], state, budget, role=role)
        return self.course.table.numbers[move]

    def _observation(self) -> Observation:
        is_asked = self._seat in self.course.asked(self.position) and (
            self.course.standing(self.position) is Standing.GOING
        )
        return observation(self.course, self.position, self._seat, is_asked=is_asked)

    def _told(self) -> dict[str, Any]:
        standing = self.course.standing(self.position)
        if standing is Standing.GOING:
            return {}
        return {"goal": self.course.goal(self.position, self._seat), "end": standing.value}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def _specs(
    course: Course, seat: int, opponents: Opponent | Mapping[str, Opponent]
) -> dict[int, Opponent]:
    """Return who plays each other role.

    Raises:
        UnknownRoleError: An opponent for a role that is not there.
        ValueError: A role has no opponent, or the learner's own has one.
    """
    others = [p for p in range(len(course.players)) if p != seat]
    if not isinstance(opponents, Mapping):
        return dict.fromkeys(others, opponents)
    named = {course.player(role): opponent for role, opponent in opponents.items()}
    if set(named) != set(others):
        wanted = " and ".join(course.names[p] for p in others) or "nobody"
        given = " and ".join(opponents) or "nobody"
        raise ValueError(f"opponents must name {wanted}, not {given}")
    return named


def _seated(course: Course, specs: Mapping[int, Opponent], seed: int) -> dict[int, Player]:
    """Return a player for each other role; those that are named are made anew."""
    roles = course.table.roles
    return {
        p: make(spec, role=roles[course.players[p]], seed=seed + p)
        if isinstance(spec, str)
        else spec
        for p, spec in specs.items()
    }
