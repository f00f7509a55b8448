"""Functions that numba makes into machine code, and how they call code that LLVM made.

In: a function in the part of Python that numba reads, or an address. Compiled code is kept beside
the module (or in the user's cache), so that only the first run ever pays for it: in a folder named
after all modules of the room. numba itself looks at the file of a function alone, and would go on
with code of functions that it calls, and of types that it takes, from before a change of theirs.

That first run should be short. Only an `entry` is given the code by which Python calls it (for a
tuple of arrays that is more than most functions have themselves); only an entry, with all that it
leads to, becomes machine code and is kept (`gdl.native.jit_linking`). And a function is compiled
once for each type of its arguments, not for each constant that it is called with. Of several
processes one compiles, and the others wait for its code.

Source: numba documentation (``njit``, ``intrinsic``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, cached_property
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, TypeVar

import numba
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.registry import CPUDispatcher as Dispatcher
from numba.extending import intrinsic

from gdl._cache import digest
from gdl._files import locked
from gdl.native import jit_linking
from gdl.native.jit_linking import ENTRY, INNER
from gdl.native.precompiled import IMPORT, IMPORTED, EntryPoint, UnlikeError, precompiled_code

F = TypeVar("F", bound=Callable[..., Any])

PREFIX: Final = "search-"
"""How the name of a folder of machine code begins."""


def compiled(function: F) -> F:
    """Return a function as machine code, to be called by machine code; see `entry`."""
    return _machine_code(function)


def entry(machine_code: F) -> F:
    """Let Python call machine code as well: ``@entry`` stands above what makes machine code of it.

    It lets go of the interpreter while it runs.
    """
    dispatcher: Any = machine_code
    dispatcher.targetoptions["no_cpython_wrapper"] = False
    dispatcher._compiler.pipeline_class = ENTRY  # noqa: SLF001  # numba takes it only when it decorates
    with _kept_in(_folder(Path(dispatcher.py_func.__code__.co_filename).parent)):
        dispatcher.enable_caching()
    compile_for = dispatcher._compile_for_args  # noqa: SLF001  # whom Python's call of new types asks

    def compile_alone(*arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401  # numba has no types
        with _alone_in(Path(dispatcher.stats.cache_path)):
            return compile_for(*arguments, **keywords)

    dispatcher._compile_for_args = compile_alone  # noqa: SLF001
    dispatcher.__class__ = _Entry
    return machine_code


class _Entry(Dispatcher):  # type: ignore[misc]  # numba has no types
    """What Python calls: code that is ready where there is some, else what numba makes."""

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401  # numba has no types
        """Call it."""
        function = self._ready
        if function is not None:
            with suppress(UnlikeError):
                return function(*arguments)
        return super().__call__(*arguments)

    @cached_property
    def _ready(self) -> EntryPoint | None:
        """What to call in place of it."""
        room = Path(self.py_func.__code__.co_filename).parent
        return precompiled_code(room).function(self.py_func.__name__)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Let one process at a time compile what a folder keeps: those that wait find it there."""
    with ExitStack() as held:
        with suppress(OSError):  # where nothing can be kept, nothing is shared
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(locked(folder / "compiling", waits=True))
        yield


def lean(function: F) -> F:
    """Return the same for a function that makes no arrays; nothing counts who looks at them.

    Else every view of a row is two locked operations, more in all than a step of the game.
    """
    return _machine_code(function, _nrt=False)


def inlined(function: F) -> F:
    """Return a lean function that becomes part of whatever calls it, for inner loops.

    numba hands a tuple of arrays over as some hundred numbers, so a call of a short function costs
    a tenth of a microsecond: as much as a step of the game.
    """
    return _machine_code(function, _nrt=False, forceinline=True)


def _machine_code(function: F, **options: bool) -> F:
    dispatcher: Any = numba.njit(
        pipeline_class=INNER,
        nogil=True,
        error_model="numpy",
        no_cfunc_wrapper=True,
        no_cpython_wrapper=True,
        **options,
    )(function)
    resolve = dispatcher.get_call_template

    def resolve_types(arguments: Any, keywords: Any) -> Any:  # noqa: ANN401  # numba has no types
        return resolve([types.unliteral(kind) for kind in arguments], keywords)

    dispatcher.get_call_template = resolve_types
    machine_code: F = dispatcher
    return machine_code


def code_folder(room: Path) -> Path:
    """Return where machine code is kept that was made of the modules of a room as they are now.

    What it calls in other rooms is a part of it, so theirs count, too.
    """
    own = [path for part in (room, *_called_rooms(room)) for path in sorted(part.glob("*.py"))]
    stamps = (
        (path.name, path.stat()) for path in (*own, Path(__file__), Path(jit_linking.__file__))
    )
    key = digest(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stamps)
    return room / "__pycache__" / f"{PREFIX}{key[:16]}"


