"""Exact values over HTTP: from tables, solved from the position on, or not known."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.shared import missing

pytest.importorskip("numba", reason=missing("solve"))
pytest.importorskip("scipy", reason=missing("solve"))

import gdl
from gdl.language.diagnostics import GdlError
from gdl.match.actions import Action, Kind
from gdl.match.match import Header, start, submit
from gdl.ruleset import Ruleset
from gdl.solve import Table, solve
from gdl.web.exact import Exact
from gdl.web.tables import Tables
from tests.play.games import DICE, PENNIES
from tests.web.serving import Client, served

pytestmark = pytest.mark.slow
UNHURRIED_SECONDS = 120.0
"""Time for solving what takes none, on a machine that does much else."""


@pytest.fixture(scope="module")
def table() -> Table:
    return solve("tictactoe").table


@pytest.fixture(scope="module")
def knowing(table: Table, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Run a server that has the table of tic-tac-toe and no other."""
    folder: Path = tmp_path_factory.mktemp("tables")
    table.save(folder / "tictactoe.table")
    with served(folder / "matches.db", tables=str(folder)) as running:
        yield running


def ask(client: Client, **request: Any) -> dict[str, Any]:  # noqa: ANN401  # JSON
    return client.ask("POST", "/api/values", json={"seconds": 10.0, **request})


def held_against(table: Table, ruleset: str, moves: list[str], answer: dict[str, Any]) -> None:
    """Hold an answer against a table of all positions, move by move and line by line."""
    state = gdl.load(ruleset).initial()
    for move in moves:
        state = state.play(move)
    value = table.value(state)
    assert answer["role"] == state.movers[0]
    assert (answer["value"]["goals"], answer["value"]["distance"]) == (value.goals, value.distance)
    texts = {state.notation(move) for move in state.legal(state.movers[0])}
    assert {each["move"] for each in answer["moves"]} == texts
    for each in answer["moves"]:
        after = table.value(state.play(each["move"]))
        assert (each["goals"], each["distance"]) == (after.goals, after.distance), each
    best = answer["moves"][0]
    assert best["goals"] == value.goals
    assert best["distance"] + 1 == value.distance
    for each in answer["moves"][:3]:
        end = state
        for move in each["line"]:
            end = end.play(move)
        assert end.is_terminal
        assert {role: end.goal(role) for role in each["goals"]} == each["goals"]
        assert len(each["line"]) == each["distance"] + 1


@pytest.mark.parametrize("moves", [[], ["a1"], ["a1", "b1", "a2"]])
def test_a_table_tells_every_move(knowing: Client, table: Table, moves: list[str]) -> None:
    answer = ask(knowing, ruleset="tictactoe", moves=moves)
    assert answer["source"] == "table"
    held_against(table, "tictactoe", moves, answer)


def test_of_moves_that_bring_the_same_near_wins_and_far_losses_are_first(knowing: Client) -> None:
    """Else "wins in 13" stood before "wins in 7": only the first of a list was where it belongs."""
    moves = ask(knowing, ruleset="tictactoe", moves=["a1", "a2", "b1", "b3"])["moves"]
    wins = [each["distance"] for each in moves if each["goals"] == {"x": 100.0, "o": 0.0}]
    assert len(set(wins)) > 1
    assert wins == sorted(wins)
    moves = ask(knowing, ruleset="tictactoe", moves=["b1", "c3", "c2"])["moves"]
    losses = [each["distance"] for each in moves if each["goals"] == {"x": 100.0, "o": 0.0}]
    assert len(set(losses)) > 1
    assert losses == sorted(losses, reverse=True)


def test_what_no_table_has_is_solved_from_there_on(client: Client, table: Table) -> None:
    moves = ["a1", "b1", "a2"]
    answer = ask(client, ruleset="tictactoe", moves=moves)
    assert answer["source"] == "solved"
    held_against(table, "tictactoe", moves, answer)
    following = [*moves, answer["moves"][0]["move"]]
    held_against(table, "tictactoe", following, ask(client, ruleset="tictactoe", moves=following))


def test_what_takes_too_long_is_not_known(client: Client) -> None:
    answer = ask(client, ruleset="pentago/strict", seconds=0.2)
    assert (answer["source"], answer["value"], answer["moves"]) == (None, None, [])


