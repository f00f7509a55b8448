"""Ways to choose moves, so that a comparison meets what pure chance seldom finds.

In goes a position of the engine; out comes one of its legal moves. Chance ends a game
of Pentago in its middle and hardly ever fills a board of Gomoku, so besides uniform
choice there are games that look one move ahead for a certain end, and games that avoid
any end as long as they can.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar

from gdl.conform.reference import Reference

P = TypeVar("P")
M = TypeVar("M")

Chooser: TypeAlias = Callable[[Reference[P, M], P, random.Random], M]
"""Picks one of the engine's legal moves in a position."""
Wanted: TypeAlias = Callable[[Reference[P, M], P, M, P], bool]
"""Says whether a move, from the first position to the second, is looked for."""


def choose_uniformly(reference: Reference[P, M], position: P, rng: random.Random) -> M:
    """Pick any legal move, each with the same chance."""
    return rng.choice(reference.legal_moves(position))


def seek(is_wanted: Wanted[P, M]) -> Chooser[P, M]:
    """Return a chooser that takes a wanted move, else one that goes on, else any.

    It looks one move ahead; cost of a choice: O(legal moves) plays of the engine.
    """

    def choose(reference: Reference[P, M], position: P, rng: random.Random) -> M:
        moves = list(reference.legal_moves(position))
        rng.shuffle(moves)
        open_move: M | None = None
        for move in moves:
            after = reference.play(position, move)
            if is_wanted(reference, position, move, after):
                return move
            if open_move is None and not reference.is_terminal(after):
                open_move = move
        return moves[0] if open_move is None else open_move

    return choose


def prolong(reference: Reference[P, M], position: P, rng: random.Random) -> M:
    """Pick a move that does not end the game, if there is one."""
    moves = list(reference.legal_moves(position))
    rng.shuffle(moves)
    for move in moves:
        if not reference.is_terminal(reference.play(position, move)):
            return move
    return moves[0]


def seek_goal(goal: int) -> Chooser[P, M]:
    """Return a chooser that ends the game with this goal for the mover as soon as it can.

    Until then no move ends the game, unless all do.
    """

    def is_wanted(reference: Reference[P, M], before: P, move: M, after: P) -> bool:
        del move
        mover = reference.to_move(before)
        return (
            mover is not None
            and reference.is_terminal(after)
            and reference.goals(after)[mover] == goal
        )

    return seek(is_wanted)


STYLES: Final[Mapping[str, Chooser[Any, Any]]] = MappingProxyType(
    {
        "by chance": choose_uniformly,
        "seeking a win": seek_goal(100),
        "seeking a draw": seek_goal(50),
        "seeking a loss": seek_goal(0),
        "avoiding the end": prolong,
    }
)
"""Ways to play a whole game, by name."""
