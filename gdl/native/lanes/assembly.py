"""The playouts of a game as LLVM assembly.

In goes a `Program`, out come a module, where things lie in memory, and how many slots it takes.
"""

from __future__ import annotations

from typing import Final

from gdl.native.code.emit import emit_stages
from gdl.native.code.ir import Target
from gdl.native.code.schedule import Root, Schedule, schedule
from gdl.native.code.target import declarations
from gdl.native.lanes.histogram import emit_flush
from gdl.native.lanes.layout import COUNTERS, UINT64, Layout, lay_out
from gdl.native.lanes.loop import emit_add, emit_counters, emit_end, emit_ply, emit_run, emit_start
from gdl.native.lanes.ply import Phase, Program
from gdl.native.lanes.random_rank import emit_random_ranks, emit_random_word

TRIES: Final = 3
"""Draws of a rank before a lane sits out."""


def module_text(
    program: Program, target: Target, max_plies: int, *, is_list: bool = False
) -> tuple[str, Layout, int, bool]:
    """Return the module, the layout, the number of slots, and whether all plies are large.

    Args:
        program: The game.
        target: What for.
        max_plies: Where a playout is cut off.
        is_list: Whether its gates are to be a list, however few they are.
    """
    layout = lay_out(program, max_plies)
    period = len(program.phases)
    schedules = [
        _schedule_phase(program, phase, layout, is_list=is_list) for phase in program.phases
    ]
    top = max(phase_schedule.slots for phase_schedule in schedules)
    scores = program.scores
    # Ends that wait for their score are scored in the middle of some later ply: the slots that this
    # takes lie above those of all phases, so that it overwrites nothing of the ply.
    scoring = schedule(
        scores.aig,
        {edge >> 1: layout.kept + j for j, edge in enumerate(scores.latches)},
        [[Root(edge, layout.planes + j) for j, edge in enumerate(scores.planes)]],
        top,
        is_list=is_list,
    )
    slots = scoring.slots
    counters = slots * target.bytes
    (scoring_names,), scoring_text = emit_stages(target, scoring, "score")
    texts = [
        declarations(target),
        emit_add(target, counters),
        emit_counters(target, layout),
        *([emit_random_word(target, layout)] if is_list else []),
        scoring_text,
        emit_flush(target, layout, scoring_names, counters, period),
        emit_start(
            target,
            layout,
            [fact in program.initial for fact in program.stored],
            counters,
            is_list=is_list,
        ),
    ]
    for number, (phase, planned) in enumerate(zip(program.phases, schedules, strict=True)):
        names, text = emit_stages(target, planned, f"phase{number}")
        latches = planned.places[1][-len(phase.latches) :] if phase.latches else ()
        # The ply with which playouts are cut off is always of one phase: only that one looks.
        limit = (max_plies - 1) // period + 1 if number == (max_plies - 1) % period else None
        texts += [
            text,
            emit_random_ranks(
                target,
                layout,
                phase,
                number=number,
                period=period,
                tries=TRIES,
                counters=counters,
                is_list=is_list,
            ),
            emit_end(target, layout, number, latches, counters),
            emit_ply(target, layout, number, names, limit),
        ]
    goals = counters + COUNTERS + (UINT64 << (layout.turn_bits + layout.phase_bits))
    texts.append(emit_run(target, layout, period, goals))
    return "\n".join(texts), layout, slots, all(planned.is_large for planned in schedules)


def _schedule_phase(program: Program, phase: Phase, layout: Layout, *, is_list: bool) -> Schedule:
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
    return schedule(phase.aig, inputs, [first, second], layout.scratch, is_list=is_list)
