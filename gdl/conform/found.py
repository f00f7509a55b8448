"""What an audit found, as data."""

from __future__ import annotations

from dataclasses import dataclass, field

from gdl.conform.comparison import Comparison
from gdl.conform.coverage import CoveredRule
from gdl.conform.twin import Parting
from gdl.language.terms import Term


@dataclass(frozen=True)
class Found:
    """What was found.

    Attributes:
        game: The ruleset.
        against: The engine, and its version.
        agree: Whether positions were compared and no difference was met.
        positions: Positions compared, repeated ones counted again.
        games: Games compared to their end.
        play: Our joint choices from the start to the difference, None where they agree: of each
            role that chose, its move.
        parting: The difference, with both positions; None where they agree.
        first_length: Moves of the play before it was made small; None where they agree.
        matching: How moves were matched.
        roles: Our roles with theirs.
        conventions: Those that were allowed and needed.
        units: How goals were read as returns.
        rules: How many rules of the description have a body.
        uncovered: Rules that no comparison exercised; None where that could not be counted.
        styles: Positions for each way of play.
        remarks: What else to know: what could not be compared.
        seconds: Wall-clock time.
        comparison: Both sides, for reports.
        behind: What the search found when it went on behind the first difference: the same audit
            with another difference each.
    """

    game: str
    against: str
    agree: bool
    positions: int
    games: int
    play: tuple[dict[str, Term], ...] | None
    parting: Parting | None = field(repr=False)
    first_length: int | None
    matching: str
    roles: tuple[tuple[str, str], ...]
    conventions: tuple[str, ...]
    units: tuple[str, ...]
    rules: int
    uncovered: tuple[CoveredRule, ...] | None = field(repr=False)
    styles: dict[str, int] = field(repr=False)
    remarks: tuple[str, ...]
    seconds: float
    comparison: Comparison = field(repr=False, compare=False)
    behind: tuple[Found, ...] = field(default=(), repr=False)

    @property
    def differences(self) -> tuple[Found, ...]:
        """The audit with each difference, the first one first; empty where they agree."""
        return () if self.parting is None else (self, *self.behind)
