"""Which groups of facts a network looks at together: chosen from the circuit, with no settings.

In: a compiled game and random plays of it. Out: the tables of a network without weights. Groups of
which at most one fact holds are digits; a tuple is grown from some by adding others, the more
likely the more they have to do with those in it. The first tuples are grown from what decided the
ends of random plays, or let a move end them (`gdl.learn.patterns`), by groups that stand in such
patterns together; groups
that are in none by what gates have in common (`gdl.learn.influence`). Every renaming of facts
that was proved to leave the rules as they are makes another tuple of each, with the same weights,
so that positions that are the same by these symmetries get the same value.

A value of a digit that goes on in two ways, with and without a legal move that changes the digit
now (`gdl.learn.changeable_groups`), is two values: the empty square on which can be played, and the
one on which cannot.

Groups that run by themselves (whose turn it is, place or rotate) tell which set of weights counts;
where none does, a group that tells whose turn it is.

Source: Lucas, "Learning to Play Othello with N-Tuple Systems", 2008; Thill, Koch and Konen,
"Reinforcement Learning with N-tuples on the Game Connect-4", 2012 (tuples by random walk).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import prod
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import FALSE, Aig, Lit
from gdl.circuit.cone import cone
from gdl.circuit.evaluate import evaluate_edges, fill
from gdl.circuit.game import GameCircuit
from gdl.circuit.logic import conj_all
from gdl.circuit.mutex import families
from gdl.circuit.phases import find_phases
from gdl.learn.changeable_groups import changes
from gdl.learn.influence import influence
from gdl.learn.patterns import patterns, threats
from gdl.native.game import NativeGame
from gdl.native.kernel.packed import Field, place_fields
from gdl.play.value_network import NetworkTables, no_room, with_room
from gdl.solve.group import Renaming, generated
from gdl.solve.packing import Sample, proved_groups
from gdl.solve.symmetry import find_symmetries

PLACES: Final = 1 << 14
"""Weights of one tuple, at most: 8 digits of 3 values, 14 of 2."""
WIDE_PLACES: Final = 1 << 16
"""The same for up to `DIGITS` digits: 8 of 4 values."""
DIGITS: Final = 8
"""Digits of a tuple up to which it may have so many."""
MOST_WEIGHTS: Final = 1 << 23
"""Weights of a network with such tuples, at most; with smaller ones it learns from fewer games."""
MOST_THREATS: Final = 1 << 9
"""Tables that begin with what lets a move win, at most."""
MOST_GUESSED: Final = 8
"""Facts of a group that was not proved, at most."""
TUPLES: Final = 128
"""Tables that are looked at, images by symmetries among them; more where a group needs one."""
MOST_IMAGES: Final = 16
"""Symmetries that are used; a larger group is cut down to a part of it."""
MOST_SETS: Final = 8
"""Sets of weights, at most."""
MOST_ROUNDS: Final = 32
"""Walks from each pattern or group, at most."""
MOST_GATES: Final = 1 << 9
"""Gates by which a network derives facts, at most: half a microsecond for each state."""
PROBES: Final = 1 << 12
"""States that are drawn to see whether two gates say the same."""
RARE: Final = 8
"""Probes in which a gate has to be true, and false, for this."""
NONE: Final = -1
"""In place of a fact: none of a group holds."""


Value: TypeAlias = tuple[int, int]
"""A field by number, and the fact of it that holds, or `NONE`."""


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
    packing = place_fields(_groups(circuit, states))
    fields = list(packing.fields)
    movers = _movers(native, sample)
    selectors = _selectors(circuit, fields, states, movers)
    symmetries = find_symmetries(circuit, packing)
    images = [_Image(fields, image) for image in _usable(symmetries.generators, fields, selectors)]
    digits = _derive(circuit, fields, images, states[movers >= 0])
    ends = movers[-len(sample.plays[-1]) :] < 0
    members = [field.members for field in fields]
    decided = patterns(circuit, members, sample.plays[-1][ends])
    winning = threats(circuit, members, *_last_moves(sample, ends))
    for places in (WIDE_PLACES, PLACES):
        chooser = _Chooser(circuit, digits, states, selectors, places)
        chooser.note(decided, winning, images)
        tuples = chooser.choose(images, np.random.default_rng(seed))
        tables = _lay_out(len(circuit.facts), digits, selectors, tuples, images)
        if tables.weights.size <= MOST_WEIGHTS:
            break
    firsts = tuple(tuple(min(fields[f].members) for f in chosen) for chosen in tuples)
    return Layout(tables, firsts, len(images), symmetries.note)


def _groups(circuit: GameCircuit, states: NDArray[np.bool_]) -> list[Field]:
    """Return the groups that are digits, each fact in one: those that were proved, and more.

    Facts that are in no such group and differ in one argument only are one, too, where no sampled
    state holds two of them. That is no proof, and needs none: of a state that holds two the network
    knows less, and places stay in their tables (`gdl.play.value_network.weight_at`).
    """
    fields = proved_groups(circuit)
    alone = {field.members[0] for field in fields if len(field.members) == 1}
    for members in map(tuple, families(circuit.facts).values()):
        held = states[:, members]
        is_one = (held.sum(axis=1) <= 1).all() and held.any(axis=0).all()
        if 1 < len(members) <= MOST_GUESSED and is_one and alone.issuperset(members):
            alone.difference_update(members)
            ordered = sorted(members, key=lambda fact: (fact not in circuit.initial, fact))
            fields.append(Field(tuple(ordered), is_exact=bool(held.any(axis=1).all())))
    kept = [field for field in fields if len(field.members) > 1 or field.members[0] in alone]
    return sorted(kept, key=lambda field: min(field.members))


def _last_moves(
    sample: Sample, ends: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Return the states before the ends of random plays, and what each role did there."""
    games = np.flatnonzero(ends & (sample.plays[0] != sample.plays[-1]).any(axis=1))
    plies = (sample.plays == sample.plays[-1]).all(axis=2).argmax(axis=0)[games] - 1
    return sample.plays[plies, games], sample.moves[plies, games]


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
    moved = movers >= 0
    for number, field in enumerate(fields):
        held = states[moved][:, list(field.members)] @ np.arange(1, len(field.members) + 1)
        tells = all(len(set(movers[moved][held == value])) == 1 for value in set(held.tolist()))
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


