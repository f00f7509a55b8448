"""Every program in ``examples/`` runs as a newcomer would run it, and shows what it promises."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PROMISED = {
    "compare_variants.py": ["After ", " moves pentago/strict and pentago/classic differ."],
    "explain_a_move.py": ["occupied", "terminal"],
    "load_and_play.py": ["pentago/strict: black against white", "  1. black", "black: ", "white: "],
    "new_variant.py": ["five wins: black wins ", "five loses: black wins "],
    "two_texts_one_game.py": [
        "as written: differs after 5 moves (no shorter play does)",
        "mended: equivalent (proved by ",
    ],
    "random_player.py": ["even: (show ", "odd: (show ", "'even': "],
}


def test_every_example_is_tested() -> None:
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == set(PROMISED)


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_example_runs(name: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name)],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        timeout=120,
        check=False,
    )
    assert ran.stderr == ""
    assert ran.returncode == 0
    assert [words for words in PROMISED[name] if words not in ran.stdout] == []
