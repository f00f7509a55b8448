"""The first lane of a kernel, to and from bytes: for one state at a time.

Out come ``take`` (a byte a slot), ``pack`` (a bit a slot, the highest of a byte first), ``put``
(such bits back into slots), and what a game played by hand asks of one state: ``look`` (what is
seen of it) and ``ply`` (the state after a joint move).

Source: the order of bits is that of `numpy.packbits`.
"""

from __future__ import annotations

from gdl.native.code.ir import Target
from gdl.native.kernel.layout import KernelLayout, desk_layout


def emit_one_lane(target: Target) -> str:
    """Return ``take``, ``pack`` and ``put`` as LLVM assembly."""
    take = """  %bit = and i64 %word, 1
  %byte = trunc i64 %bit to i8
  %to = getelementptr inbounds i8, ptr %bytes, i64 %i
  store i8 %byte, ptr %to"""
    place = """  %which = lshr i64 %i, 3
  %at = getelementptr inbounds i8, ptr %bytes, i64 %which
  %from_left = and i64 %i, 7
  %place = xor i64 %from_left, 7"""
    # the byte so far stays in a register: read back from memory, each bit would wait for the last
    pack = f"""{place}
  %bit = and i64 %word, 1
  %shifted = shl i64 %bit, %place
  %byte = trunc i64 %shifted to i8
  %begins = icmp eq i64 %from_left, 0
  %before = select i1 %begins, i8 0, i8 %so_far
  %both = or i8 %before, %byte
  store i8 %both, ptr %at"""
    put = f"""{place}
  %there = load i8, ptr %at
  %wide = zext i8 %there to i64
  %shifted = lshr i64 %wide, %place
  %bit = and i64 %shifted, 1
  store i64 %bit, ptr %slot_at"""
    so_far = "  %so_far = phi i8 [ 0, %entry ], [ %both, %each ]"
    return "\n".join(
        _loop(target, name, body, phi)
        for name, body, phi in (("take", take, ""), ("pack", pack, so_far), ("put", put, ""))
    )


def emit_one_game(target: Target, layout: KernelLayout, facts: int) -> str:
    """Return ``look`` and ``ply`` as LLVM assembly; ``observe`` and ``advance`` are there.

    Both take the memory, a desk (see `desk_layout`) and a state: null for the one that is in the
    memory. After ``ply`` the memory has the state that follows, and so has the desk.

    ``ply`` takes the number of the move chosen of each role from the desk. No move is chosen when
    it begins, nor when it ends: it clears the slots that it set. ``advance`` reads facts and moves
    alone, so a state need not be looked at before.
    """
    desk = desk_layout(layout, facts)
    first, count = layout.seen
    # One game is lane 0 of its vector, so a slot is its first word: 0 or 1, no other lane counts.
    # To choose a move is to set the slot of that move, and the slots are found by adding the number
    # of the move to the first slot of the role; the same addresses serve to clear them afterwards.
    slots, chosen, cleared = [], [], []
    for r, start in enumerate(layout.moves):
        slots.append(
            f"""  %at{r} = getelementptr inbounds i64, ptr %desk, i64 {r}
  %id{r} = load i64, ptr %at{r}
  %slot{r} = add i64 %id{r}, {start}
  %index{r} = mul i64 %slot{r}, {target.elements}
  %move{r} = getelementptr inbounds i64, ptr %m, i64 %index{r}"""
        )
        chosen.append(f"  store i64 1, ptr %move{r}")
        cleared.append(f"  store i64 0, ptr %move{r}")
    lines = "\n".join

    def function(name: str, body: str) -> str:
        return f"""
define void @{name}(ptr %m, ptr %desk, ptr %state) {target.attributes} {{
entry:
  %is_there = icmp eq ptr %state, null
  br i1 %is_there, label %there, label %elsewhere
elsewhere:
  call void @put(ptr %m, i64 {layout.facts}, i64 {facts}, ptr %state)
  br label %there
there:
{body}
  ret void
}}
"""

    look = f"""  call void @observe(ptr %m)
  %seen = getelementptr inbounds i8, ptr %desk, i64 {desk.seen}
  call void @take(ptr %m, i64 {first}, i64 {count}, ptr %seen)"""
    ply = f"""  %hold = getelementptr inbounds i64, ptr %m, i64 {layout.hold * target.elements}
  store i64 0, ptr %hold
{lines(slots)}
{lines(chosen)}
  call void @advance(ptr %m)
{lines(cleared)}
  %to = getelementptr inbounds i8, ptr %desk, i64 {desk.state}
  call void @pack(ptr %m, i64 {layout.facts}, i64 {facts}, ptr %to)"""
    return function("look", look) + function("ply", ply)


def _loop(target: Target, name: str, body: str, phi: str) -> str:
    return f"""
define void @{name}(ptr %m, i64 %slot, i64 %count, ptr %bytes) {target.attributes} {{
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %each
each:
  %i = phi i64 [ 0, %entry ], [ %i1, %each ]
{phi}
  %s = add i64 %slot, %i
  %index = mul i64 %s, {target.elements}
  %slot_at = getelementptr inbounds i64, ptr %m, i64 %index
  %word = load i64, ptr %slot_at
{body}
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %count
  br i1 %more, label %each, label %done
done:
  ret void
}}
"""
