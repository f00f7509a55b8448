"""The shipped rules in play: counts, notation, goals, and who may do what."""

from functools import cache
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl.game import Game
from gdl.language.syntax import Term
from gdl.state import State
from tests.rulesets import RULESETS
from tests.shared import SHARED, examples, needs_games

IDS = tuple(ruleset.id for ruleset in RULESETS)
PENTAGO = ("pentago/strict", "pentago/utwente", "pentago/classic")
PLACEMENT = (*PENTAGO, "pentago/phased", "gomoku/freestyle", "connectfour", "tictactoe")
"""Games of two roles in which a move is a mark that stays, and the one who waits says so."""
every_ruleset = pytest.mark.parametrize("id_", IDS)
every_placement_game = pytest.mark.parametrize("id_", PLACEMENT)

load = cache(gdl.load)


def random_game(game: Game, rng: Random) -> list[State]:
    """Return the states of a game in which every role plays at random."""
    states = [game.initial()]
    while not states[-1].is_terminal:
        state = states[-1]
        states.append(state.play([rng.choice(state.legal(role)) for role in game.roles]))
    return states


# Leaves by depth. Pentago and Gomoku: product of the free squares (and rotations). Connect Four:
# John Tromp's table, which counts positions, agrees to this depth with 7 to its power. Tic-tac-toe:
# 9 x 8 x 7 ..., since nobody can have three before the fifth mark.
PERFT = [
    ("pentago/strict", [288]),
    ("pentago/utwente", [288]),
    ("pentago/classic", [288]),
    ("pentago/phased", [36, 288]),
    ("gomoku/freestyle", [225]),
    ("connectfour", [7, 49, 343, 2401]),
    ("tictactoe", [9, 72, 504, 3024]),
]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("id_", "leaves"), PERFT)
def test_perft(id_: str, leaves: list[int]) -> None:
    counts = load(id_).perft(len(leaves))
    assert [(count.nodes, count.terminal) for count in counts[-len(leaves) :]] == [
        (nodes, 0) for nodes in leaves
    ]


@pytest.mark.sample(2)
@pytest.mark.parametrize("id_", PENTAGO)
def test_each_first_turn_leaves_280(id_: str) -> None:
    start = load(id_).initial()
    rng = Random(id_)
    for move in rng.sample(list(start.legal("black")), 12):
        assert len(start.play(move).legal("white")) == 280


@pytest.mark.later
@pytest.mark.sample(4)
@every_ruleset
def test_every_legal_move_reads_back_from_its_notation(id_: str) -> None:
    game = gdl.load(id_, backend="reason")  # one game is played before machine code is made
    for state in random_game(game, Random(id_)):
        for role in game.roles:
            for move in state.legal(role):
                text = state.notation(move)
                assert text == str(move) or not text.startswith("(")
                assert game.move(text) is move


@pytest.mark.sample(4)
@every_placement_game
@pytest.mark.parametrize("seed", range(3))
def test_one_role_moves_and_the_other_waits(id_: str, seed: int) -> None:
    game = load(id_)
    states = random_game(game, Random(seed))
    for state in states[:-1]:
        noops = [role for role in game.roles if list(map(str, state.legal(role))) == ["noop"]]
        (mover,) = set(game.roles) - set(noops)
        assert len(state.legal(mover)) > 0
        assert "noop" not in set(map(str, state.legal(mover)))
        assert [state.goal(role) for role in game.roles] == [0, 0]
    goals = sorted(states[-1].goal(role) for role in game.roles)
    assert goals in ([0, 100], [50, 50])


@pytest.mark.sample(2)
@every_placement_game
def test_a_move_adds_one_mark_or_turns_what_is_there(id_: str) -> None:
    for before, after in pairwise(random_game(load(id_), Random(id_))):
        turned = any("rotate" in str(move) for move in after.last_move or ())
        assert len(marks(after)) == len(marks(before)) + (0 if turned else 1)


def marks(state: State) -> list[Term]:
    return [fact for fact in state.facts if "cell" in str(fact)]


def holding(state: State) -> set[str]:
    return set(map(str, state.facts))


