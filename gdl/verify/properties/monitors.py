"""Formulas of the rules, watched in every state or at every move.

In: a description and bodies of rules. Out: a description in which each body gives one more
goal of the first role, or one more percept where it depends on moves, far outside of what
games use; and from its circuit, the edges that say when each body holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from gdl.circuit.aig import FALSE, Lit
from gdl.circuit.game import GameCircuit
from gdl.compile.rules.literals import asked_sentence
from gdl.language.clauses import clauses
from gdl.language.dependencies import DOES, dependency_graph
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import (
    And,
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Formula,
    Not,
    Or,
    Place,
    Rule,
    Term,
    Variable,
    arguments,
    fold_formula,
    sentence,
    signature,
)
from gdl.language.walk import conditions
from gdl.verify.systems.system import Label, System

FIRST_VALUE: Final = 9_000_000
"""Goals and percepts from here on are watched formulas."""

Body = tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Monitored:
    """A description that watches formulas.

    Attributes:
        description: The rules, and those that watch.
        of_moves: For each formula, whether it depends on the moves made.
    """

    description: Description
    of_moves: tuple[bool, ...]


def first_role(roles: Sequence[Term]) -> Term:
    """Return the role whose goals and percepts tell what is watched.

    Raises:
        GdlError: There is none.
    """
    if not roles:
        raise GdlError(
            "the rules name no role",
            expected="a fact (role NAME) for each player",
            help="gdl check says what else a game needs",
        )
    return roles[0]


def with_monitors(description: Description, role: Term, bodies: Sequence[Body]) -> Monitored:
    """Return a description that also says when each of some bodies holds.

    Args:
        description: The rules.
        role: Whose goals and percepts tell.
        bodies: What is watched; variables mean "for some".
    """
    description, bodies = _set_aside(description, bodies)
    moving = dependency_graph(clauses(description)).dependents({DOES})
    rules: list[Rule] = []
    of_moves = []
    for index, body in enumerate(bodies):
        value = Constant(str(FIRST_VALUE + index))
        plain = Rule(Atom(Compound("goal", (role, value))), body, _place(body))
        asked = (
            asked_sentence(sentence) for c in clauses(Description((plain,))) for sentence in c.body
        )
        of_moves.append(
            any(sentence is not None and signature(sentence) in moving for sentence in asked)
        )
        if of_moves[-1]:
            plain = replace(plain, head=Atom(Compound("sees", (role, value))))
        rules.append(plain)
    return Monitored(description + Description(tuple(rules)), tuple(of_moves))


def _set_aside(
    description: Description, bodies: Sequence[Body]
) -> tuple[Description, Sequence[Body]]:
    """Return rules and bodies that ask for goals and percepts under another name.

    What watches adds goals and percepts. A rule or formula that asks whether somebody has any
    goal must not be answered by those, or watching would change the game: it asks for what was
    written, of which the goals proper are a copy.
    """
    watching = [Rule(Atom(Constant("watched")), body) for body in bodies]
    asked = {
        leaf.sentence.name
        for rule in (*description.rules, *watching)
        for leaf, _ in conditions(rule)
        if isinstance(leaf, Atom)
    }
    aside: dict[str, str] = {
        name: f"{name} as written" for name in ("goal", "sees") if name in asked
    }
    if not aside:
        return description, bodies

    def moved(atom: Atom) -> Atom:
        name = aside.get(atom.sentence.name)
        args = arguments(atom.sentence)
        return atom if name is None else replace(atom, sentence=sentence(name, args))

    def leaf_of(leaf: Atom | Distinct) -> Formula:
        return moved(leaf) if isinstance(leaf, Atom) else leaf

    def formula_of(formula: Not | And | Or, parts: tuple[Formula, ...]) -> Formula:
        if isinstance(formula, Not):
            return replace(formula, operand=parts[0])
        return replace(formula, operands=parts)

    def body_of(body: Body) -> Body:
        return tuple(fold_formula(formula, leaf_of, formula_of) for formula in body)

    who_and_what = Variable("r"), Variable("v")
    rules = [replace(r, head=moved(r.head), body=body_of(r.body)) for r in description.rules]
    rules += (
        Rule(Atom(Compound(name, who_and_what)), (Atom(Compound(written, who_and_what)),))
        for name, written in aside.items()
    )
    return replace(description, rules=tuple(rules)), list(map(body_of, bodies))


def _place(body: Body) -> Place | None:
    return next((formula.place for formula in body if formula.place is not None), None)


def monitor_edges(
    circuit: GameCircuit, of_moves: Sequence[bool]
) -> tuple[GameCircuit, tuple[Lit, ...]]:
    """Return a circuit without what watches, and for each formula when it holds."""
    goals = {value: edge for value, edge in circuit.goals[0] if value >= FIRST_VALUE}
    percepts = {str(percept): edge for row in circuit.sees[:1] for percept, edge in row}
    edges = tuple(
        percepts.get(str(value), FALSE) if moves else goals.get(value, FALSE)
        for value, moves in enumerate(of_moves, start=FIRST_VALUE)
    )
    names = {str(value) for value in range(FIRST_VALUE, FIRST_VALUE + len(of_moves))}
    plain = replace(
        circuit,
        goals=tuple(tuple(pair for pair in row if pair[0] < FIRST_VALUE) for row in circuit.goals),
        sees=tuple(
            tuple(pair for pair in row if str(pair[0]) not in names) for row in circuit.sees
        ),
    )
    return plain, edges


def with_memory(system: System, edge: Lit, name: str) -> tuple[System, Lit]:
    """Return a system with one more fact: what an edge was at the last move. Its edge, too.

    So a question about a move becomes one about the state after it, as the search asks them.
    """
    fact = system.aig.add_input()
    return (
        replace(
            system,
            facts=(*system.facts, Label(2, Constant(name))),
            fact_inputs=(*system.fact_inputs, fact),
            initial=(*system.initial, False),
            next=(*system.next, edge),
        ),
        fact,
    )
