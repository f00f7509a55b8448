"""A stage as data: a list of gates, and one small loop that goes through it.

Machine code of hundreds of thousands of operations takes minutes to make and is bound by
the fetching of instructions. In goes a `GateList`; out come a constant table
with a row a gate and a function that runs it. Nothing but the table depends on the game.

A row is three numbers of 32 bits: where the two operands and the result lie, in bytes from
the start of the memory of the lanes, and in the lowest bit whether the value is inverted.

Source: threaded code, Bell, "Threaded Code", CACM 1973; the rows are those of AIGER's ands.
"""

from __future__ import annotations

from array import array
from typing import Final

from gdl.native.code.ir import Target
from gdl.native.code.schedule import MANY_GATES, GateList

ROW: Final = 12
"""Bytes of a row."""


def emit_list(target: Target, listed: GateList, stage: int, name: str) -> str:
    """Return a function that computes a stage, copies excepted."""
    data = rows(target, listed, stage)
    count = len(data) * data.itemsize // ROW
    hexadecimal = data.tobytes().hex("\\")
    return f"""
@{name}_rows = internal constant [{count * ROW} x i8] c"\\{hexadecimal}", align 4
define internal void @{name}(ptr noalias %m) {target.attributes} {{
entry:
  br label %gate
gate:
  %i = phi i64 [ 0, %entry ], [ %next, %gate ]
  %at = mul nuw nsw i64 %i, {ROW}
  %row = getelementptr inbounds i8, ptr @{name}_rows, i64 %at
{_operand(target, "a", 0)}
{_operand(target, "b", 4)}
{_read(target, "r", 8)}
  %both = and {target.vector} %a, %b
  %result = xor {target.vector} %both, %r_sign
  store {target.vector} %result, ptr %r_slot, align {target.bytes}
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, {count}
  br i1 %more, label %gate, label %done
done:
  ret void
}}
"""


def rows(target: Target, listed: GateList, stage: int) -> array[int]:
    """Return the rows of the gates of a stage, three numbers each."""
    size, nodes = target.bytes, listed.stages[stage]
    if len(nodes) >= MANY_GATES:
        return _many_rows(size, listed, nodes)
    place = [slot * size for slot in listed.slots]
    for node in listed.inverted:
        place[node] |= 1
    left, right = listed.aig.left, listed.aig.right
    # An operand is inverted where the edge is, or the node is held inverted, but not both.
    return array(
        "I",
        [
            number
            for node in nodes
            for a, b in ((left[node], right[node]),)
            for number in (place[a >> 1] ^ (a & 1), place[b >> 1] ^ (b & 1), place[node])
        ],
    )


def _many_rows(size: int, listed: GateList, nodes: list[int]) -> array[int]:
    """Return the same for so many gates that arrays pay for their import."""
    import numpy as np

    places, outputs = np.array(listed.slots) * size, np.array(nodes)
    places[list(listed.inverted)] |= 1
    table = np.empty((len(nodes), 3), np.uint32)
    for column, operands in enumerate((listed.aig.left, listed.aig.right)):
        edges = np.fromiter(map(operands.__getitem__, nodes), np.int64, len(nodes))
        table[:, column] = places[edges >> 1] ^ (edges & 1)
    table[:, 2] = places[outputs]
    data = array("I")
    data.frombytes(table.tobytes())
    return data


def _read(target: Target, name: str, offset: int) -> str:
    """Return how the address and the sign of one number of the row are had."""
    v, n = target.vector, target.elements
    return f"""  %{name}_at = getelementptr inbounds i8, ptr %row, i64 {offset}
  %{name}_entry = load i32, ptr %{name}_at, align 4
  %{name}_wide = zext i32 %{name}_entry to i64
  %{name}_bytes = and i64 %{name}_wide, -8
  %{name}_slot = getelementptr inbounds i8, ptr %m, i64 %{name}_bytes
  %{name}_bit = and i64 %{name}_wide, 1
  %{name}_mask = sub i64 0, %{name}_bit
  %{name}_one = insertelement {v} poison, i64 %{name}_mask, i64 0
  %{name}_sign = shufflevector {v} %{name}_one, {v} poison, <{n} x i32> zeroinitializer"""


def _operand(target: Target, name: str, offset: int) -> str:
    return f"""{_read(target, name, offset)}
  %{name}_value = load {target.vector}, ptr %{name}_slot, align {target.bytes}
  %{name} = xor {target.vector} %{name}_value, %{name}_sign"""
