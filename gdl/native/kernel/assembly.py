"""A kernel as LLVM assembly: its two graphs, and the functions around them.

Bit planes become bytes and numbers of moves become bit planes (``expand``, ``gather``; of
the first lane alone ``take``, ``pack``, ``put``, ``look`` and ``ply``); moves are checked
(``choose``, ``check``), made in all vectors (``go``), and games begun anew (``reset``).
"""

from __future__ import annotations

from gdl.circuit.game import GameCircuit
from gdl.native.code.emit import emit_graph
from gdl.native.code.ir import Function, Target
from gdl.native.code.schedule import schedule
from gdl.native.code.target import declarations
from gdl.native.kernel.graphs import advance, lay_out_kernel, observation
from gdl.native.kernel.layout import KernelLayout
from gdl.native.kernel.one_lane import emit_one_game, emit_one_lane
from gdl.native.kernel.sample import emit_sample


def kernel_text(circuit: GameCircuit, target: Target) -> tuple[KernelLayout, str]:
    """Return the layout and the module of a kernel."""
    layout, one_game = one_game_text(circuit, target)
    texts = [
        declarations(target),
        one_game,
        emit_expand(target),
        emit_gather(target),
        emit_sample(target, max(map(len, circuit.moves), default=0)),
        emit_reset(target, layout, circuit),
        emit_choose(target, circuit, layout),
        emit_check(target, circuit, layout),
        emit_go(target, circuit, layout),
    ]
    return layout, "\n".join(texts)


def one_game_text(circuit: GameCircuit, target: Target) -> tuple[KernelLayout, str]:
    """Return the layout, and the functions of who plays one game; `declarations` left out."""
    layout, first_free = lay_out_kernel(circuit)
    texts = [emit_one_lane(target), emit_one_game(target, layout, len(circuit.facts))]
    slots = first_free
    for name, (aig, inputs, roots) in (
        ("observe", observation(circuit, layout)),
        ("advance", advance(circuit, layout)),
    ):
        planned = schedule(aig, inputs, [roots], first_free)
        texts.append(emit_graph(target, planned, name))
        slots = max(slots, planned.slots)
    return layout._replace(slots=slots), "\n".join(texts)


def emit_expand(target: Target) -> str:
    """Return ``expand``: bit planes to bytes, a plane a row of ``stride`` bytes."""
    n = target.elements
    return f"""
define void @expand(ptr %m, i64 %slot, i64 %count, ptr %out, i64 %stride) {target.attributes} {{
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %plane
plane:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %s = add i64 %slot, %i
  %word = mul i64 %s, {n}
  %from = getelementptr inbounds i64, ptr %m, i64 %word
  %row = mul i64 %i, %stride
  %to = getelementptr inbounds i8, ptr %out, i64 %row
  br label %words
words:
  %w = phi i64 [ 0, %plane ], [ %w1, %words ]
  %at = getelementptr inbounds i64, ptr %from, i64 %w
  %bits = load i64, ptr %at
  %lanes = bitcast i64 %bits to <64 x i1>
  %bytes = zext <64 x i1> %lanes to <64 x i8>
  %offset = shl i64 %w, 6
  %dest = getelementptr inbounds i8, ptr %to, i64 %offset
  store <64 x i8> %bytes, ptr %dest, align 1
  %w1 = add i64 %w, 1
  %inner = icmp ult i64 %w1, {n}
  br i1 %inner, label %words, label %next
next:
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %count
  br i1 %more, label %plane, label %done
done:
  ret void
}}
"""


def emit_gather(target: Target) -> str:
    """Return ``gather``: numbers of moves to a bit plane a move.

    A move's plane says in which lanes it was chosen: the 64 numbers of a word are compared with
    it at once, and the 64 answers are the bits. A number that no move has chooses none.
    """
    n = target.elements
    return f"""
define void @gather(ptr %m, i64 %slot, i64 %count, ptr %ids) {target.attributes} {{
entry:
  br label %words
words:
  %w = phi i64 [ 0, %entry ], [ %w1, %next ]
  %offset = shl i64 %w, 6
  %from = getelementptr inbounds i32, ptr %ids, i64 %offset
  %chosen = load <64 x i32>, ptr %from, align 4
  br label %move
move:
  %i = phi i64 [ 0, %words ], [ %i1, %move ]
  %id = trunc i64 %i to i32
  %one = insertelement <64 x i32> poison, i32 %id, i64 0
  %all = shufflevector <64 x i32> %one, <64 x i32> poison, <64 x i32> zeroinitializer
  %same = icmp eq <64 x i32> %chosen, %all
  %bits = bitcast <64 x i1> %same to i64
  %s = add i64 %slot, %i
  %row = mul i64 %s, {n}
  %word = add i64 %row, %w
  %to = getelementptr inbounds i64, ptr %m, i64 %word
  store i64 %bits, ptr %to
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %count
  br i1 %more, label %move, label %next
next:
  %w1 = add i64 %w, 1
  %again = icmp ult i64 %w1, {n}
  br i1 %again, label %words, label %done
done:
  ret void
}}
"""


