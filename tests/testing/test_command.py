"""``gdl test``, as people type it: what passes, what fails and why, what is left out."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import split
from xml.etree.ElementTree import fromstring

import pytest

from tests.cli.running import gdl
from tests.shared import needs

RULES = """\
(role r)
(init (count 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal r up) (true (count ?n)))
(<= (legal r back) (true (count ?n)))
(<= (next (count ?m)) (true (count ?n)) (succ ?n ?m) (does r up))
(<= (next (count 0)) (does r back))
(<= terminal (true (count 3)))
(<= (goal r 100) (true (count 3)))
(<= (goal r 0) (not terminal))
"""
PASSING = """\
game = "mine.kif"

[[test]]
name = "three steps are enough"
play = "up; up; up"
over = true
goals = { r = 100 }

[[test]]
name = "back to the start"
play = "up; back"
legal = ["up", "back"]
can = ["up"]
count.r = 2
holds = ["(true (count 0))", "legal r up"]
fails = ["terminal"]
perft = [2, 4, 8, 14]

[[test]]
name = "a position that is set up"
position = "(count 2)"
play = "up"
over = true

[[test]]
name = "for later"
skip = "nobody knows yet"
over = true
"""
FAILING = """\
game = "mine.kif"

[[test]]
name = "all that can fail"
play = "up"
legal.r = ["up"]
can = ["back", "bakc"]
cannot = ["up"]
count = 3
over = true
goals = { r = 100 }
holds = ["terminal", "(true (cuont 1))"]
fails = ["(true (count 1))"]
perft = [2, 5]

[[test]]
name = "a play that cannot be"
play = "up; (fly 1)"
over = true

[[test]]
name = "another role"
play = "up"
count.q = 1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.kif").write_text(RULES, encoding="utf-8")
    (tmp_path / "mine.test.toml").write_text(PASSING, encoding="utf-8")
    return tmp_path


def timeless(text: str) -> str:
    """Return a text without times, and without the lengths of lines that depend on them."""
    return re.sub(r"={2,}", "==", re.sub(r"\d+\.\d+ s", "T s", text))


PASSED = """\
mine.test.toml ...s

------------------------- coverage of rules and moves --------------------------
mine.kif: 100%, 7 of 7 rules fired
moves of mine.kif: 2 legal in a test, 2 made

== 3 passed, 1 skipped in T s ==
"""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", [(), (".",), ("mine.test.toml",), ("mine.kif",)])
def test_what_passes(words: tuple[str, ...]) -> None:
    ran = gdl("test", *words)
    assert (ran.code, timeless(ran.out), ran.err) == (0, PASSED, "")


VERBOSE = """\
mine.test.toml::three steps are enough PASSED
mine.test.toml::a position that is set up PASSED
mine.test.toml::for later SKIPPED (nobody knows yet)
"""


@pytest.mark.usefixtures("folder")
def test_each_test_by_its_name() -> None:
    lines = gdl("test", "-v", "--no-coverage").out.splitlines(keepends=True)
    del lines[1]
    assert "".join(lines[:3]) == VERBOSE


@pytest.mark.usefixtures("folder")
def test_some_tests_leave_rules_that_fired_in_none() -> None:
    ran = gdl("test", "-k", "set up")
    assert ran.code == 0
    assert "mine.kif: 85%, 6 of 7 rules fired" in ran.out
    line = "  the rule at mine.kif:7 fired in no test: (<= (next (count 0)) (does r back))"
    assert line in ran.out.splitlines()


