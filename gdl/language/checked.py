"""A description together with what every back end wants to know of it, each computed once.

In: a description and limits. Out: its clausal form, the clauses that play rests on, and the
layers in which these are evaluated; or the refusal of rules that have no meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gdl.language import graphs
from gdl.language.clauses import Clause, clauses
from gdl.language.dependencies import DOES, TRUE, UnstratifiedError, dependency_graph
from gdl.language.layers import layers
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.orders import Orders
from gdl.language.syntax import (
    Compound,
    Constant,
    Description,
    Sentence,
    Signature,
    Term,
    Variable,
    arguments,
    signature,
)

HINTS: Final = frozenset({Signature("base", 1), Signature("input", 2)})
"""Relations that are hints for compilers and mean nothing to play."""

ROLE_OF: Final = Signature("role", 1)
ROLE, ANY = Variable("role"), Variable("any")
PLAY: Final[tuple[Sentence, ...]] = (
    *(Compound(name, (ANY,)) for name in ("role", "init", "next")),
    *(Compound(name, (ROLE, ANY)) for name in ("legal", "goal", "sees")),
    Constant("terminal"),
)
"""What play asks for; of `ROLE` it says whom it asks about."""


@dataclass(frozen=True, eq=False)
class CheckedDescription:
    """A description, and what follows from its text alone.

    Attributes:
        description: The rules as written.
        limits: What bringing them into clausal form may cost.
    """

    description: Description
    limits: Limits = DEFAULT_LIMITS

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The clausal form, in the order of the rules.

        Raises:
            LimitError: Too many clauses.
        """
        return clauses(self.description, limits=self.limits)

    @property
    def played(self) -> tuple[Clause, ...]:
        """The clauses that are evaluated, in the order of the rules.

        What is ``true`` and who ``does`` what come from outside, so rules for them say nothing.
        Nor do those for ``base`` and ``input``, where they alone have no meaning.
        """
        return self._layered[0]

    @property
    def layers(self) -> tuple[tuple[Clause, ...], ...]:
        """These clauses in layers, each after those that its negations are about.

        Raises:
            UnstratifiedError: A sentence may depend on its own negation.
        """
        return self._layered[1]

    @cached_property
    def _layered(self) -> tuple[tuple[Clause, ...], tuple[tuple[Clause, ...], ...]]:
        found = tuple(c for c in self.clauses if signature(c.head) not in (TRUE, DOES))
        try:
            return found, layers(found)
        except UnstratifiedError:
            heads = (signature(clause.head) for clause in found)
            roots = [head for head in heads if head not in HINTS]
            asked = graphs.reachable(dependency_graph(found).successors, roots)
            found = tuple(clause for clause in found if signature(clause.head) in asked)
            return found, layers(found)

    @cached_property
    def roles(self) -> tuple[Term, ...]:
        """The roles, where the rules name them outright; none where other rules derive them."""
        of_role = [clause for clause in self.clauses if signature(clause.head) == ROLE_OF]
        if any(clause.body or not clause.head.is_ground for clause in of_role):
            return ()
        return tuple(dict.fromkeys(arguments(clause.head)[0] for clause in of_role))

    @cached_property
    def orders(self) -> Orders:
        """For each rule of play, in which order its conditions can be met.

        Raises:
            UnstratifiedError: A sentence may depend on its own negation.
            InvalidDescriptionError: Nothing gives a variable a value.
        """
        orders = Orders(self.layers)
        for query in PLAY:
            orders.question(query, (ROLE,))
        return orders


def checked(
    description: Description | CheckedDescription, limits: Limits = DEFAULT_LIMITS
) -> CheckedDescription:
    """Return a description as a checked one; one that is checked already as it is."""
    if isinstance(description, CheckedDescription):
        return description
    return CheckedDescription(description, limits)
