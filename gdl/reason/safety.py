"""Which arguments of a predicate its rules give values, and which the asker must give.

In: predicates. Out: for each that leaves something open, the arguments that some rule of it does
not bind, as in ``(<= (equal ?x ?x))``; and whether it can be asked where some are given: of
``(equal ?x ?x)`` either one tells the other. Such a rule is unsafe, and yet has a meaning
wherever the asker says what the variable stands for; published games rely on that.

Source: Ullman, "Principles of Database and Knowledge-Base Systems" II, 1989, sections 12.1
(binding patterns) and 12.2 (safety).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from gdl.language.syntax import Compound, Variable, variables
from gdl.reason.plan import BOUND, FREE, Modes
from gdl.reason.program import Call, Definition, Kind, Predicate, binds

Question: TypeAlias = tuple[Predicate, frozenset[int]]
"""A predicate, and the arguments that the asker gives."""


class Safety:
    """Which questions are answered with values for all that is wanted.

    Attributes:
        open: For each predicate the arguments that stay open where the asker gives nothing;
            predicates that leave nothing open are not there.
    """

    def __init__(self, predicates: Iterable[Predicate]) -> None:
        """Look at all predicates of some rules."""
        self.open: Mapping[Predicate, AbstractSet[int]] = unbindable(predicates)
        self._bound: dict[Question, frozenset[int]] = {}

    def can_bind(self, predicate: Predicate, modes: Modes) -> bool:
        """Return whether every answer has values for all arguments that are wanted."""
        wanted = {i for i in self.open.get(predicate, ()) if modes[i] == FREE}
        if not wanted:
            return True
        question = predicate, frozenset(i for i, mode in enumerate(modes) if mode == BOUND)
        if question not in self._bound:
            self._solve(question)
        return wanted <= self._bound[question]

    def _solve(self, question: Question) -> None:
        """Find what is bound in the answers to a question, and to those it leads to.

        A rule may ask its own relation. An answer is derived in finitely many steps, from answers
        that took fewer: so all is taken for bound until some rule shows that it is not.
        """
        assumed = {question: frozenset(range(question[0].arity))}
        before: dict[Question, frozenset[int]] = {}
        while assumed != before:
            before = dict(assumed)
            for asked, bound in before.items():
                predicate, given = asked
                assumed[asked] = bound.intersection(
                    *(
                        self._answered(definition, given, predicate.component, assumed)
                        for definition in predicate.definitions
                    )
                )
        self._bound.update(assumed)

    def _answered(
        self,
        definition: Definition,
        given: AbstractSet[int],
        component: int,
        assumed: dict[Question, frozenset[int]],
    ) -> frozenset[int]:
        """Return the arguments of a head that its rule binds; adds the questions it leads to."""
        valued = {v for i in given for v in variables(definition.head[i])}
        size = -1
        while len(valued) > size:
            size = len(valued)
            for condition in definition.body:
                if binds(condition):
                    for place in self._binds(condition, valued, component, assumed):
                        valued.update(variables(condition.args[place]))
        return frozenset(
            i for i, term in enumerate(definition.head) if valued.issuperset(variables(term))
        )

    def _binds(
        self,
        call: Call,
        valued: AbstractSet[Variable],
        component: int,
        assumed: dict[Question, frozenset[int]],
    ) -> AbstractSet[int]:
        """Return the arguments of a condition that have values once it is met."""
        places = frozenset(range(len(call.args)))
        left_open = self.open.get(call.predicate)
        if left_open is None:
            return places
        # As `gdl.reason.join_order` asks: terms that are built are given to the own recursion only
        # where nobody else can give a value.
        is_own = call.predicate.component == component
        given = frozenset(
            i
            for i, term in enumerate(call.args)
            if set(variables(term)) <= valued
            and (term.is_ground or i in left_open or not (is_own and isinstance(term, Compound)))
        )
        question = call.predicate, given
        if question in self._bound:
            return self._bound[question]
        return assumed.setdefault(question, places)


def unbindable(predicates: Iterable[Predicate]) -> dict[Predicate, set[int]]:
    """Return for each predicate the arguments that its definitions do not always bind.

    A least fixpoint; predicates that depend on none such are left out. Cost O(literals * passes).
    """
    predicates = [p for p in predicates if p.kind is Kind.RULES]
    open_of: dict[Predicate, set[int]] = {predicate: set() for predicate in predicates}
    changed = True
    while changed:
        changed = False
        for predicate in predicates:
            for definition in predicate.definitions:
                bound = _bound_by(definition, open_of)
                open_places = {
                    index
                    for index, term in enumerate(definition.head)
                    if not term.is_ground and not set(variables(term)) <= bound
                }
                if not open_places <= open_of[predicate]:
                    open_of[predicate] |= open_places
                    changed = True
    return {predicate: places for predicate, places in open_of.items() if places}


def _bound_by(
    definition: Definition, open_of: Mapping[Predicate, AbstractSet[int]]
) -> set[Variable]:
    bound: set[Variable] = set()
    for condition in definition.body:
        if binds(condition):
            places = open_of.get(condition.predicate, frozenset())
            for index, term in enumerate(condition.args):
                if index not in places:
                    bound |= set(variables(term))
    return bound
