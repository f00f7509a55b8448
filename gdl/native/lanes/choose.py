"""A uniform choice among the legal moves of every lane at once.

A tree over the moves counts the legal ones below each node; a random rank below
the total then walks down: at each node it goes left when it is below the left
count, and right with that count taken off. All of it is logic on edges, so each
bit position (lane) makes its own choice.

The leaves are triples: a full adder counts three moves at the price that a half
adder pays for two.

Source: rank and select on a bit-sliced counter tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final, NamedTuple

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.arithmetic import Number, add, constant, subtract
from gdl.circuit.logic import select, xor

LEAVES: Final = 3
"""Moves of one leaf of the tree."""


class _Node(NamedTuple):
    total: Number
    moves: tuple[Lit, ...] = ()
    left: _Node | None = None
    right: _Node | None = None


class Bound(NamedTuple):
    """What is known of a rank that must be drawn.

    Attributes:
        last: The highest rank; meaningless where there is none.
        mask: The bits a rank may have: all ones up to the highest one of ``last``.
    """

    last: Number
    mask: Number


class Choice(NamedTuple):
    """The counting half of a choice.

    Moves that are legal under the same condition form a class (the eight rotations after a
    marble in Pentago). Where all classes have one size, a class is drawn and then a member.

    Attributes:
        root: The tree over the classes.
        classes: Moves of each class, as indices; all of one size.
        bounds: Of the rank of a class and of that of a member, less those that cannot vary.
        some: Whether there is a legal move.
    """

    root: _Node
    classes: tuple[tuple[int, ...], ...]
    bounds: tuple[Bound, ...]
    some: Lit

    @property
    def size(self) -> int:
        """Moves of a class."""
        return len(self.classes[0])


def count(aig: Aig, legal: Sequence[Lit]) -> Choice:
    """Build the counting half over the legal edges of one role, at least one edge."""
    classes = _classes(legal)
    edges = [legal[members[0]] for members in classes]
    level = [_leaf(aig, tuple(edges[i : i + LEAVES])) for i in range(0, len(edges), LEAVES)]
    while len(level) > 1:
        level = [_join(aig, level[i : i + 2]) for i in range(0, len(level), 2)]
    root = level[0]
    # Adders carry further than the count can reach; the bits beyond are always zero.
    total = root.total[: len(edges).bit_length()]
    bounds = []
    if len(edges) > 1:
        last, _ = subtract(aig, total, (TRUE,))
        bounds.append(_bound(aig, last[: (len(edges) - 1).bit_length()]))
    if len(classes[0]) > 1:
        bounds.append(_bound(aig, constant(len(classes[0]) - 1)))
    # One after the other, as the bits of a sum are ready one after the other.
    return Choice(root, classes, tuple(bounds), reduce(aig.disj, total, FALSE))


def _classes(legal: Sequence[Lit]) -> tuple[tuple[int, ...], ...]:
    """Return moves with the same edge together if all groups have one size, else each alone."""
    groups: dict[Lit, list[int]] = {}
    for i, edge in enumerate(legal):
        groups.setdefault(edge, []).append(i)
    if len({len(group) for group in groups.values()}) == 1:
        return tuple(map(tuple, groups.values()))
    return tuple((i,) for i in range(len(legal)))


def _bound(aig: Aig, last: Number) -> Bound:
    # From the highest bit down: once a bit is set, all below may be.
    mask: list[Lit] = []
    above = FALSE
    for bit in reversed(last):
        above = aig.disj(above, bit)
        mask.append(above)
    return Bound(last, tuple(reversed(mask)))


def _leaf(aig: Aig, moves: tuple[Lit, ...]) -> _Node:
    first, second, third = (*moves, FALSE, FALSE)[:LEAVES]
    total = add(aig, (first,), (second,), third)
    return _Node(total if len(moves) > 1 else (first,), moves)


def _join(aig: Aig, pair: Sequence[_Node]) -> _Node:
    if len(pair) == 1:
        return pair[0]
    left, right = pair
    return _Node(add(aig, left.total, right.total), (), left, right)


def descend(aig: Aig, choice: Choice, ranks: Sequence[Number], root: Lit) -> list[Lit]:
    """Build the choosing half.

    Args:
        aig: The graph.
        choice: The counting half.
        ranks: A number for each of ``choice.bounds``, at most its ``last``.
        root: Lanes that choose; the others choose nothing.

    Returns:
        Edges that say which move is chosen, in the order of the legal edges.
    """
    rank = ranks[0] if len(choice.classes) > 1 else ()
    level: list[tuple[_Node, Lit]] = [(choice.root, root)]
    while any(node.left is not None for node, _ in level):
        level, rank = _descend_level(aig, level, rank)
    heres: list[Lit] = []
    for node, here in level:
        heres += _descend_leaf(aig, node.moves, rank, here)
    chosen = [FALSE] * (len(choice.classes) * choice.size)
    picks = _decode(aig, ranks[-1], choice.size) if choice.size > 1 else [TRUE]
    for members, here in zip(choice.classes, heres, strict=True):
        for move, pick in zip(members, picks, strict=True):
            chosen[move] = aig.conj(here, pick)
    return chosen


def _decode(aig: Aig, number: Number, size: int) -> list[Lit]:
    """Return for each number below ``size`` whether it is the one."""
    picks = [TRUE]
    for bit in reversed(number):
        picks = [aig.conj(pick, value) for pick in picks for value in (negate(bit), bit)]
    return picks[:size]


def _descend_level(
    aig: Aig, level: list[tuple[_Node, Lit]], rank: Number
) -> tuple[list[tuple[_Node, Lit]], Number]:
    """Go one level down; all nodes of a level share one rank, as a lane is in one of them."""
    # Invariant: in each lane that chooses exactly one node is `here`, and the rank is below its
    # count. So of the left counts, masked by `here`, at most one is not zero: an or joins them.
    width = max(len(node.left.total) for node, _ in level if node.left is not None)
    below = [FALSE] * width
    for node, here in level:
        if node.left is not None:
            for j, bit in enumerate(node.left.total):
                below[j] = aig.disj(below[j], aig.conj(here, bit))
    rank += (FALSE,) * (width - len(rank))
    # The borrow says rank < left count. Else the rest is below the right count: the invariant.
    beyond_left, is_left = subtract(aig, rank, tuple(below))
    following: list[tuple[_Node, Lit]] = []
    for node, here in level:
        if node.left is None or node.right is None:
            # With no left count the rest of the rank is the rank, but only a zero count
            # says so: such a node adds nothing to `below`, and so is passed on as it is.
            following.append((node, here))
        else:
            following.append((node.left, aig.conj(here, is_left)))
            following.append((node.right, aig.conj(here, negate(is_left))))
    # A rank below a count has no more bits than the count.
    bits = max(len(node.total) for node, _ in following)
    return following, tuple(
        select(aig, is_left, old, new)
        for old, new in zip(rank[:bits], beyond_left[:bits], strict=True)
    )


def _descend_leaf(aig: Aig, moves: tuple[Lit, ...], rank: Number, here: Lit) -> list[Lit]:
    if len(moves) == 1:
        return [here]
    # A move is chosen when it is legal and as many before it are legal as the rank says: none
    # before the first, `moves[0]` before the second. The rank is below the count of legal moves,
    # so what is left is the last one, which needs not even be asked whether it is legal.
    low = rank[0] if rank else FALSE
    high = rank[1] if len(rank) > 1 else FALSE
    below_two = aig.conj(here, negate(high))
    first = aig.conj(aig.conj(below_two, negate(low)), moves[0])
    if len(moves) == LEAVES - 1:
        return [first, aig.conj(here, negate(first))]
    second = aig.conj(aig.conj(below_two, negate(xor(aig, low, moves[0]))), moves[1])
    third = aig.conj(here, aig.conj(negate(first), negate(second)))
    return [first, second, third]
