"""Which facts a state may hold: none that play makes is missing, what no rule gives is named."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gdl
from gdl.language.checked import checked
from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Variable
from gdl.reason.possible_facts import Stray, possible_facts, stray
from tests.shared import GAMES, needs_games

MOVES = """
(init (at 0)) (move (to 3)) (<= (legal r ?m) (move ?m)) (<= (next (at ?x)) (does r (to ?x)))
"""
STEPS = "(succ 1 2) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))"
FRAME = "(role r) (legal r go) (goal r 0) (<= terminal (true (at 0)))"


def asked(rules: str, fact: str) -> Stray | None:
    """Return the argument of a fact that some rules do not give."""
    term = parse_term(fact)
    assert not isinstance(term, Variable)
    return stray(term, possible_facts(checked(parse(f"{FRAME} {rules}"))))


@pytest.mark.parametrize(
    ("rules", "fact"),
    [
        ("(init (at 0))", "(at 0)"),
        ("(init (at 0)) (base (at 1))", "(at 1)"),
        ("(init (at 0)) (succ 0 1) (<= (base (at ?y)) (succ ?x ?y))", "(at 1)"),
        ("(init (at 0)) (succ 0 1) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))", "(at 1)"),
        # What only base gives is where play may go on from.
        (f"(init (at 0)) (base (at 1)) {STEPS}", "(at 2)"),
        # Facts that no rule asks for are made all the same.
        ("(init (at 0)) (init (seen a)) (<= (next (seen b)) (true (at 0)))", "(seen b)"),
        # Moves come from what a relation lists.
        (MOVES, "(at 3)"),
        # A term may hold anything.
        ("(init (at (box 0))) (<= (next (at (box ?x))) (true (at (box ?x))))", "(at (box 7))"),
        # A value that comes out of a term is not followed: nothing is known then.
        ("(init (at (box 0))) (<= (next (at ?x)) (true (at (box ?x))))", "(at 9)"),
        # Nor is anything where a whole fact is passed on.
        ("(init (at 0)) (<= (next ?f) (true ?f))", "(at 9)"),
    ],
)
def test_a_fact_that_some_rule_gives(rules: str, fact: str) -> None:
    assert asked(rules, fact) is None


@pytest.mark.parametrize(
    ("rules", "fact", "place", "possible"),
    [
        ("(init (at 10)) (base (at 9))", "(at 1)", 1, ["9", "10"]),
        ("(init (on a (box 1)))", "(on a (bag 1))", 2, ["(box 1)"]),
        (MOVES, "(at 2)", 1, ["0", "3"]),
    ],
)
def test_a_fact_that_no_rule_gives(rules: str, fact: str, place: int, possible: list[str]) -> None:
    found = asked(rules, fact)
    assert found is not None
    assert (found.place, list(found.possible)) == (place, possible)


def test_what_more_values_than_are_told_apart_lead_to_is_anything() -> None:
    steps = " ".join(f"(succ {i} {i + 1})" for i in range(700))
    rules = f"(init (at 0)) {steps} (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))"
    assert asked(rules, "(at 700)") is None


SOME = random.Random("possible facts").sample(GAMES, min(8, len(GAMES)))


@needs_games
@pytest.mark.slow
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_what_play_makes_is_possible(path: Path) -> None:
    game = gdl.load(path, backend="reason")
    possible = possible_facts(game.ruleset.checked(game.limits))
    rng = random.Random(path.name)
    state = game.machine.initial()
    for _ in range(30):
        for fact in game.machine.facts(state):
            assert not isinstance(fact, Variable)
            assert stray(fact, possible) is None
        moves = [game.machine.legal(state, role) for role in game.machine.roles]
        if game.machine.is_terminal(state) or not all(moves):
            break
        state = game.machine.successor(state, tuple(map(rng.choice, moves)))
