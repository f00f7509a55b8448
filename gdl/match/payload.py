"""A state as programs of one game want it in a message: its payload.

In: a match. Out: a value for ``json``. A game whose source says what its payload is gets
exactly that (`PAYLOADS`); any other has its board as a grid of marks, and all its facts.

Source: "Gomoku Implementation Spec (Freestyle Baseline)", sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from gdl.language.syntax import Compound, Constant, Term, kif_text
from gdl.language.terms import SortKey, sort_key
from gdl.machine import JointMove
from gdl.match.match import Match
from gdl.ruleset import Board

GOMOKU_SIZE: Final = 15
GOMOKU_COLOURS: Final = {"black": "B", "white": "W"}


@dataclass(frozen=True, slots=True)
class Payload:
    """How the state of one game is written.

    Attributes:
        write: Returns the payload.
        playing: What the phase is called until the end.
    """

    write: Callable[[Match, Board | None], dict[str, Any]]
    playing: str = "playing"


def payload(match: Match, board: Board | None) -> dict[str, Any]:
    """Return the payload of a match's state, of which this is the board."""
    try:
        return _of(match).write(match, board)
    except (KeyError, ValueError, IndexError):
        return _any(match, board)  # other rules that call themselves by that name


def phase(match: Match) -> str:
    """Return the phase of a match: ``finished`` at the end."""
    return _of(match).playing if match.outcome is None else "finished"


def _of(match: Match) -> Payload:
    ruleset = match.game.ruleset
    return PAYLOADS.get((ruleset.game_id, ruleset.ruleset_version), _ANY)


def cells_of(board: Board) -> list[list[str | None]]:
    """Return the names of the marks on a board."""
    return [[None if mark is None else mark.name for mark in row] for row in board.cells]


@lru_cache(maxsize=1 << 14)
def _told(fact: Term) -> tuple[SortKey, str]:
    """Return the place of a fact among others, and its text; the same few come after every move."""
    return sort_key(fact), kif_text(fact)


def _any(match: Match, board: Board | None) -> dict[str, Any]:
    cells = None if board is None else cells_of(board)
    return {"board": cells, "facts": [text for _, text in sorted(map(_told, match.state.facts))]}


def _gomoku(match: Match, _board: Board | None) -> dict[str, Any]:
    """Return the five fields of section 3; ``board[y][x]``, y from the top."""
    board = [["."] * GOMOKU_SIZE for _ in range(GOMOKU_SIZE)]
    next_color = "B"
    for fact in match.state.facts:
        match fact:
            case Compound("cell", (Constant(x), Constant(y), mark)):
                board[int(y)][int(x)] = GOMOKU_COLOURS[str(mark)]
            case Compound("control", (role,)):
                next_color = GOMOKU_COLOURS[str(role)]
            case _:
                pass
    winner = None if match.outcome is None else match.outcome.winner
    return {
        "board": board,
        "moveHistory": [
            stone
            for state in match.state.history
            if state.last_move and (stone := _stone(match.game.roles, state.last_move))
        ],
        "nextColor": next_color,
        "winnerColor": None if winner is None else GOMOKU_COLOURS[winner],
        "ruleFlags": {"allowOverlineWin": True},
    }


@lru_cache(maxsize=1 << 12)
def _stone(roles: tuple[str, ...], joint_move: JointMove) -> dict[str, Any] | None:
    for role, move in zip(roles, joint_move, strict=True):
        match move:
            case Compound("place", (Constant(x), Constant(y))):
                return {"x": int(x), "y": int(y), "color": GOMOKU_COLOURS[role]}
            case _:
                pass
    return None


PAYLOADS: Final = {("gomoku", "freestyle-15x15-v1"): Payload(_gomoku, "placing")}
"""By game id and ruleset version."""
_ANY: Final = Payload(_any)
