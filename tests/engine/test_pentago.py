"""Whole-turn Pentago: moves, notation and drawings; what ends a game stands in the scenarios."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board6 import ROTATIONS, Rotation
from engine.faults import Fault, IllegalMoveError, NotationError
from engine.pentago import CLASSIC, STRICT, UTWENTE, VARIANTS, PentagoGame, Variant
from engine.pentago_turn import Turn
from engine.walk import play_text, random_game

STRICT_GAME, UTWENTE_GAME, CLASSIC_GAME = map(PentagoGame, (STRICT, UTWENTE, CLASSIC))
variants = pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.ruleset)
turns = st.builds(
    Turn, st.integers(0, 5), st.integers(0, 5), st.none() | st.sampled_from(ROTATIONS)
)

# Black to move has four in the first row, and an open fifth square on the right of them.
FOUR = "BBBB.. ...... ...... WW.... WW.... ......"


@variants
def test_the_first_turn_has_288_moves_and_black_makes_it(variant: Variant) -> None:
    game = PentagoGame(variant)
    assert game.to_move(game.initial()) == "black"
    assert len(set(game.legal_moves(game.initial()))) == 288
    assert game.goals(game.initial()) == {"black": 0, "white": 0}


def test_legal_moves_come_in_reading_order() -> None:
    texts = [STRICT_GAME.format(turn) for turn in STRICT_GAME.legal_moves(STRICT_GAME.initial())]
    assert texts[:3] == ["A1 Q00 CW", "A1 Q00 CCW", "A1 Q01 CW"]
    assert texts[8] == "B1 Q00 CW"
    assert texts[-1] == "F6 Q11 CCW"


def test_classic_offers_a_winning_placement_as_one_move_without_rotation() -> None:
    position = CLASSIC_GAME.from_text(FOUR)
    texts = [CLASSIC_GAME.format(turn) for turn in CLASSIC_GAME.legal_moves(position)]
    assert [text for text in texts if text.startswith("a4")] == ["a4"]
    assert len(texts) == 1 + 8 * 27


@pytest.mark.parametrize("game", [STRICT_GAME, UTWENTE_GAME], ids=lambda g: g.ruleset)
def test_strict_and_utwente_rotate_after_a_placement_that_makes_a_line(game: PentagoGame) -> None:
    position = game.from_text(FOUR)
    texts = [game.format(turn) for turn in game.legal_moves(position)]
    assert len([text for text in texts if text.startswith("E1 ")]) == 8
    assert len(texts) == 8 * 28


@variants
def test_playing_changes_neither_the_position_nor_its_hash(variant: Variant) -> None:
    game = PentagoGame(variant)
    start = game.initial()
    before = hash(start)
    first, second = (game.play(start, game.legal_moves(start)[5]) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert (start, hash(start)) == (game.initial(), before)


@variants
def test_every_position_of_random_games_is_sound(variant: Variant) -> None:
    game = PentagoGame(variant)
    chance = Random(7)
    for _ in range(200):
        walk = random_game(game, chance)
        for count, (position, after) in enumerate(pairwise(walk.positions), start=1):
            assert not position.black & position.white
            assert (after.black | after.white).bit_count() == count
            assert after.mover != position.mover
            assert sum(game.goals(position).values()) == 0
        final = walk.positions[-1]
        assert sum(game.goals(final).values()) == 100
        assert game.legal_moves(final) == ()
        assert game.to_move(final) is None


@variants
def test_a_position_is_its_drawing(variant: Variant) -> None:
    game = PentagoGame(variant)
    chance = Random(8)
    for _ in range(50):
        for position in random_game(game, chance).positions:
            assert game.from_text(game.draw(position)) == position


@variants
@given(turn=turns)
def test_notation_goes_both_ways(variant: Variant, turn: Turn) -> None:
    game = PentagoGame(variant)
    assert game.parse(game.format(turn)) == turn


def test_notation_of_source_000() -> None:
    turn = STRICT_GAME.parse("E5 Q01 CW")
    assert turn == Turn(4, 4, Rotation(1, "CW"))
    assert STRICT_GAME.format(Turn(0, 5, Rotation(2, "CCW"))) == "F1 Q10 CCW"


def test_notation_of_source_003() -> None:
    turn = CLASSIC_GAME.parse("c4 1 A")
    assert turn == Turn(2, 4, Rotation(0, "CCW"))
    assert CLASSIC_GAME.format(Turn(5, 0, Rotation(3, "CW"))) == "f0 4 C"
    assert CLASSIC_GAME.parse("a0") == Turn(0, 0)


@variants
@pytest.mark.parametrize(
    "text", ["", "E", "55", "E5 Q01", "E5 Q01 CW CW", "é5 Q01 CW", "a0 1 B", "E5 1 CW", "a٣ 1 A"]
)
def test_text_that_is_no_turn_is_refused_and_quoted(variant: Variant, text: str) -> None:
    with pytest.raises(NotationError) as caught:
        PentagoGame(variant).parse(text)
    assert caught.value.fault is Fault.MALFORMED
    assert str(caught.value).startswith(f"{text!r} is not a move: expected a square and ")


@pytest.mark.parametrize(
    "turn",
    [
        Turn(-1, 0, ROTATIONS[0]),
        Turn(0, 6, ROTATIONS[0]),
        Turn(0, 0, Rotation(4, "CW")),
        Turn(0, 0, Rotation(-1, "CCW")),
    ],
)
def test_a_turn_beside_the_board_is_out_of_range(turn: Turn) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        STRICT_GAME.play(STRICT_GAME.initial(), turn)
    assert caught.value.fault is Fault.OUT_OF_RANGE


def test_messages_of_refused_turns() -> None:
    position = play_text(STRICT_GAME, "A1 Q11 CW")
    with pytest.raises(IllegalMoveError, match=r"^'A1 Q00 CW' places on an occupied square$"):
        STRICT_GAME.play(position, STRICT_GAME.parse("A1 Q00 CW"))
    with pytest.raises(IllegalMoveError, match=r"^it is the turn of white, not of black$"):
        STRICT_GAME.play(position, STRICT_GAME.parse("B1 Q00 CW"), "black")
    with pytest.raises(IllegalMoveError, match=r"^'B1': the rotation is mandatory$"):
        STRICT_GAME.play(position, STRICT_GAME.parse("B1"))
    won = CLASSIC_GAME.from_text(FOUR)
    with pytest.raises(IllegalMoveError, match=r"so the move is written 'a4'$"):
        CLASSIC_GAME.play(won, CLASSIC_GAME.parse("a4 1 C"))


def test_drawings_that_show_no_position_are_refused() -> None:
    with pytest.raises(ValueError, match="six lines of six marks"):
        STRICT_GAME.from_text("BW")
    with pytest.raises(ValueError, match="six lines of six marks"):
        STRICT_GAME.from_text("X" + "." * 35)
    with pytest.raises(ValueError, match="black has 2 marbles more"):
        STRICT_GAME.from_text("BB" + "." * 34)


def test_a_drawing_with_both_lines_is_judged_by_the_variant() -> None:
    drawing = "BBBBB. WWWWW. ...... ...... ...... ......"
    assert STRICT_GAME.from_text(drawing).outcome == "white"
    assert STRICT_GAME.from_text(drawing.replace(".", "B", 1)).outcome == "black"
    assert UTWENTE_GAME.from_text(drawing).outcome == "draw"
    assert CLASSIC_GAME.from_text(drawing).outcome == "draw"


@pytest.mark.slow
def test_strict_and_utwente_differ_in_double_lines_only() -> None:
    # From the same plays both engines go through the same boards until both colours have a line.
    chance = Random(9)
    differences = 0
    for _ in range(300):
        walk = random_game(UTWENTE_GAME, chance)
        other = STRICT_GAME.initial()
        for turn, position in zip(walk.moves, walk.positions[1:], strict=True):
            other = STRICT_GAME.play(other, turn)
            assert other.to_text() == position.to_text()
        full = (other.black | other.white).bit_count() == 36
        if other.outcome != walk.positions[-1].outcome:
            differences += 1
            assert walk.positions[-1].outcome == "draw"
            assert other.outcome == walk.positions[-2].mover
        elif other.outcome == "draw":
            assert full
    assert differences
