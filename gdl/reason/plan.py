"""In which order the conditions of a rule are met, and what is known when each is.

In: a definition, and which arguments of its head the asker gives. Out: steps. A step either
binds variables (`Lookup`), or only tests. Conditions that share no unbound variable with the
head or with the rest are a test of their own (`Exists`): one way to meet them is enough.

The order has no meaning, only a price: cheapest first, by estimate. Negated conditions and
``distinct`` wait until each of their variables is bound, as far as any literal can bind it.

Source: Ullman, "Principles of Database and Knowledge-Base Systems" II, 1989, sections 12.1
(binding patterns) and 12.8 (greedy order of subgoals).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, TypeAlias

from gdl.language.syntax import Compound, Term, Variable, variables
from gdl.reason.estimates import Estimate
from gdl.reason.program import (
    Call,
    Condition,
    Definition,
    Differ,
    Kind,
    Predicate,
    condition_variables,
)

BOUND: Final = "b"
"""The asker gives this argument."""
FREE: Final = "f"
"""The asker wants its values."""
EXISTS: Final = "e"
"""The asker only wants to know that there is one."""

Modes: TypeAlias = str
"""One letter an argument."""

CALL_PRICE: Final = 0.6
"""What it costs to evaluate a rule in place of looking up a fact, in rows."""
RECURSION_PRICE: Final = 2.0
WIDENING_PRICE: Final = 1000.0
"""What it costs to ask the own recursion for more arguments than one was asked for."""
TEST_PRICE: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Ask a predicate; every answer binds the free arguments."""

    call: Call
    modes: Modes


@dataclass(frozen=True, slots=True, eq=False)
class Exists:
    """Test that the steps can be met in some way, or if negative, in none."""

    steps: tuple[Step, ...]
    is_negative: bool = False


Step: TypeAlias = Lookup | Exists | Differ
"""A negative `Lookup` does not occur: absence is a negative `Exists`."""

Choice: TypeAlias = Condition | list[Condition]
"""What may come next: a condition, or several that are a test of their own."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How to evaluate a definition.

    Attributes:
        definition: What it is a plan of.
        modes: Which arguments of the head are given, wanted, or do not matter.
        steps: In order.
    """

    definition: Definition
    modes: Modes
    steps: tuple[Step, ...]


class UnboundVariableError(Exception):
    """No condition binds a variable that the asker wants."""

    def __init__(self, definition: Definition, variable: Variable) -> None:
        """Keep the two."""
        super().__init__(str(variable))
        self.definition = definition
        self.variable = variable


class Planner:
    """Makes plans; knows the sizes of predicates and which arguments they cannot bind."""

    def __init__(
        self,
        estimates: Mapping[Predicate, Estimate],
        unbindable: Mapping[Predicate, AbstractSet[int]],
    ) -> None:
        """Make plans that avoid to ask for the ``unbindable`` arguments."""
        self._estimates = estimates
        self._unbindable = unbindable

    def plan(self, definition: Definition, modes: Modes, component: int) -> Plan:
        """Return a plan.

        Args:
            definition: What to evaluate.
            modes: How it is asked.
            component: Predicates of this component are asked as a whole (recursion), -1 for none.

        Raises:
            UnboundVariableError: A variable that is wanted cannot be bound.
        """
        given = {
            variable
            for term, mode in zip(definition.head, modes, strict=True)
            if mode == BOUND
            for variable in variables(term)
        }
        wanted = {
            variable
            for term, mode in zip(definition.head, modes, strict=True)
            if mode == FREE
            for variable in variables(term)
        }
        order = _Order(self, definition, component, modes.count(FREE))
        steps = order.steps(list(definition.body), given, wanted)
        unbound = [v for term in definition.head for v in variables(term)]
        for variable in unbound:
            if variable in wanted and variable not in order.bound:
                raise UnboundVariableError(definition, variable)
        return Plan(definition, modes, steps)

    def can_bind(self, call: Call, modes: Modes) -> bool:
        """Return whether a predicate can be asked so."""
        return all(modes[index] != FREE for index in self._unbindable.get(call.predicate, ()))

    def price(self, call: Call, modes: Modes) -> float:
        """Return how many rows a lookup gives, and what it costs to get them."""
        estimate = self._estimates[call.predicate]
        bound = [index for index, mode in enumerate(modes) if mode == BOUND]
        free = [index for index, mode in enumerate(modes) if mode == FREE]
        rows = estimate.matches(bound, free)
        if call.predicate.kind is not Kind.RULES:
            return rows
        return rows + (RECURSION_PRICE if call.predicate.is_recursive else CALL_PRICE)


