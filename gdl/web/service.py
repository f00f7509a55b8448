"""What the server can do, apart from how it is asked: matches, seats, actions, watching.

In: plain values, and the secret of whoever asks. Out: plain values, or a `ProblemError`. A
secret is 32 random bytes; only its SHA-256 is kept.

Source: ours.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from gdl.game import load
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.match.clock import TimeControl
from gdl.match.ending import players
from gdl.match.log import header_json, parse_log, read_header
from gdl.match.match import Header
from gdl.match.pin import pin
from gdl.match.store import Seat, Store, TakenError, UnknownMatchError
from gdl.ruleset import rulesets
from gdl.web.live import Apart, Here, Live, Referee, Watcher, now_ms
from gdl.web.metrics import Metrics
from gdl.web.problems import ProblemError, problem_of
from gdl.web.processes import Pool, Process
from gdl.web.settings import Settings

LOG: Final = logging.getLogger("gdl.web")
NATURE: Final = "random"
"""The player that draws for the role ``random``."""
LONGEST_NAME: Final = 100
PAGE: Final = 100
"""Matches of a list."""
AGENT_PATIENCE: Final = 30.0
"""Seconds that a program may take beyond its thinking time, to load and compile its game."""


class Service:
    """Matches, and those who play and watch them.

    Attributes:
        settings: What is allowed.
        metrics: What has been counted.
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        """Serve the matches of a store."""
        self.settings = settings
        self.metrics = Metrics()
        self.store = store
        self._rulesets = {ruleset.id: ruleset for ruleset in rulesets()}
        self._known_roles: dict[str, list[str]] = {}
        self._pinned: dict[str, Mapping[str, Any]] = {}
        self._live: dict[str, Live] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._thinking: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        memory, untrusted = settings.worker_bytes, settings.untrusted
        self.studies = Pool(
            settings.studies,
            queued=20,
            memory=memory,
            seconds=settings.worker_seconds,
            limits=untrusted,
        )
        self._agents = {
            True: Pool(settings.agents, queued=50, memory=0, seconds=60.0, limits=None),
            False: Pool(settings.agents, queued=50, memory=memory, seconds=60.0, limits=untrusted),
        }

    # -- beginning and end

    async def start(self) -> None:
        """Begin to watch clocks, other servers and the programs that are to move."""
        self._spawn(self._tick())
        for match in await asyncio.to_thread(self.store.with_agents):
            self._spawn(self._wake(match))

    async def _wake(self, match: str) -> None:
        try:
            self.think(await self.open(match))
        except ProblemError:
            LOG.warning("a match cannot be opened", extra={"fields": {"match": match}})

    async def stop(self) -> None:
        """End all tasks and processes."""
        tasks = [*self._tasks, *self._thinking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for pool in (self.studies, *self._agents.values()):
            await pool.end()
        for live in self._live.values():
            await live.referee.end()
        self.store.close()

    def _spawn(self, work: Any) -> None:  # noqa: ANN401  # a coroutine
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tick(self) -> None:
        """Look at clocks and at what other servers have added, again and again."""
        while True:
            await asyncio.sleep(self.settings.poll_seconds)
            try:
                await self._look()
            except Exception:  # whatever it was, clocks must go on
                LOG.exception("the periodic look failed")

    async def _look(self) -> None:
        for match in await asyncio.to_thread(self.store.overdue, now_ms()):
            live = await self.open(match)
            await live.catch_up()
            await live.flag()
        watched = {live.id: live for live in self._live.values() if live.watchers}
        lengths = await asyncio.to_thread(self.store.lengths, watched)
        for match, length in lengths.items():
            if length > watched[match].summary["seq"]:
                await watched[match].catch_up()
                self.think(watched[match])

    # -- rulesets

    def rulesets(self) -> list[dict[str, Any]]:
        """Return the rulesets that are shipped."""
        return [
            {
                "id": ruleset.id,
                "title": ruleset.title,
                "version": ruleset.version,
                "summary": ruleset.summary,
                "gameId": ruleset.game_id,
                "rulesetVersion": ruleset.ruleset_version,
            }
            for ruleset in self._rulesets.values()
        ]

    def ruleset(self, id_: str) -> Mapping[str, Any]:
        """Return a shipped ruleset as matches pin it.

        Raises:
            ProblemError: There is no such id. An id is looked up in a table; it is no path.
        """
        if id_ not in self._rulesets:
            known = ", ".join(self._rulesets)
            raise ProblemError(
                404, "unknown-ruleset", f"there is no ruleset {id_[:100]}\n  expected: {known}"
            )
        if id_ not in self._pinned:
            self._pinned[id_] = pin(self._rulesets[id_])
        return self._pinned[id_]

    def _roles(self, id_: str) -> list[str]:
        if id_ not in self._known_roles:
            self._known_roles[id_] = list(load(self._rulesets[id_], backend="reason").roles)
        return self._known_roles[id_]

    async def header(self, source: Mapping[str, Any]) -> tuple[dict[str, Any], list[str], bool]:
        """Return the header of what a request names, its roles, and whether it is trusted.

        Args:
            source: ``ruleset`` (an id) or ``rules`` (a text), and perhaps ``title``.
        """
        if (id_ := source.get("ruleset")) is not None:
            header = header_json(Header("", self.ruleset(id_)))
            return header, self._roles(id_), True
        title = source.get("title") or "uploaded"
        prepared = await self.studies.ask("prepare", text=source["rules"], title=title)
        return prepared["header"], prepared["roles"], False

    # -- matches

    async def create(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Begin a match.

        Returns:
            Its name, its owner's secret, and the secret of each seat that was asked for.
        """
        header, roles, is_trusted = await self.header(request)
        control = None
        if request.get("clock") is not None:
            control = _read_control(request["clock"])
        return await self._create(
            replace(read_header(header), id=new_id(), created=now_ms(), control=control),
            roles,
            request.get("seats") or {},
            is_trusted=is_trusted,
        )

    async def _create(
        self,
        header: Header,
        roles: list[str],
        wanted: Mapping[str, Mapping[str, Any]],
        *,
        is_trusted: bool,
    ) -> dict[str, Any]:
        owner = new_secret()
        tokens: dict[str, dict[str, Any]] = {}
        seats = []
        for role, seat in wanted.items():
            if role not in players(roles):
                raise _no_role(role, roles)
            made, token = await self._new_seat(role, seat)
            seats.append(made)
            tokens[role] = {"token": token, "agent": made.agent.partition(" ")[2] or None}
        if RANDOM in roles:
            seats.append(Seat(RANDOM, "", "nature", NATURE, now_ms()))
        try:
            await asyncio.to_thread(
                self.store.create, header, owner=hashed(owner), trusted=is_trusted, seats=seats
            )
        except TakenError as error:
            raise ProblemError(409, "match-exists", str(error)) from error
        self.metrics.count("gdl_matches_created_total", trusted=str(is_trusted).lower())
        live = await self.open(header.id)
        self.think(live)
        return {
            "match": header.id,
            "owner": owner,
            "seats": tokens,
            "state": await live.state(None),
        }

    async def take_in(self, text: str) -> dict[str, Any]:
        """Begin a match with the log of another one, as its header says.

        Its rules are trusted only if they are exactly those of a shipped ruleset.
        """
        try:
            header, entries = parse_log(text)
        except GdlError as error:
            raise problem_of(error) from error
        found = await self.studies.ask(
            "imported",
            header=header_json(header),
            entries=[entry.to_json() for entry in entries],
        )
        shipped = self._rulesets.get(str(header.ruleset.get("id")))
        is_trusted = shipped is not None and dict(header.ruleset) == self.ruleset(shipped.id)
        header = replace(header, id=new_id())
        made = await self._create(header, found["roles"], {}, is_trusted=is_trusted)
        for number, entry in enumerate(entries, start=1):
            is_last = number == len(entries)
            await asyncio.to_thread(
                self.store.append,
                header.id,
                entry,
                finished=is_last and found["finished"],
                due=found["due"] if is_last else None,
            )
        live = await self.open(header.id)
        await live.catch_up()
        return {**made, "state": await live.state(None)}

    async def open(self, match: str) -> Live:
        """Return a match that is open here, read from the database if need be.

        Raises:
            ProblemError: There is no such match.
        """
        live = self._live.get(match)
        if live is None:
            lock = self._opening.setdefault(match, asyncio.Lock())
            async with lock:
                live = self._live.get(match) or await self._read(match)
            self._opening.pop(match, None)
        live.used = asyncio.get_running_loop().time()
        return live

    async def fresh(self, match: str) -> Live:
        """Return a match as it stands in the database, with what other servers have added.

        Raises:
            ProblemError: There is no such match.
        """
        live = await self.open(match)
        lengths = await asyncio.to_thread(self.store.lengths, [match])
        if lengths.get(match, 0) > live.summary["seq"]:
            await live.catch_up()
        return live

    @property
    def in_memory(self) -> int:
        """How many matches are held in memory."""
        return len(self._live)

    def agents(self) -> list[dict[str, Any]]:
        """Return the programs that can take a seat."""
        from gdl.play.registry import kinds

        return [
            {
                "name": kind.name,
                "summary": kind.summary,
                "options": [
                    {"name": each.name, "default": each.show(), "help": each.help}
                    for each in kind.options or ()
                ],
            }
            for kind in kinds().values()
        ]

    async def newest(self, *, limit: int, before: int, status: str | None) -> list[dict[str, Any]]:
        """Return the newest matches."""
        if status not in (None, "active", "finished"):
            raise ProblemError(422, "malformed", "status is active or finished")
        finished = None if status is None else status == "finished"
        found = await asyncio.to_thread(
            self.store.newest, limit=limit, before=before, finished=finished
        )
        return [
            {
                "match": each.id,
                "ruleset": each.title,
                "created": each.created,
                "length": each.length,
                "status": "finished" if each.finished else "active",
                "clock": each.has_clock,
            }
            for each in found
        ]

    async def _read(self, match: str) -> Live:
        try:
            listed = await asyncio.to_thread(self.store.listed, match)
            header = await asyncio.to_thread(self.store.header, match)
        except UnknownMatchError as error:
            raise ProblemError(404, "unknown-match", str(error)) from error
        await self._make_room(is_trusted=listed.trusted)

        async def log() -> list[dict[str, Any]]:
            found = await asyncio.to_thread(self.store.entries, match)
            return [entry.to_json() for entry in found]

        if listed.trusted:
            referee: Referee = Here(header)
            summary = await referee.ask("extend", entries=await log())
        else:
            process = Process(
                memory=self.settings.worker_bytes,
                seconds=self.settings.worker_seconds,
                limits=self.settings.untrusted,
            )
            referee = Apart(header, process, log)
            summary = await referee.ask("summary")
        seats = {seat.role: seat for seat in await asyncio.to_thread(self.store.seats, match)}
        live = Live(header, listed, self.store, referee, seats, summary)
        self._live[match] = live
        return live

    async def _make_room(self, *, is_trusted: bool) -> None:
        """Close matches that nobody has used for longest, when there are too many."""
        most = self.settings.matches if is_trusted else self.settings.workers
        held = [live for live in self._live.values() if live.listed.trusted == is_trusted]
        idle = sorted(
            (live for live in held if not live.watchers and not live.lock.locked()),
            key=lambda live: live.used,
        )
        for live in idle[: max(0, len(held) - most + 1)]:
            del self._live[live.id]
            await live.referee.end()
        if not is_trusted and len(held) - len(idle) >= most:
            raise ProblemError(503, "busy", "too many matches of uploaded rules are open")

    # -- seats

    async def join(
        self, match: str, role: str, wanted: Mapping[str, Any], secret: str
    ) -> dict[str, Any]:
        """Take a seat; a program takes one when the match's owner says so.

        Raises:
            ProblemError: No such role, or the seat is taken.
        """
        live = await self.open(match)
        await self._refresh_seats(live)
        if role not in live.summary["roles"] or role == RANDOM:
            raise _no_role(role, live.summary["roles"])
        if wanted.get("agent") is not None and not self.owns(live, secret):
            raise ProblemError(
                403,
                "not-yours",
                "only the owner of the match seats a program\n  expected: its token",
            )
        seat, token = await self._new_seat(role, wanted)
        try:
            await asyncio.to_thread(self.store.take_seat, match, seat)
        except TakenError as error:
            raise ProblemError(409, "seat-taken", str(error)) from error
        await self._refresh_seats(live)
        await live.tell_seats()
        self.think(live)
        return {"match": match, "role": role, "token": token, "agent": wanted.get("agent")}

    async def _new_seat(self, role: str, wanted: Mapping[str, Any]) -> tuple[Seat, str | None]:
        name = wanted.get("name") or ""
        agent = wanted.get("agent") or ""
        if agent:
            _check_agent(agent)
            seconds = wanted.get("seconds") or self.settings.agent_seconds
            seconds = min(float(seconds), self.settings.most_agent_seconds)
            return Seat(role, "", name or agent, f"{seconds:g} {agent}", now_ms()), None
        token = new_secret()
        return Seat(role, hashed(token), name, "", now_ms()), token

    async def _refresh_seats(self, live: Live) -> None:
        seats = await asyncio.to_thread(self.store.seats, live.id)
        live.seats = {seat.role: seat for seat in seats}

    async def role_of(self, live: Live, secret: str) -> str | None:
        """Return whose seat a secret is; None without one.

        Raises:
            ProblemError: A secret of no seat of this match.
        """
        if not secret or self.owns(live, secret):
            return None
        wanted = hashed(secret)
        for attempt in (1, 2):
            for seat in live.seats.values():
                if seat.token and hmac.compare_digest(seat.token, wanted):
                    return seat.role
            if attempt == 1:
                await self._refresh_seats(live)
        raise ProblemError(403, "wrong-token", "this token is of no seat in this match")

    def owns(self, live: Live, secret: str) -> bool:
        """Return whether a secret is that of the match's owner."""
        return bool(secret) and hmac.compare_digest(live.listed.owner, hashed(secret))

    # -- actions

    async def act(self, match: str, action: Any, secret: str) -> dict[str, Any]:  # noqa: ANN401  # JSON
        """Do an action for the seat whose secret this is.

        Raises:
            ProblemError: It is refused, and nothing has changed.
        """
        live = await self.open(match)
        if not secret:
            raise ProblemError(401, "no-token", "acting takes the token of a seat")
        role = await self.role_of(live, secret)
        if role is None:
            raise ProblemError(403, "wrong-token", "the owner's token is of no seat")
        if isinstance(action, dict) and action.get("role", role) != role:
            raise ProblemError(403, "not-yours", f"this token is of the seat of {role}")
        return await self._act(live, action, role)

    async def _act(self, live: Live, action: Any, role: str) -> dict[str, Any]:  # noqa: ANN401  # JSON
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            entry, is_new = await live.act(action, role)
        except ProblemError as problem:
            if problem.code == "time-over":
                await live.flag()
            self.metrics.count("gdl_actions_total", result=problem.code)
            raise
        self.metrics.time_action(loop.time() - began)
        self.metrics.count("gdl_actions_total", result="accepted" if is_new else "repeated")
        self.think(live)
        return {"entry": entry, "new": is_new}

    def think(self, live: Live) -> None:
        """Let the programs move whose turn it is, if they do not think already."""
        if self._program_to_move(live) is None or live.id in self._thinking:
            return
        task = asyncio.get_running_loop().create_task(self._play(live))
        self._thinking[live.id] = task
        task.add_done_callback(lambda _: self._thinking.pop(live.id, None))

    def _program_to_move(self, live: Live) -> Seat | None:
        for role in live.summary["toMove"]:
            seat = live.seats.get(role)
            if seat is not None and seat.agent:
                return seat
        return None

    async def _play(self, live: Live) -> None:
        while (seat := self._program_to_move(live)) is not None:
            seq = live.summary["seq"]
            try:
                move = await self._choose(live, seat)
                action = {"id": f"agent.{seat.role[:30].encode().hex()}.{seq}", "seq": seq}
                await self._act(live, {**action, "type": "MOVE", "move": move}, seat.role)
            except ProblemError as problem:
                LOG.warning(
                    "a program could not move",
                    extra={"fields": {"match": live.id, "role": seat.role, "why": problem.code}},
                )
                if live.summary["seq"] == seq:
                    return  # it is asked again with the next action

    async def _choose(self, live: Live, seat: Seat) -> str:
        seconds, _, player = seat.agent.partition(" ")
        if seat.role == RANDOM:
            seconds, player = "0.1", NATURE
        pool = self._agents[live.listed.trusted]
        entries = await asyncio.to_thread(self.store.entries, live.id)
        chosen = await pool.ask(
            "choose",
            seconds=float(seconds) + AGENT_PATIENCE,
            header=header_json(live.header),
            entries=[entry.to_json() for entry in entries],
            role=seat.role,
            player=player,
            budget=float(seconds),
        )
        move: str = chosen["move"]
        return move

    async def evaluate(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a program thinks of a position; see `Thinkers.evaluate`."""
        header, entries, is_trusted = await self.source(request)
        seconds = min(request.get("seconds") or 1.0, self.settings.most_agent_seconds)
        player = request.get("agent") or "greedy"
        _check_agent(player)
        found: dict[str, Any] = await self._agents[is_trusted].ask(
            "evaluate",
            seconds=seconds + AGENT_PATIENCE,
            header=header,
            entries=entries,
            moves=request.get("moves") or [],
            player=player,
            budget=seconds,
        )
        return found

    async def source(
        self, request: Mapping[str, Any]
    ) -> tuple[dict[str, Any], list[dict[str, Any]], bool]:
        """Return the header and log of what a request is about, and whether it is trusted."""
        if (match := request.get("match")) is None:
            header, _, is_trusted = await self.header(request)
            return header, [], is_trusted
        live = await self.open(match)
        entries = await asyncio.to_thread(self.store.entries, match)
        seq = request.get("seq")
        until = len(entries) if seq is None else seq
        turn = live.summary["turn"] if not live.summary["finished"] else len(entries)
        shown = entries[: min(until, turn)]  # moves of this turn are not shown to others
        return header_json(live.header), [entry.to_json() for entry in shown], live.listed.trusted

    async def watch(self, live: Live, role: str | None, since: int) -> Watcher:
        """Begin to tell somebody of every action; the first message is in the queue already.

        Raises:
            ProblemError: Too many watch.
        """
        if len(live.watchers) >= self.settings.watchers:
            raise ProblemError(503, "busy", "too many watch this match")
        watcher = Watcher(role, asyncio.Queue(self.settings.queued))
        await live.watch(watcher, since)
        self.think(live)
        return watcher


def new_id() -> str:
    """Return a name for a match."""
    return secrets.token_hex(12)


def new_secret() -> str:
    """Return a secret: 32 random bytes, as text."""
    return secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    """Return what is kept of a secret. It is random and long, so it needs no salt."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _no_role(role: str, roles: list[str]) -> ProblemError:
    known = " or ".join(players(roles)) or "none"
    return ProblemError(404, "unknown-role", f"nobody can sit at {role[:100]}\n  expected: {known}")


def _read_control(value: object) -> TimeControl:
    try:
        return TimeControl.read(value)
    except GdlError as error:
        raise problem_of(error) from error


def _check_agent(spec: str) -> None:
    from gdl.play.registry import make

    try:
        make(spec)
    except GdlError as error:
        raise ProblemError(422, "unknown-agent", str(error)) from error
