"""A step with the joint choice fixed: what each fact becomes, for many choices at once.

In: a step, facts that are known, joint choices. Out: for each edge of the graph and each
joint choice (a lane): a constant, a fact, or something that depends on several facts.
With one choice fixed, most facts become facts: a marble stays or moves.

Source: cofactors as in Boole and Shannon, values as in ternary simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.copy import copy_cone
from gdl.verify.systems.transition import Transition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_JOINT: Final = 20_000
"""Joint choices that are looked at one by one, at most."""


def joint_choices(step: Transition, given: Mapping[int, int]) -> NDArray[np.int64] | None:
    """Return the joint choices that known facts leave possible, None when there are too many.

    Args:
        step: The step.
        given: Facts whose value is known.

    Returns:
        ``int64[R, L]``: the choice of each role (row) in each lane.
    """
    import numpy as np

    table = {node: 2 * node for node in step.aig.inputs}
    table |= {
        step.facts[fact] >> 1: value ^ (step.facts[fact] & 1)
        for fact, value in given.items()
        if step.facts[fact] > 1
    }
    # A choice is left out only where its legality folds to the constant false. The copy keeps the
    # numbers of inputs, so every node up to the last input gets one, also those that are gates.
    target = Aig()
    for _ in range(max(step.aig.inputs, default=0)):
        target.add_input()
    possible: list[list[int]] = []
    for row in step.legal:
        legal = copy_cone(step.aig, target, table, list(row))
        possible.append([index for index, edge in enumerate(legal) if edge != 0])
    size = 1
    for choices in possible:
        size *= len(choices)
    if size > MAX_JOINT:
        return None
    grid = np.meshgrid(*map(np.array, possible), indexing="ij")
    return np.array(grid, np.int64).reshape(len(possible), -1)


class Cofactors:
    """Values of all nodes in all lanes.

    A value is an edge of the graph: 0 or 1, a fact, or the node's own edge where nothing
    simpler is known.

    Attributes:
        lanes: How many joint choices there are.
    """

    def __init__(
        self, step: Transition, given: Mapping[int, int], joints: NDArray[np.int64]
    ) -> None:
        """Evaluate. Cost O(nodes * lanes)."""
        self.step, self.lanes = step, joints.shape[1]
        self._values = self._inputs(given, joints)
        self._evaluate()

    def of(self, edge: Lit) -> NDArray[np.int64]:
        """Return the value of an edge in each lane."""
        return self._values[edge >> 1] ^ (edge & 1)

    def _inputs(
        self, given: Mapping[int, int], joints: NDArray[np.int64]
    ) -> list[NDArray[np.int64]]:
        import numpy as np

        step, aig = self.step, self.step.aig
        # values[node]: int64[L], the value of a node in each lane.
        values: list[NDArray[np.int64]] = [np.zeros(0, np.int64)] * len(aig)
        values[0] = np.zeros(self.lanes, np.int64)
        for node in aig.inputs:
            values[node] = np.full(self.lanes, 2 * node, np.int64)
        fixed = set()
        for fact, value in given.items():
            edge = step.facts[fact]
            if edge > 1:
                fixed.add(edge >> 1)
                values[edge >> 1][:] = value ^ (edge & 1)
        for role, row in enumerate(step.choices):
            for choice, edge in enumerate(row):
                values[edge >> 1] = (joints[role] == choice).astype(np.int64)
                fixed.add(edge >> 1)
        # A lane speaks of states in which its choices are legal: what that implies is known.
        implications = Implications(aig)
        for role, row in enumerate(step.legal):
            for choice in np.unique(joints[role]):
                for edge in implications.of(row[int(choice)]):
                    node = edge >> 1
                    if node not in fixed:
                        values[node][joints[role] == choice] = 1 - (edge & 1)
        return values

    def _evaluate(self) -> None:
        import numpy as np

        # Ternary simulation, with facts as further values: each rule is an identity of Boolean
        # algebra (0 and x, 1 and x, x and x, x and not x), and where none applies the value is
        # the node itself. So a value equals its node in every state in which the known facts
        # hold and the lane's choice is legal.
        aig, values = self.step.aig, self._values
        for node in aig.ands():
            left, right = aig.left[node], aig.right[node]
            a, b = values[left >> 1] ^ (left & 1), values[right >> 1] ^ (right & 1)
            value = np.where(a == b, a, 2 * node)
            value = np.where(a == 1, b, value)
            value = np.where(b == 1, a, value)
            values[node] = np.where((a == 0) | (b == 0) | (a == b ^ 1), 0, value)


class Implications:
    """Inputs whose value follows when an edge is true, read off the gates.

    A conjunction implies what either half does; a disjunction what both halves do.
    """

    def __init__(self, aig: Aig) -> None:
        """Begin with nothing known."""
        self._aig = aig
        self._implied: dict[Lit, frozenset[Lit] | None] = {0: None, 1: frozenset()}

    def of(self, edge: Lit) -> frozenset[Lit]:
        """Return input edges that are true when an edge is. Cost O(cone * inputs), once."""
        stack = [edge]
        while stack:
            top = stack[-1]
            if top in self._implied:
                stack.pop()
                continue
            node = top >> 1
            if self._aig.left[node] < 0:
                self._implied[top] = frozenset((top,))
                continue
            # De Morgan: an inverted and is the disjunction of its inverted halves. 0 implies
            # everything (None), so that a half that cannot be true restricts nothing.
            halves = [half ^ (top & 1) for half in (self._aig.left[node], self._aig.right[node])]
            missing = [half for half in halves if half not in self._implied]
            if missing:
                stack += missing
                continue
            left, right = (self._implied[half] for half in halves)
            self._implied[top] = _either(left, right) if top & 1 else _both(left, right)
        return self._implied[edge] or frozenset()


def _both(left: frozenset[Lit] | None, right: frozenset[Lit] | None) -> frozenset[Lit] | None:
    """Return what follows from both together; None for what can never be."""
    return None if left is None or right is None else left | right


def _either(left: frozenset[Lit] | None, right: frozenset[Lit] | None) -> frozenset[Lit] | None:
    """Return what follows from each of two."""
    if left is None or right is None:
        return right if left is None else left
    return left & right
