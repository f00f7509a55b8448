"""A turn of Pentago as a value."""

from dataclasses import dataclass

from .board6 import Rotation


@dataclass(frozen=True, slots=True)
class Turn:
    """A placement and the rotation that follows it."""

    row: int
    """0 at the top to 5."""
    column: int
    """0 at the left to 5."""
    rotation: Rotation | None = None
    """None only where the placement itself ends the game (classic)."""
