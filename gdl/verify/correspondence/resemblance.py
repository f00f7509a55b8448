"""Rules that are the same up to their names but for a few: guesses of what the names are.

In: the clauses of two descriptions. Out: renamings under which most clauses are the same. What only
one side has is found by leaving things out: relations where one side has more of them, clauses
where one has more, else a clause of each. Of all ways that one is taken after which most of the
clauses look alike, and then the next, until colours of both sides are the same (`refinement`).

A guess proves nothing: moves that are matched by it are compared like any others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Final, NamedTuple

from gdl.language.clauses import Clause
from gdl.language.keywords import KEYWORDS
from gdl.verify.correspondence.isomorphism import (
    Renaming,
    Rules,
    Symbol,
    are_values_apart,
    clause_colours,
    first_colours,
    refined,
    renaming_of,
    rules_of,
)
from gdl.verify.correspondence.refinement import bijections
from gdl.verify.solvers.budget import Budget

MOST: Final = 8
"""Things that are left out, one after the other."""
LARGEST: Final = 0.25
"""Share of the clauses of a side that may be left out with them."""
ROUNDS: Final = 4
"""Of refinement after which sides are compared: how far around a thing is looked at."""
MOST_CLAUSES: Final = 12
"""Clauses of a side that are tried where one of each is left out."""
MAX_ATTEMPTS: Final = 60
"""Picks that are tried in all, once both sides look alike."""


class _Sides(NamedTuple):
    """What is left of the clauses of both."""

    one: Rules
    other: Rules


def resemblances(
    one: Sequence[Clause], other: Sequence[Clause], budget: Budget
) -> Iterator[Renaming]:
    """Yield renamings under which all but a few clauses are the same.

    Cost: O(size of the rules) for each way that is tried: some dozens for each thing that differs,
    at most a few hundred.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    apart = are_values_apart([*one, *other])
    sides = _Sides(rules_of(one, apart=apart), rules_of(other, apart=apart))
    least = [int(len(rules) * (1 - LARGEST)) for rules in sides]
    search = _Search(budget, are_numbers_free=apart)
    unlike = search.unlike(sides)
    for _ in range(MOST):
        if not unlike:
            break
        ways = search.ways(sides)
        best, left = min(
            ((search.unlike(way), number) for number, way in enumerate(ways)),
            default=(unlike, 0),
        )
        if best >= unlike or any(len(r) < few for r, few in zip(ways[left], least, strict=True)):
            return  # too much is different: it would be chance that the rest is alike
        sides, unlike = ways[left], best
    if not unlike:
        yield from search.renamings(sides)


class _Search:
    """Ways of leaving things out, each judged by how much is unlike after it."""

    def __init__(self, budget: Budget, *, are_numbers_free: bool) -> None:
        self.budget = budget
        self.colours = partial(first_colours, are_numbers_free=are_numbers_free)

    def unlike(self, sides: _Sides) -> int:
        """Return how many clauses have no counterpart, summed over rounds of refinement.

        Early rounds count what itself is different, later ones what stands beside it. So leaving
        out what is different makes this less, and leaving out what is not makes it more.
        """
        return sum(lone.total() for painted in self._rounds(sides) for lone in _alone(*painted))

    def _rounds(self, sides: _Sides) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the colours of the clauses of both, round after round."""
        one, other = (self.colours(rules) for rules in sides)
        for _ in range(ROUNDS):
            self.budget.check()
            yield clause_colours(sides.one, one), clause_colours(sides.other, other)
            one, other = refined(sides.one, one), refined(sides.other, other)

    def ways(self, sides: _Sides) -> list[_Sides]:
        """Return what both would be without one more thing, or without one of each."""
        relations = [_relations(rules) for rules in sides]
        surplus = _alone(*([word.arity for word in words] for words in relations))
        if any(surplus):
            return [
                _replaced(sides, side, _without(sides[side], word))
                for side in (0, 1)
                for word in relations[side]
                if surplus[side][word.arity]
            ]
        lonely = self._lonely(sides)
        if len(sides.one) != len(sides.other):
            side = int(len(sides.one) < len(sides.other))
            return [_replaced(sides, side, _but(sides[side], move)) for move in lonely[side]]
        return [
            _Sides(_but(sides.one, mine), _but(sides.other, theirs))
            for mine, theirs in product(*lonely)
        ]

    def _lonely(self, sides: _Sides) -> tuple[list[int], list[int]]:
        """Return the clauses of each that first have no counterpart, rules before facts."""
        for painted in self._rounds(sides):
            one, other = _alone(*painted)
            if one or other:
                return _tried(sides.one, painted[0], one), _tried(sides.other, painted[1], other)
        return [], []

    def renamings(self, sides: _Sides) -> Iterator[Renaming]:
        """Yield what words may be called, where what is left of both looks the same."""
        colours = self.colours(sides.one), self.colours(sides.other)
        rounds = partial(refined, sides.one), partial(refined, sides.other)
        yield from map(renaming_of, bijections(colours, rounds, self.budget, most=MAX_ATTEMPTS))


def _alone(one: list[int], other: list[int]) -> tuple[Counter[int], Counter[int]]:
    """Return of the numbers of each side those that the other has not, or not so often."""
    mine, theirs = Counter(one), Counter(other)
    return mine - theirs, theirs - mine


def _tried(rules: Rules, colours: list[int], alone: Counter[int]) -> list[int]:
    """Return which clauses have a colour that is alone, rules before facts."""
    own = [number for number, colour in enumerate(colours) if alone[colour]]
    return sorted(own, key=lambda number: len(rules[number]) == 1)[:MOST_CLAUSES]


def _relations(rules: Rules) -> list[Symbol]:
    """Return the relations that are none of the language's own, each once."""
    words = {
        part.head: None
        for rule in rules
        for literal in rule
        for part in literal.parts
        if literal.sign != "distinct" and isinstance(part.head, Symbol)
    }
    return [word for word in words if word.name not in KEYWORDS]


def _without(rules: Rules, word: Symbol) -> Rules:
    """Return clauses without a relation: those that define it, and literals that ask for it."""
    return [
        tuple(literal for literal in rule if literal.parts[0].head != word)
        for rule in rules
        if rule[0].parts[0].head != word
    ]


def _but(rules: Rules, left_out: int) -> Rules:
    return [rule for number, rule in enumerate(rules) if number != left_out]


def _replaced(sides: _Sides, side: int, rules: Rules) -> _Sides:
    return _Sides(rules, sides.other) if side == 0 else _Sides(sides.one, rules)
