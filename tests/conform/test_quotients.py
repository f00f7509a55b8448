"""Numbers whose last digit says what a move does."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.conform import conform, open_source
from gdl.conform.matching.columns import Column
from gdl.conform.matching.matching import Matching
from gdl.conform.matching.quotients import Divided, divisors
from gdl.conform.source import EngineMove, Position
from gdl.conform.sources.rules import RulesSource
from gdl.game import load
from tests.shared import needs, some

ENGINES = "tests.conform.strangers"


@pytest.mark.parametrize(
    ("game", "engine", "numbers"),
    [
        ("breakthrough", "TakesApart", [2]),
        ("breakthrough", "Breakthrough", []),  # three times a square and a way: as many as ours
        ("clobber", "Clobber", []),  # no numbers
    ],
)
def test_a_digit_is_left_out_that_never_tells_legal_moves_apart(
    game: str, engine: str, numbers: list[int]
) -> None:
    assert divisors(RulesSource(load(game)), open_source(f"{ENGINES}:{engine}"), 0) == numbers


def test_numbers_without_a_gap_cost_the_first_position_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A slow engine has better things to do: no number from 2 on keeps 0 and 1 apart."""

    def unasked(*_: object) -> str:
        raise AssertionError("a move was made")

    monkeypatch.setattr("tests.conform.engines.TicTacToe.play", unasked)
    engine = open_source("tests.conform.engines:TicTacToe")
    assert divisors(RulesSource(load("tictactoe")), engine, 0) == []


@needs("openspiel")
def test_numbers_that_have_texts_are_left_whole() -> None:
    """Words say more; without its texts this engine's numbers would be divided by two."""
    source = open_source("pyspiel:breakthrough")
    assert divisors(RulesSource(load("breakthrough")), source, 0) == []


def test_a_source_plays_by_what_is_left_of_its_numbers() -> None:
    source = open_source(f"{ENGINES}:TakesApart")
    divided = Divided(source, 2)
    position = source.initial()
    for _ in range(12):
        role = source.movers(position)[0]
        moves = source.legal(position, role)
        assert divided.legal(position, role) == [int(str(move)) // 2 for move in moves]
        assert divided.text(position, role, moves[0]) == ""
        after = source.play(position, {role: moves[8]})
        assert divided.play(position, {role: divided.legal(position, role)[8]}) == after
        position = after


def test_a_matching_of_names_is_one_of_numbers() -> None:
    def same(position: Position, role: int, move: EngineMove) -> EngineMove:
        del position, role
        return move

    matching = Divided(open_source(f"{ENGINES}:TakesApart"), 2).unnamed(
        Matching((0, 1), same, same, "numbers", met_keys=lambda _side, _role: {8: 8})
    )
    assert [matching.theirs(None, 0, number) for number in (8, 9, 10)] == [4, 4, 5]
    assert (matching.met_keys(0, 0), matching.met_keys(1, 0)) == ({8: 8}, {})
    assert matching.method == "numbers; theirs divided by 2"


@pytest.mark.parametrize(
    ("values", "ranks", "size", "read"),
    [
        ((0, 1, 3), (0, 1, 3), 5, [0, 1, 2, 3, 4, None]),
        ((1, 2, 5), (0, 1, 4), 5, [None, 0, 1, 2, 3, 4]),  # counted from 1
        ((0, 2, 9), (0, 1, 2), 3, [0, None, 1, None, None, None]),  # nothing is left out
    ],
)
def test_numbers_that_count_places_say_what_those_are_that_were_not_met(
    values: tuple[int, ...], ranks: tuple[int, ...], size: int, read: list[int | None]
) -> None:
    column = Column(0, 0, values, np.array(ranks), size)
    assert [column.rank(number) for number in range(6)] == read
    assert column.rank("a") is None


@pytest.mark.slow
def test_steps_that_take_have_numbers_of_their_own_and_raise_no_alarm() -> None:
    audit = conform("breakthrough", f"{ENGINES}:TakesApart", positions=20_000)
    assert audit.agree
    assert audit.matching.endswith("; theirs divided by 2")
    assert not audit.remarks


@pytest.mark.slow
@pytest.mark.parametrize("engine", some(["EdgeNotTaken", "FileStuck"], 1))
def test_a_bug_is_found_though_a_step_has_two_numbers(engine: str) -> None:
    audit = conform("breakthrough", f"{ENGINES}:{engine}", positions=20_000, seconds=60)
    assert audit.parting is not None
    assert audit.parting.kind == "legal"
    assert audit.parting.ours.startswith("legal: ")
