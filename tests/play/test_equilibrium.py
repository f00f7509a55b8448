"""Equilibria of small games beside known values, and exploitability beside open_spiel's."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gdl.game import load
from gdl.play import Budget, choose, make, prepare
from gdl.play.equilibrium import (
    GameTree,
    NoEquilibriumError,
    Regrets,
    TooLargeError,
    best_response,
    expected,
    exploitability,
)
from gdl.play.player import thoughts_of
from gdl.play.regret_matching import Matrix
from tests.play.games import DOMINATED, MONTY_HALL, PENNIES, game_of


def test_kuhn_poker_is_worth_an_eighteenth_of_a_chip_to_the_second() -> None:
    tree = GameTree(load("kuhnpoker"))
    regrets = Regrets(tree)
    measured = []
    for _ in range(4):
        regrets.improve(100)
        measured.append(exploitability(tree, regrets.policy()) / 25)  # 25 points a chip
    assert measured[-1] < measured[0] / 2
    assert measured[-1] < 0.001
    assert (expected(tree, regrets.policy()) - 50) / 25 == pytest.approx(-1 / 18, abs=0.001)


def test_of_moves_at_once_none_is_read(tmp_path: Path) -> None:
    tree = GameTree(game_of(PENNIES, tmp_path))
    pure = [[1.0, 0.0], [1.0, 0.0]]
    assert exploitability(tree, pure) == 50
    assert best_response(tree, pure, 1) == 100
    regrets = Regrets(tree)
    regrets.improve(50)
    assert exploitability(tree, regrets.policy()) == pytest.approx(0, abs=1e-9)
    dominated = GameTree(game_of(DOMINATED, tmp_path, name="dominated"))
    regrets = Regrets(dominated)
    regrets.improve(50)
    assert expected(dominated, regrets.policy()) > 97


def test_a_game_of_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoEquilibriumError) as caught:
        GameTree(game_of(MONTY_HALL, tmp_path, name="monty"))
    assert str(caught.value).split("\n", 1)[1].strip() == (
        "expected: a game of two roles, nature aside, whose goals have a constant sum"
    )


STUCK = """
; Who walks on comes to where nobody can move.
(role a) (role b) (init (at 0)) (step 0 1) (step 1 2) (step 2 3)
(<= (legal a (walk ?n)) (true (at ?m)) (step ?m ?n))
(<= (legal a stop) (true (at 0)))
(legal b noop)
(<= (next (at ?n)) (does a (walk ?n)))
(<= (next over) (does a stop))
(<= terminal (true over))
(goal a 50) (goal b 50)
"""


@pytest.mark.later
def test_play_that_cannot_go_on_is_left_to_mcts(tmp_path: Path) -> None:
    game = game_of(STUCK, tmp_path, name="stuck")
    with pytest.raises(NoEquilibriumError) as caught:
        GameTree(game)
    assert str(caught.value) == (
        f"play of {game.id} cannot go on, and has no end\n  help: let mcts play it"
    )
    player = make("equilibrium", role=game.role("a"), seed=1)
    prepare(player, game, Budget(simulations=1))
    assert str(choose(player, game.initial(), Budget(simulations=100), role="a")) == "stop"


@pytest.mark.parametrize(
    ("ruleset", "words"),
    [("leducpoker", "more than 1,000 histories"), ("tictactoe", "more than 1,000 histories")],
)
def test_what_is_too_large_is_said(
    ruleset: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl.play.equilibrium.MOST_NODES", 1_000)
    with pytest.raises(TooLargeError) as caught:
        GameTree(load(ruleset))
    assert str(caught.value) == (
        f"{ruleset} has {words}\n  help: take a smaller game, or let mcts play it"
    )


CHIP = {"kuhnpoker": 25, "leducpoker": 3}
"""Points of a goal for a chip."""


@pytest.mark.parametrize("name", ["kuhnpoker", pytest.param("leducpoker", marks=pytest.mark.slow)])
def test_exploitability_of_the_uniform_policy_is_that_of_open_spiel(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="needs open_spiel")
    exploiting = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    policies = pytest.importorskip("open_spiel.python.policy")
    theirs = pyspiel.load_game(name.replace("poker", "_poker"))
    tree = GameTree(load(name))
    assert exploitability(tree, tree.uniform()) / CHIP[name] == pytest.approx(
        exploiting.exploitability(theirs, policies.UniformRandomPolicy(theirs))
    )


@pytest.mark.slow
def test_leduc_poker_is_worth_what_is_known() -> None:
    tree = GameTree(load("leducpoker"))
    regrets = Regrets(tree)
    regrets.improve(120)
    assert exploitability(tree, regrets.policy()) / CHIP["leducpoker"] < 0.05
    value = (expected(tree, regrets.policy()) - 50) / CHIP["leducpoker"]
    assert value == pytest.approx(-0.0856, abs=0.02)


def test_moves_at_once_are_drawn_and_cannot_be_read(tmp_path: Path) -> None:
    game = game_of(PENNIES, tmp_path)
    player = make("equilibrium", role=game.role("odd"), seed=1)
    prepare(player, game, Budget(simulations=50))
    state = game.initial()
    drawn = [
        str(choose(player, state, Budget(simulations=1), role="odd")) for _ in range(200)
    ].count("(show heads)")
    assert 70 <= drawn <= 130  # but for a chance of one in 20,000


def test_a_hand_of_kuhn_poker_is_played_by_its_equilibrium() -> None:
    game = load("kuhnpoker")
    state = game.initial().play({"random": "(deal first king)", "first": "noop", "second": "noop"})
    state = state.play({"random": "(deal second jack)", "first": "noop", "second": "noop"})
    state = state.play({"first": "bet", "random": "noop", "second": "noop"})
    player = make("equilibrium", role=game.role("second"))
    prepare(player, game, Budget(simulations=300))
    moves = {str(choose(player, state, Budget(simulations=1), role="second")) for _ in range(50)}
    assert moves == {"pass"}  # a jack never calls


@pytest.mark.slow
def test_a_game_too_large_is_left_to_mcts() -> None:
    game = load("tictactoe", backend="reason")
    player = make("equilibrium", role=game.role("x"))
    prepare(player, game, Budget(0.5))
    move = choose(player, game.initial(), Budget(simulations=20), role="x")
    assert move in game.initial().legal("x")


def test_how_far_mcts_is_from_an_equilibrium_falls_with_its_simulations(tmp_path: Path) -> None:
    from tests.benchmarks.simultaneous import policies

    # Uneven stakes: a search does not begin with the right odds, as it does of pennies.
    uneven = PENNIES
    for goal in ("even 100", "odd 0"):
        heads = f"(<= (goal {goal}) (true (shown odd heads)) same)"
        uneven = uneven.replace(f"(<= (goal {goal}) same)", heads)
    uneven += """\
