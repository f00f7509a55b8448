"""Which facts a state may hold: what ``init``, ``next`` and ``base`` can give, by argument.

In: checked rules. Out: for each fluent the values of each of its arguments. They are followed
through the rules with nothing said of how arguments go together, so none that a rule can give is
missing, whatever state play begins in; some may never occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from gdl.language.checked import CheckedDescription
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Sentence, Signature, Term, Variable, arguments, kif_text, signature
from gdl.reason.estimates import MAX_VALUES, facts_made, settled_values
from gdl.reason.program import program

MAKERS = ("init", "next", "base")
"""Relations whose argument a fact of a state may be."""

PossibleFacts: TypeAlias = "Mapping[Signature, Sequence[frozenset[Term | Signature] | None]]"
"""For each fluent and argument what it may be, None for anything; a signature stands for all terms
of that form."""


class Stray(NamedTuple):
    """An argument that no rule gives.

    Attributes:
        place: Which argument of the fact, counted from 1.
        value: What it is.
        possible: What it may be, as text, in order.
    """

    place: int
    value: Term
    possible: Sequence[str]

    @property
    def is_number(self) -> bool:
        """Whether it is one: numbers that look alike are not meant for each other."""
        return _text(self.value).isdecimal()


def possible_facts(rules: CheckedDescription) -> PossibleFacts:
    """Return what facts may be; empty where that is not known.

    Cost O(passes * literals * constants).
    """
    try:
        clausal = program(rules)
    except GdlError:
        return {}
    if any(relation.name in MAKERS for relation in clausal.refused):
        return {}
    values = settled_values(clausal, makers=MAKERS)
    if values is None:
        return {}
    return {
        fluent: [frozenset(column) if len(column) < MAX_VALUES else None for column in columns]
        for fluent, columns in facts_made(clausal, values, MAKERS).items()
    }


def stray(fact: Sentence, possible: PossibleFacts) -> Stray | None:
    """Return the first argument of a ground fact that no rule gives; None where there is none."""
    columns = possible.get(signature(fact), ())
    for place, (term, column) in enumerate(zip(arguments(fact), columns, strict=False), start=1):
        assert not isinstance(term, Variable)
        if column is not None and term not in column and signature(term) not in column:
            return Stray(place, term, [_text(value) for value in sorted(column, key=_in_order)])
    return None


def _text(value: Term | Signature) -> str:
    return f"({value.name} ...)" if isinstance(value, Signature) else kif_text(value)


def _in_order(value: Term | Signature) -> tuple[int, str]:
    """Return what numbers are sorted by as numbers, and all else behind them as text."""
    text = _text(value)
    return (int(text), "") if text.isdecimal() else (10**9, text)
