"""What a browser is told of every answer, and from which pages it may ask.

In: requests. Out: the same, or a refusal; every answer with headers that let no other page show,
frame or guess it. A page from elsewhere that a browser shows cannot ask this server anything: what
comes with a foreign ``Origin`` is refused, and where names of the server are known, what comes
under another one is (a foreign name may be made to point here).

Source: the OWASP cheat sheets on cross-site request forgery and on HTTP headers; RFC 6454.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gdl.web.problems import ProblemError
from gdl.web.rate_limits import Admission
from gdl.web.requests import client_of, refuse
from gdl.web.settings import Settings

POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
)
"""What the page may load, and who may frame it: nothing from elsewhere, and nobody."""
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
"""What a form of any page can send without being asked; no program sends JSON as such."""


def refusal(problem: ProblemError) -> Response:
    """Return the answer that a problem is, whole: for where no `Secured` adds its headers."""
    response = refuse(problem)
    response.headers.update(HEADERS)
    return response


class Secured:
    """Middleware: refuses what other pages ask, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, settings: Settings, admission: Admission) -> None:
        """Wrap an application."""
        self._app = app
        self._admission = admission
        self._names = frozenset(settings.names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may be asked."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"].endswith("http.response.start"):  # of a socket that is refused, too
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        problem = self._problem(scope)
        if problem is None:
            await self._app(scope, receive, with_headers)
        else:
            problem = self._admission.charged(client_of(HTTPConnection(scope)), problem)
            await refuse(problem)(scope, receive, with_headers)

    def _problem(self, scope: Scope) -> ProblemError | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if len(headers.getlist("host")) > 1:  # which of them counts, proxies differ on
            return ProblemError(400, "no-http", "a request names one Host")
        if self._names and name_of(host) not in self._names:
            return ProblemError(
                421,
                "wrong-host",
                f"this server is not called {name_of(host)[:100] or 'nothing'}",
                expected=" or ".join(sorted(self._names)) + "; gdl serve --name adds another",
            )
        origin = headers.get("origin")
        if origin is not None and not _is_same(origin, host):
            return ProblemError(
                403,
                "wrong-origin",
                f"a page of {origin[:100]} may not ask this server",
                expected=f"a page of {host[:100]}",
            )
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind in FORMS:
            expected = "Content-Type: application/json"
            return ProblemError(415, "wrong-type", f"a body is not {kind}", expected=expected)
        return None


def name_of(host: str) -> str:
    """Return the name in a ``Host`` header, without its port."""
    if host.startswith("["):
        return host.partition("]")[0].removeprefix("[").lower()
    return host.partition(":")[0].lower()


def _is_same(origin: str, host: str) -> bool:
    """Return whether an origin is the server under the name by which it was asked."""
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:  # it is no address at all
        return False
