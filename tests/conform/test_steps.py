"""Moves that one side names by where a piece comes, the other by which way it goes."""

from __future__ import annotations

import pytest

from gdl.conform import conform, open_source
from gdl.conform.comparison import Comparison, _Units
from gdl.conform.matching.find import find_matching
from gdl.conform.matching.matching import Key, Matching
from gdl.conform.matching.race import _common
from gdl.conform.matching.steps import Scheme, Steps, schemes
from gdl.conform.matching.tokens import of_value
from gdl.conform.sources.bounds import usual_bounds
from gdl.conform.sources.rules import RulesSource
from gdl.conform.twin import Parting, Twin
from gdl.game import load
from gdl.language.terms import Constant

ENGINES = "tests.conform.ways"


@pytest.mark.later
@pytest.mark.parametrize(
    ("game", "owner"),
    [
        ("slidingtiles", ("cell", Constant("empty"))),  # the hole, which no move names
        ("quoridor?size=3", ("pawn", None)),  # the mover
        ("einstein/standard", ("cell", None)),  # a word of the move
    ],
)
def test_a_move_leads_from_the_one_square_of_what_it_moves(
    game: str, owner: tuple[str, Constant | None]
) -> None:
    found = schemes(RulesSource(load(game)), 0)
    assert [scheme for scheme in found if not scheme.is_man] == [Scheme(owner)]


def test_moves_that_name_both_squares_need_no_scheme() -> None:
    assert schemes(RulesSource(load("clobber")), 0) == []


def test_ways_are_those_of_a_compass_or_those_that_the_mover_sees() -> None:
    rules = RulesSource(load("slidingtiles"))
    scheme, _ = schemes(rules, 0)
    start = rules.initial()  # the hole is in the middle of the last row, rows from the top
    steps = Steps(rules, scheme)
    assert sorted(map(str, steps.legal(start, 0))) == ["(slide e)", "(slide s)", "(slide w)"]
    (up,) = (move for move in rules.legal(start, 0) if rules.text(start, 0, move) == "b2")
    assert str(steps.name_of(start, 0, up)) == "(slide s)"
    after = steps.play(start, {0: steps.name_of(start, 0, up)})
    assert after.inner == rules.play(start, {0: up}).inner


def test_a_move_of_one_square_is_what_stands_there() -> None:
    rules = RulesSource(load("slidingtiles"))
    _, scheme = schemes(rules, 0)
    assert scheme == Scheme(("cell", None), is_man=True)
    assert scheme.either_way == (scheme,)
    steps = Steps(rules, scheme)  # the hole is below tile 5, between 3 and 1
    start = rules.initial()
    named = {rules.text(start, 0, m): steps.name_of(start, 0, m) for m in rules.legal(start, 0)}
    assert {text: str(name) for text, name in named.items()} == {
        "a3": "(slide 3)",
        "b2": "(slide 5)",
        "c3": "(slide 1)",
    }


@pytest.mark.slow
def test_an_engine_that_numbers_tiles_is_matched_and_its_bug_is_found() -> None:
    audit = conform("slidingtiles", f"{ENGINES}:TileNumbers", positions=2_000)
    assert audit.agree
    assert audit.matching.endswith("; ours named by what stands there")
    assert not conform("slidingtiles", f"{ENGINES}:OneTileMore", positions=2_000).agree


@pytest.mark.slow
def test_a_matching_by_ways_hangs_on_the_position() -> None:
    ours, theirs = RulesSource(load("slidingtiles")), open_source(f"{ENGINES}:SlidingTiles")
    matching = find_matching(ours, theirs)
    assert matching.is_positional
    assert not matching.doubt
    start = ours.initial()
    keys = {matching.ours(start, 0, move) for move in ours.legal(start, 0)}
    assert keys == {matching.theirs(None, 0, way) for way in "ULR"}


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("tests.conform.ways:SlidingTiles", (0.0, 1.0)),
        ("tests.conform.ways:Einstein", (0.0, 1.0)),
        ("tests.conform.strangers:Breakthrough", (-1.0, 1.0)),
    ],
)
def test_what_an_engine_pays_is_seen_where_it_does_not_say(
    name: str, bounds: tuple[float, float]
) -> None:
    assert usual_bounds(open_source(name)) == bounds


def test_a_value_is_read_with_its_numbers_as_they_are() -> None:
    source = open_source(f"{ENGINES}:Einstein")
    assert of_value(source, None, 0, 6) == (6,)
    assert of_value(source, None, 0, (6, "H")) == (6, "h")
    assert of_value(source, None, 0, ((-1, 2), "to b3")) == (-1, 2, "to", "b", 3)


def test_a_third_is_the_goal_33_and_whole_returns_are_what_they_are() -> None:
    assert _Units((0.0, 1.0)).is_worth(0.33, 1 / 3)
    assert not _Units((0.0, 1.0)).is_worth(0.5, 1 / 3)
    assert not _Units((0.0, 300.0)).is_worth(150.0, 149.0)


@pytest.mark.slow
def test_an_engine_as_it_should_be_raises_no_alarm() -> None:
    audit = conform("einstein/standard", f"{ENGINES}:Einstein", positions=2_000)
    assert audit.agree
    assert not audit.remarks


@pytest.mark.slow
def test_a_bug_is_found_behind_a_matching_by_ways() -> None:
    audit = conform("slidingtiles", f"{ENGINES}:StuckInTheCorner", positions=2_000)
    assert audit.parting is not None
    assert audit.parting.kind == "legal"


@pytest.mark.parametrize(("ours", "theirs", "share"), [(1, 0, 8 / 9), (0, 2, 9 / 11), (1, 1, 0)])
def test_moves_left_over_on_both_sides_were_not_read_right(
    monkeypatch: pytest.MonkeyPatch, ours: int, theirs: int, share: float
) -> None:
    """A move that is forgotten, or one too many, is left over on one side alone."""
    rules = RulesSource(load("tictactoe"))
    named: Key = lambda _position, _role, move: str(move)  # noqa: E731
    legal = rules.legal(rules.initial(), 0)
    other = RulesSource(load("tictactoe"))
    moves = [*legal[ours:], *(Constant(f"extra{n}") for n in range(theirs))]
    monkeypatch.setattr(other, "legal", lambda _position, _role: moves)
    comparison = Comparison(rules, other, Matching((0, 1), named, named, "words"))
    start = comparison.start()
    assert isinstance(start, Twin)
    parting = comparison.compare(start)
    assert isinstance(parting, Parting)
    assert _common(comparison, parting) == pytest.approx(share)
