"""Tables of values: kept, mapped, asked by state, refused where they are foreign, cut or silent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.shared import SHARED, missing

pytest.importorskip("numba", reason=missing("solve"))
pytest.importorskip("scipy", reason=missing("solve"))

import gdl
from examples.check_table import WrongTableError, certify
from gdl.language.diagnostics import GdlError
from gdl.solve import Table, open_table, solve
from tests.cli.running import gdl as run

PUBLISHED = (
    *("coins.kif", "hanoi.kif", "buttons.kif", "nim2.kif", "maze.kif", "lightsOn.kif"),
    *("tictactoe_orthogonal.kif", "eotcatcit.kif", "pearls.kif", "blocks.kif"),
)
"""Small ones, of each way in which states are told apart."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "tictactoe.table"
    solve("tictactoe").table.save(path)
    return path


def test_a_kept_table_says_what_the_solver_said(file: Path) -> None:
    made, kept = solve("tictactoe").table, open_table(file)
    assert isinstance(kept.keys, np.memmap)
    assert len(kept) == len(made) == 765
    assert [kept.at(row) for row in range(765)] == [made.at(row) for row in range(765)]


def test_the_same_table_is_written_byte_by_byte(file: Path, tmp_path: Path) -> None:
    solve("tictactoe").table.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


def test_a_state_knows_its_value_by_the_table_of_its_game(file: Path) -> None:
    game = gdl.load("tictactoe")
    game.use(open_table(file))
    state = game.initial().play("a1").play("a2")
    assert str(state.value()) == "x 100, o 0, in 5 moves"
    assert state.value() == state.value(open_table(file))


def test_without_a_table_a_state_says_how_to_get_one() -> None:
    with pytest.raises(GdlError) as caught:
        gdl.load("tictactoe").initial().value()
    assert str(caught.value) == (
        "there is no table of tictactoe\n"
        "  help: state.value(gdl.solve.open_table(FILE)), or game.use(table) once; "
        "gdl solve tictactoe -o FILE makes one"
    )


def test_a_table_of_other_rules_is_refused(file: Path) -> None:
    with pytest.raises(GdlError) as caught:
        gdl.load("connectfour").use(open_table(file))
    digest = gdl.load("tictactoe").ruleset.digest()[:16]
    assert str(caught.value) == (
        "this table is of other rules than connectfour\n"
        f"  expected: the rules of tictactoe, digest {digest}\n"
        "  help: solve the game as it is now: gdl solve connectfour -o FILE"
    )


def test_a_state_that_play_does_not_lead_to_is_refused(file: Path) -> None:
    game = gdl.load("tictactoe", backend="reason")
    facts = {str(fact) for fact in game.initial().facts}
    for wrong in (set(), facts | {"(control o)"}):
        with pytest.raises(GdlError) as caught:
            game.state(wrong).value(open_table(file))
        assert str(caught.value) == (
            "this state is not in the table\n"
            "  expected: a state that play from the beginning leads to"
        )


