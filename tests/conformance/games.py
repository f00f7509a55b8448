"""Games, engines and plays for the tests of this folder."""

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import gdl
from engine import GAMES, Game
from gdl.conform import Chooser, Lockstep, Reference, seek
from gdl.game import Game as RulesGame
from tests.conformance.edges import edges_of
from tests.perft.make_tables import quiet_game
from tests.scenarios import SCENARIOS
from tests.scenarios.gomoku import drawn_game, notation, won_on_the_last_cell
from tests.scenarios.pentago import translate

PENTAGO = tuple(ruleset for ruleset in GAMES if ruleset.startswith("pentago/"))


@cache
def load(ruleset: str) -> RulesGame:
    """Return the rule file's side; games are immutable, so all tests share them."""
    return gdl.load(ruleset, backend="reason")


def lockstep(ruleset: str) -> Lockstep[Any, Any]:
    """Return a shipped ruleset with its engine."""
    return Lockstep(load(ruleset), GAMES[ruleset])


def seek_edge(edge: str) -> Chooser[Any, Any]:
    """Return a chooser that makes a step which is this edge as soon as it can."""

    def is_wanted(game: Reference[Any, Any], before: Any, move: Any, after: Any) -> bool:  # noqa: ANN401 (any engine)
        engine: Any = game
        return edge in edges_of(engine, before, move, after)

    return seek(is_wanted)


def late_play(ruleset: str, seed: int, turns: int) -> tuple[str, ...]:
    """Return moves of so many turns after which a Pentago board is nearly full, without a line."""
    play, _ = quiet_game(Random(seed), turns)
    texts = tuple(map(GAMES["pentago/strict"].format, play))
    return translate(ruleset, texts, placement_ends=False)


def full_boards(seeds: range) -> Iterator[tuple[str, ...]]:
    """Yield games of Gomoku that end on the last cell, drawn ones and won ones in turn."""
    for seed in seeds:
        build = won_on_the_last_cell if seed % 2 else drawn_game
        yield tuple(map(notation, build(Random(seed))))


def legal_plays(ruleset: str) -> Iterator[tuple[str, ...]]:
    """Yield the moves of each scenario of a ruleset, without the refused last one."""
    for scenario in SCENARIOS:
        if scenario.ruleset == ruleset:
            yield scenario.moves if scenario.error is None else scenario.moves[:-1]


def engine_of(ruleset: str) -> Game[Any, Any]:
    """Return the reference engine of a ruleset."""
    return GAMES[ruleset]
