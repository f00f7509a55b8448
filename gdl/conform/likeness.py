"""Which differences are alike, so that a search can go on behind one that is known.

In: a difference. Out: a key; two differences with the same key are taken for one bug. It is coarse
on purpose: a bug that shows in a hundred positions is to be told once. What a key has is the kind
of the difference; of ends, who says so and what they are worth; of moves that only the rules have,
the rule that makes the first of them legal; of moves that only the engine has, the text of the
first without its places. Roles are left out: who breaks a rule for one player does so for others.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TypeAlias

from gdl.conform.matching.matching import Matching
from gdl.conform.source import CHANCE, EngineMove, Source, written
from gdl.conform.sources.merged import inner
from gdl.conform.sources.rules import RulesPosition, RulesSource
from gdl.conform.twin import Parting
from gdl.language.diagnostics import GdlError
from gdl.language.terms import Term, kif_text
from gdl.reason.explanation import Proof

Likeness: TypeAlias = Hashable


def likeness(ours: Source, theirs: Source, matching: Matching, parting: Parting) -> Likeness:
    """Return what a difference has in common with others of the same bug.

    Cost: a proof for some moves of ours, where it is about legal moves.
    """
    twin = parting.twin
    if parting.kind in ("terminal", "returns"):
        over = ours.is_terminal(twin.ours), theirs.is_terminal(twin.theirs)
        goals = ours.returns(twin.ours) if over[0] else ()
        paid = theirs.returns(twin.theirs) if over[1] else ()
        if all(over):  # by value, so that a win of either is one
            paired = zip(goals, (paid[role] for role in matching.roles), strict=True)
            return parting.kind, over, tuple(sorted(paired))
        return parting.kind, over, tuple(sorted(goals)), tuple(sorted(paid))
    if parting.kind == "legal":
        only_ours, only_theirs = (moves[:1] for moves in parting.only)
        return (
            parting.kind,
            parting.role == CHANCE,
            tuple(_rule(ours, parting, move) for move in only_ours),
            tuple(_shape(theirs, matching, parting, move) for move in only_theirs),
        )
    if parting.kind == "failure":
        return parting.kind, _letters(parting.theirs)
    return (parting.kind,)


def _rule(ours: Source, parting: Parting, move: EngineMove) -> str:
    """Return the rule that makes a move of ours legal, else the move without its places."""
    rules, position = rules_of(ours), parting.twin.ours
    if rules is not None and isinstance(position, RulesPosition) and isinstance(move, Term):
        role = rules.roles[parting.role or 0]
        try:
            reason = rules.state(position).why(f"(legal {role} {kif_text(move)})")
        except GdlError:
            reason = None
        if isinstance(reason, Proof) and reason.clause is not None:
            return str(reason.clause)
    return _letters(str(move))


def _shape(theirs: Source, matching: Matching, parting: Parting, move: EngineMove) -> str:
    role = matching.theirs_of(parting.role or 0)
    return _letters(written(theirs, parting.twin.theirs, role, move))


def _letters(text: str) -> str:
    """Return a text with each number as 0, and each single letter as a: places look alike."""
    return re.sub(r"(?<![a-zA-Z])[a-zA-Z](?![a-zA-Z])", "a", re.sub(r"\d+", "0", text))


def rules_of(source: Source) -> RulesSource | None:
    """Return the rules that a source asks; None where it is no such one."""
    innermost = inner(source)
    return innermost if isinstance(innermost, RulesSource) else None
