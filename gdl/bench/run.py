"""One game through every back end, beside its peers.

In goes the name of a ruleset or a rule file, out comes a `Report`.

Source: ours.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from gdl.bench.measure import FIRST, Rate, interleave, measure
from gdl.bench.peers import BY_FILE, OPEN_SPIEL, has_open_spiel, open_spiel_rate
from gdl.compile import build
from gdl.native.events import NotSequentialError, make_tables
from gdl.native.lanes import Lanes, compile_lanes
from gdl.native.phases import find_clock
from gdl.native.scalar import Scalar, scalar_code
from gdl.native.target import native_target
from gdl.playouts import playouts
from gdl.reason.machine import Reasoner

WIDTHS: Final = (64, 256, 512)


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured of one game.

    Attributes:
        name: Ruleset or file.
        gates: Nodes of the circuit.
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
        GdlError: The rules cannot be read or compiled.
    """
    from gdl.ruleset import find

    description = find(name).description
    start = time.process_time()
    circuit = build(description)
    circuit_seconds = time.process_time() - start
    rates: dict[str, Rate] = {}
    runs: dict[str, Any] = {}
    for width in widths:
        start = time.process_time()
        compiled = compile_lanes(circuit, target=native_target(width))
        compile_seconds = time.process_time() - start
        runs[f"lanes{width}"] = Lanes(compiled).playouts
    try:
        scalar = Scalar(make_tables(circuit, find_clock(circuit)), scalar_code())
        runs["scalar"] = lambda n: scalar.rollouts(scalar.initial(), n)
    except NotSequentialError:
        pass  # a game of simultaneous moves is played by lanes alone
    peer = OPEN_SPIEL.get(name, BY_FILE.get(Path(name).stem)) if has_open_spiel() else None
    reasoner = Reasoner(description)
    runs["reason"] = lambda n: playouts(reasoner, reasoner.initial(), n)
    for back_end, run in runs.items():
        first = 1 if back_end == "reason" else FIRST
        rates[back_end] = measure(run, seconds=seconds, repeats=rounds, first=first)
    peer_rate, ratios = _ratios(runs, rates, peer, seconds, rounds)
    return Report(
        name,
        len(circuit.aig),
        circuit_seconds,
        compile_seconds,
        len(compiled.code),
        compiled.size,
        rates,
        peer,
        peer_rate,
        ratios,
    )


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
    theirs = sorted(measured[0])
    ratios = {
        back_end: sorted(a / b for a, b in zip(ours, measured[0], strict=True))[rounds // 2]
        for back_end, ours in zip(runs, measured[1:], strict=True)
    }
    return theirs[len(theirs) // 2], ratios


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
