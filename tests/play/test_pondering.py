"""Thinking in the time of others: the tree grows, the next move knows of it, and nobody waits."""

from __future__ import annotations

import gc
import threading
import time

import pytest

from gdl.game import load
from gdl.play import Budget, choose, make, prepare
from gdl.play.mcts import MctsPlayer
from gdl.play.player import thoughts_of


def grown_in_others_time(spec: str) -> tuple[MctsPlayer, int]:
    """Return a player of Connect Four after two moves, and how often it looked at the second."""
    game = load("connectfour", backend="native")
    first, second = game.roles
    player = make(spec, role=game.role(first), seed=1)
    assert isinstance(player, MctsPlayer)
    prepare(player, game, Budget())
    state = game.initial()
    state = state.play(choose(player, state, Budget(simulations=500), role=first))
    if player._pondering is not None:
        while player._pondering._grown[0] < 1_000:
            time.sleep(0.01)
    state = state.play(state.legal(second)[3])
    before = time.process_time()  # what still ponders goes on using it
    choose(player, state, Budget(simulations=1), role=first)
    assert time.process_time() - before < 2
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert ("simulations while others thought" in thoughts.note) == ("ponder" in spec)
    return player, sum(each.visits for each in thoughts.candidates)


@pytest.mark.slow
def test_the_next_move_knows_what_was_found_meanwhile() -> None:
    player, pondered = grown_in_others_time("mcts:ponder=on,memory=64")
    other, idle = grown_in_others_time("mcts:memory=64")
    assert pondered > 2 * idle
    thread = player._pondering._thread  # type: ignore[union-attr]
    assert thread is not None
    assert thread.is_alive() or player._pondering._grown[0]  # type: ignore[union-attr]
    assert other._pondering is None
    del player
    gc.collect()
    thread.join(60)  # it would go on for minutes
    assert thread not in threading.enumerate()


def test_a_game_is_played_to_its_end_while_both_ponder() -> None:
    game = load("tictactoe", backend="native")
    players = [
        make("mcts:ponder=on,memory=32", role=game.role(role), seed=n)
        for n, role in enumerate(game.roles)
    ]
    for player in players:
        prepare(player, game, Budget())
    state = game.initial()
    while not state.is_terminal:
        mover = state.movers[0]
        player = players[game.roles.index(mover)]
        # Each ends when it has proved what the position is worth, soon, however busy the machine.
        state = state.play(choose(player, state, Budget(60.0), role=mover))
    assert state.goal("x") == 50
