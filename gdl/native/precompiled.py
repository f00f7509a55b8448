"""Precompiled machine code of a room: what numba makes of its entries was made before.

In: a file beside the modules of a room, LLVM's form of all that Python calls there, optimised and
for no processor in particular (`gdl.native.precompiled_linking`). Out: what to call in place of
these functions. That takes LLVM about a second, once a machine, where numba takes half a minute.
The file says of what text it was made: where the modules have changed since, or LLVM cannot read
it, there is nothing, and numba makes the code as ever.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from struct import Struct
from threading import Lock
from typing import Any, Final, TypeAlias
from weakref import ref

import numpy as np

from gdl._cache import cache_folder, cached, digest
from gdl.native.code.llvm import Code, finish, host

FILE: Final = "ready.bin"
"""Beside the modules: a line of JSON, and bitcode, compressed."""
READY_VARIABLE: Final = "GDL_READY"
"""Environment variable; empty lets numba make all code, for comparisons."""
DOOR: Final = "ready_"
"""How the names of functions in it begin."""
MAKER: Final = Path(__file__).with_name("jit.py")
"""What decides, beside the modules of a room, what code is made of them."""
IMPORT: Final = b"\nfrom gdl.native.jit import "
"""Stands in a module of which machine code is made."""
PIECES: Final = re.compile(
    rb"^(?:@(?:entry|compiled|inlined|lean)\n(?:@\w+\n)*def |"
    rb"[A-Z]\w*(?:, [A-Z]\w*)*(?:: Final)? = )"
    rb".*?(?=^[@\w#\"]|\Z)",
    re.MULTILINE | re.DOTALL,
)
"""What machine code is made of in a module: decorated functions, and constants."""
IMPORTED: Final = re.compile(rb"^from (gdl\.[\w.]+) import (\([^)]*\)|.*)", re.MULTILINE)
CONSTANT: Final = re.compile(rb"\b[A-Z][A-Z0-9_]+\b")

Kind: TypeAlias = Any
"""``int``, ``float``, ``bool``, ``none``; an array as type and dimensions; a tuple as the names of
its fields and their kinds."""

WORD, REAL = Struct("<q"), Struct("<d")
ARRAYS: Final = tuple(Struct(f"<{5 + 2 * dimensions}q") for dimensions in range(5))
"""As numba takes arrays apart: owner, parent, items, bytes of one, address, shape, strides."""

_Key: TypeAlias = tuple[Any, ...]


class UnlikeError(TypeError):
    """An argument is of another type than what the code was made for."""


class EntryPoint:
    """What to call in place of one entry."""

    def __init__(self, code: Code, name: str, kinds: Sequence[Kind], result: Kind) -> None:
        """Find it in the code, which stays in memory as long as this."""
        number = ctypes.POINTER(ctypes.c_int64)
        call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, number)
        self._code, self._call = code, call(code.address(DOOR + name))
        self._kinds, self._result = kinds, result
        self._written: dict[_Key, tuple[bytes, list[ref[Any]]]] = {}

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401  # as numba's functions
        """Return what the entry returns; the interpreter is let go meanwhile.

        Raises:
            UnlikeError: The code was made for other types.
            MemoryError: There was no memory for its own arrays.
        """
        if len(arguments) != len(self._kinds):
            raise UnlikeError
        slots = b"".join(map(self._slots, self._kinds, arguments))
        result = ctypes.c_int64()
        if self._call(slots, result):
            raise MemoryError  # nothing else in these functions can fail
        if self._result == "float":
            return REAL.unpack(WORD.pack(result.value))[0]
        if self._result == "bool":
            return bool(result.value)
        return None if self._result == "none" else result.value

    def _slots(self, kind: Kind, value: Any) -> bytes:  # noqa: ANN401  # any argument
        """Return an argument as slots; those of a tuple are kept as long as its arrays live."""
        if not isinstance(value, tuple):
            return _slots(kind, value)
        key = _key(value)
        if (entry := self._written.get(key)) is not None:
            return entry[0]
        slots = _slots(kind, value)

        def forget(_: object, written: dict[_Key, Any] = self._written) -> None:
            written.pop(key, None)

        self._written[key] = slots, [ref(array, forget) for array in _arrays(value)]
        return slots


def _key(value: tuple[Any, ...]) -> _Key:
    """Return what tells apart tuples of arrays that live, and of numbers.

    Raises:
        UnlikeError: There is something else in it.
    """
    parts: list[object] = []
    for part in value:
        if isinstance(part, np.ndarray):
            parts.append(id(part))
        elif isinstance(part, tuple):
            parts.append(_key(part))
        elif isinstance(part, int | float | np.generic):
            parts.append((type(part), part))
        else:
            raise UnlikeError
    return tuple(parts)


def _arrays(value: tuple[Any, ...]) -> Iterator[Any]:
    for part in value:
        if isinstance(part, tuple):
            yield from _arrays(part)
        elif isinstance(part, np.ndarray):
            yield part


def _slots(kind: Kind, value: Any) -> bytes:  # noqa: ANN401  # any argument
    """Return an argument as slots of eight bytes.

    Raises:
        UnlikeError: It is not of this kind.
    """
    match kind:
        case [str(dtype), int(dimensions)]:
            return _array_slots(dtype, dimensions, value)
        case [[*fields], [*parts]]:
            if isinstance(value, tuple) and [*getattr(value, "_fields", ())] == fields:
                with suppress(ValueError):  # more parts, or fewer
                    return b"".join(_slots(*pair) for pair in zip(parts, value, strict=True))
        case "float" if isinstance(value, float):
            return REAL.pack(value)
        case "bool" if isinstance(value, bool | np.bool_):
            return WORD.pack(value)
        case "int" if isinstance(value, int | np.int64) and not isinstance(value, bool):
            return WORD.pack(value)
    raise UnlikeError


def _array_slots(dtype: str, dimensions: int, value: Any) -> bytes:  # noqa: ANN401
    if type(value) is not np.ndarray or value.ndim != dimensions or value.dtype.str != dtype:
        raise UnlikeError
    flags = value.flags
    if not (flags.c_contiguous and flags.aligned and flags.writeable):
        raise UnlikeError
    sizes = (value.size, value.itemsize, value.ctypes.data)
    return ARRAYS[dimensions].pack(0, 0, *sizes, *value.shape, *value.strides)


class Precompiled:
    """The precompiled code of a room, loaded when the first function is asked for."""

    def __init__(self, room: Path) -> None:
        """Prepare; no file is looked at yet."""
        self._room = room
        self._lock = Lock()
        self._bitcode = b""

    def function(self, name: str) -> EntryPoint | None:
        """Return what to call in place of an entry, None where it is not ready."""
        with self._lock:
            return self._functions.get(name)

    @property
    def is_kept(self) -> bool:
        """Whether LLVM has nothing left to do."""
        folder = cache_folder()
        return bool(self._head) and folder is not None and (folder / self._name).exists()

    @cached_property
    def _functions(self) -> Mapping[str, EntryPoint]:
        if not self._head:
            return {}
        try:
            kept = cached(self._name, bytes, lambda: finish(self._bitcode), folder=cache_folder())
        except RuntimeError:  # another LLVM wrote it
            return {}
        code = Code(kept)
        return {
            name: EntryPoint(code, name, kinds, result)
            for name, (kinds, result) in self._head["entries"].items()
        }

    @cached_property
    def _head(self) -> Mapping[str, Any]:
        """What is said of the code; nothing where it is of no use."""
        head, self._bitcode = read(self._room)
        is_wanted = os.environ.get(READY_VARIABLE) != "" and sys.platform != "win32"
        return head if is_wanted and head.get("sources") == sources_of(self._room) else {}

    @cached_property
    def _name(self) -> str:
        return f"{digest([*host(), self._bitcode])}.search"


@cache
def precompiled_code(room: Path) -> Precompiled:
    """Return the precompiled code of a room."""
    return Precompiled(room)


def sources_of(room: Path) -> str:
    """Return a name for all that machine code of a room is made of, as its modules are now."""
    texts = (path.read_bytes() for path in sorted(room.glob("*.py")))
    compiled = [text for text in texts if IMPORT in text]
    pieces = (piece for text in compiled for piece in pieces_of(text))
    return digest([MAKER.read_bytes(), *pieces, *(_from_outside(room, text) for text in compiled)])


def _from_outside(room: Path, text: bytes) -> bytes:
    """Return the constants that a module takes from other rooms, with their values."""
    values = {
        name: getattr(import_module(module.decode()), name.decode())
        for module, names in IMPORTED.findall(text)
        if not module.startswith(f"gdl.{room.name}.".encode())
        for name in CONSTANT.findall(names)
    }
    return repr(sorted(values.items())).encode()


def pieces_of(text: bytes) -> list[bytes]:
    """Return what machine code is made of in a module: decorated functions, and constants."""
    return PIECES.findall(text)


def read(room: Path) -> tuple[dict[str, Any], bytes]:
    """Return what is said of the precompiled code of a room, and its bitcode, if there is any."""
    try:
        head, _, body = (room / FILE).read_bytes().partition(b"\n")
        return json.loads(head), zlib.decompress(body)
    except (OSError, ValueError, zlib.error):
        return {}, b""


def write(
    room: Path, sources: str, entries: Mapping[str, tuple[Sequence[Kind], Kind]], bitcode: bytes
) -> None:
    """Keep code for a room that was made of modules as they were then (`sources_of`)."""
    head = json.dumps({"sources": sources, "entries": entries})
    (room / FILE).write_bytes(head.encode() + b"\n" + zlib.compress(bitcode, 9))
