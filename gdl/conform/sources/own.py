"""An engine of one's own: ``module:Class``, any class with the six questions of an `Engine`.

Positions may be values that never change, or objects that ``play`` changes: what ``play`` gives
back says which.
"""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import math
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gdl.conform.reference import Engine
from gdl.conform.source import CHANCE, EngineMove, Plain, SourceError
from gdl.conform.sources.bounds import usual_bounds
from gdl.conform.sources.frozen import Given, is_hashable
from gdl.language.keywords import RANDOM

QUESTIONS = ("roles", "initial", "to_move", "legal_moves", "play")
CHANCES = (RANDOM, "chance")


class OwnSource(Plain):
    """Somebody's engine; moves are its own."""

    def __init__(self, engine: Engine[Any, Any], name: str) -> None:
        """Ask an engine.

        Raises:
            SourceError: A question is missing; says which.
        """
        missing = [question for question in QUESTIONS if not hasattr(engine, question)]
        if not hasattr(engine, "returns") and not hasattr(engine, "goals"):
            missing.append("returns (or goals)")
        if missing:
            raise SourceError(
                f"{name} does not answer: {', '.join(missing)}",
                expected="the six questions of gdl.conform.reference.Engine: roles, initial, "
                "to_move, legal_moves, play, returns",
            )
        self.name = name
        self._engine: Any = engine
        self._names = _names_of(engine, name)
        self.roles = tuple(map(str, self._names))
        self._has_goals = not hasattr(engine, "returns")
        self.most_moves = getattr(engine, "most_moves", None)
        self.version = str(getattr(engine, "version", ""))
        self.hides = hasattr(engine, "observation")
        self.has_chance = bool(getattr(engine, "has_chance", hasattr(engine, "chances")))
        self._asks_role = _takes(engine.legal_moves, 2)
        self._is_changed: bool | None = None
        self._given = Given()
        told = (0.0, 100.0) if self._has_goals else None
        bounds = getattr(engine, "bounds", told)
        self.bounds = usual_bounds(self) if bounds is None else _bounds_of(bounds, name)

    def initial(self) -> Any:  # noqa: ANN401  # the engine's own
        """Return where play begins."""
        return self._engine.initial()

    def movers(self, position: Any) -> tuple[int, ...]:  # noqa: ANN401
        """Return who chooses here.

        Raises:
            SourceError: ``to_move`` names nobody who plays.
        """
        asked = self._engine.to_move(position)
        if asked is None or (hasattr(self._engine, "is_terminal") and self.is_terminal(position)):
            return ()
        if isinstance(asked, str) and asked in CHANCES and asked not in self._names:
            return (CHANCE,)
        several = asked if isinstance(asked, tuple | list | set | frozenset) else (asked,)
        try:
            return tuple(sorted(map(self._names.index, several)))
        except ValueError:
            raise SourceError(
                f"{self.name}: to_move answered {asked!r}",
                expected=f"one of {', '.join(self.roles)}; several of them where they move at "
                f"once; {RANDOM!r} where chance moves; None at the end",
            ) from None

    def legal(self, position: Any, role: int) -> Sequence[EngineMove]:  # noqa: ANN401
        """Return the moves of a role.

        Raises:
            SourceError: One can neither be told from others nor be made a value that can.
        """
        who = RANDOM if role == CHANCE else self._names[role]
        ask = self._engine.legal_moves
        moves = list(ask(position, who) if self._asks_role else ask(position))
        try:
            hash(tuple(moves))
        except TypeError:
            return [self._taken(move) for move in moves]
        return moves

    def _taken(self, move: Any) -> EngineMove:  # noqa: ANN401  # the engine's own
        try:
            return self._given.take(move)
        except TypeError:
            raise SourceError(
                f"{self.name}: legal_moves answered a move that may change: {move!r}",
                expected="moves that hash, for instance tuples; or lists, arrays, mappings and "
                "sets of what hashes",
            ) from None

    def given(self, move: EngineMove) -> Any:  # noqa: ANN401  # the engine's own
        """Return a move as the engine gave it, a list for instance."""
        return self._given.back(move)

    def chances(self, position: Any) -> Mapping[EngineMove, float]:  # noqa: ANN401
        """Return how likely each outcome is, each alike where the engine does not say."""
        ask = getattr(self._engine, "chances", None)
        if ask is not None:
            return dict(ask(position))
        moves = self.legal(position, CHANCE)
        return dict.fromkeys(moves, 1 / len(moves))

    def play(self, position: Any, moves: Mapping[int, EngineMove]) -> Any:  # noqa: ANN401
        """Return what follows."""
        move: Any = (
            {self._names[role]: self.given(move) for role, move in moves.items()}
            if len(moves) > 1
            else self.given(next(iter(moves.values())))
        )
        if self._is_changed is None:
            given = copy.deepcopy(position)
            after = self._engine.play(given, move)
            self._is_changed = after is None or after is given
        if not self._is_changed:
            return self._engine.play(position, move)
        given = copy.deepcopy(position)
        after = self._engine.play(given, move)
        return given if after is None else after

    def is_terminal(self, position: Any) -> bool:  # noqa: ANN401
        """Return whether play is over."""
        ask = getattr(self._engine, "is_terminal", None)
        if ask is None:
            return self._engine.to_move(position) is None
        return bool(ask(position))

    def returns(self, position: Any) -> tuple[float, ...]:  # noqa: ANN401
        """Return what the end is worth.

        Raises:
            TypeError: It is no number for each role, which is an answer like any other wrong one.
        """
        engine = self._engine
        values = engine.goals(position) if self._has_goals else engine.returns(position)
        try:
            in_order = [values[r] for r in self._names] if isinstance(values, Mapping) else values
            paid = tuple(map(float, in_order))
        except (KeyError, TypeError, ValueError):
            paid = ()
        if len(paid) != len(self._names) or not all(map(math.isfinite, paid)):
            roles = ", ".join(self.roles)
            message = f"it answered {values!r}, not a number for each of {roles}"
            raise TypeError(message)
        return paid

    def names_returns(self, end: Any) -> bool:  # noqa: ANN401
        """Return whether what an end is worth is named by role, not in their order."""
        engine = self._engine
        values = engine.goals(end) if self._has_goals else engine.returns(end)
        return isinstance(values, Mapping)

    def text(self, position: Any, role: int, move: EngineMove) -> str:  # noqa: ANN401
        """Return a move as the engine writes it; empty where it has no text."""
        del position, role
        write = getattr(self._engine, "format", None)
        if write is not None:
            return str(write(self.given(move)))
        return move if isinstance(move, str) else ""

    def observation(self, position: Any, role: int) -> Hashable | None:  # noqa: ANN401
        """Return what a role knows, where the engine says."""
        if not self.hides:
            return None
        seen: Hashable = self._engine.observation(position, self._names[role])
        return seen

    def draw(self, position: Any) -> str:  # noqa: ANN401
        """Return the position for people."""
        write = getattr(self._engine, "draw", str)
        return str(write(position))

    def script(self, plays: Sequence[Mapping[int, EngineMove]]) -> str | None:
        """Return a script of the engine alone; a move that is no literal is named by its place."""
        module, _, name = self.name.partition(":")
        if not name.isidentifier() or self._is_changed is None:
            return None
        construction = (
            f"{name}()" if isinstance(getattr(sys.modules.get(module), name, None), type) else name
        )
        lines = [
            f"from {module} import {name}",
            "",
            f"engine = {construction}",
            "state = engine.initial()",
        ]
        position, left = self.initial(), "" if self._is_changed else "state = "
        for moves in plays:
            texts = {role: self._written(position, role, move) for role, move in moves.items()}
            pairs = ", ".join(f"{self._who(role)!r}: {text}" for role, text in texts.items())
            construction = f"{{{pairs}}}" if len(moves) > 1 else next(iter(texts.values()))
            lines.append(f"{left}engine.play(state, {construction})")
            position = self.play(position, moves)
        return "\n".join(lines)

    def _who(self, role: int) -> str:
        return RANDOM if role == CHANCE else self._names[role]

    def _written(self, position: Any, role: int, move: EngineMove) -> str:  # noqa: ANN401
        for plain in literals([self.given(move)]):
            return repr(plain)
        who = f", {self._who(role)!r}" if self._asks_role else ""
        return f"list(engine.legal_moves(state{who}))[{self.legal(position, role).index(move)}]"

    def asked(self) -> tuple[str, str, str, str]:
        """Return how it is asked in Python: see `gdl.conform.tracker.Asked`."""
        has_end = hasattr(self._engine, "is_terminal")
        return (
            "engine.is_terminal(state)" if has_end else "engine.to_move(state) is None",
            f"engine.{'goals' if self._has_goals else 'returns'}(state)",
            f"engine.legal_moves(state{', {role!r}' if self._asks_role else ''})",
            "engine.to_move(state)",
        )


