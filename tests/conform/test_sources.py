"""Engines of other libraries, asked for real; skipped where their package is not installed."""

from __future__ import annotations

import pytest

from gdl.conform import SourceError, conform, open_source
from gdl.conform.sources.own import OwnSource


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


class Lists(Takes):
    """Moves are lists."""

    def legal_moves(self, position: list[int]) -> list[object]:
        return [[n] for n in (1, 2) if n <= position[0]]


def test_moves_that_may_change_are_refused_in_words() -> None:
    engine = OwnSource(Lists(), "lists")
    with pytest.raises(SourceError) as refused:
        engine.legal(engine.initial(), 0)
    assert str(refused.value) == (
        "lists: legal_moves answered a move that may change: [1]\n"
        "  expected: moves that hash, for instance tuples"
    )


def test_a_game_that_open_spiel_does_not_have_is_named_before_it_is_asked(
    capfd: pytest.CaptureFixture[str],
) -> None:
    needs("pyspiel")
    with pytest.raises(SourceError) as refused:
        open_source("pyspiel:no_such_thing(x=1)")
    assert str(refused.value) == "OpenSpiel has no game no_such_thing"
    assert capfd.readouterr() == ("", "")
