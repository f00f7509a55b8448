"""What has to be possible in every game: that each move becomes legal, that each fact changes.

In: a circuit, and the rules for what they declare and name. Out: a `CoverPoint` for each; `firing`
has those of rules.

A circuit has only what grounding leaves, and that is all that play ever reaches: what rules name
and nothing of it matches, ``(legal r c)`` where ``c`` needs a fact that never comes, can never be.
It counts as one thing more, with its variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from gdl.circuit.aig import FALSE, Lit, negate
from gdl.circuit.game import GameCircuit
from gdl.language.checks.roles import no_role
from gdl.language.dependencies import BASE, DOES, INIT, INPUT, LEGAL, NEXT, ROLE, TRUE
from gdl.language.diagnostics import Diagnostic, GdlError, Severity
from gdl.language.matching import applied_row, match_row
from gdl.language.spelling import Suggester
from gdl.language.syntax import (
    Atom,
    Compound,
    Description,
    Place,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
    span_of,
    variables,
)
from gdl.language.walk import leaves, located_arguments
from gdl.language.words import cut
from gdl.verify.properties.coverage import CoverPoint

Row: TypeAlias = tuple[Term, ...]
"""A role and its move, or a fact alone."""
Places: TypeAlias = tuple[Place | None, ...]
"""Of each part of a row where it stands."""

OF_MOVES: Final = frozenset({LEGAL, DOES, INPUT})
OF_FACTS: Final = frozenset({INIT, NEXT, TRUE, BASE})
"""Relations of which the last argument is a fact of a state."""


def move_points(circuit: GameCircuit, description: Description, machine: Any) -> list[CoverPoint]:  # noqa: ANN401  # a reasoner
    """Return when each move is legal; also those that are declared, or named and never there.

    Args:
        circuit: The game; its graph grows.
        description: Its rules.
        machine: A reasoner of them.
    """
    going = negate(circuit.terminal)
    wanted: dict[Row, Lit] = {
        (role, move): circuit.aig.conj(going, edge)
        for role, moves, row in zip(circuit.roles, circuit.moves, circuit.legal, strict=True)
        for move, edge in zip(moves, row, strict=True)
    }
    declared = _declared(description, machine, "input", 2)
    strange = {row for row in declared if row[0] not in circuit.roles}
    wanted |= dict.fromkeys(sorted(declared - strange - wanted.keys()), FALSE)
    points = [CoverPoint(f"{role}: {move}", edge) for (role, move), edge in wanted.items()]
    roles = _roles(circuit, description)
    names = Suggester(roles)
    for (role, move), places in _never_matched(description, OF_MOVES, wanted):
        said = no_role(role, places[0], roles, names)
        if said is not None:
            strange.discard((role, move))
            points.append(CoverPoint(f"{role} (no role): {move}", FALSE, said=said))
            continue
        if any(match_row((role, move), row, {}) is not None for row in strange):
            continue  # rules with variables declare moves of what is no role, below
        text = f"no state makes {cut(str(move))} legal for {cut(str(role))}"
        said = _said("impossible-move", text, places[-1], "a move that is legal", "legal")
        points.append(CoverPoint(f"{role}: {move}", FALSE, said=said))
    points += (CoverPoint(f"{role} (no role): {move}", FALSE) for role, move in sorted(strange))
    return points


def fact_points(circuit: GameCircuit, description: Description, machine: Any) -> list[CoverPoint]:  # noqa: ANN401  # a reasoner
    """Return when each fact is otherwise than at first; also what is declared, or only named."""
    wanted = {
        fact: CoverPoint(
            f"{fact} {'always' if index in circuit.initial else 'never'} holds",
            edge ^ int(index in circuit.initial),
        )
        for index, (fact, edge) in enumerate(zip(circuit.facts, circuit.fact_inputs, strict=True))
    }
    for (fact,) in sorted(_declared(description, machine, "base", 1)):
        wanted.setdefault(fact, CoverPoint(f"{fact} never holds", FALSE))
    points = list(wanted.values())
    for (fact,), (place,) in _never_matched(description, OF_FACTS, ((fact,) for fact in wanted)):
        text = f"{cut(str(fact))} is true in no state"
        said = _said("never-holds", text, place, "a fact that is true", "next")
        points.append(CoverPoint(f"{fact} never holds", FALSE, said=said))
    return points


def _roles(circuit: GameCircuit, description: Description) -> dict[str, Place | None]:
    """Return the names of the roles, in order, each with the place of the fact that gives it."""
    heads = [rule.head for rule in description.rules if signature(rule.head.sentence) == ROLE]
    located = (located_arguments(head.sentence, head.place)[0] for head in heads)
    places = {str(role.term): role.place for role in located}
    return {name: places.get(name) for name in map(str, circuit.roles)}


def _said(slug: str, text: str, place: Place | None, wanted: str, relation: str) -> Diagnostic:
    """Return where rules name in vain what no rule for a relation ever makes."""
    return Diagnostic(
        slug=slug,
        severity=Severity.WARNING,
        message=text,
        span=span_of(place),
        expected=f"{wanted} in some state",
        help=f"let a {relation} rule for it ask for what can be, or leave out what speaks of it",
    )


def _never_matched(
    description: Description, relations: frozenset[Signature], there: Iterable[Row]
) -> Iterator[tuple[Row, Places]]:
    """Yield what rules name, each once and where first, of which nothing that is there is one.

    Where a variable stands for a whole fact, or for any move of any role, none is named.
    """
    rows: dict[Signature | None, list[Row]] = {}
    known = frozenset(there)
    for row in known:
        rows.setdefault(_kind(row), []).append(row)
    named: dict[Row, tuple[Row, Places]] = {}
    for rule in description.rules:
        for leaf in leaves(rule):
            if isinstance(leaf, Atom) and signature(leaf.sentence) in relations:
                row = arguments(leaf.sentence)
                located = located_arguments(leaf.sentence, leaf.place)
                places = tuple(each.place for each in located)
                named.setdefault(_numbered(row), (row, places))
    for row, places in named.values():
        kind = _kind(row)
        if row in known or (kind is None and isinstance(row[0], Variable)):
            continue
        # Files of ground rules name thousands, each of which is there itself or not at all.
        alike: Iterable[Row] = () if all(term.is_ground for term in row) else rows.get(kind, ())
        if kind is None:  # any move, of one role
            alike = known
        if all(match_row(row, it, {}) is None for it in alike):
            yield row, places


def _kind(row: Row) -> Signature | None:
    """Return the name and arity of a move or fact, None for a variable."""
    return None if isinstance(row[-1], Variable) else signature(row[-1])


def _numbered(row: Row) -> Row:
    """Return a row with other variables, the same of all that differ in these alone."""
    seen: dict[Variable, Term] = {}
    for term in row:
        for variable in variables(term):
            seen.setdefault(variable, Variable(f"v{len(seen)}"))
    return applied_row(row, seen)


def _declared(
    description: Description,
    machine: Any,  # noqa: ANN401  # a reasoner
    relation: str,
    arity: int,
) -> set[tuple[Term, ...]]:
    """Return what rules declare as moves or facts; nothing where they do not."""
    query = Compound(relation, tuple(Variable(f"v{index}") for index in range(arity)))
    heads = {signature(rule.head.sentence) for rule in description.rules}
    if Signature(relation, arity) not in heads:
        return set()
    try:
        instances = machine.instances(machine.initial(), query)
    except GdlError:  # what nobody needs for play may be too much to list
        return set()
    return {arguments(sentence) for sentence in instances}
