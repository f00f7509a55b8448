"""Playouts of hundreds of games at once, one in each bit of a vector.

In goes a `GameCircuit`, out come `Playouts`. The playouts are dealt to groups of
64 lanes in a way that depends on their number alone, and each group has its own
random stream, so that the same seed gives the same counts whatever the width of
the vectors or the number of threads.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterator
from threading import Event, Lock
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from gdl._gc_pause import collector_paused
from gdl.language.preconditions import ArgumentError
from gdl.native.code import llvm as engine
from gdl.native.code.memory import Memory
from gdl.native.code.seed_sequence import random_words
from gdl.native.lanes.layout import COUNTERS, CUT, LISTED, STUCK, UINT64, Layout, list_length
from gdl.playouts import MAX_PLIES, GoalVector, Playouts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.circuit.game import GameCircuit
    from gdl.native.code.ir import Target

Keys = TypeVar("Keys", int, "NDArray[np.int64]")

MAX_GROUPS: Final = 64
"""Most groups of 64 lanes in a run; enough for eight threads of 512 lanes."""
ROUNDS: Final = 16
"""Playouts of each lane that make it worth to have another group."""
CYCLES: Final = 2_000
"""Cycles between two looks at the clock, some milliseconds."""
WORD: Final = 64
"""Lanes of one group, the bits of a word."""
CHUNK: Final = bytes(4096)
"""So much of a table is passed over at a time where it is empty."""


class LaneCode(NamedTuple):
    """Playouts of one game as object code, for one width of vectors.

    Attributes:
        code: The object code.
        width: Lanes of one vector.
        slots: Vectors of memory.
        layout: Where things lie in them.
        stored: Facts that lanes store, by index; all others follow from the phase or tell nothing.
        clock: Facts that tell the phase, likewise.
        phases: Which of those hold in each phase of a cycle.
        roles: The roles, as text.
        goal_widths: Bits of the index of each role's goal.
        goal_values: Goal values of each role.
        ended: The goal vector of the initial state if the game is over there, else None.
        is_final: Whether nothing faster is made of the game: a list of gates, and a large one.
    """

    code: bytes
    width: int
    slots: int
    layout: Layout
    stored: tuple[int, ...]
    clock: tuple[int, ...]
    phases: tuple[frozenset[int], ...]
    roles: tuple[str, ...]
    goal_widths: tuple[int, ...]
    goal_values: tuple[tuple[int, ...], ...]
    ended: GoalVector | None
    is_final: bool

    @property
    def period(self) -> int:
        """Phases of a cycle."""
        return len(self.phases)

    @property
    def tables(self) -> tuple[int, int, int]:
        """Byte offsets of the counters, the table of lengths and that of goals."""
        counters = self.slots * self.width // 8
        lengths = counters + COUNTERS
        bits = self.layout.turn_bits + self.layout.phase_bits
        return counters, lengths, lengths + (UINT64 << bits)

    def plies(self, keys: Keys) -> Keys:
        """Return the lengths that entries of the table of lengths stand for, by their places."""
        bits = self.layout.turn_bits
        turns, phases = keys & ((1 << bits) - 1), keys >> bits
        return (turns - 1) * self.period + phases + 1

    @property
    def size(self) -> int:
        """Bytes of memory that one vector of lanes takes."""
        if self.layout.is_listed:
            return self.tables[2] + LISTED * (2 + list_length(self.width, self.period))
        return self.tables[2] + (UINT64 << self.layout.goal_bits)


def compile_lanes(
    circuit: GameCircuit,
    *,
    target: Target | None = None,
    max_plies: int = MAX_PLIES,
    is_quick: bool = False,
) -> LaneCode:
    """Return the playouts of a game as object code.

    Args:
        circuit: The game.
        target: What for, by default this machine.
        max_plies: Where a playout is cut off.
        is_quick: Whether to have it soon rather than fast: as a list of gates, which plays the
            same and several times slower.

    Raises:
        GoalTableError: The goals of all roles have too many combinations.
    """
    from gdl.native.code.target import native_target

    text, plan = plan_lanes(circuit, target or native_target(), max_plies, is_quick=is_quick)
    return plan._replace(code=engine.assemble(text, level=0 if is_quick else None))


@collector_paused()
def plan_lanes(
    circuit: GameCircuit, target: Target, max_plies: int, *, is_quick: bool
) -> tuple[str, LaneCode]:
    """Return the module of `compile_lanes`, and what it makes of it but for the code."""
    from gdl.circuit.phases import find_phases
    from gdl.native.lanes.assembly import module_text
    from gdl.native.lanes.ply import build_program

    clock = find_phases(circuit)
    program = build_program(circuit, clock)
    text, layout, slots, is_large = module_text(program, target, max_plies, is_list=is_quick)
    return text, LaneCode(
        b"",
        target.width,
        slots,
        layout,
        program.stored,
        clock.facts,
        clock.phases,
        tuple(str(role) for role in circuit.roles),
        program.scores.widths,
        program.scores.values,
        _initial_goals(circuit),
        is_large or not is_quick,
    )


def _initial_goals(circuit: GameCircuit) -> GoalVector | None:
    from gdl.circuit.evaluate import evaluate, evaluate_edges

    values = {0: 0, **dict.fromkeys(circuit.aig.inputs, 0)}
    values.update((circuit.fact_inputs[fact] >> 1, 1) for fact in circuit.initial)
    if not evaluate_edges(circuit.aig, [circuit.terminal], values, 1)[0]:
        return None  # of nearly all games, and no more of the circuit is looked at
    evaluation = evaluate(circuit, [circuit.facts[fact] for fact in circuit.initial])
    return tuple(values[0] if len(values) == 1 else None for values in evaluation.goals)


class Lanes:
    """Compiled playouts, ready to run."""

    def __init__(self, compiled: LaneCode) -> None:
        """Load the code."""
        self.compiled = compiled
        self._code = engine.Code(compiled.code)
        self._run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(
            self._code.address("run")
        )

    def address(self, name: str) -> int:
        """Return the address of a function of the code: ``run``, ``ply_0``, ``ply_1`` ...

        A caller with memory of its own may set the facts of each lane and play from there.
        """
        return self._code.address(name)

    def playouts(
        self,
        n: int,
        *,
        seed: int = 0,
        threads: int = 1,
        progress: Callable[[int], None] | None = None,
        stop: Event | None = None,
    ) -> Playouts:
        """Run ``n`` uniform random playouts from the initial state.

        Args:
            n: How many.
            seed: Makes the run repeatable.
            threads: How many run at once; the counts do not depend on it.
            progress: Called now and then with the number of playouts begun so far; it may
                raise to give up.
            stop: When it is set, no playout is begun any more; those begun are played to their
                end and counted, within milliseconds.
        """
        if n < 0:
            raise ArgumentError("n", n, "at least 0")
        if threads < 1:
            raise ArgumentError("threads", threads, "at least 1")
        if self.compiled.ended is not None:
            return Playouts(
                self.compiled.roles,
                Counter({0: n} if n else {}),
                Counter({self.compiled.ended: n} if n else {}),
            )
        # Each batch draws from its own place in the random sequence, so that the counts are alike
        # whatever the width of a vector, and whichever thread plays which batch.
        quotas = deal(n)
        words = self.compiled.width // WORD
        batches = [(start, quotas[start : start + words]) for start in range(0, len(quotas), words)]
        begun = _Progress(progress, stop or Event())
        total = Playouts(self.compiled.roles)
        if threads == 1 or len(batches) == 1:
            for start, part in batches:
                total += self._batch(seed, start, part, begun)
            return total
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            futures = [
                pool.submit(self._batch, seed, start, part, begun) for start, part in batches
            ]
            try:
                for future in futures:
                    total += future.result()
            except BaseException:
                begun.given_up = True
                pool.shutdown(cancel_futures=True)
                raise
        return total

    def _batch(self, seed: int, start: int, quotas: list[int], begun: _Progress) -> Playouts:
        compiled = self.compiled
        memory = Memory(compiled.size)
        words = compiled.width // WORD
        quota = memory.words(compiled.layout.quota * compiled.width // 8, words)
        quota[: len(quotas)] = [*quotas]
        for slot, row in enumerate(seeds(seed, start, words), compiled.layout.seed):
            memory.words(slot * compiled.width // 8, words)[:] = [*row]
        left = sum(quotas)
        listed = Counter[int]()
        done = 0
        while not done and not begun.given_up:
            # Playouts that were begun are played to their end even then: to drop the long ones
            # would make the counts lean towards short games.
            if begun.stop.is_set():
                quota[:] = [0] * words
                left = 0
            done = self._run(memory.address, CYCLES)
            if compiled.layout.is_listed:
                listed += _take_listed(compiled, memory.bytes())
            now = sum(quota)
            begun.add(left - now)
            left = now
        return _read_tables(compiled, memory.bytes(), listed)


class _Progress:
    """Adds up what the threads have begun, and tells."""

    def __init__(self, tell: Callable[[int], None] | None, stop: Event) -> None:
        self._tell = tell
        self.stop = stop
        self.given_up = False
        self._lock = Lock()
        self._total = 0

    def add(self, playouts: int) -> None:
        if self._tell is not None:
            with self._lock:
                self._total += playouts
                self._tell(self._total)


def deal(n: int) -> list[int]:
    """Return how many playouts each group of 64 lanes runs; depends on ``n`` alone."""
    groups = max(1, min(MAX_GROUPS, n // (WORD * ROUNDS)))
    plays, more = divmod(n, groups)
    return [plays + (group < more) for group in range(groups)]


def seeds(seed: int, start: int, groups: int) -> list[list[int]]:
    """Return two rows of random state, a word each for groups ``start``, ``start + 1``, ..."""
    words = [random_words((seed, group), 2) for group in range(start, start + groups)]
    return [list(row) for row in zip(*words, strict=True)]


def _take_listed(compiled: LaneCode, memory: memoryview) -> Counter[int]:
    """Return the ends that are listed, by the index of their goal vector, and empty the list."""
    rows = memory[compiled.tables[2] :].cast("Q")
    keys, counts = (rows[start : 2 + 2 * rows[0] : 2] for start in (2, 3))
    ends = Counter[int]()
    for key, count in zip(keys, counts, strict=True):
        ends[key] += count
    rows[0] = 0
    return ends


def _read_tables(
    compiled: LaneCode, memory: memoryview, listed: Counter[int] | None = None
) -> Playouts:
    counters_at, lengths_at, goals_at = compiled.tables
    counters = memory[counters_at : counters_at + COUNTERS].cast("Q")
    result = Playouts(compiled.roles)
    result.stuck, result.cut = counters[STUCK], counters[CUT]
    for key, count in _counted(memory[lengths_at:goals_at]):
        result.lengths[compiled.plies(key)] += count
    if compiled.layout.is_listed:
        ends = ((listed or Counter()) + _take_listed(compiled, memory)).items()
    else:
        ends = dict(_counted(memory[goals_at:])).items()
    for key, count in ends:
        result.goals[_goal_vector(compiled, key)] += count
    return result


def _counted(table: memoryview) -> Iterator[tuple[int, int]]:
    """Yield the entries of a table that are not zero, with their places."""
    for start in range(0, len(table), len(CHUNK)):
        chunk = bytes(table[start : start + len(CHUNK)])
        if chunk != CHUNK[: len(chunk)]:
            words = memoryview(chunk).cast("Q")
            yield from ((start // UINT64 + i, n) for i, n in enumerate(words) if n)


def _goal_vector(compiled: LaneCode, key: int) -> tuple[int | None, ...]:
    vector: list[int | None] = []
    for width, values in zip(compiled.goal_widths, compiled.goal_values, strict=True):
        index = key & ((1 << width) - 1)
        vector.append(values[index - 1] if index else None)
        key >>= width
    return tuple(vector)
