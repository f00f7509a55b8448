"""Stratification: no relation depends on its own negation.

Out: ``unstratified-negation``, with the cycle.

Source: GDL specification 2008, definition 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gdl.language.checks.survey import Survey
from gdl.language.clauses import Clause
from gdl.language.dependencies import BASE, INPUT, unstratified
from gdl.language.diagnostics import Diagnostic, Note
from gdl.language.strata import clause_strata
from gdl.language.syntax import signature

PLAYABLE = Note(
    "no sentence of it depends on its own negation, only one with other arguments, so the "
    "rules can be played here; other players may refuse them"
)

HINTS = Note(
    "base and input mean nothing to play, so the rules can be played here; "
    "other players may refuse them"
)


def stratification(survey: Survey) -> Iterator[Diagnostic]:
    """Find cycles through negation."""
    graph = survey.graph
    cycles = graph.negative_cycles()
    if not cycles:
        return
    clauses: dict[int, list[Clause]] = {}
    for clause in survey.clauses:
        clauses.setdefault(graph.component_of[signature(clause.head)], []).append(clause)
    hints = graph.serving_alone((BASE, INPUT))
    is_playable: dict[int, bool] = {}
    for cycle in cycles:
        index = graph.component_of[cycle[0].head]
        if index not in is_playable:
            is_playable[index] = clause_strata(clauses[index]) is not None
        diagnostic = unstratified(cycle)
        if survey.is_partial:
            pass  # further rules may close the cycle, or ask for it
        elif cycle[0].head in hints:
            diagnostic = replace(diagnostic, notes=(*diagnostic.notes, HINTS))
        elif is_playable[index]:
            diagnostic = replace(diagnostic, notes=(*diagnostic.notes, PLAYABLE))
        yield diagnostic
