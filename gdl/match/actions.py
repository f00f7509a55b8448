"""Actions: what players send, and what the log keeps of it.

In: JSON objects. Out: an `Action` (a wish) or an `Entry` (an accepted action with its place
in the log), and back.

Source: the kinds are those of "Gomoku Implementation Spec (Freestyle Baseline)", section 5.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from gdl.match.refusal import Code, LogError, RefusedError, shown

ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
"""What an action's id may look like."""
LONGEST_MOVE: Final = 2_000
"""Characters of a move text."""
LONGEST_ROLE: Final = 1_000
"""Characters of a role's name."""
LARGEST: Final = 1 << 53
"""Greatest number in a log: any program that reads JSON can hold it."""
LONGEST_NOTE: Final = 600
"""Characters of a note beside a move."""
LAST_SEQ: Final = 1_000_000
"""Greatest sequence number."""


class Kind(StrEnum):
    """What an action does."""

    MOVE = "MOVE"
    RESIGN = "RESIGN"
    REQUEST_DRAW = "REQUEST_DRAW"
    ACCEPT_DRAW = "ACCEPT_DRAW"
    DECLINE_DRAW = "DECLINE_DRAW"
    REQUEST_TAKEBACK = "REQUEST_TAKEBACK"
    ACCEPT_TAKEBACK = "ACCEPT_TAKEBACK"
    DECLINE_TAKEBACK = "DECLINE_TAKEBACK"
    TIMEOUT = "TIMEOUT"
    """Logged by whoever keeps the clock, never by a player."""


SENT: Final = tuple(kind for kind in Kind if kind is not Kind.TIMEOUT)
"""The kinds that players send."""


@dataclass(frozen=True, slots=True)
class Action:
    """What somebody wants to do.

    Attributes:
        id: Chosen by the sender, unique within the match. Sending an action again under the
            same id is harmless.
        seq: The place in the log that it is meant for, counted from 0.
        role: Who does it.
        kind: What it does.
        move: For a move, its text in the ruleset's notation or in KIF; else empty.
        note: What people are to know of a move; only a server writes one, `read_action` never.
    """

    id: str
    seq: int
    role: str
    kind: Kind
    move: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An accepted action.

    Attributes:
        seq: Its place in the log, counted from 0, without gaps.
        id: The action's id.
        role: Who did it.
        kind: What it did.
        at: When it was accepted, in milliseconds since 1970 (UTC); never before the last one.
        asked: The sequence number that the action named. It is less than ``seq`` only where
            others made moves of the same turn that the sender could not see.
        move: The move as the ruleset writes it.
        term: The move as KIF text, which is what a replay plays.
        note: What people are to know of it, in words: that it was made in a program's place.
    """

    seq: int
    id: str
    role: str
    kind: Kind
    at: int
    asked: int
    move: str = ""
    term: str = ""
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the entry as a JSON object; empty fields and a usual ``asked`` are left out."""
        written: dict[str, Any] = {
            "seq": self.seq,
            "id": self.id,
            "type": str(self.kind),
            "role": self.role,
            "at": self.at,
        }
        if self.kind is Kind.MOVE:
            written |= {"move": self.move, "term": self.term}
        if self.asked != self.seq:
            written["asked"] = self.asked
        if self.note:
            written["note"] = self.note
        return written


def read_action(value: object, *, role: str | None = None) -> Action:
    """Return the action that a JSON object is.

    Args:
        value: What was sent: ``id``, ``seq``, ``type`` and for a move ``move``; ``role`` unless
            it is given.
        role: Who sends it, where that is known otherwise.

    Raises:
        RefusedError: ``malformed-action``; names the field and what it should be.
    """
    if not isinstance(value, Mapping):
        raise _malformed("an action is a JSON object", 'an object such as {"id": "a1", ...}')
    kinds = ", ".join(SENT)
    if not isinstance(kind := value.get("type"), str) or kind not in SENT:
        raise _malformed(f"type is {shown(kind)}", f"one of {kinds}")
    id_ = value.get("id")
    if not isinstance(id_, str) or not ID.fullmatch(id_):
        raise _malformed(f"id is {shown(id_)}", "1 to 64 letters, digits and . _ : -")
    seq = value.get("seq")
    if type(seq) is not int or not 0 <= seq <= LAST_SEQ:
        raise _malformed(f"seq is {shown(seq)}", f"a whole number from 0 to {LAST_SEQ}")
    who = value.get("role", role)
    if not isinstance(who, str) or len(who) > LONGEST_ROLE:
        raise _malformed(f"role is {shown(who)}", "the name of a role")
    move = value.get("move", "")
    if kind != Kind.MOVE:
        if move != "":
            raise _malformed(f"{kind} has a move", "a move only with MOVE")
    elif not isinstance(move, str) or not 0 < len(move) <= LONGEST_MOVE:
        raise _malformed(f"move is {shown(move)}", f"a text of 1 to {LONGEST_MOVE} characters")
    return Action(id_, seq, who, Kind(kind), move)


def read_entry(value: object) -> Entry:
    """Return the entry that a JSON object is.

    Raises:
        LogError: It is none; names the field.
    """
    fields: Mapping[Any, Any] = value if isinstance(value, Mapping) else {}
    kind = fields.get("type")
    if kind not in tuple(Kind):
        raise LogError(f"an entry has the type {shown(kind)}", expected=", ".join(Kind))
    if not ID.fullmatch(_text(fields, "id")):
        raise LogError(f"id of an entry is {shown(fields['id'])}", expected=ID.pattern)
    note = _text(fields, "note") if kind == Kind.MOVE and "note" in fields else ""
    if len(note) > LONGEST_NOTE:
        raise LogError(
            f"note of an entry has {len(note)} characters", expected=f"at most {LONGEST_NOTE}"
        )
    return Entry(
        seq=_number(fields, "seq"),
        id=_text(fields, "id"),
        role=_text(fields, "role"),
        kind=Kind(kind),
        at=_number(fields, "at"),
        asked=_number(fields, "asked" if "asked" in fields else "seq"),
        move=_text(fields, "move") if kind == Kind.MOVE else "",
        term=_text(fields, "term") if kind == Kind.MOVE else "",
        note=note,
    )


def _number(fields: Mapping[Any, Any], name: str) -> int:
    number = fields.get(name)
    if type(number) is int and 0 <= number <= LARGEST:
        return number
    raise LogError(
        f"{name} of an entry is {shown(number)}", expected=f"a whole number, 0 to {LARGEST}"
    )


def _text(fields: Mapping[Any, Any], name: str) -> str:
    text = fields.get(name)
    if not isinstance(text, str):
        raise LogError(f"{name} of an entry is {shown(text)}", expected="a text")
    return text


def _malformed(what: str, expected: str) -> RefusedError:
    return RefusedError(Code.MALFORMED_ACTION, what, expected=expected)
