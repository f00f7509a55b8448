"""``gdl tournament``, as users type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import gdl
from tests.shared import needs

PLAYED = ("-p", "random", "-p", "greedy", "-n", "2", "-j", "1", "-b", "reason", "--seed", "3")


def test_a_tournament_its_table_its_games_and_going_on(tmp_path: Path) -> None:
    folder = str(tmp_path / "it")
    ran = gdl("tournament", "tictactoe", *PLAYED, "-o", folder)
    assert (ran.code, ran.err) == (0, "")
    first, heads, best, last = ran.out.splitlines()
    assert first == f"4 games in {folder}"
    assert heads.split() == [
        *("player", "elo", "+/-", "points", "games", "score", "won", "drawn", "lost", "1", "2")
    ]
    assert {best.split()[1], last.split()[1]} == {"random", "greedy"}
    assert gdl("replay", f"{folder}/games/000003.toml").code == 0
    assert gdl("tournament", "-o", folder).out == ran.out
    table = json.loads(gdl("tournament", "-o", folder, "--json").out)
    assert table["games"] == 4
    assert sum(each["wins"] + each["draws"] / 2 for each in table["standings"]) == 4


@pytest.mark.slow
@needs("plot")
def test_a_rule_file_and_a_plot(tmp_path: Path) -> None:
    from tests.ggp.games import PENNIES

    (tmp_path / "pennies.kif").write_text(PENNIES)
    picture = tmp_path / "elo.svg"
    ran = gdl(
        *("tournament", str(tmp_path / "pennies.kif"), "tictactoe", *PLAYED),
        *("-o", str(tmp_path / "it"), "--plot", str(picture)),
    )
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("player") == 3  # all games, and each alone
    assert picture.read_text().lstrip().startswith("<?xml")


@needs("plot")
def test_a_plot_that_cannot_be_drawn_is_refused_before_the_games(tmp_path: Path) -> None:
    folder = tmp_path / "it"
    bad = gdl("tournament", "tictactoe", *PLAYED, "-o", str(folder), "--plot", "elo.xyz")
    assert (bad.code, bad.err) == (
        1,
        "error: elo.xyz: .xyz is no format of pictures\n  expected: .png, .svg or .pdf\n",
    )
    assert not folder.exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["tournament", "-o", "nowhere"],
            2,
            (
                "error: there is no tournament in nowhere to go on with\n"
                "  expected: games, and --player for each player\n"
            ),
        ),
        (
            ["tournament", "tictactoe", "-p", "random"],
            2,
            "error: 1 player\n  expected: at least two\n",
        ),
        (
            ["tournament", "tictactoe", "-p", "random", "-p", "random"],
            2,
            (
                "error: a player is named twice among random, random\n"
                "  help: give one of them another option\n"
            ),
        ),
    ],
)
def test_command_lines_that_make_no_sense(
    words: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = gdl(*words)
    assert (ran.code, ran.out, ran.err) == (code, "", message)
    assert list(tmp_path.iterdir()) == []


def test_without_ray_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = "gdl.language.packages.find_spec"
    monkeypatch.setattr(packages, lambda name: None if name == "ray" else 1)
    ran = gdl("tournament", "tictactoe", *PLAYED, "-o", str(tmp_path / "it"), "--ray", "auto")
    assert (ran.code, ran.err) == (
        2,
        "error: --ray needs ray\n  help: pip install 'gdl-framework[ray]'\n",
    )
