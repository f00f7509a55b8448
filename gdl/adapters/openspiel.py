"""Any game as a game of OpenSpiel, for its algorithms.

In: a ruleset id, a rule file or a game. Out: a name that ``pyspiel.load_game`` knows from then
on. The role ``random`` becomes OpenSpiel's chance player; simultaneous moves become
simultaneous nodes; utilities are goals brought to -1 to 1 (0 to 1 for a single player), so
that a two-player game whose goals add up to 100 is a zero-sum game.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019.

Example:
    >>> from gdl.adapters import openspiel
    >>> name = openspiel.register("pentago/classic")
    >>> name
    'pentago/classic'
    >>> import pyspiel
    >>> pyspiel.load_game(name).num_distinct_actions()
    324
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from gdl.adapters.packages import require
from gdl.language.diagnostics import GdlError

if TYPE_CHECKING:
    from gdl.adapters.markov_game import MarkovGame
    from gdl.game import GameLike

__all__ = ["TakenNameError", "register"]

Dynamics: TypeAlias = Literal["sequential", "simultaneous"]
Utility: TypeAlias = Literal["zero-sum", "constant-sum", "general-sum"]
DYNAMICS: Final[tuple[Dynamics, ...]] = ("sequential", "simultaneous")
UTILITIES: Final[tuple[Utility, ...]] = ("zero-sum", "constant-sum", "general-sum")
MAX_PLIES: Final = 1_000
"""Joint moves after which a game is over; OpenSpiel wants a bound for every game."""
_ODD: Final = re.compile(r"[^\w./-]", re.ASCII)


class TakenNameError(GdlError):
    """OpenSpiel has another game of that name."""


def register(
    game: GameLike,
    *,
    name: str | None = None,
    dynamics: Dynamics | None = None,
    utility: Utility | None = None,
    max_plies: int = MAX_PLIES,
) -> str:
    """Make a game known to OpenSpiel for as long as the process lives.

    Args:
        game: A ruleset id, a rule file or a game.
        name: What OpenSpiel is to call it; by default the ruleset's id, ``kif/STEM`` for a
            rule file.
        dynamics: Whether players take turns; found out where it is not said.
        utility: Whether utilities always add up to the same; found out where it is not said.
        max_plies: Joint moves after which the game is over.

    Returns:
        The name for ``pyspiel.load_game``. Registering the same again is no error.

    Raises:
        MissingPackageError: OpenSpiel is not installed; says which extra brings it.
        TakenNameError: OpenSpiel has another game of that name.
        UnlistedError: The moves or facts of the game cannot be listed before it is played.
        ValueError: A word that is none of those above, or a limit below 1.
    """
    require("games of OpenSpiel", "pyspiel", "numpy", extra="openspiel")
    for what, value, choices in (("dynamics", dynamics, DYNAMICS), ("utility", utility, UTILITIES)):
        if value is not None and value not in choices:
            raise ValueError(f"{what} must be {' or '.join(choices)}, not {value!r}")
    from gdl.adapters.game_type import find_game_type
    from gdl.adapters.markov_game import markov_game
    from gdl.adapters.spiel_game import register_markov_game

    played = markov_game(game, max_plies=max_plies)
    kind = find_game_type(played, dynamics, utility)
    chosen = name or _name(played)
    if _ODD.search(chosen):
        raise ValueError(
            f"name must be of letters, digits, _ . / and -, for OpenSpiel reads it, not {chosen!r}"
        )
    if not register_markov_game(chosen, played, kind):
        raise TakenNameError(
            f"OpenSpiel has another game that is called {chosen}",
            expected=f'a name of its own, for instance register(..., name="my/{chosen}")',
        )
    return chosen


def _name(played: MarkovGame) -> str:
    ruleset = played.game.ruleset
    plain = ruleset.id if ruleset.manifest is not None else f"kif/{Path(ruleset.id).stem}"
    return _ODD.sub("_", plain)
