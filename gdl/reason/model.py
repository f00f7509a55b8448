"""What holds in one state, and after moves made there: every row of every predicate.

In: a context, and how to ask it. Out: rows, in canonical order, and the order in which facts of a
recursion were derived: each from facts that came before it, so that a proof can follow it down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from gdl.language.dependencies import DOES, TRUE
from gdl.language.matching import match, match_row
from gdl.language.syntax import (
    Compound,
    Literal,
    Sentence,
    Signature,
    Term,
    arguments,
    sentence,
    signature,
)
from gdl.machine import Fact, Move, Role
from gdl.reason.compiler import RuleCompiler
from gdl.reason.join_order import UnboundVariableError
from gdl.reason.plan import BOUND, FREE, Exists, Lookup, Modes, Step
from gdl.reason.program import (
    Definition,
    Differ,
    Kind,
    Predicate,
    Program,
    binds,
)
from gdl.reason.tables import Context, Packed, Row, packer

Ask: TypeAlias = Callable[[Context, Packed], Any]
"""A question: given a context and a key, the answers."""


class Model:
    """What holds; asked predicate by predicate, for a pattern of arguments.

    Attributes:
        state: The facts of the state.
        done: The moves made there: pairs of role and move; empty when nobody moves.
    """

    def __init__(  # noqa: PLR0913  # everything that is known
        self,
        *,
        program: Program,
        compiler: RuleCompiler,
        ask: Callable[[Predicate, Modes], Ask],
        context: Context,
        state: frozenset[Fact],
        done: tuple[tuple[Role, Move], ...],
    ) -> None:
        """Look at a context of moves."""
        self.program = program
        self.state = state
        self.done = done
        self._compiler = compiler
        self._ask = ask
        self._context = context
        self._rows: dict[tuple[Predicate, Row], tuple[Row, ...]] = {}

    def instances(self, query: Sentence) -> tuple[Sentence, ...]:
        """Return every instance of a sentence that holds, in canonical order.

        Raises:
            InvalidDescriptionError: The rules cannot say for which values it holds, or give the
                relation no one meaning.
            LimitError: See `Limits`.
        """
        self.program.check_asked(signature(query))
        match query:
            case Compound("true", (pattern,)):
                facts = [fact for fact in self.state if match(pattern, fact, {}) is not None]
                return tuple(Compound("true", (fact,)) for fact in sorted(facts))
            case Compound("does", (_, _)):
                pairs = [Compound("does", pair) for pair in self.done]
                return tuple(sorted(pair for pair in pairs if match(query, pair, {}) is not None))
        predicate = self.program.relations.get(signature(query))
        if predicate is None:
            return ()
        return tuple(sentence(query.name, row) for row in self.rows(predicate, arguments(query)))

    def rows(self, predicate: Predicate, pattern: Row) -> tuple[Row, ...]:
        """Return the rows of a predicate that are instances of a pattern, in canonical order.

        Raises:
            InvalidDescriptionError: The rules cannot say for which values it holds.
            LimitError: See `Limits`.
        """
        kept = self._rows.get((predicate, pattern))
        if kept is None:
            rows = self._candidates(predicate, pattern)
            kept = tuple(sorted({row for row in rows if match_row(pattern, row, {}) is not None}))
            self._rows[predicate, pattern] = kept
        return kept

    def holds(self, predicate: Predicate, pattern: Row) -> bool:
        """Return whether some row of a predicate is an instance of a pattern."""
        return bool(self.rows(predicate, pattern))

    def derived_at(self, predicate: Predicate, row: Row) -> int:
        """Return the place of a row in the order of derivation, 0 when there is no recursion.

        Rows of a recursion follow from rows of the same recursion with lower numbers.
        """
        if not predicate.is_recursive:
            return 0
        self.rows(predicate, row)
        numbers: list[int] = []
        context = self._at(predicate)
        for demand in self._compiler.demands(predicate):
            bound = [place for place, mode in enumerate(demand.modes) if mode == BOUND]
            free = [place for place, mode in enumerate(demand.modes) if mode == FREE]
            table = context[demand.slot].get(packer(bound)(row))
            if table is not None and packer(free)(row) in table:
                numbers.append(table[packer(free)(row)])
        return min(numbers)

    def order(self, definition: Definition, head: Row) -> list[int]:
        """Return an order in which to meet the conditions of a definition: numbers of them.

        Args:
            definition: The definition.
            head: An instance of its head; what has no variables there is known beforehand.
        """
        modes = "".join(
            BOUND if given.is_ground or given is term else FREE
            for given, term in zip(head, definition.head, strict=True)
        )
        try:
            plan = self._compiler.planner.plan(definition, modes, -1)
        except UnboundVariableError:
            numbers = range(len(definition.body))
            return sorted(numbers, key=lambda index: not binds(definition.body[index]))
        numbers_of = {id(c.literal): number for number, c in enumerate(definition.body)}
        return [numbers_of[id(literal)] for literal in _literals(plan.steps)]

    def _candidates(self, predicate: Predicate, pattern: Row) -> list[Row]:
        modes = "".join(BOUND if term.is_ground else FREE for term in pattern)
        bound = [place for place, mode in enumerate(modes) if mode == BOUND]
        answers = self._ask(predicate, modes)(self._context, packer(bound)(pattern))
        if FREE not in modes:
            return [pattern] if answers else []
        rows = []
        for answer in answers:
            values = iter(answer if modes.count(FREE) > 1 else (answer,))
            rows.append(tuple(t if t.is_ground else next(values) for t in pattern))
        return rows

    def _at(self, predicate: Predicate) -> Context:
        return self._compiler.context(self._context, predicate.level)


def _literals(steps: Iterable[Step]) -> Iterator[Literal | None]:
    for step in steps:
        match step:
            case Exists(inner):
                yield from _literals(inner)
            case Lookup(call):
                yield call.literal
            case Differ():
                yield step.literal


def sentence_of(predicate: Predicate, row: Row) -> Sentence:
    """Return what a row of a predicate says, as a sentence; the row may have variables."""
    if predicate.kind is Kind.TRUE:
        return Compound(TRUE.name, (_put_together(predicate.functor, row),))
    if predicate.kind is Kind.DOES:
        return Compound(DOES.name, (row[0], _put_together(predicate.functor, row[1:])))
    return sentence(predicate.relation.name, row)


def _put_together(functor: Signature | None, args: Row) -> Term:
    return args[0] if functor is None else sentence(functor.name, args)
