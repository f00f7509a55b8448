"""Check a table of values by the rules as written: knows the reasoner and the form of a file.

At random positions (or at all, with 0) the reasoner says what is legal, what follows, whether the
game is over and what the goals are; the value must follow from the values that the table gives to
what follows. Where the table keeps one position of those that symmetries make of each other, any
of them is asked about (or all, with 0): no symmetry is taken for granted. It is for one role, or
two whose goals have a constant sum. Values that hold everywhere in this way are right.

    python examples/check_table.py [GAME] [FILE] [POSITIONS] [SEED]
"""

import json
import random
import subprocess
import sys
from bisect import bisect_left
from itertools import pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import gdl

UNDECIDED, ENDLESS = 255, -1
BLOCK = 1 << 22
"""Keys that are read at a time; a table may be larger than memory."""


class WrongTableError(Exception):
    """The table is not what the rules make it."""


def require(holds: object, what: str, facts: object = "") -> None:
    """Refuse a table for which something does not hold."""
    if not holds:
        raise WrongTableError(f"{what} {facts}".rstrip())


def rises(keys: np.ndarray) -> bool:
    """Return whether each key is above the one before, the last word counting most."""
    less = np.zeros(len(keys) - 1, bool)
    for column in range(keys.shape[1]):
        before, after = keys[:-1, column], keys[1:, column]
        less = (before < after) | ((before == after) & less)
    return bool(less.all())


class File:
    """A table as it lies on disk."""

    def __init__(self, path: Path) -> None:
        """Map it; look at the order of its keys."""
        with path.open("rb") as stream:
            require(stream.read(12) == b"gdl-table-2\n", "the file is no table")
            self.head = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
            at = stream.tell()
        self.array: dict[str, Any] = {}
        for name, kind, shape in self.head["arrays"]:
            at += -at % 64
            size = int(np.prod(shape)) * np.dtype(kind).itemsize
            require(at + size <= path.stat().st_size, "the file is cut off")
            empty = np.zeros(shape, kind)
            self.array[name] = np.memmap(path, kind, "r", at, tuple(shape)) if size else empty
            at += size
        self.keys = self.array["keys"]
        require(self.array["values"].ndim == 1, "values are means, which nobody here checks")
        for start, stop in pairwise(self.head["layers"]):
            for first in range(start, stop - 1, BLOCK):
                block = np.asarray(self.keys[first : min(first + BLOCK + 1, stop)])
                require(rises(block), "keys are not sorted")
        self.renamings = [dict(moved) for moved in self.head["symmetries"]]
        # Only then is a position an image of all its images, so that whatever is asked is checked.
        for moved, renaming in zip(self.head["symmetries"], self.renamings, strict=True):
            is_one_to_one = sorted(a for a, _ in moved) == sorted(renaming.values())
            require(is_one_to_one, "a symmetry gives two facts one name, or one fact two")

    def key(self, row: int) -> int:
        """Return the key of a row as one number."""
        return sum(int(word) << 64 * i for i, word in enumerate(self.keys[row]))

    def find(self, key: int) -> int:
        """Return the row of a key, looked for in each layer by halving; -1 where there is none."""
        found = -1
        for start, stop in pairwise(self.head["layers"]):
            row = bisect_left(range(start, stop), key, key=self.key) + start
            if row < stop and self.key(row) == key:
                require(found < 0, "a position stands in the table twice")
                found = row
        return found

    def first_end(self) -> int:
        """Return a row of distance 0, -1 for none."""
        for start in range(0, len(self.keys), BLOCK):
            ends = np.asarray(self.array["distances"][start : start + BLOCK]) == 0
            if ends.any():
                return start + int(ends.argmax())
        return -1

    def facts(self, row: int) -> frozenset[str]:
        """Return the facts of a row."""
        held, key = set(), self.key(row)
        for start, is_exact, members in self.head["fields"]:
            width = (len(members) - is_exact).bit_length()
            place = (key >> start & (1 << width) - 1) - (not is_exact)
            require(place < len(members), "a key means nothing")
            if place >= 0:
                held.add(members[place])
        return frozenset(held)

    def images(self, facts: frozenset[str]) -> list[frozenset[str]]:
        """Return what symmetries make of a position, itself among it."""
        found = [facts]
        for one in found:
            for renaming in self.renamings:
                image = frozenset(renaming.get(fact, fact) for fact in one)
                if image not in found:
                    found.append(image)
        return found

    def row(self, facts: frozenset[str]) -> int:
        """Return the row of a position: that of the least of its images."""
        keys = [
            sum(
                (place + (not is_exact)) << start
                for start, is_exact, members in self.head["fields"]
                for place, member in enumerate(members)
                if member in image
            )
            for image in self.images(facts)
        ]
        row = self.find(min(keys))
        require(row >= 0, "a position that play leads to is not there:", sorted(facts))
        return row

    def value(self, row: int) -> tuple[float, int]:
        """Return the first role's goal (half of the sum where play never ends) and the distance."""
        place, distance = int(self.array["values"][row]), int(self.array["distances"][row])
        if place == UNDECIDED:
            require(distance == ENDLESS, "a play that never ends has a distance")
            return (-1.0 if self.head["total"] is None else self.head["total"] / 2), ENDLESS
        require(place < len(self.head["goals"][0]), "a value is none")
        require(distance >= 0, "a play that ends has no distance")
        return self.head["goals"][0][place], distance


