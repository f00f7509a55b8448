"""Finding a match, playing it once more, and what a page is told of rules that somebody sent."""

from __future__ import annotations

import pytest

from gdl.match.store import open_store
from tests.web.serving import Answer, Client, Table, hear, hello, served

BARE = """(role you) (role them) (init on) (legal you go) (legal them go)
(<= (next off) (true on)) (<= terminal (true off)) (goal you 0) (goal them 0)"""


def named(client: Client, status: str) -> dict[str, int]:
    """Return the open seats of each match in a list."""
    listed = client.ask("GET", f"/api/matches?status={status}")["matches"]
    return {match["match"]: match["open"] for match in listed}


@pytest.mark.slow
def test_a_match_is_in_the_list_of_open_ones_until_its_last_seat_is_taken(either: Client) -> None:
    made = either.create(ruleset="tictactoe", seats={"x": {"name": "Ann"}})
    path = f"/api/matches/{made['match']}"
    reserved = either.create(ruleset="tictactoe", seats={"x": {}, "o": {"invite": True}})
    private = either.create(ruleset="tictactoe", listed=False)
    assert named(either, "open")[made["match"]] == 1
    assert {reserved["match"], private["match"]}.isdisjoint(named(either, "open"))
    assert either.refused("POST", f"{path}/seats/x", 409, json={}) == "seat-taken"
    assert named(either, "open")[made["match"]] == 1
    either.ask("POST", f"{path}/seats/o", json={}, expect=201)
    assert made["match"] not in named(either, "open")
    assert named(either, "active")[made["match"]] == 0
    # An invitation was never an open seat: taking it leaves the count alone.
    seat = f"/api/matches/{reserved['match']}/seats/o"
    invitation = reserved["seats"]["o"]["invitation"]
    either.ask("POST", seat, json={"invitation": invitation}, expect=201)
    assert named(either, "active")[reserved["match"]] == 0


@pytest.mark.slow
def test_a_program_that_the_owner_seats_takes_an_open_seat(either: Client) -> None:
    made = either.create(ruleset="tictactoe")
    seat = f"/api/matches/{made['match']}/seats/x"
    either.ask("POST", seat, token=made["owner"], json={"agent": "random"}, expect=201)
    assert named(either, "open")[made["match"]] == 1


def test_a_finished_match_is_not_open(client: Client) -> None:
    made = client.create(ruleset="tictactoe", seats={"x": {}})
    token = made["seats"]["x"]["token"]
    action = {"id": "r", "seq": 0, "type": "RESIGN"}
    client.ask(
        "POST", f"/api/matches/{made['match']}/actions", token=token, json=action, expect=201
    )
    assert made["match"] not in named(client, "open")
    assert named(client, "finished")[made["match"]] == 1


def resigned(client: Client, **more: object) -> Table:
    """Begin a match of two people and let the first resign."""
    seats = {"x": {"name": "Ann"}, "o": {"name": "Bob"}}
    table = Table(client, **{"ruleset": "tictactoe", "seats": seats, **more})
    assert table.act("x", "RESIGN", seq=0).status_code == 201
    return table


@pytest.mark.later
@pytest.mark.sample(1)
def test_a_move_is_taken_back_by_consent(either: Client) -> None:
    table = Table(either, ruleset="tictactoe", seats={"x": {}, "o": {}})
    table.move("x", "a1", seq=0)
    with either.socket(table.id) as watching:
        assert hello(watching)["state"]["takeback"] is None
        assert table.act("o", "REQUEST_TAKEBACK").json()["error"]["code"] == "no-takeback"
        assert table.act("x", "REQUEST_TAKEBACK").status_code == 201
        assert hear(watching, "update")["state"]["takeback"]["by"] == "x"
        assert table.act("o", "ACCEPT_TAKEBACK").status_code == 201
        told = hear(watching, "update")
        assert (told["entries"][-1]["back"], told["state"]["ply"]) == (0, 0)
    table.move("x", "b2", seq=3)
    about = {"match": table.id, "seq": 1, "moves": []}
    state = either.ask("POST", "/api/positions", json=about)["state"]
    assert state["lastMove"] == {"x": "a1"}  # what was played may be looked at still
    log = either.http.get(f"{table.path}/log").text
    taken = either.ask("POST", "/api/imports", content=log, expect=201)["state"]
    assert taken["board"] == table.state()["board"]


