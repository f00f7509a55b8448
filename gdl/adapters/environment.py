"""What PettingZoo and Gymnasium environments have in common: spaces, seats and rendering.

In: a `MarkovGame`. Out: the spaces of its moves and of what is seen, and classes that environments
inherit from.

Source: action masks as in PettingZoo's classic games.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from gdl.adapters.markov_game import MarkovGame, OldName
from gdl.adapters.packages import require
from gdl.adapters.walk import Look, Walk, walk
from gdl.game import Game
from gdl.machine import JointMove
from gdl.state import State

RENDER_MODES: Final = ("human", "ansi", "rgb_array")
METADATA: Final[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 2}
"""What environments say of themselves; pictures a second are for those who make films of them."""
TREATMENTS: Final = ("lose", "raise")
"""What may happen at an illegal move."""

Observation = dict[str, Any]
"""``observation``: ``int8[*planes.shape]``, and ``action_mask``: ``int8[moves]``."""


def check_choice(name: str, value: str | None, choices: tuple[str, ...]) -> None:
    """Refuse a word that is not one of those known.

    Raises:
        ValueError: Names the known ones.
    """
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(choices)}, not {value!r}")


def check_render_mode(mode: str | None) -> None:
    """Refuse a render mode that is not known, or whose packages are missing.

    Raises:
        ValueError: No such mode; names the known ones.
        MissingPackageError: Images need pillow.
    """
    if mode is not None:
        check_choice("render_mode", mode, RENDER_MODES)
    if mode == "rgb_array":
        require("images", "PIL", extra="adapters")


def observation_space(markov_game: MarkovGame) -> spaces.Dict:
    """Return the space of what one player sees and may do."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, markov_game.planes.shape, np.int8),
            "action_mask": spaces.Box(0, 1, (len(markov_game.table),), np.int8),
        }
    )


def action_space(markov_game: MarkovGame) -> spaces.Discrete[Any]:
    """Return the space of the numbers of moves."""
    return spaces.Discrete(len(markov_game.table))


@dataclass(frozen=True, slots=True)
class Reached:
    """A state that is pickled with the play that led to it, and copied as it is."""

    state: State

    def __deepcopy__(self, memo: dict[int, object]) -> Reached:
        """Return this very object: it never changes."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Reached], tuple[object, ...]]:
        """Pickle the game and its joint moves."""
        return replayed, (self.state.game, tuple(s.last_move for s in self.state.history[1:]))


def replayed(game: Game, joint_moves: Iterable[JointMove]) -> Reached:
    """Return the state that was pickled."""
    state = game.initial()
    for joint in joint_moves:
        state = state.play(joint)
    return Reached(state)


class Rendered:
    """An environment whose position can be drawn.

    Attributes:
        markov_game: The game as learners take it, a Markov game.
        render_mode: How it is drawn; None for not at all.
    """

    markov_game: MarkovGame
    render_mode: str | None
    course = OldName()
    _walk: Walk
    _now: Look

    @property
    def position(self) -> State:
        """The state of the game, which knows how it was reached; made where it is asked for."""
        return self._walk.state(self._now)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the state; how it was reached only where players know by what they were shown."""
        kept = {name: value for name, value in vars(self).items() if name != "_now"}
        if "_now" in vars(self):
            hides_facts = self.markov_game.hides_facts
            kept["_state"] = Reached(self.position) if hides_facts else self.position
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Go on where it was."""
        state = kept.pop("_state", None)
        vars(self).update(kept)
        if isinstance(state, Reached):
            state = state.state
        if state is not None:
            self._now = self._walk.look(state)

    def _observed(self, player: int, *, is_asked: bool) -> Observation:
        """Return what a player sees; who is not asked has a mask of zeros."""
        if is_asked:
            mask = self._walk.mask(self._now, player)
        else:
            mask = np.zeros(len(self.markov_game.table), np.int8)
        return {"observation": self._walk.observe(self._now, player), "action_mask": mask}

    def render(self) -> Any:  # noqa: ANN401  # text, an image or nothing
        """Return the position as the render mode wants it, None without one."""
        return None if self.render_mode is None else render(self.position, self.render_mode)

    def close(self) -> None:
        """Do nothing: nothing is held."""

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


class Seated(Rendered):
    """An environment of PettingZoo: an agent for each player.

    Attributes:
        roles: The role of each agent.
    """

    metadata: dict[str, Any] = METADATA

    def __init__(self, markov_game: MarkovGame, render_mode: str | None) -> None:
        """Prepare; `reset` begins the first episode."""
        super().__init__()
        check_render_mode(render_mode)
        self.markov_game = markov_game
        self._walk = walk(markov_game)
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": markov_game.game.id}
        self.possible_agents = [f"player_{p}" for p in range(len(markov_game.players))]
        self.agents: list[str] = []
        self.roles = dict(zip(self.possible_agents, markov_game.names, strict=True))
        self.observation_spaces = {a: observation_space(markov_game) for a in self.possible_agents}
        self.action_spaces = {a: action_space(markov_game) for a in self.possible_agents}
        self._rng, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent sees, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's moves, the same object each time."""
        return self.action_spaces[agent]

    def _start(self, seed: int | None) -> None:
        """Begin an episode; a seed makes what chance does in it, and in later ones, repeatable."""
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        self._now = self._walk.start(self._rng)
        self.agents = self.possible_agents[:]


def render(state: State, mode: str) -> NDArray[np.uint8] | str | None:
    """Return a position as the mode wants it; ``human`` writes it to standard output."""
    if mode == "rgb_array":
        from gdl.adapters.image import rgb_array

        return rgb_array(state)
    if mode == "ansi":
        return str(state)
    sys.stdout.write(f"{state}\n\n")
    return None
