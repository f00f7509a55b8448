"""Which back end runs a game, and why: machine code where it can be had, else the reasoner.

In: a ruleset and what the user asked for. Out: a `BackEnd`. What is compiled is kept on
disk under a name made of the rules and of the code that compiled them, so that neither
a changed rule nor a changed compiler is ever served what was made before.
"""

from __future__ import annotations

import importlib.util
import os
import time
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from gdl.language.diagnostics import GdlError
from gdl.language.limits import Limits
from gdl.machine import StateMachine

if TYPE_CHECKING:
    from gdl.circuit.game import GameCircuit
    from gdl.language.checked import CheckedDescription
    from gdl.language.terms import Term
    from gdl.native.game import NativeGame
    from gdl.ruleset import Ruleset

Wanted: TypeAlias = Literal["auto", "reason", "native", "meaning"]
WANTED: Final[tuple[Wanted, ...]] = ("auto", "reason", "native", "meaning")

AUTO_SECONDS: Final = 10.0
"""How long ``auto`` lets a game be compiled before it falls back, in seconds."""
SECONDS_A_GATE: Final = 1e-4
"""What machine code of one gate takes, about: ``auto`` does not begin what it cannot end."""
SECONDS_A_LISTED_GATE: Final = 3.5e-5
"""The same in a circuit so large that it becomes a list of gates."""
BUSY: Final = 0.6
"""A refusal is kept only if we had this part of a processor until then; else it may be chance."""
NATIVE_PACKAGES: Final = ("clingo", "llvmlite", "numpy")


class NoNativeError(GdlError):
    """Machine code was asked for and cannot be had; the message says why."""


class BackEnd(NamedTuple):
    """Who runs a game.

    Attributes:
        name: ``reason``, ``native`` or ``meaning``.
        why: Why this one, in one line.
        refusal: What the compiler said, where that is why; with advice and places.
        evaluator: The state machine that evaluates the rules, where they are not compiled.
        native: State machine, playouts, perft and batches as machine code; else None.
    """

    name: str
    why: str
    evaluator: StateMachine[Any] | None = None
    native: NativeGame | None = None
    refusal: GdlError | None = None

    @property
    def machine(self) -> StateMachine[Any]:
        """Its state machine; machine code for it is made when it is first asked for."""
        runner = self.evaluator if self.native is None else self.native.machine
        assert runner is not None
        return runner

    @property
    def roles(self) -> tuple[Term, ...]:
        """The roles; asking for them makes no code."""
        return self.machine.roles if self.native is None else self.native.roles


def choose(
    ruleset: Ruleset, wanted: Wanted, *, limits: Limits, seconds: float | None = None
) -> BackEnd:
    """Return the back end for a game.

    Args:
        ruleset: The game.
        wanted: ``reason``, ``native`` or ``meaning`` for that one, ``auto`` for the fastest
            that is there.
        limits: What the rules may take.
        seconds: How long ``native`` may compile, by default those of the limits, and ``auto``, by
            default `AUTO_SECONDS`.

    Raises:
        NoNativeError: ``native`` was asked for, and packages are missing.
        CompileError: ``native`` was asked for, and the rules cannot be compiled.
        InvalidDescriptionError: The rules have no meaning.
    """
    if wanted == "reason":
        return _reasoner(ruleset, "it was asked for", limits)
    if wanted == "meaning":
        from gdl.meaning.machine import Meaning

        return BackEnd(
            "meaning", "it was asked for", Meaning(ruleset.checked(limits), limits=limits)
        )
    if missing := missing_packages():
        why = f"machine code needs {' and '.join(missing)}: pip install 'gdl-framework[native]'"
        if wanted == "native":
            raise NoNativeError(why)
        return _reasoner(ruleset, why, limits)
    if wanted == "native":
        patience = limits.seconds if seconds is None else seconds
        return _native(ruleset, "it was asked for", limits, patience)
    return _fastest(ruleset, limits, AUTO_SECONDS if seconds is None else seconds)


def missing_packages() -> list[str]:
    """Return the packages that machine code needs and that are not installed."""
    return [name for name in NATIVE_PACKAGES if importlib.util.find_spec(name) is None]


