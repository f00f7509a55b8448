"""The smallest changes of rules after which what was refuted is proved; `repair` is the entrance.

In: a ruleset, and what it has to have. Out: `Repairs`: changes, each with the difference of the
text, after which `gdl.verify` proves the property and all that it had proved before, or `gdl.diff`
proves that the game is the reference. Nothing is called a repair that was not proved.

The search is guided by counterexamples: rules that still show the fault after a play that is known
are refused without a proof, and what a proof refutes gives one more play. One change is tried
before two; of as many changes those first that leave most random plays as they were.

Source: counterexample-guided synthesis as in Solar-Lezama and others, "Combinatorial Sketching for
Finite Programs", ASPLOS 2006; minimal repair of game descriptions as in Hu and Thielscher, KR 2025.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from gdl.game import GameLike, ruleset_of
from gdl.language.clauses import clauses
from gdl.language.dependencies import DOES, INIT, LEGAL, NEXT, TRUE, dependency_graph
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.preconditions import require_number, require_whole
from gdl.language.syntax import Atom, Constant, Description, Rule, Signature, signature
from gdl.machine import JointMove
from gdl.playouts import random_joint_move
from gdl.reason.machine import Reasoner
from gdl.ruleset import Ruleset
from gdl.verify.diff import Comparison, require_packages
from gdl.verify.properties.custom import CustomProperty, require_probes
from gdl.verify.properties.examination import FACTS, MOVES, RULES, Examination
from gdl.verify.properties.verdict import Verdict, Verification
from gdl.verify.proving.prove import OnStage
from gdl.verify.questions.changes import Change, Changes, Kind, changed
from gdl.verify.questions.defaults import goal_by_default, pass_by_default, stuck_is_over
from gdl.verify.questions.patch import difference, places
from gdl.verify.questions.requirements import (
    Play,
    PropertyRequired,
    Requirement,
    SameGame,
    Seen,
    is_kept,
    no_property,
    ruleset_with,
    states_of,
)
from gdl.verify.solvers.budget import (
    DEFAULT_MEGABYTES,
    DEFAULT_SECONDS,
    Budget,
    OutOfBudgetError,
    check_budget,
)

ASKING: Final = 0.4
"""Of the time, what finding the fault may take."""
JUDGING: Final = 0.6
"""Of the time left, what proving one repair may take."""
PLAYS: Final = 16
"""Random plays that say how much a repair leaves as it was."""
PLAYING: Final = 0.05
"""Of the time left, what making them may take."""
PLIES: Final = 200
"""Plies of each, at most."""
FAULTS: Final = ("playable", "terminating", "goals unique", "goals in range")
"""What is mended where no property is named, in this order."""
NEAR: Final = 6
"""How far the changes are that are tried in twos before all others are tried alone."""
FACTS_LAST: Final = 100
"""How far behind rules their facts are tried."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Changes after which what is required was proved.

    Attributes:
        changes: What is done, one line each with file and line.
        patch: The same as a unified diff.
        proof: How the requirement is known to hold then.
        kept: Share of the plays looked at that are the same then, but for the fault: the same
            moves legal, the same ends, the same goals.
        description: The rules then.
    """

    changes: tuple[str, ...]
    patch: str
    proof: str
    kept: float
    description: Description = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Repairs:
    """What was found.

    Attributes:
        name: The game.
        claim: What is required.
        is_needed: Whether it was refuted of the rules as they are.
        fault: How that is known, or why there is nothing to mend.
        play: The play that shows the fault; None for none.
        repairs: What was proved to mend it, the smallest first.
        tried: Changes and pairs of changes that were tried on plays.
        judged: How many of those a proof was asked for.
        witnesses: Plays by which the others were refused.
        complete: Up to so many changes everything that `changes` knows was tried.
        stopped: Why the search ended before all was tried, empty where it did not.
        is_open: Whether it is not known if there is anything to mend.
        doubts: Changes that mend what is known, but were neither proved nor refuted, and why.
    """

    name: str
    claim: str
    is_needed: bool
    fault: str
    play: Play | None = None
    repairs: tuple[Repair, ...] = ()
    tried: int = 0
    judged: int = 0
    witnesses: int = 0
    complete: int = 0
    stopped: str = ""
    is_open: bool = False
    doubts: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The answer in one line."""
        if not self.is_needed:
            state = "not known to need mending" if self.is_open else "nothing to mend"
            return f"{state}: {self.fault}"
        if self.repairs:
            number = len(self.repairs[0].changes)
            many = "one change" if number == 1 else f"{number} changes"
            # Twos of changes near the fault are tried before all others are tried alone.
            is_least = number == 1 or (self.complete >= number - 1 and not self.doubts)
            fewer = "" if is_least else "; perhaps fewer do"
            return f"mended by {many} ({len(self.repairs)} found, each proved{fewer})"
        if self.stopped:
            return f"no repair found: {self.stopped}"
        return f"no repair of up to {self.complete} changes"


