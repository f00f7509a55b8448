"""Plans to Python functions: one nest of loops for each rule and each way to ask it.

In: a predicate and how it is asked. Out: a function that answers. A literal that asks facts, the
state or the moves becomes a lookup in an index; one that asks other rules, a lookup in a table
of answers that is filled on demand; one that asks a rule of the same recursion ends the function,
and another one proceeds with each answer. The text of every function can be read: `Emitter.text`.

Source: Neumann, "Efficiently Compiling Efficient Query Plans for Modern Hardware", 2011 (loops in
place of an interpreter of plans); the target is Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from gdl.language.limits import Limits
from gdl.language.syntax import Compound, Constant, Signature, Term, Variable, signature, variables
from gdl.reason.order import Planner
from gdl.reason.plan import (
    BOUND,
    EXISTS,
    FREE,
    Exists,
    Lookup,
    Modes,
    Plan,
    Step,
)
from gdl.reason.program import Call, Definition, Differ, Kind, Level, Predicate
from gdl.reason.tables import Context, Demand, Packed, Row, index, unique_index
from gdl.reason.towers import foundations
from gdl.reason.watch import STRIDE, Watch, too_deep

Names: TypeAlias = "dict[Variable, str]"
MAX_LOOPS: Final = 12
"""Loops within each other in one function; Python allows 20 nested blocks."""
MAX_TERMS: Final = 200_000
"""Terms that are kept to be built only once; beyond, all are forgotten."""
CONTEXTS: Final[Mapping[Level, str]] = {
    Level.GAME: "game",
    Level.STATE: "state",
    Level.MOVES: "moves",
}
NEGATIVE: Final = "not "


class Emitter:
    """Makes the functions of a program as they are asked for.

    Attributes:
        texts: The text of every function made so far.
        planner: Orders the conditions of each rule.
        game: The context of what never changes.
    """

    def __init__(
        self, planner: Planner, game: Watch, limits: Limits, whole: AbstractSet[Predicate]
    ) -> None:
        """Begin with no function made.

        Args:
            planner: Orders the conditions of each rule.
            game: Counts what never changes.
            limits: For the tables of states and moves.
            whole: Predicates with rules that are evaluated whole, and then looked up.
        """
        self.texts: list[str] = []
        self.planner = planner
        self._whole = whole
        self.limits = limits
        self._fillers: list[Callable[[Context], Any]] = []
        self._demands: dict[tuple[Predicate, Modes], Demand] = {}
        self._indexes: dict[tuple[Predicate, Modes], int] = {}
        self._unmade: list[Demand] = []
        self._unrun: list[str] = []
        self._constants: dict[Term, str] = {}
        self._builders: dict[Signature, str] = {}
        self._names: dict[int, str] = {}
        self._functions: list[tuple[str, Definition]] = []
        self.game = Context(self.fill, game)
        self._space: dict[str, Any] = {
            "game": self.game,
            "Compound": Compound,
            "none": (),
            "STRIDE": STRIDE,
        }

    # What the back end asks for ----------------------------------------------------------

    def fill(self, slot: int, context: Context) -> Any:  # noqa: ANN401  # see `Context`
        """Return what belongs into a slot of a context."""
        return self._fillers[slot](context)

    def asker(self, predicate: Predicate, modes: Modes) -> Callable[[Context, Packed], Any]:
        """Return the function that answers: ``(context of the predicate's level, key)``.

        Raises:
            UnboundVariableError: A rule cannot bind a variable that is asked for.
        """
        ask = self._looker(predicate, modes) if self.is_table(predicate) else None
        if ask is None:
            ask = self._solver(self.demand(predicate, modes))
        self.make()
        below = foundations(predicate, self._whole)
        if not below:
            return ask
        first = [(p.level, self._solver(self.demand(p, FREE * p.arity))) for p in below]

        def ask_from_the_ground(context: Context, key: Packed) -> Any:  # noqa: ANN401  # see `Answers`
            for level, ask_below in first:
                ask_below(self.context(context, level), ())
            return ask(context, key)

        return ask_from_the_ground

    def _looker(self, predicate: Predicate, modes: Modes) -> Callable[[Context, Packed], Any]:
        slot = self.index(predicate, modes)
        if FREE in modes:
            return lambda context, key: context[slot].get(key, ())
        return lambda context, key: key in context[slot]

    def _solver(self, demand: Demand) -> Callable[[Context, Packed], Any]:
        solve = demand.solver()
        slot = demand.slot

        def ask(context: Context, key: Packed) -> Any:  # noqa: ANN401  # see `Answers`
            known = context[slot].get(key)
            return solve(context, key) if known is None else known

        return ask

    def context(self, context: Context, level: Level) -> Context:
        """Return the context of a level, given one of that level or of a higher one."""
        if level is Level.GAME:
            return self.game
        return context if level is Level.MOVES or context.below is None else context.below

    def is_table(self, predicate: Predicate) -> bool:
        """Return whether a predicate is looked up in an index, not evaluated for each question."""
        return predicate.kind is not Kind.RULES or predicate in self._whole

    def demands(self, predicate: Predicate) -> Iterator[Demand]:
        """Yield every way in which a predicate has been asked."""
        for (asked, _), demand in self._demands.items():
            if asked is predicate:
                yield demand

    def make(self) -> None:
        """Write, compile and load the functions of every demand that has none yet."""
        while self._unmade:
            demand = self._unmade.pop()
            names = [
                self._clause(demand, number, definition)
                for number, definition in enumerate(demand.predicate.definitions)
            ]
            text = "\n\n".join(self._unrun)
            self._unrun.clear()
            self.texts.append(text)
            exec(compile(text, f"<rules of {demand.predicate}>", "exec"), self._space)  # noqa: S102  # our own text, in which names of the rules do not occur
            for name, definition in self._functions:
                self._space[name].definition = definition
            self._functions.clear()
            demand.clauses = tuple(self._space[name] for name in names)

    # What writers ask for ----------------------------------------------------------------

    def demand(self, predicate: Predicate, modes: Modes) -> Demand:
        """Return the demand; its functions are made by `make`."""
        if predicate.is_recursive:
            modes = modes.replace(EXISTS, FREE)
        known = self._demands.get((predicate, modes))
        if known is None:
            known = Demand(predicate, modes, self._slot(lambda _: {}))
            self._demands[predicate, modes] = known
            self._unmade.append(known)
            self._space[f"demand_{known.slot}"] = known
            self._space[f"solve_{known.slot}"] = known.solver()
        return known

    def index(self, predicate: Predicate, modes: Modes) -> int:
        """Return the slot of an index over rows that come from outside."""
        if (predicate, modes) not in self._indexes:
            if predicate in self._whole:
                ask = self._solver(self.demand(predicate, FREE * predicate.arity))
                filler = _filler_from_answers(predicate, modes, ask)
            else:
                filler = _filler(predicate, modes)
            self._indexes[predicate, modes] = self._slot(filler)
        return self._indexes[predicate, modes]

    def unique(self, predicate: Predicate, modes: Modes) -> str | None:
        """Return the name of an index of facts with one value a key, None if there is none."""
        if predicate.kind is not Kind.FACTS or FREE not in modes:
            return None
        found = unique_index(predicate.rows, modes)
        if found is None:
            return None
        name = f"unique_{self.index(predicate, modes)}"
        self._space[name] = found
        return name

    def constant(self, term: Term) -> str:
        """Return the name of a ground term."""
        if term not in self._constants:
            name = f"term_{len(self._constants)}"
            self._constants[term] = name
            self._space[name] = term
        return self._constants[term]

    def builder(self, made: Signature, definition: Definition) -> tuple[str, str]:
        """Return the names of the mapping of terms built, and of the function that adds one."""
        if made not in self._builders:
            name = f"built_{len(self._builders)}"
            self._builders[made] = name
            self._space[name] = {}
        name = self._builders[made]
        add = f"{name}_{self.object('definition', definition)}"
        if add not in self._space:
            self._space[add] = _term_builder(made.name, self._space[name], definition, self.limits)
        return name, add

    def object(self, kind: str, value: object) -> str:
        """Return a name for any object."""
        if id(value) not in self._names:
            name = f"{kind}_{len(self._names)}"
            self._names[id(value)] = name
            self._space[name] = value  # which keeps it alive, so that its id stays its own
        return self._names[id(value)]

    def add_function(self, name: str, text: str, definition: Definition) -> None:
        """Take a finished function."""
        self._unrun.append(text)
        self._functions.append((name, definition))

    def _slot(self, filler: Callable[[Context], Any]) -> int:
        self._fillers.append(filler)
        return len(self._fillers) - 1

    def _clause(self, demand: Demand, number: int, definition: Definition) -> str:
        predicate = demand.predicate
        self.game.watch.look(definition)
        component = predicate.component if predicate.is_recursive else -1
        plan = self.planner.plan(definition, demand.modes, component)
        rule = _Rule(self, plan, predicate.level, component, f"rule_{demand.slot}_{number}")
        return rule.write(is_recursive=predicate.is_recursive)


def _filler(predicate: Predicate, modes: Modes) -> Callable[[Context], Any]:
    if predicate.kind is Kind.FACTS:
        return lambda _: index(predicate.rows, modes)
    functor = predicate.functor
    return lambda context: index(context.rows.get(functor, ()), modes)


def _filler_from_answers(
    predicate: Predicate, modes: Modes, ask: Callable[[Context, Packed], Any]
) -> Callable[[Context], Any]:
    def fill(context: Context) -> Any:  # noqa: ANN401  # see `index`
        answers = ask(context, ())
        match predicate.arity:
            case 0:
                return index([()] if answers else [], modes)
            case 1:
                return index([(answer,) for answer in answers], modes)
            case _:
                return index(answers, modes)

    return fill


def _term_builder(
    name: str, built: dict[Row, Term], definition: Definition, limits: Limits
) -> Callable[[Row], Term]:
    def build(args: Row) -> Term:
        term = Compound(name, args)
        if term.depth > limits.term_depth:
            raise too_deep(definition, term, limits)
        if len(built) >= MAX_TERMS:
            built.clear()
        built[args] = term
        return term

    return build


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a function is given besides variables, and what it does when all steps are met."""

    params: str
    success: str
    otherwise: str
    """How it gives up."""
    call: str
    """How a function of this shape is continued in another one."""
    prologue: str | None = None


class _Rule:
    """Writes the functions of one definition, asked in one way."""

    def __init__(
        self, emitter: Emitter, plan: Plan, level: Level, component: int, name: str
    ) -> None:
        self.emitter = emitter
        self.plan = plan
        self.level = level
        self.component = component
        self.name = name
        self.context = CONTEXTS[level]
        self.definition = plan.definition
        found = [v for term in self.definition.head for v in variables(term)]
        for condition in self.definition.body:
            terms = (
                condition.args if isinstance(condition, Call) else (condition.left, condition.right)
            )
            found += [v for term in terms for v in variables(term)]
        self.names: Names = {v: f"v{i}" for i, v in enumerate(dict.fromkeys(found))}
        self.functions = 0

    def write(self, *, is_recursive: bool) -> str:
        """Write all functions, and return the name of the first."""
        wanted = [
            t for t, m in zip(self.definition.head, self.plan.modes, strict=True) if m == FREE
        ]
        given = [
            t for t, m in zip(self.definition.head, self.plan.modes, strict=True) if m == BOUND
        ]
        if is_recursive:
            shape = _Shape(
                params="run, table",
                success="table.add({row})",
                otherwise="return",
                call="{name}(run, table{args})",
                prologue=f"{self.context} = run.context",
            )
        elif wanted:
            shape = _Shape(
                params=f"{self.context}, found",
                success="found[{row}] = None",
                otherwise="return",
                call=f"{{name}}({self.context}, found{{args}})",
            )
        else:
            shape = self.test_shape()
        writer = _Writer(self, shape, self.new_name(), set(), wanted)
        writer.params.append("key")
        targets, checks = writer.match(given)
        if targets:
            writer.line(f"{', '.join(targets)} = key")
        writer.check(checks)
        if is_recursive and not wanted:
            writer.line("if table.rows: return")
        writer.steps(self.plan.steps)
        return writer.finish()

    def test_shape(self) -> _Shape:
        """Return the shape of a test."""
        return _Shape(
            params=self.context,
            success="return True",
            otherwise="return False",
            call=f"if {{name}}({self.context}{{args}}): return True",
        )

    def new_name(self) -> str:
        """Return the name of the next function."""
        self.functions += 1
        return f"{self.name}_{self.functions}"


@dataclass(eq=False)
class _Writer:
    """Writes one function."""

    rule: _Rule
    shape: _Shape
    name: str
    bound: set[Variable]
    wanted: Sequence[Term]
    params: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)
    loops: int = 0
    temporaries: int = 0
    counts: bool = False

    # Text --------------------------------------------------------------------------------

    def indent(self) -> str:
        return "    " * (self.loops + 1)

    def line(self, text: str) -> None:
        self.lines.append(self.indent() + text)

    def fail_unless(self, condition: str) -> None:
        self.line(f"if not ({condition}): {self.give_up}")

    def fail_if(self, condition: str) -> None:
        self.line(f"if {condition}: {self.give_up}")

    @property
    def give_up(self) -> str:
        return "continue" if self.loops else self.shape.otherwise

    def temporary(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries}"

    def finish(self) -> str:
        """Hand the function over."""
        params = ", ".join([self.shape.params, *self.params])
        head = [f"def {self.name}({params}):"]
        if self.shape.prologue:
            head.append(f"    {self.shape.prologue}")
        context = self.rule.context
        tables = list(self.tables.items())
        if any(source.startswith("state[") for source, _ in tables) and context == "moves":
            head.append("    state = moves.below")
        head += [f"    {name} = {source}" for source, name in tables]
        if self.counts:
            head.append("    ticks = STRIDE")
        tail = [] if self.shape.otherwise == "return" else [f"    {self.shape.otherwise}"]
        text = "\n".join([*head, *self.lines, *tail])
        self.rule.emitter.add_function(self.name, text, self.rule.definition)
        return self.name

    # Terms -------------------------------------------------------------------------------

    def expression(self, term: Term) -> str:
        """Return the text of a term whose variables are bound; writes lines that build it.

        Source: ours; a stack of its own, so that no term is too deep.
        """
        values: list[str] = []
        work: list[tuple[Term, bool]] = [(term, False)]
        while work:
            inner, are_args_done = work.pop()
            if isinstance(inner, Variable):
                values.append(self.rule.names[inner])
            elif inner.is_ground or isinstance(inner, Constant):
                values.append(self.rule.emitter.constant(inner))
            elif are_args_done:
                first = len(values) - len(inner.args)
                values[first:] = [self.built(signature(inner), values[first:])]
            else:
                work.append((inner, True))
                work += [(arg, False) for arg in reversed(inner.args)]
        (text,) = values
        return text

    def built(self, made: Signature, args: Sequence[str]) -> str:
        """Write the line that builds a compound; return its name."""
        terms, build = self.rule.emitter.builder(made, self.rule.definition)
        name = self.temporary()
        row = f"({', '.join(args)},)"
        self.line(f"{name} = {terms}.get({row}) or {build}({row})")
        return name

    def pack(self, terms: Iterable[Term]) -> str:
        """Return the text of packed terms."""
        parts = [self.expression(term) for term in terms]
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def match(self, terms: Sequence[Term]) -> tuple[list[str], list[tuple[Term, str]]]:
        """Bind variables to the values of a row.

        Returns:
            Names to unpack the row into, and for `check` the terms that are no new variables,
            each with the name of its value.
        """
        targets: list[str] = []
        unchecked: list[tuple[Term, str]] = []
        for term in terms:
            if isinstance(term, Variable) and term not in self.bound:
                self.bound.add(term)
                targets.append(self.rule.names[term])
            else:
                name = self.temporary()
                targets.append(name)
                unchecked.append((term, name))
        return targets, unchecked

    def check(self, unchecked: Sequence[tuple[Term, str]]) -> None:
        """Give up unless the value of each name is an instance of its term."""
        work = list(reversed(unchecked))
        while work:
            term, name = work.pop()
            if term.is_ground or isinstance(term, Variable):
                self.fail_if(f"{name} is not {self.expression(term)}")
                continue
            assert isinstance(term, Compound)
            functor = self.rule.emitter.object("name", term.name)
            self.fail_if(f"{name}.__class__ is not Compound or {name}.name != {functor}")
            targets, inner = self.match(term.args)
            self.fail_if(f"len({name}.args) != {len(term.args)}")
            self.line(f"{', '.join(targets)}, = {name}.args")
            work += reversed(inner)

    # Steps -------------------------------------------------------------------------------

    def steps(self, steps: Sequence[Step]) -> None:
        """Write the steps and what happens when they are met."""
        for number, step in enumerate(steps):
            rest = steps[number:]
            if self.loops >= MAX_LOOPS:
                self.continue_elsewhere(rest)
                return
            match step:
                case Differ():
                    self.differ(step)
                case Exists():
                    self.exists(step)
                case Lookup():
                    if self.is_recursive(step):
                        self.wait(step, steps[number + 1 :])
                        return
                    self.lookup(step)
        row = self.pack(self.wanted)
        self.line(self.shape.success.format(row=row))

    def is_recursive(self, step: Lookup) -> bool:
        return step.call.predicate.component == self.rule.component

    def differ(self, step: Differ) -> None:
        unbound = [
            v for term in (step.left, step.right) for v in variables(term) if v not in self.bound
        ]
        if unbound:
            if step.left is step.right:
                self.line(self.give_up)
            return  # a variable that nothing binds is a term like no other
        self.fail_if(f"{self.expression(step.left)} is {self.expression(step.right)}")

    def exists(self, step: Exists) -> None:
        if len(step.steps) == 1 and isinstance(step.steps[0], Lookup):
            lookup = step.steps[0]
            if FREE not in lookup.modes and not self.is_recursive(lookup):
                self.test(lookup, is_negative=step.is_negative)
                return
        writer = _Writer(
            self.rule, self.rule.test_shape(), self.rule.new_name(), set(self.bound), ()
        )
        used = self.used(step.steps)
        writer.params = used
        writer.steps(step.steps)
        name = writer.finish()
        self.count()
        call = f"{name}({', '.join([self.rule.context, *used])})"
        if step.is_negative:
            self.fail_if(call)
        else:
            self.fail_unless(call)

    def used(self, steps: Iterable[Step], *more: Term) -> list[str]:
        """Return the names of bound variables that steps and terms use."""
        found = {v for term in more for v in variables(term)}
        for step in steps:
            found |= _step_variables(step)
        return [name for v, name in self.rule.names.items() if v in found and v in self.bound]

    def continue_elsewhere(self, steps: Sequence[Step]) -> None:
        used = self.used(steps, *self.wanted)
        writer = _Writer(
            self.rule, self.shape, self.rule.new_name(), set(self.bound), self.wanted, list(used)
        )
        writer.steps(steps)
        name = writer.finish()
        self.count()
        args = "".join(f", {arg}" for arg in used)
        self.line(self.shape.call.format(name=name, args=args))

    # Lookups -----------------------------------------------------------------------------

    def table(self, slot: int, level: Level) -> str:
        """Return the local name of a table."""
        source = f"{CONTEXTS[level]}[{slot}]"
        return self.tables.setdefault(source, f"table_{slot}")

    def key(self, lookup: Lookup) -> str:
        call = lookup.call
        return self.pack(
            [term for term, mode in zip(call.args, lookup.modes, strict=True) if mode == BOUND]
        )

    def answers(self, lookup: Lookup) -> str:
        """Write the question to a predicate with rules; return the name of its answers."""
        predicate = lookup.call.predicate
        demand = self.rule.emitter.demand(predicate, lookup.modes)
        table = self.table(demand.slot, predicate.level)
        key = self.key(lookup)
        name = self.temporary()
        self.line(f"{name} = {table}.get({key})")
        context = CONTEXTS[predicate.level]
        if context == "state" and self.rule.context == "moves":
            context = "moves.below"
        self.line(f"if {name} is None: {name} = solve_{demand.slot}({context}, {key})")
        return name

    def test(self, lookup: Lookup, *, is_negative: bool) -> None:
        """Write a lookup without free arguments."""
        predicate = lookup.call.predicate
        if not self.rule.emitter.is_table(predicate):
            answers = self.answers(lookup)
            self.fail_if(answers if is_negative else f"not {answers}")
            return
        slot = self.rule.emitter.index(predicate, lookup.modes)
        table = self.table(slot, predicate.level)
        self.fail_if(f"{self.key(lookup)} {'in' if is_negative else 'not in'} {table}")

    def lookup(self, lookup: Lookup) -> None:
        """Write a positive lookup: a test, the one value there can be, or a loop."""
        if FREE not in lookup.modes:
            self.test(lookup, is_negative=False)
            return
        predicate = lookup.call.predicate
        is_table = self.rule.emitter.is_table(predicate)
        key = self.key(lookup) if is_table else ""
        unique = self.rule.emitter.unique(predicate, lookup.modes)
        rows = ""
        if not is_table:
            rows = self.answers(lookup)
        elif unique is None:
            slot = self.rule.emitter.index(predicate, lookup.modes)
            rows = f"{self.table(slot, predicate.level)}.get({key}, none)"
        free = [t for t, mode in zip(lookup.call.args, lookup.modes, strict=True) if mode == FREE]
        targets, checks = self.match(free)
        packed = ", ".join(targets)
        if unique is None:
            self.count()
            self.line(f"for {packed} in {rows}:")
            self.loops += 1
        else:
            value = self.temporary()
            self.line(f"{value} = {unique}.get({key})")
            self.fail_if(f"{value} is None")
            self.line(f"{packed} = {value}")
        self.check(checks)

    def wait(self, lookup: Lookup, rest: Sequence[Step]) -> None:
        """Write a question to the own recursion, and the function that proceeds with an answer."""
        call = lookup.call
        demand = self.rule.emitter.demand(call.predicate, lookup.modes)
        key = self.key(lookup)
        free = [t for t, mode in zip(call.args, demand.modes, strict=True) if mode == FREE]
        used = self.used(rest, *self.wanted, *free)
        shape = _Shape(
            params="run, known",
            success=self.shape.success,
            otherwise="return",
            call=self.shape.call,
            prologue=self.shape.prologue,
        )
        writer = _Writer(
            self.rule, shape, self.rule.new_name(), set(self.bound), self.wanted, ["answer"]
        )
        writer.line(f"{', '.join(['table', *used])}, = known")
        if not self.wanted:
            writer.line("if table.rows: return")
        targets, checks = writer.match(free)
        if targets:
            writer.line(f"{', '.join(targets)} = answer")
        writer.check(checks)
        writer.steps(rest)
        name = writer.finish()
        known = f"({', '.join(['table', *used])},)"
        self.count()
        self.line(f"run.ask(demand_{demand.slot}, {key}, {name}, {known})")

    def count(self) -> None:
        """Within a loop, look at the clock now and then."""
        if not self.loops:
            return
        self.counts = True
        definition = self.rule.emitter.object("definition", self.rule.definition)
        found = ", len(found)" if "found" in self.shape.params else ""
        self.line("ticks -= 1")
        self.line(f"if not ticks: ticks = {self.rule.context}.watch.tick({definition}{found})")


def _step_variables(step: Step) -> set[Variable]:
    match step:
        case Lookup(call, _):
            return {v for term in call.args for v in variables(term)}
        case Differ(left, right):
            return {*variables(left), *variables(right)}
        case Exists(steps):
            return {v for inner in steps for v in _step_variables(inner)}
