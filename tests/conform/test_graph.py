"""Points that are numbered in no order are matched by the steps between them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import cast

import pytest

from gdl.conform import open_source
from gdl.conform.matching.candidates import OURS, THEIRS
from gdl.conform.matching.find import _by_graph
from gdl.conform.matching.graph import by_steps_between
from gdl.conform.matching.matching import Matching
from gdl.conform.matching.race import Race
from gdl.conform.matching.sample import Rows, sample
from gdl.conform.matching.tokens import of_value
from gdl.conform.source import EngineMove, Position, Source

KITE = [("a1", "b1"), ("b1", "b2"), ("a1", "b2"), ("b2", "c3"), ("c3", "d4")]
NAMES = {"a1": 7, "b1": 3, "b2": 11, "c3": 0, "d4": 5}
SQUARE = [("a1", "a2"), ("a2", "b2"), ("b2", "b1"), ("b1", "a1")]


Counts = dict[object, int]


def rows(moves: Iterable[object], times: Counts | None = None) -> Rows:
    source = cast("Source", None)  # the reader looks at the move alone
    met = {move: {of_value(source, None, 0, move)} for move in moves}
    counts = {(0, move): count for move, count in (times or {}).items()}
    return Rows(source, of_value, {0: met}, is_static=True, times=counts)


def no_chance(position: Position, role: int, move: EngineMove) -> Hashable:
    raise AssertionError(position, role, move)


def ways(ours: Rows, theirs: Rows) -> list[Matching]:
    return list(by_steps_between(ours, theirs, (0,), (no_chance, no_chance)))


def partner(way: Matching, move: object, others: Iterable[object]) -> object:
    """Return the one move of others that has the key of one of ours."""
    key = way.ours(None, 0, move)
    (found,) = (other for other in others if way.theirs(None, 0, other) == key)
    return found


def there_and_back(steps: Iterable[tuple[str, str]]) -> list[object]:
    both = [step for one, other in steps for step in ((one, other), (other, one))]
    return [*sorted({place for step in both for place in step}), *both]


def renamed(move: object) -> object:
    return ("go", *map(NAMES.get, move)) if isinstance(move, tuple) else ("put", NAMES[str(move)])


def is_right(way: Matching, moves: Iterable[object], name: Callable[[object], object]) -> bool:
    others = list(map(name, moves))
    return all(partner(way, move, others) == name(move) for move in moves)


def test_a_board_keeps_all_but_twins_apart() -> None:
    ours = there_and_back(KITE)
    found = ways(rows(ours), rows(map(renamed, ours)))
    # a1 and b1 have the same neighbours: which is which, only play can say
    assert [is_right(way, ours, renamed) for way in found].count(True) == 1
    assert len(found) == 2


def test_a_square_may_be_turned_and_mirrored() -> None:
    ours = there_and_back(SQUARE)
    assert len(ways(rows(ours), rows(ours))) == 8


def test_boards_with_unlike_steps_have_no_way() -> None:
    ours = there_and_back(KITE)
    theirs = [renamed(move) for move in ours if move != ("c3", "d4")]
    assert not ways(rows(ours), rows(theirs))
    theirs.append(renamed(("b1", "d4")))
    assert not ways(rows(ours), rows(theirs))


def test_moves_without_steps_say_nothing_of_points() -> None:
    assert not ways(rows(["a1", "a2"]), rows([4, 5]))


def test_a_board_that_looks_alike_in_too_many_ways_has_none() -> None:
    places = [f"{letter}1" for letter in "abcdef"]
    steps = there_and_back((one, other) for one in places for other in places if one < other)
    assert not ways(rows(steps), rows(steps))


def test_steps_that_were_met_seldom_are_no_part_of_the_board() -> None:
    # Few men may fly, and each side met other flights than the other one.
    ours = there_and_back(KITE)
    flights = [("a1", "d4"), ("d4", "b1")], [("d4", "a1"), ("b1", "c3"), ("c3", "a1")]
    often = dict.fromkeys(ours, 9)
    found = ways(
        rows([*ours, *flights[0]], {**often, **dict.fromkeys(flights[0], 2)}),
        rows(
            map(renamed, [*ours, *flights[1]]),
            {renamed(move): 9 for move in ours} | {renamed(move): 2 for move in flights[1]},
        ),
    )
    every = [*ours, *flights[0], *flights[1], ("d4", "b2")]  # the last one nobody met
    assert any(is_right(way, every, renamed) for way in found)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_number_may_say_what_is_done_with_the_points(is_first: bool) -> None:  # noqa: FBT001
    def named(move: object) -> object:
        points = tuple(map(NAMES.get, move if isinstance(move, tuple) else (str(move),)))
        kind = (len(points),)
        return (*kind, *points) if is_first else (*points, *kind)

    ours = there_and_back(KITE)
    assert any(is_right(way, ours, named) for way in ways(rows(ours), rows(map(named, ours))))


def test_hands_are_no_points_of_the_board() -> None:
    def named(move: object) -> object:
        return (
            tuple(f"p{n}" for n in map(NAMES.get, move))
            if isinstance(move, tuple)
            else ("hand", f"p{NAMES[str(move)]}")
        )

    ours = there_and_back(KITE)
    assert any(is_right(way, ours, named) for way in ways(rows(ours), rows(map(named, ours))))


@pytest.mark.parametrize(
    "number",
    [
        lambda a, b: 100 + 10 * a + b if b is not None else a,
        lambda a, b: 5 * a + b if b is not None else 25 + a,
        lambda a, b: 64 * (a + 1) + b + 1 if b is not None else 1000 + a,
    ],
)
def test_one_number_is_read_as_two_points(number: Callable[[int, int | None], int]) -> None:
    points = {place: n for n, place in enumerate(("c3", "a1", "d4", "b2", "b1"))}

    def named(move: object) -> object:
        one, other = move if isinstance(move, tuple) else (str(move), None)
        return number(points[one], None if other is None else points[other])

    ours = there_and_back(KITE)
    every = [*ours, ("a1", "d4")]
    assert any(is_right(way, every, named) for way in ways(rows(ours), rows(map(named, ours))))


STAR = ("c1", "b2", "c2", "d2", "a3", "b3", "c3", "d3", "e3", "c4")
"""The points of a board, row by row, from the top."""


@pytest.mark.parametrize(
    "number",
    [
        lambda a, b: 10 * a + b,
        lambda a, b: 11 * (a + 1) + b + 1,
        lambda a, b: 100 * (9 - a) + 9 - b,
        lambda a, b: (a + 1, b + 1),
    ],
)
def test_points_of_a_board_that_is_no_rectangle_are_numbered_row_by_row(
    number: Callable[[int, int], object],
) -> None:
    def named(move: object) -> object:
        if move == "stop":
            return "pass" if isinstance(number(0, 0), tuple) else 5000
        one, other = map(STAR.index, cast("tuple[str, str]", move))
        return number(one, other)

    every: list[object] = [(one, other) for one in STAR for other in STAR if one != other]
    ours = [*every[::3], *every[1::3], "stop"]
    theirs = [move for move in [*every[::4], *every[1::2], "stop"] if "c4" not in str(move)]
    found = ways(rows(ours), rows(map(named, theirs)))
    met = [*ours, *theirs, ("e3", "d3")]
    assert any(
        all(way.ours(None, 0, move) == way.theirs(None, 0, named(move)) for move in met)
        for way in found
    )


@pytest.mark.slow
def test_of_the_ways_to_see_a_board_play_takes_one_under_which_all_games_agree() -> None:
    one, other = open_source("morris/three"), open_source("morris/three")
    seen = (
        sample(one, tuple(reader for _, reader in OURS), 0),
        sample(other, tuple(reader for _, reader in THEIRS), 0),
    )
    race = Race(one, other, 0, frozenset())
    found = _by_graph(race, None, seen)
    assert found is not None
    assert found[1].whole == 1
    assert "steps between" in found[0].method
