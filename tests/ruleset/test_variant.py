"""A variant takes its base over but for what it replaces or leaves out, by relation."""

import pickle
from pathlib import Path

import pytest

import gdl
from gdl.language.diagnostics import Severity
from gdl.language.parse import parse
from gdl.language.syntax import kif_text
from gdl.ruleset import ManifestError, Ruleset, find
from gdl.ruleset.flatten import flatten

MANIFEST = """[[ruleset]]
id = "nim"
title = "Nim with one heap"
version = "1"
source = "ours"
rules = {files}
{lines}
"""
BASE = """;;; One heap of three.
(role left) (role right)
(other left right) (other right left)
(succ 0 1) (succ 1 2) (succ 2 3)
(init (heap 3)) (init (control left))

; A player takes one or two, and who waits does nothing.
(<= (legal ?p (take 1)) (true (control ?p)) (true (heap ?n)) (succ ?m ?n))
(<= (legal ?p (take 2)) (true (control ?p))
    (true (heap ?n)) (succ ?m ?n)

    (succ ?k ?m))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))

(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= (next (heap ?m)) (does ?p (take 1)) (true (heap ?n)) (succ ?m ?n))
(<= (next (heap ?k)) (does ?p (take 2)) (true (heap ?n)) (succ ?m ?n) (succ ?k ?m))

(<= terminal (true (heap 0)))

; Who cannot move loses.
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?q 100) (true (control ?p)) (other ?p ?q))
"""
MISERE = """; Who cannot move wins.
(<= (goal ?p 100) (true (control ?p)))
(<= (goal ?q 0) (true (control ?p)) (other ?p ?q))
"""


def nim(folder: Path, *lines: str, files: tuple[str, ...] = ("base.kif", "misere.kif")) -> Ruleset:
    (folder / "base.kif").write_text(BASE)
    (folder / "misere.kif").write_text(MISERE)
    text = MANIFEST.replace("{files}", str(list(files))).replace("{lines}", "\n".join(lines))
    (folder / "manifest.toml").write_text(text)
    return find(folder / "manifest.toml")


def heads(ruleset: Ruleset) -> list[str]:
    return [kif_text(rule.head.sentence) for rule in ruleset.description.rules]


def test_what_is_replaced_comes_from_the_last_file_that_has_it(tmp_path: Path) -> None:
    base, misere = parse(BASE).rules, parse(MISERE).rules
    ruleset = nim(tmp_path, 'replace = ["goal"]')
    assert ruleset.description.rules == base[:-2] + misere
    game = gdl.load(ruleset, backend="reason")
    state = game.initial().play("(take 2)").play("(take 1)")
    assert (state.is_terminal, state.goal("left"), state.goal("right")) == (True, 100, 0)


def test_a_form_of_a_relation_is_replaced_or_left_out_alone(tmp_path: Path) -> None:
    ruleset = nim(tmp_path, 'replace = ["(goal ?p 0)"]', 'leave-out = ["(legal ?p (take 2))"]')
    found = heads(ruleset)
    assert found[-4:] == ["terminal", "(goal ?q 100)", "(goal ?p 100)", "(goal ?q 0)"]
    assert [head for head in found if head.startswith("(legal")] == [
        "(legal ?p (take 1))",
        "(legal ?p noop)",
    ]


def test_a_form_with_one_name_twice_wants_the_same_twice(tmp_path: Path) -> None:
    (tmp_path / "more.kif").write_text("(same 1 1) (same 1 2) (same ?x ?x)")
    ruleset = nim(tmp_path, 'leave-out = ["(same ?a ?a)"]', files=("base.kif", "more.kif"))
    assert heads(ruleset)[-1] == "(same 1 2)"


def test_what_is_dropped_is_missing_from_the_flat_text_with_its_paragraph(tmp_path: Path) -> None:
    ruleset = nim(tmp_path, 'replace = ["goal"]', 'leave-out = ["(legal ?p (take 2))", "succ"]')
    flat = flatten(ruleset)
    assert parse(flat).rules == ruleset.description.rules
    assert "Who cannot move loses" not in flat
    assert "Who cannot move wins" in flat
    assert "; A player takes one or two" in flat
    assert "\n(other left right) (other right left)\n \n" not in flat
    assert "\n\n\n" not in flat


