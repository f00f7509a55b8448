"""Walking an engine: seeded random games, and counting the game tree.

Everything here works for any `engine.game.Game`, and draws chance from a `random.Random` that the
caller passes in.
"""

from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from .game import Game

P = TypeVar("P")
M = TypeVar("M")

Level = dict[object, tuple[P, int]]
"""Positions of one depth by `Game.key`, each with the number of ways to it."""


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

    Positions with the same future are met many times and expanded once: a level is kept as
    positions with a count each. Cost: one `Game.play` for each legal move of each distinct
    position; the last level is counted only and takes no memory.

    Args:
        game: The rules.
        position: Root of the tree.
        depth: Number of levels wanted, in plies.

    Returns:
        One row for each depth from 1 on; fewer when the tree ends before.
    """
    rows: list[PerftRow] = []
    level: Level[P] = {game.key(position): (position, 1)}
    for plies in range(1, depth + 1):
        row, level = _expand(game, level, plies, keep=plies < depth)
        if not row.nodes:
            break
        rows.append(row)
    return rows


def _expand(
    game: Game[P, M], level: Level[P], depth: int, *, keep: bool
) -> tuple[PerftRow, Level[P]]:
    """Count the children of a level, and return those that go on when they are to be kept."""
    nodes = terminal = first = second = 0
    deeper: Level[P] = {}
    for parent, times in level.values():
        for move in game.legal_moves(parent):
            child = game.play(parent, move)
            nodes += times
            if game.is_terminal(child):
                goals = game.goals(child)
                terminal += times
                first += times * goals[game.roles[0]]
                second += times * goals[game.roles[1]]
            elif keep:
                key = game.key(child)
                _, known = deeper.get(key, (child, 0))
                deeper[key] = (child, known + times)
    return PerftRow(depth, nodes, terminal, (first, second)), deeper


def divide(game: Game[P, M], position: P, depth: int) -> dict[str, int]:
    """Return the number of leaves under each root move, by notation: to find a faulty rule."""
    counts: dict[str, int] = {}
    for move in game.legal_moves(position):
        rows = perft(game, game.play(position, move), depth - 1)
        reached = len(rows) == depth - 1
        counts[game.format(move)] = (rows[-1].nodes if rows else 1) if reached else 0
    return counts
