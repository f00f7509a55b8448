"""Moves that are places in the list of legal ones, in an order that nothing but play tells."""

from __future__ import annotations

import pytest

from gdl.conform import conform, open_source
from gdl.conform.matching import find
from gdl.conform.matching.find import find_matching
from gdl.conform.matching.map_file import map_text
from gdl.conform.matching.matching import UnmatchedError
from gdl.conform.matching.places import first_place
from gdl.conform.source import Source
from gdl.conform.sources.rules import RulesSource
from gdl.game import load

ENGINES = "tests.conform.engines"
STRANGERS = "tests.conform.strangers"


@pytest.mark.parametrize(
    ("engine", "first"),
    [
        (f"{ENGINES}:PlaceAmongFree", 0),
        (f"{ENGINES}:TicTacToe", None),
        (f"{ENGINES}:Pennies", None),
        (f"{STRANGERS}:ClobberPlaces", 1),
        (f"{STRANGERS}:Clobber", None),
    ],
)
def test_numbers_are_places_if_they_are_so_wherever_play_leads(
    engine: str, first: int | None
) -> None:
    assert first_place(open_source(engine), 0) == first


@pytest.mark.slow
def test_pieces_and_the_ways_they_go_are_walked_over_in_the_order_of_the_engine() -> None:
    ours: Source = RulesSource(load("clobber"))
    theirs = open_source(f"{STRANGERS}:ClobberPlaces")
    matching = find_matching(ours, theirs)
    assert matching.method == "places in the list of legal moves, in an order that play tells"
    assert not matching.doubt
    start = ours.initial()
    legal = ours.legal(start, 0)
    places = {matching.ours(start, 0, move): ours.text(start, 0, move) for move in legal}
    # White has two corners; either may be where the board begins, for they mirror each other.
    assert [places[0][:2], places[1][:2]] in (["a1", "a1"], ["a5", "a5"])
    assert places[2][:2] == places[3][:2] == places[4][:2] != places[5][:2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "engine"),
    [
        ("tictactoe", f"{ENGINES}:PlaceAmongFree"),
        ("tictactoe", f"{ENGINES}:PlaceAsSeen"),
        ("dotsandboxes", f"{STRANGERS}:LinePlaces"),
    ],
)
def test_such_an_engine_raises_no_alarm(game: str, engine: str) -> None:
    audit = conform(game, engine, positions=500)
    assert audit.agree
    assert not audit.remarks


@pytest.mark.slow
@pytest.mark.parametrize("by_steps", [True, False], ids=["by steps", "by digits alone"])
def test_squares_that_are_one_number_are_read_in_their_base(
    monkeypatch: pytest.MonkeyPatch, *, by_steps: bool
) -> None:
    """Two squares in a number show by the steps between them, and by the base of the number."""
    if not by_steps:
        monkeypatch.setattr(find, "_by_graph", lambda _race, best, _seen: best)
    matching = find_matching(
        RulesSource(load("clobber")), open_source(f"{STRANGERS}:ClobberSquares")
    )
    digits = "notation read as numbers in base 30: "
    assert matching.method.startswith("places of the board" if by_steps else digits)
    assert not matching.doubt


@pytest.mark.slow
def test_no_map_says_what_hangs_on_the_position() -> None:
    audit = conform("tictactoe", f"{ENGINES}:PlaceAmongFree", positions=9)
    assert map_text(audit.comparison).endswith(
        "# Which moves stand for each other hangs on the position: no table says it.\n"
    )


@pytest.mark.slow
def test_a_bug_is_found_behind_places() -> None:
    audit = conform("tictactoe", f"{ENGINES}:PlaceAmongFreeOneMissing", positions=500)
    assert audit.parting is not None
    assert audit.parting.kind in {"terminal", "returns"}


UNORDERED = """\
in which order {name} lists its legal moves could not be told: nothing was compared
  help: its moves are places in that list; let legal_moves answer what each move is, a square or a \
text such as c1
"""
NEVER_EQUAL = """\
{name} answers other moves when it is asked again for the same ones: nothing was compared
  help: moves are told apart by == and hash: answer numbers, texts or tuples, or give their class \
__eq__ and __hash__, as @dataclass(frozen=True) does
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "text"), [("PlaceInAnyOrder", UNORDERED), ("NeverEqual", NEVER_EQUAL)]
)
def test_what_cannot_be_matched_says_how_to_mend_it(engine: str, text: str) -> None:
    name = f"{ENGINES}:{engine}"
    with pytest.raises(UnmatchedError) as caught:
        conform("tictactoe", name, positions=500)
    assert str(caught.value).startswith(text.format(name=name))
