"""Machine code that is made beside the play: when it is taken over, and what stays on disk."""

from __future__ import annotations

import time
from pathlib import Path
from weakref import WeakValueDictionary

import pytest

import gdl
from gdl import backend
from gdl.game import Game
from gdl.play import Budget, choose, compilation, make, prepare
from gdl.play.changeover import followed
from gdl.play.compilation import Compilation
from gdl.play.mcts import MctsPlayer
from gdl.play.player import backend_of
from gdl.ruleset import Ruleset, find
from tests.play.games import COUNTER


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    """Return a game that ``auto`` left to the reasoner, since its time was short."""
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    monkeypatch.setattr(backend, "SECONDS_A_GATE", 1.0)
    monkeypatch.setattr(backend, "BUSY", 0.0)
    monkeypatch.setattr(compilation, "_running", WeakValueDictionary())
    game = gdl.load("tictactoe")
    assert game.backend == "reason"
    assert game.back_end.refusal is not None
    return game


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("spec", ["mcts", "alphabeta", "solve"])
def test_a_player_changes_over_in_the_middle_of_a_match(late: Game, spec: str) -> None:
    state = late.initial()
    player = make(spec, role=late.role("x"), seed=1)
    state = state.play(choose(player, state, Budget(0.2), role="x"))
    assert backend_of(player) == "reason"
    state = state.play(state.legal("o")[0])
    until = time.monotonic() + 60.0
    while backend_of(player) != "native" and time.monotonic() < until:
        budget = Budget(1.0)
        move = choose(player, state, budget, role="x")
        assert not budget.is_missed
    assert backend_of(player) == "native"
    prepare(player, late, Budget(60.0))  # no code is being made any more when the test ends
    state = state.play(move)
    assert state.game.backend == "reason"  # the match itself goes on as it was
    assert gdl.load("tictactoe").backend == "native"  # what was built is kept, ``auto`` finds it


@pytest.mark.slow
def test_counted_simulations_wait_and_find_the_same_move(late: Game) -> None:
    """A move that depends on no clock must not depend on how fast the machine compiles."""
    named = []
    for _ in range(2):
        player = MctsPlayer(role=late.role("x"), seed=3)
        named.append(choose(player, late.initial(), Budget(simulations=50), role="x"))
        assert player.backend == "native"
    assert named[0] == named[1]


@pytest.mark.slow
def test_nothing_is_compiled_where_the_reasoner_was_asked_for(late: Game) -> None:
    game = gdl.load("tictactoe", backend="reason")
    player = MctsPlayer(role=game.role("x"))
    choose(player, game.initial(), Budget(0.1), role="x")
    assert player.backend == "reason"
    assert player._changeover.compilation is None  # nothing else shows it
    assert late.backend == "reason"


@pytest.mark.slow
@pytest.mark.parametrize("is_kept", [True, False])
def test_a_compilation_ends_with_the_game_or_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_kept: bool
) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path) if is_kept else "")
    rules = Ruleset(id="counter.kif", paths=(), text=COUNTER)
    made = Compilation(rules, gdl.Limits())
    assert made.wait(60.0)
    assert made.game is not None
    assert made.game.backend == "native"
    assert any(tmp_path.rglob("*.kernel64")) is is_kept
    senseless = COUNTER + "(<= good (not bad)) (<= bad (not good))"
    refused = Compilation(Ruleset(id="senseless.kif", paths=(), text=senseless), gdl.Limits())
    assert refused.wait(60.0)
    assert refused.game is None
    assert refused.why
    assert "\n" not in refused.why


def test_a_state_is_carried_over_only_where_it_is_the_same() -> None:
    written = gdl.load("tictactoe", backend="reason")
    compiled = gdl.load("tictactoe", backend="native")
    state = written.initial()
    for move in ("b2", "a1", "c3"):
        state = state.play(move)
        there = followed(compiled, state)
        assert there is not None
        assert there.machine is compiled.machine
        assert there.facts == state.facts
    # Set up by its facts, and gone on from there.
    begun = written.state(state.facts)
    there = followed(compiled, begun.play(begun.legal()[0]))
    assert there is not None
    assert there.facts == begun.play(begun.legal()[0]).facts
    odd = written.state([fact for fact in state.facts if "x" in str(fact)])
    assert followed(compiled, odd) is None or followed(compiled, odd).facts == odd.facts  # type: ignore[union-attr]
    other = gdl.load(find("connectfour"), backend="reason").initial()
    assert followed(compiled, other) is None
