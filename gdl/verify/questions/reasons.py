"""What would break a proof, by changes of one rule, and what of a formula it does not need.

In: a game, and a property that is proved of it. Out: `Reasons`. Changes of one rule, the nearest
first, after which a play refutes the property: the rules whose changes do so are what it rests on.
And for a formula that must never hold, the shorter ones that never hold either: what is left out of
them has no part in it, and where nothing is left the formula says nothing of what it seems to.

Source: vacuity as in Beer, Ben-David, Eisner, Rodeh, "Efficient Detection of Vacuity in Temporal
Model Checking", FMSD 2001; coverage by mutation as in Chockler, Kupferman, Vardi, "Coverage Metrics
for Formal Verification", CHARME 2003.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from gdl.game import GameLike, ruleset_of
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.preconditions import require, require_whole
from gdl.language.render import render_rule
from gdl.language.syntax import And, Atom, Constant, Formula, Rule, signature
from gdl.machine import JointMove
from gdl.playouts import playout
from gdl.reason.machine import Reasoner
from gdl.ruleset import Ruleset
from gdl.verify.diff import require_packages
from gdl.verify.properties.custom import CustomProperty, bodies, require_probes
from gdl.verify.properties.examination import Examination
from gdl.verify.properties.verdict import Verdict
from gdl.verify.proving.prove import OnStage
from gdl.verify.questions.changes import Change, Changes, Kind, changed
from gdl.verify.questions.patch import difference, places
from gdl.verify.questions.repair import distances
from gdl.verify.questions.requirements import Play, PropertyRequired, no_property
from gdl.verify.solvers.budget import (
    DEFAULT_MEGABYTES,
    DEFAULT_SECONDS,
    Budget,
    OutOfBudgetError,
    check_budget,
)

ASKING: Final = 0.4
"""Of the time, what the proof may take."""
PLAYS: Final = 24
"""Random plays of changed rules, in which a play that refutes the property is looked for."""
PLIES: Final = 100
"""Plies of each, at most."""
SMALL: Final = frozenset({Kind.WITHOUT, Kind.TURNED, Kind.RELATION, Kind.TERM, Kind.REMOVED})
"""Changes that a slip of the hand makes."""


@dataclass(frozen=True, slots=True)
class Break:
    """A change after which a property does not hold.

    Attributes:
        change: What is done, with file and line.
        patch: The same as a unified diff.
        play: A play of the changed rules, as the reasoner plays them, that refutes the property.
    """

    change: str
    patch: str
    play: Play


@dataclass(frozen=True, slots=True)
class Reasons:
    """What a proof is made of.

    Attributes:
        verdict: What is known of the property.
        breaks: Changes that refute it, the nearest first, one a rule.
        weaker: For ``never`` formulas: shorter ones that are proved, too, as KIF.
        tried: How many changes were tried.
        stopped: Why the search ended before all were tried; empty where it did not.
    """

    verdict: Verdict
    breaks: tuple[Break, ...] = ()
    weaker: tuple[str, ...] = ()
    tried: int = 0
    stopped: str = ""


def reasons(  # noqa: PLR0913  # one parameter for each thing a user may want
    game: GameLike,
    wanted: str,
    *,
    probes: Sequence[CustomProperty] = (),
    most: int = 3,
    seconds: float = DEFAULT_SECONDS,
    megabytes: int = DEFAULT_MEGABYTES,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    on_stage: OnStage | None = None,
) -> Reasons:
    """Return what a proof is made of: what would break it, and what it does not need.

    Args:
        game: A ruleset id, a rule file, a ruleset or a game.
        wanted: The property, as `gdl.verify` calls it.
        probes: The user's own properties.
        most: Rules at most of which a change that refutes the property is shown.
        seconds: Wall-clock time for everything.
        megabytes: Memory that the process may take for this.
        seed: Of the random plays.
        limits: What reading the rules may take.
        on_stage: Told how far things are.

    Raises:
        ArgumentError: An argument of a type or value that it cannot have.
        UnknownRulesetError: There is no such ruleset or file.
        GdlSyntaxError: The rules, or a formula, cannot be read.
        CompileError: The rules cannot be made into a circuit.
        GdlError: There is no such property; the packages of the extra ``verify`` are missing.
    """
    check_budget(seconds, megabytes, seed, on_stage)
    require_whole("most", most, 1)
    require("wanted", wanted, str, "the name of a property")
    probes = require_probes(probes)
    ruleset = ruleset_of(game, limits=limits)
    require_packages()
    budget = Budget(seconds, megabytes)
    verdicts, weaker = examined(
        ruleset,
        wanted,
        probes,
        budget.share(ASKING * seconds),
        seed=seed,
        limits=limits,
        on_stage=on_stage,
    )
    verdict = verdicts[wanted]
    if verdict.status != "proved" or verdict.play is not None:
        return Reasons(verdict)
    # What is proved is broken by changed rules alone, so the same is asked of one change at a time.
    required = PropertyRequired(ruleset, verdict, frozenset(), probes, seed, limits)
    search = _Search(required, budget, Random(seed), on_stage)  # noqa: S311  # chance for plays
    stopped = search.run(most)
    return Reasons(verdict, tuple(search.breaks), weaker, search.tried, stopped)


def examined(  # noqa: PLR0913  # what an examination takes
    ruleset: Ruleset,
    wanted: str,
    probes: tuple[CustomProperty, ...],
    budget: Budget,
    *,
    seed: int,
    limits: Limits,
    on_stage: OnStage | None,
    beside: Sequence[CustomProperty] = (),
    without: Collection[str] = (),
    is_plain: bool = False,
) -> tuple[dict[str, Verdict], tuple[str, ...]]:
    """Ask of one property, and of a formula what is left of it without one of its literals.

    Args:
        ruleset: The game.
        wanted: The property.
        probes: The user's own properties.
        budget: For all of it.
        seed: Of the random plays.
        limits: What reading the rules may take.
        on_stage: Told how far things are.
        beside: What else is asked.
        without: Stages to leave out.
        is_plain: As of `Examination`.

    Returns:
        The verdicts by name, and the shorter formulas that are proved.

    Raises:
        GdlError: There is no such property; says which there are.
    """
    shorter = _shorter_formulas(ruleset, [p for p in probes if p.name == wanted], limits)
    more = (*shorter, *beside)
    names = {wanted, *(claim.name for claim in more)}
    examination = Examination(
        ruleset,
        (*probes, *more),
        budget,
        seed,
        limits,
        on_stage,
        without=without,
        wanted=names.__contains__,
        is_plain=is_plain,
    )
    verdicts = {verdict.name: verdict for verdict in examination.run().verdicts}
    if wanted not in verdicts:
        # All names, of which nothing is asked.
        raise no_property(Examination(ruleset, probes, Budget(0.0), wanted=None).run(), wanted)
    weaker = tuple(
        claim.formula
        for claim in shorter
        if claim.name in verdicts and verdicts[claim.name].status == "proved"
    )
    return verdicts, weaker


def _shorter_formulas(
    ruleset: Ruleset, probes: Sequence[CustomProperty], limits: Limits
) -> list[CustomProperty]:
    """Return the formulas that are left of a conjunction when one literal is left out."""
    claims = []
    for probe, body in zip(probes, bodies(ruleset.description, probes, limits=limits), strict=True):
        parts = [part for whole in body for part in _conjuncts(whole)]
        for at in range(len(parts)) if len(parts) > 1 and not probe.is_possible else ():
            text = _written([*parts[:at], *parts[at + 1 :]])
            candidate = CustomProperty(f"{probe.name}, shorter {at}", text)
            try:
                bodies(ruleset.description, [candidate], limits=limits)
            except GdlError:  # what is left binds a variable no more
                continue
            claims.append(candidate)
    return claims


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, And):
        for part in formula.operands:
            yield from _conjuncts(part)
    else:
        yield formula


def _written(parts: Sequence[Formula]) -> str:
    """Return a conjunction as KIF."""
    rule = render_rule(Rule(Atom(Constant("watched")), tuple(parts)), syntax="kif", width=10_000)
    texts = " ".join(rule.split())[len("(<= watched ") : -1]
    return texts if len(parts) == 1 else f"(and {texts})"


class _Search:
    """Changes that refute a property, looked for among random plays of changed rules."""

    def __init__(
        self,
        required: PropertyRequired,
        budget: Budget,
        chance: Random,
        on_stage: OnStage | None,
    ) -> None:
        self.required, self.budget, self.chance = required, budget, chance
        self.on_stage = on_stage
        self.description = required.ruleset.description
        self.breaks: list[Break] = []
        self.tried = 0

    def run(self, most: int) -> str:
        """Try changes until enough are found; return why it ended early, empty where it did not."""
        done: set[int] = set()
        try:
            for change in self._changes():
                if change.at in done:
                    continue
                self.budget.check()
                self.tried += 1
                if self.on_stage is not None:
                    self.on_stage("what breaks it", f"{self.tried} changes tried")
                play = self._refuting(change)
                if play is not None:
                    done.add(change.at)
                    patch = difference(self.description, [change])
                    (said,) = places(self.description, [change])
                    self.breaks.append(Break(said, patch, play))
                    if len(self.breaks) == most:
                        return ""
        except OutOfBudgetError as spent:
            return str(spent)
        except KeyboardInterrupt:
            return "interrupted"
        return ""

    def _changes(self) -> Iterator[Change]:
        rules = self.description.rules
        far = distances(self.description, self.required.asks)
        every = Changes(self.description)
        near = [
            at
            for at, rule in enumerate(rules)
            if rule.body and signature(rule.head.sentence) in far
        ]
        for at in sorted(near, key=lambda at: far[signature(rules[at].head.sentence)]):
            yield from (change for change in every.of(at) if change.kind in SMALL)

    def _refuting(self, change: Change) -> Play | None:
        """Return a play of changed rules that refutes the property, where random play meets one."""
        rules = changed(self.description, [change])
        if rules is None:
            return None
        try:
            machine = self.required.watching(rules)
            for _ in range(PLAYS):
                self.budget.check()
                play = self._random(machine)
                if self.required.shows(machine, play):
                    return self._cut(machine, play)
        except GdlError:  # rules that cannot be played refute nothing
            return None
        return None

    def _random(self, machine: Reasoner) -> Play:
        play: list[JointMove] = []
        playout(
            machine,
            machine.initial(),
            self.chance,
            max_plies=PLIES,
            on_step=lambda _, joint: play.append(joint),
        )
        return tuple(play)

    def _cut(self, machine: Reasoner, play: Play) -> Play:
        """Return the shortest beginning of a play that shows it too."""
        return next(
            play[:length]
            for length in range(len(play) + 1)
            if self.required.shows(machine, play[:length])
        )
