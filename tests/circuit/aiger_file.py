"""A reader of AIGER 1.9 in both forms, and the machine that a file describes.

Source: Biere, Heljanko, Wieringa, "AIGER 1.9 And Beyond", 2011; written from the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Machine:
    """What a file describes: inputs, latches (edge, next, first value), bads, gates, names."""

    inputs: list[int] = field(default_factory=list)
    latches: list[tuple[int, int, int]] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    bads: list[int] = field(default_factory=list)
    gates: list[tuple[int, int, int]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    comment: list[str] = field(default_factory=list)

    def start(self) -> list[int]:
        """Return the first values of the latches."""
        return [first for _, _, first in self.latches]

    def step(self, state: list[int], chosen: set[str]) -> tuple[set[str], list[int]]:
        """Return which bads hold, and the next state, when inputs of some names are set."""
        inputs = [int(self.names[f"i{index}"] in chosen) for index in range(len(self.inputs))]
        value = self.values(state, inputs)
        bads = {self.names[f"b{index}"] for index, edge in enumerate(self.bads) if bit(value, edge)}
        return bads, [bit(value, follows) for _, follows, _ in self.latches]

    def values(self, state: list[int], inputs: list[int]) -> dict[int, int]:
        """Return the values of all plain edges."""
        value = {0: 0, **dict(zip(self.inputs, inputs, strict=True))}
        value.update((latch[0], now) for latch, now in zip(self.latches, state, strict=True))
        for gate, left, right in self.gates:
            value[gate] = bit(value, left) & bit(value, right)
        return value

    def facts(self, state: list[int]) -> set[str]:
        """Return the names of the latches that are set."""
        return {self.names[f"l{index}"] for index, held in enumerate(state) if held}


def bit(value: dict[int, int], edge: int) -> int:
    """Return the value of an edge."""
    return value[edge & ~1] ^ (edge & 1)


def read_aiger(content: bytes) -> Machine:
    """Return what a file says."""
    head, _, rest = content.partition(b"\n")
    word, *numbers = head.decode().split()
    largest, inputs, latches, outputs, gates, bads, *others = [*map(int, numbers), *[0] * 4][:9]
    assert not any(others[:3])
    assert largest == inputs + latches + gates
    found = Machine()
    if word == "aag":
        lines = iter(rest.decode().splitlines())
        found.inputs = [int(next(lines)) for _ in range(inputs)]
        found.latches = [_three(next(lines)) for _ in range(latches)]
        found.outputs = [int(next(lines)) for _ in range(outputs)]
        found.bads = [int(next(lines)) for _ in range(bads)]
        found.gates = [_three(next(lines)) for _ in range(gates)]
    else:
        assert word == "aig"
        *rows, rest = rest.split(b"\n", latches + outputs + bads)
        found.inputs = [2 * index + 2 for index in range(inputs)]
        for index, row in enumerate(rows[:latches]):
            follows, first = map(int, row.split())
            found.latches.append((2 * (inputs + index) + 2, follows, first))
        found.outputs = [int(row) for row in rows[latches : latches + outputs]]
        found.bads = [int(row) for row in rows[latches + outputs :]]
        stream = iter(rest)
        for index in range(gates):
            gate = 2 * (inputs + latches + index) + 2
            left = gate - _number(stream)
            found.gates.append((gate, left, left - _number(stream)))
        lines = iter(bytes(stream).decode().splitlines())
    for line in lines:
        if line == "c":
            found.comment = list(lines)
            break
        key, _, name = line.partition(" ")
        found.names[key] = name
    return found


def _three(line: str) -> tuple[int, int, int]:
    one, two, three = map(int, line.split())
    return one, two, three


def _number(stream: Iterator[int]) -> int:
    value = shift = 0
    while True:
        byte = next(stream)
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value
