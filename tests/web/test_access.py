"""Nobody acts without a token, sees what is hidden from him, or makes the server read a file."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from tests.cli.conftest import COIN, PENNIES
from tests.web.serving import Answer, Client, Table, hear, hello, served

MOVE = {"id": "x", "seq": 0, "type": "MOVE", "move": "b2"}


@pytest.mark.slow
def test_acting_takes_the_token_of_the_seat(client: Client) -> None:
    table, other = Table(client, ruleset="tictactoe"), Table(client, ruleset="tictactoe")
    path = f"{table.path}/actions"
    refused = [
        ("", 401, "no-token"),
        ("guess", 403, "wrong-token"),
        (other.tokens["x"], 403, "wrong-token"),
        (table.owner, 403, "wrong-token"),
        (table.tokens["o"], 409, "out-of-turn"),
    ]
    for token, status, code in refused:
        assert client.refused("POST", path, status, token=token, json=MOVE) == code
    as_other = {**MOVE, "role": "x"}
    assert client.refused("POST", path, 403, token=table.tokens["o"], json=as_other) == "not-yours"
    for header in ("Basic abc", "Bearer"):
        answer = client.http.post(path, json=MOVE, headers={"Authorization": header})
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert table.state()["seq"] == 0


def test_a_seat_is_taken_once_and_a_program_sits_down_for_the_owner_only(client: Client) -> None:
    table = Table(client, ruleset="tictactoe")
    seat = f"{table.path}/seats/x"
    assert client.refused("POST", seat, 409, json={}) == "seat-taken"
    assert client.refused("POST", f"{table.path}/seats/z", 404, json={}) == "unknown-role"
    made = client.create(ruleset="tictactoe")
    path = f"/api/matches/{made['match']}/seats/x"
    random = {"agent": "random"}
    assert client.refused("POST", path, 403, json=random) == "not-yours"
    assert client.refused("POST", path, 422, token=made["owner"], json={"agent": "nobody"}) == (
        "unknown-agent"
    )
    joined = client.ask("POST", path, token=made["owner"], json=random, expect=201)
    assert (joined["token"], joined["agent"]) == (None, "random")


def test_tokens_are_long_different_and_shown_once(client: Client) -> None:
    table = Table(client, ruleset="tictactoe")
    secrets = {table.owner, *table.tokens.values()}
    assert len(secrets) == 3
    assert min(map(len, secrets)) >= 43  # 32 bytes in base 64
    shown = json.dumps([table.state(), client.ask("GET", f"{table.path}/actions")])
    shown += client.http.get(f"{table.path}/log").text + client.http.get("/metrics").text
    assert not any(secret in shown for secret in secrets)


@pytest.mark.parametrize(
    "id_",
    [
        "../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "/etc/passwd",
        "pentago/../tictactoe",
        "tictactoe/",
        "rulesets/pentago/manifest.toml",
        "file:///etc/passwd",
        "tictactoe.kif",
        "./tictactoe",
    ],
)
def test_an_id_is_never_a_path(client: Client, id_: str) -> None:
    for path in ("/api/matches", "/api/positions"):
        code = client.refused("POST", path, 404, json={"ruleset": id_})
        assert code == "unknown-ruleset"
    answer = client.http.get(f"/api/rulesets/{quote(id_, safe='')}")
    assert answer.status_code in (404, 307)  # 307: without the stroke at its end


@pytest.mark.parametrize(
    "agent",
    [
        "mcts:value=/dev/zero",
        "greedy:value=/etc/passwd",
        "alphabeta:value=x",
        "/dev/zero.gdlnet",
        "mcts:threads=64",
        "mcts:memory=65536",
        "mcts:ponder=on",
    ],
)
def test_a_program_reads_no_file_and_takes_no_more_of_the_machine(
    client: Client, agent: str
) -> None:
    """What it is told comes from anybody: a device as its file would hold up everybody for good."""
    asked = {"ruleset": "tictactoe"}
    made = client.create(**asked)
    places = [
        ("/api/matches", {**asked, "seats": {"x": {"agent": agent}}}),
        ("/api/evaluations", {**asked, "agent": agent}),
        (f"/api/matches/{made['match']}/seats/x", {"agent": agent}),
    ]
    for path, body in places:
        token = made["owner"] if path.endswith("x") else ""
        answer = client.ask("POST", path, expect=422, token=token, json=body)
        assert answer["error"]["code"] == "unknown-agent"
        assert "has no option" in answer["error"]["message"]
    offered = client.ask("GET", "/api/agents")["agents"]
    options = {option["name"] for each in offered for option in each["options"]}
    assert options & {"c", "proof", "value", "threads", "memory", "ponder"} == {"c", "proof"}


def test_files_of_the_page_are_packed_for_whoever_takes_that(client: Client) -> None:
    for name in ("", "app.js", "codemirror.js", "style.css"):
        asked = {"Accept-Encoding": "gzip, deflate"}
        packed = client.http.get(f"/{name}", headers=asked)
        plain = client.http.get(f"/{name}", headers={"Accept-Encoding": "identity"})
        assert packed.content == plain.content
        assert packed.headers["Content-Encoding"] == "gzip"
        assert "Content-Encoding" not in plain.headers
        assert int(packed.headers["Content-Length"]) < 0.5 * int(plain.headers["Content-Length"])
        for answer in (packed, plain):
            assert answer.headers["Vary"] == "Accept-Encoding"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert packed.headers["Content-Type"] == plain.headers["Content-Type"]


def test_a_browser_that_has_a_file_of_the_page_is_not_sent_it_again(client: Client) -> None:
    for coding in ("gzip", "identity"):
        asked = {"Accept-Encoding": coding}
        first = client.http.get("/app.js", headers=asked)
        assert first.headers["Cache-Control"] == "no-cache"  # it is asked for each time
        tag = first.headers["ETag"]
        for told in (tag, f'"other", W/{tag}'):
            again = client.http.get("/app.js", headers={**asked, "If-None-Match": told})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["ETag"] == tag
            assert again.headers["Vary"] == "Accept-Encoding"
        other = client.http.get("/app.js", headers={**asked, "If-None-Match": '"other"'})
        assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize("path", ["/..%2fapp.py", "/%2e%2e/app.py", "/api.py", "/app.py", "/%00"])
def test_only_files_of_the_page_are_served(client: Client, path: str) -> None:
    answer = client.http.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


@pytest.mark.slow
def test_moves_of_a_turn_are_kept_back_on_every_route(client: Client) -> None:
    table = Table(client, rules=PENNIES, title="pennies")
    with client.socket(table.id) as watching:
        hello(watching)
        table.move("even", "(show heads)", seq=0)
        update = hear(watching, "update")
        seen = [update, *everything(client, table, "odd"), *everything(client, table, "")]
        assert "heads" not in json.dumps(seen).replace(legal_of_odd(table), "")
        assert update["entries"][0]["hidden"] is True
        assert json.dumps(everything(client, table, "even")).count("(show heads)") > 0
        table.move("odd", "(show tails)", seq=0)
        update = hear(watching, "update")
    assert [entry["move"] for entry in update["entries"]] == ["(show heads)", "(show tails)"]
    assert update["state"]["outcome"]["winner"] == "odd"


def legal_of_odd(table: Table) -> str:
    """Return how the legal moves of odd are written, which name heads too."""
    listed = json.dumps(table.state("odd")["legal"]["odd"]["moves"])
    assert listed == '["(show heads)", "(show tails)"]'
    return listed


def everything(client: Client, table: Table, role: str) -> list[object]:
    """Return all that a role is told about a match over HTTP."""
    token = table.tokens.get(role, "")
    log = client.http.get(
        f"{table.path}/log", headers={"Authorization": f"Bearer {token}"} if token else {}
    )
    lines = log.text.splitlines()[1:] if log.status_code == 200 else [log.text]
    body = {"match": table.id}
    return [
        table.state(role),
        client.ask("GET", f"{table.path}/actions", token=token),
        client.ask("POST", "/api/positions", token=token, json=body)["state"],
        lines,
    ]


@pytest.mark.slow
def test_what_gdl_ii_hides_from_a_role_is_hidden_on_every_route(client: Client) -> None:
    """Nature tosses a coin (`COIN`); a second person at the table must not learn how it fell."""
    rules = COIN.replace("(role guesser)", "(role guesser) (role other)").replace(
        "(goal random 0)", "(goal random 0) (goal other 0) (legal other wait)"
    )
    table = Table(client, rules=rules, title="coin")
    with client.socket(table.id) as watching:
        hello(watching, table.tokens["other"])
        table.move("guesser", "noop")
        table.move("other", "wait")
        updates: list[Answer] = []
        while not updates or updates[-1]["state"]["ply"] == 0:
            updates.append(hear(watching, "update"))
    percepts = table.state("guesser")["percepts"]
    assert percepts in ([["(glimpse heads)"]], [["(glimpse tails)"]])
    for role in ("other", ""):
        told = json.dumps([updates, everything(client, table, role)])
        assert "heads" not in told
        assert "tails" not in told
        assert "toss" not in told
    token = table.tokens["other"]
    question = {"match": table.id, "query": "true (fell heads)"}
    assert client.refused("POST", "/api/why", 403, token=token, json=question) == "hidden"
    branch = {"match": table.id, "moves": [{"guesser": "(guess heads)"}]}
    assert client.refused("POST", "/api/positions", 403, token=token, json=branch) == "hidden"
    evaluation = {"match": table.id, "agent": "greedy"}
    assert client.refused("POST", "/api/evaluations", 403, token=token, json=evaluation) == "hidden"
    path = f"{table.path}/legal/guesser"
    assert client.refused("GET", path, 403, token=token) == "hidden"
    for who in (token, table.owner):
        assert client.refused("GET", f"{table.path}/log", 403, token=who) == "hidden"


@pytest.mark.slow
def test_the_owner_exports_a_hidden_game_when_it_is_over(client: Client) -> None:
    table = Table(client, rules=COIN, title="coin")
    table.move("guesser", "noop")
    while table.state("guesser")["ply"] == 0:
        pass
    side = table.state("guesser")["percepts"][0][0].split()[1].rstrip(")")
    table.move("guesser", f"(guess {side})")
    while table.state()["status"] == "active":
        pass
    assert table.state()["outcome"]["goals"]["guesser"] == 100
    path = f"{table.path}/log"
    assert client.refused("GET", path, 403, token=table.tokens["guesser"]) == "hidden"
    log = client.http.get(path, headers={"Authorization": f"Bearer {table.owner}"})
    assert f"(toss {side})" in log.text


@pytest.mark.slow
def test_a_match_is_told_by_who_made_it_as_by_who_reads_it(database: str) -> None:
    seats = {"x": {"name": "Ann"}, "o": {"invite": True}}
    wishes = [
        {"seats": seats, "clock": {"initialMs": 60_000, "incrementMs": 5}},
        {"seats": {"x": {}, "o": {"agent": "random"}}, "listed": False},
        {},
    ]
    with served(database) as maker, served(database) as reader:
        for wish in wishes:
            made = maker.create(ruleset="tictactoe", **wish)
            path = f"/api/matches/{made['match']}"
            states = [client.ask("GET", path) for client in (maker, reader)]
            for state in (made["state"], *states):
                (state["clock"] or {}).pop("nowMs", None)
            assert made["state"] == states[0] == states[1]
            logs = [client.http.get(f"{path}/log").text for client in (maker, reader)]
            assert logs[0] == logs[1]
