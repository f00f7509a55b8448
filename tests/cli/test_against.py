"""``gdl play --against``: programs at the table are seated, explained and asked for hints."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from gdl.play import registry
from gdl.play.code_maker import await_code
from tests.cli.running import gdl


@pytest.mark.sample(1)
def test_a_program_answers_and_explains_its_choice() -> None:
    ran = gdl(
        "play",
        "tictactoe",
        "--against",
        "mcts",
        "--seconds",
        "0.2",
        "--seed",
        "1",
        stdin="b2\nthoughts\nquit\n",
    )
    assert ran.code == 0
    assert ran.err == ""
    assert "You play X.\nmcts plays O, 0.2 s a move.\n" in ran.out
    explained = re.search(r"2\. O (\w\d)\n   mcts: (.*)\n", ran.out)
    assert explained is not None
    assert explained[1] in {"a1", "a3", "c1", "c3"}  # everything else loses to b2
    assert re.search(r"\d expected; .*positions in 0\.\d\d s", explained[2])
    told = ran.out.partition("X> thoughts\n")[2]
    assert told.startswith("mcts for O:\n  move   visits   value\n")
    assert "gdl play tictactoe --against mcts --seconds 0.2 --moves" in ran.out


@pytest.mark.slow
def test_a_hint_names_the_winning_move() -> None:
    await_code()  # searches without machine code prove nothing
    ran = gdl(
        "play",
        "tictactoe",
        "--against",
        "human",
        "--seconds",  # far more than it takes
        "10",
        "--moves",
        "a1; b1; a2; b2",
        stdin="hint\nquit\n",
    )
    assert ran.code == 0
    assert "X> hint\nmcts would play a3.\n" in ran.out
    assert re.search(r"  a3 +\d+ +100\.0   proven\n", ran.out)


def test_programs_keep_seconds_for_all_their_moves() -> None:
    words = ("--against", "greedy", "--match-seconds", "2", "--seed", "4")
    ran = gdl("play", "tictactoe", "--watch", *words)
    assert ran.code == 0
    assert "greedy plays X, 2 s for all moves.\ngreedy plays O, 2 s for all moves.\n" in ran.out


@pytest.mark.alone
def test_programs_play_each_other_to_the_end() -> None:
    words = ("--against", "mcts", "--against", "greedy", "--seconds", "0.1", "--seed", "4")
    ran = gdl("play", "tictactoe", "--watch", *words)
    assert ran.code == 0
    assert "mcts plays X, 0.1 s a move.\ngreedy plays O, 0.1 s a move.\n" in ran.out
    assert "o wins." not in ran.out


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            ["--against", "mtcs"],
            (
                "error: player mtcs: there is no player 'mtcs'\n"
                "  expected: random or greedy or mcts or alphabeta or solve or equilibrium or "
                "puzzle or deep\n"
                "  help: did you mean mcts?\n"
            ),
        ),
        (
            ["--against", "mcts", "--against", "mcts"],
            (
                "error: 2 players for 1 role (o)\n"
                "  expected: one player for all of them, or one for each\n"
            ),
        ),
        (
            ["--against", "human", "--against", "mcts"],
            (
                "error: human leaves no role to another player\n"
                "  expected: human alone, or players alone\n"
            ),
        ),
        (
            ["--against", "human", "--watch"],
            (
                "error: --watch leaves no role to a person\n"
                "  expected: --watch or the player human, not both\n"
            ),
        ),
        (
            ["--seconds", "inf"],
            "error: --seconds: a player that may think for ever never moves\n",
        ),
        (["--seconds", "0"], "error: --seconds: 0.0 is not greater than 0\n"),
        (["--match-seconds", "0"], "error: --match-seconds: 0.0 is not greater than 0\n"),
    ],
)
def test_what_cannot_be_seated_is_said(words: list[str], text: str) -> None:
    ran = gdl("play", "tictactoe", *words)
    assert ran.code != 0
    assert ran.err == text


def failing(*, role: object, seed: int) -> object:
    """Fail at every move."""
    del role, seed

    def player(*_: object) -> object:
        raise RuntimeError("out of ideas")

    return player


def test_a_player_of_another_package_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("mine", "tests.cli.test_against:failing", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda **_: EntryPoints([entry]))
    ran = gdl("play", "tictactoe", "--watch", "--against", "mine", "--seconds", "0.1")
    assert ran.code == 1
    first, note = ran.err.splitlines()
    assert first == "error: the player mine of X failed"
    assert note.startswith("  note: RuntimeError: out of ideas, ")
