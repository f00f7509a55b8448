"""Object code made ready to run without LLVM: what is kept on disk starts in a millisecond.

In goes an ELF file for x86-64 as LLVM writes it; out come addresses of its functions. The
sections are laid out in memory of our own, references put in, and the memory made
executable and no longer writable. Whatever is not as expected is refused, and LLVM loads it.

Source: "Tool Interface Standard, Executable and Linking Format", 1995; "System V ABI, AMD64
Architecture Processor Supplement" (relocations).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

HEADER: Final = b"\x7fELF\x02\x01\x01"
"""64 bits, little-endian, version 1."""
FILE_HEADER: Final = 64
X86_64: Final = 62
RELOCATABLE: Final = 1
SYMBOLS: Final = 2
RELOCATIONS: Final = 4
NO_BITS: Final = 8
WRITABLE: Final = 1
ALLOCATED: Final = 2
UNDEFINED: Final = 0
ABSOLUTE, RELATIVE, CALL, RELATIVE_64 = 1, 2, 4, 24
FROM_LIBC: Final = frozenset({"memcpy", "memset", "memmove"})
"""Functions that LLVM may call of its own."""
SIGNED_32: Final = range(-(1 << 31), 1 << 31)


class UnsupportedImageError(ValueError):
    """Object code that this loader does not understand; LLVM does."""


class _Section(NamedTuple):
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


class Image:
    """Object code in memory, ready to run. It lives as long as this value."""

    def __init__(self, code: bytes) -> None:
        """Load object code.

        Raises:
            UnsupportedImageError: It is not for this machine, or has what we do not know.
        """
        if not sys.platform.startswith("linux") or os.uname().machine != "x86_64":
            raise UnsupportedImageError("another system")
        if code[: len(HEADER)] != HEADER or len(code) < FILE_HEADER:
            raise UnsupportedImageError("no object code")
        kind, machine = struct.unpack_from("<HH", code, 16)
        if kind != RELOCATABLE or machine != X86_64:
            raise UnsupportedImageError("no object code for x86-64")
        self._code = code
        self._sections = tuple(_sections(code))
        self._at, size = self._lay_out()
        self._memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._addresses: dict[str, int] = {}
        symbols = [self._symbols(table) for table in self._sections if table.kind == SYMBOLS]
        if len(symbols) != 1:
            raise UnsupportedImageError("no table of symbols, or several")
        for index, at in self._at.items():
            section = self._sections[index]
            if section.kind != NO_BITS:
                self._memory[at : at + section.size] = code[
                    section.offset : section.offset + section.size
                ]
        for section in self._sections:
            if section.kind == RELOCATIONS and section.info in self._at:
                self._relocate(section, symbols[0])
        self._protect(size)

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return self._addresses[name]

    def _lay_out(self) -> tuple[dict[int, int], int]:
        """Return where each section goes that has a place in memory, and the size of all."""
        at: dict[int, int] = {}
        end = 0
        for index, section in enumerate(self._sections):
            if not section.flags & ALLOCATED or not section.size:
                continue
            if section.flags & WRITABLE:
                raise UnsupportedImageError("writable data")
            end += -end % max(section.alignment, 1)
            at[index] = end
            end += section.size
        return at, max(end, 1)

    def _relocate(self, relocations: _Section, symbols: list[int | None]) -> None:
        start = self._at[relocations.info]
        rows = self._code[relocations.offset : relocations.offset + relocations.size]
        for offset, kind, symbol, addend in struct.iter_unpack("<QIIq", rows):
            place = start + offset
            target = symbols[symbol]
            if target is None:
                raise UnsupportedImageError("a name that is not known")
            value = target + addend
            if kind == ABSOLUTE:
                struct.pack_into("<Q", self._memory, place, value)
            elif kind == RELATIVE_64:
                struct.pack_into("<q", self._memory, place, value - self._base - place)
            elif kind in (RELATIVE, CALL) and value - self._base - place in SIGNED_32:
                struct.pack_into("<i", self._memory, place, value - self._base - place)
            else:
                raise UnsupportedImageError(f"relocation {kind}")

    def _symbols(self, table: _Section) -> list[int | None]:
        """Return the address of each symbol, None for those that are nowhere."""
        names = self._sections[table.link].offset
        addresses: list[int | None] = []
        rows = self._code[table.offset : table.offset + table.size]
        for name_at, _, _, section, value, _ in struct.iter_unpack("<IBBHQQ", rows):
            end = self._code.index(b"\0", names + name_at)
            name = self._code[names + name_at : end].decode()
            if section in self._at:
                address = self._base + self._at[section] + value
                addresses.append(address)
                self._addresses[name] = address
            elif section == UNDEFINED and name in FROM_LIBC:
                function = getattr(ctypes.CDLL(None), name)
                addresses.append(ctypes.cast(function, ctypes.c_void_p).value)
            else:
                addresses.append(None)
        return addresses

    def _protect(self, size: int) -> None:
        pages = size + -size % mmap.PAGESIZE
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        if protect(self._base, pages, mmap.PROT_READ | mmap.PROT_EXEC):
            raise UnsupportedImageError(f"memory cannot be made executable: {ctypes.get_errno()}")


def _sections(code: bytes) -> Iterator[_Section]:
    (start,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    for index in range(count):
        _, kind, flags, _, offset, length, link, info, alignment, _ = struct.unpack_from(
            "<IIQQQQIIQQ", code, start + index * size
        )
        yield _Section(kind, flags, offset, length, link, info, alignment)
