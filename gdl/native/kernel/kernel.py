"""The whole game over vectors of states: what is legal, what follows, what it is worth.

The kernel is what batches, perft and the native state machine share. In goes a
`GameCircuit`, out comes `KernelCode`: object code that looks at a vector of states
(``observe``), takes a move of each role (``choose``) and goes on (``advance``),
and that turns bit planes into bytes (``expand``, ``gather``) and back.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from gdl.language.terms import Term
from gdl.native.code import llvm as engine
from gdl.native.kernel.layout import KernelLayout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.circuit.game import GameCircuit
    from gdl.native.code.ir import Target

WORD: Final = 64
"""Bits of one element of a vector."""
SHORT: Final = 1 << 14
"""Slots of a game of which one state takes microseconds: too short to let another thread run."""
NO_GOAL: Final = -1
"""Stands for the goal of a role to which the rules give no single value."""


class KernelCode(NamedTuple):
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
        is_cut: Whether facts are missing where one plays on though the game is over.
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
    is_cut: bool


def compile_kernel(circuit: GameCircuit, *, target: Target | None = None) -> KernelCode:
    """Return the kernel of a game.

    Args:
        circuit: The game.
        target: What for, by default this machine at its widest.
    """
    from gdl._gc_pause import collector_paused
    from gdl.native.code.target import native_target
    from gdl.native.kernel.assembly import kernel_text

    target = target or native_target()
    with collector_paused():
        layout, text = kernel_text(circuit, target)
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
        circuit.is_cut,
    )


class Kernel:
    """A kernel ready to run. It holds no states: those are arrays of the caller."""

    def __init__(self, compiled: KernelCode) -> None:
        """Load the code."""
        self.compiled = compiled
        self.layout = compiled.layout
        self.width = compiled.width
        self.words = compiled.width // WORD
        self._code = engine.Code(compiled.code)
        number, pointer = ctypes.c_int64, ctypes.c_void_p
        planes = (pointer, number, number, pointer)

        def function(
            name: str,
            *arguments: Any,  # noqa: ANN401  # ctypes' own
            result: Any = None,  # noqa: ANN401
            kind: Any = ctypes.CFUNCTYPE,  # noqa: ANN401
        ) -> Callable[..., Any]:
            prototype = kind(result, *arguments)(self._code.address(name))
            return cast("Callable[..., Any]", prototype)

        self.observe = function("observe", pointer)
        self.advance = function("advance", pointer)
        self.reset = function("reset", pointer)
        self.check = function("check", pointer, number, number, pointer, number, result=number)
        self.go = function("go", pointer, number, number, pointer, number, number)
        self.expand = function("expand", *planes, number)
        self.sample = function("sample", pointer, number, number, pointer, pointer)
        self.take = function("take", *planes)
        kind = ctypes.PYFUNCTYPE if self.layout.slots <= SHORT else ctypes.CFUNCTYPE
        self.look = function("look", pointer, pointer, pointer, kind=kind)
        self.ply = function("ply", pointer, pointer, pointer, kind=kind)

    def address(self, name: str) -> int:
        """Return the address of a function of the code: ``observe`` or ``advance``."""
        return self._code.address(name)

    @cached_property
    def initial(self) -> NDArray[np.bool_]:
        """The facts of the initial state."""
        import numpy as np

        held = np.zeros(len(self.compiled.facts), np.bool_)
        held[list(self.compiled.initial)] = True
        return held

    def memory(self, vectors: int) -> NDArray[np.uint64]:
        """Return memory for so many vectors of states: ``uint64[vectors, slots, words]``.

        All lanes are in the initial state; nothing is observed yet.
        """
        import numpy as np

        from gdl.native.code.memory import aligned

        size = vectors * self.layout.slots * self.width // 8
        slots = aligned(size).view(np.uint64).reshape(vectors, self.layout.slots, self.words)
        ones = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
        held = np.flatnonzero(self.initial)
        slots[:, self.layout.initial + held] = ones
        slots[:, self.layout.facts + held] = ones
        return slots
