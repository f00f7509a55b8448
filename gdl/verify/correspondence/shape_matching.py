"""Moves matched by their shape: how many arguments they have, and in which order values come.

In: two circuits. Out: a `Matching`. ``(place 0 14)`` of one file is ``(place 1 15)`` of
another that counts from 1, and ``(mark 1 3)`` is ``(play 1 3 x)`` of a third, where the
last argument of all moves of a role is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, permutations
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.language.syntax import Term
from gdl.verify.correspondence.turns import plies_of
from gdl.verify.systems.matching import Matching, arguments_of, by_names, family_of, make_matching

MAX_PLACES: Final = 4
"""Arguments whose order is changed to make two families of moves alike, at most."""

MAX_ROLES: Final = 3
"""Roles that are taken for each other in any order, at most."""
MOST: Final = 120
"""Ways to pair moves that are looked at."""

Ranks = tuple[int, ...]
Pairs = list[tuple[int, int]]
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


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two families that stand for each other: the order of their places, pairs of their moves."""

    mine: Family
    theirs: Family
    order: Ranks
    pairs: Pairs


@dataclass(frozen=True, slots=True)
class _Pairing:
    """One way to pair the moves of a role."""

    families: tuple[_Pair, ...]

    @property
    def pairs(self) -> Pairs:
        """All moves that stand for each other."""
        return [pair for family in self.families for pair in family.pairs]

    def differences(self, other: _Pairing) -> int:
        """Return how many families that both have are taken for something else."""
        partners = {pair.mine: (pair.theirs, pair.order) for pair in self.families}
        return sum(
            partners.get(pair.mine, (pair.theirs, pair.order)) != (pair.theirs, pair.order)
            for pair in other.families
        )


def by_rank(left: GameCircuit, right: GameCircuit) -> Matching | None:
    """Return the matching of moves of the same name whose arguments come in the same order."""
    owners = _owners(left, right)
    pairs = []
    for role, moves in enumerate(left.moves):
        mine, theirs = (_named_ranks(row) for row in (moves, right.moves[owners[role]]))
        if mine.keys() != theirs.keys():
            return None
        pairs.append([(a, theirs[key]) for key, a in mine.items()])
    matching = make_matching(left, right, owners, pairs, "names in the same order")
    return matching if matching.is_full else None


def by_words(left: GameCircuit, right: GameCircuit) -> Matching | None:
    """Return the matching of moves that say the same words in the same order, whole turns or not.

    ``(place 1)`` and then ``cw`` is ``(turn 1 cw)``: what a move with arguments is called is none
    of its words. None where roles have other names, or a move has no partner.
    """
    if (named := by_names(left, right)) is None:
        return None
    pairs = []
    for moves, owner in zip(left.moves, named.roles, strict=True):
        mine, theirs = (
            {_words(move): index for index, move in enumerate(row)}
            for row in (moves, right.moves[owner])
        )
        pairs.append([(mine[words], theirs[words]) for words in mine if words in theirs])
    matching = make_matching(left, right, named.roles, pairs, "the same words in whole turns")
    return matching if matching.is_full else None


def _words(move: Term) -> tuple[Term, ...]:
    return tuple(word for ply in plies_of(move) for word in arguments_of(ply) or (ply,))


def by_shapes(left: GameCircuit, right: GameCircuit) -> Iterator[Matching]:
    """Yield matchings of moves of the same shape, whatever they are called.

    Of several families of moves that look alike those of the same name belong together, and the
    others in any order, first in their own; `MOST` ways for each order of the roles. What a
    role's families are taken for they are taken for in other roles too, as far as these have them.
    """
    for owners in _all_owners(left, right):
        yield from _by_shapes(left, right, owners)


def _by_shapes(
    left: GameCircuit, right: GameCircuit, owners: tuple[int, ...]
) -> Iterator[Matching]:
    """Yield those in which each role of the first game stands for one of the second."""
    ways = [
        list(islice(_pairings(_shapes(moves), _shapes(right.moves[owners[role]])), MOST))
        for role, moves in enumerate(left.moves)
    ]
    if not all(ways):
        return
    for leading in max(ways, key=len):
        chosen = [min(row, key=leading.differences) for row in ways]
        pairs = [pairing.pairs for pairing in chosen]
        matching = make_matching(left, right, owners, pairs, "moves of the same shape")
        if matching.is_full:
            yield matching


def _owners(left: GameCircuit, right: GameCircuit) -> tuple[int, ...]:
    """Return the role of the second game for each of the first: by name, else by order."""
    named = by_names(left, right)
    return named.roles if named is not None else tuple(range(len(left.roles)))


def _all_owners(left: GameCircuit, right: GameCircuit) -> Iterator[tuple[int, ...]]:
    """Yield the roles of the second game for those of the first: by name, else in all orders."""
    owners = _owners(left, right)
    yield owners
    if by_names(left, right) is None and len(owners) <= MAX_ROLES:
        yield from (order for order in permutations(owners) if order != owners)


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


def _pairings(mine: Mapping[Family, _Shape], theirs: Mapping[Family, _Shape]) -> Iterator[_Pairing]:
    """Yield the ways to pair all families of a role.

    To be alike is an equivalence: what is chosen for the first families never leaves the others
    without a partner if one way is complete, so nothing is tried in vain once the first was found.
    """

    @cache
    def alike(family: Family, partner: Family) -> Sequence[tuple[Ranks, Pairs]]:
        return tuple(_alike(mine[family], theirs[partner]))

    same = {family for family in mine.keys() & theirs.keys() if alike(family, family)}
    families = sorted(mine, key=lambda family: family not in same)

    def is_complete() -> bool:
        left = list(theirs)
        for family in families:
            partner = next((candidate for candidate in left if alike(family, candidate)), None)
            if partner is None:
                return False
            left.remove(partner)
        return not left

    def extend(
        place: int, left: tuple[Family, ...], chosen: tuple[_Pair, ...]
    ) -> Iterator[tuple[_Pair, ...]]:
        if place == len(families):
            yield chosen
            return
        family = families[place]
        for partner in (family,) if family in same else left:
            after = tuple(candidate for candidate in left if candidate != partner)
            for order, pairs in alike(family, partner):
                pair = _Pair(family, partner, order, pairs)
                yield from extend(place + 1, after, (*chosen, pair))

    if is_complete():
        yield from map(_Pairing, extend(0, tuple(theirs), ()))


def _alike(mine: _Shape, theirs: _Shape) -> Iterator[tuple[Ranks, Pairs]]:
    """Yield the orders of places that make two families alike, with the pairs of moves."""
    if len(mine.ranks) != len(theirs.ranks):
        return
    for order in _orders(len(next(iter(mine.ranks)))):
        moved = {tuple(ranks[p] for p in order): move for ranks, move in mine.ranks.items()}
        if moved.keys() == theirs.ranks.keys():
            yield tuple(order), [(move, theirs.ranks[ranks]) for ranks, move in moved.items()]


def _orders(places: int) -> Iterator[Sequence[int]]:
    """Yield orders of so many places, that in which they stand first."""
    if places <= MAX_PLACES:
        yield from permutations(range(places))
    else:
        yield range(places)
