"""What a search was asked, and both sides opened and matched."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gdl.adapters.packages import require
from gdl.conform.allowance import Allowance
from gdl.conform.comparison import Comparison
from gdl.conform.conventions import WHOLE_TURNS
from gdl.conform.coverage import Coverage
from gdl.conform.matching.map_file import read_map
from gdl.conform.quick import Quick, quick
from gdl.conform.source import Against, Source, SourceError
from gdl.conform.sources import source_of
from gdl.conform.sources.guarded import EngineFailure, Unfailing, guarded
from gdl.conform.sources.merged import ChanceMovesOn, Merged, TooManyWaysError, moves_once
from gdl.conform.sources.rules import RulesSource
from gdl.conform.twin import Choice
from gdl.game import GameLike, load
from gdl.language.diagnostics import GdlError
from gdl.language.limits import Limits


@dataclass(frozen=True)
class Sides:
    """Both sides, matched, and the rules to be covered.

    Attributes:
        rules: Ours.
        comparison: Both, and which moves stand for each other.
        coverage: Which rules fire; None where the rules are too large for it.
        by_numbers: The quick way to compare; None where there is none.
        opening, matching: Seconds by the clock for opening both and for matching their moves.
    """

    rules: RulesSource
    comparison: Comparison
    coverage: Coverage | None
    by_numbers: Quick | None
    opening: float
    matching: float


@dataclass(frozen=True)
class Task:
    """What was asked, small enough to be sent to another process.

    Attributes:
        game: The game.
        against: The engine.
        allowed: Conventions.
        names: The file of a map.
        seed: Makes it repeatable.
        depth: Of the first piece.
        limits: What the rules may take.
        patience: Seconds to wait for machine code, which pays in a search.
        chance_moves_on: Whether chance is known to move several times in a row.
        plays: Choices of ours in which both sides parted under a guess of which moves are which.
    """

    game: GameLike
    against: Against
    allowed: tuple[str, ...]
    names: str | os.PathLike[str] | None
    seed: int
    depth: int
    limits: Limits
    patience: float | None = None
    chance_moves_on: bool = False
    plays: tuple[tuple[Choice, ...], ...] = ()

    def open(
        self,
        on_stage: Callable[[str], None] = lambda _: None,
        allowance: Allowance | None = None,
        share: float = 1.0,
    ) -> Sides:
        """Return both sides, matched; by the best matching so far when the time is spent.

        Args:
            on_stage: Told of what is done.
            allowance: For opening both sides and for matching.
            share: The part of what opening leaves of it that matching may take: rules that are
                made into machine code first leave less, but not nothing.

        Raises:
            SourceError: A side cannot be asked, or the engine fails at once; says how.
        """
        try:
            return self._in_turns(on_stage, allowance or Allowance(None), share)
        except EngineFailure as failure:
            raise SourceError(
                f"{self.against} fails before its moves can be matched: {failure}",
                expected="answers in the first position",
            ) from failure

    def _in_turns(
        self, on_stage: Callable[[str], None], allowance: Allowance, share: float
    ) -> Sides:
        """Return both sides, moves of chance in a row as one unless there are too many of these.

        Of too many ways in whole turns of a player nothing becomes fewer so, and they are refused.
        """
        for once in dict.fromkeys([not self.chance_moves_on, False]):
            try:
                return self._opened(on_stage, allowance, share, once=once)
            except ChanceMovesOn:
                continue
            except TooManyWaysError:
                break
        return self._opened(on_stage, allowance, share, once=True, one_by_one=True)

    def _opened(
        self,
        on_stage: Callable[[str], None],
        allowance: Allowance,
        share: float,
        *,
        once: bool,
        one_by_one: bool = False,
    ) -> Sides:
        begin = time.monotonic()
        rules = RulesSource(load(self.game, limits=self.limits, patience=self.patience))
        ours: Source = rules
        theirs = guarded(source_of(self.against, limits=self.limits))
        opening, allowance = time.monotonic() - begin, allowance.rest(share)
        begin += opening
        allowed = frozenset(self.allowed)
        whole = WHOLE_TURNS in allowed
        met = Unfailing(theirs, allowance.is_spent).as_source()
        # One side may tell in several plies of chance what the other tells in one: each side's are
        # made one before anything is matched, so that both are asked about the same choices.
        if ours.has_chance or theirs.has_chance or whole:
            once = once and moves_once(ours, self.seed) and moves_once(met, self.seed)
            ours = Merged(rules, whole_turns=whole, once=once, one_by_one=one_by_one)
            theirs = Merged(theirs, whole_turns=whole, once=once, one_by_one=one_by_one)
        if self.names is not None:
            matching = read_map(Path(self.names), ours, theirs)
        else:
            require("matching moves by themselves", "numpy", extra="native")
            from gdl.conform.matching.find import find_matching

            matching = find_matching(
                ours,
                theirs,
                seed=self.seed,
                allowed=allowed,
                allowance=allowance,
                plays=self.plays,
                on_stage=on_stage,
            )
        matched = time.monotonic() - begin
        comparison = Comparison(ours, theirs, matching, allowed=allowed)
        try:
            coverage = Coverage(rules.game)
        except GdlError:
            coverage = None
        return Sides(rules, comparison, coverage, quick(comparison), opening, matched)
