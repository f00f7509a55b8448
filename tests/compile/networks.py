"""What wide gates say, for tests of who makes and changes them."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.compile.gates.network import Network


def values_of(network: Network, columns: Sequence[int], mask: int) -> dict[int, int]:
    """Return the value of every node, bit by bit, where inputs have those of columns."""
    values = dict(enumerate([0, *columns]))
    network.fill(range(network.inputs + 1, len(network)), values, mask)
    return values