def _fastest(ruleset: Ruleset, limits: Limits, seconds: float) -> BackEnd:
    from gdl._cache import cache_folder, cached

    folder = cache_folder()
    refusal_name = f"{_digest(ruleset, limits)}.{seconds:g}s.refusal"
    is_refused = folder is not None and (folder / refusal_name).exists()
    if is_refused and not _native_game(ruleset, limits, 0.0).is_kept:  # else somebody waited for it
        refusal = cached(refusal_name, GdlError, lambda: GdlError("see above"), folder=folder)
        return _uncompiled(ruleset, refusal, limits)
    begun, worked = time.monotonic(), os.times()
    try:
        return _native(
            ruleset,
            "the rules could be made into machine code",
            limits,
            min(limits.seconds, seconds),
            is_bounded=True,
        )
    except GdlError as error:
        from gdl.compile.budget import processor_seconds
        from gdl.compile.limits import CompileError

        if not isinstance(error, CompileError):
            raise
        if processor_seconds() - sum(worked[:4]) >= BUSY * (time.monotonic() - begun):
            refused: GdlError = error
            cached(refusal_name, GdlError, lambda: refused, folder=folder)
        return _uncompiled(ruleset, error, limits)


def _uncompiled(ruleset: Ruleset, refusal: GdlError, limits: Limits) -> BackEnd:
    why = f"the rules could not be made into machine code: {refusal.headline}"
    return _reasoner(ruleset, why, limits)._replace(refusal=refusal)


def _reasoner(ruleset: Ruleset, why: str, limits: Limits) -> BackEnd:
    from gdl.reason.machine import Reasoner

    checked = ruleset.checked(limits)
    return BackEnd("reason", why, Reasoner(checked, limits=limits, roles=_roles(checked, limits)))


def _roles(checked: CheckedDescription, limits: Limits) -> tuple[Term, ...]:
    """Return the roles in their order; the definition derives those that are not named outright."""
    if checked.roles:
        return checked.roles
    from gdl.meaning.machine import Meaning

    return Meaning(checked, limits=limits).roles


def _native(
    ruleset: Ruleset, why: str, limits: Limits, seconds: float, *, is_bounded: bool = False
) -> BackEnd:
    deadline = time.monotonic() + seconds
    native = _native_game(ruleset, limits, seconds, is_bounded=is_bounded)
    native.prepare()
    if is_bounded and not native.is_kept:  # the circuit may lie on disk from one who waited
        check_affordable(native.circuit, deadline - time.monotonic(), seconds)
    return BackEnd("native", why, native=native)


def _native_game(
    ruleset: Ruleset, limits: Limits, seconds: float, *, is_bounded: bool = False
) -> NativeGame:
    """Return a compiled game of which nothing is made or read yet; see `_native`."""
    from gdl.native.game import NativeGame

    def make() -> GameCircuit:
        from gdl.compile import CompileLimits, build

        checked = ruleset.checked(limits)
        _ = checked.orders  # refuses rules that have no meaning
        roles = _roles(checked, limits)
        deadline = time.monotonic() + seconds
        circuit = build(checked, limits=CompileLimits(seconds=seconds), roles=roles)
        if is_bounded:  # before it is kept: one that was made in a hurry is larger than need be
            check_affordable(circuit, deadline - time.monotonic(), seconds)
        return circuit

    return NativeGame(_digest(ruleset, limits), make)


def check_affordable(circuit: GameCircuit, seconds: float, of: float = AUTO_SECONDS) -> None:
    """Check that machine code of a circuit can be had in so many seconds, about.

    Args:
        circuit: Of the rules.
        seconds: Those that are left.
        of: Those that there were.

    Raises:
        CompileError: It cannot.
    """
    gates = sum(1 for _ in circuit.aig.ands())
    if gates * SECONDS_A_GATE <= seconds:
        return  # a list of gates would be made sooner still
    from gdl.compile.limits import CompileError
    from gdl.native.code.schedule import LISTED_FROM

    needed = gates * (SECONDS_A_GATE if gates < LISTED_FROM else SECONDS_A_LISTED_GATE)
    if needed > seconds:
        raise CompileError(
            f"machine code of their {gates:,} gates would take about {needed:.0f} seconds, "
            f"and {max(0.0, seconds):.0f} of {of:g} are left",
            help="wait for it once with backend='native'; it is kept from then on",
        )


def _digest(ruleset: Ruleset, limits: Limits) -> str:
    from gdl._cache import digest
    from gdl._code_key import code_key

    return digest([ruleset.digest(), code_key(), repr(limits)])
