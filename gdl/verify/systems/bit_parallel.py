"""Bit-parallel simulation: edges of a graph in thousands of states at once, one bit a state.

In: a graph and values of its inputs. Out: values of edges, for samples and explicit search. A value
is a numpy vector of 64-bit words, or for few states one integer, of which a gate takes half as
long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.cone import live
from gdl.circuit.evaluate import fill

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.verify.systems.system import Play, System

    Words: TypeAlias = NDArray[np.uint64]
    Bits: TypeAlias = NDArray[np.bool_]

ALL: Final = 0xFFFF_FFFF_FFFF_FFFF
"""All bits of a word."""
NARROW: Final = 32
"""Words up to which integers are quicker than vectors."""


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
        self._aig = aig
        self._gates = live(aig, edges)

    def run(self, bits: Bits) -> Bits:
        """Evaluate the edges.

        Args:
            bits: ``bool[I, B]``: value of each input (row) in each state (column).

        Returns:
            ``bool[E, B]``: value of each edge. Cost O(gates * B / 64).
        """
        import numpy as np

        packed = pack(bits)
        if 0 < packed.shape[1] <= NARROW:
            return _unpack(self._narrow(packed), bits.shape[1])
        ones = np.full(packed.shape[1], ALL, np.uint64)
        values = {0: ~ones, **dict(zip(self.inputs, packed, strict=True))}
        fill(self._aig, self._gates, values, ones)
        words = np.empty((len(self.edges), len(ones)), np.uint64)
        for row, edge in zip(words, self.edges, strict=True):
            np.bitwise_xor(values[edge >> 1], ones if edge & 1 else values[0], out=row)
        return _unpack(words, bits.shape[1])

    def _narrow(self, packed: Words) -> Words:
        """Evaluate the edges with integers: ``uint64[I, W]`` to ``uint64[E, W]``."""
        import numpy as np

        size = packed.shape[1] * packed.itemsize
        ones = (1 << 8 * size) - 1
        rows = packed.tobytes()
        starts = range(0, len(rows), size)
        values = {0: 0}
        for node, start in zip(self.inputs, starts, strict=True):
            values[node] = int.from_bytes(rows[start : start + size], "little")
        fill(self._aig, self._gates, values, ones)
        asked = (values[edge >> 1] ^ (ones if edge & 1 else 0) for edge in self.edges)
        words = b"".join(value.to_bytes(size, "little") for value in asked)
        return np.frombuffer(words, np.uint64).reshape(len(self.edges), packed.shape[1])


def of_facts(system: System, edges: Sequence[Lit]) -> Simulator:
    """Return what evaluates edges that look at the facts of a system alone."""
    return Simulator(system.aig, system.fact_inputs, edges)


def of_moves(system: System, edges: Sequence[Lit]) -> Simulator:
    """Return what evaluates edges that look at the facts of a system and at all choices."""
    return Simulator(system.aig, [*system.fact_inputs, *system.flat_choices], edges)


def of_step(system: System) -> Simulator:
    """Return what makes the facts after a step of those before it and of all choices."""
    return of_moves(system, system.next)


def chosen(system: System, joint: Sequence[int]) -> Bits:
    """Return the choices of a step as ``bool[C]``, in the order of the inputs."""
    import numpy as np

    rows = zip(system.choice_inputs, joint, strict=True)
    return np.concatenate([np.arange(len(row)) == choice for row, choice in rows])


def states_along(system: System, play: Play) -> Bits:
    """Return the states of a play as ``bool[F, plies + 1]``. Cost O(nodes) a ply."""
    import numpy as np

    mover = of_step(system)
    states = [np.array(system.initial, np.bool_)]
    for joint in play:
        states.append(mover.run(np.concatenate([states[-1], chosen(system, joint)])[:, None])[:, 0])
    return np.array(states).T


def pack(bits: Bits) -> Words:
    """Return rows of bits as rows of 64-bit words, the first bit lowest, the last word padded."""
    import numpy as np

    rows, width = bits.shape
    padded = np.zeros((rows, -(-width // 64) * 64), np.uint8)
    padded[:, :width] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _unpack(words: Words, width: int) -> Bits:
    import numpy as np

    bytes_ = words.view(np.uint8)
    return np.unpackbits(bytes_, axis=1, bitorder="little", count=width).astype(np.bool_)
