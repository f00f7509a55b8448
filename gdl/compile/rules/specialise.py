"""Rules specialised to when they are asked: at the beginning, in a state, or of moves made there.

In: clauses. Out: clauses in which ``true`` and ``does`` stand only where something may be true
or done. In a state nobody moves, so ``does`` is false wherever ``legal``, ``terminal`` and
``goal`` ask for it; ``init``, ``role``, ``base`` and ``input`` are taken where nothing is true
either. A relation that is asked at several times, such as one that both ``next`` and ``legal``
rest on, gets a version for each, under a name of its own. Where rules keep to the
specification nothing changes, for then no relation needs a second version.

Source: GDL specification 2008, section 2 (what may depend on what); docs/semantics.md for
rules that break it; Lloyd, Shepherdson, "Partial Evaluation in Logic Programming", 1991.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Final

from gdl.compile.rules.fresh_names import apart
from gdl.compile.rules.grounder_names import BOUNDS, RELATIONS
from gdl.compile.rules.literals import asked_sentence, with_terms
from gdl.language.clauses import Clause
from gdl.language.dependencies import dependency_graph
from gdl.language.syntax import (
    Atom,
    Distinct,
    Literal,
    Not,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    sentence,
    signature,
)


class Moment(IntEnum):
    """When a relation is asked; each knows all that the one before knows."""

    BEGINNING = 0
    STATE = 1
    MOVES = 2


TRUE: Final = Signature("true", 1)
DOES: Final = Signature("does", 2)
_GIVEN: Final = {TRUE: Moment.STATE, DOES: Moment.MOVES}
"""From when on a relation that comes from outside may hold."""
_IN_STATES: Final = (Signature("legal", 2), Signature("goal", 2), Signature("terminal", 0))
_OF_MOVES: Final = (Signature("next", 1), Signature("sees", 2))
ASKED: Final = {
    **{
        relation: Moment.BEGINNING
        for relation in (*RELATIONS, *BOUNDS)
        if relation not in (*_GIVEN, *_IN_STATES, *_OF_MOVES)
    },
    **dict.fromkeys(_IN_STATES, Moment.STATE),
    **dict.fromkeys(_OF_MOVES, Moment.MOVES),
}
"""When those ask who ask from outside."""


def specialised(clauses: Iterable[Clause]) -> list[Clause]:
    """Return the clauses on which an answer to anybody outside rests, each for its moment.

    Rules for ``true`` and ``does`` are left out: both come from outside. Cost O(literals).
    """
    clauses = [clause for clause in clauses if signature(clause.head) not in _GIVEN]
    return _Specialiser(clauses).run()


class _Specialiser:
    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._clauses = clauses
        self._numbers: dict[Signature, list[int]] = {}
        for number, clause in enumerate(clauses):
            self._numbers.setdefault(signature(clause.head), []).append(number)
        graph = dependency_graph(clauses)
        self._of_states = graph.dependents([TRUE, DOES])
        self._of_moves = graph.dependents([DOES])
        self._mark = " " + apart(graph.relations, *(f"{moment.name} " for moment in Moment))

    def run(self) -> list[Clause]:
        """Follow who asks whom, from those who are asked from outside."""
        work = [
            (relation, self._version(relation, moment))
            for relation, moment in ASKED.items()
            if relation not in BOUNDS
            or relation not in self._of_states  # such a one bounds nothing
        ]
        # Only versions that somebody asks are made; a question at one moment asks all below it at
        # the same moment, or at an earlier one where that makes no difference.
        seen = set(work)
        versions: dict[tuple[int, Moment], Clause] = {}
        while work:
            relation, moment = work.pop()
            for number in self._numbers.get(relation, ()):
                body = _possible(self._clauses[number].body, moment)
                if body is None:
                    continue
                versions[number, moment] = self._clause(self._clauses[number], body, moment)
                for literal in body:
                    asked = asked_sentence(literal)
                    if asked is None:
                        continue
                    below = signature(asked), self._version(signature(asked), moment)
                    if below not in seen:
                        seen.add(below)
                        work.append(below)
        return [versions[key] for key in sorted(versions)]

    def _version(self, relation: Signature, asked: Moment) -> Moment:
        """Return the earliest moment at which a relation holds of the same as when it is asked."""
        # What rests on no move holds of the same whether moves are made or not; what rests on no
        # state either, from the beginning on.
        if relation in self._of_moves:
            return asked
        return min(asked, Moment.STATE if relation in self._of_states else Moment.BEGINNING)

    def _clause(self, clause: Clause, body: Sequence[Literal], moment: Moment) -> Clause:
        def named(term: Term) -> Term:
            assert not isinstance(term, Variable), "a sentence is asked"
            return self._named(term, moment)

        head = self._named(clause.head, moment)
        renamed = tuple(
            lit if isinstance(lit, Distinct) else with_terms(lit, named) for lit in body
        )
        if head is clause.head and renamed == clause.body:
            return clause
        return replace(clause, head=head, body=renamed)

    def _named(self, asked: Sentence, moment: Moment) -> Sentence:
        """Return a sentence under the name of the version that a moment needs.

        Who asks from outside asks the version that keeps the name.
        """
        relation = signature(asked)
        if relation in _GIVEN:
            return asked
        version = self._version(relation, moment)
        if version == self._version(relation, ASKED.get(relation, Moment.MOVES)):
            return asked
        return sentence(f"{version.name}{self._mark}{relation.name}", arguments(asked))


def _possible(body: Sequence[Literal], moment: Moment) -> Sequence[Literal] | None:
    """Return what is left to ask of a body at a moment, None where it cannot be met."""
    left: list[Literal] = []
    for literal in body:
        match literal:
            case Atom(asked) if _GIVEN.get(signature(asked), moment) > moment:
                return None
            case Not(Atom(asked)) if _GIVEN.get(signature(asked), moment) > moment:
                continue
            case Atom() | Not() | Distinct():
                left.append(literal)
    return left
