"""The machine code of the search is made once, by a process of its own, and holds up nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from threading import Event

import pytest

import gdl
from tests.shared import missing

pytest.importorskip("numba", reason=missing("play"))

from gdl.native.precompiled import READY_VARIABLE
from gdl.play import Budget, code_maker
from gdl.play.mcts import MctsPlayer

MISSES = """
import sys, gdl
from gdl.play import Budget, choose, make
game = gdl.load(sys.argv[1], backend="native")
state = game.initial()
player = make(sys.argv[2], role=game.role(game.roles[0]), seed=1)
choose(player, state, Budget(simulations=200), role=game.roles[0])
from gdl.play import dfpn, lanes, null_window, recycle, tree_search
entries = (tree_search.search, tree_search.add_root, dfpn.prove, recycle.recycle,
           lanes.mean_goals, null_window.test, lanes.read_states)
print(sum(sum(entry.stats.cache_misses.values()) for entry in entries))
"""
ANSWERS = """
import time, gdl
from gdl.play import Budget, choose, make
game = gdl.load("tictactoe", backend="native")
player = make("mcts", role=game.role("x"), seed=1)
budget = Budget(1.0)
move = choose(player, game.initial(), budget, role="x")
print(budget.left > -1.0)
print(player.thoughts.note)
print(player.thoughts.simulations)
"""


def environment(place: Path) -> dict[str, str]:
    """Return that of a process on a machine where nothing is kept yet, and nothing is ready."""
    kept = {"NUMBA_CACHE_DIR": str(place / "numba"), "GDL_CACHE": str(place / "games")}
    return {**os.environ, **kept, READY_VARIABLE: ""}


def run(place: Path, *words: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, *words], env=environment(place), capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()


@pytest.mark.alone
def test_the_first_move_comes_in_its_time_and_then_all_is_made_that_a_search_needs(
    tmp_path: Path,
) -> None:
    """Begins where nothing is kept; code takes more than a minute to make."""
    in_time, note, simulations = run(tmp_path, "-c", ANSWERS)
    run(tmp_path, "-m", "gdl.play.code_maker")  # waits for the one that goes on
    assert in_time == "True"
    assert note == "without the machine code of the search, which is being made"
    assert int(simulations) > 100
    for game, player in (("connectfour", "mcts"), ("pentago/strict", "alphabeta"), ("go", "mcts")):
        assert run(tmp_path, "-c", MISSES, game, player) == ["0"], (game, player)


def test_who_is_not_wanted_any_more_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many quick games in a row none holds a search that nobody waits for."""
    waits, made = Event(), list[MctsPlayer]()
    monkeypatch.setattr(code_maker, "await_code", waits.wait)
    monkeypatch.setattr(MctsPlayer, "make", lambda player, _game: made.append(player))
    game = gdl.load("tictactoe", backend="native")
    kept = MctsPlayer(seed=1)
    for player in (kept, MctsPlayer(seed=2)):
        player.prepare(game, Budget(0.01))
    makers = [thread for thread in threading.enumerate() if "_make_for" in thread.name]
    del player
    waits.set()
    for maker in makers:
        maker.join()
    assert made == [kept]
