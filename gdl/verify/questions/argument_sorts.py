"""Sorts of the arguments of relations and facts: which terms may stand in which place.

In: a description. Out: a `Vocabulary`: its relations and fluents, and for each argument place a
sort. Two places have the same sort where a variable of some rule stands in both, so a column is
never offered where a row is expected, unless the rules themselves take one for the other.

Source: the union of places that share a variable is type inference for datalog in its simplest
form, as in McCreath and Sharma, "Extraction of Meta-Knowledge to Restrict the Hypothesis Space for
ILP Systems", 1995.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gdl.language.syntax import (
    Atom,
    Compound,
    Constant,
    Description,
    Distinct,
    Rule,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
)
from gdl.language.walk import leaves

Spot = tuple[str, int, int]
"""An argument place: the name and arity of what it belongs to, and which argument it is."""

ROLE: Final[Spot] = ("role", 1, 0)
FACT: Final[Spot] = ("true", 1, 0)
MOVE: Final[Spot] = ("does", 2, 1)
WORTH: Final[Spot] = ("goal", 2, 1)
OF_LANGUAGE: Final[Mapping[tuple[str, int], tuple[Spot, ...]]] = {
    ("role", 1): (ROLE,),
    ("true", 1): (FACT,),
    ("next", 1): (FACT,),
    ("init", 1): (FACT,),
    ("base", 1): (FACT,),
    ("does", 2): (ROLE, MOVE),
    ("legal", 2): (ROLE, MOVE),
    ("input", 2): (ROLE, MOVE),
    ("goal", 2): (ROLE, WORTH),
    ("sees", 2): (ROLE, ("sees", 2, 1)),
}
"""Places of relations of the language that mean the same."""


def spots(sentence: Term) -> Iterator[tuple[Spot, Term]]:
    """Yield each argument of a sentence or term with its place, outer before inner."""
    stack = [sentence]
    while stack:
        term = stack.pop()
        args = arguments(term) if isinstance(term, Compound) else ()
        name = term.name if isinstance(term, Compound) else ""
        own = OF_LANGUAGE.get((name, len(args)))
        for index, arg in enumerate(args):
            yield (name, len(args), index) if own is None else own[index], arg
        stack.extend(arg for arg in reversed(args) if isinstance(arg, Compound))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a description speaks of.

    Attributes:
        relations: Relations of the rules' own, in the order in which they are first named.
        fluents: What `true` is asked for, likewise: names with their number of arguments.
        constants: For each sort its constants.
    """

    relations: tuple[Signature, ...]
    fluents: tuple[Signature, ...]
    constants: Mapping[Spot, tuple[Constant, ...]]
    _sort: Mapping[Spot, Spot]

    def sort(self, spot: Spot) -> Spot:
        """Return what stands for all places of the same sort."""
        return self._sort.get(spot, spot)

    def variables(self, rule: Rule) -> dict[Spot, list[Variable]]:
        """Return the variables of a rule by sort, each once."""
        at_spot: dict[Spot, list[Variable]] = {}
        for leaf in leaves(rule):
            if isinstance(leaf, Atom):
                for spot, term in spots(leaf.sentence):
                    row = at_spot.setdefault(self.sort(spot), [])
                    if isinstance(term, Variable) and term not in row:
                        row.append(term)
        return at_spot

    def alike(self, sentence: Sentence, name: str) -> bool:
        """Return whether another relation may take the arguments of a sentence as they are."""
        count = len(arguments(sentence))
        mine, theirs = (
            OF_LANGUAGE.get((who, count), tuple((who, count, i) for i in range(count)))
            for who in (sentence.name, name)
        )
        return [*map(self.sort, mine)] == [*map(self.sort, theirs)]


class _Places:
    """Argument places, joined where rules join them."""

    def __init__(self) -> None:
        self.parent: dict[Spot, Spot] = {}
        self.constants: list[tuple[Spot, Constant]] = []
        self.relations: dict[Signature, None] = {}
        self.fluents: dict[Signature, None] = {}

    def find(self, spot: Spot) -> Spot:
        parent = self.parent
        while (above := parent.setdefault(spot, spot)) != spot:
            parent[spot] = spot = parent[above]
        return spot

    def read(self, rule: Rule) -> None:
        first: dict[Variable, Spot] = {}
        for leaf in leaves(rule):
            if isinstance(leaf, Distinct):
                continue  # distinct things need not be of a kind
            own = signature(leaf.sentence)
            if (own.name, own.arity) not in OF_LANGUAGE and own.name != "terminal":
                self.relations.setdefault(own)
            for spot, term in spots(leaf.sentence):
                self.find(spot)
                if spot == FACT and not isinstance(term, Variable):
                    self.fluents.setdefault(signature(term))
                if isinstance(term, Constant):
                    self.constants.append((spot, term))
                elif isinstance(term, Variable):
                    self.parent[self.find(spot)] = self.find(first.setdefault(term, spot))


def vocabulary(description: Description) -> Vocabulary:
    """Return what a description speaks of. Cost about linear in the description."""
    places = _Places()
    for rule in description.rules:
        places.read(rule)
    constants: dict[Spot, dict[Constant, None]] = {}
    for spot, constant in places.constants:
        constants.setdefault(places.find(spot), {}).setdefault(constant)
    goals = constants.setdefault(places.find(WORTH), {})
    goals |= dict.fromkeys((Constant("0"), Constant("100")))
    return Vocabulary(
        tuple(places.relations),
        tuple(places.fluents),
        {spot: tuple(names) for spot, names in constants.items()},
        {spot: places.find(spot) for spot in [*places.parent]},
    )
