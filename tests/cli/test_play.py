"""``gdl play``: dialogues, line by line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.game import load
from tests.cli.running import gdl
from tests.shared import examples, needs

WHOLE_GAME = """\
tictactoe: Tic-tac-toe
You play X and O.
Type a move such as b2, or help.

  a b c
3 · · ·
2 · · ·
1 · · ·

(control x)

1  a1   2  a2   3  a3   4  b1   5  b2   6  b3   7  c1   8  c2   9  c3
X> b2
1. X b2

  a b c
3 · · ·
2 ·>X ·
1 · · ·

(control o)

1  a1   2  a2   3  a3   4  b1   5  b3   6  c1   7  c2   8  c3
O> 4
2. O b1

  a b c
3 · · ·
2 · X ·
1 ·>O ·

(control x)

1  a1   2  a2   3  a3   4  b3   5  c1   6  c2   7  c3
X> (mark a 1)
3. X a1

  a b c
3 · · ·
2 · X ·
1>X O ·

(control o)

1  a2   2  a3   3  b3   4  c1   5  c2   6  c3
O> A2
4. O a2

  a b c
3 · · ·
2>O X ·
1 X O ·

(control x)

1  a3   2  b3   3  c1   4  c2   5  c3
X> 5
5. X c3

  a b c
3 · ·>X
2 O X ·
1 X O ·

(control o)

X wins.
  X  100
  O    0
