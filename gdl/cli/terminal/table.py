"""Tables as plain lines, which a narrow terminal wraps and a program can split."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gdl.cli.terminal.console import say
from gdl.language.source import display_width, harmless


def say_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[int] = ()
) -> None:
    """Write a header in bold, and rows below it.

    Args:
        header: What stands above each column.
        rows: As many cells a row as the header has.
        right: Numbers of the columns, counted from 0, that are set to the right.
    """
    first, *others = table_lines([header, *rows], right=right)
    say(first, style="bold")
    for line in others:
        say(line)


def table_lines(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> list[str]:
    """Return rows as lines whose columns stand below one another, three blanks apart."""
    cells = [[harmless(cell) for cell in row] for row in rows]
    widths = [max(map(display_width, column)) for column in zip(*cells, strict=True)]
    return [
        "   ".join(
            _fitted(cell, width, is_right=number in right)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def _fitted(cell: str, width: int, *, is_right: bool) -> str:
    blank = " " * (width - display_width(cell))
    return blank + cell if is_right else cell + blank
