"""Games matched by what their facts and moves do, whatever their words are.

In: two circuits. Out: matchings of roles and moves under which both look the same (there
are several when a game has symmetries), or would if they ended alike or had the same goals.
Looked at is what each move does to each fact, what it needs to be legal, and the smallest
sets of facts that end the game or give a goal: things that do not depend on how the rules
are written. Facts and moves get colours from these until colours no longer split; where a
colour is left with several, one is picked and tried against each of the other game.

Where one game has more moves, all of some name are left out of it first: a placement that
wins at once, beside the turns that both have.

Source: Weisfeiler, Lehman, "The Reduction of a Graph to Canonical Form", 1968; McKay,
Piperno, "Practical Graph Isomorphism, II", 2014 (refine, pick, refine).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.verify.correspondence.relational_structure import RelationalStructure, relational_structure
from gdl.verify.correspondence.restriction import Restriction, restrictions
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.matching import Matching, make_matching

MAX_ATTEMPTS: Final = 200
"""Picks that are tried in all."""
PICKED: Final = 99
LOOSE: Final = (("needs",), ("needs", "goal"))
"""What may differ where one game has more moves: when the others are legal, and goals. How it
ends may not: without it, a board whose parts turn can be seen in thousands of ways."""

Colours = list[int]


def by_structure(one: GameCircuit, other: GameCircuit, budget: Budget) -> Iterator[Matching]:
    """Yield matchings under which both games look the same.

    Cost: O(size of the structures) for each refinement; symmetric games take a few dozen.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    if _sizes(one) == _sizes(other):
        yield from _alike((one, other), ((), ("terminal",), ("goal",)), budget)
        return
    for side, fewer in ((0, other), (1, one)):
        for restriction in restrictions((one, other)[side], _sizes(fewer)):
            games = (restriction.circuit, other) if side == 0 else (one, restriction.circuit)
            for matching in _alike(games, LOOSE, budget):
                yield _whole(matching, one, other, side, restriction)


def _sizes(circuit: GameCircuit) -> list[int]:
    return sorted(map(len, circuit.moves))


def _alike(
    games: tuple[GameCircuit, GameCircuit], endings: Sequence[Sequence[str]], budget: Budget
) -> Iterator[Matching]:
    """Yield matchings under which two games look the same but for what may be left out."""
    structures = relational_structure(games[0], budget), relational_structure(games[1], budget)
    if structures[0] is None or structures[1] is None:
        return
    for ending in endings:
        mine, theirs = (_without(seen, ending) for seen in (structures[0], structures[1]))
        yield from _Refinement((mine, theirs), games, budget).matchings()


def _whole(
    matching: Matching, one: GameCircuit, other: GameCircuit, side: int, restriction: Restriction
) -> Matching:
    """Return a matching of a restriction of a game as one of the whole; the rest is left alone."""
    pairs = []
    for role, row in enumerate(matching.pairs):
        kept = restriction.kept[role if side == 0 else matching.roles[role]]
        pairs.append([(kept[a], b) if side == 0 else (a, kept[b]) for a, b in row])
    return make_matching(one, other, matching.roles, pairs, matching.method)


def _without(seen: RelationalStructure, ending: Sequence[str]) -> RelationalStructure:
    """Return a structure without what ends the game, say, or without goals.

    Args:
        seen: The structure.
        ending: Parts of labels whose relations are left out.
    """
    return replace(
        seen,
        unordered=[
            relation
            for relation in seen.unordered
            if not any(name in str(relation[0]) for name in ending)
        ],
    )


