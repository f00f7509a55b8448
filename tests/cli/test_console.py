"""Text for terminals: safe, and in colour without a changed character."""

from __future__ import annotations

import sys
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.cli.terminal.console import paint, say
from gdl.language.diagnostics import Diagnostic, Note, Severity
from gdl.language.source import Source, Span, harmless


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
