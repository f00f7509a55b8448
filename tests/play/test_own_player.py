"""Players from a file or a module: found, made with options, refused in words; never by default."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.language.diagnostics import GdlError
from gdl.language.terms import Constant
from gdl.play import Budget, UnknownPlayerError, choose, make
from gdl.play.own_player import split_own
from tests.cli.running import gdl as command

MINE = '''\
"""The last legal move."""


def player(game, state, budget):
    return state.legal(state.movers[0])[-1]


def make(role, seed, first="no"):
    def choose(game, state, budget):
        return state.legal(role)[0 if first == "yes" else -1]

    return choose


class Other:
    def __init__(self, role, seed):
        self.role = role

    def __call__(self, game, state, budget):
        return state.legal(self.role)[1]


NUMBER = 3
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "mine_for_tests.py"
    path.write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return path.name


@pytest.mark.parametrize(
    ("spec", "move"),
    [
        ("mine_for_tests.py", "(mark c 3)"),
        ("./mine_for_tests.py:first=yes", "(mark a 1)"),
        ("./mine_for_tests.py:player", "(mark c 3)"),
        ("mine_for_tests.py:make:first=yes", "(mark a 1)"),
        ("mine_for_tests:Other", "(mark a 2)"),
    ],
)
@pytest.mark.usefixtures("mine")
def test_a_player_of_ones_own(spec: str, move: str) -> None:
    state = gdl.load("tictactoe", backend="reason").initial()
    player = make(spec, role=Constant("x"), own=True)
    assert str(choose(player, state, Budget(1.0), role="x")) == move


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize("spec", ["mine_for_tests.py", "mine_for_tests:Other"])
def test_nothing_is_run_where_that_was_not_allowed(spec: str) -> None:
    with pytest.raises(UnknownPlayerError, match="there is no player 'mine_for_tests"):
        make(spec)


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "mine_for_test.py",
            (
                "there is no file mine_for_test.py\n"
                "  expected: a Python file that has make, Player or player\n"
                "  help: did you mean mine_for_tests.py?"
            ),
        ),
        (
            "mine_for_tests:othr",
            "mine_for_tests has no othr",
        ),
        (
            "mine_for_tests.py:Othr",
            "mine_for_tests.py has no Othr\n  help: did you mean mine_for_tests.py:Other?",
        ),
        (
            "mine_for_tests.py:NUMBER",
            "mine_for_tests.py:NUMBER is int, and makes no player",
        ),
        (
            "nowhere_at_all:x",
            (
                "there is no module nowhere_at_all\n"
                "  expected: one that Python finds from here, or a file such as ./mine.py"
            ),
        ),
    ],
)
def test_what_is_no_player(spec: str, message: str) -> None:
    with pytest.raises(GdlError) as caught:
        make(spec, own=True)
    assert str(caught.value).startswith(message)


def test_a_player_of_one_s_own_is_of_no_other_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd.py").write_text("def make(*, role, seed):\n    return 3\n")
    with pytest.raises(GdlError) as caught:
        make("./odd.py", own=True)
    assert str(caught.value) == (
        "the player './odd.py' is int\n  expected: a function of game, state and budget"
    )


def test_a_file_that_is_no_python_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text("def make(\n")
    with pytest.raises(GdlError) as caught:
        make("./bad.py", own=True)
    assert str(caught.value) == (
        "./bad.py cannot be loaded\n  note: SyntaxError: '(' was never closed (bad.py, line 1)"
    )


def test_names_of_players_are_no_modules() -> None:
    assert split_own("mcts") is None
    assert split_own("mcts:rave=on,c=1.0") is None
    assert split_own("a.b:c:d=1") == ("a.b:c", "d=1")


@pytest.mark.slow
@pytest.mark.usefixtures("mine")
def test_it_plays_on_the_command_line() -> None:
    words = ["play", "tictactoe", "--watch", "--against", "mine_for_tests.py"]
    ran = command(*words, "--against", "./mine_for_tests.py:first=yes")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.slow
@pytest.mark.usefixtures("mine")
def test_it_is_held_against_another() -> None:
    words = ["evaluate", "./mine_for_tests.py:first=yes", "mine_for_tests:Other", "-g", "tictactoe"]
    ran = command(*words, "--games", "2", "--opening", "0", "--jobs", "1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"{words[1]} against {words[2]} in tictactoe\n")
