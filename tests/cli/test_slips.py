"""What people mistype, and the whole message that they get: one that says what to type instead."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import gdl as framework
from gdl.ruleset.search import shipped_folder
from tests.cli.running import gdl

NO_FILE = """\
error: there is no file pennis.kif
  help: did you mean pennies.kif?
"""
NO_FOLDER = """\
error: there is no folder no for no/such.toml
"""
WRONG_SIZE = """\
error: size of hex is 99
  expected: a whole number from 2 to 19 (cells along an edge)
  help: 11 is usual: hex alone
"""
NO_PLAYER = """\
error: there is no player 'mtcs'
  expected: random or greedy or mcts or alphabeta or solve or equilibrium or puzzle or deep
  help: did you mean mcts?
"""
NO_PLAYER_FILE = """\
error: there is no file ./lost.py
  expected: a Python file that has make, Player or player
"""
FMT_ID = """\
error: there is no file tictactoe, which is the id of a ruleset
  expected: rule files, folders of them, or - for standard input
  help: its rules are in {folder}/tictactoe/tictactoe.kif
"""
FMT_WORD = """\
error: there is no file zzz
  expected: rule files, folders of them, or - for standard input
"""
FMT_TOML = """\
error: kept.toml is in TOML, which holds no rules
  expected: rule files, folders of them, or - for standard input
"""
FMT_FILE = """\
error: there is no file cont.kif
  help: did you mean count.kif?
"""
OPEN_QUESTION = """\
<term>:1:1: error[unclosed-bracket]: this bracket is never closed
  1 | (goal x (100)
    | ^
  help: add ) at the end of line 1
"""
OPEN_MOVE = """\
error: move 1 of --moves:
move:1:1: error[unclosed-bracket]: this bracket is never closed
  1 | (mark a 1
    | ^
  help: add ) at the end of line 1
"""
NO_ROLE = """\
error: tictactoe has no role 'z'
  expected: x or o
"""
FAMILY = """\
error: gomoku is a family of rulesets, none of which has that name alone
  expected: gomoku/freestyle, gomoku/standard, gomoku/swap2 or gomoku/renju
"""
KIN = """\
error: there is no ruleset pentago/loose
  expected: pentago/strict, pentago/utwente, pentago/classic or pentago/phased, a manifest, or a \
.kif or .hrf file
  help: did you mean pentago/phased?
"""
BARE_MOVE = """\
error: move 1 of --moves:
move:1:1: error[not-a-move]: this is no KIF term
  1 | show heads
    | ^^^^^^^^^^
  expected: a term without variables, as in (mark 1 1)
  help: did you mean (show heads)?
