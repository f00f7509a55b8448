"""The socket and the event stream: state after each action, and nothing lost by reconnecting."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.web.serving import Answer, Client, Table, hear, hello, served


def act(id_: str, seq: int, move: str) -> str:
    action = {"id": id_, "seq": seq, "type": "MOVE", "move": move}
    return json.dumps({"type": "action", "action": action})


@pytest.mark.later
def test_everybody_is_told_of_every_action(client: Client) -> None:
    table = Table(client, ruleset="tictactoe")
    with client.socket(table.id) as x, client.socket(table.id) as watching:
        first = hello(x, table.tokens["x"])
        assert (first["type"], first["state"]["you"], first["entries"]) == ("state", "x", [])
        assert hello(watching)["state"]["you"] is None
        x.send(act("1", 0, "b2"))
        heard = {message["type"]: message for message in (hear(x), hear(x))}
        assert set(heard) == {"accepted", "update"}
        assert heard["accepted"]["id"] == "1"
        update = hear(watching)
        assert update["entries"] == [heard["accepted"]["entry"]]
        counted = {"o": {"count": 8}}
        assert update["state"] == {**heard["update"]["state"], "you": None, "legal": counted}
        x.send(act("2", 1, "a1"))
        refused = hear(x)
        assert (refused["type"], refused["id"]) == ("refused", "2")
        assert refused["error"]["code"] == "out-of-turn"
        x.send('{"type": "ping"}')
        assert hear(x) == {"type": "pong"}


def test_spectators_are_told_how_many_moves_there_are_and_ask_for_which(client: Client) -> None:
    """A state of Gomoku has 12 kB, and 2.7 without the list of moves."""
    table = Table(client, ruleset="gomoku/freestyle")
    counted = {"white": {"count": 224}}
    with client.socket(table.id) as watching, client.socket(table.id) as white:
        hello(watching)
        hello(white, table.tokens["white"])
        table.move("black", "PLACE_STONE {7,7}")
        told, played = hear(watching), hear(white)
    assert told["state"]["legal"] == counted
    assert len(json.dumps(told)) < len(json.dumps(played)) / 3
    whole = table.state()
    assert whole["legal"] == played["state"]["legal"]
    assert len(whole["legal"]["white"]["moves"]) == 224
    with client.socket(table.id) as late:
        assert hello(late)["state"]["legal"] == counted
    with client.http.stream("GET", f"{table.path}/events?since=0") as stream:
        assert event(stream.iter_lines())["state"]["legal"] == counted
    asked = {"match": table.id, "seq": 1}
    tried = client.ask("POST", "/api/positions", json=asked)["state"]
    assert tried["legal"] == whole["legal"]


def test_a_spectator_cannot_act(client: Client) -> None:
    table = Table(client, ruleset="tictactoe")
    with client.socket(table.id) as socket:
        hello(socket)
        socket.send(act("1", 0, "b2"))
        assert hear(socket)["error"]["code"] == "no-token"


def test_reconnecting_with_since_gives_exactly_what_was_missed(client: Client) -> None:
    table = Table(client, ruleset="tictactoe")
    with client.socket(table.id) as socket:
        hello(socket)
        table.move("x", "b2")
        hear(socket)
    table.move("o", "a1")
    table.move("x", "c3")
    with client.socket(table.id) as socket:
        caught_up = hello(socket, since=1)
    assert [entry["seq"] for entry in caught_up["entries"]] == [1, 2]
    whole = client.ask("GET", f"{table.path}/actions")
    assert caught_up["state"] == whole["state"]
    assert whole["entries"][1:] == caught_up["entries"]


@pytest.mark.later
@pytest.mark.parametrize(
    ("first", "code"),
    [
        ("x", "no-json"),
        ("[]", "malformed-request"),
        ("{}", "malformed-request"),
        ('{"type": "hello", "since": -1}', "malformed-request"),
        ('{"type": "hello", "since": 1.5}', "malformed-request"),
        ('{"type": "hello", "token": "guess"}', "wrong-token"),
        ('{"type": "action"}', "malformed-request"),
        (b"\x00\xff", "malformed-request"),
        ('{"type": "hello", "more": "' + "x" * 20_000 + '"}', "too-large"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_first_message_that_is_no_hello_ends_the_socket(
    client: Client, first: str | bytes, code: str
) -> None:
    table = Table(client, ruleset="tictactoe")
    with client.socket(table.id) as socket:
        socket.send(first)
        assert hear(socket)["error"]["code"] == code
        with pytest.raises(ConnectionClosed) as caught:
            hear(socket)
    assert caught.value.rcvd is not None
    assert caught.value.rcvd.code == 1008


def test_a_match_that_is_not_there_is_said_so(client: Client) -> None:
    with client.socket("0" * 24) as socket:
        socket.send('{"type": "hello"}')
        assert hear(socket)["error"]["code"] == "unknown-match"


def test_server_sent_events_are_the_same_messages(client: Client) -> None:
    table = Table(client, ruleset="tictactoe")
    table.move("x", "b2")
    with client.http.stream("GET", f"{table.path}/events?since=0") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        first = event(lines)
        table.move("o", "a1")
        second = event(lines)
    assert [entry["seq"] for entry in first["entries"]] == [0]
    assert (first["id"], second["id"]) == ("1", "2")
    assert [entry["move"] for entry in second["entries"]] == ["a1"]


def event(lines: object) -> Answer:
    """Return the data of the next event, with its id."""
    fields: dict[str, str] = {}
    for line in lines:  # type: ignore[attr-defined]  # an iterator of texts
        if not line and "data" in fields:
            return {**json.loads(fields["data"]), "id": fields["id"]}
        name, _, value = line.partition(": ")
        fields[name] = value
    raise AssertionError("the stream ended")


@pytest.mark.slow
def test_two_servers_on_one_database_tell_each_others_watchers(tmp_path: Path) -> None:
    with served(tmp_path / "m.db") as here, served(tmp_path / "m.db") as there:
        table = Table(here, ruleset="tictactoe")
        other = Table.__new__(Table)
        other.client, other.path, other.tokens = there, table.path, table.tokens
        with there.socket(table.id) as watching:
            hello(watching)
            table.move("x", "b2", seq=0)
            assert hear(watching, "update")["entries"][0]["move"] == "b2"
            other.move("o", "a1", seq=1)
        assert table.act("x", "MOVE", "a1", seq=2).json()["error"]["code"] == "occupied"
        assert table.act("x", "MOVE", "c3", seq=1).json()["error"]["code"] == "wrong-sequence"
        assert table.state() == other.state()


@pytest.mark.slow
def test_a_clock_ends_a_match_that_nobody_looks_at(client: Client) -> None:
    table = Table(client, ruleset="tictactoe", clock={"initialMs": 200})
    table.act("x", "MOVE", "b2", id_="timeout.1")  # an id that the clock might have wanted
    end = time.monotonic() + 20
    while table.state()["status"] == "active":
        assert time.monotonic() < end
        time.sleep(0.05)
    state = table.state()
    assert state["outcome"] == {
        "how": "timeout",
        "by": "o",
        "goals": {"x": 100, "o": 0},
        "winner": "x",
    }
    assert state["clock"]["remainingMs"] == {"x": 200, "o": 0}
    assert client.ask("GET", f"{table.path}/actions?since=1")["entries"][0]["type"] == "TIMEOUT"


def test_whoever_watches_is_told_the_state_that_he_would_get(client: Client) -> None:
    """The state is written once for all; who looks is what differs."""
    table = Table(client, ruleset="pentago/strict")
    looks = {"black": table.tokens["black"], "white": table.tokens["white"], None: ""}
    with ExitStack() as stack:
        sockets = {role: stack.enter_context(client.socket(table.id)) for role in looks}
        for role, socket in sockets.items():
            hello(socket, looks[role])
        table.move("black", "E5 Q01 CW")
        for role, socket in sockets.items():
            told = hear(socket, "update")
            whole = table.state(role or "")
            if role is None:  # who is told how many moves there are, and asks for which
                assert told["state"].pop("legal") == {"white": {"count": 280}}
                assert len(whole.pop("legal")["white"]["moves"]) == 280
            assert told["state"] == whole
            assert told["state"]["you"] == role
            assert [entry["move"] for entry in told["entries"]] == ["E5 Q01 CW"]