(<= (goal even 40) (true (shown odd tails)) same)
(<= (goal odd 60) (true (shown odd tails)) same)
"""
    for game in (game_of(uneven, tmp_path), load("goofspiel?cards=2"), load("rockpaperscissors")):
        tree = GameTree(game)
        few, many = (
            exploitability(tree, policies(game, tree, simulations, 3)[0])
            for simulations in (30, 800)
        )
        assert many < max(few / 2, 0.1), game.id
        assert many < 0.7, game.id
    tree = GameTree(load("goofspiel?cards=2"))
    assert exploitability(tree, tree.uniform()) == 25


def test_mcts_draws_where_moves_are_at_once_and_says_so(tmp_path: Path) -> None:
    game = game_of(PENNIES, tmp_path)
    state = game.initial()
    drawn = []
    for seed in range(60):
        player = make("mcts:native=off", role=game.role("odd"), seed=seed)
        drawn.append(str(choose(player, state, Budget(simulations=100), role="odd")))
    assert 15 <= drawn.count("(show heads)") <= 45  # but for a chance of one in 10,000
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert thoughts.note.startswith("drawn from a mixed strategy: (show ")


def test_strategies_of_three_roles_and_of_nature_are_those_of_the_matrix() -> None:
    rng = random.Random(1)
    # Three roles and a die of two sides that falls at once: the first is to guess the die's usual
    # side, the second to do as the first, the third has a move that is better whatever others do.
    matrix = Matrix([2, 2, 2, 2], [False, False, False, True])
    for _ in range(1_000):
        chosen = [0] * 4
        matrix.sample(rng, chosen)
        first, second, third, die = chosen
        goals = (60.0 * (first == 1) + 40.0 * die, 100.0 * (first == second), 100.0 * third, 0.0)
        matrix.learn(chosen, goals)
    for role in range(3):
        assert matrix.strategy(role)[1] > 0.95
    assert matrix.visits.sum(axis=(0, 1, 2)).min() > 400  # nature draws alike
