"""A play as a line of text: the plies, and in each who makes which move.

In: a text. Out: what `State.play` takes; and from a state the text of the ply that led to it.

    PLIES := PLY (";" PLY)*        also separated by line ends
    PLY   := MOVE | ROLE ":" MOVE ("&" ROLE ":" MOVE)*

A role that is not named makes its only legal move. Separators count only outside
brackets, braces and bars, so that ``PLACE_STONE {7,7}`` and ``(mark 1 1)`` are one move.
"""

from __future__ import annotations

from typing import Final

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.state import State

_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


class PlyError(GdlError):
    """A text that is no ply."""


def split_plies(text: str) -> list[str]:
    """Return the plies of a text, without the empty ones."""
    return [ply for line in text.splitlines() for ply in _split(line, ";")]


def read_ply(game: Game, ply: str) -> str | dict[str, str]:
    """Return one ply in the form that `State.play` takes.

    Raises:
        PlyError: Several moves are given but one of them says no role.
    """
    moves = _split(ply, "&")
    named = {role: move for role, move in (_role_and_move(game, part) for part in moves) if role}
    if len(named) == len(moves):
        return named
    if len(moves) == 1:
        return ply
    raise PlyError(
        "not every move says whose it is",
        expected=f"ROLE: MOVE & ROLE: MOVE, the roles being {', '.join(game.roles)}",
    )


def _role_and_move(game: Game, text: str) -> tuple[str, str]:
    for role in game.roles:
        if text.startswith(role) and text[len(role) :].lstrip().startswith(":"):
            return role, text[len(role) :].lstrip()[1:].strip()
    return "", text


def format_ply(state: State) -> str:
    """Return the joint move that led to a state, as `read_ply` reads it.

    Where nobody had anything to do all are named: the ply is one all the same.
    """
    assert state.previous is not None
    assert state.last_move is not None
    before = state.previous
    movers = before.movers or state.game.roles
    chosen = [
        (role, before.notation(move))
        for role, move in zip(state.game.roles, state.last_move, strict=True)
        if role in movers
    ]
    if len(chosen) == 1:
        return chosen[0][1]
    return " & ".join(f"{role}: {move}" for role, move in chosen)


def _split(text: str, separator: str) -> list[str]:
    """Return the stripped parts of a text between separators that stand outside brackets."""
    pieces, begin, open_brackets, is_quoted = [], 0, [], False
    for index, char in enumerate(text):
        if char == "|":
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif char in _CLOSING:
            open_brackets.append(_CLOSING[char])
        elif open_brackets and char == open_brackets[-1]:
            open_brackets.pop()
        elif char == separator and not open_brackets:
            pieces.append(text[begin:index])
            begin = index + 1
    pieces.append(text[begin:])
    return [part.strip() for part in pieces if part.strip()]
