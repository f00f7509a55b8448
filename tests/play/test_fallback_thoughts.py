"""What players say where they had no time to think."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event, Thread

import pytest

from gdl.game import load
from gdl.language.syntax import Term
from gdl.play import Budget, Candidate, Thoughts, choose, make, prepare
from gdl.play.fallback_thoughts import (
    AT_ONCE,
    LAST,
    LINE,
    NO_TIME,
    NOTHING,
    TREE,
    fallback_thoughts,
)
from gdl.play.player import thoughts_of
from gdl.play.uct import CUT_SHORT
from gdl.reason.machine import Reasoner
from tests.play.games import HEAPS, THREE, game_of, random_state


def spent() -> Budget:
    budget = Budget(1.0)
    budget.stop()
    return budget


def test_the_line_that_was_expected_comes_first_if_play_has_followed_it() -> None:
    state = load("tictactoe", backend="reason").initial()
    role = state.game.role("x")
    line = [state]
    for _ in range(3):
        line.append(line[-1].play(line[-1].legal()[-1]))
    joint = tuple(s.last_move for s in line[1:] if s.last_move is not None)
    last = Thoughts(role, (Candidate(joint[0][0], 9, 60.0),), line=joint)
    told = fallback_thoughts(line[2], role, line[2].legal(role), spent(), last)
    assert (told.best.move, told.note) == (joint[2][0], LINE)
    elsewhere = line[1].play(line[1].legal()[0])
    assert fallback_thoughts(elsewhere, role, elsewhere.legal(role), spent(), last).note == NOTHING


def test_what_wins_at_once_is_seen_while_there_is_time() -> None:
    state = load("tictactoe", backend="reason").initial()
    for move in ("(mark a 1)", "(mark b 1)", "(mark a 2)", "(mark b 2)"):
        state = state.play(move)
    role = state.game.role("x")
    told = fallback_thoughts(state, role, state.legal(role), Budget(5.0), None)
    assert state.play(told.best.move).goal("x") == 100
    assert (told.note, told.best.proven) == (AT_ONCE, True)
    legal = state.legal(role)
    assert state.last_move is not None
    last = Thoughts(role, (Candidate(state.last_move[1], 9, 50.0), Candidate(legal[3], 1, 40.0)))
    assert fallback_thoughts(state, role, legal, spent(), last).best.move == legal[3]
    assert fallback_thoughts(state, role, legal, spent(), last).note == LAST
    assert fallback_thoughts(state, role, legal, spent(), None).best.move == legal[0]


@pytest.mark.later
@pytest.mark.sample(3)
@pytest.mark.parametrize("spec", ["mcts", "mcts:native=off", "alphabeta", "solve"])
@pytest.mark.parametrize("backend", ["native", "reason"])
def test_no_player_draws_a_move_for_want_of_time_and_each_says_so(spec: str, backend: str) -> None:
    game = load("connectfour", backend="native" if backend == "native" else "reason")
    state = random_state(game, 6, 1)
    role = game.role(state.movers[0])
    for seed in range(3):
        player = make(spec, role=role, seed=seed)
        prepare(player, game, Budget())
        move = choose(player, state, spent(), role=role)
        thoughts = thoughts_of(player)
        assert thoughts is not None
        # Seeds may differ where the root was judged by playouts, and nowhere else.
        is_judged = thoughts.playouts or any(each.value for each in thoughts.candidates)
        assert is_judged or thoughts.note.startswith("no time to think")
        assert is_judged or move == state.legal(role)[0]


@pytest.mark.sample(2)
@pytest.mark.parametrize("spec", ["mcts", "alphabeta", "solve", "greedy", "puzzle", "equilibrium"])
def test_a_millisecond_on_a_busy_machine_is_no_draw(spec: str) -> None:
    state = random_state(load("connectfour", backend="reason"), 6, 1)
    role = state.game.role(state.movers[0])
    is_over = Event()

    def be_busy() -> None:
        while not is_over.is_set():
            sum(range(1_000))

    hogs = [Thread(target=be_busy, daemon=True) for _ in range(3)]
    for hog in hogs:
        hog.start()
    try:
        for seed in range(2):
            player = make(spec, role=role, seed=seed)
            move = choose(player, state, Budget(0.001), role=role)
            thoughts = thoughts_of(player)
            assert thoughts is not None
            assert thoughts.best.move == move
            is_judged = thoughts.simulations and any(each.value for each in thoughts.candidates)
            assert is_judged or thoughts.note.startswith(NO_TIME)
    finally:
        is_over.set()
        for hog in hogs:
            hog.join()


def test_the_tree_of_the_move_before_is_asked() -> None:
    game = load("connectfour", backend="native")
    state = game.initial()
    player = make("mcts", role=game.role(state.movers[0]), seed=0)
    prepare(player, game, Budget())
    choose(player, state, Budget(simulations=3000), role=state.movers[0])
    after = state.play(thoughts_of(player).best.move)  # type: ignore[union-attr]
    after = after.play(thoughts_of(player).line[1])  # type: ignore[union-attr]
    choose(player, after, spent(), role=state.movers[0])
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert thoughts.note.startswith(TREE) or thoughts.best.visits


def test_roles_of_other_thoughts_do_not_count(tmp_path: Path) -> None:
    state = game_of(THREE, tmp_path).initial()
    a, b = state.game.role("a"), state.game.role("b")
    legal = state.legal(a)
    last = Thoughts(b, (Candidate(legal[-1], 5, 80.0),))
    assert fallback_thoughts(state, a, legal, spent(), last).best.move == legal[0]


@pytest.mark.slow
def test_rules_too_slow_for_a_playout_are_searched_some_moves_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chess by the rules as written takes seconds for one game: something is known all the same."""
    chain = " ".join(f"(succ {n} {n + 1})" for n in range(400))
    rules = (
        "(role a) (role b) (init (at 0)) (init (control a))"
        + chain
        + "(<= (legal ?r go) (true (control ?r))) (<= (legal ?r on) (true (control ?r)))"
        "(<= (legal a end) (true (at 0)))"
        "(<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))"
        "(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))"
        "(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))"
        "(<= (next won) (does a end))"
        "(<= terminal (true won)) (<= terminal (true (at 400)))"
        "(<= (goal a 100) (true won)) (<= (goal b 0) (true won))"
        "(<= (goal ?r 50) (role ?r) (not (true won)))"
    )
    file = tmp_path / "long.kif"
    file.write_text(rules)
    game = load(file, backend="reason")
    legal = Reasoner.legal

    def slow(self: Reasoner, state: frozenset[Term], role: Term) -> tuple[Term, ...]:
        time.sleep(0.004)
        return legal(self, state, role)

    monkeypatch.setattr(Reasoner, "legal", slow)
    player = make("mcts:native=off", role=game.role("a"), seed=3)
    move = choose(player, game.initial(), Budget(1.0), role="a")
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert (str(move), thoughts.note) == ("end", CUT_SHORT)
    assert thoughts.simulations > 3
    other = game.initial().play("go")
    moved = choose(
        make("mcts:native=off", role=game.role("b"), seed=3), other, Budget(1.0), role="b"
    )
    assert str(moved) in {"go", "on"}


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["mcts", "solve", "alphabeta"])
def test_a_second_is_enough_to_look_at_some_of_thousands_of_moves(
    spec: str, tmp_path: Path
) -> None:
    """A look at all replies to all moves took two seconds, and nothing could break it off."""
    game = game_of(HEAPS, tmp_path)
    player = make(spec, role=game.role("x"), seed=1)
    prepare(player, game, Budget())
    move = choose(player, game.initial(), Budget(1.0), role="x")
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert thoughts.note != NOTHING
    assert thoughts.best.move == move
    if thoughts.best.proven:  # where a second is enough to look at all: one counter is left
        after = game.initial().play(move)
        (reply,) = after.legal("y")
        assert after.play(reply).goal("x") == 100
    else:
        assert thoughts.simulations > 10