def repair(  # noqa: PLR0913  # one parameter for each thing a user may want
    game: GameLike,
    *,
    wanted: str | None = None,
    reference: GameLike | None = None,
    probes: Sequence[CustomProperty] = (),
    edits: int = 2,
    most: int = 1,
    keep: float = 0.5,
    seconds: float = DEFAULT_SECONDS,
    megabytes: int = DEFAULT_MEGABYTES,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    on_stage: OnStage | None = None,
) -> Repairs:
    """Find the smallest changes of rules after which what was refuted of them is proved.

    What was proved before has to be proved still. A spent budget, or Ctrl-C, gives what is known
    by then.

    Args:
        game: A ruleset id, a rule file, a ruleset or a game.
        wanted: The property; None for the first of `FAULTS` that is refuted, or of ``probes``.
        reference: Another game that it has to be the same as, instead of having a property.
        probes: The user's own properties.
        edits: At most so many changes.
        most: Stop when so many repairs were proved.
        keep: Least share of random plays that have to stay as they are, but for the fault.
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
        CorrespondenceError: Roles or moves of the reference cannot be brought together.
        GdlError: There is no such property; the packages of the extra ``verify`` are missing.
    """
    check_budget(seconds, megabytes, seed, on_stage)
    require_whole("edits", edits, 1)
    require_whole("most", most, 1)
    require_number("keep", keep)
    probes = require_probes(probes)
    ruleset = ruleset_of(game, limits=limits)
    require_packages()
    budget = Budget(seconds, megabytes)
    asking = budget.share(ASKING * seconds)
    required: Requirement | Repairs
    if reference is not None:
        required = _same_game(ruleset, ruleset_of(reference, limits=limits), asking, seed, limits)
    else:
        required = _property(ruleset, wanted, probes, asking, seed, limits, on_stage)
    if isinstance(required, Repairs):
        return required
    return _Search(ruleset, required, budget, on_stage, seed=seed, keep=keep).run(edits, most)


def _same_game(
    ruleset: Ruleset, reference: Ruleset, budget: Budget, seed: int, limits: Limits
) -> SameGame | Repairs:
    comparison = Comparison((ruleset, reference), budget, seed=seed)
    answer = comparison.by_text(limits) or comparison.run(limits)
    claim = f"the same game as {reference.id}"
    if answer.play is None:
        is_open = not answer.equivalent
        return Repairs(ruleset.id, claim, is_needed=False, fault=answer.headline, is_open=is_open)
    return SameGame(ruleset, reference, answer, seed, limits)


def _property(  # noqa: PLR0913, PLR0917  # what repair was asked
    ruleset: Ruleset,
    wanted: str | None,
    probes: tuple[CustomProperty, ...],
    budget: Budget,
    seed: int,
    limits: Limits,
    on_stage: OnStage | None,
) -> PropertyRequired | Repairs:
    coverage = {MOVES.name, FACTS.name, RULES.name}
    examination = Examination(
        ruleset, probes, budget, seed, limits, on_stage, wanted=lambda name: name not in coverage
    )
    verification = examination.run()
    verdict = _asked(verification, wanted, probes)
    if isinstance(verdict, Repairs):
        return verdict
    proved = [verdict for verdict in verification.verdicts if verdict.status == "proved"]
    kept = frozenset((verdict.name, verdict.claim) for verdict in proved)
    shown = tuple((verdict.name, verdict.play) for verdict in proved if verdict.play is not None)
    return PropertyRequired(ruleset, verdict, kept, probes, seed, limits, shown)


