"""Made-up words: the game stays the same, and nothing is left of its names."""

from __future__ import annotations

import random
import re

import pytest

from gdl.ggp.scramble import scrambler, unscrambled
from gdl.language.keywords import KEYWORDS
from gdl.language.parse import parse_term
from gdl.machine import JointMove
from gdl.playouts import playout
from gdl.ruleset import find
from gdl.ruleset.flatten import flatten
from tests.ggp.games import CARDS, RACE, game

TEXTS = {
    "race": RACE,
    "cards": CARDS,
    "quoted": RACE.replace("walk", "|a (walk|").replace("run", '"run"').replace("left", "Not"),
    "below nought": RACE.replace("(goal ?r 100)", "(goal ?r -5)"),
    "between bars": RACE.replace("(goal ?r 100)", "(goal ?r |100|)")
    .replace("(next (ran ?r))", "(|next| (|ran| ?|r|))")
    .replace("(role right)", "(|role| |right|)"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_scrambled_game_plays_the_same(name: str, seed: int) -> None:
    words = scrambler(TEXTS[name], seed=seed)
    plain, made_up = game(TEXTS[name]).machine, game(words.rules).machine
    assert tuple(map(words.scramble, plain.roles)) == made_up.roles
    twin = made_up.initial()

    def follow(state: object, joint: JointMove) -> None:
        nonlocal twin
        for role in plain.roles:
            legal = {words.scramble(move) for move in plain.legal(state, role)}
            assert set(made_up.legal(twin, words.scramble(role))) == legal
        assert tuple(words.unscramble(words.scramble(move)) for move in joint) == joint
        twin = made_up.successor(twin, tuple(map(words.scramble, joint)))

    last, plies = playout(plain, plain.initial(), random.Random(seed), on_step=follow)
    assert plies > 0
    assert made_up.is_terminal(twin) is plain.is_terminal(last) is True
    for role in plain.roles:
        assert made_up.goals(twin, words.scramble(role)) == plain.goals(last, role)


def test_no_name_of_the_game_is_left() -> None:
    rules = flatten(find("pentago/strict"))
    words = scrambler(rules, seed=3)
    left = set(re.findall(r"[^\s()?]+", words.rules)) & set(re.findall(r"[^\s()?]+", rules))
    assert left - KEYWORDS == {word for word in left if word.isdigit()}
    assert ";" not in words.rules
    assert "\n" not in words.rules


@pytest.mark.parametrize(
    ("word", "is_kept"),
    [
        ("-007", True),
        ("9" * 18, True),
        ("9" * 19, False),
        ("+5", False),
        ("²", False),
        ("-", False),
    ],
)
def test_numbers_that_a_goal_can_pay_stay(word: str, is_kept: bool) -> None:  # noqa: FBT001
    words = scrambler(f"(role a) (init {word})", seed=0)
    assert (word in words.rules) is is_kept
    assert words.unscramble(words.scramble(parse_term(word))) == parse_term(word)


def test_nature_keeps_its_name() -> None:
    assert "( role random )" in scrambler(CARDS, seed=0).rules


def test_another_seed_gives_other_words_and_the_same_seed_the_same() -> None:
    assert scrambler(RACE, seed=1) == scrambler(RACE, seed=1)
    assert scrambler(RACE, seed=1).rules != scrambler(RACE, seed=2).rules


def test_an_answer_in_capitals_is_understood() -> None:
    words = scrambler(RACE, seed=1)
    made_up = str(words.scramble(parse_term("run")))
    assert words.unscramble(parse_term(made_up.upper())) == parse_term("run")


def test_without_scrambling_the_words_stay_and_comments_go() -> None:
    assert unscrambled("(role a) ; b\n(init c)").rules == "( role a ) ( init c )"
