"""Seats: who sits where, for whom a seat is kept, and whose secret is whose.

In: what somebody wants of a seat, and secrets. Out: rows of the store, what others may see of
them, or a `ProblemError`. A seat is open to whoever comes first, or reserved for whoever shows
its invitation, a secret that is given out once and taken once.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gdl.language.keywords import RANDOM
from gdl.match.ending import players
from gdl.match.records import Seat
from gdl.match.store import ReservedError, Store, TakenError
from gdl.web.agents import found, nature
from gdl.web.models import NewSeat, Sitter
from gdl.web.problems import ProblemError
from gdl.web.settings import Settings
from gdl.web.tokens import hashed, new_secret, now_ms


@dataclass(eq=False, slots=True)
class Seats:
    """The seats of one match, as they were when they were last read.

    Attributes:
        store: Where they are kept.
        match: Name of the match.
        taken: Who sits, by role.
        reserved: The roles whose seats wait for somebody who was invited.
    """

    store: Store
    match: str
    taken: dict[str, Seat] = field(default_factory=dict)
    reserved: frozenset[str] = frozenset()

    @classmethod
    def of(cls, store: Store, match: str, seating: Seating) -> Seats:
        """Return the seats of a match that has just been made so."""
        taken = {seat.role: seat for seat in seating.seats}
        return cls(store, match, taken, frozenset(seating.invitations))

    async def refresh(self) -> None:
        """Read them again: somebody may have sat down at another server."""
        await asyncio.to_thread(self.read)

    def read(self) -> None:
        """Read them; waits for the database."""
        taken, reserved = self.store.seats(self.match), self.store.reserved(self.match)
        self.taken = {seat.role: seat for seat in taken}
        self.reserved = reserved

    async def role_of(self, secret: str) -> str:
        """Return whose seat a secret is.

        Raises:
            ProblemError: It is of no seat of this match.
        """
        wanted = hashed(secret)
        role = self._seated(wanted)
        if role is None:
            await self.refresh()
            role = self._seated(wanted)
        if role is None:
            raise ProblemError(403, "wrong-token", "this token is of no seat in this match")
        return role

    def _seated(self, wanted: str) -> str | None:
        for seat in self.taken.values():
            if seat.token and hmac.compare_digest(seat.token, wanted):
                return seat.role
        return None

    async def take(
        self, seat: Seat, *, invitation: str | None, by_owner: bool, title: str = ""
    ) -> None:
        """Seat somebody.

        Args:
            seat: The seat.
            invitation: The secret that was shown; None if none was.
            by_owner: Whether the match's owner wants it, who needs no invitation.
            title: What people call its role.

        Raises:
            ProblemError: The seat is taken, or kept for somebody else.
        """
        shown = None if invitation is None else hashed(invitation)
        try:
            await asyncio.to_thread(
                self.store.take_seat,
                self.match,
                seat,
                invitation=shown,
                by_owner=by_owner,
                title=title,
            )
        except TakenError as error:
            raise ProblemError(409, "seat-taken", str(error)) from error
        except ReservedError as error:
            code = "reserved" if invitation is None else "wrong-invitation"
            raise ProblemError(403, code, str(error)) from error
        finally:
            await self.refresh()

    def shown(self, roles: Iterable[str]) -> dict[str, Any]:
        """Return who sits where, for anybody to see: None is a seat that is free and open."""
        return {role: self._shown(role) for role in roles}

    def told(self, titles: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return who plays what, as lists say it, by the titles of the roles in order.

        Where these are not known those are told who sit, under the names that the rules use.
        """
        known = titles or {role: role for role in sorted(self.taken) if role != RANDOM}
        free = {"name": None, "agent": None, "reserved": False}
        return [
            {"role": role, "title": title, **(self._shown(role) or free)}
            for role, title in known.items()
        ]

    def _shown(self, role: str) -> dict[str, Any] | None:
        if (seat := self.taken.get(role)) is not None:
            program = seat.agent.partition(" ")[2] or seat.agent or None
            return {"name": seat.name, "agent": program, "reserved": False}
        if role in self.reserved:
            return {"name": None, "agent": None, "reserved": True}
        return None


@dataclass(frozen=True, slots=True)
class Seating:
    """How a match begins to be seated.

    Attributes:
        seats: Who sits at once.
        invitations: SHA-256 of the invitation to each seat that is reserved, by role.
        secrets: What its creator is told, once, of each seat that the request names.
    """

    seats: list[Seat]
    invitations: dict[str, str]
    secrets: dict[str, dict[str, Any]]


def seating(roles: Sequence[str], wanted: Mapping[str, NewSeat], settings: Settings) -> Seating:
    """Return the seats of a new match.

    Args:
        roles: The roles of the game.
        wanted: What the request says of each seat; seats that it does not name stay open.
        settings: What is allowed.

    Raises:
        ProblemError: No such role or program, or a seat is both reserved and taken.
    """
    seated = Seating([nature(now_ms())] if RANDOM in roles else [], {}, {})
    for role, wish in wanted.items():
        if role not in players(roles):
            raise no_role(role, roles)
        token = invitation = None
        if wish.invite:
            _require_alone(role, wish)
            invitation = new_secret()
            seated.invitations[role] = hashed(invitation)
        else:
            seat, token = new_seat(role, wish, settings)
            seated.seats.append(seat)
        told = {"token": token, "agent": wish.agent, "invitation": invitation}
        seated.secrets[role] = told
    return seated


def _require_alone(role: str, wish: NewSeat) -> None:
    others = sorted(wish.model_fields_set - {"invite"})
    if others:
        raise ProblemError(
            422,
            "malformed-request",
            f"NewMatch.seats.{role[:40]} has invite and {' and '.join(others)}",
            expected="invite alone; who comes says the name",
        )


def new_seat(role: str, wanted: Sitter, settings: Settings) -> tuple[Seat, str | None]:
    """Return a seat for a person, with the token that it takes, or for a program, with none.

    Raises:
        ProblemError: There is no such program.
    """
    agent = wanted.agent
    if agent is None:
        token = new_secret()
        return Seat(role, hashed(token), wanted.name or "", "", now_ms()), token
    found(agent, settings.players)
    seconds = min(wanted.seconds or settings.agent_seconds, settings.most_agent_seconds)
    name = (agent if wanted.name is None else wanted.name)[:100]
    return Seat(role, "", name, f"{seconds:g} {agent}", now_ms()), None


def no_role(role: str, roles: Sequence[str]) -> ProblemError:
    """Return the problem of a seat that there is not."""
    names = " or ".join(players(roles)) or "none"
    return ProblemError(404, "unknown-role", f"nobody can sit at {role[:100]}", expected=names)
