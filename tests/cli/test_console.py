"""Text for terminals: safe, and in colour without a changed character."""

from __future__ import annotations

import sys
import time
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.cli.terminal.console import paint, say
from gdl.cli.terminal.progress import lines
from gdl.language.diagnostics import Diagnostic, Note, Severity
from gdl.language.source import Source, Span, harmless


@pytest.mark.later
@given(st.text())
def test_clean_text_cannot_drive_a_terminal(text: str) -> None:
    cleaned = harmless(text)
    assert len(cleaned) == len(text)
    assert all(char.isprintable() or char == "\n" for char in cleaned)


@given(st.text(alphabet=st.characters(exclude_categories=["C", "Z"])))
def test_printable_text_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


@pytest.mark.parametrize("severity", Severity)
def test_colour_changes_no_character_of_a_diagnostic(severity: Severity) -> None:
    source = Source("a.kif", "(role\twhite)\n(rloe black)\n")
    span, other = Span(source, 14, 18), Span(source, 1, 5)
    drawn = str(
        Diagnostic("slug", severity, "odd", span, "role", "write role", (Note("as here", other),))
    )
    painted = paint(drawn)
    assert painted.plain == drawn
    assert {str(part.style) for part in painted.spans} > {"blue", "bold red"}


class Closed(StringIO):
    """A stream whose reader has left."""

    def write(self, _: str) -> int:
        raise BrokenPipeError


def test_output_that_nobody_reads_is_no_fault_of_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Closed())
    with pytest.raises(BrokenPipeError):  # which ends with 141; rich would end with 1
        say("a line")


def test_work_that_is_long_is_told_in_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl.cli.terminal.progress.FIRST", 0.02)
    with lines() as tell:
        tell("looking")
        time.sleep(0.2)
    said = capsys.readouterr().err.splitlines()
    assert said
    assert set(said) == {"looking, 0 s"}
    monkeypatch.undo()
    with lines() as tell:
        tell("done at once")
    assert capsys.readouterr().err == ""
