"""The interface that source 003 prints: calls, layout, errors."""

import subprocess
import sys

import pytest

from engine import Fault, Pentago, RulesError

EMPTY_BOARD = """\
   0  1  2   |   3  4  5
a  -  -  -   |   -  -  -
b  -  -  -   |   -  -  -
c  -  -  -   |   -  -  -
   ————————  |  ————————
d  -  -  -   |   -  -  -
e  -  -  -   |   -  -  -
f  -  -  -   |   -  -  -

  ●  = white    ○  = black   -  = empty
"""

# What the six printed calls give by the rules, worked out by hand; the board printed in the source
# shows seven marbles and cannot be theirs.
AFTER_THE_EXAMPLE = """\
   0  1  2   |   3  4  5
a  -  -  -   |   -  ○  -
b  ●  ●  -   |   -  -  -
c  -  -  ○   |   ○  -  -
   ————————  |  ————————
d  -  -  -   |   -  -  -
e  -  -  -   |   -  -  -
f  -  -  ●   |   -  -  -

  ●  = white    ○  = black   -  = empty
"""
EXAMPLE = (
    ("black", "a0", 1, "A"),
    ("white", "a1", 1, "A"),
    ("black", "c3", 1, "C"),
    ("white", "f2", 1, "C"),
    ("black", "a4", 1, "C"),
    ("white", "b1", 1, "C"),
)


def before_the_win() -> Pentago:
    game = Pentago()
    for number, space in enumerate(["a0", "d0", "a1", "d1", "a2", "d2", "a3", "f0"]):
        game.make_move(("black", "white")[number % 2], space, 4, "C")
    return game


def test_the_printed_example(capsys: pytest.CaptureFixture[str]) -> None:
    game = Pentago()
    game.print_board()
    assert capsys.readouterr().out == EMPTY_BOARD
    for move in EXAMPLE:
        game.make_move(*move)
    game.print_board()
    assert capsys.readouterr().out == AFTER_THE_EXAMPLE
    assert game.outcome is None


def test_the_first_call_turns_the_marble_anticlockwise() -> None:
    game = Pentago()
    game.make_move("black", "a0", 1, "A")
    assert game.position.at(2, 0) == "B"


def test_module_runs_the_example() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "engine"], capture_output=True, check=True
    )
    text = done.stdout.decode()
    assert text.startswith("black a0 1 A\n   0  1  2   |   3  4  5\n")
    assert text.endswith(AFTER_THE_EXAMPLE + "\n")


@pytest.mark.parametrize(
    ("sub_board", "direction"), [(1, "A"), (99, "sideways"), (None, None)], ids=str
)
def test_sub_board_and_direction_are_not_used_when_the_placement_wins(
    sub_board: int | None, direction: str | None
) -> None:
    game = before_the_win()
    game.make_move("black", "a4", sub_board, direction)
    assert game.outcome == "black"
    assert game.position.to_text().startswith("BBBBB.")


@pytest.mark.parametrize(
    ("move", "fault"),
    [
        (("green", "a5", 1, "A"), Fault.MALFORMED),
        (("white", "a5", 1, "A"), Fault.OUT_OF_TURN),
        (("black", "d0", 1, "A"), Fault.OCCUPIED),
        (("black", "g0", 1, "A"), Fault.OUT_OF_RANGE),
        (("black", "a6", 1, "A"), Fault.OUT_OF_RANGE),
        (("black", "E5", 1, "A"), Fault.MALFORMED),
        (("black", "a5 1 A", 1, "A"), Fault.MALFORMED),
        (("black", "", 1, "A"), Fault.MALFORMED),
        (("black", "a5", 0, "A"), Fault.MALFORMED),
        (("black", "a5", 5, "A"), Fault.MALFORMED),
        (("black", "a5", 1, "CW"), Fault.MALFORMED),
        (("black", "a5", 1, None), Fault.MISSING_ROTATION),
        (("black", "a5"), Fault.MISSING_ROTATION),
    ],
    ids=str,
)
def test_a_wrong_call_raises_and_changes_nothing(
    move: tuple[str, str, int, str], fault: Fault
) -> None:
    game = before_the_win()
    position, board = game.position, game.board_text()
    with pytest.raises(RulesError) as caught:
        game.make_move(*move)
    assert isinstance(caught.value, ValueError)
    assert caught.value.fault is fault
    assert (game.position, game.board_text()) == (position, board)


def test_a_call_after_the_end_is_refused() -> None:
    game = before_the_win()
    game.make_move("black", "a4", 1, "A")
    with pytest.raises(RulesError, match="the game is over") as caught:
        game.make_move("white", "f5", 1, "A")
    assert caught.value.fault is Fault.GAME_OVER
