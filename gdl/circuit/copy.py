"""Cones of one graph in another, with values in place of some nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.cone import cone
from gdl.circuit.logic import two_level_conj

Conjunction: TypeAlias = Callable[[Aig, Lit, Lit], Lit]
"""Adds ``a and b`` to a graph."""


class Copier:
    """Copies cones of one graph into another, with values put in place of nodes.

    Kept after each gate: a copied node's edge says in the target what the node says in the
    source, its inputs replaced by their values. Putting constants for inputs so makes cofactors.

    Attributes:
        target: The graph that grows.
    """

    def __init__(
        self,
        target: Aig,
        source: Aig,
        values: Mapping[int, Lit],
        constants: Mapping[Lit, Lit] | None = None,
        *,
        conj: Conjunction = two_level_conj,
    ) -> None:
        """Begin a copy.

        Args:
            target: Where the copies go.
            source: What is copied.
            values: Edge of the target for nodes of the source, all inputs at least.
            constants: Edges of the target that are known to equal another (a constant, say).
            conj: Makes the gates; `factored_conj` pays where sums run over products.
        """
        self.target = target
        self._source = source
        self._values: dict[int, Lit] = {0: FALSE, **values}
        given = constants or {}
        self._constants = {
            **{negate(edge): negate(other) for edge, other in given.items()},
            **given,
        }
        self._conj = conj

    def edge(self, root: Lit) -> Lit:
        """Return the copy of an edge."""
        return self.edges((root,))[0]

    def edges(self, roots: Sequence[Lit]) -> tuple[Lit, ...]:
        """Return the copies of edges. Cost O(new nodes of their cones)."""
        left, right, values = self._source.left, self._source.right, self._values
        target, conj, constants = self.target, self._conj, self._constants
        for node in cone(self._source, roots, values):  # operands first, and none copied twice
            a, b = left[node], right[node]
            a, b = values[a >> 1] ^ (a & 1), values[b >> 1] ^ (b & 1)
            # Of a cofactor most is constant.
            is_constant = a <= TRUE or b <= TRUE
            gate = a and b and max(a, b) if is_constant else conj(target, a, b)
            values[node] = constants.get(gate, gate) if constants else gate
        return tuple(values[root >> 1] ^ (root & 1) for root in roots)


def copy_cone(
    source: Aig, target: Aig, table: Mapping[int, Lit], edges: Sequence[Lit]
) -> list[Lit]:
    """Return edges of one graph rebuilt gate by gate in another. Cost O(nodes of their cone).

    Args:
        source: Where the edges are.
        target: Grows.
        table: Edge in ``target`` of each input node of ``source``; a missing one is an error.
        edges: What is wanted.
    """
    return list(Copier(target, source, table, conj=Aig.conj).edges(edges))