def squares(id_: str) -> list[str]:
    """Return the beginning of the fact that a mark lies there, for every square of a board."""
    if id_ == "pentago/phased":
        return [f"cellHolds {n} {x} {y}" for n in range(1, 5) for x in (1, 2, 3) for y in (1, 2, 3)]
    picture = load(id_).ruleset.picture
    assert picture is not None
    board = picture.boards[0]
    return [f"cell {column} {row}" for row in board.rows for column in board.columns]


@pytest.mark.sample(2)
@every_placement_game
@settings(max_examples=examples(60))
@given(rng=st.randoms(use_true_random=False), full=st.integers(0, 10))
def test_in_any_state_each_role_has_one_goal(id_: str, rng: Random, full: int) -> None:
    """Reachable or not, with lines of both players or none, the goals are a verdict."""
    game = load(id_)
    taken = [square for square in squares(id_) if rng.randrange(10) < full]
    facts = [f"({square} {rng.choice(game.roles)})" for square in taken]
    control = rng.choice(["placeControl", "rotateControl"]) if "phased" in id_ else "control"
    state = game.state([*facts, f"({control} {rng.choice(game.roles)})"])
    goals = [state.goal(role) for role in game.roles]
    assert sorted(goals) in ([[0, 100], [50, 50]] if state.is_terminal else [[0, 0]])
    assert state.is_terminal or len(taken) < len(squares(id_))


def test_the_whole_turn_variants_share_their_words() -> None:
    """So they can be compared move by move."""
    starts = [load(id_).initial() for id_ in PENTAGO]
    assert len({frozenset(map(str, start.facts)) for start in starts}) == 1
    assert len({frozenset(map(str, start.legal("black"))) for start in starts}) == 1
    assert {load(id_).roles for id_ in PENTAGO} == {("black", "white")}


FOUR = [f"(cell {column} 1 black)" for column in "abcd"]


def test_a_winning_placement_is_the_only_move_on_its_square_in_classic_alone() -> None:
    facts = [*FOUR, "(control black)"]
    for id_, moves in (("pentago/strict", 8), ("pentago/utwente", 8), ("pentago/classic", 1)):
        state = load(id_).state(facts)
        on_e1 = [move for move in map(str, state.legal("black")) if " e 1" in move]
        assert len(on_e1) == moves
        assert len(state.legal("black")) == 31 * 8 + moves
    won = load("pentago/classic").state(facts).play("a4")
    assert won.is_terminal
    assert won.goal("black") == 100
    assert "(cell e 1 black)" in holding(won)


def test_four_of_the_opponent_make_no_placement_decisive() -> None:
    state = load("pentago/classic").state([*FOUR, "(control white)"])
    assert len(state.legal("white")) == 32 * 8


@pytest.mark.parametrize("gap", range(5))
@pytest.mark.parametrize("step", [(1, 0), (0, 1), (1, 1), (1, -1)], ids=str)
def test_a_gap_anywhere_in_a_line_is_decisive(gap: int, step: tuple[int, int]) -> None:
    """From each start that fits, black holds all of five squares but the gap."""
    board = {(x, y): f"{'abcdef'[x]} {y + 1}" for x in range(6) for y in range(6)}
    for x, y in board:
        line = [(x + n * step[0], y + n * step[1]) for n in range(-1, 6)]
        five = line[1:6]
        if not board.keys() >= set(five):
            continue
        facts = [f"(cell {board[square]} black)" for square in five if square != five[gap]]
        # Four in a row without a hole are completed at either end.
        wins = {0: [five[0], line[6]], 4: [line[0], five[4]]}.get(gap, [five[gap]])
        state = load("pentago/classic").state([*facts, "(control black)"])
        single = {str(move) for move in state.legal("black") if "place" in str(move)}
        assert single == {f"(place {board[square]})" for square in wins if square in board}


def test_five_without_a_gap_between_board_edges_is_no_line() -> None:
    """A row does not go on in the next one, nor a diagonal round the corner."""
    wrapped = ["d 1", "e 1", "f 1", "a 2", "b 2"]
    state = load("pentago/strict").state([f"(cell {s} black)" for s in wrapped])
    assert not state.is_terminal


def test_every_rotation_of_an_empty_or_symmetric_quadrant_is_a_move_of_its_own() -> None:
    state = load("pentago/strict").initial().play("B2 Q11 CW")
    assert len({str(move) for move in state.legal("white") if "c 3" in str(move)}) == 8
    assert len({state.play(f"C3 {q} CW") for q in ("Q01", "Q10", "Q11")}) == 1