def test_moves_that_no_test_makes_or_meets_are_named(folder: Path) -> None:
    (folder / "doors.kif").write_text(
        "(role r) (init (at hall)) (door left) (door right) (door back)\n"
        "(<= (input r (open ?d)) (door ?d)) (input r wait) (legal r wait)\n"
        "(<= (legal r (open left)) (true (at hall)))\n"
        "(<= (legal r (open ?d)) (true (at (room ?e))) (door ?d) (distinct ?d ?e))\n"
        "(<= (next (at (room ?d))) (does r (open ?d))) (<= (next (at hall)) (does r wait))\n"
        "(<= terminal (true (at (room back)))) (<= (goal r 100) terminal)"
        "(<= (goal r 0) (not terminal))\n",
        encoding="utf-8",
    )
    test = 'game = "doors.kif"\n[[test]]\nname = "wait"\nplay = "wait"\nover = false\n'
    (folder / "doors.test.toml").write_text(test, encoding="utf-8")
    said = gdl("test", "doors.kif").out
    assert (
        "moves of doors.kif: 50%, 2 of 4 legal in a test, 1 made\n"
        "  the move (open back) was legal in no test\n"
        "  the move (open right) was legal in no test\n"
        "  no test makes a move (open ...)\n"
    ) in said
    more = '[[test]]\nname = "doors"\nplay = "(open left); (open back)"\nover = true\n'
    (folder / "doors.test.toml").write_text(test + more, encoding="utf-8")
    said = gdl("test", "doors.kif").out
    assert "moves of doors.kif: 100%, 4 of 4 legal in a test, 3 made\n\n" in said


@pytest.mark.later
def test_a_game_stands_for_its_tests_of_all_sizes() -> None:
    every, ten = (gdl("test", game, "-v", "--no-coverage").out for game in ("pig", "pig?target=10"))
    assert "::the target wins PASSED\n" in every
    assert "::the target wins PASSED\n" in ten
    assert "::the usual target is a hundred PASSED\n" in every
    assert "usual" not in ten


FAILED = """\
mine.test.toml FFF

== FAILURES ==
______________________________ all that can fail _______________________________
mine.test.toml:6:1: error[test-failed]: these are not the legal moves of r
  6 | legal.r = ["up"]
    | ^^^^^^^
  note: legal too: back
mine.test.toml:7:17: error[not-a-move]: the rules of mine.kif know no bakc
  7 | can = ["back", "bakc"]
    |                 ^^^^
  help: did you mean back?
mine.test.toml:8:12: error[test-failed]: up is legal for r
  8 | cannot = ["up"]
    |            ^^
  help: gdl why mine.kif "legal r up" --moves "up"
mine.test.toml:9:9: error[test-failed]: r has 2 legal moves, not 3
  9 | count = 3
    |         ^
  note: back, up
mine.test.toml:10:1: error[test-failed]: the game goes on
  10 | over = true
     | ^^^^
  help: gdl why mine.kif "terminal" --moves "up"
mine.test.toml:11:11: error[test-failed]: the goal of r is 0, not 100
  11 | goals = { r = 100 }
     |           ^
  help: gdl why mine.kif "goal r 100" --moves "up"
mine.test.toml:12:11: error[test-failed]: terminal does not hold
  12 | holds = ["terminal", "(true (cuont 1))"]
     |           ^^^^^^^^
  note: terminal does not hold: (true (count 3)) does not
      terminal needs, by mine.kif:8:
        no   (true (count 3))
            instead: (true (count 1))  [since turn 1, when r played up]
mine.test.toml:12:23: error[no-sentence]: the rules of mine.kif know no cuont
  12 | holds = ["terminal", "(true (cuont 1))"]
     |                       ^^^^^^^^^^^^^^^^
  help: did you mean count?
mine.test.toml:13:11: error[test-failed]: (true (count 1)) holds
  13 | fails = ["(true (count 1))"]
     |           ^^^^^^^^^^^^^^^^
  note: (true (count 1))  [since turn 1, when r played up]
mine.test.toml:14:13: error[test-failed]: 4 plays of 2 moves begin here, not 5
  14 | perft = [2, 5]
     |             ^
  help: gdl perft mine.kif 2 --divide
____________________________ a play that cannot be _____________________________
mine.test.toml:18:13: error[bad-play]: move 2 of the play cannot be made: (fly 1) is not legal \
for r here
  18 | play = "up; (fly 1)"
     |             ^^^^^^^
  expected: back or up
_________________________________ another role _________________________________
mine.test.toml:24:1: error[unknown-role]: mine.kif has no role 'q'
  24 | count.q = 1
     | ^^^^^^^
  expected: r

== short test summary ==
FAILED mine.test.toml::all that can fail - these are not the legal moves of r
FAILED mine.test.toml::a play that cannot be - move 2 of the play cannot be made: (fly 1) is not \
legal for r here
FAILED mine.test.toml::another role - mine.kif has no role 'q'
== 3 failed in T s ==
"""


