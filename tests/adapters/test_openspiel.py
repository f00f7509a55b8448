"""OpenSpiel's own test, its algorithms on our rules, and what they do not ask."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.shared import missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, exploitability, mcts
from open_spiel.python.algorithms.expected_game_score import policy_value

import gdl
from gdl.adapters import openspiel
from gdl.adapters.spiel_structs import ActionStruct
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import kif_text, sort_key
from tests.adapters.games import SHIPPED, UNKNOWN, load, pick
from tests.adapters.rules import (
    CARD,
    DEAD_END,
    DICE,
    ENDLESS,
    GUESS,
    GUST,
    LISTED,
    PENNIES,
    TORN,
    write,
)
from tests.shared import ROOT, SHARED, needs_games

SIMULATIONS = 1


def hold_to_the_official_test(name: str | Path) -> None:
    game = pyspiel.load_game(openspiel.register(load(name)))
    pyspiel.random_sim_test(game, num_sims=SIMULATIONS, serialize=True, verbose=False)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SHIPPED)
def test_official_test_on_a_shipped_ruleset(name: str) -> None:
    hold_to_the_official_test(name)


@pytest.mark.sample(2)
@needs_games
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_official_test_on_a_file_nobody_chose(path: Path) -> None:
    hold_to_the_official_test(path)


@needs_games
@pytest.mark.slow
@pytest.mark.parametrize("path", pick(8, 15), ids=lambda path: path.name)
def test_official_test_on_more_files(path: Path) -> None:
    hold_to_the_official_test(path)


@pytest.mark.sample(4)
@pytest.mark.parametrize("text", [PENNIES, GUESS, CARD, DICE, GUST, DEAD_END, ENDLESS, TORN])
def test_official_test_on_small_games(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, "game", text)
    name = openspiel.register(path, name=f"test/{hash(text)}", max_plies=12)
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)


def test_official_test_on_rules_run_as_they_are_written(tmp_path: Path) -> None:
    rules = gdl.load(write(tmp_path, "listed", LISTED), backend="reason")
    game = pyspiel.load_game(openspiel.register(rules, name="test/listed"))
    assert game.num_distinct_actions() == 3  # nothing is proved of waiting, so noop has a number
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


def lockstep(name: str | Path, seed: int) -> None:
    """Play OpenSpiel's state at random and a state of ours beside it."""
    rng = random.Random(seed)
    rules = load(name)
    game = pyspiel.load_game(openspiel.register(rules))
    theirs = game.new_initial_state()
    ours = rules.initial()
    notation = rules.ruleset.notation.format
    while not theirs.is_terminal():
        while not theirs.markov_game.asked(ours):
            ours = ours.play({})
        players = range(game.num_players())
        asked = [
            p for p in players if theirs.is_simultaneous_node() or theirs.current_player() == p
        ]
        chosen: dict[str, str] = {}
        actions: list[int] = []
        for player in asked:
            legal = theirs.legal_actions(player)
            texts = [theirs.action_to_string(player, action) for action in legal]
            assert texts == [notation(move) for move in ours.legal(rules.roles[player])]
            action = rng.choice(legal)
            actions.append(action)
            chosen[rules.roles[player]] = theirs.action_to_string(player, action)
        if theirs.is_simultaneous_node():
            theirs.apply_actions(actions)
        else:
            theirs.apply_action(actions[0])
        ours = ours.play(chosen)
    while not ours.is_terminal and ours.ply < theirs.position.ply:
        ours = ours.play({})
    assert theirs.position == ours
    goals = [ours.goal(role) for role in rules.roles]
    worth = [goal / 100 if len(goals) == 1 else goal / 50 - 1 for goal in goals]
    assert theirs.returns() == pytest.approx(worth)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", SHIPPED)
def test_actions_and_returns_are_those_of_the_state(name: str) -> None:
    lockstep(name, seed=5)


@needs_games
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_actions_and_returns_are_those_of_the_state_in_other_files(path: Path) -> None:
    lockstep(path, seed=6)


