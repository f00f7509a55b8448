"""Plans to Python functions: one nest of loops for each rule and each way to ask it.

In: a predicate and how it is asked. Out: a function that answers. A literal that asks facts, the
state or the moves becomes a lookup in an index; one that asks other rules, a lookup in a table
of answers that is filled on demand; one that asks a rule of the same recursion ends the function,
and another one proceeds with each answer. The text of every function can be read: `Emitter.text`.

Source: Neumann, "Efficiently Compiling Efficient Query Plans for Modern Hardware", 2011 (loops in
place of an interpreter of plans); the target is Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from gdl.language.limits import Limits
from gdl.language.syntax import Compound, Constant, Signature, Term, Variable, signature, variables
from gdl.reason.plan import (
    BOUND,
    EXISTS,
    FREE,
    Exists,
    Lookup,
    Modes,
    Plan,
    Planner,
    Step,
)
from gdl.reason.program import Call, Definition, Differ, Kind, Level, Predicate
from gdl.reason.tables import Context, Demand, Packed, Row, index, unique_index
from gdl.reason.watch import STRIDE, too_deep

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
        game: The context of what never changes.
    """

    def __init__(self, planner: Planner, limits: Limits) -> None:
        """Begin with no function made."""
        self.texts: list[str] = []
        self._planner = planner
        self.limits = limits
        self._fillers: list[Callable[[Context], Any]] = []
        self._demands: dict[tuple[Predicate, Modes], Demand] = {}
        self._indexes: dict[tuple[Predicate, Modes], int] = {}
        self._unmade: list[Demand] = []
        self._unrun: list[str] = []
        self._constants: dict[Term, str] = {}
        self._builders: dict[Signature, str] = {}
        self._functions: list[tuple[str, Definition]] = []
        self.game = Context(self.fill, limits)
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
        if predicate.kind is not Kind.RULES:
            slot = self.index(predicate, modes)
            if FREE in modes:
                return lambda context, key: context[slot].get(key, ())
            return lambda context, key: key in context[slot]
        demand = self.demand(predicate, modes)
        self.make()
        solve = demand.solver()
        slot = demand.slot

        def ask(context: Context, key: Packed) -> Any:  # noqa: ANN401  # see `Answers`
            known = context[slot].get(key)
            return solve(context, key) if known is None else known

        return ask

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
            self._indexes[predicate, modes] = self._slot(_filler(predicate, modes))
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
        name = f"{kind}_{id(value)}"
        self._space[name] = value
        return name

    def add_function(self, name: str, text: str, definition: Definition) -> None:
        """Take a finished function."""
        self._unrun.append(text)
        self._functions.append((name, definition))

    def _slot(self, filler: Callable[[Context], Any]) -> int:
        self._fillers.append(filler)
        return len(self._fillers) - 1

    def _clause(self, demand: Demand, number: int, definition: Definition) -> str:
        predicate = demand.predicate
        component = predicate.component if predicate.is_recursive else -1
        plan = self._planner.plan(definition, demand.modes, component)
        rule = _Rule(self, plan, predicate.level, component, f"rule_{demand.slot}_{number}")
        return rule.write(is_recursive=predicate.is_recursive)


def _filler(predicate: Predicate, modes: Modes) -> Callable[[Context], Any]:
    if predicate.kind is Kind.FACTS:
        return lambda _: index(predicate.rows, modes)
    functor = predicate.functor
    return lambda context: index(context.rows.get(functor, ()), modes)


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
        writer.add_checks(checks)
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

    def add_checks(self, checks: Iterable[str]) -> None:
        """Write what `match` gave."""
        for check in checks:
            self.line(check.format(give_up=self.give_up))

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
        """Return the text of a term whose variables are bound."""
        if isinstance(term, Variable):
            return self.rule.names[term]
        if isinstance(term, Constant) or term.is_ground:
            return self.rule.emitter.constant(term)
        args = ", ".join(self.expression(arg) for arg in term.args)
        row = f"({args},)" if len(term.args) == 1 else f"({args})"
        built, build = self.rule.emitter.builder(signature(term), self.rule.definition)
        return f"({built}.get({row}) or {build}({row}))"

    def pack(self, terms: Iterable[Term]) -> str:
        """Return the text of packed terms."""
        parts = [self.expression(term) for term in terms]
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def match(self, terms: Sequence[Term]) -> tuple[list[str], list[str]]:
        """Return names to unpack a row into, and lines that check it; binds variables."""
        targets: list[str] = []
        checks: list[str] = []
        for term in terms:
            if isinstance(term, Variable) and term not in self.bound:
                self.bound.add(term)
                targets.append(self.rule.names[term])
            else:
                name = self.temporary()
                targets.append(name)
                checks += self.check(term, name)
        return targets, checks

    def check(self, term: Term, name: str) -> list[str]:
        """Return lines that give up unless the value of a name is an instance of a term."""
        if term.is_ground or isinstance(term, Variable):
            return [f"if {name} is not {self.expression(term)}: {{give_up}}"]
        assert isinstance(term, Compound)
        functor = self.rule.emitter.object("functor", signature(term))
        shape = (
            f"if {name}.__class__ is not Compound or {name}.name != {functor}.name "
            f"or len({name}.args) != {len(term.args)}: {{give_up}}"
        )
        targets, checks = self.match(term.args)
        unpack = f"{', '.join(targets)}, = {name}.args"
        return [shape, unpack, *checks]

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
        if predicate.kind is Kind.RULES:
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
        key = self.key(lookup) if predicate.kind is not Kind.RULES else ""
        unique = self.rule.emitter.unique(predicate, lookup.modes)
        rows = ""
        if predicate.kind is Kind.RULES:
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
        self.add_checks(checks)

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
        writer.add_checks(checks)
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
