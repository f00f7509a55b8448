"""Proofs of facts that hold.

In: what holds in a model, and a fact. Out: a proof, in which each step is an instance of its
rule. Recursion goes down in the order of derivation, so no fact is used to prove itself.

Source: Ferrand, "Proof trees in logic programming", 1987; the order of derivation is that of
`gdl.reason.tables.Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from gdl.language.dependencies import DOES, TRUE
from gdl.language.matching import Substitution, applied, applied_row, match_row
from gdl.language.syntax import Not, Sentence, arguments, signature
from gdl.reason.backtracking import Search
from gdl.reason.explanation import Absence, DistinctTerms, Premise, Proof, Since
from gdl.reason.model import Model, sentence_of
from gdl.reason.program import Call, Condition, Definition, Kind, Predicate, binds
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

    def _step(self, predicate: Predicate, row: Row) -> Step | None:
        """Return how a row follows; None when it needs no rule, or none is found in time."""
        number = self.model.derived_at(predicate, row)

        def came_before(other: Predicate, other_row: Row) -> bool:
            if not predicate.is_recursive or other.component != predicate.component:
                return True
            return self.model.derived_at(other, other_row) < number

        for definition in predicate.definitions:
            substitution = match_row(definition.head, row, {})
            if substitution is not None:
                order = self.model.order(definition, definition.head)
                conditions = [definition.body[index] for index in order]
                search = Search(self.model, conditions, substitution)
                for solution in search.solutions(came_before):
                    return Step(definition, solution)
        return None

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


def _used(step: Step | None) -> list[Known]:
    if step is None or step.definition.clause is None:
        return []
    return [
        (condition.predicate, applied_row(condition.args, step.substitution))
        for condition in step.definition.body
        if binds(condition)
    ]
