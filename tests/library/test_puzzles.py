"""Puzzles: the rule files beside plain Python, and what is known of their solutions."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest

import gdl
from gdl.game import Game
from tests.library.puzzles import PUZZLES, Puzzle, SlidingTiles, depths_of_tiles
from tests.shared import IS_WHOLE_CORPUS, examples

load = cache(gdl.load)


@pytest.mark.later
@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.ruleset)
def test_random_plays_are_the_same(puzzle: Puzzle[Any]) -> None:
    game: Game = load(puzzle.ruleset, backend="reason")
    chance = Random(puzzle.ruleset)
    for _ in range(examples(10)):
        state, position = game.initial(), puzzle.start()
        while steps := puzzle.steps(position):
            assert not state.is_terminal
            assert {state.notation(move) for move in state.legal("player")} == set(steps)
            move = chance.choice(sorted(steps))
            state, position = state.play(move), steps[move]
        assert state.is_terminal
        assert state.goal("player") == puzzle.goal(position)


@pytest.mark.slow
def test_eight_queens_have_92_solutions() -> None:
    last = load("queens", backend="reason").perft(8)[-1]
    assert (last.nodes, last.terminal, last.goal_sums()) == (92, 92, (9200,))


@pytest.mark.skipif(not IS_WHOLE_CORPUS, reason="takes six minutes (GDL_CORPUS=all)")
@pytest.mark.slow
def test_the_eight_puzzle_begins_in_one_of_the_two_hardest_positions() -> None:
    depths = depths_of_tiles()
    hardest = [tiles for tiles, depth in depths.items() if depth == max(depths.values())]
    assert (len(depths), max(depths.values()), len(hardest)) == (181_440, 31, 2)
    assert SlidingTiles().start()[0] in hardest


PEGS = [
    move
    for line in (
        "b4-d4; c2-c4; a3-c3; a5-a3; c4-c2; c1-c3; c5-a5; c7-c5",
        "d3-b3; a3-c3; d1-d3; d3-b3; d5-b5; a5-c5; d7-d5; d5-b5",
        "f3-d3; e1-e3; e3-c3; b3-d3; d3-d5; e5-c5; b5-d5; e7-e5",
        "e4-e6; g5-e5; d5-f5; g3-g5; g5-e5; e6-e4; f4-d4",
    )
    for move in line.split("; ")
]
"""A solution that a plain search finds; random play never leaves a single peg."""


@pytest.mark.parametrize(("last", "goal"), [("f4-d4", 100), ("e4-g4", 90)])
def test_a_single_peg_is_worth_most_in_the_middle(last: str, goal: int) -> None:
    state = load("pegsolitaire", backend="reason").initial()
    for move in (*PEGS[:-1], last):
        state = state.play(move)
    assert state.is_terminal
    assert state.goal("player") == goal