def emit_reset(target: Target, layout: KernelLayout, circuit: GameCircuit) -> str:
    """Return ``reset``: lanes of the plane ``illegal`` (used as a mask) go back to the start."""
    f = Function(target, "reset", exported=True)
    f.line(f"br label %{'fact' if circuit.facts else 'done'}")
    f.label("fact")
    f.line("%i = phi i64 [ 0, %entry ], [ %i1, %fact ]")
    mask = f.load(layout.illegal)
    here = f.let(f"add i64 %i, {layout.facts}")
    start = f.let(f"add i64 %i, {layout.initial}")
    f.store(f.blend(mask, f.load(start), f.load(here)), here)
    f.line("%i1 = add i64 %i, 1")
    f.line(f"%more = icmp ult i64 %i1, {len(circuit.facts)}")
    f.line("br i1 %more, label %fact, label %done")
    f.label("done")
    f.line("ret void")
    return f.text()


def emit_choose(target: Target, circuit: GameCircuit, layout: KernelLayout) -> str:
    """Return ``choose``: check the moves gathered; ``fill`` gives forced roles their only move."""
    f = Function(target, "choose", f"{target.vector} %fill", "i64")
    # What is over stays as it is whatever was chosen, and so do the lanes past the last game.
    hold = f.disj(f.load(layout.terminal), f.load(layout.spare))
    f.store(hold, layout.hold)
    illegal = "zeroinitializer"
    block = "%entry"
    for role, moves in enumerate(circuit.moves):
        if not moves:
            illegal = f.target.ones
            continue
        forced = f.conj(f.load(layout.single + role), "%fill")
        label = f"role{role}"
        f.line(f"br label %{label}")
        f.label(label)
        i, following = f"%i{role}", f"%j{role}"
        f.line(f"{i} = phi i64 [ 0, {block} ], [ {following}, %{label} ]")
        # A lane is right when one of the moves taken is legal there. A forced role takes all its
        # legal moves, and it has but one; nobody else can take two, as `gather` reads one number.
        has_legal, has_legal_next = f"%found{role}", f"%next{role}"
        f.line(
            f"{has_legal} = phi {target.vector} [ zeroinitializer, {block} ], "
            f"[ {has_legal_next}, %{label} ]"
        )
        move_at = f.let(f"add i64 {i}, {layout.moves[role]}")
        legal = f.load(f.let(f"add i64 {i}, {layout.legal[role]}"))
        taken = f.blend(forced, legal, f.load(move_at))
        f.store(taken, move_at)
        f.line(f"{has_legal_next} = or {target.vector} {has_legal}, {f.conj(taken, legal)}")
        f.line(f"{following} = add i64 {i}, 1")
        more = f.let(f"icmp ult i64 {following}, {len(moves)}")
        f.line(f"br i1 {more}, label %{label}, label %{label}_done")
        f.label(f"{label}_done")
        block = f"%{label}_done"
        illegal = f.disj(illegal, f.inverse(has_legal_next))
    illegal = f.without(illegal, hold)
    f.store(illegal, layout.illegal)
    f.line(f"ret i64 {f.let(f'zext i1 {f.any(illegal)} to i64')}")
    return f.text()