def test_what_fails(folder: Path) -> None:
    (folder / "mine.test.toml").write_text(FAILING, encoding="utf-8")
    ran = gdl("test", "--no-coverage")
    assert (ran.code, timeless(ran.out), ran.err) == (1, FAILED, "")


def test_one_failure_is_enough_with_x(folder: Path) -> None:
    (folder / "mine.test.toml").write_text(FAILING, encoding="utf-8")
    ran = gdl("test", "-x", "--no-coverage")
    assert ran.out.startswith("mine.test.toml F\n")


NOWHERE = """\
error: there is no folder ./nowhere
  expected: a file of tests (*.test.toml), a folder of them, or a game
"""


@pytest.mark.usefixtures("folder")
def test_a_folder_that_is_not_there_is_named_as_one() -> None:
    ran = gdl("test", "./nowhere")
    assert (ran.code, ran.out, ran.err) == (2, "", NOWHERE)


def test_rules_may_be_named_by_a_path_that_begins_here(folder: Path) -> None:
    (folder / "mine.kif").write_text("(role x)", encoding="utf-8")
    assert gdl("test", "./mine.kif").err == gdl("test", "mine.kif").err
    assert gdl("test", "../nowhere.kif").err.startswith("error: there is no file ../nowhere.kif\n")


NOTHING = """\
error: there is no test with 'zzz' in its name
  expected: three steps are enough, back to the start, a position that is set up or for later
"""


@pytest.mark.usefixtures("folder")
def test_no_test_is_an_error() -> None:
    ran = gdl("test", "-k", "zzz")
    assert (ran.code, ran.out, ran.err) == (2, "", NOTHING)


@pytest.mark.later
def test_what_is_no_game_fails_in_its_test(folder: Path) -> None:
    text = 'game = "mien.kif"\n[[test]]\nname = "one"\nover = false\n'
    (folder / "mine.test.toml").write_text(text, encoding="utf-8")
    ran = gdl("test")
    assert ran.code == 1
    assert "mine.test.toml:2:1: error[bad-test]: there is no file mien.kif" in ran.out
    assert "  help: did you mean mine.kif?" in ran.out


def test_results_for_other_programs(folder: Path) -> None:
    text = FAILING.replace('"another role"', '"<&>\\u0001"')
    (folder / "mine.test.toml").write_text(text, encoding="utf-8")
    ran = gdl("test", "--junit", "results.xml", "--github", "--no-coverage")
    assert ran.code == 1
    (one,) = fromstring((folder / "results.xml").read_text(encoding="utf-8"))
    assert {key: one.get(key) for key in ("name", "tests", "failures", "skipped")} == {
        "name": "mine.test.toml",
        "tests": "3",
        "failures": "3",
        "skipped": "0",
    }
    assert [case.get("name") for case in one] == [
        "all that can fail",
        "a play that cannot be",
        "<&>·",
    ]
    assert one[1].get("line") == "16"
    told = [line for line in ran.out.splitlines() if line.startswith("::error ")]
    assert told[-2] == (
        "::error file=mine.test.toml,line=18,col=13,title=a play that cannot be::"
        "move 2 of the play cannot be made: (fly 1) is not legal for r here"
    )


