"""The syntax tree of rule files: formulas, rules, descriptions; terms are in `gdl.language.terms`.

One tree serves both notations. Places never take part in comparison. The terms are named
here too, so that who reads trees finds all that they are made of in one module.

Source: Love, Hinrichs, Haley, Schkufza, Genesereth, "General Game Playing: Game
Description Language Specification", 2008, sections 2 to 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, TypeVar

from gdl.language.diagnostics import Diagnostic, GdlError
from gdl.language.source import Source, Span
from gdl.language.terms import (
    Compound,
    Constant,
    Sentence,
    Signature,
    SortKey,
    Term,
    Variable,
    arguments,
    fold_term,
    kif_symbol,
    kif_text,
    kif_variable,
    sentence,
    signature,
    sort_key,
    variables,
)

__all__ = [
    "And",
    "Atom",
    "Comment",
    "Compound",
    "Constant",
    "Description",
    "Distinct",
    "Formula",
    "GdlSyntaxError",
    "Literal",
    "Not",
    "Or",
    "Place",
    "Rule",
    "Sentence",
    "Signature",
    "SortKey",
    "Term",
    "Variable",
    "arguments",
    "fold_formula",
    "fold_term",
    "kif_symbol",
    "kif_text",
    "kif_variable",
    "operands",
    "sentence",
    "signature",
    "sort_key",
    "span_of",
    "variables",
]

V = TypeVar("V")


class Place(NamedTuple):
    """Where a term or formula stood, and where each of its parts stood.

    Attributes:
        span: The whole of it, brackets included.
        parts: Places of the arguments (of a term) or operands (of a formula), in order.
    """

    span: Span
    parts: tuple[Place, ...] = ()


def span_of(place: Place | None) -> Span | None:
    """Return the span of a place, None when there is none."""
    return None if place is None else place.span


@dataclass(frozen=True, slots=True)
class Atom:
    """A sentence that is asserted or asked for. The parts of its place are its arguments'."""

    sentence: Sentence
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Distinct:
    """True when two terms are not the same term (GDL ``distinct``)."""

    left: Term
    right: Term
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """Negation as failure (GDL ``not``)."""

    operand: Formula
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction inside a formula; the body of a rule is one already."""

    operands: tuple[Formula, ...]
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction (GDL ``or``)."""

    operands: tuple[Formula, ...]
    place: Place | None = field(default=None, compare=False, repr=False)


Formula: TypeAlias = Atom | Distinct | Not | And | Or
Literal: TypeAlias = Atom | Distinct | Not
"""A formula without ``and`` and ``or``; the operand of its ``not`` is an atom."""


def fold_formula(
    formula: Formula,
    leaf: Callable[[Atom | Distinct], V],
    connective: Callable[[Not | And | Or, tuple[V, ...]], V],
) -> V:
    """Return the value of a formula, computed from the values of its parts, without recursion.

    Args:
        formula: Any formula, of any depth.
        leaf: Gives the value of an atom or ``distinct``.
        connective: Gives the value of any other formula from it and its operands' values.
    """
    order: list[Formula] = []
    stack: list[Formula] = [formula]
    while stack:
        inner = stack.pop()
        order.append(inner)
        stack.extend(operands(inner))
    values: list[V] = []
    for inner in reversed(order):  # parts before the whole, from left to right
        if isinstance(inner, Atom | Distinct):
            values.append(leaf(inner))
        else:
            first = len(values) - len(operands(inner))
            values[first:] = [connective(inner, tuple(values[first:]))]
    return values[0]


def operands(formula: Formula) -> tuple[Formula, ...]:
    """Return the operands of a formula, none for an atom or ``distinct``."""
    match formula:
        case Not(operand):
            return (operand,)
        case And(several) | Or(several):
            return several
        case Atom() | Distinct():
            return ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, or with an empty body a fact.

    Attributes:
        head: What follows from the body.
        body: All of these must hold.
        place: The whole rule.
        has_arrow: Whether it was written with an arrow though its body is empty; only `check`
            and nobody else cares.
    """

    head: Atom
    body: tuple[Formula, ...] = ()
    place: Place | None = field(default=None, compare=False, repr=False)
    has_arrow: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its text without the comment sign, its place, and whether it has its own line."""

    text: str
    span: Span
    own_line: bool


@dataclass(frozen=True, slots=True)
class Description:
    """A game description: the rules of one or more sources, in order.

    Attributes:
        rules: All rules and facts as written.
        sources: Where they came from.
        comments: All comments, by place.
    """

    rules: tuple[Rule, ...]
    sources: tuple[Source, ...] = field(default=(), compare=False, repr=False)
    comments: tuple[Comment, ...] = field(default=(), compare=False, repr=False)

    def __add__(self, other: Description) -> Description:
        """Return the rules of both, this one's first."""
        return Description(
            self.rules + other.rules, self.sources + other.sources, self.comments + other.comments
        )


class GdlSyntaxError(GdlError):
    """The text is not in the language: brackets, symbols, or the shape of a rule.

    Attributes:
        readable: The rules that could be read all the same; None when the text is hardly GDL
            or was not read to its end. `gdl.language.checks.check.check_partial` looks at them.
    """

    def __init__(
        self,
        message: str = "",
        diagnostics: Sequence[Diagnostic] = (),
        *,
        readable: Description | None = None,
    ) -> None:
        """Make an error, with the rules that could be read."""
        super().__init__(message, diagnostics)
        self.readable = readable