def _names_of(engine: Any, name: str) -> tuple[Any, ...]:  # noqa: ANN401
    """Return the names of the roles.

    Raises:
        SourceError: They are no names, or two are the same.
    """
    roles = engine.roles
    names = tuple(roles) if isinstance(roles, Iterable) else ()
    if not names or not all(map(is_hashable, names)) or len(set(names)) < len(names):
        raise SourceError(
            f"{name}: roles is {roles!r}",
            expected='a name for each player, each another one: ("first", "second")',
        )
    return names


def _bounds_of(bounds: Any, name: str) -> tuple[float, float]:  # noqa: ANN401
    """Return the least and the greatest return.

    Raises:
        SourceError: They are not two numbers, the least first.
    """
    try:
        least, most = map(float, bounds)
    except (TypeError, ValueError):
        least = most = 0.0
    if not -math.inf < least < most < math.inf:
        raise SourceError(
            f"{name}: bounds is {bounds!r}",
            expected="the least and the greatest return of a player: (-1, 1)",
        )
    return least, most


def literals(moves: Iterable[object]) -> list[object]:
    """Return the moves that Python reads from how it writes them; numbers of numpy as its own.

    Example:
        >>> literals([(1, "a"), object()])
        [(1, 'a')]
    """
    return [plain for move in moves if _is_literal(plain := _plain(move), move)]


