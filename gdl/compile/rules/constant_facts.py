"""Facts that never change, taken out of the state before grounding.

Walls of a maze hold initially and are only ever carried over. In: clauses. Out: clauses in
which a body that asks the state for such a fact asks what held initially, so that the
grounder decides it, also where it is denied. The facts stay in the states.

Valid in every state that play can reach, as all that is compiled.

Source: Schiffel, Thielscher, "Automated Theorem Proving for General Game Playing", 2009
(that such laws are proved by induction: they hold initially and every step keeps them).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from gdl.compile.rules.literals import asked_sentence, with_terms
from gdl.language.clauses import Clause
from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Literal,
    Sentence,
    Signature,
    Variable,
    arguments,
    sentence,
    signature,
)

_NEXT: Final = Signature("next", 1)
_TRUE: Final = Signature("true", 1)


def lasting(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses that mean the same in play, with facts that last asked of ``init``.

    Cost O(literals).
    """
    lasts = lasting_kinds(clauses)
    if not lasts:
        return list(clauses)
    return [
        replace(clause, body=tuple(_asked_of_init(literal, lasts) for literal in clause.body))
        for clause in clauses
    ]


def lasting_kinds(clauses: Iterable[Clause]) -> frozenset[Signature]:
    """Return the facts, by name and arity, whose only rule for ``next`` is that they stay."""
    kept: set[Signature] = set()
    changed: set[Signature] = set()
    for clause in clauses:
        if signature(clause.head) != _NEXT:
            continue
        (fact,) = arguments(clause.head)
        if isinstance(fact, Variable):
            return frozenset()  # may make anything
        kind = signature(fact)
        # Its one rule carries each of them over and makes no other: by induction over plies the
        # facts of this kind are those that held initially.
        if kind in kept or not _stays(clause):
            changed.add(kind)
        kept.add(kind)
    return frozenset(kept - changed)


def _stays(clause: Clause) -> bool:
    """Return whether a clause says that every fact of one kind stays, and nothing else."""
    (fact,) = arguments(clause.head)
    if clause.body != (Atom(sentence("true", (fact,))),):
        return False
    if isinstance(fact, Constant):
        return True
    assert isinstance(fact, Compound)
    return all(isinstance(arg, Variable) for arg in fact.args) and len(set(fact.args)) == len(
        fact.args
    )


def _asked_of_init(literal: Literal, lasts: frozenset[Signature]) -> Literal:
    asked = asked_sentence(literal)
    if asked is None or not _asks(asked, lasts):
        return literal
    held_initially = sentence("init", arguments(asked))
    return with_terms(literal, lambda _: held_initially)


def _asks(asked: Sentence, lasts: frozenset[Signature]) -> bool:
    if signature(asked) != _TRUE:
        return False
    (fact,) = arguments(asked)
    return not isinstance(fact, Variable) and signature(fact) in lasts
