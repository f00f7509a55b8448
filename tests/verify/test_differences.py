"""All differences of two games, and each as one sentence."""

from pathlib import Path

import pytest

import gdl
from gdl.ruleset import find
from gdl.verify.questions.differences import differences
from tests.cli.running import gdl as run

TICTACTOE = find("tictactoe").texts()[0].text
COUNT = """\
(role p)
(init (s 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(legal p go)
(<= (legal p wait) (true (s 2)))
(<= (next (s ?y)) (true (s ?x)) (succ ?x ?y))
(<= terminal (true (s 3)))
(<= (goal p 100) (true (s 3)))
(<= (goal p 0) (not (true (s 3))))
"""


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_second_difference_is_found_behind_the_first(tmp_path: Path) -> None:
    one = written(tmp_path, "a.kif", COUNT)
    text = COUNT.replace("(true (s 2)))", "(true (s 1)))").replace("(goal p 100)", "(goal p 90)")
    other = written(tmp_path, "b.kif", text)
    known = differences(one, other)
    assert [(each.depth, each.kinds[0].value) for each in known.met] == [
        (1, "legal"),
        (3, "goal"),
    ]
    assert known.complete
    assert known.met[0].sentence == (
        f"after 1 move legal for p in {other} only: wait: "
        f"{one} asks for (true (s 2)) at {one}:5, which does not hold; {other} says so at {other}:5"
    )
    assert known.met[1].sentence == (
        f"after 3 moves goal of p: 100 in {one}, 90 in {other}: "
        f"{one} says so at {one}:8; {other} says so at {other}:8"
    )


@pytest.mark.slow
def test_the_first_difference_is_the_one_of_diff(tmp_path: Path) -> None:
    other = written(tmp_path, "b.kif", TICTACTOE.replace("(goal ?player 50)", "(goal ?player 40)"))
    known = differences("tictactoe", other)
    first = gdl.diff("tictactoe", other)
    assert (known.met[0].depth, known.met[0].kinds) == (first.depth, first.kinds)
    assert first.sentence in str(first)
    assert (len(known.met), known.complete) == (1, True)  # a draw is one of both roles


def test_the_same_game_differs_in_nothing() -> None:
    known = differences("tictactoe", "tictactoe")
    assert (known.met, known.complete) == ((), True)
    ran = run("diff", "tictactoe", "tictactoe", "--all")
    assert ran.code == 0
    assert ran.out == "nothing differs (proved by the same rules, in whatever order)\n"


def test_the_command_numbers_them(tmp_path: Path) -> None:
    one = written(tmp_path, "a.kif", COUNT)
    other = written(tmp_path, "b.kif", COUNT.replace("(goal p 100)", "(goal p 90)"))
    ran = run("diff", str(one), str(other), "--all")
    assert ran.code == 1
    assert ran.out.startswith("1. after 3 moves goal of p: 100 in ")
    assert "nothing else differs (proved by " in ran.out
    ran = run("diff", str(one), str(other), "--all", "--save", str(tmp_path / "play.toml"))
    assert ran.code == 2
    assert ran.err == (
        "error: --save is for one comparison, --all makes many\n"
        f"  help: gdl diff A B --save {tmp_path / 'play.toml'}\n"
    )
