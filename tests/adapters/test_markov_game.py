"""What all adapters share: the table of moves, the planes, who is asked; and missing packages."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdl
from gdl.adapters import gymnasium, openspiel, pettingzoo, vector
from gdl.adapters.markov_game import Status, markov_game
from gdl.adapters.moves import one_chooses
from gdl.adapters.packages import MissingPackageError
from gdl.adapters.propositions import UnlistedError
from gdl.boards.planes import board_planes
from gdl.language.syntax import Compound, Constant
from gdl.view.mark import Mark
from gdl.view.picture import GRID, CellFact, Layout, Picture
from tests.adapters.games import SHIPPED, UNKNOWN, load, load_markov_game
from tests.adapters.rules import ENDLESS, GUESS, PENNIES, write
from tests.shared import ROOT, needs_games

PROGRAM = """
import sys
from gdl.adapters.markov_game import markov_game
for name in sys.argv[1:]:
    print(markov_game(name).table.digest)
"""


@pytest.mark.slow
def test_the_table_is_the_same_in_every_process() -> None:
    names = ["tictactoe", "pentago/classic"]
    for seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, *names],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        assert ran.stdout.split() == [load_markov_game(name).table.digest for name in names]


def test_known_tables() -> None:
    sizes = {name: len(load_markov_game(name).table) for name in SHIPPED}
    assert sizes == {
        "connectfour": 7,
        "gomoku/freestyle": 225,
        "pentago/classic": 288 + 36,
        "pentago/phased": 36 + 8,
        "pentago/strict": 288,
        "pentago/utwente": 288,
        "tictactoe": 9,
    }
    assert all(load_markov_game(name).table.is_turn_taking for name in SHIPPED)


@pytest.mark.parametrize(
    ("name", "is_proved"),
    [("tictactoe", True), ("kalah", True), ("rockpaperscissors", False), ("goofspiel", False)],
)
@pytest.mark.sample(1)
def test_that_one_role_at_a_time_chooses_needs_no_clock(name: str, *, is_proved: bool) -> None:
    native = load(name).back_end.native
    assert native is not None
    assert one_chooses(native.circuit) is is_proved


def test_waiting_needs_no_name(tmp_path: Path) -> None:
    played = markov_game(write(tmp_path, "endless", ENDLESS))
    assert [str(move) for move in played.table.moves] == ["(step 1)", "(step 2)"]
    assert played.asked(played.game.initial()) == (0,)


def test_known_planes() -> None:
    planes = load_markov_game("pentago/strict").planes
    assert planes.labels == ("(empty)", "black", "white", "(control black)", "(control white)")
    state = load("pentago/strict").initial().play("E5 Q01 CW")
    seen = load_markov_game("pentago/strict").observe(state, 1)
    board = state.game.ruleset.board(state.facts)
    assert board is not None
    names = [["" if mark is None else mark.name for mark in row] for row in board.cells]
    assert (seen[1] == (np.array(names) == "black")).all()
    assert (seen[0] == (np.array(names) == "")).all()
    assert (seen[3] == 0).all()
    assert (seen[4] == 1).all()


@needs_games
@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: path.name)
def test_without_a_picture_what_is_seen_are_the_facts(path: Path) -> None:
    played = load_markov_game(path)
    rng = np.random.default_rng(0)
    state = played.start(rng)
    while played.status(state) is Status.GOING and state.ply < 10:
        seen = played.observe(state, 0)
        held = {played.planes.labels[i] for i in np.flatnonzero(seen)}
        assert held == {str(fact) for fact in state.facts} | {"(always)"}
        chosen = {p: played.options(state, p)[-1] for p in played.asked(state)}
        state = played.after(state, chosen, rng)


def test_many_facts_beside_the_board_share_a_plane() -> None:
    marks = (Mark("x", "X", "X", "X"),)
    cell = Compound("cell", tuple(map(Constant, ("1", "1", "x"))))
    numbers = tuple(map(Constant, "12345"))
    from gdl.language.template import read_template

    kind = CellFact(read_template("(cell ?column ?row ?mark)"))
    labels = tuple("12345")
    picture = Picture((Layout(GRID, numbers, numbers, labels, labels, cells=(kind,)),), marks)
    facts = [cell, *(Compound("step", (Constant(str(i)),)) for i in range(60))]
    planes = board_planes(picture, facts)
    assert planes.shape == (2 + 3, 5, 5)
    held = np.zeros((2, 61), np.bool_)
    held[0, 0] = held[1, 61 - 1] = True
    seen = planes.encode(held)
    assert seen[0].sum() == 25
    assert (seen[0, 1, 0, 0], seen[0, 0, 0, 0]) == (1, 0)
    assert seen[1].sum() == 26
    assert seen[1, 4].ravel()[59 - 50] == 1


def test_a_game_of_the_reasoner_lists_base_and_input(tmp_path: Path) -> None:
    path = write(tmp_path, "pennies", PENNIES)
    with pytest.raises(UnlistedError) as caught:
        markov_game(gdl.load(path, backend="reason"))
    assert str(caught.value) == (
        f"the facts of {path} cannot be listed: its rules have no (base ...), and they are "
        "run as they are written, for it was asked for\n"
        '  help: say base and input in the rules, or load it with backend="native"'
    )
    hidden = write(tmp_path, "guess", GUESS)
    with pytest.raises(UnlistedError) as caught:
        markov_game(gdl.load(hidden, backend="reason"))
    assert str(caught.value) == (
        f"what players of {hidden} may be shown cannot be listed: its rules are run as they are "
        'written, for it was asked for\n  help: load it with backend="native"'
    )
    listed = (
        "(role a) (init go) (base go) (base gone) (input a leave) (input a stay)"
        "(<= (legal a ?m) (input a ?m)) (<= (next gone) (does a leave))"
        "(<= (next go) (does a stay)) (<= terminal (true gone)) (goal a 70)"
    )
    slow = markov_game(gdl.load(write(tmp_path, "listed", listed), backend="reason"))
    fast = markov_game(gdl.load(write(tmp_path, "listed", listed), backend="native"))
    assert slow.table.moves == fast.table.moves
    assert slow.planes.labels == fast.planes.labels


@pytest.mark.parametrize(
    ("door", "package", "what", "extra"),
    [
        (lambda: pettingzoo.env("tictactoe"), "pettingzoo", "PettingZoo environments", "adapters"),
        (lambda: gymnasium.env("tictactoe"), "gymnasium", "Gymnasium environments", "adapters"),
        (lambda: openspiel.register("tictactoe"), "pyspiel", "games of OpenSpiel", "openspiel"),
        (lambda: vector.env("tictactoe", 4), "llvmlite", "vector environments", "native"),
        (
            lambda: pettingzoo.env("tictactoe", render_mode="rgb_array"),
            "PIL",
            "images",
            "adapters",
        ),
    ],
)
def test_a_missing_package_is_told_with_its_extra(
    door: Callable[[], object],
    package: str,
    what: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from importlib.util import find_spec as found

    monkeypatch.setattr(
        "gdl.adapters.packages.find_spec",
        lambda name: None if name == package else object() if name == "pyspiel" else found(name),
    )
    with pytest.raises(MissingPackageError) as caught:
        door()
    assert str(caught.value) == (
        f"{what} need packages that are not installed: {package}\n"
        f"  help: pip install 'gdl-framework[{extra}]'"
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: pettingzoo.raw_env("tictactoe"),
        lambda: pettingzoo.parallel_env("tictactoe"),
        lambda: gymnasium.env("tictactoe"),
        lambda: vector.env("tictactoe", 2),
    ],
    ids=["aec", "parallel", "gymnasium", "vector"],
)
def test_the_name_of_before_is_known_and_warns(make: Callable[[], Any]) -> None:
    env = make()
    with pytest.warns(DeprecationWarning, match="^course is called markov_game now$"):
        assert env.course is env.markov_game
