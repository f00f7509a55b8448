"""Which groups of facts a legal move may change now, as logic of the facts alone.

In: a circuit and groups of its facts. Out: a graph over the facts and an edge for each group. On a
square of Connect Four it says whether a disc can be dropped there now: what a pattern of discs is
worth hangs on it, and nothing in the pattern itself shows it.

For each move the circuit is asked what the facts of a group are if it is played (a cofactor: the
move is put to true, all others of its role to false), and the group changes where one of them is
another than before while the move is legal. All other roles do what is legal for them: where one
role at a time chooses that is a single move. Only moves that a fact's next value speaks of are
tried; what happens by itself is no change. It is a feature, not a proof: it need not be exact, only
the same in every state that is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from gdl.circuit.aig import FALSE, Aig, Lit
from gdl.circuit.cone import cone, support
from gdl.circuit.copy import Copier
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import disj_all, xor

MOST_WORK: Final = 1 << 19
"""Gates that are copied, at most; games of more have no such logic."""


def changes(
    circuit: GameCircuit, groups: Sequence[Iterable[int]]
) -> tuple[Aig, tuple[Lit, ...]] | None:
    """Return for each group an edge that says whether a legal move changes it.

    Args:
        circuit: The game.
        groups: Facts by index.

    Returns:
        A graph whose inputs are the facts in order, and an edge of it for each group; None where it
        would be more than `MOST_WORK`. Cost O(pairs of a fact and a move that bears on it, each
        with the gates between them).
    """
    source, target = circuit.aig, Aig()
    facts = {edge >> 1: target.add_input() for edge in circuit.fact_inputs}
    plain = Copier(target, source, facts)
    legal = [plain.edges(edges) for edges in circuit.legal]
    owner = {
        edge >> 1: (role, number)
        for role, edges in enumerate(circuit.move_inputs)
        for number, edge in enumerate(edges)
    }
    work = len(target)
    conditions: list[Lit] = []
    cofactors: dict[int, Copier] = {}
    for members in groups:
        some: list[Lit] = []
        for fact in members:
            before, after = facts[circuit.fact_inputs[fact] >> 1], circuit.next[fact]
            size = len(cone(source, [after]))
            for node in sorted(owner.keys() & support(source, [after])):
                role, number = owner[node]
                if legal[role][number] == FALSE:
                    continue
                work += size
                if work > MOST_WORK:
                    return None
                if node not in cofactors:
                    values = facts | _with_move(circuit, legal, node, role)
                    cofactors[node] = Copier(target, source, values)
                differs = xor(target, cofactors[node].edge(after), before)
                some.append(target.conj(legal[role][number], differs))
        conditions.append(disj_all(target, some))
    return target, tuple(conditions)


def _with_move(
    circuit: GameCircuit, legal: Sequence[Sequence[Lit]], node: int, role: int
) -> dict[int, Lit]:
    """Return values of all move inputs when a role makes the move of one of them."""
    return {
        edge >> 1: int(edge >> 1 == node) if other == role else legal[other][number]
        for other, edges in enumerate(circuit.move_inputs)
        for number, edge in enumerate(edges)
    }
