"""``gdl convert``: rules from one notation to the other, to a circuit, or to WebAssembly."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, assert_never

from gdl.backend import NATIVE_PACKAGES
from gdl.cli.terminal.guard import UsageError
from gdl.cli.terminal.options import OutputOption, argument, option
from gdl.cli.terminal.output import write_bytes, write_text
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.packages import need_packages
from gdl.language.syntax import Description

if TYPE_CHECKING:
    from gdl.circuit.aiger import Model
    from gdl.circuit.game import GameCircuit


class Form(StrEnum):
    """What rules can be written as."""

    KIF = "kif"
    HRF = "hrf"
    AIGER = "aiger"
    DOT = "dot"
    WASM = "wasm"


def convert(
    file: Annotated[str, argument("FILE", "A rule file or ruleset id; - is standard input.")],
    to: Annotated[
        Form,
        option(
            "--to",
            None,
            "kif: (legal ?p noop); hrf: legal(P,noop); aiger: the circuit for model "
            "checkers; dot: the same for Graphviz; wasm: machine code for pages and node.",
        ),
    ],
    output: OutputOption = None,
    against: Annotated[
        str | None,
        option(
            "--against", "B", "aiger: the product with another game; bad is where the two disagree."
        ),
    ] = None,
    bad: Annotated[
        list[str] | None,
        option(
            "--bad",
            "PROPERTY",
            "aiger: a property that gdl verify knows, repeatable; by default all that must "
            "never be violated.",
        ),
    ] = None,
    never: Annotated[
        list[str] | None,
        option(
            "--never", "FORMULA", "aiger: a formula of the rules that must never hold, repeatable."
        ),
    ] = None,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Write rules in the other notation, prefix (KIF) or infix (HRF), or as what runs elsewhere.

    Notation changes nothing of the rules. A circuit (AIGER 1.9, or Graphviz) has a latch for each
    fact and an input for each move; it takes grounding, seconds for most games. AIGER is ASCII,
    or binary where the file to write ends in .aig, and has checked properties as bad states.
    WebAssembly plays: random games in 128 lanes and one game by hand, for browsers and node.

    Examples:
      gdl convert mine.kif --to hrf
      gdl convert mine.hrf --to kif -o mine.kif
      gdl convert pentago/strict --to aiger -o strict.aig
      gdl convert mine.kif --to aiger --against tictactoe -o both.aag
      gdl convert pentago/strict --to wasm -o strict.wasm
    """
    if to is not Form.AIGER and (against or bad or never):
        raise UsageError(
            f"--against, --bad and --never ask a model checker; {to.value} goes to none",
            help="add --to aiger",
        )
    if to is Form.WASM and output is None and sys.stdout.isatty():
        raise UsageError(
            "WebAssembly is no text to look at", help="add -o FILE, such as -o game.wasm"
        )
    if against is not None:
        if bad or never:
            raise UsageError("--against asks where two games disagree, and nothing else")
        _write_model(_product(file, against, limits), output)
        return
    description = _read(file, limits)
    match to:
        case Form.KIF | Form.HRF:
            from gdl.language.render import render

            write_text(render(description, syntax="kif" if to is Form.KIF else "hrf"), output)
        case Form.AIGER:
            _write_model(_game(description, bad or [], never or [], limits), output)
        case Form.DOT:
            from gdl.circuit.dot import dot_text

            write_text(dot_text(_circuit(description, limits)), output)
        case Form.WASM:
            from gdl.native.wasm.module import wasm_module

            write_bytes(wasm_module(_circuit(description, limits)), output)
        case _:
            assert_never(to)


def _read(file: str, limits: Limits) -> Description:
    from gdl.cli.terminal.targets import read_typed
    from gdl.language.parse import parse, read
    from gdl.ruleset import find

    if file == "-":
        return parse(read_typed(limits), limits=limits)
    if Path(file).is_file():
        return read(file, limits=limits)
    return find(file, limits=limits).description


def _game(description: Description, bad: list[str], never: list[str], limits: Limits) -> Model:
    """Return a game with properties."""
    need_packages("a circuit", NATIVE_PACKAGES, "native")
    from gdl.cli.comparing.verify import never_properties
    from gdl.verify.export import model_of_game

    return model_of_game(description, names=bad, custom=never_properties(never), limits=limits)


def _product(left: str, right: str, limits: Limits) -> Model:
    """Return two games side by side."""
    from gdl.ruleset import find
    from gdl.verify.diff import require_packages
    from gdl.verify.export import model_of_product

    require_packages()
    return model_of_product(find(left, limits=limits), find(right, limits=limits), limits=limits)


def _write_model(model: Model, output: str | None) -> None:
    from gdl.circuit.aiger import model_bytes, model_text

    if output is not None and output.endswith(".aig"):
        write_bytes(model_bytes(model), output)
    else:
        write_text(model_text(model), output)


def _circuit(description: Description, limits: Limits) -> GameCircuit:
    need_packages("a circuit", NATIVE_PACKAGES, "native")
    from gdl.compile import CompileLimits, build

    return build(description, limits=CompileLimits(seconds=limits.seconds))
