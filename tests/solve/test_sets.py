"""Values of all positions as sets of positions: those of the table, and what sets refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from tests.cli.running import gdl as command
from tests.shared import missing, some

pytest.importorskip("numba", reason=missing("solve"))
pytest.importorskip("scipy", reason=missing("solve"))
pytest.importorskip("oxidd", reason=missing("solve"))

import gdl
from gdl.game import Game, load
from gdl.language.diagnostics import GdlError
from gdl.ruleset import Ruleset
from gdl.solve import sets as sets_module
from gdl.solve import solve, solve_as_sets, solve_either
from gdl.solve.limits import WorkLimits
from gdl.solve.packing import guess_fields, sample_plays
from gdl.solve.sets import SetSolution
from gdl.solve.strong import Solution
from gdl.solve.variable_ordering import short_order
from tests.solve.board_games import board_rules
from tests.solve.graph_games import random_game
from tests.solve.rule_games import Kind, rules

Answer = TypeVar("Answer")
KINDS = [
    Kind(roles, turns, has_clock=has_clock, faults=faults)
    for roles in (("a",), ("a", "b"))
    for turns in ("turns", "place")
    for has_clock in (True, False)
    for faults in (0.0, 0.3)
]


def _game(text: str) -> Game:
    return load(Ruleset(id="game", paths=(), text=text), backend="native")


def _same(game: Game) -> Solution | None:
    """Hold every position's value to that of the table; return the table unless both refuse."""
    known = _or_refusal(lambda: solve(game, symmetries=False))
    if isinstance(known, GdlError):
        refused = _or_refusal(lambda: solve_as_sets(game))
        assert isinstance(refused, GdlError)
        assert known.message == refused.message or "with sets" in refused.message
        return None
    if known.table.head.total is None and len(game.roles) > 1:
        with pytest.raises(GdlError, match="what two roles win together"):
            solve_as_sets(game)
        return None
    found = solve_as_sets(game)
    assert (found.positions, found.initial) == (known.positions, known.initial)
    native = game.back_end.native
    assert native is not None
    names = {str(fact): i for i, fact in enumerate(native.circuit.facts)}
    rows = list(enumerate(_rows(known)))
    for row, facts in Random(0).sample(rows, min(len(rows), 300)):
        held = frozenset(names[fact] for fact in facts)
        assert found.sets.at(held) == known.table.at(row), facts
    return known


def _or_refusal(ask: Callable[[], Answer]) -> Answer | GdlError:
    try:
        return ask()
    except GdlError as refused:
        return refused


def _rows(solution: Solution) -> list[list[str]]:
    """Return the facts of each row of a table."""
    rows = []
    for key in solution.table.keys:
        total = sum(int(word) << 64 * i for i, word in enumerate(key))
        facts = []
        for start, is_exact, members in solution.table.head.fields:
            width = (len(members) - is_exact).bit_length()
            place = (total >> start & (1 << width) - 1) - (not is_exact)
            if place >= 0:
                facts.append(members[place])
        rows.append(facts)
    return rows


@pytest.mark.parametrize("game", ["tictactoe", "hex?size=3", "mnk?columns=3&rows=2&line=2"])
def test_every_position_of_a_shipped_game_has_the_value_of_the_table(game: str) -> None:
    assert _same(load(game, backend="native")) is not None


@pytest.mark.slow
@pytest.mark.parametrize("game", ["morris/three"])
def test_where_play_comes_round_again_it_is_so_too(game: str) -> None:
    assert _same(load(game, backend="native")) is not None


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", some(range(30), 15))
def test_cycles_of_two_roles(seed: int) -> None:
    _same(_game(random_game(seed).rules()))
    _same(_game(random_game(seed + 100, goals=(0, 13, 37, 63, 87, 100), nodes=40).rules()))


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", some(range(30), 15))
def test_cycles_of_one_role(seed: int) -> None:
    _same(_game(random_game(seed + 200, roles=("a",), goals=(0, 20, 90)).rules()))


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_random_rules(kind: Kind, seed: int) -> None:
    _same(_game(rules(kind, seed)))


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(12))
def test_random_boards(seed: int) -> None:
    _same(_game(board_rules(seed)))


