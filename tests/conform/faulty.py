"""Games of open_spiel with a bug in each: what an auditor has to find.

A bug changes the answers of a state, never its inside: which moves are legal, whether play is
over, what it is worth. Four kinds, as trackers know them: a missing rule, a wrong end, a wrong
return, a rare special move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gdl.conform.source import EngineMove
from gdl.conform.sources.spiel import open_spiel_game


@dataclass(frozen=True)
class Bug:
    """How the answers of an engine are wrong.

    Attributes:
        name: What is wrong, in words.
        legal: The legal moves instead, given a position of open_spiel and the right ones.
        is_over: Whether play is over instead.
        returns: What the end is worth instead.
        play: What follows instead, given the position, the move and what follows.
    """

    name: str
    legal: Callable[[Any, list[int]], list[int]] | None = None
    is_over: Callable[[Any, bool], bool] | None = None
    returns: Callable[[Any, list[float]], list[float]] | None = None
    play: Callable[[Any, int, Any], Any] | None = None


class Faulty:
    """A game of open_spiel with a bug; everything else is as it was."""

    def __init__(self, game: str, bug: Bug) -> None:
        """Wrap a game."""
        self._right = open_spiel_game(game)
        self._bug = bug
        self.version = ""
        self.name = f"{game} where {bug.name}"
        for fact in ("roles", "hides", "has_chance", "bounds", "most_moves"):
            setattr(self, fact, getattr(self._right, fact))
        for question in ("initial", "chances", "text", "observation", "draw"):
            setattr(self, question, getattr(self._right, question))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # for the type checker
        raise AttributeError(name)

    def is_terminal(self, position: Any) -> bool:  # noqa: ANN401
        over = self._right.is_terminal(position)
        return over if self._bug.is_over is None else self._bug.is_over(position, over)

    def movers(self, position: Any) -> tuple[int, ...]:  # noqa: ANN401
        if self.is_terminal(position):
            return ()
        if self._right.is_terminal(position):  # play goes on where it should be over
            return (len(position.history()) % len(self._right.roles),)
        return self._right.movers(position)

    def legal(self, position: Any, role: int) -> Sequence[EngineMove]:  # noqa: ANN401
        right: list[Any] = list(self._right.legal(position, role))
        return right if self._bug.legal is None else self._bug.legal(position, right)

    def play(self, position: Any, moves: Mapping[int, EngineMove]) -> Any:  # noqa: ANN401
        after = self._right.play(position, moves)
        if self._bug.play is None:
            return after
        (move,) = moves.values()
        assert isinstance(move, int)
        return self._bug.play(position, move, after)

    def returns(self, position: Any) -> tuple[float, ...]:  # noqa: ANN401
        right = list(self._right.returns(position))
        return tuple(right if self._bug.returns is None else self._bug.returns(position, right))

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> None:
        del plays
