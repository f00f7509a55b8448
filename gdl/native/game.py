"""A compiled game: everything native, made when it is first asked for, kept on disk.

In goes the digest of the rules and a function that makes their circuit; out come a
state machine, playouts, perft and batches. When all that is asked for lies on disk, the
circuit is never made, and neither the parser nor the grounder is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final, TypeVar

from gdl._cache import cache_folder, cached, digest
from gdl._code_key import code_key
from gdl._gc_pause import collector_paused
from gdl.native.code import llvm as engine

if TYPE_CHECKING:  # loaded when asked for: a game on disk is ready before numpy is
    from gdl.circuit.game import GameCircuit
    from gdl.circuit.phases import PhaseCycle
    from gdl.language.terms import Term
    from gdl.native.kernel.batch import Batch
    from gdl.native.kernel.kernel import Kernel, KernelCode
    from gdl.native.kernel.packed import PackedCode, Packing
    from gdl.native.kernel.state_machine import NativeMachine
    from gdl.native.lanes.playouts import Lanes
    from gdl.native.scalar.events import Tables
    from gdl.native.scalar.game import Scalar
    from gdl.perft import PerftCount
    from gdl.playouts import Playouts

T = TypeVar("T")

NARROW: Final = 64
MANY: Final = 30_000
"""Gates from which code for wide vectors takes seconds to make."""
FEW: Final = 1 << 14
"""Playouts until which a list of gates does: machine code is several times as fast, and takes the
time of tens of thousands of playouts to make."""


class NativeGame:
    """A game as machine code.

    Attributes:
        digest: Name of the rules.
    """

    def __init__(
        self,
        rules: str,
        make_circuit: Callable[[], GameCircuit],
        *,
        width: int | None = None,
        folder: Path | None = None,
        keep: bool = True,
    ) -> None:
        """Prepare; nothing is compiled or read yet.

        Args:
            rules: Digest of the rules (`gdl._cache.digest`); must change when they do. That the
                code which compiles them is another, names of kept files tell by themselves.
            make_circuit: Makes the circuit; called at most once, and not at all when all that
                is asked for is on disk.
            width: Lanes of one vector, by default what the processor has.
            folder: Where compiled games are kept, by default the user's cache folder.
            keep: Whether to read and write that folder.
        """
        self.digest = rules
        self._make_circuit = make_circuit
        self._width = width or engine.host().width
        self._folder = (folder or cache_folder()) if keep else None
        self._few_played = 0

    @cached_property
    def circuit(self) -> GameCircuit:
        """The circuit; made or read from disk when it is first asked for."""
        from gdl.circuit.game import GameCircuit

        return self._cached("circuit", GameCircuit, self._make_circuit, is_portable=True)

    def prepare(self) -> None:
        """Read the state machine from disk, or make the circuit, from which all else is made.

        Whatever is wrong with the rules shows here. Who asks for playouts alone never waits for
        the code of the state machine, nor who asks for that for the code of the lanes.
        """
        _ = self.machine if self.is_kept else self.circuit

    @property
    def is_kept(self) -> bool:
        """Whether the state machine is on disk, so that nobody waits for it."""
        return self._is_on_disk(f"kernel{NARROW}")

    @property
    def roles(self) -> tuple[Term, ...]:
        """The roles, from what is there already."""
        source = self.machine if "machine" in vars(self) else self.circuit
        return source.roles

    @cached_property
    def machine(self) -> NativeMachine:
        """The state machine for one game at a time."""
        from gdl.native.kernel.state_machine import NativeMachine

        return NativeMachine(self._kernel_code(NARROW))

    def state(self, facts: Collection[Term]) -> bytes | None:
        """Return the state of the machine in which exactly these facts are true.

        None where machine code is no judge of it: it has a fact that play cannot make, or not
        what the code takes for granted of every state (`GameCircuit.allows`), or what goes round
        is in no phase, so that no lane could play on from here.
        """
        from gdl.compile.limits import CompileError
        from gdl.native.kernel.state_machine import UnknownFactError

        try:
            state = self.machine.state(facts)
            _ = self.circuit  # kept on disk, but it may be gone from there, and too slow to remake
        except (UnknownFactError, CompileError):
            return None
        held = self.machine.held(state)
        in_phase = frozenset(self._phases.facts).intersection(held) in self._phases.phases
        return state if in_phase and self.circuit.allows(held) else None

    @cached_property
    def _phases(self) -> PhaseCycle:
        from gdl.circuit.phases import find_phases

        return find_phases(self.circuit)

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel for many games at a time."""
        from gdl.native.kernel.kernel import Kernel

        return Kernel(self._kernel_code(self._width))

    @cached_property
    def lanes(self) -> Lanes:
        """The playouts.

        Raises:
            GoalTableError: The goals of all roles have too many combinations.
        """
        if self._has_lanes("list") and self.quick_lanes.compiled.is_final:
            return self.quick_lanes
        return self._lanes("lanes", is_quick=False)

    @cached_property
    def quick_lanes(self) -> Lanes:
        """The playouts as a list of gates, which is there sooner and runs slower.

        Raises:
            GoalTableError: The goals of all roles have too many combinations.
        """
        return self._lanes("list", is_quick=True)

    def _lanes(self, kind: str, *, is_quick: bool) -> Lanes:
        from gdl.native.lanes.playouts import LaneCode, Lanes, compile_lanes

        def make() -> LaneCode:
            from gdl.native.code.target import native_target

            target = native_target(self._width)
            return compile_lanes(self.circuit, target=target, is_quick=is_quick)

        return Lanes(self._cached(f"{kind}{self._width}", LaneCode, make))

    @cached_property
    def tables(self) -> Tables:
        """The tables for search, one game at a time.

        Raises:
            NoTablesError: More than one role may have a choice at the same time, or the moves
                reach too many gates.
        """
        from gdl.native.scalar.events import Tables, make_tables

        return self._cached("tables", Tables, lambda: make_tables(self.circuit, self._phases))

    def scalar(self) -> Scalar:
        """Return the game for search, for one thread.

        Raises:
            NoTablesError: More than one role may have a choice at the same time, or the moves
                reach too many gates.
            GoalTableError: The goals of all roles have too many combinations.
        """
        from gdl.native.scalar.game import Scalar, scalar_code

        cpu = engine.host()
        name = digest([code_key(), engine.version(), cpu.name, cpu.features])
        code = cached(f"{name}.scalar", bytes, scalar_code, folder=self._folder)
        return Scalar(self.tables, code)

    def playouts(
        self,
        n: int,
        *,
        seed: int = 0,
        threads: int = 1,
        progress: Callable[[int], None] | None = None,
        stop: Event | None = None,
    ) -> Playouts:
        """Run uniform random playouts; see `Lanes.playouts`.

        The first few are run by a list of gates, unless machine code is there already; the
        counts are the same.
        """
        self._few_played += n
        is_few = self._few_played <= FEW and not self._has_lanes("lanes")
        lanes = self.quick_lanes if is_few else self.lanes
        return lanes.playouts(n, seed=seed, threads=threads, progress=progress, stop=stop)

    def _has_lanes(self, kind: str) -> bool:
        """Return whether the lanes are there or on disk, as machine code or as a list of gates."""
        if {"lanes": "lanes", "list": "quick_lanes"}[kind] in vars(self):
            return True
        return self._is_on_disk(f"{kind}{self._width}")

    def perft(
        self,
        depth: int,
        *,
        state: bytes | None = None,
        on_level: Callable[[int, int], None] | None = None,
    ) -> list[PerftCount]:
        """Count move sequences; see `gdl.native.kernel.perft.perft`."""
        from gdl.native.kernel.perft import perft

        start = self.machine.initial() if state is None else state
        return perft(self.kernel, start, depth, on_level=on_level)

    def batch(self, size: int, *, auto_reset: bool = False, is_soon: bool = False) -> Batch:
        """Return games side by side; see `Batch`.

        Args:
            size: How many.
            auto_reset: Whether one that is over begins anew.
            is_soon: Whether to have them soon rather than fast, where code for wide vectors is not
                there and takes seconds to make: by the code of the state machine, half as fast.
        """
        from gdl.native.kernel.batch import Batch

        return Batch(self._soon if is_soon else self.kernel, size, auto_reset=auto_reset)

    @property
    def _soon(self) -> Kernel:
        from gdl.native.kernel.kernel import Kernel

        is_there = "kernel" in vars(self) or self._is_on_disk(f"kernel{self._width}")
        if is_there or sum(1 for _ in self.circuit.aig.ands()) < MANY:
            return self.kernel
        return Kernel(self.machine.compiled)

    def packed(self, packing: Packing) -> PackedCode:
        """Return the code that solvers walk through states with, written as keys."""
        from gdl.native.kernel.packed import PackedCode, compile_packed

        def make() -> PackedCode:
            from gdl.native.code.target import native_target

            return compile_packed(self.circuit, packing, target=native_target(self._width))

        return self._cached(f"{digest([repr(packing)])[:16]}.packed{self._width}", PackedCode, make)

    def _kernel_code(self, width: int) -> KernelCode:
        from gdl.native.kernel.kernel import KernelCode, compile_kernel

        def make() -> KernelCode:
            from gdl.native.code.target import native_target

            return compile_kernel(self.circuit, target=native_target(width))

        return self._cached(f"kernel{width}", KernelCode, make)

    @collector_paused()
    def _cached(
        self, what: str, kind: type[T], make: Callable[[], T], *, is_portable: bool = False
    ) -> T:
        if self._folder is None:  # a name takes a look at all of our code
            return make()
        return cached(self._name(what, is_portable=is_portable), kind, make, folder=self._folder)

    def _is_on_disk(self, what: str) -> bool:
        return self._folder is not None and (self._folder / self._name(what)).exists()

    def _name(self, what: str, *, is_portable: bool = False) -> str:
        """Return the name of what was made, for this processor alone or for all."""
        cpu = engine.host()
        made_for = [] if is_portable else [engine.version(), cpu.name, cpu.features]
        return f"{digest([self.digest, code_key(), *made_for])}.{what}"
