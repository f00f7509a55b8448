"""A user's own property: a formula of the rules, watched in every state.

In: a description and formulas. Out: a description in which each formula is one more goal
value of the first role, far outside the range of goals, so that the circuit has an edge
for it; and that edge.

Source: ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gdl.compile.circuit import FALSE, GameCircuit
from gdl.language.diagnostics import GdlError
from gdl.language.parse import parse
from gdl.language.syntax import Atom, Compound, Constant, Description, Rule, Term
from gdl.verify.properties import Property

FIRST_VALUE: Final = 9_000_000
"""Goal values from here on are probes."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A formula that must never hold, or that must be possible.

    Attributes:
        name: What to call it.
        formula: A formula of the rules, as KIF text; variables mean "for some".
        is_possible: It must be possible, instead of never hold.
    """

    name: str
    formula: str
    is_possible: bool = False


def with_probes(description: Description, role: Term, probes: Sequence[Probe]) -> Description:
    """Return a description that also watches formulas.

    Raises:
        GdlSyntaxError: A formula cannot be read; shows where.
    """
    rules = []
    for index, probe in enumerate(probes):
        text = f"(<= watched {probe.formula})"
        (rule,) = parse(text, name=f"property {probe.name}").rules or (None,)
        if rule is None:
            raise GdlError(f"the property {probe.name} has no formula\n  expected: {EXAMPLE}")
        head = Compound("goal", (role, Constant(str(FIRST_VALUE + index))))
        rules.append(Rule(Atom(head), rule.body, rule.place))
    return description + Description(tuple(rules))


EXAMPLE: Final = "a formula of the rules, for instance (and (line black) (line white))"


def take_probes(
    circuit: GameCircuit, probes: Sequence[Probe]
) -> tuple[GameCircuit, list[Property]]:
    """Return the circuit without the extra goals, and what they watch as properties."""
    values = {value: edge for value, edge in circuit.goals[0] if value >= FIRST_VALUE}
    plain = tuple(
        tuple((value, edge) for value, edge in row if value < FIRST_VALUE) for row in circuit.goals
    )
    found = []
    for index, probe in enumerate(probes):
        value = FIRST_VALUE + index
        claim = f"{'possible' if probe.is_possible else 'never'}: {probe.formula}"
        shows = _shows(circuit.roles[0], value)
        edge = values.get(value, FALSE)
        found.append(Property(probe.name, claim, edge, shows, is_possible=probe.is_possible))
    return replace(circuit, goals=plain), found


def _shows(role: Term, value: int) -> Any:  # noqa: ANN401  # a check
    def shows(machine: Any, state: Any) -> bool:  # noqa: ANN401  # any back end
        return value in machine.goals(state, role)

    return shows


def read_properties(text: str, *, name: str = "properties") -> list[Probe]:
    """Read properties, one a line: ``never NAME: FORMULA`` or ``possible NAME: FORMULA``.

    Empty lines and lines that begin with ``;`` are left out.

    Raises:
        GdlError: A line is neither; says which and what is expected.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith(";"):
            continue
        head, colon, formula = stripped.partition(":")
        word, _, called = head.partition(" ")
        if not colon or word not in ("never", "possible") or not formula.strip():
            raise GdlError(
                f"{name}:{number}: {stripped!r} is no property\n"
                "  expected: never NAME: FORMULA, or possible NAME: FORMULA\n"
                "  help: never both lines: (and (line black) (line white))"
            )
        label = called.strip() or formula.strip()
        found.append(Probe(label, formula.strip(), is_possible=word == "possible"))
    return found
