"""With a table of all positions no player leaves the value, nor goes round in circles."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

import gdl
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.play import Budget, choose, make, prepare
from gdl.play.player import thoughts_of
from gdl.play.tablebase import table_thoughts
from gdl.ruleset import Ruleset
from gdl.solve.table import Value
from gdl.state import State
from tests.play.games import COUNTER, DICE, THREE
from tests.solve.board_games import board_rules
from tests.solve.graph_games import GraphGame, Node
from tests.solve.rule_games import Kind, rules

pytest.importorskip("numba")
pytest.importorskip("scipy")
PLAYERS = ("greedy", "mcts", "alphabeta", "solve", "puzzle", "equilibrium")
GAMES = ("tictactoe", "connectfour?columns=4&rows=4", "morris/three", "counter", "three", "dice")


@cache
def solved(name: str) -> Game:
    """Return a game that knows the values of all its positions."""
    from gdl.solve import solve

    texts = {"counter": COUNTER, "three": THREE, "dice": DICE + "(goal random 0)"}
    rules = Ruleset(id=name, paths=(), text=texts[name]) if name in texts else name
    game = gdl.load(rules, backend="native")
    game.use(solve(game).table)
    return game


def worth(state: State) -> Value:
    """Return what the table says."""
    value: Value = state.value()
    return value


def goal(state: State, role: Term) -> float:
    value = worth(state).goals[str(role)]
    return -1.0 if value is None else value


def chooser(state: State) -> str | None:
    """Return the role that has a choice, if one has."""
    return next((role for role in state.game.roles if len(state.legal(role)) > 1), None)


def positions(game: Game, seed: int, number: int) -> list[State]:
    """Return positions drawn by random play in which somebody has a choice."""
    rng = Random(seed)
    found: list[State] = []
    while len(found) < number:
        states = [game.initial()]
        while not states[-1].is_terminal and len(states) < 60:
            here = states[-1]
            states.append(here.play([rng.choice(here.legal(role)) for role in game.roles]))
        open_ = [s for s in states if not s.is_terminal and chooser(s) not in {None, "random"}]
        found += [rng.choice(open_)] if open_ else []
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("spec", PLAYERS)
def test_a_player_with_a_table_never_leaves_the_value(name: str, spec: str) -> None:
    game = solved(name)
    players = {role: make(spec, role=role, seed=1) for role in map(game.role, game.roles)}
    for state in positions(game, 5, 40):
        role = game.role(chooser(state) or "")
        player = players[role]
        move = choose(player, state, Budget(0.05), role=role)
        after = state.play({r: move if r == str(role) else state.legal(r)[0] for r in game.roles})
        assert goal(after, role) == goal(state, role)
        here, there = worth(state), worth(after)
        if here.distance is not None and "random" not in game.roles:
            assert there.goals == here.goals
            assert there.distance == here.distance - 1


TWO = GraphGame(
    ("a", "b"),
    (
        Node(movers=(0,), targets={(0,): 1, (1,): 2}),
        Node(movers=(1,), targets={(0,): 3, (1,): 4}),
        Node(goals=(50, 50)),
        Node(goals=(100, 0)),
        Node(goals=(0, 100)),
    ),
).rules()


@pytest.mark.parametrize(("spec", "text"), [("puzzle", COUNTER), ("equilibrium", TWO)])
def test_a_table_is_asked_before_a_plan_or_an_equilibrium_is_looked_for(
    spec: str, text: str
) -> None:
    from gdl.solve import solve

    game = gdl.load(Ruleset(id="small", paths=(), text=text), backend="native")
    game.use(solve(game).table)
    player = make(spec, role=game.role(game.roles[0]), seed=1)
    prepare(player, game, Budget(1.0))
    choose(player, game.initial(), Budget(1.0), role=game.roles[0])
    thoughts = thoughts_of(player)
    assert thoughts is not None
    assert thoughts.note.startswith("by the table")


@pytest.mark.slow
def test_a_won_game_ends_when_the_table_says_whatever_the_other_does() -> None:
    game = solved("morris/three")
    rng = Random(2)
    won = 0
    players = {role: make("mcts", role=role, seed=1) for role in map(game.role, game.roles)}
    for state in positions(game, 9, 60):
        role = state.legal().role
        value = worth(state)
        if value.goals[str(role)] != 100 or value.distance is None:
            continue
        won += 1
        player = players[role]
        now = state
        while not now.is_terminal:
            moves = list(now.legal())
            mine = now.legal().role == role
            now = now.play(
                choose(player, now, Budget(0.05), role=role) if mine else rng.choice(moves)
            )
        assert now.ply <= state.ply + value.distance
        assert now.goal(role) == 100
    assert won > 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_play_by_the_table_ends_when_and_as_it_says(seed: int) -> None:
    """In games made up of tokens, clocks, marks, circles, with goals of every kind."""
    from gdl.solve import solve

    kind = Kind(("a", "b", "c")[: 1 + seed % 3], "turns", bool(seed % 2), has_clock=seed % 5 < 2)
    text = board_rules(seed) if seed % 6 == 5 else rules(kind, seed)
    game = gdl.load(Ruleset(id="made up", paths=(), text=text), backend="native")
    try:
        game.use(solve(game).table)
    except GdlError:
        pytest.skip("the game has no values")
    rng = Random(seed)
    for _ in range(12):
        state = game.initial()
        for _ in range(rng.randrange(9)):
            if not state.is_terminal:
                state = state.play([rng.choice(state.legal(role)) for role in game.roles])
        value, begun = worth(state), state.ply
        for _ in range(80 if value.distance is None else value.distance):
            assert not state.is_terminal
            joint = [state.legal(role)[0] for role in game.roles]
            if (mover := chooser(state)) is not None:
                known = table_thoughts(state, game.role(mover))
                assert known is not None
                joint[game.roles.index(mover)] = known.best.move
            state = state.play(joint)
        assert state.is_terminal == (value.distance is not None)
        if state.is_terminal:
            assert state.ply - begun == value.distance
            assert {r: state.goal(r) for r in game.roles} == value.goals


@pytest.mark.slow
def test_where_another_role_chooses_no_single_move_is_said_to_be_worth_anything() -> None:
    """Of five faces the first is worth 0; a role that has nothing to choose is not told that."""
    game = solved("dice")
    rolling = game.initial().play({"you": "gamble"})
    assert worth(rolling).goals == {"you": 80}
    for role in ("you", "random"):
        assert table_thoughts(rolling, game.role(role)) is None
    noughts = solved("tictactoe")
    assert table_thoughts(noughts.initial(), noughts.role("o")) is None


def test_what_no_table_covers_is_searched() -> None:
    from gdl.solve import solve

    game = gdl.load("tictactoe", backend="native")
    state = game.initial()
    role = game.role("x")
    assert table_thoughts(state, role) is None  # no table
    game.use(solve(game).table)
    known = table_thoughts(state, role)
    assert known is not None
    assert known.note == "by the table: x 50, o 50, in 9 moves"
    assert all(candidate.proven and candidate.value == 50 for candidate in known.candidates)
    # A position that play never leads to: two stones of x against none.
    later = state.play("b2").play("a1").play("c3")
    odd = game.state([fact for fact in later.facts if str(fact) != "(cell a 1 o)"])
    assert len(odd.facts) == len(later.facts) - 1
    assert table_thoughts(odd, game.role("o")) is None
    assert choose(make("mcts", role=game.role("o")), odd, Budget(0.2), role="o") in odd.legal("o")
