"""What can be forced in the games of "Solving Two-player Games with QBF Solvers in General Game
Playing" (He, Saffidine and Thielscher, AAMAS 2024), and how long that takes here.

python tests/benchmarks/forced.py [NAME ...] [--seconds S]

Each is asked twice, of the first player: does it win, and if not, does it get half? Breakthrough
and the polyominoes are written here, small as the paper has them; the others are of the library.
"""

from __future__ import annotations

import argparse
import math
import sys
from itertools import product

import gdl
from gdl.play.force import force
from gdl.play.solve import UnsolvedError
from gdl.ruleset import Ruleset

TURNS = """\
(role white) (role black) (other white black) (other black white) (init (control white))
(<= (legal ?r noop) (other ?r ?s) (true (control ?s)))
(<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
(<= terminal (won ?r))
(<= (goal ?r 100) (won ?r))
(<= (goal ?r 0) (other ?r ?s) (won ?s))
(<= some-won (won ?r))
(<= (goal ?r 50) (role ?r) (not some-won))
"""
MARCH = """\
(<= (ahead white ?y ?z) (up ?y ?z)) (<= (ahead black ?y ?z) (up ?z ?y))
(<= (beside ?x ?w) (right ?x ?w)) (<= (beside ?x ?w) (right ?w ?x))
(<= (taken ?x ?y) (true (cell ?x ?y ?r)))
(<= (legal ?r (move ?x ?y ?x ?z)) (true (control ?r)) (true (cell ?x ?y ?r)) (ahead ?r ?y ?z)
    (square ?x ?z) (not (taken ?x ?z)))
(<= (legal ?r (move ?x ?y ?w ?z)) (true (control ?r)) (true (cell ?x ?y ?r)) (ahead ?r ?y ?z)
    (beside ?x ?w) (not (true (cell ?w ?z ?r))))
(<= (touched ?x ?y) (does ?r (move ?x ?y ?w ?z)))
(<= (touched ?w ?z) (does ?r (move ?x ?y ?w ?z)))
(<= (next (cell ?w ?z ?r)) (does ?r (move ?x ?y ?w ?z)))
(<= (next (cell ?x ?y ?r)) (true (cell ?x ?y ?r)) (not (touched ?x ?y)))
(<= (has ?r) (true (cell ?x ?y ?r)))
(<= (won ?r) (last ?r ?y) (true (cell ?x ?y ?r)))
(<= (won ?r) (other ?r ?s) (not (has ?s)))
"""
PLACE = """\
(<= (taken ?x ?y) (true (cell ?x ?y ?r)))
(<= (legal ?r (mark ?x ?y)) (true (control ?r)) (square ?x ?y) (not (taken ?x ?y)))
(<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y)))
(<= (next (cell ?x ?y ?r)) (true (cell ?x ?y ?r)))
(<= open (square ?x ?y) (not (taken ?x ?y)))
(<= terminal (not open))
"""
KNOBBY = ((0, 0), (1, 0), (2, 0), (1, 1))
"""The tetromino like a T."""


def breakthrough(columns: int, rows: int) -> str:
    """Return the rules of breakthrough: two rows of men each."""
    lines = [TURNS, MARCH, f"(last white {rows}) (last black 1)"]
    lines += [f"(right {x} {x + 1})" for x in range(1, columns)]
    lines += [f"(up {y} {y + 1})" for y in range(1, rows)]
    for x, y in product(range(1, columns + 1), range(1, rows + 1)):
        lines.append(f"(square {x} {y})")
        if y <= 2 or y >= rows - 1:
            lines.append(f"(init (cell {x} {y} {'white' if y <= 2 else 'black'}))")
    return "\n".join(lines)


def polyomino(cells: tuple[tuple[int, int], ...], columns: int, rows: int) -> str:
    """Return the rules of who first owns a polyomino, turned and mirrored as you like."""
    forms = set()
    for a, b, swap in product((1, -1), (1, -1), (False, True)):
        turned = [(b * y, a * x) if swap else (a * x, b * y) for x, y in cells]
        left, low = min(x for x, _ in turned), min(y for _, y in turned)
        forms.add(tuple(sorted((x - left, y - low) for x, y in turned)))
    lines = [TURNS, PLACE]
    lines += [f"(square {x} {y})" for x, y in product(range(columns), range(rows))]
    for form, dx, dy in product(sorted(forms), range(columns), range(rows)):
        placed = [(x + dx, y + dy) for x, y in form]
        if all(x < columns and y < rows for x, y in placed):
            owned = " ".join(f"(true (cell {x} {y} ?r))" for x, y in placed)
            lines.append(f"(<= (won ?r) (role ?r) {owned})")
    return "\n".join(lines)


def written(name: str, text: str) -> Ruleset:
    return Ruleset(id=name, paths=(), text=text)


GAMES: dict[str, str | Ruleset] = {
    "connectfour 5x5": "connectfour?columns=5&rows=5",
    "breakthrough 3x5": written("breakthrough 3x5", breakthrough(3, 5)),
    "breakthrough 4x4": written("breakthrough 4x4", breakthrough(4, 4)),
    "knobby 4x4": written("knobby 4x4", polyomino(KNOBBY, 4, 4)),
    "knobby 5x5": written("knobby 5x5", polyomino(KNOBBY, 5, 5)),
    "dotsandboxes 2x3": "dotsandboxes?columns=2&rows=3",
    "connectfour 6x6": "connectfour?columns=6&rows=6",
}


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print a line for each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(GAMES))
    parser.add_argument("--seconds", type=float, default=math.inf)
    wanted = parser.parse_args()
    for name in wanted.names:
        game = gdl.load(GAMES[name], backend="native")
        for goal in (100, 50):
            try:
                found = force(game.initial(), game.roles[0], goal=goal, seconds=wanted.seconds)
            except UnsolvedError as error:
                say(f"{name}: {error.message}")
                break
            can = "can" if found.is_forced else "cannot"
            say(
                f"{name}: {found.role} {can} force {goal}; {found.way}, {found.work:,} positions, "
                f"{found.seconds:.1f} s"
            )
            if found.is_forced:
                break


if __name__ == "__main__":
    main()
