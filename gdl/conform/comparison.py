"""One position on two sides, what is compared there, and the step to the next one.

In: our rules and another engine as sources, and a matching. Out: `Twin`s, positions that ought to
be the same, and a `Parting` where they are not.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from gdl.conform.conventions import (
    MOVE_LIMIT,
    PASS_LEFT_OUT,
    RETURNS_SCALED,
    SIMULTANEOUS_IN_TURN,
)
from gdl.conform.cuts import cut_by
from gdl.conform.likeness import Likeness, likeness
from gdl.conform.matching.matching import Key, Matching, Unmet
from gdl.conform.source import CHANCE, EngineMove, Position, Source, written
from gdl.conform.sources.guarded import EngineFailure, guarded
from gdl.conform.twin import Choice, Parting, Twin

NEAR: Final = 1e-6
"""Returns and probabilities that are nearer than this are equal."""
HALF_A_GOAL: Final = 0.005
"""Half of a goal, of the hundred from the least to the greatest return."""
MOST_PASSES: Final = 3
"""Forced moves in a row that may be passes."""
SHOWN: Final = 12
"""Moves that a difference names."""
ONCE: Final = "once: "
"""What a difference says of a move that the engine has twice."""
WHICH_IS: Final = ", which is "
"""What it says of a goal before its value in the engine's units."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The moves of one role in one position, each with its partner.

    Attributes:
        moves: Ours.
        keys: Their keys.
        others: Theirs, by key.
    """

    moves: Sequence[EngineMove]
    keys: Sequence[Hashable]
    others: Mapping[Hashable, EngineMove]

    def partner(self, move: EngineMove) -> EngineMove:
        """Return their move that stands for one of ours."""
        return self.others[self.keys[self.moves.index(move)]]


Partners: TypeAlias = dict[int, Pairs]
"""For each role of ours that chooses, its moves."""


class Keys(dict[EngineMove, Hashable]):
    """The keys of moves of one role of one side that were met so far.

    That the text of a move is the same everywhere is what engines do as a rule, not always: a
    difference is looked at again without this memory.
    """

    __slots__ = ("key", "position", "role")

    def __init__(self, key: Key, role: int, met: Mapping[EngineMove, Hashable]) -> None:
        """Begin with what is known."""
        super().__init__(met)
        self.key, self.role = key, role
        self.position: Position = None

    def __missing__(self, move: EngineMove) -> Hashable:
        """Work out a key and keep it."""
        key = self[move] = self.key(self.position, self.role, move)
        return key

    def of(self, position: Position, moves: Sequence[EngineMove]) -> list[Hashable]:
        """Return the keys of moves."""
        self.position = position
        return list(map(self.__getitem__, moves))


class Comparison:
    """Two sources and what stands for what.

    Attributes:
        ours: The rules.
        theirs: The engine.
        matching: Which moves stand for each other.
        allowed: Conventions that are no difference.
        used: Those that were needed so far.
        overlooked: What differences are like that were met before, and are gone on behind.
        adopted: Moves of roles of ours that were not met while moves were matched, each with the
            only one left over beside it, and both in words.
        is_tilted: Whether outcomes were not as likely in a trial, which goes on behind them.
    """

    def __init__(
        self,
        ours: Source,
        theirs: Source,
        matching: Matching,
        *,
        allowed: frozenset[str] = frozenset(),
        is_brief: bool = False,
    ) -> None:
        """Compare two sources under a matching.

        Args:
            ours: The rules.
            theirs: The engine.
            matching: Which moves stand for each other.
            allowed: Conventions that are no difference.
            is_brief: Whether moves that differ are neither looked at again nor named: for trials
                of a matching, of which there are thousands.
        """
        self.ours, self.theirs, self.matching = ours, guarded(theirs), matching
        self.allowed = allowed
        self.used: set[str] = set()
        self.overlooked: frozenset[Likeness] = frozenset()
        self.adopted: dict[tuple[int, EngineMove], tuple[EngineMove, str]] = {}
        self._owners = {theirs: ours for ours, theirs in enumerate(matching.roles)}
        self._units = [_Units(theirs.bounds) for _ in matching.roles]
        self._limit: int | None = None
        self._is_brief, self.is_tilted = is_brief, False
        self._ours, self._theirs = {}, {}
        for role in (CHANCE, *range(len(matching.roles))):
            other = matching.theirs_of(role)
            self._ours[role] = Keys(matching.ours, role, matching.met_keys(0, role))
            self._theirs[role] = Keys(matching.theirs, other, matching.met_keys(1, other))
        self._memories: tuple[dict[object, Hashable], dict[object, Hashable]] = ({}, {})

    def fresh(self) -> Comparison:
        """Return a comparison that has met nothing yet, but knows units and keys."""
        comparison = copy.copy(self)
        comparison.used = set()
        comparison._memories = ({}, {})  # noqa: SLF001  # of its own class
        return comparison

    def keys_of_theirs(
        self, role: int, position: Position, moves: Sequence[EngineMove]
    ) -> list[Hashable]:
        """Return the keys of moves of theirs for a role of ours, as they are compared at first."""
        if self.matching.is_static:
            return self._theirs[role].of(position, moves)
        other = self.matching.theirs_of(role)
        return [self.matching.theirs(position, other, move) for move in moves]

    def start(self) -> Twin | Parting:
        """Return both initial positions."""
        return self._aligned(Twin(self.ours.initial(), self.theirs.initial()))

    def compare(self, twin: Twin) -> Partners | Parting:
        """Return the moves that can be made on both sides, or the first difference.

        Behind a difference that is overlooked there are those that both sides have, or nothing.
        """
        try:
            return self._compare(twin)
        except EngineFailure as failure:
            failed = Parting("failure", "answer of the engine", "a position", str(failure), twin)
            return failed if self.is_new(failed) else {}

    def is_new(self, parting: Parting) -> bool:
        """Return whether a difference is like none that is overlooked."""
        return (
            not self.overlooked
            or likeness(self.ours, self.theirs, self.matching, parting) not in self.overlooked
        )

    def _compare(self, twin: Twin) -> Partners | Parting:
        over = self.ours.is_terminal(twin.ours), self.theirs.is_terminal(twin.theirs)
        if over[0] != over[1]:
            if self._is_cut(twin, over):
                return {}
            parting = Parting("terminal", "terminal", str(over[0]), str(over[1]), twin)
            return parting if self.is_new(parting) else {}
        if over[0]:
            return self._unless_overlooked(self._returns(twin)) or {}
        movers, others = self._turns(twin)
        if not self._is_same_turn(movers, others):
            parting = Parting("turn", "turn", self._names(movers), self._names(others), twin)
            return parting if self.is_new(parting) else {}
        partners: Partners = {}
        for role in movers if set(movers) <= set(others) else others:
            matched = self._partners(twin, role)
            if isinstance(matched, Parting):
                if self.is_new(matched):
                    return matched
                matched = self._common(twin, role)
                if not matched.moves:
                    return {}
            partners[role] = matched
        tilted = self._unless_overlooked(self._chances(twin, partners))
        if tilted is not None and self._is_brief:
            self.is_tilted, tilted = True, None  # whose moves are which is told by what follows
        return tilted or self._unless_overlooked(self._observations(twin, partners)) or partners

    def _unless_overlooked(self, parting: Parting | None) -> Parting | None:
        return parting if parting is not None and self.is_new(parting) else None

    def step(self, twin: Twin, choice: Choice, partners: Partners) -> Twin | Parting:
        """Make a choice of ours on both sides; an engine that refuses is a difference."""
        answer = {}
        for role, move in choice.items():
            answer[self.matching.theirs_of(role)] = partners[role].partner(move)
        answer |= self._forced(twin.theirs, answer)
        ours = self.ours.play(twin.ours, choice)
        try:
            theirs = self.theirs.play(twin.theirs, answer)
            after = Twin(ours, theirs, twin, choice, ((choice,), (answer,)), twin.depth + 1)
            return self._aligned(after)
        except EngineFailure as failure:
            return Parting(
                "failure",
                f"answer to {self.text(twin, choice)}",
                "a position",
                str(failure),
                twin,
            )

    def aside(self, twin: Twin, partners: Partners) -> Parting | None:
        """Play on from a position on the engine's side and leave that: it must be as it was.

        Positions that share what a move changes are the commonest fault of a copy.
        """
        answer = {
            self.matching.theirs_of(role): pairs.partner(pairs.moves[-1])
            for role, pairs in partners.items()
        }
        try:
            self.theirs.play(twin.theirs, answer | self._forced(twin.theirs, answer))
        except EngineFailure:
            return None  # whoever makes that move in a game will say so
        compared = self.compare(twin)
        return compared if isinstance(compared, Parting) else None

    def text(self, twin: Twin, choice: Choice) -> str:
        """Return a choice of ours for people."""
        texts = (written(self.ours, twin.ours, role, move) for role, move in choice.items())
        return " & ".join(texts)

    def _forced(self, position: Position, answer: Choice) -> dict[int, EngineMove]:
        """Return the only moves of roles that the engine asks all the same."""
        forced = {}
        for role in self.theirs.movers(position):
            if role not in answer:
                moves = self.theirs.legal(position, role)
                if len(moves) == 1:
                    forced[role] = moves[0]
        return forced

    # Whose turn ----------------------------------------------------------------------------

    def _turns(self, twin: Twin) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return who chooses, in numbers of ours; of several those that have a choice."""
        ours = choosing(self.ours, twin.ours)
        theirs = choosing(self.theirs, twin.theirs)
        return ours, tuple(
            sorted(CHANCE if role == CHANCE else self._owners[role] for role in theirs)
        )

    def _is_same_turn(self, movers: tuple[int, ...], others: tuple[int, ...]) -> bool:
        if sorted(movers) == sorted(others):
            return True
        is_part = bool(others) and bool(movers) and (set(others) < set(movers))
        if is_part and SIMULTANEOUS_IN_TURN in self.allowed:
            self.used.add(SIMULTANEOUS_IN_TURN)
            return True
        return False

    def _names(self, roles: Sequence[int]) -> str:
        names = ("chance" if role == CHANCE else self.ours.roles[role] for role in roles)
        return " and ".join(names) or "nobody"

    def _aligned(self, twin: Twin) -> Twin:
        """Return a twin after passes that only one side has, where they may be left out.

        A forced move is a pass only where both sides have the same moves behind it: else the
        twin stays as it is, and differs.
        """
        if PASS_LEFT_OUT not in self.allowed or self._fits(twin):
            return twin
        for side in (1, 0):
            here = twin
            for _ in range(MOST_PASSES):
                passed = self._passed(here, side)
                if passed is None:
                    break
                if self._fits(passed):
                    self.used.add(PASS_LEFT_OUT)
                    return passed
                here = passed
        return twin

    def _fits(self, twin: Twin) -> bool:
        """Return whether both sides are over, or the same roles have the same moves."""
        over = self.ours.is_terminal(twin.ours), self.theirs.is_terminal(twin.theirs)
        if any(over):
            return all(over)
        movers, others = self._turns(twin)
        if not self._is_same_turn(movers, others):
            return False
        return not any(isinstance(self._partners(twin, role), Parting) for role in others)

    def _passed(self, twin: Twin, side: int) -> Twin | None:
        """Return a twin after the only move of one side, None where it has several."""
        source, position = ((self.ours, twin.ours), (self.theirs, twin.theirs))[side]
        choice = None if source.is_terminal(position) else self._pass(source, position)
        if choice is None:
            return None
        after = source.play(position, choice)
        plays = [*twin.plays]
        plays[side] = (*plays[side], choice)
        return replace(
            twin,
            ours=twin.ours if side else after,
            theirs=after if side else twin.theirs,
            plays=(plays[0], plays[1]),
        )

    def _pass(self, source: Source, position: Position) -> Choice | None:
        """Return the one choice of a position in which each who moves has but one, chance too."""
        only = {}
        for role in source.movers(position):
            moves = source.legal(position, role)
            if len(moves) != 1:
                return None
            only[role] = moves[0]
        return only or None

    # Moves ---------------------------------------------------------------------------------

    def _partners(self, twin: Twin, role: int) -> Pairs | Parting:
        """Return the moves of a role in pairs, or those that are left over."""
        moves = self.ours.legal(twin.ours, role)
        others = self.theirs.legal(twin.theirs, self.matching.theirs_of(role))
        if self.matching.is_static:
            keys = self._ours[role].of(twin.ours, moves)
            names = self._theirs[role].of(twin.theirs, others)
            if _is_same(keys, names, is_many=role == CHANCE):
                return Pairs(moves, keys, dict(zip(names, others, strict=True)))
            if self._is_brief:
                return Parting("legal", "legal moves", "", "", twin, role)
        their_role = self.matching.theirs_of(role)
        keys = [self.matching.ours(twin.ours, role, move) for move in moves]
        names = [self.matching.theirs(twin.theirs, their_role, move) for move in others]
        is_many = role == CHANCE
        if _is_same(keys, names, is_many=is_many):
            return Pairs(moves, keys, dict(zip(names, others, strict=True)))
        left = (
            _left(zip(keys, moves, strict=True), names, is_many=is_many),
            _left(zip(names, others, strict=True), keys, is_many=is_many),
        )
        if len(left[0]) == len(left[1]) == 1 and role != CHANCE:
            mine, yours = moves.index(left[0][0]), others.index(left[1][0])
            are_unmet = isinstance(keys[mine], Unmet) and isinstance(names[yours], Unmet)
            if are_unmet and self._is_adopted(twin, role, moves[mine], others[yours]):
                names[yours] = keys[mine]
                return Pairs(moves, keys, dict(zip(names, others, strict=True)))
        return self._parted_moves(twin, role, *left)

    def _is_adopted(self, twin: Twin, role: int, mine: EngineMove, yours: EngineMove) -> bool:
        """Return whether two moves that are left over, and were not met before, are partners.

        They are from the first time on that nothing else is left over, unless either has another
        partner since.
        """
        taken = {other for (r, _), (other, _) in self.adopted.items() if r == role}
        if (role, mine) not in self.adopted and yours not in taken:
            sides = (
                (self.ours, twin.ours, role, mine),
                (self.theirs, twin.theirs, self.matching.theirs_of(role), yours),
            )
            texts = [named_moves(source, at, of, (move,)) for source, at, of, move in sides]
            self.adopted[role, mine] = yours, " and ".join(texts)
        return self.adopted.get((role, mine), (None, ""))[0] == yours

    def in_common(self, twin: Twin, role: int) -> tuple[float, Pairs]:
        """Return the moves of a role that both sides have, and their share of those of either."""
        pairs = self._common(twin, role)
        others = self.theirs.legal(twin.theirs, self.matching.theirs_of(role))
        most = max(len(self.ours.legal(twin.ours, role)), len(others), 1)
        return len(pairs.moves) / most, pairs

    def _common(self, twin: Twin, role: int) -> Pairs:
        """Return the moves of a role that both sides have, of those with one name the first."""
        their_role = self.matching.theirs_of(role)
        mine: dict[Hashable, EngineMove] = {}
        others: dict[Hashable, EngineMove] = {}
        for move in self.ours.legal(twin.ours, role):
            mine.setdefault(self.matching.ours(twin.ours, role, move), move)
        for move in self.theirs.legal(twin.theirs, their_role):
            others.setdefault(self.matching.theirs(twin.theirs, their_role, move), move)
        keys = [key for key in mine if key in others]
        return Pairs([mine[key] for key in keys], keys, others)

    def _parted_moves(
        self,
        twin: Twin,
        role: int,
        ours: tuple[EngineMove, ...],
        theirs: tuple[EngineMove, ...],
    ) -> Parting:
        who = "chance" if role == CHANCE else self.ours.roles[role]
        mine = named_moves(self.ours, twin.ours, role, ours)
        others = named_moves(self.theirs, twin.theirs, self.matching.theirs_of(role), theirs)
        texts = (
            "; ".join(_said_legal([(mine, True), (others, False)])),
            "; ".join(_said_legal([(others, True), (mine, False)])),
        )
        if not ours and self._is_repeated(twin, role, theirs):
            texts = f"{ONCE}{others}", f"listed more than once: {others}"
        return Parting("legal", f"legal moves of {who}", *texts, twin, role, (ours, theirs))

    def _is_repeated(self, twin: Twin, role: int, moves: Sequence[EngineMove]) -> bool:
        """Return whether moves of theirs stand for legal ones of ours that others stand for."""
        legal = self.ours.legal(twin.ours, role)
        keys = {self.matching.ours(twin.ours, role, move) for move in legal}
        other = self.matching.theirs_of(role)
        return all(self.matching.theirs(twin.theirs, other, move) in keys for move in moves)

    def _chances(self, twin: Twin, partners: Partners) -> Parting | None:
        """Compare how likely outcomes are; outcomes of one partner are taken together."""
        if CHANCE not in partners:
            return None
        ours, theirs = self.ours.chances(twin.ours), self.theirs.chances(twin.theirs)
        sums: list[dict[Hashable, float]] = [{}, {}]
        for move, chance in ours.items():
            key = self.matching.ours(twin.ours, CHANCE, move)
            sums[0][key] = sums[0].get(key, 0.0) + chance
        for move, chance in theirs.items():
            key = self.matching.theirs(twin.theirs, CHANCE, move)
            sums[1][key] = sums[1].get(key, 0.0) + chance
        for move in partners[CHANCE].moves:
            key = self.matching.ours(twin.ours, CHANCE, move)
            here, there = sums[0][key], sums[1].get(key, 0.0)
            if abs(here - there) > NEAR:
                text = self.ours.text(twin.ours, CHANCE, move) or str(move)
                what = f"how likely {text} is"
                return Parting("chance", what, f"{here:.6g}", f"{there:.6g}", twin, CHANCE)
        return None

    # What is seen --------------------------------------------------------------------------

    def _observations(self, twin: Twin, partners: Partners) -> Parting | None:
        """Compare what those who choose can tell apart: the same on both sides.

        It says nothing about which moves stand for each other, and a trial leaves it out.
        """
        if self._is_brief:
            return None
        for role in partners:
            if role == CHANCE:
                continue
            ours = self.ours.observation(twin.ours, role)
            theirs = self.theirs.observation(twin.theirs, self.matching.roles[role])
            if ours is None or theirs is None:
                continue
            who = self.ours.roles[role]
            if self._memories[0].setdefault((role, ours), theirs) != theirs:
                said = "as it was in another play", "other than in that play"
                return Parting("observations", f"what {who} knows", *said, twin, role)
            if self._memories[1].setdefault((role, theirs), ours) != ours:
                said = "other than in another play", "as it was in that play"
                return Parting("observations", f"what {who} knows", *said, twin, role)
        return None

    # The end -------------------------------------------------------------------------------

    def _is_cut(self, twin: Twin, over: tuple[bool, bool]) -> bool:
        """Return whether one side ends play by a convention alone."""
        name = cut_by(self.allowed, self.ours, [step.ours for step in twin.path])
        if name is not None:
            self.used.add(name)
            return True
        if MOVE_LIMIT not in self.allowed:
            return False
        side = over.index(True)
        limit = (self.ours, self.theirs)[side].most_moves
        length = len(twin.played(side))
        if self._limit is None:
            self._limit = limit if limit is not None else length
        if length < self._limit:
            return False
        self.used.add(MOVE_LIMIT)
        return True

    def _returns(self, twin: Twin) -> Parting | None:
        goals, returns = self.ours.returns(twin.ours), self.theirs.returns(twin.theirs)
        for role, goal in enumerate(goals):
            value = returns[self.matching.roles[role]]
            units = self._units[role]
            expected = units.of(goal, value, is_scaled=RETURNS_SCALED in self.allowed)
            if units.is_learned:
                self.used.add(RETURNS_SCALED)
            if expected is None or not units.is_worth(expected, value):
                who = self.ours.roles[role]
                mine = f"goal {goal:g}" + ("" if expected is None else f"{WHICH_IS}{expected:g}")
                return Parting("returns", f"returns of {who}", mine, f"{value:g}", twin, role)
        return None

    def units(self) -> Iterator[str]:
        """Yield how goals were read as returns, for each role once."""
        yield from dict.fromkeys(str(units) for units in self._units)


