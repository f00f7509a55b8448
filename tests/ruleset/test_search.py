"""Finding rulesets: by id, by manifest, by rule file, on the search path."""

import os
import pickle
import shutil
import tomllib
from pathlib import Path

import pytest

from gdl import ArgumentError
from gdl.language.parse import parse
from gdl.ruleset import ManifestError, UnknownRulesetError, catalogue, find, rulesets
from gdl.ruleset.search import shipped_folder, user_folder
from tests.shared import ROOT

SHIPPED = [
    ruleset["id"]
    for manifest in sorted((ROOT / "rulesets").glob("*/manifest.toml"))
    for ruleset in tomllib.loads(manifest.read_text(encoding="utf-8"))["ruleset"]
]
POLITE_MANIFEST = """
[[ruleset]]
id = "house/polite"
title = "Pentago, where the opponent wins ties"
version = "1.0.0"
source = "ours"
rules = ["@pentago/board.kif", "@pentago/turns.kif", "@pentago/ending.kif", "polite.kif"]
players = "@pentago/black-white"
notation = "@pentago/squares"
picture = "@pentago/squares"
"""
POLITE_RULES = """
(<= (rotates ?col ?row) (empty ?col ?row))
(<= (wins ?player) (line ?player) (opponent ?player ?other) (not (line ?other)))
(<= (wins ?other) (line ?player) (line ?other) (true (control ?other)) (opponent ?player ?other))
"""


@pytest.fixture(autouse=True)
def only_shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GDL_RULESETS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("sys.platform", "linux")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    folder = tmp_path / "games" / "house"
    folder.mkdir(parents=True)
    (folder / "manifest.toml").write_text(POLITE_MANIFEST)
    (folder / "polite.kif").write_text(POLITE_RULES)
    return folder


def test_the_shipped_rulesets() -> None:
    assert [ruleset.id for ruleset in rulesets()] == SHIPPED
    assert catalogue().broken == ()


@pytest.mark.sample(12)
@pytest.mark.parametrize("id_", SHIPPED)
def test_find_by_id_and_by_manifest_is_the_same(id_: str) -> None:
    ruleset = find(id_)
    assert ruleset.id == id_
    assert find(f"{ruleset.manifest}#{id_}") == ruleset
    assert all(path.is_relative_to(shipped_folder()) for path in ruleset.paths)


@pytest.mark.slow
def test_a_ruleset_is_a_value() -> None:
    ruleset = find("pentago/classic")
    copy = pickle.loads(pickle.dumps(ruleset))
    assert (copy, hash(copy)) == (ruleset, hash(ruleset))
    assert len({find(id_) for id_ in SHIPPED * 2}) == len(SHIPPED)


