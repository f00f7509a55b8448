"""``gdl check``: every problem with its picture, a summary, exit codes, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import gdl

PICTURE = """\
unsafe.kif:4:12: error[unsafe-variable]: ?r occurs in the head but in no positive literal of \
the body
  4 | (<= (legal ?r 1) (true (count ?n)))
    |            ^^
  expected: every head variable in a positive body literal
  help: add a literal that binds ?r, for instance (role ?r)
"""

SUSPECT = """\
(<= (unused ?x) (role ?x))
(<= (goal robot 50) (lost 3))
"""

NEXT = (
    "Not looked at: whether play ends, everybody can move and win, and every rule is of use "
    "(gdl verify {0}); whether it is the game that is meant (gdl test {0})\n"
)


@pytest.mark.usefixtures("folder")
def test_a_sound_file_is_one_line_and_one_of_what_was_not_looked_at() -> None:
    ran = gdl("check", "pennies.kif")
    assert (ran.code, ran.out, ran.err) == (
        0,
        f"1 rule file or ruleset checked: all is well\n{NEXT.format('pennies.kif')}",
        "",
    )


@pytest.mark.usefixtures("folder")
def test_a_bad_file_is_drawn_and_fails() -> None:
    ran = gdl("check", "unsafe.kif")
    assert (ran.code, ran.out, ran.err) == (
        1,
        f"{PICTURE}\n1 rule file or ruleset checked: 1 error\n",
        "",
    )


def test_all_problems_of_a_text_that_cannot_be_parsed(folder: Path) -> None:
    (folder / "broken.kif").write_text("(role x\n")
    ran = gdl("check", "broken.kif")
    assert ran.code == 1
    assert ran.out.startswith("broken.kif:1:1: error[")
    assert ran.out.endswith("1 rule file or ruleset checked: 1 error\n")


def test_warnings_fail_only_when_strict(folder: Path) -> None:
    (folder / "odd.kif").write_text((folder / "count.kif").read_text() + SUSPECT)
    ran = gdl("check", "odd.kif")
    assert ran.code == 0
    said = f"\n1 rule file or ruleset checked: 1 warning, 1 hint\n{NEXT.format('odd.kif')}"
    assert ran.out.endswith(said)
    assert gdl("check", "odd.kif", "--strict").code == 1


def test_what_is_milder_than_the_threshold_is_counted_and_not_shown(folder: Path) -> None:
    (folder / "odd.kif").write_text((folder / "count.kif").read_text() + SUSPECT)
    ran = gdl("check", "odd.kif", "--severity", "error")
    assert (ran.code, ran.out) == (
        0,
        "1 rule file or ruleset checked: none to show; 1 warning, 1 hint not shown\n"
        + NEXT.format("odd.kif"),
    )


@pytest.mark.usefixtures("folder")
def test_a_folder_stands_for_the_files_in_it() -> None:
    ran = gdl("check", ".", "--json")
    assert [each["name"] for each in json.loads(ran.out)["files"]] == [
        "coin.kif",
        "count.kif",
        "pennies.kif",
        "stuck.kif",
        "unsafe.kif",
    ]


def test_a_manifest_stands_for_its_rulesets_and_their_files_are_no_targets(folder: Path) -> None:
    (folder / "manifest.toml").write_text(
        '[[ruleset]]\nid = "mine"\nversion = "1"\ntitle = "Mine"\nsource = "me"\n'
        'rules = ["count.kif"]\n'
    )
    ran = gdl("check", ".", "--json")
    assert [each["name"] for each in json.loads(ran.out)["files"]] == [
        "manifest.toml#mine",
        "coin.kif",
        "pennies.kif",
        "stuck.kif",
        "unsafe.kif",
    ]


def test_a_broken_manifest_is_reported_at_its_place(folder: Path) -> None:
    (folder / "manifest.toml").write_text("[[ruleset]\n")
    ran = gdl("check", "manifest.toml")
    assert ran.code == 1
    assert ran.out.startswith("manifest.toml:1:")
    assert "error[toml-syntax]" in ran.out


def test_the_shipped_rulesets_are_well() -> None:
    ran = gdl("check", "pentago/strict", "tictactoe", "--strict")
    said = f"2 rule files and rulesets checked: all is well\n{NEXT.format('GAME')}"
    assert (ran.code, ran.out) == (0, said)


@pytest.mark.usefixtures("folder")
def test_a_missing_file_is_told_and_the_others_are_checked() -> None:
    ran = gdl("check", "pennis.kif", "pennies.kif")
    assert ran.code == 2
    said = f"1 rule file or ruleset checked: all is well; 1 not read\n{NEXT.format('pennies.kif')}"
    assert ran.out == said
    assert ran.err == "error: there is no file pennis.kif\n  help: did you mean pennies.kif?\n"


@pytest.mark.usefixtures("folder")
def test_json_has_every_field_of_a_diagnostic() -> None:
    ran = gdl("check", "unsafe.kif", "--json")
    assert ran.code == 1
    found = json.loads(ran.out)
    assert found["counts"] == {"error": 1, "warning": 0, "hint": 0}
    assert found["files"][0]["diagnostics"] == [
        {
            "slug": "unsafe-variable",
            "severity": "error",
            "message": "?r occurs in the head but in no positive literal of the body",
            "path": "unsafe.kif",
            "line": 4,
            "column": 12,
            "end_line": 4,
            "end_column": 14,
            "expected": "every head variable in a positive body literal",
            "help": "add a literal that binds ?r, for instance (role ?r)",
            "notes": [],
        }
    ]


def test_nothing_to_check() -> None:
    ran = gdl("check")
    assert (ran.code, ran.out, ran.err) == (
        2,
        "",
        "error: nothing to check\n  expected: gdl check FILE...\n",
    )


def test_an_explanation_has_the_rule_and_both_samples() -> None:
    ran = gdl("check", "--explain", "unsafe-variable")
    assert ran.code == 0
    for part in ("unsafe-variable: ", "\nWrong:\n", "\nRight:\n", "\nSource: "):
        assert part in ran.out


def test_all_kinds_of_problems_are_listed_with_a_title() -> None:
    lines = gdl("check", "--explain", "all").out.splitlines()
    slugs = [line.split("  ")[0] for line in lines]
    assert "unsafe-variable" in slugs
    assert len(slugs) == len(set(slugs))
    assert all(line.partition("  ")[2].strip() for line in lines)


def test_an_unknown_kind_of_problem() -> None:
    ran = gdl("check", "--explain", "unsafe-variabel")
    assert (ran.code, ran.out, ran.err) == (
        2,
        "",
        (
            "error: no problem is called unsafe-variabel; did you mean unsafe-variable?\n"
            "  help: gdl check --explain all lists them\n"
        ),
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            "--limit=speed=3",
            (
                "error: --limit speed=3: there is no limit 'speed'\n"
                "  expected: NAME=N, where NAME is one of bytes, symbol_length, depth, "
                "rule_length, rules, facts, term_depth, seconds\n"
            ),
        ),
        (
            "--limit=rules=many",
            (
                "error: --limit rules=many: 'many' is no number\n"
                "  expected: for instance --limit rules=200000\n"
            ),
        ),
        ("--limit=rules=0", "error: --limit rules=0: 0 is not greater than 0\n"),
        ("--max-seconds=nan", "error: --max-seconds: nan is not greater than 0\n"),
    ],
)
def test_limits_that_make_no_sense(option: str, message: str) -> None:
    ran = gdl("check", "count.kif", option)
    assert (ran.code, ran.out, ran.err) == (2, "", message)


@pytest.mark.usefixtures("folder")
def test_a_limit_is_obeyed() -> None:
    ran = gdl("check", "count.kif", "--limit", "bytes=10")
    assert ran.code == 1
    assert "error[limit-bytes]" in ran.out


def test_a_dash_stands_for_what_is_piped_in() -> None:
    ran = gdl("check", "-", stdin="(role a")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == (
        "-:1:1: error[unclosed-bracket]: this bracket is never closed\n"
        "  1 | (role a\n"
        "    | ^\n"
        "  help: add ) at the end of line 1\n"
        "\n"
        "1 rule file or ruleset checked: 1 error\n"
    )


@pytest.mark.slow
def test_a_file_of_tests_is_checked_as_one(folder: Path) -> None:
    (folder / "mine.test.toml").write_text(
        'game = "tictacto"\n[[test]]\nname = "it begins"\nover = false\n\n'
        '[[diff]]\ngame = "pennies.kif"\nwith = "hexx"\nafter = 1\n'
    )
    ran = gdl("check", "mine.test.toml")
    assert (ran.code, ran.out, ran.err) == (
        1,
        """\
