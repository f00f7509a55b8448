"""One family in many sizes: what a name of a ruleset says after its question mark."""

import pickle
from pathlib import Path

import pytest

import gdl
from gdl.cli.terminal.options import complete_id
from gdl.language.diagnostics import Severity
from gdl.language.parse import parse
from gdl.ruleset import ManifestError, ParameterError, UnknownRulesetError, find, read_manifest
from gdl.ruleset.flatten import flatten

MANIFEST = """
[[ruleset]]
id = "nim"
title = "Nim"
version = "1.0.0"
source = "Bouton, Nim, a game with a complete mathematical theory, 1901"
rules = ["nim.kif"]
parameters = ["heaps", "most"]
facts = "heaps"
notation = "heaps"
picture = "heaps"

[parameter.heaps]
default = [1, 3, 5]
values = "1..9"
length = "1..4"
help = "objects in each heap"

[parameter.most]
default = 9
values = [1, 3, 9]
help = "objects that one move takes, at most"

[[facts.heaps]]
fact = "(init (heap ?h ?n))"
where.h = "1..count(heaps)"
where.n = "heaps[h]"

[[facts.heaps]]
fact = "(less ?n ?m ?most)"
where.n = "1..9"
where.m = "max(0, n - most)..n - 1"

[notation.heaps]
example = "c to 2"
field.heap = "1..count(heaps) as a.."
field.left = "0..9"

[[notation.heaps.form]]
move = "(leave ?heap ?left)"
text = "?heap to ?left"

[picture.heaps]
columns = "1..count(heaps) as a.."
rows = "2..0"
[[picture.heaps.cell]]
fact = "(heap ?column ?row)"
mark = "top"
"""
RULES = """
(role left) (role right)
(other left right) (other right left)
(init (control left))
(<= (legal ?p (leave ?h ?m)) (true (control ?p)) (true (heap ?h ?n)) (less ?n ?m ?most))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= (next (heap ?h ?m)) (does ?p (leave ?h ?m)))
(<= (changed ?h) (does ?p (leave ?h ?m)))
(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (changed ?h)))
(<= some (true (heap ?h ?n)) (distinct ?n 0))
(<= terminal (not some))
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?q 100) (true (control ?p)) (other ?p ?q))
"""


@pytest.fixture(autouse=True)
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "games" / "nim"
    folder.mkdir(parents=True)
    (folder / "manifest.toml").write_text(MANIFEST)
    (folder / "nim.kif").write_text(RULES)
    monkeypatch.setenv("GDL_RULESETS", str(tmp_path / "games"))
    monkeypatch.chdir(folder)
    return folder


def test_parameters_make_another_game_of_the_same_rules() -> None:
    usual, other = gdl.load("nim", backend="reason"), gdl.load("nim?heaps=2,2", backend="reason")
    assert [len(game.initial().legal("left")) for game in (usual, other)] == [9, 4]
    state = other.initial().play("a to 0")
    assert state.notation(state.legal("right")[0]) == "b to 0"
    drawn = other.ruleset.draw(state.facts, ascii_only=True)
    assert drawn.splitlines()[:4] == ["  a b", "2 . t", "1 . .", "0 t ."]


def test_a_name_tells_what_is_not_as_usual_in_the_order_of_the_manifest() -> None:
    assert find("nim?most=3&heaps=2,2").id == "nim?heaps=2,2&most=3"
    assert find("nim?heaps=1,3,5&most=9") == find("nim")
    assert find("nim?most=9").id == "nim"
    odd = find("nim? most = 3 ")
    assert (odd.id, odd.game_id, odd.title) == ("nim?most=3", "nim?most=3", "Nim, most 3")
    assert find(odd.id) == odd
    assert pickle.loads(pickle.dumps(odd)) == odd


def test_a_manifest_is_named_with_parameters_too() -> None:
    assert find("manifest.toml?most=3").id == "nim?most=3"
    assert find("manifest.toml#nim?most=3").id == "nim?most=3"


def test_each_value_is_a_game_of_its_own() -> None:
    names = ["nim", "nim?most=3", "nim?most=1", "nim?heaps=1,3", "nim?heaps=3,1", "nim?heaps=4"]
    games = [find(name) for name in names]
    assert len({game.digest() for game in games}) == len({*games}) == len(names)
    assert [str(each) for each in games[3].parameters] == ["heaps=1,3", "most=9"]


