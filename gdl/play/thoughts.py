"""What a search thinks of the moves: candidates, the best first, and what follows them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gdl.language.syntax import Term


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a search thinks of one move.

    Attributes:
        move: The move.
        visits: Simulations that began with it.
        value: Goal that it is expected to bring, 0 to 100.
        proven: Whether the value is exact: what the role can force, or what comes of best play; the
            note of the thoughts says which.
    """

    move: Term
    visits: int
    value: float
    proven: bool = False


@dataclass(frozen=True, slots=True)
class Thoughts:
    """What a search has found so far.

    Attributes:
        role: Who is to move.
        candidates: Moves, the best first.
        line: Principal line: the joint moves that follow when all play what looks best.
        simulations: How many games were looked at.
        seconds: How long that took.
        playouts: Random games played to the end, if they are counted apart.
        note: One sentence of the player's own.
    """

    role: Term
    candidates: tuple[Candidate, ...]
    line: tuple[tuple[Term, ...], ...] = ()
    simulations: int = 0
    seconds: float = 0.0
    playouts: int = 0
    note: str = ""

    @property
    def best(self) -> Candidate:
        """The move that is chosen if the search ends here."""
        return self.candidates[0]

    def noted(self, words: str) -> Thoughts:
        """Return the same with some words more in its note."""
        return replace(self, note=f"{self.note}; {words}" if self.note else words)
