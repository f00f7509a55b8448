"""Engines as sources: `open_source` takes the name that the user writes, `source_of` objects, too.

What stands where:

- `rules`: our side, and another ruleset
- `spiel`, `environments` (PettingZoo, Gymnasium), `jax_games` (pgx), `chess` (python-chess,
  pyffish), `own` (``module:Class``): other people's engines
- `bounds`: what an engine pays from and to, where it does not say
- `frozen`: moves that may change, lists for instance, by values that do not
- `merged`, `guarded`: any source, read in whole turns; with its errors as answers
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, cast

from gdl.conform.source import Against, Source, SourceError
from gdl.language.limits import DEFAULT_LIMITS, Limits


def _spiel(name: str) -> Source:
    from gdl.conform.sources.spiel import open_spiel_game

    return open_spiel_game(name)


def _pettingzoo(name: str) -> Source:
    from gdl.conform.sources.environments import pettingzoo_game

    return pettingzoo_game(name)


def _gymnasium(name: str) -> Source:
    from gdl.conform.sources.environments import gymnasium_game

    return gymnasium_game(name)


def _pgx(name: str) -> Source:
    from gdl.conform.sources.jax_games import pgx_game

    return pgx_game(name)


def _fairy(name: str) -> Source:
    from gdl.conform.sources.chess import fairy_game

    return fairy_game(name)


def _python_chess(name: str) -> Source:
    from gdl.conform.sources.chess import python_chess_game

    return python_chess_game(name)


LIBRARIES: Final[Mapping[str, Callable[[str], Source]]] = MappingProxyType(
    {
        "pyspiel": _spiel,
        "pettingzoo": _pettingzoo,
        "gymnasium": _gymnasium,
        "pgx": _pgx,
        "pyffish": _fairy,
        "python-chess": _python_chess,
    }
)
"""How a library's game is opened, by the word before the colon."""
ENGINES: Final = (
    "pyspiel:NAME, pettingzoo:NAME, gymnasium:NAME, pgx:NAME, pyffish:VARIANT, "
    "python-chess:VARIANT, module:Class"
)
FORMS: Final = f"{ENGINES}, or another ruleset or rule file"


def source_of(engine: Against, *, limits: Limits = DEFAULT_LIMITS) -> Source:
    """Return an engine as a source: by its name, or the object or class itself.

    Raises:
        SourceError: There is no such engine, or it cannot be asked.
        MissingPackageError: Its package is not installed.
        GdlError: It is a ruleset that cannot be loaded.
    """
    if isinstance(engine, str):
        return open_source(engine, limits=limits)
    if hasattr(engine, "movers") and not isinstance(engine, type):
        return cast("Source", engine)
    from gdl.conform.sources.own import own_object

    return own_object(engine)


def open_source(name: str, *, limits: Limits = DEFAULT_LIMITS) -> Source:
    """Return the engine that a name means.

    Raises:
        SourceError: There is no such engine, or it cannot be asked.
        MissingPackageError: Its package is not installed.
        GdlError: It is a ruleset that cannot be loaded.
    """
    library, colon, rest = name.partition(":")
    if library == "ggp":
        raise SourceError(
            f"{name}: a program that speaks the GGP protocol answers with moves, and nothing else",
            help="gdl.conform.conform_player, or gdl conform GAME --against ggp:HOST:PORT",
        )
    if library in LIBRARIES:
        if not rest and library != "python-chess":
            raise SourceError(f"{name} names no game of {library}", expected=FORMS)
        return LIBRARIES[library](rest)
    if colon and not Path(name).exists():
        from gdl.conform.sources.own import own_engine

        return own_engine(name)
    from gdl.conform.sources.rules import RulesSource
    from gdl.game import load
    from gdl.ruleset import UnknownRulesetError

    try:
        return RulesSource(load(name, limits=limits))
    except UnknownRulesetError as error:
        raise SourceError(
            error.message,
            expected=f"{error.expected}; or an engine: {ENGINES}",
            help=error.help,
            notes=error.notes,
        ) from None
