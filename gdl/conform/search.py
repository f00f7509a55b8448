"""The search for a difference, in pieces that depend on their number and the seed alone.

In: a comparison. Out: for each piece how much was compared, which rules fired, and the first
difference. Piece 0 is every position to a depth; every other piece plays games in all styles,
in turn. What a piece finds does not depend on the pieces before it, on the clock or on how many
processes share the work.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable
from itertools import product
from typing import TYPE_CHECKING, Final

from gdl.conform.comparison import Comparison, Partners
from gdl.conform.coverage import Coverage
from gdl.conform.piece import MOST_PLIES, PIECE, Chooser, Piece, note
from gdl.conform.quick import Quick
from gdl.conform.sources.rules import RulesPosition
from gdl.conform.styles import STYLES, UNFIRED, Memory
from gdl.conform.twin import Choice, Parting, Twin

if TYPE_CHECKING:
    from gdl.conform.aims import Aim

AIMED_FROM: Final = 2
"""The first piece that plays towards rules that have not fired: by then only rare ones have not."""
SCREENED: Final = "plays to what was met seldom"
"""What the counts call these."""
MOST_LEVEL: Final = 20_000
"""Positions of one depth that are opened, at most."""


def run_piece(  # noqa: PLR0913  # what a piece depends on
    comparison: Comparison,
    coverage: Coverage | None,
    by_numbers: Quick | None,
    number: int,
    *,
    seed: int,
    depth: int,
    on_position: Callable[[Piece], None] = lambda _: None,
) -> Piece:
    """Return what one piece of the search finds.

    Args:
        comparison: What is compared; what it remembers of hidden things is its own.
        coverage: Counts the rules that fire; None where that cannot be.
        by_numbers: Plays games quickly, of the same two sides; None has `Comparison` do it all.
        number: Which piece.
        seed: Makes it repeatable.
        depth: Of piece 0: moves from the start.
        on_position: Told of the counts so far; may raise to stop.
    """
    if coverage is not None:
        coverage.counts.clear()
    piece = Piece(number)
    memory = Memory(coverage)
    try:
        if number == 0:
            _every_position(comparison, piece, memory, depth, on_position)
        else:
            if by_numbers is not None:
                by_numbers.comparison, by_numbers.met = comparison, piece.met
            _games(comparison, by_numbers, piece, memory, seed, on_position)
    finally:  # a piece that the clock broke off counts as far as it came
        if coverage is not None:
            piece.fired = Counter(coverage.counts)
        piece.used = set(comparison.used)
    return piece


def _games(  # noqa: PLR0913, PLR0917  # one loop and what it works on
    comparison: Comparison,
    by_numbers: Quick | None,
    piece: Piece,
    memory: Memory,
    seed: int,
    on_position: Callable[[Piece], None],
) -> None:
    turn = 0
    while piece.positions < PIECE:
        for name, (_, games) in STYLES.items():
            for index in range(games):
                rng = random.Random(f"{seed}/{piece.number}/{turn}/{name}/{index}")  # noqa: S311
                if name == UNFIRED:
                    memory.aim = _aim(memory, piece, rng, turn)
                    if memory.aim is None:
                        continue
                chooser = Chooser(comparison, piece, memory, name, rng)
                game = _game if by_numbers is None else by_numbers.game
                piece.parting = game(chooser, on_position)
                if piece.parting is not None:
                    return
        turn += 1


def _aim(memory: Memory, piece: Piece, rng: random.Random, turn: int) -> Aim | None:
    """Return where a game of a piece is to lead, if it is to lead anywhere."""
    if memory.coverage is None or piece.number < AIMED_FROM:
        return None
    return memory.coverage.aim(rng, piece.number - AIMED_FROM + turn)


def _game(chooser: Chooser, on_position: Callable[[Piece], None]) -> Parting | None:
    """Play one game; return the first difference."""
    comparison, piece = chooser.comparison, chooser.piece
    twin = comparison.start()
    for ply in range(MOST_PLIES):
        if isinstance(twin, Parting):
            return twin if comparison.is_new(twin) else None
        piece.positions += 1
        piece.styles[chooser.name] += 1
        on_position(piece)
        answer = comparison.compare(twin)
        if isinstance(answer, Parting):
            return answer
        choice = chooser.choice(ply, twin, answer)
        if choice is None or isinstance(choice, Parting):
            return choice
        twin = comparison.step(twin, choice, answer)
    return None


def _every_position(
    comparison: Comparison,
    piece: Piece,
    memory: Memory,
    depth: int,
    on_position: Callable[[Piece], None],
) -> None:
    """Compare every position to a depth, each once as far as our side tells them apart."""
    start = comparison.start()
    if isinstance(start, Parting):
        piece.parting = start
        return
    level = [start]
    for left in range(depth, -1, -1):
        following: dict[Hashable, Twin] = {}
        for twin in level:
            piece.positions += 1
            piece.styles["every position to a depth"] += 1
            on_position(piece)
            answer = comparison.compare(twin)
            if isinstance(answer, Parting):
                piece.parting = answer
                return
            if piece.positions % 16 == 1:
                note(memory, twin)
            if not answer:
                piece.games += 1
            elif left and len(following) < MOST_LEVEL:
                piece.parting = _open(comparison, twin, answer, following)
                if piece.parting is not None:
                    return
        level = list(following.values())


def _open(
    comparison: Comparison, twin: Twin, partners: Partners, following: dict[Hashable, Twin]
) -> Parting | None:
    """Add what follows a position to the next depth."""
    for choice in every_choice(partners):
        after = comparison.step(twin, choice, partners)
        if isinstance(after, Parting):
            if comparison.is_new(after):
                return after
            continue
        following.setdefault(_sameness(after), after)
    return None


def every_choice(partners: Partners) -> list[Choice]:
    """Return every choice of a position."""
    roles = list(partners)
    rows = (partners[role].moves for role in roles)
    return [dict(zip(roles, joint, strict=True)) for joint in product(*rows)]


def _sameness(twin: Twin) -> Hashable:
    here = twin.ours
    if isinstance(here, RulesPosition):
        return here.inner, here.chosen, here.seen
    return id(twin)
