"""Facts that never change are asked of the beginning, and mean what they meant."""

from __future__ import annotations

import re

import pytest

from gdl.compile.grounding.ground_game import ground
from gdl.compile.pipeline import build
from gdl.compile.rules.constant_facts import lasting
from gdl.compile.rules.logic_program import needed_clauses
from gdl.language.clauses import Clause, clauses
from gdl.language.parse import parse, read
from gdl.reason.machine import Reasoner
from tests.compile.lockstep import disagreement
from tests.shared import SHARED, needs_games

MAZE = """
(role r) (init (at 1)) (init (wall 2)) (init (wall 4)) (init night)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (legal r (go ?n)) (true (at ?m)) (succ ?m ?n))
(<= (legal r jump) (true (at ?m)))
(<= (next (at ?n)) (does r (go ?n)) (not (true (wall ?n))))
(<= (next (at ?m)) (does r (go ?n)) (true (at ?m)) (true (wall ?n)))
(<= (next (at ?n)) (does r jump) (true (at ?m)) (succ ?m ?n))
(<= (next (wall ?n)) (true (wall ?n)))
(<= (next night) (true night))
(<= terminal (true (at 5))) (<= (goal r 100) (true (at 5))) (<= (goal r 0) (true night))
"""


def rules(text: str) -> list[Clause]:
    return list(clauses(parse(text, syntax="kif")))


def test_walls_are_asked_of_the_beginning() -> None:
    before, after = rules(MAZE), lasting(rules(MAZE))
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert [str(clause.head) for clause in changed] == [
        "(next (at ?n))",
        "(next (at ?m))",
        "(next (wall ?n))",
        "(next night)",
        "(goal r 0)",
    ]


def test_a_maze_whose_walls_last_is_played_as_before() -> None:
    description = parse(MAZE, syntax="kif")
    assert disagreement(build(description), Reasoner(description), states=200, seed=1) is None


def test_walls_are_decided_while_grounding() -> None:
    plain = ground(needed_clauses(rules(MAZE)))
    less = ground(needed_clauses(lasting(rules(MAZE))))
    assert less.program.rule_count < plain.program.rule_count
    assert less.facts == plain.facts


@pytest.mark.parametrize(
    "more",
    [
        "(<= (next (wall ?n)) (does r (go ?n)))",  # another rule makes some
        "(<= (next ?f) (true ?f) (does r jump))",  # a rule that may make anything
        "(next (wall 3))",
    ],
)
def test_what_another_rule_may_make_is_asked_of_the_state(more: str) -> None:
    after = lasting(rules(MAZE + more))
    bodies = " ".join(str(clause.body) for clause in after)
    assert "wall" in bodies
    assert not re.search(r"'init', \(Compound\('wall'", bodies)


@pytest.mark.parametrize(
    "instead",
    [
        "(<= (next (wall ?n)) (true (wall ?n)) (true night))",  # not always
        "(<= (next (wall ?n)) (true (wall ?m)) (succ ?m ?n))",  # another one
        "(<= (next (wall 2)) (true (wall 2)))",  # only one of them
    ],
)
def test_what_may_end_is_asked_of_the_state(instead: str) -> None:
    text = MAZE.replace("(<= (next (wall ?n)) (true (wall ?n)))", instead)
    after = " ".join(str(clause.body) for clause in lasting(rules(text)))
    assert "wall" in after
    assert not re.search(r"'init', \(Compound\('wall'", after)
    description = parse(text, syntax="kif")
    assert disagreement(build(description), Reasoner(description), states=200, seed=2) is None


@pytest.mark.slow
@needs_games
@pytest.mark.parametrize("name", ["pacman2p", "breakthroughHoles", "futoshiki4.futoshiki"])
def test_published_games_with_lasting_facts_agree_with_the_reasoner(name: str) -> None:
    description = read(SHARED / "games" / f"{name}.kif")
    assert lasting(clauses(description)) != list(clauses(description))
    assert disagreement(build(description), Reasoner(description), states=30, seed=3) is None
