"""The phased game: coordinates, phases, joint moves, and agreement with the whole-turn engine."""

from itertools import pairwise
from random import Random

import pytest

from engine.faults import Fault, IllegalMoveError, NotationError
from engine.pentago import CLASSIC, UTWENTE, PentagoGame
from engine.phased import (
    OFFSETS,
    Move,
    Noop,
    PhasedGame,
    Place,
    Rotate,
    has_line,
)
from engine.walk import play_text, random_game
from tests.scenarios.pentago import to_phased

GAME = PhasedGame()


def test_the_source_order_of_control() -> None:
    position = GAME.initial()
    order = []
    for move in ("place 1 1 1", "rotate 2 clockwise") * 2:
        order.append((position.control, position.phase))
        text = move if order[-1] != ("black", "place") else "place 1 1 2"
        position = GAME.play(position, GAME.parse(text))
    assert order == [("red", "place"), ("red", "rotate"), ("black", "place"), ("black", "rotate")]
    assert (position.control, position.phase) == ("red", "place")


@pytest.mark.parametrize(
    ("quadrant", "row", "column"), [(1, 0, 3), (2, 0, 0), (3, 3, 0), (4, 3, 3)]
)
def test_quadrants_lie_as_in_the_plane(quadrant: int, row: int, column: int) -> None:
    # The cell (1, 3) is the top left one of its quadrant, because y points up.
    position = GAME.play(GAME.initial(), Place(quadrant, 1, 3))
    rows = GAME.draw(position).splitlines()
    assert rows[row][column] == "r"
    assert sum(line.count("r") for line in rows) == 1


@pytest.mark.parametrize("quadrant", OFFSETS)
def test_clockwise_is_clockwise_to_the_eye(quadrant: int) -> None:
    corners = [(1, 3), (3, 3), (3, 1), (1, 1)]  # top left, then round with the clock
    for start, goal in pairwise([*corners, corners[0]]):
        position = GAME.play(GAME.initial(), Place(quadrant, *start))
        assert GAME.play(position, Rotate(quadrant, "clockwise")).at(quadrant, *goal) == "r"
    for start, goal in pairwise([corners[0], *reversed(corners)]):
        position = GAME.play(GAME.initial(), Place(quadrant, *start))
        assert GAME.play(position, Rotate(quadrant, "counterclockwise")).at(quadrant, *goal) == "r"


def test_legal_moves_by_phase_and_role() -> None:
    start = GAME.initial()
    assert len(set(GAME.legal_moves(start))) == 36
    assert GAME.legal_moves(start, "red") == GAME.legal_moves(start)
    assert GAME.legal_moves(start, "black") == (Noop(),)
    placed = GAME.play(start, Place(1, 1, 1))
    assert len(set(GAME.legal_moves(placed))) == 8
    assert GAME.legal_moves(placed, "black") == (Noop(),)
    over = play_text(GAME, "; ".join(winning_row()))
    assert GAME.legal_moves(over, "red") == GAME.legal_moves(over, "black") == ()


def winning_row() -> list[str]:
    plies: list[str] = []
    for square in ["A1", "A4", "B1", "B4", "C1", "C4", "D1", "A6", "E1"]:
        plies += to_phased(f"{square} Q11 CW")
    return plies[:-1]


def test_a_line_after_a_placement_is_terminal_with_the_rotation_still_due() -> None:
    over = play_text(GAME, "; ".join(winning_row()))
    assert GAME.is_terminal(over)
    assert (over.control, over.phase) == ("red", "rotate")
    assert GAME.goals(over) == {"red": 100, "black": 0}


def test_joint_moves_need_a_noop_of_the_other_role() -> None:
    start = GAME.initial()
    after = GAME.play_joint(start, {"red": Place(1, 1, 1), "black": Noop()})
    assert after == GAME.play(start, Place(1, 1, 1))
    refused: list[tuple[dict[str, Move], Fault]] = [
        ({"red": Place(1, 1, 1), "black": Place(1, 1, 2)}, Fault.OUT_OF_TURN),
        ({"red": Noop(), "black": Noop()}, Fault.WRONG_PHASE),
        ({"red": Noop(), "black": Place(1, 1, 1)}, Fault.WRONG_PHASE),
        ({"red": Place(1, 1, 1)}, Fault.MALFORMED),
    ]
    for moves, fault in refused:
        with pytest.raises(IllegalMoveError) as caught:
            GAME.play_joint(start, moves)
        assert caught.value.fault is fault


@pytest.mark.parametrize("text", ["(place 1 2 3)", "(rotate 4 clockwise)", "noop"])
def test_notation_goes_both_ways_with_brackets_or_without(text: str) -> None:
    assert GAME.format(GAME.parse(text)) == text
    assert GAME.parse(text.strip("()")) == GAME.parse(text)


@pytest.mark.parametrize(
    "text", ["", "place 1 2", "place 1 2 -3", "place a b c", "rotate 1 CW", "pass", "(noop"]
)
def test_text_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"expected '\(place 1 2 3\)'"):
        GAME.parse(text)


def test_drawings_go_both_ways() -> None:
    for position in random_game(GAME, Random(3)).positions[:-1]:
        assert GAME.from_text(GAME.draw(position), position.phase) == position


@pytest.mark.parametrize(
    ("drawing", "phase", "message"),
    [
        ("r", "place", "six lines of six marks"),
        ("B" + "." * 35, "place", "six lines of six marks"),
        ("b" + "." * 35, "place", "red has -1 marbles more"),
        ("." * 36, "rotate", "nobody can rotate an empty board"),
    ],
)
def test_drawings_that_show_no_position_are_refused(drawing: str, phase: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GAME.from_text(drawing, "rotate" if phase == "rotate" else "place")


def test_six_in_a_row_is_a_line() -> None:
    assert has_line("rrrrrr" + "." * 30, "r")
    assert not has_line("rrrr.r" + "." * 30, "r")


@pytest.mark.slow
def test_two_plies_are_a_whole_turn_of_the_other_engine() -> None:
    # The two engines share no code. Played turn by turn they must show the same board after every
    # rotation, and the phased game ends with a placement exactly where classic does or where the
    # board is full.
    chance = Random(4)
    classic = PentagoGame(CLASSIC)
    utwente = PentagoGame(UTWENTE)
    for _ in range(300):
        whole, phased = classic.initial(), GAME.initial()
        while not GAME.is_terminal(phased):
            turn = chance.choice(classic.legal_moves(whole))
            plies = [GAME.parse(text) for text in to_phased(utwente.format(turn))]
            whole, phased = classic.play(whole, turn), GAME.play(phased, plies[0])
            ended_by_placement = GAME.is_terminal(phased)
            full = "." not in phased.cells
            assert ended_by_placement == (turn.rotation is None or full)
            if not ended_by_placement:
                phased = GAME.play(phased, plies[1])
            if turn.rotation is None or not full:
                assert GAME.draw(phased) == marks(whole.to_text())
                assert list(GAME.goals(phased).values()) == list(classic.goals(whole).values())
            else:
                assert GAME.goals(phased) == {"red": 50, "black": 50}


def marks(drawing: str) -> str:
    return drawing.replace("B", "r").replace("W", "b")
