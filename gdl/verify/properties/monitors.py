"""Formulas of the rules, watched in every state or at every move.

In: a description and bodies of rules. Out: a description in which each body gives one more
goal of the first role, or one more percept where it depends on moves, of numbers that the rules
do not have; and from its circuit, the edges that say when each body holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from gdl.circuit.aig import FALSE, Lit
from gdl.circuit.game import GameCircuit
from gdl.compile.rules.fresh_names import apart
from gdl.compile.rules.literals import asked_sentence
from gdl.language.clauses import clauses
from gdl.language.dependencies import DOES, dependency_graph
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
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
from gdl.language.walk import conditions, leaf_terms, leaves, subterms
from gdl.machine import Role, goal_value
from gdl.reason.machine import Reasoner, State
from gdl.verify.systems.system import Label, System

FIRST_VALUE: Final = 9_000_000
"""Goals and percepts from here on are watched formulas, or from a number that is free."""

Body = tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Monitored:
    """A description that watches formulas.

    Attributes:
        description: The rules, and those that watch.
        of_moves: For each formula, whether it depends on the moves made.
        first: The goal or percept that tells of the first formula; the others follow it.
    """

    description: Description
    of_moves: tuple[bool, ...]
    first: int

    @property
    def values(self) -> range:
        """The goals and percepts that tell of the formulas, in their order."""
        return range(self.first, self.first + len(self.of_moves))


class WatchingReasoner(Reasoner):
    """The reasoner of a watched description, whose goals are those of the rules alone."""

    def __init__(self, monitored: Monitored, *, limits: Limits = DEFAULT_LIMITS) -> None:
        """Read the rules and what watches them."""
        super().__init__(monitored.description, limits=limits)
        self._watched = monitored.values

    def goals(self, state: State, role: Role) -> tuple[int, ...]:
        """Return the goals of a role but for those that tell what is watched."""
        return tuple(value for value in super().goals(state, role) if value not in self._watched)

    def tells(self, state: State, role: Role, value: int) -> bool:
        """Return whether a formula of states holds, by the goal that tells of it."""
        return value in super().goals(state, role)


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


def with_monitors(
    description: Description, role: Term, bodies: Sequence[Body], *, first: int | None = None
) -> Monitored:
    """Return a description that also says when each of some bodies holds.

    Args:
        description: The rules.
        role: Whose goals and percepts tell.
        bodies: What is watched; variables mean "for some".
        first: The number of the first of them; None for one from which on enough are free.
    """
    if first is None:
        first = first_free(description, len(bodies))
    description, bodies = _set_aside(description, bodies)
    moving = dependency_graph(clauses(description)).dependents({DOES})
    rules: list[Rule] = []
    of_moves = []
    for index, body in enumerate(bodies):
        value = Constant(str(first + index))
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
    return Monitored(description + Description(tuple(rules)), tuple(of_moves), first)


def first_free(description: Description, count: int) -> int:
    """Return a number from which on so many are no words of the rules.

    A goal or percept is a word of the rules, so none of theirs is one of these.
    """
    terms = (
        inner
        for rule in description.rules
        for leaf in leaves(rule)
        for outer in leaf_terms(leaf)
        for inner, _ in subterms(*outer)
    )
    used = {value for term in terms if (value := goal_value(term)) is not None}
    first = FIRST_VALUE
    while taken := used.intersection(range(first, first + count)):
        first = max(taken) + 1
    return first


def _set_aside(
    description: Description, bodies: Sequence[Body]
) -> tuple[Description, Sequence[Body]]:
    """Return rules and bodies that ask for goals and percepts under a name that no relation has.

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
    names: dict[str, str] = {n: f"{n} as written" for n in ("goal", "sees") if n in asked}
    if not names:
        return description, bodies
    blanks = apart(dependency_graph(clauses(description)).relations, *names.values())
    aside = {name: written + blanks for name, written in names.items()}

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
    circuit: GameCircuit, monitored: Monitored
) -> tuple[GameCircuit, tuple[Lit, ...]]:
    """Return a circuit without what watches, and for each formula when it holds."""
    of_moves, values = monitored.of_moves, monitored.values
    goals = dict(circuit.goals[0])
    percepts = {str(percept): edge for row in circuit.sees[:1] for percept, edge in row}
    edges = tuple(
        percepts.get(str(value), FALSE) if moves else goals.get(value, FALSE)
        for value, moves in zip(values, of_moves, strict=True)
    )
    names = {str(value) for value in values}
    plain = replace(
        circuit,
        goals=tuple(tuple(pair for pair in row if pair[0] not in values) for row in circuit.goals),
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
