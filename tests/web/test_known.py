"""What a seat may know of a game that hides facts, over HTTP: that, and nothing of the others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.shared import missing
from tests.web.serving import Client, Table

pytest.importorskip("pysat", reason=missing("verify"))

pytestmark = pytest.mark.later
PATH = "/api/known"
UNHURRIED: dict[str, Any] = {"seconds": 10.0}


def marks(client: Client, table: Table, role: str, **more: object) -> dict[int, str]:
    """Return by site the name of what a role is shown there."""
    request = {"match": table.id, **UNHURRIED, **more}
    answer = client.ask("POST", PATH, token=table.tokens[role], json=request)
    assert answer["role"] == role
    return {int(site): name for site, (_, name, _) in answer["scene"]["sites"].items()}


def test_each_is_shown_what_he_knows_and_not_what_the_other_does(client: Client) -> None:
    table = Table(client, ruleset="phantomtictactoe")
    assert marks(client, table, "x") == {} == marks(client, table, "o")
    for role, move in (("x", "b2"), ("o", "noop"), ("x", "noop"), ("o", "b2")):
        table.move(role, move)
    # X knows his own mark; O's was refused, so O knows X's, and that there is nothing else.
    assert marks(client, table, "x") == {4: "x"}
    assert marks(client, table, "o") == {4: "x"}
    for role, move in (("x", "noop"), ("o", "a3")):
        table.move(role, move)
    assert marks(client, table, "x") == {4: "x"} | dict.fromkeys((0, 1, 2, 3, 5, 6, 7, 8), "?")
    assert marks(client, table, "o") == {0: "o", 4: "x"}
    assert marks(client, table, "o", seq=2) == dict.fromkeys(range(9), "?")  # as he knew it then


def test_who_has_no_seat_knows_nothing_and_nobody_tries_moves(client: Client) -> None:
    table = Table(client, ruleset="phantomtictactoe")
    about = {"match": table.id}
    assert client.refused("POST", PATH, 403, json=about) == "hidden"
    assert client.refused("POST", PATH, 403, json={"ruleset": "phantomtictactoe"}) == "hidden"
    token = table.tokens["x"]
    tried = {**about, "moves": [{"x": "b2", "o": "noop"}]}
    assert client.refused("POST", PATH, 403, token=token, json=tried) == "hidden"


def test_where_nothing_is_hidden_everything_is_known(client: Client) -> None:
    table = Table(client, ruleset="tictactoe")
    table.move("x", "b2")
    assert marks(client, table, "o") == {4: "x"}
