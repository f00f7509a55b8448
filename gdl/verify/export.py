"""A system with its questions as AIGER 1.9, for outside model checkers.

In: a system. Out: ASCII AIGER: choices are inputs, facts are latches with first values,
each question is a ``bad``. One more latch says that every step so far was a play: one
legal choice of each role, and no step after the end; a bad state counts only then.

Source: Biere, Heljanko, Wieringa, "AIGER 1.9 And Beyond", 2011.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.compile.circuit import FALSE, TRUE, Aig, Lit, negate
from gdl.verify.system import System, conj_all, copy_cone


def system_aiger(system: System) -> str:
    """Return a system as a file of the ASCII form (``.aag``). Cost O(nodes)."""
    aig, table, valid = Aig(), {}, FALSE
    choices = [edge for row in system.choice_inputs for edge in row]
    for edge in (*choices, *system.fact_inputs):
        table[edge >> 1] = aig.add_input()
    valid = aig.add_input()
    flat = [edge for row in system.legal for edge in row]
    bads = [bad.edge for bad in system.bads]
    stop, *made = copy_cone(system.aig, aig, table, [system.stop, *bads, *flat, *system.next])
    asked, legal = made[: len(bads)], iter(made[len(bads) : len(bads) + len(flat)])
    follows = made[len(bads) + len(flat) :]
    steps = [valid, negate(stop)]
    for row in system.choice_inputs:
        mine = [table[edge >> 1] for edge in row]
        steps.append(_exactly_one(aig, mine))
        steps += (negate(aig.conj(edge, negate(next(legal)))) for edge in mine)
    follows.append(conj_all(aig, steps))
    shown = [aig.conj(edge, valid) for edge in asked]
    first = [*(int(value) for value in system.initial), TRUE]
    return _text(system, aig, len(choices), follows, first, shown)


def _exactly_one(aig: Aig, edges: Sequence[Lit]) -> Lit:
    none, one = TRUE, FALSE
    for edge in edges:
        one = aig.disj(aig.conj(one, negate(edge)), aig.conj(none, edge))
        none = aig.conj(none, negate(edge))
    return one


def _text(  # noqa: PLR0913, PLR0917  # the parts of a file
    system: System,
    aig: Aig,
    inputs: int,
    follows: Sequence[Lit],
    first: Sequence[int],
    bads: Sequence[Lit],
) -> str:
    gates = list(aig.ands())
    number = {0: 0, **{node: 2 * (i + 1) for i, node in enumerate((*aig.inputs, *gates))}}

    def renamed(edge: Lit) -> Lit:
        return number[edge >> 1] ^ (edge & 1)

    latches = len(follows)
    lines = [f"aag {inputs + latches + len(gates)} {inputs} {latches} 0 {len(gates)} {len(bads)}"]
    lines += (str(2 * (i + 1)) for i in range(inputs))
    lines += (
        f"{2 * (inputs + i + 1)} {renamed(edge)} {start}"
        for i, (edge, start) in enumerate(zip(follows, first, strict=True))
    )
    lines += (str(renamed(edge)) for edge in bads)
    lines += (
        f"{number[node]} {renamed(aig.left[node])} {renamed(aig.right[node])}" for node in gates
    )
    lines += (
        f"l{i} {('a', 'b', 'product')[label.side]}: {_one_line(str(label.term))}"
        for i, label in enumerate(system.facts)
    )
    lines += (f"b{i} {_one_line(bad.name)}" for i, bad in enumerate(system.bads))
    return "\n".join(lines) + "\n"


def _one_line(symbol: str) -> str:
    return "\\n".join(symbol.splitlines())
