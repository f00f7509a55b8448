"""Every name in some rules, and where it stands.

In: a description whose nodes know their places. Out: `Name` after `Name`, sorted by place: of
relations, functions, constants and variables, without the brackets around them.

Relations are one space of names, functions and constants (a function of no arguments) another;
the language never makes one of the other. A variable is known in its rule alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from gdl.language.parse import Syntax
from gdl.language.source import Span
from gdl.language.syntax import (
    Atom,
    Compound,
    Description,
    Place,
    Rule,
    Signature,
    Term,
    Variable,
    signature,
)
from gdl.language.walk import conditions, leaf_terms, located_arguments

_KIF_NAME: Final = re.compile(
    r'(?:\((?:\s|;[^\r\n]*)*)*(\|(?:[^|\\\r\n]|\\[^\r\n])*\||"[^"\r\n]*"|[^\s()|;"]+)'
)
_HRF_NAME: Final = re.compile(
    r"(?:\((?:\s|%[^\r\n]*)*)*('(?:[^'\\\r\n]|\\[^\r\n])*'|[^\s(),.&|~%]+)"
)
DEFINING: Final = frozenset({"role", "init", "next", "base", "legal", "input"})
"""Relations whose heads say which roles, facts and moves there are."""


class Kind(Enum):
    """What a name names."""

    RELATION = "relation"
    FUNCTION = "function"
    CONSTANT = "constant"
    VARIABLE = "variable"


class Seat(NamedTuple):
    """Where an argument stands: which one of what relation or function."""

    holder: Signature
    number: int
    is_relation: bool


class Key(NamedTuple):
    """What two names have in common that mean the same.

    Attributes:
        kind: Functions and constants have the kind FUNCTION both.
        name: As the term has it, without quotes.
        arity: Of a variable 0.
        rule: Index of the rule of a variable, otherwise -1.
    """

    kind: Kind
    name: str
    arity: int
    rule: int


@dataclass(frozen=True, slots=True)
class Name:
    """One name at one place.

    Attributes:
        kind: What it names.
        signature: Name and number of arguments.
        span: The name alone.
        rule: Index of its rule.
        is_head: Whether it stands in the head.
        seat: Whose argument it is; None of a relation and of what is compared.
    """

    kind: Kind
    signature: Signature
    span: Span
    rule: int
    is_head: bool
    seat: Seat | None = None

    @property
    def key(self) -> Key:
        """What it has in common with others of the same meaning."""
        kind = Kind.FUNCTION if self.kind is Kind.CONSTANT else self.kind
        return Key(kind, *self.signature, self.rule if self.kind is Kind.VARIABLE else -1)


def names(description: Description, syntax: Syntax) -> list[Name]:
    """Return all names, sorted by place. Cost linear in the rules."""
    pattern = _KIF_NAME if syntax == "kif" else _HRF_NAME
    names_found = [
        name
        for number, rule in enumerate(description.rules)
        for name in _of_rule(rule, number, pattern)
    ]
    return sorted(names_found, key=lambda name: name.span.start)


def name_at(names: Sequence[Name], offset: int) -> Name | None:
    """Return the name at an offset, or that ends there; None where there is none."""
    index = bisect_right(names, offset, key=lambda name: name.span.start) - 1
    if index >= 0 and offset <= names[index].span.stop:
        return names[index]
    return None


def defining(names: Sequence[Name], key: Key) -> list[Name]:
    """Return the names that say what a name is: the nearest there is to a definition.

    Of a relation these are the heads; of a fluent, move or role, what the rules for ``init``,
    ``next``, ``base``, ``legal``, ``input`` and ``role`` produce; of another constant, facts and
    heads; of a variable its first place.
    """
    alike = [name for name in names if name.key == key]
    if key.kind is Kind.VARIABLE:
        return alike[:1]
    heads = [name for name in alike if name.is_head]
    if key.kind is Kind.RELATION:
        return heads
    produced = [name for name in heads if name.seat and name.seat.holder.name in DEFINING]
    return produced or heads or alike[:1]


def name_span(place: Place, pattern: re.Pattern[str] = _KIF_NAME) -> Span:
    """Return where the name of a sentence, term or connective stands, given the place of all."""
    span = place.span
    match = pattern.match(span.source.text, span.start, span.stop)
    return span if match is None else Span(span.source, *match.span(1))


def _of_rule(rule: Rule, number: int, pattern: re.Pattern[str]) -> Iterator[Name]:
    leaves = [(rule.head, True), *((condition.leaf, False) for condition in conditions(rule))]
    for leaf, is_head in leaves:
        relation: Signature | None = None
        if isinstance(leaf, Atom):
            relation = signature(leaf.sentence)
            if leaf.place is not None:
                span = name_span(leaf.place, pattern)
                yield Name(Kind.RELATION, relation, span, number, is_head)
        for index, (term, place) in enumerate(leaf_terms(leaf)):
            seat = None if relation is None else Seat(relation, index, is_relation=True)
            for kind, sign, span, inner_seat in _of_term(term, place, seat, pattern):
                yield Name(kind, sign, span, number, is_head, inner_seat)


def _of_term(
    term: Term, place: Place | None, seat: Seat | None, pattern: re.Pattern[str]
) -> Iterator[tuple[Kind, Signature, Span, Seat | None]]:
    """Yield the names in a term that stands at a seat."""
    stack = [(term, place, seat)]
    while stack:
        inner, where, seat = stack.pop()
        if where is None:
            continue
        if isinstance(inner, Variable):
            yield Kind.VARIABLE, Signature(inner.name, 0), where.span, seat
            continue
        sign = signature(inner)
        kind = Kind.FUNCTION if isinstance(inner, Compound) else Kind.CONSTANT
        yield kind, sign, name_span(where, pattern), seat
        for index, (argument, at) in enumerate(located_arguments(inner, where)):
            stack.append((argument, at, Seat(sign, index, is_relation=False)))


def seat_of(seat: Seat) -> Seat:
    """Return a seat under the name that it shares with others.

    Facts stand in ``true``, ``init``, ``next`` and ``base``, moves in ``legal``, ``does`` and
    ``input``, roles first in those and in ``goal`` and ``sees``.
    """
    name, number = seat.holder.name, seat.number
    if not seat.is_relation:
        return seat
    if name in {"true", "init", "next", "base"}:
        return Seat(Signature("true", 1), 0, is_relation=True)
    if name in {"legal", "does", "input", "goal", "sees", "role"} and number == 0:
        return Seat(Signature("role", 1), 0, is_relation=True)
    if name in {"legal", "does", "input"} and number == 1:
        return Seat(Signature("does", 2), 1, is_relation=True)
    return seat
