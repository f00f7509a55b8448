"""What can be forced: beside plain search, and as a strategy that another program replays."""

from __future__ import annotations

import copy
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import gdl
from examples.check_strategy import check
from gdl.game import Game
from gdl.play.force import force
from gdl.play.solve import UnsolvedError
from gdl.ruleset import Ruleset
from gdl.solve import solve as solve_all
from tests.cli.running import gdl as command
from tests.play.games import DICE, PENNIES, WALK, minimax, random_state
from tests.solve.graph_games import GraphGame, Node, forced, random_game

pytest.importorskip("numba")
pytest.importorskip("scipy")


def of(text: str) -> Game:
    return gdl.load(Ruleset(id="game", paths=(), text=text), backend="native")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_what_is_forced_is_the_minimax_value(seed: int) -> None:
    game = gdl.load("tictactoe", backend="native")
    state = random_state(game, 2 + seed % 3, seed)
    known: dict[str, dict[object, int]] = {role: {} for role in game.roles}
    for role in game.roles:
        value = minimax(state, role, known[role])
        for goal in (50, 100):
            found = force(state, role, goal=goal)
            assert found.is_forced == (value >= goal)
            if found.is_forced:
                assert found.strategy().positions > 1
            else:
                with pytest.raises(UnsolvedError):
                    found.strategy()


def replayed(name: str, role: str, goal: int, file: Path) -> tuple[Game, dict[str, Any]]:
    """Return the game by the rules as written, and a strategy that was written and read."""
    plan = force(gdl.load(name, backend="native").initial(), role, goal=goal).strategy()
    plan.save(file)
    said: dict[str, Any] = json.loads(file.read_text())
    return gdl.load(name, backend="reason"), said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "role", "goal"),
    [("tictactoe", "o", 50), ("hex?size=3", "red", 100)],
)
def test_a_strategy_is_replayed_by_the_rules_as_written_and_a_wrong_one_is_refused(
    tmp_path: Path, name: str, role: str, goal: int
) -> None:
    game, said = replayed(name, role, goal, tmp_path / "strategy.json")
    assert check(game, said) > 10
    refusals = 0
    for place in sorted(said["moves"])[::7]:
        refused = 0
        others = [str(move) for move in game.position(place).legal(role)]
        for other in others:
            wrong = copy.deepcopy(said)
            wrong["moves"][place] = other
            try:
                check(game, wrong)
            except ValueError:
                refused += 1
        assert refused <= len(others) - 1  # the move of the strategy is not
        refusals += refused
        missing = copy.deepcopy(said)
        del missing["moves"][place]
        with pytest.raises(ValueError, match="no legal move is named for"):
            check(game, missing)
    assert refusals > 0
    too_high = {**said, "goal": goal + 1}
    with pytest.raises(ValueError, match="and not"):
        check(game, too_high)
    with pytest.raises(ValueError, match="other rules"):
        check(gdl.load("connectfour", backend="reason"), said)
    with pytest.raises(ValueError, match="it takes"):
        check(game, {**said, "plies": said["plies"] - 1})


@pytest.mark.slow
def test_a_walk_that_may_go_to_and_fro_is_forced_the_shortest_way() -> None:
    found = force(of(WALK).initial(), "walker")
    assert found.is_forced
    assert found.strategy().plies == 7


CIRCLE = GraphGame(
    ("a", "b"),
    (
        Node(movers=(0,), targets={(0,): 1, (1,): 3}),
        Node(movers=(1,), targets={(0,): 0, (1,): 2}),
        Node(goals=(50, 50)),
        Node(goals=(0, 100)),
    ),
)
"""The value is 50, by an end or without one: b chooses whether play goes round for ever."""


def test_an_end_that_the_other_may_put_off_for_ever_is_not_forced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = of(CIRCLE.rules()).initial()
    assert solve_all(start.game).value == 50
    monkeypatch.setattr("gdl.play.force._workspace", lambda _state: None)
    with pytest.raises(UnsolvedError) as caught:
        force(start, "a", goal=50)
    assert str(caught.value) == (
        "what can be forced in game cannot be found\n"
        "  note: play may come round again, and perhaps the other can put off any end\n"
        "  expected: a game without chance and hidden facts in which one role at a time chooses"
    )
    assert not force(start, "a", goal=51).is_forced


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_what_is_forced_in_random_graphs_with_cycles(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the values of all positions alone: no answer may be, but no wrong one."""
    monkeypatch.setattr("gdl.play.force._workspace", lambda _state: None)
    written = random_game(seed + 900, goals=(0, 30, 50, 70, 100), nodes=16)
    start = of(written.rules()).initial()
    answers = 0
    for role, goal in product((0, 1), (0, 30, 50, 70, 100)):
        ends = [i for i, node in enumerate(written.nodes) if node.targets is None]
        wanted = {i for i in ends if written.nodes[i].goals[role] >= goal}
        try:
            found = force(start, written.roles[role], goal=goal, seconds=1)
        except UnsolvedError:
            continue
        answers += 1
        assert found.is_forced == (0 in forced(written, role, wanted)), (role, goal)
    assert answers >= 4


@pytest.mark.slow
@pytest.mark.parametrize("text", [DICE, PENNIES])
def test_chance_and_moves_at_once_are_refused(text: str) -> None:
    game = of(text)
    with pytest.raises(UnsolvedError) as caught:
        force(game.initial(), game.roles[0])
    assert "what can be forced in game cannot be found" in str(caught.value)


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "o.json"
    found = command("force", "tictactoe", "--draws", "o", "--strategy", str(file))
    assert found.code == 0
    assert "o can force 50" in found.out
    assert check(gdl.load("tictactoe", backend="reason"), json.loads(file.read_text())) > 10
    found = command("force", "tictactoe", "--wins", "x", "--json")
    assert found.code == 1
    assert json.loads(found.out)["forced"] is False
    found = command("force", "tictactoe")
    assert found.code == 2
    assert "whose goal?" in found.err
