"""The public door, on input that a careless or hostile user gives it."""

import copy
import pickle
from pathlib import Path

import pytest

import gdl
from gdl.backend import Wanted
from gdl.language.syntax import Constant, Variable
from tests.shared import missing

TURN = "E5 Q01 CW"


@pytest.fixture(params=["reason", "native", "meaning"])
def game(request: pytest.FixtureRequest) -> gdl.Game:
    if request.param == "native":
        pytest.importorskip("llvmlite", reason=missing("native"))
    return gdl.load("pentago/strict", backend=request.param)


def test_states_and_games_survive_pickling_and_copying(game: gdl.Game) -> None:
    state = game.initial().play(TURN)
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert hash(again) == hash(state)
    assert again.legal("white") == state.legal("white")
    assert copy.deepcopy(state) is state
    assert pickle.loads(pickle.dumps(game)) == game


def test_a_state_of_facts_is_the_state_that_was_played(game: gdl.Game) -> None:
    state = game.initial().play(TURN)
    rebuilt = game.state(state.facts)
    assert rebuilt == state
    assert hash(rebuilt) == hash(state)
    assert rebuilt.play("A1 Q00 CCW") == state.play("A1 Q00 CCW")


def test_an_illegal_move_is_told_in_the_notation_of_the_game(game: gdl.Game) -> None:
    state = game.initial().play("E5 Q00 CW")
    with pytest.raises(gdl.IllegalMoveError) as caught:
        state.play(TURN)
    first, second = str(caught.value).splitlines()
    assert first == "E5 Q01 CW is not legal for white here"
    near = "A5 Q01 CW, B5 Q01 CW, C5 Q01 CW, D5 Q01 CW or E1 Q01 CW"
    assert second == f"  expected: one of 280 moves, such as {near}"


@pytest.mark.parametrize("nonsense", [5, b"x", None, {"black": 5}, [1, 2], Variable("x"), iter([])])
def test_what_is_no_move_is_refused(game: gdl.Game, nonsense: object) -> None:
    with pytest.raises(gdl.GdlError):
        game.initial().play(nonsense)  # type: ignore[arg-type]  # on purpose


@pytest.mark.parametrize("nonsense", ["control", [5], ["(cell ?x 1 black)"], [Variable("x")]])
def test_what_is_no_fact_is_refused(game: gdl.Game, nonsense: object) -> None:
    with pytest.raises(gdl.GdlError):
        game.state(nonsense)  # type: ignore[arg-type]  # on purpose


def test_text_that_is_no_fact_is_not_among_the_facts(game: gdl.Game) -> None:
    facts = game.initial().facts
    true: object = "(control black)"
    nonsense: object = "(control"
    assert true in facts
    assert nonsense not in facts
    assert Constant("control") not in facts


def test_rules_without_a_role_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "nobody.kif"
    path.write_text("(init (f 1))\n", encoding="utf-8")
    backends: tuple[Wanted, ...] = ("auto", "reason")
    for backend in backends:
        with pytest.raises(gdl.InvalidDescriptionError) as caught:
            gdl.load(path, backend=backend)
        assert "missing-role" in str(caught.value)


def test_limits_hold_for_a_game_that_was_compiled_before(tmp_path: Path) -> None:
    path = tmp_path / "tiny.kif"
    path.write_text(
        "(role a) (init (f 1)) (legal a x) (<= (next (f 2)) (true (f 1)))\n"
        "(<= terminal (true (f 2))) (goal a 50)\n",
        encoding="utf-8",
    )
    assert not gdl.load(path).initial().is_terminal
    with pytest.raises(gdl.LimitError):
        gdl.load(path, limits=gdl.Limits(rules=3))


def test_an_unknown_role_is_told(game: gdl.Game) -> None:
    with pytest.raises(gdl.UnknownRoleError, match="pentago/strict has no role 'red'"):
        game.initial().legal("red")
    with pytest.raises(gdl.GdlError, match="no role 'red'"):
        game.playouts(1).wins("red")


