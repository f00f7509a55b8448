"""Object code for WebAssembly made into a module that can be begun.

LLVM writes an object: functions that call each other and data, a memory and a stack that come
from outside, and a list of the symbols. A module of its own has the memory, the stack and the
list of exports instead. All else stays as it is:

- Numbers in the code need no change. They count from the object's own beginning, and there is no
  other object: no function comes from outside, so the first function keeps the number 0, and data
  lie where LLVM supposed, from address 0 on.
- Sections of an object that say where numbers stand in it (``linking``, ``reloc``) are left out.

Source: WebAssembly core specification 2.0, section 5.5 (modules); the conventions of LLVM's
objects, "WebAssembly Object File Linking", version 2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

MAGIC: Final = b"\0asm\1\0\0\0"
CUSTOM, TYPES, IMPORTS, FUNCTIONS, MEMORY, GLOBALS, EXPORTS = 0, 1, 2, 3, 5, 6, 7
DATA_COUNT, CODE, DATA = 12, 10, 11
KEPT: Final = (TYPES, FUNCTIONS, DATA_COUNT, CODE, DATA)
"""Sections that stay as they are."""
PAGE: Final = 1 << 16
"""Bytes of the unit of memory."""
STACK: Final = PAGE
"""Bytes of the stack, which grows downwards; our code keeps a vector or two there."""
SYMBOLS: Final = 8
"""The part of ``linking`` with the list of symbols."""
A_FUNCTION, A_MEMORY, A_GLOBAL = 0, 2, 3
"""Kinds of what is imported and exported."""
UNDEFINED: Final = 0x10
"""Flag of a symbol that is not in this object."""
FROM_OUTSIDE: Final = {"__linear_memory": A_MEMORY, "__stack_pointer": A_GLOBAL}
"""What an object of ours needs; we give it."""
LOW, HIGH, BITS = 0x7F, 0x80, 7
"""Of each byte of a number seven bits, and whether there are more."""


class LinkError(ValueError):
    """An object that has what we do not know."""


def begin_of_heap(data: int) -> int:
    """Return where memory is free: behind so many bytes of data and the stack, at a whole page."""
    return -(-data // PAGE) * PAGE + STACK


def size_of_data(code: bytes) -> int:
    """Return where the data of an object end, 0 if it has none."""
    section = dict(_sections(code)).get(DATA)
    if section is None:
        return 0
    end = 0
    reader = _Reader(section)
    for _ in range(reader.number()):
        # One memory (flag 0); the place is `i32.const N end`.
        if reader.number() or reader.byte() != 0x41:  # noqa: PLR2004  # the instruction
            raise LinkError("data of an unknown kind")
        start = reader.number()  # below 2**31 and never negative: see `_Reader.number`
        reader.byte()
        end = max(end, start + len(reader.text()))
    return end


def link(code: bytes, exports: Collection[str], memory: int, notes: Mapping[str, bytes]) -> bytes:
    """Return a module.

    Args:
        code: The object.
        exports: Functions that are called from outside; the memory is exported as ``memory``.
        memory: Bytes of memory that the module has from its begin.
        notes: Sections of one's own, by name.

    Raises:
        LinkError: The object needs something from outside, or lacks one of the functions.
    """
    if code[: len(MAGIC)] != MAGIC:
        raise LinkError("no object code for WebAssembly")
    sections = [(number, body) for number, body in _sections(code) if number != CUSTOM]
    if unknown := {number for number, _ in sections} - {*KEPT, IMPORTS}:
        raise LinkError(f"sections {sorted(unknown)}")
    kept = dict(sections)
    _check_imports(kept.pop(IMPORTS, b"\0"))
    functions = _functions(code)
    if missing := set(exports) - set(functions):
        raise LinkError(f"no function {min(missing)}")
    pages = -(-memory // PAGE)
    top_of_stack = begin_of_heap(size_of_data(code))
    kept[MEMORY] = _number(1) + b"\0" + _number(pages)
    # One global that changes, a number of 32 bits: the stack pointer.
    kept[GLOBALS] = _number(1) + b"\x7f\1\x41" + _signed(top_of_stack) + b"\x0b"
    entries = [_text(name) + b"\0" + _number(functions[name]) for name in exports]
    entries.append(_text("memory") + bytes([A_MEMORY]) + _number(0))
    kept[EXPORTS] = _number(len(entries)) + b"".join(entries)
    order = (TYPES, FUNCTIONS, MEMORY, GLOBALS, EXPORTS, DATA_COUNT, CODE, DATA)
    parts = [MAGIC, *(_section(number, kept[number]) for number in order if number in kept)]
    parts += [_section(CUSTOM, _text(name) + body) for name, body in notes.items()]
    return b"".join(parts)


class _Reader:
    """Numbers and texts out of a section, one after the other."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.body[self.at - 1]

    def number(self) -> int:
        """Return a number without a sign; one with a sign that is not negative reads the same."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & LOW) << shift
            shift += BITS
            if not byte & HIGH:
                return value

    def text(self) -> bytes:
        size = self.number()
        self.at += size
        return self.body[self.at - size : self.at]


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    reader = _Reader(code)
    reader.at = len(MAGIC)
    while reader.at < len(code):
        number = reader.byte()
        yield number, reader.text()


def _check_imports(body: bytes) -> None:
    reader = _Reader(body)
    for _ in range(reader.number()):
        reader.text()
        name, kind = reader.text().decode(), reader.byte()
        if FROM_OUTSIDE.get(name) != kind:
            raise LinkError(f"{name} comes from outside")
        if kind == A_MEMORY:
            flags = reader.number()
            reader.number()
            if flags & 1:
                reader.number()
        else:
            reader.byte()
            reader.byte()


def _functions(code: bytes) -> dict[str, int]:
    """Return the numbers of the functions of an object, by name."""
    reader = next(
        section
        for section in (_Reader(body) for number, body in _sections(code) if number == CUSTOM)
        if section.text() == b"linking"
    )
    reader.number()  # the version
    functions: dict[str, int] = {}
    while reader.at < len(reader.body):
        kind, part = reader.byte(), _Reader(reader.text())
        if kind != SYMBOLS:
            continue
        for _ in range(part.number()):
            what, flags = part.byte(), part.number()
            if what == A_FUNCTION:
                index = part.number()
                functions[part.text().decode()] = index
            elif what == 1:  # data
                part.text()
                if not flags & UNDEFINED:
                    for _ in range(3):
                        part.number()
            else:
                part.number()
                if not flags & UNDEFINED:
                    part.text()
    return functions


def _section(number: int, body: bytes) -> bytes:
    return bytes([number]) + _number(len(body)) + body


def _text(text: str) -> bytes:
    return _number(len(text.encode())) + text.encode()


def _number(value: int) -> bytes:
    result = bytearray()
    while value > LOW:
        result.append(value & LOW | HIGH)
        value >>= BITS
    result.append(value)
    return bytes(result)


def _signed(value: int) -> bytes:
    """Return a number that is not negative, in the form of those that may be."""
    # Its last byte must not look negative: bit 6 of it is the sign.
    result = bytearray()
    while value > LOW >> 1:
        result.append(value & LOW | HIGH)
        value >>= BITS
    result.append(value)
    return bytes(result)
