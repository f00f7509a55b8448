"""Games that mislead guesses: strong and weak values beside what the definition says of all."""

from __future__ import annotations

import pytest

import gdl
from gdl.game import Game
from gdl.ruleset import Ruleset
from tests.benchmarks.processor_budget import ProcessorBudget
from tests.shared import missing, some
from tests.solve.exhaustive import (
    Exhaustive,
    TooManyError,
    UnfitError,
    hold_to_the_definition,
)
from tests.solve.variable_games import Writer

pytest.importorskip("numba", reason=missing("solve"))
pytest.importorskip("scipy", reason=missing("solve"))

from gdl.play.solve import UnsolvedError
from gdl.play.solve import solve as solve_weakly
from gdl.solve import solve

SECONDS = 0.5
"""Of the processor for one position: enough for most, and where play goes in circles never."""


def both(seed: int) -> tuple[Game, Game]:
    """Return a game by the definition and as machine code."""
    written = Ruleset(id="game", paths=(), text=Writer(seed).text())
    return gdl.load(written, backend="meaning"), gdl.load(written, backend="native")


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", some(range(60), 35))
def test_a_table_is_what_the_definition_says_or_refused(seed: int) -> None:
    hold_to_the_definition(Writer(seed).text(), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(60), 35))
def test_the_value_of_one_position_is_that_of_the_table_or_not_found(seed: int) -> None:
    """Of one role, or of two that take turns: the highest goal that is forced, if one is."""
    plain, game = both(seed)
    try:
        known = Exhaustive(plain, most=300)
    except (TooManyError, UnfitError):
        return
    if known.nature >= 0 or known.at_once > 1:
        return
    first, start = plain.initial().inner, game.initial()
    for number, role in enumerate(known.roles):
        if start.is_terminal:
            continue
        try:
            found = solve_weakly(start, role=role, budget=ProcessorBudget(SECONDS))
        except UnsolvedError:
            continue
        ends = {s: p.goals[number] for s, p in known.positions.items() if p.goals is not None}
        forced = [
            goal
            for goal in set(ends.values())
            if first
            in known.rounds({s for s, g in ends.items() if g >= goal}, number, is_alone=True)
        ]
        if forced:
            assert found.value == max(forced)
        if known.kind in {"alone", "two"}:
            assert solve(game).initial.goals[role] == found.value
