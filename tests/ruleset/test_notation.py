"""Moves to text and back, in the notation of each source and in odd ones."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.language.syntax import Constant, Term
from gdl.language.template import read_template
from gdl.ruleset import Notation, NotationError, Ruleset, find
from gdl.ruleset.notation import Field, Form
from tests.rulesets import RULESETS
from tests.shared import examples

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)

# Move and canonical text, as the source of each ruleset writes it.
CANONICAL = [
    ("pentago/strict", "(turn e 5 q01 cw)", "E5 Q01 CW"),
    ("pentago/strict", "(turn a 1 q10 ccw)", "A1 Q10 CCW"),
    ("pentago/utwente", "(turn f 6 q11 ccw)", "F6 Q11 CCW"),
    ("pentago/classic", "(turn a 1 q00 ccw)", "a0 1 A"),
    ("pentago/classic", "(turn d 3 q11 cw)", "c3 4 C"),
    ("pentago/classic", "(place a 1)", "a0"),
    ("pentago/classic", "(place b 6)", "f1"),
    ("pentago/phased", "(place 1 2 3)", "(place 1 2 3)"),
    ("pentago/phased", "(rotate 1 clockwise)", "(rotate 1 clockwise)"),
    ("pentago/phased", "noop", "noop"),
    ("gomoku/freestyle", "(place 7 7)", "PLACE_STONE {7,7}"),
    ("gomoku/freestyle", "(place 0 14)", "PLACE_STONE {0,14}"),
    ("tictactoe", "(mark b 2)", "b2"),
    ("connectfour", "(drop 4)", "4"),
]
# Text that is understood though it is not canonical.
TOLERATED = [
    ("pentago/strict", "e5 q01 cw", "E5 Q01 CW"),
    ("pentago/strict", "  E5   Q01\tCW ", "E5 Q01 CW"),
    ("pentago/strict", "E5Q01CCW", "E5 Q01 CCW"),
    ("pentago/strict", "(turn e 5 q01 cw)", "E5 Q01 CW"),
    ("pentago/strict", "-", "noop"),
    ("pentago/classic", "A0 1 a", "a0 1 A"),
    ("pentago/classic", "C3", "c3"),
    ("pentago/phased", "place 1 2 3", "(place 1 2 3)"),
    ("pentago/phased", "Rotate 4 CounterClockwise", "(rotate 4 counterclockwise)"),
    ("gomoku/freestyle", "PLACE_STONE {x: 7, y: 7}", "PLACE_STONE {7,7}"),
    ("gomoku/freestyle", "PLACE_STONE { 7 , 7 }", "PLACE_STONE {7,7}"),
    ("gomoku/freestyle", "PLACE_STONE { x : 7 , y : 7 }", "PLACE_STONE {7,7}"),
    ("gomoku/freestyle", "place_stone{11,1}", "PLACE_STONE {11,1}"),
    ("gomoku/freestyle", "11,1", "PLACE_STONE {11,1}"),
    ("gomoku/freestyle", "(place 3 12)", "PLACE_STONE {3,12}"),
]


@pytest.mark.parametrize(("id_", "move", "text"), CANONICAL)
def test_canonical_text(id_: str, move: str, text: str) -> None:
    notation = find(id_).notation
    assert notation.format(read_template(move)) == text
    assert str(notation.parse(text)) == move


@pytest.mark.parametrize(("id_", "text", "canonical"), TOLERATED)
def test_capitals_and_blanks_do_not_matter(id_: str, text: str, canonical: str) -> None:
    notation = find(id_).notation
    assert notation.format(notation.parse(text)) == canonical


@pytest.mark.later
@pytest.mark.sample(6)
@every_ruleset
def test_every_move_that_can_be_written_reads_back(ruleset: Ruleset) -> None:
    notation = ruleset.notation
    texts = set()
    for form in notation.forms:
        for move in form.moves():
            text = notation.format(move)
            assert notation.parse(text) is move
            assert notation.parse(f" {text.swapcase()}  ") is move
            texts.add(text)
    assert len(texts) == sum(form.size for form in notation.forms)


def test_the_squares_notation_writes_all_288_turns() -> None:
    assert [form.size for form in find("pentago/strict").notation.forms] == [288, 1]
    assert [form.size for form in find("pentago/classic").notation.forms] == [288, 36, 1]
    assert [form.size for form in find("pentago/phased").notation.forms] == [36, 8, 1]
    assert [form.size for form in find("gomoku/freestyle").notation.forms] == [225, 1]


REFUSED = [
    (
        "pentago/strict",
        "E7 Q01 CW",
        """move:1:2: error[not-a-move]: this is no move
  1 | E7 Q01 CW
    |  ^
  expected: a row (1, 2, 3, 4, 5 or 6), as in E5 Q01 CW
  help: did you mean E6 Q01 CW?""",
    ),
    (
        "pentago/strict",
        "E5 Q01",
        """move:1:7: error[not-a-move]: this is no move
  1 | E5 Q01
    |       ^
  expected: a direction (CW or CCW), as in E5 Q01 CW
  help: did you mean E5 Q01 CW?""",
    ),
    (
        "pentago/classic",
        "a0 5 C",
        """move:1:4: error[not-a-move]: this is no move
  1 | a0 5 C
    |    ^
  expected: a subboard (1, 2, 3 or 4) or the end of the move, as in a0 1 A
  help: did you mean a0 4 C?""",
    ),
    (
        "gomoku/freestyle",
        "PLACE_STONE {15,0}",
        """move:1:14: error[not-a-move]: this is no move
  1 | PLACE_STONE {15,0}
    |              ^
  expected: a x (0, 1, ... or 14) or x, as in PLACE_STONE {7,7}
  help: did you mean PLACE_STONE {5,0}?""",
    ),
    (
        "connectfour",
        "",
        """move:1:1: error[not-a-move]: there is no move here
  1 |
    | ^
  expected: a column (1, 2, 3, 4, 5, 6 or 7), noop or "-", as in 4""",
    ),
]


@pytest.mark.parametrize(("id_", "text", "message"), REFUSED)
def test_what_is_no_move_is_refused_with_the_nearest_one(id_: str, text: str, message: str) -> None:
    with pytest.raises(NotationError) as caught:
        find(id_).notation.parse(text)
    assert str(caught.value) == message
    assert caught.value.text == text


def _numbers(name: str, last: int) -> Field:
    return Field(name, tuple((Constant(str(n)), str(n)) for n in range(last + 1)))


AT = read_template("(at ?x ?y)")
JOINED = Notation((Form(AT, (_numbers("x", 14), _numbers("y", 14))),), "34")
APART = Notation((Form(AT, (_numbers("x", 14), " ", _numbers("y", 14))),), "3 4")


def test_text_that_could_be_two_moves_is_refused() -> None:
    assert str(JOINED.parse("34")) == "(at 3 4)"
    assert str(JOINED.parse("1 12")) == "(at 1 12)"
    with pytest.raises(NotationError) as caught:
        JOINED.parse("112")
    assert caught.value.nearest == ("112", "112")
    assert (
        str(caught.value)
        == """move:1:1: error[ambiguous-move]: 2 moves are written so
  1 | 112
    | ^^^
  expected: 112 is (at 1 12) or 112 is (at 11 2)"""
    )


def test_a_number_is_not_taken_apart() -> None:
    assert str(APART.parse("11  2")) == "(at 11 2)"
    with pytest.raises(NotationError):
        APART.parse("112")


def test_capitals_that_tell_moves_apart_are_kept_apart() -> None:
    piece = Field("piece", ((Constant("king"), "K"), (Constant("knight"), "k")))
    notation = Notation((Form(read_template("(move ?piece)"), (piece,)),), "K")
    assert str(notation.parse("K")) == "(move king)"
    assert str(notation.parse("k")) == "(move knight)"


def test_without_forms_moves_are_kif_text() -> None:
    notation = Notation()
    move = read_template("(move (square a 1) b)")
    assert notation.format(move) == "(move (square a 1) b)"
    assert notation.parse(" ( move (square a 1)\n b ) ") is move
    assert notation.parse("noop") is Constant("noop")


KIF_REFUSED = ["", "(", "(move ?x)", "a b", ")", "(move))", "()", "?x", "(a" * 300]


@pytest.mark.parametrize("text", KIF_REFUSED)
def test_what_is_no_ground_term_is_no_move(text: str) -> None:
    with pytest.raises(NotationError, match=r"not-a-move|unclosed-bracket"):
        Notation().parse(text)


@pytest.mark.sample(3)
@pytest.mark.parametrize("number", range(len(RULESETS)), ids=lambda n: RULESETS[n].id)
@settings(max_examples=examples(20))
@given(text=st.text(max_size=30) | st.text("ABCDEFabcdef0123456789 ()?{},:-", max_size=20))
def test_any_text_is_a_move_or_a_notation_error(number: int, text: str) -> None:
    try:
        move = RULESETS[number].notation.parse(text)
    except NotationError as error:
        assert "expected: " in str(error) or "help: " in str(error)  # noqa: PT017  # a move is as good as an error
    else:
        assert isinstance(move, Term)


@pytest.mark.sample(2)
@every_ruleset
def test_a_foreign_character_never_makes_another_move(ruleset: Ruleset) -> None:
    rng = Random(0)
    notation = ruleset.notation
    known = {move for form in notation.forms for move in form.moves()}
    for move in rng.sample(sorted(known), min(30, len(known))):
        text = notation.format(move)
        at = rng.randrange(len(text))
        wrong = f"{text[:at]}§{text[at + 1 :]}"
        try:
            assert notation.parse(wrong) not in known  # another term, which the rules will refuse
        except NotationError as error:
            assert error.text == wrong  # noqa: PT017  # either will do
