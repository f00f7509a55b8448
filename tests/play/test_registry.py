"""Players are found by name and options; what cannot be found or understood is said in full."""

from __future__ import annotations

import importlib
import re
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from gdl.game import load
from gdl.language.diagnostics import GdlError
from gdl.play import (
    Budget,
    Kind,
    Option,
    PlayerOptionError,
    UnknownPlayerError,
    choose,
    kinds,
    make,
    registry,
)
from gdl.play.player import Player, PlayerError
from tests.play.games import game_of

OWN = {"random", "greedy", "mcts", "alphabeta", "solve", "puzzle", "equilibrium", "deep"}


def test_the_players_of_the_house_are_there() -> None:
    assert set(kinds()) >= OWN
    assert all(kinds()[name].name == name and kinds()[name].summary for name in OWN)


def test_every_option_of_every_player_is_taken_as_its_default_is_typed() -> None:
    for name in OWN:
        if kinds()[name].needs_file:
            continue
        options = kinds()[name].options or ()
        typed = [f"{option.name}={option.show()}" for option in options if option.default != ""]
        make(f"{name}:{','.join(typed)}")


@pytest.mark.parametrize(
    ("spec", "error", "text"),
    [
        (
            "mtcs",
            UnknownPlayerError,
            (
                "there is no player 'mtcs'\n"
                "  expected: random or greedy or mcts or alphabeta or solve or equilibrium or "
                "puzzle or deep\n"
                "  help: did you mean mcts?"
            ),
        ),
        (
            "mcts:cc=1",
            PlayerOptionError,
            (
                "mcts has no option 'cc'\n"
                "  expected: c or prior or proof or memory or native or rave or grave or playouts "
                "or value or weight or ponder or final or threads\n"
                "  help: did you mean c?"
            ),
        ),
        (
            "mcts:c=much",
            PlayerOptionError,
            "'much' is no value of the option c of mcts\n  expected: a number from 0 to 1000",
        ),
        (
            "mcts:memory=0",
            PlayerOptionError,
            (
                "'0' is no value of the option memory of mcts\n"
                "  expected: a whole number from 16 to 65536"
            ),
        ),
        (
            "mcts:native=maybe",
            PlayerOptionError,
            "'maybe' is no value of the option native of mcts\n  expected: on or off",
        ),
        (
            "mcts:value=",
            PlayerOptionError,
            (
                "'' is no value of the option value of mcts\n"
                "  expected: a file of gdl train that judges beside playouts"
            ),
        ),
        (
            "greedy:value= ",
            PlayerOptionError,
            (
                "'' is no value of the option value of greedy\n"
                "  expected: a file of gdl train that judges what is not over"
            ),
        ),
        (
            "mcts:c",
            PlayerOptionError,
            "'c' is no option of mcts\n  expected: NAME=VALUE, after a comma each",
        ),
        (
            "mcts:c=1,c=2",
            PlayerOptionError,
            "the option c of mcts is given twice",
        ),
        (
            "random:c=1",
            PlayerOptionError,
            "random has no option 'c'\n  expected: none",
        ),
    ],
)
def test_what_cannot_be_understood_is_said(spec: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        make(spec)
    assert str(caught.value) == text


@pytest.mark.parametrize("spec", ["greedy:value=mine.gdlnet", "greedy:value=/dev/zero"])
def test_a_guest_names_no_file(spec: str) -> None:
    with pytest.raises(PlayerOptionError) as caught:
        make(spec, guest=True)
    assert str(caught.value) == "greedy has no option 'value'\n  expected: none"


def test_a_player_without_its_packages_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `serve` and `native` alone there is no numba; the others play all the same."""

    def import_module(name: str) -> object:
        if "puzzles" in name:
            raise ModuleNotFoundError("No module named 'numba'", name="numba")
        return importlib.import_module(name)

    monkeypatch.setattr(registry, "import_module", import_module)
    assert set(kinds()) == OWN - {"puzzle"}
    with pytest.raises(UnknownPlayerError) as caught:
        make("puzzle")
    assert str(caught.value) == (
        "the player 'puzzle' needs numba\n  help: pip install 'gdl-framework[play]'"
    )


def test_what_guests_may_turn_names_no_file() -> None:
    """A text of which any will do is a name of something."""
    for kind in kinds().values():
        for option in kind.for_guests().options or ():
            assert option.words or not isinstance(option.default, str)
    assert Kind("theirs", "", make, None).for_guests().options == ()


def test_a_player_that_needs_a_file_says_so() -> None:
    for is_guest in (False, True):
        with pytest.raises(PlayerOptionError) as caught:
            make("deep", guest=is_guest)
        assert str(caught.value) == (
            "the player deep needs a network\n"
            "  expected: deep:network=FILE, a file of gdl train --deep"
        )


def test_the_name_of_a_file_may_have_commas_and_equals_signs(tmp_path: Path) -> None:
    for name in ("a,b.gdlnet", "a=b.gdlnet", "a, b,c.gdlnet"):
        path = tmp_path / name
        for spec in (f"mcts:value={path}", f"mcts:value={path},weight=0.5", f"{path}"):
            if "=" in name and spec != f"{path}":
                continue
            with pytest.raises(GdlError) as caught:
                make(spec)
            assert str(caught.value) == f"{path} cannot be read: No such file or directory"


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "1e9"])
def test_a_weight_is_a_number_in_its_bounds(text: str) -> None:
    with pytest.raises(PlayerOptionError):
        make(f"mcts:c={text}")


def test_the_options_of_the_house_say_what_they_do() -> None:
    for kind in kinds().values():
        for option in kind.options or ():
            assert isinstance(option, Option)
            assert option.help
            # A file has no default: where the option stands, one has to be named.
            assert option.read(option.show()) == (None if option.default == "" else option.default)


def first_move(*, role: object = None, seed: int = 0, offset: str = "0") -> Player:
    """Take a legal move by its place."""
    del role, seed
    return lambda _game, state, _clock: state.legal()[int(offset)]


ANOTHER = Kind("whole", "a kind in full", first_move, (Option("offset", "0", "which move"),))


def broken(*, role: object, seed: int, speed: str = "0") -> Player:
    """Cannot be made."""
    raise ValueError(f"no engine\nfor {role}, {seed}, {speed}")


def nothing(**_: object) -> None:
    """Make nothing."""


@pytest.fixture
def strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Players of another package: this one."""
    here = "tests.play.test_registry"
    named = (
        *("first:first_move", "whole:ANOTHER", "text:__doc__", "broken:broken"),
        *("nothing:nothing", "gone:not_here"),
    )
    found = EntryPoints(
        EntryPoint(name, f"{here}:{value}", registry.GROUP)
        for name, _, value in (each.partition(":") for each in named)
    )
    monkeypatch.setattr(
        registry,
        "entry_points",
        lambda **wanted: found.select(**{"group": registry.GROUP, **wanted}),
    )


@pytest.mark.usefixtures("strangers")
def test_players_of_other_packages_are_found_by_their_entry_points() -> None:
    state = load("tictactoe", backend="reason").initial()
    for spec, place in (("first", 0), ("first:offset=3", 3), ("whole:offset=2", 2)):
        move = choose(make(spec), state, Budget(1), role="x")
        assert move == state.legal("x")[place]
    assert set(kinds()) == {*OWN, "first", "whole", "broken", "nothing"}


@pytest.mark.usefixtures("strangers")
@pytest.mark.parametrize(
    ("spec", "error", "text"),
    [
        (
            "text",
            UnknownPlayerError,
            (
                "the player 'text' of another package is str, which makes none\n"
                "  expected: a gdl.play.Kind, or a function of role and seed"
            ),
        ),
        (
            "gone",
            UnknownPlayerError,
            (
                "the player 'gone' of another package cannot be loaded\n"
                "  note: AttributeError: module 'tests.play.test_registry' has no attribute "
                "'not_here', FILE"
            ),
        ),
        (
            "broken:speed=3",
            PlayerOptionError,
            (
                "the player 'broken:speed=3' of another package cannot be made\n"
                "  note: ValueError: no engine for None, 0, 3, FILE"
            ),
        ),
        (
            "broken:sped=3",
            PlayerOptionError,
            (
                "the player 'broken:sped=3' of another package cannot be made\n"
                "  note: TypeError: broken() got an unexpected keyword argument 'sped', FILE"
            ),
        ),
        (
            "nothing",
            PlayerOptionError,
            (
                "the player 'nothing' of another package is NoneType\n"
                "  expected: a function of game, state and budget"
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_player_of_another_package_is_said(
    spec: str, error: type[Exception], text: str
) -> None:
    with pytest.raises(error) as caught:
        make(spec)
    assert re.sub(r"/\S+\.py:\d+$", "FILE", str(caught.value)) == text


ONE_STEP = """\
(role robot) (init fresh)
(<= (legal robot stop) (true fresh)) (<= (legal robot fall) (true fresh))
(<= (next stopped) (does robot stop)) (<= (next fallen) (does robot fall))
(<= terminal (true stopped)) (goal robot 50)
"""


@pytest.mark.parametrize("spec", sorted(OWN - {"deep"}))
def test_nobody_is_asked_where_nothing_is_legal(spec: str, tmp_path: Path) -> None:
    game = game_of(ONE_STEP, tmp_path)
    player = make(spec, role=game.role("robot"))
    for move, why in (
        ("stop", ", for the game is over"),
        ("fall", ", though the game is not over"),
    ):
        with pytest.raises(GdlError) as caught:
            choose(player, game.initial().play([move]), Budget(1), role="robot")
        assert str(caught.value) == f"robot has no legal move here{why}"


def test_a_player_may_name_its_move_in_words() -> None:
    state = load("tictactoe", backend="reason").initial()
    for named in ("b2", "(mark b 2)"):
        move = choose(lambda *_: named, state, Budget(1), role="x")  # type: ignore[arg-type]  # noqa: B023  # called at once
        assert move == state.game.move("b2")


@pytest.mark.parametrize("named", [None, 7, ("mark", "b", 2)])
def test_what_is_no_move_at_all_is_said(named: object) -> None:
    state = load("tictactoe", backend="reason").initial()
    with pytest.raises(PlayerError) as caught:
        choose(lambda *_: named, state, Budget(1), role="x")  # type: ignore[arg-type]  # wrong on purpose
    assert str(caught.value) == (
        f"the player of x named {named!r} ({type(named).__name__})\n"
        "  expected: a move, such as state.legal() lists"
    )
