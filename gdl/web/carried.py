"""The same moves under other rules: a line carried over move by move.

In: a position, other rules, and what stands for what (`gdl.web.correspondences`). Out: the moves
under the other rules, as far as these allow them, with the position there. A move may stand for
several; the one that is legal is taken, and where several are and lead apart, none is.

This runs in a process apart, see `gdl.web.study`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.limits import Limits
from gdl.language.syntax import kif_text
from gdl.match.log import read_header
from gdl.match.match import Match, start
from gdl.match.refusal import RefusedError
from gdl.state import State
from gdl.web.correspondences import Correspondence, Pair
from gdl.web.problems import ProblemError
from gdl.web.study import after_moves, replayed, told_position

SHOWN: Final = 3
"""Moves that are named where one could stand for several."""


class CannotBeCarriedError(GdlError):
    """A move for which the other rules have none, or more than one; says which."""


@dataclass(frozen=True, slots=True)
class Ply:
    """What one role did in one turn.

    Attributes:
        role: The role.
        term: The move, as KIF.
        text: The same as people write it.
    """

    role: str
    term: str
    text: str


def carried(  # noqa: PLR0913, PLR0917  # the fields of one request
    header: Any,  # noqa: ANN401  # JSON
    entries: list[Any],
    moves: list[Any],
    other: Any,  # noqa: ANN401  # JSON
    correspondence: Correspondence,
    limits: Limits,
) -> dict[str, Any]:
    """Return the position under other rules after the moves that led to one.

    Args:
        header: The rules of the position.
        entries: The log before it.
        moves: Further moves that stand in no log.
        other: A header with the other rules.
        correspondence: What stands for what.
        limits: What the rules may take.

    Returns:
        What `gdl.web.study.position` returns; ``refused`` has the number of the ply, counted from
        0, with which it ends before the line does.
    """
    match = replayed(header, entries, limits)
    there = start(read_header(other), limits=limits)
    if match.hidden or there.hidden:
        raise ProblemError(403, "hidden", "a game that hides its state is not carried over")
    plies = list(plies_of(after_moves(match, moves).state))
    line = _Line(there, correspondence, is_over=match.state.is_terminal)
    refused = None
    number = 0
    while number < len(plies) and refused is None:
        try:
            number += line.play(plies[number:])
        except GdlError as error:
            code = str(error.code) if isinstance(error, RefusedError) else "no-counterpart"
            refused = {"move": number, "code": code, "message": str(error)}
    return told_position(line.match, None, begun=0, refused=refused)


def plies_of(state: State) -> Iterator[Ply]:
    """Yield what those who had something to do did, turn by turn, on the way to a state."""
    for before, after in zip(state.history, state.history[1:], strict=False):
        game = before.game
        assert after.last_move is not None
        movers = before.movers or game.roles
        for role, move in zip(game.roles, after.last_move, strict=True):
            if role in movers:
                yield Ply(role, kif_text(move), before.notation(move, short=True))


class _Line:
    """Moves under the other rules, as far as they have been made."""

    def __init__(self, match: Match, correspondence: Correspondence, *, is_over: bool) -> None:
        """Begin at the beginning of a match under the other rules.

        Args:
            match: That match.
            correspondence: What stands for what.
            is_over: Whether the line ends where the game does: it may, in the middle of a turn.
        """
        self.match = match
        self._is_over = is_over
        self._roles = correspondence["roles"]
        self._size = correspondence["plies"]
        self._pairs: dict[tuple[str, str], list[Pair]] = {}
        for role, pairs in correspondence["moves"].items():
            for pair in pairs:
                self._pairs.setdefault((role, pair[0][0]), []).append(pair)

    def play(self, plies: Sequence[Ply]) -> int:
        """Make the next move, and return how many plies it was.

        Raises:
            RefusedError: It is not legal under the other rules.
            CannotBeCarriedError: It stands for none of their moves, or for several.
        """
        first = plies[0]
        own = list(plies[: self._size])
        if any(ply.role != first.role for ply in own):
            own = own[:1]
        if len(own) < self._size and not self._is_over:
            raise CannotBeCarriedError(f"{first.text} is half of a turn, which is one move there")
        taken = [ply.term for ply in own]
        role = self._roles.get(first.role, first.role)
        ways = self._ways(first, taken)
        reached = {way: after for way in ways if (after := self._after(role, way)) is not None}
        if not ways:
            raise CannotBeCarriedError(f"nothing stands for {_told(own)} there")
        if not reached:  # let the other rules say why, of the first that it could be
            self.match = after_moves(self.match, [{role: ways[0][0]}])
        ends = list(reached.values())
        if any(not _is_same(end, ends[0]) for end in ends[1:]):
            names = [self._text(way) for way in reached]
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            shown = ", ".join(names[:SHOWN])
            raise CannotBeCarriedError(f"{_told(own)} may stand for {shown}{more}")
        self.match = ends[0]
        return len(own)

    def _ways(self, first: Ply, taken: list[str]) -> list[tuple[str, ...]]:
        """Return the plies under the other rules that a move may stand for."""
        pairs = self._pairs.get((first.role, first.term), [])
        # Of a turn of which only the first ply was made, all that begin with it are meant.
        own = [pair for pair in pairs if list(pair[0][: len(taken)]) == taken]
        if not pairs:
            return [tuple(taken)]
        return list(dict.fromkeys(tuple(theirs) for _, theirs in own if theirs))

    def _after(self, role: str, way: Sequence[str]) -> Match | None:
        """Return the match after some plies of a role; None where they are not legal."""
        match = self.match
        for ply in way:
            if match.outcome is not None and match is not self.match:
                break  # the first ply of a turn has ended the game
            if role not in match.to_move or match.game.move(ply) not in match.state.legal(role):
                return None
            match = after_moves(match, [{role: ply}])
        return match

    def _text(self, way: Sequence[str]) -> str:
        game: Game = self.match.game
        return ", ".join(self.match.state.notation(game.move(ply)) for ply in way)


def _is_same(left: Match, right: Match) -> bool:
    return left.state == right.state and left.pending == right.pending


def _told(plies: Sequence[Ply]) -> str:
    return ", ".join(ply.text for ply in plies)
