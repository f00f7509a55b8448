"""Of what kind a value is wherever a variable may have one.

A relation of one argument that never changes is a kind, as "is a coordinate". In: clauses, and a
body in which a variable stands. Out: whether whatever binds the variable there is of a kind in
every state. Of each place of an argument, inside facts and moves too, it is taken for granted at
first that all that comes there is of the kind; a place is given up where a rule brings something
there of which that is not known, until none is: what rules derive step by step from what is of the
kind stays of the kind.

Source: Tarski, "A Lattice-Theoretical Fixpoint Theorem and its Applications", 1955.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from gdl.language.clauses import Clause
from gdl.language.dependencies import DOES, INIT, LEGAL, NEXT, TRUE
from gdl.language.syntax import (
    Atom,
    Compound,
    Literal,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
)

Place: TypeAlias = tuple[object, ...]
"""A relation, and which argument, of which function, which argument of that."""
_BROUGHT_BY: Final = {TRUE: (INIT, NEXT), DOES: (LEGAL,)}


class ArgumentKinds:
    """Answers for one description; a kind costs O(clauses) for each place that is given up."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        """Keep the clauses."""
        self._clauses = clauses
        self._facts = {clause.head for clause in clauses if not clause.body}
        self._refused: dict[Signature, frozenset[Place]] = {}

    def hold(self, asked: Atom, body: Sequence[Literal]) -> bool:
        """Return whether a body that is met otherwise makes a question for a kind true."""
        if asked.sentence.is_ground:
            return asked.sentence in self._facts
        (variable,) = arguments(asked.sentence)
        kind = signature(asked.sentence)
        if kind not in self._refused:
            self._refused[kind] = self._without(kind)
        return _is_of_kind(variable, body, kind, self._refused[kind])

    def _without(self, kind: Signature) -> frozenset[Place]:
        """Return the places where something else may stand."""
        # Within what a variable brings anything may stand.
        refused: set[Place] = {
            (*place, None)
            for clause in self._clauses
            for place, term in _places(clause.head)
            if isinstance(term, Variable)
        }
        is_stable = False
        while not is_stable:
            is_stable = True
            for clause in self._clauses:
                for place, term in _places(clause.head):
                    if place in refused or place == (kind, 0):
                        continue
                    if not (
                        _is_of_kind(term, clause.body, kind, refused)
                        if isinstance(term, Variable)
                        else Compound(kind.name, (term,)) in self._facts
                    ):
                        refused.add(place)
                        is_stable = False
        return frozenset(refused)


def _is_of_kind(
    variable: Term, body: Sequence[Literal], kind: Signature, refused: frozenset[Place] | set[Place]
) -> bool:
    return any(
        term == variable and (place == (kind, 0) or not _is_refused(place, refused))
        for literal in body
        if isinstance(literal, Atom)
        for place, term in _places(literal.sentence)
    )


def _is_refused(place: Place, refused: frozenset[Place] | set[Place]) -> bool:
    """Return whether something else may come to a place, also within what stands around it."""
    relation, *rest = place
    return any(
        (source, *rest) in refused
        or any((source, *rest[:length], None) in refused for length in range(1, len(rest), 2))
        for source in _BROUGHT_BY.get(relation, (relation,))  # type: ignore[call-overload]
    )


def _places(head: Sentence) -> Iterator[tuple[Place, Term]]:
    """Yield the terms of a sentence, those within others too, each with its place."""
    work: list[tuple[Place, Term]] = [
        ((signature(head), index), arg) for index, arg in enumerate(arguments(head))
    ]
    while work:
        place, term = work.pop()
        yield place, term
        if isinstance(term, Compound):
            work += [((*place, signature(term), index), arg) for index, arg in enumerate(term.args)]
