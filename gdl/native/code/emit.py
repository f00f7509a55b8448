"""Chunks of a schedule as LLVM functions.

In goes a `Schedule`, out come the names of the functions of each stage, and text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdl.native.code.gate_list import emit_list
from gdl.native.code.ir import Function, Target, Value
from gdl.native.code.schedule import CHUNK, Chunk, Place, Schedule


def emit_stages(target: Target, schedule: Schedule, prefix: str) -> tuple[list[list[str]], str]:
    """Return for each stage the functions to call in order, and the text of all."""
    names: list[list[str]] = []
    texts: list[str] = []
    for number, stage in enumerate(schedule.stages):
        names.append([])
        if schedule.listed is not None and schedule.listed.stages[number]:
            names[-1].append(f"{prefix}_{number}_gates")
            texts.append(emit_list(target, schedule.listed, number, names[-1][-1]))
        for part, chunk in enumerate(_short_copies(stage)):
            if not chunk.operations and not chunk.copies:
                continue
            name = f"{prefix}_{number}_{part}"
            names[-1].append(name)
            texts.append(_emit_chunk(target, schedule, chunk, name))
    return names, "\n".join(texts)


def emit_graph(target: Target, schedule: Schedule, name: str) -> str:
    """Return ``void name(ptr m)``, which evaluates a schedule of one stage."""
    (functions,), text = emit_stages(target, schedule, name)
    outer = Function(target, name, exported=True)
    for function in functions:
        outer.line(f"call void @{function}(ptr %m)")
    outer.line("ret void")
    return f"{text}\n{outer.text()}"


def _short_copies(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Cut long lists of copies: LLVM takes far more than twice the time for twice the stores.

    Copies that write where none of the list reads may be made in any order before the others.
    """
    for chunk in chunks:
        if len(chunk.copies) <= CHUNK:
            yield chunk
            continue
        read = {place.slot for _, place in chunk.copies}
        free = [copy for copy in chunk.copies if copy[0] not in read]
        if chunk.operations:
            yield Chunk(chunk.operations)
        yield from (Chunk((), tuple(free[i : i + CHUNK])) for i in range(0, len(free), CHUNK))
        yield Chunk((), tuple(copy for copy in chunk.copies if copy[0] in read))


def _emit_chunk(target: Target, schedule: Schedule, chunk: Chunk, name: str) -> str:
    f = Function(target, name)
    held: dict[int, Value] = {}
    stores = {op.node: schedule.slot_of.get(op.node) for op in chunk.operations}
    old = _old_values(schedule, chunk)

    def read(node: int) -> Value:
        if node not in held:
            held[node] = f.load(schedule.slot_of[node])
        return held[node]

    for operation in chunk.operations:
        operands = tuple(read(operand) for operand in operation.operands)
        value = f.table(operation.table, operands)
        held[operation.node] = value
        slot = stores[operation.node]
        if slot is not None:
            if slot in old:
                read(old[slot])
            f.store(value, slot)
    moved = [(slot, read_place(f, place)) for slot, place in chunk.copies]
    for slot, value in moved:
        f.store(value, slot)
    f.line("ret void")
    return f.text()


def _old_values(schedule: Schedule, chunk: Chunk) -> dict[int, int]:
    """Return the inputs that this chunk reads, by slot: to be read before they are written over."""
    computed = {operation.node for operation in chunk.operations}
    reads = {node for operation in chunk.operations for node in operation.operands}
    return {schedule.slot_of[node]: node for node in reads - computed}


def read_place(f: Function, place: Place) -> Value:
    """Read a value from where it is."""
    if place.slot is None:
        return f.target.ones if place.inverted else "zeroinitializer"
    value = f.load(place.slot)
    return f.inverse(value) if place.inverted else value
