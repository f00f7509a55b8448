"""Where do two rulesets part? `diff` is the entrance.

In: two rulesets. Out: a `Difference`: the shortest play after which they disagree, or the
proof that none exists, or how far that was refuted within the budget.

Source: the stages as in Kuehlmann and others, "Robust Boolean Reasoning for
Equivalence Checking and Functional Property Verification", IEEE TCAD 2002.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, get_args

from gdl.certify.names import AGREE, DIFFER, OPEN_AGREE
from gdl.circuit.aig import FALSE
from gdl.game import GameLike, ruleset_of
from gdl.language.clauses import Clause
from gdl.language.dependencies import ROLE
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.packages import need_packages
from gdl.language.preconditions import require, require_one_of, require_whole
from gdl.language.syntax import Term, signature
from gdl.language.words import counted
from gdl.ruleset import Ruleset
from gdl.verify.answer import Difference, Stage
from gdl.verify.correspondence.compared_game import ComparedGame, prepare_game, side_by_side
from gdl.verify.correspondence.correspondence import (
    BY_RULES,
    find_another,
    find_matching,
    find_matching_without,
)
from gdl.verify.correspondence.isomorphism import Renaming, isomorphism
from gdl.verify.correspondence.percept_matching import told_by_play
from gdl.verify.correspondence.turns import TurnError
from gdl.verify.correspondence.unfolded import unfold
from gdl.verify.opinion import SHARE, compare_opinions
from gdl.verify.properties.examination import MOVES, Examination
from gdl.verify.proving.berkeley_abc import PROGRAM, require_outside
from gdl.verify.proving.evidence import Claim, Evidence, Lengths, Shown, claims_of
from gdl.verify.proving.prove import OnStage, Prover
from gdl.verify.proving.search import Result
from gdl.verify.replay import Replay, replay
from gdl.verify.report import matched_lines, step_by_step, write_report
from gdl.verify.sentence import plain_sentence
from gdl.verify.solvers.budget import (
    DEFAULT_MEGABYTES,
    DEFAULT_SECONDS,
    Budget,
    OutOfBudgetError,
    check_budget,
    open_budget,
)
from gdl.verify.systems.bit_parallel import of_facts, states_along
from gdl.verify.systems.matching import CorrespondenceError, Matching
from gdl.verify.systems.product import SAW_BAD, Product
from gdl.verify.systems.sampling import sample
from gdl.verify.systems.system import Play, System
from gdl.verify.written_matching import written_matching
from gdl.verify.written_renaming import same_rules

EXAMINING: Final = 0.05
"""Of the time left, what finding moves of a game that can never be legal may take."""
TEXT_SECONDS: Final = 10.0
"""What comparing texts may take."""
OPEN_UNASKED: Final = (
    "goals while play goes on, where nobody is paid, were compared in random plays only, or not as "
    "far"
)
UNTOLD: Final = "whether moves matched otherwise agree longer was not looked at to the end"
GoalsWanted: TypeAlias = Literal["auto", "terminal", "everywhere"]


def diff(  # noqa: PLR0913  # one parameter for each thing a user may want
    a: GameLike,
    b: GameLike,
    *,
    table: Mapping[Term, Term] | None = None,
    turns: bool | None = None,
    goals: GoalsWanted = "auto",
    seconds: float = DEFAULT_SECONDS,
    megabytes: int = DEFAULT_MEGABYTES,
    max_depth: int | None = None,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    proofs: str | os.PathLike[str] | None = None,
    certificates: str | os.PathLike[str] | None = None,
    second_opinion: bool = False,
    on_stage: OnStage | None = None,
) -> Difference:
    """Find the shortest play after which two games disagree, or prove that there is none.

    Compared after the same moves: whether the game is over; where it goes on, the legal
    moves of each role; where it is over, the goals; what the roles see.

    Args:
        a: A ruleset id, a rule file, a ruleset or a game.
        b: Another.
        table: Constants, roles or moves of ``a``, each with its name in ``b``.
        turns: Whether to read games whose turns are two plies in whole turns; None: where
            nothing else fits.
        goals: Where goals are compared: where the game is over (``terminal``), in all states
            (``everywhere``), or in all states but so that a difference that matters to the
            play comes first (``auto``).
        seconds: Wall-clock time for everything.
        megabytes: Memory that the process may take for this.
        max_depth: Longest play to look for; None for no limit.
        seed: Of the random plays.
        limits: What reading the rules may take.
        proofs: A folder for proofs of all that the solver denies, see `proof_log`.
        certificates: A folder for what `gdl certify` checks; writing it may take as long again.
        second_opinion: Ask Berkeley ABC too. What it finds counts once its invariant or play was
            checked here; where the two disagree there is no answer, and all is saved to report it.
        on_stage: Told how far things are.

    Raises:
        ArgumentError: An argument of a type or value that it cannot have.
        CorrespondenceError: Roles or moves cannot be brought together; says which.
        UnknownRulesetError: There is no such ruleset or file.
        GdlSyntaxError: A file cannot be read.
        CompileError: Rules cannot be made into a circuit.
        GdlError: The packages of the extra ``verify`` are missing, or `berkeley-abc`, or there is
            something in the folder for proofs.
        UnsoundError: Another program disagrees, and one of the two is wrong.

    Example:
        >>> import gdl
        >>> gdl.diff("tictactoe", "tictactoe").equivalent
        True
    """
    if table is not None:
        require("table", table, Mapping, "a mapping of terms of a to terms of b")
    require_one_of("goals", goals, get_args(GoalsWanted))
    if max_depth is not None:
        require_whole("max_depth", max_depth, 0)
    check_budget(seconds, megabytes, seed, on_stage)
    if second_opinion:
        require_outside()
    rulesets = tuple(ruleset_of(game, limits=limits) for game in (a, b))
    budget = open_budget(seconds, megabytes, proofs)
    folder = None
    if certificates is not None:
        from gdl.verify.certificates import open_folder, write_certificates

        folder = open_folder(certificates)
    comparison = Comparison(
        (rulesets[0], rulesets[1]), budget, goals, seed, on_stage, second_opinion=second_opinion
    )
    answer = None
    # Equal texts need no solver: who has not installed one is told so only where it takes one.
    if table is None:
        answer = comparison.by_text(limits)
    if answer is None:
        require_packages()
        answer = comparison.run(limits, table, turns=turns, max_depth=max_depth)
    if folder is not None:
        fresh = Budget(seconds, megabytes)  # the answer may have spent the other to its end
        claims, beside = comparison.claims(answer), comparison.beside()
        write_certificates(folder, claims, rulesets, fresh, on_stage, beside=beside)
    return answer


def require_packages() -> None:
    """Refuse with a help where the extra ``verify`` is not installed.

    Raises:
        MissingPackageError: Packages are missing; names them.
    """
    need_packages("proving", ("pysat", "clingo", "numpy", "scipy"), "verify")


class Comparison:
    """One question under way."""

    def __init__(  # noqa: PLR0913  # what diff was asked
        self,
        rulesets: tuple[Ruleset, Ruleset],
        budget: Budget,
        goals: GoalsWanted = "auto",
        seed: int = 0,
        on_stage: OnStage | None = None,
        *,
        without: Collection[str] = (),
        past: Collection[str] = (),
        second_opinion: bool = False,
    ) -> None:
        """Take a question; some stages of `Prover` may be left out, and differences that are known.

        Those are named as in `Product`. Play goes on past them, as far as both games allow it. A
        second opinion is asked of what needs a circuit, not of two texts that say the same rules.
        """
        self.second_opinion = second_opinion
        self.rulesets, self.budget, self.goals = rulesets, budget, goals
        self.seed, self.on_stage, self.without = seed, on_stage, without
        self.stages: list[Stage] = []
        self.notes: list[str] = []
        self.past = frozenset(past)
        self.shown: tuple[str, ...] = ()
        self.renaming: Renaming | None = None
        self.rules: tuple[tuple[Clause, ...], tuple[Clause, ...]] = (), ()
        self.opened: Result | None = None
        self.parted: tuple[Play, ...] = ()
        self.refuting: tuple[Sequence[Sequence[int]], ...] = ()
        self.table: Mapping[Term, Term] | None = None
        self.read: tuple[tuple[ComparedGame, ComparedGame], Matching] | None = None

    def by_text(self, limits: Limits) -> Difference | None:
        """Return the answer for two texts that say the same rules, None for others.

        Where a word of both texts would have to change its meaning, the renaming is kept for
        later: what is called the same comes first.

        Raises:
            UnstratifiedError: A text has no meaning: a sentence may depend on its own negation.
            InvalidDescriptionError: Nor has one in which nothing gives a variable a value.
        """
        start = time.monotonic()
        checked = [ruleset.checked(limits) for ruleset in self.rulesets]
        for rules in checked:
            _ = rules.orders  # refuses what is no game, and is equal to none
        texts = [unfold(rules.clauses) for rules in checked]
        if not all(any(signature(rule.head) == ROLE for rule in text) for text in texts):
            return None  # nobody plays: whoever makes circuits says so
        try:
            renaming = isomorphism(texts[0], texts[1], self.budget.share(TEXT_SECONDS))
        except OutOfBudgetError:
            renaming = None
        if renaming is None:
            self._stage("texts", start, "not the same rules")
            return None
        self.renaming, self.rules = renaming, (tuple(texts[0]), tuple(texts[1]))
        if not renaming.keeps_names:
            self._stage("texts", start, "the same rules if words of both change their meaning")
            return None
        self._stage("texts", start, "the same rules")
        return self._same_text(renaming)

    def _same_text(self, renaming: Renaming) -> Difference:
        how = "whatever order" if renaming.is_identity else "other words"
        return self._settled(
            equivalent=True,
            method=f"the same rules, in {how}",
            matching="same names" if renaming.is_identity else BY_RULES,
            matched=renaming.lines(),
            notes=(*self._proof_notes(), *self._opinion_notes()),
            evidence=same_rules(*self.rules, renaming),
        )

    def _unknown(self, why: str) -> Difference:
        """Return the answer where the budget ended before the games could be compared."""
        matching = "nothing yet: the comparison did not begin"
        return self._settled(equivalent=None, method=why, matching=matching)

    def _settled(self, *, equivalent: bool | None, **fields: Any) -> Difference:  # noqa: ANN401  # fields of the answer
        """Return an answer for which nothing was played."""
        left, right = (ruleset.id for ruleset in self.rulesets)
        proved, stages = equivalent is not None, tuple(self.stages)
        answer = Difference(
            left, right, equivalent=equivalent, proved=proved, stages=stages, **fields
        )
        return replace(answer, report=write_report(answer))

    def run(
        self,
        limits: Limits = DEFAULT_LIMITS,
        table: Mapping[Term, Term] | None = None,
        *,
        turns: bool | None = None,
        max_depth: int | None = None,
    ) -> Difference:
        """Go through all stages. Ctrl-C and a spent budget give what is known by then."""
        self.table = table
        sides: tuple[ComparedGame, ComparedGame] | None = None
        while True:
            try:
                if sides is None:
                    sides = self._prepared(limits)
                read, matching = self._matched(sides, limits, table, turns=turns)
            except OutOfBudgetError as spent:
                return self._unknown(str(spent))
            except KeyboardInterrupt:
                return self._unknown("interrupted")
            if self.renaming is not None and matching.method == BY_RULES:
                return self._same_text(self.renaming)
            self.notes.clear()
            self._note_alone(read, matching)
            self._note_merged(read, matching, table)
            self._note_renaming(matching)
            try:
                return self._compare(read, matching, max_depth)
            except TurnError as error:
                sides = _with_met(sides, read, error, self.budget)
                if sides is None:
                    raise

    def _prepared(self, limits: Limits) -> tuple[ComparedGame, ComparedGame]:
        """Return the games as they are written, each with its circuit."""
        start = time.monotonic()
        left, right = (
            prepare_game(ruleset, limits=limits, budget=self.budget) for ruleset in self.rulesets
        )
        sizes = " and ".join(f"{len(side.plies.aig)} nodes" for side in (left, right))
        self._stage("circuits", start, sizes)
        return left, right

    def _matched(
        self,
        sides: tuple[ComparedGame, ComparedGame],
        limits: Limits,
        table: Mapping[Term, Term] | None,
        *,
        turns: bool | None,
    ) -> tuple[tuple[ComparedGame, ComparedGame], Matching]:
        """Return the games as they are to be read, and what stands for what."""
        start = time.monotonic()
        renaming = self.renaming if table is None else None
        # What is guessed here is put to the test later: no answer rests on it.
        guessing = self.budget.without_proofs()
        try:
            read, matching = find_matching(
                sides, guessing, table=table, turns=turns, renaming=renaming
            )
        except CorrespondenceError as error:
            if table:
                raise
            read, matching = self._without_idle(sides, limits, guessing, turns, error)
        self._stage("matching", start, matching.method)
        return read, matching

    def _without_idle(
        self,
        sides: tuple[ComparedGame, ComparedGame],
        limits: Limits,
        budget: Budget,
        turns: bool | None,  # noqa: FBT001  # as it was asked
        error: CorrespondenceError,
    ) -> tuple[tuple[ComparedGame, ComparedGame], Matching]:
        """Return how to read games, and what stands for what but moves that can never be legal.

        That they cannot is proved, and no answer rests on it: where one is legal the games differ.

        Raises:
            CorrespondenceError: The one given, where there are no such moves or they are not why.
        """
        counts = [sorted(map(len, side.plies.moves)) for side in sides]
        if len(counts[0]) != len(counts[1]) or counts[0] == counts[1]:
            raise error  # of roles there are more in one game; or it would have fewer moves
        idle = [self._idle(side, limits, budget.share(EXAMINING * budget.left)) for side in sides]
        if not any(idle):
            raise error
        try:
            return find_matching_without(sides, (idle[0], idle[1]), budget, turns=turns)
        except CorrespondenceError:
            raise error from None

    def _idle(self, side: ComparedGame, limits: Limits, budget: Budget) -> set[tuple[int, int]]:
        """Return role and number of each move that was proved never to be legal."""
        wanted = MOVES.name.__eq__
        asked = Examination(side.ruleset, (), budget, self.seed, limits, wanted=wanted)
        verdict = asked.run()[MOVES.name]
        never = verdict.culprits if verdict.status == "refuted" else ()
        return {
            (role, number)
            for role, row in enumerate(side.plies.moves)
            for number, move in enumerate(row)
            if f"{side.plies.roles[role]}: {move}" in never
        }

    def _stage(self, name: str, start: float, text: str) -> None:
        self.stages.append(Stage(name, time.monotonic() - start, text))
        self._tell(name, text)

    def _tell(self, stage: str, text: str) -> None:
        if self.budget.proofs is not None:
            self.budget.proofs.about = f"{stage}: {text}"
        if self.on_stage is not None:
            self.on_stage(stage, text)

    def _compare(
        self, sides: tuple[ComparedGame, ComparedGame], matching: Matching, max_depth: int | None
    ) -> Difference:
        self.read = sides, matching
        left, right = sides
        both = side_by_side(left, right, matching)
        bads = tuple(bad for bad in both.system.bads if bad.name not in self.past)
        system = both.system.asking(bads)
        if self.goals == "everywhere":
            system = system.asking((*system.bads, *both.open_bads))
        kept = SHARE if self.second_opinion else 0.0
        budget = self.budget.share((1 - kept) * self.budget.left)
        prover = Prover(system, budget, self.seed, self._tell, without=self.without)
        try:
            result = prover.run(max_depth=max_depth)
        except KeyboardInterrupt:
            self.budget.stop("interrupted")
            result = Result(None, proved=False, depth=-1, method="interrupted")
        with_open = self.goals == "everywhere"
        if self.goals == "auto":
            try:
                opened = self._open_goals(both, prover, result, max_depth)
            except (OutOfBudgetError, KeyboardInterrupt) as stopped:
                why = str(stopped) or "interrupted"
                self.budget.stop(why)
                opened = None
                if result.play is None and result.proved:  # of these goals nothing is known
                    opened = Result(None, proved=False, depth=-1, method=why)
            if opened is not None:
                result, with_open = opened, True
        self.stages += prover.stages
        # A play that chance found is shown where none is proved to be shortest: maybe it is not.
        if (
            result.play is None
            and prover.sampled.play is not None
            and result.depth < len(prover.sampled.play)
        ):
            play = tuple(prover.sampled.play)
            result = replace(result, play=play, proved=False)
        asked = (*bads, *(both.open_bads if with_open else ()))
        result = self._second_opinion(system.asking(asked), result)
        result = replace(result, evidence=_evidence(system.asking(asked), result))
        if result.play is not None:
            self.shown = bads_after(system.asking(asked), result.play)
            better = self._guessed_otherwise(sides, matching, result.play, max_depth)
            if better is not None:
                return better
        return self._answer(sides, matching, result, with_open=with_open)

    def _guessed_otherwise(
        self,
        sides: tuple[ComparedGame, ComparedGame],
        matching: Matching,
        play: Play,
        max_depth: int | None,
    ) -> Difference | None:
        """Return the answer under another guess of what stands for what, if games agree longer so.

        None where nothing was guessed, no guess is better, or time ends before one is found: what
        was found stands, under the matching under which it was found.
        """
        kept, better = (self.read, self.shown, self.opened), None
        try:
            better = self._under_another(sides, matching, play, max_depth)
        except (OutOfBudgetError, KeyboardInterrupt) as stopped:
            why = str(stopped) or "interrupted"
            self.budget.stop(why)
            self.notes.append(f"{UNTOLD}: {why}")
        if better is None:
            self.read, self.shown, self.opened = kept
        return better

    def _under_another(
        self,
        sides: tuple[ComparedGame, ComparedGame],
        matching: Matching,
        play: Play,
        max_depth: int | None,
    ) -> Difference | None:
        """Return that answer; where it is None, what was read and shown is that of another guess.

        Raises:
            OutOfBudgetError: Time ended before.
        """
        # What roles see was matched by a guess: a play may tell that other words were meant.
        other_words = self._seen_otherwise(sides, matching, play)
        if other_words is not None:
            return self._compare(sides, other_words, max_depth)
        if not matching.is_full or self.table or self.past:
            return None
        start = time.monotonic()
        moves = [
            [row[choice][0] for row, choice in zip(matching.pairs, chosen, strict=True)]
            for chosen in play
        ]
        plays = (*self.refuting, moves)
        budget = self.budget.without_proofs()
        other = find_another(sides, plays, budget, self.renaming)
        if other is None:
            return None
        self._stage("matching", start, f"{other.method}: under it that play does not part")
        self.refuting = plays
        answer = self._compare(sides, other, max_depth)
        is_better = answer.equivalent or answer.depth > len(play) - (answer.equivalent is None)
        return answer if is_better else None

    def _seen_otherwise(
        self, sides: tuple[ComparedGame, ComparedGame], matching: Matching, play: Play
    ) -> Matching | None:
        """Return what else may stand for what is seen, where only that differs after a play.

        Each such play tells apart percepts that had been seen alike until then, so these attempts
        come to an end; None where no names are left under which all those plays agree.
        """
        if self.shown != (SAW_BAD,) or matching.percepts is None or not matching.percepts.is_guess:
            return None
        start = time.monotonic()
        plays = (*self.parted, play)
        budget = self.budget.without_proofs()
        told, is_borne_out = told_by_play(sides, matching, budget, plays, seed=self.seed)
        if not is_borne_out:
            return None
        self.parted = plays
        self._stage("percepts", start, f"a play of {counted(len(play), 'move')} tells them apart")
        return told

    def _open_goals(
        self, both: Product, prover: Prover, result: Result, max_depth: int | None
    ) -> Result | None:
        """Ask about goals where play goes on; return a difference that is the only one."""
        if not both.open_bads:
            return None
        asked = both.system.asking(both.open_bads)
        seen = sample(asked, self.budget.share(5), seed=self.seed, lanes=64)
        if result.play is not None or prover.sampled.play is not None:
            if seen.play is not None:
                self.notes.append(
                    "goals differ while play goes on, too, where nobody is paid: "
                    f"seen after {counted(len(seen.play), 'move')} (goals everywhere compares them)"
                )
            return None
        if not result.proved:  # invariants hold while nothing differs: so far, and no further
            max_depth = result.depth + 1 if max_depth is None else min(max_depth, result.depth + 1)
        opened = prover.ask(both.open_bads, max_depth=max_depth)
        if opened.play is None and not result.proved:
            if seen.play is None and not opened.proved and opened.depth < result.depth:
                self.notes += {OPEN_UNASKED for bad in both.open_bads if bad.edge != FALSE}
                return None
            # A proof may rest on invariants, which hold no further than other lengths are refuted.
            reach = result.depth if opened.proved else min(result.depth, opened.depth)
            return replace(result, depth=reach)
        if opened.play is None:
            if not opened.proved:
                return opened
            self.opened = opened
            # What is open rests on what was settled before.
            if result.evidence is None or opened.evidence is None:
                rests = f"{opened.method}, resting on {result.method}"
                self.opened = replace(opened, evidence=None, method=rests)
            return None
        self.notes.append(
            "only goals of states where play goes on differ; nobody is paid there"
            if result.proved
            else f"no other difference up to {counted(result.depth, 'move')}, not proved"
        )
        return opened

    def _note_renaming(self, matching: Matching) -> None:
        """Say that names exchanged would make the games the same."""
        if self.renaming is not None and matching.method != BY_RULES:
            lines = self.renaming.lines()
            more = f" and {len(lines) - 3} more" if len(lines) > 3 else ""  # noqa: PLR2004
            self.notes.append(
                f"with other words they are the same rules: {', '.join(lines[:3])}{more}"
            )

    def _proof_notes(self) -> list[str]:
        """Say where the proofs are that were asked for, or why there are none."""
        log = self.budget.proofs
        if log is None:
            return []
        if not log.count:
            return [f"no solver denied anything: there is no proof in {log.folder}"]
        return [f"what the solver denied is proved in {log.folder}: {log.count} formulas"]

    def _second_opinion(self, system: System, result: Result) -> Result:
        """Return what is known with what another model checker says, where that is wanted."""
        if not self.second_opinion:
            return result
        start = time.monotonic()
        rules = [source.text for ruleset in self.rulesets for source in ruleset.texts()]
        result, said = compare_opinions(system, result, rules, self.budget)
        self._stage(PROGRAM, start, said)
        self.notes.append(said)
        return result

    def _opinion_notes(self) -> list[str]:
        """Say that nobody else was asked where the texts say the same."""
        return [f"{PROGRAM} was not asked: the texts say it"] if self.second_opinion else []

    def _note_merged(
        self,
        sides: tuple[ComparedGame, ComparedGame],
        matching: Matching,
        table: Mapping[Term, Term] | None,
    ) -> None:
        """Say which moves of the first game a map gives one name: games may agree all the same."""
        for role, row in enumerate(matching.pairs if table else ()):
            merged: dict[int, list[int]] = {}
            for mine, theirs in row:
                merged.setdefault(theirs, []).append(mine)
            moves = sides[0].circuit.moves[role]
            others = sides[1].circuit.moves[matching.roles[role]]
            for number, own in merged.items():
                if len(own) > 1:
                    name = sides[1].listed([others[number]])
                    self.notes.append(
                        f"{name} stands for each of {sides[0].listed([moves[a] for a in own])}: "
                        f"that these are {len(own)} moves in {sides[0].name} is no difference"
                    )

    def _note_alone(self, sides: tuple[ComparedGame, ComparedGame], matching: Matching) -> None:
        for side, moves in zip(sides, matching.alone, strict=True):
            if moves:
                shown = side.listed(moves[:3])
                more = f" and {len(moves) - 3} more" if len(moves) > 3 else ""  # noqa: PLR2004
                self.notes.append(
                    f"only {side.name} knows {shown}{more}; where it is legal the games differ"
                )

    def _answer(
        self,
        sides: tuple[ComparedGame, ComparedGame],
        matching: Matching,
        result: Result,
        *,
        with_open: bool,
    ) -> Difference:
        seen = self._replayed(sides, matching, result.play, with_open=with_open)
        equivalent = False if result.play is not None else (True if result.proved else None)
        answer = Difference(
            sides[0].name,
            sides[1].name,
            equivalent=equivalent,
            proved=result.proved,
            plays=None if seen is None else seen.plays,
            sentence="" if seen is None else plain_sentence(seen),
            what=() if seen is None else tuple(finding.text for finding in seen.findings),
            kinds=() if seen is None else tuple(finding.kind for finding in seen.findings),
            depth=result.depth if result.play is None else len(result.play),
            method=result.method,
            matching=matching.method + _turn_words(sides),
            matched=matched_lines(sides, matching),
            stages=tuple(self.stages),
            notes=(*self.notes, *self._proof_notes()),
            evidence=result.evidence,
            steps=() if seen is None else step_by_step(seen),
        )
        return replace(answer, report=write_report(answer, seen))

    def beside(self) -> dict[str, object]:
        """Return what stands for what, for the index of certificates; nothing of equal texts."""
        if self.read is None:
            return {}
        (left, right), matching = self.read
        turns = [side.turns is not None for side in (left, right)]
        written = written_matching(left.circuit, right.circuit, matching)
        met = [
            [[list(map(str, joint)) for joint in play] for play in side.met]
            for side in (left, right)
        ]
        return {"matching": {"turns": turns, **written, **({"met": met} if any(met) else {})}}

    def claims(self, answer: Difference) -> list[Claim]:
        """Return what an answer says, each with what it rests on."""
        if answer.equivalent is None and answer.evidence is None:
            return []  # nothing is claimed
        name = DIFFER if answer.equivalent is False else AGREE
        claims = list(claims_of(name, answer.evidence, answer.method))
        if self.opened is not None:
            claims.append(Claim(OPEN_AGREE, self.opened.evidence, self.opened.method))
        return claims

    def _replayed(
        self,
        sides: tuple[ComparedGame, ComparedGame],
        matching: Matching,
        play: Play | None,
        *,
        with_open: bool,
    ) -> Replay | None:
        if play is None:
            return None
        start = time.monotonic()
        seen = replay(sides, matching, play, with_open_goals=with_open)
        self._stage("replay", start, "the reasoner confirms the play")
        return seen


def _with_met(
    sides: tuple[ComparedGame, ComparedGame],
    read: tuple[ComparedGame, ComparedGame],
    error: TurnError,
    budget: Budget,
) -> tuple[ComparedGame, ComparedGame] | None:
    """Return games, in plies, to be read once more with a play that shows plies of turns.

    None where that play shows no ply that was not known: then there are no turns.
    """
    if error.play is None:
        return None
    side = sides[error.side]
    wider = replace(side, met=(*side.met, error.play))
    if wider.turned(budget).circuit.moves == read[error.side].circuit.moves:
        return None
    return (wider, sides[1]) if error.side == 0 else (sides[0], wider)


def bads_after(system: System, play: Play) -> tuple[str, ...]:
    """Return the names of what is bad after a play. Cost O(nodes) a ply."""
    last = states_along(system, play)[:, -1:]
    shown = of_facts(system, [bad.edge for bad in system.bads]).run(last)
    return tuple(bad.name for bad, row in zip(system.bads, shown, strict=True) if row[0])


def _evidence(system: System, result: Result) -> Evidence | None:
    """Return what an answer to the questions of a system rests on."""
    if result.play is not None:
        return Shown(system, result.play, result.proved, result.by_ply)
    return result.evidence if result.proved else Lengths(system, result.depth, result.by_ply)


def _turn_words(sides: tuple[ComparedGame, ComparedGame]) -> str:
    whole = [side.name for side in sides if side.turns is not None]
    return f"; {' and '.join(whole)} read in whole turns" if whole else ""
