"""A source whose own errors are its answers, told apart from faults of this project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from gdl.conform.source import Source
from gdl.language.diagnostics import GdlError

ASKED: Final = (
    "initial", "movers", "legal", "chances", "play", "is_terminal", "returns", "text",
    "observation",
)  # fmt: skip
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
        for name in ASKED:
            setattr(self, name, _guarded(name, getattr(source, name)))
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
