"""Relations replaced by their rules where that lets a join be cut into smaller ones.

In: clauses. Out: clauses that mean the same. A relation over four pieces that says "all
four are round, or all four are tall, ..." has an instance for every four pieces, and the
rule that asks it for four squares has one for every way to fill them. With the rules of the
relation in its place each square is looked at alone. A literal is replaced only if
every clause that comes of it is narrower after splitting: needs fewer variables at once.

Source: Tamaki, Sato, "Unfold/Fold Transformation of Logic Programs", 1984 (that unfolding
keeps the meaning); the measure is that of Bichler, Morak, Woltran, "lpopt", 2016: ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final, NamedTuple

from gdl.compile.rules.grounder_names import BOUNDS, RELATIONS
from gdl.compile.rules.literals import asked_sentence, literal_variables, with_terms
from gdl.compile.rules.rule_decomposition import split
from gdl.language.clauses import Clause
from gdl.language.dependencies import dependency_graph
from gdl.language.graphs import reachable
from gdl.language.matching import applied
from gdl.language.syntax import Atom, Signature, Variable, arguments, signature, variables
from gdl.language.unify import Unifier, UnifierTooLargeError

_NARROW: Final = 3
"""Rules that need no more variables at once are left as they are."""
_MOST_CLAUSES: Final = 16
"""Relations of more clauses are not unfolded."""
_CHANGING: Final = frozenset({Signature("true", 1), Signature("does", 2)})
_FAR_FEWER: Final = 0.5
"""Share of the rules of most variables that others may have to be narrower."""
_MOST_STEPS: Final = 400
"""Literals that are unfolded, in all rules."""


class _Rules(NamedTuple):
    """What a relation is unfolded into.

    Attributes:
        clauses: Its rules.
        width: The most variables that one of them needs at once, if nobody else asks for them.
    """

    clauses: list[Clause]
    width: int


def unfold(clauses: Sequence[Clause], *, is_thorough: bool = False) -> list[Clause]:
    """Return clauses that mean the same and can be split into narrower ones.

    Args:
        clauses: In clausal form.
        is_thorough: Whether to look also at relations that change, where only one literal asks
            for them: there is then nobody else for whom they would be looked at once.

    Raises:
        AssertionError: Never, for clauses in clausal form.
    """
    table = _unfoldable(clauses, is_thorough=is_thorough)
    if not table:
        return list(clauses)
    numbers = count()
    unfolded: list[Clause] = []
    work = list(reversed(clauses))
    steps = 0
    while work:
        clause = work.pop()
        instead = _narrower(clause, table, numbers) if steps < _MOST_STEPS else None
        if instead is None:
            unfolded.append(clause)
        else:
            steps += 1
            work += reversed(instead)
    return unfolded


def width(clause: Clause) -> int:
    """Return the most variables that one of the clauses has into which this one is split."""
    return max(len(_variables_of(part)) for part in split([clause]))


def is_narrower(clauses: Sequence[Clause], others: Sequence[Clause]) -> bool:
    """Return whether clauses have far fewer rules of nearly as many variables as others have."""
    mine, yours = ([width(clause) for clause in side] for side in (clauses, others))
    many = max(yours) - 1
    return sum(n >= many for n in mine) < _FAR_FEWER * sum(n >= many for n in yours)


def _variables_of(clause: Clause) -> set[Variable]:
    used = {var for literal in clause.body for var in literal_variables(literal)}
    return used.union(variables(clause.head))


def _unfoldable(clauses: Sequence[Clause], *, is_thorough: bool) -> dict[Signature, _Rules]:
    """Return the clauses of relations of few rules that never change.

    Those that do change are looked at in each state anyway, once for all who ask.
    """
    asked = Counter(
        signature(sentence)
        for clause in clauses
        for literal in clause.body
        if (sentence := asked_sentence(literal)) is not None
    )
    table: dict[Signature, list[Clause]] = {}
    for clause in clauses:
        table.setdefault(signature(clause.head), []).append(clause)
    uses = dependency_graph(clauses).successors
    unfolded: dict[Signature, _Rules] = {}
    for relation, rules in table.items():
        below = reachable(uses, uses[relation])
        if (
            relation not in RELATIONS
            and relation not in BOUNDS
            and len(rules) <= _MOST_CLAUSES
            and all(rule.body for rule in rules)
            and relation not in below
        ):
            if not below & _CHANGING:
                unfolded[relation] = _Rules(rules, 0)
            elif is_thorough and asked[relation] == 1:
                unfolded[relation] = _Rules(rules, max(map(width, rules)))
    return unfolded


def _narrower(
    clause: Clause, table: Mapping[Signature, _Rules], numbers: count[int]
) -> list[Clause] | None:
    """Return what a clause becomes by unfolding its widest literal that is worth it."""
    if len(_variables_of(clause)) <= _NARROW:
        return None
    before = width(clause)
    candidates = [
        (len(set(literal_variables(literal))), index)
        for index, literal in enumerate(clause.body)
        if isinstance(literal, Atom) and signature(literal.sentence) in table
    ]
    for _, index in sorted(candidates, key=lambda item: (-item[0], item[1])):
        literal = clause.body[index]
        assert isinstance(literal, Atom)
        rules = table[signature(literal.sentence)]
        # Where its rules go with the literal, theirs is the join that is cut, if it is wider.
        most = max(before - 1, rules.width)
        if most < _NARROW:
            continue
        try:
            instead = [
                resolvent
                for rule in rules.clauses
                if (resolvent := resolved(clause, index, rule, numbers)) is not None
            ]
        except UnifierTooLargeError:
            continue
        # Each step takes a relation out for those that it asks, none of them itself: it ends.
        if all(width(resolvent) <= most for resolvent in instead):
            return instead
    return None


def resolved(clause: Clause, index: int, rule: Clause, numbers: count[int]) -> Clause | None:
    """Return a clause with the literal at an index replaced by the body of a rule for it.

    None where the rule has another head.

    Raises:
        UnifierTooLargeError: The two are too large to be made equal.
    """
    literal = clause.body[index]
    assert isinstance(literal, Atom)
    # A resolvent: the rule with variables of its own, unified with the literal, in its place.
    used, own = _variables_of(clause), _variables_of(rule)
    while True:
        mark = next(numbers)
        fresh = {var: Variable(f"{var.name} {mark}") for var in own}
        if used.isdisjoint(fresh.values()):
            break
    unifier = Unifier()
    values = [applied(arg, fresh) for arg in arguments(rule.head)]
    pairs = zip(arguments(literal.sentence), values, strict=True)
    if not unifier.unify(pairs):
        return None
    body = [
        *clause.body[:index],
        *(with_terms(condition, lambda term: applied(term, fresh)) for condition in rule.body),
        *clause.body[index + 1 :],
    ]
    return Clause(
        unifier.apply(clause.head),
        tuple(dict.fromkeys(with_terms(condition, unifier.apply) for condition in body)),
        clause.rule,
    )
