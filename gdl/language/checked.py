"""A description together with what every back end wants to know of it, each computed once.

In: a description and limits. Out: its clausal form, the clauses that play rests on, and the
strata in which these are evaluated; or the refusal of rules that have no meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from gdl.language.clauses import Clause, clauses
from gdl.language.condition_order import Orders
from gdl.language.dependencies import (
    BASE,
    DOES,
    INPUT,
    PLAY,
    ROLE,
    TRUE,
    UnstratifiedError,
    dependency_graph,
)
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.strata import strata
from gdl.language.syntax import (
    Description,
    Signature,
    Term,
    Variable,
    arguments,
    sentence,
    signature,
)

PLAYER, ANY = Variable("player"), Variable("any")
QUESTIONS: Final = tuple(sentence(name, (PLAYER, ANY)[2 - arity :]) for name, arity in PLAY)
"""What play asks for; of `PLAYER` it says whom it asks about."""


class _Meant(NamedTuple):
    """The clauses with a meaning, their strata, and why other relations have none."""

    clauses: tuple[Clause, ...]
    layers: tuple[tuple[Clause, ...], ...]
    refused: Mapping[Signature, UnstratifiedError]


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

        Raises:
            UnstratifiedError: A sentence may depend on its own negation.
        """
        return self._meant.clauses

    @property
    def layers(self) -> tuple[tuple[Clause, ...], ...]:
        """These clauses in strata, each after those that its negations are about.

        Raises:
            UnstratifiedError: A sentence may depend on its own negation.
        """
        return self._meant.layers

    @property
    def refused(self) -> Mapping[Signature, UnstratifiedError]:
        """Relations of ``base`` and ``input`` that have no one meaning, and why.

        Raises:
            UnstratifiedError: Others have none either.
        """
        return self._meant.refused

    @cached_property
    def _meant(self) -> _Meant:
        """Leave out what refuses the game, if ``base`` and ``input`` alone are served by it.

        They mean nothing to play, so neither they nor what serves nobody else can make a game
        one that is refused. As little as possible is left out: others may ask for it.
        """
        asked = tuple(c for c in self.clauses if signature(c.head) not in (TRUE, DOES))
        refusal: UnstratifiedError | None = None
        for hints in ((), (BASE,), (INPUT,), (BASE, INPUT)):
            left_out = dependency_graph(asked).serving_alone(hints) if hints else frozenset()
            meant = tuple(clause for clause in asked if signature(clause.head) not in left_out)
            try:
                in_strata = strata(meant)
            except UnstratifiedError as error:
                refusal = refusal or error
            else:
                return _Meant(meant, in_strata, dict.fromkeys(left_out, refusal) if refusal else {})
        assert refusal is not None
        raise refusal

    @cached_property
    def roles(self) -> tuple[Term, ...]:
        """The roles, where the rules name them outright; none where other rules derive them."""
        of_role = [clause for clause in self.clauses if signature(clause.head) == ROLE]
        if any(clause.body or not clause.head.is_ground for clause in of_role):
            return ()
        return tuple(dict.fromkeys(arguments(clause.head)[0] for clause in of_role))

    @cached_property
    def hides_facts(self) -> bool:
        """Whether the rules are GDL-II: they say what roles see, who then know nothing else."""
        return any(rule.head.sentence.name == "sees" for rule in self.description.rules)

    @cached_property
    def orders(self) -> Orders:
        """For each rule of play, in which order its conditions can be met.

        Raises:
            UnstratifiedError: A sentence may depend on its own negation.
            InvalidDescriptionError: Nothing gives a variable a value.
        """
        orders = Orders(self.layers)
        for question in QUESTIONS:
            orders.question(question, (PLAYER,))
        return orders


def checked(
    description: Description | CheckedDescription, limits: Limits = DEFAULT_LIMITS
) -> CheckedDescription:
    """Return a description as a checked one; one that is checked already as it is."""
    if isinstance(description, CheckedDescription):
        return description
    return CheckedDescription(description, limits)
