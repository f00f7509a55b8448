"""International draughts by whole turns: beside plain Python, pydraughts and published counts.

Turns of plain Python are compared square by square; pydraughts writes turns by where they begin and
end, so there these and how much they take are compared.
"""

from __future__ import annotations

from random import Random

import pytest

import gdl
from gdl.ruleset import draw_text
from gdl.state import State
from tests.library.plain_draughts import BLACK, WHITE, Draughts, Turn, opening
from tests.shared import missing

PUBLISHED = {
    # Aart Bik, BikDam: international draughts without captures that are one but for their order.
    10: [9, 81, 658, 4_265],
    # Rein Halbersma, perft for all recognized draughts variants: Brazilian draughts.
    8: [7, 49, 302, 1_469],
}


PLAYED = [
    # size, plies of a random play until compared no more, positions with kings put at random
    pytest.param(4, 20, 20, id="4"),
    pytest.param(6, 60, 100, id="6", marks=pytest.mark.slow),
    pytest.param(8, 80, 30, id="8", marks=pytest.mark.slow),
    pytest.param(10, 100, 30, id="10", marks=pytest.mark.slow),
]

LONG = {4: 1, 6: 3, 8: 4, 10: 6}
"""Captures of so many pieces at once are among those positions: from four on they are tried."""


def mover(state: State) -> str:
    return next(role for role in (WHITE, BLACK) if f"(control {role})" in map(str, state.facts))


def turns(state: State) -> dict[tuple[int, ...], State]:
    """Return the legal turns by the squares of their paths, with the states after them.

    Plies in which both players wait, since series of jumps are tried, belong to no path.
    """
    role = mover(state)
    other = BLACK if role == WHITE else WHITE
    found = {}
    frontier: list[tuple[State, tuple[int, ...]]] = [(state, ())]
    while frontier:
        now, path = frontier.pop()
        if path and mover(now) != role:
            found[path] = now
            continue
        for move in [] if now.is_terminal else now.legal(role):
            text = now.notation(move)
            steps = () if text == "noop" else tuple(map(int, text.split("-")))
            after = now.play({role: move, other: "noop"})
            frontier.append((after, path + steps if not path else path + steps[1:]))
    return found


def facts_on_board(state: State) -> set[str]:
    texts = {str(fact) for fact in state.facts}
    return {text for text in texts if text.startswith(("(cell", "(control"))}


def assert_same(state: State, plain: Draughts) -> dict[Turn, State]:
    """Hold that both have the same turns, which lead to the same boards; return them."""
    ours = turns(state)
    theirs = plain.turns()
    assert set(ours) == {path for path, _ in theirs}, plain
    assert state.is_terminal == (not theirs)
    for turn in theirs:
        after = set(plain.after(turn).facts()) - {"(quiet 0)"}
        assert facts_on_board(ours[turn[0]]) == after, (plain, turn)
    return {turn: ours[turn[0]] for turn in theirs}


def strewn(size: int, chance: Random) -> Draughts:
    """Return a position of a few men and kings at random, often with long series."""
    squares = list(range(1, size * size // 2 + 1))
    chance.shuffle(squares)
    many = max(4, len(squares) // 4)
    placed = {squares.pop(): (WHITE, chance.random() < 0.7) for _ in range(2)}
    placed |= {squares.pop(): (BLACK, chance.random() < 0.2) for _ in range(many)}
    return Draughts(size, WHITE, tuple(sorted(placed.items())))


@pytest.mark.parametrize(("size", "plies", "positions"), PLAYED)
def test_turns_are_those_of_plain_python(size: int, plies: int, positions: int) -> None:
    game, chance = gdl.load(f"draughts?size={size}"), Random(size)
    longest = 0
    for plain in (strewn(size, chance) for _ in range(positions)):
        found = assert_same(game.state(plain.facts()), plain)
        longest = max([longest, *(len(taken) for _, taken in found)])
    assert longest >= LONG[size]
    state, plain = game.initial(), opening(size)
    for _ in range(plies):
        found = assert_same(state, plain)
        if not found:
            break
        turn = chance.choice(sorted(found, key=str))
        state, plain = found[turn], plain.after(turn)


def leaves(state: State, depth: int) -> int:
    """Count turns to a depth. Turns that leave one board are one: they differ in their order."""
    boards = {state.facts: state for state in turns(state).values()}
    return sum(leaves(each, depth - 1) for each in boards.values()) if depth > 1 else len(boards)


@pytest.mark.slow
def test_machine_code_counts_as_the_rules_do() -> None:
    """Every fact and move is the same in both, ply by ply, also while series are tried."""
    compiled, written = (gdl.load("draughts", backend=each) for each in ("native", "reason"))
    chance, waited = Random(4), 0
    found = (strewn(10, chance) for _ in range(400))
    long = [
        plain for plain in found if max((len(taken) for _, taken in plain.turns()), default=0) > 3
    ]
    for plain in long[:2]:
        ours, theirs = compiled.state(plain.facts()), written.state(plain.facts())
        for _ in range(15):
            assert (ours.facts, ours.is_terminal) == (theirs.facts, theirs.is_terminal)
            if ours.is_terminal:
                break
            moves = {role: list(map(str, theirs.legal(role))) for role in (WHITE, BLACK)}
            assert {role: list(map(str, ours.legal(role))) for role in moves} == moves
            waited += all(each == ["noop"] for each in moves.values())
            step = {role: chance.choice(each) for role, each in moves.items()}
            ours, theirs = ours.play(step), theirs.play(step)
    assert waited > 10


@pytest.mark.slow
@pytest.mark.parametrize("size", PUBLISHED)
def test_there_are_as_many_turns_as_others_publish(size: int) -> None:
    game = gdl.load(f"draughts?size={size}")
    counts = [leaves(game.initial(), depth) for depth in range(1, len(PUBLISHED[size]) + 1)]
    assert counts == PUBLISHED[size]


@pytest.mark.parametrize("size", PUBLISHED)
def test_plain_python_has_as_many_turns_as_others_publish(size: int) -> None:
    boards = [opening(size)]
    for count in PUBLISHED[size]:
        boards = [
            after for board in boards for after in dict.fromkeys(map(board.after, board.turns()))
        ]
        assert len(boards) == count


@pytest.mark.slow
def test_plain_python_has_the_turns_of_pydraughts() -> None:
    draughts = pytest.importorskip("draughts", reason=missing("oracle"))
    chance = Random(10)
    for plain in (strewn(10, chance) for _ in range(300)):
        board = draughts.Board(variant="standard", fen=fen(plain))
        theirs = {
            (move.steps_move[0], move.steps_move[-1], len(move.captures) * move.has_captures)
            for move in board.legal_moves()
        }
        ours = {(path[0], path[-1], len(taken)) for path, taken in plain.turns()}
        assert ours == theirs, plain


def fen(plain: Draughts) -> str:
    """Return a position as Portable Draughts Notation has it: ``W:W32,K45:B7``."""
    sides = {
        colour: ",".join(
            f"{'K' * king}{square}" for square, (side, king) in plain.men if side == colour
        )
        for colour in (WHITE, BLACK)
    }
    return f"W:W{sides[WHITE]}:B{sides[BLACK]}"


def test_the_picture_names_dark_squares_by_their_numbers() -> None:
    state = gdl.load("draughts?size=4", backend="reason").initial().play("7-5")
    scene = state.game.ruleset.scene(state.facts)
    assert scene is not None
    assert draw_text(scene).splitlines()[:5] == [
        "  a b c d",
        "4 · ○ · ○",
        "3 · · · ·",
        "2 · ● · ·",
        "1 · · ● ·",
    ]
