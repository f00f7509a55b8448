"""A description made ready for evaluation: predicates, their definitions, and what each rests on.

In: a description. Out: a `Program`. Its predicates are finer than the relations of the rules:

- What is ``true`` and who ``does`` what come from outside, and are kept apart by the fluent or
  move they are about: ``(true (cell ?x ?y ?z))`` asks a predicate of three arguments.
- The ground facts of a relation are one predicate, looked up and never evaluated.
- A relation that depends on the negation of another part of itself is split: each literal asks
  only the clauses whose heads it can match (see `gdl.language.strata`).

Each predicate has a level: whether it stays the same for the whole game, changes with the state,
or depends on the moves made there.

Source: Apt, Blair, Walker, "Towards a Theory of Declarative Knowledge", 1988 (strata);
Przymusinski, "On the Declarative Semantics of Deductive Databases", 1988 (the split).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import TypeAlias, TypeGuard

from gdl.language import graphs
from gdl.language.checked import CheckedDescription, checked
from gdl.language.clauses import Clause, asked, sentence_of
from gdl.language.dependencies import DOES, TRUE, UnstratifiedError, dependency_graph
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.matching import may_unify
from gdl.language.strata import components_with_negation
from gdl.language.syntax import (
    Description,
    Distinct,
    Literal,
    Not,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
    variables,
)


class Kind(Enum):
    """Where the rows of a predicate come from."""

    FACTS = "facts"
    """Ground facts of the description."""
    TRUE = "true"
    """The state: arguments of one fluent."""
    DOES = "does"
    """The joint move: a role and the arguments of one move."""
    RULES = "rules"
    """Its definitions."""


class Level(IntEnum):
    """What the rows of a predicate depend on."""

    GAME = 0
    STATE = 1
    MOVES = 2


@dataclass(eq=False, slots=True)
class Predicate:
    """Something that can be asked, with a fixed number of arguments.

    Attributes:
        kind: Where its rows come from.
        relation: The relation of the rules that it is, or is part of.
        functor: Of ``true`` and ``does``: the fluent or move it is about, None for any.
        arity: Number of its arguments, after a fluent or move is taken apart.
        rows: Of `Kind.FACTS`, the facts, in the order of the rules.
        definitions: Of `Kind.RULES`, its clauses, in the order of the rules.
        level: What its rows depend on.
        component: Predicates that depend on each other have the same number.
        is_recursive: Whether it depends on itself.
    """

    kind: Kind
    relation: Signature
    arity: int
    functor: Signature | None = None
    rows: tuple[tuple[Term, ...], ...] = ()
    definitions: list[Definition] = field(default_factory=list)
    level: Level = Level.GAME
    component: int = -1
    is_recursive: bool = False

    def __repr__(self) -> str:
        """Show kind and name."""
        about = "" if self.functor is None else f" {self.functor}"
        return f"<{self.kind.value} {self.relation}{about}>"


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A literal that asks a predicate."""

    predicate: Predicate
    args: tuple[Term, ...]
    is_negative: bool = False
    literal: Literal | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """What the condition is about."""
        return self.args


@dataclass(frozen=True, slots=True, eq=False)
class Differ:
    """A ``distinct``."""

    left: Term
    right: Term
    literal: Distinct

    @property
    def terms(self) -> tuple[Term, ...]:
        """What the condition is about."""
        return self.left, self.right