LOCK = """
(role a) (init (at 0)) (init (mark red))
(<= (base (mark ?c)) (colour ?c)) (colour red) (colour blue)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(succ 8 9) (succ 9 10) (succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15)
(key 0) (key 1)
(<= (legal a (press ?k)) (key ?k))
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m) (does a (press 1)))
(<= (next (at 0)) (does a (press 0)))
(<= (next (mark red)) (true (mark red)))
(<= (next (mark blue)) (true (at 14)) (does a (press 1)))
(<= terminal (true (mark blue)))
(<= (goal a 100) (true (mark blue)) (true (mark red)))
(<= (goal a 50) (true (mark blue)) (not (true (mark red))))
"""


def test_a_group_that_no_random_play_breaks_is_not_believed() -> None:
    """Both marks hold at the end of a row of fifteen presses, and at no other time."""
    game = _game(LOCK)
    native = game.back_end.native
    assert native is not None
    packing = guess_fields(native, sample_plays(native, -1))
    marks = [i for i, fact in enumerate(native.circuit.facts) if str(fact).startswith("(mark")]
    assert not packing.fits(frozenset(marks)), "this test needs another lock"
    found = solve_as_sets(game)
    assert str(found.initial) == "a 100, in 15 moves"
    assert found.positions == 16
    assert _same(game) is not None


LIGHTS = """
(role a) (light 1) (light 2) (light 3) (light 4) (light 5) (light 6) (light 7) (light 8)
(init (off 1)) (init (off 2)) (init (off 3)) (init (off 4)) (init (off 5)) (init (off 6))
(init (off 7)) (init (off 8))
(<= (legal a (press ?l)) (light ?l))
(<= (next (on ?l)) (does a (press ?l)) (true (off ?l)))
(<= (next (off ?l)) (does a (press ?l)) (true (on ?l)))
(<= (next (on ?l)) (true (on ?l)) (does a (press ?m)) (distinct ?l ?m))
(<= (next (off ?l)) (true (off ?l)) (does a (press ?m)) (distinct ?l ?m))
(<= dark (true (off ?l)))
(<= terminal (not dark))
(<= (goal a 100) (not dark)) (<= (goal a 0) dark)
"""


def test_many_positions_are_few_nodes() -> None:
    found = solve_as_sets(_game(LIGHTS))
    assert (found.positions, str(found.initial)) == (256, "a 100, in 8 moves")
    assert found.sets.nodes < 40
    assert found.depth == 8


@pytest.mark.later
def test_sets_are_taken_where_a_table_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    game = _game(LIGHTS)
    few, why = solve_either(game)
    assert (isinstance(few, Solution), why) == (True, "")
    monkeypatch.setattr(sets_module, "MANY", 5)
    many, why = solve_either(game)
    assert isinstance(many, SetSolution)
    assert why == "as sets: a table would have more than 5 rows"
    assert (many.initial, many.positions) == (few.initial, few.positions)
    monkeypatch.setattr(sets_module, "FEW_NODES", 3)
    table, why = solve_either(game)
    assert isinstance(table, Solution)
    assert why == (
        "as a table, not as sets: the positions of game, as sets, are more than a diagram of 3 "
        "nodes can hold"
    )
    assert table.initial == few.initial


def test_a_state_is_asked_about() -> None:
    sets = solve_as_sets("tictactoe").sets
    state = gdl.load("tictactoe").initial()
    assert str(sets.value(state)) == "x 50, o 50, in 9 moves"
    assert str(sets.value(state.play("a1").play("a2"))) == "x 100, o 0, in 5 moves"
    with pytest.raises(GdlError) as caught:
        sets.value(gdl.load("hex?size=3").initial())
    assert str(caught.value) == (
        "this state is of other rules than tictactoe\n  expected: a state of tictactoe"
    )


