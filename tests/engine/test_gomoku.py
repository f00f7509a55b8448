"""Freestyle Gomoku: state model, validation, the line scan, and games to the last intersection."""

import json
from random import Random

import pytest

from engine import gomoku
from engine.faults import Fault, IllegalMoveError, NotationError
from engine.gomoku import GomokuGame, PlaceStone, State, from_text, place, replay
from engine.walk import random_game
from tests.scenarios.gomoku import drawn_game, won_on_the_last_cell

GAME = GomokuGame()


def test_the_metadata_of_the_source() -> None:
    assert (gomoku.GAME_ID, gomoku.RULESET_VERSION) == ("gomoku", "freestyle-15x15-v1")


def test_payload_has_exactly_the_fields_of_the_source() -> None:
    payload = place(place(State(), 3, 0), 14, 13).payload()
    assert list(payload) == ["board", "moveHistory", "nextColor", "winnerColor", "ruleFlags"]
    board = json.loads(json.dumps(payload["board"]))
    assert [len(row) for row in board] == [15] * 15
    assert (board[0][3], board[13][14]) == ("B", "W")
    assert sum(row.count(".") for row in board) == 223
    assert payload["moveHistory"] == [
        {"x": 3, "y": 0, "color": "B"},
        {"x": 14, "y": 13, "color": "W"},
    ]
    assert payload["nextColor"] == "B"
    assert payload["winnerColor"] is None
    assert payload["ruleFlags"] == {"allowOverlineWin": True}


def test_placing_leaves_the_old_state_alone() -> None:
    start = State()
    assert place(start, 7, 7) == place(start, 7, 7)
    assert start == State()
    assert hash(place(start, 7, 7)) == hash(replay([(7, 7)]))


@pytest.mark.parametrize(
    ("x", "y", "color", "sequence", "fault"),
    [
        (7, 7, None, None, Fault.OCCUPIED),
        (15, 7, None, None, Fault.OUT_OF_RANGE),
        (7, -1, None, None, Fault.OUT_OF_RANGE),
        (8, 8, "B", None, Fault.OUT_OF_TURN),
        (8, 8, "green", None, Fault.OUT_OF_TURN),
        (8, 8, "W", 0, Fault.OUT_OF_SEQUENCE),
        (8, 8, "W", 2, Fault.OUT_OF_SEQUENCE),
    ],
)
def test_each_fault_has_its_code(
    x: int, y: int, color: str | None, sequence: int | None, fault: Fault
) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        place(replay([(7, 7)]), x, y, color, sequence)
    assert caught.value.fault is fault


def test_a_numbered_move_is_accepted_once() -> None:
    state = place(State(), 7, 7, "B", sequence=0)
    assert place(state, 8, 8, "W", sequence=1).next_color == "B"


def test_the_end_of_the_game_comes_before_every_other_fault() -> None:
    state = replay([(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0)])
    assert (state.phase, state.winner_color, state.is_draw) == ("finished", "B", False)
    with pytest.raises(IllegalMoveError, match=r"^the game is finished$") as caught:
        place(state, 99, 0, "B", sequence=0)
    assert caught.value.fault is Fault.GAME_OVER


def board_of(black: list[tuple[int, int]]) -> tuple[str, ...]:
    return tuple("".join("B" if (x, y) in black else "." for x in range(15)) for y in range(15))


@pytest.mark.later
@pytest.mark.parametrize("direction", gomoku.DIRECTIONS, ids=str)
def test_five_win_everywhere_and_four_nowhere(direction: tuple[int, int]) -> None:
    dx, dy = direction
    lines = 0
    for x in range(15):
        for y in range(15):
            line = [(x + n * dx, y + n * dy) for n in range(5)]
            if not all(0 <= lx < 15 and 0 <= ly < 15 for lx, ly in line):
                continue
            lines += 1
            for last in line:
                others = [cell for cell in line if cell != last]
                assert gomoku.makes_line(board_of(line), *last)
                assert not any(gomoku.makes_line(board_of(others), *cell) for cell in others)
    assert lines == (11 * 15 if 0 in direction else 11 * 11)


@pytest.mark.slow
def test_the_scan_agrees_with_reading_the_whole_board() -> None:
    chance = Random(5)
    for _ in range(40):
        for state in random_game(GAME, chance).positions:
            assert (state.winner_color is not None) == any_five(state.board)


def any_five(board: tuple[str, ...]) -> bool:
    texts = [*board, *("".join(row[x] for row in board) for x in range(15))]
    for shift in range(-14, 15):
        pairs = [(y, y + shift) for y in range(15) if 0 <= y + shift < 15]
        texts.append("".join(board[y][x] for y, x in pairs))
        texts.append("".join(board[y][14 - x] for y, x in pairs))
    return any("BBBBB" in text or "WWWWW" in text for text in texts)


@pytest.mark.parametrize("seed", range(20))
def test_drawn_games_end_on_the_last_intersection(seed: int) -> None:
    cells = drawn_game(Random(seed))
    assert len(set(cells)) == 225
    before = replay(cells[:-1])
    assert (before.phase, len(GAME.legal_moves(before))) == ("placing", 1)
    state = place(before, *cells[-1])
    assert state.is_draw
    assert GAME.goals(state) == {"black": 50, "white": 50}
    assert not any_five(state.board)


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(20))
def test_games_won_on_the_last_intersection(seed: int) -> None:
    cells = won_on_the_last_cell(Random(seed))
    state = replay(cells)
    assert len(state.move_history) == 225
    assert (state.phase, state.winner_color, state.is_draw) == ("finished", "B", False)
    assert GAME.goals(state) == {"black": 100, "white": 0}


def test_seeded_games_vary() -> None:
    assert len({drawn_game(Random(seed)) for seed in range(10)}) == 10
    assert drawn_game(Random(1)) == drawn_game(Random(1))


def test_a_log_rebuilds_the_state() -> None:
    final = random_game(GAME, Random(6)).positions[-1]
    assert replay((stone.x, stone.y) for stone in final.move_history) == final


def test_a_drawing_becomes_a_state_by_legal_play() -> None:
    final = random_game(GAME, Random(6)).positions[-1]
    last = final.move_history[-1]
    drawn = from_text(GAME.draw(final), (last.x, last.y))
    assert (drawn.board, drawn.winner_color) == (final.board, final.winner_color)


@pytest.mark.parametrize(
    ("drawing", "message"),
    [("B", "15 lines of 15 marks"), ("W" + "." * 224, "black has -1 stones more")],
)
def test_drawings_that_show_no_state_are_refused(drawing: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_text(drawing)


def test_notation_goes_both_ways() -> None:
    for move in GAME.legal_moves(State()):
        assert GAME.parse(GAME.format(move)) == move
    assert GAME.parse(" PLACE_STONE{ 7, 14 } ") == PlaceStone(7, 14)
    assert GAME.format(PlaceStone(7, 14)) == "PLACE_STONE {7,14}"


@pytest.mark.parametrize("text", ["", "RESIGN", "REQUEST_DRAW", "PLACE_STONE 7 7", "{7, 7}"])
def test_text_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="expected 'PLACE_STONE"):
        GAME.parse(text)
