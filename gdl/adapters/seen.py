"""How a vector environment hands out what is seen: which type, and from whose side.

A board is turned to a player by names: where a fact speaks of roles, each role stands for the one
as many places further on, so that the player who looks sees itself as the first one. The rules need
not be symmetric, and nothing is mirrored: a pawn that moves up still does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.adapters.markov_game import MarkovGame
from gdl.language.diagnostics import GdlError
from gdl.language.preconditions import require
from gdl.language.syntax import Compound, Constant, Term

DTYPES: Final = ("int8", "float32")


@dataclass(frozen=True, slots=True)
class View:
    """How arrays are handed out.

    Attributes:
        dtype: The type of observations.
        turned: Whether who is asked sees itself as the first player.
        contiguous: Whether arrays lie in memory row by row.
        final: Whether a step also tells what was seen where an episode ended.
    """

    dtype: str = "int8"
    turned: bool = False
    contiguous: bool = False
    final: bool = False

    def __post_init__(self) -> None:
        """Refuse other types of observations, and what is neither True nor False."""
        for name in ("turned", "contiguous", "final"):
            require(name, getattr(self, name), bool, "True or False")
        if self.dtype not in DTYPES:
            raise GdlError(
                f"observations have no type {self.dtype!r}", expected=" or ".join(DTYPES)
            )


def turned(played: MarkovGame) -> list[NDArray[np.intp]]:
    """Return for each player which fact stands at the place of each: ``intp[facts]``.

    Raises:
        GdlError: No fact speaks of a role, or one has no counterpart.
    """
    facts, numbers = played.planes.facts, played.planes.numbers
    roles = [played.table.roles[r] for r in played.players]
    mappings = []
    for player in range(len(roles)):
        names = {role: roles[(i + player) % len(roles)] for i, role in enumerate(roles)}
        images = [renamed(fact, names) for fact in facts]
        strange = next((i for i, image in enumerate(images) if image not in numbers), None)
        if strange is not None or (player and tuple(images) == facts):
            why = (
                f"{strange} has no counterpart" if strange is not None else "no fact speaks of one"
            )
            raise GdlError(
                f"what is seen in {played.game.id} cannot be turned by the names of roles: {why}",
                help="leave turned out: whose turn it is is among the planes",
            )
        mappings.append(np.array([numbers[image] for image in images], np.intp))
    return mappings


def renamed(term: Term, names: dict[Term, Term]) -> Term:
    """Return a term in which constants have other names."""
    if isinstance(term, Compound):
        return Compound(term.name, tuple(renamed(part, names) for part in term.args))
    return names.get(term, term) if isinstance(term, Constant) else term
