from __future__ import annotations

from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.source import Source, Span


def test_no_text_of_a_file_reaches_the_terminal_as_a_command() -> None:
    source = Source("x\x1b.kif", "(p \x1b[2J\u202e)\t")
    message = "no such thing as \x1b[31mred"
    drawn = str(Diagnostic("odd", Severity.ERROR, message, Span(source, 3, 7), help="\x07"))
    assert drawn == (
        "x·.kif:1:4: error[odd]: no such thing as ·[31mred\n"
        "  1 | (p ·[2J·)\n"
        "    |    ^^^^\n"
        "  help: ·"
    )


def test_lines_end_as_on_any_system() -> None:
    source = Source("x", "a\nb\r\nc\rd")
    assert [source.line(number) for number in (1, 2, 3, 4)] == ["a", "b", "c", "d"]
    assert [source.position(offset) for offset in (0, 2, 5, 7)] == [(1, 1), (2, 1), (3, 1), (4, 1)]
