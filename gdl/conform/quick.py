"""Games compared by numbers: the quick way of `gdl.conform.search`, with the same answers.

In: a comparison and a way to play. Out: what a game compared along `Comparison` gives: the same
moves from the same seed, the same counts, the same first difference. Nothing is kept of a position
but the machine's state and the engine's: moves of ours are their numbers, and which number a move
of theirs has is worked out once, where a move has the same text everywhere.

A position is agreed on here only where `Comparison` would agree, too: both are over, or one role
has the turn on both sides and the same moves. Of all others, such as a pass that one side leaves
out, or an end, it is asked itself; and where it finds a difference, the game is gone through once
more from the start, for the play that leads there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import getitem
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from gdl.conform.comparison import Comparison, Partners
from gdl.conform.cuts import may_cut
from gdl.conform.piece import ASIDE, MOST_PLIES, Chooser, Piece
from gdl.conform.source import EngineMove, Position
from gdl.conform.sources.guarded import EngineFailure
from gdl.conform.sources.rules import RulesPosition, RulesSource
from gdl.conform.styles import (
    CHANCE_ALONE,
    ENDED,
    LOOKING,
    OFTEN,
    SELDOM,
    Memory,
    Wanted,
    aimed,
    ends,
    few_answers,
    going_on,
    many_answers,
    seldom_rules,
    unfired_rule,
)
from gdl.conform.twin import Choice, Parting, Twin
from gdl.language.diagnostics import GdlError
from gdl.state import NOOP, with_move

UNKNOWN: Final = -1
"""Stands for a move of theirs that none of ours has been matched with."""
BEHIND: Final = 4
"""Moves that are made from the end of a play to what was met seldom, each position compared."""
ANSWERS: Final[Mapping[Wanted, float]] = MappingProxyType(
    {ends: -1.0, few_answers: -1.0, many_answers: 1.0}
)
"""What an answer is worth to the styles that count them."""


class Here:
    """Where a game stands.

    Attributes:
        inner: The state of the machine.
        seen: What the machine sees there.
        theirs: The engine's position.
        before: The state before, None at the start.
        joint: The joint move that led from there, by number.
    """

    __slots__ = ("before", "inner", "joint", "seen", "theirs")

    def __init__(
        self,
        inner: bytes,
        seen: bytes,
        theirs: Position,
        before: bytes | None = None,
        joint: tuple[int, ...] = (),
    ) -> None:
        """Keep all."""
        self.inner, self.seen, self.theirs = inner, seen, theirs
        self.before, self.joint = before, joint


class Agreed(NamedTuple):
    """What both sides say of a position in which one role has the turn.

    Attributes:
        role: Our number of it.
        turn: Its place among the roles of the machine, and the first legal moves of all, by number.
        ids: The numbers of its legal moves, rising.
        named: The numbers of ours that the moves of theirs stand for, in their order.
        others: The moves of theirs.
    """

    role: int
    turn: tuple[int, tuple[int, ...]]
    ids: tuple[int, ...]
    named: list[int]
    others: Sequence[EngineMove]


class Quick:
    """A comparison of rules that run as machine code, nobody's hidden knowledge and no chance.

    Attributes:
        comparison: Asked where numbers do not say; a fresh one for each piece.
        moves: For each role of the machine its moves, by number.
        met: By the place of each role the numbers of its moves that were legal on both sides.
    """

    def __init__(self, comparison: Comparison, rules: RulesSource) -> None:
        """Prepare; see `quick`, which says where this can be."""
        from gdl.native.kernel.children import Children  # numpy comes with machine code

        assert rules.game.back_end.native is not None
        machine = rules.game.back_end.native.machine
        self.comparison, self._rules = comparison, rules
        self._machine = machine
        self.moves = machine.moves
        self.met: dict[int, set[int]] = {}
        self._children = Children(machine.compiled)
        self._places = range(len(machine.moves))
        self._role_of = {place: role for role, place in enumerate(rules.players)}
        self._noops = [moves.index(NOOP) if NOOP in moves else UNKNOWN for moves in machine.moves]
        roles = range(len(rules.players))
        self._their_turn = [(comparison.matching.theirs_of(role),) for role in roles]
        self._ids: list[dict[EngineMove, int]] = [{} for _ in roles]
        self._id_of: list[dict[Hashable, int]] = [{} for _ in roles]
        self._keyed: list[set[int]] = [set() for _ in roles]

    # Both sides ------------------------------------------------------------------------------

    def start(self) -> Here | None:
        """Return both initial positions; None where ours is not one of the machine's alone."""
        ours = self._rules.initial()
        if ours.before is not None or ours.chosen:
            return None
        machine = self._machine
        return Here(ours.inner, machine.look(ours.inner), self.comparison.theirs.initial())

    def turn(self, seen: bytes) -> tuple[int, tuple[int, ...]] | None:
        """Return the place that is asked alone, and the first legal moves of all, by number.

        None where several are asked, or nobody is.
        """
        machine = self._machine
        turn = machine.turn(seen)
        if turn is not None:
            return turn
        only = [machine.only_id(seen, place) for place in self._places]
        asked = [place for place in self._places if only[place] != self._noops[place]]
        if None in only or len(asked) != 1:
            return None
        return asked[0], tuple(n for n in only if n is not None)

    def named(self, here: Here, role: int, ids: Sequence[int], others: Sequence[Any]) -> list[int]:
        """Return the numbers of ours that moves of theirs stand for, `UNKNOWN` for none."""
        if self.comparison.matching.is_static:
            table = self._ids[role]
            try:
                return [table[move] for move in others]
            except KeyError:
                pass
        return self._learned(here, role, ids, others)

    def _learned(
        self, here: Here, role: int, ids: Sequence[int], others: Sequence[Any]
    ) -> list[int]:
        """Return the same, and keep it where it is so everywhere.

        Keys of ours never depend on the position: rules write a move in one way.
        """
        comparison = self.comparison
        matching, id_of, keyed = comparison.matching, self._id_of[role], self._keyed[role]
        moves = self.moves[self._rules.players[role]]
        for n in ids:
            if n not in keyed:
                keyed.add(n)
                key = matching.ours(None, role, moves[n])
                if id_of.setdefault(key, n) != n:
                    id_of[key] = UNKNOWN  # two of ours have it: `Comparison` has to say
        names = comparison.keys_of_theirs(role, here.theirs, others)
        numbers = [id_of.get(key, UNKNOWN) for key in names]
        if matching.is_static:
            numbered = zip(others, numbers, strict=True)
            self._ids[role].update((move, n) for move, n in numbered if n != UNKNOWN)
        return numbers

    def position(self, here: Here) -> RulesPosition:
        """Return our position as `Comparison` has it, without the play that led there."""
        before = None
        if here.before is not None:
            before = RulesPosition(here.before, (), None, None, (), is_terminal=False)
        return self._rules.position(here.inner, before, self._terms(here.joint) or None)

    def _terms(self, joint: Sequence[int]) -> tuple[Any, ...]:
        return tuple(map(getitem, self.moves, joint))

    def agreed(self, here: Here) -> Agreed | None:
        """Return the moves of a position that goes on and on which both sides agree.

        None where `Comparison` has to say.
        """
        machine, theirs = self._machine, self.comparison.theirs
        turn = None if machine.is_over(here.seen) else self.turn(here.seen)
        if turn is None or turn[0] not in self._role_of:
            return None
        role = self._role_of[turn[0]]
        try:
            movers = theirs.movers(here.theirs)
            if movers != self._their_turn[role] or theirs.is_terminal(here.theirs):
                return None
            others = theirs.legal(here.theirs, movers[0])
            ids = machine.legal_ids(here.seen, turn[0])
            if len(ids) != len(others):
                return None
            named = self.named(here, role, ids, others)
        except EngineFailure:
            return None
        if set(named) != set(ids):
            return None
        self.met.setdefault(turn[0], set()).update(ids)
        return Agreed(role, turn, ids, named, others)

    # A game ----------------------------------------------------------------------------------

    def game(self, chooser: Chooser, on_position: Callable[[Piece], None]) -> Parting | None:
        """Play one game; return the first difference: see `gdl.conform.search`."""
        run, piece = _Run(self, chooser), chooser.piece
        for ply in range(MOST_PLIES):
            if isinstance(run.twin, Parting):
                return run.twin if self.comparison.is_new(run.twin) else None
            piece.positions += 1
            piece.styles[chooser.name] += 1
            on_position(piece)
            if not run.goes_by_numbers(ply) and not run.goes_by_comparison(ply):
                met = run.parting
                return met if met is None or self.comparison.is_new(met) else None
        return None

    def along(self, ids: Sequence[int], piece: Piece, memory: Memory) -> Parting | None:
        """Return the first difference at the end of a play, and the moves made from there.

        Nothing is compared on the way, but where both do not agree at last.

        Args:
            ids: The play: the numbers of the moves of who has a choice.
            piece: Its counts go on.
            memory: Counts the rules that fire.
        """
        here, played = self.start(), list[Choice]()
        partners: list[dict[int, EngineMove]] = [
            {n: move for move, n in row.items()} for row in self._ids
        ]
        rng = random.Random(repr(ids[-BEHIND:]))  # noqa: S311
        for ply in range(len(ids) + BEHIND):
            if here is None or self._machine.is_over(here.seen):
                break
            turn = self.turn(here.seen)
            if turn is None or turn[0] not in self._role_of:
                break
            legal, role = self._machine.legal_ids(here.seen, turn[0]), self._role_of[turn[0]]
            n = ids[ply] if ply < len(ids) else rng.choice(legal)
            n = n if len(legal) > 1 else legal[0]
            # A partner that is known is taken at once: on the way nothing is asked but to play. One
            # that is not is looked for among what is legal there, which compares that position.
            move = partners[role].get(n)
            if move is None or ply >= len(ids):
                agreed = self.agreed(here)
                if agreed is None:
                    break
                piece.positions += 1
                self.note(memory, here)
                partners[role] = {number: other for other, number in self._ids[role].items()}
                move = agreed.others[agreed.named.index(n)]
            played.append({role: self.moves[turn[0]][n]})
            here = self._played(here, with_move(turn, n), role, move)
        else:
            return None
        # The end, or the place where both came apart, is told by the whole comparison: it alone
        # knows conventions, and says what differs.
        met = self.again(played)
        if isinstance(met, Twin):
            piece.positions += 1
            answer = self.comparison.compare(met)
            piece.games += not answer
            met = answer if isinstance(answer, Parting) else met
        return met if isinstance(met, Parting) and self.comparison.is_new(met) else None

    def _played(
        self, here: Here, joint: tuple[int, ...], role: int, move: EngineMove
    ) -> Here | None:
        """Return where a joint move of ours and a move of theirs lead; None where theirs fails."""
        inner = self._machine.after(here.inner, joint)
        (other,) = self._their_turn[role]
        try:
            theirs = self.comparison.theirs.play(here.theirs, {other: move})
        except EngineFailure:
            return None
        return Here(inner, self._machine.look(inner), theirs, here.inner, joint)

    def may_ask(self, twin: Twin) -> bool:
        """Return whether an answer does not hang on the play that led to a twin."""
        if not may_cut(self.comparison.allowed):
            return True
        try:
            over = self.comparison.theirs.is_terminal(twin.theirs)
        except EngineFailure:
            return False
        return over == self.comparison.ours.is_terminal(twin.ours)

    def again(self, played: Sequence[Choice]) -> Twin | Parting:
        """Return where choices lead, as `Comparison` goes there from the start."""
        comparison = self.comparison
        twin = comparison.start()
        for choice in played:
            if isinstance(twin, Parting):
                break
            partners = comparison.compare(twin)
            if isinstance(partners, Parting):
                return partners
            twin = comparison.step(twin, choice, partners)
        return twin

    def here(self, twin: Twin) -> Here | None:
        """Return where a twin stands, by numbers; None where some have chosen, others not yet."""
        ours = twin.ours
        if ours.chosen:
            return None
        machine = self._machine
        before: bytes | None = None
        joint: tuple[int, ...] = ()
        if ours.before is not None and ours.joint is not None:
            index = self._rules.game.move_index
            before = ours.before.inner
            joint = tuple(index[place][move] for place, move in enumerate(ours.joint))
        return Here(ours.inner, machine.look(ours.inner), twin.theirs, before, joint)

    def after(self, here: Here, agreed: Agreed, n: int) -> Here | None:
        """Return where a move of ours leads on both sides; None where the engine fails."""
        move = agreed.others[agreed.named.index(n)]
        return self._played(here, with_move(agreed.turn, n), agreed.role, move)

    def stays(self, here: Here, agreed: Agreed) -> bool:
        """Return whether a position is as it was after a move was played from it aside."""
        (role,) = self._their_turn[agreed.role]
        try:
            self.comparison.theirs.play(here.theirs, {role: agreed.others[-1]})
        except EngineFailure:
            return True
        return self.agreed(here) == agreed

    def note(self, memory: Memory, here: Here) -> None:
        """Count the rules that fire in a position and on the way to it."""
        if memory.coverage is None:
            return
        try:
            memory.coverage.note(here.inner)
            if here.before is not None:
                memory.coverage.note(here.before, self._terms(here.joint))
        except GdlError:
            memory.coverage = None  # the rules are too large to look at so closely

    # Styles ----------------------------------------------------------------------------------

    def chosen(
        self, style: str, here: Here, agreed: Agreed, rng: random.Random, memory: Memory
    ) -> int:
        """Return the number of the move that a style chooses, from the same chances."""
        ids = agreed.ids
        if style == CHANCE_ALONE:
            return rng.choice(ids)
        if style == SELDOM:
            if rng.random() >= OFTEN:
                return rng.choice(ids)
            count, moves, chance = memory.moves.get, self.moves[agreed.turn[0]], rng.random
            return min([(count(moves[n], 0), chance(), n) for n in ids])[2]
        if rng.random() > OFTEN:
            return rng.choice(ids)
        picked = rng.sample(ids, min(LOOKING[style][1], len(ids)))
        worths = self._worths(style, here, agreed.turn, picked, memory)
        return picked[worths.index(max(worths))]

    def _worths(
        self,
        style: str,
        here: Here,
        turn: tuple[int, tuple[int, ...]],
        picked: Sequence[int],
        memory: Memory,
    ) -> list[float]:
        """Return what a style gives for what follows from each of some moves: see `LOOKING`.

        All are looked at together; what that does not say is asked of the state itself.
        """
        wanted, children = LOOKING[style][0], self._children
        if wanted is seldom_rules:
            return [self._worth(style, here, with_move(turn, n), memory) for n in picked]
        if wanted is unfired_rule:
            return self._nearness(here, turn, picked, memory)
        children.look(here.inner, turn, picked)
        over, alone = children.over, children.alone
        sign = ANSWERS.get(wanted)
        counts = None if sign is None else children.counts()
        worths = []
        for lane, n in enumerate(picked):
            if over >> lane & 1:
                if wanted is ends:
                    worths.append(self._worth(style, here, with_move(turn, n), memory))
                else:
                    worths.append(-1.0 if counts is None else ENDED)
            elif not alone >> lane & 1:
                worths.append(self._worth(style, here, with_move(turn, n), memory))
            elif sign is not None and counts is not None:
                worths.append(sign * counts[lane])
            else:
                worths.append(0.0)
        return worths

    def _nearness(
        self,
        here: Here,
        turn: tuple[int, tuple[int, ...]],
        picked: Sequence[int],
        memory: Memory,
    ) -> list[float]:
        """Return for some moves how near they lead to where the game is to lead."""
        machine = self._machine
        after = [machine.after(here.inner, with_move(turn, n)) for n in picked]
        if memory.aim is None:
            return [0.0] * len(after)
        over = (machine.is_over(machine.look(inner)) for inner in after)
        pairs = zip(memory.aim(after), over, strict=True)
        return [aimed(near, is_over=is_over) for near, is_over in pairs]

    def _worth(self, style: str, here: Here, joint: tuple[int, ...], memory: Memory) -> float:
        """Return what a style gives for what follows from a joint move: see `LOOKING`."""
        machine = self._machine
        inner = machine.after(here.inner, joint)
        seen = machine.look(inner)
        is_over = machine.is_over(seen)
        turn = None if is_over else self.turn(seen)
        if turn is None and not is_over:  # nobody is asked alone: the position says what follows
            after = Here(inner, seen, None, here.inner, joint)
            return LOOKING[style][0](self.comparison, self.position(after), memory)
        wanted = LOOKING[style][0]
        if wanted is going_on:
            return -float(is_over)
        if wanted is ends and is_over:
            return 1 / (1 + memory.ends[self._returns(inner)])
        if wanted in ANSWERS:
            if turn is None:
                return ENDED
            return ANSWERS[wanted] * len(machine.legal_ids(seen, turn[0]))
        assert wanted is seldom_rules
        return self._seldom(here, inner, joint, memory)

    def _seldom(self, here: Here, inner: bytes, joint: tuple[int, ...], memory: Memory) -> float:
        coverage = memory.coverage
        if coverage is None:
            return 0.0
        try:
            fired = coverage.fired(inner) | coverage.fired(here.inner, self._terms(joint))
        except GdlError:
            return 0.0
        return sum(1 / (1 + coverage.counts[rule]) for rule in fired)

    def _returns(self, inner: bytes) -> tuple[float, ...]:
        return self._rules.returns(RulesPosition(inner, (), None, None, (), is_terminal=True))


