"""Precompiling a room's entries, once for every machine: LLVM's form of them, optimised.

In: functions that numba has compiled, as they were called. Out: one module, as bitcode, in which
each is a function ``int32 f(int64 *slots, int64 *result)`` that reads its arguments from slots of
eight bytes (`gdl.native.precompiled` writes them) and returns 0; and of each the kinds of its
arguments. The module names no processor and no system, and calls nothing of numba.

Source: numba documentation, "Notes on numba's architecture" (how arguments are taken apart).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numba
from llvmlite import binding, ir
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.np.numpy_support import as_dtype

from gdl.native.jit_linking import INNER, reached
from gdl.native.precompiled import DOOR, Kind

KINDS: Final[dict[Any, Kind]] = {
    types.none: "none",
    types.boolean: "bool",
    types.float64: "float",
    types.int32: "int",
    types.int64: "int",
}
WORD: Final = 64
"""Bits of a slot."""
MEMORY: Final = """
declare ptr @malloc(i64)
declare void @free(ptr)

; What numba keeps of memory that it counts: owners, destructor and what that is told, data, size.
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) noinline {
  %alignment = zext i32 %align to i64
  %head = add i64 %alignment, 64
  %room = add i64 %size, %head
  %info = call ptr @malloc(i64 %room)
  %none = icmp eq ptr %info, null
  br i1 %none, label %end, label %fill
fill:
  %at = ptrtoint ptr %info to i64
  %after = add i64 %at, %head
  %below = sub i64 0, %alignment
  %aligned = and i64 %after, %below
  %data = inttoptr i64 %aligned to ptr
  store i64 1, ptr %info
  %place = getelementptr i64, ptr %info, i64 3
  store ptr %data, ptr %place
  br label %end
end:
  ret ptr %info
}

define ptr @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %align) {
  %info = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align)
  ret ptr %info
}

define ptr @NRT_MemInfo_alloc_aligned_external(i64 %size, i32 %align, ptr %allocator) {
  %info = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align)
  ret ptr %info
}

; Such memory never leaves the thread that took it. Memory of Python has no owners here.
define void @NRT_incref(ptr %info) {
  %foreign = icmp eq ptr %info, null
  br i1 %foreign, label %end, label %count
count:
  %before = load i64, ptr %info
  %owners = add i64 %before, 1
  store i64 %owners, ptr %info
  br label %end
end:
  ret void
}

define void @NRT_decref(ptr %info) noinline {
  %foreign = icmp eq ptr %info, null
  br i1 %foreign, label %end, label %count
count:
  %before = load i64, ptr %info
  %owners = sub i64 %before, 1
  store i64 %owners, ptr %info
  %last = icmp eq i64 %owners, 0
  br i1 %last, label %drop, label %end
drop:
  call void @free(ptr %info)
  br label %end
end:
  ret void
}
"""
"""The memory of arrays that a function makes for itself, in place of numba's."""


def link(entries: Iterable[Any]) -> tuple[bytes, dict[str, tuple[list[Kind], Kind]]]:
    """Return the bitcode of entries and, by name, the kinds of their arguments and their result.

    Each has been called by Python, with arguments of the same types each time.
    """
    context = cpu_target.target_context
    library = _ReadyLibrary(context.codegen(), "ready")
    module = library.create_ir_module("ready")
    kinds = {}
    for entry in entries:
        name = entry.py_func.__name__
        (signature,) = entry.nopython_signatures
        inner = numba.njit(
            pipeline_class=INNER,
            nogil=True,
            error_model="numpy",
            no_cfunc_wrapper=True,
            no_cpython_wrapper=True,
            _nrt=entry.targetoptions.get("_nrt", True),
        )(entry.py_func)
        inner.compile(signature.args)
        (compiled,) = inner.overloads.values()
        library.add_linking_library(compiled.library)
        _add_door(context, module, name, compiled)
        result = compiled.signature.return_type
        kinds[name] = [_kind(kind) for kind in signature.args], _kind(result)
    with global_compiler_lock:
        library.add_ir_module(module)
        library.finalize()
    return bytes(library._final_module.as_bitcode()), kinds  # noqa: SLF001  # our own class


def _add_door(context: Any, module: ir.Module, name: str, compiled: Any) -> None:  # noqa: ANN401
    """Write the function that reads arguments from slots."""
    number, pointer = ir.IntType(64), ir.IntType(64).as_pointer()
    door = ir.Function(module, ir.FunctionType(ir.IntType(32), [pointer, pointer]), DOOR + name)
    builder = ir.IRBuilder(door.append_basic_block())
    arguments, result = compiled.signature.args, compiled.signature.return_type
    packer = context.get_arg_packer(arguments)
    leaves = []
    for i, kind in enumerate(packer.argument_types):
        slot = builder.gep(door.args[0], [ir.Constant(number, i)])
        if isinstance(kind, ir.DoubleType):
            leaves.append(builder.load(builder.bitcast(slot, kind.as_pointer())))
            continue
        word = builder.load(slot)
        if isinstance(kind, ir.PointerType):
            leaves.append(builder.inttoptr(word, kind))
        else:
            leaves.append(builder.trunc(word, kind) if kind.width < WORD else word)
    function = context.declare_function(module, compiled.fndesc)
    status, value = context.call_conv.call_function(
        builder, function, result, arguments, packer.from_arguments(builder, leaves)
    )
    if isinstance(value.type, ir.DoubleType):
        value = builder.bitcast(value, number)
    elif result == types.none:
        value = ir.Constant(number, 0)
    elif value.type.width < WORD:
        is_signed = result != types.boolean
        value = builder.sext(value, number) if is_signed else builder.zext(value, number)
    builder.store(value, door.args[1])
    builder.ret(status.code)


def _kind(kind: Any) -> Kind:  # noqa: ANN401  # numba has no types
    if isinstance(kind, types.Array):
        assert kind.layout == "C", kind
        assert kind.mutable, kind
        return [as_dtype(kind.dtype).str, kind.ndim]
    if isinstance(kind, types.BaseTuple):
        return [[*getattr(kind, "fields", ())], [_kind(part) for part in kind]]
    return KINDS[kind]


class _ReadyLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """A module that needs nothing but the system, and in which only doors are seen from outside."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        self._final_module.link_in(binding.parse_assembly(MEMORY))
        parts = reached(self._linking_libraries)
        self._linking_libraries = [part for part in parts if part is not rtsys.library]
        super().finalize()

    def _optimize_final_module(self) -> None:
        module = self._final_module
        for part in (*module.functions, *module.global_variables):
            if not part.is_declaration and not part.name.startswith(DOOR):
                part.linkage = "internal"
        super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalized = True
