"""What `check` still says of a text with syntax errors: all that mending cannot make wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.language.checks.check import check, check_partial, check_syntax_error
from gdl.language.diagnostics import draw_diagnostics
from gdl.language.parse import Syntax, parse
from gdl.language.parse.problems import MAX_ERRORS
from gdl.language.syntax import Description, GdlSyntaxError

BROKEN = """\
(role white
(goal white 101)
(<= (legal ?r noop) (true (step 1)))
"""

SHOWN = """\
bad.kif:1:1: error[unclosed-bracket]: this bracket is never closed
  1 | (role white
    | ^
  help: add ) at the end of line 1
  note: bad.kif:2:1: the next form begins here
  2 | (goal white 101)
    | ^
bad.kif:2:13: error[goal-value]: goal value 101 is greater than 100
  2 | (goal white 101)
    |             ^^^
  expected: a whole number from 0 to 100
  help: write 100 for a win, 0 for a loss, or what lies between
bad.kif:3:12: error[unsafe-variable]: ?r occurs in the head but in no positive literal of the body
  3 | (<= (legal ?r noop) (true (step 1)))
    |            ^^
  expected: every head variable in a positive body literal
  help: add a literal that binds ?r, for instance (role ?r)"""

SAMPLES = Path(__file__).parents[1] / "errors"
READABLE = ("many-problems", "recursion-restriction", "unstratified-negation-playable")


def found(text: str, syntax: Syntax = "kif") -> list[tuple[str, int]]:
    """Return the slugs and lines of what is wrong with a text that cannot be parsed."""
    with pytest.raises(GdlSyntaxError) as error:
        parse(text, syntax=syntax)
    return [(each.slug, each.span.line) for each in check_syntax_error(error.value) if each.span]


def test_a_file_with_a_broken_form_shows_the_problems_of_the_others_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.kif").write_text(BROKEN)
    assert draw_diagnostics(gdl.check("bad.kif")) == SHOWN


def test_hrf_is_checked_around_a_broken_rule_too() -> None:
    text = "role(white\nlegal(P,noop) :- true(step(1)).\ngoal(white,101).\n"
    expected = [("unclosed-bracket", 1), ("unsafe-variable", 2), ("goal-value", 3)]
    assert found(text, "hrf") == expected


@pytest.mark.parametrize(
    "text",
    [
        "(<= (legal ?p noop))\n  (role ?p))",
        "(<= (legal ?p noop)) (role ?p)) (true (control ?p))",
        "(<= (p ?x)\n(q ?x))\n (r ?x))",
    ],
)
def test_pieces_of_a_rule_that_was_closed_too_early_are_not_judged(text: str) -> None:
    assert {slug for slug, _ in found(text + "\n(role white)")} == {"unexpected-bracket"}
    assert ("goal-value", text.count("\n") + 2) in found(text + "\n(<= (goal white 101) won)")


def test_conditions_of_a_rule_that_is_never_closed_are_not_taken_for_facts() -> None:
    text = "(<= (legal ?p noop)\n(role ?p)\n(free ?p)\n(<= terminal (not (line ?x)))"
    assert found(text) == [("unclosed-bracket", 1), ("unsafe-negation", 4)]


def test_infix_rules_read_as_kif_are_one_problem() -> None:
    assert found("role(white).\nlegal(X,noop) :- role(X).\nrole(white).") == [("infix-notation", 1)]


def test_rules_are_not_judged_when_reading_stopped() -> None:
    text = "(goal white 101)" + "()" * (MAX_ERRORS + 1)
    assert {slug for slug, _ in found(text)} == {"empty-list", "too-many-errors"}


@pytest.mark.parametrize("name", READABLE)
@given(chosen=st.sets(st.integers(0, 60)))
def test_what_is_said_of_a_part_is_true_of_the_whole(name: str, chosen: set[int]) -> None:
    whole = parse((SAMPLES / f"{name}.kif").read_text(encoding="utf-8"), syntax="kif")
    rules = tuple(rule for number, rule in enumerate(whole.rules) if number in chosen)
    part = check_partial(Description(rules, whole.sources))
    said = {(each.slug, each.severity) for each in check(whole)}
    assert {(each.slug, each.severity) for each in part} <= said


def test_what_further_rules_may_change_is_not_said_of_a_part() -> None:
    harmless = "(<= (way ?x ?z) (way ?x ?y) (way ?y ?z))"
    growing = harmless + "(<= (way ?x (s ?y)) (way ?x ?y))"
    assert check_partial(parse(harmless)) == []
    assert {each.slug for each in check_partial(parse(growing))} == {"recursion-restriction"}
    playable = parse("(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))")
    (alone,) = check_partial(playable)
    (cycle,) = (each for each in check(playable) if each.slug == alone.slug)
    assert len(alone.notes) < len(cycle.notes)
