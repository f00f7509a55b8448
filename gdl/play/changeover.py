"""The change from the rules as written to machine code, in the middle of a match.

In: a game that ``auto`` left to the reasoner since ten seconds were short, and its states. Out: the
same game as machine code once that is made (`gdl.play.compilation`), and the same states. A state
is carried over by playing its moves again, and only if the same facts hold there: a player that
changes over is never in another position than it was.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from gdl.language.diagnostics import GdlError
from gdl.play.compilation import Compilation, compilation_of
from gdl.play.information import InformationState

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.play.player import Position
    from gdl.state import State


class Changeover:
    """Where a player goes on: the game it was given, or from some move on its machine code.

    Attributes:
        compilation: What makes that; None where there is nothing to be made.
    """

    def __init__(self) -> None:
        """Begin with no game."""
        self.compilation: Compilation | None = None
        self._game: Game | None = None

    def begin(self, game: Game) -> None:
        """Begin to make machine code of a game that ``auto`` did not wait for."""
        if game is self._game:
            return
        self._game, self.compilation = game, None
        if game.backend == "reason" and game.back_end.refusal is not None:
            self.compilation = compilation_of(game.ruleset, game.limits)

    def finish(self, game: Game, seconds: float = math.inf) -> Game:
        """Wait at most so many seconds for machine code; return the game on what there is then."""
        self.begin(game)
        if self.compilation is None:
            return game
        self.compilation.wait(seconds)
        return self.compilation.game or game

    def follow(self, game: Game, state: Position) -> tuple[Game, Position]:
        """Return game and state as machine code, if that is there by now; else what was given."""
        self.begin(game)
        faster = None if self.compilation is None else self.compilation.game
        if faster is None:
            return game, state
        if game.table is not None and faster.table is None:
            faster.use(game.table)
        if isinstance(state, InformationState):
            start = followed(faster, state.start)
            if start is None:
                return game, state
            return faster, replace(state, game=faster, start=start)
        there = followed(faster, state)
        return (game, state) if there is None else (faster, there)


def followed(game: Game, state: State) -> State | None:
    """Return the state of a game after the moves that led to a state of the same rules.

    None where that is not the same state, or machine code is no judge of where they began.
    """
    first, *others = state.history
    try:
        new = game.initial()
        if first.facts != new.facts:
            new = game.state(first.facts)
        for later in others:
            assert later.last_move is not None
            new = new.play(later.last_move)
    except GdlError:
        return None
    return new if new.machine is game.machine and new.facts == state.facts else None
