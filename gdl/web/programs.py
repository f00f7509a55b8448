"""Programs that play: whose turn is it, and what do they do?

In: matches in which a program has a seat. Out: its moves, as actions like all others. They
think in processes apart; shipped rules there run as machine code, sent ones as written.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from gdl.match.actions import Action, Kind
from gdl.match.log import header_json
from gdl.match.records import Seat
from gdl.web.agents import NATURE, behind, found
from gdl.web.live import Live
from gdl.web.models import Evaluation, Known, Values
from gdl.web.neighbours import Neighbours, claimed
from gdl.web.problems import ProblemError
from gdl.web.processes import Pool
from gdl.web.settings import Settings
from gdl.web.tokens import new_id, now_ms

LOG: Final = logging.getLogger("gdl.web")
PATIENCE: Final = 30.0
"""Seconds that a program may take beyond its thinking time, to load and compile its game."""
LONG_PATIENCE: Final = 600.0
"""The same where programs play each other, which others come before."""
FORGOTTEN: Final = "nobody"
"""The client of all matches in which nobody has done anything since the server was started. Were
each of them one of its own, who has begun many would have as many shares after a restart."""
BUSY: Final = "busy"
"""The code of what was refused because there is too much to do: no fault of a program."""
REASONS: Final[Mapping[str, str]] = {
    "too-slow": "it did not answer in time",
    "worker-lost": "its process ended",
    "rules-too-large": "it took more memory than there is",
    "internal": "it broke down",
    BUSY: "the server has too much to do",
}
"""Why a program could not move, by the code of the problem; of others their message says it."""
SHARE: Final = 20
"""A program that plays with a clock takes at most this part of what it has left for a move."""

Act = Callable[[Live, Action], Awaitable[Any]]


class Programs:
    """The programs that play on one server."""

    def __init__(self, settings: Settings, act: Act, neighbours: Neighbours) -> None:
        """Prepare their processes; ``act`` does an action."""
        self._neighbours = neighbours
        memory = settings.worker_bytes
        self._settings = settings
        self._act = act
        self._tasks: dict[str, asyncio.Task[bool]] = {}
        self._pools = {
            True: Pool(settings.agents, queued=50, memory=0, seconds=60.0, limits=None),
            False: Pool(
                settings.agents, queued=50, memory=memory, seconds=60.0, limits=settings.untrusted
            ),
        }

    async def warm(self) -> None:
        """Start the process in which the first program thinks."""
        await self._pools[True].warm()

    async def stop(self) -> None:
        """End all thinking."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        for pool in self._pools.values():
            await pool.end()

    def is_thinking(self, match: str) -> bool:
        """Return whether a program thinks about a match."""
        return match in self._tasks

    def think(self, live: Live, client: str = "") -> None:
        """Let the programs move whose turn it is, if they do not think already.

        Args:
            live: The match.
            client: Who has moved or sat down in it: what they take counts for him from now on.
                Who only looks on is not named, as he could slow down a match that is not his.
        """
        live.client = client or live.client or FORGOTTEN
        if _to_move(live) is None or live.id in self._tasks:
            return
        task = asyncio.get_running_loop().create_task(self._play(live))
        self._tasks[live.id] = task
        task.add_done_callback(lambda done: self._done(live, done))

    def _done(self, live: Live, task: asyncio.Task[bool]) -> None:
        """Begin again where somebody has moved while the last thinking was put away."""
        self._tasks.pop(live.id, None)
        if not task.cancelled() and task.result():
            self.think(live)

    def seconds_to_move(self, live: Live) -> float | None:
        """Return how long the program thinks that is to move; None where none is."""
        seat = _to_move(live)
        return None if seat is None else float(seat.agent.partition(" ")[0])

    async def _play(self, live: Live) -> bool:
        """Move for programs until it is the turn of people, or the end; return whether it came.

        Of several servers one thinks about a match at a time; when its turn comes, the others may
        have moved.
        """
        try:
            async with claimed(self._neighbours, live.id):
                if self._neighbours.are_heard:
                    await live.catch_up()
                while (seat := _to_move(live)) is not None:
                    if not await self._move(live, seat):
                        return False
        except Exception:
            LOG.exception("a program failed", extra={"fields": {"match": live.id}})
            return False
        return True

    async def _move(self, live: Live, seat: Seat) -> bool:
        """Make one move; return whether the match went on.

        Where the program cannot, a move is drawn in its place, and the log says so beside it. Where
        that cannot be done either, or the server only has too much to do, nobody moves and those
        who watch are told; the periodic look comes to it again.
        """
        seq = live.summary.seq
        note = failure = ""
        for player in (seat.agent, f"0.1 {NATURE}"):
            try:
                move = await self._choose(live, seat.role, player)
                id_ = f"program.{new_id()}"  # no player can have taken it before
                await self._act(live, Action(id_, seq, seat.role, Kind.MOVE, move, note))
            except ProblemError as problem:
                if live.summary.seq > seq:
                    return True  # another server's program was first
                failure = failure or _failure(live, seat, problem)
                fields = {"match": live.id, "role": seat.role, "program": player}
                fields |= {"why": problem.code, "message": problem.message}
                LOG.warning("a program could not move", extra={"fields": fields})
                if problem.code == BUSY:
                    break
                note = f"{failure} {REPLACED}"
            if live.summary.seq > seq:
                return True
        await live.tell_trouble(f"{failure} {AGAIN}")
        return False

    async def _choose(self, live: Live, role: str, player: str) -> str:
        text, _, agent = player.partition(" ")
        spec, is_for_guests = behind(agent, self._settings.players)
        seconds = float(text)
        clock = (await live.referee.clock(now_ms())) or {}
        left = clock.get("remainingMs", {}).get(role)
        if left is not None:
            seconds = max(0.01, min(seconds, left / 1000 / SHARE))
        entries = await asyncio.to_thread(live.store.entries, live.id)
        is_urgent = _has_people(live)
        chosen = await self._pools[live.listed.trusted].ask(
            live.client,
            "choose",
            is_urgent=is_urgent,
            seconds=seconds + (PATIENCE if is_urgent else LONG_PATIENCE),
            header=header_json(live.header),
            entries=[entry.to_json() for entry in entries],
            role=role,
            player=spec,
            guest=is_for_guests,
            budget=seconds,
        )
        move: str = chosen["move"]
        return move

    async def evaluate(
        self, subject: dict[str, Any], request: Evaluation, client: str, *, is_trusted: bool
    ) -> dict[str, Any]:
        """Return what a program thinks of a position; ``subject`` is its header and entries.

        See `gdl.web.thinking.Thinkers.evaluate`.
        """
        spec, is_for_guests = found(request.agent or "greedy", self._settings.players)
        asked = {"player": spec, "guest": is_for_guests}
        return await self._ask(
            self._pools[is_trusted], "evaluate", subject, request, client, **asked
        )

    async def values(
        self,
        subject: dict[str, Any],
        request: Values,
        client: str,
        *,
        is_trusted: bool,
        table: str | None,
    ) -> dict[str, Any]:
        """Return what a position is worth exactly, as far as that is known.

        See `gdl.web.thinking.Thinkers.values`.
        """
        pool = self._pools[is_trusted]
        return await self._ask(pool, "values", subject, request, client, table=table)

    async def known(
        self,
        subject: dict[str, Any],
        request: Known,
        client: str,
        *,
        is_trusted: bool,
        role: str,
    ) -> dict[str, Any]:
        """Return the picture of what a role knows; see `gdl.web.thinking.Thinkers.known`."""
        pool = self._pools[is_trusted]
        return await self._ask(pool, "known", subject, request, client, role=role)

    async def correspond(
        self, left: Mapping[str, Any], right: Mapping[str, Any], client: str, *, is_trusted: bool
    ) -> dict[str, Any]:
        """Return which moves of two pinned rulesets are the same; `is_trusted` of both.

        See `gdl.web.correspondences.correspond`. A client has one such search or other question
        running and one waiting, whatever the rules.
        """
        seconds = self._settings.most_agent_seconds
        correspondence: dict[str, Any] = await self._pools[is_trusted].ask(
            client,
            "correspond",
            most=self._settings.sent_questions,
            seconds=seconds + PATIENCE,
            left=dict(left),
            right=dict(right),
            budget=seconds,
        )
        return correspondence

    async def _ask(
        self,
        pool: Pool,
        do: str,
        subject: dict[str, Any],
        request: Evaluation | Known | Values,
        client: str,
        **args: Any,  # noqa: ANN401  # JSON
    ) -> dict[str, Any]:
        """Return the answer to a question about a position that takes as long as one wishes."""
        seconds = min(request.seconds or 1.0, self._settings.most_agent_seconds)
        answer: dict[str, Any] = await pool.ask(
            client,
            do,
            most=self._settings.questions,
            seconds=seconds + PATIENCE,
            **subject,
            moves=request.moves,
            budget=seconds,
            **args,
        )
        return answer


REPLACED: Final = "A move was drawn at random in its place; it is asked again when it is to move."
AGAIN: Final = "It is asked again in a moment."
LONGEST: Final = 200
"""Characters of a reason that a program gives, and of a role's title; what is longer is for the
server's log."""


def _failure(live: Live, seat: Seat, problem: ProblemError) -> str:
    """Return in a sentence who could not move, and why."""
    why = REASONS.get(problem.code) or problem.message.partition("\n")[0][:LONGEST]
    who = seat.name.strip() or seat.agent.partition(" ")[2]
    return f"{who} could not move for {live.header.title_of(seat.role)[:LONGEST]}: {why}."


def _has_people(live: Live) -> bool:
    """Return whether somebody waits for the programs of a match: it is not theirs alone."""
    return any(seat.token for seat in live.seats.taken.values())


def _to_move(live: Live) -> Seat | None:
    for role in live.summary.to_move:
        seat = live.seats.taken.get(role)
        if seat is not None and seat.agent:
            return seat
    return None
