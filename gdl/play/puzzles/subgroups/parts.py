"""The parts of a puzzle, and what moves make of each: read off the circuit, observed in plays.

In: the circuit of a game of one role. Out: `Parts`: facts that say of themselves alone what holds
of them next are a part, the bits of its facts are its value, and a move is a permutation of values.
"""

from __future__ import annotations

import sys
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.cone import implied, live
from gdl.circuit.game import GameCircuit
from gdl.play.anytime import UnsuitedError
from gdl.play.puzzles.lanes import LANES, Lanes

Ints = NDArray[np.int32]

OBSERVED: Final = 40
"""Plies of random plays in which moves are observed, at most."""
SEEN_ROWS: Final = 256
"""Plays that are looked at."""
MOST_WORK: Final = 1 << 24
"""Gates of the circuit, times its facts, at most."""


class Parts(NamedTuple):
    """A puzzle as permutations.

    Attributes:
        number: Of each move that does something, its number in the rules.
        after: Of each part: the value after each move, ``int32[values, moves]``.
        values: Of each part: the number of a value, by its facts.
        facts: Of each part: its facts.
        goal: The value of each part at the goal.
    """

    number: list[int]
    after: list[Ints]
    values: list[dict[bytes, int]]
    facts: list[list[int]]
    goal: list[int]

    def read(self, bits: NDArray[np.uint8]) -> list[int]:
        """Return the value of each part in a state, given as a bit for each fact.

        Raises:
            UnsuitedError: It is none that was seen.
        """
        texts = [bits[facts].tobytes() for facts in self.facts]
        if any(text not in known for text, known in zip(texts, self.values, strict=True)):
            raise UnsuitedError
        return [known[text] for text, known in zip(texts, self.values, strict=True)]


def find_parts(lanes: Lanes, circuit: GameCircuit, root: bytes) -> Parts:
    """Return what a puzzle is made of.

    Raises:
        UnsuitedError: It does not fall into parts, or moves are not permutations of each, or the
            goal does not say where all of them belong.
    """
    # What the best goal implies, fact by fact, is where parts are to be. A part of which it says
    # nothing (a clock) may be anywhere, and is left out; of all others it must name one value.
    inputs = {edge: fact for fact, edge in enumerate(circuit.fact_inputs)}
    implied_edges = implied(circuit.aig, max(circuit.goals[0])[1])
    asked = {inputs[e & ~1]: not e & 1 for e in implied_edges if e & ~1 in inputs}
    groups = [group for group in _closed_groups(circuit) if asked.keys() & set(group)]
    if len(groups) <= 1:  # a whole is no part
        raise UnsuitedError
    values, after = _tables(lanes, root, groups, len(circuit.moves[0]))
    goal = []
    for known, facts in zip(values, groups, strict=True):
        wanted = [asked.get(fact) for fact in facts]
        fits = [
            value
            for text, value in known.items()
            if all(want in (None, bool(bit)) for bit, want in zip(text, wanted, strict=True))
        ]
        if len(fits) != 1:
            raise UnsuitedError
        goal += fits
    # Of moves that do the same to all parts one is enough, and none that does nothing.
    whole = np.concatenate(after)
    still = np.concatenate([np.arange(len(table)) for table in after])
    kept: dict[bytes, int] = {}
    for move, column in enumerate(whole.T):
        if (column != still).any():
            kept.setdefault(column.tobytes(), move)
    number = list(kept.values())
    return Parts(number, [table[:, number] for table in after], values, groups, goal)


