"""Circuits as AIGER files, for model checkers and other tools.

In: a circuit. Out: a file in the ASCII or binary form of AIGER 1.9. Moves are inputs;
facts are latches that begin as the initial state; legality, terminal, goals and percepts
are outputs. The symbol table names all of them in KIF.

Source: Biere, Heljanko, Wieringa, "AIGER 1.9 And Beyond", 2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdl.compile.circuit import GameCircuit, Lit


@dataclass(frozen=True, slots=True)
class _Layout:
    """A circuit in AIGER's numbering: inputs, then latches, then gates."""

    inputs: int
    latches: list[tuple[Lit, bool]]
    outputs: list[Lit]
    gates: list[tuple[Lit, Lit, Lit]]

    @property
    def header(self) -> str:
        """The counts, without the word that says which form follows."""
        counts = self.inputs, len(self.latches), len(self.outputs), len(self.gates)
        largest = self.inputs + len(self.latches) + len(self.gates)
        return " ".join(map(str, (largest, *counts)))


def aiger_text(circuit: GameCircuit) -> str:
    """Return a circuit in the ASCII form (``.aag``). Cost O(nodes)."""
    layout = _layout(circuit)
    lines = [f"aag {layout.header}"]
    lines += (str(2 * number) for number in range(1, layout.inputs + 1))
    first = layout.inputs + 1
    lines += (
        f"{2 * (first + index)} {follows} {int(start)}"
        for index, (follows, start) in enumerate(layout.latches)
    )
    lines += map(str, layout.outputs)
    lines += (f"{gate} {left} {right}" for gate, left, right in layout.gates)
    lines += _symbols(circuit)
    return "\n".join(lines) + "\n"


def aiger_bytes(circuit: GameCircuit) -> bytes:
    """Return a circuit in the binary form (``.aig``). Cost O(nodes)."""
    layout = _layout(circuit)
    lines = [f"aig {layout.header}"]
    lines += (f"{follows} {int(start)}" for follows, start in layout.latches)
    lines += map(str, layout.outputs)
    gates = bytearray()
    for gate, left, right in layout.gates:
        gates += _number(gate - left)
        gates += _number(left - right)
    head = "\n".join(lines) + "\n"
    return head.encode() + bytes(gates) + ("\n".join(_symbols(circuit)) + "\n").encode()


def _number(value: int) -> bytes:
    """Return a number in sevens of bits, the lowest first."""
    found = bytearray()
    while value > 0x7F:  # noqa: PLR2004  # seven bits
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _layout(circuit: GameCircuit) -> _Layout:
    table: dict[int, Lit] = {0: 0}
    moves = [edge for row in circuit.move_inputs for edge in row]
    for edge in (*moves, *circuit.fact_inputs):
        table[edge >> 1] = 2 * len(table)

    def renamed(edge: Lit) -> Lit:
        return table[edge >> 1] ^ (edge & 1)

    gates: list[tuple[Lit, Lit, Lit]] = []
    for node in circuit.aig.ands():
        left, right = renamed(circuit.aig.left[node]), renamed(circuit.aig.right[node])
        table[node] = 2 * len(table)
        gates.append((table[node], max(left, right), min(left, right)))
    latches = [(renamed(edge), index in circuit.initial) for index, edge in enumerate(circuit.next)]
    outputs = [renamed(edge) for edge, _ in _named_outputs(circuit)]
    return _Layout(len(moves), latches, outputs, gates)


def _named_outputs(circuit: GameCircuit) -> Iterator[tuple[Lit, str]]:
    for role, moves, edges in zip(circuit.roles, circuit.moves, circuit.legal, strict=True):
        for move, edge in zip(moves, edges, strict=True):
            yield edge, f"(legal {role} {move})"
    yield circuit.terminal, "terminal"
    for role, pairs in zip(circuit.roles, circuit.goals, strict=True):
        for value, edge in pairs:
            yield edge, f"(goal {role} {value})"
    for role, percepts in zip(
        circuit.roles, circuit.sees or ((),) * len(circuit.roles), strict=True
    ):
        for percept, edge in percepts:
            yield edge, f"(sees {role} {percept})"


def _symbols(circuit: GameCircuit) -> Iterator[str]:
    moves = (
        f"(does {role} {move})"
        for role, row in zip(circuit.roles, circuit.moves, strict=True)
        for move in row
    )
    facts = (f"(true {fact})" for fact in circuit.facts)
    names = (name for _, name in _named_outputs(circuit))
    for kind, symbols in (("i", moves), ("l", facts), ("o", names)):
        for index, symbol in enumerate(symbols):
            yield f"{kind}{index} {_one_line(symbol)}"


def _one_line(symbol: str) -> str:
    """Return a symbol without line ends: a symbol table has one a line."""
    return "\\n".join(symbol.splitlines())
