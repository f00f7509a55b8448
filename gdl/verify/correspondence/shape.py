"""Moves matched by their shape: how many arguments they have, and in which order values come.

In: two circuits. Out: a `Matching`. ``(place 0 14)`` of one file is ``(place 1 15)`` of
another that counts from 1, and ``(mark 1 3)`` is ``(play 1 3 x)`` of a third, where the
last argument of all moves of a role is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.language.syntax import Term
from gdl.verify.systems.matching import Matching, arguments_of, by_names, family_of, make_matching

MAX_PLACES: Final = 4
"""Arguments whose order is changed to make two families of moves alike, at most."""

Ranks = tuple[int, ...]
Family = tuple[str, int]
"""A name and a number of arguments."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """The moves of a role that have one name and one number of arguments.

    Attributes:
        ranks: Number of each move, by the rank of each of its arguments among all in its place;
            places in which all have the same are left out.
    """

    ranks: dict[Ranks, int]


def by_rank(one: GameCircuit, other: GameCircuit) -> Matching | None:
    """Return the matching of moves of the same name whose arguments come in the same order."""
    owners = _owners(one, other)
    pairs = []
    for role, moves in enumerate(one.moves):
        mine, theirs = (_named_ranks(row) for row in (moves, other.moves[owners[role]]))
        if mine.keys() != theirs.keys():
            return None
        pairs.append([(a, theirs[key]) for key, a in mine.items()])
    matching = make_matching(one, other, owners, pairs, "names in the same order")
    return matching if matching.is_full else None


def by_shape(one: GameCircuit, other: GameCircuit) -> Matching | None:
    """Return the matching of moves of the same shape, whatever they are called.

    Of several families of moves that look alike, those of the same name belong together, and
    the others in their order.
    """
    owners = _owners(one, other)
    pairs = []
    for role, moves in enumerate(one.moves):
        row = _paired(_shapes(moves), _shapes(other.moves[owners[role]]))
        if row is None:
            return None
        pairs.append(row)
    matching = make_matching(one, other, owners, pairs, "moves of the same shape")
    return matching if matching.is_full else None


def _owners(one: GameCircuit, other: GameCircuit) -> tuple[int, ...]:
    """Return the role of the second game for each of the first: by name, else by order."""
    named = by_names(one, other)
    return named.roles if named is not None else tuple(range(len(one.roles)))


def _named_ranks(moves: Sequence[Term]) -> dict[tuple[Family, Ranks], int]:
    """Return moves by name, number of arguments and the rank of each argument in its place."""
    return {
        (family, ranks): move
        for family, members in _families(moves).items()
        for ranks, move in _ranked(moves, members).items()
    }


def _shapes(moves: Sequence[Term]) -> dict[Family, _Shape]:
    shapes = {}
    for family, members in _families(moves).items():
        ranked = _ranked(moves, members)
        varying = [p for p in range(family[1]) if len({ranks[p] for ranks in ranked}) > 1]
        shapes[family] = _Shape(
            {tuple(ranks[p] for p in varying): move for ranks, move in ranked.items()}
        )
    return shapes


def _families(moves: Sequence[Term]) -> dict[Family, list[int]]:
    members: dict[Family, list[int]] = {}
    for index, move in enumerate(moves):
        members.setdefault(family_of(move), []).append(index)
    return members


def _ranked(moves: Sequence[Term], members: Sequence[int]) -> dict[Ranks, int]:
    """Return moves of one family by the rank of each argument among all of its place."""
    rows = {index: arguments_of(moves[index]) for index in members}
    orders = [
        {value: rank for rank, value in enumerate(sorted(set(column)))}
        for column in zip(*rows.values(), strict=True)
    ]
    return {
        tuple(order[arg] for order, arg in zip(orders, row, strict=True)): index
        for index, row in rows.items()
    }


def _paired(
    mine: Mapping[Family, _Shape], theirs: Mapping[Family, _Shape]
) -> list[tuple[int, int]] | None:
    """Return pairs of moves, None where a family has no counterpart."""
    left = dict(theirs)
    pairs: list[tuple[int, int]] = []
    for family, shape in sorted(mine.items(), key=lambda item: item[0] not in theirs):
        for candidate in sorted(left, key=lambda other: other != family):
            partners = _alike(shape, left[candidate])
            if partners is not None:
                pairs += partners
                del left[candidate]
                break
        else:
            return None
    return None if left else pairs


def _alike(mine: _Shape, theirs: _Shape) -> list[tuple[int, int]] | None:
    """Return pairs of moves of two families, None where no order of places makes them alike."""
    if len(mine.ranks) != len(theirs.ranks):
        return None
    for order in _orders(len(next(iter(mine.ranks)))):
        moved = {tuple(ranks[p] for p in order): move for ranks, move in mine.ranks.items()}
        if moved.keys() == theirs.ranks.keys():
            return [(move, theirs.ranks[ranks]) for ranks, move in moved.items()]
    return None


def _orders(places: int) -> Iterator[Sequence[int]]:
    """Yield orders of so many places, that in which they stand first."""
    if places <= MAX_PLACES:
        yield from permutations(range(places))
    else:
        yield range(places)
