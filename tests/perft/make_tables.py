"""Write the perft tables anew from the reference engines: ``python -m tests.perft.make_tables``.

The states are chosen by seed. The Pentago ones come from games in which no line has stood at any
moment, so the same play is open in all four rulesets, and their counts differ by rule alone.
"""

import sys
from random import Random
from typing import Any

from engine import GAMES, Game
from engine.board6 import SIZE, completes_line
from engine.pentago import UTWENTE, PentagoGame, Position
from engine.pentago_turn import Turn
from engine.walk import perft
from tests.perft.tables import FOLDER
from tests.scenarios.gomoku import drawn_game, notation, won_on_the_last_cell
from tests.scenarios.pentago import EDGE, translate

WIDTH = 96
HEAD = """\
# Perft of {ruleset}: depth nodes terminal goal-sums ({roles}).
# A terminal state has no children; goal sums are over the terminal leaves. Format: README.md.
# Made by the reference engine (python -m tests.perft.make_tables).
"""
WHOLE_TURNS = "Known: 36 x 8; then x 35 x 8; and so on. No line is possible at these depths."
START_NOTES = {
    "pentago/strict": WHOLE_TURNS,
    "pentago/utwente": WHOLE_TURNS,
    "pentago/classic": WHOLE_TURNS,
    "pentago/phased": "Known: 36; x 8; x 35; x 8 and so on. No line is possible at these depths.",
    "gomoku/freestyle": "Known: 225; x 224; x 223. No line is possible at these depths.",
}
START_DEPTH = {
    "pentago/strict": 4,
    "pentago/utwente": 4,
    "pentago/classic": 4,
    "pentago/phased": 8,
    "gomoku/freestyle": 3,
}


def quiet_game(chance: Random, turns: int) -> tuple[tuple[Turn, ...], Position]:
    """Return a random play of so many turns in which no line ever stands, and where it leads."""
    game = PentagoGame(UTWENTE)
    while True:
        position, play = game.initial(), list[Turn]()
        while len(play) < turns:
            moves = list(game.legal_moves(position))
            chance.shuffle(moves)
            move = next((m for m in moves if is_quiet(game, position, m)), None)
            if move is None:
                break
            play.append(move)
            position = game.play(position, move)
        else:
            return tuple(play), position


def is_quiet(game: PentagoGame, position: Position, turn: Turn) -> bool:
    """Say whether a turn makes no line by its placement and ends no game."""
    mine = position.black if position.mover == "black" else position.white
    placed = completes_line(mine, SIZE * turn.row + turn.column)
    return not placed and not game.is_terminal(game.play(position, turn))


def sharp_play(turns: int, tries: int) -> tuple[str, ...]:
    """Return the quiet play, out of several, after which most turns make both lines, or any."""
    game = PentagoGame(UTWENTE)
    candidates = [quiet_game(Random(seed), turns) for seed in range(tries)]

    def sharpness(candidate: tuple[tuple[Turn, ...], Position]) -> tuple[int, int]:
        position = candidate[1]
        children = [game.play(position, move) for move in game.legal_moves(position)]
        double = sum(child.outcome == "draw" for child in children)
        return double, sum(child.outcome is not None for child in children)

    play, _ = max(candidates, key=sharpness)
    return tuple(map(game.format, play))


def pentago_states() -> list[tuple[str, tuple[str, ...], int]]:
    """Return (id, turns as in source 000, depth in turns)."""
    edges = {play.name: play.turns[:-1] for play in EDGE}
    return [
        ("before-both-lines-by-second", edges["both-lines-made-by-the-second-player"], 2),
        ("before-both-lines-by-first", edges["both-lines-made-by-the-first-player"], 2),
        (
            "before-own-line-broken",
            edges["own-line-broken-while-the-rotation-makes-the-opponents"],
            2,
        ),
        ("middle-21", sharp_play(21, 300), 2),
        ("middle-25", sharp_play(25, 300), 2),
        ("late-31", sharp_play(31, 300), 3),
        ("late-32", sharp_play(32, 200), 4),
        ("late-33", sharp_play(33, 200), 3),
        ("late-34", sharp_play(34, 200), 2),
        ("before-the-36th-marble", edges["the-36th-marble-without-a-line"], 1),
        (
            "before-the-36th-marble-makes-a-line",
            edges["the-36th-marble-makes-a-line-that-the-rotation-breaks"],
            1,
        ),
    ]


def gomoku_states() -> list[tuple[str, tuple[str, ...], int]]:
    """Return (id, moves, depth): fours on both sides, and boards that are nearly full."""
    fours = [(3, 5), (3, 9), (4, 5), (4, 9), (5, 5), (5, 9), (6, 5), (6, 9)]
    states = [
        ("both-have-an-open-four", fours, 2),
        ("late-draw-6", drawn_game(Random(1))[:-6], 6),
        ("late-draw-5", drawn_game(Random(2))[:-5], 5),
        ("late-win-6", won_on_the_last_cell(Random(3))[:-6], 6),
        ("late-win-5", won_on_the_last_cell(Random(4))[:-5], 5),
    ]
    return [(name, tuple(map(notation, cells)), depth) for name, cells, depth in states]


def record(game: Game[Any, Any], name: str, moves: tuple[str, ...], depth: int) -> str:
    """Return the lines of one record."""
    position = game.initial()
    for move in moves:
        position = game.play(position, game.parse(move))
    lines = [f"id      {name}", f"ruleset {game.ruleset}", *wrapped(moves)]
    for row in perft(game, position, depth):
        first, second = row.goals
        lines.append(f"perft   {row.depth} {row.nodes} {row.terminal} {first} {second}")
    return "\n".join(lines) + "\n"


def wrapped(moves: tuple[str, ...]) -> list[str]:
    """Return lines of moves that are not too long."""
    lines: list[str] = []
    for move in moves:
        if lines and len(lines[-1]) + len(move) + 2 <= WIDTH:
            lines[-1] += f"; {move}"
        else:
            lines.append(f"moves   {move}")
    return lines


def write_table(ruleset: str, states: list[tuple[str, tuple[str, ...], int]]) -> None:
    """Write the table of one ruleset."""
    game = GAMES[ruleset]
    head = HEAD.format(ruleset=ruleset, roles=" ".join(game.roles))
    start = record(game, "start", (), START_DEPTH[ruleset])
    records = [f"# {START_NOTES[ruleset]}\n{start}"]
    records += [record(game, *state) for state in states]
    path = FOLDER / f"{ruleset.replace('/', '-')}.perft"
    path.write_text("\n".join([head, *records]), encoding="utf-8")
    sys.stdout.write(f"{path.name}\n")


def main() -> None:
    """Write all five tables."""
    pentago = pentago_states()
    for ruleset in GAMES:
        if ruleset == "gomoku/freestyle":
            write_table(ruleset, gomoku_states())
            continue
        plies = 2 if ruleset == "pentago/phased" else 1
        states = [
            (name, translate(ruleset, turns, placement_ends=False), plies * depth)
            for name, turns, depth in pentago
        ]
        write_table(ruleset, states)


if __name__ == "__main__":
    main()
