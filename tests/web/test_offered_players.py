"""Players that whoever runs the server offers: by name, and trained ones for their rules alone."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gdl
from gdl.play import registry
from gdl.web.agents import OfferError, offered
from tests.shared import missing
from tests.web.serving import Answer, Client, Table, served

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("numba", reason=missing("native"))
OWN = '''
"""Takes the middle, then gives up thinking."""

def player(game, state, budget):
    moves = {str(move): move for move in state.legal("o")}
    return moves["(mark b 2)"]
'''


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train on tic-tac-toe, for so short a time that only its weight has to be set."""
    from gdl.learn.training import Training
    from gdl.play.value_network import Network, read_network

    file = tmp_path_factory.mktemp("nets") / "secret-folder.gdlnet"
    Training(gdl.load("tictactoe"), file, seed=1).run(games=100)
    read = read_network(file)
    Network(replace(read.head, weight=0.5), read.tables).save(file)
    return file


@pytest.fixture(scope="module")
def client(network: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "own.py").write_text(OWN)
    players = (offered(f"Nell 2 = {network}"), offered(f"Mo={folder}/own.py"))
    with served(folder / "m.db", players=players) as running:
        yield running


def entries(table: Table, count: int) -> list[Answer]:
    end = time.monotonic() + 120
    while True:
        told: list[Answer] = table.client.ask("GET", f"{table.path}/actions")["entries"]
        if len(told) >= count:
            return told
        assert time.monotonic() < end
        time.sleep(0.05)


def test_they_are_listed_by_name_and_nothing_tells_their_files(client: Client) -> None:
    agents = client.ask("GET", "/api/agents")["agents"]
    assert agents[:2] == [
        {"name": "Nell 2", "summary": "has learned from 100 games", "options": [], "trained": True},
        {"name": "Mo", "summary": "a player of this server", "options": [], "trained": False},
    ]
    assert {agent["trained"] for agent in agents[2:]} == {False}
    assert client.ask("GET", "/api/rulesets/tictactoe")["trained"] == ["Nell 2"]
    assert client.ask("GET", "/api/rulesets/connectfour")["trained"] == []
    table = Table(client, ruleset="tictactoe", seats={"o": {"agent": "Nell 2", "seconds": 0.05}})
    assert "secret" not in client.http.get(table.path).text + client.http.get("/api/agents").text


@pytest.mark.later
def test_they_move(client: Client) -> None:
    table = Table(client, ruleset="tictactoe", seats={"o": {"agent": "Nell 2", "seconds": 0.05}})
    table.move("x", "b2")
    assert entries(table, 2)[1].keys() == {"seq", "id", "type", "role", "at", "move", "term"}
    table = Table(client, ruleset="tictactoe", seats={"o": {"agent": "Mo"}})
    table.move("x", "a1")
    assert entries(table, 2)[1]["move"] == "b2"
    free = client.ask("GET", f"{table.path}/legal/x", token=table.tokens["x"])["moves"]
    table.move("x", free[0]["text"])
    assert entries(table, 4)[3]["note"] == (
        "Mo could not move for O: it broke down. "
        "A move was drawn at random in its place; it is asked again when it is to move."
    )
    asked = {"ruleset": "tictactoe", "moves": ["b2"], "agent": "Nell 2", "seconds": 0.05}
    assert client.ask("POST", "/api/evaluations", json=asked)["role"] == "o"


