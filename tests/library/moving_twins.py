"""Moving and capture games beside those of open_spiel: which move is which action.

Most moves are found by what open_spiel calls its actions, once our text is rewritten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pyspiel

from gdl.language.terms import Term
from tests.library.spiel_twins import centred
from tests.library.spiel_walk import Pair, Twin, Walk

WIN_OR_LOSS = centred(50)


def called(rewritten: Callable[[str], str]) -> Callable[[Any, str, str], int]:
    """Return how to find the action that open_spiel calls as our text is rewritten."""

    def action(theirs: Any, _role: str, move: str) -> int:  # noqa: ANN401 (open_spiel has no types)
        player = theirs.current_player()
        names = {theirs.action_to_string(player, each): each for each in theirs.legal_actions()}
        return int(names.get(rewritten(move), -1))

    return action


def duel(ruleset: str, spiel: str, seats: str, action: Callable[[Any, str, str], int]) -> Twin:
    """Return a game of two players who win, draw or lose, and see everything."""
    first, second = seats.split()
    return Twin(ruleset, spiel, (first, second), action, WIN_OR_LOSS, secrets=False)


def joined(move: str) -> str:
    """Return ``a2-a3`` as ``a2a3``."""
    return move.replace("-", "")


def mirrored(move: str) -> str:
    """Return a move on eight rows as it is seen from the other side: ``a2-a3`` is ``a7a6``."""
    return "".join(str(9 - int(each)) if each.isdigit() else each for each in joined(move))


def starred(theirs: Any, role: str, move: str) -> int:  # noqa: ANN401
    """Return a move of breakthrough: black begins there, from above; captures have a star."""
    plain = called(mirrored)(theirs, role, move)
    return plain if plain >= 0 else called(lambda text: f"{mirrored(text)}*")(theirs, role, move)


class Dressed:
    """A state of open_spiel in other clothes; what no subclass defines is the state's own.

    Attributes:
        is_cut: Whether a convention of one side, such as a draw by repetition or after so many
            moves, ends the play here and not on the other side: nothing is compared then.
    """

    is_cut = False

    def __init__(self, state: Any) -> None:  # noqa: ANN401
        self.state = state

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self.state, name)

    def __str__(self) -> str:
        return str(self.state)

    def clone(self) -> Dressed:
        return type(self)(self.state.clone())

    def child(self, action: int) -> Dressed:
        after = self.clone()
        after.apply_action(action)
        return after


class CutWalk(Walk):
    """A walk that ends where a convention of one side ends the play."""

    cut = 0

    def compare(self, pair: Pair) -> list[tuple[tuple[Term, ...], tuple[int, ...]]]:
        if getattr(pair.theirs, "is_cut", False):
            self.cut += 1
            return []
        return super().compare(pair)


class LargestTile(Dressed):
    """Their 2048, worth what ours is: they pay points, we ask for the largest tile.

    Which slides are legal is asked of the slides themselves: `legal_actions` (open_spiel 2.0.2)
    takes a tile that became one of two at the last slide for one that cannot do so again.
    """

    def legal_actions(self, _player: int = 0) -> list[int]:
        if self.state.is_chance_node() or self.state.is_terminal():
            return list(self.state.legal_actions())
        return [way for way in range(4) if str(self.child(way)) != str(self)]

    def returns(self) -> list[float]:
        largest = max(map(int, str(self.state).split()))
        return [{2048: 100, 1024: 80, 512: 60, 256: 40, 128: 20}.get(largest, 0)]


class QueenAndArrow(Dressed):
    """Their Amazons with the choice of an amazon and of her square made one ply."""

    def legal_actions(self, _player: int = 0) -> list[int]:
        chosen = self.state.legal_actions()
        if self.is_arrow(self.state):
            return list(chosen)
        return [
            1_000 * (amazon + 1) + square
            for amazon in chosen
            for square in self.state.child(amazon).legal_actions()
        ]

    def is_arrow(self, state: Any) -> bool:  # noqa: ANN401
        legal = state.legal_actions()
        return bool(legal) and "Shoot" in state.action_to_string(legal[0])

    def apply_action(self, action: int) -> None:
        amazon, square = divmod(action, 1_000)
        if amazon:
            self.state.apply_action(amazon - 1)
        self.state.apply_action(square)

    def action_to_string(self, _player: int, action: int) -> str:
        size = str(self.state).count("\n") + 1
        amazon, square = divmod(action, 1_000)
        to = f"{'abcdefghij'[square % size]}{size - square // size}"
        if not amazon:
            return f"/{to}"
        return f"{'abcdefghij'[(amazon - 1) % size]}{size - (amazon - 1) // size}-{to}"


class Unrepeated(Dressed):
    """Their Lines of Action: drawn when a board comes back, ours after 300 moves."""

    def __init__(self, state: Any, boards: frozenset[str] = frozenset()) -> None:  # noqa: ANN401
        super().__init__(state)
        self.boards = boards

    def clone(self) -> Unrepeated:
        return Unrepeated(self.state.clone(), self.boards)

    def apply_action(self, action: int) -> None:
        self.boards |= {self.board()}
        self.state.apply_action(action)

    def board(self) -> str:
        return str(self.state).split("Current")[0]

    @property
    def is_cut(self) -> bool:  # type: ignore[override]  # the plain ones are never cut
        return self.board() in self.boards or len(self.state.history()) >= 300


class Undrawn(Dressed):
    """Their checkers: drawn after 40 plies without a capture; no other game of theirs is drawn."""

    @property
    def is_cut(self) -> bool:  # type: ignore[override]  # the plain ones are never cut
        return self.state.is_terminal() and not any(self.state.returns())


class RoundAndRound(Dressed):
    """Their oware: over when a board comes back; ours after 100 moves without a capture."""

    def __init__(
        self,
        state: Any,  # noqa: ANN401
        boards: frozenset[tuple[int, ...]] = frozenset(),
        quiet: int = 0,
        is_cut: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        super().__init__(state)
        self.boards, self.quiet, self.is_cut = boards, quiet, is_cut

    def clone(self) -> RoundAndRound:
        return RoundAndRound(self.state.clone(), self.boards, self.quiet, self.is_cut)

    def apply_action(self, action: int) -> None:
        before, player = self.houses(), self.state.current_player()
        self.boards |= {(player, *before)}
        after = sown(before, 6 * player + action)
        self.state.apply_action(action)
        came_back = self.state.is_terminal() and (1 - player, *after) in self.boards
        self.quiet = self.quiet + 1 if after == self.houses() else 0
        self.is_cut = came_back or self.quiet >= 100

    def houses(self) -> list[int]:
        rows = [line.split() for line in str(self.state).splitlines()]
        north, south = (row for row in rows if len(row) == 6 and row[0].isdigit())
        return [*map(int, south), *map(int, reversed(north))]


def sown(houses: list[int], origin: int) -> list[int]:
    """Return what twelve houses hold after sowing from one of them, without captures."""
    after, hand, place = list(houses), houses[origin], origin
    after[origin] = 0
    while hand:
        place = (place + 1) % 12
        if place != origin:
            after[place] += 1
            hand -= 1
    return after


def house(first: tuple[int, int]) -> Callable[[Any, str, str], int]:
    """Return how to find the action of a house, counted from each player's first one."""

    def action(_theirs: Any, role: str, move: str) -> int:  # noqa: ANN401
        south = role == "south"
        return first[0 if south else 1] + ("ABCDEF" if south else "FEDCBA").index(move[0])

    return action


