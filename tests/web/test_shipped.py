"""The rulesets of a server: by id, with parameters or without."""

from pathlib import Path

import pytest

pytest.importorskip("pydantic", reason="needs the serve extra")

from gdl.web.problems import ProblemError
from gdl.web.shipped import Shipped

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
    assert shipped.first("queue?steps=1") == ()
    assert shipped.first("queue?steps=4") != ()
    assert shipped.pinned("queue?steps=2") is shipped.pinned("queue")


def test_the_list_says_which_parameters_there_are(shipped: Shipped) -> None:
    (queue,) = [each for each in shipped.listed() if each["id"] == "queue"]
    assert queue["parameters"] == [
        {"name": "steps", "default": 2, "values": [*range(1, 10)], "help": "until it is over"}
    ]


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
