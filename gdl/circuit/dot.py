"""Circuits as pictures, in the language of Graphviz.

In: a circuit. Out: text for ``dot``. Gates are circles, inverted edges have a dot at
their end, inputs and outputs are boxes with their names in KIF.

Source: Gansner, Koutsofios, North, "Drawing Graphs with dot", 2015.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.circuit.aig import Lit
from gdl.circuit.game import GameCircuit
from gdl.language.terms import Term


def dot_text(circuit: GameCircuit) -> str:
    """Return a circuit as a directed graph. Cost O(nodes); large ones cannot be drawn."""
    lines = ["digraph circuit {", "  rankdir=BT;", "  node [shape=box];"]
    lines += _inputs(circuit)
    for node in circuit.aig.ands():
        lines.append(f'  n{node} [shape=circle, label="&"];')
        lines += (
            _edge(edge, f"n{node}") for edge in (circuit.aig.left[node], circuit.aig.right[node])
        )
    for index, (edge, name) in enumerate(_outputs(circuit)):
        lines.append(f"  o{index} [label={_quoted(name)}, style=bold];")
        lines.append(_edge(edge, f"o{index}"))
    if any(edge <= 1 for edge, _ in _outputs(circuit)):
        lines.append('  n0 [label="false"];')
    return "\n".join([*lines, "}"]) + "\n"


def _inputs(circuit: GameCircuit) -> Iterator[str]:
    named: list[tuple[Lit, str]] = [
        (edge, f"(true {fact})")
        for fact, edge in zip(circuit.facts, circuit.fact_inputs, strict=True)
    ]
    for role, moves, edges in zip(circuit.roles, circuit.moves, circuit.move_inputs, strict=True):
        named += _pairs("does", role, moves, edges)
    for edge, name in named:
        yield f"  n{edge >> 1} [label={_quoted(name)}];"


def _outputs(circuit: GameCircuit) -> Iterator[tuple[Lit, str]]:
    for role, moves, edges in zip(circuit.roles, circuit.moves, circuit.legal, strict=True):
        yield from _pairs("legal", role, moves, edges)
    for fact, edge in zip(circuit.facts, circuit.next, strict=True):
        yield edge, f"(next {fact})"
    yield circuit.terminal, "terminal"
    for role, pairs in zip(circuit.roles, circuit.goals, strict=True):
        yield from ((edge, f"(goal {role} {value})") for value, edge in pairs)
    for role, percepts in zip(circuit.roles, circuit.sees, strict=False):
        yield from ((edge, f"(sees {role} {percept})") for percept, edge in percepts)


def _pairs(
    word: str, role: Term, moves: tuple[Term, ...], edges: tuple[Lit, ...]
) -> Iterator[tuple[Lit, str]]:
    for move, edge in zip(moves, edges, strict=True):
        yield edge, f"({word} {role} {move})"


def _edge(edge: Lit, target: str) -> str:
    end = " [arrowhead=dot]" if edge & 1 else " [arrowhead=none]"
    return f"  n{edge >> 1} -> {target}{end};"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
