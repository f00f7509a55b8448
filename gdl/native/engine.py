"""LLVM: from assembly text to machine code in memory.

In goes text, out comes object code; in goes object code, out come addresses of
functions. Nothing else in this package speaks to llvmlite.

Source: llvmlite documentation (MCJIT); LLVM code generator.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import llvmlite
from llvmlite import binding as llvm

X86: Final = frozenset({"x86_64", "AMD64", "amd64"})


@dataclass(frozen=True, slots=True)
class Cpu:
    """The processor that code is made for.

    Attributes:
        name: LLVM's name of it.
        features: What it can do, as LLVM wants to read it.
    """

    name: str
    features: str

    def has(self, feature: str) -> bool:
        """Return whether the processor has a feature, for instance ``avx512f``."""
        return f"+{feature}" in self.features.split(",")

    @property
    def is_x86(self) -> bool:
        """Whether it speaks x86-64."""
        return platform.machine() in X86

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
    """Return the processor that we run on."""
    features = llvm.get_host_cpu_features()
    kept = {name: on for name, on in features.items() if name != "vzeroupper"}
    return Cpu(
        llvm.get_host_cpu_name(),
        kept.flatten()
        if hasattr(kept, "flatten")
        else ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(kept.items())),
    )


def version() -> str:
    """Return the versions of llvmlite and LLVM, which decide what code is made."""
    return f"{llvmlite.__version__}/{'.'.join(map(str, llvm.llvm_version_info))}"


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _machine(cpu: Cpu, level: int) -> Any:  # noqa: ANN401  # llvmlite has no types
    _initialize()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu.name, features=cpu.features, opt=level, jit=True
    )


def assemble(text: str, *, cpu: Cpu | None = None, level: int = 1, optimize: bool = False) -> bytes:
    """Return object code of a module. Cost some milliseconds for each thousand instructions.

    Args:
        text: The module as LLVM assembly.
        cpu: The processor, by default ours.
        level: How hard LLVM tries, 0 to 3.
        optimize: Whether to run LLVM's passes first; for code written by hand.
    """
    machine = _machine(cpu or host(), level)
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_default_triple()
    if optimize:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(3))
        builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


class Code:
    """Object code in memory, ready to run. It lives as long as this value."""

    def __init__(self, code: bytes) -> None:
        """Load object code."""
        machine = _machine(host(), 1)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return the address of a function."""
        found = int(self._engine.get_function_address(name))
        assert found, name
        return found
