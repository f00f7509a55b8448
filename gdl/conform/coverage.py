"""Which rules of a description fired: coverage of their bodies.

In: a game. Out: for a state and the moves made there, the numbers of the rules whose body holds
for some values. It is asked of the reasoner, of the same rules with one relation more: ``covered``
of a rule's number follows from the rule's body.

Source: rule coverage as in decision coverage of programs; Wielemaker's coverage of Prolog clauses.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from gdl.game import Game
from gdl.language.clauses import Clause
from gdl.language.dependencies import BASE, INPUT
from gdl.language.render import render_rule
from gdl.language.syntax import Atom, Description, Rule
from gdl.language.terms import Compound, Constant, Variable, signature
from gdl.machine import JointMove

COVERED: Final = "covered-rule"
"""No rule of a user is called so by accident; one that is makes coverage refuse."""


@dataclass(frozen=True)
class CoveredRule:
    """A rule with a body, or one of the ways in which its body can hold.

    Attributes:
        number: Its place among these.
        place: File and line, empty where unknown.
        text: The rule.
    """

    number: int
    place: str
    text: str


class Coverage:
    """The rules of a game and how often each fired so far.

    Attributes:
        rules: The rules that have a body and a say in play.
        counts: How many positions each fired in.
    """

    def __init__(self, game: Game) -> None:
        """Prepare; nothing has fired yet."""
        from gdl.reason.machine import Reasoner

        rules = game.ruleset.checked(game.limits)
        asked = [c for c in rules.played if c.body and signature(c.head) not in (BASE, INPUT)]
        self.rules = tuple(_covered(number, clause) for number, clause in enumerate(asked))
        extra = tuple(
            Rule(Atom(Compound(COVERED, (Constant(str(number)),))), clause.body)
            for number, clause in enumerate(asked)
        )
        description = Description(rules.description.rules + extra, rules.description.sources, ())
        self._reasoner = Reasoner(description, limits=game.limits, roles=game.machine.roles)
        self._machine = game.machine
        self.counts: Counter[int] = Counter()

    def fired(self, inner: Any, joint: JointMove = ()) -> frozenset[int]:  # noqa: ANN401
        """Return the numbers of the rules that fire in a state, and after moves made there.

        Args:
            inner: A state of the game's machine.
            joint: The moves; rules about moves do not fire without.

        Raises:
            LimitError: See `Limits`.
        """
        state = self._reasoner.state(self._machine.facts(inner))
        query = Compound(COVERED, (Variable("rule"),))
        found = self._reasoner.instances(state, query, joint)
        return frozenset(int(str(each.args[0])) for each in found if isinstance(each, Compound))

    def note(self, inner: Any, joint: JointMove = ()) -> frozenset[int]:  # noqa: ANN401
        """Count the rules that fire, and return them."""
        found = self.fired(inner, joint)
        self.counts.update(found)
        return found

    @property
    def left(self) -> tuple[CoveredRule, ...]:
        """The rules that no position has exercised."""
        return tuple(rule for rule in self.rules if not self.counts[rule.number])


def _covered(number: int, clause: Clause) -> CoveredRule:
    place = clause.rule.place
    where = "" if place is None else str(place.span).rpartition(" ")[2]
    text = " ".join(render_rule(Rule(Atom(clause.head), clause.body)).split())
    return CoveredRule(number, where, text)
