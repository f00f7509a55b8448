"""``gdl new``: what it writes runs, is checked, tested to the last rule, and proved."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl as package
from gdl.cli.new.kinds import KINDS, Kind
from gdl.language.files import read_source
from gdl.language.render.format import format_text
from tests.cli.running import gdl


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(kind: Kind, size: int) -> str:
    assert gdl("new", "mine", "--kind", kind.name, "--size", str(size)).code == 0
    return "mine/manifest.toml"


@pytest.mark.later
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("kind", "size"),
    [(kind, size) for size in ("usual", "least", "most") for kind in KINDS],
    ids=lambda part: part.name if isinstance(part, Kind) else part,
)
def test_a_new_game_has_no_fault_and_tests_for_every_rule(kind: Kind, size: str) -> None:
    written(kind, getattr(kind, size))
    assert gdl("check", "mine").out.startswith("1 rule file or ruleset checked: all is well\n")
    source = read_source(Path("mine/mine.kif"))
    assert format_text(source) == source.text
    tested = gdl("test", "mine")
    assert tested.code == 0, tested.out
    assert "mine.kif: 100%" in tested.out


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_new_game_is_proved(kind: Kind) -> None:
    """As it comes; but that both move at once in some: that is no fault of theirs."""
    manifest = written(kind, kind.usual)
    done = gdl("verify", manifest, "--time", "30")
    assert done.code == 0, done.out
    refuted = [line for line in done.out.splitlines() if line.startswith("refuted")]
    at_once = kind.name in {"cards", "simultaneous"}
    assert [line.split(":")[0] for line in refuted] == ["refuted  turn-taking"] * at_once
    assert "open" not in {line.split(" ")[0] for line in done.out.splitlines()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_new_game_has_a_picture(kind: Kind) -> None:
    game = package.load(written(kind, kind.usual))
    scene = game.ruleset.scene(game.initial().facts)
    assert scene is not None
    assert gdl("show", "mine/manifest.toml", "--svg", "mine.svg").code == 0


def test_questions_are_asked_and_asked_again() -> None:
    answers = "placemnt\nplacement\nMill!\nmill\nA mill\nblack, black\n\n99\n4\n"
    done = gdl("new", stdin=answers)
    assert done.code == 0
    assert (
        done.err
        == """\
error: there is no kind of game 'placemnt'
  expected: placement, hexagons, edges, movement, graph, piles, cards, simultaneous, puzzle, variant
  help: did you mean placement?
error: 'Mill!' is no name for a game
  expected: small letters and digits, - and _ between them
error: black, black cannot play a game of the kind placement
  expected: 2 different names
error: 99 is no size of a game of the kind placement
  expected: columns and rows: 3 to 9
"""
    )
    game = package.load("mill/manifest.toml")
    assert game.ruleset.title == "A mill"
    assert len(game.initial().legal("black")) == 16
    assert "gdl play mill/manifest.toml" in done.out


@pytest.mark.sample(1)
@pytest.mark.parametrize("base", ["tictactoe", "hex", "connectfour"])
def test_a_variant_is_its_base_until_its_goals_are_changed(base: str) -> None:
    assert gdl("new", "other", "--base", base, "--title", "Another").code == 0
    assert gdl("check", "other").out.startswith("1 rule file or ruleset checked: all is well\n")
    assert gdl("test", "other", "--no-coverage").code == 0
    ours, theirs = package.load("other/manifest.toml"), package.load(base)
    assert sorted(map(str, ours.ruleset.description.rules)) == sorted(
        map(str, theirs.ruleset.description.rules)
    )
    assert str(ours.initial()) == str(theirs.initial())


@pytest.mark.later
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["mine", "--kind", "piles", "--players", "heap,a"],
            "error: a means something else in these rules\n  expected: another name\n",
        ),
        (
            ["mine", "--kind", "piles", "--players", "Bob,al"],
            (
                "error: 'Bob' is no name of a player\n"
                "  expected: a small letter, then small letters, digits, - and _\n"
            ),
        ),
        (
            ["--kind", "piles"],
            "error: the new game has no name\n  expected: gdl new NAME --kind KIND\n",
        ),
        (
            ["mine", "--base", "hex?size=5"],
            (
                "error: hex?size=5 cannot be the base of a variant\n"
                "  expected: the id of a ruleset, without parameters: gdl rulesets lists them\n"
            ),
        ),
        (
            ["mine", "--base", "hex", "--size", "5"],
            "error: a variant has the players and the size of its base\n  expected: --base ID\n",
        ),
        (
            ["mine", "--kind", "piles", "--base", "hex"],
            "error: a game of the kind piles has no base\n  expected: --kind variant --base ID\n",
        ),
        (
            ["mine", "--kind", "piles", "--title", "two\nlines"],
            "error: this is no title\n  expected: some words on one line\n",
        ),
        (
            ["mine"],
            "error: the answers ended before the questions\n  expected: What kind of game\n",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(words: list[str], said: str) -> None:
    done = gdl("new", *words)
    assert (done.code, done.err) == (2, said)
    assert list(Path().iterdir()) == []


def test_nothing_is_written_over() -> None:
    written(KINDS[0], 3)
    before = Path("mine/mine.kif").read_text()
    done = gdl("new", "mine", "--kind", "piles")
    assert done.code == 2
    assert (
        done.err == "error: mine/manifest.toml is there already\n"
        "  expected: a name that no folder has\n  help: nothing was written\n"
    )
    assert Path("mine/mine.kif").read_text() == before
