"""A source whose own errors are its answers, told apart from faults of this project.

Nor is it asked twice about one position, for the engine decides how long an audit takes: its last
answers are kept until a move is made. What a copy shares with what came of it shows behind that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from gdl.conform.source import EngineMove, Position, Source
from gdl.language.diagnostics import GdlError

ASKED: Final = (
    "initial", "movers", "legal", "chances", "play", "is_terminal", "returns", "text",
    "observation",
)  # fmt: skip
KEPT: Final = ("movers", "legal", "is_terminal")
"""Questions that are asked of a position again and again."""
FACTS: Final = ("name", "version", "roles", "hides", "has_chance", "bounds", "most_moves")


class EngineFailure(Exception):  # noqa: N818  # it is an answer
    """What an engine raised when it was asked about a legal position or move."""


class Guarded:
    """A source that raises `EngineFailure` and `GdlError` alone."""

    def __init__(self, source: Source) -> None:
        """Guard a source."""
        self.source = source
        for name in FACTS:
            setattr(self, name, getattr(source, name))
        asked = {name: _guarded(name, getattr(source, name)) for name in ASKED}
        kept = _Kept()
        for name in KEPT:
            asked[name] = kept.keeping(asked[name])
        for name in ("initial", "play"):
            asked[name] = kept.forgetting(asked[name])
        for name, ask in asked.items():
            setattr(self, name, ask)
        self.draw = source.draw
        self.script = source.script


def guarded(source: Source) -> Source:
    """Return a source that raises `EngineFailure` and `GdlError` alone."""
    if isinstance(source, Guarded):
        return source
    return cast("Source", Guarded(source))


def _guarded(name: str, ask: Callable[..., Any]) -> Callable[..., Any]:
    def asked(*args: object) -> object:
        try:
            return ask(*args)
        except (GdlError, EngineFailure):
            raise
        except Exception as error:
            text = f"{type(error).__name__} when asked for {name}: {error}"
            raise EngineFailure(text) from error

    return asked


class _Kept:
    """The answers about the position that was asked about last."""

    def __init__(self) -> None:
        self._position: Position = None
        self._answers: dict[object, Any] = {}

    def keeping(self, ask: Callable[..., Any]) -> Callable[..., Any]:
        """Return a question that is asked of a position once in a row."""

        def asked(position: Position, *more: object) -> Any:  # noqa: ANN401
            if position is not self._position:
                self._position, self._answers = position, {}
            key = ask, more
            if key not in self._answers:
                self._answers[key] = ask(position, *more)
            return self._answers[key]

        return asked

    def forgetting(self, ask: Callable[..., Any]) -> Callable[..., Any]:
        """Return a question behind which all others are asked anew."""

        def asked(*args: object) -> Any:  # noqa: ANN401
            self._position, self._answers = None, {}
            return ask(*args)

        return asked


class Unfailing:
    """A source whose play is over where it fails: to meet its moves, before these are compared.

    Nor is it asked for what follows when it is late: a slow engine may take minutes for games that
    others play in no time.

    Attributes:
        has_failed: Whether it failed so far, or had no move for one who moves.
        failure: What it raised first, empty where it raised nothing.
    """

    def __init__(self, source: Source, is_late: Callable[[], bool] = lambda: False) -> None:
        """Ask a guarded source."""
        self._source, self._is_late = source, is_late
        self.has_failed, self.failure = False, ""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # all else is as it was
        """Return what the source has."""
        return getattr(self._source, name)

    def as_source(self) -> Source:
        """Return this as what it is."""
        return cast("Source", self)

    def _asked(self, ask: Callable[..., Any], otherwise: object, *args: object) -> Any:  # noqa: ANN401
        try:
            return otherwise if args[0] is FAILED else ask(*args)
        except EngineFailure as failure:
            self.has_failed, self.failure = True, self.failure or str(failure)
            return otherwise

    def is_terminal(self, position: Position) -> bool:
        """Return whether play is over, or has failed."""
        return bool(self._asked(self._source.is_terminal, FAILED, position))

    def movers(self, position: Position) -> tuple[int, ...]:
        """Return who chooses here, nobody where that fails."""
        movers: tuple[int, ...] = self._asked(self._source.movers, (), position)
        return movers

    def legal(self, position: Position, role: int) -> Sequence[EngineMove]:
        """Return the moves of a role, none where that fails."""
        moves: Sequence[EngineMove] = self._asked(self._source.legal, (), position, role)
        self.has_failed |= not len(moves) and position is not FAILED
        return moves

    def play(self, position: Position, moves: Mapping[int, EngineMove]) -> Position:
        """Return what follows, a position that is over where that fails or it is late."""
        return (
            FAILED if self._is_late() else self._asked(self._source.play, FAILED, position, moves)
        )


FAILED: Final = object()
"""The position after a move that failed."""
