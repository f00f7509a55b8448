"""Small functions of edges: many-way conjunction, selection, difference, "exactly one".

In goes a graph under construction and edges of it; out come edges.

Source: Knuth, "The Art of Computer Programming" 4A, section 7.1.2.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate


def conj_all(aig: Aig, edges: Iterable[Lit]) -> Lit:
    """Return the conjunction of edges, as a balanced tree: of least depth."""
    row = list(edges)
    while len(row) > 1:
        pairs = [aig.conj(*row[i : i + 2]) for i in range(0, len(row) - 1, 2)]
        row = pairs + row[len(pairs) * 2 :]
    return row[0] if row else TRUE


def disj_all(aig: Aig, edges: Iterable[Lit]) -> Lit:
    """Return the disjunction of edges likewise."""
    return negate(conj_all(aig, map(negate, edges)))


def two_level_conj(aig: Aig, a: Lit, b: Lit) -> Lit:
    """Return ``a and b``, looking one level down for what is said twice.

    Source: Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization without
    Blowup", MEMICS 2006.
    """
    # a and not (left and right): where a denies a half the second factor is true already; where a
    # is a half, the second factor only says that the other half is false. Likewise for b. Written
    # out twice, since graphs are copied through here gate by gate.
    if b & 1 and (left := aig.left[b >> 1]) >= 0:
        right = aig.right[b >> 1]
        if a ^ 1 == left or a ^ 1 == right:
            return a
        if a == left:
            return aig.conj(a, right ^ 1)
        if a == right:
            return aig.conj(a, left ^ 1)
    if a & 1 and (left := aig.left[a >> 1]) >= 0:
        right = aig.right[a >> 1]
        if b ^ 1 == left or b ^ 1 == right:
            return b
        if b == left:
            return aig.conj(b, right ^ 1)
        if b == right:
            return aig.conj(b, left ^ 1)
    return aig.conj(a, b)


def factored_conj(aig: Aig, a: Lit, b: Lit) -> Lit:
    """Return ``a and b`` likewise, and take a common factor out of a sum of two products.

    A sum over all moves of which each is "this square and that rotation"
    becomes "that rotation and the sum of the squares".
    """
    if a & b & 1 and aig.is_and(a >> 1) and aig.is_and(b >> 1):
        return _factor(aig, a, b)
    return two_level_conj(aig, a, b)


def _factor(aig: Aig, a: Lit, b: Lit) -> Lit:
    """Return the conjunction of two inverted ands: not (x and y or x and z)."""
    pairs = ((aig.left[a >> 1], aig.right[a >> 1]), (aig.right[a >> 1], aig.left[a >> 1]))
    others = ((aig.left[b >> 1], aig.right[b >> 1]), (aig.right[b >> 1], aig.left[b >> 1]))
    for shared, y in pairs:
        for same, z in others:
            if shared == same:
                return negate(aig.conj(shared, aig.disj(y, z)))
    return aig.conj(a, b)


def at_least_two(aig: Aig, edges: Iterable[Lit]) -> Lit:
    """Return an edge that is true when several of some edges are."""
    return _some_and_several(aig, edges)[1]


def exactly_one(aig: Aig, edges: Iterable[Lit]) -> Lit:
    """Return an edge that is true when exactly one of some edges is."""
    some, several = _some_and_several(aig, edges)
    return aig.conj(some, negate(several))


def _some_and_several(aig: Aig, edges: Iterable[Lit]) -> tuple[Lit, Lit]:
    # Kept: ``some`` is the disjunction of the edges so far, ``several`` that of all their pairs.
    some = several = FALSE
    for edge in edges:
        several = aig.disj(several, aig.conj(some, edge))
        some = aig.disj(some, edge)
    return some, several


def xor(aig: Aig, a: Lit, b: Lit) -> Lit:
    """Return an edge for ``a != b``."""
    return aig.conj(aig.conj(a, b) ^ 1, aig.conj(a ^ 1, b ^ 1) ^ 1)


def select(aig: Aig, condition: Lit, a: Lit, b: Lit) -> Lit:
    """Return an edge for ``a if condition else b``."""
    return aig.disj(aig.conj(condition, a), aig.conj(negate(condition), b))


def majority(aig: Aig, a: Lit, b: Lit, c: Lit) -> Lit:
    """Return an edge that is true when at least two of three are."""
    return aig.disj(aig.conj(a, b), aig.conj(c, aig.disj(a, b)))
