"""From the words of the command line to a position: the one way to read ``--moves``.

In go a game and a text of moves; out comes the `State` after them, or an error that
says which move it was.

    MOVES := PLY (";" PLY)*        also separated by line ends; "#" begins a comment line
    PLY   := MOVE | ROLE ":" MOVE ("&" ROLE ":" MOVE)*

A role that is not named makes its only legal move. Separators count only outside
brackets, braces and bars, so that ``PLACE_STONE {7,7}`` and ``(mark 1 1)`` are one move.
"""

from __future__ import annotations

from typing import Final

from gdl.backend import Wanted
from gdl.cli.positions.moves import MoveList
from gdl.cli.terminal.console import counted
from gdl.game import Game, load
from gdl.language.diagnostics import GdlError
from gdl.language.files import read_source
from gdl.language.limits import Limits
from gdl.machine import IllegalMoveError
from gdl.state import AmbiguousMoveError, State

_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


class MovesError(GdlError):
    """One of the moves given cannot be made; names it and where it stands."""


def open_game(name: str, limits: Limits, backend: Wanted = "reason") -> Game:
    """Load a game within limits; see `gdl.load`.

    A command that looks at a few positions asks for the reasoner, which is ready at once.
    """
    return load(name, limits=limits, backend=backend)


def reach(game: Game, moves: str, *, start: State | None = None) -> State:
    """Return the state after the moves of a text.

    Raises:
        MovesError: A move cannot be made; says which and why.
        FileError: The text is ``@FILE`` and the file cannot be read.
    """
    state = game.initial() if start is None else start
    for number, ply in enumerate(split_plies(_text_of(moves)), start=1):
        if state.is_terminal:
            raise MovesError(
                f"move {number} of --moves, {ply!r}: the game is over after {number - 1}"
            )
        try:
            state = state.play(read_ply(game, ply))
        except GdlError as error:
            where = f"move {number} of --moves"
            if error.diagnostics:
                raise MovesError(f"{where}:", error.diagnostics) from error
            raise _refused(f"{where}, {ply!r}", state, error) from error
    return state


def _refused(place: str, state: State, error: GdlError) -> MovesError:
    """Return what is wrong with a move in the words of the command line."""
    match error:
        case IllegalMoveError():
            move = state.notation(error.move)
            legal = MoveList.of(state, str(error.role))
            similar = legal.nearest(move) or legal.texts[:3]
            number = counted(len(legal.texts), "legal move")
            return MovesError(
                f"{place}: {move} is not legal for {error.role}",
                expected=f"one of {number}, such as {', '.join(similar)}",
                help=f'gdl why {state.game.id} "legal {error.role} {move}" with the moves before',
            )
        case AmbiguousMoveError():
            roles = " & ".join(f"{role}: MOVE" for role in state.movers)
            return MovesError(f"{place}: {error.headline}", expected=roles)
        case _:
            return MovesError(
                f"{place}: {error.message}",
                expected=error.expected,
                help=error.help,
                notes=error.notes,
            )


def _text_of(moves: str) -> str:
    if not moves.startswith("@"):
        return moves
    lines = read_source(moves[1:]).text.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def split_plies(text: str) -> list[str]:
    """Return the plies of a text, without the empty ones."""
    return [ply for line in text.splitlines() for ply in _split(line, ";")]


def read_ply(game: Game, ply: str) -> str | dict[str, str]:
    """Return one ply in the form that `State.play` takes.

    Raises:
        MovesError: Several moves are given but one of them says no role.
    """
    moves = _split(ply, "&")
    named = {role: move for role, move in (_role_and_move(game, part) for part in moves) if role}
    if len(named) == len(moves):
        return named
    if len(moves) == 1:
        return ply
    raise MovesError(
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
