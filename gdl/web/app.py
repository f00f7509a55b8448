"""The routes: HTTP in front of the service.

In: a `Service`. Out: an ASGI application. Every answer but the page and the metrics is JSON;
every refusal has the form ``{"error": {"code": ..., "message": ...}}``.

Source: ours; statuses as in RFC 9110, server-sent events as in the HTML standard.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gdl.language.diagnostics import GdlError
from gdl.web.metrics import memory_bytes
from gdl.web.openapi import document
from gdl.web.problems import ProblemError, problem_of
from gdl.web.rates import Bucket
from gdl.web.service import Service
from gdl.web.shape import ACTION, CHECK, CREATE, EVALUATE, JOIN, POSITION, WHY, Shape, read_shape
from gdl.web.socket import endpoint

LOG: Final = logging.getLogger("gdl.web")
KEEPALIVE: Final = 15.0
"""Seconds after which an event stream without events gets a comment."""
PAGE: Final = Path(__file__).parent / "static"
"""Where the files of the page lie."""
POLICY: Final = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'"
"""What the page may load: nothing from elsewhere."""
Handler = Callable[[Request], Awaitable[Response]]


def build(service: Service) -> Starlette:
    """Return the application."""
    return App(service).asgi


class App:
    """The routes of one service."""

    def __init__(self, service: Service) -> None:
        """Set up the routes."""
        self.service = service
        settings = service.settings
        self.buckets = {
            "read": Bucket(settings.reads),
            "act": Bucket(settings.acts),
            "create": Bucket(settings.creations),
        }
        self.streams = 0
        files = PAGE.iterdir() if PAGE.is_dir() else ()
        self._page = {path.name: path for path in files if path.is_file()}

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            await service.start()
            yield
            await service.stop()

        self.asgi = Starlette(
            routes=self._routes(),
            lifespan=lifespan,
            exception_handlers={HTTPException: _plain_problem},
        )
        self.asgi.add_middleware(Logged, app_=self)

    def _routes(self) -> list[Route | WebSocketRoute]:
        def route(path: str, method: str, handler: Handler, rate: str = "read") -> Route:
            return Route(path, self._guarded(handler, path, rate), methods=[method])

        match = "/api/matches/{match}"
        return [
            route("/", "GET", self.page),
            route("/health", "GET", self.health),
            route("/metrics", "GET", self.metrics),
            route("/openapi.json", "GET", self.openapi),
            route("/api/rulesets", "GET", self.rulesets),
            route("/api/rulesets/{family}", "GET", self.ruleset),
            route("/api/rulesets/{family}/{variant}", "GET", self.ruleset),
            route("/api/agents", "GET", self.agents),
            route("/api/check", "POST", self.check, "create"),
            route("/api/positions", "POST", self.position, "create"),
            route("/api/why", "POST", self.why, "create"),
            route("/api/evaluations", "POST", self.evaluate, "create"),
            route("/api/matches", "GET", self.matches),
            route("/api/matches", "POST", self.create, "create"),
            route("/api/imports", "POST", self.take_in, "create"),
            route(match, "GET", self.match),
            route(f"{match}/seats/{{role}}", "POST", self.join, "create"),
            route(f"{match}/actions", "POST", self.act, "act"),
            route(f"{match}/actions", "GET", self.actions),
            route(f"{match}/legal/{{role}}", "GET", self.legal),
            route(f"{match}/log", "GET", self.export),
            route(f"{match}/events", "GET", self.events),
            WebSocketRoute(f"{match}/socket", endpoint(self)),
            route("/{name}", "GET", self.page),
        ]

    def _guarded(self, handler: Handler, path: str, rate: str) -> Handler:
        """Return a handler that answers problems, and refuses who asks too often."""

        async def run(request: Request) -> Response:
            try:
                self.charge(client_of(request), rate)
                response = await handler(request)
            except ProblemError as problem:
                response = _problem(problem)
            except GdlError as error:
                response = _problem(problem_of(error))
            except ClientDisconnect:
                response = Response(status_code=400)
            except Exception:
                LOG.exception("unforeseen", extra={"fields": {"route": path}})
                response = _problem(ProblemError(500, "internal", "this is a fault of the server"))
            self.service.metrics.count(
                "gdl_http_requests_total",
                method=request.method,
                route=path,
                status=str(response.status_code),
            )
            return response

        return run

    def charge(self, client: str, rate: str) -> None:
        """Count a request of a client.

        Raises:
            ProblemError: It asks too often.
        """
        wait = self.buckets[rate].wait(client, time.monotonic())
        if wait:
            raise ProblemError(
                429, "too-often", f"too many requests; wait {wait:.1f} seconds", retryAfter=wait
            )

    # -- the server itself

    async def page(self, request: Request) -> Response:
        """Return the page in the browser, or a file of it.

        Names are looked up among the files that lie in the folder; none is a path.
        """
        name = request.path_params.get("name", "index.html")
        if name not in self._page:
            raise ProblemError(404, "no-such-route", "there is nothing here; see /openapi.json")
        headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
        return FileResponse(self._page[name], headers=headers)

    async def health(self, _request: Request) -> Response:
        """Say whether the server and its database work."""
        try:
            await asyncio.to_thread(self.service.store.counts)
        except Exception as error:
            LOG.exception("the database does not answer")
            raise ProblemError(503, "no-database", "the database does not answer") from error
        return JSONResponse({"status": "ok"})

    async def metrics(self, _request: Request) -> Response:
        """Return counts for Prometheus."""
        total, is_open = await asyncio.to_thread(self.service.store.counts)
        gauges = {
            "gdl_matches": total,
            "gdl_matches_open": is_open,
            "gdl_matches_in_memory": self.service.in_memory,
            "gdl_streams": self.streams,
            "process_resident_memory_bytes": memory_bytes(),
        }
        text = self.service.metrics.text(gauges)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def openapi(self, _request: Request) -> Response:
        """Return the OpenAPI document."""
        return JSONResponse(document())

    # -- rulesets, and questions that need no match

    async def rulesets(self, _request: Request) -> Response:
        """List the shipped rulesets."""
        return JSONResponse({"rulesets": self.service.rulesets()})

    async def ruleset(self, request: Request) -> Response:
        """Return one of them whole."""
        params = request.path_params
        id_ = "/".join(params[part] for part in ("family", "variant") if part in params)
        return JSONResponse(self.service.ruleset(id_))

    async def agents(self, _request: Request) -> Response:
        """List the programs that can take a seat."""
        return JSONResponse({"agents": await asyncio.to_thread(self.service.agents)})

    async def check(self, request: Request) -> Response:
        """Say what is wrong with rules."""
        body = await self.body(request, CHECK, is_upload=True)
        return JSONResponse(await self.service.studies.ask("check", text=body["rules"]))

    async def position(self, request: Request) -> Response:
        """Return the state after moves that are in no log."""
        body = await self.body(request, POSITION, is_upload=True)
        audience = await self._audience(request, body)
        header, entries, _ = await self.service.source(body)
        answer = await self.service.studies.ask(
            "position",
            header=header,
            entries=entries,
            moves=body.get("moves") or [],
            audience=audience,
        )
        return JSONResponse(answer)

    async def why(self, request: Request) -> Response:
        """Explain why something holds in a state, or why not."""
        body = await self.body(request, WHY, is_upload=True)
        header, entries, _ = await self.service.source(body)
        answer = await self.service.studies.ask(
            "why",
            header=header,
            entries=entries,
            moves=body.get("moves") or [],
            query=body.get("query"),
            cell=body.get("cell"),
        )
        return JSONResponse(answer)

    async def evaluate(self, request: Request) -> Response:
        """Return what a program thinks of a state."""
        body = await self.body(request, EVALUATE, is_upload=True)
        return JSONResponse(await self.service.evaluate(body))

    async def _audience(self, request: Request, body: dict[str, Any]) -> str | None:
        if body.get("match") is None:
            return None
        live = await self.service.open(body["match"])
        return await self.service.role_of(live, secret_of(request))

    # -- matches

    async def matches(self, request: Request) -> Response:
        """List the newest matches."""
        query = request.query_params
        return JSONResponse(
            {
                "matches": await self.service.newest(
                    limit=_number(query.get("limit"), "limit", 50, most=100),
                    before=_number(query.get("before"), "before", 1 << 53),
                    status=query.get("status"),
                )
            }
        )

    async def create(self, request: Request) -> Response:
        """Begin a match."""
        body = await self.body(request, CREATE, is_upload=True)
        return JSONResponse(await self.service.create(body), status_code=201)

    async def take_in(self, request: Request) -> Response:
        """Begin a match with a log."""
        raw = await self.raw(request, self.service.settings.upload)
        made = await self.service.take_in(raw.decode("utf-8", "replace"))
        return JSONResponse(made, status_code=201)

    async def match(self, request: Request) -> Response:
        """Return the state of a match."""
        live = await self.service.fresh(request.path_params["match"])
        role = await self.service.role_of(live, secret_of(request))
        return JSONResponse(await live.state(role))

    async def join(self, request: Request) -> Response:
        """Take a seat."""
        body = await self.body(request, JOIN)
        params = request.path_params
        seat = await self.service.join(params["match"], params["role"], body, secret_of(request))
        return JSONResponse(seat, status_code=201)

    async def act(self, request: Request) -> Response:
        """Do an action."""
        body = await self.body(request, ACTION)
        match = request.path_params["match"]
        done = await self.service.act(match, body, secret_of(request))
        return JSONResponse(done, status_code=201 if done["new"] else 200)

    async def actions(self, request: Request) -> Response:
        """Return the log from a number on, with the state."""
        live = await self.service.fresh(request.path_params["match"])
        role = await self.service.role_of(live, secret_of(request))
        since = _number(request.query_params.get("since"), "since", 0)
        async with live.lock:
            return JSONResponse(await live.message("state", role, since))

    async def legal(self, request: Request) -> Response:
        """Return the legal moves of a role, in notation and as KIF."""
        live = await self.service.fresh(request.path_params["match"])
        role = await self.service.role_of(live, secret_of(request))
        wanted = request.path_params["role"]
        if live.summary["hidden"] and wanted != role:
            raise ProblemError(403, "hidden", "this game hides the moves of others")
        return JSONResponse({"role": wanted, "moves": await live.referee.ask("legal", role=wanted)})

    async def export(self, request: Request) -> Response:
        """Return the log as JSON lines."""
        live = await self.service.fresh(request.path_params["match"])
        secret = secret_of(request)
        await self.service.role_of(live, secret)
        everything = self.service.owns(live, secret) and live.summary["finished"]
        text = await live.referee.ask("export", everything=everything)
        return Response(text, media_type="application/x-ndjson")

    async def events(self, request: Request) -> Response:
        """Stream the state after each action, as server-sent events."""
        live = await self.service.fresh(request.path_params["match"])
        role = await self.service.role_of(live, secret_of(request))
        since = request.query_params.get("since", request.headers.get("last-event-id"))
        self.enter()
        try:
            watcher = await self.service.watch(live, role, _number(since, "since", 0))
        except BaseException:
            self.streams -= 1
            raise

        async def stream() -> AsyncIterator[str]:
            try:
                while True:
                    try:
                        async with asyncio.timeout(KEEPALIVE):
                            text = await watcher.queue.get()
                    except TimeoutError:
                        yield ": still here\n\n"
                        continue
                    if text is None:
                        return
                    seq = json.loads(text)["state"]["seq"]
                    yield f"id: {seq}\nevent: state\ndata: {text}\n\n"
            finally:
                self.streams -= 1
                live.watchers.discard(watcher)

        return StreamingResponse(stream(), media_type="text/event-stream")

    def enter(self) -> None:
        """Count a stream or socket that begins.

        Raises:
            ProblemError: There are too many.
        """
        if self.streams >= self.service.settings.sockets:
            raise ProblemError(503, "busy", "too many sockets are open")
        self.streams += 1

    # -- bodies

    async def raw(self, request: Request, most: int) -> bytes:
        """Return the body.

        Raises:
            ProblemError: It is too large.
        """
        parts = bytearray()
        async for part in request.stream():
            parts += part
            if len(parts) > most:
                raise ProblemError(413, "too-large", f"a body has at most {most} bytes")
        return bytes(parts)

    async def body(
        self, request: Request, shape: Shape, *, is_upload: bool = False
    ) -> dict[str, Any]:
        """Return the body as a JSON object of a shape.

        Raises:
            ProblemError: It is too large, no JSON, or of another shape.
        """
        settings = self.service.settings
        raw = await self.raw(request, settings.upload if is_upload else settings.body)
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise ProblemError(400, "no-json", f"the body is no JSON: {error}") from error
        return read_shape(value, shape)


class Logged:
    """Middleware: one structured line a request, without secrets."""

    def __init__(self, app: ASGIApp, app_: App) -> None:
        """Wrap an application."""
        self._app = app
        self._owner = app_

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and note the status."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            client = scope.get("client")
            fields = {
                "method": scope["method"],
                "path": scope["path"],
                "status": status,
                "ms": round((time.perf_counter() - began) * 1000, 2),
                "client": client[0] if client else None,
            }
            LOG.info("request", extra={"fields": fields})


def client_of(connection: Any) -> str:  # noqa: ANN401  # a request or a socket
    """Return who asks: the address."""
    return connection.client.host if connection.client else "nobody"


def secret_of(request: Request) -> str:
    """Return the secret of a request: the header ``Authorization: Bearer SECRET``.

    Raises:
        ProblemError: The header says something else.
    """
    header = request.headers.get("authorization", "")
    if not header:
        return ""
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise ProblemError(401, "no-token", "expected: Authorization: Bearer TOKEN")
    return secret.strip()


def _problem(problem: ProblemError) -> Response:
    headers = {}
    if problem.status == 429:  # noqa: PLR2004  # too many requests
        headers["Retry-After"] = str(int(problem.more.get("retryAfter", 0)) + 1)
    if problem.status == 401:  # noqa: PLR2004  # unauthorized
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(problem.to_json(), status_code=problem.status, headers=headers)


async def _plain_problem(_request: Request, error: Exception) -> Response:
    """Return what the router says, in our form: no such route, or not with this method."""
    assert isinstance(error, HTTPException)
    code = "no-such-method" if error.status_code == 405 else "no-such-route"  # noqa: PLR2004  # method not allowed
    response = _problem(ProblemError(error.status_code, code, str(error.detail)))
    response.headers.update(error.headers or {})
    return response


def _number(text: str | None, name: str, default: int, *, most: int = 1 << 53) -> int:
    if text is None:
        return default
    if not text.isascii() or not text.isdecimal() or len(text) > 16 or int(text) > most:  # noqa: PLR2004  # digits of 1 << 53
        raise ProblemError(422, "malformed", f"{name} is {text[:40]!r}, not 0 to {most}")
    return int(text)
