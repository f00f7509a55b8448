"""Plays to rules that chance never lets fire, of which many are kept side by side."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gdl.conform import conform
from gdl.conform.beam import plays_to_rules
from gdl.conform.coverage import Coverage
from gdl.game import load
from tests.shared import some

ENGINES = "tests.conform.ways"


@pytest.mark.slow
def test_a_puzzle_is_solved_and_nearly_solved() -> None:
    game = load("pegsolitaire")
    coverage = Coverage(game)
    solved = [rule.number for rule in coverage.rules if "(goal player 100)" in rule.text]
    coverage.counts.update(rule.number for rule in coverage.rules if rule.number not in solved)
    plays = list(plays_to_rules(game, coverage, seed=0))
    assert plays == list(plays_to_rules(game, coverage, seed=0))
    ends = []
    for play in plays:
        state = game.initial()
        for joint in play:
            assert not state.is_terminal
            state = state.play(joint)
        ends.append((state.is_terminal, state.goal("player"), len(play)))
    (_, goal, plies), *nearly = ends
    assert (goal, plies) == (100, 31)
    assert [(over, goal) for over, goal, _ in nearly] in ([(True, 0)], [(True, 90)])


def test_rules_that_fired_on_the_way_are_not_asked_for_again() -> None:
    game = load("lightsout")
    coverage = Coverage(game)
    asked = plays_to_rules(game, coverage, seed=0)
    next(asked)
    coverage.counts.update(rule.number for rule in coverage.rules)
    assert len(list(asked)) <= 1  # the nearest end to the first one


@pytest.mark.slow
def test_two_who_move_at_once_are_led_as_well() -> None:
    game = load("tron")
    coverage = Coverage(game)
    ends = {rule.number for rule in coverage.rules if rule.text.startswith("(<= terminal")}
    coverage.counts.update(rule.number for rule in coverage.rules if rule.number not in ends)
    play = next(plays_to_rules(game, coverage, seed=0))
    states = [game.initial()]
    for joint in play:
        states.append(states[-1].play(joint))
    assert [state.is_terminal for state in states] == [False] * len(play) + [True]
    assert all(before != after for before, after in pairwise(states))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "length"), some([("MiddleForgotten", 31), ("TwoAreFew", 30)], 1)
)
def test_a_wrong_return_that_no_game_by_chance_comes_to_is_found(engine: str, length: int) -> None:
    audit = conform("pegsolitaire", f"{ENGINES}:{engine}", positions=8_000)
    assert audit.parting is not None
    assert (audit.parting.kind, audit.parting.twin.depth) == ("returns", length)


@pytest.mark.slow
def test_the_same_engine_without_the_bug_agrees_on_them() -> None:
    audit = conform("pegsolitaire", f"{ENGINES}:PegSolitaire", positions=8_000)
    assert audit.agree
    assert audit.uncovered == ()
