"""Which groups of facts decide together how a game ends: four in a row, a king that is gone.

In: a circuit, groups of its facts, states in which plays ended. Out: small sets of groups. In each
of these states facts are taken away one by one, in a drawn order, as long as the same role has its
best goal; what is left is one reason for it, of which nothing can be missed. So four in a row are
four squares, whatever the rules call them and however the circuit shares its gates. Where an end
has no small reason (a majority, a player that cannot move) there is nothing to find.

The same is asked of the states before the end, as long as the move that was made there is legal
and wins (`threats`). Where a move shifts what stands on the board, as a turn of Pentago does, what
will be a line is none before.

A state from which facts were taken need not be one that play leads to, and what the circuit says of
others is not specified: a reason is a hint, no proof.

Source: Quine, "A Way to Simplify Truth Functions", 1955 (an implicant reduced to a prime one), for
one sampled end at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import Lit
from gdl.circuit.cone import cone, support
from gdl.circuit.evaluate import fill
from gdl.circuit.game import GameCircuit
from gdl.learn.influence import WIDEST

ORDERS: Final = 8
"""Orders in which facts are taken away, at most."""
MOST_WORK: Final = 1 << 23
"""Gates that are evaluated, each for all ends at once: about a second."""


@dataclass(frozen=True, slots=True)
class _Question:
    """Something that holds in some of a number of states, or not; one whole number, a bit for each.

    Attributes:
        facts: What it depends on.
        gates: What it costs to ask.
        holds: In which states it does, given those in which each of these facts holds.
    """

    facts: list[int]
    gates: int
    holds: Callable[[Mapping[int, int]], int]


def patterns(
    circuit: GameCircuit, groups: Sequence[Iterable[int]], ends: NDArray[np.bool_]
) -> list[frozenset[int]]:
    """Return the sets of two to `WIDEST` groups that decided ends, the most frequent first.

    Args:
        circuit: The game.
        groups: Facts by index, each in one group.
        ends: States in which the game is over, ``bool[states, facts]``.

    Returns:
        Sets of groups by number; only the best goal of each role counts. Cost O(facts * gates) for
        each, `MOST_WORK` at most; of a circuit so large that a single order would cost more there
        are none.
    """
    owner = {fact: number for number, facts in enumerate(groups) for fact in facts}
    goals = [pairs[-1][1] for pairs in circuit.goals if pairs]
    counts: Counter[frozenset[int]] = Counter()
    rng = np.random.default_rng(0)
    for goal in goals:
        asked = _at_end(circuit, goal, len(ends))
        for _ in range(_orders(asked, MOST_WORK // len(goals), len(asked.facts))):
            values, held = _reduced(asked, ends, rng)
            for place in _bits(held):
                counts[frozenset(owner[f] for f in asked.facts if values[f] >> place & 1)] += 1
    return _ordered(counts)


def threats(
    circuit: GameCircuit,
    groups: Sequence[Sequence[int]],
    before: NDArray[np.bool_],
    moves: NDArray[np.int32],
) -> list[frozenset[int]]:
    """Return the sets of two to `WIDEST` groups that let a move win, the most frequent first.

    Such a set holds what must be there, and of groups in which nothing holds those that must be
    left so: the square on which the last stone is placed.

    Args:
        circuit: The game.
        groups: Facts by index, each in one group.
        before: States in which a move ended the game, ``bool[states, facts]``.
        moves: What each role did there, by number, ``int32[states, roles]``.

    Returns:
        As `patterns` does.
    """
    owner = {fact: number for number, facts in enumerate(groups) for fact in facts}
    goals = [pairs[-1][1] for pairs in circuit.goals if pairs]
    counts: Counter[frozenset[int]] = Counter()
    rng = np.random.default_rng(0)
    for goal in goals:
        asked = _after_move(circuit, goal, moves)
        for _ in range(_orders(asked, MOST_WORK // len(goals), 2 * len(asked.facts))):
            values, held = _reduced(asked, before, rng)
            kept_empty = _kept_empty(asked, groups, values, held)
            for place in _bits(held):
                members = {owner[f] for f in asked.facts if values[f] >> place & 1}
                members |= {g for g, where in kept_empty.items() if where >> place & 1}
                counts[frozenset(members)] += 1
    return _ordered(counts)


def _ordered(counts: Counter[frozenset[int]]) -> list[frozenset[int]]:
    ordered = sorted(counts, key=lambda members: (-counts[members], sorted(members)))
    return [members for members in ordered if 1 < len(members) <= WIDEST]


def _orders(asked: _Question, most_work: int, times: int) -> int:
    """Return in how many orders to take facts away, where it is asked so many times for one."""
    return min(ORDERS, most_work // max(1, times * asked.gates))


def _at_end(circuit: GameCircuit, goal: Lit, count: int) -> _Question:
    """Return the question whether a goal is given in each of so many states."""
    aig, ones = circuit.aig, (1 << count) - 1
    gates = cone(aig, [goal])

    def holds(values: Mapping[int, int]) -> int:
        words = {0: 0} | {circuit.fact_inputs[fact] >> 1: word for fact, word in values.items()}
        fill(aig, gates, words, ones)
        return _word(words, goal, ones)

    return _Question(_facts_of(circuit, [goal]), len(gates), holds)


def _after_move(circuit: GameCircuit, goal: Lit, moves: NDArray[np.int32]) -> _Question:
    """Return the question whether, in each state, its move is legal and leads to the goal."""
    aig, ones = circuit.aig, (1 << len(moves)) - 1
    later = _at_end(circuit, goal, len(moves))
    legal = [e for role, row in enumerate(circuit.legal) for e in _chosen(row, moves[:, role])]
    made = {
        edge >> 1: _as_word(moves[:, role] == number)
        for role, row in enumerate(circuit.move_inputs)
        for number, edge in enumerate(row)
    }
    asked = [*(circuit.next[fact] for fact in later.facts), *legal]
    gates = cone(aig, asked)

    def holds(values: Mapping[int, int]) -> int:
        words = {0: 0, **made}
        words |= {circuit.fact_inputs[fact] >> 1: word for fact, word in values.items()}
        fill(aig, gates, words, ones)
        is_legal = ones
        for role, row in enumerate(circuit.legal):
            inputs = circuit.move_inputs[role]
            some = 0
            for number in set(moves[:, role].tolist()):
                some |= made[inputs[number] >> 1] & _word(words, row[number], ones)
            is_legal &= some
        after = {fact: _word(words, circuit.next[fact], ones) for fact in later.facts}
        return later.holds(after) & is_legal

    return _Question(_facts_of(circuit, asked), len(gates) + later.gates, holds)


def _chosen(edges: Sequence[Lit], numbers: NDArray[np.int32]) -> list[Lit]:
    return [edges[number] for number in sorted(set(numbers.tolist()))]


def _facts_of(circuit: GameCircuit, edges: Sequence[Lit]) -> list[int]:
    inputs = support(circuit.aig, edges)
    return [fact for fact, edge in enumerate(circuit.fact_inputs) if edge >> 1 in inputs]


def _as_word(held: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(held, bitorder="little").tobytes(), "little")


def _word(words: Mapping[int, int], edge: Lit, ones: int) -> int:
    return words[edge >> 1] ^ (ones if edge & 1 else 0)


def _bits(word: int) -> Iterator[int]:
    return (place for place in range(word.bit_length()) if word >> place & 1)


def _reduced(
    asked: _Question, states: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[dict[int, int], int]:
    """Take facts away as long as what is asked holds; return those left, and where it does."""
    values = {fact: _as_word(states[:, fact]) for fact in asked.facts}
    held = asked.holds(values)
    for fact in rng.permutation(asked.facts).tolist():
        before = values[fact]
        values[fact] = 0
        # In states in which it does not hold now the fact is put back.
        values[fact] = before & ~asked.holds(values)
    return values, held


def _kept_empty(
    asked: _Question, groups: Sequence[Sequence[int]], values: Mapping[int, int], held: int
) -> dict[int, int]:
    """Return for each group where nothing of it holds and something would undo what holds."""
    kept: dict[int, int] = {}
    for number, facts in enumerate(groups):
        known = [fact for fact in facts if fact in values]
        here = held
        for fact in known:
            here &= ~values[fact]
        undone = 0
        for fact in known:
            undone |= ~asked.holds({**values, fact: values[fact] | here})
        kept[number] = here & undone
    return kept
