"""The loop around the plies: start lanes, end them, count what came out.

A game that ends is not scored at once: what its goals need is kept beside the
lane (`Layout.kept`), and only when a lane ends a second time are all kept ends
scored together, and counted with those of some such times (`gdl.native.lanes.histogram`).

Playouts are handed out in the order in which lanes become free, and every playout
that was begun is played to its end, so that short ones have no advantage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from gdl.native.code.emit import read_place
from gdl.native.code.ir import Function, Target, Value
from gdl.native.code.schedule import Place
from gdl.native.lanes.layout import CUT, LONG, STUCK, Layout, list_length

RESTART_CHUNK: Final = 256


def emit_counters(target: Target, layout: Layout) -> str:
    """Return the functions that end lanes without a score."""
    texts = []
    for name, index in (("count_stuck", STUCK), ("count_cut", CUT)):
        f = Function(target, name, f"{target.vector} %lanes")
        f.store(f.without(f.load(layout.live), "%lanes"), layout.live)
        total = f.sum(f.count("%lanes"))
        f.line(f"call void @add_to(ptr %m, i64 {index}, i64 {total})")
        f.line("ret void")
        texts.append(f.text())
    return "\n".join(texts)


def emit_add(target: Target, counters: int) -> str:
    """Return the function that adds to one of the counters, which start at a byte offset."""
    return f"""
define internal void @add_to(ptr %m, i64 %index, i64 %amount) {target.attributes} {{
  %base = getelementptr inbounds i8, ptr %m, i64 {counters}
  %at = getelementptr inbounds i64, ptr %base, i64 %index
  %old = load i64, ptr %at
  %new = add i64 %old, %amount
  store i64 %new, ptr %at
  ret void
}}
"""


def emit_end(
    target: Target, layout: Layout, number: int, latches: Sequence[Place], counters: int
) -> str:
    """Return ``end_NUMBER``, which keeps what the goals of lanes that just ended need.

    Args:
        target: What for.
        layout: Where.
        number: The phase.
        latches: Where that is.
        counters: Byte offset of the counters.
    """
    f = Function(target, f"end_{number}")
    ended = f.conj(f.load(layout.terminal), f.load(layout.go))
    pending = f.load(layout.pending)
    # Invariant: there is room for one end a lane. A lane that ends once more while its last end is
    # not yet scored has all of them scored first; many lanes have ended by then, at one price.
    f.line(f"br i1 {f.any(f.conj(ended, pending))}, label %full, label %keep")
    f.label("full")
    f.line("call void @flush(ptr %m)")
    f.line("br label %keep")
    f.label("keep")
    for j, place in enumerate(latches):
        f.store(f.blend(ended, read_place(f, place), f.load(layout.kept + j)), layout.kept + j)
    for bit in range(layout.phase_bits):
        slot = layout.kept_turns + layout.turn_bits + bit
        old = f.load(slot)
        f.store(f.disj(old, ended) if number >> bit & 1 else f.without(old, ended), slot)
    f.store(f.disj(f.load(layout.pending), ended), layout.pending)
    f.store(f.without(f.load(layout.live), ended), layout.live)

    def keep(bit: int) -> None:
        slot = layout.kept_turns + bit
        f.store(f.blend(ended, f.load(layout.turns + bit), f.load(slot)), slot)

    _for_turns(f, layout, counters, keep)
    f.line("ret void")
    return f.text()


def _for_turns(f: Function, layout: Layout, counters: int, emit: Callable[[int], None]) -> None:
    """Emit something for each bit of the count of turns, the hard ones run only if ever needed."""
    for bit in layout.easy_turns:
        emit(bit)
    if layout.hard_turns:
        long = f.let(f"load i64, ptr {f.counter(counters, LONG)}")
        is_long = f.let(f"icmp ne i64 {long}, 0")
        f.line(f"br i1 {is_long}, label %long, label %short")
        f.label("long")
        for bit in layout.hard_turns:
            emit(bit)
        f.line("br label %short")
        f.label("short")


def emit_start(
    target: Target, layout: Layout, initial: Sequence[bool], counters: int, *, is_list: bool = False
) -> str:
    """Return ``start``, which begins a playout in every free lane while there are any left.

    Args:
        target: What for.
        layout: Where.
        initial: Whether each stored fact holds at the start.
        counters: Byte offset of the counters.
        is_list: Whether facts are to be set one after the other by a loop, which is made sooner.
    """
    if is_list and initial:
        texts = [_emit_reset_loop(target, layout, initial)]
    else:
        chunks = [
            range(i, min(i + RESTART_CHUNK, len(initial)))
            for i in range(0, len(initial), RESTART_CHUNK)
        ]
        texts = [_emit_reset(target, layout, initial, part, i) for i, part in enumerate(chunks)]
    v, n = target.vector, target.elements
    f = Function(target, "start", exported=True)
    live = f.load(layout.live)
    free = f.inverse(live)
    quota = f.load(layout.quota)
    # A word deals from its own quota: enough for all its free lanes, or for the lowest so many.
    wanted = f.count(free)
    enough = f.let(f"icmp uge {v} {quota}, {wanted}")
    whole = f.let(f"select <{n} x i1> {enough}, {v} {free}, {v} zeroinitializer")
    some = f.let(f"icmp ne {v} {quota}, zeroinitializer")
    tight = f.let(f"xor <{n} x i1> {enough}, {_true(n)}")
    tight = f.let(f"and <{n} x i1> {tight}, {some}")
    bits = f.let(f"bitcast <{n} x i1> {tight} to i{n}")
    is_tight = f.let(f"icmp ne i{n} {bits}, 0")
    f.line(f"br i1 {is_tight}, label %few, label %begin")
    f.label("few")
    fewer = f.let(f"call {v} @lowest({v} {free}, {v} {quota})")
    mixed = f.let(f"select <{n} x i1> {enough}, {v} {whole}, {v} {fewer}")
    f.line("br label %begin")
    f.label("begin")
    fresh = f.let(f"phi {v} [ {whole}, %entry ], [ {mixed}, %few ]")
    f.line(f"br i1 {f.any(fresh)}, label %reset, label %done")
    f.label("reset")
    f.store(f.let(f"sub {v} {quota}, {f.count(fresh)}"), layout.quota)
    f.store(f.disj(live, fresh), layout.live)
    for i in range(len(texts)):
        f.line(f"call void @reset_{i}(ptr %m, {v} {fresh})")

    def clear(bit: int) -> None:
        f.store(f.without(f.load(layout.turns + bit), fresh), layout.turns + bit)

    _for_turns(f, layout, counters, clear)
    f.line("br label %done")
    f.label("done")
    f.line("ret void")
    return "\n".join([*texts, _emit_lowest(target), f.text()])


def _true(n: int) -> str:
    return "<" + ", ".join(["i1 true"] * n) + ">"


def _emit_reset(
    target: Target, layout: Layout, initial: Sequence[bool], part: range, number: int
) -> str:
    f = Function(target, f"reset_{number}", f"{target.vector} %fresh")
    for fact in part:
        old = f.load(layout.facts + fact)
        new = f.disj(old, "%fresh") if initial[fact] else f.without(old, "%fresh")
        f.store(new, layout.facts + fact)
    f.line("ret void")
    return f.text()


def _emit_reset_loop(target: Target, layout: Layout, initial: Sequence[bool]) -> str:
    """Return ``reset_0`` for all facts; a table says which hold at the start."""
    v, n = target.vector, target.elements
    table = "".join(f"\\{-holds & 0xFF:02x}" for holds in initial)
    return f"""