class _Image:
    """A renaming of the rules, as what it makes of fields and of their values."""

    def __init__(self, fields: Sequence[Field], renaming: Renaming) -> None:
        stored = [fact for field in fields for fact in field.members]
        owner = [number for number, field in enumerate(fields) for _ in field.members]
        first = np.cumsum([0, *(len(field.members) for field in fields)])
        self.fact = {fact: stored[renaming[i]] for i, fact in enumerate(stored)}
        self.field = [owner[renaming[first[number]]] for number in range(len(fields))]

    def value(self, value: Value) -> Value:
        """Return what becomes of a value of a field."""
        field, fact = value
        return self.field[field], NONE if fact == NONE else self.fact[fact]


@dataclass(frozen=True, slots=True)
class _Digits:
    """Fields, and which of their values are two: such as it is, and while a move may change it.

    Attributes:
        fields: All of them.
        aig: A graph over the facts.
        edges: For each such value what says that it is there, and the field may change.
    """

    fields: Sequence[Field]
    aig: Aig
    edges: dict[Value, Lit]

    def split(self, field: int) -> list[int]:
        """Return the facts of a field that are two values, `NONE` among them."""
        return sorted(fact for other, fact in self.edges if other == field)

    def values(self, field: int) -> int:
        """Return how many values a field has."""
        return _digits(self.fields[field]) + len(self.split(field))


