"""Unification: the most general way to make terms equal.

In: pairs of terms. Out: a substitution, or None when the terms can never be equal.
No recursion, and a bound on the work: a unifier can be exponentially larger than the
terms it unifies.

Source: Robinson, "A Machine-Oriented Logic Based on the Resolution Principle", 1965,
section 5; Baader, Snyder, "Unification Theory", 2001, section 2.3 (its growth).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar, cast

from gdl.language.syntax import Compound, Constant, Term, Variable

MAX_STEPS: Final = 100_000
"""Terms that one unifier may visit; unifiers in real rules visit fewer than ten."""

SomeTerm = TypeVar("SomeTerm", bound=Term)


class UnifierTooLargeError(Exception):
    """The unifier would take more than `MAX_STEPS` steps to find or to apply."""


class Unifier:
    """What each variable stands for, so that all pairs unified so far are equal.

    Example:
        >>> unifier, x, a = Unifier(), Variable("x"), Constant("a")
        >>> unifier.unify([(Compound("f", (x,)), Compound("f", (a,)))]), unifier.apply(x)
        (True, Constant('a'))
        >>> Unifier().unify([(x, Compound("f", (x,)))])
        False
    """

    def __init__(self) -> None:
        """Begin with no variable bound."""
        self._terms: dict[Variable, Term] = {}
        self._steps = 0

    def unify(self, pairs: Iterable[tuple[Term, Term]]) -> bool:
        """Make all pairs equal; return whether that can be done.

        Raises:
            UnifierTooLargeError: See `MAX_STEPS`.
        """
        work = list(reversed(list(pairs)))
        while work:
            left, right = map(self.apply, work.pop())
            if left is right:
                continue
            if isinstance(right, Variable):
                left, right = right, left
            if isinstance(left, Variable):
                if not self._bind(left, right):
                    return False
            elif (
                isinstance(left, Compound)
                and isinstance(right, Compound)
                and left.name == right.name
                and len(left.args) == len(right.args)
            ):
                work.extend(zip(reversed(left.args), reversed(right.args), strict=True))
            else:
                return False
        return True

    def apply(self, term: SomeTerm) -> SomeTerm:
        """Return a term with its variables replaced; a sentence stays a sentence.

        Raises:
            UnifierTooLargeError: See `MAX_STEPS`.
        """
        return cast("SomeTerm", self._replace(term))

    def _bind(self, variable: Variable, term: Term) -> bool:
        # Kept: no variable that is bound occurs in any value, so that replacing once is enough. The
        # occurs check is what keeps (x, f(x)) from being bound, which has no finite solution.
        if self._occurs(variable, term):
            return False
        bound = self._terms
        self._terms = {variable: term}
        bound = {other: self._replace(value) for other, value in bound.items()}
        self._terms = {**bound, variable: term}
        return True

    def _replace(self, term: Term) -> Term:
        if isinstance(term, Variable):
            return self._terms.get(term, term)
        if isinstance(term, Constant) or term.is_ground:
            return term
        # Compounds whose arguments are being replaced, innermost last.
        unfinished: list[tuple[Compound, list[Term]]] = [(term, [])]
        while True:
            self._step()
            compound, args = unfinished[-1]
            if len(args) < len(compound.args):
                arg = compound.args[len(args)]
                match arg:
                    case Compound(is_ground=False):
                        unfinished.append((arg, []))
                    case Variable():
                        args.append(self._terms.get(arg, arg))
                    case _:
                        args.append(arg)
                continue
            unfinished.pop()
            result = Compound(compound.name, tuple(args))
            if not unfinished:
                return result
            unfinished[-1][1].append(result)

    def _occurs(self, variable: Variable, term: Term) -> bool:
        stack = [term]
        while stack:
            self._step()
            inner = stack.pop()
            if inner is variable:
                return True
            if isinstance(inner, Compound) and not inner.is_ground:
                stack.extend(inner.args)
        return False

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise UnifierTooLargeError
