"""The whole game over vectors of states: what is legal, what follows, what it is worth.

The kernel is what batches, perft and the native state machine share. In goes a
`GameCircuit`, out comes `KernelCode`: object code that looks at a vector of states
(``observe``), takes a move of each role (``choose``) and goes on (``advance``),
and that turns bit planes into bytes (``expand``, ``gather``) and back.

Source: ours.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.compile.circuit import FALSE, Aig, GameCircuit, Lit, negate
from gdl.language.syntax import Term
from gdl.native import engine
from gdl.native.emit import emit_stages
from gdl.native.ir import WORD, Function, Target
from gdl.native.logic import Copier, select
from gdl.native.memory import aligned
from gdl.native.schedule import Root, schedule
from gdl.native.target import declarations, native_target

NO_GOAL: Final = -1
"""Stands for the goal of a role to which the rules give no single value."""


@dataclass(frozen=True, slots=True)
class KernelLayout:
    """Numbers of slots; where there are several, of the first.

    Attributes:
        facts: All facts.
        moves: The move chosen of each role.
        legal: Likewise, whether it is legal.
        single: For each role, whether it has exactly one legal move.
        terminal: Whether the game is over.
        hold: Lanes that stay as they are when all others go on.
        spare: Lanes that are not in use.
        illegal: Lanes in which a role was given no legal move.
        goals: Goal values of all roles, one after the other.
        sees: Percepts of all roles likewise.
        initial: The facts of the initial state in every lane.
        slots: Number of slots.
    """

    facts: int
    moves: tuple[int, ...]
    legal: tuple[int, ...]
    single: int
    terminal: int
    hold: int
    spare: int
    illegal: int
    goals: int
    sees: int
    initial: int
    slots: int


@dataclass(frozen=True, slots=True)
class KernelCode:
    """The kernel of one game as object code, for one width of vectors.

    Attributes:
        code: The object code.
        width: Lanes of one vector.
        layout: Where things lie.
        roles: The roles in order.
        facts: Base propositions in canonical order.
        initial: Those that hold at the start, by index.
        moves: Moves of each role in canonical order.
        goals: Goal values of each role, rising.
        sees: Percepts of each role.
    """

    code: bytes
    width: int
    layout: KernelLayout
    roles: tuple[Term, ...]
    facts: tuple[Term, ...]
    initial: frozenset[int]
    moves: tuple[tuple[Term, ...], ...]
    goals: tuple[tuple[int, ...], ...]
    sees: tuple[tuple[Term, ...], ...]


def compile_kernel(circuit: GameCircuit, *, target: Target | None = None) -> KernelCode:
    """Return the kernel of a game.

    Args:
        circuit: The game.
        target: What for, by default this machine at its widest.
    """
    target = target or native_target()
    layout, text = _module(circuit, target)
    return KernelCode(
        engine.assemble(text),
        target.width,
        layout,
        circuit.roles,
        circuit.facts,
        circuit.initial,
        circuit.moves,
        tuple(tuple(value for value, _ in pairs) for pairs in circuit.goals),
        tuple(tuple(term for term, _ in pairs) for pairs in circuit.sees)
        or ((),) * len(circuit.roles),
    )


def _lay_out(circuit: GameCircuit) -> tuple[KernelLayout, int]:
    """Return the layout, slots not yet counted, and the first free slot."""
    slot = 0

    def take(count: int) -> int:
        nonlocal slot
        slot += count
        return slot - count

    return (
        KernelLayout(
            facts=take(len(circuit.facts)),
            moves=tuple(take(len(moves)) for moves in circuit.moves),
            legal=tuple(take(len(moves)) for moves in circuit.moves),
            single=take(len(circuit.roles)),
            terminal=take(1),
            hold=take(1),
            spare=take(1),
            illegal=take(1),
            goals=take(sum(len(pairs) for pairs in circuit.goals)),
            sees=take(sum(len(pairs) for pairs in circuit.sees)),
            initial=take(len(circuit.facts)),
            slots=0,
        ),
        slot,
    )


def _module(circuit: GameCircuit, target: Target) -> tuple[KernelLayout, str]:
    layout, first_free = _lay_out(circuit)
    texts = [
        declarations(target),
        _emit_expand(target),
        _emit_gather(target),
        _emit_reset(target, layout, circuit),
    ]
    slots = first_free
    for name, (aig, inputs, roots) in (
        ("observe", _observation(circuit, layout)),
        ("advance", _advance(circuit, layout)),
    ):
        planned = schedule(aig, inputs, [roots], first_free)
        (names,), text = emit_stages(target, planned, name)
        outer = Function(target, name, exported=True)
        for each in names:
            outer.line(f"call void @{each}(ptr %m)")
        outer.line("ret void")
        texts += [text, outer.text()]
        slots = max(slots, planned.slots)
    texts.append(_emit_choose(target, circuit, layout))
    layout = replace(layout, slots=slots)
    texts += [_emit_check(target, circuit, layout), _emit_go(target, circuit, layout)]
    return layout, "\n".join(texts)


def _inputs(
    aig: Aig, circuit: GameCircuit, layout: KernelLayout
) -> tuple[dict[int, Lit], dict[int, int]]:
    """Return inputs of a new graph for facts that are inputs: by node of the circuit, and slots."""
    values: dict[int, Lit] = {}
    slots: dict[int, int] = {}
    for fact, edge in enumerate(circuit.fact_inputs):
        if is_plain(circuit, edge):
            values[edge >> 1] = aig.add_input()
            slots[values[edge >> 1] >> 1] = layout.facts + fact
    return values, slots


def is_plain(circuit: GameCircuit, edge: Lit) -> bool:
    """Return whether an edge is an input and not logic over others."""
    return edge > 1 and not edge & 1 and not circuit.aig.is_and(edge >> 1)


def _observation(
    circuit: GameCircuit, layout: KernelLayout
) -> tuple[Aig, dict[int, int], list[Root]]:
    aig = Aig()
    values, slots = _inputs(aig, circuit, layout)
    copier = Copier(aig, circuit.aig, values)
    roots: list[Root] = []
    for role, edges in enumerate(circuit.legal):
        made = copier.edges(edges)
        roots += [Root(edge, layout.legal[role] + i) for i, edge in enumerate(made)]
        roots.append(Root(_exactly_one(aig, made), layout.single + role))
    roots.append(Root(copier.edge(circuit.terminal), layout.terminal))
    goals = copier.edges([edge for pairs in circuit.goals for _, edge in pairs])
    roots += [Root(edge, layout.goals + i) for i, edge in enumerate(goals)]
    for fact, edge in enumerate(circuit.fact_inputs):
        if not is_plain(circuit, edge):
            roots.append(Root(copier.edge(edge), layout.facts + fact))
    return aig, slots, roots


def _exactly_one(aig: Aig, edges: tuple[Lit, ...]) -> Lit:
    some = several = FALSE
    for edge in edges:
        several = aig.disj(several, aig.conj(some, edge))
        some = aig.disj(some, edge)
    return aig.conj(some, negate(several))


def _advance(circuit: GameCircuit, layout: KernelLayout) -> tuple[Aig, dict[int, int], list[Root]]:
    aig = Aig()
    values, slots = _inputs(aig, circuit, layout)
    hold = aig.add_input()
    slots[hold >> 1] = layout.hold
    for role, edges in enumerate(circuit.move_inputs):
        for i, edge in enumerate(edges):
            values[edge >> 1] = aig.add_input()
            slots[values[edge >> 1] >> 1] = layout.moves[role] + i
    copier = Copier(aig, circuit.aig, values)
    sees = copier.edges([edge for pairs in circuit.sees for _, edge in pairs])
    roots = [Root(edge, layout.sees + i) for i, edge in enumerate(sees)]
    for fact, edge in enumerate(circuit.fact_inputs):
        if is_plain(circuit, edge):
            old = values[edge >> 1]
            new = select(aig, hold, old, copier.edge(circuit.next[fact]))
            if new != old:
                roots.append(Root(new, layout.facts + fact))
    return aig, slots, roots


def _emit_expand(target: Target) -> str:
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


def _emit_gather(target: Target) -> str:
    """Return ``gather``: numbers of moves to a bit plane a move."""
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


def _emit_reset(target: Target, layout: KernelLayout, circuit: GameCircuit) -> str:
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


def _emit_choose(target: Target, circuit: GameCircuit, layout: KernelLayout) -> str:
    """Return ``choose``: check the moves gathered; ``fill`` gives forced roles their only move."""
    f = Function(target, "choose", f"{target.vector} %fill", "i64")
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
        found, found_next = f"%found{role}", f"%next{role}"
        f.line(
            f"{found} = phi {target.vector} [ zeroinitializer, {block} ], "
            f"[ {found_next}, %{label} ]"
        )
        move_at = f.let(f"add i64 {i}, {layout.moves[role]}")
        legal = f.load(f.let(f"add i64 {i}, {layout.legal[role]}"))
        taken = f.blend(forced, legal, f.load(move_at))
        f.store(taken, move_at)
        f.line(f"{found_next} = or {target.vector} {found}, {f.conj(taken, legal)}")
        f.line(f"{following} = add i64 {i}, 1")
        more = f.let(f"icmp ult i64 {following}, {len(moves)}")
        f.line(f"br i1 {more}, label %{label}, label %{label}_done")
        f.label(f"{label}_done")
        block = f"%{label}_done"
        illegal = f.disj(illegal, f.inverse(found_next))
    illegal = f.without(illegal, hold)
    f.store(illegal, layout.illegal)
    f.line(f"ret i64 {f.let(f'zext i1 {f.any(illegal)} to i64')}")
    return f.text()


def _emit_check(target: Target, circuit: GameCircuit, layout: KernelLayout) -> str:
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


def _emit_go(target: Target, circuit: GameCircuit, layout: KernelLayout) -> str:
    """Return ``go``: play the moves taken, if any, and write what is seen of all vectors.

    The table of addresses has those of terminal, goals, and the legal moves of each role.
    """
    size = layout.slots * target.bytes
    goals = sum(len(pairs) for pairs in circuit.goals)
    n = target.elements

    def expand(index: int, slot: int, count: int) -> str:
        return f"""  %entry{index} = getelementptr inbounds ptr, ptr %out, i64 {index}
  %base{index} = load ptr, ptr %entry{index}
  %to{index} = getelementptr inbounds i8, ptr %base{index}, i64 %lane
  call void @expand(ptr %here, i64 {slot}, i64 {count}, ptr %to{index}, i64 %lanes)"""

    legals = "\n".join(
        expand(2 + r, layout.legal[r], len(moves)) for r, moves in enumerate(circuit.moves)
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
  br i1 %moves, label %step, label %look
step:
  call void @advance(ptr %here)
  br label %look
look:
  call void @observe(ptr %here)
{expand(0, layout.terminal, 1)}
{expand(1, layout.goals, goals)}
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


class Kernel:
    """A kernel ready to run. It holds no states: those are arrays of the caller."""

    def __init__(self, compiled: KernelCode) -> None:
        """Load the code."""
        self.compiled = compiled
        self.layout = compiled.layout
        self.width = compiled.width
        self.words = compiled.width // WORD
        self._code = engine.Code(compiled.code)
        plain = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        number = ctypes.c_int64
        pointer = ctypes.c_void_p
        self.observe = plain(self._code.address("observe"))
        self.advance = plain(self._code.address("advance"))
        self.reset = plain(self._code.address("reset"))
        self.check = ctypes.CFUNCTYPE(number, pointer, number, number, pointer, number)(
            self._code.address("check")
        )
        self.go = ctypes.CFUNCTYPE(None, pointer, number, number, pointer, number, number)(
            self._code.address("go")
        )
        self.expand = ctypes.CFUNCTYPE(None, pointer, number, number, pointer, number)(
            self._code.address("expand")
        )

    def address(self, name: str) -> int:
        """Return the address of a function of the code: ``observe`` or ``advance``."""
        return self._code.address(name)

    @cached_property
    def initial(self) -> NDArray[np.bool_]:
        """The facts of the initial state."""
        held = np.zeros(len(self.compiled.facts), np.bool_)
        held[list(self.compiled.initial)] = True
        return held

    def memory(self, vectors: int) -> NDArray[np.uint64]:
        """Return memory for so many vectors of states: ``uint64[vectors, slots, words]``.

        All lanes are in the initial state; nothing is observed yet.
        """
        size = vectors * self.layout.slots * self.width // 8
        slots = aligned(size).view(np.uint64).reshape(vectors, self.layout.slots, self.words)
        ones = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
        held = np.flatnonzero(self.initial)
        slots[:, self.layout.initial + held] = ones
        slots[:, self.layout.facts + held] = ones
        return slots
