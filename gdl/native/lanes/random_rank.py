"""The random rank of every lane.

A rank must be uniform below a number that differs from lane to lane. Random bits
are masked to the size of that number; a rank that is still too high is drawn
again. After `Tries` draws a lane that had no luck sits out until its phase comes
again, which is rare, leaves the distribution exact, and costs less than a loop
that waits for the unluckiest of 512 lanes.

Each word of 64 lanes has its own stream of random words, and every ply takes the
same number of them, whatever the other words do: what a word of lanes plays
depends on the seed and its number alone, not on the width of vectors.

Source: xoroshiro128+, Blackman and Vigna, "Scrambled Linear Pseudorandom Number
Generators", TOMS 2021; sitting out is ours.
"""

from __future__ import annotations

from typing import Final

from gdl.circuit.aig import TRUE
from gdl.circuit.arithmetic import Number
from gdl.native.code.cover import COLUMNS, ONES
from gdl.native.code.ir import Function, Target, Value
from gdl.native.lanes.layout import LONG, Layout
from gdl.native.lanes.ply import Phase

A, B, C = COLUMNS
GREATER: Final = ((A & ~B) | (~(A ^ B) & C)) & ONES
"""Table of one step of ``a > b``, low bits first; C is the comparison so far."""


class _Stream:
    """The random words of one ply."""

    def __init__(self, f: Function, layout: Layout) -> None:
        self.f = f
        self.layout = layout
        self.low = f.load(layout.seed)
        self.high = f.load(layout.seed + 1)

    def word(self) -> Value:
        f = self.f
        vector = f.target.vector
        result = f.let(f"add {vector} {self.low}, {self.high}")
        mixed = f.xor(self.high, self.low)
        shifted = f.let(f"shl {vector} {mixed}, {f.target.splat(16)}")
        self.low = f.table((A ^ B ^ C) & ONES, (self._rotate(self.low, 24), mixed, shifted))
        self.high = self._rotate(mixed, 37)
        return result

    def _rotate(self, value: Value, by: int) -> Value:
        vector = self.f.target.vector
        name = f"@llvm.fshl.v{self.f.target.elements}i64"
        return self.f.let(
            f"call {vector} {name}({vector} {value}, {vector} {value}, "
            f"{vector} {self.f.target.splat(by)})"
        )

    def close(self) -> None:
        self.f.store(self.low, self.layout.seed)
        self.f.store(self.high, self.layout.seed + 1)


class _CalledStream(_Stream):
    """The same by calls of one function, which is less code."""

    def __init__(self, f: Function) -> None:
        self.f = f

    def word(self) -> Value:
        return self.f.let(f"call {self.f.target.vector} @random_word(ptr %m)")

    def close(self) -> None:
        pass


def emit_random_word(target: Target, layout: Layout) -> str:
    """Return the function ``random_word``, which such a stream calls."""
    f = Function(target, "random_word", result=target.vector)
    stream = _Stream(f, layout)
    word = stream.word()
    stream.close()
    f.line(f"ret {target.vector} {word}")
    return f.text()


def emit_random_ranks(  # noqa: PLR0913  # one ply
    target: Target,
    layout: Layout,
    phase: Phase,
    *,
    number: int,
    period: int,
    tries: int,
    counters: int,
    is_list: bool = False,
) -> str:
    """Return the function ``random_ranks_NUMBER`` that draws ranks and says which lanes go.

    Args:
        target: What for.
        layout: Where.
        phase: Who chooses.
        number: The phase.
        period: How many phases there are.
        tries: Draws of a rank.
        counters: Byte offset of the counters.
        is_list: Whether there is a function ``random_word``.
    """
    f = Function(target, f"random_ranks_{number}")
    # A lane that sat out waits until its own phase comes round: its state is one of that phase.
    want = f.load(layout.live)
    for other in range(period):
        if other != number:
            want = f.without(want, f.load(layout.waits + other))
    able = f.load(layout.able)
    can = f.conj(want, able)
    # Every ply takes the same number of random words, whether lanes go or not: so the stream of a
    # word of lanes does not depend on what its neighbours in the vector play.
    go = can
    stream = _CalledStream(f) if is_list else _Stream(f, layout)
    at = 0
    for chooser in phase.choosers:
        ranks, missed = _rank(f, layout, stream, chooser.last, at=at, tries=tries)
        for j, rank in enumerate(ranks):
            f.store(rank, layout.rank + at + j)
        go = f.without(go, missed)
        at += len(chooser.last)
    stream.close()
    f.store(go, layout.go)
    f.store(f.without(can, go), layout.waits + number)
    if number == 0:
        _count_turn(f, layout, counters, go)
    stuck = f.without(want, able)
    f.line(f"br i1 {f.any(stuck)}, label %stuck, label %done")
    f.label("stuck")
    f.line(f"call void @count_stuck(ptr %m, {target.vector} {stuck})")
    f.line("br label %done")
    f.label("done")
    f.line("ret void")
    return f.text()


def _rank(  # noqa: PLR0913  # one draw
    f: Function, layout: Layout, stream: _Stream, bounds: Number, *, at: int, tries: int
) -> tuple[list[Value], Value]:
    # Rejection sampling: all values under the mask are equally likely, so those up to `last` are
    # too. The mask reaches to the highest bit of `last`, so more than half of them are: after
    # three draws less than one lane in eight has missed. That it missed says nothing of what it
    # draws when its phase comes again, so sitting out favours no move.
    width = len(bounds)
    if all(bound == TRUE for bound in bounds):
        return [stream.word() for _ in bounds], "zeroinitializer"
    last = [f.load(layout.last + at + j) for j in range(width)]
    mask = [f.load(layout.mask + at + j) for j in range(width)]
    ranks: list[Value] = []
    missed = f.target.ones
    for attempt in range(tries):
        drawn = [f.conj(stream.word(), mask[j]) for j in range(width)]
        # drawn > last, low bits first: the highest bit in which they differ has the last word.
        high = "zeroinitializer"
        for bit, bound in zip(drawn, last, strict=True):
            high = f.table(GREATER, (bit, bound, high))
        if attempt == 0:
            ranks, missed = drawn, high
        else:
            # Who has a rank keeps it; drawing on would favour nothing, but change it.
            ranks = [f.blend(missed, new, old) for new, old in zip(drawn, ranks, strict=True)]
            missed = f.conj(missed, high)
    return ranks, missed


def _count_turn(f: Function, layout: Layout, counters: int, go: Value) -> None:
    carry = _carry(f, layout, layout.easy_turns, go)
    if layout.hard_turns:
        f.line(f"br i1 {f.any(carry)}, label %carry, label %counted")
        f.label("carry")
        f.line(f"store i64 1, ptr {f.counter(counters, LONG)}")
        _carry(f, layout, layout.hard_turns, carry)
        f.line("br label %counted")
        f.label("counted")


def _carry(f: Function, layout: Layout, bits: range, carry: Value) -> Value:
    # A half adder a bit: every lane counts for itself.
    for bit in bits:
        old = f.load(layout.turns + bit)
        f.store(f.xor(old, carry), layout.turns + bit)
        carry = f.conj(old, carry)
    return carry