@pytest.mark.parametrize("length", [0, 5, 12, 20, 100, 2000, -1])
def test_a_part_of_a_file_is_no_table(file: Path, length: int, tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(file.read_bytes()[:length])
    with pytest.raises(GdlError) as caught:
        open_table(part)
    assert str(caught.value) == (
        f"{part} is no table of values, or a part of one\n"
        "  expected: a file that gdl solve -o wrote"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tictactoe"])
def test_values_follow_from_each_other_by_the_rules_as_written(name: str, file: Path) -> None:
    assert certify(name, file, 300) == 300


@pytest.mark.slow
def test_all_values_of_all_images_follow_from_each_other(file: Path) -> None:
    assert certify("tictactoe", file, 0) == 5478


WRONG = ("value", "distance", "end", "endless", "key", "missing", "symmetry", "half", "twice")
WRONG_HEADS: dict[str, dict[str, Any]] = {
    "roles": {"roles": ("blue", "red")},
    "sum": {"total": 101},
    "no sum": {"total": None},
    "goals of the second role": {"goals": ((0, 100), (0, 1))},
    "goals that do not rise": {"goals": ((0, 100), (100, 0))},
    "goals of one role": {"goals": ((0, 100),)},
}


def _changed(file: Path, what: str, folder: Path) -> Path:
    """Write a table in which something is wrong; return its file."""
    table = open_table(file)
    rng = np.random.default_rng(7)
    head = table.head
    keys, values, distances = (
        np.array(each) for each in (table.keys, table.values, table.distances)
    )
    row = int(rng.integers(1, len(table)))
    if what == "value":
        values[row] = 1 - values[row]
    elif what == "distance":
        distances[row] += 2
    elif what == "end":
        distances[np.flatnonzero(distances == 0)[0]] = 1
    elif what == "endless":
        distances[:] = -1
    elif what in WRONG_HEADS:
        head = replace(head, **WRONG_HEADS[what])
    elif what == "key":
        keys[row] = keys[row - 1] + np.uint64(1)
    elif what == "missing":
        keys, values, distances = (np.delete(each, row, 0) for each in (keys, values, distances))
        head = replace(head, layers=tuple(n - (n > row) for n in head.layers))
    elif what == "symmetry":  # of one cell with another, which no symmetry of the game makes
        cells = [members for _, _, members in head.fields if members[0].startswith("(cell")]
        one, other = cells[0], cells[1]
        pairs = [*zip(one, other, strict=True), *zip(other, one, strict=True)]
        head = replace(head, symmetries=(*head.symmetries, tuple(pairs)))
    elif what in {"half", "twice"}:  # a fact that nothing is renamed to; one with two names
        first = head.symmetries[0]
        pairs = [*first[1:]] if what == "half" else [*first, (first[0][0], first[1][1])]
        head = replace(head, symmetries=(tuple(pairs), *head.symmetries[1:]))
    Table(head, keys, values, distances, table.tied).save(folder / what)
    return folder / what


@pytest.mark.later
@pytest.mark.parametrize("what", [*WRONG, *WRONG_HEADS])
def test_a_table_in_which_anything_is_wrong_is_refused(what: str, tmp_path: Path) -> None:
    solve("hex?size=2").table.save(tmp_path / "right")
    assert certify("hex?size=2", tmp_path / "right", 0)
    with pytest.raises(WrongTableError):
        certify("hex?size=2", _changed(tmp_path / "right", what, tmp_path), 0)


@pytest.mark.slow
def test_values_of_cycles_follow_from_each_other(tmp_path: Path) -> None:
    solve("morris/three").table.save(tmp_path / "morris")
    assert certify("morris/three", tmp_path / "morris", 500) == 500


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_values_of_published_files_follow_from_each_other(name: str, tmp_path: Path) -> None:
    path = SHARED / "games" / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    solve(path).table.save(tmp_path / "table")
    assert certify(str(path), tmp_path / "table", 100)


def test_the_command_keeps_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    ran = run("solve", "tictactoe", "-o", str(path))
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[:3] == [
        "tictactoe: x 50, o 50, in 9 moves",
        "5,478 positions of 19 bits, layer by layer: every move fills one more field",
        "765 of them are kept: 8 proved symmetries make the others; they are products of",
    ]
    assert [line[:2] for line in lines[3:5]] == ["  ", "  "]
    assert " -> " in lines[3]
    assert len(open_table(path)) == 765


def test_the_command_keeps_all_positions_if_asked() -> None:
    ran = run("solve", "tictactoe", "--no-symmetries", "--json")
    said = json.loads(ran.out)
    assert (said["positions"], said["kept"], said["symmetries"]) == (5478, 5478, [])


def test_workers_without_a_folder_are_refused_by_the_command() -> None:
    ran = run("solve", "tictactoe", "--workers", "2")
    assert (ran.code, ran.err.splitlines()[0]) == (
        1,
        "error: several workers need a folder to work in",
    )


def test_whoever_plays_is_told_what_each_position_is_worth(file: Path) -> None:
    ran = run("play", "tictactoe", "--against", "human", "--tables", str(file), stdin="a1\na2\n")
    worth = [line for line in ran.out.splitlines() if line.startswith("Best play")]
    assert worth == [
        "Best play: x 50, o 50, in 9 moves.",
        "Best play: x 50, o 50, in 8 moves.",
        "Best play: x 100, o 0, in 5 moves.",
    ]


def test_nobody_plays_with_a_table_of_other_rules(file: Path) -> None:
    ran = run("play", "connectfour", "--against", "human", "--tables", str(file))
    assert ran.code == 1
    assert ran.err.startswith("error: this table is of other rules than connectfour\n")


def test_a_size_that_is_none_is_refused() -> None:
    ran = run("solve", "tictactoe", "--memory", "much")
    assert ran.code == 2
    assert ran.err == (
        "error: --memory much is no size\n  expected: a number of bytes, or such as 512M or 8G\n"
    )
