"""Playouts of hundreds of games at once, one in each bit of a vector.

In goes a `GameCircuit`, out come `Playouts`. The playouts are dealt to groups of
64 lanes in a way that depends on their number alone, and each group has its own
random stream, so that the same seed gives the same counts whatever the width of
the vectors or the number of threads.

Source: ours; see the modules this one joins together.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.compile.circuit import GameCircuit
from gdl.compile.evaluate import evaluate
from gdl.native import engine
from gdl.native.draw import emit_draw
from gdl.native.emit import emit_stages
from gdl.native.ir import WORD, Target
from gdl.native.layout import Layout, lay_out
from gdl.native.loop import (
    CUT,
    STUCK,
    emit_add,
    emit_counters,
    emit_end,
    emit_flush,
    emit_ply,
    emit_run,
    emit_split,
    emit_start,
)
from gdl.native.memory import aligned
from gdl.native.phases import find_clock
from gdl.native.schedule import Root, Schedule, schedule
from gdl.native.step import Phase, Program, build_program
from gdl.native.target import declarations, native_target
from gdl.playouts import MAX_PLIES, GoalVector, Playouts

MAX_GROUPS: Final = 64
"""Most groups of 64 lanes in a run; enough for eight threads of 512 lanes."""
ROUNDS: Final = 16
"""Playouts of each lane that make it worth to have another group."""
CYCLES: Final = 2_000
"""Cycles between two looks at the clock, some milliseconds."""
TRIES: Final = 3
"""Draws of a rank before a lane sits out."""
COUNTERS: Final = 64
"""Bytes of the counters before the tables."""
UINT64: Final = 8


@dataclass(frozen=True, slots=True)
class LaneCode:
    """Playouts of one game as object code, for one width of vectors.

    Attributes:
        code: The object code.
        width: Lanes of one vector.
        slots: Vectors of memory.
        layout: Where things lie in them.
        period: Phases of a cycle.
        roles: The roles, as text.
        goal_widths: Bits of the index of each role's goal.
        goal_values: Goal values of each role.
        ended: The goal vector of the initial state if the game is over there, else None.
    """

    code: bytes
    width: int
    slots: int
    layout: Layout
    period: int
    roles: tuple[str, ...]
    goal_widths: tuple[int, ...]
    goal_values: tuple[tuple[int, ...], ...]
    ended: GoalVector | None

    @property
    def tables(self) -> tuple[int, int, int]:
        """Byte offsets of the counters, the table of lengths and that of goals."""
        counters = self.slots * self.width // 8
        lengths = counters + COUNTERS
        bits = self.layout.turn_bits + self.layout.phase_bits
        return counters, lengths, lengths + (UINT64 << bits)

    @property
    def size(self) -> int:
        """Bytes of memory that one vector of lanes takes."""
        return self.tables[2] + (UINT64 << sum(self.goal_widths))


def compile_lanes(
    circuit: GameCircuit, *, target: Target | None = None, max_plies: int = MAX_PLIES
) -> LaneCode:
    """Return the playouts of a game as object code.

    Args:
        circuit: The game.
        target: What for, by default this machine.
        max_plies: Where a playout is cut off.

    Raises:
        GoalTableError: The goals of all roles have too many combinations.
    """
    target = target or native_target()
    program = build_program(circuit, find_clock(circuit))
    text, layout, slots = module_text(program, target, max_plies)
    return LaneCode(
        engine.assemble(text),
        target.width,
        slots,
        layout,
        len(program.phases),
        tuple(str(role) for role in circuit.roles),
        program.scores.widths,
        program.scores.values,
        _initial_goals(circuit),
    )


def _initial_goals(circuit: GameCircuit) -> GoalVector | None:
    found = evaluate(circuit, [circuit.facts[fact] for fact in circuit.initial])
    if not found.terminal:
        return None
    return tuple(values[0] if len(values) == 1 else None for values in found.goals)


def module_text(program: Program, target: Target, max_plies: int) -> tuple[str, Layout, int]:
    """Return the module as LLVM assembly, the layout, and the number of slots."""
    layout = lay_out(program, max_plies)
    period = len(program.phases)
    schedules = [_schedule_phase(program, phase, layout) for phase in program.phases]
    top = max(each.slots for each in schedules)
    scores = program.scores
    scoring = schedule(
        scores.aig,
        {edge >> 1: layout.kept + j for j, edge in enumerate(scores.latches)},
        [[Root(edge, layout.planes + j) for j, edge in enumerate(scores.planes)]],
        top,
    )
    slots = scoring.slots
    goal_bits = sum(scores.widths)
    counters = slots * target.bytes
    lengths = counters + COUNTERS
    goals = lengths + (UINT64 << (layout.turn_bits + layout.phase_bits))
    (scoring_names,), scoring_text = emit_stages(target, scoring, "score")
    texts = [
        declarations(target),
        emit_add(target, counters),
        emit_counters(target, layout),
        emit_split(target),
        scoring_text,
        emit_flush(target, layout, scoring_names, goal_bits, (lengths, goals)),
        emit_start(target, layout, [fact in program.initial for fact in program.stored]),
    ]
    for number, (phase, planned) in enumerate(zip(program.phases, schedules, strict=True)):
        names, text = emit_stages(target, planned, f"phase{number}")
        latches = planned.places[1][-len(phase.latches) :] if phase.latches else ()
        limit = (max_plies - 1) // period + 1 if number == (max_plies - 1) % period else None
        texts += [
            text,
            emit_draw(target, layout, phase, number=number, period=period, tries=TRIES),
            emit_end(target, layout, number, latches, period),
            emit_ply(target, layout, number, names, limit),
        ]
    texts.append(emit_run(target, layout, period))
    return "\n".join(texts), layout, slots


def _schedule_phase(program: Program, phase: Phase, layout: Layout) -> Schedule:
    home = {fact: layout.facts + i for i, fact in enumerate(program.stored)}
    inputs = {phase.go >> 1: layout.go}
    first: list[Root] = [Root(phase.able, layout.able)]
    at = 0
    for chooser in phase.choosers:
        for j, (last, mask, rank) in enumerate(
            zip(chooser.last, chooser.mask, chooser.rank, strict=True), at
        ):
            first += [Root(last, layout.last + j), Root(mask, layout.mask + j)]
            inputs[rank >> 1] = layout.rank + j
        at += len(chooser.last)
    second: list[Root] = []
    for fact, slot in home.items():
        old, new = phase.facts[fact], phase.next[fact]
        assert old is not None
        assert new is not None
        inputs[old >> 1] = slot
        if new != old:
            second.append(Root(new, slot))
    second.append(Root(phase.terminal, layout.terminal))
    second += [Root(edge, None) for edge in phase.latches]
    return schedule(phase.aig, inputs, [first, second], layout.scratch)


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
            raise ValueError(f"n must be at least 0, not {n}")
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        if self.compiled.ended is not None:
            return Playouts(
                self.compiled.roles,
                Counter({0: n} if n else {}),
                Counter({self.compiled.ended: n} if n else {}),
            )
        quotas = deal(n)
        words = self.compiled.width // WORD
        batches = [(start, quotas[start : start + words]) for start in range(0, len(quotas), words)]
        begun = _Progress(progress, stop or Event())
        total = Playouts(self.compiled.roles)
        if threads == 1:
            for start, part in batches:
                total += self._batch(seed, start, part, begun)
            return total
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
        memory = aligned(compiled.size)
        slots = memory[: compiled.slots * compiled.width // 8].view(np.uint64)
        slots = slots.reshape(compiled.slots, compiled.width // WORD)
        layout = compiled.layout
        slots[layout.quota, : len(quotas)] = quotas
        slots[layout.seed : layout.seed + 2] = seeds(seed, start, slots.shape[1])
        left = sum(quotas)
        done = 0
        while not done and not begun.given_up:
            if begun.stop.is_set():
                slots[layout.quota] = 0
                left = 0
            done = self._run(memory.ctypes.data, CYCLES)
            now = int(slots[layout.quota].sum())
            begun.add(left - now)
            left = now
        return _read_tables(compiled, memory)


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
    each, more = divmod(n, groups)
    return [each + (group < more) for group in range(groups)]


def seeds(seed: int, start: int, groups: int) -> NDArray[np.uint64]:
    """Return two words of random state for groups ``start``, ``start + 1``, ..."""
    rows = [
        np.random.SeedSequence((seed, group)).generate_state(2, np.uint64)
        for group in range(start, start + groups)
    ]
    return np.stack(rows, axis=1)


def _read_tables(compiled: LaneCode, memory: NDArray[np.uint8]) -> Playouts:
    counters_at, lengths_at, goals_at = compiled.tables
    counters = memory[counters_at : counters_at + COUNTERS].view(np.uint64)
    lengths = memory[lengths_at:goals_at].view(np.uint64)
    goals = memory[goals_at:].view(np.uint64)
    result = Playouts(compiled.roles)
    result.stuck = int(counters[STUCK])
    result.cut = int(counters[CUT])
    turn_mask = (1 << compiled.layout.turn_bits) - 1
    for key in np.flatnonzero(lengths):
        turns, phase = int(key) & turn_mask, int(key) >> compiled.layout.turn_bits
        result.lengths[(turns - 1) * compiled.period + phase + 1] += int(lengths[key])
    for key in np.flatnonzero(goals):
        result.goals[_goal_vector(compiled, int(key))] += int(goals[key])
    return result


def _goal_vector(compiled: LaneCode, key: int) -> tuple[int | None, ...]:
    vector: list[int | None] = []
    for width, values in zip(compiled.goal_widths, compiled.goal_values, strict=True):
        index = key & ((1 << width) - 1)
        vector.append(values[index - 1] if index else None)
        key >>= width
    return tuple(vector)
