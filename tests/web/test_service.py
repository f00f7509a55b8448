"""Uploaded rules, programs, questions, limits, and what the server says of itself."""

from __future__ import annotations

import asyncio
import json
import time
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from gdl.match.actions import Action, Kind
from gdl.match.log import parse_log, replay
from gdl.match.store import open_store
from gdl.match.view import view
from gdl.web import models
from gdl.web.service import Service
from gdl.web.settings import Rate
from tests.cli.conftest import COIN, PENNIES, STUCK
from tests.web.serving import UNHURRIED, Answer, Client, Table, served

ENDLESS = """
(role r) (init (n z)) (legal r go) (goal r 0)
(<= (next (n (s ?x))) (true (n ?x)))
(<= terminal (true never))
(<= (deep (s ?x)) (deep ?x))
(deep z)
(<= (next more) (deep ?x) (true (n ?x)))
"""
"""Rules that would derive for ever."""
WEDGED = """
[[ruleset]]
id = "wedged"
title = "Wedged"
version = "1.0.0"
source = "Ours"
summary = "The second role cannot move."
rules = ["wedged.kif"]
"""


def finished(table: Table) -> dict[str, object]:
    end = time.monotonic() + 300  # programs that play each other come after all others
    while (state := table.state())["status"] == "active":
        assert time.monotonic() < end
        time.sleep(0.05)
    return state


@pytest.mark.slow
def test_programs_play_a_match_to_its_end(client: Client) -> None:
    seats = {"x": {"agent": "greedy", "seconds": 0.05}, "o": {"agent": "random", "name": "Chance"}}
    table = Table(client, ruleset="tictactoe", seats=seats)
    state = finished(table)
    assert state["seats"] == {
        "x": {"name": "greedy", "agent": "greedy", "reserved": False},
        "o": {"name": "Chance", "agent": "random", "reserved": False},
    }
    log = client.http.get(f"{table.path}/log").text
    assert view(replay(*parse_log(log)).match)["outcome"] == state["outcome"]


@pytest.mark.slow
def test_a_log_that_is_taken_in_is_the_match(client: Client) -> None:
    table = Table(client, ruleset="connectfour")
    for seq, column in enumerate("43524"):
        table.move(table.state()["toMove"][0], column, seq=seq)
    log = client.http.get(f"{table.path}/log").text
    taken = client.ask("POST", "/api/imports", content=log, expect=201)
    for field in ("seq", "ply", "payload", "toMove", "digest"):
        assert taken["state"][field] == table.state()[field]
    bent = log.replace('"move": "4", "term": "(drop 4)"', '"move": "9", "term": "(drop 9)"')
    assert bent != log
    for text in (bent, "", "{}", log.replace('"at": ', '"at": 9e9, "was": '), "\x00", log + "[]"):
        assert client.refused("POST", "/api/imports", 422, content=text) == "invalid"


def test_rules_that_are_wrong_are_refused_with_every_diagnostic(client: Client) -> None:
    answer = client.ask("POST", "/api/matches", json={"rules": "(role a) (legal b"}, expect=422)
    assert answer["error"]["code"] == "invalid-rules"
    assert answer["error"]["diagnostics"][0]["slug"] == "unclosed-bracket"
    span = answer["error"]["diagnostics"][0]["span"]
    assert (span["line"], span["column"]) == (1, 10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "outcome"),
    [
        pytest.param(
            STUCK.replace("(<= (legal right go) (true a))", ""),
            {"how": "stuck", "by": "right", "goals": {"left": None, "right": None}, "winner": None},
            id="stuck",
        ),
        pytest.param(
            "(role a) (legal a noop) (goal a 30) (init on) (<= (next on) (true on))"
            "(<= terminal (not (true on)))",
            {"how": "idle", "by": None, "goals": {"a": None}, "winner": None},
            id="idle",
        ),
        pytest.param(
            "(role a) (legal a go) (goal a 30) (init on) (<= terminal (true on))",
            {"how": "rules", "by": None, "goals": {"a": 30}, "winner": None},
            id="terminal",
        ),
    ],
)
def test_a_match_that_is_over_before_it_begins_is_finished(
    tmp_path: Path, rules: str, outcome: Answer
) -> None:
    with served(tmp_path / "m.db") as client:
        made = client.create(rules=rules, title="broken")
        state = client.ask("GET", f"/api/matches/{made['match']}")
        assert (state["status"], state["outcome"], state["toMove"]) == ("finished", outcome, [])
        for status, count in (("active", 0), ("finished", 1)):
            assert len(client.ask("GET", f"/api/matches?status={status}")["matches"]) == count
        role = state["roles"][0]
        seat = client.ask("POST", f"/api/matches/{made['match']}/seats/{role}", json={}, expect=201)
        move = {"id": "a", "seq": 0, "type": "MOVE", "move": "go"}
        path = f"/api/matches/{made['match']}/actions"
        assert client.refused("POST", path, 409, token=seat["token"], json=move) == "game-over"
        log = client.http.get(f"/api/matches/{made['match']}/log").text
        taken = client.ask("POST", "/api/imports", content=log, expect=201)
        assert taken["state"]["outcome"] == outcome
        assert "gdl_matches_open 0.0\n" in client.http.get("/metrics").text


