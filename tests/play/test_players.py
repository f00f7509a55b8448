"""What holds of every player, in games of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from gdl.game import Game, load
from gdl.language.syntax import Constant
from gdl.machine import IllegalMoveError
from gdl.play import Budget, InformationState, MoveAndPercepts, Player, choose, make, prepare
from gdl.play.information import information_state, is_nature
from gdl.play.player import PlayerError, thoughts_of
from gdl.state import State
from tests.cli.conftest import COIN
from tests.play.games import (
    BLIND,
    COUNTER,
    DICE,
    DOMINATED,
    KINDS,
    SECRETS,
    WALK,
    game_of,
    random_state,
)

SPECS = (
    "random",
    "greedy",
    "mcts",
    "mcts:native=off",
    "mcts:rave=on",
    "mcts:rave=on,native=off",
    "mcts:grave=20,playouts=scalar",
    "mcts:grave=20,native=off",
    "alphabeta",
    "solve",
)


def match(game: Game, specs: list[str], *, simulations: int, seed: int = 1) -> State:
    """Play to the end, with so many simulations a move; nature is chance."""
    players: list[Player] = [
        make("random" if is_nature(role) else spec, role=role, seed=seed)
        for role, spec in zip(game.machine.roles, specs, strict=True)
    ]
    for player in players:
        prepare(player, game, Budget())
    state = game.initial()
    while not state.is_terminal:
        clocks = [Budget(simulations=simulations) for _ in players]
        state = state.play(
            [
                choose(player, state, budget, role=role)
                for player, budget, role in zip(players, clocks, game.roles, strict=True)
            ]
        )
    return state


@pytest.mark.sample(24)
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_player_plays_every_kind_of_game_to_its_end(
    spec: str, kind: str, tmp_path: Path
) -> None:
    game = game_of(KINDS[kind], tmp_path)
    state = match(game, [spec] * len(game.roles), simulations=60)
    assert state.is_terminal


@pytest.mark.parametrize("backend", ["native", "reason"])
def test_the_same_seed_and_simulations_play_the_same_game(backend: str) -> None:
    game = load("connectfour", backend="reason" if backend == "reason" else "native")
    simulations = 300 if backend == "native" else 12
    state = random_state(game, 20, 3)
    for spec in ("random", "greedy", "mcts"):
        moves = []
        for _ in range(2):
            player = make(spec, role=game.role(state.movers[0]), seed=5)
            prepare(player, game, Budget())
            budget = Budget(simulations=simulations)
            moves.append((choose(player, state, budget, role=state.movers[0]), thoughts_of(player)))
        (one, thoughts), (other, others) = moves
        assert one == other
        if thoughts is not None and others is not None:
            assert thoughts.candidates == others.candidates


@pytest.mark.sample(2)
@pytest.mark.parametrize("spec", SPECS[2:])
def test_searchers_find_the_single_line_of_a_puzzle(spec: str, tmp_path: Path) -> None:
    game = game_of(COUNTER, tmp_path)
    assert match(game, [spec], simulations=400).goal("solver") == 100


@pytest.mark.parametrize("spec", ["mcts", "mcts:rave=on", "alphabeta"])
def test_of_moves_at_once_the_dominant_one_is_found(spec: str, tmp_path: Path) -> None:
    game = game_of(DOMINATED, tmp_path)
    assert match(game, [spec, "random"], simulations=200).goal("even") == 100


@pytest.mark.slow
def test_what_is_seen_is_used_and_what_is_hidden_is_not_known(tmp_path: Path) -> None:
    seeing = game_of(COIN, tmp_path, name="coin")
    hidden = game_of(BLIND, tmp_path, name="blind")
    seen = [match(seeing, ["random", "mcts"], simulations=40, seed=s) for s in range(8)]
    assert all(state.goal("guesser") == 100 for state in seen)
    guesses = [match(hidden, ["random", "mcts"], simulations=40, seed=s) for s in range(24)]
    won = sum(state.goal("guesser") == 100 for state in guesses)
    assert 4 <= won <= 20  # half of them but for a chance of one in 1,000


def test_a_sight_grows_step_by_step_to_what_the_state_shows(tmp_path: Path) -> None:
    game = game_of(COIN, tmp_path)
    state = game.initial().play({"random": "(toss heads)"})
    guesser = game.role("guesser")
    assert state.last_move is not None
    glimpse = game.machine.percepts(game.initial().inner, state.last_move, guesser)
    grown = InformationState(game, guesser, game.initial()).after(Constant("noop"), glimpse)
    assert (
        grown.steps
        == information_state(state, guesser).steps
        == (MoveAndPercepts(Constant("noop"), glimpse),)
    )
    assert list(grown.legal()) == list(state.legal("guesser"))


def test_greedy_wins_at_once_and_does_not_lose_at_once() -> None:
    game = load("tictactoe", backend="reason")
    state = game.initial()
    for move in ("a1", "b1", "a2", "b2"):
        state = state.play(move)
    player = make("greedy", role=game.role("x"))
    assert state.notation(choose(player, state, Budget(5), role="x")) == "a3"


def test_a_player_that_names_an_illegal_move_is_refused() -> None:
    state = load("tictactoe", backend="reason").initial()
    with pytest.raises(IllegalMoveError) as caught:
        choose(lambda _game, _state, _clock: Constant("nonsense"), state, Budget(1), role="x")
    assert str(caught.value).startswith("nonsense is not legal for x")


NO_MOVE = """\
the player of x named 'nonsense', which is no move
  expected: what state.move() reads
  note: move:1:1: error[not-a-move]: this is no move
  1 | nonsense
    | ^
  expected: a column (a, b or c), noop or "-", as in b2"""


def test_a_player_that_names_what_is_no_move_is_told_of() -> None:
    state = load("tictactoe", backend="reason").initial()
    with pytest.raises(PlayerError) as caught:
        choose(lambda _game, _state, _clock: "nonsense", state, Budget(1), role="x")  # type: ignore[arg-type]  # a text is taken, too
    assert str(caught.value) == NO_MOVE


@pytest.mark.parametrize("spec", ["mcts", "alphabeta", "solve"])
def test_thoughts_name_legal_moves_and_a_line_that_can_be_played(spec: str) -> None:
    game = load("tictactoe")
    state = random_state(game, 3, 1)
    role = state.movers[0]
    player = make(spec, role=game.role(role), seed=1)
    prepare(player, game, Budget())
    move = choose(player, state, Budget(simulations=500), role=role)
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert thoughts.best.move == move
    assert thoughts.simulations > 0
    legal = state.legal(role)
    assert all(each.move in legal for each in thoughts.candidates)
    assert all(0 <= each.value <= 100 for each in thoughts.candidates)
    for joint in thoughts.line:
        state = state.play(joint)


@pytest.mark.sample(4)
@pytest.mark.parametrize("spec", ["mcts", "mcts:native=off", "alphabeta", "solve"])
@pytest.mark.parametrize(("bad", "best"), [("1", "gamble"), ("2", "safe")])
def test_what_a_die_shows_is_drawn_and_not_chosen(
    spec: str, bad: str, best: str, tmp_path: Path
) -> None:
    rules = DICE
    if bad == "2":  # one face of five wins, and not four
        rules = rules.replace("(goal you 0)", "(goal you ?)").replace(
            "(goal you 100)", "(goal you 0)"
        )
        rules = rules.replace("(goal you ?)", "(goal you 100)")
    game = game_of(rules, tmp_path)
    player = make(spec, role=game.role("you"), seed=1)
    prepare(player, game, Budget())
    assert str(choose(player, game.initial(), Budget(simulations=2_000), role="you")) == best
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert not any(candidate.proven for candidate in thoughts.candidates)
    assert thoughts.best.value == pytest.approx(80 if best == "gamble" else 60, abs=10)


@pytest.mark.later
@pytest.mark.sample(3)
@pytest.mark.parametrize("spec", SPECS)
def test_where_no_state_is_found_that_agrees_a_move_is_made_all_the_same(
    spec: str, tmp_path: Path
) -> None:
    game = game_of(SECRETS, tmp_path)
    state = game.initial()
    for number in (7, 21, 35):
        state = state.play({"hider": f"(pick {number})", "seeker": "noop"})
    state = state.play({"hider": "noop", "seeker": "noop"})
    player = make(spec, role=game.role("seeker"), seed=1)
    prepare(player, game, Budget())
    move = choose(player, state, Budget(simulations=20), role="seeker")
    assert move in state.legal("seeker")
    thoughts = thoughts_of(player)
    assert thoughts is None or thoughts.note.startswith("no time to think")


@pytest.mark.sample(1)
@pytest.mark.parametrize("spec", ["mcts", "mcts:native=off", "mcts:proof=0", "alphabeta", "solve"])
@pytest.mark.parametrize("backend", ["native", "reason"])
@pytest.mark.parametrize("goals", [True, False])
def test_who_has_won_comes_nearer_to_the_end(
    spec: str,
    backend: Literal["native", "reason"],
    goals: bool,  # noqa: FBT001  # pytest
    tmp_path: Path,
) -> None:
    rules = WALK if goals else WALK.replace("(<= (goal walker 0) (not (true (at 12))))", "")
    game = load(game_of(rules, tmp_path).ruleset, backend=backend)
    player = make(spec, role=game.role("walker"), seed=1)
    prepare(player, game, Budget())
    state = game.initial()
    while not state.is_terminal and state.ply < 20:
        budget = Budget(simulations=20_000)
        state = state.play([choose(player, state, budget, role="walker")])
    assert state.is_terminal
    assert state.ply == 7


BETTER = """
; The first pick decides, and comes five plies before the end: the fourth is worth most.
(role first) (role second) (init (turn first)) (init (ply 0))
(mark 1) (mark 2) (mark 3) (mark 4) (mark 5) (mark 6)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (legal ?r (pick ?m)) (true (turn ?r)) (mark ?m))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (turn second)) (true (turn first)))
(<= (next (turn first)) (true (turn second)))
(<= (next (picked ?m)) (does first (pick ?m)))
(<= (next (picked ?m)) (true (picked ?m)))
(<= (next (ply ?n)) (true (ply ?m)) (succ ?m ?n))
(<= terminal (true (ply 5)))
(<= (goal first 90) (true (picked 4)))
(<= (goal second 10) (true (picked 4)))
(<= (goal first 20) (not (true (picked 4))))
(<= (goal second 80) (not (true (picked 4))))
"""


def test_of_moves_that_were_tried_equally_often_the_one_that_looks_best_is_played(
    tmp_path: Path,
) -> None:
    """One simulation makes the root, whose playouts value every move, and visits none of them."""
    pytest.importorskip("numba", reason="needs the extra play")
    game = game_of(BETTER, tmp_path)
    player = make("mcts:proof=0.001", role=game.role("first"), seed=1)
    prepare(player, game, Budget(30))
    move = choose(player, game.initial(), Budget(simulations=1), role="first")
    thoughts = thoughts_of(player)
    assert thoughts is not None
    values = [candidate.value for candidate in thoughts.candidates]
    assert {candidate.visits for candidate in thoughts.candidates} == {0}
    assert values == sorted(values, reverse=True)
    assert str(move) == "(pick 4)"
