"""``base`` and ``input`` are checked, used where they hold, and never change play."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.backend import missing_packages
from gdl.compile import CompileLimits, GameCircuit, build
from gdl.language.diagnostics import Diagnostic, GdlError
from gdl.language.parse import parse, parse_term
from gdl.language.syntax import Description
from gdl.reason.machine import Reasoner
from tests.compile.lockstep import disagreement

RULES = """(role robot)
(init (step 1))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (legal robot (go ?n)) (true (step ?n)))
(<= (next (step ?m)) (does robot (go ?n)) (succ ?n ?m))
(<= terminal (true (step 4)))
(<= (goal robot 100) (true (step 4)))
(<= (goal robot 0) (not (true (step 4))))
"""
INPUT = "(<= (input robot (go ?n)) (number ?n)) (number 1) (number 2) (number 3) (number 4)"
BASE = "(<= (base (step ?n)) (number ?n))\n"


def built(text: str) -> tuple[GameCircuit, list[str]]:
    description = game(text)
    found: list[Diagnostic] = []
    circuit = build(description, on_diagnostic=found.append)
    assert disagreement(circuit, Reasoner(description), states=30, seed=1) is None
    return circuit, [str(diagnostic) for diagnostic in found]


def game(text: str) -> Description:
    return parse(text, syntax="kif", name="steps.kif")


def facts(circuit: GameCircuit) -> list[str]:
    return [str(fact) for fact in circuit.facts]


def test_without_base_what_follows_a_terminal_state_is_there() -> None:
    circuit, said = built(RULES)
    assert facts(circuit) == [f"(step {n})" for n in range(1, 6)]
    assert said == []


def test_base_bounds_the_facts_where_nothing_outside_can_be_made() -> None:
    circuit, said = built(RULES + BASE + INPUT)
    assert facts(circuit) == [f"(step {n})" for n in range(1, 5)]
    assert said == []


@pytest.mark.skipif(bool(missing_packages()), reason="needs the extra for machine code")
def test_who_plays_on_beyond_base_though_the_game_is_over_is_refused(tmp_path: Path) -> None:
    bounded, free = tmp_path / "bounded.kif", tmp_path / "free.kif"
    bounded.write_text(RULES + BASE + INPUT)
    free.write_text(RULES)
    meaning = gdl.load(bounded, backend="meaning").machine
    game = gdl.load(bounded, backend="native").machine
    over = [parse_term("(step 4)")]
    (move,) = game.legal(game.state(over), game.roles[0])
    following = meaning.successor(meaning.state(over), (move,))
    assert meaning.facts(following) == {parse_term("(step 5)")}
    with pytest.raises(GdlError) as refused:
        game.successor(game.state(over), (move,))
    assert str(refused.value) == (
        "the game is over, and base does not have all that the rules let follow\n"
        '  help: the reasoner does not ask base: gdl.load(..., backend="reason")'
    )
    # Before the end it makes no difference, nor after it where nothing is missing.
    before = game.state([parse_term("(step 3)")])
    (move,) = game.legal(before, game.roles[0])
    assert game.facts(game.successor(before, (move,))) == set(over)
    game = gdl.load(free, backend="native").machine
    (move,) = game.legal(game.state(over), game.roles[0])
    assert game.facts(game.successor(game.state(over), (move,))) == meaning.facts(following)


def test_a_base_that_misses_a_fact_is_named_and_not_used() -> None:
    circuit, said = built(RULES + BASE + INPUT.replace("(number 3)", ""))
    assert facts(circuit) == [f"(step {n})" for n in range(1, 6)]
    assert len(said) == 1
    assert said[0] == (
        "steps.kif:9:5: warning[base-too-small]: base does not have (step 3), "
        "which by the rules may hold next; base is not used\n"
        "  9 | (<= (base (step ?n)) (number ?n))\n"
        "    |     ^^^^^^^^^^^^^^^^\n"
        "  expected: base to have everything that can ever hold next\n"
        "  help: nothing to do for play, which goes by the other rules; "
        "add what is missing to base, for programs that rely on it"
    )


def test_an_input_that_misses_moves_is_named_and_not_used() -> None:
    circuit, said = built(RULES + "(input robot (stay 1)) (base (step 1))")
    assert len(circuit.moves[0]) == 5
    assert said[-1] == (
        "steps.kif:9:1: warning[input-too-small]: input does not have (go 1), "
        "which by the rules may be legal; input is not used\n"
        "  9 | (input robot (stay 1)) (base (step 1))\n"
        "    | ^^^^^^^^^^^^^^^^^^^^^^\n"
        "  expected: input to have everything that can ever be legal\n"
        "  help: nothing to do for play, which goes by the other rules; "
        "add what is missing to input, for programs that rely on it"
    )


def test_many_missing_facts_are_counted() -> None:
    wide = "(<= (next (seen ?a ?b)) (true (step 2)) (letter ?a) (letter ?b))"
    letters = " ".join(f"(letter {c})" for c in "abc")
    _, said = built(RULES + BASE + INPUT + wide + letters)
    assert "base does not have (seen a a), (seen a b), (seen a c) and 6 more, which" in said[0]


@pytest.mark.parametrize(
    "base",
    [
        "(<= (base ?f) (true ?f))",
        "(<= (base ?f) (next ?f))",
        "(<= (base ?f) (distinct ?f a))",
        "(<= (input ?r ?m) (legal ?r ?m))",
    ],
)
def test_bounds_that_change_or_bind_nothing_are_passed_over(base: str) -> None:
    circuit, said = built(RULES + base)
    assert len(circuit.facts) == 5
    assert said == []


def test_base_bounds_what_would_grow_for_ever() -> None:
    """The tower never has more than two storeys; only base tells the grounder so."""
    tower = """
    (init (tower zero)) (<= (next (tower (s ?x))) (true (tower ?x)) (true (low)))
    (init (low)) (<= (next (low)) (true (tower zero)) (true (step 1)) (true (step 9)))
    (<= (base (tower ?x)) (storey ?x)) (base (low)) (storey zero) (storey (s zero))
    (<= terminal (true (tower (s zero))))
    """
    description = game(RULES + BASE + INPUT + tower)
    circuit = build(description, limits=CompileLimits(seconds=30))
    assert disagreement(circuit, Reasoner(description), states=20, seed=2) is None
    assert "(tower (s (s zero)))" not in facts(circuit)


@pytest.mark.slow
def test_a_huge_base_costs_a_try_and_no_more() -> None:
    numbers = " ".join(f"(n {i})" for i in range(60))
    huge = "(<= (base (huge ?a ?b ?c ?d ?e)) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e))"
    circuit, said = built(RULES + numbers + huge)
    assert len(circuit.facts) == 5
    assert said == []
