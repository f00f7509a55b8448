"""What the server can do, apart from how it is asked: matches, seats, actions, watching.

In: plain values, and the secret of whoever asks. Out: plain values, or a `ProblemError`.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections import OrderedDict
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.match.actions import LONGEST_NOTE, Action, Entry, Kind
from gdl.match.clock import TimeControl
from gdl.match.ending import players
from gdl.match.log import header_json, parse_log, read_header
from gdl.match.match import Header
from gdl.match.records import Access, Listed, Start, UnavailableError
from gdl.match.store import Store, TakenError, UnknownMatchError
from gdl.web import models
from gdl.web.commits import Together
from gdl.web.correspondences import Correspondences
from gdl.web.live import Live, Watcher
from gdl.web.metrics import Metrics
from gdl.web.neighbours import Neighbours, Nobody
from gdl.web.overload import Overload
from gdl.web.problems import ProblemError, problem_of
from gdl.web.processes import QUEUED, Holders, Pool
from gdl.web.programs import Programs
from gdl.web.rate_limits import Admission
from gdl.web.referee import Apart, Here, Referee
from gdl.web.requests import ASKED_BY
from gdl.web.seats import Seats, new_seat, no_role, seating
from gdl.web.settings import Settings
from gdl.web.shipped import Shipped, as_kept
from gdl.web.storable import MOST_VALUES, require_few, require_storable
from gdl.web.tables import Tables
from gdl.web.tokens import MATCH_ID, hashed, new_id, new_secret, now_ms
from gdl.web.turns import Turns

T = TypeVar("T")
LOG: Final = logging.getLogger("gdl.web")
MOST_ROLES: Final = 64
LONGEST_NAME: Final = 200
FOLLOWED: Final = 10
"""Entries that cost as much where a question follows them, in a process apart, as one that is told.
"""
LOOK_PAUSE: Final = 0.005
"""Seconds between looks into the database at matches: whoever opens sockets without end is not to
have a thread at it all the time, as that holds the loop up for others."""
CHECK_PAUSE: Final = 0.1
"""Seconds between looks whether the database takes something: each of them waits for a disk."""
HOPELESS_SECONDS: Final = 60.0
"""How long a match is left alone whose clock is over and whose rules cannot be run."""
WOKEN: Final = 500
"""Matches of each kind of rules in which programs go on as soon as a server is started; in others
they are taken over like those of a server that has died."""
TAKEN_OVER: Final = 50
"""Matches in a look of which it is found out whether a program has to be moved for."""
MOST_REPLAYS: Final = 1_000
"""Long logs that may wait to be followed."""
PROGRAMS_SAY: Final = {
    Kind.REQUEST_TAKEBACK: Kind.ACCEPT_TAKEBACK,
    Kind.REQUEST_DRAW: Kind.DECLINE_DRAW,
}
"""What programs answer: they bear no grudge, and play on."""
OPENED: Final = "The log that was opened says: "
"""Begins the notes of a log that is taken in."""
VALUES: Final = 20
"""Values of an entry of a log that is taken in, names counted; its header has those of a body."""


@dataclass(frozen=True, slots=True)
class GivenRules:
    """The rules that a request names.

    Attributes:
        header: A header with them, of no match.
        roles: The roles, in order.
        is_trusted: Whether they are shipped ones.
        first: Who moves first; none where a match of them is over before that.
    """

    header: Header
    roles: list[str]
    is_trusted: bool
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A match that is about to be made.

    Attributes:
        header: What it is about.
        roles: Its roles, in order.
        begun: How it begins.
        client: Who makes it.
        is_trusted: Whether its rules are shipped ones.
    """

    header: Header
    roles: list[str]
    begun: Start
    client: str
    is_trusted: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """What the database says of a match.

    Attributes:
        length: Of its log.
        sitting: How many sit.
        is_played_again: Whether there is a rematch.
    """

    length: int
    sitting: int
    is_played_again: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question is about.

    Attributes:
        header: A header with the rules.
        entries: The log before it.
        is_trusted: Whether the rules are shipped ones.
        audience: The role that asks; None for a spectator.
    """

    header: Header
    entries: Sequence[Entry]
    is_trusted: bool
    audience: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the header and the log for another process."""
        entries = [entry.to_json() for entry in self.entries]
        return {"header": header_json(self.header), "entries": entries}


