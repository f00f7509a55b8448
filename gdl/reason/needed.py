"""What every way to a sentence needs, and does not hold: why a move is not legal, in one fact.

In: a model, and a sentence that does not hold. Out: a sentence with variables, of which no instance
holds, and an instance of which is in every proof that the rules allow: whatever a chessman is, the
mover must have it on the square from which it goes. Of several the one whose own needs are met.

What all rules for a sentence need is what each of them needs in some form: the least general
pattern of both. A rule whose conditions that never change cannot be met together is no way. A
sentence that is asked again below itself adds no need: a proof is finite, so it ends in a rule
where nothing is asked again. Only needs that are not met are looked into: of one that is, all own
needs are met, and so is every pattern that it is an instance of.

Source: Plotkin, "A Note on Inductive Generalization", 1970 (the pattern); Helmert, Domshlak,
"Landmarks, Critical Paths and Abstractions", 2009 (facts that every plan passes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from gdl.language.dependencies import TRUE
from gdl.language.diagnostics import GdlError
from gdl.language.matching import applied, applied_row, match_row
from gdl.language.syntax import Term, Variable, variables
from gdl.language.unify import Unifier, UnifierTooLargeError
from gdl.reason.backtracking import Search
from gdl.reason.model import Model
from gdl.reason.program import (
    Call,
    Condition,
    Definition,
    Differ,
    Kind,
    Level,
    Predicate,
    binds,
    condition_variables,
)
from gdl.reason.tables import Row

MOST_RULES: Final = 400
"""Rules that are looked at for one sentence."""
MOST_NEEDS: Final = 40
"""Patterns that are kept for one sentence."""
MOST_STEPS: Final = 500
"""Substitutions that are tried before conditions that never change count as met together."""
MAX_DEPTH: Final = 8

Need: TypeAlias = tuple[Predicate, Row]


class Opened(NamedTuple):
    """A rule for a question: what its head and its conditions are there."""

    head: Row
    conditions: list[Condition]


def opened(definition: Definition, row: Row) -> Opened | None:
    """Return a rule for a question; None when its head cannot match.

    Variables of the question keep their names where the rule has no other of that name.
    """
    unifier = Unifier()
    try:
        names = _apart(row, definition)
        asked = applied_row(row, names)
        if not unifier.unify(zip(asked, definition.head, strict=True)):
            return None
        head = tuple(map(unifier.apply, definition.head))
        conditions = [_mapped(condition, unifier.apply) for condition in definition.body]
    except UnifierTooLargeError:
        return None
    # Variables of the rule have become those of the question, whose own names are free again.
    taken = {v for term in head for v in variables(term)}
    taken |= {v for condition in conditions for v in condition_variables(condition)}
    own = {new: old for old, new in names.items() if old not in taken}
    return Opened(
        applied_row(head, own),
        [_mapped(condition, lambda term: applied(term, own)) for condition in conditions],
    )


def needed(model: Model, predicate: Predicate, row: Row) -> Need | None:
    """Return what every way to a row needs, of which nothing holds; None where there is no such.

    Cost O(rules on the way * conditions), at most `MOST_RULES` rules.
    """
    return _Needs(model).first_unmet(predicate, row)


def is_never(model: Model, conditions: Iterable[Condition]) -> bool:
    """Return whether what never changes cannot be met together, whatever the state."""
    fixed = [
        condition
        for condition in conditions
        if binds(condition) and condition.predicate.level is Level.GAME
    ]
    fixed.sort(key=lambda condition: len(condition_variables(condition)))
    search = Search(model, fixed, {}, most=MOST_STEPS)
    return next(search.solutions(), None) is None and not search.is_cut


class _Needs:
    """Looks for what is needed in one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._left = MOST_RULES

    def first_unmet(self, predicate: Predicate, row: Row) -> Need | None:
        """Return the first need that is not met while its own needs are."""
        unmet = self._of(predicate, row, ()) or ()
        last = (need for need in unmet if self._of(*need, ()) == [])
        return next(last, unmet[-1] if unmet else None)

    def _of(self, predicate: Predicate, row: Row, above: Sequence[Need]) -> list[Need] | None:
        """Return what every way to a row needs and is not met.

        None where there is no way, or where it is asked again.
        """
        if any(p is predicate and match_row(asked, row, {}) is not None for p, asked in above):
            return None
        is_fixed = predicate.kind is not Kind.RULES or predicate.level is Level.GAME
        if is_fixed or len(above) >= MAX_DEPTH:
            return []
        ways: list[list[Need]] = []
        for definition in predicate.definitions:
            self._left -= 1
            if self._left < 0:
                return []
            rule = opened(definition, row)
            if rule is None or is_never(self._model, rule.conditions):
                continue
            needs = self._of_all(rule.conditions, [*above, (predicate, row)])
            if needs is not None:
                ways.append(needs)
        # What belongs to another phase of play is not meant, as long as there is something else.
        ways = [needs for needs in ways if not any(map(_is_phase, needs))] or ways
        return reduce(self._in_both, ways) if ways else None

    def _of_all(self, conditions: Iterable[Condition], above: Sequence[Need]) -> list[Need] | None:
        needs: dict[Need, None] = {}
        for condition in filter(binds, conditions):
            need = condition.predicate, condition.args
            if self._is_met(need):
                continue
            below = self._of(*need, above)
            if below is None:
                return None
            needs[need] = None
            needs.update(dict.fromkeys(below))
        return [*islice(needs, MOST_NEEDS)]

    def _in_both(self, needs: Iterable[Need], others: Sequence[Need]) -> list[Need]:
        """Return for each need that others have in some form the pattern of both, if unmet."""
        patterns_met: dict[Need, None] = {}
        for predicate, row in needs:
            patterns = [_pattern(row, other) for asked, other in others if asked is predicate]
            if patterns:
                closest = max(patterns, key=lambda pattern: sum(term.is_ground for term in pattern))
                patterns_met[predicate, closest] = None
        return [need for need in patterns_met if not self._is_met(need)]

    def _is_met(self, need: Need) -> bool:
        try:
            return self._model.holds(*need)
        except GdlError:
            return True  # the rules cannot say for which values it holds


def _is_phase(need: Need) -> bool:
    """Return whether something is a fact of the state about nothing: that counting has begun."""
    predicate, row = need
    return predicate.relation == TRUE and not row


def _pattern(row: Row, other: Row) -> Row:
    """Return the least general row of which both are instances, argument by argument."""
    return tuple(
        ours if ours is theirs else _any(ours, theirs, f"any{number}")
        for number, (ours, theirs) in enumerate(zip(row, other, strict=True), 1)
    )


def _any(ours: Term, theirs: Term, name: str) -> Term:
    return next((term for term in (ours, theirs) if isinstance(term, Variable)), Variable(name))


def _apart(row: Row, definition: Definition) -> dict[Variable, Variable]:
    """Return other names for the variables of a row that the definition has, too."""
    taken = {v for term in definition.head for v in variables(term)}
    taken |= {v for condition in definition.body for v in condition_variables(condition)}
    names: dict[Variable, Variable] = {}
    for variable in dict.fromkeys(v for term in row for v in variables(term)):
        other = variable
        while other in taken:
            other = Variable(f"{other.name}'")
        taken.add(other)
        names[variable] = other
    return names


def _mapped(condition: Condition, term: Callable[[Term], Term]) -> Condition:
    """Return a condition with a function applied to each of its terms."""
    if isinstance(condition, Differ):
        return Differ(term(condition.left), term(condition.right), condition.literal)
    args = tuple(map(term, condition.args))
    return Call(condition.predicate, args, condition.is_negative, condition.literal)
