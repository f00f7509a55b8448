"""Which rules can never fire.

In: a ruleset and its circuit. Out: for each rule with conditions, the edge that says when
its body holds, in a circuit of its own that has the same facts and moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.compile.limits import CompileError, CompileLimits
from gdl.compile.pipeline import build
from gdl.language.render import render
from gdl.language.syntax import Description, Rule
from gdl.verify.properties.coverage import CoverPoint
from gdl.verify.properties.monitors import monitor_edges, with_monitors

MAX_SHOWN: Final = 60
"""Characters of a rule in its name."""


@dataclass(frozen=True, slots=True)
class MonitoredRules:
    """The rules of a game, monitored.

    Attributes:
        circuit: The game.
        rules: When each rule with conditions fires.
    """

    circuit: GameCircuit
    rules: tuple[CoverPoint, ...]


def monitor_rules(
    description: Description, plain: GameCircuit, *, limits: CompileLimits
) -> MonitoredRules | str:
    """Return the rules of a game, monitored; or why that cannot be.

    Args:
        description: The rules.
        plain: Their circuit.
        limits: What making another one may take.
    """
    rules = [rule for rule in description.rules if rule.body]
    monitored = with_monitors(description, plain.roles[0], [rule.body for rule in rules])
    try:
        circuit = build(monitored.description, limits=limits)
    except CompileError as error:
        return error.headline
    circuit, edges = monitor_edges(circuit, monitored)
    if circuit.facts != plain.facts or circuit.moves != plain.moves:
        return "the circuit that watches the rules has other facts"
    return MonitoredRules(
        circuit,
        tuple(
            CoverPoint(name_of(rule), edge, of_moves)
            for rule, edge, of_moves in zip(rules, edges, monitored.of_moves, strict=True)
        ),
    )


def name_of(rule: Rule) -> str:
    """Return where a rule stands and how it begins."""
    if rule.place is None:
        text = " ".join(render(Description((rule,)), syntax="kif").split())
        return _cut(text)
    span = rule.place.span
    return f"{span}: {_cut(' '.join(span.text.split()))}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