mine.test.toml:1:9: error[no-such-game]: there is no ruleset tictacto
  1 | game = "tictacto"
    |         ^^^^^^^^
  expected: one that gdl rulesets lists, a manifest, or a .kif or .hrf file
  help: did you mean tictactoe?
mine.test.toml:8:9: error[no-such-game]: there is no ruleset hexx
  8 | with = "hexx"
    |         ^^^^
  expected: one that gdl rulesets lists, a manifest, or a .kif or .hrf file
  help: did you mean hex?

1 file of tests checked: 2 errors
""",
        "",
    )


def test_the_form_of_a_file_of_tests(folder: Path) -> None:
    (folder / "mine.test.toml").write_text(
        'game = "pennies.kif"\n[[test]]\nname = "it begins"\nover = false\novr = true\n'
    )
    ran = gdl("check", "mine.test.toml")
    assert (ran.code, ran.out) == (
        1,
        """\
mine.test.toml:5:1: error[unknown-key]: ovr means nothing here
  5 | ovr = true
    | ^^^
  expected: name, game, games, skip, position, play, legal, can, cannot, count, over, goals, \
holds, fails or perft
  help: did you mean over?

1 file of tests checked: 1 error
""",
    )


def test_tests_beside_rules_are_counted_apart(folder: Path) -> None:
    (folder / "mine.test.toml").write_text(
        'game = "pennies.kif"\n[[test]]\nname = "it begins"\nover = false\n'
    )
    ran = gdl("check", "mine.test.toml")
    assert ran.out == (
        "1 file of tests checked: all is well\n"
        "Not looked at: whether games do what is written (gdl test mine.test.toml)\n"
    )
    ran = gdl("check", "pennies.kif", "mine.test.toml")
    assert ran.out.startswith("1 rule file or ruleset and 1 file of tests checked: all is well\n")


def test_annotations_and_sarif_say_what_the_text_says(tmp_path: Path) -> None:
    path, log = tmp_path / "a b.kif", tmp_path / "log.sarif"
    rules = ["(role white)", "(init (at 1))", "(<= (legal white (go ?x)) (true (at 1)))"]
    path.write_text("\n".join([*rules, "(goal white 200)", "terminal\n"]))
    done = gdl("check", str(path), "--github", "--sarif", str(log), "--severity", "error")
    assert done.code == 1
    lines = [line for line in done.out.splitlines() if line.startswith("::")]
    told = [(line.partition(",")[0], line.partition(",")[2].partition("::")[0]) for line in lines]
    where = f"::error file={path}"
    assert told == [
        (where, "line=3,col=22,title=unsafe-variable"),
        (where, "line=4,col=13,title=goal-value"),
    ]
    assert lines[0].endswith("::?x occurs in the head but in no positive literal of the body")
    (run,) = json.loads(log.read_text("utf-8"))["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "goal-value",
        "unsafe-variable",
    ]
    first = run["results"][0]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("unsafe-variable", 1, "error")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/a%20b.kif")
    assert place["region"] == {"startLine": 3, "startColumn": 22, "endLine": 3, "endColumn": 24}
    assert first["message"]["text"].startswith("?x occurs in the head")
