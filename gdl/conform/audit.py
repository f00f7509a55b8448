"""Rules held against anybody's engine: the entrance `conform`.

In: a game and the name of an engine. Out: an `Audit`: whether they agree, on how many positions,
which rules were exercised, and where they differ the shortest play after which they part.

Source: McKeeman, "Differential Testing for Software", 1998; Zeller, Hildebrandt, 2002 (a failing
input made small).
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from gdl.adapters.packages import require as require_package
from gdl.backend import AUTO_SECONDS
from gdl.conform import DEFAULT_POSITIONS
from gdl.conform.allowance import Allowance
from gdl.conform.conventions import require_conventions
from gdl.conform.evidence import report_text
from gdl.conform.found import Found
from gdl.conform.likeness import likeness
from gdl.conform.matching.matching import UnmatchedError, Unmet, how_to_map
from gdl.conform.minimise import Minimiser, follow
from gdl.conform.piece import OutOfTime, Piece, note
from gdl.conform.pieces import Ledger, Search
from gdl.conform.search import AIMED_FROM, SCREENED
from gdl.conform.source import Against, written
from gdl.conform.sources.merged import ChanceMovesOn
from gdl.conform.sources.rules import NATURE, RulesSource
from gdl.conform.styles import Memory
from gdl.conform.task import Sides, Task
from gdl.conform.twin import Parting
from gdl.conform.walk import walked
from gdl.game import GameLike
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.preconditions import require, require_whole
from gdl.language.terms import Term

if TYPE_CHECKING:
    from gdl.conform.screen import Screen

DEFAULT_DEPTH: Final = 2
MATCHING, MINIMISING = 0.5, 0.1
"""Parts of the time: what matching may take of what opening leaves, and what a play met late has to
be made small."""

REMATCHING: Final = 0.25
"""The part of the time that is kept for matching once more, at most."""
VOUCHING, AGAIN = 0.1, 1.5
"""What is kept is this part of the time, to hold a guess against itself, and so many times what
matching took: it has a game more to play."""
WATCHING: Final = 20.0
"""Seconds that machine code may take that says which rules fire."""
SCREENED_FROM: Final = 4_000
"""Positions that are asked for, at least, where plays to what is met seldom are looked for."""
SCREENING, LEAST_SCREENED, SELDOM = 100, 300_000, 4
"""Positions of ours that are looked at for each one compared, and after each piece at least, and
how often a rule fired that fired seldom."""
MOST_GUESSES: Final = 12
"""Guesses that are dropped for the next one, at most."""

COMPILING: Final = 30.0
"""Seconds that are waited for machine code where no time is given."""
COMPILING_SHARE: Final = 0.25
"""The part of the time that is, where some is given; ten seconds at least."""

REMEMBERS: Final = (
    "the difference is not there when its play is made by itself: the engine remembers other "
    "plays, or its positions share what a move changes"
)

OnPositions = Callable[[str, int, int], None]
"""Told of the stage, the positions compared so far, and how many are wanted."""


class Audit(Found):
    """What was found, with the attributes of `gdl.conform.found.Found`; its text is the report."""

    def __str__(self) -> str:
        """Return the report for people."""
        return report_text(self)


def conform(  # noqa: PLR0913  # each keyword is one thing a user may say
    game: GameLike,
    against: Against,
    *,
    positions: int = DEFAULT_POSITIONS,
    seconds: float | None = None,
    depth: int = DEFAULT_DEPTH,
    seed: int = 0,
    allow: Collection[str] = (),
    names: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    resume: str | os.PathLike[str] | None = None,
    witnesses: float = 0.0,
    differences: int = 1,
    limits: Limits = DEFAULT_LIMITS,
    on_positions: OnPositions = lambda _stage, _compared, _wanted: None,
) -> Audit:
    """Hold a game against an engine that claims to play the same.

    Compared in every position: whether play is over, what it is worth then, whose turn it is, the
    legal moves, how likely the outcomes of chance are, and what those who choose can tell apart.

    Args:
        game: A ruleset id, a rule file, a ruleset or a game.
        against: The engine: ``pyspiel:NAME``, ``pettingzoo:NAME``, ``gymnasium:NAME``,
            ``pgx:NAME``, ``pyffish:VARIANT``, ``python-chess``, ``module:Class``, another ruleset,
            your own engine or its class, or a `Source`.
        positions: How many to compare, more or less.
        seconds: Time after which no more are compared, from the call on; None for no limit.
            Machine code of the rules is waited for up to a quarter of it (ten seconds at least).
            Matching moves takes half of what this leaves at most, as `gdl.conform.allowance` counts
            it; the rest is by the clock, and as much is left for the search whatever matching took.
            Of that up to a quarter of all is kept where a difference has to be confirmed by
            matching once more. A play that is met late has a tenth more to be made small.
        depth: Every position up to so many moves is compared first.
        seed: Makes the search repeatable; what it finds depends on nothing else.
        allow: Conventions that are no difference, see `gdl.conform.conventions`.
        names: A map of roles and moves, a TOML file as an audit saves it.
        jobs: Processes that share the work; an engine that is no name is asked by one alone.
        resume: A file to keep the counts in, from which a search that ended goes on.
        witnesses: Seconds in which, when all agrees, the verifier looks for plays that exercise
            the rules that nothing has exercised; these are compared, too. Which of them it finds
            in that time hangs on the machine.
        differences: How many unlike ones to look for. Behind one that was met the search goes on
            and overlooks what is like it, see `gdl.conform.likeness`.
        limits: What the rules may take.
        on_positions: Told of the progress; may raise to stop.

    Raises:
        ArgumentError: An argument of a type or value that it cannot have.
        SourceError: There is no such engine, or it cannot be asked.
        UnmatchedError: Roles or moves cannot be matched; nothing was compared.
        GdlError: The game cannot be loaded, or has a position without legal moves or goals.

    Example:
        >>> from gdl.conform import conform
        >>> conform("tictactoe", "tictactoe", positions=200).agree
        True
    """
    require_whole("positions", positions, 1)
    require_whole("depth", depth, 0)
    require_whole("seed", seed)
    require_whole("jobs", jobs, 1)
    require_whole("differences", differences, 1)
    require("witnesses", witnesses, (int, float), "a number of seconds")
    if seconds is not None:
        require("seconds", seconds, (int, float), "a number of seconds")
    begin = time.monotonic()
    on_positions("opening both sides", 0, positions)
    patience = COMPILING if seconds is None else max(seconds * COMPILING_SHARE, AUTO_SECONDS)
    allowed = tuple(sorted(require_conventions(allow)))
    task = Task(game, against, allowed, names, seed, depth, limits, patience)

    def searched(task: Task) -> Audit:
        sides = task.open(
            lambda stage: on_positions(stage, 0, positions),
            Allowance(seconds),
            MATCHING,
        )
        sums = _Sums(task, sides, positions, begin, seconds, differences)
        sums.run(jobs, resume, on_positions)
        # A play of the verifier's may be the first to show that moves were matched wrongly. What
        # was compared until then tells nothing: all of it is done again under what is found then.
        while witnesses > 0 and not sums.met and not sums.ask_verifier(witnesses, on_positions):
            sums.run(jobs, None, on_positions)
        return sums.audit(begin)

    try:
        return searched(task)
    except ChanceMovesOn:  # which the first games had not shown: both sides are opened anew
        return searched(replace(task, chance_moves_on=True))


def _is_exchange(parting: Parting) -> bool:
    """Return whether as many moves are legal on either side, though not the same ones."""
    ours, theirs = parting.only
    return parting.kind == "legal" and len(ours) == len(theirs)


class _Sums:
    """What the pieces of one search add up to."""

    def __init__(  # noqa: PLR0913, PLR0917  # what was asked
        self,
        task: Task,
        sides: Sides,
        positions: int,
        begin: float,
        seconds: float | None,
        differences: int,
    ) -> None:
        self.task, self.sides, self.differences = task, sides, differences
        self.wanted, self.seconds = positions, seconds
        # A busy machine may have had moves matched for longer than half of the time by the clock.
        left = max(0.0, (seconds or 0) - sides.opening) * (1 - MATCHING)
        self.deadline = None if seconds is None else max(begin + seconds, time.monotonic() + left)
        self.total = Piece(-1)
        self.number = 0
        self.met: list[tuple[Parting, int]] = []  # as it is shown, and its length before
        self.said: tuple[str, ...] = ()
        self._screen: Screen | None = None
        self._screened = 0

    def run(
        self,
        jobs: int,
        resume: str | os.PathLike[str] | None,
        on_positions: OnPositions,
    ) -> None:
        """Run pieces in order until there is a difference, or enough."""
        ledger = Ledger(resume, self.task)
        self.number = ledger.load(self.total)
        while not self._searched(ledger, jobs, on_positions):
            pass

    def _searched(self, ledger: Ledger, jobs: int, on_positions: OnPositions) -> bool:
        """Run pieces up to a difference; return whether that is all.

        It is not where all was compared under a matching that was wrong, and where more
        differences are wanted: the piece is then run once more, and overlooks what was met.
        """

        def tell(piece: Piece) -> None:
            done = self.total.positions + piece.positions
            on_positions("comparing", done, self.wanted)
            if self._is_late():
                raise OutOfTime

        search = Search(self.task, self.sides, self.is_done, tell)
        for piece in search.pieces(self.number, jobs):
            self._add(piece)
            if piece.parting is None:
                piece.parting = self._to_the_seldom(tell)
            if piece.number == AIMED_FROM and piece.parting is None:
                piece.parting = self._towards_rules(tell)
            if piece.parting is not None:
                parting = self._confirmed(piece.parting, on_positions)
                if parting is None:
                    self.total, self.number = Piece(-1), 0
                    return False
                is_old = not self.sides.comparison.is_new(parting)  # else it would never end
                self._make_small(parting, on_positions)
                self.number = piece.number
                return len(self.met) >= self.differences or is_old
            ledger.save(self.total, piece.number + 1)
        return True

    def _to_the_seldom(self, tell: Callable[[Piece], None]) -> Parting | None:
        """Compare at the ends of plays to what was met seldom; return the first difference."""
        sides, piece, coverage = self.sides, Piece(-1), self.sides.coverage
        quick, total = sides.by_numbers, self.total
        if quick is None or coverage is None or self.wanted < SCREENED_FROM:
            return None
        if coverage.watched is None and not coverage.watch(WATCHING):
            return None
        if self._screen is None:
            from gdl.conform.screen import Screen

            assert coverage.watched is not None
            self._screen = Screen(coverage.watched, self.task.seed)
        coverage.counts = Counter(total.fired)
        quick.comparison, quick.met = sides.comparison.fresh(), piece.met
        seldom = [r.number for r in coverage.rules if coverage.counts[r.number] < SELDOM]
        looked = max(SCREENING * (total.positions - self._screened), LEAST_SCREENED)
        self._screened = total.positions
        memory = Memory(coverage)
        try:
            for ids in self._screen.plays(looked, seldom, total.met):
                before = piece.positions
                piece.parting = quick.along(ids, piece, memory)
                piece.styles[SCREENED] += piece.positions - before
                tell(piece)
                if piece.parting is not None:
                    break
        except OutOfTime:
            pass  # the search behind it ends at once
        piece.fired = Counter(coverage.counts) - total.fired
        piece.used = set(quick.comparison.used)
        self._add(piece)
        return piece.parting

    def _towards_rules(self, tell: Callable[[Piece], None]) -> Parting | None:
        """Compare along plays to rules that nothing has exercised; return the first difference."""
        sides, piece = self.sides, Piece(-1)
        comparison, coverage = sides.comparison.fresh(), sides.coverage
        if coverage is None or not isinstance(comparison.ours, RulesSource):
            return None
        from gdl.conform.beam import STYLE, plays_to_rules

        coverage.counts = Counter(self.total.fired)
        try:
            plays = plays_to_rules(sides.rules.game, coverage, self.task.seed, self._is_late)
            for play in plays:
                piece.parting = walked(comparison, coverage, play, piece, STYLE, tell)
                if piece.parting is not None:
                    break
        except OutOfTime:
            pass  # the search behind it ends at once
        piece.fired = Counter(coverage.counts) - self.total.fired
        piece.used = set(comparison.used)
        self._add(piece)
        return piece.parting

    def _confirmed(self, parting: Parting, on_positions: OnPositions) -> Parting | None:
        """Return a difference, None where it was one of the matching.

        Under a matching that was taken when its time was over a difference may say nothing of the
        rules: others had not been tried, or not for long. Nor may it under a guess: another one
        may explain this play as well. Moves are matched once more, and the play is compared under
        what is found then; of a guess it is one of the games that have to bear it out. As many
        legal moves on either side that are not partners may always be partners under another one.

        Raises:
            UnmatchedError: No guess explains the play, and nothing bears out this one; or a map
                says nothing of the moves that either side alone has.
        """
        matching, choices = self.sides.comparison.matching, parting.twin.choices
        if self.task.names is not None:
            self._require_said(parting)
        is_guess = self._is_guess()
        is_new = is_guess and parting.kind != "observations" and choices not in self.task.plays
        is_cut = matching.is_cut and self.seconds is not None
        if not is_cut and not is_new:
            return parting
        on_positions("matching moves once more", self.total.positions, self.wanted)
        allowance = Allowance(self._left())
        # The play is one of the trial games from here on: what is found has to explain it, too.
        if is_new:
            self.task = replace(self.task, plays=(*self.task.plays, choices))
            if not is_cut and not _is_exchange(parting) and self._is_vouched(allowance):
                return parting
        try:
            sides = self.task.open(allowance=allowance)
        except UnmatchedError as error:
            raise self._unclaimed(parting, error) from error
        sides.comparison.overlooked = self.sides.comparison.overlooked
        # Under other words both may agree along it: then nothing was found, and the search goes on.
        again = follow(sides.comparison.fresh(), choices)
        if not isinstance(again, Parting) and len(self.task.plays) == MOST_GUESSES:
            raise self._unclaimed(parting, None)
        self.sides = sides
        if not isinstance(again, Parting):
            return None
        now = sides.comparison.matching
        if is_guess and not now.is_told and (now.is_cut or _is_exchange(again)):
            raise self._unclaimed(again, None)
        return again

    def _require_said(self, parting: Parting) -> None:
        """Refuse a difference in moves of which a map says nothing, where both sides have some.

        Raises:
            UnmatchedError: They may stand for each other; names them.
        """
        comparison, role = self.sides.comparison, parting.role or 0
        matching, twin = comparison.matching, parting.twin
        other = matching.theirs_of(role)
        sides = (
            (comparison.ours, twin.ours, role, matching.ours, parting.only[0]),
            (comparison.theirs, twin.theirs, other, matching.theirs, parting.only[1]),
        )
        left, right = (
            [written(source, position, who, move) for move in only]
            for source, position, who, _, only in sides
        )
        unsaid = [
            written(source, position, who, move)
            for source, position, who, key, only in sides
            for move in only
            if isinstance(key(position, who, move), Unmet)
        ]
        if not (unsaid and left and right):
            return
        raise UnmatchedError(
            f"{self.task.names} says nothing of {', '.join(unsaid)}, and both sides have moves "
            f"without a partner, {', '.join(left)} by the rules and {', '.join(right)} of "
            f"{comparison.theirs.name}: no difference is claimed",
            help=how_to_map(comparison.ours),
        )

    def _is_vouched(self, allowance: Allowance) -> bool:
        """Return whether play bears a guess out, with the games in which both sides parted."""
        from gdl.conform.matching.guess import is_vouched
        from gdl.conform.matching.race import Race

        comparison = self.sides.comparison
        plays = self.task.plays
        race = Race(
            comparison.ours, comparison.theirs, self.task.seed, comparison.allowed, allowance, plays
        )
        return is_vouched(race, comparison.matching)

    def _left(self) -> float | None:
        """Return the seconds in which moves may be matched once more."""
        if self.deadline is None or self.seconds is None:
            return None
        return max(self.deadline - time.monotonic(), self._kept())

    def _unclaimed(self, parting: Parting, error: UnmatchedError | None) -> UnmatchedError:
        """Return the error of a difference under a guess that may be all that is wrong."""
        comparison = self.sides.comparison
        play = "; ".join(
            comparison.text(twin, after.choice)
            for twin, after in pairwise(parting.twin.path)
            if after.choice is not None
        )
        under = (
            f"under one guess ({comparison.matching.method}) both part after "
            f"{parting.twin.depth} moves ({play or 'none'}): {parting.what} is {parting.ours} by "
            f"the rules, {parting.theirs} there"
        )
        return UnmatchedError(
            f"which moves of {comparison.theirs.name} stand for which is a guess that play does "
            "not bear out: no difference is claimed",
            help=f"{how_to_map(comparison.ours)}; an engine of your own may answer format(move) "
            "with a text such as c1",
            notes=(under, *(error.notes if error else ())),
        )

    def _make_small(self, parting: Parting, on_positions: OnPositions) -> None:
        """Keep a difference after the shortest play that is found to it, and overlook its like."""
        on_positions("making the play small", self.total.positions, self.wanted)
        comparison, small = self.sides.comparison, parting
        alone = follow(comparison.fresh(), parting.twin.choices)
        if parting.kind != "observations" and not isinstance(alone, Parting):
            self.said = (*self.said, REMEMBERS)
        else:
            small = Minimiser(comparison, parting, self._minimised_until()).run(self.task.seed)
        self.met.append((small, parting.twin.depth))
        self._note_play(small)
        if len(self.met) < self.differences:
            sides = comparison.ours, comparison.theirs, comparison.matching
            alike = {likeness(*sides, parting), likeness(*sides, small)}
            comparison.overlooked |= alike

    def _note_play(self, parting: Parting) -> None:
        """Count the rules that fire along the play that is shown: it was compared as well."""
        coverage = self.sides.coverage
        if coverage is None:
            return
        coverage.counts.clear()
        memory = Memory(coverage)
        for twin in parting.twin.path:
            note(memory, twin)
        self.total.fired.update(coverage.counts)

    def ask_verifier(self, seconds: float, on_positions: OnPositions) -> bool:
        """Compare along plays for the rules that nothing has exercised.

        Returns:
            Whether that is all: not where all was compared under a matching that was wrong.
        """
        coverage, comparison = self.sides.coverage, self.sides.comparison
        if coverage is None:
            return True
        require_package("plays of the verifier", "pysat", extra="verify")
        from gdl.conform.witnesses import compare_witnesses

        on_positions("asking the verifier", self.total.positions, self.wanted)
        coverage.counts = Counter(self.total.fired)
        asked = compare_witnesses(comparison.fresh(), coverage, seconds, self.task.seed)
        piece = asked.piece
        piece.fired = Counter(coverage.counts) - self.total.fired
        self._add(piece)
        self.said = (*self.said, *_said(len(asked.shown), len(asked.dead)))
        if piece.parting is not None:
            parting = self._confirmed(piece.parting, on_positions)
            if parting is None:
                self.total, self.said = Piece(-1), ()
                return False
            self._make_small(parting, on_positions)
        return True

    def _minimised_until(self) -> float | None:
        """Return when a play has to be small enough: a late one has some time for it, too."""
        if self.deadline is None or self.seconds is None:
            return None
        return max(self.deadline, time.monotonic() + self.seconds * MINIMISING)

    def is_done(self) -> bool:
        """Return whether enough was compared."""
        return self._is_late() or self.total.positions >= self.wanted

    def _is_late(self) -> bool:
        """Return whether the search is over, but for what a difference needs to be confirmed."""
        return self.deadline is not None and time.monotonic() > self.deadline - self._kept()

    def _kept(self) -> float:
        """Return the seconds that are kept for matching once more, should a difference be met."""
        matching = self.sides.comparison.matching
        if self.seconds is None or not (self._is_guess() or matching.is_cut):
            return 0.0
        wanted = self.seconds * VOUCHING + self.sides.matching * AGAIN
        return min(self.seconds * REMATCHING, wanted)

    def _is_guess(self) -> bool:
        return not self.sides.comparison.matching.is_told and self.task.names is None

    def _add(self, piece: Piece) -> None:
        total = self.total
        total.positions += piece.positions
        total.games += piece.games
        total.styles.update(piece.styles)
        total.fired.update(piece.fired)
        total.used |= piece.used
        for place, ids in piece.met.items():
            total.met.setdefault(place, set()).update(ids)

    def audit(self, begin: float) -> Audit:
        """Return what was found."""
        comparison, total = self.sides.comparison, self.total
        ours, theirs = comparison.ours, comparison.theirs
        coverage = self.sides.coverage
        if coverage is not None:
            coverage.counts = Counter(total.fired)
        audit = Audit(
            game=ours.name,
            against=f"{theirs.name} ({theirs.version})" if theirs.version else theirs.name,
            agree=not self.met and total.positions > 0,
            positions=total.positions,
            games=total.games,
            play=None,
            parting=None,
            first_length=None,
            matching=comparison.matching.method,
            roles=tuple(
                (role, theirs.roles[comparison.matching.roles[number]])
                for number, role in enumerate(ours.roles)
            ),
            conventions=tuple(sorted(total.used)),
            units=tuple(comparison.units()),
            rules=0 if coverage is None else len(coverage.rules),
            uncovered=None if coverage is None else coverage.left,
            styles=dict(total.styles),
            remarks=tuple(self._remarks()),
            seconds=time.monotonic() - begin,
            comparison=comparison,
        )
        if not self.met:
            return audit
        first, *behind = (
            replace(audit, play=tuple(self._named(met)), parting=met, first_length=length)
            for met, length in self.met
        )
        return replace(first, behind=tuple(behind))

    def _named(self, parting: Parting) -> Iterator[dict[str, Term]]:
        roles = self.sides.rules.roles
        for choice in parting.twin.choices:
            yield {
                str(NATURE) if role < 0 else roles[role]: part
                for role, move in choice.items()
                for part in (move if isinstance(move, tuple) else (move,))
                if isinstance(part, Term)
            }

    def _remarks(self) -> Iterator[str]:
        ours, theirs = self.sides.comparison.ours, self.sides.comparison.theirs
        if self.sides.comparison.matching.doubt:
            yield self.sides.comparison.matching.doubt
        for number, role in enumerate(ours.roles):
            other = theirs.roles[self.sides.comparison.matching.roles[number]]
            if role != other and role in theirs.roles:
                yield f"{role} stands for {other} there, though {role} is the name of another role"
        if ours.hides and not theirs.hides:
            yield f"not compared: what players know; {theirs.name} does not say"
        if theirs.hides and not ours.hides:
            yield f"not compared: what players know; {ours.name} hides nothing"
        for (number, _), (_, texts) in self.sides.comparison.adopted.items():
            yield (
                f"{texts} are one move of {ours.roles[number]}: not met while moves were matched, "
                "and nothing else was left over where they were"
            )
        yield from self.said
        if self.sides.coverage is None:
            yield "not counted: which rules were exercised; the rules are too large for it"
        if self.is_cut:
            yield "the time was over before as many positions were compared as were asked for"

    @property
    def is_cut(self) -> bool:
        """Whether time ended the search."""
        return len(self.met) < self.differences and self.total.positions < self.wanted


def _said(shown: int, dead: int) -> Iterator[str]:
    """Yield what the verifier said of rules that no game exercised."""
    if shown:
        yield f"rules exercised by plays of the verifier alone: {shown}"
    if dead:
        yield f"rules that can never fire, as the verifier proves: {dead}"