def _plain(move: Any) -> Any:  # noqa: ANN401  # the engine's own
    """Return a move with numbers of numpy as Python's."""
    if type(move) in {tuple, list}:
        return type(move)(map(_plain, move))
    return move.item() if hasattr(move, "dtype") and getattr(move, "ndim", 1) == 0 else move


def _is_literal(plain: object, move: object) -> bool:
    try:
        return bool(ast.literal_eval(repr(plain)) == move)
    except (ValueError, SyntaxError, TypeError):
        return False


def _takes(function: Any, count: int) -> bool:  # noqa: ANN401
    """Return whether a function can be given so many arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except (TypeError, ValueError):
        return False
    return True


def own_object(engine: Any) -> OwnSource:  # noqa: ANN401  # anybody's
    """Return an engine that is there already, or one of a class; its name is where that stands.

    Raises:
        SourceError: It cannot be made, or does not answer.
    """
    kind = engine if isinstance(engine, type) else type(engine)
    name = f"{kind.__module__}:{kind.__qualname__}"
    return OwnSource(_made(engine, name) if engine is kind else engine, name)


def _made(kind: Any, name: str) -> Any:  # noqa: ANN401
    """Return an engine of a class, or what a function gives.

    Raises:
        SourceError: It cannot be made without arguments.
    """
    module_name, _, class_name = name.partition(":")
    try:
        return kind()
    except Exception as error:
        raise SourceError(
            f"{name} cannot be made: {type(error).__name__}: {error}",
            expected=f"{class_name}() without an argument; or give {class_name} another name that "
            f"needs none: engine = {class_name}(...) in {module_name}, and {module_name}:engine",
        ) from error


def own_engine(name: str) -> OwnSource:
    """Return the engine ``module:Class``; the folder where one stands is looked in, too.

    Raises:
        SourceError: There is no such module or class, or it does not answer.
    """
    module_name, _, class_name = name.partition(":")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise SourceError(
            f"there is no module {module_name}: {error}",
            expected="module:Class, for instance myengine:ConnectFour",
        ) from None
    finally:
        sys.path.remove(here)
    engine = getattr(module, class_name, None)
    if engine is None:
        names = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise SourceError(
            f"{module_name} has no {class_name}",
            expected=_either(names) or None,
        )
    return OwnSource(_made(engine, name) if callable(engine) else engine, name)


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)