def _asked(
    verification: Verification, wanted: str | None, probes: Sequence[CustomProperty]
) -> Verdict | Repairs:
    """Return the verdict on what is to be mended, or that nothing is known to be.

    Raises:
        GdlError: There is no such property.
    """
    by_name = {verdict.name: verdict for verdict in verification.verdicts}
    names = [wanted] if wanted is not None else [*(probe.name for probe in probes), *FAULTS]
    if wanted is not None and wanted not in by_name:
        raise no_property(verification, wanted)
    asked = [by_name[name] for name in names if name in by_name]
    for verdict in asked:
        if verdict.status == "refuted":
            return verdict
    said = ", ".join(f"{verdict.name} is {verdict.status}" for verdict in asked)
    is_open = any(verdict.status == "open" for verdict in asked)
    return Repairs(
        verification.name, ", ".join(names), is_needed=False, fault=said, is_open=is_open
    )


class _Search:
    """One search for repairs under way."""

    def __init__(  # noqa: PLR0913  # what repair was asked
        self,
        ruleset: Ruleset,
        required: Requirement,
        budget: Budget,
        on_stage: OnStage | None,
        *,
        seed: int,
        keep: float,
    ) -> None:
        """Take the fault: its play is the first that repairs have to survive."""
        self.ruleset, self.required, self.budget = ruleset, required, budget
        self.on_stage = on_stage
        self.keep = 1.0 if isinstance(required, SameGame) else keep
        self.description = ruleset.description
        self.first = _play_of(required)
        self.witnesses: list[Play] = [] if self.first is None else [self.first]
        self.repairs: list[Repair] = []
        self.met: set[frozenset[Change]] = set()
        self.mends: dict[tuple[Change, int], bool] = {}
        self.fired: dict[int, set[int]] = {}
        self.doubts: list[str] = []
        self.tried = self.judged = 0
        self.plays = _plays(required, self.first, Random(seed), budget)  # noqa: S311

    def run(self, edits: int, most: int) -> Repairs:
        """Try one change, then two, and so on: first what is near the fault, then everything."""
        stopped, complete = "", 0
        try:
            singles = list(self._changes())
            near = [change for far, change in singles if far <= NEAR]
            every = [change for _, change in singles]
            for scope in (near, every) if len(near) < len(every) else (every,):
                for number in range(1, edits + 1):
                    self._level(number, scope, most)
                    if self.repairs:
                        break
                    complete = number if scope is every else 0
                if self.repairs:
                    break
        except OutOfBudgetError as spent:
            stopped = str(spent)
        except KeyboardInterrupt:
            stopped = "interrupted"
        return Repairs(
            self.ruleset.id,
            self.required.claim,
            is_needed=True,
            fault=_fault(self.required),
            play=self.first,
            repairs=tuple(self.repairs),
            tried=self.tried,
            judged=self.judged,
            witnesses=len(self.witnesses),
            complete=complete,
            stopped=stopped,
            doubts=tuple(self.doubts),
        )

    def _changes(self) -> Iterator[tuple[int, Change]]:
        """Yield all single changes with how far from the fault they are, the nearest first."""
        far = distances(self.description, self.required.asks)
        reference = self.required.reference if isinstance(self.required, SameGame) else None
        every = Changes(self.description, None if reference is None else reference.description)
        changes: list[tuple[int, Change]] = []
        if self.required.claim.startswith("playable"):
            changes += ((0, change) for change in stuck_is_over(self.description))
            changes += ((0, change) for change in pass_by_default(self.description))
        if self.required.claim.startswith("goals unique"):
            changes += ((0, change) for change in goal_by_default(self.description))
        for index, rule in enumerate(self.description.rules):
            self.budget.check()
            away = far.get(signature(rule.head.sentence))
            if away is not None:
                away += 0 if rule.body else FACTS_LAST
                changes += ((away + change.kind, change) for change in every.of(index))
        yield from sorted(changes, key=lambda change: change[0])

    def _level(self, number: int, scope: Sequence[Change], most: int) -> None:
        """Try sets of so many changes; what changes little besides the fault is proved first."""
        waiting: list[tuple[float, int, tuple[Change, ...], Description]] = []
        for order, changes in enumerate(self._sets(number, scope)):
            if frozenset(changes) in self.met:
                continue
            self.met.add(frozenset(changes))
            rules = changed(self.description, changes)
            if rules is None or not self._passes(changes, rules):
                continue
            kept = self._kept(rules)
            if kept == 1.0:
                self._judge(changes, rules, kept)
                if len(self.repairs) >= most:
                    return
            elif kept >= self.keep:
                waiting.append((-kept, order, changes, rules))
            else:
                self._note_other(rules)
        for kept, _, changes, rules in sorted(waiting, key=lambda repair: repair[:2]):
            if self._passes(changes, rules):
                self._judge(changes, rules, -kept)
                if len(self.repairs) >= most:
                    return

    def _sets(
        self, left: int, scope: Sequence[Change], chosen: tuple[Change, ...] = ()
    ) -> Iterator[tuple[Change, ...]]:
        """Yield sets of so many changes of which each mends a play that those before it do not."""
        if not left:
            yield chosen
            return
        open_ = (
            index
            for index in range(len(self.witnesses))
            if not any(self._mends(change, index) for change in chosen)
        )
        first = next(open_, None)
        if first is None and chosen:
            return  # by themselves they mend all that is known: they were tried
        for change in scope:
            if change not in chosen and (first is None or self._mends(change, first)):
                yield from self._sets(left - 1, scope, (*chosen, change))

    def _mends(self, change: Change, index: int) -> bool:
        """Return whether a change by itself mends a play that is known."""
        if (change, index) not in self.mends:
            self.budget.check()
            self.tried += 1
            self._tell(f"{self.tried} changes tried, {self.judged} put to the proof")
            rules = None
            narrows = change.kind in (Kind.WITH, Kind.REMOVED)
            if not narrows or change.at in self._fired(index):
                rules = changed(self.description, [change])
            self.mends[change, index] = rules is not None and not self._shows(rules, index)
        return self.mends[change, index]

    def _fired(self, index: int) -> set[int]:
        """Return the rules that fire along a play: narrower ones of others do nothing there."""
        if index not in self.fired:
            rules = self.description.rules
            self.fired[index] = fired = {at for at, rule in enumerate(rules) if not rule.body}
            heads = {at: Constant(f"fires {at}") for at, rule in enumerate(rules) if rule.body}
            watching = tuple(Rule(Atom(head), rules[at].body) for at, head in heads.items())
            machine = Reasoner(self.description + Description(watching))
            play = self.witnesses[index]
            states = states_of(machine, play)
            for state, joint in zip(states, (*play, ()), strict=False):
                for at, head in heads.items():
                    if at not in fired and machine.instances(state, head, joint):
                        fired.add(at)
        return self.fired[index]

    def _passes(self, changes: tuple[Change, ...], rules: Description) -> bool:
        """Return whether no play that is known shows the fault in changed rules."""
        self.budget.check()
        if len(changes) == 1:
            return all(self._mends(changes[0], index) for index in range(len(self.witnesses)))
        self.tried += 1
        self._tell(f"{self.tried} changes tried, {self.judged} put to the proof")
        return not any(self._shows(rules, index) for index in range(len(self.witnesses)))

    def _shows(self, rules: Description, index: int) -> bool:
        try:
            return self.required.is_shown(rules, self.witnesses[index])
        except GdlError:  # rules that cannot be played at all mend nothing
            return True

    def _kept(self, rules: Description) -> float:
        """Return the share of plays that stay as they were, but for the fault."""
        if not self.plays:
            return 1.0
        try:
            same = sum(is_kept(rules, play, seen) for play, seen in self.plays)
        except GdlError:
            return 0.0
        return same / len(self.plays)

    def _note_other(self, rules: Description) -> None:
        """Keep a play that tells changed rules from the reference: others have to survive it too.

        Without it two changes of which each mends another play would seem to be one too many.
        """
        if not isinstance(self.required, SameGame):
            return
        try:
            other = next(play for play, seen in self.plays if not is_kept(rules, play, seen))
            for begun in (other[:length] for length in range(len(other) + 1)):
                self.required.theirs.setdefault(begun, begun)  # moves are called the same in both
                if self.required.is_shown(rules, begun):
                    if begun not in self.witnesses:
                        self.witnesses.append(begun)
                    return
        except GdlError:  # rules that cannot be played at all
            return

    def _judge(self, changes: tuple[Change, ...], rules: Description, kept: float) -> bool:
        """Put changes to the proof; keep them as a repair, or the play that refutes them."""
        self.judged += 1
        self._tell(f"proving {changes[0].words}")
        try:
            ruleset = ruleset_with(self.ruleset, rules)
            share = self.budget.share(max(1.0, JUDGING * self.budget.left))
            answer = self.required.judge(ruleset, share)
        except GdlError:  # they cannot be made into a circuit, or matched
            return False
        if answer.status == "proved":
            self.repairs.append(
                Repair(
                    places(self.description, changes),
                    difference(self.description, changes),
                    answer.text,
                    kept,
                    rules,
                )
            )
            return True
        if answer.status == "open":
            said = "; ".join(places(self.description, changes))
            self.doubts.append(f"{said}: {answer.text}")
        if answer.play is not None and answer.play not in self.witnesses:
            self.witnesses.append(answer.play)
        return False

    def _tell(self, text: str) -> None:
        if self.on_stage is not None:
            self.on_stage("repair", text)