def test_a_trained_one_sits_down_to_its_own_rules_alone(client: Client) -> None:
    seats = {"red": {"agent": "Nell 2"}}
    answer = client.ask(
        "POST", "/api/matches", json={"ruleset": "connectfour", "seats": seats}, expect=422
    )
    assert answer["error"] == {
        "code": "other-rules",
        "message": "Nell 2 was trained on other rules than Connect Four\n"
        "  expected: the rules that it has learned",
    }
    made = client.create(ruleset="connectfour")
    path = f"/api/matches/{made['match']}/seats/red"
    refused = client.ask("POST", path, json=seats["red"], token=made["owner"], expect=422)
    assert refused == answer
    text = client.ask("GET", "/api/rulesets/tictactoe")["rules"]
    sent = {"rules": text, "seats": {"o": {"agent": "Nell 2"}}}
    assert client.ask("POST", "/api/matches", json=sent, expect=422)["error"]["message"] == (
        "Nell 2 plays no rules that somebody sent\n  expected: a ruleset of this server"
    )
    assert client.refused(
        "POST", "/api/matches", 422, json={"ruleset": "tictactoe", "seats": {"o": {"agent": "Ned"}}}
    ) == ("unknown-agent")


def test_none_is_made_in_the_server_for_each_of_its_moves(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of another package may take long to make, and everybody would wait."""
    made: list[str] = []
    make = registry.make

    def counted(spec: str, **more: Any) -> Any:  # noqa: ANN401  # of the registry
        made.append(spec)
        return make(spec, **more)

    monkeypatch.setattr(registry, "make", counted)
    table = Table(client, ruleset="tictactoe", seats={"o": {"agent": "greedy", "seconds": 0.05}})
    table.move("x", "b2")
    entries(table, 2)
    assert made == ["greedy"]


@pytest.mark.later
def test_thoughts_of_a_trained_one_are_told_of_its_own_rules_alone(client: Client) -> None:
    asked = {"ruleset": "connectfour", "agent": "Nell 2", "seconds": 0.05}
    answer = client.ask("POST", "/api/evaluations", json=asked, expect=422)
    assert answer["error"]["code"] == "other-rules"
    text = client.ask("GET", "/api/rulesets/tictactoe")["rules"]
    sent = {"rules": text, "agent": "Nell 2"}
    assert client.refused("POST", "/api/evaluations", 422, json=sent) == "other-rules"


@pytest.mark.slow
def test_a_file_that_is_gone_is_named_in_the_log_of_the_server_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = tmp_path / "secret-folder.py"
    own.write_text(OWN)
    with served(tmp_path / "m.db", players=(offered(f"Mo={own}"),)) as client:
        own.unlink()
        asked = {"ruleset": "tictactoe", "agent": "Mo", "seconds": 0.05}
        refused = client.ask("POST", "/api/evaluations", json=asked, expect=500)
        table = Table(client, ruleset="tictactoe", seats={"o": {"agent": "Mo"}})
        table.move("x", "b2")
        note = entries(table, 2)[1]["note"]
    assert note.startswith("Mo could not move for O: it broke down. ")
    assert "secret" not in f"{note} {refused}"
    told = [vars(record).get("fields", {}).get("trace", "") for record in caplog.records]
    assert any("secret-folder.py" in trace for trace in told)


@pytest.mark.slow
def test_after_a_restart_without_it_the_log_says_so(tmp_path: Path, network: Path) -> None:
    with served(tmp_path / "m.db", players=(offered(f"Nell={network}"),)) as client:
        seats = {"o": {"agent": "Nell", "seconds": 0.05}}
        made = client.create(ruleset="tictactoe", seats={"x": {}, **seats})
    with served(tmp_path / "m.db") as client:
        table = Table.__new__(Table)
        table.client, table.id, table.path = client, made["match"], f"/api/matches/{made['match']}"
        table.tokens = {"x": made["seats"]["x"]["token"]}
        table.move("x", "b2")
        assert entries(table, 2)[1]["note"].startswith(
            "Nell could not move for O: there is no player 'Nell'. A move was drawn"
        )


@pytest.mark.later
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "mcts",
            (
                "'mcts' offers no player\n"
                "  expected: NAME=SPEC, the name of 1 to 40 letters, digits, spaces and . + -"
            ),
        ),
        ("mcts=greedy", "there is a player mcts already\n  expected: another name"),
    ],
)
def test_what_is_no_offer_is_said_so(text: str, message: str) -> None:
    with pytest.raises(OfferError) as caught:
        offered(text)
    assert str(caught.value) == message
