"""The text of the functions that evaluate a rule: nests of loops in Python.

In: a plan. Out: one function or more. A literal that asks facts, the state or the moves becomes a
lookup in an index; one that asks other rules, a lookup in a table of answers, filled on demand;
one that asks the own recursion ends the function, and another one proceeds with each answer. In
the text no name of the rules occurs: constants stand in variables.

Source: Neumann, "Efficiently Compiling Efficient Query Plans for Modern Hardware", 2011 (loops in
place of an interpreter of plans); the target is Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.language.syntax import Term, Variable, variables
from gdl.reason.function_text import FunctionText, Names, Workshop
from gdl.reason.plan import BOUND, FREE, Exists, Lookup, Plan, Step
from gdl.reason.program import Differ, Level, condition_variables

MAX_LOOPS: Final = 12
"""Loops within each other in one function; Python allows 20 nested blocks."""
CONTEXTS: Final[Mapping[Level, str]] = {
    Level.GAME: "game",
    Level.STATE: "state",
    Level.MOVES: "moves",
}


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


class RuleWriter:
    """Writes the functions of one definition, asked in one way."""

    def __init__(
        self, workshop: Workshop, plan: Plan, level: Level, component: int, name: str
    ) -> None:
        """Name the variables.

        Args:
            workshop: Where finished functions go.
            plan: What to write.
            level: On what the definition's predicate depends.
            component: The recursion that it is part of, -1 for none.
            name: How the functions are called, but for a number.
        """
        self.workshop = workshop
        self.plan = plan
        self.level = level
        self.component = component
        self.name = name
        self.context = CONTEXTS[level]
        self.definition = plan.definition
        occurring = [v for term in self.definition.head for v in variables(term)]
        for condition in self.definition.body:
            occurring += [v for term in condition.terms for v in variables(term)]
        self.names: Names = {v: f"v{i}" for i, v in enumerate(dict.fromkeys(occurring))}
        self.functions = 0

    def write(self, *, is_recursive: bool) -> str:
        """Write all functions, and return the name of the first."""
        asked = list(zip(self.definition.head, self.plan.modes, strict=True))
        wanted = [term for term, mode in asked if mode == FREE]
        given = [term for term, mode in asked if mode == BOUND]
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
                params=f"{self.context}, rows",
                success="rows[{row}] = None",
                otherwise="return",
                call=f"{{name}}({self.context}, rows{{args}})",
            )
        else:
            shape = self.test_shape()
        writer = _Writer(self, shape, (), wanted, [shape.params, "key"])
        targets, checks = writer.text.match(given)
        if targets:
            writer.text.line(f"{', '.join(targets)} = key")
        writer.text.check(checks)
        if is_recursive and not wanted:
            writer.text.line("if table.rows: return")
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


class _Writer:
    """Writes one function.

    Attributes:
        text: Its lines.
        wanted: Arguments of the head that are part of the answer.
    """

    def __init__(
        self,
        rule: RuleWriter,
        shape: _Shape,
        bound: Iterable[Variable],
        wanted: Sequence[Term],
        params: Sequence[str],
    ) -> None:
        self.rule = rule
        self.shape = shape
        self.name = rule.new_name()
        self.wanted = wanted
        self.text = FunctionText(
            rule.workshop, rule.definition, rule.names, set(bound), shape.otherwise
        )
        self._params = params
        self._tables: dict[str, str] = {}
        self._counts = False

    def finish(self) -> str:
        """Hand the function over."""
        head = [f"def {self.name}({', '.join(self._params)}):"]
        if self.shape.prologue:
            head.append(f"    {self.shape.prologue}")
        context = self.rule.context
        tables = list(self._tables.items())
        if any(source.startswith("state[") for source, _ in tables) and context == "moves":
            head.append("    state = moves.below")
        head += [f"    {name} = {source}" for source, name in tables]
        if self._counts:
            head.append("    ticks = STRIDE")
        tail = [] if self.shape.otherwise == "return" else [f"    {self.shape.otherwise}"]
        text = "\n".join([*head, *self.text.lines, *tail])
        self.rule.workshop.add_function(self.name, text, self.rule.definition)
        return self.name

    # Steps -------------------------------------------------------------------------------

    def steps(self, steps: Sequence[Step]) -> None:
        """Write the steps and what happens when they are met."""
        for number, step in enumerate(steps):
            remaining = steps[number:]
            # Python bounds how deep blocks nest: the rest becomes a function of its own.
            if self.text.loops >= MAX_LOOPS:
                self.continue_elsewhere(remaining)
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
        row = self.text.pack(self.wanted)
        self.text.line(self.shape.success.format(row=row))

    def is_recursive(self, step: Lookup) -> bool:
        return step.call.predicate.component == self.rule.component

    def differ(self, step: Differ) -> None:
        if condition_variables(step) - self.text.bound:
            if step.left is step.right:
                self.text.line(self.text.give_up)
            return  # a variable that nothing binds is a term like no other
        left, right = (
            self.text.expression(term, is_bounded=False) for term in (step.left, step.right)
        )
        self.text.fail_if(f"{left} is {right}")

    def exists(self, step: Exists) -> None:
        if len(step.steps) == 1 and isinstance(step.steps[0], Lookup):
            lookup = step.steps[0]
            if FREE not in lookup.modes and not self.is_recursive(lookup):
                self.test(lookup, is_negative=step.is_negative)
                return
        used = self.used(step.steps)
        shape = self.rule.test_shape()
        writer = _Writer(self.rule, shape, self.text.bound, (), [shape.params, *used])
        writer.steps(step.steps)
        name = writer.finish()
        self.count()
        call = f"{name}({', '.join([self.rule.context, *used])})"
        self.text.fail_if(call if step.is_negative else f"not {call}")

    def used(self, steps: Iterable[Step], *more: Term) -> list[str]:
        """Return the names of bound variables that steps and terms use."""
        occurring = {v for term in more for v in variables(term)}
        for step in steps:
            occurring |= _step_variables(step)
        return [
            name for v, name in self.rule.names.items() if v in occurring and v in self.text.bound
        ]

    def continue_elsewhere(self, steps: Sequence[Step]) -> None:
        used = self.used(steps, *self.wanted)
        params = [self.shape.params, *used]
        writer = _Writer(self.rule, self.shape, self.text.bound, self.wanted, params)
        writer.steps(steps)
        name = writer.finish()
        self.count()
        args = "".join(f", {arg}" for arg in used)
        self.text.line(self.shape.call.format(name=name, args=args))

    # Lookups -----------------------------------------------------------------------------

    def table(self, slot: int, level: Level) -> str:
        """Return the local name of a table."""
        source = f"{CONTEXTS[level]}[{slot}]"
        return self._tables.setdefault(source, f"table_{slot}")

    def key(self, lookup: Lookup) -> str:
        call = lookup.call
        return self.text.pack(
            [term for term, mode in zip(call.args, lookup.modes, strict=True) if mode == BOUND],
            is_bounded=self.is_recursive(lookup),
        )

    def answers(self, lookup: Lookup) -> str:
        """Write the question to a predicate with rules; return the name of its answers."""
        predicate = lookup.call.predicate
        demand = self.rule.workshop.demand(predicate, lookup.modes)
        table = self.table(demand.slot, predicate.level)
        key = self.key(lookup)
        name = self.text.temporary()
        self.text.line(f"{name} = {table}.get({key})")
        context = CONTEXTS[predicate.level]
        if context == "state" and self.rule.context == "moves":
            context = "moves.below"
        self.text.line(f"if {name} is None: {name} = solve_{demand.slot}({context}, {key})")
        return name

    def test(self, lookup: Lookup, *, is_negative: bool) -> None:
        """Write a lookup without free arguments."""
        predicate = lookup.call.predicate
        if not self.rule.workshop.is_table(predicate):
            answers = self.answers(lookup)
            self.text.fail_if(answers if is_negative else f"not {answers}")
            return
        slot = self.rule.workshop.index(predicate, lookup.modes)
        table = self.table(slot, predicate.level)
        self.text.fail_if(f"{self.key(lookup)} {'in' if is_negative else 'not in'} {table}")

    def lookup(self, lookup: Lookup) -> None:
        """Write a positive lookup: a test, the one value there can be, or a loop."""
        if FREE not in lookup.modes:
            self.test(lookup, is_negative=False)
            return
        predicate = lookup.call.predicate
        is_table = self.rule.workshop.is_table(predicate)
        key = self.key(lookup) if is_table else ""
        unique = self.rule.workshop.unique(predicate, lookup.modes)
        rows = ""
        if not is_table:
            rows = self.answers(lookup)
        elif unique is None:
            slot = self.rule.workshop.index(predicate, lookup.modes)
            rows = f"{self.table(slot, predicate.level)}.get({key}, none)"
        free = [t for t, mode in zip(lookup.call.args, lookup.modes, strict=True) if mode == FREE]
        targets, checks = self.text.match(free)
        packed = ", ".join(targets)
        if unique is None:
            self.count()
            self.text.loop(f"for {packed} in {rows}:")
        else:
            value = self.text.temporary()
            self.text.line(f"{value} = {unique}.get({key})")
            self.text.fail_if(f"{value} is None")
            self.text.line(f"{packed} = {value}")
        self.text.check(checks)

    def wait(self, lookup: Lookup, remaining: Sequence[Step]) -> None:
        """Write a question to the own recursion, and the function that proceeds with an answer."""
        # The function is cut in two at the own recursion (a continuation): the second half gets the
        # variables that it still needs, and is called once with each answer, now or later.
        call = lookup.call
        demand = self.rule.workshop.demand(call.predicate, lookup.modes)
        key = self.key(lookup)
        free = [t for t, mode in zip(call.args, demand.modes, strict=True) if mode == FREE]
        used = self.used(remaining, *self.wanted, *free)
        params = ["run, known", "answer"]
        writer = _Writer(self.rule, self.shape, self.text.bound, self.wanted, params)
        text = writer.text
        text.line(f"{', '.join(['table', *used])}, = known")
        if not self.wanted:
            text.line("if table.rows: return")
        targets, checks = text.match(free)
        if targets:
            text.line(f"{', '.join(targets)} = answer")
        text.check(checks)
        writer.steps(remaining)
        name = writer.finish()
        carried = f"({', '.join(['table', *used])},)"
        self.count()
        self.text.line(f"run.ask(demand_{demand.slot}, {key}, {name}, {carried})")

    def count(self) -> None:
        """Within a loop, look at the clock now and then."""
        if not self.text.loops:
            return
        self._counts = True
        definition = self.rule.workshop.object("definition", self.rule.definition)
        unsaved = ", len(rows)" if "rows" in self.shape.params else ""
        self.text.line("ticks -= 1")
        self.text.line(
            f"if not ticks: ticks = {self.rule.context}.meter.tick({definition}{unsaved})"
        )


def _step_variables(step: Step) -> set[Variable]:
    match step:
        case Lookup(call):
            return condition_variables(call)
        case Differ():
            return condition_variables(step)
        case Exists(steps):
            return {v for inner in steps for v in _step_variables(inner)}
