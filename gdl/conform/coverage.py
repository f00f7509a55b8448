"""Which rules of a description fired: coverage of their bodies.

In: a game. Out: for a state and the moves made there, the numbers of the rules whose body holds
for some values. It is asked of the reasoner, of the same rules with one relation more: ``covered``
of a rule's number follows from the rule's body. When the reasoner has been asked for a while,
machine code takes its place where it can be had (`gdl.conform.watched`): the answers are the same.

Source: rule coverage as in decision coverage of programs; Wielemaker's coverage of Prolog clauses.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from gdl.game import Game
from gdl.language.clauses import Clause
from gdl.language.dependencies import BASE, INPUT
from gdl.language.render import render_rule
from gdl.language.syntax import Atom, Description, Rule
from gdl.language.terms import Compound, Constant, Variable, signature
from gdl.machine import JointMove

if TYPE_CHECKING:
    from gdl.conform.aims import Aim, Aims
    from gdl.conform.watched import Watched

WORTH: Final = ((1.5, 20.0), (60.0, 120.0))
"""Seconds that the reasoner has worked when machine code is tried, and what making that may take:
what is small is there in a second or two, chess in ten; what is not is waited for once it has cost
a minute."""
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
        asked: The same as clauses, by number.
        counts: How many positions each fired in.
    """

    def __init__(self, game: Game) -> None:
        """Prepare; nothing has fired yet."""
        from gdl.reason.machine import Reasoner

        rules = game.ruleset.checked(game.limits)
        asked = [c for c in rules.played if c.body and signature(c.head) not in (BASE, INPUT)]
        self._game, self.asked = game, asked
        self._watched: Watched | None = None
        self._worked, self._tries = 0.0, list(WORTH)
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
        if self._watched is not None:
            return self._watched.fired(inner, joint)
        begin = time.process_time()
        state = self._reasoner.state(self._machine.facts(inner))
        query = Compound(COVERED, (Variable("rule"),))
        instances = self._reasoner.instances(state, query, joint)
        self._worked += time.process_time() - begin
        if self._tries and self._worked > self._tries[0][0]:
            self.watch(self._tries.pop(0)[1])
        return frozenset(
            int(str(instance.args[0])) for instance in instances if isinstance(instance, Compound)
        )

    def keep_reasoning(self) -> None:
        """Ask the reasoner always: it is what machine code is held against."""
        self._tries.clear()

    def watch(self, seconds: float) -> bool:
        """Ask machine code from now on, if it can be had in so many seconds; return whether."""
        from gdl.compile.limits import CompileError

        if self._game.numbered is None:
            self.keep_reasoning()
            return False
        from gdl.conform.watched import Watched

        try:
            self._watched = Watched(self._game, self.asked, seconds)
        except CompileError:
            return False
        return True

    @property
    def watched(self) -> Watched | None:
        """The rules in machine code that says which fire, where it was worth while to make it."""
        return self._watched

    def note(self, inner: Any, joint: JointMove = ()) -> frozenset[int]:  # noqa: ANN401
        """Count the rules that fire, and return them."""
        fired = self.fired(inner, joint)
        self.counts.update(fired)
        return fired

    def aim(self, rng: random.Random, turn: int) -> Aim | None:
        """Return how near states are to a rule that has not fired; None where there is no such.

        None as well where this is no turn for it, as most are of large rules. Asked for the first
        time it makes a circuit of the rules, in some seconds.
        """
        left = [rule.number for rule in self.left]
        if not left or self._aims is None or turn % self._aims.every:
            return None
        aims = [aim for number in left if (aim := self._aims.of(number)) is not None]
        return rng.choice(aims) if aims else None

    def aim_of(self, number: int) -> tuple[Aim, int] | None:
        """Return what says how near states are to where a rule fires, and its cost a state.

        None where that cannot be told.
        """
        aim = None if self._aims is None else self._aims.of(number)
        return None if self._aims is None or aim is None else (aim, self._aims.cost(number))

    @cached_property
    def _aims(self) -> Aims | None:
        """The aims, made when they are asked for first; None where there is no machine code."""
        if self._game.back_end.native is None:
            return None
        from gdl.conform.aims import Aims

        return Aims(self._game, self.asked)

    @property
    def left(self) -> tuple[CoveredRule, ...]:
        """The rules that no position has exercised."""
        return tuple(rule for rule in self.rules if not self.counts[rule.number])


def _covered(number: int, clause: Clause) -> CoveredRule:
    place = clause.rule.place
    where = "" if place is None else str(place.span).rpartition(" ")[2]
    text = " ".join(render_rule(Rule(Atom(clause.head), clause.body)).split())
    return CoveredRule(number, where, text)