def test_a_flat_text_with_windows_line_ends(tmp_path: Path) -> None:
    ruleset = nim(tmp_path, 'replace = ["goal"]')
    (tmp_path / "base.kif").write_bytes(BASE.replace("\n", "\r\n").encode())
    other = find(tmp_path / "manifest.toml")
    assert flatten(other) == flatten(ruleset)


def test_infix_rules_are_replaced_too(tmp_path: Path) -> None:
    (tmp_path / "misere.hrf").write_text(
        "goal(P, 100) :- true(control(P))\ngoal(Q, 0) :- true(control(P)) & other(P, Q)\n"
    )
    ruleset = nim(tmp_path, 'replace = ["goal"]', files=("base.kif", "misere.hrf"))
    assert parse(flatten(ruleset)).rules == ruleset.description.rules
    assert heads(ruleset)[-2:] == ["(goal ?p 100)", "(goal ?q 0)"]


def test_problems_point_to_the_file_that_holds_the_rule(tmp_path: Path) -> None:
    nim(tmp_path, 'replace = ["goal"]')
    (tmp_path / "misere.kif").write_text(f"{MISERE}(<= (goal ?x 50) terminal)\n")
    (error,) = [e for e in gdl.check(tmp_path / "manifest.toml") if e.severity is Severity.ERROR]
    assert (error.path, error.line) == (str(tmp_path / "misere.kif"), 4)


def test_syntax_errors_are_told_before_what_is_replaced(tmp_path: Path) -> None:
    nim(tmp_path, 'replace = ["goal", "gaol"]')
    (tmp_path / "misere.kif").write_text(f"{MISERE}(<= (goal ?x 50) terminal\n")
    assert [error.slug for error in gdl.check(tmp_path / "manifest.toml")] == ["unclosed-bracket"]


def test_rules_that_differ_in_what_they_replace_are_different_rules(tmp_path: Path) -> None:
    plain = nim(tmp_path)
    replaced = nim(tmp_path, 'replace = ["goal"]')
    left_out = nim(tmp_path, 'leave-out = ["goal"]')
    assert len({plain, replaced, left_out}) == len({plain.digest(), replaced.digest()}) + 1
    assert len({plain.digest(), replaced.digest(), left_out.digest()}) == 3
    assert pickle.loads(pickle.dumps(replaced)) == replaced


WRONG = [
    (
        'replace = ["gaol"]',
        """manifest.toml:7:13: error[nothing-to-replace]: no rule of this game is for gaol
  7 | replace = ["gaol"]
    |             ^^^^
  expected: a relation of its rules: role, other, succ, init, legal, next, terminal or goal
  help: did you mean goal?""",
    ),
    (
        'leave-out = ["goal", "(legal ?p (pass))"]',
        """manifest.toml:7:23: error[wrong-term]: '(legal ?p (pass))' is no relation: brackets \
around a single name: write pass
  7 | leave-out = ["goal", "(legal ?p (pass))"]
    |                       ^^^^^^^^^^^^^^^^^
  expected: a list of relations, for instance ["goal", "(legal ?player (castle ?side))"]""",
    ),
    (
        'leave-out = ["goal", "(legal ?p pass)"]',
        """manifest.toml:7:23: error[nothing-to-leave-out]: no rule of this game is for \
(legal ?p pass)
  7 | leave-out = ["goal", "(legal ?p pass)"]
    |                       ^^^^^^^^^^^^^^^
  expected: a relation of its rules: (legal ?p (take 1)), (legal ?p (take 2)) or (legal ?p noop)""",
    ),
    (
        'replace = ["terminal"]',
        """manifest.toml:7:13: error[nothing-to-replace]: all rules for terminal are in one file, \
so that none replaces another
  7 | replace = ["terminal"]
    |             ^^^^^^^^
  expected: rules for terminal in an earlier file and in a later one
  help: to have no rules for it, write leave-out = ["terminal"]""",
    ),
    (
        'leave-out = ["?x"]',
        """manifest.toml:7:15: error[wrong-term]: ?x would be every rule
  7 | leave-out = ["?x"]
    |               ^^
  expected: a list of relations, for instance ["goal", "(legal ?player (castle ?side))"]""",
    ),
]


@pytest.mark.parametrize(("line", "text"), WRONG)
def test_what_is_not_there_cannot_be_replaced(
    line: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ManifestError) as caught:
        nim(Path(), line).description  # noqa: B018  # reading it is what fails
    assert str(caught.value) == text
