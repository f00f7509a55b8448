"""Two lists of rules are called the same where one renamed is the other, and nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gdl.certify import CertificateError, check_folder
from gdl.certify.renaming import KEYWORDS, check_renaming
from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.render import render
from gdl.ruleset import Ruleset, find
from gdl.verify.diff import diff
from tests.certify.forged import signed
from tests.shared import some
from tests.verify.scramble import scramble

ONE = """(<= (role a))
(<= (init (at 1)))
(<= (succ 1 2))
(<= (legal a (go ?x ?y)) (true (at ?x)) (succ ?x ?y) (distinct ?x ?y))
(<= (next (at ?y)) (does a (go ?x ?y)))
(<= terminal (true (at 2)) (not (true (at 1))))
(<= (goal a 100) (true (at 2)))
"""
OTHER = """(<= (next_one 0 1))
(<= (role a))
(<= (init (pos 0)))
(<= (goal a 100) (true (pos 1)))
(<= (next (pos ?b)) (does a (move ?b ?a)))
(<= terminal (not (true (pos 0))) (true (pos 1)))
(<= (legal a (move ?w ?v)) (distinct ?w ?v) (next_one ?v ?w) (true (pos ?v)))
"""
MAP: dict[str, Any] = {
    "words": [
        [["1", 0, "term"], ["0", 0, "term"]],
        [["2", 0, "term"], ["1", 0, "term"]],
        [["at", 1, "term"], ["pos", 1, "term"]],
        [["go", 2, "term"], ["move", 2, "term"]],
        [["succ", 2, "relation"], ["next_one", 2, "relation"]],
    ],
    "places": [[["go", 2, "term"], [1, 0]]],
    "variables": [{}, {}, {}, {"?x": "?v", "?y": "?w"}, {"?x": "?a", "?y": "?b"}, {}, {}],
}


def refused(one: str, other: str, written: object) -> str:
    with pytest.raises(CertificateError) as caught:
        check_renaming(one, other, json.dumps(written))
    return str(caught.value)


def test_renamed_rules_are_the_same() -> None:
    assert check_renaming(ONE, OTHER, json.dumps(MAP)) == 7


def test_the_words_of_the_language_are_known() -> None:
    assert frozenset(KEYWORD_ARITIES) == KEYWORDS


@pytest.mark.later
@pytest.mark.parametrize("which", [0, 1])
def test_any_other_word_is_seen(which: int) -> None:
    # The map is one to one, so a rule in which one word is another never becomes the same rule.
    texts = [ONE, OTHER]
    words = sorted(set(re.findall(r"[^\s()]+", texts[which])) - {"<="})
    for found in re.finditer(r"[^\s()]+", texts[which]):
        for word in words:
            if word != found[0] != "<=":
                text = texts[which]
                texts_now = list(texts)
                texts_now[which] = text[: found.start()] + word + text[found.end() :]
                refused(texts_now[0], texts_now[1], MAP)


@pytest.mark.parametrize("which", [0, 1])
def test_a_rule_or_a_literal_that_is_left_out_is_missed(which: int) -> None:
    lines = [ONE, OTHER][which].splitlines()
    for number, line in enumerate(lines):
        texts = [ONE, OTHER]
        texts[which] = "\n".join(lines[:number] + lines[number + 1 :])
        refused(texts[0], texts[1], MAP)
        last = line.rfind(" (")
        if last > len("(<="):
            texts[which] = "\n".join([*lines[:number], line[:last] + ")", *lines[number + 1 :]])
            refused(texts[0], texts[1], MAP)


def without(key: str, number: int) -> Callable[[dict[str, Any]], object]:
    return lambda written: written[key].pop(number)


def named(number: int, one: Any, other: Any) -> Callable[[dict[str, Any]], None]:  # noqa: ANN401
    def change(written: dict[str, Any]) -> None:
        written["words"][number] = [one, other]

    return change


MAPS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (without("words", 0), "two words get one name"),
    (without("words", 2), "the rules are not the same: 5 of one and 5 of the other are left over"),
    (without("places", 0), "the rules are not the same: 2 of one and 2 of the other are left over"),
    (without("variables", 0), "the map is not of these clauses"),
    (lambda w: w.pop("words"), "there is no map that can be read: 'words'"),
    (lambda w: w["variables"][3].clear(), "the rules are not the same: 1 of one and 1 of the "),
    (lambda w: w["variables"][3].update({"?x": "?w"}), "two variables of clause 4 get one name"),
    (lambda w: w["variables"][3].update({"?x": "a"}), "a variable becomes none"),
    (lambda w: w["places"][0].__setitem__(1, [0, 0]), "the arguments of go do not keep their numb"),
    (named(0, ["1", 0, "term"], ["1", 1, "term"]), "1 becomes something of another kind"),
    (named(0, ["100", 0, "goal"], ["50", 0, "goal"]), "100 has a meaning of its own"),
    (named(4, ["terminal", 0, "relation"], ["over", 0, "relation"]), "terminal has a meaning of "),
    (named(4, ["succ", 2, "relation"], ["legal", 2, "relation"]), "legal has a meaning of its own"),
    (named(2, ["a", 0, "term"], ["random", 0, "term"]), "random has a meaning of its own"),
]


@pytest.mark.parametrize(("change", "text"), MAPS)
def test_another_map_is_refused(change: Callable[[dict[str, Any]], object], text: str) -> None:
    written = json.loads(json.dumps(MAP))
    change(written)
    assert refused(ONE, OTHER, written).startswith(text)


def test_numbers_are_no_names_where_goals_are_asked_for() -> None:
    more = "(<= (score 1) (goal a 100))"
    written = {**MAP, "variables": [*MAP["variables"], {}]}
    assert refused(ONE + more, OTHER + more, written) == "1 has a meaning of its own"


def test_numbers_below_0_are_no_names_either() -> None:
    one = "(<= (init (score -1)))\n(<= (goal r ?0) (true (score ?0)))\n"
    words = [[["-1", 0, "term"], ["-2", 0, "term"]]]
    written = {"words": words, "places": [], "variables": [{}, {}]}
    assert refused(one, one.replace("-1", "-2"), written) == "-1 has a meaning of its own"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("(<= (role a)", "this is no clause: (<= (role a)"),
        ("(<= (role a)))", "this is no clause: (<= (role a)))"),
        ("(role a)", "this is no clause: (role a)"),
        ("(<=)", "this is no clause: (<=)"),
        ("(<= ((role) a))", "a term has no name, or empty brackets"),
        ("(<= (role ()))", "a term has no name, or empty brackets"),
        ("(<= (p) (or (q) (r)))", "a term has no name, or empty brackets"),
        ("(<= p (or q r))", "this is no literal of a clause: or"),
        ("(<= p (not q r))", "this is no literal of a clause: not"),
        ("(<= ?x)", "?x stands where a name has to"),
        ("(<= p (q (?x a)))", "?x stands where a name has to"),
        ("(<= |p|)", "a clause with names between bars or quotes: (<= |p|)"),
    ],
)
def test_what_is_no_clause_is_refused(line: str, text: str) -> None:
    nothing: dict[str, list[Any]] = {"words": [], "places": [], "variables": [{}]}
    assert refused(line, line, nothing) == text


@pytest.mark.later
@pytest.mark.parametrize("seed", some(range(20), 3))
def test_what_diff_calls_the_same_rules_is_certified(seed: int, tmp_path: Path) -> None:
    ruleset = find("tictactoe")
    text = render(scramble(ruleset.description, seed=seed))
    answer = diff(ruleset, Ruleset("other", (), text=text), certificates=tmp_path / "same")
    assert answer.equivalent
    (claim,) = check_folder(tmp_path / "same")
    assert (claim.kind, claim.holds) == ("renaming", True)
    for rules in (tmp_path / "same").glob("*/*.kif"):
        rules.write_text(f"{rules.read_text()}(<= (p {'(f ' * 20_000}x{')' * 20_000}))\n")
    (path,) = (tmp_path / "same").glob("*/renaming.json")
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "variables": [*said["variables"], {}]}))
    signed(tmp_path / "same")
    (claim,) = check_folder(tmp_path / "same")
    assert (claim.holds, claim.text) == (False, "what it is about is nested too deeply")
