"""A play as a file.

In: games and what was played, or a file. Out: TOML that names games, a play of each and how it
ends; from a file the same again, and what is not as it was when it is played anew.

Source: TOML 1.0.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl.game import load
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.parse import parse_term
from gdl.language.source import harmless
from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.state import State


class SavedPlayError(GdlError):
    """A file that is no saved play."""


@dataclass(frozen=True, slots=True)
class SavedGame:
    """One game of a saved play.

    Attributes:
        name: The ruleset id or rule file.
        play: Its joint moves.
        terminal: Whether the game was over after them.
        goals: The goals of each role after them.
        legal: The legal moves of each role after them; None where that was not saved.
    """

    name: str
    play: tuple[JointMove, ...]
    terminal: bool
    goals: dict[str, tuple[int, ...]]
    legal: dict[str, frozenset[Term]] | None = None


def played(name: str, play: tuple[JointMove, ...], *, limits: Limits = DEFAULT_LIMITS) -> SavedGame:
    """Return a play with what is true at its end, which the reasoner works out.

    Raises:
        IllegalMoveError: A move is not legal.
    """
    game = load(name, backend="reason", limits=limits)
    state = game.initial()
    for joint in play:
        state = state.play(joint)
    goals = {str(role): game.machine.goals(state.inner, role) for role in game.machine.roles}
    return SavedGame(
        name, play, state.is_terminal, goals, None if state.is_terminal else _legal(state)
    )


def saved_text(games: Sequence[SavedGame], comments: Sequence[str]) -> str:
    """Return plays as TOML, which `read_saved` reads.

    Args:
        games: The plays, with what was true at their ends.
        comments: Lines for people, at the head of the file.
    """
    lines = [f"# {harmless(line)}" for comment in comments for line in comment.splitlines()]
    lines.append("# Play it with: gdl replay THIS-FILE")
    for game in games:
        lines += ["", "[[game]]", f"name = {quoted(game.name)}", "play = ["]
        lines += (f"    [{', '.join(quoted(str(move)) for move in joint)}]," for joint in game.play)
        lines += ["]", f"terminal = {str(game.terminal).lower()}"]
        goals = (f"{quoted(role)} = {list(values)}" for role, values in game.goals.items())
        lines.append(f"goals = {{ {', '.join(goals)} }}")
        if game.legal is not None:
            lines.append("[game.legal]")
            lines += (
                f"{quoted(role)} = [{', '.join(quoted(str(move)) for move in sorted(moves))}]"
                for role, moves in game.legal.items()
            )
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Return a text as TOML writes it: as JSON does, but for a character that must be escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_saved(path: Path) -> tuple[SavedGame, ...]:
    """Read a saved play.

    Raises:
        OSError: The file cannot be read.
        SavedPlayError: It is no saved play; says what is wrong.
    """
    table = read_toml(path)
    games = table.get("game")
    if not isinstance(games, list) or not games:
        raise SavedPlayError(f"{path}: there is no [[game]]", expected="a file of gdl diff --save")
    return tuple(_game(path, number, entry) for number, entry in enumerate(games, start=1))


def _game(path: Path, number: int, table: Any) -> SavedGame:  # noqa: ANN401  # from a file
    try:
        play = tuple(tuple(parse_term(move) for move in joint) for joint in table["play"])
        goals = {role: tuple(values) for role, values in table["goals"].items()}
        legal = None
        if "legal" in table:
            legal = {r: frozenset(map(parse_term, moves)) for r, moves in table["legal"].items()}
        return SavedGame(str(table["name"]), play, bool(table["terminal"]), goals, legal)
    except (KeyError, TypeError, AttributeError) as error:
        raise SavedPlayError(
            f"{path}: [[game]] number {number} is not whole: {error}",
            expected="name, play, terminal and goals, as gdl diff --save writes them",
        ) from error


def follow(game: SavedGame, *, limits: Limits = DEFAULT_LIMITS) -> tuple[State, list[str]]:
    """Return the state after a saved play, and what is not as it was saved.

    Raises:
        IllegalMoveError: A move is not legal any more.
    """
    loaded = load(game.name, backend="reason", limits=limits)
    state = loaded.initial()
    for joint in game.play:
        state = state.play(joint)
    changed = []
    if state.is_terminal != game.terminal:
        changed.append(f"terminal is {str(state.is_terminal).lower()} now")
    for role in loaded.machine.roles:
        values: Sequence[int] = loaded.machine.goals(state.inner, role)
        if tuple(values) != game.goals.get(str(role), ()):
            changed.append(f"the goal of {role} is {' and '.join(map(str, values)) or 'none'} now")
    if game.legal is not None:
        changed += _legal_changes(game.legal, {} if state.is_terminal else _legal(state))
    return state, changed


def _legal(state: State) -> dict[str, frozenset[Term]]:
    """Return the legal moves of each role."""
    machine = state.game.machine
    return {str(role): frozenset(machine.legal(state.inner, role)) for role in machine.roles}


def _legal_changes(
    saved: dict[str, frozenset[Term]], present: dict[str, frozenset[Term]]
) -> Iterator[str]:
    for role in sorted({*saved, *present}):
        before, now = saved.get(role, frozenset()), present.get(role, frozenset())
        for moves, said in ((before - now, "no longer legal"), (now - before, "legal now")):
            if moves:
                first = ", ".join(map(str, sorted(moves)[:3]))
                more = f" and {len(moves) - 3} more" if len(moves) > 3 else ""  # noqa: PLR2004
                changed = f"{said} for {role}: {first}{more}"
                yield changed


def open_saved(
    path: Path, name: str | None, *, plies: int | None = None, limits: Limits = DEFAULT_LIMITS
) -> State:
    """Return the position that a saved play leads to, for instance to play on from there.

    Args:
        path: The file.
        name: Which of its games; None for the first.
        plies: How many joint moves to make; None for all, but the last one where it ends the
            game.
        limits: What the reasoner may take.

    Raises:
        OSError: The file cannot be read.
        SavedPlayError: It is no saved play, it has no such game, or its play is shorter.
        IllegalMoveError: A move is not legal any more.
    """
    games = read_saved(path)
    saved = next((game for game in games if name in (None, game.name)), None)
    if saved is None:
        raise SavedPlayError(
            f"{path}: there is no game {name!r}", expected=" or ".join(g.name for g in games)
        )
    if plies is not None and plies > len(saved.play):
        raise SavedPlayError(
            f"{path}: {saved.name} is played for {len(saved.play)} moves, not {plies}"
        )
    state = load(saved.name, backend="reason", limits=limits).initial()
    for joint in saved.play[:plies]:
        after = state.play(joint)
        if plies is None and after.is_terminal:
            break
        state = after
    return state


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file in TOML.

    Raises:
        OSError: The file cannot be read.
        SavedPlayError: It is no TOML that can be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise SavedPlayError(f"{path} is no text", expected="a file in TOML") from error
    except (ValueError, RecursionError) as error:
        raise SavedPlayError(f"{path}: {error}", expected="a file in TOML") from error