@initial = internal constant [{len(initial)} x i8] c"{table}"
define internal void @reset_0(ptr noalias %m, {v} %fresh) {target.attributes} {{
entry:
  br label %fact
fact:
  %i = phi i64 [ 0, %entry ], [ %next, %fact ]
  %slot = add nuw nsw i64 %i, {layout.facts}
  %at = getelementptr inbounds {v}, ptr %m, i64 %slot
  %old = load {v}, ptr %at, align {target.bytes}
  %holds_at = getelementptr inbounds i8, ptr @initial, i64 %i
  %holds = load i8, ptr %holds_at
  %word = sext i8 %holds to i64
  %one = insertelement {v} poison, i64 %word, i64 0
  %all = shufflevector {v} %one, {v} poison, <{n} x i32> zeroinitializer
  %differs = xor {v} %old, %all
  %changes = and {v} %differs, %fresh
  %new = xor {v} %old, %changes
  store {v} %new, ptr %at, align {target.bytes}
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, {len(initial)}
  br i1 %more, label %fact, label %done
done:
  ret void
}}
"""


def _emit_lowest(target: Target) -> str:
    """Return ``lowest``: of each word of lanes the lowest so many; run at the end only."""
    v, n = target.vector, target.elements
    lines = [
        f"define internal {v} @lowest({v} %lanes, {v} %numbers) noinline {target.attributes} {{"
    ]
    # A word gives away its lowest bit, x & -x, until it is empty or gave as many as were asked for.
    lines.append("entry:\n  br label %word")
    lines.append(f"""word:
  %i = phi i64 [ 0, %entry ], [ %i1, %store ]
  %result = phi {v} [ zeroinitializer, %entry ], [ %result1, %store ]
  %lane0 = extractelement {v} %lanes, i64 %i
  %number0 = extractelement {v} %numbers, i64 %i
  br label %bit
