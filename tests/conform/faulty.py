"""Engines with a bug in each, games of open_spiel above all: what an auditor has to find.

A bug changes the answers of a state, never its inside: which moves are legal, whether play is
over, what it is worth. Four kinds, as trackers know them: a missing rule, a wrong end, a wrong
return, a rare special move.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gdl.conform.source import CHANCE, EngineMove
from gdl.conform.sources import open_source


@dataclass(frozen=True)
class Bug:
    """How the answers of an engine are wrong.

    Attributes:
        name: What is wrong, in words.
        legal: The legal moves instead, given a position of open_spiel and the right ones.
        is_over: Whether play is over instead.
        returns: What the end is worth instead.
        movers: Whose turn it is instead.
        chances: How likely outcomes are instead.
        observation: What a role knows instead, given the position and the role.
    """

    name: str
    legal: Callable[[Any, list[Any]], list[Any]] | None = None
    is_over: Callable[[Any, bool], bool] | None = None
    returns: Callable[[Any, list[float]], list[float]] | None = None
    movers: Callable[[Any, tuple[int, ...]], tuple[int, ...]] | None = None
    chances: Callable[[Any, dict[Any, float]], dict[Any, float]] | None = None
    observation: Callable[[Any, int, Any], Hashable] | None = None


def moves_made(position: Any) -> int:  # noqa: ANN401
    """Return how many moves led to a position of open_spiel or python-chess."""
    return int(position.ply()) if hasattr(position, "ply") else len(position.history())


class Faulty:
    """An engine with a bug; everything else is as it was."""

    def __init__(self, engine: str, bug: Bug) -> None:
        """Wrap an engine by its name, a game of open_spiel where no other is said."""
        self._right = open_source(engine if ":" in engine else f"pyspiel:{engine}")
        self._bug = bug
        self.version = ""
        self.name = f"{engine} where {bug.name}"
        for fact in ("roles", "hides", "has_chance", "bounds", "most_moves"):
            setattr(self, fact, getattr(self._right, fact))
        for question in ("initial", "play", "text", "draw"):
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
            return (moves_made(position) % len(self._right.roles),)
        right = self._right.movers(position)
        return right if self._bug.movers is None else self._bug.movers(position, right)

    def legal(self, position: Any, role: int) -> Sequence[EngineMove]:  # noqa: ANN401
        right: list[Any] = list(self._right.legal(position, role))
        if self._bug.legal is None or role == CHANCE:
            return right
        return self._bug.legal(position, right)

    def chances(self, position: Any) -> Mapping[EngineMove, float]:  # noqa: ANN401
        right = dict(self._right.chances(position))
        return right if self._bug.chances is None else self._bug.chances(position, right)

    def observation(self, position: Any, role: int) -> Hashable | None:  # noqa: ANN401
        right = self._right.observation(position, role)
        bug = self._bug.observation
        return right if bug is None else bug(position, role, right)

    def returns(self, position: Any) -> tuple[float, ...]:  # noqa: ANN401
        right = list(self._right.returns(position))
        return tuple(right if self._bug.returns is None else self._bug.returns(position, right))

    def is_wrong(self, position: Any) -> bool:  # noqa: ANN401
        """Return whether an answer about a position is another one than without the bug."""
        right = self._right
        if self.is_terminal(position) != right.is_terminal(position):
            return True
        if self.is_terminal(position):
            return self.returns(position) != tuple(right.returns(position))
        movers = self.movers(position)
        if movers != right.movers(position):
            return True
        if movers == (CHANCE,):  # outcomes in a row are compared as one
            after = [self.play(position, {CHANCE: move}) for move in self.legal(position, CHANCE)]
            return self.chances(position) != right.chances(position) or any(
                self.is_wrong(each) for each in after if self.movers(each) == (CHANCE,)
            )
        return any(
            self.legal(position, role) != right.legal(position, role)
            or self.observation(position, role) != right.observation(position, role)
            for role in movers
        )

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> str | None:
        del plays
        return None
