"""Bytes on the wire: every way in which managers ask, and what is no request at all."""

from __future__ import annotations

import pytest

from gdl.ggp.server import Settings, serving
from gdl.ggp.wire import WireError, answer_bytes, ask, request_bytes
from tests.ggp.loopback import HOST, raw, run, stranger

KNOWN = b"( ( name gdl ) ( status available ) )"
HEAD = (
    b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: %d\r\n"
    b"Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
    b"Access-Control-Allow-Headers: Content-Type\r\nAccess-Control-Allow-Age: 86400\r\n\r\n"
)


def answered(body: bytes) -> bytes:
    return HEAD % len(body) + body


REQUESTS = {
    "post, as the reference manager sends it": request_bytes("( INFO )", host="a", receiver="b"),
    "post without a length": b"POST / HTTP/1.0\r\nSender: X\r\n\r\n( INFO )",
    "post with bare line ends": b"POST / HTTP/1.0\nContent-Length: 8\n\n( INFO )",
    "post in chunks": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3\r\n( I\r\n5;x=y\r\nNFO )\r\n0\r\n\r\n",
    "post with more than its length": b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )junk",
    "lower case": b"post / http/1.1\r\nCONTENT-LENGTH: 6\r\n\r\n(info)",
    "get": b"GET /%28+INFO+%29 HTTP/1.0\r\n\r\n",
    "get with blanks": b"GET /( INFO ) HTTP/1.0\r\n\r\n",
    "get of somebody with a browser": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
}


def test_every_way_to_ask_is_answered_as_the_reference_player_answers() -> None:
    async def main() -> dict[str, bytes]:
        async with serving(Settings(port=0, is_warm=False)) as server:
            return {name: await raw(server.port, sent) for name, sent in REQUESTS.items()}

    assert run(main()) == dict.fromkeys(REQUESTS, answered(KNOWN))


def test_a_body_without_a_length_goes_on_to_the_end_of_the_stream() -> None:
    async def main() -> bytes:
        async with serving(Settings(port=0, is_warm=False)) as server:
            return await raw(server.port, b"POST / HTTP/1.0\r\n\r\ninfo", then_close=True)

    assert b"error[not-a-message]: this is a word" in run(main())


def test_a_length_in_characters_as_java_counts_them() -> None:
    message = "( ABORT \u00fc\u6f22\u5b57 )"
    sent = f"POST / HTTP/1.0\r\nContent-Length: {len(message)}\r\n\r\n{message}"

    async def main() -> bytes:
        async with serving(Settings(port=0, is_warm=False)) as server:
            return await raw(server.port, sent.encode())

    assert run(main()) == answered(b"busy")


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD"])
def test_browsers_that_ask_for_permission_get_it(method: str) -> None:
    async def main() -> bytes:
        async with serving(Settings(port=0, is_warm=False)) as server:
            return await raw(server.port, f"{method} / HTTP/1.1\r\nHost: a\r\n\r\n".encode())

    assert run(main()) == answered(b"")


BAD = {
    b"PUT / HTTP/1.0\r\n\r\n": (b"405 Method Not Allowed", b"PUT is no method of this protocol"),
    b"POST / HTTP/1.0\r\nContent-Length: ten\r\n\r\n": (
        b"400 Bad Request",
        b"Content-Length: ten is no number of bytes",
    ),
    b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n": (
        b"400 Bad Request",
        b"'xyz' is no size of a chunk",
    ),
    b"POST / HTTP/1.0\r\nContent-Length: 5000000\r\n\r\n" + b"(" * 200_000: (
        b"413 Content Too Large",
        b"the request is larger than 100,000 bytes",
    ),
    b"POST / HTTP/1.0\r\n\r\n" + b"(" * 200_000: (
        b"413 Content Too Large",
        b"the request is larger than 100,000 bytes",
    ),
    b"POST / HTTP/1.0\r\nX: " + b"x" * 100_000 + b"\r\n\r\n": (
        b"413 Content Too Large",
        b"the request is larger than 65,536 bytes",
    ),
    b"GET /" + b"(" * 400_000 + b" HTTP/1.0\r\n\r\n": (
        b"413 Content Too Large",
        b"the request is larger than 300,000 bytes",
    ),
}


def test_what_is_no_request_is_refused_and_the_player_lives_on() -> None:
    async def main() -> tuple[list[bytes], bytes]:
        async with serving(Settings(port=0, max_bytes=100_000, is_warm=False)) as server:
            found = [await raw(server.port, sent, then_close=True) for sent in BAD]
            await raw(server.port, b"", then_close=True)
            return found, await raw(server.port, REQUESTS["get"])

    found, after = run(main())
    for answer, (status, why) in zip(found, BAD.values(), strict=True):
        assert answer.startswith(b"HTTP/1.0 " + status + b"\r\n"), status
        assert answer.endswith(b'\r\n\r\n( ERROR "' + why + b'" )'), answer[-200:]
    assert after == answered(KNOWN)


GARBAGE = [b"", b"(", b")", b"\xff\xfe\x00", b"(START m)", b"<html>", b"(" * 5_000, b"(play m ((a)"]


def test_what_is_no_message_is_answered_with_what_was_expected() -> None:
    async def main() -> list[bytes]:
        async with serving(Settings(port=0, is_warm=False)) as server:
            head = b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n"
            return [await raw(server.port, head % len(text) + text) for text in GARBAGE]

    for answer in run(main()):
        assert answer.startswith(b"HTTP/1.0 200 OK\r\n")
        _, _, body = answer.partition(b"\r\n\r\n")
        assert body.startswith(b'( ERROR "')
        assert body.endswith(b'" )')
        assert b"expected:" in body


def test_an_answer_is_read_with_or_without_a_length() -> None:
    async def main(sent: bytes) -> str:
        async def behave(_: str, writer: object) -> None:
            writer.write(sent)  # type: ignore[attr-defined]  # a stream

        async with stranger(behave) as port:
            return await ask(HOST, port, "( INFO )", seconds=5)

    assert run(main(answer_bytes("noop"))) == "noop"
    assert run(main(b"HTTP/1.1 200 OK\r\n\r\n( mark 1 1 )\r\n")) == "( mark 1 1 )"
    head = b"HTTP/1.0 200 OK\r\n"
    too_large = "the answer is larger than 1,000,000 bytes"
    for sent, why in {
        b"": "the answer is empty",
        b"noop": "'noop' begins no answer",
        head + b"Content-length: 9\r\n\r\nnoop": "the answer broke off after 4 of 9 bytes",
        head + b"Content-length: 9999999\r\n\r\n": too_large,
        head + b"\r\n" + b"x" * 1_000_100: too_large,
    }.items():
        with pytest.raises(WireError) as caught:
            run(main(sent))
        assert str(caught.value) == why