def test_clockwise_is_clockwise_on_every_board() -> None:
    strict = load("pentago/strict").initial().play("A1 Q00 CW")
    assert "(cell c 1 black)" in holding(strict)
    assert "(cell a 3 black)" in holding(load("pentago/strict").initial().play("A1 Q00 CCW"))
    classic = load("pentago/classic").initial().play("d0 3 A")
    assert "(cell a 6 black)" in holding(classic)
    phased = load("pentago/phased").initial().play("place 2 1 3").play("rotate 2 clockwise")
    assert "(cellHolds 2 3 3 red)" in holding(phased)


def test_the_36th_marble_of_the_phased_game_ends_it_before_the_rotation() -> None:
    game = load("pentago/phased")
    # Two columns of one colour in turn, shifted every other row: no five in any direction.
    colours = {(x, y): game.roles[(x + y // 2) % 2] for x in range(6) for y in range(6)}
    quadrants = {(1, 1): 1, (0, 1): 2, (0, 0): 3, (1, 0): 4}
    facts = [
        f"(cellHolds {quadrants[x // 3, y // 3]} {x % 3 + 1} {y % 3 + 1} {colour})"
        for (x, y), colour in colours.items()
        if (x, y) != (0, 0)
    ]
    state = game.state([*facts, f"(placeControl {colours[0, 0]})"])
    assert not state.is_terminal
    end = state.play("place 3 1 1")
    assert end.is_terminal
    assert [end.goal(role) for role in game.roles] == [50, 50]


def test_six_in_a_row_are_a_line() -> None:
    pentago = load("pentago/utwente").state([f"(cell {c} 4 white)" for c in "abcdef"])
    assert pentago.goal("white") == 100
    gomoku = load("gomoku/freestyle").state([f"(cell {x} {x} white)" for x in range(9, 15)])
    assert gomoku.goal("white") == 100


def row_of(color: str, row: int, *, length: int = 5) -> list[str]:
    return [f"(cell {column} {row} {color})" for column in "abcdef"[:length]]


TIES = {"pentago/strict": (100, 0), "pentago/utwente": (50, 50), "pentago/classic": (50, 50)}


@pytest.mark.parametrize("id_", PENTAGO)
def test_lines_of_both_players(id_: str) -> None:
    """Black has just moved, so white is in control; the other way round likewise."""
    game = load(id_)
    lines = [*row_of("black", 1), *row_of("white", 6)]
    after_black = game.state([*lines, "(control white)"])
    after_white = game.state([*lines, "(control black)"])
    assert (after_black.goal("black"), after_black.goal("white")) == TIES[id_]
    assert (after_white.goal("white"), after_white.goal("black")) == TIES[id_]


@pytest.mark.parametrize("id_", PENTAGO)
def test_a_rotation_that_completes_the_opponents_line_loses(id_: str) -> None:
    """The left column of a quadrant, turned clockwise, becomes its top row: d3 d2 to d1 e1."""
    game = load(id_)
    white = [*row_of("white", 1, length=3), "(cell d 3 white)", "(cell d 2 white)"]
    state = game.state([*white, "(control black)"])
    assert not state.is_terminal
    end = state.play("(turn a 6 q01 cw)")
    assert {"(cell d 1 white)", "(cell e 1 white)"} <= holding(end)
    assert end.is_terminal
    assert (end.goal("white"), end.goal("black")) == (100, 0)


@pytest.mark.slow
@needs_games
def test_the_phased_game_is_the_public_one_state_by_state() -> None:
    """The corrected public file (v1) is the same game under the same names."""
    ours, theirs = load("pentago/phased"), load(str(SHARED / "games" / "pentago.v1.kif"))
    for seed in range(4):
        for state in random_game(ours, Random(seed)):
            other = theirs.state(state.facts)
            assert other.is_terminal == state.is_terminal
            for role in ours.roles:
                assert other.legal(role) == state.legal(role)
                assert other.goal(role) == state.goal(role)
            if state.previous is not None:
                before = theirs.state(state.previous.facts)
                assert before.play(state.last_move or ()).facts == state.facts
