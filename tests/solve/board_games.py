"""Random small games on boards that may be symmetric: rings, rows and grids, with lines to fill.

What `tests.solve.rule_games` seldom has: many symmetries, and some that one line or a count of the
moves breaks. Marks are taken up again in some games, so that play may come round; in some all
marks look alike, whoever made them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

Cell = tuple[int, int]


def board_rules(seed: int) -> str:
    """Return a game of one role, or of two that take turns."""
    rng = random.Random(seed)
    cells, symmetries = _board(rng)
    lines: set[frozenset[Cell]] = set()
    for _ in range(rng.randint(1, 3)):
        drawn = rng.sample(cells, min(len(cells), rng.randint(2, 3)))
        kept = symmetries if rng.random() < 0.8 else symmetries[:1]
        lines |= {frozenset(map(renamed, drawn)) for renamed in kept}
    roles = rng.choice((["x"], ["x", "o"], ["x", "o"]))
    mark = "(mark ?c)" if rng.random() < 0.3 else "(mark ?c ?r)"
    is_lifted = rng.random() < 0.4
    rules = [f"(role {role})" for role in roles] + [f"(cell {_name(cell)})" for cell in cells]
    rules += [
        f"(init (turn x)) (after {roles[0]} {roles[-1]}) (after {roles[-1]} {roles[0]})",
        "(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))",
        "(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))",
        f"(<= (full ?c) (true {mark}))",
        "(<= (legal ?r (put ?c)) (true (turn ?r)) (cell ?c) (not (full ?c)))",
        f"(<= (next {mark}) (does ?r (put ?c)))",
        f"(<= (next {mark}) (true {mark}) (not (lifted ?c)))",
        "(<= (lifted ?c) (does ?r (lift ?c)))",
        f"(<= (legal ?r (lift ?c)) (true (turn ?r)) (true {mark}))" if is_lifted else "",
        "(<= open (cell ?c) (not (full ?c)))",
        "(<= terminal (not open)) (<= terminal (line ?r))",
    ]
    for line in lines:
        held = " ".join(f"(true {mark.replace('?c', _name(cell))})" for cell in line)
        # Where marks look alike the line is that of who has just moved.
        rules.append(
            f"(<= (line ?r) {held} {'(true (turn ?s)) (after ?r ?s)' * ('?r' not in mark)})"
        )
    rules += _goals(rng, roles)
    if rng.random() < 0.3:
        moves = rng.randint(3, 8)
        rules += ["(init (step 0)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"]
        rules += [f"(succ {n} {n + 1})" for n in range(moves)]
        rules += [f"(<= terminal (true (step {moves})))"]
    return "\n".join(rules)


def _board(rng: random.Random) -> tuple[list[Cell], list[Callable[[Cell], Cell]]]:
    """Return the cells of a board, and what it looks the same under, nothing done first."""
    size = rng.randint(3, 6)
    shape = rng.choice(("ring", "row", "grid"))
    if shape == "ring":
        turns = product((1, -1), range(size))
        return [(i, 0) for i in range(size)], [
            lambda cell, way=way, by=by: ((way * cell[0] + by) % size, 0)  # type: ignore[misc]
            for way, by in turns
        ]
    wide, high = (size, 1) if shape == "row" else rng.choice(((2, 2), (3, 2), (2, 3)))
    return list(product(range(wide), range(high))), [
        lambda cell, a=a, b=b: (  # type: ignore[misc]
            wide - 1 - cell[0] if a else cell[0],
            high - 1 - cell[1] if b else cell[1],
        )
        for a, b in product((False, True), repeat=2)
    ]


def _goals(rng: random.Random, roles: list[str]) -> list[str]:
    """Return goals: a line wins, loses, or is worth less; if two roles share them."""
    best, half, worst = rng.choice(((100, 50, 0), (0, 50, 100), (70, 30, 30), (60, 45, 40)))
    if len(roles) == 1:
        return [f"(<= (goal x {best}) (line x)) (<= (goal x {worst}) (not (line x)))"]
    other = {best: best + worst - best, half: best + worst - half, worst: best}
    none = "(not (line x)) (not (line o))"
    return [
        f"(<= (goal x {best}) (line x)) (<= (goal o {other[best]}) (line x))",
        f"(<= (goal x {worst}) (line o) (not (line x)))",
        f"(<= (goal o {other[worst]}) (line o) (not (line x)))",
        f"(<= (goal x {half}) {none}) (<= (goal o {other[half]}) {none})",
    ]


def _name(cell: Cell) -> str:
    return f"c{cell[0]}{cell[1]}"
