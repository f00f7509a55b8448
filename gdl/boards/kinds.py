"""Kinds of facts and moves: terms that differ in their constants only.

In: terms. Out: for each kind its columns of constants, as in a table; ``(cell 1 1 x)`` and
``(cell 1 2 b)`` are of one kind with three columns, ``(at (square a 1) rook)`` is of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdl.boards.orders import Steps, in_row
from gdl.language.terms import Compound, Constant, Term, Variable

Skeleton: TypeAlias = "str | tuple[str, tuple[Skeleton | None, ...]] | None"
"""A term without its constants, for which None stands."""
Row: TypeAlias = tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of terms.

    Attributes:
        skeleton: What all of them have in common.
        tables: The constants of its terms, a table for each state; for moves there is one.
    """

    skeleton: Skeleton
    tables: tuple[frozenset[Row], ...]

    @property
    def width(self) -> int:
        """How many constants a term has."""
        return next((len(row) for table in self.tables for row in table), 0)

    def values(self, number: int) -> set[Constant]:
        """Return the values of a column in all tables."""
        return {row[number] for table in self.tables for row in table}

    def in_rows(self, steps: Steps) -> dict[int, tuple[Term, ...]]:
        """Return the columns whose values stand in a row, each with that row."""
        rows = {number: in_row(self.values(number), steps) for number in range(self.width)}
        return {number: row for number, row in rows.items() if row is not None}

    def cells(self, columns: Sequence[int]) -> list[set[Row]]:
        """Return what some columns name together, for each table."""
        return [{tuple(row[n] for n in columns) for row in table} for table in self.tables]

    def is_key(self, columns: Sequence[int]) -> bool:
        """Return whether some columns tell the terms of each table apart."""
        return list(map(len, self.cells(columns))) == list(map(len, self.tables))

    def template(self, filled: Mapping[int, str | Constant]) -> Term:
        """Return the kind as a template: names of variables, constants; else holes of any name."""
        numbers = iter(range(self.width))
        return _filled(self.skeleton, numbers, filled)


def _filled(
    skeleton: Skeleton, numbers: Iterator[int], filled: Mapping[int, str | Constant]
) -> Term:
    if skeleton is None:
        number = next(numbers)
        value = filled.get(number, f"other{number}")
        return value if isinstance(value, Constant) else Variable(value)
    assert isinstance(skeleton, tuple)
    name, parts = skeleton
    return Compound(name, tuple(_filled(part, numbers, filled) for part in parts))


def kinds(tables: Sequence[Iterable[Term]]) -> list[Kind]:
    """Return the kinds of the terms of several tables that have constants in them."""
    rows: dict[Skeleton, list[set[Row]]] = {}
    for number, terms in enumerate(tables):
        for term in terms:
            if isinstance(term, Compound):
                constants: list[Constant] = []
                skeleton = _skeleton(term, constants)
                of_kind = rows.setdefault(skeleton, [set() for _ in tables])
                of_kind[number].add(tuple(constants))
    return [
        Kind(skeleton, tuple(map(frozenset, of_kind)))
        for skeleton, of_kind in sorted(rows.items(), key=lambda item: str(item[0]))
    ]


def _skeleton(term: Term, constants: list[Constant]) -> Skeleton:
    if isinstance(term, Constant):
        constants.append(term)
        return None
    assert isinstance(term, Compound)
    return term.name, tuple(_skeleton(part, constants) for part in term.args)