def test_a_shipped_ruleset_that_is_stuck_at_once_is_finished_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "rulesets" / "wedged"
    folder.mkdir(parents=True)
    (folder / "wedged.kif").write_text(STUCK.replace("(<= (legal right go) (true a))", ""))
    (folder / "manifest.toml").write_text(WEDGED)
    monkeypatch.setenv("GDL_RULESETS", str(tmp_path / "rulesets"))
    with served(tmp_path / "m.db") as client:
        made = client.create(ruleset="wedged")
        assert made["state"]["outcome"]["how"] == "stuck"
        assert client.ask("GET", "/api/matches?status=active")["matches"] == []


def test_the_server_tells_the_roles_of_rules(client: Client) -> None:
    assert client.ask("GET", "/api/rulesets/pentago/strict")["roles"] == ["black", "white"]
    assert client.ask("GET", "/api/rulesets/tictactoe")["seats"] == ["x", "o"]

    def of(rules: str) -> tuple[list[str], list[str]]:
        answer = client.ask("POST", "/api/check", json={"rules": rules})
        return answer["roles"], answer["seats"]

    assert of(COIN) == (["random", "guesser"], ["guesser"])
    assert of(PENNIES) == (["even", "odd"], ["even", "odd"])
    unusual = PENNIES.replace("(role even)", "; (role comment)\n(<= (role even))")
    assert of(unusual) == (["even", "odd"], ["even", "odd"])
    assert of("role(a). init(on). legal(a, go). terminal. goal(a, 1).") == (["a"], ["a"])
    for unplayable in ("(role a) (legal b", "", "(role ?x)"):
        assert of(unplayable) == ([], [])


@pytest.mark.slow
def test_rules_that_never_end_cost_the_server_nothing(tmp_path: Path) -> None:
    with served(tmp_path / "m.db", worker_seconds=4.0) as client:
        answer = client.http.post("/api/matches", json={"rules": ENDLESS, "title": "endless"})
        assert answer.status_code == 422
        assert answer.json()["error"]["code"] in ("invalid-rules", "too-slow", "rules-too-large")
        assert client.ask("GET", "/health") == {"status": "ok"}
        assert client.ask("POST", "/api/check", json={"rules": "(role a)"})["errors"] > 0


@pytest.mark.slow
def test_matches_of_uploaded_rules_outlive_their_process(tmp_path: Path) -> None:
    rules = (Path(__file__).parents[2] / "rulesets/tictactoe/tictactoe.kif").read_text()
    with served(tmp_path / "m.db", workers=1) as client:
        first = Table(client, rules=rules, title="mine")
        first.move("x", "(mark b 2)")
        second = Table(client, rules=rules, title="mine")
        second.move("x", "(mark a 1)")
        first.move("o", "(mark a 1)")
        assert first.state()["seq"] == 2
        assert second.state()["seq"] == 1
        assert first.state()["board"]["cells"][1][1] == "x"  # inferred: nobody has described it
        liked = Table(client, rules=rules, title="mine", like="tictactoe")
        liked.move("x", "b2")
        assert liked.state()["board"]["cells"][1][1] == "x"


