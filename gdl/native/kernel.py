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

from gdl.compile.circuit import GameCircuit
from gdl.language.syntax import Term
from gdl.native import engine
from gdl.native.emit import emit_stages
from gdl.native.ir import WORD, Function, Target
from gdl.native.kernel_logic import KernelLayout, advance, lay_out_kernel, observation
from gdl.native.kernel_text import (
    emit_check,
    emit_choose,
    emit_expand,
    emit_gather,
    emit_go,
    emit_reset,
)
from gdl.native.memory import aligned
from gdl.native.sample import emit_sample
from gdl.native.schedule import schedule
from gdl.native.target import declarations, native_target

NO_GOAL: Final = -1
"""Stands for the goal of a role to which the rules give no single value."""


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


def _module(circuit: GameCircuit, target: Target) -> tuple[KernelLayout, str]:
    layout, first_free = lay_out_kernel(circuit)
    texts = [
        declarations(target),
        emit_expand(target),
        emit_gather(target),
        emit_sample(target),
        emit_reset(target, layout, circuit),
    ]
    slots = first_free
    for name, (aig, inputs, roots) in (
        ("observe", observation(circuit, layout)),
        ("advance", advance(circuit, layout)),
    ):
        planned = schedule(aig, inputs, [roots], first_free)
        (names,), text = emit_stages(target, planned, name)
        outer = Function(target, name, exported=True)
        for each in names:
            outer.line(f"call void @{each}(ptr %m)")
        outer.line("ret void")
        texts += [text, outer.text()]
        slots = max(slots, planned.slots)
    texts.append(emit_choose(target, circuit, layout))
    layout = replace(layout, slots=slots)
    texts += [emit_check(target, circuit, layout), emit_go(target, circuit, layout)]
    return layout, "\n".join(texts)


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

        self.sample = ctypes.CFUNCTYPE(None, pointer, number, number, pointer, pointer)(
            self._code.address("sample")
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
