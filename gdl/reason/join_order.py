"""In which order the conditions of a rule are met.

In: a definition, and which arguments of its head the asker gives. Out: a plan. The order has no
meaning, only a price: cheapest first, by estimate. Conditions that share no unbound variable with
the head or with the rest become a test of their own (`Exists`): one way to meet them is enough.
Negated conditions and ``distinct`` wait until each of their variables is bound, as far as any
positive condition can bind it.

Source: Ullman, "Principles of Database and Knowledge-Base Systems" II, 1989, section 12.8
(greedy order of subgoals).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from gdl.language.syntax import Compound, Variable, variables
from gdl.reason.estimates import Estimate
from gdl.reason.plan import BOUND, EXISTS, FREE, Exists, Lookup, Modes, Plan, Step
from gdl.reason.program import (
    Call,
    Condition,
    Definition,
    Differ,
    Kind,
    Predicate,
    binds,
    condition_variables,
)
from gdl.reason.safety import Safety

CALL_PRICE: Final = 0.6
"""What it costs to evaluate a rule in place of looking up a fact, in rows."""
RECURSION_PRICE: Final = 2.0
WIDENING_PRICE: Final = 1000.0
"""What it costs to ask the own recursion for more arguments than one was asked for."""
NEGATION_PRICE: Final = 0.5
GROUP_PRICE: Final = 0.1
"""What each condition of a test adds to its price."""
MAX_NESTING: Final = 20
"""Tests within tests; deeper ones are met as part of the whole."""

Choice: TypeAlias = Condition | list[Condition]
"""What may come next: a condition, or several that are a test of their own."""


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
        safety: Safety,
        check_time: Callable[[Definition], None],
    ) -> None:
        """Make plans.

        Args:
            estimates: How large each predicate may be.
            safety: Says which questions can be answered.
            check_time: Called now and then; raises when planning takes too long.
        """
        self._estimates = estimates
        self._safety = safety
        self.check_time = check_time

    def plan(self, definition: Definition, modes: Modes, component: int) -> Plan:
        """Return a plan.

        Args:
            definition: What to evaluate.
            modes: How it is asked.
            component: Predicates of this component are not part of a test, -1 for none.

        Raises:
            UnboundVariableError: A variable that is wanted cannot be bound.
        """
        given = _head_variables(definition, modes, BOUND)
        wanted = _head_variables(definition, modes, FREE)
        order = _Order(self, definition, component, modes.count(FREE))
        steps = order.steps(list(definition.body), given, wanted)
        for variable in sorted(wanted - order.bound):
            raise UnboundVariableError(definition, variable)
        return Plan(definition, modes, steps)

    def can_bind(self, call: Call, modes: Modes) -> bool:
        """Return whether a predicate can be asked so."""
        return self._safety.can_bind(call.predicate, modes)

    def must_give(self, call: Call, place: int) -> bool:
        """Return whether some rule of a predicate leaves an argument to the asker."""
        return place in self._safety.open.get(call.predicate, ())

    def price(self, call: Call, modes: Modes) -> float:
        """Return how many rows a lookup gives, and what it costs to get them."""
        estimate = self._estimates[call.predicate]
        bound = [index for index, mode in enumerate(modes) if mode == BOUND]
        free = [index for index, mode in enumerate(modes) if mode == FREE]
        rows = estimate.matches(bound, free)
        if call.predicate.kind is not Kind.RULES:
            return rows
        return rows + (RECURSION_PRICE if call.predicate.is_recursive else CALL_PRICE)


def _head_variables(definition: Definition, modes: Modes, wanted: str) -> set[Variable]:
    return {
        variable
        for term, mode in zip(definition.head, modes, strict=True)
        if mode == wanted
        for variable in variables(term)
    }


class _Order:
    """The greedy choice of what comes next, for one definition or one test in it."""

    def __init__(
        self, planner: Planner, definition: Definition, component: int, free: int, nesting: int = 0
    ) -> None:
        self._planner = planner
        self._definition = definition
        self._component = component
        self._free = free
        self._nesting = nesting
        self._variables: dict[Condition, set[Variable]] = {}
        self.bound: set[Variable] = set()

    def steps(
        self,
        remaining: list[Condition],
        given: AbstractSet[Variable],
        wanted: AbstractSet[Variable],
    ) -> tuple[Step, ...]:
        self.bound = set(given)
        self._variables = {condition: condition_variables(condition) for condition in remaining}
        steps_taken: list[Step] = []
        while remaining:
            self._planner.check_time(self._definition)
            # A lookup of known values only takes away: it can never be too early.
            remaining, cheap = self._cheap_tests(remaining)
            steps_taken += [self._taken(condition, Counter()) for condition in cheap]
            if not remaining:
                break
            best = self._best(remaining, wanted)
            if isinstance(best, list):
                remaining = [c for c in remaining if c not in set(best)]
                steps_taken.append(self._test(best))
            else:
                remaining.remove(best)
                steps_taken.append(self._taken(best, self._needed(remaining, wanted)))
        return tuple(steps_taken)

    def _open(self, condition: Condition) -> set[Variable]:
        return self._variables[condition] - self.bound

    # Choosing ----------------------------------------------------------------------------

    def _cheap_tests(self, remaining: list[Condition]) -> tuple[list[Condition], list[Condition]]:
        """Part the conditions that are one lookup of known values from the rest."""
        others: list[Condition] = []
        cheap: list[Condition] = []
        for condition in remaining:
            is_derived = isinstance(condition, Call) and condition.predicate.kind is Kind.RULES
            (others if is_derived or self._open(condition) else cheap).append(condition)
        return others, cheap

    def _best(self, remaining: list[Condition], wanted: AbstractSet[Variable]) -> Choice:
        kept, tests = self._split_off(remaining, wanted)
        choices: list[tuple[float, Choice]] = [(self._price_of_test(test), test) for test in tests]
        choices += self._choices(kept, wanted)
        if not choices:
            raise UnboundVariableError(self._definition, min(self._open(remaining[0])))
        return min(choices, key=lambda choice: choice[0])[1]

    def _choices(
        self, remaining: list[Condition], wanted: AbstractSet[Variable]
    ) -> list[tuple[float, Choice]]:
        """Return which conditions can be met now, and the price of each."""
        # An absence is asked when nothing left can bind more of its variables: asked before, it
        # would deny more than is meant.
        bindable = self._bindable(remaining)
        uses = self._needed(remaining, wanted)
        choices: list[tuple[float, Choice]] = []
        for condition in remaining:
            if binds(condition):
                price = self._price(condition, uses)
                if price is not None:
                    choices.append((price, condition))
            elif not self._open(condition) & bindable:
                choices.append((self._price_of_absence(condition), condition))
        return choices

    def _bindable(self, conditions: Iterable[Condition]) -> set[Variable]:
        bindable: set[Variable] = set()
        for condition in conditions:
            if binds(condition):
                bindable |= self._open(condition)
        return bindable

    def _needed(
        self, conditions: Iterable[Condition], wanted: AbstractSet[Variable]
    ) -> Counter[Variable]:
        """Count for each variable who uses it: conditions, and twice the asker."""
        uses = Counter(v for condition in conditions for v in self._variables[condition])
        for variable in wanted:
            uses[variable] += 2
        return uses

    def _price(self, call: Call, uses: Counter[Variable]) -> float | None:
        """Return the price of a positive condition, None when it cannot be met yet."""
        modes = self._modes(call, uses, own=1)
        if not self._planner.can_bind(call, modes):
            return None
        price = self._planner.price(call, modes)
        if call.predicate.component == self._component and modes.count(FREE) > self._free:
            price += WIDENING_PRICE
        return price

    def _price_of_absence(self, condition: Condition) -> float:
        if isinstance(condition, Differ):
            return 0.0
        return NEGATION_PRICE + (CALL_PRICE if condition.predicate.kind is Kind.RULES else 0.0)

    def _price_of_test(self, conditions: list[Condition]) -> float:
        prices = [price for price, _ in self._choices(conditions, frozenset())]
        return min(1.0, min(prices, default=1.0)) + GROUP_PRICE * len(conditions)

    def _modes(self, call: Call, uses: Counter[Variable], *, own: int) -> Modes:
        """Return how a predicate is asked now; ``own`` uses of a variable are the call's."""
        occurrences = Counter(v for term in call.args for v in variables(term))
        return "".join(
            self._mode(call, place, uses, occurrences, own) for place in range(len(call.args))
        )

    def _mode(
        self,
        call: Call,
        place: int,
        uses: Counter[Variable],
        occurrences: Counter[Variable],
        own: int,
    ) -> str:
        term = call.args[place]
        if term.is_ground or self.bound.issuperset(variables(term)):
            grows = isinstance(term, Compound) and not term.is_ground
            # A recursion that asks itself for ever larger terms would never end, though what it
            # can derive is finite: (<= (p ?x) (p (f ?x))). So terms that are built are not given,
            # but where only the asker can give a value, as of (p ?x); `Limits` bound how deep.
            is_own = call.predicate.component == self._component
            grows = grows and not self._planner.must_give(call, place)
            return FREE if grows and is_own else BOUND
        does_not_matter = (
            isinstance(term, Variable)
            and uses[term] <= own
            and occurrences[term] == 1
            and not call.predicate.is_recursive
        )
        return EXISTS if does_not_matter else FREE

    # Tests of their own ------------------------------------------------------------------

    def _split_off(
        self, remaining: list[Condition], wanted: AbstractSet[Variable]
    ) -> tuple[list[Condition], list[list[Condition]]]:
        """Return what binds wanted variables, and groups of conditions that are mere tests."""
        if self._nesting >= MAX_NESTING:
            return remaining, []
        # Conditions that share no unbound variable with the answer or with others multiply the
        # answers and change none: one way to meet them is as good as all.
        tests = [
            [condition for condition in remaining if condition in group]
            for group in map(set, self._connected(remaining))
            if len(group) > 1
            and (wanted or len(group) < len(remaining))
            and not any(self._variables[condition] & wanted - self.bound for condition in group)
            and not self._recurs(group)
        ]
        split = {condition for group in tests for condition in group}
        return [condition for condition in remaining if condition not in split], tests

    def _recurs(self, group: Iterable[Condition]) -> bool:
        return any(isinstance(c, Call) and c.predicate.component == self._component for c in group)

    def _connected(self, conditions: Iterable[Condition]) -> list[list[Condition]]:
        """Return groups of conditions that share unbound variables."""
        group_of: dict[Variable, list[Condition]] = {}
        groups: dict[int, list[Condition]] = {}
        for condition in conditions:
            merged = [condition]
            open_variables = self._open(condition)
            for group in {id(g): g for v in open_variables if (g := group_of.get(v))}.values():
                del groups[id(group)]
                merged = group + merged
            groups[id(merged)] = merged
            for member in merged if len(merged) > 1 else ():
                open_variables |= self._open(member)
            group_of.update(dict.fromkeys(open_variables, merged))
        return list(groups.values())

    def _test(self, group: list[Condition]) -> Exists:
        inner = _Order(
            self._planner, self._definition, self._component, self._free, self._nesting + 1
        )
        return Exists(inner.steps(group, self.bound, frozenset()))

    # Taking ------------------------------------------------------------------------------

    def _taken(self, condition: Condition, uses: Counter[Variable]) -> Step:
        """Return the step for a condition; ``uses`` are those of all others."""
        if isinstance(condition, Differ):
            return condition
        if condition.is_negative:
            positive = Call(condition.predicate, condition.args, literal=condition.literal)
            modes = self._modes(positive, Counter(), own=0)
            return Exists((Lookup(positive, modes),), is_negative=True)
        modes = self._modes(condition, uses, own=0)
        self.bound |= self._variables[condition]
        return Lookup(condition, modes)
