"""Repairs: what is shown is proved, the patch is what was proved, and nothing smaller does."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gdl
from gdl.language.diagnostics import GdlError
from gdl.language.parse import parse
from gdl.language.source import Source
from gdl.language.syntax import Constant, Description
from gdl.reason.machine import Reasoner
from gdl.ruleset import Ruleset, find
from gdl.verify import verify
from gdl.verify.properties.custom import CustomProperty
from gdl.verify.questions.changes import Change, Changes, changed
from gdl.verify.questions.defaults import goal_by_default, pass_by_default
from gdl.verify.questions.patch import texts_after
from gdl.verify.questions.repair import Repairs, repair
from gdl.verify.questions.requirements import ruleset_with
from tests.cli.running import gdl as run
from tests.shared import SHARED, needs_games

TICTACTOE = find("tictactoe").texts()[0].text

WALK = """\
(role walker)
(init (at 1))
(succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal walker go)
    (true (at ?x)) ; only where there is a way
    (distinct ?x 3)
    (succ ?x ?y))
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
(<= terminal (true (at 4)))
(<= (goal walker 100) (true (at 4)))
(<= (goal walker 0) (not (true (at 4))))
"""
"""A walk of three steps that is stuck at the last, since somebody forbade it."""


def written(tmp_path: Path, text: str, name: str = "mine.kif") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def assert_mended(found: Repairs, name: str, path: Path) -> None:
    """Hold each repair to a verifier that knows nothing of the search."""
    assert found.repairs
    for each in found.repairs:
        ruleset = ruleset_with(find(str(path)), each.description)
        assert verify(ruleset)[name].status == "proved"


def test_play_is_over_where_a_role_is_stuck(tmp_path: Path) -> None:
    path = written(tmp_path, WALK)
    found = repair(path)
    assert found.claim.startswith("playable")
    assert found.play is not None
    assert len(found.play) == 2
    assert_mended(found, "playable", path)
    assert found.repairs[0].changes == (f"{path}:9: over where a role has no move",)


WAIT = WALK.replace(
    "(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))",
    "(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does walker go))\n"
    "(<= (next (at ?x)) (true (at ?x)) (not (does walker go)))\n"
    "(<= (legal walker wait) (true (at 1)))",
)
"""The same with a move for the first place only, which leaves a walker where it stands."""


@pytest.mark.slow
def test_a_role_that_is_stuck_passes_by_a_move_of_the_rules(tmp_path: Path) -> None:
    path = written(tmp_path, WAIT)
    found = repair(path, wanted="playable", most=2)
    assert_mended(found, "playable", path)
    assert [each.changes[0].partition(": ")[2] for each in found.repairs] == [
        "over where a role has no move",
        "wait is legal where a role has no other move",
    ]
    machine = Reasoner(found.repairs[1].description)
    state = machine.initial()
    for _ in range(2):
        state = machine.successor(state, (Constant("go"),))
    assert machine.legal(state, Constant("walker")) == (Constant("wait"),)
    assert "+(<= (legal2 walker wait) (true (at 1)))" in found.repairs[1].patch


@pytest.mark.slow
def test_a_role_without_a_goal_gets_one_that_the_rules_know(tmp_path: Path) -> None:
    text = (
        WALK.replace("    (distinct ?x 3)\n", "")
        .replace("(<= (goal walker 100) (true (at 4)))", "(<= (goal walker 100) (true (at 3)))")
        .replace("(<= (goal walker 0) (not (true (at 4))))", "(<= (goal walker 0) (true (at 2)))")
    )
    path = written(tmp_path, text)
    found = repair(path, wanted="goals unique", most=2)
    assert_mended(found, "goals unique", path)
    assert [each.changes[0].partition(": ")[2] for each in found.repairs] == [
        "the goal is 0 where a role has no other",
        "the goal is 100 where a role has no other",
    ]


@pytest.mark.parametrize("default", [pass_by_default, goal_by_default])
def test_nothing_is_asked_of_itself_through_not(
    default: Callable[[Description], Iterator[Change]],
) -> None:
    """Where a body asks for the relation, rules for what it lacks could not be stratified."""
    relation = "legal walker go" if default is pass_by_default else "goal walker 0"
    text = WAIT + f"(<= odd ({relation}))"
    assert list(default(parse(Source("mine.kif", WAIT))))
    assert not list(default(parse(Source("mine.kif", text))))
    infix = gdl.render(parse(WAIT), syntax="hrf")
    assert not list(default(parse(Source("mine.hrf", infix))))


def test_names_that_the_rules_have_are_not_taken() -> None:
    taken = "(canmove 1) (hasMove 1) (haslegalmove 1) (legal2 1) (plainlegal 1)\n"
    description = parse(Source("mine.kif", taken + WAIT))
    change, _ = pass_by_default(description)  # by wait, or by go
    assert "(not (canmove0 ?player))" in change.edit.text
    rules = changed(description, [change])
    assert rules is not None
    ((source, after),) = texts_after(description, [change])
    assert parse(Source(source.name, after)).rules == rules.rules


def test_a_literal_too_many_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, WALK)
    good = written(tmp_path, WALK.replace("    (distinct ?x 3)\n", ""), "good.kif")
    found = repair(path, reference=good, most=2)
    other, mended = found.repairs
    for each in found.repairs:
        assert gdl.diff(ruleset_with(find(str(path)), each.description), good).equivalent
    assert other.changes == (f"{path}:5: without (true (at ?x))",)  # right, too: it is over at 4
    assert mended.changes == (f"{path}:6: without (distinct ?x 3)",)
    assert mended.patch == (
        f"--- {path}\n+++ {path}\n@@ -5,3 +5,2 @@\n"
        "     (true (at ?x)) ; only where there is a way\n"
        "-    (distinct ?x 3)\n"
        "     (succ ?x ?y))"
    )


@pytest.mark.later
def test_what_other_rules_for_the_same_ask_is_put_in(tmp_path: Path) -> None:
    """There are too many steps to try a literal with each of them in each rule."""
    good = WALK.replace("    (distinct ?x 3)\n", "")
    path = written(
        tmp_path, good.replace("(<= (goal walker 0) (not (true (at 4))))", "(goal walker 0)")
    )
    found = repair(path, reference=written(tmp_path, good, "good.kif"))
    assert [each.changes for each in found.repairs] == [(f"{path}:10: with (not (true (at 4)))",)]


@pytest.mark.slow
def test_a_goal_for_the_wrong_role_is_given_to_the_other(tmp_path: Path) -> None:
    text = TICTACTOE.replace("(<= (goal ?other 0)\n", "(<= (goal ?player 0)\n", 1)
    path = written(tmp_path, text)
    found = repair(path)
    assert found.claim.startswith("goals unique")
    assert_mended(found, "goals unique", path)
    assert found.repairs[0].changes == (f"{path}:102: ?other in place of ?player",)
    assert found.repairs[0].kept == 1.0


@pytest.mark.slow
def test_a_planted_fault_is_mended_so_that_the_game_is_the_reference(tmp_path: Path) -> None:
    text = TICTACTOE.replace("(cell ?col 2 ?player)", "(cell ?col 1 ?player)")
    path = written(tmp_path, text)
    found = repair(path, reference="tictactoe", most=2)
    assert found.repairs[0].changes == (f"{path}:69: 2 in place of 1",)
    for each in found.repairs:
        assert gdl.diff(ruleset_with(find(str(path)), each.description), "tictactoe").equivalent


@pytest.mark.slow
def test_only_what_the_reference_has_not_is_changed(tmp_path: Path) -> None:
    text = WALK.replace("(succ 2 3)", "(succ 2 2)").replace("    (distinct ?x 3)\n", "")
    path = written(tmp_path, text)
    found = repair(
        path, reference=written(tmp_path, WALK.replace("    (distinct ?x 3)\n", ""), "good.kif")
    )
    assert [len(each.changes) for each in found.repairs] == [1]
    assert "3 in place of 2" in found.repairs[0].changes[0]


@pytest.mark.slow
def test_ones_own_property_is_mended(tmp_path: Path) -> None:
    path = written(tmp_path, WALK.replace("    (distinct ?x 3)\n", ""))
    probe = CustomProperty("never at 3", "(true (at 3))")
    found = repair(path, probes=[probe], keep=0.0)
    assert found.repairs
    for each in found.repairs:
        ruleset = ruleset_with(find(str(path)), each.description)
        assert verify(ruleset, probes=[probe])["never at 3"].status == "proved"
        assert verify(ruleset)["playable"].status == "proved"  # as before


def test_what_is_proved_needs_no_mending() -> None:
    found = repair("tictactoe")
    assert (found.is_needed, found.is_open, found.repairs) == (False, False, ())
    assert found.headline == (
        "nothing to mend: playable is proved, terminating is proved, goals unique is proved, "
        "goals in range is proved"
    )


def test_where_nothing_helps_that_is_said(tmp_path: Path) -> None:
    text = "(role a) (init (s 1)) (<= (legal a (go ?x)) (true (s ?x))) (<= terminal (true (s 2)))"
    found = repair(written(tmp_path, text), wanted="winnable by a", edits=1)
    assert found.headline == "no repair of up to 1 changes"
    assert not found.stopped


def test_a_property_that_is_not_there_is_an_error() -> None:
    with pytest.raises(GdlError) as caught:
        repair("tictactoe", wanted="goal unique")
    assert str(caught.value) == (
        "tictactoe has no property 'goal unique'\n"
        "  expected: terminating, playable, goals unique, goals in range, turn-taking, "
        "one cell a place, winnable by x, winnable by o, constant sum\n"
        "  help: did you mean 'goals unique'?"
    )


@pytest.mark.later
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("walk.kif", WALK),
        ("walk.hrf", gdl.render(parse(WALK), syntax="hrf")),
        pytest.param("tictactoe.kif", TICTACTOE, marks=pytest.mark.slow),
    ],
)
def test_a_change_of_the_text_is_the_change_that_was_tried(name: str, text: str) -> None:
    description = parse(Source(name, text))
    every = Changes(description)
    changes = [change for at in range(len(description.rules)) for change in every.of(at)][::5]
    assert len(changes) > 20
    for change in changes:
        rules = changed(description, [change])
        ((source, after),) = texts_after(description, [change])
        assert rules is not None
        assert rules != description
        assert parse(Source(source.name, after)).rules == rules.rules, change


@pytest.mark.later
def test_the_command_shows_a_patch_and_writes_it(tmp_path: Path) -> None:
    path = written(tmp_path, WALK)
    patch = tmp_path / "mend.patch"
    ran = run("repair", str(path), "--keep", "0", "-o", str(patch))
    assert ran.code == 0
    assert ran.out.startswith(f"{path}: mended by one change (1 found, each proved)\n")
    assert patch.read_text(encoding="utf-8").strip() in ran.out
    assert run("repair", "tictactoe").code == 0


def test_a_reference_leaves_nothing_else_to_ask() -> None:
    ran = run("repair", "tictactoe", "--reference", "tictactoe", "--property", "playable")
    assert ran.code == 2
    assert ran.err == (
        "error: --reference says all that has to hold\n"
        "  expected: --reference alone, or --property and --never\n"
    )


@pytest.mark.slow
@needs_games
def test_the_slip_in_the_published_pentago_is_found() -> None:
    path = SHARED / "games" / "pentago.kif"
    found = repair(path, wanted="goals unique", seconds=300)
    if found.stopped:
        pytest.skip(f"the machine is too busy: {found.stopped}")
    (mended,) = found.repairs
    assert mended.kept == 1.0
    assert mended.changes == (f"{path}:121: black in place of red",)
    assert verify(ruleset_with(find(str(path)), mended.description))["goals unique"].status == (
        "proved"
    )


TWO_ENDS = """
(role a) (init here)
(legal a stay) (legal a go)
(<= (next there) (does a go)) (<= (next home) (does a stay))
(<= terminal (true there)) (<= terminal (true home))
(<= (goal a %s) (true there))
(<= (goal a %s) (true home))
"""


@pytest.mark.later
@pytest.mark.parametrize("near", [-1, 100])
def test_two_changes_are_called_the_fewest_only_after_all_single_ones(
    near: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of rules near the fault two are changed before rules far from it are tried alone."""
    monkeypatch.setattr("gdl.verify.questions.repair.NEAR", near)
    reference = Ruleset("right", (), text=TWO_ENDS % (100, 0))
    found = repair(written(tmp_path, TWO_ENDS % (0, 100)), reference=reference, edits=2, most=1)
    assert [len(each.changes) for each in found.repairs] == [2]
    assert found.complete == (1 if near < 0 else 0)
    fewer = "" if near < 0 else "; perhaps fewer do"
    assert found.headline == f"mended by 2 changes (1 found, each proved{fewer})"
