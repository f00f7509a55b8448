"""What OpenSpiel calls structs: a state, what a player sees of it and a move, as plain data.

In: a state of OpenSpiel. Out: names and values, as dict or JSON. The classes of pyspiel are made in
C++ alone; these have their methods, so programs in Python that ask for structs find them.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gdl.language.syntax import Term, kif_text, sort_key


class Struct:
    """Values with names; each kind is a dataclass."""

    def to_dict(self) -> dict[str, Any]:
        """Return the values by their names, to be changed at will."""
        return json.loads(self.to_json())  # type: ignore[no-any-return]  # as it was written

    def to_json(self) -> str:
        """Return them as JSON, names in order."""
        return json.dumps(vars(self), sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class StateStruct(Struct):
    """A state, hidden facts and all.

    Attributes:
        current_player: The name of who is asked, or ``chance``, ``simultaneous``, ``terminal``.
        facts: What is true, in canonical order.
        chosen: What players have chosen while chance has not yet, by their names.
    """

    current_player: str
    facts: tuple[str, ...]
    chosen: dict[str, str]


@dataclass(frozen=True)
class ObservationStruct(Struct):
    """What a player sees now.

    Attributes:
        observer: The name of the player.
        facts: What is true; where the game hides facts, what the player was shown since it was
            last asked.
    """

    observer: str
    facts: tuple[str, ...]


@dataclass(frozen=True)
class ActionStruct(Struct):
    """A move, in the notation of the game."""

    move: str


def texts(terms: Iterable[Term]) -> tuple[str, ...]:
    """Return terms as text, in canonical order."""
    return tuple(map(kif_text, sorted(terms, key=sort_key)))
