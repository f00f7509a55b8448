"""Lockstep with a foreign implementation: open_spiel plays the utwente and the freestyle rules."""

from collections.abc import Callable
from random import Random

import pytest

from engine.gomoku import GomokuGame, PlaceStone
from engine.pentago import UTWENTE, PentagoGame
from tests.scenarios.gomoku import drawn_game, won_on_the_last_cell
from tests.shared import missing

pytest.importorskip("pyspiel", reason=missing("openspiel"))

import pyspiel

PENTAGO_GAMES = 1500
GOMOKU_GAMES = 150
# open_spiel names a rotation by a letter around the board; the arrow beside each says which way.
ROTATIONS = {
    "s": "Q00 CCW",
    "t": "Q00 CW",
    "u": "Q01 CCW",
    "v": "Q01 CW",
    "w": "Q11 CCW",
    "x": "Q11 CW",
    "y": "Q10 CCW",
    "z": "Q10 CW",
}


def returns(goals: dict[str, int]) -> list[float]:
    return [(goals[role] - 50) / 50 for role in ("black", "white")]


def pentago_board(state: object) -> str:
    rows = [line[4:].replace(" ", "")[:6] for line in str(state).splitlines()[2:8]]
    return "\n".join(rows).replace("O", "B").replace("@", "W")


@pytest.mark.slow
def test_pentago_utwente_agrees_with_open_spiel_in_lockstep() -> None:
    chance = Random(1)
    game = PentagoGame(UTWENTE)
    spiel = pyspiel.load_game("pentago")
    names = [spiel.new_initial_state().action_to_string(action) for action in range(288)]
    turns = [game.parse(f"{name[:2].upper()} {ROTATIONS[name[2]]}") for name in names]
    results = {"black": 0, "white": 0, "draw": 0}
    for _ in range(PENTAGO_GAMES):
        position, state = game.initial(), spiel.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            assert {turns[action] for action in actions} == set(game.legal_moves(position))
            action = chance.choice(actions)
            position = game.play(position, turns[action])
            state.apply_action(action)
            assert game.draw(position) == pentago_board(state)
            assert game.is_terminal(position) == state.is_terminal()
        assert returns(game.goals(position)) == state.returns()
        assert position.outcome is not None
        results[position.outcome] += 1
    assert all(results.values()), results


@pytest.mark.slow
def test_gomoku_freestyle_agrees_with_open_spiel_in_lockstep() -> None:
    chance = Random(2)
    game = GomokuGame()
    spiel = pyspiel.load_game("gomoku")
    for _ in range(GOMOKU_GAMES):
        position, state = game.initial(), spiel.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            moves = game.legal_moves(position)
            assert actions == [15 * move.y + move.x for move in moves]
            choice = chance.randrange(len(actions))
            position = game.play(position, moves[choice])
            state.apply_action(actions[choice])
            assert game.is_terminal(position) == state.is_terminal()
        assert game.draw(position).lower() == "\n".join(str(state).splitlines()[1:16])
        assert returns(game.goals(position)) == state.returns()


@pytest.mark.sample(1)
@pytest.mark.parametrize("build", [drawn_game, won_on_the_last_cell])
def test_open_spiel_ends_full_boards_in_the_same_way(
    build: Callable[[Random], tuple[tuple[int, int], ...]],
) -> None:
    game = GomokuGame()
    spiel = pyspiel.load_game("gomoku")
    for seed in range(30):
        position, state = game.initial(), spiel.new_initial_state()
        for x, y in build(Random(seed)):
            assert game.is_terminal(position) == state.is_terminal() is False
            position = game.play(position, PlaceStone(x, y))
            state.apply_action(15 * y + x)
        assert state.is_terminal()
        assert returns(game.goals(position)) == state.returns()
