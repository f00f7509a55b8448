"""LLVM: from assembly text to machine code in memory.

In goes text, out comes object code; in goes object code, out come addresses of
functions. Nothing else in this package speaks to llvmlite, which is loaded when something
is to be made: what it says of the processor is kept on disk, and object code that was made
before runs without it (`gdl.native.code.elf_loader`).

Source: llvmlite documentation (MCJIT); LLVM code generator.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from gdl._cache import cache_folder, cached, digest
from gdl._gc_pause import collector_paused
from gdl.native.code.elf_loader import Image, UnsupportedImageError

CPUINFO: Final = Path("/proc/cpuinfo")
CPUINFO_BYTES: Final = 4096
"""The first processor is described within these."""
VARYING: Final = ("cpu MHz", "bogomips", "power management", "processor", "apicid", "core id")
"""Lines that differ from one look to the next."""
LONG_TEXT: Final = 12_000_000
"""Characters of a module, about 30,000 operations."""
WASM: Final = "wasm32"
X86: Final = frozenset({"x86_64", "AMD64", "amd64"})


class Cpu(NamedTuple):
    """The processor that code is made for.

    Attributes:
        name: LLVM's name of it.
        features: What it can do, as LLVM wants to read it.
        machine: The system's name of its kind.
        llvm: Versions of llvmlite and LLVM, which decide what code is made.
    """

    name: str
    features: str
    machine: str
    llvm: str

    def has(self, feature: str) -> bool:
        """Return whether the processor has a feature, for instance ``avx512f``."""
        return f"+{feature}" in self.features.split(",")

    @property
    def is_x86(self) -> bool:
        """Whether it speaks x86-64."""
        return self.machine in X86

    @property
    def width(self) -> int:
        """Lanes of the widest vector it computes with, in bits."""
        if self.has("avx512f"):
            return 512
        if self.has("avx2"):
            return 256
        return 128


@cache
def host() -> Cpu:
    """Return the processor that we run on, as LLVM sees it or saw it before."""
    folder = cache_folder()
    name = None if folder is None else _fingerprint()
    if name is None:
        return _host()
    return cached(f"{name}.cpu", Cpu, _host, folder=folder)


def version() -> str:
    """Return the versions of llvmlite and LLVM, which decide what code is made."""
    return host().llvm


def _fingerprint() -> str | None:
    """Return a name for this processor and this LLVM, None where the system does not tell."""
    package = importlib.util.find_spec("llvmlite")
    try:
        with CPUINFO.open("rb") as file:
            text = file.read(CPUINFO_BYTES).split(b"\n\n")[0].decode()
        assert package is not None
        assert package.origin is not None
        changed = Path(package.origin).stat().st_mtime_ns
    except (OSError, UnicodeDecodeError):
        return None
    lines = [line for line in text.splitlines() if not line.startswith(VARYING)]
    # The fields are named: another release that keeps other ones makes a record of its own.
    return digest([package.origin, str(changed), *Cpu._fields, *lines])


@collector_paused()
def _host() -> Cpu:
    import llvmlite

    llvm = _llvm()
    features = llvm.get_host_cpu_features()
    kept = ",".join(
        f"{'+' if on else '-'}{name}"
        for name, on in sorted(features.items())
        if name != "vzeroupper"
    )
    versions = f"{llvmlite.__version__}/{'.'.join(map(str, llvm.llvm_version_info))}"
    if hasattr(os, "uname"):
        machine = os.uname().machine
    else:
        import platform

        machine = platform.machine()
    return Cpu(llvm.get_host_cpu_name(), kept, machine, versions)


def _llvm() -> Any:  # noqa: ANN401  # llvmlite has no types
    from llvmlite import binding

    return binding


def webassembly() -> Cpu:
    """Return the machine of a browser, with vectors of 128 bits."""
    return host()._replace(name="generic", features="+simd128,+bulk-memory", machine=WASM)


@cache
def _initialize(machine: str) -> None:
    llvm = _llvm()
    if machine == WASM:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    else:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()


def _machine(cpu: Cpu, level: int) -> Any:  # noqa: ANN401  # llvmlite has no types
    _initialize(cpu.machine)
    target = _llvm().Target
    triple = target.from_triple(WASM) if cpu.machine == WASM else target.from_default_triple()
    return triple.create_target_machine(
        cpu=cpu.name, features=cpu.features, opt=level, jit=cpu.machine != WASM
    )


def assemble(
    text: str, *, cpu: Cpu | None = None, level: int | None = None, optimize: bool = False
) -> bytes:
    """Return object code of a module. Cost some milliseconds for each thousand instructions.

    Args:
        text: The module as LLVM assembly.
        cpu: The processor, by default ours.
        level: How hard LLVM tries, 0 to 3; by default 1, or 0 for a long text: that takes a
            third of the time and makes code that is slower by a quarter.
        optimize: Whether to run LLVM's passes first; for code written by hand.
    """
    llvm = _llvm()
    if level is None:
        level = 0 if len(text) > LONG_TEXT else 1
    machine = _machine(cpu or host(), level)
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    if optimize:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(3))
        builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def finish(bitcode: bytes) -> bytes:
    """Return object code of a module that was optimised before, for no processor in particular.

    Raises:
        RuntimeError: It was written by another LLVM.
    """
    machine = _machine(host(), 2)
    module = _llvm().parse_bitcode(bitcode)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return bytes(machine.emit_object(module))


class Code:
    """Object code in memory, ready to run. It lives as long as this value."""

    def __init__(self, code: bytes) -> None:
        """Load object code."""
        self._image: Image | None = None
        try:
            self._image = Image(code)
        except UnsupportedImageError:
            llvm = _llvm()
            machine = _machine(host(), 1)
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return the address of a function."""
        if self._image is not None:
            return self._image.address(name)
        at = int(self._engine.get_function_address(name))
        assert at, name
        return at
