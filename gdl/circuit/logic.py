"""Building blocks over and-inverter graphs: copying cones, selection, bit-sliced arithmetic.

In goes a graph under construction and edges of it; out come edges. Numbers are
tuples of edges, the lowest bit first.

Source: Knuth, "The Art of Computer Programming" 4A, section 7.1.2 (adders, selection).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate


def cone(aig: Aig, roots: Iterable[Lit]) -> list[int]:
    """Return the and nodes that the roots depend on, operands before users.

    Cost O(nodes of the cone), no recursion.
    """
    left, right = aig.left, aig.right
    seen: set[int] = set()
    stack = [root >> 1 for root in roots]
    while stack:
        node = stack.pop()
        if left[node] < 0 or node in seen:
            continue  # no and, or known
        seen.add(node)
        stack.append(left[node] >> 1)
        stack.append(right[node] >> 1)
    return sorted(seen)


def support(aig: Aig, roots: Iterable[Lit]) -> set[int]:
    """Return the input nodes that the roots depend on."""
    roots = list(roots)
    nodes = cone(aig, roots)
    touched = {edge >> 1 for node in nodes for edge in (aig.left[node], aig.right[node])}
    touched.update(root >> 1 for root in roots)
    return {node for node in touched if node and not aig.is_and(node)}


def frontier(aig: Aig, roots: Iterable[Lit], ready: Container[int]) -> tuple[int, ...]:
    """Return where a walk down from the roots ends: at inputs and at nodes that are ready."""
    seen: set[int] = set()
    found: set[int] = set()
    stack = [root >> 1 for root in roots]
    while stack:
        node = stack.pop()
        if node in seen or node == 0:
            continue
        seen.add(node)
        if node in ready or not aig.is_and(node):
            found.add(node)
        else:
            stack += (aig.left[node] >> 1, aig.right[node] >> 1)
    return tuple(sorted(found))


class Copier:
    """Copies cones of one graph into another, with values put in place of nodes.

    Attributes:
        target: The graph that grows.
    """

    def __init__(
        self,
        target: Aig,
        source: Aig,
        values: Mapping[int, Lit],
        known: Mapping[Lit, Lit] | None = None,
        *,
        factor: bool = False,
    ) -> None:
        """Begin a copy.

        Args:
            target: Where the copies go.
            source: What is copied.
            values: Edge of the target for nodes of the source, all inputs at least.
            known: Edges of the target that are known to equal another (a constant, say).
            factor: Whether to take out common factors; it pays where sums run over products.
        """
        self.target = target
        self._source = source
        self._values: dict[int, Lit] = {0: FALSE, **values}
        self._known = known or {}
        self._conj = factored_conj if factor else two_level_conj

    def edge(self, root: Lit) -> Lit:
        """Return the copy of an edge."""
        return self.edges((root,))[0]

    def edges(self, roots: Sequence[Lit]) -> tuple[Lit, ...]:
        """Return the copies of edges. Cost O(new nodes of their cones)."""
        for node in self._missing(roots):
            made = self._conj(
                self.target,
                self._read(self._source.left[node]),
                self._read(self._source.right[node]),
            )
            self._values[node] = self._simplify(made)
        return tuple(self._read(root) for root in roots)

    def _missing(self, roots: Sequence[Lit]) -> list[int]:
        seen: set[int] = set()
        stack = [root >> 1 for root in roots]
        while stack:
            node = stack.pop()
            if node in self._values or node in seen:
                continue
            seen.add(node)
            stack.append(self._source.left[node] >> 1)
            stack.append(self._source.right[node] >> 1)
        return sorted(seen)

    def _read(self, edge: Lit) -> Lit:
        return self._values[edge >> 1] ^ (edge & 1)

    def _simplify(self, edge: Lit) -> Lit:
        if edge in self._known:
            return self._known[edge]
        if negate(edge) in self._known:
            return negate(self._known[negate(edge)])
        return edge


def two_level_conj(aig: Aig, a: Lit, b: Lit) -> Lit:
    """Return ``a and b``, looking one level down for what is said twice.

    Source: Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization without
    Blowup", MEMICS 2006.
    """
    for one, other in ((a, b), (b, a)):
        if other & 1 and aig.is_and(other >> 1):
            left, right = aig.left[other >> 1], aig.right[other >> 1]
            if one in (negate(left), negate(right)):
                return one
            if one == left:
                return aig.conj(one, negate(right))
            if one == right:
                return aig.conj(one, negate(left))
    return aig.conj(a, b)


def factored_conj(aig: Aig, a: Lit, b: Lit) -> Lit:
    """Return ``a and b`` likewise, and take a common factor out of a sum of two products.

    Source: ours; a sum over all moves of which each is "this square and that rotation"
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


def implied(aig: Aig, edge: Lit) -> dict[Lit, Lit]:
    """Return what must hold when an edge is true: edges that are then constant true."""
    found: dict[Lit, Lit] = {}
    stack = [edge]
    while stack:
        edge = stack.pop()
        if edge in found or edge == TRUE:
            continue
        found[edge] = TRUE
        if not edge & 1 and aig.is_and(edge >> 1):
            stack.append(aig.left[edge >> 1])
            stack.append(aig.right[edge >> 1])
    return found


def xor(aig: Aig, a: Lit, b: Lit) -> Lit:
    """Return an edge for ``a != b``."""
    return aig.conj(negate(aig.conj(a, b)), aig.disj(a, b))


def select(aig: Aig, condition: Lit, a: Lit, b: Lit) -> Lit:
    """Return an edge for ``a if condition else b``."""
    return aig.disj(aig.conj(condition, a), aig.conj(negate(condition), b))


def majority(aig: Aig, a: Lit, b: Lit, c: Lit) -> Lit:
    """Return an edge that is true when at least two of three are."""
    return aig.disj(aig.conj(a, b), aig.conj(c, aig.disj(a, b)))


def any_of(aig: Aig, edges: Sequence[Lit]) -> Lit:
    """Return an edge that is true when at least one is."""
    result = FALSE
    for edge in edges:
        result = aig.disj(result, edge)
    return result


Number = tuple[Lit, ...]


def constant(value: int) -> Number:
    """Return a constant without leading zeros."""
    return tuple(TRUE if value >> bit & 1 else FALSE for bit in range(value.bit_length()))


def add(aig: Aig, a: Number, b: Number, carry: Lit = FALSE) -> Number:
    """Return the sum of two numbers and a carry, one bit longer than the longer one."""
    width = max(len(a), len(b))
    a += (FALSE,) * (width - len(a))
    b += (FALSE,) * (width - len(b))
    bits = []
    for x, y in zip(a, b, strict=True):
        bits.append(xor(aig, xor(aig, x, y), carry))
        carry = majority(aig, x, y, carry)
    return (*bits, carry)


def subtract(aig: Aig, a: Number, b: Number) -> tuple[Number, Lit]:
    """Return ``a - b`` in the width of ``a``, and whether it is negative."""
    b += (FALSE,) * (len(a) - len(b))
    bits = []
    borrow = FALSE
    for x, y in zip(a, b, strict=True):
        bits.append(xor(aig, xor(aig, x, y), borrow))
        borrow = majority(aig, negate(x), y, borrow)
    return tuple(bits), borrow