class _Refinement:
    """Colours of two games, refined together. Things are numbered: roles, moves, facts."""

    def __init__(
        self,
        structures: tuple[RelationalStructure, RelationalStructure],
        circuits: tuple[GameCircuit, GameCircuit],
        budget: Budget,
    ) -> None:
        self.structures, self.circuits, self.budget = structures, circuits, budget
        self.attempts = 0

    def matchings(self) -> Iterator[Matching]:
        """Yield what colours leave possible."""
        one, other = (list(map(hash, p.kinds)) for p in self.structures)
        if len(one) == len(other):
            yield from self._from(one, other)

    def _from(self, one: Colours, other: Colours) -> Iterator[Matching]:
        """Yield matchings that keep colours: refine, pick one thing of the first game, recurse.

        Colours are made of what an isomorphism keeps, so it never matches two of different
        colours: no isomorphism is lost, but for `MAX_ATTEMPTS`. That a matching which is left is
        one is not checked here; no answer rests on it, as the product compares the games.
        """
        stable = self._stable(one, other)
        if stable is None:
            return
        one, other = stable
        groups: dict[int, tuple[list[int], list[int]]] = {}
        for side, colours in enumerate((one, other)):
            for vertex, colour in enumerate(colours):
                groups.setdefault(colour, ([], []))[side].append(vertex)
        several = [group for group in groups.values() if len(group[0]) > 1]
        if not several:
            yield from self._read({mine[0]: theirs[0] for mine, theirs in groups.values()})
            return
        # The smallest colour branches least. The picked thing of the first game must stand for one
        # of the other's things of its colour, so trying these tries all.
        mine, theirs = min(several, key=lambda group: (len(group[0]), group[0][0]))
        for vertex in theirs:
            self.attempts += 1
            if self.attempts > MAX_ATTEMPTS:
                return
            picked_one, picked_other = one.copy(), other.copy()
            picked_one[mine[0]] = picked_other[vertex] = PICKED
            yield from self._from(picked_one, picked_other)

    def _stable(self, one: Colours, other: Colours) -> tuple[Colours, Colours] | None:
        """Return colours that no longer split, None where the games look different."""
        count = 0
        while True:
            self.budget.check()
            one, other = refine(self.structures[0], one), refine(self.structures[1], other)
            if Counter(one) != Counter(other):
                return None
            classes = len(set(one))
            if classes == count:
                return one, other
            count = classes

    def _read(self, partner: dict[int, int]) -> Iterator[Matching]:
        one, other = self.circuits
        roles = len(one.roles)
        owners = [partner[role] for role in range(roles)]
        if sorted(owners) != list(range(roles)):
            return
        starts = [_starts(circuit) for circuit in self.circuits]
        pairs: list[list[tuple[int, int]]] = []
        for role, moves in enumerate(one.moves):
            first = starts[1][owners[role]]
            row = [(move, partner[starts[0][role] + move] - first) for move in range(len(moves))]
            if any(not 0 <= theirs < len(other.moves[owners[role]]) for _, theirs in row):
                return
            pairs.append(row)
        yield make_matching(one, other, owners, pairs, "what moves and facts do")


def _starts(circuit: GameCircuit) -> list[int]:
    """Return the number of the first move of each role."""
    starts, start = [], len(circuit.roles)
    for moves in circuit.moves:
        starts.append(start)
        start += len(moves)
    return starts


def refine(seen: RelationalStructure, colours: Colours) -> Colours:
    """Return colours after one round: each thing by its own and those it stands beside.

    One round of colour refinement. The old colour is part of the new one, so that colours only
    ever split; hashes of both games are comparable within a process. Two colours that hash
    alike by chance would merge, which leaves more to try and loses nothing.
    """
    contexts: list[list[int]] = [[] for _ in colours]
    for label, vertices in seen.ordered:
        name = hash((label, tuple(colours[vertex] for vertex in vertices)))
        for place, vertex in enumerate(vertices):
            contexts[vertex].append(hash((name, place)))
    for label, groups in seen.unordered:
        name = hash((label, tuple(tuple(sorted(colours[t] for t in group)) for group in groups)))
        for place, group in enumerate(groups):
            for vertex in group:
                contexts[vertex].append(hash((name, place, "in")))
    return [
        hash((colour, tuple(sorted(context))))
        for colour, context in zip(colours, contexts, strict=True)
    ]