FIRST = """
from gdl.game import load
from gdl.match.actions import Action, Kind
from gdl.match.match import Header, start, submit
from gdl.ruleset import find
from gdl.web.exact import Exact

rules = find("tictactoe")
match = start(Header.of("m", rules), game=load(rules, backend="native"))
for seq, (role, move) in enumerate([("x", "a1"), ("o", "a2"), ("x", "b1"), ("o", "b2")]):
    match = submit(match, Action(f"{seq}", seq, role, Kind.MOVE, move), at=seq).match
print(Exact().tell(match, None, 0.2)["source"])
"""


def test_loading_the_solver_counts_for_no_position() -> None:
    """It takes half a second of the processor in each new process, which was most of a page's."""
    told = subprocess.run([sys.executable, "-c", FIRST], check=True, capture_output=True, text=True)
    assert told.stdout == "solved\n"


MADE = """
import sys
from random import Random
from gdl.game import load
from gdl.native.jit import Dispatcher
from gdl.solve import solve
from gdl.web.exact import _load_solver

def made():
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("gdl.")]
    entries = [each for module in modules for each in vars(module).values()]
    return sum(len(each.signatures) for each in entries if isinstance(each, Dispatcher))

_load_solver()
before, chance, state = made(), Random(3), load(GAME, backend="native").initial()
while len(state.legal(state.movers[0])) > 5:
    state = state.play(chance.choice(state.legal(state.movers[0])))
solve(state.game, start=state)
print(before > 0, made() - before)
"""


@pytest.mark.parametrize("game", ["tictactoe", "morris/three"])
def test_all_machine_code_of_solving_is_loaded_with_the_solver(game: str) -> None:
    """Of play that ends by itself and of play that comes round: to make it takes seconds."""
    told = subprocess.run(
        [sys.executable, "-c", MADE.replace("GAME", repr(game))],
        check=True,
        capture_output=True,
        text=True,
    )
    assert told.stdout == "True 0\n"


def test_rules_that_were_sent_have_the_table_of_their_text(table: Table, tmp_path: Path) -> None:
    text = gdl.load("tictactoe").ruleset
    file = tmp_path / "mine.kif"
    from gdl.ruleset.flatten import flatten

    file.write_text(flatten(text))
    solve(file).table.save(tmp_path / "mine.table")
    with served(tmp_path / "matches.db", tables=str(tmp_path)) as client:
        answer = ask(client, rules=file.read_text())
        assert answer["source"] == "table"
        assert answer["value"]["distance"] == table.value(gdl.load("tictactoe").initial()).distance
        other = file.read_text().replace("(goal x 100)", "(goal x 90)")
        assert ask(client, rules=other + "\n(hm)")["source"] is None


@pytest.mark.parametrize(
    ("text", "moves", "worth"),
    [
        (DICE + "(goal random 0)", [("you", "gamble")], 80),
        (PENNIES, [("even", "(show heads)")], 50),
    ],
)
def test_where_nature_draws_or_several_choose_moves_have_no_values(
    text: str, moves: list[tuple[str, str]], worth: int
) -> None:
    """That one of several has moved already changes nothing: nobody may see it yet."""
    rules = Ruleset(id="game", paths=(), text=text)
    match = start(Header.of("m", rules), game=gdl.load(rules, backend="native"))
    for seq, (role, move) in enumerate(moves):
        match = submit(match, Action(f"a{seq}", seq, role, Kind.MOVE, move), at=1).match
    assert len(match.to_move) == 1
    told = Exact().tell(match, None, UNHURRIED_SECONDS)
    assert (told["role"], told["source"], told["moves"]) == (None, "solved", [])
    assert told["value"]["goals"][moves[0][0]] == worth


def test_a_position_that_is_over_has_no_moves_to_tell(client: Client) -> None:
    moves = ["a1", "b1", "a2", "b2", "a3"]
    code = client.refused("POST", "/api/values", 409, json={"ruleset": "tictactoe", "moves": moves})
    assert code == "game-over"


def refusal(folder: Path) -> str:
    with pytest.raises(GdlError) as caught:
        Tables(str(folder))
    return str(caught.value).replace(str(folder), "FOLDER")


def test_folders_that_are_none(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none") == (
        "cannot read the folder FOLDER/none: No such file or directory\n"
        "  expected: a folder with tables of gdl solve"
    ).replace("FOLDER/none", "FOLDER")
    assert refusal(tmp_path) == (
        "there is no table in FOLDER\n"
        "  expected: files whose names end in .table\n"
        "  help: gdl solve tictactoe -o FOLDER/tictactoe.table"
    )
    (tmp_path / "wrong.table").write_text("no table")
    assert refusal(tmp_path) == (
        "FOLDER/wrong.table is no table of values, or a part of one\n"
        "  expected: a file that gdl solve -o wrote"
    )
