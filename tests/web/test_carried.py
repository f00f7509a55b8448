"""The same moves under other rules: carried over as far as these allow, and no further."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

import gdl
from gdl.language.limits import DEFAULT_LIMITS
from gdl.match.log import header_json
from gdl.match.match import Header
from gdl.ruleset import Ruleset, find
from gdl.web.carried import carried
from gdl.web.correspondences import Correspondence, Correspondences, correspond, names_alone
from gdl.web.problems import ProblemError
from tests.shared import missing
from tests.web.serving import Client, in_other_words, served

TURNS = """
(role left) (role right)
(init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(turn 0 left) (turn 1 left) (turn 2 right) (turn 3 right)
(<= (legal ?r (take ?x)) (true (step ?s)) (turn ?s ?r) (coin ?x))
(<= (legal ?r noop) (role ?r) (true (step ?s)) (turn ?s ?o) (distinct ?r ?o))
(coin a) (coin b)
(<= (next (step ?t)) (true (step ?s)) (succ ?s ?t))
(<= (next (got ?s ?x)) (true (step ?s)) (does ?r (take ?x)))
(<= (next (got ?s ?x)) (true (got ?s ?x)))
(<= terminal (true (step 4)))
(goal left 100) (goal right 0)
"""
"""Two plies of each role in a row."""
WHOLE = """
(role first) (role second)
(init (step 0)) (succ 0 1) (succ 1 2)
(turn 0 first) (turn 1 second)
(<= (legal ?r (both ?x ?y)) (true (step ?s)) (turn ?s ?r) (coin ?x) (coin ?y))
(<= (legal ?r noop) (role ?r) (true (step ?s)) (turn ?s ?o) (distinct ?r ?o))
(coin a) (coin b)
(<= (next (step ?t)) (true (step ?s)) (succ ?s ?t))
(<= (next (got ?s ?x ?y)) (true (step ?s)) (does ?r (both ?x ?y)))
(<= (next (got ?s ?x ?y)) (true (got ?s ?x ?y)))
(<= terminal (true (step 2)))
(goal first 100) (goal second 0)
"""
"""The same with both plies in one move."""
COINS = [(x, y) for x in "ab" for y in "ab"]
TOGETHER = Correspondence(
    method="by hand",
    note="",
    roles={"left": "first", "right": "second"},
    moves={
        role: [([f"(take {x})", f"(take {y})"], [f"(both {x} {y})"]) for x, y in COINS]
        for role in ("left", "right")
    },
    plies=2,
)
APART = Correspondence(
    method="by hand",
    note="",
    roles={theirs: mine for mine, theirs in TOGETHER["roles"].items()},
    moves={
        TOGETHER["roles"][role]: [(theirs, mine) for mine, theirs in pairs]
        for role, pairs in TOGETHER["moves"].items()
    },
    plies=1,
)


def ruleset(text: str) -> Ruleset:
    return find(text) if "(" not in text else Ruleset("mine", (), text=text)


def carry(
    one: str, other: str, moves: list[Any], correspondence: Correspondence
) -> tuple[list[dict[str, str]], dict[str, Any] | None]:
    """Return the moves under the other rules, and why they stop."""
    headers = [header_json(Header.of("", ruleset(text))) for text in (one, other)]
    answer = carried(headers[0], [], moves, headers[1], correspondence, DEFAULT_LIMITS)
    return answer["terms"], answer["refused"]


def test_two_plies_become_one_move_and_one_move_two_plies() -> None:
    plies = ["(take a)", "(take b)", "(take b)", "(take b)"]
    whole = ["(both a b)", "(both b b)"]
    terms, refused = carry(TURNS, WHOLE, plies, TOGETHER)
    assert (terms, refused) == ([{"first": "(both a b)"}, {"second": "(both b b)"}], None)
    terms, refused = carry(WHOLE, TURNS, whole, APART)
    assert refused is None
    assert [list(move.items()) for move in terms] == [
        [(role, ply)] for role, ply in zip(["left", "left", "right", "right"], plies, strict=True)
    ]


def test_half_of_a_turn_waits_for_the_other_half() -> None:
    terms, refused = carry(TURNS, WHOLE, ["(take a)", "(take b)", "(take b)"], TOGETHER)
    assert terms == [{"first": "(both a b)"}]
    assert refused == {
        "move": 2,
        "code": "no-counterpart",
        "message": "(take b) is half of a turn, which is one move there",
    }


def with_moves(*pairs: tuple[list[str], list[str]]) -> Correspondence:
    return Correspondence(method="by hand", note="", roles={}, moves={"x": list(pairs)}, plies=1)


def test_a_move_that_may_be_several_is_none_of_them() -> None:
    either = with_moves(*((["(mark a 1)"], [f"(mark {x} {y})"]) for x in "ab" for y in (2, 3)))
    terms, refused = carry("tictactoe", "tictactoe", ["a1"], either)
    assert terms == []
    assert refused is not None
    assert refused["message"] == "a1 may stand for a2, a3, b2 and 1 more"


def test_of_several_the_one_that_is_legal_is_meant() -> None:
    either = with_moves((["(mark b 2)"], ["(mark a 1)"]), (["(mark b 2)"], ["(mark b 2)"]))
    terms, refused = carry("tictactoe", "tictactoe", ["a1", "b1", "b2"], either)
    assert (terms[-1], refused) == ({"x": "(mark b 2)"}, None)


def test_a_move_without_counterpart_is_not_made_by_its_name() -> None:
    terms, refused = carry("tictactoe", "tictactoe", ["a1"], with_moves((["(mark a 1)"], [])))
    assert terms == []
    assert refused == {
        "move": 0,
        "code": "no-counterpart",
        "message": "nothing stands for a1 there",
    }


def test_the_other_rules_say_why_a_move_is_not_legal() -> None:
    same = with_moves((["(mark b 2)"], ["(mark a 1)"]))
    terms, refused = carry("tictactoe", "tictactoe", ["a1", "b1", "b2"], same)
    assert len(terms) == 2
    assert refused is not None
    assert (refused["move"], refused["code"]) == (2, "occupied")


def test_words_that_nothing_is_known_of_stand_for_themselves() -> None:
    terms, refused = carry("tictactoe", "hex", ["a1"], names_alone("nobody has looked"))
    assert terms == []
    assert refused is not None
    assert (refused["move"], refused["code"]) == (0, "unknown-role")


def test_what_is_hidden_is_not_carried_over() -> None:
    with pytest.raises(ProblemError, match="hides its state"):
        carry("tictactoe", "phantomtictactoe", [], names_alone(""))


@pytest.mark.slow
def test_other_words_for_the_same_rules_are_found_and_carried_over() -> None:
    pytest.importorskip("pysat", reason=missing("verify"))
    mine, theirs = gdl.load(ruleset(in_other_words())), gdl.load("tictactoe")
    answer = correspond(mine.ruleset, theirs.ruleset, 60.0, DEFAULT_LIMITS)
    found = answer["found"]
    assert (answer["final"], found["roles"]) == (True, {"cross": "x", "ring": "o"})
    rng = random.Random(0)
    for _ in range(5):
        state = mine.initial()
        moves: list[str] = []
        while not state.is_terminal:
            move = rng.choice(state.legal(state.movers[0]))
            moves.append(str(move))
            state = state.play(move)
        terms, refused = carry(in_other_words(), "tictactoe", moves, found)
        assert refused is None
        there = theirs.initial()
        for term in terms:
            there = there.play(term)
        assert there.is_terminal
        assert [there.goal(found["roles"][role]) for role in mine.roles] == [
            state.goal(role) for role in mine.roles
        ]


@pytest.mark.slow
def test_rules_without_counterparts_are_said_in_words() -> None:
    pytest.importorskip("pysat", reason=missing("verify"))
    answer = correspond(ruleset(TURNS), find("tictactoe"), 60.0, DEFAULT_LIMITS)
    assert answer == {
        "final": True,
        "found": names_alone("the moves of mine and tictactoe cannot be matched"),
    }


def test_no_time_is_no_answer_for_good() -> None:
    pytest.importorskip("pysat", reason=missing("verify"))
    answer = correspond(find("tictactoe"), find("hex"), 0.0, DEFAULT_LIMITS)
    assert not answer["final"]
    assert answer["found"]["note"] == "there was no time to find out more: 0 seconds are over"


class Finder:
    """Counts how often it is asked."""

    def __init__(self, answer: dict[str, Any] | ProblemError) -> None:
        self.answer, self.asked = answer, 0

    async def __call__(self) -> dict[str, Any]:
        self.asked += 1
        await asyncio.sleep(0)
        if isinstance(self.answer, ProblemError):
            raise self.answer
        return self.answer


FOUND = {"final": True, "found": TOGETHER}


def test_a_pair_is_looked_at_once_also_by_many_at_once() -> None:
    async def run() -> None:
        kept, finder = Correspondences(), Finder(FOUND)
        asked = (kept.between({"id": "a"}, {"id": "b"}, finder) for _ in range(5))
        assert await asyncio.gather(*asked) == [TOGETHER] * 5
        assert await kept.between({"id": "a"}, {"id": "b"}, finder) == TOGETHER
        assert finder.asked == 1
        await kept.between({"id": "b"}, {"id": "a"}, finder)
        assert finder.asked == 2

    asyncio.run(run())


def test_whoever_was_refused_may_ask_again() -> None:
    async def run() -> None:
        kept, busy = Correspondences(), Finder(ProblemError(503, "busy", "later"))
        with pytest.raises(ProblemError, match="later"):
            await kept.between({"id": "a"}, {"id": "b"}, busy)
        assert await kept.between({"id": "a"}, {"id": "b"}, Finder(FOUND)) == TOGETHER

    asyncio.run(run())


def test_rules_that_are_too_large_to_compare_keep_their_names() -> None:
    async def run() -> None:
        kept, large = Correspondences(), Finder(ProblemError(422, "rules-too-large", "too much"))
        for _ in range(2):
            found = await kept.between({"id": "a"}, {"id": "b"}, large)
            assert found == names_alone("too much")
        assert large.asked == 1

    asyncio.run(run())


@pytest.mark.slow
def test_a_match_of_sent_rules_is_carried_over_by_the_server(client: Client) -> None:
    pytest.importorskip("pysat", reason=missing("verify"))
    made = client.create(rules=in_other_words(), seats={"cross": {"name": "Ann"}})
    asked = {"match": made["match"], "moves": ["(put left 1)"], "other": "tictactoe"}
    answer = client.ask("POST", "/api/carried", json=asked)
    assert answer["texts"] == [{"x": "a1"}]
    assert answer["matching"]["roles"] == {"cross": "x", "ring": "o"}
    assert answer["state"]["toMove"] == ["o"]
    assert client.refused("POST", "/api/carried", 404, json={**asked, "other": "no"}) == (
        "unknown-ruleset"
    )


def test_the_search_has_its_bounds_for_each_client(tmp_path: Path) -> None:
    with served(tmp_path / "matches.db", sent_questions=0) as client:
        asked = {"ruleset": "tictactoe", "other": "hex"}
        assert client.refused("POST", "/api/carried", 503, json=asked) == "busy"
