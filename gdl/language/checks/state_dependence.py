"""What may depend on the state and on the moves, and what may not.

Out: ``role-depends-on-state``, ``init-depends-on-state``, ``base-depends-on-state``,
``legal-depends-on-does``, ``goal-depends-on-does``, ``terminal-depends-on-does``.

Source: GDL specification 2008, section 4: ``init`` does not depend on ``true`` or ``does``;
no path in the dependency graph leads from ``legal``, ``goal`` or ``terminal`` to ``does``.
For ``base`` and ``input`` the practice of ggp-base's validator.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdl.language.checks.survey import Survey
from gdl.language.dependencies import MAX_STEPS_SHOWN, Dependency, steps
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.syntax import Signature, span_of
from gdl.language.words import cut

STATELESS = {
    "role": ("role", "the same roles in every state"),
    "init": ("init", "a first state that follows from plain facts: there is no state before it"),
    "base": ("base", "base to list what can ever be true, whatever the state"),
    "input": ("base", "input to list what can ever be done, whatever the state"),
}
"""Relations that do not depend on the state: the slug they share, and what is expected."""

MAX_PATHS = 20
"""Paths that are shown for one relation."""

MOVELESS = ("legal", "goal", "terminal")
"""Relations that do not depend on the moves that are being made."""


def state_dependence(survey: Survey) -> Iterator[Diagnostic]:
    """Find what depends on the state though it must not."""
    goals = _relations(survey, "true", "does")
    for relation in survey.heads:
        if relation.name not in STATELESS:
            continue
        slug, expected = STATELESS[relation.name]
        for path in _first_steps(survey, relation, goals):
            yield _reached(f"{slug}-depends-on-state", expected, path)


def move_dependence(survey: Survey) -> Iterator[Diagnostic]:
    """Find what depends on the moves though it must not."""
    goals = _relations(survey, "does")
    for relation in survey.heads:
        if relation.name not in MOVELESS:
            continue
        expected = f"{relation.name} to follow from the state alone: nobody has moved in it yet"
        for path in _first_steps(survey, relation, goals):
            yield _reached(f"{relation.name}-depends-on-does", expected, path)


def _relations(survey: Survey, *names: str) -> frozenset[Signature]:
    return frozenset(relation for relation in survey.reads if relation.name in names)


def _first_steps(
    survey: Survey, relation: Signature, goals: frozenset[Signature]
) -> Iterator[tuple[Dependency, ...]]:
    """Yield, for each relation that this one asks for, a path through it to a goal, if any."""
    graph = survey.graph
    if relation not in graph.positive:
        return
    bad = graph.dependents(goals)
    bodies = (body for body in graph.successors[relation] if body in bad)
    for body in islice(bodies, MAX_PATHS):
        edge = graph.positive[relation].get(body) or graph.negative[relation][body]
        yield (edge, *(() if body in goals else graph.path(body, goals)))


def _reached(slug: str, expected: str, path: tuple[Dependency, ...]) -> Diagnostic:
    first, last = path[0], path[-1]
    names = [cut(step.head.name) for step in path] + [last.body.name]
    if len(names) > MAX_STEPS_SHOWN:
        names[MAX_STEPS_SHOWN // 2 : -MAX_STEPS_SHOWN // 2] = ["..."]
    way = "" if len(path) == 1 else f": {' -> '.join(names)}"
    return Diagnostic(
        slug=slug,
        severity=Severity.ERROR,
        message=f"{first.head.name} depends on {last.body.name}{way}",
        span=span_of(first.literal.place),
        expected=expected,
        help=_mend(first.head.name, last.body.name),
        notes=steps(path[1:]),
    )


def _mend(head: str, body: str) -> str:
    if head in STATELESS:
        return f"ask for plain facts in place of ({body} ...)"
    return "let a next rule keep what was done, and ask for that with (true ...)"
