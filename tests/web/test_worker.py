"""The process apart: what nobody foresaw there is said, noted, and no end of anything."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from gdl.language.limits import DEFAULT_LIMITS
from gdl.match.log import header_json
from gdl.match.match import Header
from gdl.match.pin import pin
from gdl.match.refusal import LogError
from gdl.ruleset import find
from gdl.web.problems import ProblemError
from gdl.web.processes import Process
from gdl.web.storable import require_storable
from gdl.web.study import imported, prepare
from gdl.web.worker import Worker, reply, written


def test_an_unforeseen_error_is_told_with_its_traceback() -> None:
    """A process that died of it would be taken for one of rules that are too large."""
    told = reply(Worker(is_confined=False), json.dumps({"do": "check", "args": {"n": 1}}).encode())
    assert told["problem"]["status"] == 500
    assert told["problem"]["message"] == "this is a fault of the server"
    assert "Traceback" in told["trace"]
    assert "TypeError" in told["trace"]


@pytest.mark.slow
def test_a_process_that_met_one_makes_room_for_another(caplog: pytest.LogCaptureFixture) -> None:
    async def ask() -> tuple[int, int]:
        process = Process(memory=0, seconds=60, limits=None)
        try:
            with pytest.raises(ProblemError) as caught:
                await process.ask("check", nonsense=1)
            answer = await process.ask("check", text="(role x")
        finally:
            await process.end()
        assert caught.value.status == 500
        assert process.starts == 2
        return caught.value.status, answer["errors"]

    with caplog.at_level(logging.ERROR, logger="gdl.web"):
        assert asyncio.run(ask()) == (500, 1)
    assert [record.getMessage() for record in caplog.records] == ["unforeseen"]


@pytest.mark.later
def test_a_board_that_does_not_fit_together_is_not_taken_in() -> None:
    pinned = json.loads(json.dumps(pin(find("tictactoe"))))
    pinned["picture"]["columnLabels"] = []
    with pytest.raises(LogError) as caught:
        imported(header_json(Header("m", pinned)), [], DEFAULT_LIMITS)
    assert str(caught.value) == (
        "the ruleset of the match cannot be shown: IndexError tuple index out of range\n"
        "  expected: players, a notation and a picture as gdl.match.pin.pin writes them"
    )


@pytest.mark.slow
def test_rules_of_more_facts_than_are_told_in_a_moment_are_refused() -> None:
    """The server, which would read and write them while all others wait, does not see them."""
    rules = (
        "(role x) (goal x 0) (legal x go) (<= (next (f 1 1)) (true (f 1 1)))"
        + " ".join(f"(n {number})" for number in range(142))
        + "(<= terminal (not (true (f 1 1)))) (<= (init (f ?a ?b)) (n ?a) (n ?b))"
    )
    with pytest.raises(ProblemError) as caught:
        prepare(rules, "many", None, DEFAULT_LIMITS)
    assert (caught.value.status, caught.value.code) == (422, "rules-too-large")
    text = "what is told of a state of these rules has at most 20000 values"
    assert caught.value.message == text
    large = {"ok": {"legal": list(range(20_010))}}
    log = {"ok": [{"seq": number} for number in range(20_010)]}
    refused = json.loads(written(large, is_bounded=True))
    assert ProblemError.read(refused["problem"]).message == text
    assert json.loads(written(log, is_bounded=True)) == log
    assert json.loads(written(large, is_bounded=False)) == large


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_numbers_that_json_has_not_are_not_kept(number: str) -> None:
    with pytest.raises(ProblemError) as caught:
        require_storable([{"more": [json.loads(number)]}], "the log")
    assert str(caught.value) == (
        "the log has a number that is none in JSON\n  expected: finite numbers"
    )
