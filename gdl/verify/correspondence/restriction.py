"""A game without some of its moves.

In: a circuit and how many moves each role is to keep. Out: `Restriction`: the game in which all
moves of some names can never be made, for each choice of names that leaves so many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from gdl.circuit.aig import FALSE, Aig, Lit
from gdl.circuit.copy import copy_cone
from gdl.circuit.game import GameCircuit
from gdl.verify.systems.matching import family_of

MAX_NAMES: Final = 8
"""Names of moves from which on no choice of them is looked at."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """A game without some of its moves.

    Attributes:
        circuit: The game; has only the moves that are kept.
        kept: Of each role, the numbers of these moves in the whole game.
    """

    circuit: GameCircuit
    kept: tuple[tuple[int, ...], ...]


def restrictions(circuit: GameCircuit, sizes: Sequence[int]) -> Iterator[Restriction]:
    """Yield the restrictions of a game, but for itself, in which roles have so many moves.

    Args:
        circuit: The game.
        sizes: How many moves the roles are to have, by rising number.
    """
    names = sorted({family_of(move) for row in circuit.moves for move in row})
    if len(names) > MAX_NAMES:
        return
    for count in range(1, len(names)):
        for dropped in combinations(names, count):
            kept = tuple(
                tuple(index for index, move in enumerate(row) if family_of(move) not in dropped)
                for row in circuit.moves
            )
            if sorted(map(len, kept)) == list(sizes):
                yield Restriction(keeping(circuit, kept), kept)


def keeping(circuit: GameCircuit, kept: Sequence[Sequence[int]]) -> GameCircuit:
    """Return a game with some of its moves; the others are never made. Cost O(nodes)."""
    aig = Aig()
    facts = tuple(aig.add_input() for _ in circuit.facts)
    table: dict[int, Lit] = {
        edge >> 1: fact for edge, fact in zip(circuit.fact_inputs, facts, strict=True)
    }
    table |= {edge >> 1: FALSE for row in circuit.move_inputs for edge in row}
    moves = tuple(tuple(aig.add_input() for _ in row) for row in kept)
    for row, mine, inputs in zip(kept, moves, circuit.move_inputs, strict=True):
        table |= {inputs[index] >> 1: edge for index, edge in zip(row, mine, strict=True)}
    copies = iter(copy_cone(circuit.aig, aig, table, list(circuit.outputs())))
    legal = [[next(copies) for _ in row] for row in circuit.legal]
    return replace(
        circuit,
        aig=aig,
        moves=tuple(
            tuple(circuit.moves[role][index] for index in row) for role, row in enumerate(kept)
        ),
        fact_inputs=facts,
        move_inputs=moves,
        legal=tuple(tuple(legal[role][index] for index in row) for role, row in enumerate(kept)),
        next=tuple(next(copies) for _ in circuit.next),
        terminal=next(copies),
        goals=tuple(tuple((value, next(copies)) for value, _ in row) for row in circuit.goals),
        sees=tuple(tuple((seen, next(copies)) for seen, _ in row) for row in circuit.sees),
    )
