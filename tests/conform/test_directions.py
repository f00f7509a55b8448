"""Moves from square to square that an engine calls by a square and a way."""

from __future__ import annotations

import pytest

from gdl.conform import conform, open_source
from gdl.conform.matching.directions import ROUND, lists, of_steps, of_steps_seen, of_ways, ranked
from gdl.conform.matching.find import find_matching
from gdl.conform.matching.matching import Matching
from gdl.conform.matching.race import Race
from gdl.conform.source import EngineMove, Position
from gdl.conform.sources.rules import RulesSource
from gdl.game import load
from gdl.language.parse import parse_term

ENGINES = "tests.conform.strangers"
SOURCE = RulesSource(load("tictactoe"))


@pytest.mark.parametrize(
    ("move", "way", "steps", "seen"),
    [
        ("(move b 1 c 2)", ("move", "b", 1, "↗", 1), (1, 1), (-1, -1)),
        ("(move d4 d1)", ("move", "d", 4, "↓", 3), (0, -3), (0, 3)),
        ("(move 5 5 3 5)", ("move", 5, 5, "←", 2), (-2, 0), (2, 0)),
    ],
)
def test_a_move_between_two_squares_is_a_square_and_a_way(
    move: str, way: tuple[object, ...], steps: tuple[int, int], seen: tuple[int, int]
) -> None:
    term = parse_term(move)
    assert of_ways(SOURCE, None, 0, term) == way
    assert of_steps(SOURCE, None, 0, term) == (*way[:3], *steps)
    assert of_steps_seen(SOURCE, None, 0, term) == (*way[:3], *steps)
    assert of_steps_seen(SOURCE, None, 1, term) == (*way[:3], *seen)


@pytest.mark.parametrize("move", ["noop", "(mark 1 2)", "(put b 2)", "(drop pawn a 3 left)"])
def test_any_other_move_is_read_as_it_is_written(move: str) -> None:
    term = parse_term(move)
    assert of_ways(SOURCE, None, 0, term) == of_steps(SOURCE, None, 1, term)
    assert "←" not in of_ways(SOURCE, None, 0, term)


def test_few_ways_may_stand_in_any_order_and_all_eight_in_rows_or_around() -> None:
    assert len(list(lists(ROUND[::2]))) == 24
    around = list(lists(ROUND))
    assert ROUND in around
    assert ROUND[::-1] in around
    assert len(around) == 8 + 16
    assert list(ranked(["a", "↑"])) == []
    assert all(sorted(order) == [0, 1, 2] for order in ranked("←↑→"))


@pytest.mark.slow
def test_a_row_a_column_and_a_step_to_the_side_are_read_without_play() -> None:
    ours = RulesSource(load("breakthrough"))
    matching = find_matching(ours, open_source(f"{ENGINES}:Steps"))
    assert matching.method.startswith("squares and steps read as numbers")
    assert not matching.doubt
    start = ours.initial()
    named = {ours.text(start, 0, m): matching.ours(start, 0, m) for m in ours.legal(start, 0)}
    for text, move in {"b2-b3": (1, 1, 0), "b2-c3": (1, 1, 1)}.items():
        theirs = matching.theirs(None, matching.roles[0], move)
        mirrored = matching.theirs(None, matching.roles[0], (1, 6, -move[2]))
        assert named[text] in (theirs, mirrored)


@pytest.mark.slow
def test_a_bug_of_the_first_position_is_named_though_no_way_to_read_moves_fits_it() -> None:
    audit = conform("tictactoe", "tests.conform.engines:MiddleLater", positions=500)
    assert audit.parting is not None
    assert (audit.parting.ours, audit.parting.twin.depth) == ("legal: b2", 0)
    (remark,) = audit.remarks
    assert remark.startswith("the matching is in doubt: both part in the first positions under")


@pytest.mark.parametrize(("turned", "is_right"), [(1, True), (-1, False)])
def test_games_go_on_behind_what_differs_to_tell_a_bug_from_a_wrong_matching(
    turned: int, *, is_right: bool
) -> None:
    ours, theirs = RulesSource(load("breakthrough")), open_source(f"{ENGINES}:Lame")

    def number(position: Position, role: int, move: EngineMove) -> int:
        column, row, column2 = (ord(ours.text(position, role, move)[n]) for n in (0, 1, 3))
        return 3 * (8 * (row - ord("1")) + column - ord("a")) + 1 + turned * (column2 - column)

    def same(position: Position, role: int, move: EngineMove) -> EngineMove:
        del position, role
        return move

    race = Race(ours, theirs, 0, frozenset())
    matching = Matching((0, 1), number, same, "a number", is_static=True)
    assert not race.fits(matching)
    assert (race.tolerance(matching) > 0.9) == is_right