"""


@pytest.mark.later
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["replay", "pennis.kif"], 2, NO_FILE),
        (["diff", "tictactoe", "hex", "--map", "no/such.toml"], 2, NO_FOLDER),
        (["show", "hex?size=99"], 2, WRONG_SIZE),
        (["evaluate", "mtcs", "random", "-g", "tictactoe"], 2, NO_PLAYER),
        (["evaluate", "./lost.py", "random", "-g", "tictactoe"], 2, NO_PLAYER_FILE),
        (["fmt", "tictactoe"], 2, FMT_ID),
        (["fmt", "zzz"], 2, FMT_WORD),
        (["fmt", "cont.kif"], 2, FMT_FILE),
        (["why", "tictactoe", "goal x (100"], 1, OPEN_QUESTION),
        (["legal", "tictactoe", "-m", "(mark a 1"], 1, OPEN_MOVE),
        (["why", "tictactoe", "goal z 100"], 2, NO_ROLE),
        (["why", "tictactoe", "(goal z 100)"], 2, NO_ROLE),
        (["show", "gomoku"], 2, FAMILY),
        (["show", "pentago/loose"], 2, KIN),
        (["legal", "pennies.kif", "-m", "show heads"], 1, BARE_MOVE),
    ],
)
def test_the_whole_message(words: list[str], code: int, message: str) -> None:
    ran = gdl(*words)
    expected = message.replace("{folder}", str(shipped_folder()))
    assert (ran.code, ran.out, ran.err) == (code, "", expected)


def test_a_manifest_is_no_rule_file(folder: Path) -> None:
    (folder / "kept.toml").write_text('[[ruleset]]\nid = "count"\n', encoding="utf-8")
    ran = gdl("fmt", "kept.toml")
    assert (ran.code, ran.out, ran.err) == (2, "", FMT_TOML)


def unwrapped(text: str) -> str:
    """Return the words in the frame that typer draws."""
    return " ".join(line.strip("│ ") for line in text.splitlines() if line.startswith("│"))


@pytest.mark.later
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["perft", "tictactoe", "-3"], "No such option: -3. It takes no number below 0."),
        (
            ["tournament", "tictactoe", "--games", "3"],
            "No such option: --games. --rounds N says how many openings each two play in a game.",
        ),
        (
            ["new", "--name", "mill"],
            "No such option: --name. The name stands by itself: gdl new mill --kind placement.",
        ),
        (
            ["legal", "y", "b"],
            'Got unexpected extra argument(s) (b). --moves "MOVE; MOVE" says what is played first.',
        ),
        (["perft", "tictactoe", "x"], "Invalid value for 'depth': 'x' is no whole number."),
        (["perft", "tictactoe", "1e3"], "Invalid value for 'depth': '1e3' is no whole number."),
        (["perft", "tictactoe", "9999"], "Invalid value for 'depth': 9999 is more than 1000."),
        (
            ["simulate", "tictactoe", "-n", "0"],
            "Invalid value for '--number' / '-n': 0 is less than 1.",
        ),
        (
            ["force", "tictactoe", "--wins", "x", "--seconds", "soon"],
            "Invalid value for '--seconds': 'soon' is no number.",
        ),
        (
            ["convert", "tictactoe", "--to", "kfi"],
            (
                "Invalid value for '--to': 'kfi' is not one of "
                "'kif', 'hrf', 'aiger', 'dot', 'wasm'. Did you mean kif?"
            ),
        ),
    ],
)
def test_an_option_or_value_that_there_is_not(words: list[str], message: str) -> None:
    ran = gdl(*words)
    assert (ran.code, ran.out, unwrapped(ran.err)) == (2, "", message)


EMPTY_WORD = """\
error: an empty word names no file
  expected: {expected}
"""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("fmt", "rule files, folders of them, or - for standard input"),
        ("check", "rule files, folders of them, manifests or ids; . is the folder here"),
    ],
)
def test_an_empty_word_is_not_the_folder_here(command: str, expected: str, folder: Path) -> None:
    (folder / "mine.kif").write_text("(role   white)")
    ran = gdl(command, "")
    assert (ran.code, ran.out, ran.err) == (2, "", EMPTY_WORD.format(expected=expected))
    assert (folder / "mine.kif").read_text() == "(role   white)"


BINARY = """\
error[not-text]: mine.kif is no text: it holds control characters again and again
  expected: rules as text, in UTF-8 or UTF-16 with a byte order mark

1 rule file or ruleset checked: 1 error
"""


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(b"\x7fELF" + b"\0\1\2" * 100, id="program"),
        pytest.param(random.Random(1).randbytes(900), id="archive"),
    ],
)
def test_no_text_under_the_name_of_a_rule_file(what: bytes, folder: Path) -> None:
    (folder / "mine.kif").write_bytes(what)
    ran = gdl("check", "mine.kif")
    assert (ran.code, ran.out, ran.err) == (1, BINARY, "")


def test_text_in_utf_16_is_text(folder: Path) -> None:
    text = (folder / "count.kif").read_text(encoding="utf-8")
    (folder / "wide.kif").write_text(text, encoding="utf-16")
    assert gdl("check", "wide.kif").code == 0


FLATTENED = """\
error: written as they are, but other systems may refuse these rules or play another game:
unsafe.kif:4:12: error[unsafe-variable]: ?r occurs in the head but in no positive literal of \
the body
  4 | (<= (legal ?r 1) (true (count ?n)))
    |            ^^
  expected: every head variable in a positive body literal
  help: add a literal that binds ?r, for instance (role ?r)
"""


@pytest.mark.usefixtures("folder")
def test_flatten_says_what_is_wrong_with_what_it_writes() -> None:
    ran = gdl("flatten", "unsafe.kif")
    assert ran.code == 1
    assert "(<= (legal ?r 1)" in ran.out
    assert ran.err == FLATTENED


UNCLOSED = """\
mine.kif:1:1: error[unclosed-bracket]: this bracket is never closed
  1 | (role white
    | ^
  help: add ) at the end of line 1
