"""What a position is worth exactly: from a table of all positions, or solved from there on.

In: a match in a position, the file of a table where there is one, seconds. Out: the value of the
position and of each move, for JSON. Nothing is estimated: where a value is not known, None is said.

This runs in a process apart (`gdl.web.thinking`); which table belongs to which rules the server
knows (`gdl.web.tables`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from gdl.game import load
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.language.terms import Term
from gdl.match.match import Match
from gdl.play.tablebase import valued_moves
from gdl.ruleset import Ruleset
from gdl.solve import Table, Value, open_table
from gdl.solve.limits import WorkLimits
from gdl.solve.strong import solve
from gdl.solve.table import TableError
from gdl.web.shipped import keep

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.state import State

MOST_BYTES: Final = 256 << 20
"""Bytes that positions may take while one is solved, and all that are kept solved."""
KEPT: Final = 8
"""Positions from which on everything is kept solved: whoever analyses goes on from there."""
ENDS: Final = "tictactoe"
"""A game that ends by itself, and is solved in milliseconds."""
COMES_ROUND: Final = """\
(role light) (role dark)
(init (control light)) (init up)
(<= (legal ?r wait) (true (control ?r)))
(<= (legal light stop) (true (control light)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (control dark)) (true (control light)))
(<= (next (control light)) (true (control dark)))
(<= (next up) (not (does light stop)))
(<= terminal (not (true up)))
(goal light 100) (goal dark 0)
"""
"""Rules of one that need not, which is solved in another way."""
LINES: Final = 3
"""Moves of which it is told how play goes on."""
LONGEST: Final = 40
"""Moves of a line that are told."""


class _Rows:
    """A table that is asked by the facts of a state alone: whose rules they are is known."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.size = table.keys.nbytes + table.values.nbytes + table.distances.nbytes

    def check(self, game: Game) -> None:
        """Refuse nothing."""

    def value(self, state: State) -> Value:
        """Return what a state is worth.

        Raises:
            TableError: It is not in the table.
        """
        row = self._table.find(state.facts)
        if row < 0:
            raise TableError("this state is not in the table")
        return self._table.at(row)


class Exact:
    """Values of positions of several games."""

    def __init__(self) -> None:
        """Begin with none."""
        self._open: OrderedDict[str, _Rows] = OrderedDict()
        self._solved: OrderedDict[tuple[str, int], _Rows] = OrderedDict()
        self._in_vain: dict[str, tuple[int, float]] = {}

    def tell(self, match: Match, file: str | None, seconds: float) -> dict[str, Any]:
        """Return what the position of a match is worth, and each move in it.

        Args:
            match: The match, in the position.
            file: A table of its rules.
            seconds: Processor time for solving the position where no table has it.
        """
        # Of the state, not of the match: who moved already at the same time chose all the same.
        state, movers = match.state, match.state.movers
        role = movers[0] if len(movers) == 1 and movers[0] != RANDOM else None
        told: dict[str, Any] = {"role": role, "source": None, "value": None, "moves": []}
        for source, table in self._tables(match, file, seconds):
            try:
                if role is None:  # draws, and moves made at once, have no values of their own
                    return {**told, "source": source, "value": _said(table.value(state))}
                here, children = valued_moves(state, match.game.role(role), table)
            except GdlError:
                continue
            children[1:] = _by_end(children[1:], role)  # the first is on the way of the table
            moves = [
                {"move": state.notation(move, short=True), **_said(value), "line": []}
                for move, value in children
            ]
            for place in range(min(LINES, len(moves))):
                moves[place]["line"] = _line(state, children[place][0], table)
            return {**told, "source": source, "value": _said(here), "moves": moves}
        return told

    def _tables(
        self, match: Match, file: str | None, seconds: float
    ) -> Iterator[tuple[str, _Rows]]:
        """Yield what may know the position, what costs least first."""
        if file is not None:
            # Where it is gone, or another by now, the position may be solved all the same.
            with suppress(OSError, GdlError):
                yield "table", self._mapped(file)
        rules = match.game.ruleset.digest()
        for (digest, _), table in reversed(list(self._solved.items())):
            if digest == rules:
                yield "solved", table
        if (solved := self._solve(match, rules, seconds)) is not None:
            yield "solved", solved

    def _mapped(self, file: str) -> _Rows:
        if file not in self._open:
            keep(self._open, file, _Rows(open_table(file)), KEPT)
        return self._open[file]

    def _solve(self, match: Match, rules: str, seconds: float) -> _Rows | None:
        """Return the values of all that play leads to from here, None where that is too much.

        Where a position took too long, the ones before it are not tried with less time: mostly
        play leads to more from there.
        """
        ply, given = self._in_vain.get(rules, (-1, 0.0))
        if match.game.backend != "native" or (match.seq <= ply and seconds <= given):
            return None
        _load_solver()
        try:
            limits = WorkLimits(memory=MOST_BYTES, seconds=seconds)
            table = solve(match.game, start=match.state, limits=limits).table
        except GdlError:
            self._in_vain[rules] = (match.seq, seconds)
            return None
        solved = _Rows(table)
        keep(self._solved, (rules, match.seq), solved, KEPT)
        while (
            len(self._solved) > 1
            and sum(solved.size for solved in self._solved.values()) > MOST_BYTES
        ):
            self._solved.popitem(last=False)
        return solved


@cache
def _load_solver() -> None:
    """Solve small games, once: to load what that needs takes most of the second that a page has.

    On a busy machine, or where its machine code has to be made first, it took all of it, and the
    first who asked was told an estimate.
    """
    solve(load(ENDS))
    solve(load(Ruleset("comes-round", (), text=COMES_ROUND)))


def _said(value: Value) -> dict[str, Any]:
    return {
        "goals": value.goals,
        "distance": value.distance,
        "endless": value.is_endless,
        "tied": value.is_tied,
    }


def _by_end(children: list[tuple[Term, Value]], role: str) -> list[tuple[Term, Value]]:
    """Return moves as they are good; of those that bring the same, near wins and far losses first.

    Draws keep their order, and so do values of which one is not known.
    """
    in_order: list[tuple[Term, Value]] = []
    for _, group in groupby(children, key=lambda child: child[1].goals):
        alike = list(group)
        goals = alike[0][1].goals
        mine, others = goals[role], [goals[name] for name in goals if name != role]
        known = [other for other in others if other is not None]
        if mine is not None and known and len(known) == len(others):
            sign = (mine > max(known)) - (mine < max(known))
            alike.sort(key=lambda child: sign * (child[1].distance or 0))
        in_order += alike
    return in_order


def _line(state: State, move: Term, table: _Rows) -> list[str]:
    """Return a move and what follows when all play what the table says, in notation.

    The line ends where several choose at once, or nature draws, and where play comes round again.
    """
    told: list[str] = []
    seen: set[State] = set()
    while len(told) < LONGEST and state not in seen:
        seen.add(state)
        told.append(state.notation(move, short=True))
        role = state.movers[0]
        state = state.play({role: move})
        if state.is_terminal or len(state.movers) != 1 or state.movers[0] == str(RANDOM):
            break
        _, children = valued_moves(state, state.game.role(state.movers[0]), table)
        move = children[0][0]
    return told
