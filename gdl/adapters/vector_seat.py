"""One seat of many games at once as a vector environment of Gymnasium.

In: a `MarkovGame`, a number B, a role, and who plays the others. Out: a `VectorSeatEnv`, which does
what B environments of `gdl.adapters.single_agent` do side by side, over the lanes of
`gdl.adapters.vector_env`. An episode begins where the learner is first asked; one that ends before
is begun anew.

Games that are over begin anew in the lanes at once, whatever the autoreset mode; the mode says when
that is shown. What is shown of a row that is over is kept until then.

Source: Towers et al., "Gymnasium: A Standard Interface for Reinforcement Learning
Environments", 2024; its conventions of automatic reset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from gdl.adapters.arguments import Opponent
from gdl.adapters.environment import (
    METADATA,
    TREATMENTS,
    Observation,
    action_space,
    check_choice,
    check_render_mode,
    observation_space,
    render,
)
from gdl.adapters.markov_game import MarkovGame, UnplayableError
from gdl.adapters.seen import View
from gdl.adapters.single_agent import SEEDS, NotBegunError, UniformPlayer, seated, specs
from gdl.adapters.vector_env import VectorEnv
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require_whole
from gdl.native.kernel.batch import array_of, place_note
from gdl.play import Budget, choose

Bools: TypeAlias = NDArray[np.bool_]
Policy: TypeAlias = Callable[[NDArray[np.int8], Bools], ArrayLike]
"""Chooses moves, ``int[n]``, by what is seen, ``int8[n, *shape]``, and ``bool[n, moves]`` masks."""
NEVER: Final = 100
"""Episodes in a row in which the learner was not asked; then it is taken that it never is."""
NOT_BEGUN: Final = "reset() begins the first episodes; it comes before all else"
MASK: Final = "reset_mask"
"""Gymnasium's name for the rows that `reset` begins anew."""