"""


def test_flatten_writes_nothing_of_what_cannot_be_read(folder: Path) -> None:
    (folder / "mine.kif").write_text("(role white")
    ran = gdl("flatten", "mine.kif", "-o", "flat.kif")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == UNCLOSED
    assert not (folder / "flat.kif").exists()


@pytest.mark.usefixtures("folder")
def test_flatten_says_nothing_of_hints() -> None:
    ran = gdl("flatten", "stuck.kif")
    assert (ran.code, ran.err) == (0, "")


PLAYER = """\
error: --player foo: there is no player 'foo'
  expected: random or greedy or mcts or alphabeta or solve or equilibrium or puzzle or deep
"""


def test_a_player_that_there_is_not() -> None:
    ran = gdl("tournament", "tictactoe", "-p", "foo", "-p", "random")
    assert ran.code == 2
    assert ran.err.splitlines()[0] == PLAYER.splitlines()[0]


@pytest.mark.slow
def test_moves_that_both_have_are_not_those_of_one_alone() -> None:
    ran = gdl("diff", "tictactoe", "connectfour")
    assert ran.code == 3
    notes = [line.strip() for line in ran.err.splitlines() if line.startswith("  note: only")]
    assert notes == [
        "note: only tictactoe has (mark a 1), (mark a 2), (mark a 3), (mark b 1) and 5 more",
        "note: only connectfour has (drop 1), (drop 2), (drop 3), (drop 4) and 3 more",
    ]


def test_a_database_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    from gdl.match.records import StoreError
    from gdl.match.store import open_store

    path = tmp_path / "no" / "x.db"
    with pytest.raises(StoreError) as caught:
        open_store(path)
    said = f"the database {path} cannot be used: there is no folder {path.parent}"
    assert str(caught.value) == said
    with pytest.raises(StoreError) as caught:
        open_store(tmp_path)
    assert str(caught.value) == f"the database {tmp_path} cannot be used: it is a folder"


UNKNOWN_FACT = """\
no rule of tictactoe knows the fact (cel a 1 x)
  expected: a fact named cell or control
  help: did you mean cell?"""
OTHER_FACT = """\
no rule of tictactoe knows the fact (cell a 1)
  expected: cell with 3 arguments"""

FACT_OFF_THE_BOARD = """\
no rule of tictactoe gives the fact (cell 9 9 x): its argument 1 is 9
  expected: a, b or c there"""
MARK_OF_NOBODY = """\
no rule of tictactoe gives the fact (cell a 1 xx): its argument 3 is xx
  expected: o or x there
  help: did you mean x?"""


@pytest.mark.parametrize("backend", ["reason", "meaning", "native"])
@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("(cel a 1 x)", UNKNOWN_FACT),
        ("(cell a 1)", OTHER_FACT),
        ("(cell 9 9 x)", FACT_OFF_THE_BOARD),
        ("(cell a 1 xx)", MARK_OF_NOBODY),
    ],
)
def test_a_fact_that_no_rule_knows(backend: str, fact: str, message: str) -> None:
    game = framework.load("tictactoe", backend=backend)  # type: ignore[arg-type]  # one of them
    with pytest.raises(framework.GdlError) as caught:
        game.state(["(control x)", fact])
    assert str(caught.value) == message


def test_a_fact_may_be_anything_where_rules_begin_with_anything(tmp_path: Path) -> None:
    path = tmp_path / "any.kif"
    path.write_text(
        "(role r) (start a) (<= (init ?f) (start ?f)) (legal r go) (<= terminal (true b)) "
        "(goal r 0)",
        encoding="utf-8",
    )
    assert len(framework.load(path, backend="reason").state(["zzz"]).facts) == 1


@pytest.mark.parametrize("number", [-1, 57])
def test_a_number_that_no_move_has(number: int) -> None:
    batch = framework.load("tictactoe", backend="native").batch(2)
    with pytest.raises(framework.IllegalMoveError) as caught:
        batch.step(np.array([[1, 0], [number, 0]]))
    assert str(caught.value) == f"{number} is the number of no move of x\n  expected: 0 to 9"


def test_two_games_may_be_compared_as_games() -> None:
    game = framework.load("tictactoe", backend="reason")
    assert framework.diff(game, game).equivalent


UNLIKE = """\
error: the rules have no relation foo/1
  expected: does/2, goal/2, init/1, legal/2, next/1, role/1, succ/2, terminal/0 ...
"""
WORDS = """\
error: move 1 of --moves:
move:1:1: error[not-a-move]: this is no move
  1 | mark a 1
    | ^
  expected: a column (a, b or c), noop or "-", as in b2
  help: did you mean (mark a 1)?