def check(game: gdl.Game, file: File, facts: frozenset[str]) -> None:
    """Require that the value of a position follows from those of the positions that follow."""
    state, said = game.state(facts), file.value(file.row(facts))
    value, distance = said
    if state.is_terminal:
        require(said == (state.goal(game.roles[0]), 0), "a wrong end:", sorted(facts))
        total = file.head["total"]
        if total is not None:
            other = state.goal(game.roles[1])
            require(value + other == total, "goals of another sum:", sorted(facts))
            require(other in file.head["goals"][1], "a goal is not in its list:", sorted(facts))
        return
    legal = {role: list(state.legal(role)) for role in game.roles}
    movers = [r for r, role in enumerate(game.roles) if len(legal[role]) > 1]
    require(all(legal.values()), "a role has no move:", sorted(facts))
    require(len(movers) <= 1, "several roles choose at once:", sorted(facts))
    sign = -1 if movers == [1] else 1
    following = []
    for joint in product(*legal.values()):
        after = state.play(dict(zip(game.roles, joint, strict=True))).facts
        following.append(file.value(file.row(frozenset(map(str, after)))))
    best = max(sign * goal for goal, _ in following)
    require(sign * value == best, "a wrong value:", sorted(facts))
    # Of the moves that keep the value, the winner takes the shortest, the loser the longest.
    half = -1.0 if file.head["total"] is None else file.head["total"] / 2
    kept = [d for goal, d in following if sign * goal == best and d != ENDLESS]
    loses = value != half and sign * (value - half) < 0
    wanted = (max(kept) if loses else min(kept)) + 1 if kept else ENDLESS
    require(distance == wanted, "a wrong distance:", sorted(facts))


def certify(name: str, path: Path, positions: int = 1000, seed: int = 0) -> int:
    """Check some positions, or all with 0; return how many were checked."""
    rng = random.Random(seed)
    game, file = gdl.load(name, backend="reason"), File(path)
    require(game.ruleset.digest() == file.head["digest"], "the table is of other rules")
    require(file.head["roles"] == list(map(str, game.roles)), "the table is of other roles")
    goals = file.head["goals"]
    require(len(goals) == len(game.roles), "not each role has a list of goals")
    require(all(a < b for one in goals for a, b in pairwise(one)), "a list of goals does not rise")
    total = file.head["total"]
    require(len(game.roles) == 1 + (total is not None), "neither one role nor two that share goals")
    end = file.first_end()
    if end >= 0:
        check(game, file, file.facts(end))
    else:
        require(total in {None, 100}, "nothing is shared where play never ends")
    check(game, file, frozenset(map(str, game.initial().facts)))
    rows = range(len(file.keys))
    done = 0
    for row in rng.sample(rows, positions) if 0 < positions < len(rows) else rows:
        images = file.images(file.facts(row))
        for image in [rng.choice(images)] if positions else images:
            check(game, file, image)
            done += 1
    return done


def main(name: str = "tictactoe", path: str = "", positions: str = "1000", seed: str = "0") -> None:
    """Check a file; without one, make a table first."""
    with TemporaryDirectory() as folder:
        if not path:
            path = f"{folder}/table"
            words = [sys.executable, "-m", "gdl", "solve", name, "-o", path]
            subprocess.run(words, check=True)  # noqa: S603  # this interpreter
        try:
            done = certify(name, Path(path), int(positions), int(seed))
        except WrongTableError as error:
            sys.exit(f"refused: {error}")
    print(f"{done:,} positions: every value follows from those that come after")


if __name__ == "__main__":
    main(*sys.argv[1:])
