"""Conditions on many variables at once, told apart by a decision diagram.

"Each of the nine digits stands in exactly one of nine cells" has an instance for every way to
fill them, though it only ever asks each cell for itself. In: clauses. Out: clauses that mean the
same, in which such conditions, all those of one body together, are a walk through a table: the
variables are looked at one after the other, and a node of the diagram says as much of those
before as matters for those to come (which digits were seen: 2,304 arcs where 9^9 instances were).

A condition qualifies when unfolding makes it a union of boxes: alternatives that each ask
every variable for itself, by facts. Only conditions of very many instances are replaced.

Source: Srinivasan, Ham, Malik, Brayton, "Algorithms for Discrete Function Manipulation", ICCAD
1990 (multi-valued decision diagrams); ours, that nodes are found as sets of open alternatives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from math import prod
from typing import Final, TypeAlias

from gdl.compile.rules.fresh_names import apart
from gdl.compile.rules.literals import asked_sentence, literal_variables
from gdl.compile.rules.unfold import resolved
from gdl.language.clauses import Clause
from gdl.language.dependencies import dependency_graph
from gdl.language.matching import Substitution, applied, match
from gdl.language.syntax import (
    Atom,
    Constant,
    Distinct,
    Literal,
    Not,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    sentence,
    signature,
    variables,
)
from gdl.language.unify import UnifierTooLargeError

PREFIX: Final = "diagram "
_WIDE: Final = 5
"""Variables from which on a condition is looked at."""
MANY: Final = 250_000
"""Instances of a condition from which on it is replaced."""
_MOST_BOXES: Final = 256
"""Alternatives of one condition."""
_MOST_STEPS: Final = 512
"""Literals that are unfolded for one condition."""
_MOST_NODES: Final = 20_000
"""Nodes of one diagram."""

Box: TypeAlias = tuple[frozenset[Term], ...]
"""Values of each variable; any combination of them will do."""
Rules: TypeAlias = Mapping[Signature, Sequence[Clause]]
Arc: TypeAlias = tuple[int, int, Term, int]
"""Which variable is looked at, a node, a value, the node that it leads to."""
_Rests: TypeAlias = tuple[frozenset[Box], ...]
NOTHING: Final = frozenset[Term]()
_CHANGING: Final = frozenset({Signature("true", 1), Signature("does", 2)})


def through_diagrams(clauses: Sequence[Clause], *, many: int = MANY) -> list[Clause]:
    """Return clauses that mean the same, with wide conditions as walks through diagrams.

    Args:
        clauses: In clausal form.
        many: Instances of a condition from which on it is replaced.

    Cost O(literals) where there are none; a diagram costs its nodes times boxes and values.
    """
    if not any(_is_wide(literal) for clause in clauses for literal in clause.body):
        return list(clauses)
    return _Diagrams(clauses, many).run()


def _is_wide(literal: Literal) -> bool:
    return isinstance(literal, Atom) and len(set(literal_variables(literal))) >= _WIDE


class _Diagrams:
    def __init__(self, clauses: Sequence[Clause], many: int) -> None:
        self._clauses = clauses
        self._many = many
        self._rules: dict[Signature, list[Clause]] = {}
        for clause in clauses:
            self._rules.setdefault(signature(clause.head), []).append(clause)
        self._unfoldable = _unfoldable(clauses, self._rules)
        self._prefix = PREFIX + apart(dependency_graph(clauses).relations, PREFIX)
        self._boxes: dict[tuple[Sentence, tuple[Variable, ...]], frozenset[Box] | None] = {}
        self._tables: dict[tuple[frozenset[Box], ...], int | None] = {}
        self._numbers = count()
        self._new_clauses: list[Clause] = []

    def run(self) -> list[Clause]:
        changed = [self._changed(clause) for clause in self._clauses]
        return [*self._new_clauses, *changed]

    def _changed(self, clause: Clause) -> Clause:
        """Return a clause with its wide conditions replaced, itself where there are none."""
        wide = {
            frozenset(literal_variables(literal)) for literal in clause.body if _is_wide(literal)
        }
        for scope in sorted(wide, key=lambda scope: (-len(scope), sorted(scope))):
            order = tuple(dict.fromkeys(v for lit in clause.body for v in literal_variables(lit)))
            order = tuple(var for var in order if var in scope)
            taken: dict[Literal, frozenset[Box]] = {}
            for literal in clause.body:
                if _is_wide(literal) and set(literal_variables(literal)) == scope:
                    boxes = self._boxes_of(literal, order, clause)
                    if boxes is not None:
                        taken[literal] = boxes
            if max((_instances(boxes) for boxes in taken.values()), default=0) >= self._many:
                clause = self._walk(clause, order, taken)
        return clause

    def _boxes_of(
        self, literal: Literal, order: tuple[Variable, ...], clause: Clause
    ) -> frozenset[Box] | None:
        asked = asked_sentence(literal)
        assert asked is not None
        if signature(asked) not in self._unfoldable:
            return None
        renamed = {var: Variable(str(place)) for place, var in enumerate(order)}
        question = applied(asked, renamed)
        key = question, tuple(renamed.values())
        if key not in self._boxes:
            self._boxes[key] = _boxes(question, key[1], self._rules, clause)
        return self._boxes[key]

    def _walk(
        self, clause: Clause, order: Sequence[Variable], taken: Mapping[Literal, frozenset[Box]]
    ) -> Clause:
        """Return a clause in which a walk through a diagram stands for conditions."""
        key = tuple(taken.values())
        if key not in self._tables:
            self._tables[key] = self._table(key, clause)
        table = self._tables[key]
        if table is None:
            return clause
        others = [literal for literal in clause.body if literal not in taken]
        late = [lit for lit in others if not isinstance(lit, Atom) or _is_wide(lit)]
        due: list[list[Literal]] = [[] for _ in order]
        for literal in others:
            if literal not in late:
                used = set(literal_variables(literal))
                last = max((at for at, var in enumerate(order) if var in used), default=0)
                due[last].append(literal)
        # A rule a layer: what holds of the variables so far, the next one, and the arc taken by it.
        # Passed on are the node and what is asked for later. The last arcs lead to the one node at
        # which all is met: a walk that gets there is good, and nobody asks where it is.
        needed = {*variables(clause.head), *(v for lit in late for v in literal_variables(lit))}
        wanted = [needed]
        for literals in reversed(due[1:]):
            wanted.append(wanted[-1].union(v for lit in literals for v in literal_variables(lit)))
        mark = PREFIX
        while any(v.name.startswith(mark) for lit in clause.body for v in literal_variables(lit)):
            mark += " "
        walk: list[Literal] = []
        node: Term = Constant("0")
        steps = next(self._numbers)
        for layer, (variable, literals) in enumerate(zip(order, due, strict=True)):
            after = Variable(f"{mark}{layer}")
            arc = Atom(sentence(f"{self._prefix}{table} {layer}", (node, variable, after)))
            body = (*walk, *literals, arc)
            in_body = dict.fromkeys(v for lit in body for v in literal_variables(lit))
            kept = [v for v in in_body if v in wanted[-1 - layer]]
            if layer < len(order) - 1:
                kept.append(after)
            head = sentence(f"{self._prefix}walk {steps} {layer}", tuple(kept))
            self._new_clauses.append(Clause(head, body, clause.rule))
            walk, node = [Atom(head)], after
        return Clause(clause.head, (*walk, *late), clause.rule)

    def _table(self, conditions: tuple[frozenset[Box], ...], clause: Clause) -> int | None:
        """Make the arcs of a diagram; return its number."""
        arcs = diagram(conditions)
        if arcs is None:
            return None
        number = len(self._tables)
        self._new_clauses += [
            Clause(
                sentence(
                    f"{self._prefix}{number} {layer}",
                    (Constant(str(source)), value, Constant(str(target))),
                ),
                (),
                clause.rule,
            )
            for layer, source, value, target in arcs
        ]
        return number


def _unfoldable(clauses: Sequence[Clause], rules: Rules) -> frozenset[Signature]:
    """Return the relations that rules derive, but none from itself or from the state."""
    graph = dependency_graph(clauses)
    recursive = {
        relation
        for component in graph.components
        for relation in component
        if len(component) > 1 or relation in graph.successors.get(relation, ())
    }
    derived = frozenset(r for r, of in rules.items() if any(clause.body for clause in of))
    return derived - graph.dependents({*recursive, *_CHANGING})


def _instances(boxes: frozenset[Box]) -> int:
    return sum(prod(map(len, box)) for box in boxes)


def _boxes(
    question: Sentence, order: Sequence[Variable], rules: Rules, clause: Clause
) -> frozenset[Box] | None:
    """Return the boxes whose union a sentence is, None where it is none, or of too many."""
    boxes: set[Box] = set()
    numbers = count()
    work = [Clause(sentence("box", tuple(order)), (Atom(question),), clause.rule)]
    for _ in range(_MOST_STEPS):
        if not work:
            return frozenset(boxes)
        alternative = work.pop()
        index = next(_derived(alternative.body, rules), None)
        if index is None:
            values = _values(alternative, rules)
            if values is None or len(boxes) >= _MOST_BOXES:
                return None
            if all(values):
                boxes.add(values)
            continue
        asked = asked_sentence(alternative.body[index])
        assert asked is not None
        try:
            bodies = [
                resolved(alternative, index, rule, numbers) for rule in rules[signature(asked)]
            ]
        except UnifierTooLargeError:
            return None
        work += [resolvent for resolvent in bodies if resolvent is not None]
    return None


def _derived(body: Sequence[Literal], rules: Rules) -> Iterator[int]:
    """Yield where a body asks for something that rules derive, or facts with variables."""
    for index, literal in enumerate(body):
        if isinstance(literal, Atom):
            of = rules.get(signature(literal.sentence), ())
            if any(rule.body or not rule.head.is_ground for rule in of):
                yield index


def _values(alternative: Clause, rules: Rules) -> Box | None:
    """Return the values of each variable in an alternative that asks facts, None for no box."""
    allowed: dict[Variable, frozenset[Term]] = {}
    # Conditions that bind come first; a denial and ``distinct`` take values away.
    for literal in sorted(alternative.body, key=lambda literal: not isinstance(literal, Atom)):
        used = set(literal_variables(literal))
        facts = _facts(literal, rules)
        if facts is None or len(used) > 1:
            return None
        if not used:
            if not _holds(literal, facts, {}):
                return (NOTHING,)
            continue
        (var,) = used
        if isinstance(literal, Atom):
            matches = (match(literal.sentence, fact, {}) for fact in facts)
            values = frozenset(bound[var] for bound in matches if bound is not None)
            allowed[var] = allowed.get(var, values) & values
        elif var in allowed:
            allowed[var] = frozenset(v for v in allowed[var] if _holds(literal, facts, {var: v}))
        else:
            return None
    places = arguments(alternative.head)
    free = [place for place in places if not place.is_ground]
    if len(set(free)) < len(free) or any(place not in allowed for place in free):
        return None  # two that must be equal, a term with a variable inside, or any value at all
    if not all(allowed.values()):
        return (NOTHING,)
    return tuple(
        allowed[place] if isinstance(place, Variable) else frozenset((place,)) for place in places
    )


def _facts(literal: Literal, rules: Rules) -> Collection[Sentence] | None:
    """Return the facts of what a literal asks; None where it is no relation of facts alone."""
    asked = asked_sentence(literal)
    if asked is None:
        return ()
    relation = signature(asked)
    of = rules.get(relation, ())
    if relation in _CHANGING or any(rule.body or not rule.head.is_ground for rule in of):
        return None
    return frozenset(rule.head for rule in of)


def _holds(literal: Literal, facts: Collection[Sentence], bound: Substitution) -> bool:
    match literal:
        case Atom(asked):
            return applied(asked, bound) in facts
        case Not(Atom(asked)):
            return applied(asked, bound) not in facts
        case Distinct(left, right):
            return applied(left, bound) is not applied(right, bound)
        case Not():
            raise AssertionError("clausal form has no other negation")


def diagram(conditions: Sequence[frozenset[Box]]) -> list[Arc] | None:
    """Return the arcs of the decision diagram of a conjunction of unions of boxes.

    Nodes are numbered; 0 is where a walk begins. Every walk to the end meets all conditions,
    and each row of values that does is one walk. None where it would have too many nodes.

    Example:
        >>> a, b = (frozenset((Constant(name),)) for name in "ab")
        >>> arcs = diagram([frozenset(((a, b), (b, a), (b, b)))]) or []
        >>> [f"{layer}: {source} -{value}-> {target}" for layer, source, value, target in arcs]
        ['0: 0 -a-> 1', '0: 0 -b-> 2', '1: 1 -b-> 3', '1: 2 -a-> 3', '1: 2 -b-> 3']
    """
    # A node is what is left to be met: for each condition the rests of those of its boxes that
    # took every value so far. Rows of values that leave the same are alike from there on.
    layers: list[dict[_Rests, list[tuple[Term, _Rests]]]] = []
    level: set[_Rests] = {tuple(conditions)}
    end = tuple(frozenset([()]) for _ in conditions)
    while level and end not in level:
        arcs = {rests: list(_steps(rests)) for rests in level}
        layers.append(arcs)
        level = {rests for row in arcs.values() for _, rests in row}
        if sum(map(len, layers)) + len(level) > _MOST_NODES:
            return None
    # Backwards: walks that cannot be ended lead nowhere.
    good = level
    for arcs in reversed(layers):
        for rests, row in arcs.items():
            arcs[rests] = [(value, target) for value, target in row if target in good]
        good = {rests for rests, row in arcs.items() if row}
    numbers: dict[_Rests, int] = {tuple(conditions): 0}
    numbered: list[Arc] = []
    for layer, arcs in enumerate(layers):
        for rests in [rests for rests in numbers if rests in arcs]:
            for value, target in arcs[rests]:
                number = numbers.setdefault(target, len(numbers))
                numbered.append((layer, numbers[rests], value, number))
    return numbered


def _steps(rests: _Rests) -> Iterator[tuple[Term, _Rests]]:
    """Yield each value of the next variable that all conditions take, and what is left then."""
    taken = [frozenset[Term]().union(*(box[0] for box in boxes)) for boxes in rests]
    for value in sorted(frozenset.intersection(*taken)):
        yield (
            value,
            tuple(frozenset(box[1:] for box in boxes if value in box[0]) for boxes in rests),
        )