Condition: TypeAlias = Call | Differ


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A clause whose literals know whom they ask.

    Attributes:
        head: The arguments of the head.
        body: The conditions, in the order in which they were written.
        clause: Where it came from; None for the one that says that a relation's facts hold.
    """

    head: tuple[Term, ...]
    body: tuple[Condition, ...]
    clause: Clause | None


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The predicates of a description.

    Attributes:
        relations: For each relation that a clause produces or asks, its predicate.
        states: For each fluent that a clause asks for, its predicate; None asks for any.
        moves: The same for moves.
        predicates: All predicates, each after those it depends on.
        clauses: The clauses, in the order of the rules; those for ``true`` and ``does`` are left
            out, since both come from outside.
        refused: Relations of ``base`` and ``input`` that have no one meaning, and why.
    """

    relations: dict[Signature, Predicate]
    states: dict[Signature | None, Predicate]
    moves: dict[Signature | None, Predicate]
    predicates: tuple[Predicate, ...]
    clauses: tuple[Clause, ...]
    refused: Mapping[Signature, UnstratifiedError]

    def check_asked(self, relation: Signature) -> None:
        """Check that a relation has a meaning; all those have one on which play rests.

        Raises:
            UnstratifiedError: It has none.
        """
        if relation in self.refused:
            raise UnstratifiedError(diagnostics=self.refused[relation].diagnostics)


def program(
    description: Description | CheckedDescription, *, limits: Limits = DEFAULT_LIMITS
) -> Program:
    """Return the program of a description. Cost O(literals).

    Raises:
        UnstratifiedError: A sentence may depend on its own negation.
        LimitError: Too many clauses.
    """
    rules = checked(description, limits)
    builder = _Builder(rules.played)
    for relation in builder.named_relations():
        builder.relation(relation)
    builder.finish()
    return Program(
        relations={key: p for (key, part), p in builder.derived.items() if part is None},
        states=builder.states,
        moves=builder.moves,
        predicates=_in_order(builder.predicates),
        clauses=rules.played,
        refused=rules.refused,
    )


class _Builder:
    """Makes each predicate once, and their definitions when all heads are known."""

    def __init__(self, clauses: tuple[Clause, ...]) -> None:
        self.derived: dict[tuple[Signature, tuple[int, ...] | None], Predicate] = {}
        self.states: dict[Signature | None, Predicate] = {}
        self.moves: dict[Signature | None, Predicate] = {}
        self.predicates: list[Predicate] = []
        self._clauses = clauses
        self._facts: dict[Signature, dict[tuple[Term, ...], None]] = {}
        self._rules: dict[Signature, list[Clause]] = {}
        self._facts_predicates: dict[Signature, Predicate] = {}
        self._unfinished: list[tuple[Predicate, tuple[int, ...] | None]] = []
        for clause in clauses:
            key = signature(clause.head)
            if not clause.body and clause.head.is_ground:
                self._facts.setdefault(key, {})[arguments(clause.head)] = None
            else:
                self._rules.setdefault(key, []).append(clause)
        graph = dependency_graph(clauses)
        self._split = {
            relation: index
            for index in components_with_negation(graph)
            for relation in graph.components[index]
        }

    def named_relations(self) -> Iterator[Signature]:
        """Yield every relation of the clauses."""
        for clause in self._clauses:
            yield signature(clause.head)
            yield from (signature(sentence) for sentence, _ in asked(clause))

    def relation(self, key: Signature, part: tuple[int, ...] | None = None) -> Predicate:
        """Return the predicate of a relation, or of the part that some of its rules define."""
        if (key, part) in self.derived:
            return self.derived[key, part]
        rules = self._rules.get(key) if part is None else part
        if not rules and key not in (TRUE, DOES):
            predicate = self._facts_predicate(key)
        elif key == TRUE:
            predicate = self._outside(Kind.TRUE, TRUE, self.states, None, 1)
        elif key == DOES:
            predicate = self._outside(Kind.DOES, DOES, self.moves, None, 2)
        else:
            predicate = self._added(Predicate(Kind.RULES, key, key.arity))
            self._unfinished.append((predicate, part))
        self.derived[key, part] = predicate
        return predicate

    def finish(self) -> None:
        """Give every predicate its definitions; that may ask for further predicates."""
        while self._unfinished:
            predicate, part = self._unfinished.pop()
            key = predicate.relation
            if self._facts.get(key):
                facts = self._facts_predicate(key)
                args = tuple(Variable(f"arg {index}") for index in range(key.arity))
                predicate.definitions.append(Definition(args, (Call(facts, args),), None))
            rules = self._rules[key]
            for index in range(len(rules)) if part is None else part:
                predicate.definitions.append(self._definition(rules[index]))

    def _added(self, predicate: Predicate) -> Predicate:
        self.predicates.append(predicate)
        return predicate

    def _facts_predicate(self, key: Signature) -> Predicate:
        if key not in self._facts_predicates:
            rows = tuple(self._facts.get(key, ()))
            self._facts_predicates[key] = self._added(
                Predicate(Kind.FACTS, key, key.arity, rows=rows)
            )
        return self._facts_predicates[key]

    def _outside(
        self,
        kind: Kind,
        relation: Signature,
        predicates: dict[Signature | None, Predicate],
        functor: Signature | None,
        arity: int,
    ) -> Predicate:
        if functor not in predicates:
            predicates[functor] = self._added(Predicate(kind, relation, arity, functor))
        return predicates[functor]

    def _definition(self, clause: Clause) -> Definition:
        body = tuple(self._condition(clause, literal) for literal in clause.body)
        return Definition(arguments(clause.head), body, clause)

    def _condition(self, clause: Clause, literal: Literal) -> Condition:
        if isinstance(literal, Distinct):
            return Differ(literal.left, literal.right, literal)
        predicate, args = self._asked(clause, sentence_of(literal))
        return Call(predicate, args, isinstance(literal, Not), literal)

    def _asked(self, clause: Clause, sentence: Sentence) -> tuple[Predicate, tuple[Term, ...]]:
        key = signature(sentence)
        args = arguments(sentence)
        if key == TRUE:
            functor, inner = _taken_apart(args[0])
            predicate = self._outside(Kind.TRUE, TRUE, self.states, functor, len(inner))
            return predicate, inner
        if key == DOES:
            functor, inner = _taken_apart(args[1])
            row = (args[0], *inner)
            return self._outside(Kind.DOES, DOES, self.moves, functor, len(row)), row
        if key in self._split and self._split.get(signature(clause.head)) == self._split[key]:
            rules = self._rules.get(key, [])
            part = tuple(i for i, rule in enumerate(rules) if may_unify(sentence, rule.head))
            return self.relation(key, part), args
        return self.relation(key), args


