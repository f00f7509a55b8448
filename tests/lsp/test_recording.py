"""The session that the documentation shows is what happens: every word of it but the times."""

from __future__ import annotations

import re

import pytest

from tests.shared import missing

if absent := missing("lsp") or missing("editor-test") or missing("verify"):
    pytest.skip(absent, allow_module_level=True)

from tests.lsp.recording import INTRODUCTION, PAGE, recorded

TIMES = re.compile(r"[\d.,]+ (ms|s)\b|={3,}")
"""Times, and the lines that end where a time ends."""


@pytest.mark.slow
def test_the_recorded_session_is_what_happens() -> None:
    page = PAGE.read_text(encoding="utf-8")
    session, _, _ = page.removeprefix(INTRODUCTION).partition("\n## ")
    assert TIMES.sub("...", session).strip() == TIMES.sub("...", recorded()).strip()


def test_the_session_ends_with_a_game_of_which_everything_is_proved() -> None:
    """What the page is there to show."""
    page = PAGE.read_text(encoding="utf-8")
    _, _, end = page.rpartition("gdl verify heaps/manifest.toml")
    session, _, times = end.partition("\n## ")
    said = re.findall(r"^ {8}(proved|refuted|open) ", session, re.MULTILINE)
    assert said
    assert set(said) == {"proved"}
    assert re.findall(r"^\| ([\d,]+) \|", times, re.MULTILINE) == ["100", "1,000", "5,000"]
