"""``base`` and ``input``: what the author says can be true and be done.

In: clauses. Out: those of ``base`` and ``input`` that bound grounding, and after that
whether they could be trusted. Play does not ask them (the reasoner ignores both), so they
are never trusted blindly: grounding within them also collects what the rules can make
outside. Nothing there: the bounds held, whatever they cut. Something there: it has to be
proved that no state makes it, else grounding begins again without them.

The proof is an induction over plies: were all facts and moves within the bounds until now,
then what lies outside would have to follow from a state that is not terminal by logic
that contradicts itself.

Source: Love, Hinrichs, Genesereth, "General Game Playing: Game Description Language
Specification", 2008 (safe grounding); the ``base`` and ``input`` of the GGP coursework,
Genesereth, Thielscher, "General Game Playing", 2014, chapter 2; ours, the proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from gdl.circuit.aig import FALSE, Lit
from gdl.circuit.mutex import MutexGroup
from gdl.compile.gates.game_network import GameNetwork
from gdl.compile.gates.implications import input_implications, mask_of
from gdl.compile.gates.rewrite import implications
from gdl.compile.limits import CompileError
from gdl.compile.rules.grounder_names import BOUNDS, RELATIONS
from gdl.compile.rules.safety import check_safe
from gdl.language.clauses import Clause
from gdl.language.dependencies import UnstratifiedError, dependency_graph
from gdl.language.diagnostics import Diagnostic, Severity
from gdl.language.graphs import reachable
from gdl.language.strata import strata
from gdl.language.syntax import Signature, Term, signature

_STATIC: Final = frozenset({Signature("init", 1), Signature("role", 1)})
_NAMED: Final = 3
"""Facts or moves that a message names."""


def usable_bounds(clauses: Iterable[Clause]) -> frozenset[Signature]:
    """Return which of ``base`` and ``input`` are given, grounded safely, and never change.

    One that rests on its own negation has no meaning, and bounds nothing.
    """
    clauses = list(clauses)
    uses = dependency_graph(clauses).successors
    given = {signature(clause.head) for clause in clauses}
    usable: set[Signature] = set()
    for bound in BOUNDS:
        below = reachable(uses, [bound])
        if bound in given and not (below - {bound}) & (RELATIONS.keys() - _STATIC):
            own = [clause for clause in clauses if signature(clause.head) in below]
            try:
                check_safe(own)
                strata(own)
            except (CompileError, UnstratifiedError):
                continue
            usable.add(bound)
    return frozenset(usable)


def beyond_bounds(game: GameNetwork) -> list[tuple[Signature, Term]]:
    """Return what play may make outside the bounds; nothing means that it never leaves them.

    Args:
        game: Grounded within them; its ``outside`` are the edges of what lies beyond.
    """
    if not game.outside:
        return []
    groups = [MutexGroup(tuple(row), is_exact=True) for row in game.move_inputs if row]
    inputs, facts = game.network.inputs, len(game.facts)
    blind = input_implications(inputs, groups, {}, facts=facts)
    edges = [edge for row in game.legal for edge in row]
    moves = [edge for row in game.move_inputs for edge in row]
    state = mask_of(range(2, 2 * facts + 2))
    masks = implications(game.network, edges, blind)
    legality = {move: mask & state for move, mask in zip(moves, masks, strict=True)}
    knowledge = input_implications(inputs, groups, legality, facts=facts)
    outside: list[Lit] = [edge for _, edge in game.outside]
    masks_outside = implications(game.network, outside, knowledge)
    return [
        beyond
        for (beyond, edge), mask in zip(game.outside, masks_outside, strict=True)
        if edge != FALSE and not knowledge.contradicts(mask)
    ]


def not_trusted(
    beyond: Iterable[tuple[Signature, Term]], clauses: Sequence[Clause]
) -> list[Diagnostic]:
    """Return a warning for each of ``base`` and ``input`` that does not cover what can be made."""
    names_of: dict[Signature, list[Term]] = {}
    for relation, name in beyond:
        names_of.setdefault(relation, []).append(name)
    return [_warning(relation, names, clauses) for relation, names in names_of.items()]


def _warning(relation: Signature, names: list[Term], clauses: Sequence[Clause]) -> Diagnostic:
    rule = next(clause.rule for clause in clauses if signature(clause.head) == relation)
    place = rule.head.place or rule.place
    shown = ", ".join(map(str, sorted(names)[:_NAMED]))
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    may_be = "hold next" if relation.name == "base" else "be legal"
    return Diagnostic(
        slug=f"{relation.name}-too-small",
        severity=Severity.WARNING,
        message=f"{relation.name} does not have {shown}{more}, which by the rules may {may_be}; "
        f"{relation.name} is not used",
        span=None if place is None else place.span,
        expected=f"{relation.name} to have everything that can ever {may_be}",
        help="nothing to do for play, which goes by the other rules; "
        f"add what is missing to {relation.name}, for programs that rely on it",
    )
