"""Counting the ends of playouts by their length and by their goals.

A lane's end is a number over planes: bit ``j`` of it lies in plane ``j``. Which numbers there are
is found by splitting the lanes by the highest plane and going down into the halves that have any.
Such a walk costs about as much for one vector as for a few, so that `BATCH` vectors of ends are
laid aside and counted at once.

Where goals have too many combinations for a table of all, those seen are listed; who runs the
lanes takes them out in time.

A radix sort, the highest digit first, that only counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gdl.native.code.ir import Function, Target, Value
from gdl.native.lanes.layout import BATCH, COUNTERS, LAID_ASIDE, UINT64, Layout, list_length

LEAF_BITS: Final = 1
"""A walk ends at two numbers that differ in one plane."""


def emit_flush(
    target: Target, layout: Layout, scoring: Sequence[str], counters: int, period: int
) -> str:
    """Return ``flush``, which scores the kept ends and lays them aside, and ``count_ends``.

    Args:
        target: What for.
        layout: Where.
        scoring: Functions that compute the goal planes.
        counters: Byte offset of the counters, after which the tables of lengths and of goals lie.
        period: Phases of a cycle.
    """
    f = Function(target, "flush")
    lanes = f.load(layout.pending)
    f.line(f"br i1 {f.any(lanes)}, label %some, label %none")
    f.label("some")
    for name in scoring:
        f.line(f"call void @{name}(ptr %m)")
    aside = f.counter(counters, LAID_ASIDE)
    number = f.let(f"load i64, ptr {aside}")
    for start, bits, rows in _numbers(layout):
        for bit in range(bits):
            to = f.let(f"add i64 {number}, {rows + bit * BATCH}")
            f.store(f.load(start + bit), to)
    f.store(lanes, f.let(f"add i64 {number}, {layout.aside}"))
    f.store("zeroinitializer", layout.pending)
    more = f.let(f"add i64 {number}, 1")
    f.line(f"store i64 {more}, ptr {aside}")
    f.line(f"br i1 {f.let(f'icmp eq i64 {more}, {BATCH}')}, label %full, label %none")
    f.label("full")
    f.line("call void @count_ends(ptr %m)")
    f.line("br label %none")
    f.label("none")
    f.line("ret void")
    splits = [_Split(target, "split")]
    if layout.is_listed:
        splits.append(_ListingSplit(target, "split_listed", list_length(target.width, period)))
    count_ends = _emit_count_ends(target, layout, counters)
    return "\n".join([*map(_emit_split, splits), count_ends, f.text()])


def _numbers(layout: Layout) -> tuple[tuple[int, int, int], ...]:
    """Return of lengths and of goals: the first plane, how many, and where they are laid aside."""
    lengths = layout.turn_bits + layout.phase_bits
    return (
        (layout.kept_turns, lengths, layout.aside_planes),
        (layout.planes, layout.goal_bits, layout.aside_planes + lengths * BATCH),
    )


def _emit_count_ends(target: Target, layout: Layout, counters: int) -> str:
    """Return ``count_ends``, which counts what was laid aside."""
    f = Function(target, "count_ends")
    lanes, halves = f.address(layout.aside), f.address(layout.halves)
    table = counters + COUNTERS
    splits = ("split", "split_listed" if layout.is_listed else "split")
    for split, (_, bits, rows) in zip(splits, _numbers(layout), strict=True):
        at = f.let(f"getelementptr inbounds i8, ptr %m, i64 {table}")
        planes = f.address(rows)
        begin = f"ptr {planes}, i64 {bits}, i64 0, ptr {lanes}"
        f.line(f"call void @{split}({begin}, ptr {halves}, ptr {at})")
        table += UINT64 << bits
    for i in range(BATCH):
        f.store("zeroinitializer", layout.aside + i)
    aside = f.counter(counters, LAID_ASIDE)
    f.line(f"store i64 0, ptr {aside}")
    f.line("ret void")
    return f.text()


class _Split(Function):
    """A walk of lanes by the planes below ``depth``; its numbers go on from ``key``.

    Slots are counted from the pointer given; ``%halves`` is memory for half of the lanes of each
    level.
    """

    def __init__(self, target: Target, name: str) -> None:
        super().__init__(
            target,
            name,
            "i64 %depth, i64 %key, ptr %lanes, ptr noalias %halves, ptr noalias %table",
        )

    def at(self, base: Value, i: int) -> Value:
        return self.let(f"getelementptr inbounds {self.target.vector}, ptr {base}, i64 {i}")

    def read(self, base: Value) -> list[Value]:
        vector, size = self.target.vector, self.target.bytes
        return [
            self.let(f"load {vector}, ptr {self.at(base, i)}, align {size}") for i in range(BATCH)
        ]

    def write(self, values: Sequence[Value], base: Value) -> None:
        vector, size = self.target.vector, self.target.bytes
        for i, value in enumerate(values):
            self.line(f"store {vector} {value}, ptr {self.at(base, i)}, align {size}")

    def any_of(self, values: Sequence[Value]) -> Value:
        result = values[0]
        for value in values[1:]:
            result = self.disj(result, value)
        return self.any(result)

    def total(self, values: Sequence[Value]) -> Value:
        counts = [self.count(value) for value in values]
        result = counts[0]
        for value in counts[1:]:
            result = self.let(f"add {self.target.vector} {result}, {value}")
        return self.sum(result)

    def add_to(self, key: Value, amount: Value) -> None:
        at = self.let(f"getelementptr inbounds i64, ptr %table, i64 {key}")
        old = self.let(f"load i64, ptr {at}")
        self.line(f"store i64 {self.let(f'add i64 {old}, {amount}')}, ptr {at}")


class _ListingSplit(_Split):
    """A walk that lists what it finds; what goes over the end of the list is lost."""

    def __init__(self, target: Target, name: str, entries: int) -> None:
        super().__init__(target, name)
        self._entries = entries

    def add_to(self, key: Value, amount: Value) -> None:
        number = self.let("load i64, ptr %table")
        row = self.let(f"add i64 {number}, 1")
        for column, value in enumerate((key, amount)):
            at = self.let(f"getelementptr inbounds [2 x i64], ptr %table, i64 {row}, i64 {column}")
            self.line(f"store i64 {value}, ptr {at}")
        is_any = self.let(f"icmp ne i64 {amount}, 0")
        has_room = self.let(f"icmp ult i64 {number}, {self._entries}")
        is_kept = self.let(f"and i1 {is_any}, {has_room}")
        then = self.let(f"select i1 {is_kept}, i64 {row}, i64 {number}")
        self.line(f"store i64 {then}, ptr %table")


def _emit_split(f: _Split) -> str:
    target = f.target
    # Invariant: the lanes given are those whose planes from `depth` up spell `key`. They are parted
    # by the next plane; the halves do not overlap, and one without lanes is not entered. So each
    # lane is counted once, and the walk has as many leaves as there are different numbers.
    f.line("%is_leaf = icmp eq i64 %depth, 0")
    f.line("br i1 %is_leaf, label %leaf, label %inner")
    f.label("leaf")
    f.add_to("%key", f.total(f.read("%lanes")))
    f.line("ret void")
    f.label("inner")
    lanes = f.read("%lanes")
    f.line("%below = add i64 %depth, -1")
    f.line(f"%row = mul i64 %below, {BATCH}")
    f.line(f"%plane = getelementptr inbounds {target.vector}, ptr %m, i64 %row")
    planes = f.read("%plane")
    f.line("%double = shl i64 %key, 1")
    f.line("%odd = or i64 %double, 1")
    upper = [f.conj(a, b) for a, b in zip(lanes, planes, strict=True)]
    f.line(f"%is_last = icmp eq i64 %depth, {LEAF_BITS}")
    f.line("br i1 %is_last, label %last, label %deeper")
    f.label("last")
    above = f.total(upper)
    f.add_to("%odd", above)
    f.add_to("%double", f.let(f"sub i64 {f.total(lanes)}, {above}"))
    f.line("ret void")
    f.label("deeper")
    f.line(f"br i1 {f.any_of(upper)}, label %some, label %none")
    f.label("some")
    # One half at a time lies in the memory of this level; deeper levels use what comes after it.
    deep = f.at("%halves", BATCH)
    f.write(upper, "%halves")
    f.line(
        f"call void @{f.name}(ptr %m, i64 %below, i64 %odd, ptr %halves, ptr {deep}, ptr %table)"
    )
    lower = [f.xor(a, b) for a, b in zip(lanes, upper, strict=True)]
    f.line(f"br i1 {f.any_of(lower)}, label %both, label %done")
    f.label("both")
    f.write(lower, "%halves")
    f.line(
        f"call void @{f.name}(ptr %m, i64 %below, i64 %double, ptr %halves, ptr {deep}, ptr %table)"
    )
    f.line("ret void")
    f.label("none")
    f.line(
        f"call void @{f.name}(ptr %m, i64 %below, i64 %double, ptr %lanes, ptr %halves, ptr %table)"
    )
    f.line("ret void")
    f.label("done")
    f.line("ret void")
    return f.text()