CHANCE = """
(role random) (role a) (init (at 0)) (<= (legal ?r noop) (role ?r)) (<= terminal (true (at 1)))
(<= (next (at 1)) (does a noop)) (<= (goal ?r 0) (role ?r))
"""
THREE = CHANCE.replace("(role random)", "(role b) (role c)")
AT_ONCE = """
(role a) (role b) (init (at 0)) (step 1) (step 2) (<= (legal ?r (go ?s)) (role ?r) (step ?s))
(<= terminal (true (at 1))) (<= (next (at 1)) (does a (go ?s))) (<= (goal ?r 50) (role ?r))
"""
UNSHARED = """
(role a) (role b) (init (at 0)) (step 1) (step 2) (<= (legal a (go ?s)) (step ?s)) (legal b noop)
(<= terminal (true (at ?n)) (step ?n)) (<= (next (at ?s)) (does a (go ?s)))
(<= (goal ?r 50) (role ?r) (true (at 1))) (<= (goal ?r 0) (role ?r) (true (at 2)))
"""
NO_CHANCE = "nature draws\n  expected: a game without the role random"
NO_THIRD = "3 roles play\n  expected: a game of one role or of two"
IN_TURNS = "several roles choose at once\n  expected: roles that take turns"
ONE_SUM = (
    "what two roles win together is 0 or 100\n"
    "  expected: two roles whose goals always have the same sum"
)


@pytest.mark.parametrize(
    ("text", "why"),
    [(CHANCE, NO_CHANCE), (THREE, NO_THIRD), (AT_ONCE, IN_TURNS), (UNSHARED, ONE_SUM)],
)
def test_what_sets_do_not_answer_is_said(text: str, why: str) -> None:
    with pytest.raises(GdlError) as caught:
        solve_as_sets(_game(text))
    assert str(caught.value) == (
        f"game is not solved with sets of positions: {why}\n  help: gdl solve --way table"
    )


@pytest.mark.parametrize(
    ("seconds", "most", "what", "how"),
    [
        (1e-9, None, "are found in 1e-09 seconds", "give more time"),
        (math.inf, 3, "a diagram of 3 nodes can hold", "allow more"),
    ],
)
def test_bounds_are_kept(seconds: float, most: int | None, what: str, how: str) -> None:
    with pytest.raises(GdlError) as caught:
        solve_as_sets(_game(LIGHTS), limits=WorkLimits(seconds=seconds), most_nodes=most)
    assert str(caught.value) == (
        f"the positions of game, as sets, are more than {what}\n"
        f"  help: {how}, or solve it as a table"
    )


@pytest.mark.slow
def test_memory_that_is_used_up_is_said() -> None:
    with pytest.raises(GdlError) as caught:
        solve_as_sets("mnk?columns=4&rows=4&line=4", limits=WorkLimits(memory=4 << 20))
    assert str(caught.value) == (
        "the positions of mnk?columns=4&rows=4, as sets, are more than fit into 4,194,304 "
        "bytes\n  help: give more memory, or solve it as a table"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "--way stes",
            "--way stes is unknown\n  expected: table, sets or auto\n  help: did you mean sets?",
        ),
        (
            "--way sets -o x.table",
            "--way sets makes no table, and -o is for one\n  help: leave one of them out",
        ),
    ],
)
def test_the_command_refuses_what_does_not_go_together(options: str, message: str) -> None:
    done = command("solve", "tictactoe", *options.split())
    assert (done.code, done.err.strip()) == (2, f"error: {message}")


def test_the_command_says_which_way_it_took() -> None:
    done = command("solve", "tictactoe", "--way", "sets")
    assert done.code == 0
    first, second, last = done.out.splitlines()
    assert first == "tictactoe: x 50, o 50, in 9 moves"
    assert second.startswith("5,478 positions of 19 bits, as sets of positions: all of them are a ")
    assert "s of processor time" in last


def test_an_order_puts_together_what_belongs_together() -> None:
    """Pairs far from each other come to stand side by side; nothing is lost."""
    pairs = [(i, i + 8) for i in range(8)]
    order = short_order(16, pairs)
    assert sorted(order) == list(range(16))
    place = {part: at for at, part in enumerate(order)}
    assert sum(abs(place[a] - place[b]) for a, b in pairs) < 8 * 8 / 2
    assert short_order(3, []) == [0, 1, 2]


def test_the_file_is_not_needed(tmp_path: Path) -> None:
    path = tmp_path / "lights.kif"
    path.write_text(LIGHTS)
    assert solve_as_sets(path).positions == 256