class _Order:
    """The greedy choice of what comes next, for one definition."""

    def __init__(self, planner: Planner, definition: Definition, component: int, free: int) -> None:
        self._free = free
        self._planner = planner
        self._definition = definition
        self._component = component
        self.bound: set[Variable] = set()

    def steps(
        self,
        remaining: list[Condition],
        given: AbstractSet[Variable],
        wanted: AbstractSet[Variable],
    ) -> tuple[Step, ...]:
        self.bound = set(given)
        found: list[Step] = []
        while remaining:
            remaining, tests = self._split_off(remaining, wanted)
            choices: list[tuple[float, Choice]] = [
                (self._price_of_test(test), test) for test in tests
            ]
            choices += self._choices(remaining, wanted)
            if not choices:
                raise UnboundVariableError(self._definition, self._stuck(remaining))
            # Tests that were split off stay together; they go back when another choice is better.
            _, best = min(choices, key=lambda choice: choice[0])
            for test in tests:
                if test is not best:
                    remaining = [c for c in self._definition.body if c in remaining or c in test]
            if isinstance(best, list):
                found.append(self._test(best))
            else:
                remaining.remove(best)
                found.append(self._taken(best, remaining, wanted))
        return tuple(found)

    def _stuck(self, remaining: Iterable[Condition]) -> Variable:
        for condition in remaining:
            for variable in sorted(condition_variables(condition), key=str):
                if variable not in self.bound:
                    return variable
        raise AssertionError("a condition without unbound variables can be met")

    # Choosing ----------------------------------------------------------------------------

    def _choices(
        self, remaining: list[Condition], wanted: AbstractSet[Variable]
    ) -> list[tuple[float, Choice]]:
        bindable = _positive_variables(remaining) - self.bound
        choices: list[tuple[float, Choice]] = []
        for condition in remaining:
            open_variables = condition_variables(condition) - self.bound
            if isinstance(condition, Differ):
                if not open_variables & bindable:
                    choices.append((0.0, condition))
            elif condition.is_negative:
                if not open_variables & bindable:
                    choices.append((TEST_PRICE + self._call_price(condition), condition))
            else:
                modes = self._modes(condition, _needed(remaining, condition, wanted))
                if self._planner.can_bind(condition, modes):
                    price = self._planner.price(condition, modes)
                    if self._widens(condition, modes):
                        price += WIDENING_PRICE
                    choices.append((price, condition))
        return choices

    def _widens(self, call: Call, modes: Modes) -> bool:
        is_own = call.predicate.component == self._component
        return is_own and modes.count(FREE) > self._free

    def _call_price(self, call: Call) -> float:
        return CALL_PRICE if call.predicate.kind is Kind.RULES else 0.0

    def _price_of_test(self, conditions: list[Condition]) -> float:
        prices = [price for price, _ in self._choices(conditions, frozenset())]
        return min(1.0, min(prices, default=1.0)) + 0.1 * len(conditions)

    def _modes(self, call: Call, needed: AbstractSet[Variable]) -> Modes:
        occurrences = [v for term in call.args for v in variables(term) if v not in self.bound]
        modes = []
        for term in call.args:
            if self._is_bound(term):
                modes.append(BOUND)
            elif (
                isinstance(term, Variable)
                and term not in needed
                and occurrences.count(term) == 1
                and not call.predicate.is_recursive
            ):
                modes.append(EXISTS)
            else:
                modes.append(FREE)
        return "".join(modes)

    def _is_bound(self, term: Term) -> bool:
        return term.is_ground or all(variable in self.bound for variable in variables(term))

    # Tests of their own ------------------------------------------------------------------

    def _split_off(
        self, remaining: list[Condition], wanted: AbstractSet[Variable]
    ) -> tuple[list[Condition], list[list[Condition]]]:
        """Return what binds wanted variables, and groups of conditions that are mere tests."""
        kept: list[Condition] = []
        tests: list[list[Condition]] = []
        for group in _connected(remaining, self.bound):
            open_variables = {v for c in group for v in condition_variables(c)} - self.bound
            is_all = not wanted and len(group) == len(remaining)
            if len(group) == 1 or is_all or open_variables & wanted or self._recurs(group):
                kept += group
            else:
                tests.append(group)
        return [c for c in remaining if c in kept], tests

    def _recurs(self, group: Collection[Condition]) -> bool:
        return any(isinstance(c, Call) and c.predicate.component == self._component for c in group)

    def _test(self, group: list[Condition]) -> Exists:
        inner = _Order(self._planner, self._definition, self._component, self._free)
        return Exists(inner.steps(list(group), self.bound, frozenset()))

    # Taking ------------------------------------------------------------------------------

    def _taken(
        self, condition: Condition, remaining: Sequence[Condition], wanted: AbstractSet[Variable]
    ) -> Step:
        if isinstance(condition, Differ):
            return condition
        if condition.is_negative:
            positive = Call(condition.predicate, condition.args, literal=condition.literal)
            modes = self._modes(positive, frozenset())
            return Exists((Lookup(positive, modes),), is_negative=True)
        modes = self._modes(condition, _needed(remaining, condition, wanted))
        self.bound |= condition_variables(condition)
        return Lookup(condition, modes)


