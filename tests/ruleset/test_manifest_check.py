"""A manifest that does not fit its rules is found out."""

from pathlib import Path

import gdl
from gdl.language.diagnostics import draw_diagnostics
from gdl.ruleset import find
from gdl.ruleset.manifest_check import check_manifest

MANIFEST = """
[[ruleset]]
id = "walk"
title = "Walk"
version = "1"
source = "ours"
rules = ["walk.kif"]
players = "walkers"
notation = "steps"
picture = "field"

[players.walkers]
robot = {}
robbot = {}

[notation.steps]
example = "to 1"
field.x = "1..3"
field.y = "1..3"
[[notation.steps.form]]
move = "(go ?x ?y)"
text = "?x ?y"
[[notation.steps.form]]
move = "(goto ?x)"
text = "to ?x"
[[notation.steps.form]]
move = "wait"
text = "wait"

[picture.field]
columns = "1..3"
rows = "1..3"
[[picture.field.cell]]
fact = "(at ?column ?row)"
mark = "robot"
[[picture.field.cell]]
fact = "(cell ?column ?row ?mark)"
"""
RULES = """
(role robot)
(init (at 1 1))
(<= (legal robot (go ?x ?y)) (field ?x) (field ?y))
(<= (legal robot wait) (true (at 1 1)))
(field 1) (field 2) (field 3)
"""


def test_what_the_rules_do_not_know_is_named(tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_text(MANIFEST)
    (tmp_path / "walk.kif").write_text(RULES)
    path = tmp_path / "manifest.toml"
    assert draw_diagnostics(check_manifest(find(path))) == (
        f"{path}:14:1: warning[manifest-role]: the rules of walk have no role robbot\n"
        "  14 | robbot = {}\n"
        "     | ^^^^^^\n"
        "  expected: robot\n"
        "  help: did you mean robot?\n"
        f"{path}:24:10: warning[manifest-move]: the rules of walk have no move goto/1\n"
        '  24 | move = "(goto ?x)"\n'
        "     |          ^^^^\n"
        "  expected: go/2 or wait/0\n"
        "  help: did you mean go/2?\n"
        f"{path}:37:10: warning[manifest-fact]: the rules of walk have no fact cell/3\n"
        '  37 | fact = "(cell ?column ?row ?mark)"\n'
        "     |          ^^^^\n"
        "  expected: at/2"
    )


def test_a_move_of_a_role_that_is_none_is_named(tmp_path: Path) -> None:
    goto = '[[notation.steps.form]]\nmove = "(goto ?x)"\ntext = "to ?x"\n'
    whole = MANIFEST.replace("robbot = {}\n", "").replace(goto, "").replace("to 1", "1 2")
    whole = whole[: whole.index('[[picture.field.cell]]\nfact = "(cell')]
    whole += '[[picture.field.move]]\nmove = "(go ?column ?row)"\nrole = "robin"\n'
    (tmp_path / "manifest.toml").write_text(whole)
    (tmp_path / "walk.kif").write_text(RULES)
    path = tmp_path / "manifest.toml"
    assert draw_diagnostics(check_manifest(find(path))) == (
        f"{path}:34:9: warning[manifest-role]: the rules of walk have no role robin\n"
        '  34 | role = "robin"\n'
        "     |         ^^^^^\n"
        "  expected: robot\n"
        "  help: did you mean robot?"
    )


def test_rules_that_leave_moves_open_are_given_the_benefit_of_the_doubt(tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_text(MANIFEST.replace("robbot = {}\n", ""))
    rules = RULES + "(<= (legal robot ?m) (extra ?m)) (<= (next ?f) (true ?f)) (extra (goto 1))"
    (tmp_path / "walk.kif").write_text(rules)
    assert check_manifest(find(tmp_path / "manifest.toml")) == []


def test_check_says_it_of_a_ruleset_and_says_nothing_of_rules_without_a_manifest(
    tmp_path: Path,
) -> None:
    goto = '[[notation.steps.form]]\nmove = "(goto ?x)"\ntext = "to ?x"\n'
    cell = '[[picture.field.cell]]\nfact = "(cell ?column ?row ?mark)"\n'
    whole = MANIFEST.replace(goto, "").replace(cell, "").replace("to 1", "1 2")
    (tmp_path / "manifest.toml").write_text(whole)
    (tmp_path / "walk.kif").write_text(RULES)
    path = tmp_path / "manifest.toml"
    found = [problem.slug for problem in gdl.check(path)]
    assert found.count("manifest-role") == 1
    of_rules = [problem.slug for problem in gdl.check(tmp_path / "walk.kif")]
    assert sorted([*of_rules, "manifest-role"]) == sorted(found)
    assert check_manifest(find(tmp_path / "walk.kif")) == []


def test_what_another_manifest_says_has_no_place_here(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "manifest.toml").write_text(MANIFEST)
    (tmp_path / "one" / "walk.kif").write_text(RULES)
    (tmp_path / "two" / "manifest.toml").write_text(
        '[[ruleset]]\nid = "run"\ntitle = "Run"\nversion = "1"\nsource = "ours"\n'
        'summary = "Run."\nrules = ["@one/walk.kif"]\nplayers = "@one/walkers"\n'
    )
    path = tmp_path / "two" / "manifest.toml"
    assert draw_diagnostics(check_manifest(find(path, search_path=[tmp_path]))) == (
        f"warning[manifest-role]: {path}: the rules of run have no role robbot\n"
        "  expected: robot\n"
        "  help: did you mean robot?"
    )