EXTENTS = "mm lm km jm eq ep eo en em dm cm bm am eh eg ef ee".split()  # noqa: SIM905 (a table)
POINTS = [
    f"{chr(column)}{row}"
    for row, (first, last) in enumerate(map(tuple, EXTENTS), 1)
    for column in range(ord(first), ord(last) + 1)
]
"""The points of the star in reading order, as open_spiel numbers them."""


def numbered(theirs: Any, role: str, move: str) -> int:  # noqa: ANN401
    """Return a move of Chinese checkers: steps and hops between numbered points."""
    if move == "stop":
        return called(str.capitalize)(theirs, role, "pass")
    start, end = map(POINTS.index, move.split("-"))
    names = (f"{start}->{end}", f"{start}=>{end}")
    return max(called(lambda _: name)(theirs, role, move) for name in names)  # noqa: B023


class FourASquare(Dressed):
    """Their quoridor, which counts plies to another limit than our four a square."""

    @property
    def is_cut(self) -> bool:  # type: ignore[override]  # the plain ones are never cut
        size: int = self.state.get_game().get_parameters()["board_size"]
        return len(self.state.history()) >= 4 * size * size


def turned(move: str) -> str:
    """Return a move on eight by eight squares as it is seen from the other side of the table."""
    return "".join("abcdefgh87654321"["hgfedcba12345678".index(each)] for each in joined(move))


