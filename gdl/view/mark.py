"""What can stand on a board: stones, pieces, cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

STONE, TEXT, DISC, TILE, CARD, ARROW = "stone", "text", "disc", "tile", "card", "arrow"
SHAPES: Final = (STONE, TEXT, DISC, TILE, CARD, ARROW)
"""How a mark looks: a disc of its colour, its symbol, both; a filled cell, a card, an arrow."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What can lie on a cell.

    Attributes:
        name: As the facts call it, KIF text.
        title: As people call it.
        symbol: How it is drawn, one or two characters.
        ascii: The same in plain ASCII.
        colour: ``#rrggbb``, empty for the colour of text.
        shape: One of `SHAPES`; empty for a stone where there is a colour, else text.
    """

    name: str
    title: str
    symbol: str
    ascii: str
    colour: str = ""
    shape: str = ""

    @property
    def look(self) -> str:
        """The shape that is drawn."""
        return self.shape or (STONE if self.colour else TEXT)


NOTHING: Final = Mark("", "empty", "·", ".")
NOT_KNOWN: Final = Mark("?", "not known", "?", "?")
"""What is drawn where the rules hide from somebody what stands there, or whether anything does."""


def unknown_mark(name: str) -> Mark:
    """Return how a mark is drawn of which the manifest says nothing: by its first letter."""
    first = name.strip("(|")[:1]
    return Mark(name, name, first or "?", first if first.isascii() and first else "?")
