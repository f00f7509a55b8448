"""A match as the General Game Playing world keeps it: one JSON object.

In: what happened, step by step; or JSON. Out: JSON; or a `MatchRecord`. Keys that are not
known are kept.

States are lists of sentences without ``true``, moves and states are KIF text, times are
milliseconds since 1970. ``errors`` has one row a joint move; what went wrong at ``START``
stands in ``startErrors``. Records that have one row more, as ggp-base writes them (the first
for ``START``), are read as well.

Source: the match records of ggp-base.
"""

from __future__ import annotations

import json
import random
import string
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gdl.ggp.s_expressions import inside, items, whole
from gdl.ggp.spelling import PLAIN, Spelling, Use, spelling
from gdl.language.diagnostics import GdlError
from gdl.language.files import read_source
from gdl.language.parse import parse_term
from gdl.language.source import Source, Span
from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.plays import SavedGame
from gdl.state import State

TOKEN_LENGTH: Final = 32
_LETTERS: Final = string.ascii_letters + string.digits


class RecordError(GdlError):
    """A text that is no match record."""


@dataclass(slots=True)
class MatchRecord:
    """What happened in a match.

    Attributes:
        match_id: Its name.
        game_url: Where the game is from: a ruleset id, a file, or an address.
        start_clock: Seconds to get ready.
        play_clock: Seconds a move.
        preview_clock: Seconds to look at the rules before, -1 for no preview.
        players: Name of who played each role.
        is_scrambled: Whether the players saw made-up words.
        start_time: When it began (ms since 1970).
        random_token: A word that no other match has.
        states: Facts of each state, the first one first.
        state_times: When each was reached (ms since 1970).
        moves: The joint moves.
        errors: For each joint move and role what went wrong, empty when all was well.
        start_errors: The same for ``START``.
        goals: The goal of each role, None until the game is over.
        is_completed: Whether it was played to the end.
        is_aborted: Whether it was given up.
        others: What else stood in the JSON.
        names: How moves and facts are written.
    """

    match_id: str
    game_url: str
    start_clock: int
    play_clock: int
    preview_clock: int = -1
    players: tuple[str, ...] = ()
    is_scrambled: bool = False
    start_time: int = 0
    random_token: str = ""
    states: list[tuple[Term, ...]] = field(default_factory=list)
    state_times: list[int] = field(default_factory=list)
    moves: list[JointMove] = field(default_factory=list)
    errors: list[tuple[str, ...]] = field(default_factory=list)
    start_errors: tuple[str, ...] = ()
    goals: tuple[int, ...] | None = None
    is_completed: bool = False
    is_aborted: bool = False
    others: dict[str, Any] = field(default_factory=dict)
    names: Spelling = field(default=PLAIN, compare=False)

    def reach(self, state: State) -> None:
        """Add a state that was reached now."""
        self.states.append(tuple(sorted(state.facts)))
        self.state_times.append(now())

    def complete(self, goals: tuple[int, ...]) -> None:
        """Say how the game ended."""
        self.goals, self.is_completed = goals, True

    @property
    def faults(self) -> int:
        """Number of errors of all players at all steps."""
        return sum(1 for row in (self.start_errors, *self.errors) for error in row if error)

    def to_json(self) -> str:
        """Return the record as JSON."""
        table: dict[str, Any] = {
            **self.others,
            "matchId": self.match_id,
            "randomToken": self.random_token,
            "startTime": self.start_time,
            "gameMetaURL": self.game_url,
            "isCompleted": self.is_completed,
            "isAborted": self.is_aborted,
            "states": [_state(facts, self.names) for facts in self.states],
            "moves": [[self.names.text(move, Use.MOVE) for move in joint] for joint in self.moves],
            "stateTimes": self.state_times,
            "errors": [list(row) for row in self.errors],
            "previewClock": self.preview_clock,
            "startClock": self.start_clock,
            "playClock": self.play_clock,
            "playerNamesFromHost": list(self.players),
            "scrambled": self.is_scrambled,
        }
        if any(self.start_errors):
            table["startErrors"] = list(self.start_errors)
        if self.goals is not None:
            table["goalValues"] = list(self.goals)
        return json.dumps(table, ensure_ascii=False)


