"""What goes into the circuit of a game and what comes out, named in KIF."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from gdl.circuit.aig import Lit
from gdl.circuit.game import GameCircuit
from gdl.language.terms import Term

Named: TypeAlias = tuple[Lit, str]
"""An edge and what it is called."""


def facts(circuit: GameCircuit) -> Iterator[Named]:
    """Yield the facts of a state."""
    for fact, edge in zip(circuit.facts, circuit.fact_inputs, strict=True):
        yield edge, f"(true {fact})"


def moves(circuit: GameCircuit) -> Iterator[Named]:
    """Yield the moves that are made."""
    return _of_moves("does", circuit, circuit.move_inputs)


def follows(circuit: GameCircuit) -> Iterator[Named]:
    """Yield the facts of the state after the moves."""
    for fact, edge in zip(circuit.facts, circuit.next, strict=True):
        yield edge, f"(next {fact})"


def outputs(circuit: GameCircuit) -> Iterator[Named]:
    """Yield what is seen of a state and of the moves: legal, terminal, goal and sees."""
    yield from _of_moves("legal", circuit, circuit.legal)
    yield circuit.terminal, "terminal"
    for role, pairs in zip(circuit.roles, circuit.goals, strict=True):
        for value, edge in pairs:
            yield edge, f"(goal {role} {value})"
    for role, percepts in zip(circuit.roles, circuit.sees, strict=bool(circuit.sees)):
        for percept, edge in percepts:
            yield edge, f"(sees {role} {percept})"


def _of_moves(
    word: str, circuit: GameCircuit, rows: tuple[tuple[Lit, ...], ...]
) -> Iterator[Named]:
    names: list[tuple[Term, Term]] = [
        (role, move) for role, row in zip(circuit.roles, circuit.moves, strict=True) for move in row
    ]
    edges = (edge for row in rows for edge in row)
    for (role, move), edge in zip(names, edges, strict=True):
        yield edge, f"({word} {role} {move})"
