"""A source whose moves of chance in a row are one, and if asked, those of one player too.

One engine deals two cards by two moves, another by one: here both deal once. A merged move is the
tuple of the engine's own moves.

To know whether chance goes on after an outcome, each one has to be played: 36 positions a roll of
dice. So `moves_once` tries first whether chance ever moves twice in a row, and where it was
not seen to, a way is one outcome that nobody looks beyond until it is played. `ChanceMovesOn` says
that the trial was wrong: all is then done anew with whole turns.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gdl.conform.source import CHANCE, Board, EngineMove, Position, Source, SourceError

MOST_WAYS: Final = 20_000
"""Ways to go on from one position that are merged, and those that are kept of all positions."""
PROBED: Final = 150
"""Positions of random play in which chance is watched."""


class ChanceMovesOn(Exception):  # noqa: N818  # no error: all is done anew
    """Chance moves twice in a row, though it was not seen to."""


class TooManyWaysError(SourceError):
    """Moves in a row go on in too many ways to be one."""


def moves_once(source: Source, seed: int) -> bool:
    """Return whether chance moves once in a row, as far as some random play shows."""
    rng = random.Random(f"{seed}/chance")  # noqa: S311  # chance for play, not for secrets
    position, before = source.initial(), False
    for _ in range(PROBED):
        if source.is_terminal(position):
            position, before = source.initial(), False
        movers = source.movers(position)
        moves = {role: source.legal(position, role) for role in movers}
        if before and movers == (CHANCE,):
            return False
        if not moves or not all(moves.values()):
            return True
        before = movers == (CHANCE,)
        position = source.play(position, {role: rng.choice(legal) for role, legal in moves.items()})
    return True


@dataclass
class _Turn:
    """How play goes on from a position.

    Attributes:
        position: Which; it is kept, so that its identity stays its own.
        ways: Each way to the next turn, how likely it is, and where it leads; None where nobody
            has gone there.
        texts: The texts of ways that were asked for, by role and way.
    """

    position: Position
    ways: dict[tuple[EngineMove, ...], tuple[float, Position | None]]
    texts: dict[tuple[int, EngineMove], str] = field(default_factory=dict)


class Merged:
    """A source read in whole turns of chance, or of everybody.

    Attributes:
        source: The engine as it is.
        whole_turns: Whether moves that a player makes in a row are one, too.
        once: Whether chance moves once in a row, as far as is known.
        one_by_one: Whether its moves in a row are left as they are.
    """

    def __init__(
        self,
        source: Source,
        *,
        whole_turns: bool = False,
        once: bool = False,
        one_by_one: bool = False,
    ) -> None:
        """Read a source so."""
        self.source = source
        self.whole_turns, self.once = whole_turns, once or one_by_one
        self.one_by_one = one_by_one
        self.name, self.version = source.name, source.version
        self.roles, self.hides = source.roles, source.hides
        self.has_chance = source.has_chance
        self.bounds, self.most_moves = source.bounds, source.most_moves
        self._turns: dict[int, _Turn] = {}
        self._count = 0

    def initial(self) -> Position:
        """Return where play begins."""
        return self.source.initial()

    def movers(self, position: Position) -> tuple[int, ...]:
        """Return who chooses here."""
        return self.source.movers(position)

    def is_merged(self, position: Position) -> bool:
        """Return whether moves here are tuples."""
        movers = self.source.movers(position)
        return movers == (CHANCE,) or (self.whole_turns and len(movers) == 1)

    def legal(self, position: Position, role: int) -> Sequence[EngineMove]:
        """Return the moves of a role."""
        if self.is_merged(position):
            return list(self._turn(position).ways)
        return self.source.legal(position, role)

    def _turn(self, position: Position) -> _Turn:
        """Return how play goes on; trials of a matching ask for the same positions many times."""
        turn = self._turns.get(id(position))
        if turn is None:
            turn = _Turn(position, self._ways(position))
            self._count += len(turn.ways)
            if self._count > MOST_WAYS:
                self._turns, self._count = {}, len(turn.ways)
            self._turns[id(position)] = turn
        return turn

    def _ways(
        self, position: Position
    ) -> dict[tuple[EngineMove, ...], tuple[float, Position | None]]:
        """Return each way to the next turn, how likely it is, and where it leads."""
        source, movers = self.source, self.source.movers(position)
        if self.once and movers == (CHANCE,):
            probabilities = source.chances(position)
            return {
                (move,): (probabilities.get(move, 1.0), None)
                for move in source.legal(position, CHANCE)
            }
        ways: dict[tuple[EngineMove, ...], tuple[float, Position | None]] = {}
        work: list[tuple[tuple[EngineMove, ...], float, Position]] = [((), 1.0, position)]
        while work:
            moves, chance, here = work.pop()
            if moves and source.movers(here) != movers:
                ways[moves] = chance, here
                continue
            likely = source.chances(here) if movers == (CHANCE,) else {}
            for move in reversed(source.legal(here, movers[0])):
                after = source.play(here, {movers[0]: move})
                work.append(((*moves, move), chance * likely.get(move, 1.0), after))
            if len(work) + len(ways) > MOST_WAYS:
                raise TooManyWaysError(
                    f"{self.name}: one turn goes on in more than {MOST_WAYS:,} ways",
                    help="compare a smaller size of the game",
                )
        return ways

    def chances(self, position: Position) -> Mapping[EngineMove, float]:
        """Return how likely each way of chance is."""
        return {moves: chance for moves, (chance, _) in self._turn(position).ways.items()}

    def play(self, position: Position, moves: Mapping[int, EngineMove]) -> Position:
        """Return what follows.

        Raises:
            ChanceMovesOn: Chance moves again, though it was taken to move once in a row.
        """
        if not self.is_merged(position):
            return self.source.play(position, moves)
        ((role, move),) = moves.items()
        assert isinstance(move, tuple)
        turn = self._turns.get(id(position))
        position_after = None if turn is None else turn.ways[move][1]
        if position_after is not None:
            return position_after
        after = position
        for part in move:
            after = self.source.play(after, {role: part})
        if (
            self.once
            and not self.one_by_one
            and role == CHANCE
            and self.source.movers(after) == (CHANCE,)
        ):
            raise ChanceMovesOn
        if turn is not None:
            turn.ways[move] = turn.ways[move][0], after
        return after

    def is_terminal(self, position: Position) -> bool:
        """Return whether play is over."""
        return self.source.is_terminal(position)

    def returns(self, position: Position) -> tuple[float, ...]:
        """Return what the end is worth."""
        return self.source.returns(position)

    def text(self, position: Position, role: int, move: EngineMove) -> str:
        """Return a move as text, the parts of a merged one one after the other."""
        if not self.is_merged(position):
            return self.source.text(position, role, move)
        texts = self._turn(position).texts
        if (role, move) not in texts:
            texts[role, move] = self._written(position, role, move)
        return texts[role, move]

    def _written(self, position: Position, role: int, move: EngineMove) -> str:
        assert isinstance(move, tuple)
        texts = []
        for part in move:
            texts.append(self.source.text(position, role, part))
            if len(move) > len(texts):
                position = self.source.play(position, {role: part})
        return ", ".join(texts) if all(texts) else ""

    def observation(self, position: Position, role: int) -> Hashable | None:
        """Return what a role knows."""
        return self.source.observation(position, role)

    def board(self, position: Position) -> Board:
        """Return what stands where."""
        return self.source.board(position)

    def draw(self, position: Position) -> str:
        """Return the position for people."""
        return self.source.draw(position)

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> str | None:
        """Return a script of the engine's own moves."""
        parts: list[Mapping[int, EngineMove]] = []
        for moves in plays:
            ((role, move), *_) = moves.items()
            if isinstance(move, tuple) and len(moves) == 1:
                parts += [{role: part} for part in move]
            else:
                parts.append(moves)
        return self.source.script(parts)


def inner(source: Source) -> object:
    """Return what a source asks in the end, without what reads or guards it."""
    innermost: object = source
    while (below := getattr(innermost, "source", None)) is not None:
        innermost = below
    return innermost