@dataclass(slots=True)
class _Units:
    """Goals as returns: from 0 to 100 evenly over the engine's bounds, or learned from play.

    Attributes:
        bounds: The least and greatest return.
        seen: Goals and returns that were met, where units are learned.
        is_learned: Whether they were needed.
    """

    bounds: tuple[float, float] | None
    seen: dict[float, float] = field(default_factory=dict)
    is_learned: bool = False

    def of(self, goal: float, value: float, *, is_scaled: bool) -> float | None:
        """Return what a goal is in the engine's units; None where nothing can be."""
        if not is_scaled:
            low, high = self.bounds or (-1.0, 1.0)
            return low + (high - low) * goal / 100
        self.is_learned = True
        if len(self.seen) < 2:  # noqa: PLR2004  # a line is known by two points
            met = self.seen.setdefault(goal, value)
            if len(self.seen) == 2 and self._slope() <= 0:  # noqa: PLR2004
                del self.seen[goal]
                return None
            return met
        (first, base), _ = self.seen.items()
        return base + self._slope() * (goal - first)

    def is_worth(self, expected: float, value: float) -> bool:
        """Return whether a return is what a goal says, which are whole numbers: 33 is a third."""
        if abs(expected - value) <= NEAR:
            return True
        low, high = self.bounds or (-1.0, 1.0)
        is_fraction = not self.is_learned and value != round(value)
        return is_fraction and abs(expected - value) < (high - low) * HALF_A_GOAL

    def _slope(self) -> float:
        (left, first), (right, second) = self.seen.items()
        return (second - first) / (right - left)

    def __str__(self) -> str:
        if not self.is_learned:
            low, high = self.bounds or (-1.0, 1.0)
            return f"goal 0 is {low:g}, goal 100 is {high:g}"
        return "; ".join(f"goal {goal:g} is {value:g}" for goal, value in self.seen.items())


