"""What the server answers, asked without an editor in between."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gdl
from gdl.language.keywords import KEYWORD_MEANINGS, KEYWORDS
from gdl.language.syntax import Variable, arguments, signature
from tests.shared import GAMES, ROOT, missing, needs_games, some

if missing("lsp"):
    pytest.skip(missing("lsp"), allow_module_level=True)

from lsprotocol import types

from gdl.lsp import completion, hints, hover, outline, problems, rename
from gdl.lsp.documents import Reading
from gdl.lsp.domains import domains
from gdl.lsp.names import names
from gdl.lsp.parts import Parts
from gdl.lsp.positions import Lines

TICTACTOE = (ROOT / "rulesets" / "tictactoe" / "tictactoe.kif").read_text("utf-8")
RULE_FILES = sorted((ROOT / "rulesets").rglob("*.kif"))
SMALL = "(role w)\n(init (at a))\n(<= (legal ?p (go ?x)) (role ?p) (true (at ?x)))\n"


def reading_of(text: str, path: str = "/nowhere/a.kif") -> Reading:
    return Reading(path, Lines(text, "utf-16"), "kif")


def behind(reading: Reading, text: str) -> types.Position:
    """Return the position behind a text."""
    return reading.position(reading.source.text.index(text) + len(text))


def labels(text: str) -> list[str]:
    """Return what is offered where a text has a ^."""
    reading = reading_of(text.replace("^", ""))
    found = completion.completions(Parts(reading), reading.position(text.index("^")))
    return [each.label for each in found]


def test_every_word_of_the_language_has_a_meaning() -> None:
    assert KEYWORD_MEANINGS.keys() == KEYWORDS


@pytest.mark.sample(6)
@pytest.mark.parametrize("path", RULE_FILES, ids=lambda path: path.stem)
def test_every_name_stands_where_it_is_said_to_stand(path: Path) -> None:
    reading = reading_of(path.read_text("utf-8"))
    for name in names(reading.rules, "kif"):
        text = name.span.text.strip("?|")
        assert text.lower() == name.signature.name.lower()


@pytest.mark.sample(6)
@pytest.mark.parametrize("path", RULE_FILES, ids=lambda path: path.stem)
def test_a_part_of_a_ruleset_is_checked_as_a_part(path: Path) -> None:
    reading = Reading(str(path), Lines(path.read_text("utf-8"), "utf-16"), "kif")
    found = problems.problems(Parts(reading))
    assert [each for each in found if each.severity is types.DiagnosticSeverity.Error] == []


def test_completion_knows_what_was_seen_at_a_place() -> None:
    assert labels(SMALL + "(<= (next (at ^") == ["a", *(), "w"]
    assert labels(SMALL + "(<= (next (^")[:1] == ["at"]
    assert labels(SMALL + "(<= (next (at ?y)) (true (at ?x)) (does ^")[:3] == ["?y", "?x", "w"]
    assert labels(SMALL + "(<= (next (at ?y)) (does w (^") == ["go"]
    assert "legal" in labels(SMALL + "(^")
    assert "distinct" in labels(SMALL + "(<= terminal (^")
    assert "terminal" in labels(SMALL + "(<= ^")


def test_completion_in_the_other_notation() -> None:
    text = "role(w).\ninit(at(a)).\nlegal(P,go(X)) :- role(P) & true("
    reading = reading_of(text, "/nowhere/a.hrf")
    found = completion.completions(Parts(reading), reading.position(len(text)))
    assert [each.label for each in found][:3] == ["P", "X", "at"]


def test_hover_tells_meaning_stratum_and_sizes() -> None:
    reading = reading_of(TICTACTOE)
    shown = hover.hover(Parts(reading), behind(reading, "(<= (line"))
    assert shown is not None
    assert isinstance(shown.contents, types.MarkupContent)
    assert shown.contents.value.startswith("relation line/")
    assert "stratum" in shown.contents.value


def test_outline_folds_and_colours() -> None:
    reading = reading_of("; one\n; two\n(role w)\n(<= terminal\n  (not (true (at b))))\n")
    assert [each.name for each in outline.symbols(reading)] == ["(role w)", "terminal"]
    assert [(each.start_line, each.end_line) for each in outline.folds(reading)] == [(0, 1), (3, 4)]
    data = list(outline.tokens(reading).data)
    kinds = [outline.TOKEN_TYPES[number] for number in data[3::5]]
    words = ["comment", "comment", "keyword", "enumMember", "keyword", "keyword", "keyword"]
    assert kinds == [*words, "keyword", "struct", "enumMember"]


def test_a_byte_order_mark_moves_no_edit() -> None:
    reading = reading_of(f"\ufeff{SMALL}")
    (edits,) = rename.rename(Parts(reading), types.Position(0, 7), "white").values()
    assert [(each.range.start.line, each.range.start.character) for each in edits] == [(0, 7)]
    fixed = reading_of("\ufeff(rol w) (rol v)\n(<= (legal ?r go) (role ?r))\n")
    shown = problems.problems(Parts(fixed))
    (fix,) = problems.quick_fixes(fixed, "file:///nowhere/a.kif", shown)[:1]
    assert fix.edit is not None
    assert fix.edit.changes is not None
    (changes,) = fix.edit.changes.values()
    assert [each.range.start.character for each in changes] == [2, 10]


@pytest.mark.parametrize("data", [{"slip": 1}, {"slip": {"name": "at"}}, ["slip"], "slip"])
def test_problems_of_others_are_not_mended(data: object) -> None:
    where = types.Range(types.Position(0, 0), types.Position(9, 0))
    shown = types.Diagnostic(where, "theirs", data=data, source="gdl")
    other = {"slip": {"name": "at", "meant": "stands"}}
    theirs = types.Diagnostic(where, "theirs", data=other, source="other")
    assert problems.quick_fixes(reading_of(SMALL), "file:///nowhere/a.kif", [shown, theirs]) == []


def test_the_second_place_of_a_problem_is_in_the_text_of_the_editor() -> None:
    text = "(role w)\n(p a)\n(p a b)\n"
    uri = "untitled:Untitled-1"
    reading = Reading(uri, Lines(text, "utf-16"), "kif", uri=uri)
    found = problems.problems(Parts(reading))
    related = [place for each in found for place in each.related_information or ()]
    assert {place.location.uri for place in related} == {uri}


def test_a_name_that_others_speak_of_is_not_renamed(tmp_path: Path) -> None:
    path = tmp_path / "a.kif"
    path.write_text(SMALL)
    (tmp_path / "a.test.toml").write_text(
        'game = "a.kif"\n[[test]]\nname="x"\nholds=["(true (at a))"]'
    )
    reading = reading_of(SMALL, str(path))
    with pytest.raises(rename.RenameError) as refusal:
        rename.rename(Parts(reading), behind(reading, "(init (at"), "stands")
    assert str(refusal.value) == (
        "a.test.toml has the word at too\n"
        "  help: rename it there by hand, or write the name that it has there"
    )
    (edits,) = rename.rename(Parts(reading), behind(reading, "(legal ?p"), "?who").values()
    assert len(edits) == 2


def test_a_name_that_tests_of_a_manifest_speak_of_is_not_renamed(tmp_path: Path) -> None:
    """As ``gdl new`` writes them: the tests name the manifest, and that the rules."""
    path = tmp_path / "a.kif"
    path.write_text(SMALL)
    (tmp_path / "manifest.toml").write_text('[[ruleset]]\nid = "small"\nrules = ["a.kif"]\n')
    (tmp_path / "a.test.toml").write_text(
        'game = "manifest.toml"\n[[test]]\nname="x"\nholds=["(true (at a))"]'
    )
    reading = reading_of(SMALL, str(path))
    with pytest.raises(rename.RenameError, match=r"^a\.test\.toml has the word at too"):
        rename.rename(Parts(reading), behind(reading, "(init (at"), "stands")


@pytest.mark.parametrize(
    ("place", "new", "why"),
    [
        ("(legal", "lawful", "legal is a word of the language"),
        ("(role w", "random", "random is a word of the language"),
        ("(role w", "a", "a is the name of a constant already, in line 2"),
        ("(init (at", "Next", "next is a word of the language"),
        ("(legal ?p", "x", "x is the name of a variable already, in line 3"),
        ("(role w", "7", "7 is a number, and goals are numbers"),
        ("(role w", "b c", "b c is no name\n  expected: a name of a constant"),
        ("(legal ?p (go", "(f x)", "(f x) is no name for this\n  expected: a name of a function"),
    ],
)
def test_a_name_that_would_change_the_meaning_is_refused(place: str, new: str, why: str) -> None:
    reading = reading_of(SMALL)
    with pytest.raises(rename.RenameError) as refusal:
        rename.rename(Parts(reading), behind(reading, place), new)
    assert str(refusal.value) == why


def test_a_renaming_must_leave_an_isomorphic_game(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = reading_of(SMALL)
    other = reading_of(SMALL.replace("(go ?x)", "(go b)"))
    assert not rename.are_isomorphic(reading.rules, other.rules)
    assert rename.are_isomorphic(reading.rules, reading_of(SMALL.replace("at", "on")).rules)
    monkeypatch.setattr(rename, "are_isomorphic", lambda *_: False)
    with pytest.raises(rename.RenameError) as refusal:
        rename.rename(Parts(reading), behind(reading, "(init (at"), "on")
    assert str(refusal.value) == (
        "with on the rules would be those of another game\n"
        "  expected: rules that are the same but for their names"
    )


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("path", some(GAMES, 20), ids=lambda path: path.stem)
def test_a_renamed_game_is_the_same_game(path: Path) -> None:
    text = path.read_text("utf-8", "replace")
    reading = reading_of(text)
    chance = random.Random(path.stem)
    for name in chance.sample(list(reading.names), min(10, len(reading.names))):
        try:
            where = reading.position(name.span.start)
            (edits,) = rename.rename(Parts(reading), where, "anders").values()
        except rename.RenameError:
            continue
        lines = Lines(text, "utf-16")
        changed = text
        for edit in reversed(edits):
            start, stop = lines.offset(edit.range.start), lines.offset(edit.range.end)
            changed = changed[:start] + edit.new_text + changed[stop:]
        assert reading_of(changed).rules.rules == rename.renamed(reading.rules, name.key, "anders")
        assert len(edits) == sum(each.key == name.key for each in reading.names)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "name", ["tictactoe", "connectfour", "breakthrough", "hex?size=3", "kalah", "othello"]
)
def test_what_comes_up_in_play_is_in_the_domains(name: str) -> None:
    game = gdl.load(name, backend="reason")
    found = domains(game.ruleset.checked())
    if found is None:
        pytest.skip("its domains are not known")
    chance = random.Random(1)
    state = game.initial()
    for _ in range(30):
        for fact in state.facts:
            assert not isinstance(fact, Variable)
            predicate = found.program.states.get(signature(fact))
            columns = [] if predicate is None else found.values[predicate]
            for term, values in zip(arguments(fact), columns, strict=False):
                assert not isinstance(term, Variable)
                assert term in values or signature(term) in values
        if state.is_terminal:
            break
        state = state.play({role: chance.choice(list(state.legal(role))) for role in game.roles})


def test_hints_name_what_a_variable_may_be() -> None:
    reading = reading_of(TICTACTOE)
    whole = types.Range(types.Position(0, 0), types.Position(999, 0))
    told = {str(each.label) for each in hints.inlay_hints(Parts(reading), whole)}
    assert ": o, x" in told


def test_manifests_and_tests_of_games_have_places(tmp_path: Path) -> None:
    manifest = Reading(
        str(tmp_path / "manifest.toml"), Lines('[[ruleset]]\nid = "A b"\n', "utf-16"), "toml"
    )
    assert {str(each.code) for each in problems.problems(Parts(manifest))} == {
        "missing-key",
        "wrong-value",
    }
    suite = Reading(
        str(tmp_path / "x.test.toml"), Lines('game = "a"\n[[tset]]\n', "utf-16"), "toml"
    )
    (found,) = (each for each in problems.problems(Parts(suite)) if each.code == "unknown-key")
    assert found.range.start == types.Position(1, 0)
    assert "did you mean test?" in found.message


def test_of_something_else_nothing_is_said(tmp_path: Path) -> None:
    other = Reading(str(tmp_path / "pyproject.toml"), Lines("[[", "utf-16"), "toml")
    assert problems.problems(Parts(other)) == []
