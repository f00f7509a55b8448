"""What somebody may see of a match: the state and the log, as values for ``json``.

In: a match and who looks: a role, or None for a spectator. Out: JSON objects. Two things are
kept back: moves of a turn that others have still to move in, and, in a game that hides
something (GDL-II), everything but one's own moves and percepts.

Source: percepts as in M. Thielscher, "A General Game Description Language for Incomplete
Information Games", AAAI 2010.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from gdl.game import Game
from gdl.language.diagnostics import LimitError
from gdl.language.syntax import Term, kif_text
from gdl.match.actions import Entry, Kind
from gdl.match.match import Match, Offer
from gdl.match.payload import cells_of, payload, phase
from gdl.ruleset import MoveLocation
from gdl.state import State
from gdl.view.scene import Board, Scene, board_of
from gdl.view.scene_json import scene_json

MOST_LEGAL: Final = 5_000
"""Legal moves of a role that a view lists; it always says how many there are."""


MOST_TOLD: Final = 50_000
"""Moves of a game of which it is kept how they are told."""
_TOLD_MOVES: Final[WeakKeyDictionary[Game, dict[tuple[str, Term], _ToldMove]]] = WeakKeyDictionary()
MOST_LOOKS: Final = 12
"""Kinds of pieces of which it is looked up how they are drawn where a move puts them down."""
LOOK_SECONDS: Final = 0.1
"""After so long a view looks up no further ones; the next view goes on."""
_LOOKS: Final[WeakKeyDictionary[Game, dict[tuple[str, str], list[Any] | None]]] = (
    WeakKeyDictionary()
)


def view(match: Match, audience: str | None = None, *, now: int | None = None) -> dict[str, Any]:
    """Return the state of a match as somebody may see it.

    Args:
        match: The match.
        audience: A role, or None for a spectator.
        now: The time of clocks, in milliseconds since 1970; by default that of the last action.

    Returns:
        A JSON object; docs/matches.md lists its fields.
    """
    is_hidden = match.hidden
    ruleset = match.game.ruleset
    outcome = match.outcome
    drawn = None if is_hidden else scene_of(match)
    board = None if drawn is None else board_of(drawn)
    seen: dict[str, Any] = {
        "match": match.header.id,
        "gameId": ruleset.game_id,
        "rulesetVersion": ruleset.ruleset_version,
        "ruleset": ruleset.id,
        "digest": match.header.ruleset["digest"],
        "seq": match.seq,
        "ply": match.state.ply,
        "phase": phase(match),
        "status": "active" if outcome is None else "finished",
        "roles": list(match.game.roles),
        "you": audience,
        "toMove": list(match.to_move),
        "moved": sorted(match.pending),
        "drawOffer": _offer(match.offer),
        "takeback": _offer(match.takeback),
        "clock": clock_json(match, match.last_at if now is None else now),
        "outcome": None if outcome is None else outcome.to_json(),
        "hidden": is_hidden,
        "legal": _legal(match, audience, is_hidden=is_hidden),
        "payload": None if is_hidden else payload(match, board),
        "board": None if board is None else _board(board),
        "scene": None if drawn is None else scene_json(drawn),
        "lastMove": None if is_hidden else _last_move(match.state),
        "lastTouch": None if is_hidden else _last_touch(match.state),
        "lastSites": [] if is_hidden else _last_sites(match.state),
        "percepts": _percepts(match, audience) if is_hidden else None,
    }
    return seen


def visible(match: Match, audience: str | None = None, *, since: int = 0) -> list[dict[str, Any]]:
    """Return the log from an entry on, as somebody may see it.

    A move that is kept back stands there with its number, role and time, and ``hidden``; an entry
    with which moves were taken back with ``back``, the length of the log whose position is there.
    """
    is_hidden = match.hidden
    return [
        _kept_back(entry)
        if entry.kind is Kind.MOVE
        and entry.role != audience
        and (is_hidden or (entry.seq >= match.turn and entry.role in match.pending))
        else _told(entry, match.returned)
        for entry in match.entries[since:]
    ]


def _told(entry: Entry, returned: Mapping[int, int]) -> dict[str, Any]:
    told = entry.to_json()
    return {**told, "back": returned[entry.seq]} if entry.seq in returned else told


def _offer(offer: Offer | None) -> dict[str, Any] | None:
    return None if offer is None else {"by": offer.by, "accepted": sorted(offer.accepted)}


def _kept_back(entry: Entry) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "type": str(entry.kind),
        "role": entry.role,
        "at": entry.at,
        "hidden": True,
        **({"note": entry.note} if entry.note else {}),
    }


def _legal(match: Match, audience: str | None, *, is_hidden: bool) -> dict[str, Any]:
    state, short = match.state, match.game.ruleset.short_notation
    listed = {}
    for role in match.to_move:
        if is_hidden and role != audience:
            continue
        moves = state.legal(role)
        told = _told_moves(match.game, role, moves[:MOST_LEGAL])
        touches, steps = [move.touch for move in told], [move.steps for move in told]
        listed[role] = {
            "count": len(moves),
            "moves": [
                move.text if short is None else state.notation(term, short=True)
                for move, term in zip(told, moves, strict=False)
            ],
            "touches": touches if any(touches) else None,
            "steps": steps if any(steps) else None,
            **_picks(state, role, moves, told, is_hidden=is_hidden),
        }
    return listed


class _ToldMove(NamedTuple):
    """A move as views tell it: its text, where it is touched, sites of its steps, what it puts."""

    text: str
    touch: list[Any] | None
    steps: list[tuple[int, ...]] | None
    pick: str | None


def _picks(
    state: State,
    role: str,
    moves: Sequence[Term],
    told: Sequence[_ToldMove],
    *,
    is_hidden: bool,
) -> dict[str, Any]:
    """Return what each move puts down, where moves say so, and how that looks.

    Where the rules hide facts it does not look: what stands there after a move is one of them.
    """
    examples = {each.pick: move for each, move in zip(told, moves, strict=False) if each.pick}
    if not examples:
        return {"picks": None, "pieces": None}
    looks = _LOOKS.setdefault(state.game, {})
    until = time.monotonic() + LOOK_SECONDS
    for pick, move in examples.items() if len(examples) <= MOST_LOOKS and not is_hidden else ():
        if (role, pick) not in looks and time.monotonic() < until:
            looks[role, pick] = _look(state, role, move)
    pieces = {pick: looks.get((role, pick)) for pick in examples}
    if len({str(piece) for piece in pieces.values()}) < len(pieces):
        pieces = {}  # they say something else than what stands there afterwards
    return {"picks": [each.pick for each in told], "pieces": pieces}


def _look(state: State, role: str, move: Term) -> list[Any] | None:
    """Return what stands where a move ends: shapes, name of the mark, words; None for nothing."""
    place = state.game.ruleset.location(move, role)
    if state.movers != (role,) or place is None or len(place.steps[-1]) != 1:
        return None
    try:
        following = state.play({role: move})
    except LimitError:
        return None  # the match ends with that move, or it is refused
    scene = state.game.ruleset.scene(following.facts)
    drawn = {} if scene is None else scene_json(scene)
    piece, name, words = drawn.get("sites", {}).get(str(place.steps[-1][0]), (None, "", ""))
    return None if piece is None else [drawn["pieces"][piece], name, words]


def _told_moves(game: Game, role: str, moves: Sequence[Term]) -> list[_ToldMove]:
    """Return how moves are told, which is the same in every state of a game: looked up once each.

    With hundreds of legal moves this was most of what a view costs.
    """
    kept = _TOLD_MOVES.setdefault(game, {})
    if len(kept) > MOST_TOLD:
        kept.clear()
    told = []
    for move in moves:
        told_move = kept.get((role, move))
        if told_move is None:
            place = game.ruleset.location(move, role)
            steps = list(place.steps) if place else None
            text = game.ruleset.notation.format(move)
            pick = " ".join(map(kif_text, place.picks)) or None if place else None
            told_move = kept[role, move] = _ToldMove(text, touch_json(place), steps, pick)
        told.append(told_move)
    return told


def touch_json(location: MoveLocation | None) -> list[Any] | None:
    """Return where on the board a move is made: row, column, block and degrees.

    Row and column are counted from 0 and null where any will do; the block is null, or its
    first row, first column, and the row and column behind its last ones.
    """
    if location is None:
        return None
    block = None if location.block is None else list(location.block)
    return [location.row, location.column, block, location.degrees]


def _board(board: Board) -> dict[str, Any]:
    return {"cells": cells_of(board), "changed": sorted(map(list, board.changed))}


def scene_of(match: Match) -> Scene | None:
    """Return the picture of a match with what changed last, None where its rules have none."""
    state = match.state
    before = None if state.previous is None else state.previous.facts
    return match.game.ruleset.scene(state.facts, before=before)


def _last_move(state: State) -> dict[str, str] | None:
    if state.previous is None or state.last_move is None:
        return None
    movers = state.previous.movers or state.game.roles
    return {
        role: _told_moves(state.game, role, [move])[0].text
        for role, move in zip(state.game.roles, state.last_move, strict=True)
        if role in movers
    }


def _last_touch(state: State) -> list[Any] | None:
    """Return where the last move was made, None where that is no single place."""
    touches = [told.touch for told in _last_told(state) if told.touch is not None]
    return touches[0] if len(touches) == 1 else None


def _last_sites(state: State) -> list[int]:
    """Return the sites that were touched for the last move, where each of its steps has one."""
    steps = [step for told in _last_told(state) for step in told.steps or ()]
    return [step[0] for step in steps] if all(len(step) == 1 for step in steps) else []


def _last_told(state: State) -> list[_ToldMove]:
    """Return how the last move of each role is told; nothing at the beginning."""
    if state.previous is None or state.last_move is None:
        return []
    moves = zip(state.game.roles, state.last_move, strict=True)
    return [_told_moves(state.game, role, [move])[0] for role, move in moves]


def _percepts(match: Match, audience: str | None) -> list[list[str]]:
    """Return what a role has seen of each turn."""
    if audience is None:
        return []
    role = match.game.role(audience)
    seen = []
    for state in match.state.history[1:]:
        assert state.previous is not None
        assert state.last_move is not None
        percepts = state.machine.percepts(state.previous.inner, state.last_move, role)
        seen.append(sorted(map(kif_text, percepts)))
    return seen


def clock_json(match: Match, now: int) -> dict[str, Any] | None:
    """Return what is left of each role's time, None for a match without clocks."""
    clock = match.clock
    if clock is None:
        return None
    running = match.to_move if clock.since is not None else ()
    return {
        **clock.control.to_json(),
        "remainingMs": {
            role: clock.remaining(role, now) if role in running else left
            for role, left in clock.left.items()
        },
        "running": [role for role in running if role in clock.left],
        "nowMs": now,
    }
