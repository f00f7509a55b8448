"""Engines of other libraries, asked for real; skipped where their package is not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdl.conform import SourceError, conform, open_source, write_report
from gdl.conform.sources.frozen import Given, frozen
from gdl.conform.sources.own import OwnSource
from tests.conform.engines import TicTacToe

HERE = __name__


def needs(package: str) -> None:
    pytest.importorskip(package, reason=f"needs the package {package}")


def test_an_environment_for_one_player_pays_what_its_steps_pay() -> None:
    needs("gymnasium")
    cliff = open_source("gymnasium:CliffWalking-v1")
    position = cliff.initial()
    for step in (0, *(1,) * 11, 2):  # up, along the cliff, down to the goal
        assert cliff.movers(position) == (0,)
        assert cliff.legal(position, 0) == (0, 1, 2, 3)
        position = cliff.play(position, {0: step})
    assert cliff.is_terminal(position)
    assert cliff.returns(position) == (-13.0,)


@pytest.mark.parametrize("name", ["FrozenLake-v1", "Blackjack-v1"])
def test_an_environment_that_deals_by_chance_is_refused(name: str) -> None:
    needs("gymnasium")
    with pytest.raises(SourceError, match="deals by chance inside"):
        open_source(f"gymnasium:{name}")


def test_an_environment_that_is_not_there_is_named() -> None:
    needs("gymnasium")
    with pytest.raises(SourceError, match="Gymnasium cannot make Nowhere-v0"):
        open_source("gymnasium:Nowhere-v0")


def test_arguments_of_an_environment_stand_behind_its_name() -> None:
    needs("gymnasium")
    fixed = open_source("gymnasium:FrozenLake-v1(is_slippery=False, map_name='4x4')")
    assert fixed.legal(fixed.initial(), 0) == (0, 1, 2, 3)
    with pytest.raises(SourceError, match="what stands behind the name is not understood"):
        open_source("gymnasium:FrozenLake-v1(4)")
    with pytest.raises(SourceError, match=r"FrozenLake-v1\(size=4\) cannot be made"):
        open_source("gymnasium:FrozenLake-v1(size=4)")


def test_an_environment_that_pays_the_goal_alone_pays_nothing_for_the_rest() -> None:
    needs("gymnasium")
    lake = open_source("gymnasium:FrozenLake-v1(is_slippery=False, map_name='8x8')")
    assert lake.bounds == (0.0, 1.0)  # hardly any game by chance comes to the goal


@pytest.mark.slow
def test_an_environment_of_pettingzoo_with_arguments_is_played_by_them() -> None:
    needs("pettingzoo")
    needs("pygame")
    board = open_source("pettingzoo:go_v5(board_size=5)")
    assert board.bounds == (-1.0, 1.0)
    assert len(board.legal(board.initial(), 0)) == 26
    script = board.script([{0: 3}])
    assert script is not None
    assert "go_v5.env(board_size=5)" in script


@pytest.mark.slow
def test_an_environment_of_pettingzoo_agrees() -> None:
    needs("pettingzoo")
    needs("pygame")
    assert conform("tictactoe", "pettingzoo:tictactoe_v3", positions=300).agree


@pytest.mark.slow
def test_a_game_of_pgx_agrees() -> None:
    needs("pgx")
    assert conform("tictactoe", "pgx:tic_tac_toe", positions=300).agree
    with pytest.raises(SourceError, match="pgx has no game checkers"):
        open_source("pgx:checkers")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["python-chess:chess+draws", "pyffish:chess+draws"])
def test_chess_agrees_with_draws_that_rules_carry(engine: str) -> None:
    needs("chess" if engine.startswith("python") else "pyffish")
    found = conform("chess", engine, positions=120)
    assert found.agree, str(found)
    assert found.matching == "the same text"


def test_a_draw_by_fifty_moves_is_one_only_where_it_is_asked_for() -> None:
    needs("chess")
    there_and_back = ("g1f3", "g8f6", "f3g1", "f6g8")
    for name, is_over in (("python-chess:chess", False), ("python-chess:chess+draws", True)):
        engine = open_source(name)
        position = engine.initial()
        for ply in range(100):
            assert not engine.is_terminal(position)
            position = engine.play(position, {ply % 2: there_and_back[ply % 4]})
        assert engine.is_terminal(position) is is_over
        assert not is_over or engine.returns(position) == (0.0, 0.0)


class Takes:
    """One heap of three, of which one or two are taken; positions are changed and given back."""

    roles = ("first", "second")

    def initial(self) -> list[int]:
        return [3, 0]

    def to_move(self, position: list[int]) -> str | None:
        return self.roles[position[1]] if position[0] else None

    def legal_moves(self, position: list[int]) -> list[object]:
        return [n for n in (1, 2) if n <= position[0]]

    def play(self, position: list[int], move: int) -> list[int]:
        position[:] = position[0] - move, 1 - position[1]
        return position

    def returns(self, position: list[int]) -> tuple[int, int]:
        return (1, -1) if position[1] else (-1, 1)


def test_an_engine_may_give_back_the_position_that_it_changes() -> None:
    engine = OwnSource(Takes(), "takes")
    start = engine.initial()
    after = engine.play(start, {0: 2})
    assert engine.play(after, {1: 1}) == [0, 0]
    assert (start, after) == ([3, 0], [1, 1])


class Lists(TicTacToe):
    """Moves are lists, which the engine compares with lists."""

    def legal_moves(self, position: str) -> list[Any]:
        return [[*divmod(square, 3)] for square in super().legal_moves(position)]

    def play(self, position: str, move: Any) -> str:  # noqa: ANN401  # a list
        assert move in self.legal_moves(position)
        row, column = move
        move.clear()  # what it is given is its own
        return super().play(position, 3 * row + column)


class MiddleForgotten(Lists):
    """The middle is not legal once four squares are taken."""

    def legal_moves(self, position: str) -> list[Any]:
        legal = super().legal_moves(position)
        return legal if position.count(".") > 5 else [move for move in legal if move != [1, 1]]


class TakenToo(Lists):
    """The first square stays legal at the end."""

    def legal_moves(self, position: str) -> list[Any]:
        legal = super().legal_moves(position)
        return [*legal, [0, 0]] if len(legal) < 3 and position[0] != "." else legal


class Named(Lists):
    """Moves are mappings."""

    def legal_moves(self, position: str) -> list[Any]:
        return [{"row": row, "column": column} for row, column in super().legal_moves(position)]

    def play(self, position: str, move: Any) -> str:  # noqa: ANN401  # a mapping
        return TicTacToe.play(self, position, 3 * move["row"] + move["column"])


@pytest.mark.parametrize("engine", [Lists, Named])
def test_moves_that_may_change_are_compared_like_others(engine: type[TicTacToe]) -> None:
    audit = conform("tictactoe", engine(), positions=400)
    assert audit.agree
    assert audit.against == f"{HERE}:{engine.__name__}"


@pytest.mark.parametrize(
    ("engine", "check"),
    [
        (MiddleForgotten, "[move for move in [[1, 1]] if move in engine.legal_moves(state)] =="),
        (TakenToo, "assert not [move for move in [[0, 0]] if move in engine.legal_moves(state)]"),
    ],
)
def test_a_test_of_an_engine_writes_its_moves_as_it_does(
    engine: type[Lists], check: str, tmp_path: Path
) -> None:
    folder = str(tmp_path / "report")
    write_report(conform("tictactoe", engine, positions=2_000), folder)
    text = (tmp_path / "report" / "test_difference.py").read_text(encoding="utf-8")
    assert check in text
    space: dict[str, Any] = {}
    exec(text, space)  # the test that was written
    with pytest.raises(AssertionError):
        space["test_difference"]()
    space[engine.__name__] = Lists
    space["test_difference"]()


class Counted(TicTacToe):
    """Moves are numbers of numpy, one of which is missing late."""

    def legal_moves(self, position: str) -> list[Any]:
        legal = [np.int64(square) for square in super().legal_moves(position)]
        return [move for move in legal if move != 4] if len(legal) < 5 else legal


def test_a_test_of_an_engine_writes_numbers_of_numpy_as_those_of_python(tmp_path: Path) -> None:
    write_report(conform("tictactoe", Counted, positions=2_000), tmp_path)
    text = (tmp_path / "test_difference.py").read_text(encoding="utf-8")
    assert "state = engine.play(state, 0)" in text
    assert "assert {4} <= set(engine.legal_moves(state))" in text


@pytest.mark.parametrize("library", ["pyspiel", "pgx:", "pettingzoo"])
def test_a_library_without_a_game_is_told_how_games_are_named(library: str) -> None:
    with pytest.raises(SourceError) as refused:
        open_source(library)
    assert str(refused.value) == (
        f"{library} names no game of {library.rstrip(':')}\n  expected: pyspiel:NAME, "
        "pettingzoo:NAME, gymnasium:NAME, pgx:NAME, pyffish:VARIANT, python-chess:VARIANT, "
        "module:Class, or another ruleset or rule file"
    )


def test_a_module_alone_is_told_what_names_an_engine() -> None:
    with pytest.raises(SourceError) as refused:
        open_source("tictactoes")
    assert str(refused.value) == (
        "there is no ruleset tictactoes\n  expected: one that gdl rulesets lists, a manifest, or a "
        ".kif or .hrf file; or an engine: pyspiel:NAME, pettingzoo:NAME, gymnasium:NAME, pgx:NAME, "
        "pyffish:VARIANT, python-chess:VARIANT, module:Class\n  help: did you mean tictactoe?"
    )


def test_an_engine_that_cannot_be_made_may_be_given_as_it_is() -> None:
    class Sized(TicTacToe):
        def __init__(self, size: int) -> None:
            self.size = size

    assert conform("tictactoe", Sized(3), positions=50).agree
    with pytest.raises(SourceError, match="Sized cannot be made: TypeError"):
        conform("tictactoe", Sized, positions=50)


def test_what_is_no_engine_is_told_what_it_does_not_answer() -> None:
    with pytest.raises(SourceError) as refused:
        conform("tictactoe", 3, positions=50)  # type: ignore[arg-type]
    assert str(refused.value) == (
        "builtins:int does not answer: roles, initial, to_move, legal_moves, play, returns (or "
        "goals)\n  expected: the six questions of gdl.conform.reference.Engine: roles, initial, "
        "to_move, legal_moves, play, returns"
    )


@pytest.mark.parametrize(
    ("move", "value"),
    [
        ([1, [2, (3,)]], (1, (2, (3,)))),
        ({"to": [2], "from": 1}, (("from", 1), ("to", (2,)))),
        ({1, 2}, frozenset({1, 2})),
        (np.array([[1, 2], [3, 4]]), ((1, 2), (3, 4))),
    ],
    ids=["lists", "mapping", "set", "array"],
)
def test_what_may_change_is_a_value_that_does_not(move: object, value: object) -> None:
    given = Given()
    assert given.take(move) == frozen(move) == value
    assert repr(given.back(given.take(move))) == repr(move)
    assert given.back(given.take(move)) is not move


def test_a_game_that_open_spiel_does_not_have_is_named_before_it_is_asked(
    capfd: pytest.CaptureFixture[str],
) -> None:
    needs("pyspiel")
    with pytest.raises(SourceError) as refused:
        open_source("pyspiel:no_such_thing(x=1)")
    assert str(refused.value) == "OpenSpiel has no game no_such_thing"
    assert capfd.readouterr() == ("", "")
