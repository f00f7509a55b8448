"""Near isomorphisms: renamings under which the rules of two games are the same but for a few.

In: the clauses of two descriptions. Out: renamings under which most clauses are the same. What only
one side has is found by leaving things out: relations where one side has more of them, clauses
where one has more, else a clause of each. Of all ways that one is taken after which most of the
clauses look alike, and then the next, until colours of both sides are the same
(`colour_refinement`).

A guess proves nothing: moves that are matched by it are compared like any others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from math import inf
from typing import Final, NamedTuple

from gdl.language.clauses import Clause
from gdl.language.keywords import KEYWORDS
from gdl.verify.correspondence.colour_refinement import bijections
from gdl.verify.correspondence.isomorphism import (
    Colours,
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


class _Side:
    """What is left of the clauses of one description, and what they look like.

    Attributes:
        rules: The clauses.
    """

    def __init__(self, rules: Rules, *, are_numbers_free: bool) -> None:
        self.rules, self._are_numbers_free = rules, are_numbers_free
        self._vertices: Colours | None = None
        self._clauses: list[list[int]] = []

    def colours(self, number: int) -> list[int]:
        """Return the colours of the clauses after so many rounds; kept, for many ways."""
        while len(self._clauses) <= number:
            before = self._vertices
            self._vertices = self.first() if before is None else refined(self.rules, before)
            self._clauses.append(clause_colours(self.rules, self._vertices))
        return self._clauses[number]

    def first(self) -> Colours:
        """Return the colours of all vertices before the first round."""
        return first_colours(self.rules, are_numbers_free=self._are_numbers_free)

    def of(self, rules: Rules) -> _Side:
        """Return a side with other clauses."""
        return _Side(rules, are_numbers_free=self._are_numbers_free)

    def without(self, word: Symbol) -> _Side:
        """Return the side without a relation: what defines it, and literals that ask for it."""
        return self.of(
            [
                tuple(literal for literal in rule if literal.parts[0].head != word)
                for rule in self.rules
                if rule[0].parts[0].head != word
            ]
        )

    def but(self, left_out: int) -> _Side:
        """Return the side without one of its clauses."""
        return self.of([rule for number, rule in enumerate(self.rules) if number != left_out])

    def relations(self) -> list[Symbol]:
        """Return the relations that are none of the language's own, each once."""
        words = {
            part.head: None
            for rule in self.rules
            for literal in rule
            for part in literal.parts
            if literal.sign != "distinct" and isinstance(part.head, Symbol)
        }
        return [word for word in words if word.name not in KEYWORDS]


class _Sides(NamedTuple):
    """Both, or what is left of both."""

    left: _Side
    right: _Side


def resemblances(
    first: Sequence[Clause], second: Sequence[Clause], budget: Budget
) -> Iterator[Renaming]:
    """Yield renamings under which all but a few clauses are the same.

    Cost: O(size of the rules) for each way that is tried: some dozens for each thing that differs,
    at most a few hundred.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    apart = are_values_apart([*first, *second])
    mine, theirs = rules_of(first, apart=apart), rules_of(second, apart=apart)
    least = [int(len(rules) * (1 - LARGEST)) for rules in (mine, theirs)]
    sides = _Sides(*(_Side(rules, are_numbers_free=apart) for rules in (mine, theirs)))
    search = _Search(budget)
    unlike = search.unlike(sides)
    for _ in range(MOST):
        if not unlike:
            break
        best, left = unlike, None
        for way in search.ways(sides):
            if (distance := search.unlike(way, best)) < best:
                best, left = distance, way
        if left is None or any(len(s.rules) < few for s, few in zip(left, least, strict=True)):
            return  # too much is different: it would be chance that the rest is alike
        sides, unlike = left, best
    if not unlike:
        yield from search.renamings(sides)


class _Search:
    """Ways of leaving things out, each judged by how much is unlike after it."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget

    def unlike(self, sides: _Sides, most: float = inf) -> int:
        """Return how many clauses have no counterpart, summed over rounds of refinement.

        Early rounds count what itself is different, later ones what stands beside it. So leaving
        out what is different makes this less, and leaving out what is not makes it more. No round
        makes it less, so nothing is counted from `most` on.
        """
        count = 0
        for number in range(ROUNDS):
            count += sum(lone.total() for lone in self._alone(sides, number))
            if count >= most:
                break
        return count

    def _alone(self, sides: _Sides, number: int) -> tuple[Counter[int], Counter[int]]:
        """Return colours of clauses without a counterpart after so many rounds."""
        self.budget.check()
        return _alone(sides.left.colours(number), sides.right.colours(number))

    def ways(self, sides: _Sides) -> list[_Sides]:
        """Return what both would be without one more thing, or without one of each."""
        relations = [side.relations() for side in sides]
        surplus = _alone(*([word.arity for word in words] for words in relations))
        if any(surplus):
            return [
                _replaced(sides, number, side.without(word))
                for number, side in enumerate(sides)
                for word in relations[number]
                if surplus[number][word.arity]
            ]
        lonely = self._lonely(sides)
        if len(sides.left.rules) != len(sides.right.rules):
            number = int(len(sides.left.rules) < len(sides.right.rules))
            side = sides[number]
            return [_replaced(sides, number, side.but(clause)) for clause in lonely[number]]
        fewer = [
            [side.but(clause) for clause in row] for side, row in zip(sides, lonely, strict=True)
        ]
        return [_Sides(*pair) for pair in product(*fewer)]

    def _lonely(self, sides: _Sides) -> tuple[list[int], list[int]]:
        """Return the clauses of each that first have no counterpart, rules before facts."""
        for number in range(ROUNDS):
            left, right = self._alone(sides, number)
            if left or right:
                return _tried(sides.left, number, left), _tried(sides.right, number, right)
        return [], []

    def renamings(self, sides: _Sides) -> Iterator[Renaming]:
        """Yield what words may be called, where what is left of both looks the same."""
        colours = sides.left.first(), sides.right.first()
        rounds = partial(refined, sides.left.rules), partial(refined, sides.right.rules)
        yield from map(renaming_of, bijections(colours, rounds, self.budget, most=MAX_ATTEMPTS))


def _alone(left: list[int], right: list[int]) -> tuple[Counter[int], Counter[int]]:
    """Return of the numbers of each side those that the other has not, or not so often."""
    mine, theirs = Counter(left), Counter(right)
    return mine - theirs, theirs - mine


def _tried(side: _Side, number: int, alone: Counter[int]) -> list[int]:
    """Return which clauses have a colour that is alone after so many rounds, rules before facts."""
    own = [clause for clause, colour in enumerate(side.colours(number)) if alone[colour]]
    return sorted(own, key=lambda clause: len(side.rules[clause]) == 1)[:MOST_CLAUSES]


def _replaced(sides: _Sides, number: int, side: _Side) -> _Sides:
    return _Sides(side, sides.right) if number == 0 else _Sides(sides.left, side)