def _derive(
    circuit: GameCircuit,
    fields: Sequence[Field],
    images: Sequence[_Image],
    states: NDArray[np.bool_],
) -> _Digits:
    """Return the values that go on in two ways in random plays; none where it is much to derive."""
    nothing = _Digits(fields, Aig(), {})
    derived = changes(circuit, [field.members for field in fields])
    if derived is None or not len(states):
        return nothing
    aig, changed = derived
    inputs = dict(zip(aig.inputs, states.T.astype(np.uint8), strict=True))
    ones = np.ones(len(states), np.uint8)
    words = {0: ones & 0, **inputs}
    split: set[Value] = set()
    for number, (field, edge) in enumerate(zip(fields, changed, strict=True)):
        if edge >> 1 == 0:
            continue
        (now,) = evaluate_edges(aig, [edge], words, ones)
        held = states[:, list(field.members)]
        for place, fact in [*enumerate(field.members), (NONE, NONE)]:
            here = ~held.any(axis=1) if fact == NONE else held[:, place]
            if len(set(now[here].tolist())) > 1:
                split.add((number, fact))
    split = {image.value(value) for image in images for value in split}
    edges: dict[Value, Lit] = {}
    for number, fact in sorted(split):
        members = fields[number].members
        plain = [2 * aig.inputs[member] for member in (members if fact == NONE else [fact])]
        holds = conj_all(aig, [edge ^ (fact == NONE) for edge in plain])
        edges[number, fact] = aig.conj(holds, changed[number])
    digits = _swept(_Digits(fields, aig, edges), states)
    return digits if len(cone(digits.aig, digits.edges.values())) <= MOST_GATES else nothing


def _swept(digits: _Digits, states: NDArray[np.bool_]) -> _Digits:
    """Return the same with one gate in place of all that seem to say the same: a quarter of them.

    They agree in all sampled states of play, and in thousands in which the value of each field is
    drawn by itself. A gate that is nearly always the same tells too little there, and stays.
    """
    rng = np.random.default_rng(0)
    drawn = np.zeros((PROBES, states.shape[1]), np.bool_)
    for field in digits.fields:
        value = rng.integers(_digits(field), size=PROBES)
        for place, fact in enumerate(field.members):
            drawn[:, fact] = value == field.number(place)
    states = np.concatenate([states, drawn])
    source, target = digits.aig, Aig()
    rows = [0, *(int.from_bytes(np.packbits(row).tobytes(), "big") for row in states.T)]
    ones = int.from_bytes(np.packbits(np.ones(len(states), np.bool_)).tobytes(), "big")
    held = dict(zip([0, *source.inputs], rows, strict=True))
    fill(source, cone(source, digits.edges.values()), held, ones)
    copies: dict[int, Lit] = {0: FALSE}
    copies |= {node: target.add_input() for node in source.inputs}
    first: dict[int, Lit] = {}
    for node, row in held.items():  # operands before users
        if source.is_and(node):
            a, b = source.left[node], source.right[node]
            copies[node] = target.conj(copies[a >> 1] ^ a & 1, copies[b >> 1] ^ b & 1)
        if RARE <= row.bit_count() <= len(states) - RARE:
            same = first.get(row, first.get(row ^ ones, copies[node] ^ 1) ^ 1)
            copies[node] = first.setdefault(row, same)
    edges = {v: copies[e >> 1] ^ e & 1 for v, e in digits.edges.items()}
    return replace(digits, aig=target, edges=edges)


