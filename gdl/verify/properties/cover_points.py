"""What has to be possible in every game: that each move becomes legal, that each fact changes.

In: a circuit, and the rules for what they declare. Out: a `CoverPoint` for each; `firing` has those
of rules.
"""

from __future__ import annotations

from typing import Any

from gdl.circuit.aig import FALSE, Lit, negate
from gdl.circuit.game import GameCircuit
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import (
    Compound,
    Description,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
)
from gdl.verify.properties.coverage import CoverPoint


def move_points(circuit: GameCircuit, description: Description, machine: Any) -> list[CoverPoint]:  # noqa: ANN401  # a reasoner
    """Return when each move is legal, declared ones too.

    Args:
        circuit: The game; its graph grows.
        description: Its rules.
        machine: A reasoner of them.
    """
    going = negate(circuit.terminal)
    wanted: dict[tuple[Term, ...], Lit] = {
        (role, move): circuit.aig.conj(going, edge)
        for role, moves, row in zip(circuit.roles, circuit.moves, circuit.legal, strict=True)
        for move, edge in zip(moves, row, strict=True)
    }
    declared = _declared(description, machine, "input", 2)
    wanted |= dict.fromkeys(sorted(declared - wanted.keys()), FALSE)
    return [CoverPoint(f"{role}: {move}", edge) for (role, move), edge in wanted.items()]


def fact_points(circuit: GameCircuit, description: Description, machine: Any) -> list[CoverPoint]:  # noqa: ANN401  # a reasoner
    """Return when each fact, declared ones too, is otherwise than at first."""
    wanted = {
        fact: CoverPoint(
            f"{fact} {'always' if index in circuit.initial else 'never'} holds",
            edge ^ int(index in circuit.initial),
        )
        for index, (fact, edge) in enumerate(zip(circuit.facts, circuit.fact_inputs, strict=True))
    }
    for (fact,) in sorted(_declared(description, machine, "base", 1)):
        wanted.setdefault(fact, CoverPoint(f"{fact} never holds", FALSE))
    return list(wanted.values())


def _declared(
    description: Description,
    machine: Any,  # noqa: ANN401  # a reasoner
    relation: str,
    arity: int,
) -> set[tuple[Term, ...]]:
    """Return what rules declare as moves or facts; nothing where they do not."""
    query = Compound(relation, tuple(Variable(f"v{index}") for index in range(arity)))
    heads = {signature(rule.head.sentence) for rule in description.rules}
    if Signature(relation, arity) not in heads:
        return set()
    try:
        instances = machine.instances(machine.initial(), query)
    except GdlError:  # what nobody needs for play may be too much to list
        return set()
    return {arguments(sentence) for sentence in instances}
