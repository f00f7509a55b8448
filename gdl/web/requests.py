"""What every route needs: who asks, the body, numbers; and how answers are written.

Source: ours; RFC 6750 for tokens.
"""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from gdl.web.problems import ProblemError
from gdl.web.settings import Settings
from gdl.web.shape import Shape, read_shape

TOO_OFTEN = 429
UNAUTHORIZED = 401
LARGEST = 1 << 53
"""Greatest number: any program that reads JSON can hold it."""


class Json(JSONResponse):
    """A JSON answer in ASCII, so that it can be written whatever a text holds."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401  # JSON
        """Return the body."""
        return json.dumps(content, separators=(",", ":")).encode("ascii")


def refuse(problem: ProblemError) -> Response:
    """Return the answer that a problem is."""
    headers = {}
    if problem.status == TOO_OFTEN:
        headers["Retry-After"] = str(int(problem.more.get("retryAfter", 0)) + 1)
    if problem.status == UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return Json(problem.to_json(), status_code=problem.status, headers=headers)


def client_of(connection: HTTPConnection) -> str:
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


def number(text: str | None, name: str, default: int, *, most: int = LARGEST) -> int:
    """Return a number of the query.

    Raises:
        ProblemError: It is none, or too large.
    """
    if text is None:
        return default
    if not text.isascii() or not text.isdecimal() or len(text) > len(str(LARGEST)):
        raise ProblemError(422, "malformed-request", f"{name} is no number from 0 to {most}")
    if int(text) > most:
        raise ProblemError(422, "malformed-request", f"{name} is more than {most}")
    return int(text)


async def read_raw(request: Request, most: int) -> bytes:
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


async def read_body(
    request: Request, shape: Shape, settings: Settings, *, is_upload: bool = False
) -> dict[str, Any]:
    """Return the body as a JSON object of a shape.

    Raises:
        ProblemError: It is too large, no JSON, or of another shape.
    """
    raw = await read_raw(request, settings.upload if is_upload else settings.body)
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ProblemError(400, "no-json", f"the body is no JSON: {error}") from error
    return read_shape(value, shape)
