"""Where every value lives, and which small function computes it.

In goes a `Cover` and what its inputs and roots are; out comes a `Schedule`:
chunks of a few hundred operations (one function each: small functions compile
and run faster than one large one), and a memory slot for each value that is
wanted in a later chunk.

A slot is used again only by chunks after the last one that reads it, and a new
fact is written over the old one only where nobody reads the old one later. A
slip here skews the choice of moves while every state still looks right.

Source: Poletto and Sarkar, "Linear Scan Register Allocation", TOPLAS 1999.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from gdl.circuit.aig import Aig, Lit
from gdl.circuit.cone import live
from gdl.native.code.cover import Cover, Operation, cover, inverted_roots

CHUNK: Final = 300
"""Operations of one function."""
LISTED_FROM: Final = 150_000
"""Gates of a graph from which on it becomes a list of gates and not machine code."""
WINDOW: Final = 2048
"""Gates of a list that may change places."""
MANY_GATES: Final = 50_000
"""Gates from which on numpy goes through them so much faster that its import pays."""
FOREVER: Final = 1 << 60


class Place(NamedTuple):
    """A slot that holds a value, perhaps inverted; slot None means a constant.

    Attributes:
        slot: Number of the slot, None for constant false.
        inverted: Whether the value is the inverse of what the slot holds.
    """

    slot: int | None
    inverted: bool


class Root(NamedTuple):
    """A value that is wanted after the stage.

    Attributes:
        edge: The value.
        slot: Where it must be; None to leave it anywhere, see `Schedule.places`.
    """

    edge: Lit
    slot: int | None


class Chunk(NamedTuple):
    """One function.

    Attributes:
        operations: What it computes, in order.
        copies: Then, all reads before all writes: (slot, where from).
    """

    operations: tuple[Operation, ...]
    copies: tuple[tuple[int, Place], ...] = ()


class GateList(NamedTuple):
    """Single gates, each with a slot of its own.

    Attributes:
        aig: The graph.
        stages: Its gates that each stage runs, in order.
        slots: Slot of each node that has one, by node.
        inverted: Nodes that are held inverted.
    """

    aig: Aig
    stages: tuple[list[int], ...]
    slots: Sequence[int]
    inverted: frozenset[int]


class Schedule(NamedTuple):
    """The chunks of each stage, run one after the other.

    Attributes:
        stages: Chunks of each stage.
        slot_of: Slot of each node that has one; inputs included.
        inverted: Nodes that are held inverted.
        places: For each stage, where each root is.
        slots: Number of slots, those of the caller included.
        listed: The gates of each stage, where these are run as they stand, one after the other.
    """

    stages: tuple[tuple[Chunk, ...], ...]
    slot_of: Mapping[int, int]
    inverted: frozenset[int]
    places: tuple[tuple[Place, ...], ...]
    slots: int
    listed: GateList | None = None

    @property
    def is_large(self) -> bool:
        """Whether it is a list, and would be one in any case."""
        return self.listed is not None and sum(map(len, self.listed.stages)) >= LISTED_FROM


def schedule(
    aig: Aig,
    inputs: Mapping[int, int],
    stages: Sequence[Sequence[Root]],
    first_free: int,
    *,
    is_list: bool = False,
) -> Schedule:
    """Return a schedule.

    Args:
        aig: The graph.
        inputs: Slot of each input node.
        stages: Roots of each stage.
        first_free: Slots from here on are free for use.
        is_list: Whether to run single gates as they stand, also where there are few of them.
    """
    edges = [root.edge for stage in stages for root in stage]
    if is_list or (len(aig) >= LISTED_FROM and len(live(aig, edges)) >= LISTED_FROM):
        return _ListScheduler(aig, inputs, stages, first_free).run()
    return _Scheduler(inputs, stages, cover(aig, edges), first_free).run()


class _Scheduler:
    def __init__(
        self,
        inputs: Mapping[int, int],
        stages: Sequence[Sequence[Root]],
        network: Cover,
        first_free: int,
    ) -> None:
        self.inputs = inputs
        self.stages = stages
        self.network = network
        self.slot_of: dict[int, int] = dict(inputs)
        self.next_slot = first_free
        self.free: list[int] = []
        self.made_in: dict[int, int] = {}
        self.last_read: dict[int, int] = {}
        self.copies: dict[int, list[tuple[int, Place]]] = {}

    def run(self) -> Schedule:
        chunks, ends = self._cut()
        for number, chunk in enumerate(chunks):
            for operation in chunk:
                self.made_in[operation.node] = number
                for operand in operation.operands:
                    self.last_read[operand] = number
        targets = self._targets(ends)
        places = self._allocate(chunks, targets, ends)
        stages = []
        start = 0
        for end in ends:
            copies = tuple(self.copies.get(end, ()))
            planned = (Chunk(tuple(chunk)) for chunk in chunks[start:end])
            stages.append((*planned, Chunk((), copies)))
            start = end + 1
        return Schedule(
            tuple(stages),
            self.slot_of,
            self.network.inverted,
            places,
            self.next_slot,
        )

    def _cut(self) -> tuple[list[list[Operation]], list[int]]:
        """Cut the operations into chunks; an empty one ends each stage, for its copies."""
        chunks: list[list[Operation]] = []
        ends: list[int] = []
        for operations in self._operations():
            pieces = max(1, -(-len(operations) // CHUNK))
            size = max(1, -(-len(operations) // pieces))
            chunks += [operations[i : i + size] for i in range(0, len(operations), size)]
            chunks.append([])
            ends.append(len(chunks) - 1)
        return chunks, ends

    def _operations(self) -> Iterator[list[Operation]]:
        """Yield the operations of each stage."""
        position = {op.node: i for i, op in enumerate(self.network.operations)}
        start = 0
        for stage in self.stages:
            needed = [position[r.edge >> 1] + 1 for r in stage if r.edge >> 1 in position]
            stop = max(start, *needed) if needed else start
            yield list(self.network.operations[start:stop])
            start = stop

    def _targets(self, ends: Sequence[int]) -> dict[int, int]:
        """Choose for nodes the slot that a root wants them in; note what must be copied."""
        later = [
            (end, root) for end, stage in zip(ends, self.stages, strict=True) for root in stage
        ]
        # First until when each value must last. One that is wanted anywhere lasts for ever, if its
        # slot is not one that a root is written into.
        overwritten = {root.slot for _, root in later}
        for end, root in later:
            node = root.edge >> 1
            if root.slot is None:
                stays = node in self.made_in or self.inputs.get(node) not in overwritten
                self.last_read[node] = FOREVER if stays else end
            elif not self._is_unmoved(root):
                self.last_read[node] = max(end, self.last_read.get(node, 0))
        # A node may be computed right into the slot of a root when the sign is right, and whoever
        # reads the old value there does so no later than in the same chunk (which loads old values
        # before it stores). The others are copied at the end of the stage.
        reader_of_slot = {slot: self.last_read.get(n, -1) for n, slot in self.inputs.items()}
        wanted = Counter(root.edge >> 1 for _, root in later if root.slot is not None)
        targets: dict[int, int] = {}
        for _, root in later:
            node = root.edge >> 1
            if root.slot is None or node not in self.made_in or node in targets:
                continue
            if bool(root.edge & 1) != (node in self.network.inverted):
                continue
            if reader_of_slot.get(root.slot, -1) <= self.made_in[node] and (
                wanted[node] == 1 or root.slot not in reader_of_slot
            ):
                targets[node] = root.slot
        return targets

    def _is_unmoved(self, root: Root) -> bool:
        return not root.edge & 1 and self.inputs.get(root.edge >> 1) == root.slot

    def _allocate(
        self, chunks: Sequence[Sequence[Operation]], targets: Mapping[int, int], ends: Sequence[int]
    ) -> tuple[tuple[Place, ...], ...]:
        # Linear scan: values of one chunk need no slot; the others take one until the chunk after
        # the last that reads them.
        expiring: dict[int, list[int]] = {}
        places: list[tuple[Place, ...]] = []
        for number, chunk in enumerate(chunks):
            self.free += expiring.pop(number, [])
            for operation in chunk:
                node = operation.node
                until = self.last_read.get(node, number)
                if node in targets:
                    self.slot_of[node] = targets[node]
                elif until > number:
                    self.slot_of[node] = self._take()
                    if until < FOREVER:
                        expiring.setdefault(until + 1, []).append(self.slot_of[node])
            if number in ends:
                places.append(self._finish(number, self.stages[ends.index(number)]))
        return tuple(places)

    def _take(self) -> int:
        if self.free:
            return self.free.pop()
        self.next_slot += 1
        return self.next_slot - 1

    def _finish(self, number: int, stage: Sequence[Root]) -> tuple[Place, ...]:
        """Copy what is not yet where it is wanted, and say where everything is."""
        copies = self.copies.setdefault(number, [])
        places: list[Place] = []
        for root in stage:
            node = root.edge >> 1
            held = self._place(root.edge)
            if root.slot is None:
                if self.last_read.get(node, 0) < FOREVER and node:
                    slot = self.next_slot
                    self.next_slot += 1
                    copies.append((slot, held))
                    held = Place(slot, inverted=False)
                places.append(held)
                continue
            places.append(Place(root.slot, inverted=False))
            if held != places[-1]:
                copies.append((root.slot, held))
        return tuple(places)

    def _place(self, edge: Lit) -> Place:
        node = edge >> 1
        if node == 0:
            return Place(None, inverted=bool(edge & 1))
        inverted = bool(edge & 1) != (node in self.network.inverted)
        return Place(self.slot_of[node], inverted)


class _ListScheduler(_Scheduler):
    """The same for single gates, hundreds of thousands: numbers by node, and a walk at a time."""

    def __init__(
        self,
        aig: Aig,
        inputs: Mapping[int, int],
        stages: Sequence[Sequence[Root]],
        first_free: int,
    ) -> None:
        edges = [root.edge for stage in stages for root in stage]
        super().__init__(inputs, stages, Cover((), inverted_roots(aig, edges)), first_free)
        self._aig = aig
        self._slots = [-1] * len(aig)
        for node, slot in inputs.items():
            self._slots[node] = slot

    def run(self) -> Schedule:
        planned = _side_by_side(self._aig, self._in_reach())
        # A number for each gate, and at the end of each stage one of its own, for the copies.
        firsts = list(accumulate((len(nodes) + 1 for nodes in planned), initial=0))
        ends = [first - 1 for first in firsts[1:]]
        last = last_readers(self._aig, planned, firsts)
        roots = {root.edge >> 1 for stage in self.stages for root in stage}
        for nodes, first in zip(planned, firsts, strict=False):
            self.made_in.update((n, i) for i, n in enumerate(nodes, first) if n in roots)
        self.last_read = {n: last[n] for n in {*roots, *self.inputs} if last[n] >= 0}
        targets = self._targets(ends)
        for node, until in self.last_read.items():
            last[node] = until
        # What is not held in a slot of the pool never gives one back: constants, inputs, targets.
        for node in (0, *self.inputs, *targets):
            last[node] = FOREVER
            self._slots[node] = targets.get(node, self._slots[node])
        places = tuple(
            self._place_stage(nodes, last, end, stage)
            for nodes, end, stage in zip(planned, ends, self.stages, strict=True)
        )
        listed = GateList(self._aig, tuple(planned), self._slots, self.network.inverted)
        stages = tuple((Chunk((), tuple(self.copies.get(end, ()))),) for end in ends)
        return Schedule(stages, self.slot_of, self.network.inverted, places, self.next_slot, listed)

    def _in_reach(self) -> list[list[int]]:
        """Return the gates of each stage, each as late as its first user allows."""
        left, right = self._aig.left, self._aig.right
        is_done = bytearray(operand < 0 for operand in left)  # or begun: no gate is below itself
        stages: list[list[int]] = []
        for stage in self.stages:
            order: list[int] = []
            stack = [root.edge >> 1 for root in reversed(stage)]
            while stack:
                node = stack.pop()
                if node < 0:  # its operands are done
                    order.append(~node)
                elif not is_done[node]:
                    is_done[node] = 1
                    stack.append(~node)
                    operand = right[node] >> 1
                    if not is_done[operand]:
                        stack.append(operand)
                    operand = left[node] >> 1
                    if not is_done[operand]:
                        stack.append(operand)
            stages.append(order)
        return stages

    def _place_stage(
        self, nodes: Sequence[int], last: Sequence[int], end: int, stage: Sequence[Root]
    ) -> tuple[Place, ...]:
        # Linear scan: the slot of a value is free again after the gate that reads it last.
        left, right, slots, free = self._aig.left, self._aig.right, self._slots, self.free
        next_slot = self.next_slot
        for number, node in enumerate(nodes, end - len(nodes)):
            if slots[node] < 0:
                if free:
                    slots[node] = free.pop()
                else:
                    slots[node] = next_slot
                    next_slot += 1
            operand = left[node] >> 1
            if last[operand] == number:
                free.append(slots[operand])
            operand = right[node] >> 1
            if last[operand] == number:
                free.append(slots[operand])
        self.next_slot = next_slot
        roots = dict.fromkeys(root.edge >> 1 for root in stage)
        self.slot_of.update((node, slots[node]) for node in roots)
        places = self._finish(end, stage)
        free += [slots[node] for node in roots if last[node] == end]
        return places


def last_readers(aig: Aig, stages: Sequence[Sequence[int]], firsts: Sequence[int]) -> list[int]:
    """Return for each node the number of the gate that reads it last, -1 where none does.

    Args:
        aig: The graph.
        stages: Gates, in the order in which they run.
        firsts: Number of the first gate of each stage.
    """
    if len(aig) >= MANY_GATES:
        import numpy as np

        lasts = np.full(len(aig), -1)
        operands = np.array([aig.left, aig.right]) >> 1
        for nodes, first in zip(stages, firsts, strict=False):
            # Both operands of a gate stand together, so numbers rise, and of several that are
            # assigned to one node the last is kept.
            lasts[operands[:, nodes].T.ravel()] = np.repeat(np.arange(len(nodes)) + first, 2)
        kept: list[int] = lasts.tolist()
        return kept
    left, right, last = aig.left, aig.right, [-1] * len(aig)
    for nodes, first in zip(stages, firsts, strict=False):
        for number, node in enumerate(nodes, first):
            last[left[node] >> 1] = last[right[node] >> 1] = number
    return last


def _side_by_side(aig: Aig, stages: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return stages in an order in which few gates wait for the one just before them.

    What was near stays near: gates move only within a window.
    """
    left, right = aig.left, aig.right
    depth = [0] * len(aig)
    base = 0  # no gate before this window is deeper: there, all of them are ready
    ordered: list[list[int]] = []
    for nodes in stages:
        mixed: list[int] = []
        for start in range(0, len(nodes), WINDOW):
            window = nodes[start : start + WINDOW]
            for node in window:
                a, b = depth[left[node] >> 1], depth[right[node] >> 1]
                deeper = a if a > b else b  # noqa: FURB136  # a call costs more than all else
                depth[node] = 1 + (deeper if deeper > base else base)  # noqa: FURB136
            mixed += sorted(window, key=depth.__getitem__)
            base += len(window)
        ordered.append(mixed)
    return ordered
