"""Finding facts of which at most or exactly one holds in every reachable state.

In: the network of a game. Out: proved groups, such as the contents of a square or who is
to move. Candidates are facts that differ in one argument only; all that hold initially are
taken for granted together, and those that a joint move could break are taken away until
the rest proves itself (an induction over plies).

Source: Edelkamp, Helmert, "Exhibiting Implications in Planning Problems to Minimize State
Encoding Length", ECP 1999 (groups); van Eijk, "Sequential Equivalence Checking Based on
Structural Similarities", TCAD 2000 (the induction).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from gdl.circuit.aig import FALSE, Lit
from gdl.circuit.mutex import MutexGroup, families
from gdl.compile.budget import Budget
from gdl.compile.gates.cut_proofs import Prover, not_one_holds, two_hold
from gdl.compile.gates.game_network import GameNetwork
from gdl.compile.gates.implications import Implications, Mask, input_implications, mask_of

_MOST_MEMBERS: Final = 400
_MOST_PAIRED: Final = 16
"""Groups up to this size are also proved pair by pair."""
_SMALL: Final = 8
_PROVED_BETWEEN: Final = 8
"""Groups between two looks at the clock and at the memory, which take a fifth of a proof."""
_BETWEEN_CHECKS: Final = 64
"""Moves between two looks at the clock and at the memory, which take longer than a move does."""


def fact_groups(
    game: GameNetwork, knowledge: Implications, *, is_first: bool, budget: Budget | None = None
) -> list[MutexGroup]:
    """Return groups of facts that prove each other: states that keep all of them always will.

    Args:
        game: The game.
        knowledge: What holds of the inputs; its groups are those of moves.
        is_first: Whether only to look for the few facts that say who is to move: whole
            families of facts and unions of small ones. What they imply makes the proofs
            for all other families short.
        budget: When it is spent before all is proved, nothing is: no group is returned.
    """
    candidates = _turn_candidates(game) if is_first else _candidates(game)
    next_edges = dict(zip(game.fact_inputs, game.next, strict=True))
    moves = {edge: knowledge.implied[edge] for row in game.move_inputs for edge in row}
    facts = mask_of(range(2, 2 * len(game.facts) + 2))
    implied = {move: mask & facts for move, mask in moves.items()}
    # The greatest set of candidates that proves itself. All hold initially; all are assumed of one
    # state, and those that the next might break are dropped. When none is dropped, they hold after
    # every ply by induction. Dropping one weakens what the others assumed, so all are tried again.
    while candidates:
        facts_only = len(game.facts) if knowledge.rivals else None
        assumed = input_implications(
            game.network.inputs, [*knowledge.groups, *candidates], implied, facts=facts_only
        )
        prover = Prover(game.network, assumed)
        proved_groups: list[MutexGroup] = []
        for number, group in enumerate(candidates):
            if budget is not None and not number % _PROVED_BETWEEN and budget.is_spent:
                return []
            proved = _prove(group, next_edges, prover)
            if proved is not None:
                proved_groups.append(proved)
        if proved_groups == candidates:
            break
        candidates = proved_groups
    return candidates


def _prove(group: MutexGroup, next_edges: Mapping[Lit, Lit], prover: Prover) -> MutexGroup | None:
    """Return the group, or a weaker one, if one ply keeps it."""
    edges = [next_edges[member] for member in group.members]
    if group.is_exact and prover.always(edges, not_one_holds):
        return group
    edges = [edge for edge in edges if edge != FALSE]
    if len(edges) < 2 or prover.always(edges, two_hold):  # noqa: PLR2004  # a pair
        return MutexGroup(group.members, is_exact=False)
    # Pairs are looked at down to deeper leaves than all together; but not below the inputs.
    if (
        2 < len(edges) <= _MOST_PAIRED  # noqa: PLR2004  # a pair
        and not prover.is_at_inputs
        and all(prover.always(pair, two_hold) for pair in combinations(edges, 2))
    ):
        return MutexGroup(group.members, is_exact=False)
    return None


def _turn_candidates(game: GameNetwork) -> list[MutexGroup]:
    """Return whole families of few facts, and the union of those that are small."""
    kinds: dict[str, list[int]] = {}
    for family, members in families(game.facts).items():
        if family.position is None:
            kinds.setdefault(family.name, []).extend(members)
    rows = sorted(map(sorted, kinds.values()))
    small = [members for members in rows if len(members) <= _SMALL]
    unions = [[index for members in small for index in members]]
    return _groups(game, [*small, *unions])


def _candidates(game: GameNetwork) -> list[MutexGroup]:
    return [*_groups(game, families(game.facts).values()), *_turn_candidates(game)]


def _groups(game: GameNetwork, families: Iterable[Sequence[int]]) -> list[MutexGroup]:
    """Return the families of which at most one fact holds initially."""
    groups: dict[tuple[int, ...], MutexGroup] = {}
    for members in families:
        holding = sum(index in game.initial for index in members)
        if 2 <= len(members) <= _MOST_MEMBERS and holding <= 1:  # noqa: PLR2004  # a pair
            edges = tuple(game.fact_inputs[index] for index in members)
            groups[edges] = MutexGroup(edges, is_exact=holding == 1)
    return list(groups.values())


def widest(groups: Sequence[MutexGroup]) -> list[MutexGroup]:
    """Return groups without those that lie within another and say no more of reachable states."""
    members = [(set(group.members), group) for group in groups]
    return [
        group
        for inner, group in members
        if not any(
            inner < outer and (other.is_exact or not group.is_exact) for outer, other in members
        )
    ]


def waiting_moves(
    game: GameNetwork, knowledge: Implications, budget: Budget | None = None
) -> dict[Lit, Lit]:
    """Return the moves that are chosen whenever they are legal, with their legality.

    They are those whose legality rules out all other moves of the role. Those that are not
    found before the budget is spent are left out.
    """
    waiting: dict[Lit, Lit] = {}
    exclusion = _Exclusion(game, knowledge)
    for moves, legal in zip(game.move_inputs, game.legal, strict=True):
        if len(moves) < 2:  # noqa: PLR2004  # a role without a choice
            continue
        for index, (move, edge) in enumerate(zip(moves, legal, strict=True)):
            if budget is not None and not index % _BETWEEN_CHECKS and budget.is_spent:
                return waiting
            others = (other for position, other in enumerate(legal) if position != index)
            if all(exclusion.holds(edge, other) for other in others):
                waiting[move] = edge
                break
    return waiting


class _Exclusion:
    """Sees from the shape of two edges that they cannot both hold."""

    def __init__(self, game: GameNetwork, knowledge: Implications) -> None:
        self._network = game.network
        self._knowledge = knowledge
        self._parts: dict[Lit, tuple[set[Lit], Mask]] = {}

    def holds(self, first: Lit, second: Lit) -> bool:
        """Return whether it is certain that the two edges exclude each other."""
        if self._clash(first, second):
            return True
        for edge in self._conjuncts(first)[0]:
            if edge & 1 and self._network.is_gate(edge >> 1):
                disjuncts = self._network.operands[edge >> 1]
                if all(self._clash(disjunct ^ 1, second) for disjunct in disjuncts):
                    return True
        return False

    def _clash(self, a: Lit, b: Lit) -> bool:
        ours, mask = self._conjuncts(a)
        theirs, other_mask = self._conjuncts(b)
        if self._knowledge.contradicts(mask | other_mask):
            return True
        few, many = (ours, theirs) if len(ours) < len(theirs) else (theirs, ours)
        return any(edge ^ 1 in many for edge in few)

    def _conjuncts(self, edge: Lit) -> tuple[set[Lit], Mask]:
        """Return all edges of which one is plainly the conjunction, and what inputs imply."""
        conjuncts = self._parts.get(edge)
        if conjuncts is None:
            edges: set[Lit] = set()
            mask: Mask = 0
            stack = [edge]
            while stack:
                top = stack.pop()
                if top in edges:
                    continue
                edges.add(top)
                if not self._network.is_gate(top >> 1):
                    mask |= self._knowledge.implied[top] if top > 1 else 0
                elif not top & 1:
                    stack += self._network.operands[top >> 1]
            conjuncts = self._parts[edge] = edges, mask
        return conjuncts


def active_group(
    game: GameNetwork, knowledge: Implications, waiting: Mapping[Lit, Lit]
) -> MutexGroup | None:
    """Return the moves of all roles but waiting ones, if exactly one role ever does not wait."""
    rows = [row for row in game.move_inputs if len(row) > 1]
    if len(rows) < 2 or len(waiting) < len(rows):  # noqa: PLR2004  # two roles with choices
        return None
    active = [edge ^ 1 for edge in waiting.values()]
    if not Prover(game.network, knowledge).always(active, not_one_holds):
        return None
    members = tuple(move for row in rows for move in row if move not in waiting)
    return MutexGroup(members, is_exact=True)