def test_counts_that_cannot_be_are_refused(game: gdl.Game) -> None:
    with pytest.raises(ValueError, match=r"^the number of playouts must be at least 0, not -1$"):
        game.playouts(-1)
    for threads in (0, -2):
        with pytest.raises(ValueError, match=rf"^threads must be at least 1, not {threads}$"):
            game.playouts(1, threads=threads)
    with pytest.raises(ValueError, match=r"^max_plies must be at least 0, not -1$"):
        game.playouts(1, max_plies=-1)
    with pytest.raises(ValueError, match=r"^depth must be at least 0, not -1$"):
        game.perft(-1)


def test_a_state_of_another_game_is_refused(game: gdl.Game) -> None:
    other = gdl.load("tictactoe", backend="reason").initial()
    message = r"^the state is of tictactoe\n  expected: a state of pentago/strict$"
    with pytest.raises(gdl.GdlError, match=message):
        game.playouts(1, state=other)
    with pytest.raises(gdl.GdlError, match=message):
        game.perft(1, state=other)
    with pytest.raises(gdl.GdlError, match=r"^3 is no state\n  expected: a state of pentago"):
        game.perft(1, state=3)  # type: ignore[arg-type]  # wrong on purpose


def test_a_state_of_the_same_rules_on_another_back_end_is_taken(game: gdl.Game) -> None:
    state = gdl.load("pentago/strict", backend="reason").initial().play(TURN)
    assert game.perft(1, state=state)[0].nodes == 35 * 8


def test_a_move_asks_for_the_legal_moves_of_each_role_once(
    game: gdl.Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    kind = type(game.machine)
    legal = kind.legal

    def counting(self: object, state: object, role: object) -> object:
        asked.append(str(role))
        return legal(self, state, role)  # type: ignore[arg-type]

    state = game.initial()
    monkeypatch.setattr(kind, "legal", counting)
    moves = state.legal("black")
    text: object = TURN
    assert text in moves
    assert state.movers == ("black",)
    state.play(TURN).play("A1 Q00 CW")
    state.play({"black": moves[0]})
    if game.numbered is None:
        assert sorted(asked[:2]) == ["black", "white"]
        assert len(asked) == 4, "two roles in two states"


def test_machine_code_looks_at_a_state_once(
    game: gdl.Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    if game.numbered is None:
        pytest.skip("only machine code looks")
    looks: list[object] = []
    machine = game.numbered
    look = machine.look

    def counting(state: object) -> bytes:
        looks.append(state)
        return look(state)

    monkeypatch.setattr(machine, "look", counting)
    state = game.initial()
    child = state.play(TURN)
    assert not child.is_terminal
    assert len(child.legal("white")) == 35 * 8
    other = state.apply(state.legal_ids()[0])
    other.apply(other.legal_ids()[0])
    assert looks == [state.inner, child.inner, other.inner]


def test_a_text_means_the_same_each_time_it_is_read(game: gdl.Game) -> None:
    assert game.move(TURN) is game.move(TURN)
    for _ in range(2):
        with pytest.raises(gdl.NotationError):
            game.move("E5 Q09 CW")
    assert game.hides_facts is False


@pytest.mark.parametrize("name", gdl.__all__)
def test_every_public_name_leads_to_something(name: str) -> None:
    assert getattr(gdl, name) is not None


def test_an_old_name_still_works_and_says_the_new_one() -> None:
    message = "^gdl.MatchError is now called gdl.CorrespondenceError$"
    with pytest.warns(DeprecationWarning, match=message) as caught:
        old = gdl.MatchError
    assert old is gdl.CorrespondenceError
    [said] = caught
    assert said.filename == __file__
    assert "MatchError" not in gdl.__all__
    assert "MatchError" not in dir(gdl)
