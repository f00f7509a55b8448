"""A program that cannot move is replaced in the sight of all: in the log, and in the state."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest

from gdl.cli.playing.steps import describe
from gdl.match.actions import Action, Kind, read_action, read_entry
from gdl.match.log import export, parse_log, replay
from gdl.match.match import Header, start, submit
from gdl.match.refusal import LogError
from gdl.ruleset import find
from gdl.web.problems import ProblemError
from gdl.web.processes import Process
from tests.web.serving import Answer, Client, Table, hear, hello, served

DRAWN = "A move was drawn at random in its place; it is asked again when it is to move."


class Failing:
    """Processes in which programs think as ever, but for some programs that fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.problem: ProblemError | None = None
        self.fails = {"greedy"}
        whole = Process.ask

        async def ask(process: Process, do: str, **more: Any) -> Any:  # noqa: ANN401  # JSON
            if self.problem is not None and do == "choose" and more["player"] in self.fails:
                raise self.problem
            return await whole(process, do, **more)

        monkeypatch.setattr(Process, "ask", ask)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    return Failing(monkeypatch)


def begin(client: Client, **more: object) -> Table:
    seats = {"o": {"agent": "greedy", "seconds": 0.05, "name": "Bea"}}
    return Table(client, ruleset="tictactoe", seats=seats, **more)


def entries(table: Table, count: int) -> list[Answer]:
    """Return the log as a spectator sees it once it is so long."""
    end = time.monotonic() + 60
    while True:
        told: list[Answer] = table.client.ask("GET", f"{table.path}/actions")["entries"]
        if len(told) >= count:
            return told
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (ProblemError(422, "too-slow", "31 s"), "it did not answer in time"),
        (ProblemError(503, "worker-lost", "died"), "its process ended"),
        (ProblemError(422, "rules-too-large", "no"), "it took more memory than there is"),
        (ProblemError(500, "internal", "a fault"), "it broke down"),
        (
            ProblemError(422, "invalid", "the net is of other rules", expected="those"),
            "the net is of other rules",
        ),
    ],
    ids=lambda each: each.code if isinstance(each, ProblemError) else "",
)
@pytest.mark.slow
def test_who_was_replaced_and_why_stands_in_the_log(
    tmp_path: Path,
    failing: Failing,
    caplog: pytest.LogCaptureFixture,
    problem: ProblemError,
    why: str,
) -> None:
    """Spectators are told at once, and after a restart too; the server's log names the match."""
    failing.problem = problem
    with served(tmp_path / "m.db") as client:
        table = begin(client)
        with client.socket(table.id) as socket, caplog.at_level(logging.WARNING, "gdl.web"):
            hello(socket)
            table.move("x", "b2")
            while (message := hear(socket, "update"))["state"]["seq"] < 2:
                assert "note" not in message["entries"][-1]
        note = f"Bea could not move for O: {why}. {DRAWN}"
        assert message["entries"][-1]["note"] == note
        fields = [
            vars(record)["fields"] for record in caplog.records if record.levelno >= logging.WARNING
        ]
        assert [(each["match"], each["program"], each["why"]) for each in fields] == [
            (table.id, "0.05 greedy", problem.code)
        ]
        failing.problem = None  # it is asked again
        free = client.ask("GET", f"{table.path}/legal/x", token=table.tokens["x"])["moves"]
        table.move("x", free[0]["text"])
        assert "note" not in entries(table, 4)[3]
        log = client.http.get(f"{table.path}/log").text
    with served(tmp_path / "m.db") as client:
        assert client.ask("GET", f"{table.path}/actions")["entries"][1]["note"] == note
        taken = client.ask("POST", "/api/imports", content=log, expect=201)
        again = client.ask("GET", f"/api/matches/{taken['match']}/actions")["entries"]
        assert again[1]["note"] == f"The log that was opened says: {note}"
        copied = client.http.get(f"/api/matches/{taken['match']}/log").text
        taken = client.ask("POST", "/api/imports", content=copied, expect=201)
        assert client.ask("GET", f"/api/matches/{taken['match']}/actions")["entries"] == again
    followed = replay(*parse_log(log)).match
    assert describe(followed, followed.entries[1]).endswith(f" ({note})")


@pytest.mark.later
def test_where_nobody_can_move_it_is_said_and_tried_again(tmp_path: Path, failing: Failing) -> None:
    failing.problem = ProblemError(500, "internal", "a fault")
    failing.fails = {"greedy", "random"}
    with served(tmp_path / "m.db", takeover_seconds=0.2) as client:
        table = begin(client)
        with client.socket(table.id) as socket:
            assert hello(socket)["state"]["trouble"] is None
            table.move("x", "b2")
            while (state := hear(socket, "update")["state"])["trouble"] is None:
                assert state["seq"] == 1
            assert state["trouble"] == (
                "Bea could not move for O: it broke down. It is asked again in a moment."
            )
            assert table.state()["trouble"] == state["trouble"]
            failing.problem = None
            while (state := hear(socket, "update")["state"])["seq"] == 1:
                pass
            assert state["trouble"] is None
        assert "note" not in entries(table, 2)[1]


@pytest.mark.later
def test_a_busy_server_takes_no_move_from_a_program(tmp_path: Path, failing: Failing) -> None:
    failing.problem = ProblemError(503, "busy", "too many requests wait; try again later")
    with served(tmp_path / "m.db", takeover_seconds=0.2) as client:
        table = begin(client)
        table.move("x", "b2")
        end = time.monotonic() + 60
        while (trouble := table.state()["trouble"]) is None:
            assert time.monotonic() < end
        assert trouble.startswith("Bea could not move for O: the server has too much to do. ")
        assert len(entries(table, 1)) == 1
        failing.problem = None
        assert "note" not in entries(table, 2)[1]


@pytest.mark.later
def test_a_log_that_somebody_sends_says_nothing_in_the_words_of_the_server(tmp_path: Path) -> None:
    """Not in notes as long as they may be, either, and beside moves alone."""
    match = start(Header.of("m", find("tictactoe")))
    match = submit(match, Action("a", 0, "x", Kind.MOVE, "b2", "y" * 600), at=1).match
    match = submit(match, Action("b", 1, "o", Kind.REQUEST_DRAW, note="I have won"), at=2).match
    with served(tmp_path / "m.db") as client:
        log = export(match.header, match.entries)
        taken = client.ask("POST", "/api/imports", content=log, expect=201)
        told = client.ask("GET", f"/api/matches/{taken['match']}/actions")["entries"]
        assert told[0]["note"] == f"The log that was opened says: {'y' * 570}"
        assert "note" not in told[1]


def test_nobody_but_the_server_writes_notes() -> None:
    sent = {"id": "a", "seq": 0, "type": "MOVE", "move": "b2", "role": "x", "note": "I have won"}
    action = read_action(sent)
    match = start(Header.of("m", find("tictactoe")))
    assert "note" not in submit(match, action, at=1).entry.to_json()
    noted = submit(match, Action("a", 0, "x", Kind.MOVE, "b2", "so"), at=1).entry
    assert read_entry(json.loads(json.dumps(noted.to_json()))) == noted
    with pytest.raises(LogError) as caught:
        read_entry({**noted.to_json(), "note": "x" * 601})
    assert str(caught.value) == "note of an entry has 601 characters\n  expected: at most 600"
