"""The legal moves of one role, as people see them: numbered, written, searched.

In: a state and a role. Out: texts and numbers to moves and back.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from gdl.language.source import harmless
from gdl.language.syntax import Term
from gdl.state import State

if TYPE_CHECKING:
    from rich.columns import Columns

MOST_SEARCHED: Final = 3000
"""Among more moves than this, the nearest ones are not looked for."""


def written(state: State, move: Term) -> str:
    """Return a move as people read it: in the notation, and in short where that is another text."""
    text, short = state.notation(move), state.notation(move, short=True)
    return text if short == text else f"{text} ({short})"


@dataclass(frozen=True, slots=True)
class MoveList:
    """The legal moves of a role, numbered from 1.

    Attributes:
        role: Who has them.
        moves: In canonical order.
        texts: The same in the notation of the ruleset.
    """

    role: str
    moves: tuple[Term, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, state: State, role: str) -> MoveList:
        """Return the legal moves of a role."""
        moves = tuple(state.legal(role))
        return cls(role, moves, tuple(map(state.notation, moves)))

    @property
    def sign(self) -> str:
        """What stands before a number: ``#`` in games whose moves are numbers themselves."""
        return "#" if any(text.isdecimal() for text in self.texts) else ""

    def numbered(self, line: str) -> Term | None:
        """Return the move of a number such as ``3`` or ``#3``, None when there is no such."""
        digits = line.removeprefix("#")
        if not (digits.isascii() and digits.isdecimal()) or (self.sign and digits == line):
            return None
        number = int(digits[:9])
        return self.moves[number - 1] if 0 < number <= len(self.moves) else None

    def nearest(self, text: str) -> list[str]:
        """Return up to three legal moves that are written most like a text."""
        if len(self.texts) > MOST_SEARCHED:
            return []
        return get_close_matches(text, self.texts, n=3, cutoff=0.5)

    def table(self, part: str = "") -> Columns | None:
        """Return the moves that contain a text, in columns; None when there are none."""
        from rich.columns import Columns
        from rich.text import Text

        margin = len(str(len(self.texts)))
        cells = [
            Text.assemble((f"{self.sign}{number:>{margin}}", "dim"), f"  {harmless(text)}")
            for number, text in enumerate(self.texts, start=1)
            if part.casefold() in text.casefold()
        ]
        return Columns(cells, padding=(0, 3), column_first=True) if cells else None
