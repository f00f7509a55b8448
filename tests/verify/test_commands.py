"""``gdl diff``, ``gdl verify`` and ``gdl replay``: exit codes and files."""

from pathlib import Path

import pytest

from gdl.cli.main import main


def test_diff_of_a_game_with_itself_is_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "tictactoe", "tictactoe"]) == 0
    assert "equivalent (proved by the same rules" in capsys.readouterr().out


def test_a_saved_difference_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "parting.toml"
    assert main(["diff", "pentago/strict", "pentago/utwente", "--save", str(file)]) == 1
    capsys.readouterr()
    assert main(["replay", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "pentago/strict: over after 10 moves; goals: black 0, white 100" in shown
    assert "pentago/utwente: over after 10 moves; goals: black 50, white 50" in shown


def test_a_replay_that_ends_otherwise_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(
        '[[game]]\nname = "tictactoe"\nplay = []\nterminal = true\n'
        'goals = { "x" = [100], "o" = [0] }\n',
        encoding="utf-8",
    )
    assert main(["replay", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "not as it was saved: terminal is false now" in shown


def test_one_game_is_no_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "tictactoe"]) == 2
    assert capsys.readouterr().err == (
        "error: 1 games were given\n"
        "  expected: two, or --matrix and several\n"
        "  help: gdl diff pentago/strict pentago/utwente\n"
    )


def test_verify_says_proved_and_refuted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "tictactoe", "--never", "(line x)"]) == 1
    shown = capsys.readouterr().out
    assert "refuted  never (line x): never: (line x)" in shown
    assert "proved   playable: every role can move until the game is over" in shown