def test_positions_and_questions_need_no_match(client: Client) -> None:
    body = {"ruleset": "pentago/strict", "moves": ["E5 Q01 CW", "E5 Q01 CW", "A1 Q00 CW"]}
    answer = client.ask("POST", "/api/positions", json=body)
    assert answer["state"]["ply"] == 1
    assert (answer["refused"]["move"], answer["refused"]["code"]) == (1, "occupied")
    question = {"ruleset": "tictactoe", "moves": ["b2"], "query": "legal o b2"}
    assert "(cell b 2 x)" in client.ask("POST", "/api/why", json=question)["text"]
    position = {"ruleset": "tictactoe", "moves": ["b2"], "agent": "greedy", "seconds": 0.1}
    thought = client.ask("POST", "/api/evaluations", json=position)
    assert thought["role"] == "o"


def test_positions_of_a_match_step_back_and_branch(client: Client) -> None:
    table = Table(client, ruleset="tictactoe")
    for seq, move in enumerate(("b2", "a1", "c3")):
        table.move("xo"[seq % 2], move, seq=seq)
    back = client.ask("POST", "/api/positions", json={"match": table.id, "seq": 1})
    assert back["state"]["payload"]["board"][1][1] == "x"
    assert back["state"]["seq"] == 1
    branch = {"match": table.id, "seq": 1, "moves": ["c3"]}
    assert client.ask("POST", "/api/positions", json=branch)["state"]["ply"] == 2
    assert table.state()["ply"] == 3


# -- limits


@pytest.mark.slow
def test_of_a_match_that_somebody_uses_there_is_no_second(tmp_path: Path) -> None:
    """Though room was made meanwhile; of one that nobody uses nothing is left, clocks or not."""

    async def use() -> None:
        service = Service(open_store(tmp_path / "m.db"), replace(UNHURRIED, matches=1))
        request = {"ruleset": "tictactoe", "clock": {"initialMs": 3_600_000}, "seats": {"x": {}}}
        wanted = models.NewMatch.model_validate(request)
        names = [(await service.create(wanted, "c"))["match"] for _ in range(3)]
        opened = [await service.open(name) for name in names]
        assert [await service.open(name) for name in names] == opened
        action = Action("a", 0, "x", Kind.MOVE, "b2")
        for live in opened:
            await live.act(action)
        await service.open(names[0])
        left = [weakref.ref(live) for live in opened]
        del live, opened
        assert [each() is None for each in left] == [False, True, True]
        assert [(await service.open(name)).summary.seq for name in names] == [1, 1, 1]
        await service.stop()

    asyncio.run(use())


@pytest.mark.later
def test_matches_of_one_ruleset_share_what_it_says(tmp_path: Path) -> None:
    """Also when they were read from the database: of chess that is 50 kB a match."""

    async def use() -> None:
        service = Service(open_store(tmp_path / "m.db"), UNHURRIED)
        wanted = models.NewMatch.model_validate({"ruleset": "tictactoe"})
        names = [(await service.create(wanted, "c"))["match"] for _ in range(2)]
        log = (await (await service.open(names[0])).referee.export(everything=True)).strip()
        names.append((await service.take_in(log, "c"))["match"])
        await service.stop()
        service = Service(open_store(tmp_path / "m.db"), UNHURRIED)
        rulesets = [(await service.open(name)).header.ruleset for name in names]
        assert all(each is service.shipped.pinned("tictactoe") for each in rulesets)
        await service.stop()

    asyncio.run(use())


def test_who_asks_too_often_has_to_wait(tmp_path: Path) -> None:
    with served(tmp_path / "m.db", creations=Rate(per_second=0.001, burst=2)) as client:
        table = Table(client, ruleset="tictactoe", seats={"x": {}, "o": {}})
        client.create(ruleset="tictactoe")
        answer = client.http.post("/api/matches", json={"ruleset": "tictactoe"})
        assert answer.status_code == 429
        assert answer.json()["error"]["code"] == "too-often"
        assert int(answer.headers["Retry-After"]) > 1
        table.move("x", "b2")  # other rates are not touched


