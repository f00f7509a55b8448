"""Which moves stand for which: by shape, and by a map that the error hands out to fill in."""

from pathlib import Path

import pytest

import gdl
from gdl.compile.circuit import GameCircuit
from gdl.compile.pipeline import build
from gdl.language.parse import parse
from gdl.ruleset import find
from gdl.verify.saved import SavedPlayError, read_map
from gdl.verify.shape import by_rank, by_shape
from tests.shared import GAMES, needs_games


def choosing(*moves: str) -> GameCircuit:
    """Return a game in which one role may always make any of some moves."""
    rules = "(role r) (init on) (<= (next on) (true on)) (<= terminal (not (true on))) (goal r 50)"
    return build(parse(rules + " ".join(f"(<= (legal r {m}) (true on))" for m in moves)))


def told(one: GameCircuit, other: GameCircuit) -> dict[str, str]:
    """Return what stands for what by shape."""
    found = by_shape(one, other)
    assert found is not None
    assert found.is_one_to_one
    return {str(one.moves[0][a]): str(other.moves[0][b]) for a, b in found.pairs[0]}


def test_a_place_in_which_all_are_the_same_says_nothing() -> None:
    one = choosing("noop", "(mark 1 1)", "(mark 1 2)", "(mark 2 1)")
    other = choosing("pass", "(play 4 4 x)", "(play 4 8 x)", "(play 8 4 x)")
    assert told(one, other) == {
        "noop": "pass",
        "(mark 1 1)": "(play 4 4 x)",
        "(mark 1 2)": "(play 4 8 x)",
        "(mark 2 1)": "(play 8 4 x)",
    }
    assert by_rank(one, other) is None


def test_arguments_may_come_in_another_order() -> None:
    one = choosing("(step a 1)", "(step a 2)", "(step a 3)")
    other = choosing("(go 1 2 b)", "(go 1 3 b)", "(go 1 4 b)")
    assert told(one, other)["(step a 3)"] == "(go 1 4 b)"
    one = choosing("(step a 1)", "(step a 2)", "(step b 2)")
    other = choosing("(step 1 1)", "(step 2 1)", "(step 2 2)")
    assert told(one, other) == {
        "(step a 1)": "(step 1 1)",
        "(step a 2)": "(step 2 1)",
        "(step b 2)": "(step 2 2)",
    }


def test_moves_of_the_same_name_belong_together() -> None:
    one = choosing("left", "right", "stay")
    other = choosing("halt", "right", "left")
    assert told(one, other) == {"left": "left", "right": "right", "stay": "halt"}


@pytest.mark.parametrize(
    "moves", [("(go 1)", "(go 2)"), ("(go 1)", "(go 2)", "(go 3)", "stop"), ("(go 1)", "go", "on")]
)
def test_another_shape_is_no_match(moves: tuple[str, ...]) -> None:
    assert by_shape(choosing("(step 1)", "(step 2)", "(step 3)"), choosing(*moves)) is None


@needs_games
def test_tictactoe_without_variables_is_matched_with_tictactoe() -> None:
    paths = {path.stem: path for path in GAMES}
    answer = gdl.diff(paths["ticTacToe"], paths["ticTacToeNoVars"], goals="terminal")
    assert answer.matching == "moves of the same shape"
    assert answer.matched[:3] == (
        "xplayer = xPlayer",
        "oplayer = oPlayer",
        "(mark 1 1) = (play 1 1 x)",
    )
    assert (answer.equivalent, answer.proved) == (True, True)


def test_the_error_hands_out_a_map_to_fill_in(tmp_path: Path) -> None:
    """Two games in words of their own, one with a move more: nothing but a map tells."""
    other = tmp_path / "other.kif"
    text = "\n".join(source.text for source in find("tictactoe").texts())
    text = text.replace("mark", "put").replace("noop", "rest")
    text += "\n(<= (legal ?player resign) (true (control ?player)))"
    other.write_text(text, encoding="utf-8")
    with pytest.raises(gdl.MatchError) as caught:
        gdl.diff("tictactoe", other)
    draft = str(caught.value).partition("--map FILE\n")[2]
    lines = [line.removeprefix("    ") for line in draft.splitlines()]
    path = tmp_path / "map.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(SavedPlayError) as unfilled:
        read_map(path)
    assert str(unfilled.value) == (
        f"{path}: 'noop' in [constants] is not filled in\n"
        "  expected: its name in the second game, or no line where that is the same"
    )
    filled = "\n".join(lines)
    for old, new in (("mark", "put"), ("noop", "rest")):
        assert f'"{old}" = ""' in filled
        filled = filled.replace(f'"{old}" = ""', f'"{old}" = "{new}"')
    path.write_text(filled, encoding="utf-8")
    answer = gdl.diff("tictactoe", other, table=read_map(path))
    assert answer.matching.startswith("the map")
    assert answer.matched[0] == "noop = rest"
    assert answer.what == (f"legal for x in {other} only: resign",)
