"""The words that a person may type in place of a move.

In: a line. Out: the command it means and the rest of the line, or nothing when it is no
command. A colon before a word always makes it a command, for games that have a move
called ``undo``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Word(StrEnum):
    """A command; its value is what is typed."""

    MOVES = "moves"
    WHY = "why"
    UNDO = "undo"
    BOARD = "board"
    FACTS = "facts"
    HISTORY = "history"
    CHANCE = "chance"
    HINT = "hint"
    THOUGHTS = "thoughts"
    SAVE = "save"
    HELP = "help"
    QUIT = "quit"


MEANINGS: Final[dict[Word, tuple[str, str]]] = {
    Word.MOVES: ("moves [TEXT]", "list your legal moves, or those that contain TEXT"),
    Word.WHY: ("why MOVE", "why it is legal, or why not; also: why terminal, why goal ROLE N"),
    Word.UNDO: ("undo", "take your last move back"),
    Word.BOARD: ("board", "draw the position again"),
    Word.FACTS: ("facts [TEXT]", "list what is true, or what contains TEXT"),
    Word.HISTORY: ("history", "list the moves so far"),
    Word.CHANCE: ("chance", "let chance move for you"),
    Word.HINT: ("hint", "what a program would play for you, and why"),
    Word.THOUGHTS: ("thoughts", "what the programs thought of their last moves"),
    Word.SAVE: ("save FILE", "write the moves; gdl play GAME --moves @FILE goes on from there"),
    Word.HELP: ("help", "this list"),
    Word.QUIT: ("quit", "stop; so does the end of input, and Ctrl-C"),
}
_ALIASES: Final = {"?": Word.HELP, "exit": Word.QUIT, "q": Word.QUIT, "show": Word.BOARD}


def read_command(line: str) -> tuple[Word, str] | None:
    """Return the command of a line and what follows it, None for any other line."""
    word, _, rest = line.removeprefix(":").strip().partition(" ")
    folded = word.casefold()
    command = _ALIASES.get(folded)
    if command is None and folded in Word.__members__.values():
        command = Word(folded)
    return None if command is None else (command, rest.strip())


def help_lines() -> list[tuple[str, str]]:
    """Return what can be typed, and what it does."""
    return [
        ("MOVE or its number", "make a move, in the notation of the game or as KIF text"),
        *MEANINGS.values(),
        (":WORD", "a command for sure, where a move has the same name"),
    ]
