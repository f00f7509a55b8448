"""Sequential graphs as AIGER files, for model checkers and other tools.

In: a circuit, or a `Model` made elsewhere. Out: a file in the ASCII or binary form of
AIGER 1.9. Of a circuit, moves are inputs; facts are latches that begin as the initial
state; legality, terminal, goals and percepts are outputs. The symbol table names all of
them in KIF.

Source: Biere, Heljanko, Wieringa, "AIGER 1.9 And Beyond", 2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdl.circuit import names
from gdl.circuit.aig import Aig, Lit
from gdl.circuit.cone import live
from gdl.circuit.game import GameCircuit
from gdl.circuit.names import Named


@dataclass(frozen=True, slots=True)
class Latch:
    """One bit of state.

    Attributes:
        edge: Its value; an input of the graph.
        next: Its value after a step.
        start: Its first value.
        name: What it is called.
    """

    edge: Lit
    next: Lit
    start: bool
    name: str


@dataclass(frozen=True, slots=True)
class Model:
    """A graph with state, as AIGER knows it.

    Attributes:
        aig: The graph.
        inputs: Inputs of the graph that are free at each step.
        latches: Inputs of the graph that are state.
        outputs: What is shown.
        bads: What must never be.
        comment: Text at the end of the file, empty for none.
    """

    aig: Aig
    inputs: tuple[Named, ...]
    latches: tuple[Latch, ...]
    outputs: tuple[Named, ...]
    bads: tuple[Named, ...] = ()
    comment: str = ""


def model_of(circuit: GameCircuit) -> Model:
    """Return a circuit as a model without bads."""
    latches = (
        Latch(edge, after, index in circuit.initial, name)
        for index, ((edge, name), after) in enumerate(
            zip(names.facts(circuit), circuit.next, strict=True)
        )
    )
    moves, shown = names.moves(circuit), names.outputs(circuit)
    return Model(circuit.aig, tuple(moves), tuple(latches), tuple(shown))


def model_text(model: Model) -> str:
    """Return a model in the ASCII form (``.aag``). Cost O(nodes)."""
    layout = _Layout(model)
    lines = [f"aag {layout.header}"]
    lines += (str(layout.edge(edge)) for edge, _ in model.inputs)
    lines += (
        f"{layout.edge(latch.edge)} {layout.edge(latch.next)} {int(latch.start)}"
        for latch in model.latches
    )
    lines += (str(layout.edge(edge)) for edge, _ in (*model.outputs, *model.bads))
    lines += (f"{gate} {left} {right}" for gate, left, right in layout.gates)
    return "\n".join([*lines, *_symbols(model)]) + "\n"


def model_bytes(model: Model) -> bytes:
    """Return a model in the binary form (``.aig``). Cost O(nodes)."""
    layout = _Layout(model)
    lines = [f"aig {layout.header}"]
    lines += (f"{layout.edge(latch.next)} {int(latch.start)}" for latch in model.latches)
    lines += (str(layout.edge(edge)) for edge, _ in (*model.outputs, *model.bads))
    gates = bytearray()
    for gate, left, right in layout.gates:
        gates += _number(gate - left)
        gates += _number(left - right)
    head = "\n".join(lines) + "\n"
    return head.encode() + bytes(gates) + ("\n".join(_symbols(model)) + "\n").encode()


class _Layout:
    """A model in AIGER's numbering: inputs, then latches, then the gates that are needed."""

    def __init__(self, model: Model) -> None:
        self._table: dict[int, Lit] = {0: 0}
        for edge in (*(edge for edge, _ in model.inputs), *(latch.edge for latch in model.latches)):
            self._table[edge >> 1] = 2 * len(self._table)
        self.gates: list[tuple[Lit, Lit, Lit]] = []
        aig = model.aig
        shown = [edge for edge, _ in (*model.outputs, *model.bads)]
        for node in live(aig, [*(latch.next for latch in model.latches), *shown]):
            left, right = self.edge(aig.left[node]), self.edge(aig.right[node])
            self._table[node] = 2 * len(self._table)
            self.gates.append((self._table[node], max(left, right), min(left, right)))
        counts = [len(model.inputs), len(model.latches), len(model.outputs), len(self.gates)]
        counts += [len(model.bads)] if model.bads else []
        self.header = " ".join(map(str, (len(self._table) - 1, *counts)))

    def edge(self, edge: Lit) -> Lit:
        """Return an edge in AIGER's numbering."""
        return self._table[edge >> 1] ^ (edge & 1)


def _number(value: int) -> bytes:
    """Return a number in sevens of bits, the lowest first."""
    sevens = bytearray()
    while value > 0x7F:  # noqa: PLR2004  # seven bits
        sevens.append(value & 0x7F | 0x80)
        value >>= 7
    sevens.append(value)
    return bytes(sevens)


def _symbols(model: Model) -> Iterator[str]:
    kinds = (
        ("i", [name for _, name in model.inputs]),
        ("l", [latch.name for latch in model.latches]),
        ("o", [name for _, name in model.outputs]),
        ("b", [name for _, name in model.bads]),
    )
    for kind, symbols in kinds:
        for index, symbol in enumerate(symbols):
            yield f"{kind}{index} {one_line(symbol)}"
    if model.comment:
        yield "c"
        yield model.comment


def one_line(symbol: str) -> str:
    """Return a symbol without line ends: a symbol table has one a line."""
    return "\\n".join(symbol.splitlines())
