"""One seat of a game as a Gymnasium environment: one learner, fixed opponents.

In: a `MarkovGame`, a role, and who plays the others. Out: a `SingleAgentEnv`.

Source: Towers et al., "Gymnasium: A Standard Interface for Reinforcement Learning
Environments", 2024.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, NoReturn

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from gdl.adapters.arguments import Opponent, move_number
from gdl.adapters.environment import (
    METADATA,
    TREATMENTS,
    Observation,
    Rendered,
    action_space,
    check_choice,
    check_render_mode,
    observation_space,
)
from gdl.adapters.markov_game import MarkovGame, Status
from gdl.adapters.walk import Look, walk
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import ArgumentTypeError, require_whole
from gdl.machine import IllegalMoveError
from gdl.play import Budget, Player, choose, make
from gdl.play.random_player import RANDOM_PLAYER, RandomPlayer

SEEDS: Final = 1 << 31


class NotBegunError(ResetNeeded, AttributeError):
    """There is no episode yet."""


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
        self._walk = walk(markov_game)
        self.role = markov_game.names[0] if role is None else role
        self._seat = markov_game.player(self.role)
        self._specs = specs(markov_game, self._seat, opponents)
        self._players: dict[int, Player] = seated(markov_game, self._specs, 0)
        self._simulations = require_whole("simulations", simulations, 1)
        self._is_strict = on_illegal == "raise"
        self.render_mode = render_mode
        self.observation_space = observation_space(markov_game)
        self.action_space = action_space(markov_game)
        self._lost: dict[str, Any] | None = None

    def __getattr__(self, name: str) -> NoReturn:
        """Say of the position that no episode has begun."""
        if name in {"_now", "position"}:  # an attribute that a property lacks is asked for here
            raise NotBegunError("reset() begins the first episode; it comes before all else")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Pickle or copy the state, and the opponents as they are in the middle of an episode.

        Raises:
            GdlError: An opponent holds what cannot be copied, machine code, say.
        """
        kept = super().__getstate__()
        kept["_players"] = {p: self._copied(p) for p in self._players} if "_state" in kept else {}
        return kept

    def _copied(self, player: int) -> Player:
        """Return an opponent; of one that was named, which nobody else has, a copy."""
        spec, opponent = self._specs[player], self._players[player]
        if not isinstance(spec, str):
            return opponent
        try:
            return deepcopy(opponent)
        except TypeError:
            raise GdlError(
                f"an environment cannot be copied or pickled while {spec} plays in it",
                help="copy it before reset(), or let random or greedy play",
            ) from None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode, and play up to the learner's first move."""
        super().reset(seed=seed, options=options)
        self._players = seated(self.markov_game, self._specs, int(self.np_random.integers(SEEDS)))
        self._now = self._answered(self._walk.start(self.np_random))
        self._lost = None
        self._show()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:  # noqa: ANN401  # a number of any kind
        """Make the learner's move, and play up to its next one; after the end nothing changes.

        Raises:
            IllegalMoveError: The move is not legal, and the environment was told to raise it.
            ArgumentTypeError: The action is no whole number.
            NotBegunError: There was no `reset`.
        """
        number = move_number(action)
        if self._now.status is Status.GOING and self._lost is None:
            try:
                self._walk.check(self._now, self._seat, number)
            except IllegalMoveError as error:
                if self._is_strict:
                    raise
                self._lost = {"end": "illegal", "illegal": str(error)}
            else:
                self._now = self._answered(self._after({self._seat: number}))
        if self._lost is not None:
            return self._observation(), self.markov_game.worst, True, False, {**self._lost}
        self._show()
        status = self._now.status
        if status is Status.GOING:
            return self._observation(), 0.0, False, False, {}
        reward = self._walk.rewards(self._now)[self._seat]
        is_over = status is Status.OVER
        return self._observation(), reward, is_over, not is_over, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal moves as ``bool[moves]``, as MaskablePPO asks for it."""
        return self._observation()["action_mask"].astype(np.bool_)  # type: ignore[no-any-return]

    def _after(self, chosen: dict[int, int]) -> Look:
        """Return the position after a joint move in which the opponents choose too."""
        for player in self._now.asked:
            if player not in chosen:
                chosen[player] = self._choice(self._now, player)
        return self._walk.after(self._now, chosen, self.np_random)

    def _answered(self, look: Look) -> Look:
        """Return the next position in which the learner is asked, or the last one."""
        while look.status is Status.GOING and self._seat not in look.asked:
            chosen = {player: self._choice(look, player) for player in look.asked}
            look = self._walk.after(look, chosen, self.np_random)
        return look

    def _choice(self, look: Look, player: int) -> int:
        opponent = self._players[player]
        if isinstance(opponent, UniformPlayer):
            return opponent.sample(self._walk.options(look, player))
        budget = Budget(simulations=self._simulations)
        role = self.markov_game.names[player]
        move = choose(opponent, self._walk.state(look), budget, role=role)
        return self.markov_game.table.numbers[move]

    def _observation(self) -> Observation:
        is_asked = self._seat in self._now.asked and self._lost is None
        return self._observed(self._seat, is_asked=is_asked)

    def _info(self) -> dict[str, Any]:
        status = self._now.status
        if status is Status.GOING:
            return {}
        return {"goal": self._walk.goals(self._now)[self._seat], "end": status.value}


class UniformPlayer(RandomPlayer):
    """The player ``random``, which draws the same moves from their numbers as from their terms."""

    def sample(self, numbers: Sequence[int]) -> int:
        """Return a legal move; the numbers rise, as the terms are in canonical order."""
        return self._rng.choice(numbers)


def specs(
    markov_game: MarkovGame, seat: int, opponents: Opponent | Mapping[str, Opponent]
) -> dict[int, Opponent]:
    """Return who plays each other role.

    Raises:
        UnknownRoleError: An opponent for a role that is not there.
        ArgumentTypeError: An opponent is neither a name nor a function.
        ValueError: A role has no opponent, or the learner's own has one.
    """
    others = [p for p in range(len(markov_game.players)) if p != seat]
    for opponent in opponents.values() if isinstance(opponents, Mapping) else [opponents]:
        if not isinstance(opponent, str) and not callable(opponent):
            raise ArgumentTypeError("an opponent", opponent, "the name of a player or a function")
    if not isinstance(opponents, Mapping):
        return dict.fromkeys(others, opponents)
    named = {markov_game.player(role): opponent for role, opponent in opponents.items()}
    if set(named) != set(others):
        wanted = " and ".join(markov_game.names[p] for p in others) or "nobody"
        given = " and ".join(opponents) or "nobody"
        raise ValueError(f"opponents must name {wanted}, not {given}")
    return named


def seated(markov_game: MarkovGame, specs: Mapping[int, Opponent], seed: int) -> dict[int, Player]:
    """Return a player for each other role; those that are named are made anew."""
    roles = markov_game.table.roles
    players: dict[int, Player] = {}
    for p, spec in specs.items():
        role = roles[markov_game.players[p]]
        if not isinstance(spec, str):
            players[p] = spec
        elif spec == RANDOM_PLAYER.name:
            players[p] = UniformPlayer(role=role, seed=seed + p)
        else:
            players[p] = make(spec, role=role, seed=seed + p)
    return players