bit:
  %left = phi i64 [ %lane0, %word ], [ %left1, %take ]
  %taken = phi i64 [ 0, %word ], [ %taken1, %take ]
  %number = phi i64 [ %number0, %word ], [ %number1, %take ]
  %none = icmp eq i64 %number, 0
  %empty = icmp eq i64 %left, 0
  %stop = or i1 %none, %empty
  br i1 %stop, label %store, label %take
take:
  %minus = sub i64 0, %left
  %low = and i64 %left, %minus
  %left1 = xor i64 %left, %low
  %taken1 = or i64 %taken, %low
  %number1 = add i64 %number, -1
  br label %bit
store:
  %result1 = insertelement {v} %result, i64 %taken, i64 %i
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {n}
  br i1 %more, label %word, label %out
out:
  ret {v} %result1
}}
""")
    return "\n".join(lines)


def emit_ply(
    target: Target, layout: Layout, number: int, stages: Sequence[Sequence[str]], limit: int | None
) -> str:
    """Return ``ply_NUMBER``: one ply of one phase.

    Args:
        target: What for.
        layout: Where.
        number: The phase.
        stages: Functions of the counting and of the choosing half.
        limit: Number of turns at which a playout is cut off after this ply; None for never.
    """
    f = Function(target, f"ply_{number}", exported=True)
    for name in stages[0]:
        f.line(f"call void @{name}(ptr %m)")
    f.line(f"call void @random_ranks_{number}(ptr %m)")
    for name in stages[1]:
        f.line(f"call void @{name}(ptr %m)")
    ended = f.conj(f.load(layout.terminal), f.load(layout.go))
    f.line(f"br i1 {f.any(ended)}, label %end, label %go_on")
    f.label("end")
    f.line(f"call void @end_{number}(ptr %m)")
    f.line("br label %go_on")
    f.label("go_on")
    if limit is not None:
        _emit_limit(f, layout, limit)
    f.line("ret void")
    return f.text()


def _emit_limit(f: Function, layout: Layout, limit: int) -> None:
    # No count reaches the limit without its highest bit: one look is enough nearly always.
    top = f.load(layout.turns + limit.bit_length() - 1)
    f.line(f"br i1 {f.any(top)}, label %near, label %done")
    f.label("near")
    equal: Value = f.conj(f.load(layout.live), f.load(layout.go))
    for bit in range(layout.turn_bits):
        plane = f.load(layout.turns + bit)
        equal = f.conj(equal, plane) if limit >> bit & 1 else f.without(equal, plane)
    f.line(f"br i1 {f.any(equal)}, label %cut, label %done")
    f.label("cut")
    f.line(f"call void @count_cut(ptr %m, {f.target.vector} {equal})")
    f.line("br label %done")
    f.label("done")


def emit_run(target: Target, layout: Layout, period: int, goals: int) -> str:
    """Return the entrance ``run``: so many cycles, or fewer; 1 when all is done.

    Args:
        target: What for.
        layout: Where.
        period: Phases of a cycle.
        goals: Byte offset of the table of goals or of the list of them, which must be emptied
            when it is half full.
    """
    f = Function(target, "run", "i64 %cycles", "i64", exported=True)
    f.line("br label %cycle")
    f.label("cycle")
    f.line("%left = phi i64 [ %cycles, %entry ], [ %fewer, %plies ]")
    f.line("call void @start(ptr %m)")
    f.line(f"br i1 {f.any(f.load(layout.live))}, label %plies, label %over")
    f.label("plies")
    for number in range(period):
        f.line(f"call void @ply_{number}(ptr %m)")
    # A cycle lists at most as many ends as fill half of the list: none is lost before the pause.
    f.line("%fewer = add i64 %left, -1")
    more = f.let("icmp ne i64 %fewer, 0")
    if layout.is_listed:
        list_at = f.let(f"getelementptr inbounds i8, ptr %m, i64 {goals}")
        listed = f.let(f"load i64, ptr {list_at}")
        room = list_length(target.width, period) // 2
        has_room = f.let(f"icmp ule i64 {listed}, {room}")
        more = f.let(f"and i1 {more}, {has_room}")
    f.line(f"br i1 {more}, label %cycle, label %pause")
    f.label("pause")
    f.line("ret i64 0")
    f.label("over")
    f.line("call void @flush(ptr %m)")
    f.line("call void @count_ends(ptr %m)")
    f.line("ret i64 1")
    return f.text()
