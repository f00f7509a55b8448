"""Seats that are kept for somebody, and matches that only those see who play in them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.serving import Answer, Client, Table, hear, hello, served

INVITED = {"x": {"name": "Ann"}, "o": {"invite": True}}


def invited(client: Client, **more: object) -> tuple[Answer, str, str]:
    """Begin a match with one seat reserved; return it, the path of that seat and its invitation."""
    made = client.create(ruleset="tictactoe", seats=INVITED, **more)
    path = f"/api/matches/{made['match']}/seats/o"
    invitation: str = made["seats"]["o"]["invitation"]
    return made, path, invitation


def test_an_invitation_is_long_given_to_the_creator_and_to_nobody_else(client: Client) -> None:
    made, _, invitation = invited(client)
    assert made["seats"]["o"] == {"token": None, "agent": None, "invitation": invitation}
    assert made["seats"]["x"]["invitation"] is None
    assert len(invitation) >= 43  # 32 bytes in base 64
    assert len({invitation, made["owner"], made["seats"]["x"]["token"]}) == 3
    match = f"/api/matches/{made['match']}"
    told = [made["state"]] + [
        client.ask("GET", path, token=token)
        for path in (match, f"{match}/actions", "/api/matches")
        for token in ("", made["owner"], made["seats"]["x"]["token"])
        if not (token and path == "/api/matches")
    ]
    assert invitation not in json.dumps(told) + client.http.get("/metrics").text
    assert made["state"]["seats"]["o"] == {"name": None, "agent": None, "reserved": True}


def test_an_invitation_takes_its_seat_once(client: Client) -> None:
    made, path, invitation = invited(client)
    body = {"name": "Bob", "invitation": invitation}
    seat = client.ask("POST", path, json=body, expect=201)
    assert client.refused("POST", path, 409, json=body) == "seat-taken"
    assert client.refused("POST", path, 409, json={}) == "seat-taken"
    state = client.ask("GET", f"/api/matches/{made['match']}", token=seat["token"])
    assert state["you"] == "o"
    assert state["seats"]["o"] == {"name": "Bob", "agent": None, "reserved": False}


def test_without_the_invitation_a_reserved_seat_stays_free(client: Client) -> None:
    made, path, invitation = invited(client)
    _, _, of_another = invited(client)
    for body, code in (
        ({}, "reserved"),
        ({"name": "Eve"}, "reserved"),
        ({"invitation": "guess"}, "wrong-invitation"),
        ({"invitation": invitation[:-1]}, "wrong-invitation"),
        ({"invitation": f"{invitation}="}, "wrong-invitation"),
        ({"invitation": of_another}, "wrong-invitation"),
        ({"invitation": made["seats"]["x"]["token"]}, "wrong-invitation"),
        ({"invitation": made["owner"]}, "wrong-invitation"),
    ):
        assert client.refused("POST", path, 403, json=body) == code
    for body in ({"invitation": ""}, {"invitation": None}, {"invitation": "x" * 201}):
        assert client.refused("POST", path, 422, json=body) == "malformed-request"
    assert client.refused("POST", path, 403, token=invitation, json={}) == "reserved"
    assert client.ask("POST", path, json={"invitation": invitation}, expect=201)["role"] == "o"


def test_a_refusal_says_what_a_reserved_seat_takes(client: Client) -> None:
    _, path, _ = invited(client)
    none = client.ask("POST", path, json={}, expect=403)["error"]
    wrong = client.ask("POST", path, json={"invitation": "guess"}, expect=403)["error"]
    assert none["message"] == (
        "the seat of O is kept for somebody\n  expected: the invitation to it"
    )
    assert wrong["message"] == (
        "this invitation is not for the seat of O\n"
        "  expected: the invitation that the creator of the match was given for it"
    )


def test_an_invitation_is_for_one_seat_only(client: Client) -> None:
    made = client.create(ruleset="tictactoe", seats={"o": {"invite": True}})
    path = f"/api/matches/{made['match']}/seats"
    body = {"invitation": made["seats"]["o"]["invitation"]}
    assert client.refused("POST", f"{path}/x", 403, json=body) == "wrong-invitation"
    assert client.ask("POST", f"{path}/x", json={}, expect=201)["role"] == "x"  # it was open


def test_an_invitation_is_no_token(client: Client) -> None:
    made, _, invitation = invited(client)
    path = f"/api/matches/{made['match']}/actions"
    move = {"id": "a", "seq": 0, "type": "MOVE", "move": "b2"}
    assert client.refused("POST", path, 403, token=invitation, json=move) == "wrong-token"


def test_the_owner_may_give_a_reserved_seat_to_a_program_or_take_it(client: Client) -> None:
    for body in ({"agent": "random", "seconds": 0.01}, {"name": "Ann too"}):
        made, path, invitation = invited(client)
        client.ask("POST", path, token=made["owner"], json=body, expect=201)
        late = {"invitation": invitation}
        assert client.refused("POST", path, 409, json=late) == "seat-taken"
    _, path, _ = invited(client)
    assert client.refused("POST", path, 403, json={"agent": "random"}) == "not-yours"


@pytest.mark.slow
def test_two_who_show_one_invitation_get_one_seat(either: Client) -> None:
    """Both come at once, again and again; exactly one of them sits down."""
    for _ in range(10):
        made, path, invitation = invited(either)
        gate = threading.Barrier(2)
        answers: list[Answer] = []

        def come(path: str, invitation: str, gate: threading.Barrier, to: list[Answer]) -> None:
            with Client(either.base).http as http:
                gate.wait()
                answer = http.post(path, json={"invitation": invitation})
                to.append({"status": answer.status_code, **answer.json()})

        both = [
            threading.Thread(target=come, args=(path, invitation, gate, answers)) for _ in range(2)
        ]
        for each in both:
            each.start()
        for each in both:
            each.join()
        assert sorted(answer["status"] for answer in answers) == [201, 409]
        assert made["match"] in {answer.get("match") for answer in answers}


def test_a_seat_is_either_reserved_or_taken(client: Client) -> None:
    for more in ({"name": "Bob"}, {"agent": "random"}, {"seconds": 1}):
        body = {"ruleset": "tictactoe", "seats": {"o": {"invite": True, **more}}}
        answer = client.ask("POST", "/api/matches", json=body, expect=422)["error"]
        assert answer["code"] == "malformed-request"
        assert answer["message"] == (
            f"NewMatch.seats.o has invite and {next(iter(more))}\n"
            "  expected: invite alone; who comes says the name"
        )
    for role, code, status in (("z", "unknown-role", 404), ("random", "unknown-role", 404)):
        body = {"ruleset": "tictactoe", "seats": {role: {"invite": True}}}
        assert client.refused("POST", "/api/matches", status, json=body) == code
    wrongs: tuple[object, ...] = (1, "true", None, [])
    for wrong in wrongs:
        body = {"ruleset": "tictactoe", "seats": {"o": {"invite": wrong}}}
        assert client.refused("POST", "/api/matches", 422, json=body) == "malformed-request"


def test_watchers_see_the_invited_sit_down_and_the_match_begins(client: Client) -> None:
    made, path, invitation = invited(client)
    with client.socket(made["match"]) as watching:
        assert hello(watching)["state"]["seats"]["o"]["reserved"] is True
        seat = client.ask("POST", path, json={"invitation": invitation}, expect=201)
        assert hear(watching, "update")["state"]["seats"]["o"]["reserved"] is False
    actions = f"/api/matches/{made['match']}/actions"
    for seq, (token, move) in enumerate(
        ((made["seats"]["x"]["token"], "b2"), (seat["token"], "a1"))
    ):
        action = {"id": f"a{seq}", "seq": seq, "type": "MOVE", "move": move}
        client.ask("POST", actions, token=token, json=action, expect=201)


@pytest.mark.slow
def test_invitations_outlive_the_server_and_hold_at_every_server(tmp_path: Path) -> None:
    database = tmp_path / "m.db"
    with served(database) as client:
        made, path, invitation = invited(client)
    with served(database) as here, served(database) as there:
        assert here.refused("POST", path, 403, json={}) == "reserved"
        with here.socket(made["match"]) as watching:
            hello(watching)
            there.ask("POST", path, json={"invitation": invitation}, expect=201)
            assert hear(watching, "update")["state"]["seats"]["o"]["reserved"] is False
        state = here.ask("GET", f"/api/matches/{made['match']}")
        assert state["seats"]["o"]["reserved"] is False
        assert here.refused("POST", path, 409, json={"invitation": invitation}) == "seat-taken"


# -- who may find a match, and see it


def names(client: Client) -> set[str]:
    return {each["match"] for each in client.ask("GET", "/api/matches?limit=100")["matches"]}


def test_a_match_is_listed_unless_its_creator_says_otherwise(client: Client) -> None:
    public, _, _ = invited(client)
    kept, _, _ = invited(client, listed=False)
    assert public["match"] in names(client)
    assert kept["match"] not in names(client)
    assert (public["state"]["listed"], kept["state"]["listed"]) == (True, False)
    for status in ("active", "finished"):
        listed = client.ask("GET", f"/api/matches?limit=100&status={status}")["matches"]
        assert kept["match"] not in {each["match"] for each in listed}
    # Not listed is not hidden: who was told the name may look on.
    assert client.ask("GET", f"/api/matches/{kept['match']}")["you"] is None


def ways_to_look(client: Client, match: str) -> dict[str, Callable[[str], str]]:
    """Return every way to see something of a match; each tells the code of its answer."""
    path = f"/api/matches/{match}"

    def get(route: str) -> Callable[[str], str]:
        def ask(token: str) -> str:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            with client.http.stream("GET", f"{path}{route}", headers=headers) as answer:
                if answer.status_code == 200:
                    return ""
                code: str = json.loads(answer.read())["error"]["code"]
                return code

        return ask

    def post(route: str, **body: object) -> Callable[[str], str]:
        def ask(token: str) -> str:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            answer = client.http.post(route, json={"match": match, **body}, headers=headers)
            return str(answer.json()["error"]["code"]) if answer.status_code != 200 else ""

        return ask

    def listen(token: str) -> str:
        with client.socket(match) as socket:
            heard = hello(socket, token)
        return "" if heard["type"] == "state" else str(heard["error"]["code"])

    return {
        "state": get(""),
        "actions": get("/actions"),
        "legal": get("/legal/x"),
        "log": get("/log"),
        "events": get("/events"),
        "socket": listen,
        "position": post("/api/positions"),
        "why": post("/api/why", query="terminal"),
        "evaluation": post("/api/evaluations", agent="greedy", seconds=0.01),
    }


@pytest.mark.slow
def test_a_match_without_spectators_is_seen_by_those_who_play_and_its_owner(
    client: Client,
) -> None:
    made, path, invitation = invited(client, spectators=False)
    other = Table(client, ruleset="tictactoe")
    ways = ways_to_look(client, made["match"])
    seat = client.ask("POST", path, json={"invitation": invitation}, expect=201)
    for way, look in ways.items():
        assert look("") == "no-spectators", way
        for stranger in ("guess", other.tokens["x"], other.owner, invitation):
            assert look(stranger) == "wrong-token", way
        for known in (made["seats"]["x"]["token"], seat["token"], made["owner"]):
            assert look(known) == "", way
    refusal = client.ask("GET", f"/api/matches/{made['match']}", expect=403)["error"]
    assert refusal["message"] == (
        "only those who play may see this match\n  expected: the token of a seat"
    )


def test_every_route_about_a_match_asks_who_may_see_it(client: Client) -> None:
    """Whatever the OpenAPI document offers to read of a match is refused to strangers."""
    made, _, _ = invited(client, spectators=False)
    document = client.ask("GET", "/openapi.json")
    asked = 0
    for path, operations in document["paths"].items():
        if "get" in operations and "{match}" in path:
            route = path.format(match=made["match"], role="x")
            assert client.refused("GET", route, 403) == "no-spectators", path
            asked += 1
    assert asked >= 4


@pytest.mark.slow
def test_a_public_match_is_seen_by_anybody(client: Client) -> None:
    made, _, _ = invited(client)
    for way, look in ways_to_look(client, made["match"]).items():
        assert look("") == "", way
    listed = client.ask("GET", "/api/matches?limit=100")["matches"]
    assert {each["match"]: each["spectators"] for each in listed}[made["match"]] is True


def test_a_seat_that_is_not_reserved_is_open_in_a_private_match_too(client: Client) -> None:
    made = client.create(ruleset="tictactoe", listed=False, spectators=False)
    path = f"/api/matches/{made['match']}"
    seat = client.ask("POST", f"{path}/seats/x", json={}, expect=201)
    assert client.ask("GET", path, token=seat["token"])["you"] == "x"


@pytest.mark.parametrize("field", ["listed", "spectators"])
@pytest.mark.parametrize("wrong", [0, "no", None, []])
def test_who_may_see_a_match_is_yes_or_no(client: Client, field: str, wrong: object) -> None:
    body = {"ruleset": "tictactoe", field: wrong}
    answer = client.ask("POST", "/api/matches", json=body, expect=422)["error"]
    assert answer["message"] == f"NewMatch.{field} is no boolean\n  expected: boolean"


@pytest.mark.slow
def test_the_openapi_document_tells_of_invitations(client: Client) -> None:
    schemas = client.ask("GET", "/openapi.json")["components"]["schemas"]
    new = schemas["NewMatch"]["properties"]
    assert {new[field]["type"] for field in ("listed", "spectators")} == {"boolean"}
    assert new["seats"]["additionalProperties"] == {"$ref": "#/components/schemas/NewSeat"}
    assert schemas["NewSeat"]["properties"]["invite"]["type"] == "boolean"
    assert "invitation" in schemas["Seat"]["properties"]
    assert "invite" not in schemas["Seat"]["properties"]
