"""Small games, each with one kind of picture: laws of every picture, and one picture as text.

The pictures are in ``samples/NAME/picture.txt``; after a change look at them, then write them with
``GDL_UPDATE=1 pytest tests/view``.
"""

from __future__ import annotations

import os
import random
from collections.abc import Collection, Iterator
from functools import cache
from itertools import product
from math import hypot
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import gdl
from gdl.language.source import display_width
from gdl.language.syntax import Constant, Term
from gdl.match.pin import pin, unpin
from gdl.ruleset import Ruleset, find
from gdl.state import State
from gdl.view import scene as scenes
from gdl.view.frame import frame
from gdl.view.panel import BAR, CORNER
from gdl.view.picture import GRID, HEXAGONS, Layout, Picture
from gdl.view.piece_shapes import piece_shapes
from gdl.view.plan import plan
from gdl.view.scene import Piece, Placed, Scene
from gdl.view.scene_json import scene_json
from gdl.view.svg import draw_svg
from gdl.view.text import CELL, draw_lines
from tests.rulesets import RULESETS

SAMPLES = Path(__file__).parent / "samples"
NAMES = sorted(path.name for path in SAMPLES.iterdir())
SHIPPED = [each.id for each in RULESETS if each.picture is not None]
QUICK = {"pentago/strict", "tictactoe", "connectfour"}
"""Shipped rulesets whose pictures the quick tests look at, too."""
ALL = [
    *NAMES,
    *(pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SHIPPED),
]
PLAYS = 6
PLIES = 40
SVG = "{http://www.w3.org/2000/svg}"


@cache
def ruleset(name: str) -> Ruleset:
    return find(SAMPLES / name / "manifest.toml") if name in NAMES else find(name)


@cache
def states(name: str) -> tuple[State, ...]:
    """Return the states of some random plays, first the initial one."""
    return tuple(_states(name, PLAYS if name in NAMES else 1))


def _states(name: str, plays: int) -> Iterator[State]:
    game = gdl.load(ruleset(name), backend="reason")
    rng = random.Random(3)
    for _ in range(plays):
        state = game.initial()
        for _ in range(PLIES):
            yield state
            if state.is_terminal:
                break
            state = state.play({role: rng.choice(list(state.legal(role))) for role in game.roles})


def scene(state: State) -> Scene:
    before = None if state.previous is None else state.previous.facts
    drawn = state.game.ruleset.scene(state.facts, before=before)
    assert drawn is not None
    return drawn


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_as_text(name: str) -> None:
    path = SAMPLES / name / "picture.txt"
    middle = states(name)[min(5, len(states(name)) - 1)]
    shown = f"{middle}\n\n{middle.game.ruleset.draw(middle.facts, ascii_only=True)}\n"
    if os.environ.get("GDL_UPDATE"):
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("script", ["unicode", "ascii"])
def test_every_site_is_written_once_and_all_lines_are_as_wide(name: str, script: str) -> None:
    for state in states(name)[::5]:
        drawn = scene(state)
        lines = draw_lines(drawn, ascii_only=script == "ascii")
        assert len({display_width("".join(run.text for run in line)) for line in lines}) == 1
        runs = [
            (number, run)
            for number, line in enumerate(lines)
            for run in line
            if run.what == CELL and run.text.strip()
        ]
        written = [run.site for _, run in runs]
        for number, site in enumerate(drawn.plan.sites):
            if site.form in {BAR, CORNER} and number not in drawn.pieces:
                assert number not in written
            elif site.form == BAR:
                assert number in written
            else:
                assert written.count(number) == 1, site
        if script == "ascii":
            assert all(run.text.isascii() for line in lines for run in line)


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", ALL)
def test_every_site_of_a_move_begins_a_legal_move_of_some_state(name: str) -> None:
    """No click is dead: each site that a move may name is touched by a move that was legal."""
    picture = ruleset(name).picture
    assert picture is not None
    if not any(panel.layout.moves for panel in plan(picture).panels):
        pytest.skip("its moves are chosen from a list")
    touched = set()
    for state in states(name):
        for role in state.game.roles:
            moves = state.legal(role) if not state.is_terminal else ()
            for move in moves:
                location = state.game.ruleset.location(move, role)
                for step in location.steps if location else ():
                    assert step
                    touched |= set(step)
    assert touched, "no move can be made by touching the board"
    if name in NAMES:
        named = {
            number
            for panel in plan(picture).panels
            for move in panel.layout.moves
            for pattern in move.at
            for other, number in panel.names.items()
            if fits(pattern, other)
        }
        assert touched == named


def fits(pattern: str, name: str) -> bool:
    words, others = pattern.split(), name.split()
    return len(words) == len(others) and all(
        word.startswith(("?", "*")) or word == other
        for word, other in zip(words, others, strict=True)
    )


