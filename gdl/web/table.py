"""One match as the server holds it: reduced, asked and answered in JSON.

In: a header, entries and requests, all of them values for ``json``. Out: answers of the same
kind, or a `GdlError`. A `Table` runs in the server for shipped rules, and in a process of
its own for rules that somebody sent; neither side can tell.

Source: ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdl.language.limits import Limits
from gdl.match.actions import Action, Kind, read_action, read_entry
from gdl.match.log import export, read_header
from gdl.match.match import Accepted, Match, follow, start, submit
from gdl.match.view import clock_json, view, visible
from gdl.web.problems import ProblemError


class Table:
    """A match after the actions that are known here."""

    def __init__(self, match: Match) -> None:
        """Begin with a match before its first action."""
        self._match = match
        self._candidate: Accepted | None = None
        self._turn_before = 0
        self._shown: dict[str, Any] | None = None

    @classmethod
    def of(cls, header: Any, *, limits: Limits) -> Table:  # noqa: ANN401  # JSON
        """Return the table of a match whose rules are known from its header alone."""
        return cls(start(read_header(header), limits=limits))

    def extend(self, entries: Sequence[Any]) -> dict[str, Any]:
        """Add entries that stand in the database; return the summary of the match."""
        for each in entries:
            entry = read_entry(each)
            candidate = self._candidate
            self._turn_before = self._match.turn
            if candidate is not None and candidate.entry == entry:
                self._match = candidate.match
            else:
                self._match = follow(self._match, entry)
            self._candidate = None
            self._shown = None
        return self.summary()

    def summary(self) -> dict[str, Any]:
        """Return what the server has to know of the match."""
        return {
            "seq": self._match.seq,
            "roles": list(self._match.game.roles),
            "toMove": list(self._match.to_move),
            "finished": self._match.outcome is not None,
            "due": self._due(self._match),
            "hidden": self._match.hidden,
            "turnBefore": self._turn_before,
            "open": self._match.turn if self._match.pending else self._match.seq,
        }

    def judge(self, action: Any, role: str | None, at: int) -> dict[str, Any]:  # noqa: ANN401  # JSON
        """Return the entry that an action becomes; it counts when `extend` brings it back.

        Raises:
            RefusedError: It is not accepted.
        """
        wanted = read_action(action, role=role)
        return self._judged(submit(self._match, wanted, at=at))

    def flag(self, at: int, id_: str) -> dict[str, Any] | None:
        """Return the entry of a clock that is over, None when none is.

        Args:
            at: The time, in milliseconds since 1970.
            id_: Name of the action; none that a player could have taken before.
        """
        due = self._match.timeout_due()
        if due is None or due[0] > at:
            return None
        seq = self._match.seq
        action = Action(id_, seq, due[1], Kind.TIMEOUT)
        return self._judged(submit(self._match, action, at=at))

    def _judged(self, accepted: Accepted) -> dict[str, Any]:
        if accepted.is_new:
            self._candidate = accepted
        after = accepted.match
        return {
            "entry": accepted.entry.to_json(),
            "new": accepted.is_new,
            "finished": after.outcome is not None,
            "due": self._due(after),
        }

    def _due(self, match: Match) -> int | None:
        due = match.timeout_due()
        return None if due is None else due[0]

    def view(self, audience: str | None, now: int) -> dict[str, Any]:
        """Return the state as somebody may see it."""
        match = self._match
        if match.hidden:
            return view(match, audience, now=now)
        if self._shown is None:
            self._shown = view(match, None, now=now)
        seen = {**self._shown, "you": audience}
        if match.clock is not None:
            seen["clock"] = clock_json(match, now)
        return seen

    def clock(self, now: int) -> dict[str, Any] | None:
        """Return what is left of each role's time."""
        return clock_json(self._match, now)

    def entries(self, audience: str | None, since: int) -> list[dict[str, Any]]:
        """Return the log as somebody may see it."""
        return visible(self._match, audience, since=since)

    def export(self, *, everything: bool) -> str:
        """Return the log as JSON lines, up to the turn that is being made.

        Raises:
            ProblemError: The game hides something, and not everything may be seen.
        """
        match = self._match
        if match.hidden and not everything:
            raise ProblemError(403, "hidden", "this game hides its log from its roles")
        until = match.turn if match.outcome is None and match.pending else match.seq
        return export(match.header, match.entries[:until])

    def legal(self, role: str) -> list[dict[str, str]]:
        """Return the legal moves of a role, as text and as KIF."""
        state = self._match.state
        if role not in self._match.to_move:
            return []
        return [{"text": state.notation(move), "term": str(move)} for move in state.legal(role)]