def test_one_number_is_a_list_of_one() -> None:
    assert len(gdl.load("nim?heaps=4", backend="reason").initial().legal("left")) == 4


def test_the_example_of_the_notation_is_a_move_of_the_game() -> None:
    assert find("nim").notation.example == "c to 2"
    assert find("nim?heaps=2,2").notation.example == "a to 0"


def test_the_flat_text_is_the_whole_game() -> None:
    ruleset = find("nim?heaps=2,2&most=1")
    flat = flatten(ruleset)
    assert parse(flat).rules == ruleset.description.rules
    assert "; (init (heap ?h ?n)) for heaps = 2,2\n(init (heap 1 2)) (init (heap 2 2))\n" in flat
    assert max(map(len, flat.splitlines())) <= 100


def test_a_written_fact_has_its_place_in_the_manifest(nim: Path) -> None:
    text = MANIFEST.replace("(init (heap ?h ?n))", "(init (heap ?h ?n ?n))")
    (nim / "manifest.toml").write_text(text)
    (found,) = [each for each in gdl.check("nim") if each.severity is Severity.ERROR]
    assert found.slug == "function-arity"
    places = {str(span) for span in (found.span, *(note.span for note in found.notes)) if span}
    assert f"{nim / 'manifest.toml'}:25:15" in places


def test_another_family_takes_parameters_and_facts(nim: Path) -> None:
    folder = nim.parent / "misere"
    folder.mkdir()
    (folder / "misere.kif").write_text(
        "(<= (goal ?p 100) (true (control ?p)))\n"
        "(<= (goal ?q 0) (true (control ?p)) (other ?p ?q))\n"
    )
    (folder / "manifest.toml").write_text(
        '[[ruleset]]\nid = "misere"\ntitle = "Nim, misere"\nversion = "1"\nsource = "ours"\n'
        'rules = ["@nim/nim.kif", "misere.kif"]\nreplace = ["goal"]\nnotation = "@nim/heaps"\n'
        'parameters = ["@nim/most", "@nim/heaps"]\nfacts = "@nim/heaps"\n'
    )
    game = gdl.load("misere?heaps=1", backend="reason")
    end = game.initial().play("a to 0")
    assert (game.id, end.goal("left"), end.goal("right")) == ("misere?heaps=1", 0, 100)
    assert parse(flatten(game.ruleset)).rules == game.ruleset.description.rules


@pytest.mark.slow
def test_the_shell_completes_names_and_values() -> None:
    assert "nim" in complete_id("ni")
    assert complete_id("nim?") == ["nim?heaps=1,3,5", "nim?most=9"]
    assert complete_id("nim?m") == ["nim?most=9"]
    assert complete_id("nim?most=3&") == ["nim?most=3&heaps=1,3,5"]
    assert complete_id("pentago/strict?") == []


REFUSED = [
    (
        "nim?mots=3",
        "nim has no parameter 'mots'\n  expected: heaps or most\n  help: did you mean most?",
    ),
    (
        "nim?most=4",
        (
            "most of nim is 4\n  expected: 1, 3 or 9 (objects that one move takes, at most)\n"
            "  help: 9 is usual: nim alone"
        ),
    ),
    (
        "nim?most=three",
        (
            "most of nim is three\n  expected: 1, 3 or 9 (objects that one move takes, at most)\n"
            "  help: 9 is usual: nim alone"
        ),
    ),
    (
        "nim?most=1,3",
        (
            "most of nim is 1,3\n  expected: 1, 3 or 9 (objects that one move takes, at most)\n"
            "  help: 9 is usual: nim alone"
        ),
    ),
    (
        "nim?most=٣",
        (
            "most of nim is ٣\n  expected: 1, 3 or 9 (objects that one move takes, at most)\n"
            "  help: 9 is usual: nim alone"
        ),
    ),
    (
        "nim?heaps=10",
        (
            "heaps of nim is 10\n  expected: 1 to 4 whole numbers from 1 to 9, with commas between "
            "(objects in each heap)\n  help: 1,3,5 is usual: nim alone"
        ),
    ),
    (
        "nim?heaps=1,2,3,4,5",
        (
            "heaps of nim is 1,2,3,4,5\n  expected: 1 to 4 whole numbers from 1 to 9, with commas "
            "between (objects in each heap)\n  help: 1,3,5 is usual: nim alone"
        ),
    ),
    (
        "nim?most",
        "'most' after nim? gives no parameter a value\n  expected: nim?heaps=...&most=...",
    ),
    ("nim?", "'' after nim? gives no parameter a value\n  expected: nim?heaps=...&most=..."),
    (
        "nim?most=3&most=1",
        "nim is given its parameter most twice\n  expected: most=... once",
    ),
    (
        "pentago/strict?size=8",
        "pentago/strict has no parameters\n  expected: pentago/strict without '?size=8'",
    ),
    (
        "nim.kif?most=3",
        (
            "nim.kif is a rule file, which has no parameters\n"
            "  expected: nim.kif without '?most=3'\n"
            "  help: a manifest gives rules parameters: see docs/rulesets.md"
        ),
    ),
]