"""


def play(*words: str, lines: str = "") -> tuple[int, str]:
    """Play, and return the exit code and what was said; nothing goes to standard error."""
    ran = gdl("play", *words, stdin="".join(f"{line.strip()}\n" for line in lines.split(",")))
    assert ran.err == ""
    return ran.code, ran.out


def test_a_whole_game_of_two_people() -> None:
    code, said = play("tictactoe", "--against", "human", lines="b2, 4, (mark a 1), A2, 5")
    assert code == 0
    assert said == WHOLE_GAME


@pytest.mark.slow
def test_chance_answers_the_same_to_the_same_seed() -> None:
    words = ("connectfour", "--seed", "7")
    first, second = play(*words, lines="4, 4, 4"), play(*words, lines="4, 4, 4")
    assert first == second
    assert "Chance plays Yellow (seed 7).\n" in first[1]
    others = {play("connectfour", "--seed", str(seed), lines="4, 4, 4")[1] for seed in range(4)}
    assert len(others) == 4


def test_the_second_role_can_be_mine() -> None:
    code, said = play("tictactoe", "--as", "o", "--seed", "1", lines="quit")
    assert code == 0
    assert "You play O.\nChance plays X (seed 1).\n" in said
    assert "\n1. X " in said
    assert "\nO> quit\n" in said


def test_to_watch_is_to_see_a_game_to_its_end() -> None:
    code, said = play("tictactoe", "--watch", "--seed", "3")
    assert code == 0
    assert ">" not in said.replace(">X", "").replace(">O", "")  # signs, but no prompt
    assert said.splitlines()[-3] in {"X wins.", "O wins.", "A draw."}


@pytest.mark.usefixtures("folder")
def test_roles_that_move_at_once_are_asked_in_turn_and_then_told() -> None:
    code, said = play("pennies.kif", "--against", "human", lines="1, (show tails)")
    assert code == 0
    assert said.partition("or help.\n")[2] == (
        "\n fresh\n\n"
        "1  (show heads)   2  (show tails)\n"
        "even> 1\n"
        "1  (show heads)   2  (show tails)\n"
        "odd> (show tails)\n"
        "1. even (show heads), odd (show tails)\n"
        "\n+(shown even heads)  +(shown odd tails)\n\n"
        "odd wins.\n  even    0\n  odd   100\n"
    )


@pytest.mark.usefixtures("folder")
def test_moves_come_before_numbers_and_words_of_the_same_name() -> None:
    code, said = play("count.kif", lines="1, undo, 1, #1, :undo, #1, 1")
    assert code == 0
    made = [line for line in said.splitlines() if line[:1].isdigit()]
    assert made == [
        "1. robot 1",
        "2. robot undo",
        "3. robot 1",
        "4. robot 1",
        "4. robot 1",
        "5. robot 1",
    ]
    assert said.endswith("Solved.\n  robot  100\n")


def test_undo_takes_back_my_move_and_the_answer() -> None:
    _, said = play("tictactoe", "--seed", "1", lines="b2, undo, history, undo, quit")
    assert "X> history\nNo move has been made.\n" in said
    assert "X> undo\nThere is no move of yours to take back.\n" in said
    assert said.endswith("Goodbye. No move was made.\n")


def test_the_end_of_input_is_polite_and_says_how_to_go_on() -> None:
    code, said = play("tictactoe", "--against", "human", lines="b2, c3")
    assert code == 0
    assert said.endswith(
        "7  c2\nX> \nGoodbye. To go on from here:\n"
        "  gdl play tictactoe --against human --moves 'b2; c3'\n"
    )


@pytest.mark.later
def test_a_saved_game_goes_on(folder: Path) -> None:
    _, said = play("tictactoe", "--against", "human", lines="b2, c3, save game.txt, quit")
    assert (
        "X> save game.txt\nSaved. To go on: gdl play tictactoe --against human --moves @game.txt\n"
    ) in said
    assert (folder / "game.txt").read_text() == ("# gdl play tictactoe --against human\nb2\nc3\n")
    _, said = play("tictactoe", "--against", "human", "--moves", "@game.txt", lines="history,quit")
    assert "   1. b2\n   2. c3\n" in said


def test_a_ply_in_which_nobody_has_anything_to_do_is_one_all_the_same(folder: Path) -> None:
    (folder / "rest.kif").write_text(
        "(role a) (role b) (goal a 50) (goal b 50) (init (n 0)) (s 0 1) (s 1 2) (s 2 3)"
        "(<= (legal a (take ?x)) (true (n ?y)) (distinct ?y 1) (s ?x ?z))"
        "(<= (legal a noop) (true (n 1))) (legal b noop)"
        "(<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (<= terminal (true (n 3)))"
    )
    code, said = play("rest.kif", lines="(take 0), history")
    assert code == 0
    assert "   1. (take 0)\n   2. a: noop & b: noop\n" in said
    assert said.endswith("--moves '(take 0); a: noop & b: noop'\n")
    _, said = play("rest.kif", "--moves", "(take 0); a: noop & b: noop", lines="history")
    assert "   2. a: noop & b: noop\n" in said


@pytest.mark.usefixtures("folder")
def test_nature_is_played_by_chance_and_only_percepts_are_told() -> None:
    code, said = play("coin.kif", "--seed", "1", lines="1")
    assert code == 0
    assert said.startswith(
        "coin.kif: coin\nYou play guesser.\nChance plays random (seed 1).\n"
        "These rules hide facts: you are told what you see. gdl play --open shows all.\n"
    )
    seen = next(line for line in said.splitlines() if line.startswith("1. "))
    side = seen.removeprefix("1. guesser sees (glimpse ").removesuffix(")")
    assert side in {"heads", "tails"}
    assert "toss" not in said.partition("(guessed heads)")[0]
    is_right = side == "heads"
    assert said.endswith(
        f"What was played:\n   1. (toss {side})\n   2. (guess heads)\n"
        f"{'Solved.' if is_right else 'Not solved.'}\n"
        f"  guesser  {100 if is_right else 0:>3}\n"
    )


@pytest.mark.usefixtures("folder")
def test_everything_is_shown_to_who_asks_for_it() -> None:
    code, said = play("coin.kif", "--seed", "1", "--open", lines="facts, quit")
    assert code == 0
    assert "These rules hide facts from the players; here all of them are shown.\n" in said
    assert re.search(
        r"^1\. random \(toss (\w+)\)\nguesser sees \(glimpse \1\)\n", said, re.MULTILINE
    )
    assert re.search(r"guesser> facts\n\(fell \w+\)\n", said)
    assert "gdl play coin.kif --open --moves '(toss " in said


DICE_OF_FIRST = """
       1 2 3 4 5 6
 first · ■ · · · ·