class Service:
    """Matches, and those who play and watch them.

    Attributes:
        settings: What is allowed.
        metrics: What has been counted.
        store: Where matches are kept.
        shipped: The rulesets that are offered.
        tables: What is known exactly of some of them.
        studies: Processes for questions that need no match: those about shipped rules, by True, and
            those about rules that somebody sent, by False. Neither waits for the other.
        programs: The programs that play.
        correspondences: Which moves of two rulesets are the same.
        neighbours: The other servers on the same database.
        checks: Looks whether the database takes what is written.
        large: Turns to read what somebody sends that is not read in a moment.
        admission: Who is let in.
        overload: How late the server is.
    """

    def __init__(
        self, store: Store, settings: Settings, neighbours: Neighbours | None = None
    ) -> None:
        """Serve the matches of a store."""
        self.settings = settings
        self.neighbours = neighbours or Nobody()
        self.admission = Admission(settings)
        self.overload = Overload(settings.late_seconds, self.admission.gate.waited)
        self.metrics = Metrics()
        self.store = store
        self._commits = Together(store.append_all)
        self._logs = Together(store.entries_of)
        self._looks = Together(self._seen, pause=LOOK_PAUSE)
        self.checks = Together(self._checked, pause=CHECK_PAUSE)
        self._counts = Together(self._counted, pause=CHECK_PAUSE)
        self.shipped = Shipped()
        self.tables = Tables(settings.tables)
        self.programs = Programs(settings, self._act, self.neighbours)
        self.correspondences = Correspondences()
        self.studies = {
            is_trusted: Pool(
                settings.studies,
                queued=QUEUED,
                memory=settings.worker_bytes,
                seconds=settings.worker_seconds,
                limits=None if is_trusted else settings.untrusted,
            )
            for is_trusted in (True, False)
        }
        self._holders = Holders(
            settings.workers,
            questions=settings.questions,
            memory=settings.worker_bytes,
            seconds=settings.worker_seconds,
            limits=settings.untrusted,
        )
        self._live: OrderedDict[str, Live] = OrderedDict()  # what was used last is last
        self._known: WeakValueDictionary[str, Live] = WeakValueDictionary()
        self._sitting: dict[str, dict[Watcher, Live]] = {}
        self._waiting: dict[bool, dict[str, int]] = {True: {}, False: {}}
        self._taken_over = {True: "", False: ""}
        self._hopeless: set[str] = set()
        self._looked_at: set[str] = set()
        self._followed: set[str] = set()
        self._opening: dict[str, asyncio.Lock] = {}
        self._replaying = Turns(2, queued=MOST_REPLAYS)
        self._reading = Turns(2, queued=MOST_REPLAYS)  # each thread at the database holds up all
        self._preparing = Turns(2, queued=MOST_REPLAYS)
        self.large = Turns(2, queued=MOST_REPLAYS)
        self._tasks: set[asyncio.Task[None]] = set()
        self._heard: set[str] = set()
        self._has_heard = asyncio.Event()

    # -- beginning and end

    async def start(self) -> None:
        """Begin to watch clocks, other servers and the programs that are to move."""
        await self.neighbours.start(self._hear)
        for look in (self._look, self.measure):
            self._spawn(self._again(look))
        self._spawn(self.overload.watch())
        self._spawn(self._follow())
        if self.settings.warm:
            self._spawn(self._warm())
        for trusted in (True, False):  # what was sent may take its time, and nothing waits for it
            matches = await asyncio.to_thread(self.store.with_agents, trusted=trusted)
            self._spawn(self._wake(matches[:WOKEN]))
            self._spawn(self._again(partial(self._look_after, trusted=trusted)))

    async def _warm(self) -> None:
        """Start the processes ahead that the first questions would wait for, one at a time."""
        for pool in (self.studies[True], self.studies[False], self._holders, self.programs):
            await pool.warm()

    async def _wake(self, matches: Sequence[str]) -> None:
        """Let programs go on, one match after the other: nobody may want thousands of them."""
        for match in matches:
            try:
                self.programs.think(await self.open(match))
            except (ProblemError, GdlError):
                LOG.exception("a match cannot be opened", extra={"fields": {"match": match}})

    def let_all_go(self) -> None:
        """Tell all who watch to come back, to a server that goes on: event streams never end."""
        for live in list(self._known.values()):
            for watcher in tuple(live.watchers):
                live.let_go(watcher)

    async def stop(self) -> None:
        """End all tasks and processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.programs.stop()
        await self.neighbours.stop()
        for pool in self.studies.values():
            await pool.end()
        await self._holders.end()
        for live in list(self._known.values()):
            await live.referee.end()
        self.store.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _again(self, look: Callable[[], Awaitable[None]]) -> None:
        """Look again and again at what time brings, and what other servers have added.

        Where notices of the others come in, that is only for those that were lost.
        """
        while True:
            settings = self.settings
            heard = self.neighbours.are_heard
            await asyncio.sleep(settings.heard_poll_seconds if heard else settings.poll_seconds)
            try:
                await look()
            except Exception:  # whatever it was, clocks must go on
                LOG.exception("the periodic look failed")

    async def measure(self, *, thoroughly: bool = False) -> None:
        """Measure what `Metrics` tells; thoroughly: something is written to see whether it can be.

        Raises:
            UnavailableError: The database does not answer; all but what it says is measured.
        """
        figures: dict[str, float] = {
            "gdl_database_up": 0,
            "gdl_matches_in_memory": len(self._live),
            "gdl_streams": self.admission.streams,
            "gdl_neighbours_heard": self.neighbours.are_heard,
            "gdl_late_seconds": self.overload.late,
        }
        try:
            if thoroughly:
                await self.checks.do(None)
            matches, are_open = await self._counts.do(None)
            figures["gdl_matches"], figures["gdl_matches_open"] = matches, are_open
            figures["gdl_database_up"] = not self.store.has_refused
        finally:
            self.metrics.measure(figures)

    def _checked(self, asked: Sequence[None]) -> Sequence[None]:
        """Look whether the database takes something, for all who ask; waits for it."""
        self.store.check()
        return asked

    def _counted(self, asked: Sequence[None]) -> Sequence[tuple[int, int]]:
        """Count all matches, once for all who ask; waits for the database."""
        return [self.store.counts()] * len(asked)

    def _hear(self, match: str) -> None:
        """Note that another server wrote in a match, or, without a name, perhaps in any."""
        self._heard.update([match] if match else self._watched())
        self._has_heard.set()

    def _watched(self) -> dict[str, Live]:
        """Return the matches that somebody watches here."""
        return {live.id: live for live in list(self._known.values()) if live.watchers}

    async def _follow(self) -> None:
        """Take in what other servers say they have written, where somebody here watches it."""
        while True:
            await self._has_heard.wait()
            self._has_heard.clear()
            heard = self._heard - self._followed  # of the others it is taken in when they are done
            self._heard -= heard
            for live in [live for match in heard if (live := self._known.get(match)) is not None]:
                if live.watchers:
                    self._aside(self._followed, live, self._follow_one)

    async def _follow_one(self, live: Live) -> None:
        await live.catch_up()
        if live.has_room or live.may_be_played_again:
            await self._look_at_one(live)

    def _aside(
        self, doing: set[str], live: Live, work: Callable[[Live], Coroutine[Any, Any, None]]
    ) -> None:
        """Do something for a match unless that is being done; nobody waits for it.

        Rules that somebody sent may take ten seconds, or fail: that is for their match alone.
        """

        async def do() -> None:
            try:
                await work(live)
            except Exception:
                LOG.exception("a match was not looked at", extra={"fields": {"match": live.id}})
            finally:
                doing.discard(live.id)
                if live.id in self._heard:
                    self._has_heard.set()

        if live.id not in doing:
            doing.add(live.id)
            self._spawn(do())

    async def _look(self) -> None:
        """Take in what was done at other servers in matches that somebody watches here."""
        for live in self._watched().values():
            self._aside(self._looked_at, live, self._look_at_one)

    async def _look_after(self, *, trusted: bool) -> None:
        """End matches whose time is over, and move for programs that nobody moves for.

        Of one kind of rules at a time: those that somebody sent hold up none of the shipped ones.
        """
        for match in await asyncio.to_thread(self.store.overdue, now_ms(), trusted=trusted):
            if match in self._hopeless:
                continue
            try:
                live = await self.open(match)
                await live.catch_up()
                await live.flag()
            except Exception as error:
                LOG.exception("a clock was not looked at", extra={"fields": {"match": match}})
                if _passes(error):
                    continue
                self._hopeless.add(match)
                loop = asyncio.get_running_loop()
                loop.call_later(HOPELESS_SECONDS, self._hopeless.discard, match)
        await self._take_over(trusted=trusted)

    async def _take_over(self, *, trusted: bool) -> None:
        """Move for programs whose server has died: they are to move, and nobody does it.

        A match that waits for a person is looked at once, and again when something has happened.
        Where the other server is only slow, the database takes one of the two moves. Of many
        matches some are opened at a time, and then those behind them: who has begun thousands is
        not to have the server open these all the time.
        """
        patience = int(1000 * self.settings.takeover_seconds)
        since = now_ms() - patience
        quiet = await asyncio.to_thread(self.store.quiet_with_agents, since, trusted=trusted)
        waiting = {match: n for match, n in self._waiting[trusted].items() if match in quiet}
        self._waiting[trusted] = waiting
        lost = [
            match
            for match, (length, _) in quiet.items()
            if waiting.get(match) != length and not self.programs.is_thinking(match)
        ]
        lost.sort(key=lambda match: (match <= self._taken_over[trusted], match))
        for match in lost[:TAKEN_OVER]:
            self._taken_over[trusted] = match
            length, at = quiet[match]
            try:
                live = await self.fresh(match)
            except Exception as error:
                LOG.exception("a match cannot be opened", extra={"fields": {"match": match}})
                if not _passes(error):
                    waiting[match] = length
                continue
            if (seconds := self.programs.seconds_to_move(live)) is None:
                waiting[match] = length
            elif at + patience + 1000 * seconds < now_ms():
                self.programs.think(live)

    def _seen(self, lives: Sequence[Live]) -> Sequence[Seen]:
        """Return what the database says of matches; waits for it."""
        again = {live.id: rematch_id(live) for live in lives}
        lengths = self.store.lengths([*again, *again.values()])
        sitting = self.store.sitting(again)
        return [
            Seen(lengths.get(live.id, 0), sitting[live.id], again[live.id] in lengths)
            for live in lives
        ]

    async def _look_at_one(self, live: Live) -> None:
        """Take in what was done in a match at other servers."""
        seen = await self._looks.do(live)
        if seen.length > live.summary.seq:
            await live.catch_up()
        if seen.sitting > len(live.seats.taken):
            await live.seats.refresh()
            await live.tell_seats()
        if seen.is_played_again and live.may_be_played_again:
            live.rematch = rematch_id(live)
            await live.tell_seats()

    # -- new matches

    async def study(self, client: str, do: str, *, is_trusted: bool, **args: Any) -> Any:  # noqa: ANN401  # JSON
        """Return the answer to a question that needs no match; see `gdl.web.study`.

        Raises:
            ProblemError: The answer is no; or the client asks too many at once.
        """
        most = self.settings.questions if is_trusted else self.settings.sent_questions
        return await self.studies[is_trusted].ask(client, do, most=most, **args)

    async def of_shipped(self, ask: Callable[..., T], *args: Any, at_once: bool = False) -> T:  # noqa: ANN401  # of ask
        """Return what `Shipped` says: in a thread and in turn, unless it has that at hand.

        To read rules, load them, and look at their boards takes up to a second the first time.
        """
        if at_once:
            return ask(*args)
        async with self._preparing.turn(ASKED_BY.get()):
            return await asyncio.to_thread(ask, *args)

    async def pinned(self, id_: str) -> Mapping[str, Any]:
        """Return a shipped ruleset as matches pin it.

        Raises:
            ProblemError: There is no such id.
        """
        return await self.of_shipped(self.shipped.pinned, id_, at_once=self.shipped.has(id_))

    async def trained(self, pinned: Mapping[str, Any]) -> list[str]:
        """Return which of the players that are offered were trained on the rules of a ruleset."""
        players = self.settings.players
        plain = not any(player.digest for player in players)
        return await self.of_shipped(self.shipped.trained, pinned, players, at_once=plain)

    async def rules(self, source: models.Source, client: str) -> GivenRules:
        """Return the rules that a request of a client names."""
        if (id_ := source.ruleset) is not None:
            if (offer := self.shipped.offered(id_)) is None:
                offer = await self.of_shipped(self.shipped.offer, id_)
            header = Header("", offer.pinned)
            return GivenRules(header, list(offer.roles), is_trusted=True, first=offer.first)
        prepared = await self.study(
            client,
            "prepare",
            is_trusted=False,
            text=source.rules,
            title=source.title or "uploaded",
            like=None if source.like is None else await self.pinned(source.like),
        )
        header = read_header(prepared["header"])
        return GivenRules(
            replace(header, ruleset=as_kept(header.ruleset)),
            prepared["roles"],
            is_trusted=False,
            first=tuple(prepared["toMove"]),
        )

    async def create(self, request: models.NewMatch, client: str) -> dict[str, Any]:
        """Begin a match.

        Returns:
            Its name, its owner's secret, and the secret of each seat that was asked for: the
            token of who sits there, or the invitation to it.
        """
        self.admission.charge_size(client, "create", kept=len(request.rules or ""))
        rules = await self.rules(request, client)
        for seat in request.seats.values():
            await self._require_trained(seat.agent, rules.header, is_trusted=rules.is_trusted)
        clock = request.clock
        control = None if clock is None else TimeControl(clock.initial_ms, clock.increment_ms)
        new = replace(rules.header, id=new_id(), created=now_ms(), control=control)
        begun = Start(finished=not rules.first, to_move=rules.first)
        match = Made(new, rules.roles, begun, client, is_trusted=rules.is_trusted)
        return await self._create(match, request)

    async def take_in(self, text: str, client: str) -> dict[str, Any]:
        """Begin a match with the log of another one.

        Its rules are trusted only if they are exactly those of a shipped ruleset.
        """
        most = self.settings.entries
        if sum(not line.isspace() for line in text.split("\n") if line) > 1 + most:
            # Said before the lines are read: ten thousand of them take a good part of a second.
            raise ProblemError(413, "too-large", f"a log of at most {most} entries is taken in")
        async with self.large.turn(client):
            require_few(text, MOST_VALUES + VALUES * most, "a log")
            header, entries, written = await asyncio.to_thread(_read_log, text)
        self.admission.charge_size(client, "create", entries=len(entries), kept=len(text))
        at_once = self.shipped.has(header.ruleset.get("id"))
        is_trusted = await self.of_shipped(self.shipped.is_shipped, header.ruleset, at_once=at_once)
        state = await self.study(
            client, "imported", is_trusted=False, header=header_json(header), entries=written
        )
        begun = Start(entries, state["finished"], state["due"], tuple(state["toMove"]))
        new = replace(
            header,
            id=new_id(),
            created=min(header.created, now_ms()),
            ruleset=await self._shared(as_kept(header.ruleset), is_trusted=is_trusted),
        )
        match = Made(new, state["roles"], begun, client, is_trusted=is_trusted)
        return await self._create(match, models.Table())

    async def _create(self, new: Made, table: models.Table) -> dict[str, Any]:
        header, roles = new.header, new.roles
        if len(roles) > MOST_ROLES or any(len(role) > LONGEST_NAME for role in roles):
            raise ProblemError(
                422, "rules-too-large", f"a match has at most {MOST_ROLES} roles of short names"
            )
        owner = new_secret()
        seated = seating(roles, table.seats, self.settings)
        taken = sum(seat.role != RANDOM for seat in seated.seats)
        free = len(players(roles)) - taken - len(seated.invitations)
        access = Access(table.listed, table.spectators, seated.invitations, free)
        listed = await asyncio.to_thread(
            self.store.create,
            header,
            owner=hashed(owner),
            trusted=new.is_trusted,
            roles=players(roles),
            seats=seated.seats,
            start=new.begun,
            access=access,
        )
        self.metrics.created(is_trusted=new.is_trusted)
        seats = Seats.of(self.store, header.id, seated)
        live = await self._open(
            header.id, lambda: self._hold(header, listed, new.begun.entries, seats)
        )
        self.programs.think(live, new.client)
        return {
            "match": header.id,
            "owner": owner,
            "seats": seated.secrets,
            "state": await live.state(None),
        }

    async def _shared(self, pinned: Mapping[str, Any], *, is_trusted: bool) -> Mapping[str, Any]:
        """Return what `Shipped.shared` does; rules that somebody sent are none of those."""
        if not is_trusted:
            return pinned
        at_once = self.shipped.has(pinned.get("id"))
        return await self.of_shipped(self.shipped.shared, pinned, at_once=at_once)

    async def _require_trained(
        self, agent: str | None, header: Header, *, is_trusted: bool
    ) -> None:
        """Refuse a player that was trained on other rules.

        Raises:
            ProblemError: It was; or somebody sent the rules, which are run as written then, where
                what such a player has learned is in machine code.
        """
        players = self.settings.players
        if not any(player.name == agent and player.digest for player in players):
            return
        if not is_trusted:
            why, expected = "plays no rules that somebody sent", "a ruleset of this server"
        elif agent not in await self.trained(header.ruleset):
            title = header.ruleset.get("title") or header.ruleset["id"]
            why, expected = (
                f"was trained on other rules than {title}",
                "the rules that it has learned",
            )
        else:
            return
        raise ProblemError(422, "other-rules", f"{agent} {why}", expected=expected)

    async def newest(self, wanted: models.Listing) -> list[dict[str, Any]]:
        """Return the newest of the matches that lists may name.

        Of a million matches a few that are open may be long to find: a client has them looked for
        one list at a time, and none of the other threads at the database.
        """
        finished = None if wanted.status is None else wanted.status == "finished"

        def found() -> tuple[Sequence[Listed], dict[str, Seats]]:
            listed = self.store.newest(
                limit=wanted.limit,
                before=wanted.before,
                finished=finished,
                is_open=wanted.status == "open",
            )
            return listed, self._sitters([match.id for match in listed if match.spectators])

        async with self._reading.turn(ASKED_BY.get()):
            listed, sitting = await asyncio.to_thread(found)
        return [
            {
                "match": match.id,
                "ruleset": match.title,
                "shipped": match.trusted,
                "created": match.created,
                "length": match.length,
                "status": "finished" if match.finished else "active",
                "clock": match.has_clock,
                "spectators": match.spectators,
                "open": match.open,
                "players": sitting[match.id].told(match.players) if match.spectators else None,
                "toMove": self._to_move(match) if match.spectators else None,
            }
            for match in listed
        ]

    def _sitters(self, matches: Sequence[str]) -> dict[str, Seats]:
        """Return the seats of matches; waits for the database."""
        taken, reserved = self.store.seats_of(matches), self.store.reserved_of(matches)
        return {
            match: Seats(
                self.store,
                match,
                {seat.role: seat for seat in taken[match]},
                frozenset(role for of, role in reserved if of == match),
            )
            for match in matches
        }

    def _to_move(self, match: Listed) -> list[str] | None:
        """Return whose move a match waits for; of an old one that is known while it is held."""
        if match.to_move is not None:
            return list(match.to_move)
        live = self._known.get(match.id)
        return None if live is None else list(live.summary.to_move)

    # -- matches that are there

    async def open(self, match: str) -> Live:
        """Return a match that is open here, read from the database if need be.

        Raises:
            ProblemError: There is no such match.
        """
        if match not in self._known and not MATCH_ID.fullmatch(match):
            raise ProblemError(404, "unknown-match", f"there is no match {match[:100]}")
        return await self._open(match, lambda: self._read(match))

    async def _open(self, match: str, read: Callable[[], Awaitable[Live]]) -> Live:
        """Return a match that is open here, opened by ``read`` if need be, by one at a time."""
        if (live := self._known.get(match)) is None:
            lock = self._opening.setdefault(match, asyncio.Lock())
            try:
                async with lock:
                    live = self._known.get(match)
                    live = live or self._known.setdefault(match, await read())
            finally:
                self._opening.pop(match, None)
        await self._keep(live)
        return live

    async def fresh(self, match: str) -> Live:
        """Return a match as it stands in the database, with what other servers have added.

        Raises:
            ProblemError: There is no such match.
        """
        live = await self.open(match)
        await self._look_at_one(live)
        return live

    async def _read(self, match: str) -> Live:
        seats = Seats(self.store, match)

        def whole() -> tuple[Header, Listed, Sequence[Entry]]:
            store = self.store
            listed, header = store.listed(match), store.header(match)
            seats.read()
            return header, listed, store.entries(match)

        try:  # in one go: a server that is busy comes back late from every thread that it waits for
            header, listed, entries = await asyncio.to_thread(whole)
        except UnknownMatchError as error:
            raise ProblemError(404, "unknown-match", str(error)) from error
        shared = await self._shared(header.ruleset, is_trusted=listed.trusted)
        header = replace(header, ruleset=shared)
        return await self._hold(header, listed, entries, seats)

    async def _hold(
        self, header: Header, listed: Listed, entries: Sequence[Entry], seats: Seats
    ) -> Live:
        """Return a match that was read, or has just been made."""

        async def log() -> Sequence[Entry]:
            return await asyncio.to_thread(self.store.entries, header.id)

        if listed.trusted:
            if (game := self.shipped.loaded(header.ruleset)) is None:
                game = await self.of_shipped(self.shipped.game, header.ruleset)
            referee: Referee = Here(header, game, self._replaying)
        else:
            referee = Apart(header, self._holders.new(), log)
        summary = await referee.extend(entries)
        live = Live(header, listed, self.store, self._commits, self._logs, referee, seats, summary)
        if live.may_be_played_again:
            await self._look_at_one(live)
        return live

    async def _keep(self, live: Live) -> None:
        """Hold a match; when there are too many, let go of those that nobody has used for longest.

        Of one that is let go while somebody still uses it there is no second: `_known` has it. Else
        who watches the one would not be told what is done in the other.
        """
        if live.id in self._live:
            self._live.move_to_end(live.id)
            return
        self._live[live.id] = live
        self._set_alarm(live)
        spare = max(0, len(self._live) - self.settings.matches)
        oldest = list(islice(filter(self._is_idle, self._live.values()), spare))
        for unused in oldest:
            del self._live[unused.id]
            self._set_alarm(unused)
        for unused in oldest:
            await unused.referee.end()

    def _is_idle(self, live: Live) -> bool:
        return not (live.watchers or live.lock.locked() or self.programs.is_thinking(live.id))

    # -- seats

    async def join(
        self, match: str, role: str, wanted: models.Seat, secret: str, client: str
    ) -> dict[str, Any]:
        """Take a seat; a program takes one when the match's owner says so.

        Raises:
            ProblemError: No such role, or the seat is taken or kept for somebody else.
        """
        live = await self.open(match)
        if role not in players(live.summary.roles):
            raise no_role(role, live.summary.roles)
        by_owner = self.owns(live, secret)
        if wanted.agent is not None and not by_owner:
            raise ProblemError(
                403,
                "not-yours",
                "only the owner of the match seats a program",
                expected="the owner's token",
            )
        await self._require_trained(wanted.agent, live.header, is_trusted=live.listed.trusted)
        seat, token = new_seat(role, wanted, self.settings)
        title = live.header.title_of(role)
        await live.seats.take(seat, invitation=wanted.invitation, by_owner=by_owner, title=title)
        self.neighbours.notify(match)
        await live.tell_seats()
        self.programs.think(live, client)
        return {"match": match, "role": role, "token": token, "agent": wanted.agent}

    async def role_of(self, live: Live, secret: str) -> str | None:
        """Return whose seat a secret is; None without one, and for the owner's.

        Raises:
            ProblemError: A secret of no seat of this match.
        """
        if not secret or self.owns(live, secret):
            return None
        return await live.seats.role_of(secret)

    async def audience(self, live: Live, secret: str) -> str | None:
        """Return as whose a match may be seen: a role, or None as a spectator sees it.

        Raises:
            ProblemError: A secret of no seat of this match; or the match has no spectators, and
                this is not its owner.
        """
        role = await self.role_of(live, secret)
        if role is None and not (live.listed.spectators or self.owns(live, secret)):
            raise ProblemError(
                403,
                "no-spectators",
                "only those who play may see this match",
                expected="the token of a seat",
            )
        return role

    def owns(self, live: Live, secret: str) -> bool:
        """Return whether a secret is that of the match's owner."""
        return bool(secret) and hmac.compare_digest(live.listed.owner, hashed(secret))

    # -- once more

    async def rematch(self, match: str, secret: str, client: str) -> dict[str, Any]:
        """Begin a finished match once more, with everybody one seat farther.

        Whoever sat at one role has the next one, under the same token, so that nobody has to be
        told a new secret. A match is played again once: whoever asks second is told the same.

        Raises:
            ProblemError: Who asks has no seat, the match goes on, or a seat was never taken.
        """
        live = await self.fresh(match)
        if not secret or await self.role_of(live, secret) is None:
            raise ProblemError(403, "wrong-token", "a rematch is for those who have played")
        if not live.summary.finished:
            raise ProblemError(409, "not-over", "the match goes on", expected="its end")
        if live.has_room:
            free = [role for role in live.summary.roles if role not in live.seats.taken]
            named = " and ".join(map(live.header.title_of, free))
            raise ProblemError(409, "no-opponent", f"nobody has sat at {named}")
        id_ = rematch_id(live)
        begun = Start(finished=not live.summary.first, to_move=tuple(live.summary.first))
        onward = {before: after for after, before in live.moved_seats().items()}
        seats = [
            replace(seat, role=onward.get(seat.role, seat.role), taken=now_ms())
            for seat in live.seats.taken.values()
        ]
        try:
            await asyncio.to_thread(
                self.store.create,
                replace(live.header, id=id_, created=now_ms()),
                owner=live.listed.owner,
                trusted=live.listed.trusted,
                roles=players(live.summary.roles),
                seats=seats,
                start=begun,
                access=Access(live.listed.listed, live.listed.spectators),
            )
        except TakenError:
            LOG.debug("somebody else was first with a rematch")
        self.neighbours.notify(live.id)
        await self._look_at_one(live)
        self.programs.think(await self.open(id_), client)
        return {"match": id_, "seats": live.moved_seats()}

    # -- actions

    async def act(
        self, match: str, sent: models.Action, secret: str, client: str
    ) -> dict[str, Any]:
        """Do an action for the seat whose secret this is.

        Raises:
            ProblemError: It is refused, and nothing has changed.
        """
        with self.overload.acting(opens=match not in self._known):
            return await self._acted(match, sent, secret, client)

    async def _acted(
        self, match: str, sent: models.Action, secret: str, client: str
    ) -> dict[str, Any]:
        live = await self.open(match)
        if not secret:
            raise ProblemError(401, "no-token", "acting takes the token of a seat")
        role = await self.role_of(live, secret)
        if role is None:
            raise ProblemError(403, "wrong-token", "the owner's token is of no seat")
        if sent.role not in (None, role):
            title = live.header.title_of(role)
            raise ProblemError(403, "not-yours", f"this token is of the seat of {title}")
        action = Action(sent.id, sent.seq, role, Kind(sent.type), sent.move or "")
        done = await self._act(live, action)
        if action.kind in PROGRAMS_SAY and done["new"]:
            await self._answer(live, PROGRAMS_SAY[action.kind])
        self.programs.think(live, client)
        return done

    async def _answer(self, live: Live, kind: Kind) -> None:
        """Let the programs of a match answer at once; one that declines does so for all."""
        for role, seat in live.seats.taken.items():
            if seat.agent and role != RANDOM:
                id_ = f"program.{new_id()}"
                try:
                    await self._act(live, Action(id_, live.summary.seq, role, kind))
                except ProblemError as problem:  # somebody was faster, with a move or an answer
                    LOG.debug("a program could not answer: %s", problem)

    async def _act(self, live: Live, action: Action) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            entry, is_new = await live.act(action)
        except ProblemError as problem:
            if problem.code == "time-over":
                await live.flag()
            self.metrics.action(problem.code)
            raise
        if is_new:
            self.neighbours.notify(live.id)
            self._set_alarm(live)
        self.metrics.time_action(loop.time() - began)
        self.metrics.action("accepted" if is_new else "repeated")
        return {"entry": entry.to_json(), "new": is_new}

    def _set_alarm(self, live: Live) -> None:
        """Look at the clocks of a match in the moment in which the next one is over.

        Of one that is not held the periodic look does so: an alarm would hold it.
        """
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None
        if (due := live.summary.due) is not None and live.id in self._live:
            wait = max(0, due - now_ms() + 1) / 1000
            loop = asyncio.get_running_loop()
            live.alarm = loop.call_later(wait, lambda: self._spawn(self._flag(live)))

    async def _flag(self, live: Live) -> None:
        try:
            await live.catch_up()
            if await live.flag():
                self.neighbours.notify(live.id)
        except (ProblemError, GdlError):  # the periodic look comes to it again
            LOG.exception("a clock was not looked at", extra={"fields": {"match": live.id}})

    async def evaluate(
        self, about: Subject, request: models.Evaluation, client: str
    ) -> dict[str, Any]:
        """Return what a program thinks of a position; see `gdl.web.programs.Programs.evaluate`.

        Raises:
            ProblemError: There is no such program, or it was trained on other rules.
        """
        await self._require_trained(request.agent, about.header, is_trusted=about.is_trusted)
        return await self.programs.evaluate(
            about.to_json(), request, client, is_trusted=about.is_trusted
        )

    async def values(self, about: Subject, request: models.Values, client: str) -> dict[str, Any]:
        """Return what a position is worth exactly; see `gdl.web.programs.Programs.values`."""
        table = await self.of_shipped(self._table, about.header.ruleset, at_once=not self.tables)
        return await self.programs.values(
            about.to_json(), request, client, is_trusted=about.is_trusted, table=table
        )

    def _table(self, pinned: Mapping[str, Any]) -> str | None:
        """Return the table of a ruleset, by its digest, for which its rules are read."""
        return self.tables.file(pinned, is_shipped=self.shipped.is_shipped(pinned))

    async def known(self, about: Subject, request: models.Known, client: str) -> dict[str, Any]:
        """Return what the role that asks knows for certain; see `gdl.web.programs.Programs.known`.

        Raises:
            ProblemError: Whoever asks has no seat.
        """
        if about.audience is None:
            raise ProblemError(403, "hidden", "only a role knows what it has seen")
        return await self.programs.known(
            about.to_json(), request, client, is_trusted=about.is_trusted, role=about.audience
        )

    async def carried(self, about: Subject, request: models.Carried, client: str) -> dict[str, Any]:
        """Return a position under other rules; see `gdl.web.carried.carried`.

        What stands for what is looked for once for each pair of rulesets, which may take as long
        as a program may think.

        Raises:
            ProblemError: There is no such ruleset; or one of the games hides its state.
        """
        left, right = about.header.ruleset, await self.pinned(request.other)
        correspondence = await self.correspondences.between(
            left,
            right,
            lambda: self.programs.correspond(left, right, client, is_trusted=about.is_trusted),
        )
        answer = await self.study(
            client,
            "carried",
            is_trusted=about.is_trusted,
            **about.to_json(),
            moves=request.moves,
            other=header_json(Header("", right)),
            correspondence=correspondence,
        )
        matching = {name: correspondence[name] for name in ("method", "note", "roles")}
        return {**answer, "matching": matching}

    async def about(self, request: models.Position, secret: str, client: str) -> Subject:
        """Return what a request is about: rules, or a match with its log up to a number.

        Moves of a turn that others have still to make are left out.

        Raises:
            ProblemError: There is no such ruleset or match, or whoever asks may not see it.
        """
        if (match := request.match) is None:
            rules = await self.rules(request, client)
            return Subject(rules.header, (), rules.is_trusted, audience=None)
        live = await self.open(match)
        role = await self.audience(live, secret)
        async with self._reading.turn(client):
            entries = await asyncio.to_thread(self.store.entries, match)
        until = len(entries) if live.summary.finished else live.summary.open
        shown = entries[: min(until, until if request.seq is None else request.seq)]
        self.admission.charge_size(client, "create", entries=len(shown) // FOLLOWED)
        return Subject(live.header, shown, live.listed.trusted, role)

    @asynccontextmanager
    async def watching(
        self, live: Live, role: str | None, since: int, client: str
    ) -> AsyncIterator[Watcher]:
        """Tell somebody of every action while the block runs; the first message is queued already.

        Of the seats of one client, and of the sockets of one seat, there is a number that may be
        watched from; beyond it the oldest is let go, so that nobody who sits is refused.

        Raises:
            ProblemError: Too many watch.
        """
        self.admission.charge_size(client, "read", entries=live.summary.seq - since)
        with self.admission.counted(client, role):
            watcher = await self._watch(live, role, since)
            self.programs.think(live, "" if role is None else client)
            sitting = self._sitting.setdefault(client, {})
            if role is not None:
                if len(sitting) >= self.settings.client_seats:
                    oldest = next(iter(sitting))
                    sitting.pop(oldest).let_go(oldest)
                sitting[watcher] = live
            try:
                yield watcher
            finally:
                live.watchers.discard(watcher)
                sitting.pop(watcher, None)
                if not sitting:
                    self._sitting.pop(client, None)

    async def _watch(self, live: Live, role: str | None, since: int) -> Watcher:
        alike = [watcher for watcher in live.watchers if watcher.role == role]
        if role is None and len(alike) >= self.settings.watchers:
            raise ProblemError(503, "busy", "too many watch this match")
        if role is not None and len(alike) >= self.settings.seat_sockets:
            live.let_go(min(alike, key=lambda watcher: watcher.number))
        watcher = Watcher(role, asyncio.Queue(self.settings.queued))
        await live.watch(watcher, since)
        return watcher


def _passes(error: Exception) -> bool:
    """Return whether what went wrong is no fault of a match: the database is away, or all wait."""
    is_busy = isinstance(error, ProblemError) and error.code == "busy"
    return is_busy or isinstance(error, UnavailableError)


def _read_log(text: str) -> tuple[Header, tuple[Entry, ...], list[dict[str, Any]]]:
    """Return the header and the entries of a log that somebody sends, and these as JSON.

    Raises:
        ProblemError: It is no log, or cannot be kept.
    """
    try:
        header, entries = parse_log(text)
    except GdlError as error:
        raise problem_of(error) from error
    entries = tuple(replace(entry, note=_quoted(entry.note)) for entry in entries)
    written = [entry.to_json() for entry in entries]
    require_storable([header_json(header), *written], "the log")
    return header, entries, written


def _quoted(note: str) -> str:
    """Return a note of a log that somebody sends as what it is: no word of this server."""
    if not note or note.startswith(OPENED):
        return note
    return (OPENED + note)[:LONGEST_NOTE]


def rematch_id(live: Live) -> str:
    """Return the name of the match that is the same once more; nobody else can guess it."""
    return hashed(f"rematch of {live.id} {live.listed.owner}")[: len(live.id)]