@pytest.mark.later
@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/api/matches", b"x" * 1_000_001, 413, "too-large"),
        ("/api/matches", b"{", 400, "no-json"),
        ("/api/matches", b"\xff\xfe", 400, "no-json"),
        ("/api/matches", b"[" * 10_000, 400, "no-json"),
        ("/api/matches", b"[" * 100_000, 413, "too-large"),
        ("/api/matches", b'{"rules": "' + b",{[" * 80_000 + b'"}', 422, "invalid-rules"),
        ("/api/matches", b'{"rules": "' + b'\\"' * 80_000 + b'"}', 422, "invalid-rules"),
        ("/api/positions", b'{"moves": [' + b'"a",' * 20_000 + b'""]}', 413, "too-large"),
        ("/api/matches", b"{%s}" % b",".join(b'"%d": 1' % n for n in range(101)), 413, "too-large"),
        ("/api/matches", b"1" * 5_000, 400, "no-json"),
        ("/api/matches", b"null", 422, "malformed-request"),
        ("/api/matches", b"{}", 422, "malformed-request"),
        ("/api/matches", b'{"ruleset": "a", "rules": "b"}', 422, "malformed-request"),
        ("/api/matches", b'{"ruleset": "tictactoe", "\\ud800": 1}', 422, "malformed-request"),
        ("/api/matches", b'{"ruleset": "a\\u0000"}', 422, "malformed-request"),
        ("/api/matches", b'{"ruleset": "tictactoe", "clock": {}}', 422, "malformed-request"),
        ("/api/matches", b'{"ruleset": "tictactoe", "seats": {"z": {}}}', 404, "unknown-role"),
        ("/api/check", b'{"rules": 1}', 422, "malformed-request"),
        ("/api/nothing", b"{}", 404, "no-such-route"),
        ("/health", b"{}", 405, "no-such-method"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_body_that_is_wrong_is_refused_in_one_form(
    client: Client, path: str, body: bytes, status: int, code: str
) -> None:
    answer = client.http.post(path, content=body)
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"]


# -- about itself


def test_the_openapi_document_names_every_route(client: Client) -> None:
    document = client.ask("GET", "/openapi.json")
    assert document["openapi"].startswith("3.1")
    for path, method in (
        ("/api/matches", "post"),
        ("/api/matches/{match}/actions", "post"),
        ("/api/matches/{match}/seats/{role}", "post"),
        ("/api/positions", "post"),
        ("/health", "get"),
    ):
        assert method in document["paths"][path]
    names = [op["operationId"] for path in document["paths"].values() for op in path.values()]
    assert len(names) == len(set(names))


@pytest.mark.later
def test_metrics_count_actions_and_refusals(tmp_path: Path) -> None:
    with served(tmp_path / "m.db") as client:
        table = Table(client, ruleset="tictactoe")
        table.move("x", "b2")
        table.act("o", "MOVE", "b2")
        text = client.http.get("/metrics").text
    for line in (
        'gdl_actions_total{result="accepted"} 1.0',
        'gdl_actions_total{result="occupied"} 1.0',
        "gdl_matches_open 1.0",
        "gdl_action_seconds_count 1.0",
        'gdl_action_seconds_bucket{le="+Inf"} 1.0',
    ):
        assert f"\n{line}\n" in text


def test_the_log_of_the_server_is_json_without_secrets(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    import logging

    from gdl.web.logs import LOG, JsonLines

    LOG.setLevel(logging.INFO)
    with caplog.at_level(logging.INFO, "gdl.web"):
        table = Table(client, ruleset="tictactoe")
        table.move("x", "b2")
        client.http.get(f"{table.path}/actions?since=0")
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert {"POST", "GET"} <= {line.get("method") for line in lines}
    assert any(line.get("path") == f"{table.path}/actions" for line in lines)
    assert not any(token in str(lines) for token in [table.owner, *table.tokens.values()])
