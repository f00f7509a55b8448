"""A matching that no game bears out to the end, for a bug ends all of them: a guess, or nothing."""

from __future__ import annotations

import pytest

from gdl.conform import conform, open_source
from gdl.conform.matching.find import _is_better
from gdl.conform.matching.guess import _exchanged, best_guess
from gdl.conform.matching.matching import Matching
from gdl.conform.matching.race import Agreement, Race
from gdl.conform.matching.refined import EARLY_TRIES, Named, Signature, _Blocks, _Search, begun
from gdl.conform.source import CHANCE, EngineMove, Position
from gdl.conform.sources.own import OwnSource
from gdl.conform.sources.rules import RulesSource
from gdl.game import load
from gdl.language.terms import Compound
from tests.conform.engines import TicTacToe

ENGINES = "tests.conform.strangers"


def same(position: Position, role: int, move: EngineMove) -> EngineMove:
    del position, role
    return move


SAME = Matching(
    (0, 1), same, same, "the same move", met_keys=lambda _side, _role: {1: 1, 2: 2, 3: 3}
)


def test_two_moves_exchange_their_partners() -> None:
    changed = _exchanged(SAME, 1, 2)
    assert [changed.ours(None, 1, move) for move in (1, 2, 3)] == [2, 1, 3]
    assert [changed.theirs(None, 1, move) for move in (1, 2, 3)] == [1, 2, 3]
    assert changed.ours(None, CHANCE, 1) == 1
    assert (changed.met_keys(0, 1), changed.met_keys(1, 1)) == (
        {1: 2, 2: 1, 3: 3},
        {1: 1, 2: 2, 3: 3},
    )


class Short(TicTacToe):
    """Over after four marks, before any line: which square is which never shows."""

    def to_move(self, position: str) -> str | None:
        return None if position.count(".") < 6 else super().to_move(position)


def square(position: Position, role: int, move: EngineMove) -> int:
    """Return the engine's number of (mark COLUMN ROW)."""
    del position, role
    assert isinstance(move, Compound)
    column, row = map(str, move.args)
    return 3 * int(row) + "abc".index(column) - 3


SQUARES = Matching((0, 1), square, same, "squares")


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "is_taken"), [(TicTacToe, True), (Short, False)])
def test_a_guess_is_taken_where_an_exchange_makes_both_part_sooner(
    engine: type[TicTacToe], *, is_taken: bool
) -> None:
    race = Race(RulesSource(load("tictactoe")), OwnSource(engine(), "engine"), 0, frozenset())
    taken = best_guess(race, [SQUARES], 0.0)
    assert (taken is not None) == is_taken
    if taken is not None:
        assert "the matching is a guess: both part in 0 of 40 games under it" in taken.doubt
    assert best_guess(race, [SQUARES], 400.0) is None


@pytest.mark.parametrize(
    ("whole", "first", "is_taken"), [(0.0, 11, True), (0.0, 4, False), (0.5, 11, False)]
)
def test_where_a_bug_ends_all_games_the_way_that_agrees_longer_is_better(
    whole: float, first: int, *, is_taken: bool
) -> None:
    rules = RulesSource(load("tictactoe"))
    race = Race(rules, rules, 0, frozenset())
    plain, other = Agreement(whole, whole, 8.3, 40, 4), Agreement(0.0, 0.0, 11.0, 40, first)
    assert _is_better(race, (SAME, other), (SAME, plain)) == is_taken


def test_two_different_games_have_no_beginnings_in_common() -> None:
    ours, theirs = RulesSource(load("clobber")), open_source(f"{ENGINES}:DotsAndBoxes")
    assert not list(begun(ours, theirs, [(0, 1), (1, 0)], 0))


@pytest.mark.parametrize(("told", "count"), [("ab", 1), ("aa", 0)])
def test_a_table_with_moves_that_nothing_told_apart_is_left_out(
    told: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = _Blocks(0)
    names: dict[Named, Signature] = {(0, n): name for n, name in enumerate(told)}
    blocks.split(names, names)
    monkeypatch.setattr(_Search, "beginnings", lambda _: blocks)
    source = RulesSource(load("tictactoe"))
    tables = begun(source, source, [(0, 1)], 0)
    assert len(list(tables)) == count * EARLY_TRIES


@pytest.mark.slow
def test_a_bug_of_nearly_every_game_is_shown_under_a_guess() -> None:
    audit = conform("ultimatetictactoe", f"{ENGINES}:CentreFree", positions=20_000)
    assert audit.parting is not None
    assert (audit.parting.kind, audit.parting.twin.depth) == ("legal", 1)
    (remark,) = audit.remarks
    assert remark.startswith("the matching is a guess: both part in ")
    assert remark.endswith("% of 24 tries; --map says which is right")
