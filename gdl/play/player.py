"""What a player is: a function of game, state and budget to a move.

A player may be a plain function, or an object that keeps what it learned from move to
move (its tree). It plays one role in one match. What it thought is kept beside the move, in
``thoughts``, where it has any to tell.

In games that hide facts (GDL-II) a player is not told the state: it gets an `InformationState`,
what its role has done and seen. `choose` sees to that, whatever state it is given.

Source: the two clocks are those of the GGP protocol (start clock and play clock).
"""

from __future__ import annotations

import reprlib
import traceback
from typing import Protocol, TypeAlias, runtime_checkable

from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.syntax import Term
from gdl.machine import IllegalMoveError
from gdl.play.anytime import collect_aside
from gdl.play.budget import Budget
from gdl.play.information import InformationState, information_state
from gdl.play.thoughts import Thoughts
from gdl.state import State, is_ground_term

__all__ = [
    "Checking",
    "Player",
    "PlayerError",
    "Position",
    "Preparing",
    "Thinking",
    "choose",
    "prepare",
    "thoughts_of",
]

Position: TypeAlias = State | InformationState
"""What a player is told: the state, or in games that hide facts what its role has seen."""


class Player(Protocol):
    """A function of (game, state, budget) to a legal move of its role."""

    def __call__(self, game: Game, state: Position, budget: Budget, /) -> Term:
        """Return a move; it must come before the budget is spent."""


@runtime_checkable
class Preparing(Protocol):
    """A player that can use the time before the first move."""

    def prepare(self, game: Game, budget: Budget, /) -> None:
        """Get ready to play; it must return before the budget is spent."""


@runtime_checkable
class Checking(Protocol):
    """A player that is not for every game."""

    def check(self, game: Game, /) -> None:
        """Raise a `GdlError` where it cannot play a game, before it begins."""


@runtime_checkable
class Thinking(Protocol):
    """A player that can say why it chose its last move."""

    @property
    def thoughts(self) -> Thoughts | None:
        """What was thought of the last move; None where there was nothing to think about."""


class PlayerError(GdlError):
    """A player that failed, or that named what is no move at all."""


def describe_error(error: BaseException) -> str:
    """Return what went wrong in somebody else's code, on one line, and where."""
    words = " ".join(f"{error}".split())
    is_told = isinstance(error, SyntaxError)  # its words have its place; the frame is of Python
    last = [] if is_told else traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f", {frame.filename}:{frame.lineno}" for frame in last)
    return f"{type(error).__name__}{': ' if words else ''}{words}{where}"


def prepare(player: Player, game: Game, budget: Budget) -> None:
    """Let a player use the start clock, if it can; what every move asks of the game is read too.

    What players of games before have left behind is collected first.
    """
    collect_aside()
    _ = game.hides_facts
    if isinstance(player, Preparing):
        player.prepare(game, budget)


def choose(player: Player, state: State, budget: Budget, *, role: Term | str) -> Term:
    """Ask a player for its move, and hold it to the rules.

    Args:
        player: Who is asked; it was made for this role.
        state: The true state; where the rules hide facts only what the role has seen is passed on.
        budget: Its time; whether it was kept is for the caller to see (`Budget.is_missed`).
        role: The role that it plays.

    Raises:
        IllegalMoveError: The player named a move that is not legal.
        PlayerError: It named no move at all, or a text that cannot be read as one.
        GdlError: The role has no legal move.
    """
    term = state.game.role(role)
    legal = state.legal(term)  # before the player begins: afterwards every millisecond counts
    if not legal:
        over = ", for the game is over" if state.is_terminal else ", though the game is not over"
        raise GdlError(f"{term} has no legal move here{over}")
    position: Position = information_state(state, term) if state.game.hides_facts else state
    named: object = player(state.game, position, budget)
    move = _read(named, state, term) if isinstance(named, str) else named
    if not is_ground_term(move):
        raise PlayerError(
            f"the player of {term} named {reprlib.repr(named)} ({type(named).__name__})",
            expected="a move, such as state.legal() lists",
        )
    if move not in legal:
        from gdl.machine import illegal_move

        error: IllegalMoveError = illegal_move(
            term, move, tuple(legal), show=state.game.ruleset.notation.format
        )
        raise error
    return move


def _read(named: str, state: State, role: Term) -> Term:
    try:
        return state.move(named, role)
    except GdlError as error:
        said = f"the player of {role} named {reprlib.repr(named)}, which is no move"
        raise PlayerError(said, expected="what state.move() reads", notes=[str(error)]) from None


def thoughts_of(player: Player) -> Thoughts | None:
    """Return what a player thought of its last move, if it can tell."""
    return player.thoughts if isinstance(player, Thinking) else None


def is_compiling(player: Player) -> bool:
    """Return whether machine code of the game is being made, beside what a player does."""
    return getattr(player, "is_compiling", False) is True


def backend_of(player: Player) -> str:
    """Return the back end on which a player thought of its last move; empty if it does not tell."""
    name: object = getattr(player, "backend", "")
    return name if isinstance(name, str) else ""
