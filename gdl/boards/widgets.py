"""What lies beside a board: hands, heaps, scores and counters.

In: the kinds of facts that no board shows. Out: spots in rows, with the facts that fill them.

- a number is a **counter**, one for each of whom it is told: ``(score red 12)``, ``(step 3)``
- a number of what moves name is a **heap**: ``(heap a 5)``
- many things of a player, or of nobody but named by moves, are a **hand**: ``(holds red ace)``,
  ``(in_hand black pawn 2)``, ``(pool p1)``; so is one thing that may also lie in another hand or
  on the board

All else stays a fact. It is a guess of what people like to look at, as all of a board is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Final

from gdl.boards.kinds import Kind, Row
from gdl.boards.orders import number_prefix
from gdl.language.terms import Constant, Term, kif_text
from gdl.view.picture import COUNTER, HAND, PIT, POINTS, CellFact, Layout, MovePlace, Spot
from gdl.view.point_plan import LABEL, wide

MOST_OWNERS: Final = 8
"""Counters or hands of one kind; of more a table would be needed."""
MOST_SEEDS: Final = 40
"""Beyond which a heap is drawn as a number."""
MOST_THINGS: Final = 30
"""Different things in hands of one kind."""
NARROWEST: Final = 9.0
"""Cells that a row of widgets may take below small boards."""
APART: Final = 0.4


@dataclass(frozen=True, slots=True)
class Widget:
    """One spot beside the board.

    Attributes:
        spot: Where it is, once it is laid.
        cells: The facts that fill it.
        moves: Moves that are made by touching it.
        things: Names of what may lie there.
    """

    spot: Spot
    cells: tuple[CellFact, ...]
    moves: tuple[MovePlace, ...] = ()
    things: frozenset[str] = frozenset()


def widgets(
    kinds: Sequence[Kind],
    moves: Sequence[Kind],
    roles: Sequence[Term],
    sites: Collection[str],
    names: Collection[str],
) -> list[Widget]:
    """Return what stands beside a board: hands first, then heaps, then counters.

    Args:
        kinds: The facts that no board shows.
        moves: All moves.
        roles: The players, in whose order their widgets stand.
        sites: Names of the places of the board: what is told of these belongs on it.
        names: Of what stands on the board.
    """
    players = [role for role in roles if isinstance(role, Constant)]
    both = [
        (list(_numbers(kind, moves, players, sites)), list(_hands(kind, moves, players, sites)))
        for kind in kinds
    ]
    # A player's number is his score, but his number of each of some things is his hand.
    many = [hand for numbers, hands in both if len(hands) != len(numbers) for hand in hands]
    held = {name for hand in many if hand.spot.size > (1, 1) for name in hand.things}
    found: list[Widget] = []
    for numbers, hands in both:
        things = {name for hand in hands for name in hand.things}
        if hands and (things <= held or (not numbers and things <= {*names} | held)):
            found += hands
        else:
            found += numbers
    order = [HAND, PIT, COUNTER]
    return sorted(found, key=lambda widget: order.index(widget.spot.form))


def laid(found: Iterable[Widget], width: float) -> Layout:
    """Return widgets as a board of its own, in rows not much wider than the board above."""
    x = y = height = 0.0
    most = max(width, NARROWEST)
    spots = []
    listed = list(found)
    for widget in listed:
        rows = ceil(widget.spot.size[0] / most)
        size = (float(ceil(widget.spot.size[0] / rows)), float(rows))
        spot = replace(widget.spot, size=size)
        if x and x + wide(spot) > most:
            x, y, height = 0.0, y + height + LABEL, 0.0
        spots.append(replace(spot, at=(round(x + (wide(spot) - size[0]) / 2, 2), y)))
        x, height = x + wide(spot) + APART, max(height, size[1])
    return Layout(
        POINTS,
        cells=tuple(cell for widget in listed for cell in widget.cells),
        moves=tuple(dict.fromkeys(move for widget in listed for move in widget.moves)),
        spots=tuple(spots),
    )


def heap_prefix(kind: Kind, sites: Sequence[int], players: Sequence[Term]) -> str | None:
    """Return the letters before the numbers of heaps, None where sites hold something else.

    A heap has a number in every state, and the number changes: those of a sudoku do not.
    """
    (*owners, number) = range(kind.width)
    prefix = number_prefix(kind.values(number))
    if prefix is None or list(sites) != owners or not _are_heaps(kind, prefix, players):
        return None
    return prefix if len(set(kind.tables)) > 1 else None


def _numbers(
    kind: Kind, moves: Sequence[Kind], players: Sequence[Constant], sites: Collection[str]
) -> Iterator[Widget]:
    """Yield a counter or a heap for each of whom a kind of facts tells a number."""
    number = kind.width - 1
    prefix = number_prefix(kind.values(number))
    owners = list(range(number))
    if prefix is None or not kind.is_key(owners) or kind.values(number) <= set(players):
        return
    combined = _in_order({row[:number] for table in kind.tables for row in table}, players)
    if len(combined) > MOST_OWNERS or _are_sites(kind, owners, sites):
        return
    named = _moves_of(kind, 0, moves) if _are_heaps(kind, prefix, players) else ()
    for owner in combined:
        name = _site(kind, owner)
        fact = kind.template({**dict(enumerate(owner)), number: "count"})
        spot = Spot(name, _title(name), (0, 0), PIT if named else COUNTER, label="above")
        made = tuple(_touched(move, column, owner[0], name) for move, column in named)
        yield Widget(spot, (CellFact(fact, at=name, prefix=prefix),), made)


def _hands(
    kind: Kind, moves: Sequence[Kind], players: Sequence[Constant], sites: Collection[str]
) -> Iterator[Widget]:
    """Yield a hand for each player, or one, where facts tell of many things at once."""
    whose = next((n for n in range(kind.width) if kind.values(n) <= set(players)), None)
    others = [n for n in range(kind.width) if n != whose]
    if len(others) != 1 and (whose is None or len(others) != 2):  # noqa: PLR2004  # and how many
        return
    thing, *amounts = others
    prefix = number_prefix(kind.values(amounts[0])) if amounts else ""
    things = kind.values(thing)
    if prefix is None or len(things) > MOST_THINGS or _are_sites(kind, [thing], sites):
        return
    if not kind.is_key([n for n in range(kind.width) if n not in amounts]):
        return
    most = _most_at_once(kind, whose)
    taken = _moves_of(kind, thing, moves)
    if not taken and most > 1 and (whose is None or number_prefix(things) == ""):
        return  # facts of things in general, or several numbers: nobody takes or plays one
    owners: Sequence[Row] = [()]
    if whose is not None:
        owners = _in_order({(value,) for value in kind.values(whose)}, players)
    if len(owners) > MOST_OWNERS:
        return
    for owner in owners:
        name = _site(kind, owner)
        filled: dict[int, str | Constant] = {thing: "mark"}
        filled |= dict.fromkeys(amounts, "count")
        if whose is not None:
            filled[whose] = owner[0]
        spot = Spot(name, _title(name), (0, 0), HAND, (most, 1), label="above")
        made = tuple(
            MovePlace(move.template({}), at=(name,))
            for move, _ in taken
            if move.width == 1 and most > 1 and whose is None
        )
        cell = CellFact(kind.template(filled), at=name, prefix=prefix)
        yield Widget(spot, (cell,), made, frozenset(map(kif_text, things)))


def _most_at_once(kind: Kind, whose: int | None) -> int:
    """Return the most things of one owner in one state."""
    return max(
        (
            max(Counter(() if whose is None else row[whose] for row in table).values())
            for table in kind.tables
            if table
        ),
        default=0,
    )


def _are_heaps(kind: Kind, prefix: str, players: Collection[Term]) -> bool:
    """Return whether each of some things, no players, always has a number drawn as seeds."""
    if kind.width != 2 or kind.values(0) <= set(players):  # noqa: PLR2004  # whose, and how many
        return False
    texts = [kif_text(value).removeprefix(prefix) for value in kind.values(1)]
    is_small = all(text.isdecimal() and int(text) <= MOST_SEEDS for text in texts)
    return is_small and all(len(table) == len(kind.values(0)) for table in kind.tables)


def _are_sites(kind: Kind, columns: Sequence[int], sites: Collection[str]) -> bool:
    """Return whether some columns name places of the board together."""
    rows = {tuple(row[n] for n in columns) for table in kind.tables for row in table}
    return bool(columns) and all(" ".join(map(kif_text, row)) in sites for row in rows)


def _moves_of(kind: Kind, number: int, moves: Sequence[Kind]) -> tuple[tuple[Kind, int], ...]:
    """Return the moves that name the things of a column, each with the column where it does."""
    values = kind.values(number)
    return tuple(
        (move, column)
        for move in moves
        for column in range(move.width)
        if move.values(column) <= values
    )


def _touched(move: Kind, column: int, value: Constant, name: str) -> MovePlace:
    return MovePlace(move.template({column: value}), at=(name,))


def _in_order(rows: Collection[Row], players: Sequence[Constant]) -> list[Row]:
    """Return rows of owners: players as the rules name them, all else by name."""

    def key(row: Row) -> list[tuple[int, str]]:
        last = len(players)
        return [(players.index(v) if v in players else last, kif_text(v)) for v in row]

    return sorted(rows, key=key)


def _site(kind: Kind, owner: Row) -> str:
    """Return a name that no place of a board has: the words of the facts, and whose they are."""
    assert isinstance(kind.skeleton, tuple)
    return " ".join((kind.skeleton[0], *map(kif_text, owner)))


def _title(name: str) -> str:
    """Return ``pieceCount red`` and ``piece_count red`` as ``piece count red``."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", name)
    return words.lower()
