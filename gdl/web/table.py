"""One match as the server holds it: reduced, asked and answered.

In: entries, actions and questions. Out: what the server has to know (`Summary`, `Verdict`),
what others may see, as values for ``json``, or a `GdlError`. A `Table` runs in the server for
shipped rules, and in a process of its own for rules that somebody sent (`gdl.web.referee`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from gdl.match.actions import Action, Entry, Kind, read_entry
from gdl.match.log import export
from gdl.match.match import Accepted, Match, follow, submit
from gdl.match.view import clock_json, view, visible
from gdl.web.problems import ProblemError

JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """What the server has to know of a match.

    Attributes:
        seq: Length of its log.
        roles: Its roles, in order.
        first: Who moves first; none where it is over before that.
        to_move: Whose move is waited for.
        finished: Whether it is over.
        due: When the next clock is over, in milliseconds since 1970; None when none runs.
        hidden: Whether the game hides something from its roles.
        turn_before: Length of the log when the turn began in which the last entry was made.
        open: So many entries anybody may see: those of this turn only once all have moved.
    """

    seq: int
    roles: Sequence[str]
    first: Sequence[str]
    to_move: Sequence[str]
    finished: bool
    due: int | None
    hidden: bool
    turn_before: int
    open: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an action becomes.

    Attributes:
        entry: Its place in the log.
        is_new: False when it stands there already.
        finished: Whether the match is over after it.
        due: When the next clock is over then; None when none runs.
        to_move: Whose move is waited for then.
    """

    entry: Entry
    is_new: bool
    finished: bool
    due: int | None
    to_move: Sequence[str]

    def to_json(self) -> JsonObject:
        """Return the verdict for another process."""
        return {**asdict(self), "entry": self.entry.to_json()}

    @classmethod
    def read(cls, value: JsonObject) -> Verdict:
        """Return the verdict of another process."""
        return cls(**{**value, "entry": read_entry(value["entry"])})


class Table:
    """A match after the actions that are known here."""

    def __init__(self, match: Match) -> None:
        """Begin with a match before its first action."""
        self._match = match
        self._first = match.to_move
        self._candidate: Accepted | None = None
        self._turn_before = 0
        self._shown: JsonObject | None = None

    def extend(self, entries: Sequence[Entry]) -> Summary:
        """Add entries that stand in the database; return the summary of the match."""
        for entry in entries:
            candidate = self._candidate
            self._turn_before = self._match.turn
            # What `judge` tried is the match after that very entry; where the database brings back
            # another one, some server was first, and the log is followed as it stands.
            if candidate is not None and candidate.entry == entry:
                self._match = candidate.match
            else:
                self._match = follow(self._match, entry)
            self._candidate = None
            self._shown = None
        return self.summary()

    def summary(self) -> Summary:
        """Return what the server has to know of the match."""
        match = self._match
        return Summary(
            seq=match.seq,
            roles=match.game.roles,
            first=self._first,
            to_move=match.to_move,
            finished=match.outcome is not None,
            due=_due(match),
            hidden=match.hidden,
            turn_before=self._turn_before,
            open=match.turn if match.pending else match.seq,
        )

    def judge(self, action: Action, at: int) -> Verdict:
        """Return the entry that an action becomes; it counts when `extend` brings it back.

        Raises:
            RefusedError: It is not accepted.
        """
        return self._judged(submit(self._match, action, at=at))

    def flag(self, at: int, id_: str) -> Verdict | None:
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

    def _judged(self, accepted: Accepted) -> Verdict:
        if accepted.is_new:
            self._candidate = accepted
        after = accepted.match
        return Verdict(
            accepted.entry,
            is_new=accepted.is_new,
            finished=after.outcome is not None,
            due=_due(after),
            to_move=after.to_move,
        )

    def write_moves(self) -> Iterator[None]:
        """Write the legal moves, one a step, where to write one takes another: it is kept."""
        match = self._match
        if match.hidden or self._shown is not None or match.game.ruleset.short_notation is None:
            return
        for role in match.to_move:
            for move in match.state.legal(role):
                match.state.notation(move, short=True)
                yield

    def view(self, audience: str | None, now: int) -> JsonObject:
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

    def clock(self, now: int) -> JsonObject | None:
        """Return what is left of each role's time."""
        return clock_json(self._match, now)

    def entries(self, audience: str | None, since: int) -> list[JsonObject]:
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
        return [
            {"text": state.notation(move, short=True), "term": str(move)}
            for move in state.legal(role)
        ]


def _due(match: Match) -> int | None:
    due = match.timeout_due()
    return None if due is None else due[0]
