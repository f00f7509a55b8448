"""Where on the board a move is made: what the picture says, held to what the rules do."""

import random
from dataclasses import replace

import pytest

import gdl
from gdl.language.syntax import Constant
from gdl.language.template import read_template
from gdl.ruleset import Board, MoveLocation, find
from gdl.state import State
from gdl.view.move_location import site_at
from tests.ruleset.test_play import PLACEMENT

Grid = list[list[str | None]]


@pytest.mark.later
@pytest.mark.sample(3)
@pytest.mark.parametrize("id_", PLACEMENT)
def test_a_move_changes_the_board_where_it_is_made(id_: str) -> None:
    """A mark comes to the cell that was touched; the block that was touched turns as told."""
    game = gdl.load(id_, backend="reason")
    rng = random.Random(7)
    for _ in range(3):
        state = game.initial()
        for _ in range(40):
            if state.is_terminal:
                break
            role = next(r for r in game.roles if list(map(str, state.legal(r))) != ["noop"])
            move = rng.choice(sorted(state.legal(role)))
            after = state.play(move)
            location = game.ruleset.location(move)
            assert location is not None
            assert grid(after) == made(grid(state), location, title(state, str(role)))
            state = after


def grid(state: State) -> Grid:
    return [[mark.title if mark else None for mark in row] for row in board_of(state).cells]


def board_of(state: State) -> Board:
    board = state.game.ruleset.board(state.facts)
    assert board is not None
    return board


def title(state: State, role: str) -> str:
    player = state.game.ruleset.player(Constant(role))
    assert player is not None
    return player.title


def made(before: Grid, location: MoveLocation, mark: str) -> Grid:
    grid = [list(row) for row in before]
    if location.column is not None:
        row = location.row
        if row is None:  # a disc falls
            row = max(row for row, cells in enumerate(grid) if cells[location.column] is None)
        assert grid[row][location.column] is None
        grid[row][location.column] = mark
    if location.block is not None:
        top, left, bottom, right = location.block
        for _ in range(location.degrees // 90 % 4):
            block = [row[left:right] for row in grid[top:bottom]]
            turned = [list(row) for row in zip(*block[::-1], strict=True)]
            for row, cells in zip(range(top, bottom), turned, strict=True):
                grid[row][left:right] = cells
    return grid


@pytest.mark.parametrize(
    ("id_", "move", "location"),
    [
        ("pentago/strict", "(turn e 5 q01 cw)", MoveLocation(4, 4, (0, 3, 3, 6), 90)),
        ("pentago/classic", "(place a 1)", MoveLocation(0, 0)),
        ("pentago/phased", "(place 2 1 3)", MoveLocation(0, 0)),
        (
            "pentago/phased",
            "(rotate 4 counterclockwise)",
            MoveLocation(None, None, (3, 3, 6, 6), -90),
        ),
        ("connectfour", "(drop 7)", MoveLocation(None, 6)),
        ("gomoku/freestyle", "(place 14 0)", MoveLocation(0, 14)),
        ("gomoku/freestyle", "(place 15 15)", None),
        ("gomoku/freestyle", "noop", None),
    ],
)
def test_where_a_move_is_made(id_: str, move: str, location: MoveLocation | None) -> None:
    found = find(id_).location(read_template(move))
    assert (found and replace(found, steps=())) == location


def test_a_move_is_made_on_the_sites_it_names() -> None:
    """Sites are counted by rows; of a column any cell will do."""
    place, drop = (
        find(id_).location(read_template(move))
        for id_, move in (("pentago/strict", "(turn e 5 q01 cw)"), ("connectfour", "(drop 7)"))
    )
    assert place is not None
    assert place.steps == ((4 * 6 + 4,),)
    assert drop is not None
    assert drop.steps == (tuple(7 * row + 6 for row in range(6)),)


@pytest.mark.parametrize(
    ("id_", "row", "column", "moves"),
    [
        ("pentago/strict", 4, 4, ["(turn e 5 q00 cw)"]),
        ("pentago/classic", 0, 5, ["(place f 1)", "(turn f 1 q00 cw)"]),
        ("pentago/phased", 0, 0, ["(place 2 1 3)"]),
        ("connectfour", 3, 6, ["(drop 7)"]),
        ("gomoku/freestyle", 0, 14, ["(place 14 0)"]),
        ("gomoku/freestyle", 15, 0, []),
    ],
)
def test_moves_that_would_be_made_on_a_cell(
    id_: str, row: int, column: int, moves: list[str]
) -> None:
    ruleset = find(id_)
    assert ruleset.picture is not None
    site = site_at(ruleset.picture, row, column)
    assert ([] if site is None else list(map(str, ruleset.moves_on(site)))) == moves
