"""What a well-formed game must have, as questions about its circuit.

In: a circuit. Out: `Property` values: what is claimed, when it is violated (or, for
claims that something is possible, when it is fulfilled), and how the reasoner would see
that in a state.

Source: GDL specification 2008, section 6 (well-formed games: termination, playability,
monotonicity, winnability); Schiffel and Thielscher, "Automated Theorem Proving for General
Game Playing", IJCAI 2009 (the properties that players want to know).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gdl.circuit.aig import Lit, negate
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import at_least_two, conj_all, disj_all, exactly_one
from gdl.circuit.mutex import families
from gdl.language.syntax import Constant, Term

Check = Callable[[Any, Any, Any], bool]
"""Takes a reasoner, one of its states, and the state and joint move before it (None for the
first state): does the state show it?"""


@dataclass(frozen=True, slots=True)
class Property:
    """One claim about a game.

    Attributes:
        name: A short name.
        claim: The claim in words.
        edge: The state that decides: one that violates the claim, or if ``is_possible``
            one that fulfils it.
        shows: Whether the reasoner agrees that a state is such a one.
        is_possible: The claim is that such a state can be reached, not that none can.
        of_moves: The edge depends on the moves made in a state too, not on the state alone.
    """

    name: str
    claim: str
    edge: Lit
    shows: Check
    is_possible: bool = False
    of_moves: bool = False


PLAYABLE: Final = ("playable", "every role can move until the game is over")
GOALS_UNIQUE: Final = ("goals unique", "every role has exactly one goal when the game is over")
GOALS_IN_RANGE: Final = ("goals in range", "goals are from 0 to 100")
CONSTANT_SUM: Final = ("constant sum", "the goals of finished games always add up to the same")
CHANCE: Final = Constant("random")
"""The role of GDL-II that nobody plays: its goals mean nothing, and its choices are no turn."""
TURN_TAKING: Final = ("turn-taking", "at most one role has a choice at a time")


def claims(roles: Sequence[Term]) -> list[tuple[str, str]]:
    """Return the names and claims of what is asked of every game, whatever its circuit."""
    asked = [PLAYABLE, GOALS_UNIQUE, GOALS_IN_RANGE]
    if len(roles) > 1:
        asked += [TURN_TAKING, CONSTANT_SUM]
    return asked + [_winning(role) for role in roles if role != CHANCE]


def standard_properties(circuit: GameCircuit) -> list[Property]:
    """Return the properties that are asked of every game.

    Args:
        circuit: The game; its graph grows.
    """
    properties = [_playable(circuit), *_goals(circuit)]
    if len(circuit.roles) > 1:
        properties.append(_turn_taking(circuit))
    properties += _exclusive(circuit)
    properties += (_winnable(circuit, role) for role in players(circuit.roles))
    return properties


def players(roles: Sequence[Term]) -> list[int]:
    """Return the numbers of the roles that somebody plays."""
    return [index for index, role in enumerate(roles) if role != CHANCE]


def _playable(circuit: GameCircuit) -> Property:
    aig = circuit.aig
    stuck = [negate(disj_all(aig, row)) for row in circuit.legal]
    edge = aig.conj(negate(circuit.terminal), disj_all(aig, stuck))

    def shows(machine: Any, state: Any, _: Any) -> bool:  # noqa: ANN401  # any back end
        return not machine.is_terminal(state) and not all(
            machine.legal(state, role) for role in machine.roles
        )

    return Property(*PLAYABLE, edge, shows)


def _goals(circuit: GameCircuit) -> list[Property]:
    aig = circuit.aig
    rows = [circuit.goals[role] for role in players(circuit.roles)]
    wrong = [negate(exactly_one(aig, [edge for _, edge in row])) for row in rows]
    outside = [edge for row in rows for value, edge in row if not 0 <= value <= 100]  # noqa: PLR2004

    def not_one(machine: Any, state: Any, _: Any) -> bool:  # noqa: ANN401
        return machine.is_terminal(state) and any(
            len(machine.goals(state, role)) != 1 for role in machine.roles if role != CHANCE
        )

    def is_outside(machine: Any, state: Any, _: Any) -> bool:  # noqa: ANN401
        return any(
            not 0 <= value <= 100  # noqa: PLR2004
            for role in machine.roles
            if role != CHANCE
            for value in machine.goals(state, role)
        )

    over = circuit.terminal
    return [
        Property(*GOALS_UNIQUE, aig.conj(over, disj_all(aig, wrong)), not_one),
        Property(*GOALS_IN_RANGE, disj_all(aig, outside), is_outside),
    ]


def constant_sum(circuit: GameCircuit, total: int) -> Property:
    """Return that the goals of every finished game add up to a total; no goal adds nothing."""
    aig = circuit.aig
    sums: dict[int, Lit] = {0: circuit.terminal}
    for role in players(circuit.roles):
        row = [*circuit.goals[role]]
        row.append((0, negate(disj_all(aig, [edge for _, edge in row]))))
        after: dict[int, list[Lit]] = {}
        for so_far, edge in sums.items():
            for value, gives in row:
                after.setdefault(so_far + value, []).append(aig.conj(edge, gives))
        sums = {value: disj_all(aig, edges) for value, edges in after.items()}
    edge = disj_all(aig, [edge for value, edge in sums.items() if value != total])

    def shows(machine: Any, state: Any, _: Any) -> bool:  # noqa: ANN401
        possible = {0}
        for role in machine.roles:
            if role == CHANCE:
                continue
            possible = {a + b for a in possible for b in machine.goals(state, role) or (0,)}
        return machine.is_terminal(state) and bool(possible - {total})

    name, _ = CONSTANT_SUM
    return Property(name, f"the goals of finished games always add up to {total}", edge, shows)


def _turn_taking(circuit: GameCircuit) -> Property:
    aig = circuit.aig
    several = [at_least_two(aig, circuit.legal[role]) for role in players(circuit.roles)]
    both = [aig.conj(left, right) for i, left in enumerate(several) for right in several[:i]]
    edge = aig.conj(negate(circuit.terminal), disj_all(aig, both))

    def shows(machine: Any, state: Any, _: Any) -> bool:  # noqa: ANN401
        choosing = [
            role for role in machine.roles if role != CHANCE and len(machine.legal(state, role)) > 1
        ]
        return not machine.is_terminal(state) and len(choosing) > 1

    return Property(*TURN_TAKING, edge, shows)


def _exclusive(circuit: GameCircuit) -> list[Property]:
    """Return, for facts that differ in the last argument only, that no two hold together."""
    cells: dict[str, list[list[int]]] = {}
    for family, members in families(circuit.facts).items():
        if family.arity > 2 and family.position == family.arity - 1:  # noqa: PLR2004  # place and mark
            cells.setdefault(family.name, []).append(members)
    return [
        _one_mark(circuit, name, rows)
        for name, rows in cells.items()
        if len(rows) > 1 and any(len(row) > 1 for row in rows)
    ]


def _one_mark(circuit: GameCircuit, name: str, cells: list[list[int]]) -> Property:
    aig = circuit.aig
    edge = disj_all(
        aig, [at_least_two(aig, [circuit.fact_inputs[fact] for fact in cell]) for cell in cells]
    )
    groups = [frozenset(circuit.facts[fact] for fact in cell) for cell in cells]

    def shows(machine: Any, state: Any, _: Any) -> bool:  # noqa: ANN401
        facts = machine.facts(state)
        return any(len(group & facts) > 1 for group in groups)

    claim = f"no two facts ({name} ...) differ in the last argument alone"
    return Property(f"one {name} a place", claim, edge, shows)


def _winnable(circuit: GameCircuit, role: int) -> Property:
    aig = circuit.aig
    wins = [edge for value, edge in circuit.goals[role] if value == 100]  # noqa: PLR2004
    edge = conj_all(aig, [circuit.terminal, disj_all(aig, wins)])
    name = circuit.roles[role]

    def shows(machine: Any, state: Any, _: Any) -> bool:  # noqa: ANN401
        return machine.is_terminal(state) and 100 in machine.goals(state, name)  # noqa: PLR2004

    return Property(*_winning(name), edge, shows, is_possible=True)


def _winning(role: Term) -> tuple[str, str]:
    return f"winnable by {role}", f"some play ends with 100 for {role}"


def some_end(circuit: GameCircuit) -> Property:
    """Return that some play ends."""

    def shows(machine: Any, state: Any, _: Any) -> bool:  # noqa: ANN401  # any back end
        return bool(machine.is_terminal(state))

    return Property("ends", "some play ends", circuit.terminal, shows, is_possible=True)


def sum_of_goals(machine: Any, state: Any) -> int:  # noqa: ANN401  # any back end
    """Return what the goals of a state add up to, the lowest of each role."""
    return sum(
        min(machine.goals(state, role), default=0) for role in machine.roles if role != CHANCE
    )
