"""Making the network of a game smaller, by all that is known of reachable states.

In: a network as the rules give it. Out: one with the same outputs in every reachable state
and for every legal joint move.

Source: as in `rewrite` and `groups`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gdl.compile.circuit import Lit
from gdl.compile.game_network import GameNetwork
from gdl.compile.groups import active_group, fact_groups, waiting_moves
from gdl.compile.knowledge import Group, Knowledge, Mask, knowledge, mask_of
from gdl.compile.rewrite import implications, rewrite

_MOST_WORK: Final = 250_000
"""Nodes that may be rewritten in all passes but the first; a pass takes 40 us a node."""
_MOST_BITS: Final = 6_000_000_000
"""Beyond that a game is left as it is: what is known of it would not fit into memory."""
_WORTH_IT: Final = 0.995
"""A pass must take away this part of the gates to be followed by another."""


def simplify(game: GameNetwork) -> GameNetwork:
    """Return a smaller network for the same game."""
    if _bits(game) > _MOST_BITS:
        return game
    roles = role_groups(game)
    passes = _Passes()
    game = passes.rewritten(game, _known(game, roles))
    for is_first in (True, False):
        known = _known(game, roles)
        groups = [*roles, *fact_groups(game, known, is_first=is_first)]
        known = _known(game, groups)
        waiting = waiting_moves(game, known)
        active = active_group(game, known, waiting)
        if active is not None:
            known = _known(game, [*groups, active])
        game = passes.rewritten(game, known, {edge >> 1: legal for edge, legal in waiting.items()})
    while passes.are_worth_it:
        game = passes.rewritten(game, known)
    return game


class _Passes:
    """Rewrites a game as long as that pays; gives up early on large ones."""

    def __init__(self) -> None:
        self.are_worth_it = True
        self._work = 0

    def rewritten(
        self, game: GameNetwork, known: Knowledge, replaced: dict[int, Lit] | None = None
    ) -> GameNetwork:
        """Return the game after one more pass, or as it is where that would take too long."""
        nodes = len(game.network)
        if self._work and self._work + nodes > _MOST_WORK:
            self.are_worth_it = False
            return game
        self._work += nodes
        before = game.network.cost(game.outputs())
        new = one_pass(game, known, replaced)
        after = new.network.cost(new.outputs())
        self.are_worth_it = after < before * _WORTH_IT
        return new if after < before or replaced else game


def _bits(game: GameNetwork) -> int:
    """Return how many bits the implications of all nodes and inputs would take."""
    inputs = 2 * game.network.inputs
    return inputs * (inputs + 2 * len(game.network))


def _known(game: GameNetwork, groups: Sequence[Group]) -> Knowledge:
    """Return what groups and legality say of the inputs."""
    facts = mask_of(range(2, 2 * len(game.facts) + 2))
    blind = knowledge(game.network.inputs, groups, {})
    return knowledge(game.network.inputs, groups, legality(game, blind, facts))


def one_pass(
    game: GameNetwork, known: Knowledge, replaced: dict[int, Lit] | None = None
) -> GameNetwork:
    """Return the game with its network rewritten once."""
    return game.with_outputs(*rewrite(game.network, game.outputs(), known, replaced))


def role_groups(game: GameNetwork) -> list[Group]:
    """Return the group of the moves of each role: exactly one is chosen."""
    return [Group(tuple(row), is_exact=True) for row in game.move_inputs if row]


def legality(game: GameNetwork, known: Knowledge, facts: Mask) -> dict[Lit, Mask]:
    """Return for each move the edges of facts that hold wherever it is legal."""
    edges = [edge for row in game.legal for edge in row]
    moves = [edge for row in game.move_inputs for edge in row]
    masks = implications(game.network, edges, known)
    return {move: mask & facts for move, mask in zip(moves, masks, strict=True)}
