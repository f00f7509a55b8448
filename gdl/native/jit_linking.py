"""How numba makes functions that only machine code calls: into LLVM's form, and no further.

In: numba's compiler. Out: two of its pipelines, for functions that machine code calls (`INNER`)
and for those that Python calls (`ENTRY`). By itself numba optimises each function together with all
that it calls, makes machine code of it, and does it all again for whoever calls it. What only
machine code calls stays here as it was written until an entry takes everything that it leads to,
optimises that as one and makes machine code of it: the same code, sooner, in less room on disk.

Source: numba documentation, "Customizing the compiler".
"""

from __future__ import annotations

from typing import Any, Final

from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class InnerLibrary(JITCodeLibrary):
    """What only machine code calls: never optimised, never run by itself."""

    def finalize(self) -> None:
        """Close it as it is."""
        self._raise_if_finalized()
        self._final_module.verify()
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        """Return that there is no code to point at."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:  # noqa: ANN401  # numba has no types
        """What makes the code. Python's constants are for a function that Python calls."""
        return _WithoutConstants(self._codegen)


class _WithoutConstants:
    """A code generator that is not asked to give a function, which has no address, its constants.

    The functions of a room need none: numba itself goes without when it reads kept code.
    """

    def __init__(self, codegen: Any) -> None:  # noqa: ANN401  # numba has no types
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # numba has no types
        return getattr(self._codegen, name)

    def set_env(self, _name: str, _constants: Any) -> None:  # noqa: ANN401  # numba has no types
        """Do nothing."""


class EntryLibrary(JITCodeLibrary):
    """What Python calls, with all that it leads to."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        """Link, optimise, make machine code."""
        self._linking_libraries = reached(self._linking_libraries)
        super().finalize()


def reached(libraries: list[Any]) -> list[Any]:
    """Return libraries and what they link in turn; one that is finished has that in itself."""
    reached: dict[Any, None] = {}
    waiting = libraries[::-1]
    while waiting:
        library = waiting.pop()
        if library not in reached:
            reached[library] = None
            if isinstance(library, InnerLibrary):
                waiting += library._linking_libraries  # noqa: SLF001  # our own class
    return list(reached)


def _lowering(library: type, name: str) -> type:
    """Return the pass that writes a function into a library of a kind."""

    @register_pass(mutates_CFG=True, analysis_only=False)
    class Lowering(NativeLowering):
        _name = name

        def run_pass(self, state: Any) -> bool:  # noqa: ANN401  # numba has no types
            state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            return bool(super().run_pass(state))

    return Lowering


def _pipeline(library: type, name: str) -> type:
    """Return numba's own pipeline but for the library that code is written into."""
    lowering = _lowering(library, name)

    class Pipeline(compiler.CompilerBase):
        def define_pipelines(self) -> list[Any]:
            usual = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
            manager = compiler.PassManager(name)
            manager.passes.extend(
                (lowering, words) if step is NativeLowering else (step, words)
                for step, words in usual.passes
            )
            manager.finalize()
            return [manager]

    return Pipeline


INNER: Final = _pipeline(InnerLibrary, "inner")
ENTRY: Final = _pipeline(EntryLibrary, "entry")
