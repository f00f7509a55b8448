"""Moves matched by where they are legal: what no reading of their words says.

In: two sources and an order of the roles. Out: a table of moves. A move may be called by a square
and a direction, or by a number that nobody can read; but it is legal where its partner is. Both
sides make the same moves. The moves of a player are kept in blocks, each as large on either side;
a position in which a part of a block is legal on both sides splits it, and so does what follows
from each of its moves. Where a block cannot be split, as the halves of a board that is its own
mirror, one pair is chosen and the rest follows; a choice that is contradicted later is taken back,
with all that followed from it.

Moves that were never met get partners by their words, if the words of the pairs that were met
hang together by a rule: see `gdl.conform.matching.rules_of_words`.

Source: colour refinement and individualisation, as for isomorphism of graphs (McKay, Piperno,
"Practical graph isomorphism, II", 2014).
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final, TypeAlias

from gdl.conform.comparison import choosing
from gdl.conform.source import CHANCE, EngineMove, Position, Source
from gdl.conform.sources.guarded import EngineFailure, guarded

Block: TypeAlias = int
Named: TypeAlias = tuple[int, EngineMove]
"""A role of ours, and a move of that role on either side."""
Signature: TypeAlias = Hashable
Both: TypeAlias = tuple[Position, Position]
EitherMoves: TypeAlias = tuple[list[EngineMove], list[EngineMove]]
Legal: TypeAlias = dict[int, EitherMoves]
"""For each role of ours that chooses the moves of either side."""
Tables: TypeAlias = dict[int, dict[EngineMove, EngineMove]]
"""For each role of ours, chance among them, the partners of its moves."""

NEW: Final = -1
"""The block of moves that were not met before."""
LOOKED: Final = 60_000
"""Positions behind moves that one search looks at."""
SHORTEST, LONGER = 8, 4
"""Moves after which the first game is left, and how much longer each is than the one before."""
SETTLED: Final = 4
"""Games in a row that settle the choices before them."""
ALIKE: Final = 64
"""Moves of a position that are looked behind, at most."""
ANSWERS: Final = 2_500
"""Pairs of a move and an answer that are looked behind, at most."""
OFTEN: Final = 0.7
"""How often a move of a small block is made; else any is."""
QUIET: Final = 12
"""Games in a row that tell no more moves apart; then the table is taken."""
PATIENT: Final = 150
"""The same where some of the moves that were met are not told apart yet."""
EARLY, EARLY_SLACK, EARLY_TRIES = 4, 1, 2
"""Moves of the first game where only beginnings can be had, and the slack and the tries then."""
GAMES: Final = 400
"""Games that are played at most."""
TAKEN_BACK: Final = 200
"""Choices that are taken back before it is given up."""
SLACKS: Final = (0, 1, 0, 2)
"""Moves of a position that may have no partner, try after try.

