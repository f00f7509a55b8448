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
from gdl.language.dependencies import DOES, TRUE, dependency_graph
from gdl.language.layers import layers
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.orders import Orders
from gdl.language.syntax import (
    Compound,
    Constant,
    Description,
    Sentence,
    Signature,
    Variable,
    signature,
)

HINTS: Final = frozenset({Signature("base", 1), Signature("input", 2)})
"""Relations that are hints for compilers and mean nothing to play."""

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

    @cached_property
    def played(self) -> tuple[Clause, ...]:
        """The clauses that have a say in play.

        What is ``true`` and who ``does`` what come from outside, so rules for them say nothing;
        ``base`` and ``input`` say nothing but to those rules that ask for them.
        """
        inner = [clause for clause in self.clauses if signature(clause.head) not in (TRUE, DOES)]
        successors = dependency_graph(inner).successors
        roots = (signature(clause.head) for clause in inner)
        asked = graphs.reachable(successors, (root for root in roots if root not in HINTS))
        return tuple(clause for clause in inner if signature(clause.head) in asked)

    @cached_property
    def layers(self) -> tuple[tuple[Clause, ...], ...]:
        """The clauses of play in layers, each after those that its negations are about.

        Raises:
            UnstratifiedError: A sentence may depend on its own negation.
        """
        return layers(self.played)

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
