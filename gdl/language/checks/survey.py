"""What a description says, counted once, for all checks to read.

In: a description and its clauses. Out: a `Survey`: every relation with the places where
it is produced and asked for, every function, constant, fluent and move, and the
dependency graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

from gdl.language.clauses import Clause
from gdl.language.dependencies import ROLE, DependencyGraph, dependency_graph, joined
from gdl.language.keywords import KEYWORD_ARITIES
from gdl.language.source import Span
from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Place,
    Rule,
    Signature,
    Variable,
    signature,
)
from gdl.language.walk import Located, conditions, leaf_terms, leaves, located_arguments, subterms

Key = TypeVar("Key", str, int)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Read:
    """A sentence in a body.

    Attributes:
        atom: The sentence and its place.
        is_negative: Whether it is asked for under an odd number of ``not``.
        rule: The rule in whose body it stands.
    """

    atom: Atom
    is_negative: bool
    rule: Rule


@dataclass(slots=True)
class Uses:
    """How often a name occurs, and where first."""

    place: Place | None
    count: int = 0


@dataclass(eq=False)
class Survey:
    """A description, and everything that several checks ask about it.

    Attributes:
        description: The rules as written.
        clauses: The same without ``or``.
        is_partial: Whether there are more rules, which could not be read.
        parts: Surveys of its rules part after part, where there are such: what they have counted
            is put together, not counted again.
        heads: For each relation that rules produce, these rules.
        reads: For each relation that bodies ask for, where they do.
        relations: Names of relations, by number of arguments.
        functions: Names of functions, by number of arguments (one or more).
        constants: Object constants: names that stand as arguments and take none.
        kept: What functions have read off it; see `gathered`.
    """

    description: Description
    clauses: tuple[Clause, ...]
    is_partial: bool = False
    parts: Sequence[Survey] = ()
    heads: dict[Signature, list[Rule]] = field(init=False, default_factory=dict)
    reads: dict[Signature, list[Read]] = field(init=False, default_factory=dict)
    relations: dict[str, dict[int, Uses]] = field(init=False, default_factory=dict)
    functions: dict[str, dict[int, Uses]] = field(init=False, default_factory=dict)
    constants: dict[str, Uses] = field(init=False, default_factory=dict)
    kept: dict[Callable[[Survey], object], object] = field(
        init=False, repr=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        """Count everything."""
        for part in self.parts:
            self._add(part)
        if self.parts:
            return
        for rule in self.description.rules:
            self.heads.setdefault(signature(rule.head.sentence), []).append(rule)
            for leaf, is_negative in conditions(rule):
                if isinstance(leaf, Atom):
                    read = Read(leaf, is_negative, rule)
                    self.reads.setdefault(signature(leaf.sentence), []).append(read)
            for leaf in leaves(rule):
                _count_names(self, leaf)

    def _add(self, part: Survey) -> None:
        """Count what a part has counted; parts come in the order of their rules."""
        for relation, rules in part.heads.items():
            self.heads.setdefault(relation, []).extend(rules)
        for relation, reads in part.reads.items():
            self.reads.setdefault(relation, []).extend(reads)
        for mine, others in (
            (self.relations, part.relations),
            (self.functions, part.functions),
        ):
            for name, arities in others.items():
                table = mine.setdefault(name, {})
                for arity, uses in arities.items():
                    _count(table, arity, uses.place, uses.count)
        for name, uses in part.constants.items():
            _count(self.constants, name, uses.place, uses.count)

    def gathered(self, gather: Callable[[Survey], T]) -> list[T]:
        """Return what a function reads off each part, kept with the part; or off the whole."""
        parts = self.parts or (self,)
        for part in parts:
            if gather not in part.kept:
                part.kept[gather] = gather(part)
        return [cast("T", part.kept[gather]) for part in parts]

    @cached_property
    def graph(self) -> DependencyGraph:
        """The dependency graph of the clauses."""
        return joined(self.gathered(_graph))

    @cached_property
    def clauses_of(self) -> Mapping[Signature, Sequence[Clause]]:
        """The clauses of each relation, in order."""
        clauses: dict[Signature, list[Clause]] = {}
        for of_part in self.gathered(_clauses_of):
            for relation, several in of_part.items():
                clauses.setdefault(relation, []).extend(several)
        return clauses

    @cached_property
    def start(self) -> Span | None:
        """The beginning of the first source: the place of what is missing."""
        sources = self.description.sources
        return Span(sources[0], 0, 0) if sources else None

    @cached_property
    def _order(self) -> Mapping[int, int]:
        return {id(source): number for number, source in enumerate(self.description.sources)}

    def position(self, place: Place | None) -> tuple[int, int]:
        """Return what sorts places as they are read: file after file, facts of a manifest first."""
        if place is None:
            return -1, -1
        return self._order.get(id(place.span.source), -1), place.span.start

    def role_arguments(self) -> Iterator[Located]:
        """Yield the first argument of every ``legal``, ``does``, ``goal``, ``input``, ``sees``."""
        for name in ("legal", "does", "goal", "input", "sees"):
            for atom in self.atoms(Signature(name, KEYWORD_ARITIES[name])):
                yield located_arguments(atom.sentence, atom.place)[0]

    def atoms(self, relation: Signature) -> Iterator[Atom]:
        """Yield every sentence of a relation, in heads and then in bodies."""
        for rule in self.heads.get(relation, ()):
            yield rule.head
        for read in self.reads.get(relation, ()):
            yield read.atom

    def produced(self, relation: Signature) -> Iterator[tuple[Located, Rule]]:
        """Yield the last argument of each head of a relation: fluents of ``next``, say."""
        for rule in self.heads.get(relation, ()):
            yield located_arguments(rule.head.sentence, rule.head.place)[-1], rule

    def kinds(self, relation: Signature) -> dict[Signature, Place | None]:
        """Return the kinds of such last arguments, variables left out, each where first named."""
        places: dict[Signature, Place | None] = {}
        for (term, place), _ in self.produced(relation):
            if not isinstance(term, Variable):
                places.setdefault(signature(term), place)
        return places

    def asked(self, relation: Signature) -> Iterator[tuple[Located, Read]]:
        """Yield the last argument of each use of a relation in a body."""
        for read in self.reads.get(relation, ()):
            yield located_arguments(read.atom.sentence, read.atom.place)[-1], read

    @cached_property
    def roles(self) -> Mapping[str, Place | None] | None:
        """Names of the roles, in order; None unless all are given as plain facts."""
        places: dict[str, Place | None] = {}
        for rule in self.heads.get(ROLE, ()):
            role = located_arguments(rule.head.sentence, rule.head.place)[0]
            if rule.body or not isinstance(role.term, Constant):
                return None
            places.setdefault(role.term.name, role.place)
        return places


def _graph(survey: Survey) -> DependencyGraph:
    return dependency_graph(survey.clauses)


def _clauses_of(survey: Survey) -> Mapping[Signature, Sequence[Clause]]:
    clauses: dict[Signature, list[Clause]] = {}
    for clause in survey.clauses:
        clauses.setdefault(signature(clause.head), []).append(clause)
    return clauses


def _count_names(survey: Survey, leaf: Atom | Distinct) -> None:
    if isinstance(leaf, Atom):
        name, arity = signature(leaf.sentence)
        _count(survey.relations.setdefault(name, {}), arity, leaf.place)
    for argument in leaf_terms(leaf):
        for term, place in subterms(*argument):
            match term:
                case Constant(name):
                    _count(survey.constants, name, place)
                case Compound(name, args):
                    _count(survey.functions.setdefault(name, {}), len(args), place)
                case Variable():
                    pass


def _count(table: dict[Key, Uses], key: Key, place: Place | None, times: int = 1) -> None:
    uses = table.get(key)
    if uses is None:
        uses = table[key] = Uses(place)
    uses.count += times
