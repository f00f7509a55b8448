"""Matching: is a ground term an instance of another one, and by which substitution?

In: a pattern and a ground term. Out: what each variable stands for. No recursion.

Source: Baader, Nipkow, "Term Rewriting and All That", 1998, section 4.7 (matching).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias, TypeVar, cast

from gdl.language.terms import Compound, Constant, Term, Variable

SHALLOW: Final = 32
"""Nesting up to which recursion is safe, and faster."""
Substitution: TypeAlias = Mapping[Variable, Term]
SomeTerm = TypeVar("SomeTerm", bound=Term)


def match(pattern: Term, ground: Term, bindings: Substitution) -> dict[Variable, Term] | None:
    """Return ``bindings``, extended so that the pattern becomes the ground term, or None."""
    substitution = dict(bindings)
    work = [(pattern, ground)]
    while work:
        inner, value = work.pop()
        if isinstance(inner, Variable):
            if substitution.setdefault(inner, value) is not value:
                return None
        elif inner.is_ground:
            if inner is not value:
                return None
        elif (
            isinstance(inner, Compound)
            and isinstance(value, Compound)
            and inner.name == value.name
            and len(inner.args) == len(value.args)
        ):
            work += zip(inner.args, value.args, strict=True)
        else:
            return None
    return substitution


def match_row(
    patterns: Iterable[Term], row: Iterable[Term], bindings: Substitution
) -> dict[Variable, Term] | None:
    """Return ``bindings``, extended so that each pattern becomes its term; None if it cannot."""
    substitution: dict[Variable, Term] | None = dict(bindings)
    for pattern, ground in zip(patterns, row, strict=True):
        substitution = None if substitution is None else match(pattern, ground, substitution)
    return substitution


def applied_row(row: Iterable[Term], bindings: Substitution) -> tuple[Term, ...]:
    """Return terms with the variables that are known replaced."""
    return tuple([applied(term, bindings) for term in row])


def applied(term: SomeTerm, bindings: Substitution) -> SomeTerm:
    """Return a term with the variables that are known replaced; a sentence stays a sentence."""
    if term.depth <= SHALLOW:
        return cast("SomeTerm", _applied(term, bindings))
    values: list[Term] = []
    work: list[tuple[Term, bool]] = [(term, False)]
    while work:
        inner, are_args_done = work.pop()
        if isinstance(inner, Variable):
            values.append(bindings.get(inner, inner))
        elif isinstance(inner, Constant) or inner.is_ground:
            values.append(inner)
        elif are_args_done:
            first = len(values) - len(inner.args)
            values[first:] = [Compound(inner.name, tuple(values[first:]))]
        else:
            work.append((inner, True))
            work += [(arg, False) for arg in reversed(inner.args)]
    return cast("SomeTerm", values[0])


def _applied(term: Term, bindings: Substitution) -> Term:
    if isinstance(term, Variable):
        return bindings.get(term, term)
    if isinstance(term, Constant) or term.is_ground:
        return term
    return Compound(term.name, tuple([_applied(arg, bindings) for arg in term.args]))


def may_unify(left: Term, right: Term) -> bool:
    """Return whether two terms from different clauses may have an instance in common.

    Repeated variables are not compared, so the answer may be a false yes, never a false no.
    """
    stack = [(left, right)]
    while stack:
        left, right = stack.pop()
        if left is right or isinstance(left, Variable) or isinstance(right, Variable):
            continue
        if not (
            isinstance(left, Compound)
            and isinstance(right, Compound)
            and left.name == right.name
            and len(left.args) == len(right.args)
        ):
            return False
        stack.extend(zip(left.args, right.args, strict=True))
    return True
