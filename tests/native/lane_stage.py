"""Lanes draw their own moves: each must lead where some legal joint move leads.

In go compiled lanes and a reasoner; out comes how much was compared. The kernel finds which
joint move leads to what a lane holds, and the reasoner confirms a part of them. In the end the
goals that the lanes counted must be those of the states in which they ended.
"""

from __future__ import annotations

import ctypes
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.cone import support
from gdl.circuit.game import GameCircuit
from gdl.language.syntax import Term
from gdl.native.kernel.kernel import Kernel, KernelCode
from gdl.native.kernel.perft import SLICE, Expander, _goal_vector
from gdl.native.lanes.playouts import LaneCode, _read_tables
from gdl.playouts import GoalVector, single_goals
from gdl.reason.machine import Reasoner
from tests.native.test_lanes_lockstep import Probe

MOST_JOINT_MOVES = 4096
"""Joint moves that are tried without further ado; where there are more, the roles are looked at one
by one first, and some joint moves are tried before all."""
MOST_TRIED = 1 << 20
"""States with more are not looked into."""
MOST_PLIES = 2_000
"""Lanes that are still playing then are not waited for."""


@dataclass(slots=True)
class Seen:
    """What was compared.

    Attributes:
        moves: Moves of lanes that the kernel knows.
        confirmed: Those of them that the reasoner was asked about as well; none where lanes leave
            out facts that others tell, without which it takes a state for another one.
        ends: Goal vectors of the games that ended.
        unknown_ends: Games that ended by one of too many joint moves; nobody knows their goals.
        counted: Goal vectors that the lanes counted; None while lanes still play.
    """

    moves: int = 0
    confirmed: int = 0
    ends: Counter[GoalVector] = field(default_factory=Counter)
    unknown_ends: int = 0
    counted: Counter[GoalVector] | None = None


@dataclass(frozen=True, slots=True)
class Ply:
    """What some lanes held before and after a ply, packed, and whether they ended."""

    before: NDArray[np.uint8]
    after: NDArray[np.uint8]
    ended: NDArray[np.bool_]


