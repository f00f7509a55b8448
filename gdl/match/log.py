"""The log as a file: JSON lines, the header first, then one entry a line.

In: a match, or a text. Out: a text, or a header and its entries. A log carries its rules, so
it can be replayed where nothing else of the match is known; `replay` under other rules is
possible, and says what became different.

Source: JSON lines as in RFC 8259 with one value a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeGuard

from gdl.game import Game, load
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.match.actions import LARGEST, Entry, read_entry
from gdl.match.clock import TimeControl
from gdl.match.match import Header, Match, follow, start
from gdl.match.pin import digest, rules_of
from gdl.match.refusal import LogError, shown
from gdl.ruleset import Ruleset

FORMAT: Final = "gdl-match"
VERSION: Final = 1


def header_json(header: Header) -> dict[str, Any]:
    """Return a header as a JSON object."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "match": header.id,
        "created": header.created,
        "clock": None if header.control is None else header.control.to_json(),
        "ruleset": dict(header.ruleset),
    }


def read_header(value: object) -> Header:
    """Return the header that a JSON object is.

    Raises:
        LogError: It is none, or of a version that is not known.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise LogError("the first line is no header", expected=f'{{"format": "{FORMAT}", ...}}')
    if (version := value.get("version")) != VERSION or type(version) is not int:
        raise LogError(f"the log is of version {shown(version)}", expected=f"version {VERSION}")
    id_, created, ruleset = value.get("match"), value.get("created"), value.get("ruleset")
    if not isinstance(id_, str) or not _is_time(created) or not isinstance(ruleset, dict):
        raise LogError("the header is not whole", expected="match, created and ruleset")
    clock = value.get("clock")
    try:
        control = None if clock is None else TimeControl.read(clock)
    except GdlError as error:
        raise LogError(error.message, expected=error.expected, help=error.help) from error
    return Header(id_, ruleset, control, created)


def _is_time(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= LARGEST


def export(header: Header, entries: Iterable[Entry]) -> str:
    """Return a log as JSON lines."""
    lines = [header_json(header), *(entry.to_json() for entry in entries)]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def parse_log(text: str) -> tuple[Header, tuple[Entry, ...]]:
    """Return the header and the entries of a text of JSON lines; rules are not applied yet.

    Raises:
        LogError: It is no log; names the line.
    """
    values: list[Any] = []
    # Lines end where JSON says, not at the separators that str.splitlines knows.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise LogError(
                    f"line {number} is no JSON: {error}", expected="one JSON object a line"
                ) from error
    if not values:
        raise LogError("the log is empty", expected="a header, then one entry a line")
    return read_header(values[0]), tuple(map(read_entry, values[1:]))


def read_log(path: Path) -> tuple[Header, tuple[Entry, ...]]:
    """Return the header and the entries of a file; see `parse_log`.

    Raises:
        OSError: The file cannot be read.
        LogError: It is no log.
    """
    try:
        return parse_log(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise LogError(f"{path} is no text in UTF-8") from error


@dataclass(frozen=True, slots=True)
class Replay:
    """A log once more.

    Attributes:
        matches: The match before its first action, and after each.
        rules: Id of the rules that were followed.
        notes: What to know of it: that the rules are others, and what became different; empty
            under the pinned rules.
        is_same: Whether all came out as it was recorded.
    """

    matches: tuple[Match, ...]
    rules: str
    notes: tuple[str, ...] = ()
    is_same: bool = True

    @property
    def match(self) -> Match:
        """The match at the end."""
        return self.matches[-1]


def replay(
    header: Header,
    entries: Sequence[Entry],
    *,
    under: Ruleset | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Replay:
    """Follow a log from its beginning.

    Args:
        header: Its header, with the rules that it was played under.
        entries: Its entries.
        under: Other rules to follow instead. Where they refuse an entry the replay stops, and
            the notes say so; they also say that the rules are others.
        limits: What the rules may take.

    Raises:
        LogError: Under its own rules the log does not follow.
    """
    recorded = [start(header, limits=limits)]
    for entry in entries:
        recorded.append(follow(recorded[-1], entry))
    own = str(header.ruleset["id"])
    if under is None:
        return Replay(tuple(recorded), own)
    other = load(under, backend="reason", limits=limits)
    return _compared(recorded, other, header, entries)


def _compared(
    recorded: list[Match], game: Game, header: Header, entries: Sequence[Entry]
) -> Replay:
    """Return the replay under other rules, with what is different."""
    mine, theirs = str(header.ruleset["digest"]), digest(rules_of(game.ruleset))
    if mine == theirs:
        notes = [f"the rules of {game.id} are those of the match, digest {mine[:16]}"]
    else:
        was = f"{header.ruleset['id']} {header.ruleset['version']} with digest {mine[:16]}"
        now = f"{game.id} {game.ruleset.version} with digest {theirs[:16]}"
        notes = [f"these are other rules: {now}, where the match has {was}"]
    matches = [start(header, game=game)]
    told = len(notes)
    for entry in entries:
        try:
            matches.append(follow(matches[-1], entry))
        except LogError as error:
            notes.append(f"here it stops: {error}")
            break
        before, after = recorded[len(matches) - 1], matches[-1]
        if before.outcome != after.outcome:
            notes.append(
                f"after entry {entry.seq} the match {_ended(after)}, where it {_ended(before)}"
            )
            break
    return Replay(tuple(matches), game.id, tuple(notes), is_same=len(notes) == told)


def _ended(match: Match) -> str:
    if match.outcome is None:
        return "goes on"
    goals = ", ".join(f"{role} {goal}" for role, goal in match.outcome.goals.items())
    return f"is over ({match.outcome.how}: {goals})"