@pytest.mark.slow
def test_kinds_of_games(tmp_path: Path) -> None:
    of = pyspiel.GameType
    names = {
        text: openspiel.register(write(tmp_path, f"kind{number}", text))
        for number, text in enumerate((PENNIES, GUESS, DICE))
    }
    pennies = pyspiel.load_game(names[PENNIES])
    assert pennies.get_type().dynamics == of.Dynamics.SIMULTANEOUS
    assert pennies.get_type().utility == of.Utility.ZERO_SUM
    assert (pennies.num_players(), pennies.num_distinct_actions()) == (2, 2)
    guess = pyspiel.load_game(names[GUESS])
    assert guess.get_type().chance_mode == of.ChanceMode.EXPLICIT_STOCHASTIC
    assert guess.get_type().information == of.Information.IMPERFECT_INFORMATION
    assert guess.num_players() == 1
    dice = pyspiel.load_game(names[DICE])
    assert dice.get_type().utility == of.Utility.GENERAL_SUM
    pentago = pyspiel.load_game(openspiel.register("pentago/utwente"))
    assert pentago.num_distinct_actions() == 288  # the noop of who waits is no action
    assert pentago.observation_tensor_shape() == [5, 6, 6]


def test_chance_is_asked_after_those_who_move_with_it(tmp_path: Path) -> None:
    game = pyspiel.load_game(openspiel.register(write(tmp_path, "dice", DICE)))
    state = game.new_initial_state()
    assert state.is_simultaneous_node()
    state.apply_actions([2, 0])
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(0, 1 / 3), (1, 1 / 3), (2, 1 / 3)]
    assert state.action_to_string(pyspiel.PlayerId.CHANCE, 2) == "(roll 3)"
    copied = copy.deepcopy(state.clone())
    copied.apply_action(2)
    assert copied.returns() == [1.0, -1.0]
    assert not state.is_terminal()


def test_an_end_that_is_not_decided_is_a_draw(tmp_path: Path) -> None:
    game = pyspiel.load_game(openspiel.register(write(tmp_path, "torn", TORN)))
    state = game.new_initial_state()
    state.apply_actions([0, 0])  # both pick 1, so a has two goals, and b has 50
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]
    endless = write(tmp_path, "endless", ENDLESS)
    cut = pyspiel.load_game(openspiel.register(endless, max_plies=2)).new_initial_state()
    cut.apply_action(cut.legal_actions()[0])
    cut.apply_action(cut.legal_actions()[0])
    assert cut.is_terminal()
    assert cut.returns() == [0.0, 0.0]


@pytest.mark.slow
@needs_games
def test_the_public_pentago_is_zero_sum_though_it_gives_two_goals_at_times() -> None:
    game = pyspiel.load_game(openspiel.register(SHARED / "games" / "pentago.kif"))
    assert game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    pyspiel.random_sim_test(game, num_sims=10, serialize=False, verbose=False)


def test_players_know_what_they_see_and_no_more(tmp_path: Path) -> None:
    game = pyspiel.load_game(openspiel.register(write(tmp_path, "card", CARD)))
    told: dict[int, set[str]] = {0: set(), 1: set()}
    for dealt in (0, 1):
        state = game.new_initial_state()
        state.apply_action(dealt)
        told[0].add(state.information_state_string(0))
        state.apply_action(state.legal_actions()[0])
        told[1].add(state.information_state_string(1))
    assert len(told[0]) == 2
    assert told[1] == {"caller: noop {}; noop {(said high)}"}


@pytest.mark.slow
def test_minimax_regret_learns_not_to_tell(tmp_path: Path) -> None:
    # Saying anything helps the caller only if it believes; the value of the game is even.
    game = pyspiel.load_game(openspiel.register(write(tmp_path, "card2", CARD)))
    solver = cfr.CFRSolver(game)
    before = exploitability.exploitability(game, solver.average_policy())
    for _ in range(30):
        solver.evaluate_and_update_policy()
    after = exploitability.exploitability(game, solver.average_policy())
    assert after < 0.05
    assert before >= after


def test_exploitability_of_shown_coins(tmp_path: Path) -> None:
    name = openspiel.register(write(tmp_path, "pennies2", PENNIES))
    game = pyspiel.load_game_as_turn_based(name)
    uniform = policy.UniformRandomPolicy(game)
    assert exploitability.exploitability(game, uniform) == pytest.approx(0)
    first = policy.tabular_policy_from_callable(game, lambda state: {state.legal_actions()[0]: 1.0})
    assert exploitability.exploitability(game, first) == pytest.approx(1)
    assert policy_value(game.new_initial_state(), [first, first]) == pytest.approx([1, -1])


