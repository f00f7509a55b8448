"""What is known while a game is evaluated: contexts of tables, indexes, and recursive runs.

In: rows that come from outside (facts, the state, the moves). Out: indexes over them and tables
of answers, each made when it is first asked for and kept as long as the state it belongs to.

Rows, keys and answers are packed: no value is ``()``, one value is itself, more are a tuple.

Source: Tamaki, Sato, "OLD Resolution with Tabulation", 1986 (tables of answers and those who
wait for them); it joins every answer once with everyone who waits for it, as semi-naive
evaluation does: Bancilhon, "Naive Evaluation of Recursively Defined Relations", 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, TypeAlias

from gdl.language.syntax import Signature, Term
from gdl.reason.meter import CALLS, Meter
from gdl.reason.plan import BOUND, EXISTS, FREE, Modes
from gdl.reason.program import Predicate

Packed: TypeAlias = Any
"""No value: ``()``; one: the term itself; more: a tuple of terms."""
Row: TypeAlias = tuple[Term, ...]
Answers: TypeAlias = "dict[Packed, int] | dict[Packed, None] | bool"
"""What a question gives: rows of the free arguments, as derived; without any, a yes or no.

Of a recursive predicate always rows, each with its place in the order of derivation."""


class Context(dict[int, Any]):
    """Tables by slot number, each filled when it is first read.

    Attributes:
        meter: Counts what the tables cost.
        below: The context that this one rests on: that of a state for one of moves.
        rows: Rows that come from outside, by fluent or move; None holds all.
    """

    __slots__ = ("_fill", "below", "meter", "rows")

    def __init__(
        self, fill: Callable[[int, Context], Any], meter: Meter, below: Context | None = None
    ) -> None:
        """Begin without tables."""
        super().__init__()
        self.meter = meter
        self.below = below
        self.rows: dict[Signature | None, list[Row]] = {}
        self._fill = fill

    def __missing__(self, slot: int) -> Any:  # noqa: ANN401  # indexes and tables of answers
        """Fill a slot."""
        table = self._fill(slot, self)
        self[slot] = table
        return table

    def forget(self) -> None:
        """Drop all tables; they are filled again when they are read."""
        self.clear()
        self.meter.facts = 0


def index(rows: Collection[Row], modes: Modes) -> Any:  # noqa: ANN401  # by mode: set or mapping
    """Return an index of rows: from the bound values to the free ones.

    Without free values it is the set of keys. Cost O(rows).
    """
    bound = [place for place, mode in enumerate(modes) if mode == BOUND]
    free = [place for place, mode in enumerate(modes) if mode == FREE]
    key_of = packer(bound)
    if not free:
        return set(map(key_of, rows))
    value_of = packer(free)
    if EXISTS in modes:
        distinct: dict[Packed, dict[Packed, None]] = {}
        for row in rows:
            distinct.setdefault(key_of(row), {})[value_of(row)] = None
        return distinct
    lists: dict[Packed, list[Packed]] = {}
    for row in rows:
        lists.setdefault(key_of(row), []).append(value_of(row))
    return lists


def unique_index(rows: Collection[Row], modes: Modes) -> dict[Packed, Packed] | None:
    """Return an index with one value a key, None where some key has several."""
    values_of = index(rows, modes)
    if isinstance(values_of, dict) and all(len(values) == 1 for values in values_of.values()):
        return {key: next(iter(values)) for key, values in values_of.items()}
    return None


def packer(places: Sequence[int]) -> Callable[[Row], Packed]:
    """Return the function that packs the values at some places of a row."""
    return itemgetter(*places) if places else _nothing


def _nothing(row: Row) -> Packed:
    del row
    return ()


@dataclass(eq=False, slots=True)
class Demand:
    """A predicate, asked in one way.

    Attributes:
        predicate: What is asked.
        modes: How.
        slot: Where contexts keep the tables of answers, by key.
        clauses: One function for each definition: ``(context, answers, key)``; without free
            arguments ``(context, key) -> bool``; of a recursive predicate ``(run, table, key)``.
    """

    predicate: Predicate
    modes: Modes
    slot: int
    clauses: tuple[Callable[..., Any], ...] = ()

    @property
    def wants_rows(self) -> bool:
        """Whether answers are rows, not only whether there is one."""
        return FREE in self.modes

    def solver(self) -> Callable[[Context, Packed], Answers]:
        """Return the function that finds and keeps the answers for a key."""
        if self.predicate.is_recursive:
            return self._solve_recursive
        return self._solve_rows if self.wants_rows else self._solve_test

    def _solve_rows(self, context: Context, key: Packed) -> Answers:
        rows: dict[Packed, None] = {}
        for clause in self.clauses:
            clause(context, rows, key)
        context.meter.count(len(rows), self.predicate.definitions[0])
        context[self.slot][key] = rows
        return rows

    def _solve_test(self, context: Context, key: Packed) -> Answers:
        holds = False
        for clause in self.clauses:
            if clause(context, key):
                holds = True
                break
        context.meter.count(holds, self.predicate.definitions[0])
        context[self.slot][key] = holds
        return holds

    def _solve_recursive(self, context: Context, key: Packed) -> Answers:
        run = Run(context)
        table = run.table(self, key)
        run.finish()
        context.meter.count(run.derived, self.predicate.definitions[0])
        return table.rows


@dataclass(eq=False, slots=True)
class Table:
    """The answers to one question so far, and who waits for more of them."""

    demand: Demand
    key: Packed
    run: Run
    rows: dict[Packed, int] = field(default_factory=dict)
    waiting: list[tuple[Callable[..., Any], Any]] = field(default_factory=list)

    def add(self, row: Packed) -> None:
        """Add an answer; when it is new, hand it to everyone who waits."""
        if row not in self.rows:
            run = self.run
            run.derived += 1
            self.rows[row] = run.first + run.derived
            for proceed, carried in self.waiting:
                run.agenda.append((proceed, carried, row))


class Run:
    """One evaluation of predicates that depend on each other, to its least fixpoint.

    Every question has one table. A rule that meets a question of the same component waits in its
    table, and proceeds once with each answer.

    Attributes:
        context: Where finished tables are kept.
        tables: The table of each question, by slot and key.
        agenda: Functions to call, each with two values.
        derived: Answers and rules waiting: what the run takes of memory.
        first: What earlier runs have found; together they number the answers of a context.
    """

    __slots__ = ("agenda", "context", "derived", "first", "tables")

    def __init__(self, context: Context) -> None:
        """Begin with nothing to do."""
        self.context = context
        self.tables: dict[tuple[int, Packed], Table] = {}
        self.agenda: list[tuple[Callable[..., Any], Any, Any]] = []
        self.derived = 0
        self.first = context.meter.facts

    def table(self, demand: Demand, key: Packed) -> Table:
        """Return the table of a question; when it is new, its rules are set to work."""
        name = (demand.slot, key)
        table = self.tables.get(name)
        if table is None:
            table = self.tables[name] = Table(demand, key, self)
            for clause in reversed(demand.clauses):
                self.agenda.append((clause, table, key))
        return table

    def ask(self, demand: Demand, key: Packed, proceed: Callable[..., Any], carried: Any) -> None:  # noqa: ANN401
        """Let ``proceed(run, values, answer)`` be called once for each answer, now or later."""
        # Whoever waits is noted before the answers so far are handed over: those that come later
        # reach it through `Table.add`, so it proceeds with each answer exactly once (semi-naive).
        done = self.context[demand.slot].get(key)
        if done is None:
            table = self.table(demand, key)
            table.waiting.append((proceed, carried))
            self.derived += 1
            answers: Collection[Packed] = table.rows
        else:
            answers = done
        for row in answers:
            self.agenda.append((proceed, carried, row))

    def finish(self) -> None:
        """Work until nothing is left to do; then the tables are complete, and kept."""
        # The agenda only gets new answers and new questions, of which there are finitely many (see
        # `Limits`); when it is empty no rule can derive more: the least fixpoint.
        agenda = self.agenda
        meter = self.context.meter
        steps = CALLS
        while agenda:
            proceed, waiting, answer = agenda.pop()
            proceed(self, waiting, answer)
            steps -= 1
            if not steps:
                taken = self.derived + len(agenda)
                meter.tick(proceed.definition, taken)  # type: ignore[attr-defined]  # `emit`
                steps = CALLS
        for table in self.tables.values():
            self.context[table.demand.slot][table.key] = table.rows
