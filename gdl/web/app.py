"""The routes: HTTP in front of the service.

In: a `Service`. Out: an ASGI application. Every answer but the page and the metrics is JSON;
every refusal has the form ``{"error": {"code": ..., "message": ...}}``.

Source: statuses as in RFC 9110, server-sent events as in the HTML standard.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from mimetypes import guess_type
from pathlib import Path
from typing import Any, Final, Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send

from gdl.language.diagnostics import GdlError
from gdl.match.match import Header
from gdl.match.records import UnavailableError
from gdl.web import models
from gdl.web.agents import listed
from gdl.web.live import Live
from gdl.web.logs import Logged
from gdl.web.openapi import Body, Operation, document
from gdl.web.overload import too_much
from gdl.web.problems import ProblemError, problem_of
from gdl.web.requests import (
    ASKED_BY,
    LARGE,
    Json,
    bytes_read,
    client_of,
    parsed,
    read_query,
    read_raw,
    refuse,
    secret_of,
    to_text,
)
from gdl.web.secure import Secured
from gdl.web.service import Service, Subject
from gdl.web.shedding import Shedding
from gdl.web.shipped import keep
from gdl.web.socket import endpoint
from gdl.web.validation import M

LOG: Final = logging.getLogger("gdl.web")
KEEPALIVE: Final = 15.0
"""Seconds after which an event stream without events gets a comment."""
POSITIONS: Final = 1_000
"""Positions of shipped rules that are kept as they were told."""
PATIENCE: Final = 5.0
"""Seconds for which the database is waited for by those who ask how the server is."""
PAGE: Final = Path(__file__).parent / "page"
"""Where the files of the page lie."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page as it is sent.

    Attributes:
        content: Its bytes, packed or not.
        tag: What a browser that has it asks with; it is told then that nothing has changed.
        changed: When it was changed on the disk, in nanoseconds.
    """

    content: bytes
    tag: str
    changed: int


class Handler(Protocol):
    """What answers requests: its name and the first line of its docstring are told to others."""

    __name__: str

    async def __call__(self, request: Request, /) -> Response:
        """Answer a request."""
        ...


def build(service: Service) -> Starlette:
    """Return the application."""
    return App(service).asgi


class App:
    """The routes of one service."""

    def __init__(self, service: Service) -> None:
        """Set up the routes."""
        self.service = service
        self.admission = service.admission
        self.operations: list[Operation] = []
        self._answers: dict[str, bytes] = {}
        self._positions: OrderedDict[str, bytes] = OrderedDict()
        self._asked: dict[tuple[str, str], asyncio.Future[Any]] = {}
        self._importing = asyncio.Lock()
        self._answering: set[asyncio.Task[Any]] = set()
        self._counting = ThreadPoolExecutor(1)
        files = PAGE.iterdir() if PAGE.is_dir() else ()
        self._page = {path.name: path for path in files if path.is_file()}
        self._files: dict[tuple[str, bool], PageFile] = {}

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            await service.start()
            yield
            if self._answering:  # those that were told to end still say so
                await asyncio.wait(self._answering, timeout=PATIENCE)
            await service.stop()
            self._counting.shutdown(wait=False)

        self.asgi = Starlette(
            routes=self._routes(),
            lifespan=lifespan,
            exception_handlers={HTTPException: self._plain_problem},
        )
        self.asgi.router.default = self._no_route
        self.asgi.add_middleware(Secured, settings=service.settings, admission=self.admission)
        self.asgi.add_middleware(Logged)
        self.asgi.add_middleware(Shedding, overload=service.overload, metrics=service.metrics)

    def _routes(self) -> list[Route | WebSocketRoute]:
        """Return all routes in the order in which they are tried.

        One line a route, from which come the route itself, what it costs who asks, and what the
        OpenAPI document says of it: so none of these can tell of a route that is not there.
        """

        def plain(path: str, handler: Handler) -> Route:
            rate = "page" if handler == self.page else "read"
            return Route(path, self._guarded(handler, path, rate), methods=["GET"])

        def route(path: str, handler: Handler, rate: str, operation: Operation) -> Route:
            """Return a route, and note what the OpenAPI document says of it."""
            summary = (handler.__doc__ or "").partition("\n")[0]
            name = operation.name or handler.__name__
            plain_path = path.replace(":path}", "}")
            self.operations.append(replace(operation, path=plain_path, name=name, summary=summary))
            return Route(path, self._guarded(handler, path, rate), methods=[operation.method])

        def get(path: str, handler: Handler, **more: Any) -> Route:  # noqa: ANN401  # of Operation
            return route(path, handler, "read", Operation(**more))

        def post(path: str, handler: Handler, body: Body, *statuses: int) -> Route:
            rate = "act" if body is models.Action else "create"
            name = "import" if body is str else ""
            operation = Operation(method="POST", name=name, body=body, statuses=statuses or (200,))
            return route(path, handler, rate, operation)

        # The first one that fits answers: what has a fixed name stands before what takes any, and
        # the files of the page, which are called as they like, come last.
        match = "/api/matches/{match}"
        ruleset = "/api/rulesets/{family}"
        return [
            plain("/", self.page),
            get("/health", self.health),
            get("/metrics", self.metrics, media="text/plain"),
            get("/openapi.json", self.openapi),
            get("/api/rulesets", self.rulesets),
            get(ruleset, self.ruleset, name="rulesetOfOne"),
            get(f"{ruleset}/{{variant}}", self.ruleset),
            get("/api/agents", self.agents),
            post("/api/check", self.check, models.Rules),
            post("/api/positions", self.position, models.Look),
            post("/api/carried", self.carried, models.Carried),
            post("/api/why", self.why, models.Question),
            post("/api/evaluations", self.evaluate, models.Evaluation),
            post("/api/values", self.values, models.Values),
            post("/api/known", self.known, models.Known),
            get("/api/matches", self.matches, query=models.Listing),
            post("/api/matches", self.create, models.NewMatch, 201),
            post("/api/imports", self.take_in, str, 201),
            get(match, self.match),
            post(f"{match}/seats/{{role:path}}", self.join, models.Seat, 201),
            post(f"{match}/rematch", self.rematch, models.Nothing, 201),
            post(f"{match}/actions", self.act, models.Action, 201, 200),
            get(f"{match}/actions", self.actions, query=models.Since),
            get(f"{match}/legal/{{role:path}}", self.legal),
            get(f"{match}/log", self.export, name="log", media="application/x-ndjson"),
            plain(f"{match}/events", self.events),
            WebSocketRoute(f"{match}/socket", endpoint(self.service, self.admission)),
            plain("/{name}", self.page),
        ]

    def _guarded(self, handler: Handler, path: str, rate: str) -> Handler:
        """Return a handler that answers problems, and refuses who asks too often."""

        async def run(request: Request) -> Response:
            ASKED_BY.set(client_of(request))
            if (task := asyncio.current_task()) is not None:
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)
            try:
                if rate == "page":
                    await asyncio.sleep(self.admission.page_wait(client_of(request)))
                else:
                    self.admission.charge(client_of(request), rate)
                response = await handler(request)
            except (ProblemError, GdlError) as error:
                response = refuse(problem_of(error))
            except asyncio.CancelledError:  # the server ends, and has waited for long enough
                response = refuse(too_much("the server ends"))
            except ClientDisconnect:
                response = Response(status_code=400)
            except Exception:
                LOG.exception("unforeseen", extra={"fields": {"route": path}})
                response = refuse(ProblemError(500, "internal", "this is a fault of the server"))
            if rate != "page" and (read := bytes_read(request)):
                self.admission.let_go(client_of(request), read)
                self.admission.charge_size(client_of(request), rate, read=read)
            status = response.status_code
            self.service.metrics.request(method=request.method, route=path, status=status)
            return response

        return run

    async def _no_route(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer who asks for what there is not; that includes sockets."""
        problem = ProblemError(404, "no-such-route", "Not Found")
        problem = self.admission.charged(client_of(HTTPConnection(scope)), problem)
        await refuse(problem)(scope, receive, send)

    async def _plain_problem(self, request: Request, error: Exception) -> Response:
        """Return what the router says, in our form: no such route, or not with this method."""
        assert isinstance(error, HTTPException)
        code = "no-such-method" if error.status_code == 405 else "no-such-route"  # noqa: PLR2004  # method not allowed
        problem = ProblemError(error.status_code, code, str(error.detail))
        response = refuse(self.admission.charged(client_of(request), problem))
        response.headers.update(error.headers or {})
        return response

    # -- the server itself

    async def page(self, request: Request) -> Response:
        """Return the page in the browser, or a file of it, whole and out of memory.

        Names are looked up among the files that lie in the folder; none is a path. A browser that
        has the file as it is now is told so (RFC 9110, 13.1.2).
        """
        name = request.path_params.get("name", "index.html")
        if name not in self._page:
            text = "there is nothing here; see /openapi.json"
            raise self.admission.charged(
                client_of(request), ProblemError(404, "no-such-route", text)
            )
        is_packed = "gzip" in request.headers.get("accept-encoding", "")
        file = self._files.get((name, is_packed))
        if file is None or file.changed != self._page[name].stat().st_mtime_ns:
            file = await asyncio.to_thread(_page_file, self._page[name], is_packed=is_packed)
            self._files[name, is_packed] = file
        headers = {"Vary": "Accept-Encoding", "ETag": file.tag, "Cache-Control": "no-cache"}
        if is_packed:
            headers["Content-Encoding"] = "gzip"
        kept = request.headers.get("if-none-match", "")
        if file.tag in (tag.strip().removeprefix("W/") for tag in kept.split(",")):
            return Response(status_code=304, headers=headers)
        return Response(file.content, headers=headers, media_type=guess_type(name)[0])

    async def health(self, _request: Request) -> Response:
        """Say whether the server works, and its database takes what is written."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.service.checks.do(None)
        except TimeoutError:
            raise UnavailableError(f"the database is silent for {PATIENCE:g} seconds") from None
        return Json({"status": "ok"})

    async def metrics(self, _request: Request) -> Response:
        """Return counts for Prometheus."""
        with suppress(TimeoutError, GdlError):  # who watches wants to know the rest then
            async with asyncio.timeout(PATIENCE):
                await self.service.measure(thoroughly=True)
        loop = asyncio.get_running_loop()  # of those of all others a thread may wait
        text = await loop.run_in_executor(self._counting, self.service.metrics.text)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def openapi(self, _request: Request) -> Response:
        """Return the OpenAPI document."""
        return self._kept("openapi", lambda: document(self.operations))

    # -- rulesets, and questions that need no match

    async def rulesets(self, _request: Request) -> Response:
        """List the shipped rulesets."""
        return self._kept("rulesets", lambda: {"rulesets": self.service.shipped.listed()})

    async def ruleset(self, request: Request) -> Response:
        """Return one of them whole."""
        params = request.path_params
        id_ = "/".join(params[part] for part in ("family", "variant") if part in params)

        async def whole() -> Any:  # noqa: ANN401  # JSON
            """Look at the board in a process apart, as that takes up to a second."""
            pinned = await self.service.pinned(id_)
            about = Subject(Header("", pinned), (), is_trusted=True, audience=None)
            asked: dict[str, Any] = {"moves": [], "audience": None, "about": True}
            told = await self._study_of(request, "position", about, **asked)
            return {**told["ruleset"], "trained": await self.service.trained(pinned)}

        return await self._shared(client_of(request), f"rulesets/{id_}", whole)

    async def agents(self, _request: Request) -> Response:
        """List the programs that can take a seat."""
        async with self._importing:
            is_kept = "agents" in self._answers
            players = self.service.settings.players
            told = [] if is_kept else await asyncio.to_thread(listed, players)  # imports them all
        return self._kept("agents", lambda: {"agents": told})

    def _kept(self, name: str, tell: Callable[[], Any]) -> Response:
        """Return what is always the same: written once, as whoever asks often asks for all."""
        if name not in self._answers:
            self._answers[name] = bytes(Json(tell()).body)
        return Response(self._answers[name], media_type="application/json")

    async def _about(self, request: Request, body: models.Position) -> Subject:
        return await self.service.about(body, secret_of(request), client_of(request))

    async def _study(
        self,
        request: Request,
        do: str,
        *,
        is_trusted: bool = False,
        **args: Any,  # noqa: ANN401  # JSON
    ) -> Any:  # noqa: ANN401  # JSON
        return await self.service.study(client_of(request), do, is_trusted=is_trusted, **args)

    async def _study_of(self, request: Request, do: str, about: Subject, /, **args: Any) -> Any:  # noqa: ANN401  # JSON
        """Answer a question about a position of the rules that a request names."""
        is_trusted = about.is_trusted
        return await self._study(request, do, is_trusted=is_trusted, **about.to_json(), **args)

    async def _body(self, request: Request, model: type[M], *, is_upload: bool = False) -> M:
        """Return the body, which is JSON, as a model.

        A megabyte takes twenty milliseconds, in which nobody is heard: of one client one such is
        read at a time, and then others have twice as long.

        Raises:
            ProblemError: It is too large, no JSON, or not as the model says.
        """
        settings = self.service.settings
        most = settings.upload if is_upload else settings.body
        raw = await read_raw(request, most, settings.body_seconds, self.admission)
        if len(raw) <= LARGE:
            return parsed(raw, model)
        clock = asyncio.get_running_loop().time
        async with self.service.large.turn(client_of(request)):
            began = clock()
            try:
                return parsed(raw, model)
            finally:
                await asyncio.sleep(2 * (clock() - began))

    async def check(self, request: Request) -> Response:
        """Say what is wrong with rules."""
        body = await self._body(request, models.Rules, is_upload=True)
        return Json(await self._study(request, "check", text=body.rules))

    async def position(self, request: Request) -> Response:
        """Return the state after moves that are in no log."""
        body = await self._body(request, models.Look, is_upload=True)
        about = await self._about(request, body)

        def ask() -> Awaitable[Any]:
            more = {"audience": about.audience, "about": body.about}
            return self._study_of(request, "position", about, moves=body.moves, **more)

        if body.match is not None or not about.is_trusted:
            return Json(await ask())
        return await self._shared(client_of(request), body.model_dump_json(), ask)

    async def _shared(
        self, client: str, question: str, ask: Callable[[], Awaitable[Any]]
    ) -> Response:
        """Answer what many ask, as all do who open the page: it is worked out once.

        Whoever asks while it is worked out waits for that only where it is for the same client,
        whose turn it has.
        """
        name = hashlib.sha256(question.encode()).hexdigest()
        if name not in self._positions:
            if (mine := self._asked.get((client, name))) is None:
                mine = self._asked[client, name] = asyncio.ensure_future(ask())
                mine.add_done_callback(lambda _: self._asked.pop((client, name)))
            try:
                told = bytes(Json(await asyncio.shield(mine)).body)
            finally:
                del mine  # an error would hold this frame, and through it itself: a cycle
            keep(self._positions, name, told, POSITIONS)
        return Response(self._positions[name], media_type="application/json")

    async def carried(self, request: Request) -> Response:
        """Return the state under other rules after the same moves."""
        body = await self._body(request, models.Carried, is_upload=True)
        about = await self._about(request, body)
        return Json(await self.service.carried(about, body, client_of(request)))

    async def why(self, request: Request) -> Response:
        """Explain why something holds in a state, or why not."""
        body = await self._body(request, models.Question, is_upload=True)
        about = await self._about(request, body)
        sites = body.sites or ([] if body.site is None else [body.site])
        asked = {"query": body.query, "cell": body.cell, "sites": sites}
        return Json(await self._study_of(request, "why", about, moves=body.moves, **asked))

    async def evaluate(self, request: Request) -> Response:
        """Return what a program thinks of a state."""
        body = await self._body(request, models.Evaluation, is_upload=True)
        about = await self._about(request, body)
        return Json(await self.service.evaluate(about, body, client_of(request)))

    async def values(self, request: Request) -> Response:
        """Return what a state is worth exactly, where that is known."""
        body = await self._body(request, models.Values, is_upload=True)
        about = await self._about(request, body)
        return Json(await self.service.values(about, body, client_of(request)))

    async def known(self, request: Request) -> Response:
        """Return what the role that asks knows for certain of a match that hides facts."""
        body = await self._body(request, models.Known, is_upload=True)
        about = await self._about(request, body)
        return Json(await self.service.known(about, body, client_of(request)))

    # -- matches

    async def matches(self, request: Request) -> Response:
        """List the newest matches."""
        return Json({"matches": await self.service.newest(read_query(request, models.Listing))})

    async def create(self, request: Request) -> Response:
        """Begin a match."""
        body = await self._body(request, models.NewMatch, is_upload=True)
        return Json(await self.service.create(body, client_of(request)), status_code=201)

    async def take_in(self, request: Request) -> Response:
        """Begin a match with a log."""
        settings = self.service.settings
        raw = await read_raw(request, settings.upload, settings.body_seconds, self.admission)
        match = await self.service.take_in(raw.decode("utf-8", "replace"), client_of(request))
        return Json(match, status_code=201)

    async def _seen(self, request: Request) -> tuple[Live, str | None]:
        """Return the match that a request is about, and as whose it may be seen."""
        live = await self.service.fresh(request.path_params["match"])
        return live, await self.service.audience(live, secret_of(request))

    async def match(self, request: Request) -> Response:
        """Return the state of a match."""
        live, role = await self._seen(request)
        return Json(await live.state(role))

    async def join(self, request: Request) -> Response:
        """Take a seat."""
        body = await self._body(request, models.Seat)
        params = request.path_params
        seat = await self.service.join(
            params["match"], params["role"], body, secret_of(request), client_of(request)
        )
        return Json(seat, status_code=201)

    async def rematch(self, request: Request) -> Response:
        """Begin a finished match once more, with seats changed."""
        await self._body(request, models.Nothing)
        match = request.path_params["match"]
        begun = await self.service.rematch(match, secret_of(request), client_of(request))
        return Json(begun, status_code=201)

    async def act(self, request: Request) -> Response:
        """Do an action."""
        body = await self._body(request, models.Action)
        match = request.path_params["match"]
        done = await self.service.act(match, body, secret_of(request), client_of(request))
        return Json(done, status_code=201 if done["new"] else 200)

    async def actions(self, request: Request) -> Response:
        """Return the log from a number on, with the state."""
        live, role = await self._seen(request)
        since = read_query(request, models.Since).since
        self.admission.charge_size(client_of(request), "read", entries=live.summary.seq - since)
        async with live.lock:
            told = to_text(await live.message("state", role, since))
        return Response(told, media_type="application/json")

    async def legal(self, request: Request) -> Response:
        """Return the legal moves of a role, in notation and as KIF."""
        live, role = await self._seen(request)
        wanted = request.path_params["role"]
        if live.summary.hidden and wanted != role:
            raise ProblemError(403, "hidden", "this game hides the moves of others")
        return Json({"role": wanted, "moves": await live.referee.legal(wanted)})

    async def export(self, request: Request) -> Response:
        """Return the log as JSON lines."""
        live, _ = await self._seen(request)
        everything = self.service.owns(live, secret_of(request)) and live.summary.finished
        self.admission.charge_size(client_of(request), "read", entries=live.summary.seq)
        text = await live.referee.export(everything=everything)
        return Response(text, media_type="application/x-ndjson")

    async def events(self, request: Request) -> Response:
        """Stream the state after each action, as server-sent events."""
        live, role = await self._seen(request)
        seen = request.headers.get("last-event-id")
        start = read_query(request, models.Since, since=seen).since
        client = client_of(request)
        self.admission.require_room(client, role)
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")  # which would never end

        async def stream() -> AsyncIterator[str]:
            # Counted here, since who leaves before the stream starts counts for nothing. Where
            # there is no room, now that it begins, it ends: the client comes back by itself.
            with suppress(ProblemError):
                async with self.service.watching(live, role, start, client) as watcher:
                    while True:
                        try:
                            async with asyncio.timeout(KEEPALIVE):
                                text = await watcher.queue.get()
                        except TimeoutError:
                            yield ": still here\n\n"
                            continue
                        if text is None:
                            return
                        await self.admission.gate.enter(client)
                        seq = json.loads(text)["state"]["seq"]
                        yield f"id: {seq}\nevent: state\ndata: {text}\n\n"

        return StreamingResponse(stream(), media_type="text/event-stream")


def _page_file(path: Path, *, is_packed: bool) -> PageFile:
    """Return a file of the page as it is sent: gzip makes a fourth of its scripts."""
    changed = path.stat().st_mtime_ns
    content = path.read_bytes()
    if is_packed:
        content = gzip.compress(content, mtime=0)
    return PageFile(content, f'"{hashlib.sha256(content).hexdigest()[:16]}"', changed)
