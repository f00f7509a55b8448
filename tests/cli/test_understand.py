"""The commands that look at a game: show, legal, perft, simulate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gdl.cli.measuring.simulate import BAR, BINS, histogram
from gdl.playouts import Playouts
from tests.cli.running import gdl

SHOWN = """\
tictactoe: Tic-tac-toe
Three in a row on a board of three by three. X begins.

roles:     x, o
"""


def test_show_draws_the_game_on_a_page() -> None:
    ran = gdl("show", "tictactoe", "--moves", "b2")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(SHOWN)
    assert "\nmoves:     written like b2\n" in ran.out
    assert ran.out.endswith(
        "\nAfter 1 move:\n  a b c\n3 · · ·\n2 ·>X ·\n1 · · ·\n\n(control o)\no has 8 legal moves.\n"
    )


def test_show_counts_base_propositions() -> None:
    # Nine cells with one of two marks or none, and whose turn it is.
    shown = json.loads(gdl("show", "tictactoe", "--json").out)
    assert shown["base_propositions"] == 9 * 2 + 2
    assert shown["roles"] == ["x", "o"]
    assert shown["legal"] == {"x": 9, "o": 1}
    assert shown["state"] == ["(control x)"]


@pytest.mark.parametrize(
    ("base", "count"),
    [
        ("(base (count 0))", 1),  # what is true at first is not counted with them
        ("(<= (base (count ?n)) (digit ?d)) (digit 1)", None),
        ("(<= (base (count 0)) (not (base (count 0))))", None),
    ],
)
def test_show_counts_what_base_declares_if_it_has_a_meaning(
    folder: Path, base: str, count: int | None
) -> None:
    (folder / "base.kif").write_text(f"{(folder / 'count.kif').read_text()} (init other) {base}")
    ran = gdl("show", "base.kif", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["base_propositions"] == count


@pytest.mark.usefixtures("folder")
def test_show_of_rules_without_a_manifest_shows_numbers_and_lists_other_facts() -> None:
    ran = gdl("show", "count.kif", "--moves", "1")
    assert ran.out.startswith("count.kif: count\n")
    assert "\nstate:     1 kind of facts; base propositions: none declared\n" in ran.out
    assert ran.out.endswith("\nAfter 1 move:\n count\n>1\n\nrobot has 2 legal moves.\n")
    ran = gdl("show", "pennies.kif", "-m", "even: (show heads) & odd: (show heads)")
    assert "\n+(shown even heads)  +(shown odd heads)\n" in ran.out


@pytest.mark.usefixtures("folder")
def test_show_of_a_finished_game_says_who_won() -> None:
    ran = gdl("show", "pennies.kif", "-m", "even: (show heads) & odd: (show heads)")
    assert ran.out.endswith("even wins.\n  even  100\n  odd     0\n")


@pytest.mark.later
def test_legal_lists_the_moves_of_every_role() -> None:
    ran = gdl("legal", "tictactoe", "--moves", "b2; a1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == ("x: 7 legal moves\na2  a3  b1  b3  c1  c2  c3\no: 1 legal move\nnoop\n")


def test_legal_as_json_has_both_notations() -> None:
    ran = gdl("legal", "pentago/strict", "--role", "black", "--json")
    found = json.loads(ran.out)
    assert (found["ply"], found["terminal"]) == (0, False)
    assert len(found["legal"]["black"]) == 36 * 8
    assert {"kif": "(turn e 5 q01 cw)", "notation": "E5 Q01 CW"} in found["legal"]["black"]


def test_perft_of_tictactoe() -> None:
    # Known: terminal sequences of 5, 6, 7 moves are 1440, 5328, 47952.
    found = json.loads(gdl("perft", "tictactoe", "7", "--json").out)
    assert [row["nodes"] for row in found["depths"]] == [9, 72, 504, 3024, 15120, 54720, 148176]
    assert [row["terminal"] for row in found["depths"]] == [0, 0, 0, 0, 1440, 5328, 47952]
    assert found["depths"][4]["goals"] == [{"goals": [100, 0], "count": 1440}]


def test_perft_as_a_table() -> None:
    ran = gdl("perft", "tictactoe", "5")
    assert ran.code == 0
    assert ran.out.splitlines()[0].split() == [
        "depth", "nodes", "terminal", "goals", "x", "goals", "o", "nodes/s",
    ]  # fmt: skip
    assert ran.out.splitlines()[5].split()[:5] == ["5", "15,120", "1,440", "144,000", "0"]


def test_divide_adds_up_to_the_whole() -> None:
    ran = gdl("perft", "tictactoe", "3", "--divide")
    *moves, blank, total = ran.out.splitlines()
    assert (blank, total) == ("", "Nodes of depth 3: 504")
    assert moves == [f"{column}{row}: 56" for column in "abc" for row in "123"]
    divided = json.loads(gdl("perft", "tictactoe", "3", "--divide", "--json").out)
    assert sum(divided["divide"].values()) == divided["nodes"] == 504


def test_a_finished_game_has_no_sequences() -> None:
    won = "a1; b1; a2; b2; a3"
    found = json.loads(gdl("perft", "tictactoe", "2", "--moves", won, "--json").out)
    assert [row["nodes"] for row in found["depths"]] == [0, 0]
    ran = gdl("perft", "tictactoe", "2", "--divide", "--moves", won)
    assert ran.out == "\nNodes of depth 2: 0\n"


def test_simulate_adds_up() -> None:
    ran = gdl("simulate", "tictactoe", "-n", "200", "--seed", "5", "--json")
    found = json.loads(ran.out)
    assert found["games"] == found["finished"] == 200
    assert found["draws"] + sum(role["wins"] for role in found["roles"]) == 200
    assert sum(found["lengths"].values()) == 200
    assert {int(length) for length in found["lengths"]} <= set(range(5, 10))
    for role in found["roles"]:
        low, high = role["interval"]
        assert 0 <= low < role["wins"] / 200 < high <= 1
    assert gdl("simulate", "tictactoe", "-n", "200", "--seed", "5", "--json").out == ran.out


def test_simulate_as_tables() -> None:
    ran = gdl("simulate", "tictactoe", "-n", "50")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "tictactoe: 50 random games"
    assert [line.split("  ")[0] for line in lines[2:5]] == ["x wins", "o wins", "nobody wins"]
    assert sum(int(line.split("wins")[1].split()[0]) for line in lines[2:5]) == 50


def test_simulate_tells_games_that_were_cut_off_or_stuck() -> None:
    ran = gdl("simulate", "tictactoe", "-n", "20", "--max-plies", "3")
    assert ran.out == "tictactoe: 20 random games\n20 cut off; in no other count\n"
    found = json.loads(gdl("simulate", "tictactoe", "-n", "20", "--max-plies", "3", "--json").out)
    assert (found["cut"], found["finished"], found["mean_length"]) == (20, 0, None)


@pytest.mark.usefixtures("folder")
def test_simulate_tells_games_in_which_a_role_could_not_move() -> None:
    ran = gdl("simulate", "stuck.kif", "-n", "3")
    assert ran.out == (
        "stuck.kif: 3 random games\n3 stuck without a legal move; in no other count\n"
    )


@pytest.mark.parametrize("lengths", [{7: 1}, {1: 1, 10_000: 1}, dict.fromkeys(range(60), 9)])
def test_a_histogram_counts_every_game_and_fits(lengths: dict[int, int]) -> None:
    playouts = Playouts(("r",))
    playouts.lengths.update(lengths)
    for lines in (histogram(playouts), histogram(playouts, is_ascii=True)):
        assert len(lines) <= BINS
        assert sum(int(line.split()[1]) for line in lines) == playouts.finished
        assert max(len(line.split()[2]) for line in lines if len(line.split()) > 2) == BAR
