"""Functions that numba makes into machine code, and how they call code that LLVM made.

In: a function in the part of Python that numba reads, or an address. Compiled code is kept beside
the module (or in the user's cache), so that only the first run ever pays for it.

Source: numba documentation (``njit``, ``intrinsic``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Return a function as machine code; it lets go of the interpreter while it runs."""
    machine_code: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return machine_code


@intrinsic
def call(_context: Any, _address: Any, _at: Any) -> Any:  # noqa: ANN401  # numba has no types
    """Call ``void f(void *)``."""
    signature = types.void(types.int64, types.int64)

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:  # noqa: ANN401
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer])
        function = builder.inttoptr(values[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(values[1], pointer)])

    return signature, generate


@intrinsic
def call_counted(_context: Any, _address: Any, _at: Any, _count: Any) -> Any:  # noqa: ANN401
    """Call ``int64 f(void *, int64)``."""
    signature = types.int64(types.int64, types.int64, types.int64)

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:  # noqa: ANN401
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(64)
        kind = ir.FunctionType(number, [pointer, number])
        function = builder.inttoptr(values[0], kind.as_pointer())
        return builder.call(function, [builder.inttoptr(values[1], pointer), values[2]])

    return signature, generate


@intrinsic
def call_goals(_context: Any, _address: Any, _at: Any, _phase: Any) -> Any:  # noqa: ANN401
    """Call ``void f(void *, int64)``."""
    signature = types.void(types.int64, types.int64, types.int64)

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:  # noqa: ANN401
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number])
        function = builder.inttoptr(values[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(values[1], pointer), values[2]])

    return signature, generate


@intrinsic
def call_move(_context: Any, _address: Any, _at: Any, _phase: Any, _move: Any) -> Any:  # noqa: ANN401
    """Call ``void f(void *, int64, int64)``."""
    signature = types.void(types.int64, types.int64, types.int64, types.int64)

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:  # noqa: ANN401
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number])
        function = builder.inttoptr(values[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(values[1], pointer), *values[2:]])

    return signature, generate


@intrinsic
def lowest(_context: Any, _word: Any) -> Any:  # noqa: ANN401
    """Return the place of the lowest one of a word that is not zero."""
    signature = types.int64(types.uint64)

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:  # noqa: ANN401
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate
