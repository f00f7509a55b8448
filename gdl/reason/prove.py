"""Proofs of facts that hold.

In: what holds in a model, and a fact. Out: a proof, in which each step is an instance of its
rule. Recursion goes down in the order of derivation, so no fact is used to prove itself.

Source: Ferrand, "Proof trees in logic programming", 1987; the order of derivation is that of
`gdl.reason.tables.Run`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from gdl.language.dependencies import DOES, TRUE
from gdl.language.matching import Substitution, applied, applied_row, match_row
from gdl.language.syntax import Not, Sentence, arguments, signature
from gdl.reason.backtracking import Allowed, Search
from gdl.reason.explanation import Absence, DistinctTerms, Premise, Proof, Since
from gdl.reason.model import Model, sentence_of
from gdl.reason.program import Call, Condition, Definition, Kind, Level, Predicate, binds
from gdl.reason.tables import Row

MAX_FACTS: Final = 5_000
"""Facts that one proof goes into."""

Known: TypeAlias = tuple[Predicate, Row]


class Step(NamedTuple):
    """How a fact follows: an instance of a definition."""

    definition: Definition
    substitution: Substitution


class Prover:
    """Proves facts of one model, each once."""

    def __init__(self, model: Model, since: Callable[[Sentence], Since | None]) -> None:
        """Begin with nothing proved.

        Args:
            model: What holds.
            since: When a fact of the state became true.
        """
        self.model = model
        self._since = since
        self._proofs: dict[Known, Proof] = {}
        self._stated = {
            clause.head: clause
            for clause in reversed(model.program.clauses)
            if not clause.body and clause.head.is_ground
        }

    def prove_sentence(self, fact: Sentence) -> Proof:
        """Return the proof of a sentence that holds."""
        if signature(fact) == TRUE:
            return Proof(fact, since=self._since(fact))
        if signature(fact) == DOES:
            return Proof(fact)
        return self.prove(self.model.program.relations[signature(fact)], arguments(fact))

    def prove(self, predicate: Predicate, row: Row) -> Proof:
        """Return the proof of a row that holds. Cost O(facts of the proof)."""
        steps: dict[Known, Step | None] = {}
        work: list[tuple[Known, bool]] = [((predicate, row), False)]
        while work:
            goal, are_premises_proved = work.pop()
            if goal in self._proofs:
                continue
            if are_premises_proved:
                self._proofs[goal] = self._proof(goal, steps[goal])
            elif goal not in steps:
                steps[goal] = self._step(*goal) if len(steps) < MAX_FACTS else None
                work.append((goal, True))
                work += [(other, False) for other in _used(steps[goal])]
        return self._proofs[predicate, row]

    def premise(self, condition: Condition, substitution: Substitution) -> Premise:
        """Return why an instance of a condition holds; it must."""
        if not isinstance(condition, Call):
            left, right = (
                applied(condition.left, substitution),
                applied(condition.right, substitution),
            )
            return DistinctTerms(left, right, condition.literal)
        row = applied_row(condition.args, substitution)
        if condition.is_negative:
            assert isinstance(condition.literal, Not)
            return Absence(sentence_of(condition.predicate, row), condition.literal)
        return self.prove(condition.predicate, row)

    def alone(self, proof: Proof) -> Proof | None:
        """Return the one fact of the state that a proof rests on, where it is the reason.

        What rests on something that is not so as well, as being able to move does on a free
        square, rests on more than that fact. Nor is it the reason where others stand in for it, as
        any card does for having cards.
        """
        below = [*islice(_on_the_state(proof), 2)]
        if len(below) != 1 or not isinstance(below[0], Proof):
            return None
        return None if any(map(self._has_more_ways, _derived(proof))) else below[0]

    def _has_more_ways(self, proof: Proof) -> bool:
        """Return whether a fact follows from other facts of the state as well, not from itself."""
        predicate = self.model.program.relations[signature(proof.fact)]
        if predicate.level is Level.GAME or predicate.is_recursive:
            return False
        row = arguments(proof.fact)
        ways = (_state_rows(step) for step in self._steps(predicate, row, lambda *_: True))
        first = next(ways, None)
        return any(way != first for way in ways)

    def _step(self, predicate: Predicate, row: Row) -> Step | None:
        """Return how a row follows; None when it needs no rule, or none is found in time."""
        number = self.model.derived_at(predicate, row)

        def came_before(other: Predicate, other_row: Row) -> bool:
            if not predicate.is_recursive or other.component != predicate.component:
                return True
            return self.model.derived_at(other, other_row) < number

        return next(self._steps(predicate, row, came_before), None)

    def _steps(self, predicate: Predicate, row: Row, allowed: Allowed) -> Iterator[Step]:
        """Yield how a row follows from rows that may be used, as long as each is found in time."""
        for definition in predicate.definitions:
            substitution = match_row(definition.head, row, {})
            if substitution is not None:
                order = self.model.order(definition, definition.head)
                conditions = [definition.body[index] for index in order]
                search = Search(self.model, conditions, substitution)
                for solution in search.solutions(allowed):
                    yield Step(definition, solution)

    def _proof(self, goal: Known, step: Step | None) -> Proof:
        predicate, row = goal
        fact = sentence_of(predicate, row)
        if predicate.kind is Kind.TRUE:
            return Proof(fact, since=self._since(fact))
        if predicate.kind is Kind.DOES:
            return Proof(fact)
        if predicate.kind is Kind.FACTS or (step is not None and step.definition.clause is None):
            return Proof(fact, self._stated[fact])
        if step is None:
            return Proof(fact, is_cut=True)
        definition, substitution = step
        premises = tuple(self.premise(condition, substitution) for condition in definition.body)
        return Proof(fact, definition.clause, premises)


def _on_the_state(proof: Proof) -> Iterator[Proof | Absence]:
    """Yield the facts of the state that a proof rests on, and what it says is not so."""
    for inner in _parts(proof):
        if isinstance(inner, Absence) or (
            isinstance(inner, Proof) and signature(inner.fact) == TRUE
        ):
            yield inner


def _derived(proof: Proof) -> Iterator[Proof]:
    """Yield the proofs of a proof that are by a rule."""
    for inner in _parts(proof):
        if isinstance(inner, Proof) and inner.premises:
            yield inner


def _parts(proof: Proof) -> Iterator[Premise]:
    """Yield a proof and all that it is made of, what is shared once."""
    seen: set[int] = set()
    work: list[Premise] = [proof]
    while work:
        inner = work.pop()
        if id(inner) not in seen:
            seen.add(id(inner))
            yield inner
            if isinstance(inner, Proof):
                work += inner.premises


def _state_rows(step: Step) -> list[Known]:
    """Return the rows that a step uses, but for those that always are."""
    return [
        (condition.predicate, applied_row(condition.args, step.substitution))
        for condition in step.definition.body
        if binds(condition) and condition.predicate.level is not Level.GAME
    ]


def _used(step: Step | None) -> list[Known]:
    if step is None or step.definition.clause is None:
        return []
    return [
        (condition.predicate, applied_row(condition.args, step.substitution))
        for condition in step.definition.body
        if binds(condition)
    ]
