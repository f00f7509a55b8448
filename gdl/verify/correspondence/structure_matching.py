"""Games matched by what their facts and moves do, whatever their words are.

In: two circuits. Out: matchings of roles and moves under which both look the same (there
are several when a game has symmetries), or would if they ended alike or had the same goals.
Looked at is what each move does to each fact, what it needs to be legal, and the smallest
sets of facts that end the game or give a goal: things that do not depend on how the rules
are written. `colour_refinement` finds out which things may stand for each other.

Where one game has more moves, all of some name are left out of it first: a placement that
wins at once, beside the turns that both have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from gdl.circuit.game import GameCircuit
from gdl.verify.correspondence.colour_refinement import bijections
from gdl.verify.correspondence.relational_structure import (
    RelationalStructure,
    first_moves,
    relational_structure,
)
from gdl.verify.correspondence.restriction import Restriction, restrictions
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.matching import Matching, make_matching

MAX_ATTEMPTS: Final = 200
"""Picks that are tried in all."""
STRICT: Final = ((), ("terminal",), ("goal",), ("needs",))
"""What may differ where both have as many moves: one thing, or nothing."""
LOOSE: Final = (("needs",), ("needs", "goal"))
"""What may differ where one game has more moves: when the others are legal, and goals. How it
ends may not: without it, a board whose parts turn can be seen in thousands of ways."""

Colours = dict[int, int]
"""Of each thing by its number: roles, moves, facts."""


def by_structure(left: GameCircuit, right: GameCircuit, budget: Budget) -> Iterator[Matching]:
    """Yield matchings under which both games look the same.

    Cost: O(size of the structures) for each refinement; symmetric games take a few dozen.

    Raises:
        OutOfBudgetError: Time ran out first.
    """
    if _sizes(left) == _sizes(right):
        yield from _alike((left, right), STRICT, budget)
        return
    for side, fewer in ((0, right), (1, left)):
        for restriction in restrictions((left, right)[side], _sizes(fewer)):
            games = (restriction.circuit, right) if side == 0 else (left, restriction.circuit)
            for matching in _alike(games, LOOSE, budget):
                yield _whole(matching, left, right, side, restriction)


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
        colours = tuple(dict(enumerate(map(hash, seen.kinds))) for seen in (mine, theirs))
        rounds = partial(refine, mine), partial(refine, theirs)
        # No answer rests on a matching that is none: the product compares the games.
        for partner in bijections((colours[0], colours[1]), rounds, budget, most=MAX_ATTEMPTS):
            matching = _read(games, partner)
            if matching is not None:
                yield matching


def _whole(
    matching: Matching, left: GameCircuit, right: GameCircuit, side: int, restriction: Restriction
) -> Matching:
    """Return a matching of a restriction of a game as one of the whole; the rest is left alone."""
    pairs = []
    for role, row in enumerate(matching.pairs):
        kept = restriction.kept[role if side == 0 else matching.roles[role]]
        pairs.append([(kept[a], b) if side == 0 else (a, kept[b]) for a, b in row])
    return make_matching(left, right, matching.roles, pairs, matching.method)


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


def _read(games: tuple[GameCircuit, GameCircuit], partner: Mapping[int, int]) -> Matching | None:
    """Return what a map of things says of roles and moves, None where it mixes them up."""
    left, right = games
    roles = len(left.roles)
    owners = [partner[role] for role in range(roles)]
    if sorted(owners) != list(range(roles)):
        return None
    starts = [first_moves(circuit) for circuit in games]
    pairs: list[list[tuple[int, int]]] = []
    for role, moves in enumerate(left.moves):
        first = starts[1][owners[role]]
        row = [(move, partner[starts[0][role] + move] - first) for move in range(len(moves))]
        if any(not 0 <= theirs < len(right.moves[owners[role]]) for _, theirs in row):
            return None
        pairs.append(row)
    return make_matching(left, right, owners, pairs, "what moves and facts do")


def refine(seen: RelationalStructure, colours: Colours) -> Colours:
    """Return colours after one round: each thing by its own and those it stands beside."""
    contexts: dict[int, list[int]] = {thing: [] for thing in colours}
    for label, vertices in seen.ordered:
        name = hash((label, tuple(colours[vertex] for vertex in vertices)))
        for place, vertex in enumerate(vertices):
            contexts[vertex].append(hash((name, place)))
    for label, groups in seen.unordered:
        name = hash((label, tuple(tuple(sorted(colours[t] for t in group)) for group in groups)))
        for place, group in enumerate(groups):
            for vertex in group:
                contexts[vertex].append(hash((name, place, "in")))
    return {
        thing: hash((colour, tuple(sorted(contexts[thing])))) for thing, colour in colours.items()
    }
