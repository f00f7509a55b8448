"""What lists say of matches: who plays what and whose turn it is, and nothing of private ones."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gdl.match.store import Store
from tests.web.serving import Answer, Client, Table, in_other_words, served


def listed(client: Client, status: str = "active") -> dict[str, Answer]:
    answer = client.ask("GET", "/api/matches", params={"status": status})
    return {each["match"]: each for each in answer["matches"]}


def seat(role: str, title: str, name: str | None = None, **more: Any) -> Answer:  # noqa: ANN401  # JSON
    return {"role": role, "title": title, "name": name, "agent": None, "reserved": False} | more


@pytest.mark.later
def test_lists_say_who_plays_what_and_whose_turn_it_is(tmp_path: Path) -> None:
    with served(tmp_path / "m.db") as client:
        seats: Answer = {"x": {"name": "Ann"}, "o": {"name": "Bob"}}
        table = Table(client, ruleset="tictactoe", seats=seats)
        both = [seat("x", "X", "Ann"), seat("o", "O", "Bob")]
        assert (listed(client)[table.id]["players"], listed(client)[table.id]["toMove"]) == (
            both,
            ["x"],
        )
        table.move("x", "b2")
        assert listed(client)[table.id]["toMove"] == ["o"]
        seats = {"red": {"agent": "random", "name": "Chance"}, "yellow": {"invite": True}}
        waiting = client.create(ruleset="connectfour", seats=seats)["match"]
        free = client.create(ruleset="connectfour")["match"]
        assert listed(client)[waiting]["players"] == [
            seat("red", "Red", "Chance", agent="random"),
            seat("yellow", "Yellow", reserved=True),
        ]
        assert listed(client, "open")[free]["players"] == [
            seat("red", "Red"),
            seat("yellow", "Yellow"),
        ]
        assert table.act("o", "RESIGN").status_code == 201
        ended = listed(client, "finished")[table.id]
        assert (ended["players"], ended["toMove"]) == (both, [])
        again = client.ask(
            "POST", f"{table.path}/rematch", token=table.tokens["x"], json={}, expect=201
        )
        assert listed(client)[again["match"]]["players"] == [
            seat("x", "X", "Bob"),
            seat("o", "O", "Ann"),
        ]
    with served(tmp_path / "m.db") as client:  # what is kept says it too
        assert listed(client, "finished")[table.id] == ended
        assert listed(client)[again["match"]]["toMove"] == ["x"]


@pytest.mark.slow
def test_sent_rules_have_the_titles_of_those_that_they_are_like(tmp_path: Path) -> None:
    with served(tmp_path / "m.db") as client:
        text = client.ask("GET", "/api/rulesets/tictactoe")["rules"]
        like = client.create(rules=text, like="tictactoe")["match"]
        bare = client.create(rules=in_other_words())["match"]
        assert listed(client)[like]["players"] == [seat("x", "X"), seat("o", "O")]
        assert listed(client)[like]["toMove"] == ["x"]
        assert listed(client)[bare]["players"] == [seat("cross", "cross"), seat("ring", "ring")]


def test_nothing_is_told_of_who_plays_unseen(tmp_path: Path) -> None:
    """Neither of matches that are not listed, nor who plays where nobody may look on."""
    with served(tmp_path / "m.db") as client:
        seats = {"x": {"name": "Ann the unseen"}, "o": {"name": "Bob the unseen"}}
        private = client.create(ruleset="tictactoe", seats=seats, listed=False, spectators=False)
        unlisted = client.create(ruleset="tictactoe", seats=seats, listed=False)
        unseen = client.create(ruleset="tictactoe", seats=seats, spectators=False)
        table = Table(client, ruleset="tictactoe")
        shown = listed(client)
        assert shown.keys() == {unseen["match"], table.id}
        told = shown[unseen["match"]]
        assert (told["players"], told["toMove"]) == (None, None)
        text = json.dumps(shown)
        assert "the unseen" not in text
        secrets = [made["owner"] for made in (private, unlisted, unseen)]
        secrets += [each["token"] for each in unseen["seats"].values()] + [*table.tokens.values()]
        assert not any(secret in text for secret in secrets)


def test_lists_and_counts_of_a_large_database_take_no_threads_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a million matches each takes a quarter of a second, and six threads are there for all."""
    running, most, counted = 0, 0, 0
    newest, counts = Store.newest, Store.counts

    def slow_list(store: Store, **wanted: Any) -> Any:  # noqa: ANN401  # of the store
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.05)
        running -= 1
        return newest(store, **wanted)

    def slow_counts(store: Store) -> tuple[int, int]:
        nonlocal counted
        counted += 1
        time.sleep(0.05)
        return counts(store)

    monkeypatch.setattr(Store, "newest", slow_list)
    monkeypatch.setattr(Store, "counts", slow_counts)
    with served(tmp_path / "m.db", poll_seconds=3_600) as client, ThreadPoolExecutor(12) as people:
        lists = [people.submit(client.http.get, "/api/matches?status=open") for _ in range(12)]
        assert {each.result().status_code for each in lists} == {200}
        told = [people.submit(client.http.get, "/metrics") for _ in range(12)]
        assert {each.result().status_code for each in told} == {200}
    assert most == 1
    assert counted <= 6
