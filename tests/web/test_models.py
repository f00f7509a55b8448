"""What may be sent: each thing that is wrong is named, with what was expected."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from starlette.routing import Route

from gdl.match import RefusedError, read_action
from gdl.match.store import open_store
from gdl.web import models
from gdl.web.app import App
from gdl.web.openapi import document
from gdl.web.problems import ProblemError
from gdl.web.service import Service
from gdl.web.settings import Settings
from gdl.web.validation import read

LARGE = 10**400
RULESET = {"ruleset": "tictactoe"}
MOVE = {"id": "a", "seq": 0, "type": "MOVE", "move": "b2"}
KINDS = (
    "MOVE, RESIGN, REQUEST_DRAW, ACCEPT_DRAW, DECLINE_DRAW, "
    "REQUEST_TAKEBACK, ACCEPT_TAKEBACK, DECLINE_TAKEBACK"
)
NO_TEXT = "has a character that no text has\n  expected: Unicode without NUL"


def seat(**fields: object) -> dict[str, object]:
    return {**RULESET, "seats": {"x": fields}}


@pytest.mark.parametrize(
    ("value", "model", "message"),
    [
        (None, models.NewMatch, "NewMatch is no object\n  expected: object"),
        (
            {},
            models.NewMatch,
            "NewMatch has none or several of these\n  expected: exactly one of ruleset, rules",
        ),
        (
            {"match": "m", **RULESET},
            models.Question,
            (
                "Question has none or several of these\n"
                "  expected: exactly one of ruleset, rules, match"
            ),
        ),
        ({**RULESET, "\ud800": 1}, models.NewMatch, f"NewMatch {NO_TEXT}"),
        ({"ruleset": "a\0"}, models.NewMatch, f"NewMatch.ruleset {NO_TEXT}"),
        ({"ruleset": "\udfff"}, models.NewMatch, f"NewMatch.ruleset {NO_TEXT}"),
        (
            {"ruleset": ""},
            models.NewMatch,
            "NewMatch.ruleset has 0 characters\n  expected: at least 1",
        ),
        (
            {**RULESET, "clock": {}},
            models.NewMatch,
            "NewMatch.clock.initialMs is missing\n  expected: to be there",
        ),
        (
            {**RULESET, "clock": {"initialMs": 1, "x": 2}},
            models.NewMatch,
            "NewMatch.clock.x is not known\n  expected: initialMs, incrementMs",
        ),
        (
            {**RULESET, "clock": None},
            models.NewMatch,
            "NewMatch.clock is no object\n  expected: object",
        ),
        (
            seat(nam="x"),
            models.NewMatch,
            "NewMatch.seats.x.nam is not known\n  expected: name, agent, seconds, invite",
        ),
        (
            seat(name="x" * 101),
            models.NewMatch,
            "NewMatch.seats.x.name has 101 characters\n  expected: at most 100",
        ),
        (
            seat(seconds=True),
            models.NewMatch,
            "NewMatch.seats.x.seconds is no number\n  expected: number",
        ),
        (
            seat(seconds=float("nan")),
            models.NewMatch,
            "NewMatch.seats.x.seconds is no number\n  expected: number",
        ),
        (
            seat(seconds=99),
            models.NewMatch,
            "NewMatch.seats.x.seconds is 99\n  expected: at most 60",
        ),
        (
            {**RULESET, "seats": {str(number): {} for number in range(70)}},
            models.NewMatch,
            "NewMatch.seats has 70 fields\n  expected: at most 64",
        ),
        (
            {**MOVE, "id": "a b"},
            models.Action,
            "Action.id is 'a b'\n  expected: ^[A-Za-z0-9._:-]{1,64}$",
        ),
        ({**MOVE, "seq": -1}, models.Action, "Action.seq is -1\n  expected: at least 0"),
        ({**MOVE, "seq": 1.0}, models.Action, "Action.seq is no integer\n  expected: integer"),
        (
            {**MOVE, "seq": LARGE},
            models.Action,
            f"Action.seq is {str(LARGE)[:40]}\n  expected: at most 1000000",
        ),
        (
            {**MOVE, "type": "TIMEOUT"},
            models.Action,
            f"Action.type is 'TIMEOUT'\n  expected: {KINDS}",
        ),
        (
            {**MOVE, "type": "RESIGN"},
            models.Action,
            "Action of type RESIGN has a move\n  expected: a move with MOVE, and only there",
        ),
        (
            {**RULESET, "moves": ["b2", 3]},
            models.Position,
            "Position.moves[1] is of another type\n  expected: string or object",
        ),
        (
            {**RULESET, "moves": ["b2", {"x": 3}]},
            models.Position,
            "Position.moves[1].x is no string\n  expected: string",
        ),
        (
            {**RULESET, "cell": [1, 2, 3]},
            models.Question,
            "Question.cell has 3 items\n  expected: at most 2",
        ),
        ({"type": "x"}, models.Hello, "Hello.type is 'x'\n  expected: 'hello'"),
        (
            {"type": "action"},
            models.Message,
            (
                "Message of type action has no action\n"
                "  expected: an action with action, and only there"
            ),
        ),
        (
            {"type": "action", "action": {"id": "a"}},
            models.Message,
            "Message.action.seq is missing\n  expected: to be there",
        ),
        ({"limit": "x"}, models.Listing, "query.limit is no integer\n  expected: integer"),
        ({"limit": "101"}, models.Listing, "query.limit is 101\n  expected: at most 100"),
        (
            {"status": "over"},
            models.Listing,
            "query.status is 'over'\n  expected: 'active', 'open' or 'finished'",
        ),
    ],
)
def test_what_is_wrong_is_named(value: object, model: type[models.Model], message: str) -> None:
    with pytest.raises(ProblemError) as caught:
        read(value, model)
    assert (caught.value.status, caught.value.code) == (422, "malformed-request")
    assert caught.value.message == message


def test_what_is_right_is_read() -> None:
    sent = {**seat(seconds=1, agent="greedy"), "clock": {"initialMs": 5}, "listed": False}
    new = read(sent, models.NewMatch)
    assert (new.seats["x"].agent, new.seats["x"].seconds, new.listed) == ("greedy", 1, False)
    assert new.clock is not None
    assert (new.clock.initial_ms, new.clock.increment_ms, new.spectators) == (5, 0, True)
    moves = ["b2", {"x": "a1"}]
    assert read({**RULESET, "moves": moves}, models.Position).moves == moves
    assert read({"limit": "7", "other": "?"}, models.Listing).limit == 7


def test_the_document_tells_of_every_route_but_the_page_and_the_streams(tmp_path: Path) -> None:
    service = Service(open_store(tmp_path / "m.db"), Settings())
    app = App(service)
    paths = document(app.operations)["paths"]
    told = {(path, method.upper()) for path, methods in paths.items() for method in methods}
    routes = {
        (route.path.replace(":path", ""), method)
        for route in app.asgi.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    untold = {"/", "/{name}", "/api/matches/{match}/events"}
    assert routes - told == {(path, "GET") for path in untold}
    assert told <= routes
    service.store.close()


def test_the_document_tells_what_the_models_check(tmp_path: Path) -> None:
    service = Service(open_store(tmp_path / "m.db"), Settings())
    schemas = document(App(service).operations)["components"]["schemas"]
    service.store.close()
    assert schemas["NewMatch"]["oneOf"] == [{"required": ["ruleset"]}, {"required": ["rules"]}]
    assert schemas["NewMatch"]["additionalProperties"] is False
    assert schemas["NewMatch"]["properties"]["seats"]["maxProperties"] == 64
    assert schemas["Action"]["required"] == ["id", "seq", "type"]
    assert schemas["Action"]["properties"]["type"]["enum"] == KINDS.split(", ")
    assert schemas["Seat"]["properties"]["seconds"] == {
        "type": "number",
        "minimum": 0.01,
        "maximum": 60,
    }
    assert schemas["TimeControl"]["properties"]["incrementMs"]["minimum"] == 0
    text, by_role = schemas["Look"]["properties"]["moves"]["items"]["oneOf"]
    assert (text["type"], text["minLength"], by_role["minProperties"]) == ("string", 1, 1)


def test_a_request_and_a_log_take_the_same_actions() -> None:
    """What `gdl.match.read_action` takes is what the model takes, and the other way round."""
    ids = ("a", "a" * 64, "a" * 65, "a b", "a\n", "", 1)
    types = ("MOVE", "RESIGN", "TIMEOUT", "move", 1)
    numbers = (0, 1_000_000, 1_000_001, -1, True, 1.0, "0", None)
    others: tuple[dict[str, object], ...] = (
        {},
        {"move": "b2"},
        {"move": "m" * 2_001},
        {"move": 1},
        {"role": "r" * 1_001},
    )
    for id_, type_, seq, more in product(ids, types, numbers, others):
        sent = {"id": id_, "type": type_, "seq": seq, **more}
        both = (
            takes(partial(read, sent, models.Action)),
            takes(partial(read_action, sent, role="x")),
        )
        assert both[0] is both[1], sent


def takes(read_it: Callable[[], object]) -> bool:
    try:
        read_it()
    except (ProblemError, RefusedError):
        return False
    return True