@pytest.mark.parametrize("name", NAMES)
def test_two_legal_moves_are_told_apart_by_their_touches_and_turns(name: str) -> None:
    for state in states(name)[::5]:
        for role in state.game.roles:
            located = [state.game.ruleset.location(move, role) for move in state.legal(role)]
            told = [place for place in located if place is not None]
            assert len(set(told)) == len(told)


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", ALL)
def test_svg_stands_alone_and_says_what_it_shows(name: str) -> None:
    for state in states(name)[:: len(states(name)) // 2]:
        drawn = scene(state)
        text = draw_svg(drawn, title="A <title>")
        root = ET.fromstring(text)  # our own text
        assert root.get("role") == "img"
        assert [root[0].tag, root[0].text] == [f"{SVG}title", "A <title>"]
        assert root[1].tag == f"{SVG}desc"
        for number in drawn.pieces:
            assert drawn.plan.sites[number].title in (root[1].text or "") or len(drawn.pieces) > 20
        assert "prefers-color-scheme:dark" in text
        assert not any(word in text for word in ("href", "url(", "<script", "@import", "<image"))
        shown = {each.findtext(f"{SVG}title") for each in root.iter(f"{SVG}g")}
        assert len(shown) >= len(drawn.pieces)
        width, height = frame(drawn.picture).size
        for site in range(len(drawn.plan.sites)):
            x, y = frame(drawn.picture).middle(site)
            assert 0 < x < width
            assert 0 < y < height


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", ALL)
def test_no_two_sites_lie_on_one_another(name: str) -> None:
    picture = ruleset(name).picture
    assert picture is not None
    sites = plan(picture).sites
    assert len({(site.at, site.size, site.form) for site in sites}) == len(sites)
    cells = [site for site in sites if site.form not in {BAR, CORNER}]
    assert len({site.at for site in cells}) == len(cells)


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", ALL)
def test_a_match_keeps_the_picture(name: str) -> None:
    assert unpin(pin(ruleset(name))).picture == ruleset(name).picture


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", ALL)
def test_what_is_asked_of_a_site_is_made_there(name: str) -> None:
    """`moves_on` and `location` are each other's inverse where one touch makes the move."""
    known = ruleset(name)
    assert known.picture is not None
    roles = [str(player.role) for player in known.players]
    cases = product(range(len(plan(known.picture).sites)), roles)
    for number, role in cases:
        for move in known.moves_on(number, role=role):
            location = known.location(move, role)
            assert location is not None
            assert len(location.steps) == 1
            assert number in location.steps[0]


def test_a_position_is_placed_once_and_then_known_as_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cells that changed are found by both positions; the earlier one was drawn a move ago."""
    placed: list[Picture] = []
    work_out = scenes._placed

    def counted(picture: Picture, facts: Collection[Term]) -> Placed:
        placed.append(picture)
        return work_out(picture, facts)

    monkeypatch.setattr(scenes, "_placed", counted)
    state = gdl.load("tictactoe", backend="reason").initial()
    drawn = [scene(state)]
    for move in ("b2", "a1", "c3"):
        state = state.play(move)
        drawn.append(scene(state))
    assert len(placed) == len(drawn)
    assert [len(each.changed) for each in drawn] == [0, 1, 1, 1]
    picture = drawn[0].picture
    picture.positions.clear()
    assert [scene(each) for each in state.history] == drawn  # from memory the same as anew


def test_a_picture_as_svg() -> None:
    path = SAMPLES.parent / "tank.svg"
    shown = f"{states('tank')[5]._repr_svg_()}\n"
    if os.environ.get("GDL_UPDATE"):
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


def test_long_labels_of_rows_stand_inside_the_picture() -> None:
    """A letter is half as wide as it is high, on the average."""
    rows = ("north of the river", "south")
    values = tuple(map(Constant, ("a", "b")))
    for kind in (GRID, HEXAGONS):
        layout = Layout(kind, values, values, ("a", "b"), rows)
        for shape in frame(Picture((layout,))).ground:
            if shape.text in rows:
                ((x, _),) = shape.points
                assert x - shape.size * 0.5 * len(shape.text) / 2 > 0


def test_links_are_drawn_from_rim_to_rim_with_the_site_where_they_begin() -> None:
    game = gdl.load(ruleset("pegs"), backend="reason")
    state = game.initial()
    for move in ("(put 1 1)", "(put 3 1)", "(put 2 2)"):
        state = state.play(move)
    drawn = scene(state)
    (link,) = drawn.links
    ends = [drawn.plan.sites[number] for number in (link.site, link.other)]
    assert [end.title for end in ends] == ["a 1", "b 2"]
    sent = scene_json(drawn)
    stick, peg = sent["pieces"][sent["sites"][str(link.site)][0]]
    assert (stick[0], peg[0]) == ("polygon", "circle")
    points = list(zip(stick[2][::2], stick[2][1::2], strict=True))
    lengths = sorted(hypot(x, y) for x, y in points)
    assert lengths == pytest.approx([23, 23, 62.1, 62.1], abs=0.3)  # 60 pixels a cell, 45 degrees
    assert draw_svg(drawn).count("<polygon") == 1
    assert "(link" not in " ".join(map(str, drawn.rest))


@pytest.mark.parametrize(
    ("name", "mark"),
    [("checkers/american", "whiteking"), ("draughts", "blackking"), ("einstein/standard", "b1")],
)
def test_pieces_that_are_not_alike_are_drawn_so(name: str, mark: str) -> None:
    """A king was a stone like a man, and the cubes with numbers stones without."""
    picture = find(name).picture
    assert picture is not None
    drawn = next(each for each in picture.marks if each.name == mark)
    assert drawn.symbol in {shape.text for shape in piece_shapes("", (1, 1), (Piece(drawn),))}
