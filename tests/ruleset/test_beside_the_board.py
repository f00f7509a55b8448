"""What lies beside a board is drawn: dice, scores, what is left in hand; ships are placed on it."""

from __future__ import annotations

import pytest

import gdl
from gdl.view.plan import plan
from gdl.view.scene import told

SHOWN = {
    ("backgammon", "open 3-1"): {"the dice": "One 1 and Three 1"},
    ("einstein/drawn", ""): {"the die": "empty"},
    ("dotsandboxes", ""): {"First": "0", "Second": "0"},
    ("goofspiel", "prize 3"): {"Left's points": "0", "the prize": "3", "Right's points": "0"},
    ("oshizumo", ""): {"Left's coins": "50", "Right's coins": "50"},
    ("quoridor", "a1h"): {"White's walls": "2", "Black's walls": "3"},
    ("morris/nine", "a1"): {"White's men in hand": "8", "Black's men in hand": "9"},
}


@pytest.mark.parametrize(("play", "expected"), SHOWN.items())
def test_it_is_drawn(play: tuple[str, str], expected: dict[str, str]) -> None:
    ruleset, move = play
    state = gdl.load(ruleset, backend="reason").initial()
    state = state.play(move) if move else state
    scene = state.game.ruleset.scene(state.facts)
    assert scene is not None
    titles = [site.title for site in scene.plan.sites]
    assert {
        title: told(scene.pieces.get(titles.index(title), ())) for title in expected
    } == expected


@pytest.mark.parametrize(
    ("role", "move", "panel"),
    [
        ("first", "boat b3 across", 0),
        ("second", "boat b3 across", 1),
        ("first", "b3", 1),
        ("second", "b3", 0),
    ],
)
def test_ships_lie_on_ones_own_sea_and_shots_go_to_the_other(
    role: str, move: str, panel: int
) -> None:
    ruleset = gdl.load("battleship", backend="reason").ruleset
    assert ruleset.picture is not None
    place = ruleset.location(ruleset.notation.parse(move), role)
    assert place is not None
    [(site,)] = place.steps
    board = plan(ruleset.picture).panels[panel]
    assert site in board.numbers
    assert board.sites[site - board.first].title == "b 3"
    assert len(place.picks) == (2 if "boat" in move else 0)
