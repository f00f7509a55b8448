"""Circuits as pictures, in the language of Graphviz.

In: a circuit. Out: text for ``dot``. Gates are circles, inverted edges have a dot at
their end, inputs and outputs are boxes with their names in KIF.

Source: Gansner, Koutsofios, North, "Drawing Graphs with dot", 2015.
"""

from __future__ import annotations

from gdl.circuit import names
from gdl.circuit.aig import TRUE, Lit
from gdl.circuit.game import GameCircuit


def dot_text(circuit: GameCircuit) -> str:
    """Return a circuit as a directed graph. Cost O(nodes); large ones cannot be drawn."""
    lines = ["digraph circuit {", "  rankdir=BT;", "  node [shape=box];"]
    for edge, name in (*names.facts(circuit), *names.moves(circuit)):
        lines.append(f"  n{edge >> 1} [label={_quoted(name)}];")
    for node in circuit.aig.ands():
        lines.append(f'  n{node} [shape=circle, label="&"];')
        lines += (
            _edge(edge, f"n{node}") for edge in (circuit.aig.left[node], circuit.aig.right[node])
        )
    outputs = [*names.follows(circuit), *names.outputs(circuit)]
    for index, (edge, name) in enumerate(outputs):
        lines.append(f"  o{index} [label={_quoted(name)}, style=bold];")
        lines.append(_edge(edge, f"o{index}"))
    if any(edge <= TRUE for edge, _ in outputs):
        lines.append('  n0 [label="false"];')
    return "\n".join([*lines, "}"]) + "\n"


def _edge(edge: Lit, target: str) -> str:
    end = " [arrowhead=dot]" if edge & 1 else " [arrowhead=none]"
    return f"  n{edge >> 1} -> {target}{end};"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