def _needed(
    remaining: Iterable[Condition], condition: Condition, wanted: AbstractSet[Variable]
) -> set[Variable]:
    """Return the variables that something other than the condition needs."""
    needed = set(wanted)
    for other in remaining:
        if other is not condition:
            needed |= condition_variables(other)
    return needed


def _positive_variables(conditions: Iterable[Condition]) -> set[Variable]:
    found: set[Variable] = set()
    for condition in conditions:
        if isinstance(condition, Call) and not condition.is_negative:
            found |= condition_variables(condition)
    return found


def _connected(
    conditions: Iterable[Condition], bound: AbstractSet[Variable]
) -> list[list[Condition]]:
    """Return groups of conditions that share unbound variables, in order."""
    groups: list[tuple[set[Variable], list[Condition]]] = []
    for condition in conditions:
        open_variables = condition_variables(condition) - bound
        members = [condition]
        for group in [g for g in groups if g[0] & open_variables]:
            groups.remove(group)
            open_variables |= group[0]
            members = group[1] + members
        groups.append((open_variables, members))
    return [members for _, members in groups]


def unbindable(predicates: Iterable[Predicate]) -> dict[Predicate, set[int]]:
    """Return for each predicate the arguments that its definitions do not always bind.

    They must be given by the asker. Least fixpoint. Cost O(literals * passes).
    """
    predicates = [p for p in predicates if p.kind is Kind.RULES]
    found: dict[Predicate, set[int]] = {predicate: set() for predicate in predicates}
    changed = True
    while changed:
        changed = False
        for predicate in predicates:
            for definition in predicate.definitions:
                bound = _bound_by(definition, found)
                open_places = {
                    index
                    for index, term in enumerate(definition.head)
                    if not term.is_ground and not set(variables(term)) <= bound
                }
                if not open_places <= found[predicate]:
                    found[predicate] |= open_places
                    changed = True
    return {predicate: places for predicate, places in found.items() if places}


def _bound_by(definition: Definition, found: Mapping[Predicate, AbstractSet[int]]) -> set[Variable]:
    bound: set[Variable] = set()
    for condition in definition.body:
        if isinstance(condition, Call) and not condition.is_negative:
            places = found.get(condition.predicate, frozenset())
            for index, term in enumerate(condition.args):
                if index not in places:
                    bound |= set(variables(term))
    return bound


def is_compound_pattern(term: Term) -> bool:
    """Return whether a term must be taken apart to be matched."""
    return isinstance(term, Compound) and not term.is_ground