class LaneStage:
    """Lanes beside a kernel and the reasoner."""

    def __init__(
        self, circuit: GameCircuit, lanes: LaneCode, kernel: KernelCode, reasoner: Reasoner
    ) -> None:
        self.circuit, self.reasoner = circuit, reasoner
        self.probe = Probe(circuit, lanes)
        self.expander = Expander(Kernel(kernel))
        self.needed = np.zeros(len(circuit.facts), np.bool_)
        self.needed[[*self.probe.program.stored, *self.probe.clock.facts]] = True
        self.seen = Seen()

    def check(
        self, *, moves: int, confirm: int, per_ply: int, seed: int = 0, seconds: float = 1e9
    ) -> Seen:
        """Compare.

        Args:
            moves: How many moves of lanes before no lane begins anew.
            confirm: Of how many, at most, to ask the reasoner.
            per_ply: How many lanes to compare in a ply, beside those that end.
            seed: Which lanes.
            seconds: Stops early once this much processor time is spent.
        """
        rng = random.Random(seed)
        until = time.process_time() + seconds
        layout = self.probe.compiled.layout
        for number, (phase, before) in enumerate(self.probe.plies(MOST_PLIES)):
            went = self.probe.lanes(layout.go)[0]
            ended = self.probe.lanes(layout.terminal)[0] & went
            live = self.probe.lanes(layout.live)[0]
            assert not (live & ended).any()
            others = list(np.flatnonzero(went & ~ended))
            chosen = [
                *np.flatnonzero(ended),
                *rng.sample(others, min(per_ply, len(others))),
            ]
            after = self.probe.states(phase + 1)
            ply = Ply(
                self._packed([before[lane] for lane in chosen]),
                self._packed([after[lane] for lane in chosen]),
                ended[chosen],
            )
            self._compare(ply, confirm)
            if self.seen.moves >= moves:
                self.probe.slots[layout.quota] = 0
                if not live.any():
                    self._count()
                    break
            if number >= MOST_PLIES or time.process_time() > until:
                break
        return self.seen

    def _compare(self, ply: Ply, confirm: int) -> None:
        legal, over = self.expander.observe(ply.before)
        assert not over.any()
        choices = [[np.flatnonzero(mask[row]) for mask in legal] for row in range(len(ply.before))]
        sizes = [prod(map(len, some)) for some in choices]
        rows = [row for row, size in enumerate(sizes) if size <= MOST_JOINT_MOVES]
        while rows:
            part: list[int] = []
            while rows and sum(sizes[row] for row in [*part, rows[0]]) <= SLICE:
                part.append(rows.pop(0))
            joints = np.concatenate([_product(choices[row]) for row in part])
            parents = np.repeat(part, [sizes[row] for row in part])
            found = self._compare_children(ply, parents, joints, confirm)
            assert found == set(part), "no legal joint move leads where the lane went"
        for row, size in enumerate(sizes):
            if size > MOST_JOINT_MOVES:
                self._compare_one(ply, row, choices[row], confirm)

    def _compare_one(
        self, ply: Ply, row: int, choices: list[NDArray[np.intp]], confirm: int
    ) -> None:
        """Compare a move that is one of very many."""
        left = [
            self._possible(ply, row, choices, role) if len(moves) > 1 else moves
            for role, moves in enumerate(choices)
        ]
        assert all(map(len, left)), "no legal joint move leads where the lane went"
        for joints in _attempts(left):
            if self._compare_children(ply, np.full(len(joints), row), joints, confirm):
                return
        assert prod(map(len, left)) > MOST_TRIED, "no legal joint move leads where the lane went"
        self.seen.unknown_ends += int(ply.ended[row])

    def _possible(
        self, ply: Ply, row: int, choices: list[NDArray[np.intp]], role: int
    ) -> NDArray[np.intp]:
        """Return the moves of a role that fit in what depends on that role alone."""
        moves = choices[role]
        joints = np.stack([np.full(len(moves), some[0]) for some in choices], axis=1)
        joints[:, role] = moves
        same: list[NDArray[np.bool_]] = []
        for at in range(0, len(joints), SLICE):
            part = joints[at : at + SLICE]
            states = np.repeat(ply.before[row : row + 1], len(part), axis=0)
            children, _, _ = self.expander.play(states, list(part.T))
            same.append((((children ^ ply.after[row]) & self.own[role]) == 0).all(axis=1))
        return moves[np.concatenate(same)]

    @cached_property
    def own(self) -> list[NDArray[np.uint8]]:
        """For each role the facts, packed, that depend on its move and that of nobody else."""
        circuit = self.circuit
        mover = {e >> 1: r for r, edges in enumerate(circuit.move_inputs) for e in edges}
        masks = np.zeros((len(circuit.roles), len(self.needed)), np.bool_)
        for fact in np.flatnonzero(self.needed):
            roots = support(circuit.aig, [circuit.next[fact]])
            movers = {mover[node] for node in roots if node in mover}
            if len(movers) == 1:
                masks[min(movers), fact] = True
        return list(np.packbits(masks, axis=1))

    def _compare_children(
        self, ply: Ply, parents: NDArray[np.intp], joints: NDArray[np.intp], confirm: int
    ) -> set[int]:
        """Compare moves, given joint moves to try, and return the rows for which one fits."""
        children, terminal, goals = self.expander.play(ply.before[parents], list(joints.T))
        same = ((children & np.packbits(self.needed)) == ply.after[parents]).all(axis=1)
        rows = {int(row) for row in np.unique(parents[same])}
        for row in sorted(rows):
            found = np.flatnonzero(same & (parents == row))
            assert set(terminal[found]) == {ply.ended[row]}
            self.seen.moves += 1
            vectors = {_goal_vector(self.expander, goals[child]) for child in found}
            assert len(vectors) == 1 or not ply.ended[row]
            if ply.ended[row]:
                self.seen.ends[min(vectors, key=str)] += 1
            if self.needed.all() and self.seen.confirmed < confirm:
                self._confirm(ply, row, joints[found[0]], min(vectors, key=str))
        return rows

    def _confirm(self, ply: Ply, row: int, joint: NDArray[np.intp], goals: GoalVector) -> None:
        moves = tuple(names[i] for names, i in zip(self.circuit.moves, joint, strict=True))
        state = self.reasoner.successor(self.reasoner.state(self._facts(ply.before[row])), moves)
        names = frozenset(self.circuit.facts[i] for i in np.flatnonzero(self.needed))
        assert self.reasoner.facts(state) & names == self._facts(ply.after[row])
        assert self.reasoner.is_terminal(state) == ply.ended[row]
        assert not ply.ended[row] or single_goals(self.reasoner, state) == goals
        self.seen.confirmed += 1

    def _count(self) -> None:
        run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(
            self.probe.code.address("run")
        )
        assert run(self.probe.memory.ctypes.data, 1) == 1
        self.seen.counted = _read_tables(self.probe.compiled, self.probe.memory.data).goals
        assert self.seen.ends <= self.seen.counted
        assert self.seen.counted.total() == self.seen.ends.total() + self.seen.unknown_ends

    def _packed(self, states: list[frozenset[int]]) -> NDArray[np.uint8]:
        bits = np.zeros((len(states), len(self.needed)), np.bool_)
        for row, state in zip(bits, states, strict=True):
            row[list(state)] = True
        return np.packbits(bits & self.needed, axis=1)

    def _facts(self, packed: NDArray[np.uint8]) -> frozenset[Term]:
        held = np.unpackbits(packed, count=len(self.needed))
        return frozenset(self.circuit.facts[i] for i in np.flatnonzero(held))


def _product(choices: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Return all joint moves, a row each."""
    return np.stack(np.meshgrid(*choices, indexing="ij"), -1).reshape(-1, len(choices))


def _attempts(choices: Sequence[NDArray[np.intp]]) -> Iterator[NDArray[np.intp]]:
    """Yield joint moves to try: some drawn at random, then all if there are not too many."""
    if prod(map(len, choices)) > MOST_JOINT_MOVES:
        rng = np.random.default_rng(0)
        yield np.stack([rng.choice(moves, MOST_JOINT_MOVES) for moves in choices], axis=1)
    if prod(map(len, choices)) <= MOST_TRIED:
        joints = _product(choices)
        for at in range(0, len(joints), SLICE):
            yield joints[at : at + SLICE]