A bug that is met in nearly every game contradicts the right table as well.
"""


class ContradictionError(Exception):
    """Both sides are not alike under the pairs that were chosen."""


@dataclass
class _Blocks:
    """Which moves may still stand for each other.

    Attributes:
        slack: Moves of a position that may have no partner.
        of: For either side the block of each move that was met.
        size: For either side how many moves are in a block; the same but for the slack.
        last: The number of the last block.
    """

    slack: int
    of: tuple[dict[Named, Block], dict[Named, Block]] = field(default_factory=lambda: ({}, {}))
    size: tuple[Counter[Block], Counter[Block]] = field(
        default_factory=lambda: (Counter(), Counter())
    )
    last: Block = 0

    def copy(self) -> _Blocks:
        """Return blocks of their own."""
        of, size = self.of, self.size
        return _Blocks(
            self.slack, (dict(of[0]), dict(of[1])), (Counter(size[0]), Counter(size[1])), self.last
        )

    def split(
        self,
        ours: dict[Named, Signature],
        theirs: dict[Named, Signature],
        *,
        is_soft: bool = False,
    ) -> bool:
        """Put moves with unlike signatures into blocks of their own; return whether that is new.

        Moves without a signature stay where they are. Each block has to have as many moves of a
        signature on either side, but for the slack; softly, those that have not are left as they
        are.

        Raises:
            ContradictionError: One has not; nothing was split.
        """
        groups: defaultdict[tuple[Block, Signature], tuple[list[Named], list[Named]]]
        groups = defaultdict(lambda: ([], []))
        for side, signatures in enumerate((ours, theirs)):
            for move, signature in signatures.items():
                groups[self.of[side].get(move, NEW), signature][side].append(move)
        wrong = [key for key, (left, right) in groups.items() if len(left) != len(right)]
        if is_soft:  # what one bug changes shows behind many moves: these stay together
            for key in wrong:
                del groups[key]
        elif sum(abs(len(groups[key][0]) - len(groups[key][1])) for key in wrong) > self.slack:
            raise ContradictionError
        is_split = False
        for (block, _), both in groups.items():
            if block != NEW and all(len(both[side]) == self.size[side][block] for side in (0, 1)):
                continue
            is_split = True
            self.last += 1
            for side, moves in enumerate(both):
                self.size[side][self.last] = len(moves)
                self.size[side][block] -= len(moves)
                self.of[side].update(dict.fromkeys(moves, self.last))
        return is_split

    def pair(self, left: Named, right: Named) -> None:
        """Take two moves of one block for partners."""
        self.split({left: "chosen"}, {right: "chosen"})


class _Search:
    """One search for a table under one order of the roles."""

    def __init__(
        self,
        sides: tuple[Source, Source],
        order: tuple[int, ...],
        rng: random.Random,
        is_late: Callable[[], bool],
        slack: int,
    ) -> None:
        self.sides = sides[0], guarded(sides[1])
        self.names = tuple(range(len(order))), order
        self.rng, self._is_late, self.looked = rng, is_late, 0
        self.blocks = _Blocks(slack)
        self.settled: _Blocks | None = None
        self.stack: list[tuple[_Blocks, Named, list[Named]]] = []

    def table(self) -> _Blocks | None:
        """Return the blocks after which nothing more is told apart; None where there are none.

        Games grow longer one by one, for bugs as a rule are met late. Choices under which some
        games in a row went well are settled, and what contradicts those is taken for a bug.
        """
        quiet = well = back = 0
        for number in range(GAMES):
            before = self.blocks.last, len(self.blocks.of[0])
            try:
                self._game(SHORTEST + LONGER * number)
            except (ContradictionError, EngineFailure):
                well, back = 0, back + 1
                if back > TAKEN_BACK or not (self._take_back() or self.settled):
                    return None
            else:
                well += 1
                quiet = quiet + 1 if (self.blocks.last, len(self.blocks.of[0])) == before else 0
            if well >= SETTLED:
                self.stack.clear()
                self.settled = self.blocks.copy()
            is_told = max(self.blocks.size[0].values(), default=0) <= 1
            if quiet >= (QUIET if is_told else PATIENT) or self.is_late():
                break
        return self.settled

    def beginnings(self) -> _Blocks | None:
        """Return the blocks that beginnings of games tell apart; None where they contradict all.

        A bug that every game meets contradicts the right choices as well. So games grow longer
        only when some in a row went well, which settles the few choices made so far, before the
        bug is met; a game in which it is met tells moves apart up to there.
        """
        plies, well, quiet, most = EARLY, 0, 0, (0, 0)
        for _ in range(GAMES):
            try:
                self._game(plies)
            except (ContradictionError, EngineFailure):
                well = 0
                if self.stack:
                    self._take_back()
                elif self.settled is None:
                    return None
            else:
                well += 1
            if well >= SETTLED:
                self.stack.clear()
                self.settled = self.blocks.copy()
                plies, well = plies + LONGER, 0
            told = self.blocks.last, len(self.blocks.of[0])
            most, quiet = max(most, told), 0 if told > most else quiet + 1
            if quiet >= 2 * QUIET or self.is_late():
                break
        return self.settled if self.stack else self.blocks

    def is_late(self) -> bool:
        """Return whether the time is over, or enough was looked at."""
        return self.looked > LOOKED or self._is_late()

    def _take_back(self) -> bool:
        """Take the last choice back that has another one; return whether there was one."""
        while self.stack:
            blocks, move, others = self.stack.pop()
            while others:
                self.blocks = blocks.copy()
                other = others.pop()
                try:
                    self.blocks.pair(move, other)
                except ContradictionError:
                    continue
                self.stack.append((blocks, move, others))
                return True
        if self.settled is not None:
            self.blocks = self.settled.copy()
        return False

    # One game -------------------------------------------------------------------------------

    def _game(self, plies: int) -> None:
        here: Both = self.sides[0].initial(), self.sides[1].initial()
        for _ in range(plies):
            legal = self._legal(here)
            if not legal or self.is_late():
                return
            self.blocks.split(*(self._likely(side, here[side], legal) for side in (0, 1)))
            if len(legal) == 1:  # else what follows hangs on the others, too
                self._look_behind(here, next(iter(legal.items())))
            after = self._played(here, legal)
            if after is None:
                return
            here = after

    def _legal(self, here: Both) -> Legal:
        """Return for each role of ours that chooses the legal moves of either side."""
        movers = [self._movers(side, here[side]) for side in (0, 1)]
        if movers[0] != movers[1]:
            raise ContradictionError
        legal = {}
        for role in movers[0]:
            ours, theirs = (self._moves(side, here[side], role) for side in (0, 1))
            legal[role] = ours, theirs
        return legal

    def _movers(self, side: int, position: Position) -> tuple[int, ...]:
        """Return who chooses, in numbers of ours."""
        asked = choosing(self.sides[side], position)
        return tuple(sorted(r if r == CHANCE else self.names[side].index(r) for r in asked))

    def _name(self, side: int, role: int) -> int:
        return CHANCE if role == CHANCE else self.names[side][role]

    def _moves(self, side: int, position: Position, role: int) -> list[EngineMove]:
        return list(self.sides[side].legal(position, self._name(side, role)))

    def _likely(self, side: int, position: Position, legal: Legal) -> dict[Named, Signature]:
        """Return the legal moves, those of chance with how likely they are."""
        chances = self.sides[side].chances(position) if CHANCE in legal else {}
        return {
            (role, move): round(chances.get(move, 0.0), 6)
            for role, both in legal.items()
            for move in both[side]
        }

    def _look_behind(self, here: Both, asked: tuple[int, EitherMoves]) -> None:
        """Split blocks by what follows from their moves, and from all answers to these."""
        role, both = asked
        moves = [
            [move for move in both[side] if self._size(side, (role, move)) > 1] for side in (0, 1)
        ]
        answers = 0
        for depth in (1, 2):
            if len(moves[0]) > ALIKE or answers > ANSWERS:
                return
            signatures: list[dict[Named, Signature]] = [{}, {}]
            answers = 0
            for side, move in [(n, move) for n in (0, 1) for move in moves[n]]:
                count, signature = self._behind(side, here[side], (role, move), depth)
                signatures[side][role, move] = signature
                answers += count
            if not moves[0] or self.blocks.split(*signatures, is_soft=self.blocks.slack > 0):
                return

    def _behind(
        self, side: int, position: Position, named: Named, depth: int
    ) -> tuple[int, Signature]:
        """Return how many answers a move has, and of which blocks these are."""
        role, move = named
        after = self._after(side, position, {role: move})
        movers = self._movers(side, after)
        self.looked += bool(movers)
        counts: Counter[Hashable] = Counter()
        for answer in [(mover, m) for mover in movers for m in self._moves(side, after, mover)]:
            block = self.blocks.of[side].get(answer, NEW)
            deeper = depth > 1 and len(movers) == 1
            counts[
                answer[0], block, self._behind(side, after, answer, depth - 1) if deeper else None
            ] += 1
        return counts.total(), (movers, frozenset(counts.items()))

    def _after(self, side: int, position: Position, choice: dict[int, EngineMove]) -> Position:
        """Return what follows, with the only moves of others who are asked all the same."""
        source = self.sides[side]
        named = {self._name(side, role): move for role, move in choice.items()}
        for role in source.movers(position) if side else ():
            if role not in named:
                named[role] = source.legal(position, role)[0]
        return source.play(position, named)

    def _size(self, side: int, move: Named) -> int:
        return self.blocks.size[side][self.blocks.of[side][move]]

    def _choice(self, role: int, ours: list[EngineMove]) -> EngineMove:
        """Return a move of a small block: the fewer partners it may have, the fewer are wrong."""
        if self.rng.random() > OFTEN:
            return self.rng.choice(ours)
        return min(ours, key=lambda move: (self._size(0, (role, move)), self.rng.random()))

    def _played(self, here: Both, legal: Legal) -> Both | None:
        """Make a move of each who chooses, and the partners; a partner is chosen if need be.

        None is chosen for a move that ends the game, for nothing behind it could contradict that:
        another move is made, if there is one.
        """
        choices: tuple[dict[int, EngineMove], dict[int, EngineMove]] = ({}, {})
        for role, both in legal.items():
            blocks = {self.blocks.of[1][role, move] for move in both[1]}
            paired = [move for move in both[0] if self.blocks.of[0][role, move] in blocks]
            if not paired:
                raise ContradictionError
            move = self._choice(role, paired)
            if len(legal) == 1 and self._is_blind(here[0], role, move):
                paired = [other for other in paired if not self._is_blind(here[0], role, other)]
                if not paired:
                    return None
                move = self.rng.choice(paired)
            block = self.blocks.of[0][role, move]
            alike = [
                [(role, m) for m in both[side] if self.blocks.of[side][role, m] == block]
                for side in (0, 1)
            ]
            if self._size(0, (role, move)) > 1 or self._size(1, alike[1][0]) > 1:
                self._pair((role, move), *alike)
                block = self.blocks.of[0][role, move]
            choices[0][role] = move
            choices[1][role] = next(m for m in both[1] if self.blocks.of[1][role, m] == block)
        return self._after(0, here[0], choices[0]), self._after(1, here[1], choices[1])

    def _is_blind(self, position: Position, role: int, move: EngineMove) -> bool:
        """Return whether a move of which the partner would have to be chosen ends the game."""
        if self._size(0, (role, move)) <= 1 or role == CHANCE:
            return False
        return self.sides[0].is_terminal(self._after(0, position, {role: move}))

    def _pair(self, move: Named, ours: list[Named], theirs: list[Named]) -> None:
        """Choose a partner among several, at first the one at the same place in order."""
        ours.sort(key=str)
        theirs.sort(key=str)
        place = min(ours.index(move), len(theirs) - 1)
        others = [*theirs[:place], *theirs[place + 1 :]]
        self.rng.shuffle(others)
        self.stack.append((self.blocks.copy(), move, others))
        self.blocks.pair(move, theirs[place])


def refined(
    ours: Source,
    theirs: Source,
    orders: Iterable[tuple[int, ...]],
    seed: int,
    is_late: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[tuple[int, ...], Tables]]:
    """Yield orders of the roles, and for each role of ours the partners of its moves.

    Moves that nothing tells apart are paired in the order in which they were met.
    """
    for order, search in _searches((ours, theirs), orders, f"{seed}/refined", is_late, SLACKS):
        blocks = search.table()
        if blocks is not None:
            yield order, _tables(blocks)


def begun(
    ours: Source,
    theirs: Source,
    orders: Iterable[tuple[int, ...]],
    seed: int,
    is_late: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[tuple[int, ...], Tables]]:
    """Yield the same where most games contradict any table: what their beginnings say.

    A table is left out that has moves which nothing told apart: an order at random among these
    would be contradicted by an engine without a bug as well.
    """
    slacks = (EARLY_SLACK,) * EARLY_TRIES
    for order, search in _searches((ours, theirs), orders, f"{seed}/begun", is_late, slacks):
        blocks = search.beginnings()
        if blocks is not None and all(max(sizes.values(), default=0) == 1 for sizes in blocks.size):
            yield order, _tables(blocks)


def _searches(
    sources: tuple[Source, Source],
    orders: Iterable[tuple[int, ...]],
    seed: str,
    is_late: Callable[[], bool],
    slacks: Sequence[int],
) -> Iterator[tuple[tuple[int, ...], _Search]]:
    """Yield a search for each slack and order of the roles, as long as there is time."""
    for (attempt, slack), order in product(enumerate(slacks), orders):
        rng = random.Random(f"{seed}/{attempt}")  # noqa: S311  # chance for play
        yield order, _Search(sources, order, rng, is_late, slack)
        if is_late():
            return


def _tables(blocks: _Blocks) -> Tables:
    partners: defaultdict[Block, list[EngineMove]] = defaultdict(list)
    for (_, move), block in blocks.of[1].items():
        partners[block].append(move)
    left = {block: iter(moves) for block, moves in partners.items()}
    tables: defaultdict[int, dict[EngineMove, EngineMove]] = defaultdict(dict)
    for (role, move), block in blocks.of[0].items():
        partner = next(left.get(block, iter(())), None)
        if partner is not None:
            tables[role][move] = partner
    return dict(tables)
