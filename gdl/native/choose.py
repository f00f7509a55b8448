"""A uniform choice among the legal moves of every lane at once.

A tree over the moves counts the legal ones below each node; a random rank below
the total then walks down: at each node it goes left when it is below the left
count, and right with that count taken off. All of it is logic on edges, so each
bit position (lane) makes its own choice.

The leaves are triples: a full adder counts three moves at the price that a half
adder pays for two.

Source: ours; rank and select on a bit-sliced counter tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gdl.compile.circuit import FALSE, TRUE, Aig, Lit, negate
from gdl.native.logic import Number, add, any_of, select, subtract, xor

LEAVES: Final = 3
"""Moves of one leaf of the tree."""


@dataclass(frozen=True, slots=True)
class _Node:
    count: Number
    moves: tuple[Lit, ...] = ()
    left: _Node | None = None
    right: _Node | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The counting half of a choice.

    Attributes:
        root: The tree.
        last: The highest rank, ``count - 1``; meaningless where no move is legal.
        mask: The bits a rank may have: all ones up to the highest one of ``last``.
        some: Whether there is a legal move.
    """

    root: _Node
    last: Number
    mask: Number
    some: Lit


def count(aig: Aig, legal: Sequence[Lit]) -> Choice:
    """Build the counting half over the legal edges of one role, at least one edge."""
    level = [
        _leaf(aig, tuple(legal[start : start + LEAVES])) for start in range(0, len(legal), LEAVES)
    ]
    while len(level) > 1:
        level = [_join(aig, level[i : i + 2]) for i in range(0, len(level), 2)]
    root = level[0]
    width = len(legal).bit_length()
    total = root.count[:width]
    last, _ = subtract(aig, total, (TRUE,))
    last = last[: max(1, (len(legal) - 1).bit_length())] if len(legal) > 1 else ()
    mask: list[Lit] = []
    above = FALSE
    for bit in reversed(last):
        above = aig.disj(above, bit)
        mask.append(above)
    return Choice(root, last, tuple(reversed(mask)), any_of(aig, total))


def _leaf(aig: Aig, moves: tuple[Lit, ...]) -> _Node:
    first, second, third = (*moves, FALSE, FALSE)[:LEAVES]
    total = add(aig, (first,), (second,), third)
    return _Node(total if len(moves) > 1 else (first,), moves)


def _join(aig: Aig, pair: Sequence[_Node]) -> _Node:
    if len(pair) == 1:
        return pair[0]
    left, right = pair
    return _Node(add(aig, left.count, right.count), (), left, right)


def descend(aig: Aig, choice: Choice, rank: Number, root: Lit) -> list[Lit]:
    """Build the choosing half.

    Args:
        aig: The graph.
        choice: The counting half.
        rank: A number of the width of ``choice.last``, at most that.
        root: Lanes that choose; the others choose nothing.

    Returns:
        Edges that say which move is chosen, in the order of the legal edges.
    """
    level: list[tuple[_Node, Lit]] = [(choice.root, root)]
    while any(node.left is not None for node, _ in level):
        level, rank = _descend_level(aig, level, rank)
    chosen: list[Lit] = []
    for node, here in level:
        chosen += _descend_leaf(aig, node.moves, rank, here)
    return chosen


def _descend_level(
    aig: Aig, level: list[tuple[_Node, Lit]], rank: Number
) -> tuple[list[tuple[_Node, Lit]], Number]:
    """Go one level down; all nodes of a level share one rank, as a lane is in one of them."""
    width = max(len(node.left.count) for node, _ in level if node.left is not None)
    below = [FALSE] * width
    for node, here in level:
        if node.left is not None:
            for j, bit in enumerate(node.left.count):
                below[j] = aig.disj(below[j], aig.conj(here, bit))
    rank += (FALSE,) * (width - len(rank))
    rest, is_left = subtract(aig, rank, tuple(below))
    following: list[tuple[_Node, Lit]] = []
    for node, here in level:
        if node.left is None or node.right is None:
            # With no left count the rest of the rank is the rank, but only a zero count
            # says so: such a node adds nothing to `below`, and so is passed on as it is.
            following.append((node, here))
        else:
            following.append((node.left, aig.conj(here, is_left)))
            following.append((node.right, aig.conj(here, negate(is_left))))
    kept = max(len(node.count) for node, _ in following)
    return following, tuple(
        select(aig, is_left, old, new) for old, new in zip(rank[:kept], rest[:kept], strict=True)
    )


def _descend_leaf(aig: Aig, moves: tuple[Lit, ...], rank: Number, here: Lit) -> list[Lit]:
    if len(moves) == 1:
        return [here]
    low = rank[0] if rank else FALSE
    high = rank[1] if len(rank) > 1 else FALSE
    below_two = aig.conj(here, negate(high))
    first = aig.conj(aig.conj(below_two, negate(low)), moves[0])
    if len(moves) == LEAVES - 1:
        return [first, aig.conj(here, negate(first))]
    second = aig.conj(aig.conj(below_two, negate(xor(aig, low, moves[0]))), moves[1])
    third = aig.conj(here, aig.conj(negate(first), negate(second)))
    return [first, second, third]
