"""The recursion restriction: recursive rules make no new terms, so they come to an end.

Out: ``recursion-restriction``.

Source: GDL specification 2008, the recursion restriction: in a rule for p with a literal
``(q v1 .. vk)`` where q and p lie on a cycle, every v is ground, or an argument of the
head, or an argument of another positive literal whose relation lies on no cycle with p.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.language.checks.survey import Survey
from gdl.language.clauses import Clause
from gdl.language.dependencies import DependencyGraph
from gdl.language.diagnostics import Diagnostic, Note, Severity
from gdl.language.syntax import Atom, Compound, Signature, Term, arguments, signature, span_of
from gdl.language.walk import Located, leaf_terms
from gdl.language.words import written


def recursion_restriction(survey: Survey) -> Iterator[Diagnostic]:
    """Find arguments of recursive literals that nothing else in the rule holds down."""
    graph = survey.graph
    recursive_relations = graph.recursive
    if not recursive_relations:
        return
    growing = _growing_components(survey)
    for clause in survey.clauses:
        head = signature(clause.head)
        if head not in recursive_relations:
            continue
        recursive = [
            literal
            for literal in clause.body
            if isinstance(literal, Atom) and graph.are_mutual(head, signature(literal.sentence))
        ]
        if not recursive:
            continue
        held = _held(clause, graph)
        for literal in recursive:
            for argument in leaf_terms(literal):
                if not argument.term.is_ground and argument.term not in held:
                    held.add(argument.term)  # once is enough
                    grows = graph.component_of[head] in growing
                    if grows or not survey.is_partial:  # further rules may make it grow
                        yield _unheld(clause, signature(literal.sentence), argument, grows=grows)


def _held(clause: Clause, graph: DependencyGraph) -> set[Term]:
    head = signature(clause.head)
    held = set(arguments(clause.head))
    for literal in clause.body:
        if isinstance(literal, Atom) and not graph.are_mutual(head, signature(literal.sentence)):
            held.update(arguments(literal.sentence))
    return held


def _growing_components(survey: Survey) -> set[int]:
    """Return the components with a rule whose head builds a term around a variable."""
    graph = survey.graph
    return {
        graph.component_of[signature(clause.head)]
        for clause in survey.clauses
        if any(isinstance(a, Compound) and not a.is_ground for a in arguments(clause.head))
    }


def _unheld(clause: Clause, relation: Signature, argument: Located, *, grows: bool) -> Diagnostic:
    text = written(*argument)
    head = clause.rule.head
    harmless = Note(
        "no head of these rules builds a new term, so they come to an end all the same; "
        "players that reason backwards may not"
    )
    return Diagnostic(
        slug="recursion-restriction",
        severity=Severity.ERROR if grows else Severity.WARNING,
        message=f"recursive rule: {text} in {relation.name} is neither an argument of the head "
        "nor of a condition outside the recursion",
        span=span_of(argument.place),
        expected=f"{text} as an argument of the head, or of a positive condition whose relation "
        f"does not depend on {signature(head.sentence).name}",
        help=f"add a condition that lists the values of {text}, such as a relation of facts",
        notes=(
            Note(f"{relation.name} and the head depend on each other", span_of(head.place)),
            *(() if grows else (harmless,)),
        ),
    )