def emit_check(target: Target, circuit: GameCircuit, layout: KernelLayout) -> str:
    """Return ``check``: take the moves of all vectors; not zero when one is illegal."""
    size = layout.slots * target.bytes
    gathers = "\n".join(
        f"""  %row{r} = mul i64 %lanes, {r}
  %at{r} = add i64 %row{r}, %lane
  %ids{r} = getelementptr inbounds i32, ptr %ids, i64 %at{r}
  call void @gather(ptr %here, i64 {layout.moves[r]}, i64 {len(moves)}, ptr %ids{r})"""
        for r, moves in enumerate(circuit.moves)
        if moves
    )
    return f"""
define i64 @check(
    ptr %m, i64 %vectors, i64 %lanes, ptr %ids, i64 %free
) {target.attributes} {{
entry:
  %one = insertelement {target.vector} poison, i64 %free, i64 0
  %fill = shufflevector
    {target.vector} %one, {target.vector} poison, <{target.elements} x i32> zeroinitializer
  br label %vector
vector:
  %v = phi i64 [ 0, %entry ], [ %v1, %vector ]
  %wrong = phi i64 [ 0, %entry ], [ %wrong1, %vector ]
  %byte = mul i64 %v, {size}
  %here = getelementptr inbounds i8, ptr %m, i64 %byte
  %lane = mul i64 %v, {target.width}
{gathers}
  %illegal = call i64 @choose(ptr %here, {target.vector} %fill)
  %wrong1 = or i64 %wrong, %illegal
  %v1 = add i64 %v, 1
  %more = icmp ult i64 %v1, %vectors
  br i1 %more, label %vector, label %done
done:
  ret i64 %wrong1
}}
"""


def emit_go(target: Target, circuit: GameCircuit, layout: KernelLayout) -> str:
    """Return ``go``: play the moves taken, if any, and write what is seen of all vectors.

    The table of addresses has those of terminal, goals, and the legal moves of each role.
    """
    size = layout.slots * target.bytes
    goals = sum(len(pairs) for pairs in circuit.goals)
    n = target.elements
    # One vector of games is done with, from its step to what is shown of it, before the next one
    # is touched: it stays in the cache. Of a game that ends and begins anew, terminal and goals
    # are shown before it is reset, and legal moves after: the end is told, and play goes on.
    legals = "\n".join(
        _show(2 + r, layout.legal[r], len(moves)) for r, moves in enumerate(circuit.moves)
    )
    return f"""
define void @go(
    ptr %m, i64 %vectors, i64 %lanes, ptr %out, i64 %advance, i64 %auto
) {target.attributes} {{
entry:
  %moves = icmp ne i64 %advance, 0
  %resets = icmp ne i64 %auto, 0
  br label %vector
vector:
  %v = phi i64 [ 0, %entry ], [ %v1, %legal ]
  %byte = mul i64 %v, {size}
  %here = getelementptr inbounds i8, ptr %m, i64 %byte
  %lane = mul i64 %v, {target.width}
  br i1 %moves, label %step, label %seen
step:
  call void @advance(ptr %here)
  br label %seen
seen:
  call void @observe(ptr %here)
{_show(0, layout.terminal, 1)}
{_show(1, layout.goals, goals)}
  %t_at = getelementptr inbounds {target.vector}, ptr %here, i64 {layout.terminal}
  %t = load {target.vector}, ptr %t_at, align {target.bytes}
  %t_ne = icmp ne {target.vector} %t, zeroinitializer
  %t_bits = bitcast <{n} x i1> %t_ne to i{n}
  %t_any = icmp ne i{n} %t_bits, 0
  %again = and i1 %t_any, %resets
  br i1 %again, label %anew, label %legal
anew:
  %i_at = getelementptr inbounds {target.vector}, ptr %here, i64 {layout.illegal}
  store {target.vector} %t, ptr %i_at, align {target.bytes}
  call void @reset(ptr %here)
  call void @observe(ptr %here)
  br label %legal
legal:
{legals}
  %v1 = add i64 %v, 1
  %more = icmp ult i64 %v1, %vectors
  br i1 %more, label %vector, label %done
done:
  ret void
}}
"""


def _show(index: int, slot: int, count: int) -> str:
    """Return how ``go`` writes some planes where the table of addresses says."""
    return f"""  %entry{index} = getelementptr inbounds ptr, ptr %out, i64 {index}
  %base{index} = load ptr, ptr %entry{index}
  %to{index} = getelementptr inbounds i8, ptr %base{index}, i64 %lane
  call void @expand(ptr %here, i64 {slot}, i64 {count}, ptr %to{index}, i64 %lanes)"""