def test_tree_search_finds_the_winning_move() -> None:
    game = pyspiel.load_game(openspiel.register("tictactoe"))
    state = game.new_initial_state()
    table = state.markov_game.table
    for cell in ("a1", "b1", "a2", "b2"):
        state.apply_action(table.numbers[load("tictactoe").move(cell)])
    bot = mcts.MCTSBot(
        game,
        uct_c=2,
        max_simulations=100,
        evaluator=mcts.RandomRolloutEvaluator(1, np.random.RandomState(0)),
        random_state=np.random.RandomState(0),
        solve=True,
    )
    assert state.action_to_string(bot.step(state)) == "a3"


@pytest.mark.slow
def test_the_same_game_may_be_registered_again(tmp_path: Path) -> None:
    path = write(tmp_path, "again", PENNIES)
    assert openspiel.register(path) == openspiel.register(path) == "kif/again"
    assert openspiel.register(path, name="mine") == "mine"
    write(tmp_path, "again", GUESS)
    with pytest.raises(openspiel.TakenNameError):  # other rules by now
        openspiel.register(path)


def test_a_name_of_another_game_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "taken", PENNIES)
    with pytest.raises(openspiel.TakenNameError) as caught:
        openspiel.register(path, name="kuhn_poker")
    assert str(caught.value) == (
        "OpenSpiel has another game that is called kuhn_poker\n"
        '  expected: a name of its own, for instance register(..., name="my/kuhn_poker")'
    )


def test_words_that_mean_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="dynamics") as caught:
        openspiel.register("tictactoe", dynamics="both")  # type: ignore[arg-type]  # on purpose
    assert str(caught.value) == "dynamics must be sequential or simultaneous, not 'both'"
    with pytest.raises(ValueError, match="name") as caught:
        openspiel.register("tictactoe", name="tic (tac)")
    assert str(caught.value) == (
        "name must be of letters, digits, _ . / and -, for OpenSpiel reads it, not 'tic (tac)'"
    )


def test_actions_that_cannot_be_are_told(tmp_path: Path) -> None:
    plain = pyspiel.load_game(openspiel.register("tictactoe")).new_initial_state()
    ended = plain.clone()
    for action in (0, 1, 2, 4, 3, 5, 7, 6, 8):
        ended.apply_action(action)
    coins = write(tmp_path, "coins", PENNIES)
    both = pyspiel.load_game(openspiel.register(coins, name="test/coins")).new_initial_state()
    cards = write(tmp_path, "cards", CARD)
    drawn = pyspiel.load_game(openspiel.register(cards, name="test/cards")).new_initial_state()
    none = "is the number of no move"
    refusals: list[tuple[Callable[[], object], str]] = [
        (lambda: ended.clone().apply_action(0), "no action can be applied: the game is over"),
        (
            lambda: both.clone().apply_action(0),
            (
                "several players choose here, and one action was given\n"
                "  help: apply_actions takes one of each player"
            ),
        ),
        (
            lambda: both.clone().apply_actions([0]),
            "1 actions were given\n  expected: one of each player, 2",
        ),
        (
            lambda: both.clone().apply_actions([0, 1, 0]),
            "3 actions were given\n  expected: one of each player, 2",
        ),
        (lambda: drawn.clone().apply_action(7), f"7 {none} of chance\n  expected: 0 to 2"),
        (lambda: plain.action_to_string(0, -1), f"-1 {none}\n  expected: 0 to 8"),
        (lambda: plain.action_to_string(0, 9), f"9 {none}\n  expected: 0 to 8"),
    ]
    for call, said in refusals:
        with pytest.raises(GdlError) as caught:
            call()
        assert str(caught.value) == said