@pytest.mark.parametrize(("name", "text"), REFUSED)
def test_what_is_refused(name: str, text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        gdl.load(name)
    assert str(caught.value) == text


@pytest.mark.later
def test_an_unknown_game_with_parameters_is_an_unknown_game() -> None:
    with pytest.raises(UnknownRulesetError, match="there is no ruleset nimm\n"):
        find("nimm?most=3")


def test_a_usual_value_that_another_parameter_makes_impossible_is_told(nim: Path) -> None:
    text = MANIFEST.replace('parameters = ["heaps", "most"]', 'parameters = ["most", "heaps"]')
    (nim / "manifest.toml").write_text(text.replace('values = "1..9"', 'values = "1..most"'))
    with pytest.raises(ParameterError) as caught:
        find("nim?most=3")
    assert str(caught.value) == (
        "heaps of nim is 1,3,5 where nothing else is said with most=3\n"
        "  expected: 1 to 4 whole numbers from 1 to 3, with commas between (objects in each heap)"
    )
    assert find("nim?most=3&heaps=1,3").id == "nim?most=3&heaps=1,3"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'where.n = "heaps[h]"',
            'where.n = "heaps[h + 1]"',
            """manifest.toml:25:9: error[wrong-fact]: (init (heap ?h ?n)) cannot be written out: \
heaps has 3 items, and none is number 4
  25 | fact = "(init (heap ?h ?n))"
     |         ^^^^^^^^^^^^^^^^^^^
  expected: ranges with values for heaps = 1,3,5""",
        ),
        (
            'where.n = "1..9"',
            'where.n = "1..99999"',
            """manifest.toml:30:9: error[wrong-fact]: (less ?n ?m ?most) cannot be written out: \
it stands for more than 100,000 facts
  30 | fact = "(less ?n ?m ?most)"
     |         ^^^^^^^^^^^^^^^^^^
  expected: ranges with values for most = 9""",
        ),
    ],
)
def test_facts_that_cannot_be_written_out(nim: Path, old: str, new: str, said: str) -> None:
    (nim / "manifest.toml").write_text(MANIFEST.replace(old, new))
    with pytest.raises(ManifestError) as caught:
        find("manifest.toml").description  # noqa: B018  # reading is what fails
    assert str(caught.value) == said


def test_a_range_that_is_written_in_letters_has_letters_enough(nim: Path) -> None:
    (nim / "manifest.toml").write_text(
        MANIFEST.replace('columns = "1..count(heaps) as a.."', 'columns = "1..27 as a.."')
    )
    with pytest.raises(ManifestError) as caught:
        read_manifest(Path("manifest.toml"))
    assert str(caught.value) == (
        "manifest.toml:44:1: error[wrong-value]: columns is no list of values\n"
        '  44 | columns = "1..27 as a.."\n     | ^^^^^^^\n'
        '  expected: a range "1..6" or "a..f", a list of texts, or a table { value = "text" }\n'
        "  help: 27 values are to be written as 26 texts"
    )


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        ("7..11 as A.. without C", ["A", "B", "D", "E", "F"]),
        ("5..1 as 0..", ["0", "1", "2", "3", "4"]),
        ("1..count(heaps) + 2 as count(heaps) + 2..1", ["5", "4", "3", "2", "1"]),
    ],
)
def test_labels_of_a_range(nim: Path, columns: str, labels: list[str]) -> None:
    text = MANIFEST.replace('columns = "1..count(heaps) as a.."', f'columns = "{columns}"')
    (nim / "manifest.toml").write_text(text)
    picture = find("manifest.toml").picture
    assert picture is not None
    assert list(picture.boards[0].column_labels) == labels
