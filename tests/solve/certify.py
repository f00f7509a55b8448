"""Check a table of values by the rules as written: knows the reasoner and the form of a file.

    python tests/solve/certify.py GAME FILE [POSITIONS] [SEED]

At random positions of the table (or all, with 0) the reasoner says what is legal, what follows,
whether the game is over and what the goals are; the value must follow from the values that the
table gives to the positions that follow. It is for tables of one role, or of two whose goals have a
constant sum. Values that hold at every position in this way are right: distances fall to the end.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

import gdl

UNDECIDED, ENDLESS = 255, -1


class File:
    """A table as it lies on disk."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as stream:
            assert stream.read(12) == b"gdl-table-1\n"
            self.head = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
            at = stream.tell()
        self.array: dict[str, Any] = {}
        for name, kind, shape in self.head["arrays"]:
            at += -at % 64
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            empty = np.zeros(shape, kind)
            self.array[name] = np.memmap(path, kind, "r", at, tuple(shape)) if size else empty
            at += size
        self.keys = [sum(int(w) << 64 * i for i, w in enumerate(row)) for row in self.array["keys"]]
        self.rows = {key: row for row, key in enumerate(self.keys)}
        assert len(self.rows) == len(self.keys), "a position stands in the table twice"
        for start, stop in pairwise(self.head["layers"]):
            assert self.keys[start:stop] == sorted(self.keys[start:stop])

    def facts(self, row: int) -> set[str]:
        held = set()
        for start, is_exact, members in self.head["fields"]:
            width = (len(members) - is_exact).bit_length()
            place = (self.keys[row] >> start & (1 << width) - 1) - (not is_exact)
            if place >= 0:
                held.add(members[place])
        return held

    def row(self, facts: set[str]) -> int:
        key = 0
        for start, is_exact, members in self.head["fields"]:
            for place, member in enumerate(members):
                if member in facts:
                    key |= (place + (not is_exact)) << start
        return self.rows[key]

    def value(self, row: int) -> tuple[float, int]:
        """Return the first role's goal (half of the sum where play never ends) and the distance."""
        place, distance = int(self.array["values"][row]), int(self.array["distances"][row])
        if place == UNDECIDED:
            assert distance == ENDLESS
            return (-1.0 if self.head["total"] is None else self.head["total"] / 2), ENDLESS
        return self.head["goals"][0][place], distance


def check(game: gdl.Game, file: File, row: int) -> None:
    """Assert that the value of a position follows from those of the positions that follow."""
    state = game.state(file.facts(row))
    value, distance = file.value(row)
    if state.is_terminal:
        assert (value, distance) == (state.goal(game.roles[0]), 0)
        return
    legal = {role: list(state.legal(role)) for role in game.roles}
    movers = [r for r, role in enumerate(game.roles) if len(legal[role]) > 1]
    assert len(movers) <= 1
    sign = -1 if movers == [1] else 1
    following = []
    for joint in product(*legal.values()):
        facts = state.play(dict(zip(game.roles, joint, strict=True))).facts
        following.append(file.value(file.row({str(fact) for fact in facts})))
    best = max(sign * goal for goal, _ in following)
    assert sign * value == best, (sorted(state.facts, key=str), value, following)
    # Of the moves that keep the value, the winner takes the shortest, the loser the longest.
    half = -1.0 if file.head["total"] is None else file.head["total"] / 2
    kept = [d for goal, d in following if sign * goal == best and d != ENDLESS]
    if not kept:
        assert distance == ENDLESS
    elif value != half and sign * (value - half) < 0:
        assert distance == max(kept) + 1
    else:
        assert distance == min(kept) + 1


def certify(name: str, path: Path, positions: int = 1000, seed: int = 0) -> int:
    """Check some positions, or all with 0; return how many."""
    game, file = gdl.load(name, backend="reason"), File(path)
    assert game.ruleset.digest() == file.head["digest"], "the table is of other rules"
    file.row({str(fact) for fact in game.initial().facts})
    rows = np.arange(len(file.keys))
    if 0 < positions < len(rows):
        rows = np.random.default_rng(seed).choice(rows, positions, replace=False)
    for row in rows.tolist():
        check(game, file, row)
    return len(rows)


if __name__ == "__main__":
    done = certify(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:]))
    sys.stdout.write(f"{done:,} positions: every value follows from those that come after\n")
