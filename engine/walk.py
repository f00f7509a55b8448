"""Walking an engine: seeded random games, and counting the game tree.

Everything here works for any `engine.game.Game`, and draws chance from a `random.Random` that the
caller passes in.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from engine.game import Game

P = TypeVar("P")
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class RandomGame(Generic[P, M]):
    """A finished game: what was played, and each position on the way."""

    moves: tuple[M, ...]
    """Moves in order."""
    positions: tuple[P, ...]
    """Positions, one more than moves: the start first, the terminal one last."""


@dataclass(frozen=True, slots=True)
class PerftRow:
    """The leaves of a game tree at one depth."""

    depth: int
    """Plies below the root."""
    nodes: int
    """Sequences of moves of this length; a terminal position has no children."""
    terminal: int
    """How many of them end in a terminal position."""
    goals: tuple[int, int]
    """Goal values of the two roles, in role order, summed over those terminal ones."""


def random_game(game: Game[P, M], chance: Random, start: P | None = None) -> RandomGame[P, M]:
    """Play uniformly random legal moves to the end.

    Args:
        game: The rules.
        chance: Where the choices come from; the same state of it gives the same game.
        start: Position to start from; None stands for the initial one.

    Returns:
        The moves and positions, the start included.
    """
    position = game.initial() if start is None else start
    moves: list[M] = []
    positions = [position]
    while not game.is_terminal(position):
        moves.append(chance.choice(game.legal_moves(position)))
        position = game.play(position, moves[-1])
        positions.append(position)
    return RandomGame(tuple(moves), tuple(positions))


def play_text(game: Game[P, M], moves: str, start: P | None = None) -> P:
    """Play moves written in the game's notation and separated by ``;``.

    Raises:
        RulesError: The first move that is not notation or not legal.
    """
    position = game.initial() if start is None else start
    for text in filter(None, (part.strip() for part in moves.split(";"))):
        position = game.play(position, game.parse(text))
    return position


def perft(game: Game[P, M], position: P, depth: int) -> list[PerftRow]:
    """Count the game tree level by level.

    Positions with the same future are met many times and expanded once: a level is kept as a
    count per `Game.key`. Cost: one `Game.play` for each legal move of each distinct position.

    Args:
        game: The rules.
        position: Root of the tree.
        depth: Number of levels wanted, in plies.

    Returns:
        One row for each depth from 1 on; fewer when the tree ends before.
    """
    rows: list[PerftRow] = []
    level: dict[object, P] = {game.key(position): position}
    times: Counter[object] = Counter(level.keys())
    for plies in range(1, depth + 1):
        level, times = _next_level(game, level, times)
        if not level:
            break
        rows.append(_count(game, plies, level, times))
    return rows


def _next_level(
    game: Game[P, M], level: dict[object, P], times: Counter[object]
) -> tuple[dict[object, P], Counter[object]]:
    """Return the distinct positions one ply deeper and how often each is reached."""
    positions: dict[object, P] = {}
    reached: Counter[object] = Counter()
    for parent_key, parent in level.items():
        weight = times[parent_key]
        for move in game.legal_moves(parent):
            child = game.play(parent, move)
            key = game.key(child)
            positions.setdefault(key, child)
            reached[key] += weight
    return positions, reached


def _count(
    game: Game[P, M], depth: int, level: dict[object, P], times: Counter[object]
) -> PerftRow:
    """Add up one level."""
    terminal, first, second = 0, 0, 0
    for key, position in level.items():
        if game.is_terminal(position):
            goals = game.goals(position)
            terminal += times[key]
            first += times[key] * goals[game.roles[0]]
            second += times[key] * goals[game.roles[1]]
    return PerftRow(depth, times.total(), terminal, (first, second))


def divide(game: Game[P, M], position: P, depth: int) -> dict[str, int]:
    """Return the number of leaves under each root move, by notation: to find a faulty rule."""
    counts: dict[str, int] = {}
    for move in game.legal_moves(position):
        rows = perft(game, game.play(position, move), depth - 1)
        reached = len(rows) == depth - 1
        counts[game.format(move)] = (rows[-1].nodes if rows else 1) if reached else 0
    return counts