_KNOWN: Final = frozenset(
    {
        *("matchId", "randomToken", "startTime", "gameMetaURL", "isCompleted", "isAborted"),
        *("states", "moves", "stateTimes", "errors", "startErrors", "goalValues"),
        *("previewClock", "startClock", "playClock", "playerNamesFromHost", "scrambled"),
    }
)


def parse_record(text: str, *, name: str = "record") -> MatchRecord:
    """Return the record that a JSON text holds.

    Args:
        text: The JSON.
        name: What errors call it.

    Raises:
        RecordError: It is none; says what is wrong.
    """
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{name}: {error}", expected="JSON") from error
    if not isinstance(table, dict):
        raise RecordError(f"{name}: this is no object", expected="a match record")
    try:
        return _from_table(table)
    except (KeyError, TypeError, ValueError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise RecordError(
            f"{name}: {what}",
            expected=(
                "a match record with matchId, startClock, playClock, startTime, states, moves and "
                "stateTimes"
            ),
        ) from error


def read_record(path: Path) -> MatchRecord:
    """Read the record of a match from a file.

    Raises:
        FileError: The file cannot be read.
        RecordError: It is no record.
    """
    return parse_record(read_source(path).text, name=str(path))


def _from_table(table: dict[str, Any]) -> MatchRecord:
    moves = [tuple(parse_term(move) for move in joint) for joint in table["moves"]]
    errors = [tuple(map(str, row)) for row in table.get("errors", ())]
    start_errors = tuple(map(str, table.get("startErrors", ())))
    if len(errors) == len(moves) + 1:
        start_errors, *errors = errors
    goals = table.get("goalValues") or None
    return MatchRecord(
        match_id=str(table["matchId"]),
        game_url=str(table.get("gameMetaURL", "")),
        start_clock=int(table["startClock"]),
        play_clock=int(table["playClock"]),
        preview_clock=int(table.get("previewClock", -1)),
        players=tuple(map(str, table.get("playerNamesFromHost", ()))),
        is_scrambled=bool(table.get("scrambled", False)),
        start_time=int(table["startTime"]),
        random_token=str(table.get("randomToken", "")),
        states=[
            tuple(parse_term(fact.text) for fact in _sentences(text)) for text in table["states"]
        ],
        state_times=[int(time_of) for time_of in table["stateTimes"]],
        moves=moves,
        errors=errors,
        start_errors=start_errors,
        goals=None if goals is None else tuple(int(goal) for goal in goals),
        is_completed=bool(table.get("isCompleted", False)),
        is_aborted=bool(table.get("isAborted", False)),
        names=_names(table),
        others={key: value for key, value in table.items() if key not in _KNOWN},
    )


def _names(table: dict[str, Any]) -> Spelling:
    """Return how a record writes names: as rules with its moves and facts would."""
    moves = (f"(legal r {move})" for joint in table["moves"] for move in joint)
    facts = (f"(init {sentence.text})" for text in table["states"] for sentence in _sentences(text))
    return spelling(" ".join([*moves, *facts]))


def _state(facts: tuple[Term, ...], names: Spelling) -> str:
    return f"( {' '.join(names.text(fact, Use.FACT) for fact in facts)} )"


def _sentences(text: str) -> list[Span]:
    lists = items(whole(Source("state", text)))
    if len(lists) != 1:
        raise ValueError(f"a state is one list, not {text[:40]!r}")
    return items(inside(lists[0]))


def now() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def token(rng: random.Random) -> str:
    """Return a word that no other match has."""
    return "".join(rng.choices(_LETTERS, k=TOKEN_LENGTH))


def as_saved(record: MatchRecord, name: str | None = None) -> SavedGame:
    """Return a match as a play that can be followed again, see `gdl.plays.follow`.

    Args:
        record: The match.
        name: Ruleset id or rule file, by default what the record says.
    """
    from gdl.game import load

    game = load(name or record.game_url, backend="reason")
    if record.goals is None:
        state = game.initial()
        for joint in record.moves:
            state = state.play(joint)
        ends = [game.machine.goals(state.inner, role) for role in game.machine.roles]
    else:
        ends = [(goal,) for goal in record.goals]
    goals = dict(zip(game.roles, ends, strict=False))
    return SavedGame(name or record.game_url, tuple(record.moves), record.is_completed, goals)
