"""A game as a network of wide gates: the form between its ground rules and its circuit.

In: a ground game. Out: a `GameNetwork`; its inputs are the facts, then the moves of each
role, as in a `GameCircuit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gdl.circuit.aig import FALSE, TRUE, Lit
from gdl.circuit.mutex import MutexGroup
from gdl.compile.budget import Budget
from gdl.compile.gates.completion import derive
from gdl.compile.gates.network import Network
from gdl.compile.grounding.aspif import FACT
from gdl.compile.grounding.ground_game import GroundGame
from gdl.language.syntax import Signature, Term


class GameNetwork(NamedTuple):
    """A game in wide gates. All that is not said here is as in `GameCircuit`.

    Attributes:
        network: The gates.
        outside: What the rules may make beyond ``base`` and ``input``, by relation and term,
            with the edge that says when: facts of states that are not terminal, and moves.
        is_cut: Whether facts are missing that states may have which follow one that is over.
        assumed: Groups of facts that all states must keep for these gates to be right.
        rules: Ground rules that it was made of.
    """

    roles: tuple[Term, ...]
    facts: tuple[Term, ...]
    initial: frozenset[int]
    moves: tuple[tuple[Term, ...], ...]
    network: Network
    legal: tuple[tuple[Lit, ...], ...]
    next: tuple[Lit, ...]
    terminal: Lit
    goals: tuple[tuple[tuple[int, Lit], ...], ...]
    sees: tuple[tuple[tuple[Term, Lit], ...], ...]
    outside: tuple[tuple[tuple[Signature, Term], Lit], ...] = ()
    is_cut: bool = False
    assumed: tuple[MutexGroup, ...] = ()
    rules: int = 0

    @property
    def fact_inputs(self) -> range:
        """Edge of each fact."""
        return range(2, 2 * len(self.facts) + 2, 2)

    @property
    def move_inputs(self) -> list[range]:
        """Edges of the moves of each role."""
        rows = []
        start = 2 * len(self.facts) + 2
        for row in self.moves:
            rows.append(range(start, start + 2 * len(row), 2))
            start += 2 * len(row)
        return rows

    def outputs(self) -> list[Lit]:
        """Return every edge that is looked at from outside."""
        edges = [edge for row in self.legal for edge in row]
        edges += self.next
        edges.append(self.terminal)
        edges += (edge for pairs in (*self.goals, *self.sees) for _, edge in pairs)
        return edges

    def with_outputs(self, network: Network, outputs: Sequence[Lit]) -> GameNetwork:
        """Return the game with a new network; outputs as `outputs` lists them."""
        edges = iter(outputs)
        return self._replace(
            network=network,
            legal=tuple(tuple(next(edges) for _ in row) for row in self.legal),
            next=tuple(next(edges) for _ in self.next),
            terminal=next(edges),
            goals=tuple(tuple((value, next(edges)) for value, _ in row) for row in self.goals),
            sees=tuple(tuple((percept, next(edges)) for percept, _ in row) for row in self.sees),
        )


def game_network(game: GroundGame, budget: Budget | None = None) -> GameNetwork:
    """Return the network of a ground game as it stands, nothing made smaller.

    Raises:
        CompileError: A sentence depends on its own negation.
        GroundingLimitError: The budget is spent, or sentences that depend on each other take
            too many gates.
    """
    network = Network()
    free = {atom: network.add_input() for atom in game.fact_atoms}
    free.update((atom, network.add_input()) for row in game.move_atoms for atom in row)
    edges = derive(game.program.bodies, outputs(game), free, network, budget)
    edges[FACT] = TRUE

    def edge(atom: int) -> Lit:
        return edges.get(atom, FALSE)

    return GameNetwork(
        roles=game.roles,
        facts=game.facts,
        initial=game.initial,
        moves=game.moves,
        network=network,
        legal=tuple(tuple(map(edge, row)) for row in game.legal),
        next=tuple(map(edge, game.next)),
        terminal=edge(game.terminal),
        goals=tuple(_merged(row, edge, network) for row in game.goals),
        sees=tuple(tuple((percept, edge(atom)) for percept, atom in row) for row in game.sees),
        outside=tuple(
            (
                (relation, name),
                edge(atom)
                if relation.arity > 1
                else network.conj_all((edge(atom), edge(game.terminal) ^ 1)),
            )
            for (relation, name), atom in game.outside
        ),
        rules=game.program.rule_count,
    )


def _merged(
    row: Sequence[tuple[int, int]], edge: Callable[[int], Lit], network: Network
) -> tuple[tuple[int, Lit], ...]:
    """Return one edge a goal value: 50 and 050 are two names of one."""
    values: dict[int, list[Lit]] = {}
    for value, atom in row:
        values.setdefault(value, []).append(edge(atom))
    return tuple((value, network.disj_all(edges)) for value, edges in values.items())


def verify_network(game: GameNetwork) -> None:
    """Check the network of a game: operands in order, nothing twice, states apart from moves.

    Raises:
        AssertionError: Says what is wrong.
    """
    network = game.network
    moves = sum(len(row) for row in game.moves)
    assert network.inputs == len(game.facts) + moves, "the inputs are not the facts and moves"
    gates: set[tuple[Lit, ...]] = set()
    for node in range(network.inputs + 1, len(network)):
        operands = network.operands[node]
        assert len(operands) > 1, f"gate {node} is none"
        assert list(operands) == sorted(set(operands)), f"gate {node} is unsorted"
        assert operands[0] > 1, f"gate {node} has a constant operand"
        assert operands[-1] < 2 * node, f"gate {node} uses a later one"
        assert operands not in gates, f"gate {node} doubles another"
        gates.add(operands)
    assert all(0 <= edge < 2 * len(network) for edge in game.outputs()), "an output is outside"


def outputs(game: GroundGame) -> list[int]:
    """Return the atoms that are looked at from outside."""
    atoms = [game.terminal, *game.next]
    atoms += (atom for row in game.legal for atom in row)
    atoms += (atom for row in game.goals for _, atom in row)
    atoms += (atom for row in game.sees for _, atom in row)
    atoms += (atom for _, atom in game.outside)
    return atoms