def _tables(
    lanes: Lanes, root: bytes, groups: list[list[int]], moves: int
) -> tuple[list[dict[bytes, int]], list[Ints]]:
    """Return the values of each part, and what moves make of them: permutations.

    Raises:
        UnsuitedError: They are none, or were not all seen.
    """
    # One play after the other would see a value of a part seldom; in thousands of plays at once
    # each part meets all of its values soon, for it has few, however many states there are.
    values: list[dict[bytes, int]] = [{} for _ in groups]
    follows: list[dict[tuple[int, int], int]] = [{} for _ in groups]
    before, was_over = np.repeat(bits_of(root)[None], LANES, axis=0), np.zeros(LANES, np.bool_)
    rng = np.random.default_rng(0)
    for played, is_over, _, states in lanes.play_out(root, rng, OBSERVED):
        after, going = np.unpackbits(states, axis=1), ~was_over
        rows = np.flatnonzero(going)[:SEEN_ROWS]
        old, new = before[rows], after[rows]
        for facts, known, seen in zip(groups, values, follows, strict=True):
            _observe(known, seen, old[:, facts], played[rows], new[:, facts])
        before, was_over = after, is_over
        if all(len(f) == len(v) * moves for f, v in zip(follows, values, strict=True)):
            break
    tables = []
    for known, seen in zip(values, follows, strict=True):
        if len(seen) < len(known) * moves:
            raise UnsuitedError
        table = np.empty((len(known), moves), np.int32)
        for (value, move), then in seen.items():
            table[value, move] = then
        # A move that is no permutation of the values cannot be taken back; then orbits say nothing.
        if (np.sort(table, axis=0) != np.arange(len(known))[:, None]).any():
            raise UnsuitedError
        tables.append(table)
    return values, tables


def _closed_groups(circuit: GameCircuit) -> list[list[int]]:
    """Return the least groups of facts that say of themselves alone what holds of them next.

    Raises:
        UnsuitedError: The circuit is too large.
    """
    if len(circuit.aig) * len(circuit.facts) > MOST_WORK:
        raise UnsuitedError
    aig, group = circuit.aig, list(range(len(circuit.facts)))

    def top(fact: int) -> int:
        while group[fact] != fact:
            group[fact] = group[group[fact]]
            fact = group[fact]
        return fact

    # Whoever asks a node asks all facts below it, which so belong together: one stands for them.
    below = {edge >> 1: fact for fact, edge in enumerate(circuit.fact_inputs)}
    for node in live(aig, circuit.next):
        for operand in (aig.left[node] >> 1, aig.right[node] >> 1):
            if operand in below:
                fact = below.setdefault(node, below[operand])
                group[top(fact)] = top(below[operand])
    for fact, edge in enumerate(circuit.next):
        if edge >> 1 in below:
            group[top(fact)] = top(below[edge >> 1])
    members: dict[int, list[int]] = {}
    for fact in range(len(group)):
        members.setdefault(top(fact), []).append(fact)
    return list(members.values())


def bits_of(state: bytes) -> NDArray[np.uint8]:
    """Return a state as a bit for each fact."""
    return np.unpackbits(np.frombuffer(state, np.uint8))


def _observe(
    values: dict[bytes, int],
    follows: dict[tuple[int, int], int],
    before: NDArray[np.uint8],
    moves: Ints,
    after: NDArray[np.uint8],
) -> None:
    """Note what moves made of the values of a part.

    Raises:
        UnsuitedError: The same move made something else of the same value before.
    """
    rows = np.concatenate([before, moves[:, None].view(np.uint8), after], axis=1)
    width = before.shape[1]
    texts = np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").ravel()
    for text in {row.tobytes() for row in texts}:
        then = values.setdefault(text[-width:], len(values))
        value = values.setdefault(text[:width], len(values))
        move = int.from_bytes(text[width:-width], sys.byteorder)
        if follows.setdefault((value, move), then) != then:
            raise UnsuitedError


def as_one(parts: Parts) -> Ints:
    """Return the values of all parts, each numbered anew, after each move."""
    starts = starts_of(parts.after)
    whole: Ints = np.concatenate([t + at for t, at in zip(parts.after, starts, strict=True)])
    return whole


def starts_of(tables: list[Ints]) -> list[int]:
    """Return where the values of each part begin when those of all are numbered one by one."""
    return [sum(map(len, tables[:i])) for i in range(len(tables))]
