"""A game and an engine compared along one play: what the test of a difference runs.

In: a game, an engine and moves of ours. Out: the first difference as text, None where there is
none.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from gdl.conform.conventions import require_conventions
from gdl.conform.minimise import follow
from gdl.conform.source import CHANCE, Against, EngineMove, Source
from gdl.conform.sources.merged import ChanceMovesOn
from gdl.conform.task import Task
from gdl.conform.twin import Choice, Parting
from gdl.game import GameLike
from gdl.language.keywords import RANDOM
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.preconditions import ArgumentError
from gdl.state import MoveLike


def conform_play(  # noqa: PLR0913  # as conform
    game: GameLike,
    against: Against,
    play: Sequence[Mapping[str, MoveLike]],
    *,
    allow: Collection[str] = (),
    names: str | os.PathLike[str] | None = None,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
) -> str | None:
    """Compare a game with an engine along one play.

    Args:
        game: See `gdl.conform.conform`.
        against: See there.
        play: For each ply the move of each role that chooses, ``random`` among them.
        allow: See there.
        names: See there.
        seed: Of the matching.
        limits: See there.

    Returns:
        What differs, None where both agree all along the play.

    Raises:
        ArgumentError: A move of the play is not legal by the rules, though nothing differs.
        SourceError: See `gdl.conform.conform`.
    """
    task = Task(game, against, tuple(sorted(require_conventions(allow))), names, seed, 0, limits)
    try:
        return _along(task, play)
    except ChanceMovesOn:
        return _along(replace(task, chance_moves_on=True), play)


def _along(task: Task, play: Sequence[Mapping[str, MoveLike]]) -> str | None:
    sides = task.open()
    rules = sides.rules
    numbers = {role: number for number, role in enumerate(rules.roles)} | {RANDOM: CHANCE}
    choices: list[Choice] = [
        {numbers[role]: rules.game.move(move) for role, move in ply.items()} for ply in play
    ]
    parting = follow(
        sides.comparison, [_merged(sides.comparison.ours, choice) for choice in choices]
    )
    if isinstance(parting, Parting):
        return f"{parting.what}: the rules say {parting.ours}, the engine says {parting.theirs}"
    if parting.depth < len(play):
        raise ArgumentError(
            "play", play[parting.depth], "legal by the rules", help=f"ply {parting.depth}"
        )
    return None


def _merged(ours: Source, choice: Choice) -> Choice:
    """Return a choice as a merged source has it: moves of chance as tuples of one."""
    if not ours.has_chance:
        return choice
    return {r: _whole(move) if r == CHANCE else move for r, move in choice.items()}


def _whole(move: EngineMove) -> EngineMove:
    return move if isinstance(move, tuple) else (move,)