SUGGESTED = """\
# Tests of mine.kif, written by gdl test --suggest: they say what its rules do
# today. Read each, and keep what the game must do.

# mine.kif:7: (<= (next (count 0)) (does r back))
[[test]]
name = "the rule at mine.kif:7 fires"
game = "mine.kif"
play = "back"
over = false
legal.r = ["back", "up"]

"""


@pytest.mark.later
@needs("verify")
def test_tests_for_what_no_test_exercises(folder: Path) -> None:
    text = PASSING.partition('[[test]]\nname = "back')[0]
    (folder / "mine.test.toml").write_text(text, encoding="utf-8")
    ran = gdl("test", "--suggest", "mine.kif")
    assert (ran.code, ran.out, ran.err) == (0, SUGGESTED, "")
    for before in ("", text):  # a file may have been made for it, or hold tests
        (folder / "mine.test.toml").write_text(before, encoding="utf-8")
        more = gdl("test", "--suggest", "mine.kif")
        (folder / "mine.test.toml").write_text(before + more.out, encoding="utf-8")
        assert "mine.kif: 100%, 7 of 7 rules fired" in gdl("test", "mine.kif").out
    done = gdl("test", "--suggest", "mine.kif").out
    assert done.endswith("# Every rule of mine.kif fires in a test already.\n\n")


@needs("verify")
def test_a_rule_that_never_fires_needs_no_test(folder: Path) -> None:
    rule = "(<= (next (count 9)) (true (count 8)))\n"
    (folder / "mine.kif").write_text(RULES + rule, encoding="utf-8")
    ran = gdl("test", "--suggest", "mine.kif")
    assert ran.out.endswith(
        "# mine.kif:11: (<= (next (count 9)) (true (count 8)))\n"
        "# never fires: that was proved. Leave the rule out, or mend it.\n\n"
    )


@pytest.mark.later
@needs("verify")
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('[verify]\nskip = ["terminating"]\n', None),
        ("[verify]\n", "terminating is refuted"),
        ('[verify]\nexpect.terminating = "refuted"\n', None),
        ('[verify]\nskip = ["terminates"]\n', "there is no property terminates"),
        (
            '[verify]\nskip = ["terminating"]\nnever = ["(true (count 2))"]\n',
            "never (true (count 2)) is refuted",
        ),
        ('[[diff]]\nwith = "mine.kif"\nequivalent = true\n', None),
        ('[[diff]]\nwith = "other.kif"\nequivalent = true\n', "differs after 2 moves"),
        ('[[diff]]\nwith = "other.kif"\nafter = 2\n', None),
        ('[[diff]]\nwith = "other.kif"\nafter = 3\n', "differs after 2 moves"),
    ],
)
def test_what_must_be_proved(folder: Path, more: str, message: str | None) -> None:
    other = RULES.replace("(terminal (true (count 3)))", "(terminal (true (count 2)))")
    other = other.replace("terminal (true (count 3))", "terminal (true (count 2))")
    (folder / "other.kif").write_text(other, encoding="utf-8")
    (folder / "mine.test.toml").write_text(f'game = "mine.kif"\n{more}', encoding="utf-8")
    ran = gdl("test", "--no-coverage")
    assert ran.code == (0 if message is None else 1)
    assert message is None or message in ran.out


def test_the_help_of_a_game_that_only_its_manifest_names_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.kif").write_text(RULES)
    (folder / "manifest.toml").write_text(
        '[[ruleset]]\nid = "steps"\ntitle = "Steps"\nversion = "1.0.0"\nsource = "A test"\n'
        'summary = "Three steps."\nrules = ["mine.kif"]\n'
    )
    (folder / "steps.test.toml").write_text(
        'game = "manifest.toml"\n[[test]]\nname = "up"\nplay = "up"\ncannot = ["up"]\n'
    )
    told = gdl("test", "mine")
    (command,) = re.findall("help: gdl (.*)", told.out)
    assert command == 'why \'mine/manifest.toml#steps\' "legal r up" --moves "up"'
    assert gdl(*split(command)).out.startswith("(legal r up)  [mine.kif:4]\n")