def _taken_apart(term: Term) -> tuple[Signature | None, tuple[Term, ...]]:
    """Return the functor and arguments of a fluent or move; a variable stands for any."""
    if isinstance(term, Variable):
        return None, (term,)
    return signature(term), arguments(term)


def _in_order(predicates: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Set component, recursion and level of each, and return them bottom-up."""
    successors = {predicate: list(dict.fromkeys(asked_by(predicate))) for predicate in predicates}
    ordered: list[Predicate] = []
    for number, component in enumerate(graphs.components(successors)):
        below = [successor for predicate in component for successor in successors[predicate]]
        is_recursive = len(component) > 1 or component[0] in below
        level = max([_own_level(p) for p in component] + [p.level for p in below])
        for predicate in component:
            predicate.component = number
            predicate.is_recursive = is_recursive
            predicate.level = level
        ordered += component
    return tuple(ordered)


def asked_by(predicate: Predicate) -> Iterator[Predicate]:
    """Yield whom the definitions of a predicate ask, in order."""
    for definition in predicate.definitions:
        for condition in definition.body:
            if isinstance(condition, Call):
                yield condition.predicate


def _own_level(predicate: Predicate) -> Level:
    match predicate.kind:
        case Kind.TRUE:
            return Level.STATE
        case Kind.DOES:
            return Level.MOVES
        case Kind.FACTS | Kind.RULES:
            return Level.GAME


def binds(condition: Condition) -> TypeGuard[Call]:
    """Return whether meeting a condition gives its variables values: it is positive."""
    return isinstance(condition, Call) and not condition.is_negative


def condition_variables(condition: Condition) -> set[Variable]:
    """Return the variables of a condition."""
    return {variable for term in condition.terms for variable in variables(term)}
