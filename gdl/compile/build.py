"""Rules to circuit, the whole way: `build` is the entrance of this room.

In: a description. Out: a verified `GameCircuit`.

Source: ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.compile.circuit import FALSE, TRUE, Aig, GameCircuit, Lit
from gdl.compile.derive import derive
from gdl.compile.ground import FACT, NEVER, GroundGame, ground
from gdl.compile.limits import DEFAULT_COMPILE_LIMITS, CompileLimits
from gdl.compile.program import needed_clauses
from gdl.compile.verify import verify_circuit
from gdl.language.clauses import clauses as clausal_form
from gdl.language.syntax import Description


class AigLogic:
    """Builds plain gates, balanced trees of two inputs."""

    def __init__(self, aig: Aig) -> None:
        """Build into a graph."""
        self.aig = aig

    def conj_all(self, edges: Sequence[Lit]) -> Lit:
        """Return an edge for the conjunction of edges."""
        level = sorted(set(edges))
        while len(level) > 1:
            odd = level[-1:] if len(level) % 2 else []
            level = [*map(self.aig.conj, level[::2], level[1::2]), *odd]
        return level[0] if level else TRUE

    def disj_all(self, edges: Sequence[Lit]) -> Lit:
        """Return an edge for the disjunction of edges."""
        return self.conj_all([edge ^ 1 for edge in edges]) ^ 1


def build(
    description: Description, *, limits: CompileLimits = DEFAULT_COMPILE_LIMITS
) -> GameCircuit:
    """Return the circuit of a game.

    Raises:
        GroundingLimitError: The rules have too many instances; names the rule with most.
        CompileError: The rules cannot be made into a circuit.
        LimitError: The description is too large to be brought into clausal form.
    """
    game = ground(needed_clauses(clausal_form(description)), limits=limits)
    circuit = raw_circuit(game)
    verify_circuit(circuit)
    return circuit


def raw_circuit(game: GroundGame) -> GameCircuit:
    """Return the circuit of a ground game as it stands, nothing made smaller."""
    aig = Aig()
    fact_inputs = tuple(aig.add_input() for _ in game.facts)
    move_inputs = tuple(tuple(aig.add_input() for _ in row) for row in game.move_atoms)
    free = dict(zip(game.fact_atoms, fact_inputs, strict=True))
    for atoms, inputs in zip(game.move_atoms, move_inputs, strict=True):
        free.update(zip(atoms, inputs, strict=True))
    edges = derive(game.program.bodies, outputs(game), free, AigLogic(aig))
    edges[FACT] = TRUE

    def edge(atom: int) -> Lit:
        return edges.get(atom, FALSE)

    assert NEVER not in edges
    return GameCircuit(
        roles=game.roles,
        facts=game.facts,
        initial=game.initial,
        moves=game.moves,
        aig=aig,
        fact_inputs=fact_inputs,
        move_inputs=move_inputs,
        legal=tuple(tuple(map(edge, row)) for row in game.legal),
        next=tuple(map(edge, game.next)),
        terminal=edge(game.terminal),
        goals=tuple(tuple((value, edge(atom)) for value, atom in row) for row in game.goals),
        sees=tuple(tuple((percept, edge(atom)) for percept, atom in row) for row in game.sees),
    )


def outputs(game: GroundGame) -> list[int]:
    """Return the atoms that are looked at from outside."""
    atoms = [game.terminal, *game.next]
    atoms += (atom for row in game.legal for atom in row)
    atoms += (atom for row in game.goals for _, atom in row)
    atoms += (atom for row in game.sees for _, atom in row)
    return atoms
