"""Of fifty wrong edits of ten games none is missed by check, verify and test together."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

import gdl
from gdl.ruleset.search import shipped_folder
from gdl.testing.discover import files
from gdl.testing.games import Games
from gdl.testing.run import run_case
from gdl.testing.suite import Position, read_suite
from tests.shared import ROOT, needs, some
from tests.testing.reviewed_edits import SLIPS, Slip
from tests.testing.wrong_edits import GAMES, Edit, Edited

SECONDS = {True: 25.0, False: 4.0}
"""What the verifier may take for an edit that it finds, on however busy a machine, or does not."""
KINDS = ("check", "verify", "test")
EDITS = [(edited, number) for edited in GAMES for number in range(len(edited.edits))]
some_edits = pytest.mark.parametrize(
    ("edited", "number"),
    some(EDITS, 15),
    ids=lambda each: each.game if isinstance(each, Edited) else str(each),
)
every_game = pytest.mark.parametrize("edited", GAMES, ids=[each.game for each in GAMES])


@needs("verify")
@pytest.mark.slow
@some_edits
def test_each_wrong_edit_is_found_by_those_of_the_table(
    edited: Edited, number: int, tmp_path: Path
) -> None:
    """The verifier may find more, on a machine that is quick enough for it."""
    edit = edited.edits[number]
    found = finders(edited, edit, tmp_path)
    said = edit.found.split()
    assert set(said) <= set(found), edit[:3]
    assert set(found) <= {*said, "verify"}, edit[:3]


def test_none_is_missed_and_the_page_says_how_many_by_whom() -> None:
    edits = [edit for edited in GAMES for edit in edited.edits]
    assert (len(GAMES), len(edits)) == (10, 50)
    assert all(set(edit.found.split()) & set(KINDS) for edit in edits)
    counts = Counter(kind for edit in edits for kind in edit.found.split())
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    for kind in KINDS:
        alone = sum(edit.found == kind for edit in edits)
        assert f"| `gdl {kind}` | {counts[kind]} | {alone} |" in page


@every_game
def test_what_is_edited_stands_once(edited: Edited) -> None:
    text = (shipped_folder() / edited.file).read_text(encoding="utf-8")
    assert [text.count(edit.old) for edit in edited.edits] == [1] * 5


@pytest.mark.slow
@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.file)
def test_a_test_finds_what_a_reviewer_would(slip: Slip, tmp_path: Path) -> None:
    family = Path(slip.file).parent.name
    shutil.copytree(shipped_folder() / family, tmp_path / family)
    path = tmp_path / slip.file
    text = path.read_text(encoding="utf-8")
    assert text.count(slip.old) == 1
    path.write_text(text.replace(slip.old, slip.new), encoding="utf-8")
    mine = slip.game.partition("?")[0].rpartition("/")[2]
    own_first = sorted(files(tmp_path), key=lambda each: not each.name.startswith(f"{mine}."))
    assert any(fails(each) for each in own_first)
    problems = gdl.check(f"{path.parent / 'manifest.toml'}#{slip.game}")
    assert bool(problems) is slip.checked


def finders(edited: Edited, edit: Edit, folder: Path) -> list[str]:
    """Return who finds an edit, in a copy of all rulesets."""
    family = Path(edited.file).parent.name
    shutil.copytree(shipped_folder() / family, folder / family)
    path = folder / edited.file
    path.write_text(path.read_text(encoding="utf-8").replace(edit.old, edit.new), encoding="utf-8")
    name = f"{path.parent / 'manifest.toml'}#{edited.game}"
    found = []
    if gdl.check(name):
        found.append("check")
    if is_refuted(name, edited, SECONDS["verify" in edit.found]):
        found.append("verify")
    if any(fails(path) for path in files(folder)):
        found.append("test")
    return found


def is_refuted(name: str, edited: Edited, seconds: float) -> bool:
    from gdl.verify.verification import verify

    try:
        verification = verify(gdl.load(name), seconds=seconds)
    except gdl.GdlError:
        return False  # nothing is said of rules that cannot be compiled
    return any(
        verdict.status == "refuted" and not verdict.is_well and verdict.name not in edited.refuted
        for verdict in verification.verdicts
    )


def fails(path: Path) -> bool:
    games = Games(counts=False)
    found = [(c.body, c) for c in read_suite(path).cases if isinstance(c.body, Position)]
    cases = sorted(found, key=lambda pair: bool(pair[0].perft))  # what is quick comes first
    return any(run_case(case, games).problems for _, case in cases)
