"""Which arguments of a predicate its rules leave open, so that the asker must give them.

In: predicates. Out: for each, the arguments that some rule of it does not bind, as in
``(<= (equal ?x ?x))``. Such a rule is unsafe, and yet has a meaning wherever the asker says what
the variable stands for; published games rely on that.

Source: Ullman, "Principles of Database and Knowledge-Base Systems" II, 1989, section 12.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from gdl.language.syntax import Variable, variables
from gdl.reason.program import Call, Definition, Kind, Predicate


def unbindable(predicates: Iterable[Predicate]) -> dict[Predicate, set[int]]:
    """Return for each predicate the arguments that its definitions do not always bind.

    A least fixpoint; predicates that depend on none such are left out. Cost O(literals * passes).
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