def distances(description: Description, asked: Sequence[Signature]) -> dict[Signature, int]:
    """Return how far behind relations that are asked for others stand, as rules ask for them.

    What is true rests on ``next`` and ``init``, what is done on ``legal``.
    """
    graph = dependency_graph(clauses(description))
    successors = {**graph.successors, TRUE: (NEXT, INIT), DOES: (LEGAL,)}
    far = dict.fromkeys(asked, 0)
    waiting = deque(far)
    while waiting:
        relation = waiting.popleft()
        for other in successors.get(relation, ()):
            if other not in far:
                far[other] = far[relation] + 1
                waiting.append(other)
    return far


def _play_of(required: Requirement) -> Play | None:
    if isinstance(required, SameGame):
        return required.difference.play
    return required.verdict.play if isinstance(required, PropertyRequired) else None


def _fault(required: Requirement) -> str:
    if isinstance(required, SameGame):
        return required.difference.headline
    if isinstance(required, PropertyRequired):
        verdict = required.verdict
        after = "" if verdict.play is None else f" after {len(verdict.play)} moves"
        return f"{verdict.name} is refuted{after}"
    return ""


def _plays(
    required: Requirement, first: Play | None, random: Random, budget: Budget
) -> list[tuple[Play, Seen]]:
    """Return plays that others have to leave as they are, each with what is seen along it."""
    rules = required.pattern
    if rules is None:
        return []
    machine = Reasoner(rules)
    share = budget.share(PLAYING * budget.left)
    plays = [] if first is None else [(first, required.seen(rules, first))]
    for _ in range(PLAYS):
        play: list[JointMove] = []
        state = machine.initial()
        while not machine.is_terminal(state) and len(play) < PLIES and share.left:
            joint = random_joint_move(machine, state, random)
            if joint is None:
                break
            play.append(joint)
            state = machine.successor(state, joint)
        plays.append((tuple(play), required.seen(rules, tuple(play))))
        if not share.left:
            break
    return plays