@dataclass(frozen=True)
class DressedTwin(Twin):
    """A twin whose states of open_spiel are dressed."""

    dress: Callable[[Any], Dressed] = Dressed

    def start(self) -> Pair:
        theirs = self.dress(pyspiel.load_game(self.spiel).new_initial_state())
        return Pair(self.game.initial(), theirs, {str(role): () for role in self.game.roles})


def slide(move: str) -> str:
    """Return a move of 2048 as open_spiel calls it: ``left`` or, of chance, ``a2 0``."""
    if move[-1].isdigit():
        tile = 4 if move[-1] == "0" else 2
        return f"{tile} added to row {move[1]}, column {' abcd'.index(move[0])}"
    return move.capitalize()


BREAKTHROUGH = duel("breakthrough", "breakthrough", "white black", starred)
CLOBBER = duel("clobber", "clobber", "white black", called(joined))
OTHELLO = duel("othello", "othello", "black white", called(str))
AMAZONS = [
    DressedTwin(
        f"amazons/{name}",
        f"amazons(board_size={size})",
        ("white", "black"),
        called(str),
        WIN_OR_LOSS,
        secrets=False,
        dress=QueenAndArrow,
    )
    for name, size in (("standard", 10), ("medium", 8), ("small", 6))
]
LINES_OF_ACTION = DressedTwin(
    "linesofaction",
    "lines_of_action",
    ("black", "white"),
    lambda theirs, role, move: max(
        called(str)(theirs, role, move),
        called(lambda text: text.replace("-", "x"))(theirs, role, move),
    ),
    WIN_OR_LOSS,
    secrets=False,
    dress=Unrepeated,
)
CHECKERS = DressedTwin(
    "checkers/american",
    "checkers",
    ("black", "white"),
    called(turned),
    WIN_OR_LOSS,
    secrets=False,
    dress=Undrawn,
)
OWARE = DressedTwin(
    "oware",
    "oware",
    ("south", "north"),
    house((0, 0)),
    WIN_OR_LOSS,
    secrets=False,
    dress=RoundAndRound,
)
STAR = duel("chinesecheckers", "chinese_checkers(max_moves=300)", "north south", numbered)
KALAH = duel("kalah", "mancala", "south north", house((1, 8)))
QUORIDOR = DressedTwin(
    "quoridor",
    "quoridor(board_size=5,wall_count=3)",
    ("white", "black"),
    called(str),
    WIN_OR_LOSS,
    secrets=False,
    dress=FourASquare,
)
QUORIDOR_NINE = replace(
    QUORIDOR, ruleset="quoridor?size=9&walls=10", spiel="quoridor(board_size=9,wall_count=10)"
)
TILES = DressedTwin(
    "2048", "2048", ("player",), called(slide), float, secrets=False, dress=LargestTile
)

TABLES = [
    (BREAKTHROUGH, 3),
    (CLOBBER, 3),
    (OTHELLO, 6),
    *((twin, 2) for twin in AMAZONS),
    (LINES_OF_ACTION, 3),
    (CHECKERS, 6),
    (OWARE, 5),
    (KALAH, 5),
    (STAR, 3),
    (QUORIDOR, 3),
]
"""Depth of the perft tables that `tests.library.spiel_tables` writes."""