second ? ? ? ? ? ?

⚅ Chance  ① First  ② Second  ■ Die
(control first)

"""


@needs("verify")
@needs("native")
def test_nothing_that_is_asked_tells_what_is_hidden() -> None:
    load("liarsdice")  # its machine code is ready then, and what is known can be proved
    asked = "board, facts, why terminal, thoughts, undo, (bid 9 9), history, quit"
    code, said = play("liarsdice", "--seed", "3", lines=asked)
    assert code == 0
    seen = "1. First sees (rolled 2)\n2. First sees nothing\n"
    untold = "These rules hide facts, and that would tell them: gdl play --open shows all.\n"
    assert f"shows all.\n{seen}" not in said  # it is told as it happens, and when asked for
    assert said.partition("or help.\n")[2].startswith(seen + DICE_OF_FIRST)
    assert said.partition("First> board\n")[2] == (
        f"{DICE_OF_FIRST}First> facts\n{untold}First> why terminal\n{untold}"
        f"First> thoughts\n{untold}"
        "First> undo\nWhat a move has shown cannot be unseen.\n"
        f"First> (bid 9 9)\n(bid 9 9) is not legal for First here.\nFirst> history\n{seen}"
        "First> quit\n"
        "Goodbye. The moves tell what is hidden: save FILE writes them, to go on.\n"
    )


@pytest.mark.usefixtures("folder")
def test_where_there_is_no_picture_the_board_is_what_was_seen() -> None:
    _, said = play("coin.kif", "--as", "guesser", lines="board, quit")
    seen = re.search(r"^1\. guesser sees \(glimpse \w+\)\n", said, re.MULTILINE)
    assert seen
    assert f"guesser> board\n{seen[0]}" in said


def test_what_was_seen_before_it_goes_on_is_told_at_once() -> None:
    _, said = play("kuhnpoker", "--moves", "first J; second Q", lines="quit")
    assert "1. First sees (dealt jack)\n2. First sees nothing\nType a move" in said
    assert "queen" not in said


@needs("verify")
@needs("native")
def test_two_at_one_keyboard_are_told_what_each_has_seen() -> None:
    load("kuhnpoker")
    _, said = play("kuhnpoker", "--seed", "3", "--against", "human", lines="p, b, quit")
    first, second, again = said.split("1  b   2  p\n")[:3]
    jack, queen = " first    ■    ·    · │", "second    ·    ■    · │"
    assert "1. First sees (dealt jack)\n2. First sees nothing\n\n" in first
    assert (jack in first, queen in first) == (True, False)
    assert "2. Second sees (dealt queen)\n3. Second sees (did first pass)\n\n" in second
    assert (jack in second, queen in second) == (False, True)
    assert "3. First p, sees (did first pass)\n4. First sees (did second bet)\n\n" in again
    assert (jack in again, queen in again) == (True, False)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_a_terminal_is_wiped_between_two_who_must_not_see_the_same() -> None:
    keyboard, terminal = os.openpty()
    os.write(keyboard, b"\np\n\nquit\n")
    command = [sys.executable, "-m", "gdl", "play", "kuhnpoker", "--seed", "3", "-p", "human"]
    with os.fdopen(terminal) as stdin:
        said = subprocess.run(
            command, stdin=stdin, capture_output=True, text=True, check=True
        ).stdout
    os.close(keyboard)
    before, after = said.split("\x1b[H\x1b[2J\x1b[3J")
    ask = "{} is next: press Enter when nobody else looks. "
    assert f"or help.\n{ask.format('First')}1. First sees (dealt jack)\n" in before
    assert "queen" not in before
    assert after.startswith(
        f"{ask.format('Second')}1. Second sees nothing\n2. Second sees (dealt q"
    )
    assert "jack" not in after


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_saved_is_told_and_the_game_goes_on() -> None:
    ran = gdl("play", "tictactoe", stdin="save no/such/file\nsave a\0b\nmoves a\nquit\n")
    assert ran.code == 0
    assert ran.err == (
        "error: there is no folder no/such for no/such/file\nerror: embedded null byte: a·b\n"
    )
    assert "X> moves a\n1  a1   2  a2   3  a3\n" in ran.out


def test_lines_that_make_no_sense() -> None:
    ran = gdl("play", "tictactoe", stdin="zz\n17\nmoves q\nwhy\nsave\nfacts (cell\nquit\n")
    assert ran.code == 0
    assert ran.err == (
        "move:1:1: error[not-a-move]: this is no move\n"
        "  1 | zz\n"
        "    | ^\n"
        '  expected: a column (a, b or c), noop or "-", as in b2\n'
    )
    assert ran.out.partition("9  c3\n")[2] == (
        "X> zz\nType moves for the legal ones, help for everything else.\n"
        "X> 17\nThere is no move 17; there are 9.\n"
        "X> moves q\nNo legal move contains 'q'.\n"
        "X> why\nwhy what? For instance: why terminal, or why and a move\n"
        "X> save\nsave where? For instance: save game.txt\n"
        "X> facts (cell\nNothing of the kind is true here.\n"
        "X> quit\nGoodbye. No move was made.\n"
    )


LINE = st.one_of(
    st.sampled_from(["undo", "moves", "chance", "board", "history", "facts", "help", "why", "b2"]),
    st.sampled_from(
        ["why b2", "why (", "why line x", "why true", ":undo", "7", "#1", "(mark a 1)"]
    ),
    st.text(max_size=12).filter(lambda line: not line.strip(" :").casefold().startswith("save")),
)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(st.lists(LINE, max_size=12))
def test_no_line_stops_the_dialogue(lines: list[str]) -> None:
    ran = gdl("play", "tictactoe", "--seed", "1", stdin="".join(f"{line}\n" for line in lines))
    assert ran.code == 0
    assert ran.out.splitlines()[-1].startswith(("  gdl play", "Goodbye", "  O "))
    assert all(char.isprintable() or char == "\n" for char in ran.out + ran.err)


def test_help_tells_every_word() -> None:
    _, said = play("tictactoe", lines="help, quit")
    for word in ("moves", "why", "undo", "board", "facts", "history", "chance", "save", "quit"):
        assert f"\n  {word} " in said


@pytest.mark.usefixtures("folder")
def test_rules_under_which_a_role_cannot_move_are_said_to_be_broken() -> None:
    ran = gdl("play", "stuck.kif", "--watch")
    assert ran.code == 1
    assert ran.err == (
        "error: right cannot move, but the game is not over: the rules are broken here\n"
    )


def test_an_unknown_role() -> None:
    ran = gdl("play", "tictactoe", "--as", "z")
    assert (ran.code, ran.err) == (
        2,
        "error: tictactoe has no role 'z'\n  expected: x or o\n",
    )


@pytest.mark.later
def test_who_watches_sees_the_first_position_and_one_legend() -> None:
    """And of two programs that think at once whose thoughts are told."""
    seated = ("--watch", "--against", "greedy", "--seconds", "99")  # all moves, however slow
    code, said = play("chess", "--moves", "f3; e5; g4", *seated)
    assert code == 0
    first, _, rest = said.partition("4. Black d8h4 (Qh4#)\n")
    assert "greedy plays Black, 99 s a move.\n\n  a b c d e f g h\n" in first
    assert said.count("black king") == 1
    assert "1 visit; 30 positions in " in rest
    assert rest.endswith("\nBlack wins.\n  White    0\n  Black  100\n")
    _, said = play("rockpaperscissors", "--watch", "--against", "greedy", lines="")
    assert "   greedy for Left: " in said
    assert "   greedy for Right: " in said


def test_nature_wins_and_loses_nothing() -> None:
    _, said = play("kuhnpoker", "--watch", "--seed", "1", lines="")
    assert said.partition(" wins.\n")[2].splitlines()[0].startswith("  First ")
