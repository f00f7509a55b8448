"""The scenarios of all rulesets through HTTP: ten normal, ten illegal and ten edge ones of each.

On SQLite, and on PostgreSQL where it is installed.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.match.playing import CODES
from tests.match.test_scenarios import check_payload
from tests.scenarios import SCENARIOS, Scenario
from tests.web.serving import Client, Table

LONG = 60
"""Of games of more moves than this only the longest of each kind and ruleset is played."""


def chosen() -> list[Scenario]:
    """Return ten scenarios of each kind and ruleset, and the longest one."""
    found: list[Scenario] = []
    for ruleset in dict.fromkeys(scenario.ruleset for scenario in SCENARIOS):
        for kind in ("normal", "illegal", "edge"):
            mine = [each for each in SCENARIOS if (each.ruleset, each.kind) == (ruleset, kind)]
            short = [each for each in mine if len(each.moves) <= LONG]
            longest = max(mine, key=lambda each: len(each.moves))
            found += short[:10] if longest in short else [*short[:10], longest]
    return found


def test_there_are_ten_of_each_kind() -> None:
    counts = Counter((each.ruleset, each.kind) for each in chosen())
    assert len(counts) == 5 * 3
    assert min(counts.values()) >= 10


@pytest.mark.later
@pytest.mark.sample(1)
@pytest.mark.parametrize("ruleset", dict.fromkeys(each.ruleset for each in SCENARIOS))
@pytest.mark.parametrize("kind", ["normal", "illegal", "edge"])
def test_scenarios(either: Client, ruleset: str, kind: str) -> None:
    for scenario in chosen():
        if (scenario.ruleset, scenario.kind) == (ruleset, kind):
            play(either, scenario)


def play(client: Client, scenario: Scenario) -> None:
    roles = list(scenario.goals)
    table = Table(client, ruleset=scenario.ruleset, seats={role: {} for role in roles})
    legal = scenario.moves if scenario.error is None else scenario.moves[:-1]
    to_move = roles[:1]
    for seq, move in enumerate(legal):
        table.move(to_move[0], move, seq=seq)
        if not (scenario.ruleset == "pentago/phased" and move.startswith("(place")):
            to_move = [role for role in roles if role != to_move[0]]
    state = table.state()
    if scenario.error is not None:
        refuse(table, scenario, (state["toMove"] or roles)[0], len(legal))
        assert table.state() == state
    assert (state["status"] == "finished") == scenario.terminal, scenario.name
    if scenario.terminal:
        assert state["outcome"]["goals"] == scenario.goals
    check_payload(state["payload"], scenario)
    if ruleset_is_gomoku(scenario):
        assert (state["gameId"], state["rulesetVersion"]) == ("gomoku", "freestyle-15x15-v1")
        assert state["phase"] == ("finished" if scenario.terminal else "placing")


def ruleset_is_gomoku(scenario: Scenario) -> bool:
    return scenario.ruleset == "gomoku/freestyle"


def refuse(table: Table, scenario: Scenario, mover: str, seq: int) -> None:
    role, separator, text = scenario.moves[-1].rpartition(": ")
    if text == "A0 1 A":
        return  # capitals are as one likes
    answer = table.act(role if separator else mover, "MOVE", text, seq=seq)
    assert 400 <= answer.status_code < 500
    assert scenario.error is not None
    assert answer.json()["error"]["code"] in CODES[scenario.error], scenario.name


@pytest.mark.sample(1)
def test_duplicates_and_wrong_numbers_of_the_gomoku_source(either: Client) -> None:
    """Section 8: a duplicate action id or sequence is illegal, and changes nothing."""
    table = Table(either, ruleset="gomoku/freestyle")
    first = table.act("black", "MOVE", "PLACE_STONE {7,7}", seq=0, id_="one")
    again = table.act("black", "MOVE", "PLACE_STONE {7,7}", seq=0, id_="one")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == {**first.json(), "new": False}
    for role, id_, seq, move, code in (
        ("black", "one", 0, "PLACE_STONE {7,8}", "duplicate-id"),
        ("white", "one", 1, "PLACE_STONE {8,8}", "duplicate-id"),
        ("white", "two", 0, "PLACE_STONE {8,8}", "wrong-sequence"),
        ("white", "two", 2, "PLACE_STONE {8,8}", "wrong-sequence"),
    ):
        answer = table.act(role, "MOVE", move, seq=seq, id_=id_)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, code)
    assert table.state()["payload"]["moveHistory"] == [{"x": 7, "y": 7, "color": "B"}]


@pytest.mark.later
def test_resigning_and_agreeing_through_http(either: Client) -> None:
    table = Table(either, ruleset="pentago/strict")
    assert table.act("black", "REQUEST_DRAW").status_code == 201
    assert table.state()["drawOffer"] == {"by": "black", "accepted": []}
    assert table.act("white", "DECLINE_DRAW").status_code == 201
    assert table.act("white", "ACCEPT_DRAW").json()["error"]["code"] == "no-draw-offer"
    assert table.act("white", "RESIGN").status_code == 201
    assert table.state()["outcome"] == {
        "how": "resignation",
        "by": "white",
        "goals": {"black": 100, "white": 0},
        "winner": "black",
    }
    assert table.act("black", "MOVE", "A1 Q00 CW").json()["error"]["code"] == "game-over"
