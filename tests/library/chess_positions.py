"""Positions of chess and its variants as other programs write them (FEN), for our rulesets.

Source: Edwards, "Portable Game Notation Specification", 1994, section 16.1; hands in
brackets, and the checks that are left, as Fairy-Stockfish writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import gdl
from gdl.game import Game
from gdl.state import State

TABLE = Path(__file__).with_name("chess.perft")
COLOURS = {"w": "white", "b": "black"}
KINDS = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}


@dataclass(frozen=True, slots=True)
class Case:
    """One position and its leaves at depth 1, 2, ..."""

    id: str
    ruleset: str
    fen: str
    leaves: tuple[int, ...]


def all_cases() -> list[Case]:
    """Return the positions of ``chess.perft``.

    Raises:
        ValueError: A line with an unknown first word, or a record without its fields.
    """
    records = TABLE.read_text(encoding="utf-8").split("\n\n")
    fields = [_fields(record) for record in records]
    return [
        Case(each["id"], each["ruleset"], each["fen"], tuple(map(int, each["perft"].split())))
        for each in fields
        if each
    ]


def _fields(record: str) -> dict[str, str]:
    lines = [line for line in record.splitlines() if line and not line.startswith("#")]
    fields = {word: rest.strip() for word, _, rest in (line.partition(" ") for line in lines)}
    if fields and set(fields) != {"id", "ruleset", "fen", "perft"}:
        raise ValueError(f"{TABLE.name}: cannot read {record!r}")
    return fields


CASES = all_cases()


def named(case: Case) -> str:
    """Return what a test of a case is called."""
    return f"{case.ruleset}:{case.id}"


@cache
def load(ruleset: str) -> Game:
    """Return a ruleset as machine code; all tests share it."""
    return gdl.load(ruleset, backend="native")


def state_of(game: Game, fen: str) -> State:
    """Return the state of a position, played by machine code."""
    terms = game.state(list(facts(fen))).facts
    return State(game, game.machine, game.machine.state(terms))


def facts(fen: str) -> Iterator[str]:
    """Yield the facts of a position.

    Raises:
        ValueError: A man is marked as promoted, which no position of the table needs.
    """
    board, turn, rights, passed, *checks, quiet, _number = fen.split()
    if "~" in board:
        raise ValueError(f"promoted men are not read: {fen}")
    yield f"(control {COLOURS[turn]})"
    yield f"(quiet {quiet})"
    yield from (f"(cell {file} {rank} {man})" for file, rank, man in men(board))
    for letter in rights.strip("-"):
        side = "short" if letter in "Kk" else "long"
        yield f"(right {COLOURS['w' if letter.isupper() else 'b']} {side})"
    if passed != "-":
        yield f"(passed {passed[0]} {passed[1]})"
    for text in checks:
        for player, left in zip(COLOURS.values(), text.split("+"), strict=True):
            yield f"(given {player} {3 - int(left)})"
    if "[" in board:
        yield from hands(board.partition("[")[2].rstrip("]"))


def hands(letters: str) -> Iterator[str]:
    """Yield how many men of each kind each player holds."""
    for colour, player in COLOURS.items():
        for letter, kind in KINDS.items():
            held = letters.count(letter.upper() if colour == "w" else letter)
            if kind != "king":
                yield f"(hand {player} {kind} {held})"


def men(board: str) -> Iterator[tuple[str, int, str]]:
    """Yield file, rank and man of each man of a FEN's first field, hands left out."""
    rows = board.partition("[")[0].replace("~", "").split("/")
    for rank, row in zip(range(len(rows), 0, -1), rows, strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
                continue
            colour = "w" if letter.isupper() else "b"
            yield "abcdefgh"[file], rank, colour + letter.lower()
            file += 1
