"""Making the network of a game smaller, by all that is known of reachable states.

In: a network as the rules give it. Out: one with the same outputs in every reachable state
and for every legal joint move.

"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import accumulate, takewhile
from typing import Final

from gdl.circuit.aig import TRUE, Lit
from gdl.circuit.mutex import MutexGroup
from gdl.compile.budget import Budget
from gdl.compile.gates.game_network import GameNetwork
from gdl.compile.gates.implications import Implications, Mask, input_implications, mask_of
from gdl.compile.gates.mutex_groups import active_group, fact_groups, waiting_moves, widest
from gdl.compile.gates.network import Network
from gdl.compile.gates.rewrite import implications, rewrite

_MOST_WORK: Final = 250_000
"""Nodes that may be rewritten in all passes but the first; a pass takes 40 us a node."""
_LARGE: Final = 12_000
"""Gates from which a pass before any group is known pays for its time."""
_MOST_BITS: Final = 6_000_000_000
"""Beyond that a game is left as it is: what is known of it would not fit into memory."""
_WIDE_BITS: Final = 600_000_000
"""Beyond that the sets have facts only: those with moves would take too long."""
_HUGE: Final = 250_000
"""Gates from which a pass is tried on some of them before it is made: it takes half a minute."""
_TRIED: Final = 40_000
"""Gates of two inputs that it is tried on."""
_PROMISING: Final = 0.95
"""What may be left of those, else the pass is not made."""
_WORTH_IT: Final = 0.995
"""A pass must take away this part of the gates to be followed by another."""


def simplify(game: GameNetwork, budget: Budget | None = None) -> GameNetwork:
    """Return a smaller network for the same game.

    Args:
        game: The game.
        budget: When it is spent, what has been found until then is returned: a network that
            is correct and larger than it could be.
    """
    if _bits(game, len(game.facts)) > _MOST_BITS:
        return game
    roles = role_groups(game)
    groups: list[MutexGroup] = []
    assumed: list[MutexGroup] = []
    gates = game.network.cost(game.outputs())
    passes = _Passes(gates, budget)
    if gates > _LARGE:
        if gates > _HUGE and not _is_promising(game, roles, budget):
            return game
        game = passes.rewritten(game, _knowledge(game, roles))
    # Twice: the facts that say whose turn it is come first, since what they imply makes the proofs
    # of all other groups short. What is replaced here is equal in every reachable state: a move
    # that is chosen whenever it is legal is its legality, one of two facts is not the other.
    for is_first in (True, False):
        if passes.are_over:
            return game._replace(assumed=tuple(assumed))
        knowledge = _knowledge(game, roles)
        proved = fact_groups(game, knowledge, is_first=is_first, budget=budget)
        assumed += proved
        groups = [*roles, *widest(proved)]
        if proved:
            knowledge = _knowledge(game, groups)
        waiting = waiting_moves(game, knowledge, budget)
        active = active_group(game, knowledge, waiting)
        if active is not None:
            knowledge = _knowledge(game, [*groups, active])
        replaced = {edge >> 1: legal for edge, legal in waiting.items()}
        replaced.update(_opposites(groups[len(roles) :]))
        replaced.update((row[0] >> 1, TRUE) for row in game.move_inputs if len(row) == 1)
        game = passes.rewritten(game, knowledge, replaced)
    while passes.are_worth_it and not passes.are_over:
        game = passes.rewritten(game, knowledge)
    return without_others(game, groups)._replace(assumed=tuple(assumed))


def _is_promising(game: GameNetwork, roles: Sequence[MutexGroup], budget: Budget | None) -> bool:
    """Return whether a pass makes the first gates of a network smaller by more than a little."""
    network = game.network
    outputs = game.outputs()
    live = network.live(outputs)
    gates = [node for node in range(network.inputs + 1, len(network)) if live[node]]
    costs = accumulate(len(network.operands[node]) - 1 for node in gates)
    tried = sum(1 for _ in takewhile(_TRIED.__ge__, costs))
    # Operands come before users, so the first gates are a network of their own; what others use of
    # it are its outputs. Nothing need be known of moves of which it has none.
    used = {edge >> 1 for edge in outputs}
    used.update(edge >> 1 for node in gates[tried:] for edge in network.operands[node])
    edges = [2 * node for node in gates[:tried] if node in used]
    operands = {edge >> 1 for node in gates[:tried] for edge in network.operands[node]}
    smaller, new_edges = rewrite(network, edges, _knowledge(game, roles, operands), budget=budget)
    return smaller.cost(new_edges) < _PROMISING * network.cost(edges)


def _opposites(groups: Iterable[MutexGroup]) -> dict[int, Lit]:
    """Return for facts that hold when one other does not, the inversion of that one."""
    opposites: dict[int, Lit] = {}
    for group in groups:
        if group.is_exact and len(group.members) == 2:  # noqa: PLR2004  # one or the other
            kept, other = group.members
            if kept >> 1 not in opposites and other >> 1 not in opposites:
                opposites[other >> 1] = kept ^ 1
    return {node: edge for node, edge in opposites.items() if edge >> 1 not in opposites}


def without_others(game: GameNetwork, groups: Iterable[MutexGroup]) -> GameNetwork:
    """Return the game where one fact of each exact group holds next when no other one does.

    That is done for the fact whose own logic takes most gates, if it saves any.
    """
    # Exactly one member holds next, so the one is what none of the others is. At most one fact of a
    # group is written so, and no group twice: else two would be defined by each other.
    network = game.network
    facts = len(game.facts)
    follows = list(game.next)
    uses = network.live(game.outputs())
    done: set[int] = set()
    for group in groups:
        members = [(member >> 1) - 1 for member in group.members]
        if not group.is_exact or members[0] >= facts or not done.isdisjoint(members):
            continue
        costs = {index: _own_gates(network, follows[index], uses) for index in members}
        index = max(members, key=lambda member: (costs[member], -member))
        if costs[index] > len(members) - 2:
            others = [follows[member] ^ 1 for member in members if member != index]
            follows[index] = network.conj_all(others)
            done.update(members)
    return game._replace(next=tuple(follows))


def _own_gates(network: Network, edge: Lit, uses: Sequence[int]) -> int:
    """Return how many two-input gates would be gone without an edge that is used once."""
    count = 0
    stack = [edge >> 1]
    while stack:
        node = stack.pop()
        if network.is_gate(node) and uses[node] == 1:
            count += len(network.operands[node]) - 1
            stack += (operand >> 1 for operand in network.operands[node])
    return count


class _Passes:
    """Rewrites a game as long as that pays; gives up early on large ones."""

    def __init__(self, gates: int, budget: Budget | None) -> None:
        self.are_worth_it = True
        self._gates = gates
        self._budget = budget
        self._work = 0

    @property
    def are_over(self) -> bool:
        """Whether the budget is spent."""
        return self._budget is not None and self._budget.is_spent

    def rewritten(
        self, game: GameNetwork, knowledge: Implications, replaced: dict[int, Lit] | None = None
    ) -> GameNetwork:
        """Return the game after one more pass, or as it is where that would take too long."""
        nodes = len(game.network)
        if self.are_over or (self._work and self._work + nodes > _MOST_WORK):
            self.are_worth_it = False
            return game
        self._work += nodes
        before = self._gates
        new = one_pass(game, knowledge, replaced, self._budget)
        after = new.network.cost(new.outputs())
        self.are_worth_it = after < before * _WORTH_IT
        if after >= before and not replaced:
            return game
        self._gates = after
        return new


def _bits(game: GameNetwork, named: int) -> int:
    """Return how many bits the sets of all nodes would take that name so many inputs."""
    return 2 * named * 2 * len(game.network)


def _knowledge(
    game: GameNetwork, groups: Sequence[MutexGroup], nodes: Container[int] | None = None
) -> Implications:
    """Return what groups and legality say of the inputs, of moves only that are among some nodes.

    Legality tells of all moves where no nodes are given.
    """
    inputs = game.network.inputs
    mask = mask_of(range(2, 2 * len(game.facts) + 2))
    facts = len(game.facts) if _bits(game, inputs) > _WIDE_BITS else None
    # What legality implies is read off the network with what groups alone say, then added: a move
    # that is made was legal.
    blind = input_implications(inputs, groups, {}, facts=facts)
    return input_implications(inputs, groups, legality(game, blind, mask, nodes), facts=facts)


def one_pass(
    game: GameNetwork,
    knowledge: Implications,
    replaced: dict[int, Lit] | None = None,
    budget: Budget | None = None,
) -> GameNetwork:
    """Return the game with its network rewritten once."""
    return game.with_outputs(*rewrite(game.network, game.outputs(), knowledge, replaced, budget))


def role_groups(game: GameNetwork) -> list[MutexGroup]:
    """Return the group of the moves of each role: exactly one is chosen."""
    return [MutexGroup(tuple(row), is_exact=True) for row in game.move_inputs if row]


def legality(
    game: GameNetwork, knowledge: Implications, facts: Mask, nodes: Container[int] | None = None
) -> dict[Lit, Mask]:
    """Return for each move the edges of facts that hold wherever it is legal.

    Args:
        game: The game.
        knowledge: What is known of its inputs.
        facts: The edges of facts.
        nodes: Where given, only the moves among these nodes are wanted.
    """
    legal = (edge for row in game.legal for edge in row)
    moves = (edge for row in game.move_inputs for edge in row)
    wanted = {
        move: edge
        for move, edge in zip(moves, legal, strict=True)
        if nodes is None or move >> 1 in nodes
    }
    masks = implications(game.network, list(wanted.values()), knowledge)
    return {move: mask & facts for move, mask in zip(wanted, masks, strict=True)}
