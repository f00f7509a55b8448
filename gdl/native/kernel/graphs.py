"""The two and-inverter graphs of a kernel: what is seen of a state, and what follows from it.

In goes a `GameCircuit` and where things lie; out come graphs with the slots of their
inputs and of their roots.
"""

from __future__ import annotations

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.copy import Copier
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import exactly_one, select
from gdl.native.code.schedule import Root
from gdl.native.kernel.layout import KernelLayout


def lay_out_kernel(circuit: GameCircuit) -> tuple[KernelLayout, int]:
    """Return the layout, slots not yet counted, and the first free slot."""
    slot = 0

    def take(count: int) -> int:
        nonlocal slot
        slot += count
        return slot - count

    return (
        KernelLayout(
            facts=take(len(circuit.facts)),
            moves=tuple(take(len(moves)) for moves in circuit.moves),
            legal=tuple(take(len(moves)) for moves in circuit.moves),
            single=take(len(circuit.roles)),
            terminal=take(1),
            hold=take(1),
            spare=take(1),
            illegal=take(1),
            goals=take(sum(len(pairs) for pairs in circuit.goals)),
            sees=take(sum(len(pairs) for pairs in circuit.sees)),
            initial=take(len(circuit.facts)),
            slots=0,
        ),
        slot,
    )


def _inputs(
    aig: Aig, circuit: GameCircuit, layout: KernelLayout
) -> tuple[dict[int, Lit], dict[int, int]]:
    """Return inputs of a new graph for the facts: by node of the circuit, and slots."""
    values: dict[int, Lit] = {}
    slots: dict[int, int] = {}
    for fact, edge in enumerate(circuit.fact_inputs):
        values[edge >> 1] = aig.add_input()
        slots[values[edge >> 1] >> 1] = layout.facts + fact
    return values, slots


def observation(
    circuit: GameCircuit, layout: KernelLayout
) -> tuple[Aig, dict[int, int], list[Root]]:
    """Return what is seen of a state: the graph, slots of its inputs, and its roots."""
    aig = Aig()
    values, slots = _inputs(aig, circuit, layout)
    copier = Copier(aig, circuit.aig, values)
    roots: list[Root] = []
    for role, edges in enumerate(circuit.legal):
        legal_edges = copier.edges(edges)
        roots += [Root(edge, layout.legal[role] + i) for i, edge in enumerate(legal_edges)]
        roots.append(Root(exactly_one(aig, legal_edges), layout.single + role))
    roots.append(Root(copier.edge(circuit.terminal), layout.terminal))
    goals = copier.edges([edge for pairs in circuit.goals for _, edge in pairs])
    roots += [Root(edge, layout.goals + i) for i, edge in enumerate(goals)]
    return aig, slots, roots


def advance(circuit: GameCircuit, layout: KernelLayout) -> tuple[Aig, dict[int, int], list[Root]]:
    """Return what follows from the moves made, likewise; lanes on hold keep their facts."""
    aig = Aig()
    values, slots = _inputs(aig, circuit, layout)
    hold = aig.add_input()
    slots[hold >> 1] = layout.hold
    for role, edges in enumerate(circuit.move_inputs):
        for i, edge in enumerate(edges):
            values[edge >> 1] = aig.add_input()
            slots[values[edge >> 1] >> 1] = layout.moves[role] + i
    copier = Copier(aig, circuit.aig, values)
    sees = copier.edges([edge for pairs in circuit.sees for _, edge in pairs])
    roots = [Root(edge, layout.sees + i) for i, edge in enumerate(sees)]
    for fact, edge in enumerate(circuit.fact_inputs):
        old = values[edge >> 1]
        new = select(aig, hold, old, copier.edge(circuit.next[fact]))
        if new != old:
            roots.append(Root(new, layout.facts + fact))
    return aig, slots, roots