@pytest.mark.slow
def test_a_program_agrees_that_a_move_is_taken_back(client: Client) -> None:
    program = {"agent": "random", "seconds": 0.1}
    table = Table(client, ruleset="tictactoe", seats={"x": {}, "o": program})
    with client.socket(table.id) as watching:
        hello(watching)
        table.move("x", "a1", seq=0)
        while hear(watching, "update")["state"]["seq"] < 2:
            pass
        assert table.act("x", "REQUEST_TAKEBACK").status_code == 201
        state = table.state()
        assert (state["seq"], state["ply"], state["toMove"]) == (4, 0, ["x"])


def test_a_program_declines_a_draw_at_once(client: Client) -> None:
    """It had stood there until the program made its next move."""
    table = Table(client, ruleset="tictactoe", seats={"x": {}, "o": {"agent": "random"}})
    assert table.act("x", "REQUEST_DRAW").status_code == 201
    state = table.state()
    assert (state["seq"], state["drawOffer"], state["status"]) == (2, None, "active")


def rematch(table: Table, role: str) -> Answer:
    token = table.tokens[role]
    return table.client.ask("POST", f"{table.path}/rematch", token=token, json={}, expect=201)


@pytest.mark.later
def test_a_rematch_changes_seats_and_keeps_tokens(either: Client) -> None:
    clock = {"initialMs": 60_000, "incrementMs": 1_000}
    table = resigned(either, clock=clock, spectators=False, listed=False)
    with either.socket(table.id) as socket:
        assert hello(socket, table.tokens["x"])["state"]["rematch"] is None
        begun = rematch(table, "o")
        assert begun["seats"] == {"x": "o", "o": "x"}
        assert hear(socket)["state"]["rematch"] == begun  # whoever is there is told
    path = f"/api/matches/{begun['match']}"
    for after, before in begun["seats"].items():
        state = either.ask("GET", path, token=table.tokens[before])
        assert state["you"] == after
    assert {role: seat["name"] for role, seat in state["seats"].items()} == {"x": "Bob", "o": "Ann"}
    assert (state["clock"]["initialMs"], state["status"], state["seq"]) == (60_000, "active", 0)
    assert either.refused("GET", path, 403) == "no-spectators"
    move = {"id": "m", "seq": 0, "type": "MOVE", "move": "b 2"}
    either.ask("POST", f"{path}/actions", token=table.tokens["o"], json=move, expect=201)


def test_a_match_is_played_again_once_whoever_asks(client: Client) -> None:
    table = resigned(client)
    assert rematch(table, "x") == rematch(table, "o") == rematch(table, "x")
    assert table.state()["rematch"] == rematch(table, "x")


def test_who_may_not_ask_for_a_rematch(client: Client) -> None:
    table = resigned(client)
    again = f"{table.path}/rematch"
    assert client.refused("POST", again, 403, json={}) == "wrong-token"
    assert client.refused("POST", again, 403, token=table.owner, json={}) == "wrong-token"
    assert client.refused("POST", again, 403, token="guess", json={}) == "wrong-token"
    assert client.refused("POST", again, 422, json={"seats": {}}) == "malformed-request"
    running = Table(client, ruleset="tictactoe")
    token = running.tokens["x"]
    refused = client.refused("POST", f"{running.path}/rematch", 409, token=token, json={})
    assert refused == "not-over"
    alone = client.create(ruleset="tictactoe", seats={"x": {}})
    token = alone["seats"]["x"]["token"]
    path = f"/api/matches/{alone['match']}"
    action = {"id": "r", "seq": 0, "type": "RESIGN"}
    client.ask("POST", f"{path}/actions", token=token, json=action, expect=201)
    refused = client.refused("POST", f"{path}/rematch", 409, token=token, json={})
    assert refused == "no-opponent"


def test_a_rematch_against_a_program_lets_it_begin(client: Client) -> None:
    seats = {"x": {"name": "Ann"}, "o": {"agent": "random", "seconds": 0.01}}
    made = client.create(ruleset="tictactoe", seats=seats)
    token = made["seats"]["x"]["token"]
    path = f"/api/matches/{made['match']}"
    action = {"id": "r", "seq": 0, "type": "RESIGN"}
    client.ask("POST", f"{path}/actions", token=token, json=action, expect=201)
    begun = client.ask("POST", f"{path}/rematch", token=token, json={}, expect=201)
    with client.socket(begun["match"]) as socket:
        told = hello(socket, token)
        while told["state"]["toMove"] != ["o"]:
            told = hear(socket)
    assert told["state"]["you"] == "o"
    assert [entry["role"] for entry in told["entries"]] in ([], ["x"])


