"""The 6x6 board: its lines, and what a rotation does to a quadrant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board6 import (
    FULL,
    LINES,
    LINES_THROUGH,
    ROTATIONS,
    SIZE,
    Rotation,
    completes_line,
    has_line,
    rotate,
    square_bit,
)

boards = st.integers(0, FULL)
rotations = st.sampled_from(ROTATIONS)


def squares(drawing: str) -> int:
    marks = "".join(drawing.split())
    return sum(1 << index for index, mark in enumerate(marks) if mark == "B")


def test_there_are_32_lines_of_five_squares() -> None:
    assert len(LINES) == len(set(LINES)) == 32
    assert all(line.bit_count() == 5 for line in LINES)
    assert sum(map(len, LINES_THROUGH)) == 5 * 32


def test_lines_are_found_by_slow_search_over_all_pairs_of_ends() -> None:
    # Another way to the same set: two ends, four steps apart in a row, column or diagonal.
    found = set()
    cells = [(row, column) for row in range(SIZE) for column in range(SIZE)]
    for row, column in cells:
        for last_row, last_column in cells:
            down, right = last_row - row, last_column - column
            if (abs(down), abs(right)) in {(0, 4), (4, 0), (4, 4)}:
                steps = [(row + n * down // 4, column + n * right // 4) for n in range(5)]
                found.add(sum(square_bit(*step) for step in steps))
    assert found == set(LINES)


@pytest.mark.parametrize(
    ("quadrant", "before", "after"),
    [
        (
            0,
            "BB.... B..... ...... ...... ...... ......",
            ".BB... ..B... ...... ...... ...... ......",
        ),
        (
            1,
            "...BB. ...B.. ...... ...... ...... ......",
            "....BB .....B ...... ...... ...... ......",
        ),
        (
            2,
            "...... ...... ...... BB.... B..... ......",
            "...... ...... ...... .BB... ..B... ......",
        ),
        (
            3,
            "...... ...... ...... ...BB. ...B.. ......",
            "...... ...... ...... ....BB .....B ......",
        ),
    ],
)
def test_clockwise_takes_the_top_left_corner_to_the_top_right(
    quadrant: int, before: str, after: str
) -> None:
    assert rotate(squares(before), Rotation(quadrant, "CW")) == squares(after)
    assert rotate(squares(after), Rotation(quadrant, "CCW")) == squares(before)


@given(boards, rotations)
def test_four_rotations_the_same_way_change_nothing(board: int, rotation: Rotation) -> None:
    turned = board
    for _ in range(4):
        turned = rotate(turned, rotation)
        assert turned.bit_count() == board.bit_count()
    assert turned == board


@given(boards, st.sampled_from(range(4)))
def test_the_two_directions_undo_each_other(board: int, quadrant: int) -> None:
    assert rotate(rotate(board, Rotation(quadrant, "CW")), Rotation(quadrant, "CCW")) == board


@given(boards, rotations)
def test_marbles_of_other_quadrants_lie_still(board: int, rotation: Rotation) -> None:
    top, left = (3 * part for part in divmod(rotation.quadrant, 2))
    inside = sum(square_bit(top + row, left + column) for row in range(3) for column in range(3))
    assert rotate(board, rotation) & ~inside == board & ~inside


@given(boards)
def test_has_line_agrees_with_reading_rows_columns_and_diagonals_as_text(board: int) -> None:
    marks = [["x" if board & square_bit(r, c) else "-" for c in range(SIZE)] for r in range(SIZE)]
    texts = ["".join(row) for row in marks]
    texts += ["".join(marks[r][c] for r in range(SIZE)) for c in range(SIZE)]
    for shift in range(-SIZE, SIZE):
        falling = [(r, r + shift) for r in range(SIZE) if 0 <= r + shift < SIZE]
        texts.append("".join(marks[r][c] for r, c in falling))
        texts.append("".join(marks[r][SIZE - 1 - c] for r, c in falling))
    assert has_line(board) == any("xxxxx" in text for text in texts)


@given(boards, st.integers(0, 35))
def test_completes_line_is_has_line_of_what_the_square_adds(board: int, square: int) -> None:
    without = board & ~(1 << square)
    if not has_line(without):
        assert completes_line(without, square) == has_line(without | 1 << square)