class _Chooser:
    """Grows tuples of groups."""

    def __init__(
        self,
        circuit: GameCircuit,
        digits: _Digits,
        states: NDArray[np.bool_],
        selectors: Sequence[int],
        places: int,
    ) -> None:
        fields, self.places = digits.fields, places
        self.values = [digits.values(number) for number in range(len(fields))]
        self.beside = influence(circuit, [field.members for field in fields])
        # What never changes says nothing, and what selects is said already.
        self.open = [
            number
            for number, field in enumerate(fields)
            if number not in selectors and self.values[number] <= PLACES and _varies(states, field)
        ]
        closed = np.ones(len(fields), np.bool_)
        closed[self.open] = False
        self.beside[:, closed] = 0.0
        self.patterns: list[frozenset[int]] = []

    def note(
        self,
        decided: Sequence[frozenset[int]],
        threats: Sequence[frozenset[int]],
        images: Sequence[_Image],
    ) -> None:
        """Take patterns that decide ends for the first tuples, and threats, one of each orbit.

        A group that is in some of them has to do with the groups of these, and with no others. What
        holds another one whole tells nothing new: in Connect Four a threat is a line, and what
        stands below its gap.
        """
        seen: set[frozenset[int]] = set()
        in_common = np.zeros_like(self.beside)

        def take(patterns: Iterable[frozenset[int]]) -> None:
            for members in patterns:
                if members in seen:
                    continue
                self.patterns.append(members)
                variants = _variants(members, images)
                seen.update(variants)
                for variant in variants:
                    for left, right in permutations(variant, 2):
                        in_common[left, right] += 1.0

        take(self._usable(decided))
        if seen:
            usable = self._usable(threats)
            held = _Subsets(seen.union(*(_variants(members, images) for members in usable)))
            new = [members for members in usable if not held.are_below(members)]
            take(new[: MOST_THREATS // len(images)])
        has_pattern = in_common.any(axis=1)
        self.beside[has_pattern] = in_common[has_pattern]

    def _usable(self, patterns: Sequence[frozenset[int]]) -> list[frozenset[int]]:
        """Return what is left of patterns without groups that are no digits of tuples."""
        left = [members.intersection(self.open) for members in patterns]
        return [
            members for members in dict.fromkeys(left) if len(members) > 1 and self._fits(members)
        ]

    def _fits(self, members: Collection[int]) -> bool:
        """Return whether these groups make a tuple."""
        places = prod(self.values[number] for number in members)
        return places <= (self.places if len(members) <= DIGITS else PLACES)

    def choose(self, images: Sequence[_Image], rng: np.random.Generator) -> list[tuple[int, ...]]:
        """Return tuples, as groups by number: one from each start, then more from all in turn."""
        orbits = {number: {image.field[number] for image in images} for number in self.open}
        begun: set[int] = set()
        starts = [tuple(sorted(members)) for members in self.patterns]
        for members in self.patterns:
            begun.update(*(orbits[number] for number in members))
        for number in self.open:  # one group of each orbit is enough to begin with
            if number not in begun:
                starts.append((number,))
                begun |= orbits[number]
        chosen: list[tuple[int, ...]] = []
        seen: set[frozenset[int]] = set()
        count = 0
        for _ in range(MOST_ROUNDS):
            for start in starts:
                grown = self._grow(start, rng)
                if frozenset(grown) in seen:
                    continue
                variants = _variants(grown, images)
                seen |= variants
                chosen.append(grown)
                count += len(variants)
            if count >= TUPLES:
                break
        return chosen

    def _grow(self, start: Sequence[int], rng: np.random.Generator) -> tuple[int, ...]:
        members = list(start)
        while True:
            weight = self.beside[members].sum(axis=0)
            weight[members] = 0.0
            for number in np.flatnonzero(weight).tolist():
                if not self._fits([*members, number]):
                    weight[number] = 0.0
            if not weight.any():
                return tuple(members)
            members.append(int(rng.choice(len(weight), p=weight / weight.sum())))


def _variants(members: Iterable[int], images: Sequence[_Image]) -> set[frozenset[int]]:
    """Return what the renamings make of a set of groups."""
    members = list(members)
    return {frozenset(image.field[member] for member in members) for image in images}


class _Subsets:
    """Sets of groups, to be asked whether some of them lie within another."""

    def __init__(self, sets: Iterable[frozenset[int]]) -> None:
        self._by_least: dict[int, list[frozenset[int]]] = {}
        for members in sets:
            self._by_least.setdefault(min(members), []).append(members)

    def are_below(self, members: frozenset[int]) -> bool:
        """Return whether one of them is a proper subset."""
        return any(inner < members for g in members for inner in self._by_least.get(g, ()))


def _varies(states: NDArray[np.bool_], field: Field) -> bool:
    held = states[:, list(field.members)]
    return bool((held != held[0]).any())


def _lay_out(
    facts: int,
    digits: _Digits,
    selectors: Sequence[int],
    tuples: Sequence[tuple[int, ...]],
    images: Sequence[_Image],
) -> NetworkTables:
    """Return the tables: what each fact, and each derived one, adds to the place in each."""
    number_of = {value: facts + i for i, value in enumerate(digits.edges)}
    rows: list[tuple[int, int, int]] = []
    steps, sets = _steps(replace(digits, edges={}), selectors)
    rows += [(fact, 0, step) for (_, fact, _), step in steps.items()]
    tables: list[tuple[int, int]] = [(0, sets)]
    begin = 0
    for chosen in tuples:
        steps, size = _steps(digits, chosen)
        laid_out: set[frozenset[tuple[int, int]]] = set()
        for image in images:
            moved = {}
            for (field, fact, is_derived), step in steps.items():
                value = image.value((field, fact))
                moved[number_of[value] if is_derived else value[1]] = step
            # A symmetry that maps the tuple onto itself, digit by digit, would count it twice.
            # All images look up the same weights (``begin``): that is how they are shared.
            if frozenset(moved.items()) not in laid_out:
                laid_out.add(frozenset(moved.items()))
                rows += [(number, len(tables), step) for number, step in moved.items()]
                tables.append((begin, size))
        begin += size
    rows.sort()
    counts = np.bincount([number for number, _, _ in rows], minlength=facts + len(number_of))
    gates, edges = _gates(digits)
    return with_room(
        NetworkTables(
            np.cumsum([0, *counts]).astype(np.int64),
            np.array([(table, step) for _, table, step in rows], np.int32).reshape(-1, 2),
            np.array(tables, np.int64),
            np.zeros((sets, begin), np.float32),
            gates,
            edges,
            no_room(),
        )
    )


def _gates(digits: _Digits) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the gates that derive values, and the edge of each; see `NetworkTables`."""
    aig = digits.aig
    nodes = {0: 0} | {node: i for i, node in enumerate(aig.inputs, 1)}
    order = cone(aig, digits.edges.values())
    nodes |= {node: i for i, node in enumerate(order, len(aig.inputs) + 1)}

    def renamed(edge: Lit) -> int:
        return 2 * nodes[edge >> 1] | edge & 1

    gates = [(renamed(aig.left[node]), renamed(aig.right[node])) for node in order]
    edges = [renamed(edge) for edge in digits.edges.values()]
    return np.array(gates, np.int32).reshape(-1, 2), np.array(edges, np.int32)


def _steps(digits: _Digits, chosen: Sequence[int]) -> tuple[dict[tuple[int, int, bool], int], int]:
    """Return what each value adds to the place in the table of a tuple, and how many places it has.

    A value is a field, a fact, and whether the derived one is meant. Of a group of which one always
    holds the first member, that of the beginning, adds nothing. A derived value adds to what its
    fact adds, up to a number of its own.
    """
    steps: dict[tuple[int, int, bool], int] = {}
    places = 1
    for number in chosen:
        field = digits.fields[number]
        held = {NONE: 0} | {fact: field.number(i) for i, fact in enumerate(field.members)}
        for fact, value in held.items():
            if value:
                steps[number, fact, False] = places * value
        size = _digits(field)
        for fact in digits.split(number):
            steps[number, fact, True] = places * (size - held[fact])
            size += 1
        places *= size
    return steps, places
