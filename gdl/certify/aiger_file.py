"""Reads and writes a transition system in the binary form of AIGER 1.9.

In: the bytes of a file. Out: an `AigerFile`, in AIGER's own numbering: a variable for each input,
then each latch, then each gate; an edge is twice a variable, plus one when it is inverted.

Source: Biere, Heljanko, Wieringa, "AIGER 1.9 And Beyond", 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

HEADER: Final = 6
"""Words of a header without numbers of bads and what follows them."""
MAX_BITS: Final = 63
"""Bits of a number between gates, at most."""


class CertificateError(Exception):
    """A certificate does not hold, or cannot be read; says why in one line."""


@dataclass(frozen=True, slots=True)
class AigerFile:
    """A transition system, or a circuit if it has no latches.

    Attributes:
        inputs: How many inputs there are.
        nexts: Of each latch, its edge after a step.
        resets: Of each latch, its first value.
        outputs: Edges that are shown.
        bads: Edges that must never be true.
        gates: Operands of each gate.
        names: Symbols: ``i0``, ``l3``, ``b0`` and the like, each with its name.
    """

    inputs: int
    nexts: tuple[int, ...]
    resets: tuple[int, ...]
    outputs: tuple[int, ...]
    bads: tuple[int, ...]
    gates: tuple[tuple[int, int], ...]
    names: dict[str, str]

    @property
    def first_gate(self) -> int:
        """The variable of the first gate."""
        return self.inputs + len(self.nexts) + 1

    def evaluate(self, inputs: Sequence[int], latches: Sequence[int], ones: int) -> list[int]:
        """Return the value of each variable in many states at once; that of 0 is false.

        Args:
            inputs: Of each input a number whose bits are its values, a bit a state.
            latches: Likewise of each latch.
            ones: A number with a bit for each state.
        """
        values = [0, *inputs, *latches]
        for left, right in self.gates:
            a, b = values[left >> 1], values[right >> 1]
            values.append((a ^ ones if left & 1 else a) & (b ^ ones if right & 1 else b))
        return values


def read_aiger(data: bytes) -> AigerFile:
    """Return what a file says.

    Raises:
        CertificateError: It is no such file, or speaks of what a certificate has no use for.
    """
    try:
        return _read(data)
    except (ValueError, IndexError) as error:
        raise CertificateError(f"this is no binary AIGER file: {error}") from error


def _read(data: bytes) -> AigerFile:
    end = data.index(b"\n")
    words = data[:end].split(b" ")
    if words[:1] != [b"aig"] or len(words) < HEADER:
        raise CertificateError("this is no binary AIGER file: it does not begin with aig")
    most, inputs, latches, outputs, gates, *others = _whole(words[1:])
    if most != inputs + latches + gates or any(others[1:]):
        raise CertificateError("an AIGER file of inputs, latches, gates and bads was expected")
    if most > len(data):  # inputs take no room but by their names
        raise CertificateError("an AIGER file that names each of its inputs was expected")
    # Then a line for each latch, output and bad; their edges may speak of gates that follow.
    place = end + 1
    rows: list[list[int]] = []
    for number in range(latches + outputs + sum(others[:1])):
        end = data.index(b"\n", place)
        rows.append(_whole(data[place:end].split(b" ")))
        if not 1 <= len(rows[-1]) <= 1 + (number < latches):
            raise CertificateError(f"line {number + 2} of the AIGER file is no edge")
        place = end + 1
    # A gate is told by how far its operands lie below it, the greater first.
    operands = []
    for variable in range(inputs + latches + 1, most + 1):
        down, place = _number(data, place)
        left = 2 * variable - down
        down, place = _number(data, place)
        if not 0 <= left - down <= left < 2 * variable:
            raise CertificateError(f"gate {variable} has operands that come after it")
        operands.append((left, left - down))
    nexts = tuple(row[0] for row in rows[:latches])
    resets = tuple(row[1] if len(row) > 1 else 0 for row in rows[:latches])
    shown = [row[0] for row in rows[latches:]]
    if not {0, 1}.issuperset(resets):
        raise CertificateError("a latch without a first value")
    if any(not 0 <= edge <= 2 * most + 1 for edge in (*nexts, *shown)):
        raise CertificateError("an edge to a variable that does not exist")
    return AigerFile(
        inputs,
        nexts,
        resets,
        tuple(shown[:outputs]),
        tuple(shown[outputs:]),
        tuple(operands),
        _symbols(data[place:].decode()),
    )


def aiger_bytes(system: AigerFile) -> bytes:
    """Return the file of a system. Cost O(gates)."""
    counts = [system.inputs, len(system.nexts), len(system.outputs), len(system.gates)]
    counts += [len(system.bads)] if system.bads else []
    lines = [" ".join(map(str, ("aig", system.first_gate - 1 + len(system.gates), *counts)))]
    lines += (f"{after} {first}" for after, first in zip(system.nexts, system.resets, strict=True))
    lines += map(str, (*system.outputs, *system.bads))
    gates = bytearray()
    for variable, (left, right) in enumerate(system.gates, start=system.first_gate):
        for down in (2 * variable - left, left - right):
            while down > 0x7F:  # noqa: PLR2004  # seven bits
                gates.append(down & 0x7F | 0x80)
                down >>= 7  # noqa: PLW2901  # what is left of it
            gates.append(down)
    symbols = [f"{key} {name}" for key, name in system.names.items()]
    head, tail = ("".join(f"{line}\n" for line in text) for text in (lines, symbols))
    return head.encode() + bytes(gates) + tail.encode()


def _whole(words: Sequence[bytes]) -> list[int]:
    """Return whole numbers, as everybody writes them: without a sign, a space or 007."""
    if any(not word.isdigit() or (word[:1] == b"0" and len(word) > 1) for word in words):
        raise CertificateError("an AIGER file of whole numbers was expected")
    return list(map(int, words))


def _number(data: bytes, place: int) -> tuple[int, int]:
    """Return a number in sevens of bits, the lowest first, and where it ends."""
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte <= 0x7F:  # noqa: PLR2004  # seven bits
            return number, place
        if shift > MAX_BITS:
            raise CertificateError("a gate whose operands are too far away")


def _symbols(text: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for line in text.split("\n"):  # and nowhere else: a name may have other line ends in it
        if line == "c":
            break
        key, _, name = line.partition(" ")
        if key in names:
            raise CertificateError(f"{key} has two names")
        names[key] = name
    return names
