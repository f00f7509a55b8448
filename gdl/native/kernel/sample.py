"""A legal move for each game of a batch, drawn uniformly, 64 games at a time.

Out comes the function ``sample(rows, moves, lanes, chance, ids)``: rows are the legal moves of
one role as bytes, a row a move; chance is a float in [0, 1) a game; ids are written where
the role has more than one legal move.

Source: the move of rank floor(chance * count), in whole numbers.
"""

from __future__ import annotations

from typing import Final

from gdl.native.code.ir import Target

_NARROW: Final = 1 << 16
"""Moves from which on 16 bits cannot count them."""


def emit_sample(target: Target, most_moves: int) -> str:
    """Return ``sample`` as LLVM assembly.

    Args:
        target: What for.
        most_moves: How many moves a role has, at most.
    """
    # A chance has 24 bits (what a smaller float has beyond them is cut off), so in whole numbers
    # chance * 2**24 < 2**24, and (chance * 2**24 * count) >> 24 < count for every chance: a product
    # of floats could be rounded up to count, a rank that no move has.
    count, widen = ("i16", "zext") if most_moves < _NARROW else ("i32", "bitcast")
    return f"""
define void @sample(
    ptr %rows, i64 %moves, i64 %lanes, ptr %chance, ptr %ids
) {target.attributes} {{
entry:
  br label %group
group:
  %at = phi i64 [ 0, %entry ], [ %at1, %next ]
  br label %count
{_count(count)}
rank:
  %several = icmp ugt <64 x {count}> %sum1, {_splat(count, "1")}
  %mask = bitcast <64 x i1> %several to i64
  %any = icmp ne i64 %mask, 0
  br i1 %any, label %draw, label %next
draw:
  %c_at = getelementptr inbounds float, ptr %chance, i64 %at
  %c = load <64 x float>, ptr %c_at, align 4
  %scaled = fmul <64 x float> %c, {_splat("float", "1.677721600e+07")}
  %whole = fptoui <64 x float> %scaled to <64 x i32>
  %c64 = zext <64 x i32> %whole to <64 x i64>
  %n64 = zext <64 x {count}> %sum1 to <64 x i64>
  %product = mul <64 x i64> %c64, %n64
  %shifted = lshr <64 x i64> %product, {_splat("i64", "24")}
  %chosen = trunc <64 x i64> %shifted to <64 x {count}>
  br label %find
{_find(count)}
write:
  %ids_at = getelementptr inbounds i32, ptr %ids, i64 %at
  %old = load <64 x i32>, ptr %ids_at, align 4
  %id32 = {widen} <64 x {count}> %id1 to <64 x i32>
  %new = select <64 x i1> %several, <64 x i32> %id32, <64 x i32> %old
  store <64 x i32> %new, ptr %ids_at, align 4
  br label %next
next:
  %at1 = add i64 %at, 64
  %rest = icmp ult i64 %at1, %lanes
  br i1 %rest, label %group, label %done
done:
  ret void
}}
"""


def _count(count: str) -> str:
    """Return the loop that counts the legal moves of 64 games."""
    return f"""count:
  %i = phi i64 [ 0, %group ], [ %i1, %count ]
  %sum = phi <64 x {count}> [ zeroinitializer, %group ], [ %sum1, %count ]
  %row = mul i64 %i, %lanes
  %place = add i64 %row, %at
  %from = getelementptr inbounds i8, ptr %rows, i64 %place
  %bytes = load <64 x i8>, ptr %from, align 1
  %wide = zext <64 x i8> %bytes to <64 x {count}>
  %sum1 = add <64 x {count}> %sum, %wide
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %moves
  br i1 %more, label %count, label %rank"""


def _find(count: str) -> str:
    """Return the loop that goes through the rows until as many legal moves are passed as chosen."""
    return f"""find:
  %j = phi i64 [ 0, %draw ], [ %j1, %find ]
  %passed = phi <64 x {count}> [ zeroinitializer, %draw ], [ %passed1, %find ]
  %id = phi <64 x {count}> [ zeroinitializer, %draw ], [ %id1, %find ]
  %row2 = mul i64 %j, %lanes
  %place2 = add i64 %row2, %at
  %from2 = getelementptr inbounds i8, ptr %rows, i64 %place2
  %bytes2 = load <64 x i8>, ptr %from2, align 1
  %wide2 = zext <64 x i8> %bytes2 to <64 x {count}>
  %passed1 = add <64 x {count}> %passed, %wide2
  %beyond = icmp ule <64 x {count}> %passed1, %chosen
  %step = zext <64 x i1> %beyond to <64 x {count}>
  %id1 = add <64 x {count}> %id, %step
  %j1 = add i64 %j, 1
  %again = icmp ult i64 %j1, %moves
  br i1 %again, label %find, label %write"""


def _splat(kind: str, value: str) -> str:
    return "<" + ", ".join([f"{kind} {value}"] * 64) + ">"
