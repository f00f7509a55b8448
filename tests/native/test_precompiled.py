"""Code that is ready takes what it was made for, and nothing else."""

from __future__ import annotations

import gc
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.shared import missing

pytest.importorskip("numba", reason=missing("play"))

from gdl.native.code.llvm import Code, assemble
from gdl.native.precompiled import DOOR, EntryPoint, UnlikeError

SUM = f"""
define i32 @{DOOR}sum(ptr %slots, ptr %result) {{
  %at.place = getelementptr i64, ptr %slots, i64 4
  %at = load ptr, ptr %at.place
  %number.place = getelementptr i64, ptr %slots, i64 7
  %number = load i64, ptr %number.place
  %item = load i64, ptr %at
  %sum = add i64 %item, %number
  store i64 %sum, ptr %result
  ret i32 0
}}
define i32 @{DOOR}fail(ptr %slots, ptr %result) {{
  ret i32 1
}}
"""
"""The first item of an array and a number; and what never ends well."""


class Pair(NamedTuple):
    items: Any
    number: Any


class Riap(NamedTuple):
    number: Any
    items: Any


KINDS = [[["items", "number"], [["<i8", 1], "int"]]]


@pytest.fixture(scope="module")
def code() -> Code:
    return Code(assemble(SUM))


def test_arguments_are_taken_apart_as_the_code_reads_them(code: Code) -> None:
    total = EntryPoint(code, "sum", KINDS, "int")
    items = np.array([40, 1])
    assert total(Pair(items, 2)) == 42
    assert total(Pair(items, -41)) == -1
    items[0] = 50
    assert total(Pair(items, 2)) == 52
    assert total(Pair(items.copy(), 2)._replace(number=3)) == 53


@pytest.mark.parametrize(
    "pair",
    [
        Pair(np.array([40], np.int32), 2),
        Pair(np.array([[40]]), 2),
        Pair(np.arange(10)[::2], 2),
        Pair(np.frombuffer(bytes(8), np.int64), 2),
        Pair([40], 2),
        Pair(np.array([40]), 2.0),
        Pair(np.array([40]), number=True),
        Riap(2, np.array([40])),
        (np.array([40]), 2),
    ],
    ids=["type", "shape", "gaps", "read only", "list", "float", "bool", "fields", "no fields"],
)
def test_what_it_was_not_made_for_it_refuses(code: Code, pair: Any) -> None:  # noqa: ANN401
    total = EntryPoint(code, "sum", KINDS, "int")
    with pytest.raises(UnlikeError):
        total(pair)
    with pytest.raises(UnlikeError):
        total()


def test_results_are_read_as_they_are_meant(code: Code) -> None:
    items = np.array([2.5]).view(np.int64)
    assert EntryPoint(code, "sum", KINDS, "float")(Pair(items, 0)) == 2.5
    assert EntryPoint(code, "sum", KINDS, "bool")(Pair(np.array([0]), 1)) is True
    assert EntryPoint(code, "sum", KINDS, "none")(Pair(np.array([0]), 1)) is None
    with pytest.raises(MemoryError):
        EntryPoint(code, "fail", KINDS, "int")(Pair(np.array([0]), 1))


@pytest.mark.slow
def test_nothing_of_a_tuple_is_kept_longer_than_its_arrays(code: Code) -> None:
    total = EntryPoint(code, "sum", KINDS, "int")
    for number in range(100):
        assert total(Pair(np.array([number]), 1)) == number + 1
    gc.collect()
    assert not total._written