def _called_rooms(room: Path) -> list[Path]:
    """Return the other rooms from which modules of machine code import modules of machine code."""
    texts = [path.read_bytes() for path in sorted(room.glob("*.py"))]
    names = {name for text in texts if IMPORT in text for name, _ in IMPORTED.findall(text)}
    above = Path(__file__).parents[2]
    modules = (above.joinpath(*name.decode().split(".")).with_suffix(".py") for name in names)
    called = {path.parent for path in modules if path.is_file() and IMPORT in path.read_bytes()}
    return sorted(called - {room})


@cache
def _folder(room: Path) -> Path:
    """Return the folder of a room; what was kept of it before goes."""
    folder = code_folder(room)
    for other in folder.parent.glob(f"{PREFIX}*"):
        if other != folder:
            rmtree(other, ignore_errors=True)
    return folder


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Let numba keep there what is decorated meanwhile; it looks when it decorates."""
    before, config.CACHE_DIR = config.CACHE_DIR, config.CACHE_DIR or str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def _calling(result: Any, numbers: int) -> Any:  # noqa: ANN401  # numba has no types
    """Return how code is called: its type, and what emits it.

    Args:
        result: Type of what it returns.
        numbers: How many whole numbers it takes after the address of its memory.
    """
    pointer, number = ir.IntType(8).as_pointer(), ir.IntType(64)
    returned = ir.VoidType() if result is types.void else number
    kind = ir.FunctionType(returned, [pointer, *[number] * numbers])

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:  # noqa: ANN401
        function = builder.inttoptr(values[0], kind.as_pointer())
        called = builder.call(function, [builder.inttoptr(values[1], pointer), *values[2:]])
        return None if result is types.void else called

    return result(*[types.int64] * (2 + numbers)), generate


@intrinsic
def call(_context: Any, _address: Any, _at: Any) -> Any:  # noqa: ANN401  # numba has no types
    """Call ``void f(void *)``."""
    return _calling(types.void, 0)


@intrinsic
def call_counted(_context: Any, _address: Any, _at: Any, _count: Any) -> Any:  # noqa: ANN401
    """Call ``int64 f(void *, int64)``."""
    return _calling(types.int64, 1)


@intrinsic
def call_goals(_context: Any, _address: Any, _at: Any, _phase: Any) -> Any:  # noqa: ANN401
    """Call ``void f(void *, int64)``."""
    return _calling(types.void, 1)


@intrinsic
def call_move(_context: Any, _address: Any, _at: Any, _phase: Any, _move: Any) -> Any:  # noqa: ANN401
    """Call ``void f(void *, int64, int64)``."""
    return _calling(types.void, 2)


@intrinsic
def lowest(_context: Any, _word: Any) -> Any:  # noqa: ANN401
    """Return the place of the lowest one of a word that is not zero."""
    signature = types.int64(types.uint64)

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:  # noqa: ANN401
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


@intrinsic
def ones(_context: Any, _word: Any) -> Any:  # noqa: ANN401
    """Return how many ones a word has."""
    signature = types.int64(types.uint64)

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:  # noqa: ANN401
        return builder.ctpop(values[0])

    return signature, generate


@intrinsic
def bit_length(_context: Any, _word: Any) -> Any:  # noqa: ANN401
    """Return how many bits a word that is not zero takes."""
    signature = types.int64(types.uint64)

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:  # noqa: ANN401
        zeros = builder.ctlz(values[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 64), zeros)

    return signature, generate


@intrinsic
def prefetch(_context: Any, _array: Any, _index: Any) -> Any:  # noqa: ANN401
    """Let the processor bring the line of an array's place from memory while it does other work."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.gep(_place(context, builder, signature, values[0]), [values[1]])
        hints = [ir.Constant(number, hint) for hint in (0, 3, 1)]  # to be read, kept, as data
        builder.call(function, [builder.bitcast(place, pointer), *hints])

    return types.void(_array, types.int64), generate


def _place(context: Any, builder: Any, signature: Any, value: Any) -> Any:  # noqa: ANN401
    """Return the address of the first number of an array."""
    return context.make_array(signature.args[0])(context, builder, value).data


@intrinsic
def try_lock(_context: Any, _lock: Any) -> Any:  # noqa: ANN401
    """Set the first number of an ``int64`` array to 1; return what it was, 0 for who has it now.

    What others wrote before they gave it back is seen from then on.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
        place = _place(context, builder, signature, values[0])
        return builder.atomic_rmw("xchg", place, ir.Constant(ir.IntType(64), 1), "acquire")

    return types.int64(_lock), generate


@intrinsic
def unlock(_context: Any, _lock: Any) -> Any:  # noqa: ANN401
    """Set the first number of an ``int64`` array to 0, after all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
        place = _place(context, builder, signature, values[0])
        builder.store_atomic(ir.Constant(ir.IntType(64), 0), place, "release", 8)

    return types.void(_lock), generate


HAS_YIELD: Final = sys.platform != "win32"


@intrinsic
def give_way(_context: Any) -> Any:  # noqa: ANN401
    """Let another thread have this one's processor, where the system has POSIX's word for it."""

    def generate(_context: Any, builder: Any, _signature: Any, _values: Any) -> Any:  # noqa: ANN401
        if HAS_YIELD:
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])

    return types.void(), generate
