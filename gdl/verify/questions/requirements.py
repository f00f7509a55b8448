"""What mended rules have to have: a property of one game, or to be the same game as another.

In: a ruleset, and what was refuted of it. Out: a `Requirement`, which says of other rules whether
a play that is known still shows the fault (in hundredths of a second, by the reasoner), and by
`gdl.verify` or `gdl.diff` whether it is proved of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Protocol

from gdl.circuit.aig import FALSE
from gdl.compile.limits import CompileLimits
from gdl.compile.pipeline import build
from gdl.language.dependencies import GOAL, LEGAL, NEXT, TRUE
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.render import render
from gdl.language.spelling import Suggester
from gdl.language.syntax import (
    Atom,
    Constant,
    Description,
    Formula,
    Rule,
    Signature,
    Term,
    signature,
)
from gdl.language.walk import conditions
from gdl.machine import JointMove
from gdl.reason.machine import Reasoner
from gdl.ruleset import Ruleset
from gdl.verify.answer import Difference
from gdl.verify.diff import Comparison
from gdl.verify.properties import termination
from gdl.verify.properties.custom import CustomProperty, bodies, own_properties
from gdl.verify.properties.examination import Examination
from gdl.verify.properties.monitors import WatchingReasoner, first_free, with_monitors
from gdl.verify.properties.verdict import Status, Verdict, Verification
from gdl.verify.properties.well_formed import Property, standard_properties
from gdl.verify.solvers.budget import Budget

TERMINAL: Final = Signature("terminal", 0)
Play = tuple[JointMove, ...]
Seen = list[tuple[bool, tuple[Any, ...]] | None]
"""What a play shows in each of its states: whether it is over, and each role's moves or goals. None
for what may change: a whole state, from which on nothing is compared, or what one role has."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known of rules that were changed.

    Attributes:
        status: Whether what is required is proved of them.
        text: How that is known.
        play: A play that refutes it, where there is one.
    """

    status: Status
    text: str
    play: Play | None = None


class Requirement(Protocol):
    """What mended rules have to have."""

    @property
    def claim(self) -> str:
        """What it says."""

    @property
    def asks(self) -> tuple[Signature, ...]:
        """The relations that it speaks of."""

    @property
    def pattern(self) -> Description | None:
        """The rules whose plays mended ones have to keep; None where plays cannot be compared."""

    def is_shown(self, description: Description, play: Play) -> bool:
        """Return whether a play shows that rules do not have it."""

    def seen(self, description: Description, play: Play) -> Seen:
        """Return what a play shows, without what the fault makes of it."""

    def judge(self, ruleset: Ruleset, budget: Budget) -> Judgement:
        """Return whether it is proved of a ruleset."""


def no_property(verification: Verification, wanted: str) -> GdlError:
    """Return the error of a name that no property of a game has."""
    names = [verdict.name for verdict in verification.verdicts]
    near = Suggester(sorted(names)).closest(wanted)
    return GdlError(
        f"{verification.name} has no property {wanted!r}",
        expected=", ".join(names),
        help=None if near is None else f"did you mean {near!r}?",
    )


def ruleset_with(ruleset: Ruleset, description: Description) -> Ruleset:
    """Return other rules under the same name, written and drawn in the same way."""
    return Ruleset(
        ruleset.id,
        (),
        text=render(description, syntax="kif"),
        limits=ruleset.limits,
        presentation_source=ruleset.presentation,
    )


def states_of(machine: Any, play: Play) -> list[Any]:  # noqa: ANN401  # any back end
    """Return the states of a play, as far as it is one: the first at least."""
    states = [machine.initial()]
    for joint in play:
        state = states[-1]
        if machine.is_terminal(state) or any(
            move not in machine.legal(state, role)
            for role, move in zip(machine.roles, joint, strict=True)
        ):
            break
        states.append(machine.successor(state, joint))
    return states


def is_kept(description: Description, play: Play, seen: Seen) -> bool:
    """Return whether a play is the same play of other rules, as far as it was to be kept."""
    machine = Reasoner(description)
    states = states_of(machine, play)
    for index, row in enumerate(seen):
        if row is None:
            return True
        if index >= len(states) or machine.is_terminal(states[index]) != row[0]:
            return False
        there = _shown(machine, states[index])[1]
        if any(own not in (None, other) for own, other in zip(row[1], there, strict=True)):
            return False
    return len(states) <= len(seen)


def _shown(machine: Any, state: Any) -> tuple[bool, tuple[Any, ...]]:  # noqa: ANN401  # any back end
    over = machine.is_terminal(state)
    asked = machine.goals if over else machine.legal
    return over, tuple(asked(state, role) for role in machine.roles)


def _is_one_goal(goals: tuple[int, ...]) -> bool:
    return len(goals) == 1 and 0 <= goals[0] <= 100  # noqa: PLR2004


@dataclass(frozen=True)
class PropertyRequired:
    """A property that was refuted has to be proved, and what was proved has to stay so.

    Attributes:
        ruleset: The game.
        verdict: What was found of the property.
        kept: Names and claims of what was proved.
        custom: The user's own properties, of which it may be one.
        seed: Of random plays.
        limits: What reading the rules may take.
        shown: Of what was proved, that which a play proves, and the play: where it is the same
            play of other rules, nothing has to be proved anew.
    """

    ruleset: Ruleset
    verdict: Verdict
    kept: frozenset[tuple[str, str]]
    custom: tuple[CustomProperty, ...] = ()
    seed: int = 0
    limits: Limits = DEFAULT_LIMITS
    shown: tuple[tuple[str, Play], ...] = ()

    @property
    def claim(self) -> str:
        """What it says."""
        return f"{self.verdict.name}: {self.verdict.claim}"

    @property
    def asks(self) -> tuple[Signature, ...]:
        """The relations that it speaks of."""
        name = self.verdict.name
        if name == termination.NAME:
            return TERMINAL, NEXT
        if name.startswith("goals"):
            return GOAL, TERMINAL
        if name in ("playable", "turn-taking"):
            return LEGAL, TERMINAL
        for wanted, body in zip(self.custom, self._bodies, strict=True):
            if wanted.name == name:
                asked = Rule(Atom(Constant("asked")), body)
                relations = [
                    signature(leaf.sentence)
                    for leaf, _ in conditions(asked)
                    if isinstance(leaf, Atom)
                ]
                return tuple(NEXT if relation == TRUE else relation for relation in relations)
        return (NEXT,) if name.startswith("one ") else (GOAL, TERMINAL)

    @cached_property
    def _bodies(self) -> list[tuple[Formula, ...]]:
        return bodies(self.ruleset.description, self.custom, limits=self.limits)

    @cached_property
    def _own(self) -> list[Property]:
        """The user's own properties."""
        monitored = with_monitors(self.ruleset.description, self._role, self._bodies)
        return own_properties(self.custom, [FALSE] * len(self.custom), monitored, self._role)

    @cached_property
    def _role(self) -> Term:
        """The role whose goals and percepts tell what is watched."""
        return Reasoner(self.ruleset.description, limits=self.limits).roles[0]

    @cached_property
    def _standard(self) -> list[Property]:
        """What is asked of every game."""
        return standard_properties(build(self.ruleset.description, limits=CompileLimits()))

    @cached_property
    def _property(self) -> Property | None:
        """What a state shows; None for a property of whole plays."""
        name = self.verdict.name
        if name == termination.NAME:
            return None
        claims = self._own if any(claim.name == name for claim in self._own) else self._standard
        return next(claim for claim in claims if claim.name == name)

    def _still_shown(self, description: Description) -> set[str]:
        """Return what was proved by a play and is proved by the same play of other rules."""
        if not self.shown:
            return set()
        asked = {claim.name: claim for claim in (*self._standard, *self._own) if claim.is_possible}
        machine = self.watching(description)
        return {
            name
            for name, play in self.shown
            if name in asked and self._is_shown_by(machine, play, asked[name])
        }

    def is_shown(self, description: Description, play: Play) -> bool:
        """Return whether a play shows that rules do not have it."""
        return self.shows(self.watching(description), play)

    def watching(self, description: Description) -> Reasoner:
        """Return rules as a machine that also says whether the user's own formulas hold."""
        if not self.custom:
            return Reasoner(description, limits=self.limits)
        # The numbers are those of the rules as they are, in which the properties were written.
        first = first_free(self.ruleset.description, len(self._bodies))
        monitored = with_monitors(description, self._role, self._bodies, first=first)
        return WatchingReasoner(monitored, limits=self.limits)

    def shows(self, machine: Reasoner, play: Play) -> bool:
        """Return whether a play shows the fault on such a machine."""
        if self._property is not None:
            return self._is_shown_by(machine, play, self._property)
        states = states_of(machine, play)
        again = len(states) > len(play) and states[-1] in states[:-1]
        return again and not machine.is_terminal(states[-1])

    @staticmethod
    def _is_shown_by(machine: Reasoner, play: Play, asked: Property) -> bool:
        """Return whether a state of a play, or a move of it, is what a property asks for."""
        states = states_of(machine, play)
        steps = [None, *zip(states, play, strict=False)]
        return any(
            asked.shows(machine, state, step) for state, step in zip(states, steps, strict=False)
        )

    @property
    def pattern(self) -> Description:
        """The rules as they are."""
        return self.ruleset.description

    def seen(self, description: Description, play: Play) -> Seen:
        """Return what a play shows; of a state with the fault, only what is no part of it."""
        asked = self._property
        machine = Reasoner(description, limits=self.limits)
        watching = self.watching(description)
        states = states_of(machine, play)
        steps = [None, *zip(states, play, strict=False)]
        seen: Seen = []
        for state, step in zip(states, steps, strict=False):
            over, values = _shown(machine, state)
            if asked is not None and asked.shows(watching, state, step):
                if not (over and self.verdict.name.startswith("goals")):
                    return [*seen, None]
                values = tuple(goals if _is_one_goal(goals) else None for goals in values)
            seen.append((over, values))
        return seen

    def judge(self, ruleset: Ruleset, budget: Budget) -> Judgement:
        """Return whether it is proved of a ruleset, and all that was proved before too."""
        still_shown = self._still_shown(ruleset.description)
        names = {self.verdict.name, *(name for name, _ in self.kept)} - still_shown
        own = self.verdict.name, self.verdict.claim
        asked = Examination(
            ruleset, self.custom, budget, self.seed, self.limits, wanted=names.__contains__
        )
        verdicts = {verdict.name: verdict for verdict in asked.run().verdicts}
        mine = verdicts.get(self.verdict.name)
        if mine is None or mine.status != "proved":
            if mine is None:
                return Judgement("open", f"{self.verdict.name} could not be asked")
            return Judgement(mine.status, mine.text, mine.play)
        for name, claim in sorted(self.kept - {own}):
            if name in still_shown:
                continue
            other = verdicts.get(name)
            if other is None or other.status != "proved" or other.claim != claim:
                how = "gone" if other is None else other.status
                return Judgement("open", f"{name} was proved before, and is {how} then")
        return Judgement("proved", mine.text)


