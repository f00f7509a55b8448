"""The binary interface of Python and ``events.ll``, declared once; both sides are made from it.

`Record` and `READER` name what stands in memory, in order. Python fills them by name; for
``events.ll`` each field becomes a function that reads it: ``@tables.NAME`` of the record,
``@reader.NAME`` of a reader. Their types are filled in, so that a name that is not declared is
an error when the code is made, and so is a number that is taken for an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

READER: Final = np.dtype(
    [("gates", np.uint64), ("counts", np.uint32), ("summary", np.uint32)], align=True
)
"""Gates of one block that read a node, as bits; where the counts of their block begin, in bytes;
which bit of the summary stands for the block, plus 64 where they read the inverse."""
LEGAL: Final = 63
"""Bit of the summary for blocks of legal moves."""
OF_GATES: Final = f"""define internal i64 @summary.of_gates() alwaysinline {{
  ret i64 {(1 << LEGAL) - 1}
}}
"""
"""All other bits."""


@dataclass(frozen=True)
class Record:
    """Addresses of arrays and numbers, in the order in which they stand in memory.

    Attributes:
        work: Working state: counts, then truths.
        start: The same of the state in which rollouts begin.
        state_bytes: Bytes of such a state.
        nodes: Of each node its first reader and the end, two i32.
        readers: Rows as `READER` says.
        effect_rows: First effect of each phase and move, i32.
        effect_facts: Facts of the effects, i32: times 16, plus a table; bit 2e + f of that says
            whether a fact that is f turns when the edge of the effect is e.
        effect_edges: Edges of the effects, i32.
        truths: Truths of the facts, a word a block; those of the gates follow.
        gate_truths: Truths of the gates.
        truth_words: Words of all truths.
        coarse: A bit of the summary stands for two to this many blocks of gates.
        changed: Room for the facts that a move changes, i32.
        first_gate: First node that is a gate.
        legal_blocks: First block of legal moves of each phase and their number, two i64.
        legal_words: Room for the legal moves, i64 a block.
        moves: Moves of a phase.
        phases: How many there are.
        terminal: Edge of terminal in each phase, i32.
        summary: Bits of the summary whose blocks are asked for in each phase, i64.
        pending: Bits of blocks that were touched and not asked for since, i64.
        tapes: Tape of goals of each phase, four i32: first read, end; first gate, end.
        tape_reads: Edges that tapes read, i32.
        tape_gates: Gates of tapes, two i32: edges over the values.
        tape_values: Values of a tape, i8: false, reads, gates.
        goal_rows: First goal edge of each phase and role, i32.
        goal_edges: Goal edges over the values, i32.
        roles: How many there are.
        goal_factors: Factor of each role in the index of a goal vector, i64.
        ends: How many rollouts ended with each goal vector, i64.
        lengths: How many with each length, i64.
        random: State of the random numbers, two i64.
        stuck: How many rollouts came where nobody could move, i64.
        cut: How many were too long, i64.
    """

    work: Array
    start: Array
    state_bytes: int
    nodes: Array
    readers: Array
    effect_rows: Array
    effect_facts: Array
    effect_edges: Array
    truths: Array
    gate_truths: Array
    truth_words: int
    coarse: int
    changed: Array
    first_gate: int
    legal_blocks: Array
    legal_words: Array
    moves: int
    phases: int
    terminal: Array
    summary: Array
    pending: Array
    tapes: Array
    tape_reads: Array
    tape_gates: Array
    tape_values: Array
    goal_rows: Array
    goal_edges: Array
    roles: int
    goal_factors: Array
    ends: Array
    lengths: Array
    random: Array
    stuck: Array
    cut: Array


def in_memory(record: object) -> NDArray[np.uint64]:
    """Return a record as ``events.ll`` reads it, a word a field. It does not keep arrays alive."""
    values = [getattr(record, name) for name, _ in _kinds(type(record))]
    return np.array(
        [value if isinstance(value, int) else value.ctypes.data for value in values], np.uint64
    )


def completed(text: str, record: type, reader: np.dtype[np.void]) -> str:
    """Return LLVM assembly with the functions that read fields, and types where it calls them.

    Raises:
        NameError: It reads what is not declared.
    """
    integers = {name: f"i{8 * field[0].itemsize}" for name, field in _fields(reader).items()}
    structs = {"tables": dict(_kinds(record)), "reader": integers}

    def typed(call: re.Match[str]) -> str:
        struct, name = call.groups()
        if name not in structs[struct]:
            raise NameError(f"the code reads {struct}.{name}, which is not declared")
        return f"call {structs[struct][name]} @{struct}.{name}("

    text = re.sub(r"\bcall @(tables|reader)\.(\w+)\(", typed, text)
    tables = _struct("tables", structs["tables"], ", !invariant.load !0")
    return "".join([*tables, *_struct("reader", integers, ""), OF_GATES, text])


def _kinds(record: Any) -> Iterable[tuple[str, str]]:  # noqa: ANN401  # a class of dataclass
    return [(field.name, "i64" if field.type == "int" else "ptr") for field in fields(record)]


def _fields(reader: np.dtype[np.void]) -> Mapping[str, tuple[np.dtype[Any], int]]:
    assert reader.fields is not None
    names = sorted(reader.fields, key=lambda name: reader.fields[name][1])  # type: ignore[index]
    return {name: reader.fields[name][:2] for name in names}


def _struct(struct: str, kinds: Mapping[str, str], hint: str) -> Iterable[str]:
    """Yield the type of a struct, and a function for each field."""
    yield f"%{struct} = type {{ {', '.join(kinds.values())} }}\n"
    for number, (name, kind) in enumerate(kinds.items()):
        yield f"""define internal {kind} @{struct}.{name}(ptr %at) alwaysinline {{
  %field = getelementptr inbounds %{struct}, ptr %at, i64 0, i32 {number}
  %value = load {kind}, ptr %field{hint}
  ret {kind} %value
}}
"""
