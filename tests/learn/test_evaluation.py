"""Player against player: points, intervals, moves that keep the value."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gdl as package
from gdl.learn.evaluation import Kept, evaluate_here, evaluated
from gdl.learn.training import EXPECTED
from gdl.play.tournament.game import play_game
from gdl.play.tournament.plan import Plan, bouts
from tests.cli.running import gdl
from tests.shared import needs

PLAN = Plan(
    rulesets=("tictactoe",), players=("greedy", "random"), rounds=20, seconds=5.0, opening_plies=1
)


def test_points_are_those_of_the_games_with_their_interval() -> None:
    found = evaluate_here(package.load("tictactoe", backend="reason"), PLAN)
    record = found.record
    assert record.games == 40
    assert found.low < found.share < found.high
    assert found.share == (record.wins + record.draws / 2) / 40 > 0.6
    assert found.elo > 0
    assert str(found).startswith(f"{record.points:g} points of 40 ({found.share:.1%}, 95% ")
    assert found.kept is None


@needs("solve")
def test_moves_are_held_against_a_table() -> None:
    from gdl.solve import solve

    game = package.load("tictactoe", backend="native")
    outcomes = [play_game(game, PLAN, bout) for bout in bouts(PLAN, [game.roles])]
    table = package.load("tictactoe", backend="native")
    values = solve(table).table
    table.use(values)
    kept = evaluated(PLAN, outcomes, table).kept
    assert kept is not None
    # By hand: the value before and after each move of a player that had a choice.
    wanted = [[0, 0], [0, 0]]
    for outcome in outcomes:
        state = table.initial()
        for ply, texts in enumerate(outcome.moves):
            after = state.play(dict(zip(table.roles, texts, strict=True)))
            mover = next((r for r in table.roles if len(state.legal(r)) > 1), None)
            if ply >= outcome.opening and mover is not None:
                seat = outcome.bout.seats[table.roles.index(mover)]
                wanted[seat][0] += 1
                wanted[seat][1] += values.value(state).goals == values.value(after).goals
            state = after
    assert [[each.moves, each.kept] for each in kept] == wanted
    assert all(each.saved <= each.risky <= each.moves for each in kept)
    assert kept[0] != Kept()
    assert kept[0].kept / kept[0].moves > kept[1].kept / kept[1].moves


def test_the_command_tells_points_and_kept_moves(tmp_path: Path) -> None:
    words = ["evaluate", "greedy", "random", "-g", "tictactoe", "-n", "6", "--seconds", "5"]
    words += ["-j", "1", "-o", str(tmp_path / "games")]
    ran = gdl(*words)
    assert ran.code == 0
    head, said = ran.out.splitlines()
    assert head == "greedy against random in tictactoe"
    assert " points of 6 (" in said
    again = json.loads(gdl(*words, "--json").out)
    assert again["record"]["wins"] + again["record"]["draws"] + again["record"]["losses"] == 6


TWICE = """\
error: a player is named twice among greedy, greedy
  help: give one of them another option
"""
ALONE = f"""\
error: lightsout cannot be learned: it has 1 role
  expected: {EXPECTED}
"""


ONE_PROCESS = "a deep network is learned by one process\n  help: leave out"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate", "greedy", "greedy", "-g", "tictactoe"], TWICE),
        (
            ["evaluate", "greedy", "random", "-g", "lightsout"],
            "error: lightsout has one role: nobody meets anybody there\n",
        ),
        (["train", "tictactoe", "--seconds", "0"], "error: --seconds: 0 is not greater than 0\n"),
        (["train", "tictactoe", "--seed", "-1"], "error: --seed: -1 is less than 0\n"),
        (
            ["train", "tictactoe", "--batches", "4"],
            "error: --batches: nobody plays apart\n  help: say --workers N or --ray ADDRESS\n",
        ),
        (["train", "lightsout"], ALONE),
        *(
            (
                ["train", "tictactoe", "--deep", name, value],
                f"error: {name}: {ONE_PROCESS} {name}\n",
            )
            for name, value in (("--workers", "2"), ("--ray", "local"), ("--batches", "2"))
        ),
        (
            ["train", "tictactoe", "--simulations", "8"],
            "error: --simulations: tuples are learned without trees\n  help: say --deep, too\n",
        ),
    ],
)
@needs("play")
def test_what_makes_no_sense_is_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = gdl(*words)
    assert ran.code in {1, 2}
    assert ran.err == said


@pytest.mark.later
@pytest.mark.sample(1)
@needs("play")
@pytest.mark.parametrize("player", ["mcts:value={}", "greedy:value={}", "alphabeta:value={}", "{}"])
def test_a_network_of_other_rules_is_refused_before_a_game_begins(
    player: str, tmp_path: Path
) -> None:
    from gdl.learn.training import Training

    path = tmp_path / "net.gdlnet"
    other = package.load("connectfour?columns=4&rows=4", backend="native")
    Training(other, path).run(games=2)
    words = ["evaluate", player.format(path), "random", "-g", "tictactoe", "-n", "2"]
    ran = gdl(*words, "-o", str(tmp_path / "games"))
    assert ran.code == 1
    assert ran.err.startswith(
        "error: the network was trained on other rules than those of tictactoe\n"
        "  expected: the rules of connectfour?columns=4&rows=4, digest "
    )
    assert not (tmp_path / "games").exists()


@needs("play")
def test_training_is_refused_where_its_file_has_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "none" / "net.gdlnet"
    ran = gdl("train", "tictactoe", "--games", "3", "-o", str(path))
    assert ran.code == 1
    assert ran.err == f"error: {path} cannot be written: there is no folder {path.parent}\n"


@pytest.mark.later
@needs("play")
def test_the_command_trains_and_goes_on(tmp_path: Path) -> None:
    words = ["train", "tictactoe", "--test", "0", "-o", str(tmp_path / "net.gdlnet"), "--games"]
    first, second = gdl(*words, "30").out, gdl(*words, "60").out
    assert "under 8 proved symmetries" in first
    assert "Too short to be measured: the file says weight 0, and plays as mcts does." in first
    assert second.startswith("Goes on after 30 games, ")
    assert json.loads(gdl(*words, "60", "--json").out)["games"] == 60
    assert gdl(*words, "90", "--workers", "2").err == (
        f"error: {tmp_path / 'net.gdlnet.training'} was begun by one process, not in rounds, and "
        "is to go on in rounds of 8 batches\n"
        "  help: go on with neither --workers nor --ray, or write to another file\n"
    )
