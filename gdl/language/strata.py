"""Strata: in which order the clauses of a description can be evaluated, layer by layer.

In: clauses. Out: layers of clauses. Where the relations are stratified, a layer holds the
clauses of relations that depend on each other. Some published games are not stratified
and yet have one meaning, because a relation depends on the negation of another *part* of
itself: ``(goal ?r 100)`` where there is no ``(goal ?r 0)``. There the clauses themselves are
ordered: one depends on another when a literal of its body can match the other's head.

Source: Przymusinski, "On the Declarative Semantics of Deductive Databases and Logic
Programs", 1988 (local stratification, of which this is a sufficient test).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gdl.language import graphs
from gdl.language.clauses import Clause, asked
from gdl.language.dependencies import (
    DependencyGraph,
    UnstratifiedError,
    dependency_graph,
    unstratified,
)
from gdl.language.matching import may_unify
from gdl.language.syntax import Not, Signature, signature

MAX_MATCHES: Final = 2_000_000
"""Pairs of a literal and a head that are compared in one component; beyond, it is refused."""


def strata(clauses: Iterable[Clause]) -> tuple[tuple[Clause, ...], ...]:
    """Return the clauses in layers, in an order in which to evaluate them.

    All clauses that can produce an instance of a negated literal stand in an earlier layer
    than the clause of the literal; those that can produce an instance of a positive one, in
    an earlier or in the same layer. Within a layer the clauses keep their order.

    Args:
        clauses: The clauses of a description.

    Returns:
        The layers, none empty. Cost O(literals) when the relations are stratified.

    Raises:
        UnstratifiedError: A sentence may depend on its own negation; shows each cycle.
    """
    clauses = tuple(clauses)
    graph = dependency_graph(clauses)
    by_component: dict[int, list[Clause]] = {}
    for clause in clauses:
        by_component.setdefault(graph.component_of[signature(clause.head)], []).append(clause)
    ordered: list[tuple[Clause, ...]] = []
    bad: set[Signature] = set()
    split = components_with_negation(graph)
    for index in sorted(by_component):
        if index not in split:
            ordered.append(tuple(by_component[index]))
            continue
        finer = clause_strata(by_component[index])
        if finer is None:
            bad |= graph.components[index]
        else:
            ordered += finer
    if bad:
        cycles = (cycle for cycle in graph.negative_cycles() if cycle[0].head in bad)
        raise UnstratifiedError(diagnostics=[unstratified(cycle) for cycle in cycles])
    return tuple(ordered)


def components_with_negation(graph: DependencyGraph) -> frozenset[int]:
    """Return the components in which a relation depends on the negation of one of the same."""
    return frozenset(
        graph.component_of[head]
        for head, edges in graph.negative.items()
        for body in edges
        if graph.are_mutual(head, body)
    )


def clause_strata(clauses: Sequence[Clause]) -> list[tuple[Clause, ...]] | None:
    """Return the clauses of one component in layers, None when a negative cycle remains.

    Cost O(literals * clauses), bounded by `MAX_MATCHES`.
    """
    # An edge stands wherever a literal may match a head. There may be too many edges, since
    # repeated variables are not compared, but none is missing: where no cycle of these has a
    # negation no sentence rests on its own, and components, bottom-up, are layers to evaluate in.
    producers: dict[Signature, list[int]] = {}
    for number, clause in enumerate(clauses):
        producers.setdefault(signature(clause.head), []).append(number)
    successors: dict[int, dict[int, bool]] = {}
    matches = 0
    for number, clause in enumerate(clauses):
        edges = successors.setdefault(number, {})
        for sentence, literal in asked(clause):
            candidates = producers.get(signature(sentence), [])
            matches += len(candidates)
            if matches > MAX_MATCHES:
                return None
            for other in candidates:
                if may_unify(sentence, clauses[other].head):
                    edges[other] = edges.get(other, False) or isinstance(literal, Not)
    return _ordered(clauses, successors)


def _ordered(
    clauses: Sequence[Clause], successors: Mapping[int, Mapping[int, bool]]
) -> list[tuple[Clause, ...]] | None:
    parts = graphs.components(successors)
    part_of = {number: index for index, part in enumerate(parts) for number in part}
    for number, edges in successors.items():
        for other, is_negative in edges.items():
            if is_negative and part_of[number] == part_of[other]:
                return None
    return [tuple(clauses[number] for number in sorted(part)) for part in parts]
