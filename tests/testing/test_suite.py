"""Files of tests: every problem at once, each at its place, with what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.language.source import Source
from gdl.testing.suite import Comparison, Position, Proofs, SuiteError, read_suite, suite_of

GOOD = """\
games = ["hex?size=3", "hex?size=4"]

[[test]]
name = "red begins"
play = "a1; b2"
can.red = ["a2"]
count = 7
over = false

[[test]]
name = "another game"
game = "tictactoe"
play = ["b2", "a1"]
skip = "not yet"
legal = ["a2"]

[verify]
game = "tictactoe"
expect."constant sum" = "proved"
skip = ["facts change"]
never = ["(and (line x) (line o))"]
seconds = 5

[[diff]]
game = "hex?size=3"
with = "hex?size=4"
after = 0
"""


def suite(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.test.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_a_file_says(tmp_path: Path) -> None:
    cases = read_suite(suite(tmp_path, GOOD)).cases
    assert [(case.name, case.game, case.skip) for case in cases] == [
        ("red begins [hex?size=3]", "hex?size=3", ""),
        ("red begins [hex?size=4]", "hex?size=4", ""),
        ("another game", "tictactoe", "not yet"),
        ("diff hex?size=4", "hex?size=3", ""),
        ("verify", "tictactoe", ""),
    ]
    first, _, other, diff, verify = (case.body for case in cases)
    assert isinstance(first, Position)
    assert (first.play, first.can, first.count) == (("a1", "b2"), {"red": ("a2",)}, {"": 7})
    assert first.over is False
    assert isinstance(other, Position)
    assert (other.play, other.legal) == (("b2", "a1"), {"": ("a2",)})
    assert diff == Comparison("hex?size=4", 0, 60.0)
    assert verify == Proofs(
        {"constant sum": "proved"}, ("facts change",), ("(and (line x) (line o))",), (), 5.0
    )


@pytest.mark.parametrize(
    "expected",
    [
        "can = []",
        "cannot = { x = [], o = [] }",
        "holds = []",
        "fails = []\nperft = []",
        "goals = {}\ncan.x = []\ncount = {}",
    ],
)
def test_lists_without_an_entry_are_nothing_that_is_expected(tmp_path: Path, expected: str) -> None:
    with pytest.raises(SuiteError) as caught:
        read_suite(with_one_test(tmp_path, expected))
    assert str(caught.value) == (
        f"{tmp_path / 'a.test.toml'}:2:1: error[no-expectation]: this test expects nothing\n"
        "  2 | [[test]]\n"
        "    | ^^^^^^^^\n"
        "  expected: legal, can, cannot, count, over, goals, holds, fails or perft"
    )


@pytest.mark.parametrize("expected", ["legal.x = []", "can = []\nover = false"])
def test_that_nothing_is_legal_can_be_expected(tmp_path: Path, expected: str) -> None:
    assert len(read_suite(with_one_test(tmp_path, expected)).cases) == 1


def with_one_test(folder: Path, expected: str) -> Path:
    """Write a file with a test that expects something."""
    path = folder / "a.test.toml"
    path.write_text(f'game = "tictactoe"\n[[test]]\nname = "a"\n{expected}\n', encoding="utf-8")
    return path


BAD = """\
gane = "tictactoe"
[[test]]
nam = "fails"
legal.x = "a1"
cont = 3
[[test]]
name = "nothing"
game = "tictactoe"
[[test]]
name = "nothing"
game = "tictactoe"
perft = [9, -2]
over = 1
[verify]
game = "tictactoe"
expect."turn-taking" = "prooved"
seconds = 0
[[diff]]
game = "tictactoe"
with = "mnk"
equivalent = true
after = 3
"""
PROBLEMS = """\
{path}:1:1: error[unknown-key]: gane means nothing here
  1 | gane = "tictactoe"
    | ^^^^
  expected: game, games, test, verify or diff
  help: did you mean game?
{path}:2:1: error[missing-key]: test has no name
  2 | [[test]]
    | ^^^^^^^^
  expected: a text
{path}:2:1: error[missing-key]: test has no game
  2 | [[test]]
    | ^^^^^^^^
  expected: a ruleset id, or a rule file or manifest beside this file
{path}:3:1: error[unknown-key]: nam means nothing here
  3 | nam = "fails"
    | ^^^
  expected: name, game, games, skip, position, play, legal, can, cannot, count, over, goals, \
holds, fails or perft
  help: did you mean name?
{path}:4:1: error[wrong-type]: legal.x cannot be 'a1'
  4 | legal.x = "a1"
    | ^^^^^^^
  expected: moves, such as ["a1", "b2"], or such a list for each role
{path}:5:1: error[unknown-key]: cont means nothing here
  5 | cont = 3
    | ^^^^
  expected: name, game, games, skip, position, play, legal, can, cannot, count, over, goals, \
holds, fails or perft
  help: did you mean count?
{path}:6:1: error[no-expectation]: this test expects nothing
  6 | [[test]]
    | ^^^^^^^^
  expected: legal, can, cannot, count, over, goals, holds, fails or perft
{path}:10:1: error[same-name]: an earlier test is called 'nothing' too
  10 | name = "nothing"
     | ^^^^
  expected: a name of its own
{path}:12:13: error[wrong-value]: -2 is less than 0
  12 | perft = [9, -2]
     |             ^^
  expected: at least 0
{path}:13:1: error[wrong-type]: over is a whole number
  13 | over = 1
     | ^^^^
  expected: true or false
{path}:16:25: error[wrong-value]: prooved is nothing that is expected
  16 | expect."turn-taking" = "prooved"
     |                         ^^^^^^^
  expected: proved or refuted
  help: did you mean proved?
{path}:17:1: error[wrong-value]: seconds is 0
  17 | seconds = 0
     | ^^^^^^^
  expected: a number above 0, at most 10,000,000
{path}:18:1: error[no-expectation]: a comparison says one thing
  18 | [[diff]]
     | ^^^^^^^^
  expected: equivalent = true, or after = N"""


def test_every_problem_of_a_file(tmp_path: Path) -> None:
    path = suite(tmp_path, BAD)
    with pytest.raises(SuiteError) as caught:
        read_suite(path)
    assert str(caught.value) == PROBLEMS.replace("{path}", str(path))


NOT_TOML = """\
{path}:1:8: error[toml-syntax]: invalid value
  1 | game = tictactoe
    |        ^"""
EMPTY = """\
{path}:1:1: error[no-test]: there is no test in this file
  1 | game = "tictactoe"
    | ^
  expected: a [[test]] table"""


@pytest.mark.parametrize(
    ("text", "message"), [("game = tictactoe", NOT_TOML), ('game = "tictactoe"', EMPTY)]
)
def test_the_whole_message(tmp_path: Path, text: str, message: str) -> None:
    path = suite(tmp_path, text)
    with pytest.raises(SuiteError) as caught:
        read_suite(path)
    assert str(caught.value) == message.replace("{path}", str(path))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('expect."constant sum" = "proved"\nskip = 3', "skip is a whole number"),
        ("expect.x = 3", "expect.x cannot be 3"),
        ('expect.x = ""', " is nothing that is expected"),
        (f"seconds = {10**400}", f"seconds is {10**400}"),
        (f"seconds = {'9' * 5000}", "error[toml-syntax]: a number has too many digits"),
    ],
)
def test_what_is_wrong_with_proofs_is_told(lines: str, said: str) -> None:
    with pytest.raises(SuiteError) as raised:
        suite_of(Source("x.test.toml", f'game = "tictactoe"\n[verify]\n{lines}\n'))
    assert said in str(raised.value)