@pytest.mark.later
@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_search_path_may_name_what_is_not_there(
    platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    for variable in ("HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "file").write_text("")
    (tmp_path / "manifest.toml").mkdir()
    odd: list[Path | str] = [tmp_path / "none", tmp_path / "file", tmp_path, "a" * 5000]
    assert [ruleset.id for ruleset in rulesets(search_path=odd)] == SHIPPED
    assert catalogue(search_path=odd).broken == ()


def test_a_manifest_with_one_ruleset_needs_no_id() -> None:
    assert find(shipped_folder() / "tictactoe" / "manifest.toml").id == "tictactoe"


def test_gomoku_is_known_to_others_by_the_names_of_its_source() -> None:
    gomoku = find("gomoku/freestyle")
    assert (gomoku.game_id, gomoku.ruleset_version) == ("gomoku", "freestyle-15x15-v1")


@pytest.mark.later
@pytest.mark.parametrize("how", ["argument", "variable", "config", "family itself"])
def test_a_folder_of_ones_own(
    house: Path, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search_path: list[Path] = []
    match how:
        case "argument":
            search_path = [house.parent]
        case "variable":
            monkeypatch.setenv("GDL_RULESETS", f"{tmp_path / 'none'}{os.pathsep}{house.parent}")
        case "config":
            shutil.copytree(house.parent, user_folder())
        case _:
            search_path = [house]
    polite = find("house/polite", search_path=search_path)
    assert [path.name for path in polite.paths] == [
        "board.kif",
        "turns.kif",
        "ending.kif",
        "polite.kif",
    ]
    strict = find("pentago/strict")
    assert polite.players == strict.players
    assert polite.notation == strict.notation
    assert polite.picture == strict.picture
    assert (
        polite.description.rules[: len(strict.description.rules) - 3]
        == (strict.description.rules[:-3])
    )
    assert [ruleset.id for ruleset in rulesets(search_path=search_path)][-len(SHIPPED) :] == SHIPPED


def test_the_nearest_folder_wins(house: Path) -> None:
    text = (house / "manifest.toml").read_text().replace("house/polite", "tictactoe")
    (house / "manifest.toml").write_text(text)
    found = find("tictactoe", search_path=[house])
    assert found.manifest == house / "manifest.toml"
    assert [each.id for each in rulesets(search_path=[house])].count("tictactoe") == 1


def test_a_rule_file_without_a_manifest(tmp_path: Path) -> None:
    path = tmp_path / "Small Game.kif"
    path.write_text("(role white) (init (step 1))")
    ruleset = find(path)
    assert (ruleset.id, ruleset.title) == (str(path), "Small Game")
    assert ruleset.description.rules == parse("(role white) (init (step 1))").rules
    assert ruleset.draw(set()) == ""


def test_an_id_is_preferred_to_a_file_without_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("tictactoe", "other"):
        Path(name).write_text("(role white)")
    assert find("tictactoe").manifest is not None
    assert find("other").paths == (Path("other"),)


def test_an_unknown_id() -> None:
    with pytest.raises(UnknownRulesetError) as caught:
        find("pentago/srtict")
    assert str(caught.value) == (
        "there is no ruleset pentago/srtict\n"
        "  expected: pentago/strict, pentago/utwente, pentago/classic or pentago/phased, "
        "a manifest, or a .kif or .hrf file\n"
        "  help: did you mean pentago/strict?"
    )
    assert caught.value.known == tuple(SHIPPED)


@pytest.mark.later
def test_a_missing_rule_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chess.kif").write_text("(role white)")
    with pytest.raises(UnknownRulesetError) as caught:
        find("ches.kif")
    assert str(caught.value) == "there is no file ches.kif\n  help: did you mean chess.kif?"
    with pytest.raises(UnknownRulesetError) as caught:
        find("games/chess.kif")
    assert str(caught.value) == (
        "there is no file games/chess.kif\n  note: there is no folder games either"
    )
    Path("go.kif").mkdir()
    with pytest.raises(UnknownRulesetError) as caught:
        find("go.kif")
    assert str(caught.value) == "there is no file go.kif\n  note: go.kif is a folder"


def test_a_manifest_with_several_rulesets_needs_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shipped_folder())
    expected = (
        "  expected: pentago/manifest.toml#pentago/strict, pentago/manifest.toml#pentago/utwente, "
        "pentago/manifest.toml#pentago/classic or pentago/manifest.toml#pentago/phased"
    )
    with pytest.raises(UnknownRulesetError) as caught:
        find("pentago/manifest.toml")
    assert str(caught.value) == f"pentago/manifest.toml holds 4 rulesets\n{expected}"
    with pytest.raises(UnknownRulesetError) as caught:
        find("pentago/manifest.toml#pentago/phase")
    assert str(caught.value) == (
        f"pentago/manifest.toml has no ruleset pentago/phase\n{expected}\n"
        "  help: did you mean pentago/phased?"
    )


@pytest.mark.later
def test_a_broken_manifest_hides_no_other_ruleset(house: Path) -> None:
    (house / "manifest.toml").write_text("[[ruleset]]\nid = 3")
    found = catalogue(search_path=[house])
    assert found.ids == tuple(SHIPPED)
    assert [type(error) for error in found.broken] == [ManifestError]
    with pytest.raises(UnknownRulesetError, match="a manifest could not be read") as caught:
        find("house/polite", search_path=[house])
    assert str(found.broken[0]) in str(caught.value)


@pytest.mark.later
@pytest.mark.parametrize("name", ["", "a" * 5000, "x" * 5000 + ".kif", ".", "#", ".toml#"])
def test_names_that_no_file_can_have(name: str) -> None:
    with pytest.raises(UnknownRulesetError):
        find(name)


def test_a_name_with_a_character_that_no_path_has() -> None:
    with pytest.raises(ArgumentError, match="without the character NUL"):
        find("\0")