@pytest.mark.slow
def test_another_server_learns_of_a_rematch(database: str) -> None:
    with served(database) as one, served(database) as other:
        table = resigned(one)
        with other.socket(table.id) as socket:
            assert hello(socket, table.tokens["o"])["state"]["rematch"] is None
            begun = rematch(table, "x")
            assert hear(socket)["state"]["rematch"] == begun
        assert other.ask("GET", table.path)["rematch"] == begun


@pytest.mark.slow
def test_a_rematch_is_on_the_disk_when_it_is_answered(database: str) -> None:
    with served(database) as server:
        begun = rematch(resigned(server), "x")
        store = open_store(database)
        assert len(store.seats(begun["match"])) == 2
        store.close()


@pytest.mark.slow
def test_rules_and_boards_come_with_a_match_of_sent_rules(client: Client) -> None:
    shipped = client.ask("GET", "/api/rulesets/tictactoe")
    text = shipped["rules"].replace("(init (control x))", "(init (control o))")
    made = client.create(
        rules=text, title="tic", like="tictactoe", seats={"x": {}, "o": {}}, spectators=False
    )
    asked = {"match": made["match"], "about": True}
    assert client.refused("POST", "/api/positions", 403, json=asked) == "no-spectators"
    token = made["seats"]["o"]["token"]
    told = client.ask("POST", "/api/positions", token=token, json=asked)["ruleset"]
    assert (told["rules"], told["title"]) == (text, "tic")
    same = ("frame", "players", "roles", "seats", "notation")
    assert {name: told[name] for name in same} == {name: shipped[name] for name in same}
    assert "ruleset" not in client.ask("POST", "/api/positions", json={"ruleset": "tictactoe"})


@pytest.mark.slow
def test_rules_without_a_picture_are_told_without_boards(client: Client) -> None:
    told = client.ask("POST", "/api/positions", json={"rules": BARE, "about": True})["ruleset"]
    assert told["seats"] == ["you", "them"]
    assert (told["frame"], told["near"]) == (None, None)


@pytest.mark.later
@pytest.mark.parametrize(
    ("ruleset", "moves", "query", "short"),
    [
        ("tictactoe", ["b 2"], {"site": 4}, "B2 has X's mark."),
        ("gomoku/freestyle", ["PLACE_STONE {7,7}"], {"cell": [7, 7]}, "has Black's stone."),
        ("tictactoe", [], {"query": "legal o (mark a 1)"}, None),  # it is not o's turn
        ("tictactoe", [], {"query": "legal x (mark a 1)"}, None),  # it is legal
        ("tictactoe", [], {"query": "terminal"}, None),
        ("breakthrough", [], {"sites": [56, 48]}, "A2 has White's stone."),
    ],
)
def test_why_a_move_is_not_legal_in_the_words_of_the_game(
    client: Client, ruleset: str, moves: list[str], query: Answer, short: str | None
) -> None:
    asked = {"ruleset": ruleset, "moves": moves, **query}
    told = client.ask("POST", "/api/why", json=asked)["short"]
    assert told == short if short is None else told.endswith(short)


@pytest.mark.later
def test_why_nobody_goes_from_there_to_there(client: Client) -> None:
    sites = client.ask("GET", "/api/rulesets/chess")["frame"]["sites"]
    number = {site["title"]: number for number, site in enumerate(sites)}
    asked = {"ruleset": "chess", "sites": [number["g 1"], number["d 5"]]}
    told = client.ask("POST", "/api/why", json=asked)
    assert told["query"] == "legal white (move g 1 d 5)"
    assert told["text"].startswith("legal white g1d5 does not hold: ")
    assert (told["move"], told["short"]) == ("g1d5", None)
    for wrong, message in (
        ([number["e 4"]], "White has no move that begins at E4."),
        ([1, 2, 3], "White has no move that begins at B8."),
        ([99], "no move is made there"),
    ):
        refused = client.ask("POST", "/api/why", json={**asked, "sites": wrong}, expect=422)
        assert refused["error"]["message"] == message


@pytest.mark.slow
def test_a_proof_of_a_win_says_where_it_stands(client: Client) -> None:
    moves = ["a 1", "a 2", "b 1", "b 2", "c 1"]
    asked = {"ruleset": "tictactoe", "moves": moves, "query": "goal x 100"}
    sites = client.ask("GET", "/api/rulesets/tictactoe")["frame"]["sites"]
    told = client.ask("POST", "/api/why", json=asked)["sites"]
    assert [sites[number]["title"] for number in told] == ["a 1", "b 1", "c 1"]
    lost = client.ask("POST", "/api/why", json={**asked, "query": "goal o 100"})
    assert lost["sites"] == []
