"""Engines of one's own that answer something else than was asked: what is said then, whole."""

from __future__ import annotations

from typing import Any

import pytest

from gdl.conform import SourceError, UnmatchedError, conform, open_source
from gdl.conform.sources.own import OwnSource
from tests.conform.engines import TicTacToe

HERE = "tests.conform.test_wrong_engines"


class Roles(TicTacToe):
    """Two players, by their number."""

    roles: Any = 2


class OneName(TicTacToe):
    """Two players of one name."""

    roles = ("x", "x")


class Bounds(TicTacToe):
    """The greatest return first."""

    bounds = (1, -1)


class Unread:
    """What does not hash, and holds nothing that does."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<unread>"


class LateUnread(TicTacToe):
    """The last of some moves does not hash."""

    def legal_moves(self, position: str) -> list[Any]:
        return [*super().legal_moves(position)[:-1], Unread()]


class NeedsSize(TicTacToe):
    """Made with a size."""

    def __init__(self, size: int) -> None:
        self.size = size


class OneReturn(TicTacToe):
    """What an end is worth to who begins, alone."""

    def returns(self, position: str) -> Any:  # noqa: ANN401
        return super().returns(position)[:1]


class NotANumber(TicTacToe):
    """An end is worth no number."""

    def returns(self, position: str) -> Any:  # noqa: ANN401
        del position
        return {"first": float("nan"), "second": 0}


class Stuck(TicTacToe):
    """Nothing is legal."""

    def legal_moves(self, position: str) -> list[int]:
        del position
        return []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "Roles",
            'roles is 2\n  expected: a name for each player, each another one: ("first", "second")',
        ),
        (
            "OneName",
            """roles is ('x', 'x')
  expected: a name for each player, each another one: ("first", "second")""",
        ),
        (
            "Bounds",
            "bounds is (1, -1)\n  expected: the least and the greatest return of a player: (-1, 1)",
        ),
    ],
)
def test_a_fact_that_is_none_is_named_at_once(name: str, said: str) -> None:
    with pytest.raises(SourceError) as refused:
        open_source(f"{HERE}:{name}")
    assert str(refused.value) == f"{HERE}:{name}: {said}"


def test_an_engine_that_cannot_be_made_is_told_why() -> None:
    with pytest.raises(SourceError) as refused:
        open_source(f"{HERE}:NeedsSize")
    assert str(refused.value) == (
        f"{HERE}:NeedsSize cannot be made: TypeError: NeedsSize.__init__() missing 1 required "
        "positional argument: 'size'\n  expected: NeedsSize() without an argument; or give "
        f"NeedsSize another name that needs none: engine = NeedsSize(...) in {HERE}, and "
        f"{HERE}:engine"
    )


def test_a_move_that_cannot_be_told_from_others_is_named() -> None:
    with pytest.raises(SourceError) as refused:
        conform("tictactoe", OwnSource(LateUnread(), "engine"), positions=50)
    assert str(refused.value) == (
        "engine: legal_moves answered a move that may change: <unread>\n"
        "  expected: moves that hash, for instance tuples; or lists, arrays, mappings and sets of "
        "what hashes"
    )


@pytest.mark.parametrize(
    ("engine", "value"),
    [(OneReturn, "(-1,)"), (NotANumber, "{'first': nan, 'second': 0}")],
)
def test_a_return_that_is_no_number_for_each_role_is_a_wrong_answer(
    engine: type[TicTacToe], value: str
) -> None:
    source = OwnSource(engine(), "engine")
    with pytest.raises(TypeError) as raised:
        source.returns("xxxoo....")
    assert str(raised.value) == f"it answered {value}, not a number for each of first, second"


def test_an_engine_without_a_first_move_is_told_so() -> None:
    with pytest.raises(UnmatchedError) as refused:
        conform("tictactoe", OwnSource(Stuck(), "engine"), positions=50)
    assert str(refused.value) == (
        "engine has no legal move in the first position: nothing was compared\n"
        "  help: legal_moves answers what may be done there, and to_move whose turn it is\n"
        "  note: tictactoe begins with 9 moves: a1, a2, a3, b1, b2, b3 ...\n"
        "  note: engine begins with 0 moves:  ..."
    )


@pytest.mark.later
def test_what_an_engine_raises_in_each_game_stands_beside_what_was_tried() -> None:
    with pytest.raises(UnmatchedError) as refused:
        conform("tictactoe", OwnSource(Breaks(), "engine"), positions=50)
    assert "engine fails in games of its own: KeyError when asked for play: 'board'" in (
        refused.value.notes
    )


class Breaks(TicTacToe):
    """No move can be made."""

    def play(self, position: str, move: int) -> str:
        del position, move
        raise KeyError("board")
