"""How many rows a predicate may have: guesses that only decide the order of joins.

In: a program. Out: for each predicate a number of rows, and for each of its arguments how many
values it may take. A bad guess costs time and nothing else.

Source: Selinger et al., "Access Path Selection in a Relational Database Management System",
1979, section 4 (independent columns, uniform values).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Final, TypeAlias

from gdl.language.syntax import Compound, Signature, Term, Variable, arguments, signature
from gdl.reason.program import Call, Definition, Kind, Predicate, Program, binds

MAX_PASSES: Final = 12
"""Values flow through recursive rules at most this often."""
MOVES_MADE: Final = 2.0
"""Moves in a joint move; most games have two roles."""
MAX_SETTLING_PASSES: Final = 1_000
"""The same where an answer counts only when nothing flows any more."""
FUNCTION_VALUES: Final = 50
"""Values that a function term in the head of a rule stands for."""

MAKERS: Final = ("init", "next")
"""Relations whose argument is true in a state."""
MAX_VALUES: Final = 500
"""Values of an argument that are told apart."""

Values: TypeAlias = "list[set[Term | Signature]]"


@dataclass(frozen=True, slots=True)
class Estimate:
    """How large a predicate may be.

    Attributes:
        rows: Number of rows.
        values: For each argument, the number of values it takes; at least 1.
    """

    rows: float
    values: tuple[int, ...]

    def matches(self, bound: Iterable[int], free: Iterable[int]) -> float:
        """Return how many different values of ``free`` go with one value of ``bound``."""
        per_key = self.rows / prod(self.values[index] for index in bound)
        return min(per_key, float(prod(self.values[index] for index in free)))


def estimates(program: Program) -> Mapping[Predicate, Estimate]:
    """Return an estimate for each predicate. Cost O(passes * literals * constants)."""
    values, _ = _values(program, MAX_PASSES)
    sizes = {predicate: tuple(map(_count, values[predicate])) for predicate in values}
    rows: dict[Predicate, float] = {}
    for predicate in program.predicates:
        if predicate.kind is Kind.FACTS:
            rows[predicate] = float(len(predicate.rows))
        elif predicate.kind is Kind.DOES:
            rows[predicate] = MOVES_MADE
        elif predicate.kind is Kind.TRUE:
            first = _facts_of(program, "init", predicate.functor)
            rows[predicate] = float(first) or sqrt(prod(sizes[predicate]))
    for _ in range(2):  # twice, so that recursive rules see a first guess
        for predicate in program.predicates:
            if predicate.kind is Kind.RULES:
                joined = sum(_joined(d, rows, sizes) for d in predicate.definitions)
                rows[predicate] = min(joined, float(prod(sizes[predicate])))
    return {predicate: Estimate(rows[predicate], sizes[predicate]) for predicate in rows}


def settled_values(
    program: Program, *, makers: Sequence[str] = MAKERS
) -> Mapping[Predicate, Values] | None:
    """Return which values each argument may take: all that can ever stand there, or more.

    A column of `MAX_VALUES` or more is cut off. Functions stand for their terms by their
    signature.

    Args:
        program: The rules.
        makers: The relations whose argument may be true in a state.

    Returns:
        The columns of each predicate; None where they are not known: facts or moves of any kind
        are made or asked for, or a value comes out of a function term.
    """
    of_any_kind = {program.states.get(None), program.moves.get(None)} - {None}
    for predicate in program.predicates:
        for definition in predicate.definitions:
            if any(binds(c) and c.predicate in of_any_kind for c in definition.body):
                return None
            if not _are_bound(definition.head, definition):
                return None
    for name, place in (*((maker, 0) for maker in makers), ("legal", 1)):
        for _, source in _sources(program, name, place):
            term = source.head[0]
            if isinstance(term, Variable) or not _are_bound(arguments(term), source):
                return None
    values, is_settled = _values(program, MAX_SETTLING_PASSES, makers)
    return values if is_settled else None


def _are_bound(terms: Iterable[Term], definition: Definition) -> bool:
    """Return whether each variable among terms is an argument of some condition."""
    bound = {term for condition in definition.body if binds(condition) for term in condition.args}
    return all(term in bound for term in terms if isinstance(term, Variable))


def facts_made(
    program: Program, values: Mapping[Predicate, Values], makers: Sequence[str]
) -> dict[Signature, Values]:
    """Return which values the arguments of each fluent take that some relations make."""
    columns_of: dict[Signature, Values] = {}
    for maker in makers:
        for _, source in _sources(program, maker, 0):
            (fact,) = source.head
            assert not isinstance(fact, Variable)  # see `settled_values`
            args = arguments(fact)
            columns = columns_of.setdefault(signature(fact), [set() for _ in args])
            _add_head(columns, Definition(args, source.body, None), values)
    return columns_of


def _count(values: set[Term | Signature]) -> int:
    functions = sum(isinstance(value, Signature) for value in values)
    return max(1, len(values) + functions * FUNCTION_VALUES)


def _facts_of(program: Program, relation: str, functor: Signature | None) -> int:
    predicate = program.relations.get(Signature(relation, 1))
    if predicate is None:
        return 0
    facts = list(predicate.rows)
    for definition in predicate.definitions:
        for condition in definition.body[:1]:
            if definition.clause is None and isinstance(condition, Call):
                facts += condition.predicate.rows
    return sum(functor is None or _functor(row[0]) == functor for row in facts)


def _functor(term: Term) -> Signature | None:
    return None if isinstance(term, Variable) else signature(term)


def _values(
    program: Program, passes: int, makers: Sequence[str] = MAKERS
) -> tuple[dict[Predicate, Values], bool]:
    """Return which constants each argument may be, by following the rules from the facts.

    Also returns whether so many passes were enough for all of them.
    """
    values: dict[Predicate, Values] = {
        predicate: [set() for _ in range(predicate.arity)] for predicate in program.predicates
    }
    for predicate in program.predicates:
        for row in predicate.rows:
            for column, term in zip(values[predicate], row, strict=True):
                column.add(term)  # all facts are counted; only what follows from them is cut
    for _ in range(passes):
        before = _size(values)
        for predicate in program.predicates:
            for definition in predicate.definitions:
                _add_head(values[predicate], definition, values)
        _hand_over(program, values, makers, program.states, 0)
        _hand_over(program, values, ("legal",), program.moves, 1)
        if _size(values) == before:
            return values, True
    return values, False


def _size(values: Mapping[Predicate, Values]) -> int:
    return sum(len(column) for columns in values.values() for column in columns)


def _add_head(columns: Values, definition: Definition, values: Mapping[Predicate, Values]) -> None:
    of = _variable_values(definition, values)
    for column, term in zip(columns, definition.head, strict=True):
        if len(column) < MAX_VALUES:
            column.update(_term_values(term, of))


def _variable_values(
    definition: Definition, values: Mapping[Predicate, Values]
) -> dict[Variable, set[Term | Signature]]:
    """Return for each variable the values of the most selective place where it occurs."""
    values_of: dict[Variable, set[Term | Signature]] = {}
    for condition in definition.body:
        if binds(condition):
            for term, column in zip(condition.args, values[condition.predicate], strict=True):
                if isinstance(term, Variable) and (
                    term not in values_of or len(column) < len(values_of[term])
                ):
                    values_of[term] = column
    return values_of


def _term_values(term: Term, of: Mapping[Variable, set[Term | Signature]]) -> set[Term | Signature]:
    if isinstance(term, Variable):
        return of.get(term, set())
    return {term} if term.is_ground else {signature(term)}


def _hand_over(
    program: Program,
    values: Mapping[Predicate, Values],
    relations: Sequence[str],
    receivers: Mapping[Signature | None, Predicate],
    place: int,
) -> None:
    """Let what is next (or legal) be true (or done): the last argument of each is taken apart."""
    for relation in relations:
        for outer, source in _sources(program, relation, place):
            term = source.head[0]
            if isinstance(term, Variable):
                continue
            receiver = receivers.get(signature(term))
            if receiver is not None:
                columns = values[receiver]
                before = Definition(outer.head[:place], outer.body, None)
                _add_head(columns[:place], before, values)
                behind = Definition(arguments(term), source.body, None)
                _add_head(columns[place:], behind, values)


def _sources(
    program: Program, relation: str, place: int
) -> Iterator[tuple[Definition, Definition]]:
    """Yield what the last argument of a relation may be, at a place, with the rule that says so.

    Where a rule passes on what another relation has, ``(<= (legal ?p ?m) (possible ?p ?m))``,
    that one's rules are looked at: the second of a pair has one term as its head, a variable only
    where it comes out of the state or a term.
    """
    predicate = program.relations.get(Signature(relation, place + 1))
    for outer in [] if predicate is None else _with_facts(predicate):
        seen: set[tuple[Predicate, int]] = set()
        work = [(outer, place)]
        while work:
            inner, at = work.pop()
            term = inner.head[at]
            asked = _passed_on(term, inner) if isinstance(term, Variable) else None
            if asked is None:
                yield outer, Definition((term,), inner.body, None)
            elif asked not in seen:
                seen.add(asked)
                work += [(below, asked[1]) for below in _with_facts(asked[0])]


def _passed_on(variable: Variable, definition: Definition) -> tuple[Predicate, int] | None:
    """Return a relation of rules or facts that binds a variable, and in which argument."""
    for condition in definition.body:
        if binds(condition) and condition.predicate.kind in {Kind.RULES, Kind.FACTS}:
            for index, term in enumerate(condition.args):
                if term is variable:
                    return condition.predicate, index
    return None


def _with_facts(predicate: Predicate) -> list[Definition]:
    rules = [Definition(row, (), None) for row in predicate.rows]
    for definition in predicate.definitions:
        first = definition.body[0] if definition.clause is None else None
        if isinstance(first, Call):
            rules += [Definition(row, (), None) for row in first.predicate.rows]
        else:
            rules.append(definition)
    return rules


def _joined(
    definition: Definition,
    rows: Mapping[Predicate, float],
    sizes: Mapping[Predicate, tuple[int, ...]],
) -> float:
    """Return the number of rows of a join, every column independent of the others."""
    rows_joined = 1.0
    places: dict[Variable, list[int]] = {}
    for condition in definition.body:
        if binds(condition):
            rows_joined *= rows.get(condition.predicate, 1.0)
            for term, size in zip(condition.args, sizes[condition.predicate], strict=True):
                if isinstance(term, Variable):
                    places.setdefault(term, []).append(size)
                elif not isinstance(term, Compound) or term.is_ground:
                    rows_joined /= size
    for occurrences in places.values():
        occurrences.sort()
        rows_joined /= prod(occurrences[1:])
    return rows_joined
