"""Cells of rules that are checked and become a game, after ``%load_ext gdl``.

In: an IPython shell. Out: the magic ``%%gdl [NAME]``, after which NAME (``game``, if none is given)
is the game of the cell's rules; what is wrong with them is shown, and errors leave no game.

Source: IPython's documentation, "Writing extensions" and "Defining custom magics".
"""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Final

from gdl.language.diagnostics import GdlError, Severity

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.language.diagnostics import Diagnostic

NAME: Final = "game"
"""The variable of a cell that names none."""


def load_ipython_extension(shell: Any) -> None:  # noqa: ANN401  # IPython is none of our packages
    """Give a shell the magic ``%%gdl``."""

    def gdl(line: str, cell: str) -> Game | None:
        """Check the rules of a cell, and make a game of them: ``%%gdl [NAME]``."""
        name = line.strip() or NAME
        if not name.isidentifier() or iskeyword(name):
            raise GdlError(f"{name!r} is no name of a variable", expected="%%gdl NAME")
        diagnostics, game = read_cell(cell, f"<{line.strip() or 'cell'}>")
        for diagnostic in diagnostics:
            print(diagnostic)  # noqa: T201  # below the cell is where it belongs
        if game is not None:
            shell.user_ns[name] = game
        return game

    shell.register_magic_function(gdl, magic_kind="cell", magic_name="gdl")


def read_cell(text: str, name: str = "<cell>") -> tuple[list[Diagnostic], Game | None]:
    """Return what is wrong with rules of some name, and their game; None where they have errors."""
    from gdl.game import load
    from gdl.language.checks.check import check_reading
    from gdl.language.parse import parse
    from gdl.language.source import Source
    from gdl.ruleset import Ruleset

    source = Source(name, text)
    diagnostics = check_reading(lambda: parse(source))
    if any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics):
        return diagnostics, None
    ruleset = Ruleset(id=name, paths=(), title="Rules of a cell", text=text)
    return diagnostics, load(ruleset)
