"""Thousands of states at once through a graph, for samples and explicit search.

In: a graph and values of its inputs, one bit a state. Out: values of edges. A value is a
numpy vector of 64-bit words.

Source: Mishchenko, Chatterjee, Brayton, Een, "Improvements to Combinational Equivalence
Checking", ICCAD 2006 (bit-parallel simulation).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from gdl.circuit.aig import Aig, Lit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words: TypeAlias = NDArray[np.uint64]
    Bits: TypeAlias = NDArray[np.bool_]


class Simulator:
    """Evaluates fixed edges of a graph for many states at once.

    Attributes:
        inputs: Input nodes, in the order of the rows that `run` takes.
        edges: What is evaluated.
    """

    def __init__(self, aig: Aig, inputs: Sequence[Lit], edges: Sequence[Lit]) -> None:
        """Find the cone of the edges once. Cost O(nodes)."""
        self.inputs = tuple(edge >> 1 for edge in inputs)
        self.edges = tuple(edges)
        needed = bytearray(len(aig))
        for edge in edges:
            needed[edge >> 1] = 1
        for node in range(len(aig) - 1, 0, -1):
            if needed[node] and aig.left[node] >= 0:
                needed[aig.left[node] >> 1] = needed[aig.right[node] >> 1] = 1
        self._gates = [
            (node, aig.left[node], aig.right[node])
            for node in range(1, len(aig))
            if needed[node] and aig.left[node] >= 0
        ]
        self._size = len(aig)

    def run(self, bits: Bits) -> Bits:
        """Evaluate the edges.

        Args:
            bits: ``bool[I, B]``: value of each input (row) in each state (column).

        Returns:
            ``bool[E, B]``: value of each edge. Cost O(gates * B / 64).
        """
        import numpy as np

        width = bits.shape[1]
        packed = _pack(bits)
        values: list[Words] = [packed[0:0]] * self._size
        words = packed.shape[1]
        values[0] = np.zeros(words, np.uint64)
        for row, node in enumerate(self.inputs):
            values[node] = packed[row]
        for node, left, right in self._gates:
            one, other = values[left >> 1], values[right >> 1]
            if left & 1:
                values[node] = ~(one | other) if right & 1 else other & ~one
            else:
                values[node] = one & ~other if right & 1 else one & other
        found = np.empty((len(self.edges), words), np.uint64)
        for row, edge in enumerate(self.edges):
            found[row] = ~values[edge >> 1] if edge & 1 else values[edge >> 1]
        return _unpack(found, width)


def _pack(bits: Bits) -> Words:
    import numpy as np

    rows, width = bits.shape
    padded = np.zeros((rows, -(-width // 64) * 64), np.uint8)
    padded[:, :width] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _unpack(words: Words, width: int) -> Bits:
    import numpy as np

    bytes_ = words.view(np.uint8)
    return np.unpackbits(bytes_, axis=1, bitorder="little", count=width).astype(np.bool_)
