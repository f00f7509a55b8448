"""Lines that win of which one or two facts are missing: which move brings a role nearest to them.

In: a compiled game. Out: `GoalLines`, the small sets of facts that bring each role its highest goal
(`gdl.circuit.products`), as machine code reads them, and `advance`, which says what a move does for
its mover. Where stones stay where they are put, a line in which the other one's stands is dead.

It is a hint that puts moves in an order, and nothing rests on it. Games without such sets have
none.
"""

# numba finds the types
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdl.native.jit import inlined, lowest, ones
from gdl.play.lanes import ONE, ZERO

if TYPE_CHECKING:
    from gdl.circuit.game import GameCircuit
    from gdl.native.game import NativeGame

THREAT: Final = 64
"""What a line counts of which one fact is missing. What is won by force is won by such lines."""
MOST: Final = 0.5
"""Part of all lines that is most of them."""
PAIR: Final = 1
"""The same where two are missing."""


class GoalLines(NamedTuple):
    """Lines of all roles; W is the words of a state.

    Attributes:
        line: The facts of each line.
        dead: Facts with which it cannot be completed any more.
        first: Where in ``through`` the lines of each role through each fact begin, and the end.
        through: Lines by number.
    """

    line: NDArray[np.uint64]  # [lines, W]
    dead: NDArray[np.uint64]  # [lines, W]
    first: NDArray[np.int64]  # [R, 64 W + 1]
    through: NDArray[np.int64]


def no_lines(words: int, roles: int) -> GoalLines:
    """Return the lines of a game that has none."""
    return GoalLines(
        np.zeros((0, words), np.uint64),
        np.zeros((0, words), np.uint64),
        np.zeros((roles, 64 * words + 1), np.int64),
        np.zeros(0, np.int64),
    )


_lines_of: WeakKeyDictionary[NativeGame, GoalLines] = WeakKeyDictionary()
"""The lines of games that are there."""


def lines_of(native: NativeGame) -> GoalLines:
    """Return the lines of a game.

    They are kept as long as the game is. Cost: its circuit, and a tenth of a second a role at most.
    """
    if (lines := _lines_of.get(native)) is None:
        lines = _lines_of[native] = _find_lines(native.circuit)
    return lines


def _find_lines(circuit: GameCircuit) -> GoalLines:
    from gdl.circuit.products import blockers, goal_lines

    words = -(-len(circuit.facts) // 64)
    blocking = blockers(circuit)
    lines: list[frozenset[int]] = []
    through: list[int] = []
    first = np.zeros((len(circuit.roles), 64 * words + 1), np.int64)
    for role in range(len(circuit.roles)):
        own = range(len(lines), len(lines) + len(of_role := goal_lines(circuit, role)))
        lines += of_role
        for fact in range(64 * words):
            first[role, fact] = len(through)
            through += [number for number in own if fact in lines[number]]
        first[role, 64 * words] = len(through)
    if not lines:
        return no_lines(words, len(circuit.roles))
    dead = [frozenset().union(*(blocking.get(f, frozenset()) for f in line)) for line in lines]
    return GoalLines(_words(lines, words), _words(dead, words), first, np.array(through, np.int64))


def do_lines_shift(lines: GoalLines) -> bool:
    """Return whether few lines have for each of their facts another one that kills it for good.

    So it is where a board turns under its stones, and not where they stay as they are put.
    """
    if not len(lines.line):
        return False
    facts, dead = (
        np.unpackbits(rows.view(np.uint8), axis=1).sum(axis=1) for rows in (lines.line, lines.dead)
    )
    return bool((dead >= facts).mean() <= MOST)


def _words(sets: list[frozenset[int]], words: int) -> NDArray[np.uint64]:
    bits = np.zeros((len(sets), 64 * words), np.uint8)
    for row, members in zip(bits, sets, strict=True):
        row[list(members)] = 1
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


@inlined
def advance(g: GoalLines, role: int, before: Any, after: Any) -> Any:
    """Return what the facts that a move brings about do for the lines of a role."""
    score = np.int64(0)
    if len(g.line) == 0:
        return score
    for word in range(len(after)):
        new = after[word] & ~before[word]
        while new != ZERO:
            fact = (word << 6) + lowest(new)
            new &= new - ONE
            for k in range(g.first[role, fact], g.first[role, fact + 1]):
                number = g.through[k]
                missing = np.int64(0)
                for i in range(len(after)):
                    if after[i] & g.dead[number, i] != ZERO:
                        missing = np.int64(64)
                    missing += ones(g.line[number, i] & ~after[i])
                if missing == 1:
                    score += THREAT
                elif missing == 2:
                    score += PAIR
    return score
