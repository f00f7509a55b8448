"""One game through every back end, beside its peers.

In goes the name of a ruleset or a rule file, out comes a `Report`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

from gdl.bench.measure import FIRST, Rate, interleave, measure
from gdl.bench.peers import BY_FILE, OPEN_SPIEL, has_open_spiel, open_spiel_rate
from gdl.circuit.phases import find_phases
from gdl.compile import build
from gdl.compile.limits import CompileError
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Description
from gdl.native.code.target import native_target
from gdl.native.lanes.layout import GoalTableError
from gdl.native.lanes.playouts import Lanes, compile_lanes
from gdl.native.scalar.effects import NoTablesError
from gdl.native.scalar.events import make_tables
from gdl.native.scalar.game import Scalar, scalar_code
from gdl.playouts import playouts
from gdl.reason.machine import Reasoner

WIDTHS: Final = (64, 256, 512)


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured of one game.

    Attributes:
        name: Ruleset or file.
        gates: Nodes of the circuit; 0 where the rules cannot be compiled, and the reasoner is
            measured alone.
        circuit_seconds: From rules to circuit.
        compile_seconds: From circuit to machine code, lanes at the widest.
        code_bytes: Object code of the widest lanes.
        lane_bytes: Memory of one vector of the widest lanes.
        rates: By back end: ``lanes64`` ..., ``scalar``, ``reason``.
        peer: Name of the peer's game, None where there is none.
        peer_rate: Its rollouts a second, median.
        ratios: Each back end over the peer.
    """

    name: str
    gates: int
    circuit_seconds: float
    compile_seconds: float
    code_bytes: int
    lane_bytes: int
    rates: dict[str, Rate]
    peer: str | None
    peer_rate: float | None
    ratios: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return asdict(self)


def bench_game(
    name: str, *, widths: Sequence[int] = WIDTHS, seconds: float = 1.0, rounds: int = 3
) -> Report:
    """Measure one game.

    Args:
        name: Ruleset id or path of a rule file.
        widths: Lanes of a vector to measure.
        seconds: Processor time of each single run.
        rounds: Back ends and peer take turns so many times.

    Raises:
        GdlError: The rules cannot be read, or the game is over before it begins.
    """
    from gdl.ruleset import find

    description = find(name).description
    reasoner = Reasoner(description)
    if reasoner.is_terminal(reasoner.initial()):
        raise GdlError(f"{name} is over before the first move: there is nothing to measure")
    rates: dict[str, Rate] = {}
    native = _compiled(description, widths)
    runs = native.runs
    peer = OPEN_SPIEL.get(name, BY_FILE.get(Path(name).stem)) if has_open_spiel() else None
    runs["reason"] = lambda n: playouts(reasoner, reasoner.initial(), n)
    for back_end, run in runs.items():
        first = 1 if back_end == "reason" else FIRST
        rates[back_end] = measure(run, seconds=seconds, repeats=rounds, first=first)
    peer_rate, ratios = _ratios(runs, rates, peer, seconds, rounds)
    return Report(
        name,
        native.gates,
        native.circuit_seconds,
        native.compile_seconds,
        native.code_bytes,
        native.lane_bytes,
        rates,
        peer,
        peer_rate,
        ratios,
    )


@dataclass(slots=True)
class _Compiled:
    """What of a game runs as machine code: runs by back end, and the fields of `Report`."""

    runs: dict[str, Any] = field(default_factory=dict)
    gates: int = 0
    circuit_seconds: float = 0.0
    compile_seconds: float = 0.0
    code_bytes: int = 0
    lane_bytes: int = 0


def _compiled(description: Description, widths: Sequence[int]) -> _Compiled:
    compiled = _Compiled()
    start = time.process_time()
    try:
        circuit = build(description)
    except CompileError:
        return compiled  # the reasoner plays it, as it does for everybody
    compiled.circuit_seconds = time.process_time() - start
    compiled.gates = len(circuit.aig)
    with suppress(GoalTableError):  # too many combinations of goals to count in lanes
        for width in widths:
            start = time.process_time()
            lanes = compile_lanes(circuit, target=native_target(width))
            compiled.compile_seconds = time.process_time() - start
            compiled.code_bytes, compiled.lane_bytes = len(lanes.code), lanes.size
            compiled.runs[f"lanes{width}"] = Lanes(lanes).playouts
    with suppress(NoTablesError, GoalTableError):  # roles that choose at the same time, mostly
        scalar = Scalar(make_tables(circuit, find_phases(circuit)), scalar_code())
        compiled.runs["scalar"] = lambda n: scalar.rollouts(scalar.initial(), n)
    return compiled


def _ratios(
    runs: dict[str, Any], rates: dict[str, Rate], peer: str | None, seconds: float, rounds: int
) -> tuple[float | None, dict[str, float]]:
    """Return the peer's rate and the median of the ratios, back ends and peer taking turns."""
    if peer is None:
        return None, {}

    def again(back_end: str) -> float:
        n = rates[back_end].n
        start = time.process_time()
        runs[back_end](n)
        return n / (time.process_time() - start)

    measured = interleave(
        [
            lambda: open_spiel_rate(peer, seconds=seconds),
            *(lambda b=back_end: again(b) for back_end in runs),
        ],
        rounds=rounds,
    )
    theirs, *ours = measured
    ratios = {
        back_end: median(a / b for a, b in zip(mine, theirs, strict=True))
        for back_end, mine in zip(runs, ours, strict=True)
    }
    return median(theirs), ratios


def table(reports: Sequence[Report]) -> str:
    """Return reports as a Markdown table."""
    heads = (
        "game",
        "back end",
        "playouts/s",
        "(low - high)",
        "transitions/s",
        "mean length",
        "mean goals",
        "x open_spiel",
    )
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for report in reports:
        for back_end, rate in report.rates.items():
            goals = " ".join(f"{goal:.1f}" for goal in rate.mean_goals)
            ratio = f"{report.ratios[back_end]:.4g}" if back_end in report.ratios else "-"
            lines.append(
                f"| {report.name} | {back_end} | {rate.playouts:.4g} | {rate.low:.4g} - "
                f"{rate.high:.4g} | {rate.transitions:.4g} | {rate.mean_length:.2f} | {goals} "
                f"| {ratio} |"
            )
    return "\n".join(lines)