@dataclass(frozen=True)
class SameGame:
    """Rules have to be the same game as others.

    Attributes:
        ruleset: The game that is mended.
        reference: The game that it has to be.
        difference: How the two differ.
        options: What else `gdl.diff` was asked.
    """

    ruleset: Ruleset
    reference: Ruleset
    difference: Difference
    seed: int = 0
    limits: Limits = DEFAULT_LIMITS
    theirs: dict[Play, Play] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Remember which play of the reference stands for the play that tells them apart."""
        self._remember(self.difference)

    @property
    def claim(self) -> str:
        """What it says."""
        return f"the same game as {self.reference.id}"

    @property
    def asks(self) -> tuple[Signature, ...]:
        """The relations in which the games differ first."""
        names = {"terminal": TERMINAL, "legal": LEGAL, "goal": GOAL, "sees": Signature("sees", 2)}
        return tuple(dict.fromkeys(names[kind.value] for kind in self.difference.kinds))

    def _remember(self, answer: Difference) -> None:
        if answer.plays is not None:
            self.theirs[answer.plays[0]] = answer.plays[1]

    @cached_property
    def _machine(self) -> Reasoner:
        return Reasoner(self.reference.description, limits=self.limits)

    @property
    def same_names(self) -> bool:
        """Whether moves and roles are called the same in both games."""
        return self.difference.matching == "same names"

    def is_shown(self, description: Description, play: Play) -> bool:
        """Return whether rules and reference differ after a play, as far as names do not matter."""
        machine, other = Reasoner(description, limits=self.limits), self._machine
        states, expected = states_of(machine, play), states_of(other, self.theirs[play])
        if len(states) <= len(play):
            return len(expected) > len(self.theirs[play])  # it was a play, and is none now
        if len(expected) <= len(self.theirs[play]):
            return True
        state, there = states[-1], expected[-1]
        if machine.is_terminal(state) != other.is_terminal(there):
            return True
        if not self.same_names:
            return False
        if machine.is_terminal(state):
            return any(machine.goals(state, r) != other.goals(there, r) for r in machine.roles)
        return any(machine.legal(state, r) != other.legal(there, r) for r in machine.roles)

    @property
    def pattern(self) -> Description | None:
        """The reference, where it calls everything the same."""
        return self.reference.description if self.same_names else None

    def seen(self, description: Description, play: Play) -> Seen:
        """Return what a play shows."""
        machine = Reasoner(description, limits=self.limits)
        return [_shown(machine, state) for state in states_of(machine, play)]

    def judge(self, ruleset: Ruleset, budget: Budget) -> Judgement:
        """Return whether a ruleset is proved to be the same game as the reference."""
        comparison = Comparison((ruleset, self.reference), budget, seed=self.seed)
        answer = comparison.by_text(self.limits) or comparison.run(self.limits)
        if answer.equivalent:
            return Judgement("proved", answer.headline)
        self._remember(answer)
        status: Status = "open" if answer.equivalent is None else "refuted"
        return Judgement(status, answer.headline, answer.play)
