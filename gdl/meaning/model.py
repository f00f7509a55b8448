"""What follows from the rules: the least model, layer by layer.

A layer is complete before a higher one asks it, so ``not`` may be read as "is not among what
follows". Within a layer the rules are tried again and again until nothing new follows.

Source: Apt, Blair, Walker, "Towards a Theory of Declarative Knowledge", 1988; Przymusinski, "On
the Declarative Semantics of Deductive Databases and Logic Programs", 1988 (layers of clauses).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TypeAlias

from gdl.language.clauses import Clause, sentence_of
from gdl.language.condition_order import WHOLE, Given, Orders, Part, Step
from gdl.language.limits import Limits
from gdl.language.matching import applied, applied_row, match, match_row
from gdl.language.refusals import too_deep, too_late, too_many_facts
from gdl.language.syntax import Distinct, Not, Sentence, Term, Variable, arguments

Values: TypeAlias = dict[Variable, Term]
Row: TypeAlias = tuple[Term, ...]
Bound: TypeAlias = tuple[Variable, ...]
Question: TypeAlias = tuple[Part, Given, Row]
"""A part of the rules, and the values of the arguments that its rules leave to the asker."""


class Table:
    """Sentences that follow, in the order in which they were found."""

    def __init__(self, sentences: Iterable[Sentence] = ()) -> None:
        """Begin with what comes from outside."""
        self.sentences = list(sentences)
        self.members = set(self.sentences)
        self._indexes: dict[tuple[Sentence, Bound], tuple[list[int], dict[Row, list[Values]]]] = {}

    def matches(self, pattern: Sentence, bound: Bound, row: Row) -> list[Values]:
        """Return how a pattern becomes one of the sentences where ``bound`` stands for ``row``.

        The list grows when later calls find more sentences.
        """
        looked_at, index = self._indexes.setdefault((pattern, bound), ([0], {}))
        for sentence in self.sentences[looked_at[0] :]:
            values = match(pattern, sentence, {})
            if values is not None:
                index.setdefault(tuple(values[v] for v in bound), []).append(values)
        looked_at[0] = len(self.sentences)
        return index.setdefault(row, [])


class Model:
    """What follows in one state, when certain moves are made there.

    What rests on less is left to the model below: that of the state, that of the rules alone.
    """

    def __init__(
        self, orders: Orders, limits: Limits, below: Model | None = None, *outside: Sentence
    ) -> None:
        """Begin with what comes from outside: what is true, or who does what."""
        self.below = below
        self.level: int = below.level + 1 if below else 0
        self.deadline = 0.0
        self._orders, self._limits = orders, limits
        self._tables: dict[Question, Table] = {
            (part, WHOLE, ()): Table(outside) for part in orders.outside[self.level]
        }
        self._growing: dict[int, list[Question]] = {}
        self._facts = 0

    def instances(self, query: Sentence) -> list[Sentence]:
        """Return the instances of a sentence that follow, in the order in which they were found.

        Raises:
            InvalidDescriptionError: The rules do not say for which values it holds.
            LimitError: It takes too long, or there is no end to what follows.
        """
        model: Model | None = self
        while model:
            model.deadline = monotonic() + self._limits.seconds
            model = model.below
        asked = self._orders.question(query)
        for part in self._orders.foundations(asked):  # lowest first: a tower of rules is no burden
            self.answers((part, WHOLE, ()))
        tables = [self.answers((part, given, _at(query, given))) for part, given in asked]
        following = dict.fromkeys(sentence for table in tables for sentence in table.sentences)
        return [sentence for sentence in following if match(query, sentence, {}) is not None]

    def answers(self, question: Question) -> Table:
        """Return what follows of a part; while its own layer grows, what is known so far."""
        part, given, _ = question
        if given == WHOLE and self.below and part.level < self.level:
            return self.below.answers(question)
        if question not in self._tables:
            self._tables[question] = Table()
            if part.layer in self._growing:
                self._growing[part.layer].append(question)
            else:
                self._grow(part.layer, [question])
        return self._tables[question]

    def _grow(self, layer: int, questions: list[Question]) -> None:
        """Try the rules that answer questions of one layer until nothing new follows."""
        self._growing[layer] = questions
        before = -1
        try:
            while before != (before := self._facts + len(questions)):
                for question in questions:  # more of them may come while we go
                    for clause, steps in self._orders.rules(*question[:2]):
                        self._try(clause, steps, question)
                if not any(part.is_recursive for part, _, _ in questions):
                    break
        except BaseException:
            for question in questions:  # their answers are not complete
                del self._tables[question]
            raise
        finally:
            del self._growing[layer]

    def _try(self, clause: Clause, steps: tuple[Step, ...], question: Question) -> None:
        """Add what one rule says, given what is known so far."""
        _, given, row = question
        table = self._tables[question]
        values = match_row(_at(clause.head, given), row, {})
        for way in () if values is None else self._assignments(clause, steps, values):
            sentence = applied(clause.head, way)
            if sentence not in table.members:
                table.members.add(sentence)
                table.sentences.append(sentence)
                self._facts += 1
                self._check(clause, sentence)

    def _check(self, clause: Clause, sentence: Sentence) -> None:
        if self._facts > self._limits.facts:
            raise too_many_facts(clause, self._limits)
        for term in () if clause.head.is_ground else arguments(sentence):
            if term.depth > self._limits.term_depth:
                raise too_deep(clause, term, self._limits)

    def _assignments(
        self, clause: Clause, steps: tuple[Step, ...], values: Values
    ) -> Iterator[Values]:
        """Yield every way to give the variables values so that all conditions hold."""
        ways = [iter([values])]
        while ways:
            if monotonic() > self.deadline:
                raise too_late(clause, self._limits)
            way = next(ways[-1], None)
            if way is None:
                ways.pop()
            elif len(ways) > len(steps):
                yield way
            else:
                ways.append(self._ways(steps[len(ways) - 1], way))

    def _ways(self, step: Step, values: Values) -> Iterator[Values]:
        """Yield the ways to meet one condition: each the values known, and those that it adds."""
        match step.literal:
            case Distinct(left, right):
                if applied(left, values) is not applied(right, values):
                    yield values
            case Not():
                if next(self._met(step, values), None) is None:
                    yield values
            case _:
                yield from self._met(step, values)

    def _met(self, step: Step, values: Values) -> Iterator[Values]:
        """Yield the values with which an atom is among what follows."""
        atom = sentence_of(step.literal)
        row = tuple(values[variable] for variable in step.bound)
        for part, given in step.asked:
            table = self.answers((part, given, applied_row(_at(atom, given), values)))
            if step.new:
                for matched in table.matches(atom, step.bound, row):
                    yield values | matched
            elif applied(atom, values) in table.members:
                yield values


def _at(sentence: Sentence, given: Given) -> Row:
    return tuple(arguments(sentence)[index] for index in given)
