"""The rulesets of a server: by id, with parameters or without."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("pydantic", reason="needs the serve extra")

from gdl.web import shipped as shipped_module
from gdl.web.problems import ProblemError
from gdl.web.shipped import Shipped
from tests.web.serving import served

MANIFEST = """[[ruleset]]
id = "queue"
title = "Queue"
version = "1"
source = "ours"
rules = ["queue.kif"]
parameters = ["steps"]
facts = "steps"

[parameter.steps]
default = 2
values = "1..9"
help = "until it is over"

[[facts.steps]]
fact = "(succ ?i ?j)"
where.i = "1..steps"
where.j = "i + 1"

[[facts.steps]]
fact = "(last ?n)"
where.n = "steps"
"""
RULES = """(role walker) (init (at 1))
(<= (legal walker walk) (true (at ?i)) (succ ?i ?j))
(<= (next (at ?j)) (does walker walk) (true (at ?i)) (succ ?i ?j))
(<= terminal (true (at ?i)) (last ?i))
(goal walker 100)
"""


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shipped:
    (tmp_path / "manifest.toml").write_text(MANIFEST)
    (tmp_path / "queue.kif").write_text(RULES)
    monkeypatch.setenv("GDL_RULESETS", str(tmp_path))
    return Shipped()


def test_an_id_may_give_parameters(shipped: Shipped) -> None:
    pinned = shipped.pinned("queue?steps=4")
    assert (pinned["id"], pinned["title"]) == ("queue?steps=4", "Queue, steps 4")
    assert shipped.is_shipped(pinned)
    assert not shipped.is_shipped({**pinned, "rules": shipped.pinned("queue")["rules"]})
    assert shipped.offer("queue?steps=1").first == ()
    assert shipped.offer("queue?steps=4").first != ()
    assert shipped.pinned("queue?steps=2") is shipped.pinned("queue")


def test_the_list_says_which_parameters_there_are(shipped: Shipped) -> None:
    (queue,) = [each for each in shipped.listed() if each["id"] == "queue"]
    assert queue["parameters"] == [
        {"name": "steps", "default": 2, "values": [*range(1, 10)], "help": "until it is over"}
    ]


@pytest.mark.later
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("queue?steps=10", "steps of queue is 10"),
        ("queue?step=3", "queue has no parameter 'step'"),
        ("pentago/strict?size=3", "pentago/strict has no parameters"),
        ("quue?steps=3", "there is no ruleset quue?steps=3"),
        ("../queue?steps=3", "there is no ruleset ../queue?steps=3"),
        ("queue?" + "steps=3&" * 50, "queue is given its parameter steps twice"),
    ],
)
def test_what_is_no_id_is_a_problem_in_words(shipped: Shipped, name: str, said: str) -> None:
    with pytest.raises(ProblemError) as caught:
        shipped.pinned(name)
    assert caught.value.status == 404
    assert caught.value.message.startswith(said)
    assert not shipped.is_shipped({"id": name})


@pytest.mark.slow
def test_what_takes_long_the_first_time_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boards of every size are asked for, each as if it were the first: not on the event loop."""
    on_the_loop = []
    for name in ("find", "load", "start", "unpin"):
        work = getattr(shipped_module, name)

        def noted(*args: Any, _name: str = name, _work: Any = work, **more: Any) -> Any:  # noqa: ANN401  # of work
            with suppress(RuntimeError):
                asyncio.get_running_loop()
                on_the_loop.append(_name)
            return _work(*args, **more)

        monkeypatch.setattr(shipped_module, name, noted)
    with served(tmp_path / "m.db") as client:
        told = client.ask("GET", f"/api/rulesets/{quote('hex?size=3')}")
        assert (told["title"], told["seats"]) == ("Hex, size 3", ["red", "blue"])
        assert told["frame"] is not None
        assert told["trained"] == []
        made = client.create(ruleset="hex?size=4")
        log = client.http.get(f"/api/matches/{made['match']}/log").text
        imported = client.ask(
            "POST", "/api/imports", content=log.replace('"hex?size=4"', '"hex?size=5"'), expect=201
        )
        assert not imported["state"]["shipped"]
        client.create(rules=told["rules"], like="hex?size=6")
        carried = {"ruleset": "hex?size=3", "other": "hex?size=7"}
        client.ask("POST", "/api/carried", json=carried)
        client.refused("GET", f"/api/rulesets/{quote('hex?size=1')}", 404)
    with served(tmp_path / "m.db") as again:
        assert again.ask("GET", f"/api/matches/{made['match']}")["shipped"]
    assert on_the_loop == []


@pytest.mark.later
def test_positions_of_large_boards_are_told_whatever_sent_rules_may_take(tmp_path: Path) -> None:
    """A state of Quoridor with nine squares has more than 100,000 facts; it was refused."""
    with served(tmp_path / "m.db") as client:
        told = client.ask("POST", "/api/positions", json={"ruleset": "quoridor?size=9&walls=10"})
    assert told["state"]["toMove"] == ["white"]
