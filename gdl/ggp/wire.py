"""HTTP as the programs of this world speak it: version 1.0, one message a connection.

In: streams. Out: the text of a request or of an answer. Written by hand because it is
less than HTTP and more: a body without a length goes on to the end of the stream, which
HTTP/1.1 and the libraries for it do not allow, and the header lines are those that old
programs look for.

Source: what ggp-base writes and reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_plus

from gdl.ggp.s_expressions import MessageError, items, whole
from gdl.language.diagnostics import GdlError
from gdl.language.source import Source

MAX_BYTES: Final = 8_000_000
"""Longest request that a player reads; rules of twice the size that `gdl` reads by default."""
MAX_HEAD: Final = 65_536
"""Longest head of a request that is no GET, and of an answer, in bytes."""
MAX_ANSWER: Final = 1_000_000
"""Longest answer of a player that a manager reads, in bytes."""
READ_SECONDS: Final = 30.0
"""How long a request may take to arrive."""
CONNECT_SECONDS: Final = 5.0
"""How long a connection may take."""
PATIENCE_SECONDS: Final = 1.0
"""How long to wait for bytes that a length given in characters leaves out."""
LINGER_SECONDS: Final = 2.0
"""How long the rest of a refused request is read, so that its sender sees the refusal."""
_CHUNK: Final = 65_536

_REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    405: "Method Not Allowed",
    408: "Request Timeout",
    413: "Content Too Large",
    503: "Service Unavailable",
}


class WireError(GdlError):
    """Bytes that are no request or no answer.

    Attributes:
        status: What HTTP calls it.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        """Keep the status beside the text."""
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked: the method in capitals, and the message as text."""

    method: str
    text: str


async def read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, max_bytes: int = MAX_BYTES
) -> Request | None:
    """Return the next request, None when the other side left without a word.

    Raises:
        WireError: It is no request, or larger than is allowed.
        TimeoutError: It did not arrive in `READ_SECONDS`.
    """
    async with asyncio.timeout(READ_SECONDS):
        incoming = _Incoming(reader)
        line = await incoming.line(3 * max_bytes)
        if not line.strip():
            return None
        method, _, rest = line.partition(" ")
        method = method.upper()
        target = rest.rpartition(" ")[0] or rest
        headers = await incoming.headers()
        if method == "GET":
            text = unquote_plus(target.removeprefix("/"), encoding="utf-8", errors="replace")
            return Request(method, text.replace("\r", " "))
        if method != "POST":
            return Request(method, "")
        length = _length(headers)
        if length is not None and length > max_bytes:
            raise _too_large(max_bytes)
        if headers.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return Request(method, await _body(incoming, headers, length, max_bytes))


async def _body(
    incoming: _Incoming, headers: dict[str, str], length: int | None, max_bytes: int
) -> str:
    if headers.get("transfer-encoding", "").lower().endswith("chunked"):
        return _decode(await incoming.chunked(max_bytes))
    if length is None:
        return _decode(await incoming.to_the_end(max_bytes))
    raw = await incoming.exactly(length)
    # Java programs give the number of characters, which is too small for other than ASCII.
    with suppress(TimeoutError):
        while (missing := length - _characters(raw)) and not _is_complete(raw):
            async with asyncio.timeout(PATIENCE_SECONDS):
                more = await incoming.exactly(missing)
            if not more:
                break
            raw += more
    return _decode(raw)


class _Incoming:
    """Bytes as they come in."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._buffer = bytearray()

    async def _more(self) -> bool:
        chunk = await self._reader.read(_CHUNK)
        self._buffer += chunk
        return bool(chunk)

    async def line(self, max_bytes: int) -> str:
        """Return the next line without its end; the rest where no line end follows."""
        searched = 0
        while (stop := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > max_bytes:
                raise _too_large(max_bytes)
            if not await self._more():
                stop = len(self._buffer)
                break
        if stop > max_bytes:
            raise _too_large(max_bytes)
        line = bytes(self._buffer[:stop])
        del self._buffer[: stop + 1]
        return line.decode("latin-1").rstrip("\r")

    async def headers(self) -> dict[str, str]:
        """Return the header lines up to the blank one, names in lower case."""
        headers: dict[str, str] = {}
        size = 0
        while line := await self.line(MAX_HEAD):
            size += len(line) + 1
            if size > MAX_HEAD:
                raise _too_large(MAX_HEAD)
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return headers

    async def exactly(self, count: int) -> bytes:
        """Return so many bytes, fewer only where the stream ends."""
        while len(self._buffer) < count and await self._more():
            pass
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    async def to_the_end(self, max_bytes: int) -> bytes:
        """Return all up to the end of the stream, or as soon as one whole list is there."""
        while not self._buffer.rstrip().endswith(b")") or not _is_complete(self._buffer):
            if len(self._buffer) > max_bytes:
                raise _too_large(max_bytes)
            if not await self._more():
                break
        return bytes(self._buffer)

    async def chunked(self, max_bytes: int) -> bytes:
        """Return a body that comes in chunks (HTTP/1.1)."""
        body = bytearray()
        while True:
            size = await self.line(MAX_HEAD)
            try:
                count = int(size.partition(";")[0], 16)
            except ValueError:
                raise WireError(f"{size[:40]!r} is no size of a chunk") from None
            if count <= 0:
                return bytes(body)
            if len(body) + count > max_bytes:
                raise _too_large(max_bytes)
            body += await self.exactly(count)
            await self.line(MAX_HEAD)


def _length(headers: dict[str, str]) -> int | None:
    text = headers.get("content-length")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()):
        raise WireError(f"Content-Length: {text[:40]} is no number of bytes")
    return int(text[:20])