class VectorSeatEnv(gymnasium.vector.VectorEnv[Observation, Any, Any]):
    """One learner in each of B games against fixed opponents.

    Attributes:
        markov_game: The game as learners take it, a Markov game.
        role: The learner's role.
        num_envs: B.
    """

    def __init__(  # noqa: PLR0913  # each keyword is one knob of the environment
        self,
        markov_game: MarkovGame,
        num_envs: int,
        *,
        role: str | None,
        opponents: Opponent | Mapping[str, Opponent],
        policy: Policy | None,
        simulations: int,
        render_mode: str | None,
        on_illegal: str,
        autoreset_mode: str | AutoresetMode,
    ) -> None:
        """Prepare; `reset` begins the first episodes."""
        check_render_mode(render_mode)
        check_choice("on_illegal", on_illegal, TREATMENTS)
        self._mode = _mode(autoreset_mode)
        self.metadata = {**METADATA, "autoreset_mode": self._mode}
        self.markov_game, self.render_mode = markov_game, render_mode
        self.role = markov_game.names[0] if role is None else role
        self._seat = markov_game.player(self.role)
        self._specs = specs(markov_game, self._seat, opponents)
        self._policy = policy
        self._simulations = require_whole("simulations", simulations, 1)
        self._is_strict = on_illegal == "raise"
        self._env = VectorEnv(markov_game, num_envs, view=View(final=True))
        self.num_envs = self._env.size
        self.single_observation_space = observation_space(markov_game)
        self.single_action_space = action_space(markov_game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._over: Bools | None = None
        self._final = np.zeros((self.num_envs, *markov_game.planes.shape), np.int8)

    def reset(
        self, *, seed: ArrayLike | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin episodes in all games, or in those of ``options={"reset_mask": bool[B]}``.

        Args:
            seed: Of all chance: a number, of which the next game takes the next; or one for each
                game, ``int[B]``.
            options: See above.

        Raises:
            GdlError: Seeds or mask have another shape or type.
            UnplayableError: The learner is never asked.
        """
        many = self.num_envs
        rows = self._masked(options or {})
        super().reset(
            seed=None if seed is None or np.ndim(seed) else require_whole("seed", seed, 0)
        )
        seeds: NDArray[Any] = self.np_random.integers(1 << 62, size=many)
        if seed is not None:
            given: NDArray[Any] = np.asarray(seed)
            seeds = given if given.ndim else given + np.arange(many)
        if seeds.shape != (many,):
            raise GdlError(
                f"seed has the shape {seeds.shape}", expected=f"a number, or int[{many}]"
            )
        if rows.all():
            self._players = seated(self.markov_game, self._specs, int(seeds[0]) % SEEDS)
        self._env.reset(rows, seed=seeds[rows])
        told = _Told(many, self.markov_game.planes.shape)
        told.ended[:] = True  # nothing is told of what ends before the learner is asked
        self._go_on(rows, told)
        over = rows if self._over is None else self._over
        self._final = self._final[~rows[over]]
        self._over = over & ~rows
        return self._look(), {}

    def _masked(self, options: Mapping[str, Any]) -> Bools:
        """Return which games `reset` begins anew.

        Raises:
            GdlError: The mask is none.
            NotBegunError: Nothing has begun yet that it could leave.
        """
        if MASK not in options:
            return np.ones(self.num_envs, np.bool_)
        rows = np.asarray(options[MASK])
        if rows.shape != (self.num_envs,) or rows.dtype != np.bool_ or not rows.any():
            raise GdlError(
                f"{MASK} has the shape {rows.shape} and the type {rows.dtype}",
                expected=f"bool[{self.num_envs}], one of them true at least",
            )
        if self._over is None:
            raise NotBegunError(NOT_BEGUN)
        return rows

    def step(self, actions: Any) -> tuple[Observation, Any, Any, Any, dict[str, Any]]:  # noqa: ANN401  # of any library
        """Make the learner's move in every game, and play up to its next one.

        Args:
            actions: Numbers of moves, ``int[B]``. In games that only begin anew they count for
                nothing.

        Returns:
            What is seen, rewards ``float64[B]``, which games are over, which were cut off, and in
            ``end`` how, as the environment of one game says it.

        Raises:
            IllegalMoveError: A move is not legal, and the environment was told to raise it; nothing
                was changed.
            GdlError: They have another shape or type; or a game is over and the mode is DISABLED.
            NotBegunError: There was no `reset`.
        """
        if self._over is None:
            raise NotBegunError(NOT_BEGUN)
        if self._mode is AutoresetMode.DISABLED and self._over.any():
            raise GdlError(
                f"the game of row {self._over.argmax()} is over",
                help=f'begin it anew: reset(options={{"{MASK}": terminations | truncations}})',
            )
        given, going = self._numbers(actions), ~self._over
        named = (given >= 0) & (given < self._legal.shape[1])
        lost = going & ~(named & self._legal[np.arange(self.num_envs), np.where(named, given, 0)])
        told = _Told(self.num_envs, self.markov_game.planes.shape)
        if lost.any():
            if self._is_strict:
                self._refuse(int(lost.argmax()), given)
            told.note(lost, self._env.observations[lost], self.markov_game.worst, "illegal")
            self._env.reset(lost)
        if (live := going & ~lost).any():
            self._make_moves(live, given, told)
        self._go_on(going, told)
        return self._result(told)

    def _numbers(self, actions: Any) -> NDArray[np.int64]:  # noqa: ANN401  # of any library
        given = array_of(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise GdlError(
                f"actions have the shape {given.shape} and the type {given.dtype}",
                expected=f"the number of a move for each game, int[{self.num_envs}]",
            )
        return given.astype(np.int64)

    def _refuse(self, row: int, given: NDArray[np.int64]) -> None:
        """Refuse the number of a move that is not legal.

        Raises:
            IllegalMoveError: Always.
        """
        try:
            self.markov_game.check(self._env.states([row])[0], self._seat, int(given[row]))
        except GdlError as error:
            error.add_note(place_note(row, int(given[row])))
            raise
        raise AssertionError

    def _go_on(self, rows: Bools, told: _Told) -> None:
        """Play in some games until the learner is asked.

        Raises:
            UnplayableError: It never is.
        """
        while (waiting := rows & ~self._env.asked[:, self._seat]).any():
            self._make_moves(waiting, None, told)
            if told.unasked.max() >= NEVER:
                raise UnplayableError(
                    f"{self.role} was not asked for a move in {NEVER} episodes of "
                    f"{self.markov_game.game.id}",
                    expected="a role that has a choice",
                )
        self._legal = self._env.masks_of(self._seat)

    def _make_moves(self, rows: Bools, given: NDArray[np.int64] | None, told: _Told) -> None:
        """Make a joint move in some games and note what ends."""
        result = self._env.step(self._chosen(rows, given), rows=None if rows.all() else rows)
        ended = result.ended
        if not ended.any():
            return
        assert result.final_observations is not None
        fresh = ended & ~told.ended
        ends = np.where(result.terminated, "over", "stuck")
        ends[result.truncated & (result.lengths >= self.markov_game.max_plies)] = "cut"
        told.unasked += ended & ~fresh
        told.note(
            fresh,
            result.final_observations[fresh[ended]],
            result.rewards[fresh, self._seat],
            ends[fresh],
        )

    def _chosen(self, rows: Bools, given: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Return moves as `VectorEnv.step` takes them: the learner's, and those of its opponents.

        Args:
            rows: Which games go on; what is chosen in others counts for nothing.
            given: The learner's moves; None where it is not asked.
        """
        chosen = self._env.sample(rows)
        asked = self._env.asked
        for player in range(len(self.markov_game.players)):
            own = chosen if chosen.ndim == 1 else chosen[:, player]
            places = rows & asked[:, player]
            if player == self._seat:
                if given is not None:
                    own[places] = given[places]
            elif places.any():
                self._answer(player, places, own)
        return chosen

    def _answer(self, player: int, places: Bools, own: NDArray[np.int64]) -> None:
        """Write what an opponent chooses in some games; ``random`` has drawn already."""
        if self._policy is not None:
            masks = self._env.masks_of(player)[places]
            own[places] = array_of(self._policy(self._env.observations[places], masks))
            return
        opponent = self._players[player]
        if isinstance(opponent, UniformPlayer):
            return
        budget = Budget(simulations=self._simulations)
        role, numbers = self.markov_game.names[player], self.markov_game.table.numbers
        own[places] = [
            numbers[choose(opponent, state, budget, role=role)]
            for state in self._env.states(np.flatnonzero(places))
        ]

    def _look(self) -> Observation:
        """Return what is seen in all games."""
        assert self._over is not None
        observation, mask = self._env.observations, self._legal.astype(np.int8)
        if self._over.any():
            observation[self._over], mask[self._over] = self._final, 0
        return {"observation": observation, "action_mask": mask}

    def _result(self, told: _Told) -> tuple[Observation, Any, Any, Any, dict[str, Any]]:
        """Return what `step` returns, and keep what is shown of games that are over."""
        ended = told.ended
        is_same = self._mode is AutoresetMode.SAME_STEP
        self._over = np.zeros_like(ended) if is_same else ended
        self._final = told.seen[self._over]
        infos: dict[str, Any] = {}
        if ended.any():
            infos = {"end": told.ends, "_end": ended.copy()}
        if ended.any() and is_same:
            infos = {
                "final_obs": self._final_observations(told),
                "_final_obs": ended.copy(),
                "final_info": infos,
                "_final_info": ended.copy(),
            }
        truncated = (told.ends == "cut") | (told.ends == "stuck")
        return self._look(), told.rewards, ended & ~truncated, truncated, infos

    def _final_observations(self, told: _Told) -> NDArray[Any]:
        """Return for each game that has ended what was seen there, as Gymnasium's own do."""
        final = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(told.ended):
            mask = np.zeros(self._legal.shape[1], np.int8)
            final[row] = {"observation": told.seen[row].copy(), "action_mask": mask}
        return final

    def render(self) -> Any:  # noqa: ANN401  # texts, images or nothing
        """Return each position as the render mode wants it, None without one."""
        if self.render_mode is None:
            return None
        return tuple(render(state, self.render_mode) for state in self._env.states())


class _Told:
    """What is told of a step of B games.

    Attributes:
        ended: Which episodes ended, ``bool[B]``.
        rewards: What the learner got, ``float64[B]``.
        ends: How they ended, or None, ``object[B]``.
        seen: What was seen at the end, ``int8[B, *shape]``.
        unasked: Episodes that ended before the learner was asked, ``int64[B]``.
    """

    def __init__(self, size: int, shape: tuple[int, ...]) -> None:
        """Take it that nothing has ended."""
        self.ended = np.zeros(size, np.bool_)
        self.rewards = np.zeros(size)
        self.ends = np.full(size, None, object)
        self.seen = np.zeros((size, *shape), np.int8)
        self.unasked = np.zeros(size, np.int64)

    def note(self, rows: Bools, seen: NDArray[np.int8], reward: ArrayLike, end: ArrayLike) -> None:
        """Note that the episodes of some rows ended."""
        self.ended[rows] = True
        self.seen[rows], self.rewards[rows], self.ends[rows] = seen, reward, end


def _mode(given: str | AutoresetMode) -> AutoresetMode:
    """Return a mode of automatic reset, given as Gymnasium's or by its name.

    Raises:
        ValueError: There is no such mode.
    """
    if isinstance(given, AutoresetMode):
        return given
    names = tuple(mode.name for mode in AutoresetMode)
    check_choice("autoreset_mode", given, names)
    return AutoresetMode[given]
