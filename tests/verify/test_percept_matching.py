"""What roles see in two games: in other words it is the same, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.certify import check_folder, read_index
from gdl.language.syntax import Constant, Term
from gdl.ruleset import Ruleset
from gdl.verify.provenance import Provenance
from tests.verify.seen import STEPS, seen_pair


def rules(name: str, text: str) -> Ruleset:
    return Ruleset(name, (), text=text)


@pytest.mark.parametrize("seed", range(6))
def test_percepts_in_other_words_are_matched(seed: int) -> None:
    pair = seen_pair(seed, differs=False)
    answer = gdl.diff(rules("one", pair.one), rules("other", pair.other))
    assert answer.equivalent
    assert any(line.startswith("p sees ") for line in answer.matched)


@pytest.mark.later
@pytest.mark.parametrize("seed", range(6))
def test_a_percept_more_is_a_difference_in_any_words(seed: int) -> None:
    pair = seen_pair(seed, differs=True)
    answer = gdl.diff(rules("one", pair.one), rules("other", pair.other))
    assert (answer.equivalent, answer.proved, answer.depth) == (False, True, STEPS)
    assert [str(kind) for kind in answer.kinds] == ["sees"]
    assert "says so at other:" in answer.sentence


KEY = """
(role p) (init (at 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
(after 6 7) (after 7 8) (key 0 1) (key 1 3) (key 2 2) (key 3 4) (key 4 1) (key 5 4) (key 6 2)
(key 7 3) (move 1) (move 2) (move 3) (move 4)
(<= (legal p (press ?m)) (move ?m)) (<= (next (at ?n)) (true (at ?m)) (after ?m ?n))
(<= (next stuck) (true (at ?n)) (does p (press ?m)) (not (key ?n ?m)))
(<= (next stuck) (true stuck))
(<= terminal (true (at 8))) (goal p 50)
(<= (sees p {0}) (true (at 7)) (not (true stuck)) (does p (press 1)))
(<= (sees p {1}) (true (at 7)) (not (true stuck)) (does p (press 2)))
"""
"""Eight buttons in order open a door; what is seen behind it depends on the last one."""


def test_what_random_play_never_sees_is_told_apart_by_a_play_that_is_proved() -> None:
    """In the order of their names the percepts would be taken for each other."""
    spare = "(<= (next (spare ?x)) (true (spare ?x)))"  # not the same text
    one, other = rules("one", KEY.format("a", "b")), rules("other", KEY.format("y", "x") + spare)
    answer = gdl.diff(one, other)
    assert answer.equivalent
    assert set(answer.matched) == {"p sees a = y", "p sees b = x"}
    assert "percepts" in [stage.name for stage in answer.stages]
    same = rules("other", KEY.format("x", "x") + spare)
    assert gdl.diff(one, same).equivalent is False


HEARD = """
(role random) (role p) (init here) (coin heads) (coin tails)
(<= (legal random ?c) (coin ?c)) (legal p wait) (<= terminal (not (true here)))
(goal p 50) (goal random 50)
"""


def test_words_that_both_games_have_keep_their_meaning() -> None:
    """Who writes hit where he means miss has made a slip, and not another language."""
    one = HEARD + "(<= (sees p hit) (does random heads)) (<= (sees p miss) (does random tails))"
    other = HEARD + "(<= (sees p miss) (does random heads)) (<= (sees p hit) (does random tails))"
    answer = gdl.diff(rules("one", one), rules("other", other))
    assert (answer.equivalent, answer.depth) == (False, 1)
    assert any("with other words they are the same rules" in note for note in answer.notes)
    table: dict[Term, Term] = {Constant("hit"): Constant("miss"), Constant("miss"): Constant("hit")}
    told = gdl.diff(rules("one", one), rules("other", other), table=table)
    assert told.equivalent
    assert told.matched == ("p sees hit = miss", "p sees miss = hit")


def test_a_map_is_heard_where_one_game_speaks_of_more() -> None:
    one = HEARD + "(<= (sees p (got ?c)) (does random ?c))"
    more = "(<= (sees p (heard both)) (does random heads) (does random tails))"
    other = HEARD + "(<= (sees p (heard ?c)) (does random ?c))" + more
    table: dict[Term, Term] = {Constant("got"): Constant("heard")}
    answer = gdl.diff(rules("one", one), rules("other", other), table=table)
    assert answer.equivalent
    assert "p sees (got heads) = (heard heads)" in answer.matched


def test_a_certificate_says_which_percepts_are_which(tmp_path: Path) -> None:
    pair = seen_pair(0, differs=False)
    games = rules("one", pair.one), rules("other", pair.other)
    folder = tmp_path / "shown"
    assert gdl.diff(*games, certificates=folder).equivalent
    origin = Provenance(games, read_index(folder))
    assert all(claim.holds for claim in check_folder(folder, origin=origin))
    assert any("p sees red = " in note for note in origin.notes)
    other = rules("other", seen_pair(0, differs=True).other)
    unlike = Provenance((games[0], other), read_index(folder))
    assert not any(claim.holds for claim in check_folder(folder, origin=unlike))
