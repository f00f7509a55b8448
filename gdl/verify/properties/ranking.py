"""A weighted sum of facts that every move lowers: a bound on the length of plays.

In: a step and what is known of it. Out: a `Ranking`: whole-number weights of facts such
that every move lowers their sum by some amount at least. A pawn that moves on weighs less
than before; a piece that is taken weighs nothing.

The weights come from a linear program. With one joint choice fixed, the facts after a
step are facts before it, moved about (`cofactor`), so that what a sum gains is a constant
and a few facts, each with a coefficient; its largest value must be negative. The program
asks for the weights with the least bound. What the solver of the program says is rounded
to whole numbers and then proved, in whole numbers, choice by choice; no solver is trusted.

A pass changes nothing, so no sum falls with it. Where nobody passes twice in a row, which a solver
is asked, any two moves lower the sum.

Source: Podelski, Rybalchenko, "A Complete Method for the Synthesis of Linear Ranking
Functions", VMCAI 2004; Farkas' lemma is not needed, since facts are 0 or 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Final

from gdl.certify.paths import runs_at_most
from gdl.circuit.phases import autonomous
from gdl.verify.proving.free_path import FreePath
from gdl.verify.proving.invariants import Invariants
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.cofactor import MAX_JOINT, Cofactors, Implications
from gdl.verify.systems.system import System
from gdl.verify.systems.transition import Transition, transition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_PAIRS: Final = 1_000_000
"""Joint choices of some of the roles that are looked at, at most."""
MAX_WEIGHT: Final = 100_000
MAX_DENOMINATOR: Final = 1_000

Form = tuple[tuple[int, int], ...]
"""A sum of weights: pairs of a fact and how often its weight counts; by rising fact."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What a step adds to a weighted sum of facts, when the joint choice is fixed.

    Attributes:
        certain: What is added in any case.
        perhaps: Each is added in some states and not in others.
    """

    certain: Form
    perhaps: tuple[Form, ...]

    def __bool__(self) -> bool:
        """Return whether a step may change any fact."""
        return bool(self.certain or self.perhaps)

    def without(self, facts: Collection[int]) -> Gain:
        """Return what a step adds to a sum in which these facts have no weight."""
        certain, *perhaps = (
            tuple(each for each in form if each[0] not in facts)
            for form in (self.certain, *self.perhaps)
        )
        return Gain(certain, tuple(form for form in perhaps if form))

    def at_most(self, weights: Mapping[int, int]) -> int:
        """Return a gain that is never exceeded: as if what is perhaps added were chosen freely."""
        perhaps = (_value(form, weights) for form in self.perhaps)
        return _value(self.certain, weights) + sum(value for value in perhaps if value > 0)


@dataclass(frozen=True, slots=True)
class Ranking:
    """A weighted sum of facts that every move lowers.

    Attributes:
        weights: Of each fact that counts.
        start: The sum in the first state.
        least: What the sum is never below.
        drop: By how much so many moves in a row lower it, at least.
        steps: Moves in a row; 1 where every move lowers it.
    """

    weights: dict[int, int]
    start: int
    least: int
    drop: int
    steps: int = 1

    @property
    def bound(self) -> int:
        """Moves that no play exceeds."""
        return runs_at_most((self.start - self.least) // self.drop, self.steps)


def find_ranking(system: System, invariants: Invariants, budget: Budget) -> Ranking | None:
    """Return a sum that every move lowers, or any two in a row; None where none is found.

    Cost: O(nodes * joint choices), and a linear program or two.

    Raises:
        OutOfBudgetError: Time or memory ran out first.
    """
    step = transition(system.asking(()), invariants.same)
    joints = _possible_choices(step, invariants, budget)
    if joints is None:
        return None
    facts = [fact for fact in range(len(system.facts)) if fact not in invariants.same]
    each = list(_gains(step, facts, joints, budget))
    found = _lowered_by_all(each, facts, system.initial, budget)
    if found is not None:
        return found
    # What no move changes, as who is to move, is left out: a pass changes nothing else.
    by_itself = autonomous(system.aig, system.fact_inputs, system.next)
    each = [gain.without(by_itself) for gain in each]
    passes = [lane for lane, gain in enumerate(each) if not gain]
    if not passes or not _is_never_twice(system, invariants, joints[:, passes].T.tolist(), budget):
        return None
    facts = [fact for fact in facts if fact not in by_itself]
    found = _lowered_by_all(list(filter(None, each)), facts, system.initial, budget)
    # Of two moves one is no pass, and lowers the sum; the other lowers it too, or leaves it.
    return None if found is None else replace(found, steps=2)


def _lowered_by_all(
    gains: Sequence[Gain], facts: Sequence[int], initial: Sequence[bool], budget: Budget
) -> Ranking | None:
    """Return a sum of some facts that each of these gains lowers, None where none is found."""
    gains = list(dict.fromkeys(gains))
    if not gains or not all(gains):
        return None  # some move changes nothing
    budget.check()
    weights = _solve(gains, facts, initial, budget)
    return None if weights is None else proved(gains, weights, initial)


def _is_never_twice(
    system: System, invariants: Invariants, joints: Sequence[Sequence[int]], budget: Budget
) -> bool:
    """Return whether no two moves in a row, where the invariants hold, are among these."""
    path = FreePath(system.asking(()), invariants, budget)
    try:
        path.go_on()
        path.go_on()
        return not path.solver.solve([path.solver.lit(path.makes(step, joints)) for step in (0, 1)])
    finally:
        path.close()


def proved(
    gains: Sequence[Gain], weights: Mapping[int, int], initial: Sequence[bool]
) -> Ranking | None:
    """Return the ranking of some weights, None where a move may not lower their sum."""
    # Every joint choice that may be legal is among the gains, in states that the invariants allow.
    # A sum of whole numbers that each move lowers by `drop` can be lowered only so often before
    # it is below the sum of its negative weights, which no state is. This holds of the last
    # move too: a gain is read off the facts after it without asking whether play goes on.
    drop = -max((gain.at_most(weights) for gain in gains), default=-1)
    if drop <= 0:
        return None
    return Ranking(
        {fact: weight for fact, weight in weights.items() if weight},
        sum(weight for fact, weight in weights.items() if initial[fact]),
        sum(min(weight, 0) for weight in weights.values()),
        drop,
    )


def _value(form: Form, weights: Mapping[int, int]) -> int:
    return sum(times * weights[fact] for fact, times in form)


def _possible_choices(
    step: Transition, invariants: Invariants, budget: Budget
) -> NDArray[np.int64] | None:
    """Return the joint choices that may be legal together, None when there are too many.

    Left out are those of which one needs a fact that another one's legality denies.

    Returns:
        ``int64[R, L]``: the choice of each role (row) in each lane.
    """
    import numpy as np

    # Legality of a choice implies literals of facts. Two choices cannot both be legal where one
    # needs a fact true that the other needs false, or both need facts that exclude each other.
    # needs: for each role float32[2, C, I]: whether choice C needs input I true (0) or false (1);
    # products of such tables count the clashes of all pairs of choices at once.
    implications = Implications(step.aig)
    place = {node: index for index, node in enumerate(step.aig.inputs)}
    needs = []
    for row in step.legal:
        table = np.zeros((2, len(row), len(place)), np.float32)
        for choice, edge in enumerate(row):
            for literal in implications.of(edge):
                table[literal & 1, choice, place[literal >> 1]] = 1
        needs.append(table)
    rivals = np.zeros((len(place), len(place)), np.float32)
    for pair in invariants.exclusive:
        edge, rival = (step.facts[fact] for fact in pair)
        if not (edge | rival) & 1 and edge >> 1 in place and rival >> 1 in place:
            rivals[place[edge >> 1], place[rival >> 1]] = 1
            rivals[place[rival >> 1], place[edge >> 1]] = 1
    lanes = np.array([[c for c, edge in enumerate(step.legal[0]) if edge]], np.int64)
    for role in range(1, len(step.legal)):
        budget.check()
        mine = np.array([c for c, edge in enumerate(step.legal[role]) if edge], np.int64)
        if lanes.shape[1] * len(mine) > MAX_PAIRS:
            return None
        true, false = needs[role][0, mine], needs[role][1, mine]
        clash = np.zeros((lanes.shape[1], len(mine)), np.float32)
        for earlier in range(role):
            others_true, others_false = (table[lanes[earlier]] for table in needs[earlier])
            clash += others_true @ false.T + others_false @ true.T + others_true @ rivals @ true.T
        left, right = np.nonzero(clash < 0.5)  # noqa: PLR2004  # counts, kept as floats
        lanes = np.concatenate([lanes[:, left], mine[right][None]])
    return lanes if 0 < lanes.shape[1] <= MAX_JOINT else None


def _gains(
    step: Transition, facts: Sequence[int], joints: NDArray[np.int64], budget: Budget
) -> Iterator[Gain]:
    """Yield what each joint choice adds to a sum of facts."""
    import numpy as np

    # Of each lane, the coefficient of the constant 1 and of each node that facts become or were,
    # as in `frames`; but here coefficients are sums of weights that are not known yet.
    cofactors = Cofactors(step, {}, joints)
    certain: list[dict[int, int]] = [{} for _ in range(cofactors.lanes)]
    perhaps: list[dict[int, dict[int, int]]] = [{} for _ in range(cofactors.lanes)]
    for fact in facts:
        budget.check()
        after, before = cofactors.of(step.next[fact]), cofactors.of(step.facts[fact])
        for lane in np.flatnonzero(after != before).tolist():
            for value, sign in ((int(after[lane]), 1), (int(before[lane]), -1)):
                if value & 1:
                    _add(certain[lane], fact, sign)
                if value > 1:
                    form = perhaps[lane].setdefault(value >> 1, {})
                    _add(form, fact, -sign if value & 1 else sign)
    for fixed, forms in zip(certain, perhaps, strict=True):
        rows = (_form(form) for form in forms.values())
        yield Gain(_form(fixed), tuple(sorted(row for row in rows if row)))


def _add(form: dict[int, int], fact: int, times: int) -> None:
    form[fact] = form.get(fact, 0) + times


def _form(form: Mapping[int, int]) -> Form:
    return tuple(sorted((fact, times) for fact, times in form.items() if times))


def _solve(
    gains: Sequence[Gain], facts: Sequence[int], initial: Sequence[bool], budget: Budget
) -> dict[int, int] | None:
    """Return weights under which every gain is negative and the bound is least.

    The unknowns are the weights, and for each sum that is only perhaps added, and for the
    negative part of each weight, a number that is neither below it nor below 0. Then what
    `Gain.at_most` says is linear in the unknowns; it is to be -1 at most for each gain, which
    only sets the scale. What is minimised is the bound: the first sum less the least one.
    Floating point may be wrong by a little, so the weights are rounded to fractions with small
    denominators and scaled to whole numbers, of which nothing is believed before `proved`.
    """
    import numpy as np
    from scipy.optimize import linprog  # type: ignore[import-untyped]  # ships no types
    from scipy.sparse import coo_array  # type: ignore[import-untyped]  # ships no types

    column = {fact: index for index, fact in enumerate(facts)}
    forms = dict.fromkeys(form for gain in gains for form in gain.perhaps)
    forms |= dict.fromkeys(((fact, -1),) for fact in facts)
    bound_of = {form: len(column) + index for index, form in enumerate(forms)}
    entries: list[tuple[int, int, int]] = []
    limits: list[int] = []
    # A row a gain: what is certain, and the most that what is uncertain can add, is -1 at most.
    for gain in gains:
        entries += ((len(limits), column[fact], times) for fact, times in gain.certain)
        entries += ((len(limits), bound_of[form], 1) for form in gain.perhaps)
        limits.append(-1)
    # A row a form: its number is not below it. That a solution makes the number larger than both
    # the form and 0 costs nothing but a bound that is less sharp.
    for form, index in bound_of.items():
        entries += ((len(limits), column[fact], times) for fact, times in form)
        entries.append((len(limits), index, -1))
        limits.append(0)
    rows, columns, values = map(np.array, zip(*entries, strict=True))
    shape = len(limits), len(column) + len(bound_of)
    price = np.zeros(shape[1])
    price[: len(column)] = [initial[fact] for fact in facts]
    # The least sum that any state can have takes each negative weight, and no positive one.
    price[[bound_of[(fact, -1),] for fact in facts]] = 1
    solution = linprog(
        price,
        A_ub=coo_array((values, (rows, columns)), shape=shape).tocsr(),
        b_ub=np.array(limits),
        bounds=[(-MAX_WEIGHT, MAX_WEIGHT)] * len(column) + [(0, None)] * len(bound_of),
        method="highs",
        options={"time_limit": budget.left},
    )
    budget.check()
    if solution.x is None:
        return None
    fractions = [
        Fraction(float(x)).limit_denominator(MAX_DENOMINATOR) for x in solution.x[: len(column)]
    ]
    scale = lcm(*(weight.denominator for weight in fractions))
    return {fact: int(weight * scale) for fact, weight in zip(facts, fractions, strict=True)}