def _is_same(keys: Sequence[Hashable], names: Sequence[Hashable], *, is_many: bool) -> bool:
    """Return whether two sides have the same moves; outcomes of chance may be split up."""
    mine, theirs = set(keys), set(names)
    return mine == theirs and (is_many or len(mine) == len(keys) == len(names))


def _left(
    pairs: Iterable[tuple[Hashable, EngineMove]], names: Sequence[Hashable], *, is_many: bool
) -> tuple[EngineMove, ...]:
    """Return the moves that have no partner, or one that another move has taken."""
    free = Counter(names)
    left = []
    for key, move in pairs:
        if not free[key]:
            left.append(move)
        elif not is_many:
            free[key] -= 1
    return tuple(left)


def choosing(source: Source, position: Position) -> tuple[int, ...]:
    """Return who chooses; where several are asked, those with more than one move, if any."""
    movers = source.movers(position)
    if len(movers) < 2:  # noqa: PLR2004  # one is asked
        return movers
    return tuple(role for role in movers if len(source.legal(position, role)) > 1) or movers


def named_moves(source: Source, position: Position, role: int, moves: Sequence[EngineMove]) -> str:
    """Return moves of one side in words, a dozen at most; empty for none."""
    texts = sorted(source.text(position, role, move) or str(move) for move in moves)
    more = f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return ", ".join(texts[:SHOWN]) + more


def _said_legal(named: Iterable[tuple[str, bool]]) -> Iterator[str]:
    for names, is_legal in named:
        if names:
            yield f"{'legal' if is_legal else 'not legal'}: {names}"