"""
EMPTY = """\
error: there is no rule file in nothing
  expected: {expected}
"""
FOLDER = """\
error: nothing is a folder, and no ruleset has that name
  expected: a ruleset id, a manifest or the folder of one, or a .kif or .hrf file
"""
AGAINST = """\
error: player mtcs: there is no player 'mtcs'
  expected: random or greedy or mcts or alphabeta or solve or equilibrium or puzzle or deep
  help: did you mean mcts?
"""
NO_FOLDER = """\
error: nowhere holds no certificates: there is no such folder
  expected: a folder with certificates.json and the files of each claim in it
  help: gdl verify GAME --certificates FOLDER writes them
"""
NO_INDEX = """\
error: nothing holds no certificates: there is no certificates.json in it
  expected: a folder with certificates.json and the files of each claim in it
  help: gdl verify GAME --certificates FOLDER writes them
"""
NO_FOLDER_BUT_A_FILE = """\
error: program.toml holds no certificates: it is a file
  expected: a folder with certificates.json and the files of each claim in it
  help: gdl verify GAME --certificates FOLDER writes them
"""
NO_TEXT = """\
error: program.toml is no text
  expected: a file in TOML
"""


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["legal", "tictactoe", "-m", "mark a 1"], 1, WORDS),
        (["fmt", "nothing"], 2, EMPTY.format(expected=FMT_WORD.split("expected: ")[1].strip())),
        (["check", "nothing"], 2, EMPTY.format(expected="a folder with rule files or manifests")),
        (["show", "nothing"], 2, FOLDER),
        (["play", "tictactoe", "--against", "mtcs"], 2, AGAINST),
        (["certify", "nowhere"], 2, NO_FOLDER),
        (["certify", "nothing"], 2, NO_INDEX),
        (["certify", "program.toml"], 2, NO_FOLDER_BUT_A_FILE),
        (["play", "--from", "program.toml"], 1, NO_TEXT),
        (["why", "count.kif", "foo bar"], 1, UNLIKE),
    ],
)
def test_what_a_stranger_types(folder: Path, words: list[str], code: int, message: str) -> None:
    (folder / "nothing").mkdir()
    (folder / "program.toml").write_bytes(b"\x7fELF\xd0\xff")
    ran = gdl(*words)
    assert (ran.code, ran.out, ran.err) == (code, "", message)


@pytest.mark.later
def test_a_folder_with_a_manifest_is_its_game(folder: Path) -> None:
    assert gdl("new", "heaps", "--kind", "piles", "--size", "3").code == 0
    by_folder, by_manifest = (gdl("show", name) for name in ("heaps", "heaps/manifest.toml"))
    assert (by_folder.code, by_folder.out) == (0, by_manifest.out)
    (folder / "heaps" / "manifest.toml").write_text("", encoding="utf-8")
    assert gdl("show", "heaps").err.startswith("heaps/manifest.toml:1:1: error[")


@pytest.mark.later
@pytest.mark.parametrize("option", ["-p", "--player", "--against"])
def test_players_are_named_as_in_other_commands(option: str) -> None:
    ran = gdl("play", "tictactoe", "--watch", option, "random", "--seed", "1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == gdl("play", "tictactoe", "--watch", "--seed", "1").out


def test_a_database_that_is_named_by_a_url_is_named_without_its_password(tmp_path: Path) -> None:
    from gdl.match.records import StoreError
    from gdl.match.store import open_store

    with pytest.raises(StoreError) as caught:
        open_store(f"sqlite:///{tmp_path}/no/x.db")
    assert str(caught.value) == (
        f"the database sqlite:///{tmp_path}/no/x.db cannot be used: "
        f"there is no folder {tmp_path}/no"
    )


@pytest.mark.parametrize(
    ("player", "said"),
    [
        (
            "./no-such-player.py",
            (
                "there is no file ./no-such-player.py\n"
                "  expected: a Python file that has make, Player or player\n"
            ),
        ),
        (
            "nowhere_at_all:Player",
            (
                "there is no module nowhere_at_all\n"
                "  expected: one that Python finds from here, or a file such as ./mine.py\n"
            ),
        ),
    ],
)
def test_a_player_that_is_not_there(player: str, said: str) -> None:
    ran = gdl("play", "tictactoe", "-p", player)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: player {player}: {said}")
