"""Which relation depends on which: the dependency graph of a description.

In: clauses. Out: a graph over relations (name and arity) whose edges know a literal that makes
them, and its strongly connected components, bottom-up: where no cycle goes through a negation they
are the strata in which the relations can be computed; see `strata`. ``true`` is one relation here,
whatever fluent stands in it.

Source: GDL specification 2008, definitions 7 (dependency graph) and 8 (stratified rules);
Apt, Blair, Walker, "Towards a Theory of Declarative Knowledge", 1988, section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from gdl.language import graphs
from gdl.language.clauses import Clause, asked
from gdl.language.diagnostics import Diagnostic, InvalidDescriptionError, Note, Severity
from gdl.language.syntax import Atom, Not, Signature, signature, span_of

TRUE: Final = Signature("true", 1)
DOES: Final = Signature("does", 2)
BASE: Final = Signature("base", 1)
INPUT: Final = Signature("input", 2)
ROLE: Final = Signature("role", 1)
INIT: Final = Signature("init", 1)
NEXT: Final = Signature("next", 1)
LEGAL: Final = Signature("legal", 2)
GOAL: Final = Signature("goal", 2)
PLAY: Final = (ROLE, INIT, LEGAL, NEXT, Signature("terminal", 0), GOAL, Signature("sees", 2))
"""What play asks the rules for; ``base`` and ``input`` mean nothing to it."""

MAX_CYCLES: Final = 20
"""Cycles through negation that are shown of relations that all depend on each other."""


class Dependency(NamedTuple):
    """One edge: the relation of a clause's head depends on one of its body.

    Attributes:
        head: The relation that depends.
        body: The relation it depends on.
        literal: The first literal that makes this edge.
        clause: The clause in which the literal stands.
    """

    head: Signature
    body: Signature
    literal: Atom | Not
    clause: Clause

    @property
    def is_negative(self) -> bool:
        """Whether the head depends on the absence of ``body``."""
        return isinstance(self.literal, Not)


@dataclass(frozen=True, eq=False)
class DependencyGraph:
    """The dependency graph of a description.

    Attributes:
        positive: For each relation, the edges to relations it depends on, by relation.
        negative: The same for edges through ``not``.
    """

    positive: Mapping[Signature, Mapping[Signature, Dependency]]
    negative: Mapping[Signature, Mapping[Signature, Dependency]]

    @cached_property
    def relations(self) -> tuple[Signature, ...]:
        """All relations, in the order in which the clauses first name them."""
        return tuple(self.positive)

    @cached_property
    def successors(self) -> Mapping[Signature, tuple[Signature, ...]]:
        """For each relation, those it depends on directly."""
        return {
            relation: tuple(dict.fromkeys((*self.positive[relation], *self.negative[relation])))
            for relation in self.relations
        }

    @cached_property
    def predecessors(self) -> Mapping[Signature, tuple[Signature, ...]]:
        """For each relation, those that depend on it directly."""
        heads_of: dict[Signature, list[Signature]] = {relation: [] for relation in self.relations}
        for relation, bodies in self.successors.items():
            for body in bodies:
                heads_of[body].append(relation)
        return {relation: tuple(heads) for relation, heads in heads_of.items()}

    @cached_property
    def components(self) -> tuple[frozenset[Signature], ...]:
        """Relations that depend on each other, bottom-up: each after those it depends on."""
        return tuple(frozenset(part) for part in graphs.components(self.successors))

    @cached_property
    def component_of(self) -> Mapping[Signature, int]:
        """For each relation, the index of its component."""
        return {
            relation: index
            for index, component in enumerate(self.components)
            for relation in component
        }

    @cached_property
    def recursive(self) -> frozenset[Signature]:
        """Relations that depend on themselves, directly or not."""
        return frozenset(
            relation
            for component in self.components
            for relation in component
            if len(component) > 1 or relation in self.successors[relation]
        )

    def are_mutual(self, left: Signature, right: Signature) -> bool:
        """Return whether two relations depend on each other (or are the same one)."""
        return self.component_of[left] == self.component_of[right]

    def dependents(self, relations: Iterable[Signature]) -> frozenset[Signature]:
        """Return ``relations`` and all that depend on any of them, directly or not.

        For instance ``dependents({TRUE})`` is all that may differ from state to state.
        Cost O(edges).
        """
        return frozenset(graphs.reachable(self.predecessors, relations))

    def serving_alone(self, relations: Iterable[Signature]) -> frozenset[Signature]:
        """Return ``relations`` and all on which only they rest; none that play rests on.

        Cost O(edges).
        """
        below = graphs.reachable(self.successors, relations)
        others = [relation for relation in self.relations if relation not in below]
        of_others = graphs.reachable(self.successors, [*others, *PLAY])
        return frozenset(below - of_others)

    def path(self, start: Signature, goals: frozenset[Signature]) -> tuple[Dependency, ...]:
        """Return a shortest path of edges from a relation to one of ``goals``; empty when none."""
        nodes = graphs.shortest_path(self.successors, start, goals.__contains__)
        return () if nodes is None else self._edges(nodes)

    def negative_cycles(self) -> tuple[tuple[Dependency, ...], ...]:
        """Return one shortest cycle through each negative edge within a component.

        The negative edge comes first. Cycles through the same relations are listed once. Of
        a component with more than `MAX_CYCLES` negative edges only so many are looked at;
        the list is empty exactly when the clauses are stratified. Cost O(edges) a cycle.
        """
        by_component: dict[int, list[Dependency]] = {}
        for edges in self.negative.values():
            for edge in edges.values():
                if self.are_mutual(edge.head, edge.body):
                    by_component.setdefault(self.component_of[edge.head], []).append(edge)
        cycles: dict[frozenset[Signature], tuple[Dependency, ...]] = {}
        for component, edges_within in by_component.items():
            for edge in edges_within[:MAX_CYCLES]:
                cycle = (edge, *self._way_back(edge, self.components[component]))
                cycles.setdefault(frozenset(step.head for step in cycle), cycle)
        return tuple(cycles.values())

    def _way_back(
        self, edge: Dependency, component: frozenset[Signature]
    ) -> tuple[Dependency, ...]:
        if edge.head == edge.body:
            return ()
        within = {
            relation: [other for other in self.successors[relation] if other in component]
            for relation in component
        }
        nodes = graphs.shortest_path(within, edge.body, edge.head.__eq__)
        assert nodes is not None, "both ends lie in one component"
        return self._edges(nodes)

    def _edges(self, nodes: Sequence[Signature]) -> tuple[Dependency, ...]:
        return tuple(
            self.positive[head].get(body) or self.negative[head][body]
            for head, body in pairwise(nodes)
        )


def dependency_graph(clauses: Iterable[Clause]) -> DependencyGraph:
    """Return the dependency graph of clauses. Cost O(literals)."""
    positive: dict[Signature, dict[Signature, Dependency]] = {}
    negative: dict[Signature, dict[Signature, Dependency]] = {}

    def relation(name: Signature) -> Signature:
        positive.setdefault(name, {})
        negative.setdefault(name, {})
        return name

    for clause in clauses:
        head = relation(signature(clause.head))
        for sentence, literal in asked(clause):
            body = relation(signature(sentence))
            edges = negative[head] if isinstance(literal, Not) else positive[head]
            if body not in edges:
                edges[body] = Dependency(head, body, literal, clause)
    return DependencyGraph(positive, negative)


def joined(graphs: Sequence[DependencyGraph]) -> DependencyGraph:
    """Return the graph of the clauses of several graphs, one after the other."""
    if len(graphs) == 1:
        return graphs[0]
    positive: dict[Signature, dict[Signature, Dependency]] = {}
    negative: dict[Signature, dict[Signature, Dependency]] = {}
    for graph in graphs:
        for relation in graph.positive:
            for whole, part in ((positive, graph.positive), (negative, graph.negative)):
                edges = whole.setdefault(relation, {})
                for body, edge in part[relation].items():
                    edges.setdefault(body, edge)
    return DependencyGraph(positive, negative)


class UnstratifiedError(InvalidDescriptionError):
    """A relation depends on its own negation, so the rules have no one meaning."""


MAX_STEPS_SHOWN: Final = 12
"""Edges of a path or cycle that a diagnostic shows."""


def unstratified(cycle: tuple[Dependency, ...]) -> Diagnostic:
    """Return the diagnostic for a cycle that begins with a negative edge."""
    first = cycle[0]
    names = " -> ".join(_names(cycle))
    return Diagnostic(
        slug="unstratified-negation",
        severity=Severity.ERROR,
        message=f"{first.head.name} depends on its own negation: {names}",
        span=span_of(first.literal.place),
        expected="no relation that depends, through other rules, on its own negation",
        help="break the cycle: let the negated relation follow from other ones, or give the "
        "part of it that is meant a name of its own",
        notes=steps(cycle[1:]),
    )


def _names(cycle: tuple[Dependency, ...]) -> list[str]:
    names = [
        f"not {step.body.name}" if step.is_negative else step.body.name
        for step in cycle[:MAX_STEPS_SHOWN]
    ]
    if len(cycle) > MAX_STEPS_SHOWN:
        names += ["...", cycle[-1].body.name]
    return [cycle[0].head.name, *names]


def steps(path: Sequence[Dependency]) -> tuple[Note, ...]:
    """Return one note an edge, each with the place of its literal; long paths are cut."""
    notes = []
    for step in path[:MAX_STEPS_SHOWN]:
        how = "on the negation of" if step.is_negative else "on"
        text = f"{step.head.name} depends {how} {step.body.name} here"
        notes.append(Note(text, span_of(step.literal.place)))
    if len(path) > MAX_STEPS_SHOWN:
        notes.append(Note(f"and {len(path) - MAX_STEPS_SHOWN:,} more steps"))
    return tuple(notes)
