"""From the words of the command line to a position: the one way to read ``--moves``.

In go a game and a text of moves; out comes the `State` after them, or an error that
says which move it was.

The text is that of `gdl.plies`; after ``@`` it is a file of such, in which "#" begins a comment.
"""

from __future__ import annotations

import re
from typing import Final

from gdl.backend import Wanted
from gdl.cli.positions.moves import MoveList
from gdl.cli.terminal.console import shell_words
from gdl.game import Game, load
from gdl.language.diagnostics import GdlError
from gdl.language.files import read_source
from gdl.language.limits import Limits
from gdl.language.words import counted
from gdl.machine import IllegalMoveError
from gdl.plies import read_ply, split_plies
from gdl.state import AmbiguousMoveError, State

_PLAIN: Final = re.compile(r'[^"\\$`!%]*')
"""What a shell leaves as it is between double quotes."""


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
            if several := _several(state, ply):
                raise MovesError(
                    f"{where}, {ply!r}: these are {len(several)} moves",
                    expected="; between moves",
                    help=f"--moves {shell_words('; '.join(several))}",
                ) from error
            if error.diagnostics:
                raise MovesError(f"{where}:", error.diagnostics) from error
            raise _refused(f"{where}, {ply!r}", state, error) from error
    return state


def _several(state: State, ply: str) -> list[str]:
    """Return the moves of what is no move but begins with a legal one; nothing where it is none."""
    for separator in (",", None):
        moves = [text.strip() for text in ply.split(separator)]
        try:
            state.play(read_ply(state.game, moves[0]))
        except GdlError:
            continue
        if len(moves) > 1:
            return moves
    return []


def _refused(place: str, state: State, error: GdlError) -> MovesError:
    """Return what is wrong with a move in the words of the command line."""
    match error:
        case IllegalMoveError():
            move = state.notation(error.move)
            legal = MoveList.of(state, str(error.role))
            similar = legal.nearest(move) or legal.texts[:3]
            number = counted(len(legal.texts), "legal move")
            game, question = state.game.id, f"legal {error.role} {move}"
            asked = f'"{question}"' if _PLAIN.fullmatch(question) else shell_words(question)
            return MovesError(
                f"{place}: {move} is not legal for {error.role}",
                expected=f"one of {number}, such as {', '.join(similar)}",
                help=f"gdl why {shell_words(game)} {asked} with the moves before",
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
