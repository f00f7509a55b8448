"""One pass that makes a network smaller.

In: a network, what is known of its inputs, and its outputs. Out: a new network with the
same outputs wherever the knowledge holds. Each gate is built anew from its operands up:

- an operand that the others imply is dropped, a gate whose operands contradict each other
  is false, and a disjunct that the context refutes goes away;
- of a group of which exactly one holds, "none of most" becomes "one of the rest";
- factors that several products of a sum share are taken out;
- gates used once are melted into their users, so that all this sees whole sums.

Source: Brayton, McMullen, "The Decomposition and Factorization of Boolean Expressions",
ISCAS 1982 (factoring); ours, the use of groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

from gdl.circuit.aig import FALSE, TRUE, Lit
from gdl.compile.budget import Budget
from gdl.compile.gates.implications import Implications, Mask, edges_of, mask_of
from gdl.compile.gates.network import Network

_DEPTH: Final = 3
"""How deep a context is carried into operands."""
_BETWEEN_CHECKS: Final = 128
"""Gates between two looks at the clock."""


def rewrite(
    network: Network,
    outputs: Sequence[Lit],
    knowledge: Implications,
    replaced: Mapping[int, Lit] | None = None,
    budget: Budget | None = None,
) -> tuple[Network, list[Lit]]:
    """Return a network that does the same, and its outputs.

    Args:
        network: The network.
        outputs: Edges that are used.
        knowledge: What holds of its inputs.
        replaced: For input nodes, edges of ``network`` to use instead; these must not
            depend on replaced inputs.
        budget: When it is spent, the rest of the gates are taken over as they are.
    """
    # Invariant of `table`: the new edge of an old node agrees with it in every state that the
    # knowledge allows. It is given for inputs, and each gate is built from operands that have it.
    rewriter = Rewriter(network.inputs, knowledge, budget)
    uses = network.live(outputs)
    table: list[Lit | None] = [2 * node for node in range(network.inputs + 1)]
    table += [None] * (len(network) - len(table))
    replaced = replaced or {}
    first = network.cone(replaced.values())
    rewriter.translate(network, first, uses, table)
    for node, edge in replaced.items():
        new = table[edge >> 1]
        assert new is not None
        table[node] = new ^ (edge & 1)
        rewriter.share(table[node])
    left = [node for node in range(network.inputs + 1, len(network)) if uses[node]]
    rewriter.translate(network, left, uses, table)
    new_outputs: list[Lit] = []
    for edge in outputs:
        new = table[edge >> 1]
        assert new is not None
        new_outputs.append(new ^ (edge & 1))
    return rewriter.network, new_outputs


class Rewriter:
    """Builds gates that are as small as the knowledge of the inputs allows.

    Attributes:
        network: What is built.
    """

    def __init__(self, inputs: int, knowledge: Implications, budget: Budget | None = None) -> None:
        """Begin with inputs only."""
        # `_implied`: for each edge, the edges of inputs that hold wherever it does; `_impossible`:
        # the edges whose sets contradict themselves, so that they never hold; `_absences`: for each
        # edge that says no more than that members of exact groups are absent, these groups.
        self._budget = budget
        self._is_hurried = False
        self.network = Network()
        for _ in range(inputs):
            self.network.add_input()
        self._knowledge = knowledge
        self._inputs = inputs
        self._implied: list[Mask] = [0, 0, *knowledge.implied[2:]]
        self._impossible = {e for e, m in enumerate(self._implied) if knowledge.contradicts(m)}
        self._uses: dict[int, int] = {}
        self._absences: dict[Lit, tuple[int, ...]] = {
            member ^ 1: groups for member, groups in knowledge.exact_groups_of.items()
        }
        self._absent: dict[int, Mask] = {}
        self._absence_masks = [
            mask_of([member ^ 1 for member in group.members]) for group in knowledge.groups
        ]

    def translate(
        self, old: Network, nodes: Iterable[int], uses: Sequence[int], table: list[Lit | None]
    ) -> None:
        """Build old gates anew, operands before users, and enter them in the table."""
        for number, node in enumerate(nodes):
            if table[node] is not None:
                continue
            if self._budget is not None and not number % _BETWEEN_CHECKS:
                self._is_hurried = self._is_hurried or self._budget.is_spent
            operands: list[Lit] = []
            for edge in old.operands[node]:
                new = table[edge >> 1]
                assert new is not None
                operands.append(new ^ (edge & 1))
            edge = table[node] = self.conj(operands)
            self._uses[edge >> 1] = self._uses.get(edge >> 1, 0) + uses[node]

    def share(self, edge: Lit | None) -> None:
        """Keep a gate whole, whatever uses it."""
        assert edge is not None
        self._uses[edge >> 1] = self._uses.get(edge >> 1, 0) + 2

    def implied(self, edge: Lit) -> Mask:
        """Return the edges of inputs that hold wherever an edge holds."""
        return self._implied[edge]

    def conj(self, edges: Iterable[Lit]) -> Lit:
        """Return a small edge for the conjunction."""
        if self._is_hurried:
            return self.network.conj_all(edges)
        operands = self._melted(edges)
        if operands is None:
            return FALSE
        if len(operands) > 1:
            operands = self._reduced(operands)
            if operands is None:
                return FALSE
        if len(operands) > 1:
            operands = self._one_of_the_rest(operands)
            if operands is None:
                return FALSE
        if len(operands) > 1:
            operands = self._factored(operands)
        return self._gate(operands)

    def _gate(self, operands: set[Lit]) -> Lit:
        edge = self.network.conj_all(operands)
        node = edge >> 1
        implied = self._implied
        if edge == len(implied):
            operands = set(self.network.operands[node])
            # A true conjunction has all that its operands imply; a false one only what the
            # inversions of all operands imply, as any of them may be the false one.
            if_true, if_false = 0, -1
            for operand in operands:
                if_true |= implied[operand]
                if_false &= implied[operand ^ 1]
            implied += if_true, if_false
            if self._knowledge.contradicts(if_true):
                self._impossible.add(edge)
            if if_false and self._knowledge.contradicts(if_false):
                self._impossible.add(edge ^ 1)
            self._note_absence(edge, operands)
        return edge

    def _is_own(self, node: int) -> bool:
        """Return whether a gate may be taken apart: it is used once."""
        return node > self._inputs and self._uses.get(node, 0) <= 1

    def _melted(self, edges: Iterable[Lit]) -> set[Lit] | None:
        """Return the operands with gates used once replaced by theirs; None if contradictory."""
        melted: set[Lit] = set()
        work = list(edges)
        while work:
            edge = work.pop()
            if edge == TRUE or edge in melted:
                continue
            if edge == FALSE or edge ^ 1 in melted:
                return None
            if edge & 1 or not self._is_own(edge >> 1):
                melted.add(edge)
            else:
                work += self.network.operands[edge >> 1]
        return melted

    def _without_rivals(self, operands: set[Lit]) -> set[Lit] | None:
        """Drop what a chosen move excludes, where sets do not say it; None if two are chosen."""
        rivals = self._knowledge.rivals
        chosen = [edge for edge in operands if edge in rivals]
        if not chosen:
            return operands
        groups = {rivals[edge] for edge in chosen}
        if len(groups) < len(chosen):
            return None
        return {edge for edge in operands if not edge & 1 or rivals.get(edge ^ 1, -1) not in groups}

    def _reduced(self, operands: set[Lit]) -> set[Lit] | None:
        """Drop what the others imply and what they refute; None if they contradict each other."""
        if self._knowledge.rivals:
            apart = self._without_rivals(operands)
            if apart is None or len(apart) < 2:  # noqa: PLR2004  # nothing is left to compare
                return apart
            operands = apart
        if self._is_as_small_as_can_be(operands):
            return operands
        # Each operand may be changed where the others do not hold, for there the gate is false
        # anyway. Two must not drop each other: one that was looked at counts as it is now
        # (`before`), one that was not as it was (`after`). Who says least is looked at first, as it
        # is the likeliest to be implied.
        implied = self._implied
        order = sorted(operands, key=lambda edge: (implied[edge].bit_count(), edge))
        after: list[Mask] = [0] * (len(order) + 1)
        for index in range(len(order) - 1, -1, -1):
            after[index] = after[index + 1] | implied[order[index]]
        if self._knowledge.contradicts(after[0]):
            return None
        kept: set[Lit] = set()
        before: Mask = 0
        changed = False
        for index, edge in enumerate(order):
            new = self._restricted(edge, before | after[index + 1], _DEPTH)
            if new == TRUE:
                continue
            if new == FALSE:
                return None
            changed |= new != edge
            kept.add(new)
            before |= implied[new]
        return self._melted(kept) if changed else self._checked(kept)

    def _is_as_small_as_can_be(self, operands: set[Lit]) -> bool:
        """Return whether the others surely tell nothing of any operand; False where they may.

        It is so for nine of ten gates, and seen at once for all operands together.
        """
        implied = self._implied
        once = twice = 0
        for edge in operands:
            twice |= once & implied[edge]
            once |= implied[edge]
        # What the others imply is part of `once`: who does not contradict that contradicts no part
        # of it. What an input is implied by besides itself has it `twice`.
        plain = self._knowledge.plain
        refuted = (once & plain) << 1 | once >> 1 & plain
        if once & refuted:
            return False
        for edge in operands:
            node = edge >> 1
            if node <= self._inputs:
                if twice >> edge & 1:
                    return False
            elif implied[edge ^ 1] & refuted or edge ^ 1 in self._impossible:
                return False
            if self._is_own(node) and self._may_change(node, once, refuted, _DEPTH - 1):
                return False
        return True

    def _may_change(self, gate: int, context: Mask, refuted: Mask, depth: int) -> bool:
        """Return whether a context may imply or refute any operand of a gate, or below it."""
        implied, impossible = self._implied, self._impossible
        for edge in self.network.operands[gate]:
            node = edge >> 1
            if implied[edge] & refuted or edge in impossible:
                return True
            if node <= self._inputs:
                if context >> edge & 1:
                    return True
            elif implied[edge ^ 1] & refuted or edge ^ 1 in impossible:
                return True
            if depth and self._is_own(node) and self._may_change(node, context, refuted, depth - 1):
                return True
        return False

    @staticmethod
    def _checked(operands: set[Lit]) -> set[Lit] | None:
        return operands if operands.isdisjoint([edge ^ 1 for edge in operands]) else None

    def _restricted(self, edge: Lit, context: Mask, depth: int) -> Lit:
        """Return an edge that agrees with another one wherever the context holds."""
        node = edge >> 1
        if context >> edge & 1 and node <= self._inputs:
            return TRUE
        if self._knowledge.contradicts(context | self._implied[edge]):
            return FALSE
        if node <= self._inputs:
            return edge
        if self._knowledge.contradicts(context | self._implied[edge ^ 1]):
            return TRUE
        # A gate that others use must stay as it is: the context is not theirs.
        if not depth or not self._is_own(node):
            return edge
        operands = self.network.operands[node]
        new = [self._restricted(operand, context, depth - 1) for operand in operands]
        if all(changed == old for changed, old in zip(new, operands, strict=True)):
            return edge
        result = self._gate(set(new)) if FALSE not in new else FALSE
        return result ^ (edge & 1)

    def _one_of_the_rest(self, operands: set[Lit]) -> set[Lit] | None:
        """Turn "none of these" into "one of the others" where exactly one of all holds."""
        absences = self._absences
        groups = [index for edge in operands if edge in absences for index in absences[edge]]
        if not groups:
            return operands
        context: Mask | None = None
        for index, _ in Counter(groups).most_common():
            absent = {edge for edge in operands if index in absences.get(edge, ())}
            if context is None:
                context = self._absences_in(operands)
                for edge in operands:
                    context |= self._implied[edge]
            # Members that are not ruled out yet, as their absences. None is left: as one of the
            # group holds, the operands contradict each other. One: it holds.
            not_ruled_out = self._absence_masks[index] & ~context
            count = not_ruled_out.bit_count()
            if not count:
                return None
            if absent and (count < len(absent) or count == 1):
                operands = operands - absent
                operands.add(self._gate(set(edges_of(not_ruled_out))) ^ 1)
                context = None
        return self._checked(operands)

    def _absences_in(self, operands: Iterable[Lit]) -> Mask:
        """Return the absences of which operands consist, where their sets do not have them."""
        if not self._knowledge.rivals:
            return 0
        # Those of moves are made a set at once: of a hundred thousand moves each is a long integer.
        absent: Mask = 0
        alone: list[Lit] = []
        for edge in operands:
            if edge >> 1 > self._inputs:
                absent |= 0 if edge & 1 else self._absent.get(edge >> 1, 0)
            elif edge & 1:
                alone.append(edge)
        return absent | mask_of(alone)

    def _note_absence(self, edge: Lit, operands: Collection[Lit]) -> None:
        common: set[int] | None = None
        for operand in operands:
            groups = self._absences.get(operand)
            if not groups:
                return
            common = set(groups) if common is None else common.intersection(groups)
        if common:
            self._absences[edge] = tuple(sorted(common))
            if self._knowledge.rivals:
                self._absent[edge >> 1] = self._absences_in(operands)

    def _factored(self, operands: set[Lit]) -> set[Lit]:
        """Take out factors that several products share: not(xa) not(xb) is not(x (a or b)).

        The factor that most products share goes first. Cost O(literals log literals).
        """
        terms = {
            edge: self.network.operands[edge >> 1]
            for edge in operands
            if edge & 1 and self._is_own(edge >> 1)
        }
        if len(terms) < 2:  # noqa: PLR2004  # one product shares nothing
            return operands
        literals = [literal for term in terms.values() for literal in term]
        if len(set(literals)) == len(literals):
            return operands
        # Each turn keeps the conjunction of `operands` and lowers the number of literals: the
        # products that share a factor become one, which may share factors with others in turn.
        sums = _Sums(terms)
        while (shared := sums.pop()) is not None:
            factor, products = shared
            quotients = [self._gate(set(term) - {factor}) for term in products.values()]
            inner = self.conj([quotient ^ 1 for quotient in quotients]) ^ 1
            product = self.conj((factor, inner))
            operands = operands.difference(products)
            if product == TRUE:
                return {FALSE}
            if product == FALSE:
                continue
            operands.add(product ^ 1)
            if product & 1 == 0 and self._is_own(product >> 1):
                sums.add(product ^ 1, self.network.operands[product >> 1])
        return operands


class _Sums:
    """The products of one sum, and which factor most of them share."""

    def __init__(self, terms: dict[Lit, tuple[Lit, ...]]) -> None:
        self._terms = terms
        self._users: dict[Lit, dict[Lit, None]] = {}
        for edge, term in terms.items():
            for literal in term:
                self._users.setdefault(literal, {})[edge] = None
        # No count is ever higher than the highest entry of its literal says.
        self._heap = [(-len(users), lit) for lit, users in self._users.items() if len(users) > 1]
        heapify(self._heap)

    def add(self, edge: Lit, term: tuple[Lit, ...]) -> None:
        """Add a product, by the edge of its negation, if it is not there."""
        if edge in self._terms:
            return
        self._terms[edge] = term
        for literal in term:
            users = self._users.setdefault(literal, {})
            users[edge] = None
            if len(users) > 1:
                heappush(self._heap, (-len(users), literal))

    def pop(self) -> tuple[Lit, dict[Lit, tuple[Lit, ...]]] | None:
        """Take out the products with the most frequent factor; None if no two share one."""
        while self._heap:
            count, factor = heappop(self._heap)
            users = self._users[factor]
            if len(users) == -count:
                return factor, {edge: self._taken(edge) for edge in list(users)}
            if 1 < len(users) < -count:
                heappush(self._heap, (-len(users), factor))
        return None

    def _taken(self, edge: Lit) -> tuple[Lit, ...]:
        term = self._terms.pop(edge)
        for literal in term:
            del self._users[literal][edge]
        return term


def implications(network: Network, edges: Sequence[Lit], knowledge: Implications) -> list[Mask]:
    """Return for each edge the edges of inputs that hold wherever it holds."""
    if_true: dict[int, Mask] = {0: 0}
    if_false: dict[int, Mask] = {0: 0}
    for node in range(1, network.inputs + 1):
        if_true[node], if_false[node] = knowledge.implied[2 * node], knowledge.implied[2 * node + 1]
    for node in network.cone(edges):
        true, false = 0, -1
        for edge in network.operands[node]:
            when_true, when_false = if_true[edge >> 1], if_false[edge >> 1]
            true |= when_false if edge & 1 else when_true
            false &= when_true if edge & 1 else when_false
        if_true[node], if_false[node] = true, false
    return [if_false[edge >> 1] if edge & 1 else if_true[edge >> 1] for edge in edges]
