"""The trees of `gdl.learn.search`: who chooses, what is gone next, and what it brought.

In: moves that were gone and what they brought each role. Out: the move that is gone next in a node
of each tree, and what is known at the roots. A role that chooses alone follows upper bounds, nature
draws evenly, and roles that choose at once draw by their regrets. Trees can be cut down to what is
below a node, and go on from there.

Arrays: B games, N nodes a tree, M the most moves of a role, R roles.

Source: Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play", 2018 (PUCT). Moves at once: Lisy et al., "Convergence of Monte Carlo Tree Search
in Simultaneous Move Games", 2013 (regret matching); Schmid et al., "Variance Reduction in Monte
Carlo Counterfactual Regret Minimization", 2019 (its baselines).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.language.diagnostics import GdlError
from gdl.learn.found import NOTHING, Floats, Found, sample_columns
from gdl.native.kernel.batch import Batch

EXPLORE: Final = 0.2
"""How often a role that chooses beside others tries any of its moves."""


class Slot:
    """What is known of the choices of one role in each node.

    Attributes:
        movers: Who chooses, ``int64[B, N]``; `NOTHING` for nobody.
        priors: Of each move, adding up to 1, ``float32[B, N, M]``; 0 where it is not legal.
        visits: How often it was gone, ``int32[B, N, M]``.
        sums: What it brought the mover in all, ``float64[B, N, M]``.
        into: Its move that led into a node, ``int64[B, N]``; of the first that chooses it is not
            kept, for `Trees.children` tells.
        regrets: How much more it would have brought in all, beside others' choices.
        strategies: How likely it was in all, likewise.
    """

    PARTS: Final = ("movers", "priors", "visits", "sums", "into", "regrets", "strategies")

    def __init__(self, size: int, nodes: int, moves: int) -> None:
        """Make room; nobody chooses anywhere yet."""
        self.movers = np.full((size, nodes), NOTHING, np.int64)
        self.priors = np.zeros((size, nodes, moves), np.float32)
        self.visits = np.zeros((size, nodes, moves), np.int32)
        self.sums = np.zeros((size, nodes, moves))
        self.into = np.full((size, nodes), NOTHING, np.int64)
        # Where one role at a time chooses these are never touched, and take no memory.
        self.regrets = np.zeros((size, nodes, moves))
        self.strategies = np.zeros((size, nodes, moves))


class Trees:
    """B trees of N nodes; node 0 is the root, and parents have lower numbers than children.

    Attributes:
        rows: 0 to B - 1.
        nature: The number of nature's role; `NOTHING` for none.
        used: How many nodes each tree has, ``int64[B]``.
        states: The position of each node, ``uint8[B, N, bytes]``.
        is_over: Whether the game is over there, ``bool[B, N]``.
        is_mixed: Whether several players choose there at once, ``bool[B, N]``.
        parents: The node before, ``int64[B, N]``.
        children: The newest node behind each move of the first that chooses, ``int64[B, N, M]``.
        siblings: The next older one behind the same move, ``int64[B, N]``: others chose otherwise.
        counts: How often each node was left, ``int64[B, N]``.
        values: What the judge or the end says of a node for each role, ``float64[B, N, R]``.
        ends: How often a walk ended there, ``int64[B, N]``: once, or often where the game is over.
        slots: Choices of the first that chooses in each node, of the second beside it, and so on;
            as many as were needed so far.
    """

    PARTS: Final = (
        "states",
        "is_over",
        "is_mixed",
        "parents",
        "siblings",
        "counts",
        "values",
        "ends",
    )

    def __init__(  # noqa: PLR0913, PLR0917  # its sizes
        self, size: int, nodes: int, count: int, batch: Batch, nature: int, slots: int = 1
    ) -> None:
        """Make room for nodes, each of a position of ``count`` bytes; none is used yet."""
        moves = max(map(len, batch.moves))
        self.rows, self.nature, self._batch = np.arange(size), nature, batch
        self.used = np.zeros(size, np.int64)
        self.states = np.zeros((size, nodes, count), np.uint8)
        self.is_over = np.zeros((size, nodes), np.bool_)
        self.is_mixed = np.zeros((size, nodes), np.bool_)
        self.parents = np.zeros((size, nodes), np.int64)
        self.children = np.full((size, nodes, moves), NOTHING, np.int64)
        self.siblings = np.full((size, nodes), NOTHING, np.int64)
        self.counts = np.zeros((size, nodes), np.int64)
        self.values = np.zeros((size, nodes, len(batch.roles)))
        self.ends = np.zeros((size, nodes), np.int64)
        self.slots = [Slot(size, nodes, moves) for _ in range(slots)]

    def outcome(self, batch: Batch) -> Found:
        """Return what is known at the roots, at which the batch stands."""
        # What the root itself was judged to be is not counted.
        inner = self.ends.copy()
        inner[:, 0] = 0
        worth = (self.values * inner[:, :, None]).sum(axis=1)
        values = (worth / inner.sum(axis=1, keepdims=True)).astype(np.float32)
        first, *others = (self._outcome_of(slot, values) for slot in self.slots)
        also = tuple(other for other in others if (other.movers != NOTHING).any())
        if not also:
            return first
        only = np.stack([mask.argmax(axis=1) for mask in batch.legal], axis=1)
        return replace(first, also=also, only=only)

    def _outcome_of(self, slot: Slot, values: Floats) -> Found:
        visits, movers, priors = (
            slot.visits[:, 0].copy(),
            slot.movers[:, 0].copy(),
            slot.priors[:, 0],
        )
        is_mixed, is_drawn = self.is_mixed[:, 0], movers == self.nature
        is_drawn &= movers != NOTHING
        if not (is_mixed.any() or is_drawn.any()):
            return Found(visits, values, movers)
        policy = visits / np.maximum(visits.sum(axis=1, keepdims=True), 1)
        total = slot.strategies[:, 0]
        whole = total.sum(axis=1, keepdims=True)
        mean = np.where(whole > 0, total / np.maximum(whole, 1e-12), priors)
        policy = np.where(is_mixed[:, None], mean, policy)
        policy = np.where(is_drawn[:, None], priors, policy).astype(np.float32)
        return Found(visits, values, movers, improved=policy, is_drawn=is_drawn)

    def select(
        self,
        rows: NDArray[np.int64],
        nodes: NDArray[np.int64],
        c: float,
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return a move of each that chooses in a node of each of some trees, ``int64[slots, n]``.

        One that chooses alone takes the highest upper bound, a move that was never made being
        worth what the node was found to be; nature draws; players at once draw by their regrets.
        """
        if self.nature == NOTHING and len(self.slots) == 1:
            return self._highest(self.slots[0], rows, nodes, c)[None]
        moves = np.zeros((len(self.slots), len(rows)), np.int64)
        is_mixed = self.is_mixed[rows, nodes]
        for s, slot in enumerate(self.slots):
            mover = slot.movers[rows, nodes]
            is_drawn = (mover == self.nature) & (mover != NOTHING)
            by_bound = ~is_mixed & ~is_drawn & (mover != NOTHING)
            if by_bound.all():
                moves[s] = self._highest(slot, rows, nodes, c)
                continue
            if by_bound.any():
                moves[s, by_bound] = self._highest(slot, rows[by_bound], nodes[by_bound], c)
            if is_drawn.any():
                moves[s, is_drawn] = self._sampled(s, rows[is_drawn], nodes[is_drawn], rng)
            at_once = is_mixed & ~is_drawn & (mover != NOTHING)
            if at_once.any():
                _, chance = slot_strategy(slot, rows[at_once], nodes[at_once])
                moves[s, at_once] = sample_columns(chance, rng)
        return moves

    def _highest(
        self, slot: Slot, rows: NDArray[np.int64], nodes: NDArray[np.int64], c: float
    ) -> NDArray[np.int64]:
        visits, priors = slot.visits[rows, nodes], slot.priors[rows, nodes]
        sums, count = slot.sums[rows, nodes], self.counts[rows, nodes]
        own = self.values[rows, nodes, slot.movers[rows, nodes]]
        mean = (sums.sum(axis=1) + own) / (count + 1)
        worth = np.where(visits > 0, sums / np.maximum(visits, 1), mean[:, None])
        score = worth + c * priors * np.sqrt(count + 1)[:, None] / (1 + visits)
        return np.asarray(np.where(priors > 0, score, -np.inf).argmax(axis=1), np.int64)

    def _sampled(
        self, s: int, rows: NDArray[np.int64], nodes: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw for nature, all outcomes being equally likely.

        Where it draws alone all outcomes come round before one comes again, in any order, so each
        has its weight but for one visit. Beside a player that would let the player's move depend
        on what is still to come, so there each draw is new.
        """
        slot = self.slots[s]
        legal = slot.priors[rows, nodes] > 0
        visits = slot.visits[rows, nodes].astype(np.float64)
        if len(self.slots) > 1:
            is_alone = (s == 0) & (self.slots[1].movers[rows, nodes] == NOTHING)
            visits *= is_alone[:, None]
        order = np.where(legal, visits + rng.random(visits.shape), np.inf)
        return np.asarray(order.argmin(axis=1), np.int64)

    def child(
        self, rows: NDArray[np.int64], nodes: NDArray[np.int64], moves: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the node behind moves of those that choose, ``int64[n]``; `NOTHING` for none."""
        child: NDArray[np.int64] = self.children[rows, nodes, moves[0]]
        if len(self.slots) == 1:
            return child
        while True:
            other = np.zeros(len(rows), np.bool_)
            for s, slot in enumerate(self.slots[1:], 1):
                chooses = slot.movers[rows, nodes] != NOTHING
                other |= chooses & (slot.into[rows, child] != moves[s])
            other &= child != NOTHING
            if not other.any():
                return child
            child[other] = self.siblings[rows[other], child[other]]

    def link(
        self,
        rows: NDArray[np.int64],
        nodes: NDArray[np.int64],
        moves: NDArray[np.int64],
        numbers: NDArray[np.int64],
    ) -> None:
        """Let nodes of some numbers stand behind moves."""
        self.parents[rows, numbers] = nodes
        if len(self.slots) > 1:
            self.siblings[rows, numbers] = self.children[rows, nodes, moves[0]]
        self.children[rows, nodes, moves[0]] = numbers
        for slot, move in zip(self.slots[1:], moves[1:], strict=True):
            slot.into[rows, numbers] = move

    def joint(
        self, batch: Batch, nodes: NDArray[np.int64], moves: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return what `Batch.step` takes for moves of those that choose in a node of each tree."""
        if len(self.slots) == 1:
            return np.asarray(moves[0])
        joint = np.stack([mask.argmax(axis=1) for mask in batch.legal], axis=1).astype(np.int64)
        for slot, move in zip(self.slots, moves, strict=True):
            mover = slot.movers[self.rows, nodes]
            chooses = mover != NOTHING
            joint[self.rows[chooses], mover[chooses]] = move[chooses]
        return joint

    def back_up(
        self,
        rows: NDArray[np.int64],
        nodes: NDArray[np.int64],
        moves: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> None:
        """Count moves and what they brought each role, ``values`` being ``float64[B, R]``."""
        for slot, move in zip(self.slots, moves, strict=False):
            mover = slot.movers[rows, nodes]
            if len(self.slots) == 1:
                mine = values[rows, mover]
                slot.visits[rows, nodes, move] += 1
                slot.sums[rows, nodes, move] += mine
                continue
            at = np.flatnonzero(mover != NOTHING)
            mine = values[rows[at], mover[at]]
            mixed = self.is_mixed[rows[at], nodes[at]] & (mover[at] != self.nature)
            if mixed.any():
                self._regret(slot, rows[at[mixed]], nodes[at[mixed]], move[at[mixed]], mine[mixed])
            slot.visits[rows[at], nodes[at], move[at]] += 1
            slot.sums[rows[at], nodes[at], move[at]] += mine
        self.counts[rows, nodes] += 1

    def _regret(
        self,
        slot: Slot,
        rows: NDArray[np.int64],
        nodes: NDArray[np.int64],
        moves: NDArray[np.int64],
        mine: NDArray[np.float64],
    ) -> None:
        """Regret what was not chosen beside others' choices.

        Only the chosen move's worth is seen. Each move is taken to be worth its mean so far, and
        the chosen one is set right by how far the mean was off, over how likely it was: that is
        right in expectation whatever the means are, and varies the less the better they are.
        """
        strategy, chance = slot_strategy(slot, rows, nodes)
        visits, at = slot.visits[rows, nodes], np.arange(len(rows))
        own = self.values[rows, nodes, slot.movers[rows, nodes]]
        worth = np.where(visits > 0, slot.sums[rows, nodes] / np.maximum(visits, 1), own[:, None])
        worth[at, moves] += (mine - worth[at, moves]) / chance[at, moves]
        legal = slot.priors[rows, nodes] > 0
        gain = worth - (strategy * worth).sum(axis=1, keepdims=True)
        slot.regrets[rows, nodes] += np.where(legal, gain, 0.0)
        slot.strategies[rows, nodes] += strategy

    def choices(
        self, batch: Batch, rows: NDArray[np.int64]
    ) -> list[tuple[Slot, NDArray[np.int64], NDArray[np.bool_]]]:
        """Return who chooses in some rows of a batch, and the moves that are legal for each.

        A slot for each that chooses at once, with the role, `NOTHING` for nobody, and its moves.
        Where nobody has more than one move the first role has the first slot.

        Raises:
            GdlError: A role has no move; names the row.
        """
        masks = [mask[rows] for mask in batch.legal]
        counts = np.stack([mask.sum(axis=1) for mask in masks])
        if (counts == 0).any():
            row = int(rows[(counts == 0).any(axis=0).argmax()])
            raise GdlError(
                "a search by batches came to a position in which a role has no move",
                notes=[f"it is below row {row}"],
                expected="a game in which every role has a move until it is over",
            )
        found = choosers(masks, self.children.shape[2])
        while len(self.slots) < len(found):
            self.slots.append(Slot(len(self.rows), *self.children.shape[1:]))
        return [(slot, *each) for slot, each in zip(self.slots, found, strict=False)]

    def mark_mixed(self, rows: NDArray[np.int64], nodes: NDArray[np.int64]) -> None:
        """Note in which nodes more than one player chooses."""
        movers = np.stack([slot.movers[rows, nodes] for slot in self.slots])
        players = (movers != NOTHING) & (movers != self.nature)
        self.is_mixed[rows, nodes] = players.sum(axis=0) > 1

    def _moves_made(self, slot: Slot, chosen: NDArray[Any]) -> NDArray[Any]:
        """Return the moves of those that choose at the roots, of what `Batch.step` takes."""
        return chosen if chosen.ndim == 1 else chosen[self.rows, slot.movers[:, 0]]

    def stray(self, chosen: NDArray[Any]) -> tuple[int, int] | None:
        """Return row and number of the first move that is not legal at a root; None for none.

        Where there is one legal move any number stands for it, as in `Batch.step`.
        """
        wrong = np.zeros((len(self.slots), len(self.rows)), np.bool_)
        for s, slot in enumerate(self.slots):
            given, legal = self._moves_made(slot, chosen), slot.priors[:, 0] > 0
            inside = (given >= 0) & (given < legal.shape[1])
            is_legal = inside & legal[self.rows, np.where(inside, given, 0)]
            wrong[s] = (slot.movers[:, 0] != NOTHING) & (self.used > 0) & ~is_legal
            wrong[s] &= legal.sum(axis=1) > 1
        if not wrong.any():
            return None
        row = int(wrong.any(axis=0).argmax())
        return row, int(self._moves_made(self.slots[int(wrong[:, row].argmax())], chosen)[row])

    def behind(self, chosen: NDArray[Any]) -> NDArray[np.int64]:
        """Return the node behind moves as `Batch.step` takes them, ``int64[B]``, or `NOTHING`."""
        moves = np.stack([self._moves_made(slot, chosen) for slot in self.slots]).astype(np.int64)
        is_known = (self.used > 0) & ((moves >= 0) & (moves < self.children.shape[2])).all(axis=0)
        root = np.zeros(len(self.rows), np.int64)
        child = self.child(self.rows, root, np.where(is_known, moves, 0))
        return np.where(is_known, child, NOTHING)

    def below(self, roots: NDArray[np.int64], rows: NDArray[np.int64]) -> Trees:
        """Return the parts of some trees below nodes, as trees of their own without room."""
        keep = np.zeros(self.parents.shape, np.bool_)
        has_root = roots != NOTHING
        keep[self.rows[has_root], roots[has_root]] = True
        for node in range(1, keep.shape[1]):
            is_used = node < self.used
            keep[:, node] |= is_used & keep[self.rows, self.parents[:, node]]
        keep = keep[rows]
        used = keep.sum(axis=1)
        # What is kept moves to the front in its order, so parents stay before children.
        source = np.argsort(~keep, axis=1, kind="stable")[:, : max(1, int(used.max(initial=0)))]
        number = keep.cumsum(axis=1) - 1
        result = self._like(len(rows), source.shape[1])
        result.used = used
        at = rows[:, None]
        is_kept = np.arange(source.shape[1]) < used[:, None]
        for name in Trees.PARTS:
            _fill(getattr(result, name), getattr(self, name)[at, source], is_kept)
        _fill(result.children, self.children[at, source], is_kept)
        numbers = np.arange(len(rows))
        for table in (result.parents, result.siblings, result.children):
            tree = numbers.reshape(-1, *[1] * (table.ndim - 1))
            table[:] = np.where(table == NOTHING, NOTHING, number[tree, table])
        result.siblings[:, 0], result.parents[:, 0] = NOTHING, 0
        for new_slot, slot in zip(result.slots, self.slots, strict=True):
            for name in Slot.PARTS[: None if len(self.slots) > 1 else -2]:
                _fill(getattr(new_slot, name), getattr(slot, name)[at, source], is_kept)
        return result

    def grown(self, nodes: int) -> Trees:
        """Return the same trees with room for so many nodes more."""
        count = self.parents.shape[1]
        result = self._like(len(self.rows), count + nodes)
        result.used = self.used.copy()
        for name in (*Trees.PARTS, "children"):
            getattr(result, name)[:, :count] = getattr(self, name)
        for new_slot, slot in zip(result.slots, self.slots, strict=True):
            for name in Slot.PARTS[: None if len(self.slots) > 1 else -2]:
                getattr(new_slot, name)[:, :count] = getattr(slot, name)
        return result

    def _like(self, size: int, nodes: int) -> Trees:
        return Trees(size, nodes, self.states.shape[2], self._batch, self.nature, len(self.slots))


def choosers(
    masks: Sequence[NDArray[np.bool_]], moves: int
) -> list[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Return who chooses in n positions, a pair for each that chooses at once.

    Where nobody has more than one move the first role stands first, with what it has.

    Args:
        masks: For each role the mask of legal moves, ``bool[n, moves of it]``.
        moves: Columns of the masks that are returned.

    Returns:
        Numbers of roles ``int64[n]``, `NOTHING` for nobody, and masks ``bool[n, moves]``.
    """
    has_choice = np.stack([mask.sum(axis=1) for mask in masks]) > 1
    many = has_choice.sum(axis=0)
    # Those that choose come first, in the order of roles.
    order = has_choice.argmax(axis=0)[None]
    if many.max() > 1:
        order = np.argsort(~has_choice, axis=0, kind="stable")
    result = []
    for s in range(max(1, int(many.max()))):
        movers = np.where(many > s, order[s], NOTHING) if s else order[0]
        legal = np.zeros((len(many), moves), np.bool_)
        for role, mask in enumerate(masks):
            mine = movers == role
            legal[mine, : mask.shape[1]] = mask[mine]
        result.append((movers, legal))
    return result


def _fill(to: NDArray[Any], values: NDArray[Any], is_kept: NDArray[np.bool_]) -> None:
    to[is_kept] = values[is_kept]


def slot_strategy(
    slot: Slot, rows: NDArray[np.int64], nodes: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how likely moves are by their regrets, and how likely they are drawn.

    In proportion to regrets above 0; where there are none, by the priors. Drawn is now and then
    any move, half by the priors, half evenly. Both ``float64[n, M]``.
    """
    priors = slot.priors[rows, nodes].astype(np.float64)
    priors /= priors.sum(axis=1, keepdims=True)
    regrets = np.maximum(slot.regrets[rows, nodes], 0.0)
    whole = regrets.sum(axis=1, keepdims=True)
    strategy = np.where(whole > 0, regrets / np.maximum(whole, 1e-300), priors)
    legal = priors > 0
    even = legal / legal.sum(axis=1, keepdims=True)
    return strategy, (1 - EXPLORE) * strategy + EXPLORE * (priors + even) / 2