class _Run:
    """One game under way, by numbers as long as that can be.

    Attributes:
        here: Where it stands by numbers; None where `Comparison` has it.
        twin: Where it stands there, or the difference that was met.
        is_known: Whether the twin has the play that led to it, from the start.
        played: What was chosen so far.
        parting: The difference that ended it.
    """

    def __init__(self, quick: Quick, chooser: Chooser) -> None:
        """Begin."""
        self._quick, self._chooser = quick, chooser
        self.here = quick.start()
        self.is_known = self.here is None
        self.twin = quick.comparison.start() if self.here is None else None
        self.played: list[Choice] = []
        self.parting: Parting | None = None

    def goes_by_numbers(self, ply: int) -> bool:
        """Make a move where both sides agree by numbers; return whether they do."""
        here, quick, chooser = self.here, self._quick, self._chooser
        agreed = None if here is None else quick.agreed(here)
        if agreed is None or here is None:
            return False
        if chooser.piece.positions % ASIDE == 0 and not quick.stays(here, agreed):
            self.twin, self.is_known, self.here = quick.again(self.played), True, None
            return False
        if chooser.is_noted(ply, goes_on=True):
            quick.note(chooser.memory, here)
        n = quick.chosen(chooser.style(ply), here, agreed, chooser.rng, chooser.memory)
        move = quick.moves[agreed.turn[0]][n]
        chooser.memory.moves[move] += 1
        self.played.append({agreed.role: move})
        self.here = quick.after(here, agreed, n)
        if self.here is None:
            self.twin, self.is_known = quick.again(self.played), True
        return True

    def goes_by_comparison(self, ply: int) -> bool:
        """Compare a position in full and make a move; return whether the game goes on."""
        answer = self._compared()
        if isinstance(answer, Parting):
            self.parting = answer
            return False
        twin = self.twin
        assert isinstance(twin, Twin)
        choice = self._chooser.choice(ply, twin, answer)
        if choice is None or isinstance(choice, Parting):
            self.parting = choice
            return False
        self.played.append(choice)
        self.twin = self._quick.comparison.step(twin, choice, answer)
        if not self.is_known:
            self._go_on_by_numbers()
        return True

    def _compared(self) -> Partners | Parting:
        """Compare the position here; a difference is met once more on the way from the start."""
        quick = self._quick
        if self.twin is None:
            assert self.here is not None
            self.twin = Twin(quick.position(self.here), self.here.theirs)
        assert isinstance(self.twin, Twin)
        if self.is_known or quick.may_ask(self.twin):
            answer = quick.comparison.compare(self.twin)
            if self.is_known or not isinstance(answer, Parting):
                return answer
        self.twin, self.is_known, self.here = quick.again(self.played), True, None
        return self.twin if isinstance(self.twin, Parting) else quick.comparison.compare(self.twin)

    def _go_on_by_numbers(self) -> None:
        """Leave the twin for numbers where these can have it; go from the start where it failed."""
        if isinstance(self.twin, Parting):
            self.twin, self.is_known = self._quick.again(self.played), True
            self.here = None
            return
        assert self.twin is not None
        self.here = self._quick.here(self.twin)
        if self.here is not None:
            self.twin = None


def quick(comparison: Comparison) -> Quick | None:
    """Return the quick way to compare; None where there is none, and `Comparison` does it all.

    Ours has to run as machine code, with nothing hidden, no chance and no moves taken together,
    and what its moves stand for must not hang on the position.
    """
    rules = comparison.ours
    if not isinstance(rules, RulesSource) or rules.hides or rules.has_chance:
        return None
    if comparison.matching.is_positional:
        return None
    return None if rules.game.back_end.native is None else Quick(comparison, rules)
