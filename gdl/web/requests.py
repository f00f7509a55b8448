"""What every route needs: who asks, the body, numbers; and how answers are written.

Source: RFC 6750 for tokens, RFC 6177 for what of IPv6 a household has.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from contextvars import ContextVar
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network
from typing import Any, Final, TypeVar

from pydantic_core import to_json
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from gdl.web.models import Query
from gdl.web.problems import ProblemError
from gdl.web.rate_limits import BYTES_READ, Admission
from gdl.web.storable import MOST_VALUES, require_few
from gdl.web.validation import SHOWN, M, read

ASKED_BY: Final[ContextVar[str]] = ContextVar("client", default="")
"""Who asks, in the task that answers him; empty where a server does something by itself."""
UNAUTHORIZED = 401
LARGE: Final = BYTES_READ
"""Bytes of a body that is not read in a moment."""
MOST_FIELDS = 100
"""Fields of an object of a body: a match has at most 64 roles."""


class Json(JSONResponse):
    """A JSON answer in ASCII, so that it can be written whatever a text holds."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401  # JSON
        """Return the body."""
        return json.dumps(content, separators=(",", ":")).encode("ascii")


def to_text(message: Any) -> str:  # noqa: ANN401  # JSON
    """Return a message as JSON, of texts that databases keep; several times as fast as `json`."""
    return to_json(message).decode()


def refuse(problem: ProblemError) -> Response:
    """Return the answer that a problem is."""
    headers = {}
    if "retryAfter" in problem.more:
        headers["Retry-After"] = str(math.ceil(problem.more["retryAfter"]))
    if problem.status == UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return Json(problem.to_json(), status_code=problem.status, headers=headers)


def client_of(connection: HTTPConnection) -> str:
    """Return who asks: the address, see `household`."""
    return household(connection.client.host) if connection.client else "nobody"


@lru_cache(10_000)
def household(address: str) -> str:
    """Return what of an address counts as one client: of IPv6 the network, that is half of it.

    Whoever has one such address has as many as he likes, each with rates of its own.
    """
    if ":" not in address:
        return address
    try:
        whole = IPv6Address(address)
    except ValueError:
        return address
    if whole.ipv4_mapped is not None:
        return str(whole.ipv4_mapped)
    return str(IPv6Network((int(whole), 64), strict=False))


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


Q = TypeVar("Q", bound=Query)


def read_query(request: Request, model: type[Q], **others: str | None) -> Q:
    """Return the query.

    Args:
        request: The request.
        model: What may stand in it.
        others: What counts where the query does not say it.

    Raises:
        ProblemError: It is not as the model says.
    """
    said = {name: text for name, text in others.items() if text is not None}
    return read({**said, **request.query_params}, model)


async def read_raw(request: Request, most: int, seconds: float, admission: Admission) -> bytes:
    """Return the body; how much of it was read, `bytes_read` tells, also where it is refused.

    Bodies whose last bytes come at the same moment are given one by one, as requests are.

    Raises:
        ProblemError: It is too large, or takes too long to come; or too much of the client is here.
    """
    parts = bytearray()
    request.state.read = parts
    client = client_of(request)
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                admission.hold(client, len(part))
                parts += part
                if len(parts) > most:
                    raise ProblemError(413, "too-large", f"a body has at most {most} bytes")
    except TimeoutError:
        text = f"the body did not come within {seconds:g} seconds"
        raise ProblemError(408, "too-slow", text) from None
    if len(parts) > LARGE:
        await admission.gate.enter(client)
    return bytes(parts)


def bytes_read(request: Request) -> int:
    """Return how much of the body of a request was read."""
    return len(getattr(request.state, "read", b""))


def parsed(raw: bytes, model: type[M]) -> M:
    """Return a body, which is JSON, as a model.

    Raises:
        ProblemError: It is no JSON, or not as the model says.
    """
    return read(read_json(raw, "the body"), model)


def read_json(raw: str | bytes, what: str) -> Any:  # noqa: ANN401  # JSON
    """Return the value that a text is; ``what`` is what a refusal calls it.

    A name that an object has twice is refused: which of its values counts, programs differ on.

    Raises:
        ProblemError: It is no JSON, or ambiguous, or of more values than anything that is meant.
    """
    require_few(raw, MOST_VALUES, what)
    try:
        return json.loads(raw, object_pairs_hook=_object)
    except RecursionError as error:
        raise ProblemError(400, "no-json", f"{what} has too many levels") from error
    except ValueError as error:
        # Of a number of thousands of digits Python says how Python may be told to read it.
        why = "a number is too long" if "int_max_str" in str(error) else error
        raise ProblemError(400, "no-json", f"{what} is no JSON: {why}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MOST_FIELDS:
        raise ProblemError(413, "too-large", f"an object has at most {MOST_FIELDS} fields")
    named = dict(pairs)
    if len(named) < len(pairs):
        twice = next(
            name for name, count in Counter(name for name, _ in pairs).items() if count > 1
        )
        raise ValueError(f"an object has {twice[:SHOWN]!r} twice")
    return named
