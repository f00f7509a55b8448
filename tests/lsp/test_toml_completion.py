"""What is offered in manifests and files of tests: what their readers know, and nothing else."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.shared import ROOT, missing, some

if missing("lsp"):
    pytest.skip(missing("lsp"), allow_module_level=True)

from gdl.lsp.documents import Reading
from gdl.lsp.positions import Lines
from gdl.lsp.toml_completion import toml_completions

FAMILY = ROOT / "rulesets" / "connectfour"
MANIFEST = (FAMILY / "manifest.toml").read_text("utf-8")
TESTS = 'game = "connectfour"\n\n[[test]]\nname = "it begins"\nover = false\n'


def offered(text: str, name: str = "manifest.toml") -> list[str]:
    """Return what is offered where a text has a ^, as the text that is put in."""
    reading = Reading(str(FAMILY / name), Lines(text.replace("^", "", 1), "utf-16"), "toml")
    found = toml_completions(reading, reading.position(text.index("^")))
    return [each.label for each in found]


def test_keys_of_a_table_that_are_not_there() -> None:
    assert offered(TESTS + "^", "a.test.toml") == [
        *("game", "games", "skip", "position", "play", "legal", "can", "cannot", "count"),
        *("goals", "holds", "fails", "perft"),
    ]
    assert offered(TESTS + "\n[verify]\nex^", "a.test.toml") == [
        *("game", "games", "expect", "skip", "never", "possible", "seconds")
    ]
    text = MANIFEST.replace('version = "1.1.0"\n', "ver^\n", 1)
    assert offered(text) == ["version", "short-notation", "leave-out", "game-id", "ruleset-version"]
    assert offered(MANIFEST.replace("[parameter.rows]\n", "[parameter.rows]\n^\n")) == ["length"]


def test_keys_of_a_table_on_one_line() -> None:
    text = MANIFEST.replace('red = { title = "Red", symbol', 'red = { title = "Red", ^symbol', 1)
    assert offered(text) == ["title", "symbol", "ascii", "colour", "shape"][:4]


def test_what_a_value_may_be() -> None:
    assert offered(MANIFEST.replace('notation = "drops"', 'notation = "^', 1)) == [
        '"columns',
        '"drops',
    ]
    rules = offered(MANIFEST.replace('rules = ["connectfour.kif", "size.kif"]', "rules = [^", 1))
    assert rules == ['"connectfour.kif"', '"cylinder.kif"', '"size.kif"']
    assert offered(TESTS + "over = ^", "a.test.toml") == ["true", "false"]
    assert offered(TESTS + '[verify]\nexpect.playable = "^', "a.test.toml") == [
        '"proved',
        '"refuted',
    ]
    games = offered('game = "^', "a.test.toml")
    assert {'"manifest.toml', '"chess', '"hex'} <= set(games)
    assert offered('games = [\n    "hex",\n    ^', "a.test.toml") == [f'{one}"' for one in games]


def test_headers_of_tables_that_are_spoken_of_and_not_there() -> None:
    headers = offered(MANIFEST.replace('notation = "drops"', 'notation = "gone"', 1) + "\n[^")
    assert "[notation.gone]" in headers
    assert "[[ruleset]]" in headers
    assert "[notation.drops]" not in headers
    assert offered(TESTS + "\n[^", "a.test.toml") == ["[[test]]", "[[diff]]", "[verify]"]


@pytest.mark.parametrize("text", ["# a comm^", 'game = "x" # ^', "[[test]]^", "= ^", '"""^\n'])
def test_nothing_where_nothing_can_be(text: str) -> None:
    assert offered(text, "a.test.toml") == []
    assert offered(text, "other.toml") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", some(sorted((ROOT / "rulesets").rglob("*.toml")), 40), ids=lambda path: path.stem
)
def test_at_every_place_of_every_file_something_valid_is_offered_or_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    reading = Reading(str(path), Lines(text, "utf-16"), "toml")
    for number, line in enumerate(text.splitlines()[:40]):
        start = sum(len(each) + 1 for each in text.splitlines()[:number])
        for column in range(0, len(line) + 1, 11):
            for each in toml_completions(reading, reading.position(start + column)):
                if each.label.startswith("["):
                    tomllib.loads(each.label)
