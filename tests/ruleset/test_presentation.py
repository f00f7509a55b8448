"""What people see of a ruleset is read when it is asked for, and belongs to what a ruleset is."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from gdl.ruleset import ManifestError, Presentation, Ruleset, find, read_manifest, rulesets
from tests.rulesets import RULESETS

ONE = """
[[ruleset]]
id = "one"
title = "One"
version = "1.0.0"
source = "ours"
rules = ["one.kif"]
players = "none"
"""


@pytest.mark.sample(12)
@pytest.mark.parametrize("whole", RULESETS, ids=lambda ruleset: ruleset.id)
def test_a_shipped_ruleset_looks_the_same_whenever_it_is_asked(whole: Ruleset) -> None:
    """`rulesets` reads manifests whole, `find` puts off what people see."""
    found = find(whole.id)
    assert callable(found.presentation_source)
    assert not callable(whole.presentation_source)
    assert found == whole
    assert hash(found) == hash(whole)
    assert (found.players, found.notation, found.picture) == (
        whole.players,
        whole.notation,
        whole.picture,
    )


def test_a_ruleset_that_was_not_looked_at_can_be_sent_to_another_process() -> None:
    sent = pickle.loads(pickle.dumps(find("pentago/strict")))
    assert sent == find("pentago/strict")
    assert sent.picture is not None


def test_rulesets_that_look_different_are_different() -> None:
    shipped = find("tictactoe")
    assert replace(shipped, presentation_source=Presentation()) != shipped
    assert replace(shipped, presentation_source=shipped.presentation) == shipped
    assert shipped != "tictactoe"


def test_the_manifest_of_a_user_is_checked_whole_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.kif").write_text("(role a)")
    (tmp_path / "manifest.toml").write_text(ONE)
    monkeypatch.setenv("GDL_RULESETS", str(tmp_path))
    with pytest.raises(ManifestError) as caught:
        find(f"{tmp_path}/manifest.toml")
    assert [each.slug for each in caught.value.diagnostics] == ["unknown-name"]
    assert "one" not in [ruleset.id for ruleset in rulesets()]


def test_what_is_put_off_is_found_by_id(tmp_path: Path) -> None:
    (tmp_path / "one.kif").write_text("(role a)")
    (tmp_path / "manifest.toml").write_text(ONE)
    asked: list[str] = []

    def later(id_: str) -> Presentation:
        asked.append(id_)
        return Presentation()

    (ruleset,) = read_manifest(tmp_path / "manifest.toml", later=later)
    same = ruleset
    assert ruleset == same
    assert not asked
    assert ruleset.players == ()
    assert ruleset.picture is None
    assert asked == ["one"]
