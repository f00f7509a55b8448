"""Rows of the database beside the log of a match, and what is raised where it cannot be used.

In and out of `gdl.match.store`. Secrets never stand here, only their SHA-256.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gdl.language.diagnostics import GdlError
from gdl.match.actions import Entry


class StoreError(GdlError):
    """The database cannot be used; says why."""


class UnavailableError(StoreError):
    """The database does not answer now, or takes nothing more; what was asked is not done."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a role.

    Attributes:
        role: The role.
        token: SHA-256 of the secret that lets one act for it; empty for an agent.
        name: What others see.
        agent: The player program that moves for it; empty for people.
        taken: When, in milliseconds since 1970.
    """

    role: str
    token: str
    name: str = ""
    agent: str = ""
    taken: int = 0


@dataclass(frozen=True, slots=True)
class Access:
    """Who may find a match, see it and sit down at it.

    Attributes:
        listed: Whether lists of matches name it.
        spectators: Whether those may see it who have no seat.
        invitations: SHA-256 of the secret that each reserved seat takes, by role.
        open: How many seats anybody may take.
    """

    listed: bool = True
    spectators: bool = True
    invitations: Mapping[str, str] = field(default_factory=dict)
    open: int = 0


PUBLIC: Final = Access()
"""Anybody may do anything but play in another one's place."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A match in a list.

    Attributes:
        id: Its name.
        title: The ruleset's id.
        created: When it began, in milliseconds since 1970.
        length: Number of its actions.
        finished: Whether it is over.
        trusted: Whether its rules are shipped ones.
        owner: SHA-256 of the secret of whoever created it.
        has_clock: Whether it has clocks.
        listed: Whether lists of matches name it.
        spectators: Whether those may see it who have no seat.
        open: How many seats anybody may take.
        players: What people call each role that somebody plays, in order; empty where that is not
            known, as of matches that were made by older versions.
        to_move: The roles whose move is waited for; None where that is not known.
    """

    id: str
    title: str
    created: int
    length: int
    finished: bool
    trusted: bool
    owner: str
    has_clock: bool
    listed: bool
    spectators: bool
    open: int
    players: Mapping[str, str]
    to_move: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Start:
    """A log that a match begins with.

    Attributes:
        entries: Its entries.
        finished: Whether the match is over after them.
        due: When the next clock is over, in milliseconds since 1970.
        to_move: The roles whose move is waited for after them; None where that is not known.
    """

    entries: tuple[Entry, ...] = ()
    finished: bool = False
    due: int | None = None
    to_move: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """An entry that is to be added to the log of a match.

    Attributes:
        match: Name of the match.
        entry: The entry; its number must be the next one.
        finished: Whether the match is over with it.
        due: When the next clock will be over, in milliseconds since 1970.
        to_move: The roles whose move is waited for then; None where that is not known.
    """

    match: str
    entry: Entry
    finished: bool = False
    due: int | None = None
    to_move: tuple[str, ...] | None = None
