"""Which groups of facts a network looks at together: chosen from the circuit, with no settings.

In: a compiled game and random plays of it. Out: the tables of a network without weights. Groups of
which at most one fact holds are digits; a tuple is grown from a group by adding others, the more
likely the more they have to do with those in it (`gdl.learn.influence`). Every renaming of facts
that was proved to leave the rules as they are makes another tuple of each, with the same weights,
so that positions that are the same by these symmetries get the same value.

Groups that run by themselves (whose turn it is, place or rotate) tell which set of weights counts;
where none does, a group that tells whose turn it is.

Source: Lucas, "Learning to Play Othello with N-Tuple Systems", 2008; Thill, Koch and Konen,
"Reinforcement Learning with N-tuples on the Game Connect-4", 2012 (tuples by random walk).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import find_phases
from gdl.learn.influence import influence
from gdl.native.game import NativeGame
from gdl.native.kernel.packed import Field, place_fields
from gdl.play.network import NetworkTables
from gdl.solve.group import Renaming, generated
from gdl.solve.packing import Sample
from gdl.solve.symmetry import find_symmetries

PLACES: Final = 1 << 13
"""Weights of one tuple, at most: 8 digits of 3 values."""
TUPLES: Final = 128
"""Tables that are looked at, images by symmetries among them; more where a group needs one."""
MOST_IMAGES: Final = 16
"""Symmetries that are used; a larger group is cut down to a part of it."""
MOST_SETS: Final = 8
"""Sets of weights, at most."""
MOST_ROUNDS: Final = 32
"""Walks from each group, at most."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of a network, and what is to be said of them.

    Attributes:
        tables: Weights are zero.
        tuples: Groups of each tuple that has weights of its own, by their first facts.
        images: How many renamings of the rules are used, that of nothing among them.
        note: Why there are fewer symmetries than there may be; empty for nothing.
    """

    tables: NetworkTables
    tuples: tuple[tuple[int, ...], ...]
    images: int
    note: str


def choose_tuples(native: NativeGame, sample: Sample, seed: int) -> Layout:
    """Return the tables for a game.

    Args:
        native: The game.
        sample: Random plays of it.
        seed: Of the walks.
    """
    circuit = native.circuit
    states = sample.plays.reshape(-1, sample.plays.shape[-1])
    packing = place_fields(proved_groups(circuit))
    fields = list(packing.fields)
    selectors = _selectors(circuit, fields, states, _movers(native, sample))
    found = find_symmetries(circuit, packing)
    images = _usable(found.generators, fields, selectors)
    chooser = _Chooser(circuit, fields, states, selectors, np.random.default_rng(seed))
    tuples = chooser.choose(images)
    tables = _lay_out(len(circuit.facts), fields, selectors, tuples, images)
    firsts = tuple(tuple(min(fields[f].members) for f in chosen) for chosen in tuples)
    return Layout(tables, firsts, len(images), found.note)


def proved_groups(circuit: GameCircuit) -> list[Field]:
    """Return groups of which at most one fact holds in every state, proved; each fact is in one.

    What was proved stands in the circuit; a fact of no group is one by itself.
    """
    taken: set[int] = set()
    fields: list[Field] = []
    groups = sorted(circuit.assumed or (), key=lambda group: (-len(group[0]), group[0]))
    for members, is_exact in groups:
        if len(members) > 1 and taken.isdisjoint(members):
            # Number 0 is how play begins, in a group of which one always holds.
            ordered = sorted(members, key=lambda fact: (fact not in circuit.initial, fact))
            fields.append(Field(tuple(ordered), is_exact=is_exact))
            taken.update(members)
    fields += [
        Field((fact,), is_exact=False) for fact in range(len(circuit.facts)) if fact not in taken
    ]
    return sorted(fields, key=lambda field: min(field.members))


def _digits(field: Field) -> int:
    """Return how many values a group has: its facts, and none of them where that may be."""
    return len(field.members) + (not field.is_exact)


def _selectors(
    circuit: GameCircuit,
    fields: Sequence[Field],
    states: NDArray[np.bool_],
    movers: NDArray[np.int8],
) -> list[int]:
    """Return the groups that tell which set of weights counts."""
    clock = set(find_phases(circuit).facts)
    chosen: list[int] = []
    sets = 1
    for number, field in enumerate(fields):
        if clock.issuperset(field.members) and sets * _digits(field) <= MOST_SETS:
            chosen.append(number)
            sets *= _digits(field)
    if chosen:
        return chosen
    known = movers >= 0
    for number, field in enumerate(fields):
        held = states[known][:, list(field.members)] @ np.arange(1, len(field.members) + 1)
        tells = all(len(set(movers[known][held == value])) == 1 for value in set(held.tolist()))
        if tells and len(set(held.tolist())) > 1 and _digits(field) <= MOST_SETS:
            return [number]
    return []


def _movers(native: NativeGame, sample: Sample) -> NDArray[np.int8]:
    """Return who chooses in each state of random plays, -1 for nobody: ``int8[plies * games]``."""
    plies, games, _ = sample.plays.shape
    movers = np.full((plies, games), -1, np.int8)
    batch = native.batch(games)
    for ply in range(plies):
        batch.restore(np.packbits(sample.plays[ply], axis=1))
        for role, legal in enumerate(batch.legal):
            movers[ply, (legal.sum(axis=1) > 1) & ~batch.terminal] = role
    return movers.reshape(-1)


def _usable(
    generators: Sequence[Renaming], fields: Sequence[Field], selectors: Sequence[int]
) -> list[Renaming]:
    """Return the renamings that are used, that of nothing first: a group, which keeps selectors."""
    first = np.cumsum([0, *(len(field.members) for field in fields)])
    kept = [i for f in selectors for i in range(first[f], first[f + 1])]
    size = int(first[-1])
    used: list[Renaming] = []
    for generator in generators:
        keeps = all(generator[i] == i for i in kept)
        if keeps and generated([*used, generator], size, MOST_IMAGES) is not None:
            used.append(generator)
    return generated(used, size, MOST_IMAGES) or []


class _Chooser:
    """Grows tuples of groups."""

    def __init__(
        self,
        circuit: GameCircuit,
        fields: Sequence[Field],
        states: NDArray[np.bool_],
        selectors: Sequence[int],
        rng: np.random.Generator,
    ) -> None:
        self.fields, self.rng = fields, rng
        self.beside = influence(circuit, [field.members for field in fields])
        # What never changes says nothing, and what selects is said already.
        self.open = [
            number
            for number, field in enumerate(fields)
            if number not in selectors and _digits(field) <= PLACES and _varies(states, field)
        ]
        closed = np.ones(len(fields), np.bool_)
        closed[self.open] = False
        self.beside[:, closed] = 0.0

    def choose(self, images: Sequence[Renaming]) -> list[tuple[int, ...]]:
        """Return tuples, as groups by number: one from each group, then more from all in turn."""
        field_of = [number for number, field in enumerate(self.fields) for _ in field.members]
        first = np.cumsum([0, *(len(field.members) for field in self.fields)])
        orbits = {
            number: {field_of[image[first[number]]] for image in images} for number in self.open
        }
        begun: set[int] = set()
        starts = []
        for number in self.open:  # one group of each orbit is enough to begin with
            if number not in begun:
                starts.append(number)
                begun |= orbits[number]
        chosen: list[tuple[int, ...]] = []
        seen: set[frozenset[int]] = set()
        count = 0
        for _ in range(MOST_ROUNDS):
            for start in starts:
                grown = self._grow(start)
                if frozenset(grown) in seen:
                    continue
                made = {
                    frozenset(field_of[image[first[member]]] for member in grown)
                    for image in images
                }
                seen |= made
                chosen.append(grown)
                count += len(made)
            if count >= TUPLES:
                break
        return chosen

    def _grow(self, start: int) -> tuple[int, ...]:
        members, places = [start], _digits(self.fields[start])
        while True:
            weight = self.beside[members].sum(axis=0)
            weight[members] = 0.0
            for number in np.flatnonzero(weight).tolist():
                if places * _digits(self.fields[number]) > PLACES:
                    weight[number] = 0.0
            if not weight.any():
                return tuple(members)
            added = int(self.rng.choice(len(weight), p=weight / weight.sum()))
            members.append(added)
            places *= _digits(self.fields[added])


def _varies(states: NDArray[np.bool_], field: Field) -> bool:
    held = states[:, list(field.members)]
    return bool((held != held[0]).any())


def _lay_out(
    facts: int,
    fields: Sequence[Field],
    selectors: Sequence[int],
    tuples: Sequence[tuple[int, ...]],
    images: Sequence[Renaming],
) -> NetworkTables:
    """Return the tables: what each fact adds to the place in each of them."""
    stored = [fact for field in fields for fact in field.members]
    number_of = {fact: i for i, fact in enumerate(stored)}
    rows: list[tuple[int, int, int]] = []
    steps, sets = _steps(fields, selectors)
    rows += [(fact, 0, step) for fact, step in steps.items()]
    tables: list[tuple[int, int]] = [(0, sets)]
    begin = 0
    for chosen in tuples:
        steps, size = _steps(fields, chosen)
        made: set[frozenset[tuple[int, int]]] = set()
        for image in images:
            moved = {stored[image[number_of[fact]]]: step for fact, step in steps.items()}
            if frozenset(moved.items()) not in made:
                made.add(frozenset(moved.items()))
                rows += [(fact, len(tables), step) for fact, step in moved.items()]
                tables.append((begin, size))
        begin += size
    rows.sort()
    counts = np.bincount([fact for fact, _, _ in rows], minlength=facts)
    return NetworkTables(
        np.cumsum([0, *counts]).astype(np.int64),
        np.array([(table, step) for _, table, step in rows], np.int32).reshape(-1, 2),
        np.array(tables, np.int64),
        np.zeros((sets, begin), np.float32),
        np.zeros(len(tables), np.int64),
    )


def _steps(fields: Sequence[Field], chosen: Sequence[int]) -> tuple[dict[int, int], int]:
    """Return what each fact adds to the place in the table of a tuple, and how many places it has.

    Of a group of which one always holds the first member, that of the beginning, adds nothing.
    """
    steps: dict[int, int] = {}
    places = 1
    for number in chosen:
        field = fields[number]
        for place, fact in enumerate(field.members):
            if field.number(place):
                steps[fact] = places * field.number(place)
        places *= _digits(field)
    return steps, places
