"""Whoever lets go of a player, or of a search, has its memory back at once.

A tree takes half a gigabyte. A cycle of references would hold it until the collector comes by,
which counts objects and not bytes; and garbage that is set aside from collections would stay for
ever.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from weakref import ref

import pytest

from gdl.game import load
from gdl.play import Budget, choose, make, prepare
from gdl.play.anytime import MANY, collect_aside, without_collections
from gdl.play.puzzles.planner import Planner, Workshop
from gdl.play.workspace import Workspace

BOTH_WIN = """
(role a) (role b) (init (turn a)) (init (at 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (step 1) (step 2)
(<= (legal ?r (go ?k)) (true (turn ?r)) (step ?k))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (at ?y)) (true (at ?x)) (does ?r (go 1)) (succ ?x ?y))
(<= (next (at ?z)) (true (at ?x)) (does ?r (go 2)) (succ ?x ?y) (succ ?y ?z))
(<= (next (at 4)) (true (at 3)) (does ?r (go 2)))
(<= (next (turn b)) (true (turn a)))
(<= (next (turn a)) (true (turn b)))
(<= terminal (true (at 4)))
(<= (goal ?r 100) (role ?r) (not (true (turn ?r))))
(<= (goal ?r 50) (true (turn ?r)))
"""
"""The sum of goals is none that alpha-beta is for."""


@pytest.fixture
def no_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.later
@pytest.mark.usefixtures("no_collections")
@pytest.mark.parametrize("spec", ["mcts", "alphabeta", "solve", "mcts:ponder=on"])
@pytest.mark.parametrize("rules", ["tictactoe", "both win"])
@pytest.mark.sample(2)
def test_a_player_and_its_memory_go_together(
    spec: str, rules: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[ref[Workspace]] = []
    begin = Workspace.__init__

    def noted(self: Workspace, *arguments: object, **keywords: object) -> None:
        begin(self, *arguments, **keywords)  # type: ignore[arg-type]
        made.append(ref(self))

    monkeypatch.setattr(Workspace, "__init__", noted)
    (tmp_path / "both.kif").write_text(BOTH_WIN)
    game = load(tmp_path / "both.kif" if rules == "both win" else rules, backend="native")
    state = game.initial()
    mover = state.movers[0]
    player = make(spec, role=game.role(mover), seed=1)
    prepare(player, game, Budget())
    choose(player, state, Budget(simulations=300), role=mover)
    if "ponder" in spec:
        player._end_pondering()  # type: ignore[attr-defined]
    assert made
    del player
    assert not any(each() is not None for each in made)


@pytest.mark.later
@pytest.mark.usefixtures("no_collections")
def test_a_planner_that_is_closed_keeps_no_searches() -> None:
    game = load("lightsout", backend="native")
    planner = Planner(Workshop(game), game.initial())
    for _ in range(3):
        planner.go_on()
    searched = ref(planner)
    planner.close()
    del planner
    assert searched() is None


class Knot:
    """Holds itself."""

    def __init__(self) -> None:
        self.self = self


@pytest.mark.later
def test_garbage_that_was_set_aside_is_collected_before_the_next_game() -> None:
    collect_aside()
    knot = ref(Knot())
    with without_collections():
        many = [[] for _ in range(2 * MANY)]  # type: ignore[var-annotated]
    assert gc.get_freeze_count() > len(many)
    gc.collect()
    assert knot() is not None
    game = load("tictactoe", backend="reason")
    prepare(make("random", role=game.role("x")), game, Budget(1.0))
    assert knot() is None
    assert gc.get_freeze_count() < len(many)


def test_nothing_is_set_aside_after_a_search_that_makes_few_objects() -> None:
    collect_aside()
    gc.collect()
    frozen = gc.get_freeze_count()
    with without_collections():
        pass
    assert gc.get_freeze_count() == frozen


SLOW = """
import time
from gdl.play.anytime import Thinker
from gdl.play.budget import Budget

class Slow:
    def go_on(self):
        time.sleep(0.5)
        print("ended", flush=True)
        return False
    def halt(self):
        pass
    def thoughts(self):
        return None

Thinker().think(Slow(), Budget(0.05))
"""
"""A search that goes on after its answer was wanted, and after the program has ended."""


def test_the_end_of_a_process_waits_for_what_is_still_searched() -> None:
    command = [sys.executable, "-c", SLOW]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "ended\n"


MAKING = """
import sys, threading, time
from gdl.play.anytime import begin_making

begin_making(threading.Thread(target=time.sleep, args=(60,), daemon=True))
sys.stdout.write("said")
sys.exit(3)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone tells who ends the exit code")
def test_a_process_that_ends_while_code_is_made_keeps_its_words_and_its_exit_code() -> None:
    command = [sys.executable, "-c", MAKING]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (3, "said", "")
