"""What can still come of a position: never too little, and how much of what is dead is seen."""

import json
import random

import pytest

import gdl
from gdl.language.diagnostics import GdlError
from gdl.ruleset import Ruleset
from gdl.state import State
from gdl.verify.questions.prospects import Goals, Prospects
from tests.cli.running import gdl as run
from tests.shared import SHARED, needs_games


def every_state(game: gdl.Game) -> dict[int, State]:
    """Return all states of a game by their keys, those behind a state after it."""
    found = {game.initial().key: game.initial()}
    waiting = list(found.values())
    while waiting:
        state = waiting.pop()
        if state.is_terminal:
            continue
        role = state.movers[0] if state.movers else game.roles[0]
        for move in state.legal(role):
            after = state.play(
                {role: move}
                | {other: state.legal(other)[0] for other in game.roles if other != role}
            )
            if found.setdefault(after.key, after) is after:
                waiting.append(after)
    return found


def truths(game: gdl.Game, states: dict[int, State]) -> dict[int, Goals]:
    """Return the goals that can come of each state, by a plain search from the ends back."""
    machine = game.machine
    known: dict[int, Goals] = {}
    for state in sorted(states.values(), key=lambda state: -state.ply):
        if state.is_terminal:
            known[state.key] = tuple(
                frozenset(machine.goals(state.inner, role)) for role in machine.roles
            )
            continue
        role = state.movers[0] if state.movers else game.roles[0]
        behind = [
            known[
                state.play(
                    {role: move}
                    | {other: state.legal(other)[0] for other in game.roles if other != role}
                ).key
            ]
            for move in state.legal(role)
        ]
        known[state.key] = tuple(
            frozenset().union(*(goals[at] for goals in behind)) for at in range(len(machine.roles))
        )
    return known


@pytest.mark.slow
def test_nothing_that_can_come_is_ever_missed_in_tictactoe() -> None:
    game = gdl.load("tictactoe")
    states = every_state(game)
    assert len(states) == 5478
    truth = truths(game, states)
    keys, dead, seen = list(states), 0, 0
    prospects = Prospects(game)
    for key, goals in zip(keys, prospects.goals([states[key] for key in keys]), strict=True):
        for may, can in zip(goals, truth[key], strict=True):
            assert can <= may
            dead += 100 not in can
            seen += 100 not in may
    assert (dead, seen) == (2304, 1436)  # of the sides that cannot win any more
    some = random.Random(1).sample(keys, 100)
    assert [prospects.exact(states[key]) for key in some] == [truth[key] for key in some]


def played(game: gdl.Game, count: int, seed: int) -> list[State]:
    """Return positions of random plays, late ones, reached on the rules as written."""
    chance = random.Random(seed)
    states: list[State] = []
    while len(states) < count:
        play = [game.initial()]
        while not play[-1].is_terminal and len(play) < 300:
            legal = [game.machine.legal(play[-1].inner, role) for role in game.machine.roles]
            play.append(play[-1].play(tuple(map(chance.choice, legal))))
        states.append(chance.choice(play[len(play) // 2 :]))
    return states


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "connectfour?columns=4&rows=4",
        "othello",
        "breakthrough",
        "clobber",
        "rockpaperscissors",
        "lightsout",
    ],
)
def test_no_side_is_called_dead_that_can_win(name: str) -> None:
    game = gdl.load(name, backend="reason")
    prospects = Prospects(game)
    states = played(game, 60, seed=3)
    known = 0
    for state, may in zip(states, prospects.goals(states), strict=True):
        exact = prospects.exact(state, positions=3000)
        if exact is not None:
            known += 1
            assert all(can <= goals for can, goals in zip(exact, may, strict=True))
    assert known


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("name", ["nim1", "blocker", "eightPuzzle", "chomp", "quarto"])
def test_no_end_of_a_published_game_is_missed(name: str) -> None:
    game = gdl.load(SHARED / "games" / f"{name}.kif", backend="reason")
    prospects = Prospects(game)
    chance = random.Random(5)
    for _ in range(10):
        play = [game.initial()]
        while not play[-1].is_terminal and len(play) < 200:
            legal = [game.machine.legal(play[-1].inner, role) for role in game.machine.roles]
            play.append(play[-1].play(tuple(map(chance.choice, legal))))
        if play[-1].is_terminal:
            end = [set(game.machine.goals(play[-1].inner, role)) for role in game.machine.roles]
            for goals in prospects.goals(play[::5]):
                assert all(mine <= may for mine, may in zip(end, goals, strict=True))


def test_a_full_board_but_one_square_is_decided() -> None:
    state = gdl.load("tictactoe").initial()
    prospects = Prospects("tictactoe")
    assert prospects.goals([]) == []
    assert prospects.goals([state]) == [(frozenset({0, 50, 100}), frozenset({0, 50, 100}))]
    for cell in ("b2", "a1", "c1", "a3", "a2", "c2", "b3", "b1"):
        state = state.play(cell)
    assert prospects.goals([state]) == [(frozenset({50}), frozenset({50}))]
    assert prospects.exact(state) == (frozenset({50}), frozenset({50}))
    assert prospects.cannot_win([state], 0) == [True]
    assert prospects.exact(gdl.load("tictactoe").initial(), positions=10) is None


LATE = (
    "(role x) (init (step 0)) (legal x a) (legal x b)"
    + "".join(f"(after {n} {n + 1})" for n in range(20))
    + """
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= (next won) (does x a)) (<= (next won) (true won)) (<= terminal (true (step 20)))
(<= (goal x 100) (true won)) (<= (goal x 0) (not (true won)))
"""
)


def test_an_end_that_comes_late_is_not_missed() -> None:
    """With no end within eight plies nothing was looked at behind these: no goal could come."""
    game = gdl.load(Ruleset("late", (), text=LATE))
    start = game.initial()
    later = start.play("a")
    assert Prospects(game).goals([start]) == [(frozenset({0, 100}),)]
    assert Prospects(game).goals([start, later])[1] == (frozenset({100}),)


def test_a_position_of_which_nothing_is_known_is_refused() -> None:
    state = gdl.load("tictactoe", backend="reason").state(["(cell a 1 x)", "(cell a 1 o)"])
    with pytest.raises(GdlError) as caught:
        Prospects("tictactoe").goals([state])
    assert str(caught.value) == (
        "it is not known whether play leads to position 1\n"
        "  expected: a position that was reached from the first one"
    )


def test_the_command_says_who_cannot_win_any_more() -> None:
    moves = "b2; a1; c1; a3; a2; c2; b3"
    ran = run("prospects", "tictactoe", "--moves", moves)
    assert ran.code == 0
    assert ran.out == "x: 50 or 100\no: 0 or 50, cannot win any more\nexact\n"
    ran = run("prospects", "tictactoe", "--moves", f"{moves}; b1", "--json")
    assert json.loads(ran.out)["goals"] == {"x": [50], "o": [50]}
    ran = run("prospects", "tictactoe", "--moves", "b2; a1; c1; a3; a2; c2", "--positions", "0")
    assert ran.out.endswith("nothing else can come; some of these perhaps cannot either\n")