@pytest.mark.slow
def test_what_was_said_wrongly_is_found_out(tmp_path: Path) -> None:
    path = write(tmp_path, "wrong", PENNIES)
    name = openspiel.register(path, name="wrong", dynamics="sequential")
    with pytest.raises(GdlError) as caught:
        pyspiel.load_game(name).new_initial_state().current_player()
    assert str(caught.value) == (
        "even and odd choose at the same time, but the game was registered as sequential\n"
        '  help: register(..., dynamics="simultaneous", name="another name")'
    )
    with pytest.raises(GdlError) as caught:
        openspiel.register(write(tmp_path, "dice3", DICE), utility="constant-sum")
    assert str(caught.value) == (
        f"random plays of {tmp_path / 'dice3.kif'} do not end with goals that add up to the same\n"
        "  expected: general-sum, or a game whose players share a fixed sum"
    )
    name = openspiel.register(write(tmp_path, "dice2", DICE), name="dice2", utility="zero-sum")
    state = pyspiel.load_game(name).new_initial_state()
    state.apply_actions([0, 0])
    state.apply_action(0)
    with pytest.raises(GdlError) as caught:
        state.returns()
    assert str(caught.value) == (
        "utilities add up to 2 here, but the game was registered as zero-sum\n"
        '  help: register(..., utility="general-sum", name="another name")'
    )


@pytest.mark.slow
def test_a_process_with_registered_games_ends_in_peace() -> None:
    program = (
        "import pyspiel\nfrom gdl.adapters import openspiel\n"
        "name = openspiel.register('tictactoe')\n"
        "state = pyspiel.load_game(name).new_initial_state()\n"
        "print(state.action_to_string(0, 4))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "b2\n", "")


def test_structs_of_a_state_what_is_seen_and_a_move() -> None:
    game = pyspiel.load_game(openspiel.register(load("tictactoe")))
    state = game.new_initial_state()
    state.apply_action(4)
    struct = state.to_struct()
    assert struct.current_player == "o"
    assert struct.facts == tuple(map(kif_text, sorted(state.position.facts, key=sort_key)))
    assert state.to_dict() == json.loads(state.to_json()) == struct.to_dict()
    assert list(state.to_dict()) == ["chosen", "current_player", "facts"]
    assert state.to_observation_struct() == state.to_observation_struct(1)
    assert state.to_observation_struct(0).to_dict() == {
        "observer": "x",
        "facts": state.to_dict()["facts"],
    }
    for action in state.legal_actions():
        move = state.action_to_struct(action)
        assert move == state.action_to_struct(1, action)
        assert move.to_dict() == {"move": state.action_to_string(action)}
        assert state.struct_to_actions(move) == [action]
        after = state.clone()
        assert after.apply_action_struct(move).ok()
        assert after.history() == [4, action]


def test_a_struct_that_is_no_legal_move_is_told_and_not_made() -> None:
    state = pyspiel.load_game(openspiel.register(load("tictactoe"))).new_initial_state()
    centre = state.action_to_struct(4)
    state.apply_action(4)
    assert str(state.apply_action_struct(centre)) == "ErrorStatus: 'b2' is not legal here"
    assert str(state.validate_action_struct(ActionStruct("z9"))) == (
        "ErrorStatus: 'z9' is no move of this game\n"
        "  help: state.action_to_struct(action) tells how a move is written"
    )
    assert state.history() == [4]
    with pytest.raises(GdlError) as raised:
        state.to_observation_struct(2)
    assert str(raised.value) == (
        "2 is no player, and an observation is one player's\n  expected: 0 to 1"
    )


def test_structs_show_a_player_no_hidden_fact_and_no_choice_of_the_others(tmp_path: Path) -> None:
    game = pyspiel.load_game(openspiel.register(write(tmp_path, "card", CARD), name="test/seen"))
    state = game.new_initial_state()
    assert state.to_struct().current_player == "chance"
    deal = state.action_to_struct(state.legal_actions()[0])
    assert state.apply_action_struct(deal).ok()
    dealt = "(holds high)" if "high" in deal.move else "(holds low)"
    assert dealt in state.to_struct().facts
    assert dealt not in state.to_observation_struct(1).facts
    assert any(dealt[7:-1] in text for text in state.to_observation_struct(0).facts)

    gust = write(tmp_path, "gust", GUST)
    state = pyspiel.load_game(openspiel.register(gust, name="test/blown")).new_initial_state()
    while not state.to_struct().chosen:
        state.apply_action(state.legal_actions()[-1])
    assert state.to_struct().current_player == "chance"
    assert state.to_struct().chosen == {"walker": "walk"}
    assert state.to_observation_struct(0).facts == state.to_struct().facts
    with pytest.raises(GdlError) as raised:
        state.to_observation_struct()
    assert str(raised.value) == (
        "no single player is asked, and an observation is one player's\n  expected: 0 to 0"
    )
