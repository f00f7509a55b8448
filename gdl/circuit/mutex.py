"""Groups of which at most or exactly one holds, and where to look for them.

What is on a square, who is to move: facts that differ in one argument only. Here are the
candidates, seen from names alone; the compiler and the prover each prove them in their way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gdl.circuit.aig import Lit
from gdl.language.terms import Compound, Term


class MutexGroup(NamedTuple):
    """Inputs of which at most one holds.

    Attributes:
        members: Their plain edges.
        is_exact: Whether one of them always holds.
    """

    members: tuple[Lit, ...]
    is_exact: bool


class Family(NamedTuple):
    """What facts have in common that may exclude each other.

    Attributes:
        name: Their name, empty for constants.
        arity: Number of their arguments, 0 for constants.
        position: The argument in which they differ, None where they may differ in all.
        others: Their other arguments.
    """

    name: str
    arity: int
    position: int | None = None
    others: tuple[Term, ...] = ()


def families(facts: Sequence[Term]) -> dict[Family, list[int]]:
    """Return the facts of each family, by index. Cost O(arguments of all facts)."""
    members: dict[Family, list[int]] = {}
    for index, fact in enumerate(facts):
        for family in _families(fact):
            members.setdefault(family, []).append(index)
    return members


def _families(fact: Term) -> Iterator[Family]:
    if not isinstance(fact, Compound):
        yield Family("", 0)
        return
    arity = len(fact.args)
    yield Family(fact.name, arity)
    if arity > 1:
        for position in range(arity):
            others = (*fact.args[:position], *fact.args[position + 1 :])
            yield Family(fact.name, arity, position, others)
