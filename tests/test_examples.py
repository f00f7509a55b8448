"""Every program in ``examples/`` runs as a newcomer would run it, and shows what it promises."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT, missing

ZERO = ("zero.py", "zero_jax.py", "zero_torch.py")

PROMISED = {
    "tournament.py": ["24 games", "mcts:native=off", "# Game "],
    "check_table.py": ["765 positions: every value follows from those that come after"],
    "check_strategy.py": ["x gets at least 100 in all of "],
    "compare_variants.py": ["After ", " moves pentago/strict and pentago/classic differ."],
    "explain_a_move.py": ["occupied", "terminal"],
    "load_and_play.py": ["pentago/strict: black against white", "  1. black", "black: ", "white: "],
    "new_variant.py": ["five wins: black wins ", "five loses: black wins "],
    "two_texts_one_game.py": [
        "as written: differs after 5 moves (no shorter play does)",
        "terminal ",
        "tictactoe.kif:",
        "mended: equivalent (proved by ",
    ],
    "watch_two_players.py": ["  1. red ", "expected, ", "red: 0 yellow: 100"],
    "random_player.py": ["even: (show ", "odd: (show ", "'even': "],
    "rule_file_in_open_spiel.py": ["exploitability 0.0", "tree search against chance: [1.0, -1.0]"],
    "train_a_policy.py": ["before: ", "after:  "],
    **{name: ["1: ", "8: ", " positions, ", "% of points"] for name in ZERO},
}

WITHOUT = {
    "rule_file_in_open_spiel.py": (
        "openspiel",
        (
            "games of OpenSpiel need packages that are not installed: pyspiel\n"
            "  help: pip install 'gdl-framework[openspiel]'\n"
        ),
    ),
    **{f"zero_{name}.py": (name, missing(name) + "\n") for name in ("jax", "torch")},
}
"""The extra that a program needs beyond those of the tests, and what it prints without."""


def test_every_example_is_tested() -> None:
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == set(PROMISED)


SLOW = {
    "check_table.py",
    "rule_file_in_open_spiel.py",
    "tournament.py",
    "train_a_policy.py",
    "two_texts_one_game.py",
    "watch_two_players.py",
    *ZERO,
}
"""Programs that search, learn or prove for seconds."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in sorted(PROMISED)
    ],
)
def test_example_runs(name: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name)],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        timeout=300,
        check=False,
    )
    assert ran.stderr == ""
    assert ran.returncode == 0
    extra, told = WITHOUT.get(name, ("", ""))
    if extra and missing(extra):
        assert ran.stdout == told
        pytest.skip(missing(extra))
    assert [words for words in PROMISED[name] if words not in ran.stdout] == []