def _too_large(max_bytes: int) -> WireError:
    return WireError(f"the request is larger than {max_bytes:,} bytes", 413)


def _decode(raw: bytes) -> str:
    return Source.from_bytes("message", raw).text.strip()


def _characters(raw: bytes) -> int:
    """Return how many characters bytes in UTF-8 stand for."""
    return sum(byte & 0xC0 != 0x80 for byte in raw) if not raw.isascii() else len(raw)  # noqa: PLR2004  # bytes that continue a character


def _is_complete(raw: bytes | bytearray) -> bool:
    """Return whether every bracket is closed."""
    try:
        return bool(items(whole(Source("message", raw.decode("utf-8", "replace")))))
    except MessageError:
        return False


def answer_bytes(text: str, status: int = 200) -> bytes:
    """Return an answer with its head, as the reference player writes it."""
    body = text.encode("utf-8", "replace")
    lines = (
        f"HTTP/1.0 {status} {_REASONS[status]}",
        "Content-type: text/acl",
        f"Content-length: {len(body)}",
        "Access-Control-Allow-Origin: *",
        "Access-Control-Allow-Methods: POST, GET, OPTIONS",
        "Access-Control-Allow-Headers: Content-Type",
        "Access-Control-Allow-Age: 86400",
        "",
        "",
    )
    return "\r\n".join(lines).encode("ascii") + body


async def linger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read what is left of a refused request for a while, since closing would cut our answer."""
    with suppress(OSError, TimeoutError):
        if writer.can_write_eof():
            writer.write_eof()
        async with asyncio.timeout(LINGER_SECONDS):
            while await reader.read(_CHUNK):
                pass


def request_bytes(text: str, *, host: str, receiver: str) -> bytes:
    """Return a message with its head, as the reference manager writes it."""
    body = text.encode("utf-8", "replace")
    lines = (
        "POST / HTTP/1.0",
        "Accept: text/delim",
        f"Host: {host}",
        "Sender: GAMESERVER",
        f"Receiver: {receiver}",
        "Content-Type: text/acl",
        f"Content-Length: {len(body)}",
        "",
        "",
    )
    return "\r\n".join(lines).encode("ascii", "replace") + body


@asynccontextmanager
async def _connected(
    host: str, port: int
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        raise WireError(f"no connection in {CONNECT_SECONDS:g} s") from None
    except ValueError:  # a name that no name service can be asked for
        raise WireError(f"{host[:40]!r} is no name of a machine") from None
    try:
        yield reader, writer
    finally:
        writer.close()


async def ask(host: str, port: int, text: str, *, receiver: str = "", seconds: float) -> str:
    """Send a message to a player and return its answer.

    Args:
        host: Where the player is.
        port: And at which port.
        text: The message.
        receiver: Name of the player, for the head of the request.
        seconds: How long to wait for the whole answer, once connected.

    Raises:
        TimeoutError: The answer took too long.
        OSError: The player cannot be reached, or broke off.
        WireError: Its answer has no head; or there was no connection in `CONNECT_SECONDS`, or
            there can be none.
    """
    async with _connected(host, port) as (reader, writer), asyncio.timeout(seconds):
        writer.write(request_bytes(text, host=host, receiver=receiver))
        await writer.drain()
        return await _read_answer(reader)


async def _read_answer(reader: asyncio.StreamReader) -> str:
    incoming = _Incoming(reader)
    head = await incoming.line(MAX_HEAD)
    if not head.upper().startswith("HTTP/"):
        raise WireError(f"{head[:40]!r} begins no answer" if head else "the answer is empty")
    headers = await incoming.headers()
    if headers.get("transfer-encoding", "").lower().endswith("chunked"):
        return _decode(await incoming.chunked(MAX_ANSWER))
    length = _length(headers)
    if length is not None and length > MAX_ANSWER:
        raise _answer_too_large()
    raw = await incoming.exactly(MAX_ANSWER + 1 if length is None else length)
    if len(raw) > MAX_ANSWER:
        raise _answer_too_large()
    if length is not None and len(raw) < length:
        raise WireError(f"the answer broke off after {len(raw):,} of {length:,} bytes")
    return _decode(raw)


def _answer_too_large() -> WireError:
    return WireError(f"the answer is larger than {MAX_ANSWER:,} bytes", 413)
