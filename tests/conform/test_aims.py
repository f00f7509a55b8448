"""Games that aim at a rule that chance hardly ever lets fire."""

from __future__ import annotations

import random

import pytest

from gdl.conform import conform
from gdl.conform.aims import Aims
from gdl.conform.coverage import Coverage
from gdl.conform.piece import Piece
from gdl.conform.search import AIMED_FROM, _aim
from gdl.conform.sources.rules import RulesPosition, RulesSource
from gdl.conform.styles import ENDED, Memory, aimed
from gdl.game import load

ENGINES = "tests.conform.strangers"


@pytest.fixture(scope="module")
def rules() -> RulesSource:
    return RulesSource(load("breakthrough"))


def after(rules: RulesSource, *texts: str) -> RulesPosition:
    position = rules.initial()
    for text in texts:
        (role,) = rules.movers(position)
        legal = rules.legal(position, role)
        move = next(move for move in legal if rules.text(position, role, move) == text)
        position = rules.play(position, {role: move})
    return position


def test_who_has_lost_a_man_is_nearer_to_having_none(rules: RulesSource) -> None:
    coverage = Coverage(rules.game)
    none_left = next(rule for rule in coverage.rules if "(not (has ?other))" in rule.text)
    aim = Aims(rules.game, coverage.asked).of(none_left.number)
    assert aim is not None
    opening = ("d2-d3", "e7-e6", "d3-d4", "e6-e5")
    start, before, taken = aim(
        [
            rules.initial().inner,
            after(rules, *opening).inner,
            after(rules, *opening, "d4-e5").inner,
        ]
    )
    assert 0 < start == before < taken < 1


@pytest.mark.later
def test_rules_that_look_at_moves_and_those_that_fired_are_no_aim(rules: RulesSource) -> None:
    coverage = Coverage(rules.game)
    aims = Aims(rules.game, coverage.asked)
    touched = [rule.number for rule in coverage.rules if "(touched " in rule.text[:15]]
    assert [aims.of(number) for number in touched] == [None, None]
    rng = random.Random(0)
    assert coverage.aim(rng, 0) is not None
    coverage.counts.update(rule.number for rule in coverage.rules)
    assert coverage.aim(rng, 0) is None


@pytest.mark.later
def test_of_large_rules_one_turn_in_several_aims(rules: RulesSource) -> None:
    coverage = Coverage(rules.game)
    every, rng = Aims(rules.game, coverage.asked).every, random.Random(0)
    assert every > 1
    turns = [turn for turn in range(2 * every) if coverage.aim(rng, turn) is not None]
    assert turns == [0, every]


def test_the_first_pieces_aim_at_nothing_for_what_is_common_fires_there(
    rules: RulesSource,
) -> None:
    memory = Memory(Coverage(rules.game))
    assert _aim(memory, Piece(AIMED_FROM - 1), random.Random(0), 1) is None
    assert _aim(memory, Piece(AIMED_FROM), random.Random(0), 0) is not None
    assert _aim(Memory(None), Piece(AIMED_FROM), random.Random(0), 0) is None


def test_an_end_that_misses_the_aim_is_worth_nothing() -> None:
    assert aimed(0.9, is_over=True) == ENDED < aimed(0.1, is_over=False)
    assert aimed(1.0, is_over=True) == 1.0


@pytest.mark.slow
def test_an_end_that_chance_hardly_ever_comes_to_is_aimed_at() -> None:
    audit = conform("breakthrough", f"{ENGINES}:LastTaken", positions=30_000)
    assert audit.parting is not None
    assert audit.parting.kind == "returns"
    assert audit.uncovered == ()
