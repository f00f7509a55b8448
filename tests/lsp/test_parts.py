"""A file of a ruleset is a part of it: what an editor is told comes from all parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import ROOT, missing

if missing("lsp"):
    pytest.skip(missing("lsp"), allow_module_level=True)

from lsprotocol import types

from gdl.lsp import completion, hints, hover, navigation, problems, rename
from gdl.lsp.documents import Reading
from gdl.lsp.parts import Parts
from gdl.lsp.positions import Lines

MANIFEST = """\
[[ruleset]]
id = "two"
title = "Two parts"
version = "1.0.0"
source = "none"
rules = ["one.kif", "other.hrf"]
facts = "steps"

[[facts.steps]]
fact = "(succ ?i ?j)"
where.i = "1..3"
where.j = "i+1"
"""
ONE = """\
(role w)
(init (at 1))
(<= (legal w go) (role w))
(<= (next (at ?n)) (does w go) (true (at ?o)) (succ ?o ?n))
(<= terminal (far w))
(<= (goal w 100) (far w))
"""
OTHER = "far(X) :- role(X) & true(at(4)).\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("manifest.toml", MANIFEST), ("one.kif", ONE), ("other.hrf", OTHER)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def reading(path: Path, text: str | None = None) -> Reading:
    text = path.read_text("utf-8") if text is None else text
    return Reading(str(path), Lines(text, "utf-16"), "kif")


def behind(parts: Parts, text: str) -> types.Position:
    where = parts.reading.source.text.index(text) + len(text)
    return parts.reading.position(where)


def places(found: list[types.Location]) -> list[tuple[str, int, int]]:
    """Return file, line and column, from 0, of each location."""
    return [
        (each.uri.rpartition("/")[2], each.range.start.line, each.range.start.character)
        for each in found
    ]


def test_a_relation_is_defined_in_another_part_or_the_manifest(folder: Path) -> None:
    one = Parts(reading(folder / "one.kif"))
    assert places(navigation.definition(one, behind(one, "terminal (far"))) == [("other.hrf", 0, 0)]
    fact_line = MANIFEST[: MANIFEST.index("fact =")].count("\n")
    ((name, line, _),) = places(navigation.definition(one, behind(one, "?o)) (succ")))
    assert (name, line) == ("manifest.toml", fact_line)
    found = navigation.references(one, behind(one, "terminal (far"), with_definition=True)
    assert places(found) == [("one.kif", 4, 14), ("one.kif", 5, 18), ("other.hrf", 0, 0)]
    variable = navigation.references(one, behind(one, "(at ?n"), with_definition=True)
    assert places(variable) == [("one.kif", 3, 14), ("one.kif", 3, 55)]


def test_a_part_that_is_open_counts_as_it_is_in_the_editor(folder: Path) -> None:
    path = folder / "other.hrf"
    typed = reading(path, "\n\n" + OTHER)
    one = Parts(reading(folder / "one.kif"), {str(path): typed})
    assert places(navigation.definition(one, behind(one, "terminal (far"))) == [("other.hrf", 2, 0)]
    path.write_text("\n" + OTHER, encoding="utf-8")
    again = Parts(reading(folder / "one.kif"))
    assert places(navigation.definition(again, behind(one, "terminal (far"))) == [
        ("other.hrf", 1, 0)
    ]


def test_a_part_that_is_deleted_is_missed_in_words(folder: Path) -> None:
    (folder / "other.hrf").unlink()
    one = Parts(reading(folder / "one.kif"))
    assert navigation.definition(one, behind(one, "terminal (far")) == []
    (told,) = problems.problems(one)
    assert told.message == (
        "manifest.toml cannot be read, so nobody knows what else belongs to these rules\n"
        "help: mend it first: there is no rule file other.hrf"
    )
    broken = Parts(reading(folder / "one.kif", ONE + "(goal w 101) (far"))
    assert [each.code for each in problems.problems(broken)] == [
        "unusable",
        "goal-value",
        "unclosed-bracket",
    ]


def test_hover_hints_and_completion_know_all_parts(folder: Path) -> None:
    one = Parts(reading(folder / "one.kif"))
    shown = hover.hover(one, behind(one, "?o)) (succ"))
    assert shown is not None
    assert isinstance(shown.contents, types.MarkupContent)
    assert shown.contents.value == (
        "relation succ/2\n\n3 facts and 0 rules, stratum 1\n\n"
        "values of its arguments, at most: 3, 3"
    )
    whole = types.Range(types.Position(0, 0), one.reading.position(len(ONE)))
    labels = [str(each.label) for each in hints.inlay_hints(one, whole)]
    assert labels == [": 2..4", ": 1..3"]
    typed = Parts(reading(folder / "one.kif", ONE + "(<= (goal w 0) (fa"))
    offered = completion.completions(typed, typed.reading.position(len(typed.reading.source.text)))
    assert "far" in [each.label for each in offered]
    other = Parts(reading(folder / "other.hrf"))
    (label,) = hints.inlay_hints(other, whole)
    assert label.label == ": w"


@pytest.mark.parametrize("name", ["hex/hex.kif", "go/go.kif", "morris/morris.kif"])
def test_rules_on_a_board_from_the_manifest_have_values(name: str) -> None:
    parts = Parts(reading(ROOT / "rulesets" / name))
    text = parts.reading.source.text
    whole = types.Range(types.Position(0, 0), parts.reading.position(len(text)))
    labels = {str(each.label) for each in hints.inlay_hints(parts, whole)}
    assert labels
    assert ": nothing" not in labels


def test_a_name_is_changed_in_all_parts(folder: Path) -> None:
    one = Parts(reading(folder / "one.kif"))
    edits = rename.rename(one, behind(one, "terminal (far"), "Away")
    found = {uri.rpartition("/")[2]: changes for uri, changes in edits.items()}
    assert {name: [each.new_text for each in edits] for name, edits in found.items()} == {
        "one.kif": ["Away", "Away"],
        "other.hrf": ["'Away'"],
    }
    with pytest.raises(rename.RenameError, match=r"^manifest\.toml has the word succ too"):
        rename.rename(one, behind(one, "?o)) (succ"), "after")
    other = Parts(reading(folder / "other.hrf"))
    with pytest.raises(rename.RenameError, match=r"^go is .* constant already, in line 3 of one"):
        rename.rename(other, behind(other, "true(at"), "go")
    broken = Parts(
        reading(folder / "one.kif"),
        {str(folder / "other.hrf"): reading(folder / "other.hrf", OTHER + "far(")},
    )
    with pytest.raises(rename.RenameError, match=r"^other\.hrf has the name too, and syntax err"):
        rename.rename(broken, behind(broken, "terminal (far"), "away")


def test_the_second_place_of_a_problem_may_be_in_another_part(folder: Path) -> None:
    text = "(<= terminal (far w 1))\n" + ONE.replace("(far w)", "(true (at 4))")
    typed = reading(folder / "one.kif", text)
    other = Parts(reading(folder / "other.hrf"), {typed.path: typed})
    (told,) = (each for each in problems.problems(other) if each.code == "relation-arity")
    assert [place.location.uri for place in told.related_information or ()] == [typed.uri]
