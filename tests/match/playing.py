"""How tests play matches: texts of scenarios to actions."""

from __future__ import annotations

from functools import cache

from gdl.game import Game, load
from gdl.match import Action, Header, Kind, Match, TimeControl, start, submit
from gdl.match.pin import unpin
from gdl.ruleset import Ruleset, find

CODES = {
    "game-over": {"game-over"},
    "occupied": {"occupied"},
    "out-of-range": {"out-of-range"},
    "out-of-turn": {"out-of-turn"},
    "malformed": {"malformed", "illegal-move"},  # a text of another move, or none
    "missing-rotation": {"malformed", "illegal-move"},  # by notation or by rule
    "superfluous-rotation": {"illegal-move"},
    "wrong-phase": {"illegal-move"},
}
"""The codes that a refusal of the scenarios may have here."""


@cache
def header(name: str) -> Header:
    return Header.of("test", find(name))


@cache
def game(name: str) -> Game:
    return load(unpin(header(name).ruleset), backend="reason")


def begin(name: str, *, control: TimeControl | None = None) -> Match:
    known = header(name)
    return start(Header("test", known.ruleset, control), game=game(name))


def begin_text(text: str) -> Match:
    return start(Header.of("test", Ruleset("test", (), text=text)))


def split(match: Match, text: str) -> tuple[str, str]:
    """Return who makes a move of a scenario, by default whose turn it is, and its text."""
    role, separator, move = text.rpartition(": ")
    if separator:
        return role, move
    return (match.to_move or match.game.roles)[0], text


def action(match: Match, role: str, text: str) -> Action:
    kind = Kind(text) if text in tuple(Kind) else Kind.MOVE
    move = text if kind is Kind.MOVE else ""
    return Action(f"a{match.seq}", match.seq, role, kind, move)


def play(match: Match, *texts: str, at: int = 0) -> Match:
    for text in texts:
        role, move = split(match, text)
        match = submit(match, action(match, role, move), at=at).match
    return match
